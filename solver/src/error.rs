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
    /// The pieces of a problem do not fit together.
    #[error("malformed problem: {0}")]
    Malformed(String),
}
