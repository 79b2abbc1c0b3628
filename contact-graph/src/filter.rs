//! Which pairs of bodies may collide: the collision filter and collision groups of Gravitas (§3.4.3, §3.4.4).
//!
//! An entry speaks of pairs of one of four kinds ([`FilterScope`]) and is a *rule*, which forbids these pairs, or an
//! *exception*, which allows them. The most specific kind with an entry for a pair decides:
//!
//! ```text
//! a pair of bodies  >  a body  >  a pair of groups  >  a group  >  the default
//! ```
//!
//! and if that kind has rules and exceptions for the pair, the exception wins. The order in which entries were made
//! plays no part. Groups are bits of one word for each body, so a question costs a few operations on words, and a
//! binary search if there are entries for pairs of bodies.

mod entries;

use std::error::Error;
use std::fmt;

use entries::{Body, Entry, GroupSide, Side, bit, set_bit};

/// What a rule or an exception speaks of. In pairs the order plays no part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterScope {
    /// The pair of these two bodies.
    Pair(u32, u32),
    /// Any pair with this body.
    Body(u32),
    /// Pairs across two groups, one body from each. The same group twice stands for pairs inside the group.
    Groups(u32, u32),
    /// Any pair with a member of this group.
    Group(u32),
}

/// Why the filter refused its input. It is left as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterError {
    /// There are no more than [`CollisionFilter::MAX_GROUPS`] groups.
    GroupOutOfRange {
        /// The group asked for.
        group: u32,
    },
    /// A pair joins a body with itself.
    SelfPair {
        /// The body.
        body: u32,
    },
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            FilterError::GroupOutOfRange { group } => {
                let most = CollisionFilter::MAX_GROUPS;
                write!(
                    f,
                    "collision group {group} is out of range: groups are 0 to {}",
                    most - 1
                )
            }
            FilterError::SelfPair { body } => write!(f, "a filter's pair joins body {body} with itself"),
        }
    }
}

impl Error for FilterError {}

/// Decides which pairs may collide. Without any entry the default decides, which is to allow.
///
/// Bodies are known by index; memory grows with the largest index that has an entry or a group.
///
/// # Example
///
/// Rocks of an avalanche collide with the cliff and not with each other; but rock 3 is a large one and feels all.
///
/// ```
/// use drystone_contact_graph::{CollisionFilter, FilterScope};
///
/// # fn main() -> Result<(), drystone_contact_graph::FilterError> {
/// const ROCKS: u32 = 0;
/// let cliff = 0;
/// let mut filter = CollisionFilter::default();
/// for rock in 1..=3 {
///     filter.set_groups(rock, &[ROCKS])?;
/// }
/// filter.add_rule(FilterScope::Groups(ROCKS, ROCKS))?;
/// assert!(filter.allows(cliff, 1) && !filter.allows(1, 2) && !filter.allows(1, 3));
///
/// filter.add_exception(FilterScope::Body(3))?;
/// assert!(!filter.allows(1, 2) && filter.allows(1, 3));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CollisionFilter {
    /// Whether pairs that no entry speaks of may collide.
    pub default_allow: bool,
    bodies: Vec<Body>,
    /// Sorted by the pair, whose smaller body comes first; none without an entry.
    pairs: Vec<((u32, u32), Entry)>,
    rules: GroupSide,
    exceptions: GroupSide,
    /// How many bodies have an entry.
    body_entries: usize,
}

impl Default for CollisionFilter {
    fn default() -> Self {
        Self::new(true)
    }
}

impl CollisionFilter {
    /// Groups are numbered from 0 to one below this.
    pub const MAX_GROUPS: u32 = u64::BITS;

    /// A filter without entries.
    #[must_use]
    pub fn new(default_allow: bool) -> Self {
        Self {
            default_allow,
            bodies: Vec::new(),
            pairs: Vec::new(),
            rules: GroupSide::EMPTY,
            exceptions: GroupSide::EMPTY,
            body_entries: 0,
        }
    }

    /// Forbids pairs. Nothing changes if the rule is there already.
    ///
    /// # Errors
    ///
    /// If a group is out of range, or a pair is a body with itself.
    pub fn add_rule(&mut self, scope: FilterScope) -> Result<(), FilterError> {
        self.set(scope, Side::Rule, true).map(|_| ())
    }

    /// Allows pairs, against rules of the same kind and of less specific ones. Nothing changes if the exception is
    /// there already.
    ///
    /// # Errors
    ///
    /// If a group is out of range, or a pair is a body with itself.
    pub fn add_exception(&mut self, scope: FilterScope) -> Result<(), FilterError> {
        self.set(scope, Side::Exception, true).map(|_| ())
    }

    /// Takes a rule away; tells whether there was one.
    pub fn remove_rule(&mut self, scope: FilterScope) -> bool {
        self.set(scope, Side::Rule, false).unwrap_or(false)
    }

    /// Takes an exception away; tells whether there was one.
    pub fn remove_exception(&mut self, scope: FilterScope) -> bool {
        self.set(scope, Side::Exception, false).unwrap_or(false)
    }

    /// Puts a body in these groups and in no others.
    ///
    /// # Errors
    ///
    /// If a group is out of range.
    pub fn set_groups(&mut self, body: u32, groups: &[u32]) -> Result<(), FilterError> {
        let mut set = 0;
        for &group in groups {
            set |= bit(group)?;
        }
        if set != 0 || (body as usize) < self.bodies.len() {
            self.body_mut(body).groups = set;
        }
        Ok(())
    }

