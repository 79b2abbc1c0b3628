//! Edges (§5.1, Table 5.2): pairs of nodes that have to do with each other, with a memory.
//!
//! Between bodies edges come and go with the broad phase: physical ones between bodies that can push each other,
//! geometrical ones between a trigger volume and a body. How near the two are is kept twice, as it is now and as it was
//! when it was last told, and the events of §5.3 are the difference. So a step that is taken back is never told of.

use crate::NodeKind;

/// The four categories of Table 5.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EdgeKind {
    /// A rule and a body it speaks of. Static.
    Logical,
    /// A body and the container it is part of. Static.
    Structural,
    /// A trigger volume and a body that is near it.
    Geometrical,
    /// Two bodies near each other, at least one of which can be pushed.
    Physical,
}

impl EdgeKind {
    /// The edge there can be between nodes of two kinds, in any order; none between those that have nothing to do with
    /// each other, as two fixed bodies or two triggers.
    #[must_use]
    pub fn between(a: NodeKind, b: NodeKind) -> Option<Self> {
        use NodeKind::{Composite, Fixed, Link, Multibody, Rigid, Rule, Scripted, Trigger};
        let is_body = |kind| matches!(kind, Rigid | Link | Fixed | Scripted);
        match (a, b) {
            (Rule, body) | (body, Rule) if is_body(body) => Some(Self::Logical),
            (Rigid, Composite) | (Composite, Rigid) | (Link, Multibody) | (Multibody, Link) => Some(Self::Structural),
            (Trigger, body) | (body, Trigger) if is_body(body) => Some(Self::Geometrical),
            (a, b) if is_body(a) && is_body(b) && (a.is_movable() || b.is_movable()) => Some(Self::Physical),
            _ => None,
        }
    }

    /// Whether edges of this kind are set by the user and stay, instead of coming and going.
    #[must_use]
    pub fn is_static(self) -> bool {
        matches!(self, Self::Logical | Self::Structural)
    }
}

/// How near two nodes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Nearness {
    /// The broad phase does not report them.
    #[default]
    Far,
    /// The broad phase reports them.
    Near,
    /// They touch; a body is in a trigger volume.
    Touching,
}

/// What became of something that was or was not before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// It is now and was not before.
    New,
    /// It is now and was before.
    Persistent,
    /// It was before and is no longer.
    Vanishing,
}

impl Change {
    fn of(before: bool, now: bool) -> Option<Self> {
        match (before, now) {
            (false, false) => None,
            (false, true) => Some(Self::New),
            (true, true) => Some(Self::Persistent),
            (true, false) => Some(Self::Vanishing),
        }
    }

    /// Whether anything changed.
    #[must_use]
    pub fn is_change(self) -> bool {
        self != Self::Persistent
    }
}

/// A pair of nodes near each other, or lately so.
///
/// The caller owns the payload, and says by [`set_touching`](Self::set_touching) what it found. The other fields are
/// there to be read: the graph keeps its own record of the pairs, and writing here does not change it.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge<E> {
    /// The node with the smaller index.
    pub a: u32,
    /// The node with the larger index.
    pub b: u32,
    /// How near they were when it was last told.
    pub before: Nearness,
    /// How near they are.
    pub now: Nearness,
    /// The caller's data.
    pub payload: E,
}

impl<E> Edge<E> {
    /// One of a pair that has just come near.
    pub(crate) fn new(a: u32, b: u32, payload: E) -> Self {
        let (before, now) = (Nearness::Far, Nearness::Near);
        Self {
            a,
            b,
            before,
            now,
            payload,
        }
    }

    /// Says whether the two touch.
    #[inline]
    pub fn set_touching(&mut self, touching: bool) {
        self.now = if touching { Nearness::Touching } else { Nearness::Near };
    }

    /// What is now is from now on what was before.
    #[inline]
    pub fn settle(&mut self) {
        self.before = self.now;
    }

    /// Both at once: what is now becomes what was before, and the two touch now or don't. Due once after
    /// [`ContactGraph::settle_and_update_with`](crate::ContactGraph::settle_and_update_with).
    #[inline]
    pub fn renew(&mut self, touching: bool) {
        self.settle();
        self.set_touching(touching);
    }

    /// Whether the two touch now.
    #[must_use]
    pub fn is_touching(&self) -> bool {
        self.now == Nearness::Touching
    }

    /// What became of their being near each other.
    #[must_use]
    pub fn proximity(&self) -> Option<Change> {
        Change::of(self.before >= Nearness::Near, self.now >= Nearness::Near)
    }

    /// What became of their touching.
    #[must_use]
    pub fn touch(&self) -> Option<Change> {
        Change::of(self.before == Nearness::Touching, self.now == Nearness::Touching)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table 5.2, row by row.
    #[test]
    fn edges_are_between_the_kinds_of_table_5_2() {
        use NodeKind::*;
        let listed = [
            (
                EdgeKind::Logical,
                [(Rule, Rigid), (Rule, Fixed), (Rule, Scripted), (Rule, Link)].as_slice(),
            ),
            (EdgeKind::Structural, &[(Rigid, Composite), (Link, Multibody)]),
            (
                EdgeKind::Geometrical,
                &[(Trigger, Rigid), (Trigger, Fixed), (Trigger, Scripted), (Trigger, Link)],
            ),
            (
                EdgeKind::Physical,
                &[
                    (Rigid, Rigid),
                    (Rigid, Fixed),
                    (Rigid, Scripted),
                    (Rigid, Link),
                    (Fixed, Link),
                    (Scripted, Link),
                    (Link, Link),
                ],
            ),
        ];
        for a in NodeKind::ALL {
            for b in NodeKind::ALL {
                let row = listed
                    .iter()
                    .find(|(_, pairs)| pairs.contains(&(a, b)) || pairs.contains(&(b, a)));
                assert_eq!(EdgeKind::between(a, b), row.map(|(kind, _)| *kind), "{a:?} {b:?}");
            }
        }
    }
}
