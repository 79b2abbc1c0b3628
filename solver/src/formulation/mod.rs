//! Conversions between kinds of complementarity problems, each with the way back for its solutions.
//!
//! - [`Pyramid`]: Coulomb's cone becomes a pyramid, friction becomes rows `λ ≥ 0`, `w ≥ 0`;
//! - [`BoxLcp`]: every tangent bounded by itself, with limits that follow the normal impulse;
//! - [`Lcp`]: rows between bounds and free rows become the standard form `w = Mz + q`, `z ≥ 0`, `w ≥ 0`, `z·w = 0`;
//! - [`Schur`]: free rows (joints) are eliminated;
//! - [`relaxed()`]: Coulomb's law becomes its convex relaxation.

mod boxes;
mod factor;
mod joints;
mod lcp;
mod pyramid;
mod relaxed;
mod schur;

pub use boxes::{BoxLcp, Limit};
pub(crate) use factor::{Factor, is_symmetric};
pub use lcp::Lcp;
pub use pyramid::Pyramid;
pub(crate) use pyramid::{check_facets, on_pyramid};
pub(crate) use relaxed::on_relaxed;
pub use relaxed::relaxed;
pub use schur::Schur;
pub(crate) use schur::{Elimination, is_free};
