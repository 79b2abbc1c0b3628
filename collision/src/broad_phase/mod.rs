//! The broad phase: which boxes overlap, without asking what is in them.

mod all_pairs;
mod grid;
mod sorting;
mod sweep_and_prune;

pub use all_pairs::AllPairs;
pub use grid::Grid;
pub use sweep_and_prune::SweepAndPrune;

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
