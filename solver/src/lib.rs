//! Complementarity problems, and the solvers for them.
mod error;
pub mod spec;
pub use error::SolveError;
