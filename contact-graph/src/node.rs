//! Nodes (§5.1, Table 5.1): one for each body, and for what groups or watches bodies.
//!
//! Physical nodes have a shape and take part in contacts, containers hold physical nodes together, logical nodes stand
//! for what is asked of bodies rather than done by them.

/// What a node stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NodeKind {
    /// A body moved by impulses.
    Rigid,
    /// A body moved by impulses that joints hold to others.
    Link,
    /// A body that never moves.
    Fixed,
    /// A body that moves along a prescribed path, whatever pushes it.
    Scripted,
    /// Rigid bodies that are one thing.
    Composite,
    /// Links that are one mechanism.
    Multibody,
    /// Something said of bodies: which may touch which.
    Rule,
    /// A volume that notices who is in it.
    Trigger,
    /// A clock that ticks.
    Timer,
}

/// The three categories of Table 5.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeCategory {
    /// Rigid, link, fixed, scripted.
    Physical,
    /// Composite, multibody.
    Container,
    /// Rule, trigger, timer.
    Logical,
}

impl NodeKind {
    /// Every kind.
    pub const ALL: [Self; 9] = [
        Self::Rigid,
        Self::Link,
        Self::Fixed,
        Self::Scripted,
        Self::Composite,
        Self::Multibody,
        Self::Rule,
        Self::Trigger,
        Self::Timer,
    ];

    /// Its category.
    #[must_use]
    pub fn category(self) -> NodeCategory {
        match self {
            Self::Rigid | Self::Link | Self::Fixed | Self::Scripted => NodeCategory::Physical,
            Self::Composite | Self::Multibody => NodeCategory::Container,
            Self::Rule | Self::Trigger | Self::Timer => NodeCategory::Logical,
        }
    }

    /// Whether impulses move it.
    #[must_use]
    pub fn is_movable(self) -> bool {
        matches!(self, Self::Rigid | Self::Link)
    }

    /// Whether impulses stop here: a body of infinite mass passes nothing on, so what touches it on one side is not
    /// felt on the other (§5.2.5). Logical nodes pass nothing on either; containers do.
    #[must_use]
    pub fn is_insulator(self) -> bool {
        !self.is_movable() && self.category() != NodeCategory::Container
    }
}

/// A node of the graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Node<N> {
    /// What the node stands for.
    pub kind: NodeKind,
    /// The caller's data.
    pub payload: N,
}
