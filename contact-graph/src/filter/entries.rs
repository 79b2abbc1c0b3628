//! What a filter keeps: entries, each with a side for rules and one for exceptions, and sets of groups as bits.

use super::{CollisionFilter, FilterError, FilterScope};

/// Whether there is a rule and whether there is an exception.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) rule: bool,
    pub(super) exception: bool,
}

impl Entry {
    pub(super) const NONE: Entry = Entry {
        rule: false,
        exception: false,
    };

    pub(super) fn or(self, other: Entry) -> Entry {
        Entry {
            rule: self.rule | other.rule,
            exception: self.exception | other.exception,
        }
    }

    /// Makes one side present or absent and returns whether it was present.
    pub(super) fn set(&mut self, side: Side, present: bool) -> bool {
        match side {
            Side::Rule => std::mem::replace(&mut self.rule, present),
            Side::Exception => std::mem::replace(&mut self.exception, present),
        }
    }

    /// What it decides: none without an entry; an exception beats a rule.
    pub(super) fn verdict(self) -> Option<bool> {
        (self != Entry::NONE).then_some(self.exception)
    }
}

/// One side of an entry: rules, or exceptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Rule,
    Exception,
}

/// What is known of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Body {
    pub(super) groups: u64,
    pub(super) entry: Entry,
}

/// Entries on groups, one side.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GroupSide {
    /// Groups with an entry of their own.
    pub(super) single: u64,
    /// For each group the groups with which it has one; symmetric.
    pub(super) across: [u64; CollisionFilter::MAX_GROUPS as usize],
}

impl GroupSide {
    pub(super) const EMPTY: GroupSide = GroupSide {
        single: 0,
        across: [0; CollisionFilter::MAX_GROUPS as usize],
    };

    pub(super) fn is_empty(&self) -> bool {
        self.single == 0 && self.across.iter().all(|&groups| groups == 0)
    }

    pub(super) fn has_across(&self, groups_a: u64, groups_b: u64) -> bool {
        let mut left = groups_a;
        while left != 0 {
            if self.across[left.trailing_zeros() as usize] & groups_b != 0 {
                return true;
            }
            left &= left - 1;
        }
        false
    }
}

pub(super) fn bit(group: u32) -> Result<u64, FilterError> {
    1u64.checked_shl(group).ok_or(FilterError::GroupOutOfRange { group })
}

/// Sets or clears a bit and returns whether it was set.
pub(super) fn set_bit(word: &mut u64, bit: u64, present: bool) -> bool {
    let was = *word & bit != 0;
    *word = if present { *word | bit } else { *word & !bit };
    was
}

impl CollisionFilter {
    /// Every rule and every exception, and whether it is the latter: bodies, pairs, groups, pairs of groups, each in rising
    /// order.
    pub fn entries(&self) -> impl Iterator<Item = (FilterScope, bool)> {
        let sides = |scope: FilterScope, entry: Entry| {
            let rule = entry.rule.then_some((scope, false));
            let exception = entry.exception.then_some((scope, true));
            rule.into_iter().chain(exception)
        };
        let bodies = self.bodies.iter().zip(0..);
        let bodies = bodies.flat_map(move |(body, index)| sides(FilterScope::Body(index), body.entry));
        let pairs = self.pairs.iter();
        let pairs = pairs.flat_map(move |&((a, b), entry)| sides(FilterScope::Pair(a, b), entry));
        let with = |bits: u64, group: u32| bits >> group & 1 == 1;
        let groups = (0..Self::MAX_GROUPS).flat_map(move |a| {
            let of = move |side: &GroupSide, exception: bool| {
                let single = with(side.single, a).then_some((FilterScope::Group(a), exception));
                let across = side.across[a as usize];
                let partners = (a..Self::MAX_GROUPS).filter(move |&b| with(across, b));
                let across = partners.map(move |b| (FilterScope::Groups(a, b), exception));
                single.into_iter().chain(across)
            };
            of(&self.rules, false).chain(of(&self.exceptions, true))
        });
        bodies.chain(pairs).chain(groups)
    }
}
