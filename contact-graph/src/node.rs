//! Nodes: one for each body (§5.1, Table 5.1). Of the dissertation's categories the physical ones that matter for
//! groups are here; links, containers and logical nodes (rules, triggers, timers) will be further kinds.

/// What a node stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NodeKind {
    /// A body moved by impulses.
    Dynamic,
    /// A body that never moves.
    Fixed,
    /// A body that moves along a prescribed path, whatever pushes it.
    Scripted,
}

impl NodeKind {
    /// Whether impulses stop here: a body of infinite mass passes nothing on, so what touches it on one side is not
    /// felt on the other (§5.2.5).
    #[must_use]
    pub fn is_insulator(self) -> bool {
        match self {
            NodeKind::Dynamic => false,
            NodeKind::Fixed | NodeKind::Scripted => true,
        }
    }
}

/// A body in the graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Node<N> {
    /// What the node stands for.
    pub kind: NodeKind,
    /// The caller's data.
    pub payload: N,
}
