//! The broad phase: which boxes overlap, without asking what is in them.
//!
//! Times a step on one thread, as parts of the grid's, for the boxes of thirty steps one after the other (as "broad phase in
//! motion" of `benches/collision.rs` does; the shaft is `sphere-pile` as wide as it is by default). The grid takes about
//! 0.03 to 0.3 µs a body.
//!
//! | scene | neighbour list | tree | sweep and prune |
//! |---|---:|---:|---:|
//! | wall of 2000 bricks | 0.26 | 0.28 | 2.2 |
//! | 10 000 balls falling in a narrow shaft | 1.0 | 2.9 | 0.5 |
//! | 10 000 balls falling, wide | 1.0 | 3.3 | 2.5 |
//! | the same at rest | 0.15 | 0.13 | 3.5 |
//! | avalanche of 2000 rocks | 0.95 | 3.2 | 1.5 |
//!
//! So a list of neighbours is what simulations use unless told otherwise: it is nearly free where things rest, and a grid where
//! they don't. The tree keeps such a list too and looks up as fast, but is slow to build, which it has to be when everything moves.

mod all_pairs;
mod candidates;
mod grid;
mod neighbour_list;
mod sorting;
mod sweep_and_prune;
mod tree;

pub use all_pairs::AllPairs;
pub use grid::Grid;
pub use neighbour_list::NeighbourList;
pub use sweep_and_prune::SweepAndPrune;
pub use tree::Tree;

use crate::aabb::Aabb;

/// A method that finds the overlapping pairs among many boxes.
///
/// All methods give the same answer, so that one can be exchanged for another without changing
/// a single bit of a simulation.
pub trait BroadPhase: Send {
    /// The method's name in tables and on the command line.
    fn name(&self) -> &'static str;

    /// Finds every pair (a, b) with a < b whose closed boxes overlap and of which at least one
    /// is movable.
    ///
    /// `out` is cleared first and comes back sorted, each pair once. A body past the end of
    /// `movable` counts as movable. A box with a NaN overlaps nothing.
    fn pairs(&mut self, aabbs: &[Aabb], movable: &[bool], out: &mut Vec<(u32, u32)>);
}

/// A body past the end of the list counts as movable.
#[inline]
fn is_movable(movable: &[bool], body: usize) -> bool {
    movable.get(body).copied().unwrap_or(true)
}
