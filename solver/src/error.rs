//! What a solver refuses. Running out of iterations is not among them: that is a [`Status`](crate::Status).

use thiserror::Error;

/// A problem that can't be solved as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SolveError {
    /// A number in the problem, or in the starting impulses, is not finite.
    #[error("block {block} has a value that is not finite in its {what}")]
    NotFinite {
        /// Index of the first such block.
        block: usize,
        /// Which part of it.
        what: &'static str,
    },
    /// A row has no effect on any body and no compliance, so its impulse is undetermined.
    #[error(
        "block {block} is singular: row {row} has no positive diagonal entry (two immovable bodies, or zero Jacobian)"
    )]
    Singular {
        /// Index of the block.
        block: usize,
        /// Row within the block.
        row: usize,
    },
    /// A linear system inside the method is singular to working precision.
    #[error("a linear system of the method is singular; a little compliance or regularisation would help")]
    Factorisation,
    /// The method has no rule for this kind of block, or of matrix.
    #[error("{method} does not take {what}")]
    Unsupported {
        /// The method's name.
        method: &'static str,
        /// What it was given.
        what: String,
    },
    /// The pieces of a problem do not fit together.
    #[error("malformed problem: {0}")]
    Malformed(String),
}
