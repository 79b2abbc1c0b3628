//! Edges: pairs of bodies near each other, with a memory (§5.1). The states are those of proximity, set by the update
//! from the broad phase (Fig 5.3). Whether the two bodies touch is a matter of the payload.

/// What the last update did to an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeState {
    /// The pair was not reported the time before; the payload is fresh.
    New,
    /// The pair was reported the time before too; the payload is kept.
    Persistent,
    /// The pair was reported the time before and no longer; the payload is kept until the next update.
    Vanished,
}

/// A pair of bodies near each other.
///
/// The caller owns the payload. The other fields are there to be read: the graph keeps its own record of the pairs,
/// and writing here does not change it.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge<E> {
    /// The body with the smaller index.
    pub a: u32,
    /// The body with the larger index.
    pub b: u32,
    /// What the last update did to this edge.
    pub state: EdgeState,
    /// The caller's data.
    pub payload: E,
}
