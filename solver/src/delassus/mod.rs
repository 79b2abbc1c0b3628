//! The Delassus operator `A = J M⁻¹ Jᵀ + Σ`: the seam between mechanics and solvers.
//!
//! A solver that updates one block at a time asks two questions: what is `(Aλ)` on these rows now, and: I changed these
//! impulses, take note. What has to be remembered between them is the operator's own: for rigid bodies it is
//! the effect of λ on the velocities, six numbers a body (dissertation §6.1.5), so that both questions cost two bodies whatever the size of
//! the problem; an explicit matrix needs no memory beside λ. The solver owns that memory and calls it `state`.

mod assembly;
mod couplings;
mod matrix;
mod rigid;
mod rows;
mod touch;

pub(crate) use couplings::Couplings;
pub use matrix::BlockMatrix;
pub(crate) use matrix::Builder;
pub use rigid::RigidBodies;
pub use rows::InverseMass;
pub(crate) use rows::{Rows, RowsOnPair, product};
pub(crate) use touch::Placed;
pub use touch::Touch;

use std::ops::Range;

/// What every solver may ask of A.
pub trait Delassus {
    /// Number of rows.
    fn rows(&self) -> usize;

    /// How many numbers of state the incremental products need.
    fn state_len(&self) -> usize;

    /// Makes the state belong to these impulses.
    fn load(&self, impulses: &[f64], state: &mut [f64]);

    /// `(Aλ)` on the rows of one block, into `out`.
    fn block_product(&self, rows: Range<usize>, impulses: &[f64], state: &[f64], out: &mut [f64]);

    /// Brings the state up to date after `impulses[rows] += delta`.
    fn block_changed(&self, rows: Range<usize>, delta: &[f64], state: &mut [f64]);

    /// `A_rr`.
    fn diagonal(&self, row: usize) -> f64;

    /// The diagonal block on the rows of one block, row-major.
    fn diagonal_block(&self, rows: Range<usize>, out: &mut [f64]);

    /// The block of A on the rows of one block and the columns of another, row-major; zero where they do not meet.
    fn block(&self, rows: Range<usize>, columns: Range<usize>, out: &mut [f64]);

    /// The rigid bodies that it is on, if it is: they can be asked for more.
    fn as_bodies(&self) -> Option<&RigidBodies> {
        None
    }

    /// `y = A x`, allocating what it needs; for checks and measurements, not for inner loops.
    fn apply(&self, x: &[f64], y: &mut [f64]);
}