    /// Whether a body is in a group.
    #[must_use]
    pub fn is_member(&self, body: u32, group: u32) -> bool {
        bit(group).is_ok_and(|bit| self.body(body).groups & bit != 0)
    }

    /// Whether there is no entry and the default is to allow: then all pairs may collide and nobody needs to ask.
    #[must_use]
    pub fn is_trivial(&self) -> bool {
        let empty = self.pairs.is_empty() && self.body_entries == 0;
        self.default_allow && empty && self.rules.is_empty() && self.exceptions.is_empty()
    }

    /// Whether two bodies may collide; the same whichever comes first. A body never collides with itself.
    #[must_use]
    pub fn allows(&self, a: u32, b: u32) -> bool {
        if a == b {
            return false;
        }
        let (body_a, body_b) = (self.body(a), self.body(b));
        let (groups_a, groups_b) = (body_a.groups, body_b.groups);
        let pair = || self.pair_entry(a, b).verdict();
        let body = || body_a.entry.or(body_b.entry).verdict();
        let across = || {
            let entry = Entry {
                rule: self.rules.has_across(groups_a, groups_b),
                exception: self.exceptions.has_across(groups_a, groups_b),
            };
            entry.verdict()
        };
        let single = || {
            let entry = Entry {
                rule: self.rules.single & (groups_a | groups_b) != 0,
                exception: self.exceptions.single & (groups_a | groups_b) != 0,
            };
            entry.verdict()
        };
        let verdict = pair().or_else(body).or_else(across).or_else(single);
        verdict.unwrap_or(self.default_allow)
    }

    /// Gives bodies new indices, as when bodies are removed: `None` for a removed body, whose entries and groups go
    /// with it. No two bodies may get the same index; if they do, what was said of each holds for the one.
    pub fn renumber(&mut self, new_index: impl Fn(u32) -> Option<u32>) {
        let old_bodies = std::mem::take(&mut self.bodies);
        self.body_entries = 0;
        for (old, body) in (0..).zip(old_bodies) {
            if body.groups == 0 && body.entry == Entry::NONE {
                continue;
            }
            if let Some(new) = new_index(old) {
                let moved = self.body_mut(new);
                let is_first = moved.entry == Entry::NONE && body.entry != Entry::NONE;
                moved.groups |= body.groups;
                moved.entry = moved.entry.or(body.entry);
                self.body_entries += usize::from(is_first);
            }
        }
        let old_pairs = std::mem::take(&mut self.pairs);
        for ((a, b), entry) in old_pairs {
            if let (Some(a), Some(b)) = (new_index(a), new_index(b))
                && a != b
            {
                self.pairs.push((ordered(a, b), entry));
            }
        }
        self.pairs.sort_unstable_by_key(|&(pair, _)| pair);
        self.pairs.dedup_by(|second, first| {
            let same = first.0 == second.0;
            if same {
                first.1 = first.1.or(second.1);
            }
            same
        });
    }

    fn body(&self, body: u32) -> Body {
        self.bodies.get(body as usize).copied().unwrap_or_default()
    }

    fn body_mut(&mut self, body: u32) -> &mut Body {
        let index = body as usize;
        if index >= self.bodies.len() {
            self.bodies.resize(index + 1, Body::default());
        }
        &mut self.bodies[index]
    }

    fn pair_entry(&self, a: u32, b: u32) -> Entry {
        match self.find_pair(a, b) {
            Ok(position) => self.pairs[position].1,
            Err(_) => Entry::NONE,
        }
    }

    fn find_pair(&self, a: u32, b: u32) -> Result<usize, usize> {
        let wanted = ordered(a, b);
        self.pairs.binary_search_by_key(&wanted, |&(pair, _)| pair)
    }

    /// Makes one side of an entry present or absent and returns whether it was present.
    fn set(&mut self, scope: FilterScope, side: Side, present: bool) -> Result<bool, FilterError> {
        let group_side = match side {
            Side::Rule => &mut self.rules,
            Side::Exception => &mut self.exceptions,
        };
        match scope {
            FilterScope::Pair(a, b) => self.set_pair(a, b, side, present),
            FilterScope::Body(body) => Ok(self.set_body(body, side, present)),
            FilterScope::Groups(a, b) => {
                let (bit_a, bit_b) = (bit(a)?, bit(b)?);
                let was = set_bit(&mut group_side.across[a as usize], bit_b, present);
                set_bit(&mut group_side.across[b as usize], bit_a, present);
                Ok(was)
            }
            FilterScope::Group(group) => Ok(set_bit(&mut group_side.single, bit(group)?, present)),
        }
    }

    fn set_pair(&mut self, a: u32, b: u32, side: Side, present: bool) -> Result<bool, FilterError> {
        if a == b {
            return Err(FilterError::SelfPair { body: a });
        }
        let position = match self.find_pair(a, b) {
            Ok(position) => position,
            Err(_) if !present => return Ok(false),
            Err(position) => {
                self.pairs.insert(position, (ordered(a, b), Entry::NONE));
                position
            }
        };
        let was = self.pairs[position].1.set(side, present);
        if self.pairs[position].1 == Entry::NONE {
            self.pairs.remove(position);
        }
        Ok(was)
    }

    fn set_body(&mut self, body: u32, side: Side, present: bool) -> bool {
        if !present && self.body(body).entry == Entry::NONE {
            return false;
        }
        let entry = &mut self.body_mut(body).entry;
        let before = *entry != Entry::NONE;
        let was = entry.set(side, present);
        let after = *entry != Entry::NONE;
        self.body_entries = self.body_entries + usize::from(after) - usize::from(before);
        was
    }
}

fn ordered(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}
