//! Linear systems that the solvers share.
//!
//! Every second-order method here, whatever its equations, ends in the same kind of system: `(C + E A) x = b` with
//! block-diagonal C and E (Newton's matrices of complementarity functions, barrier terms, penalties). [`Shifted`] solves
//! them on either form of the operator; underneath is a sparse LU in dense fronts whose symbolic part is made
//! once a problem ([`SparseLu`]), or a Krylov method that forms no matrix ([`gmres`]). Joints alone are symmetric and
//! semidefinite and have an `L D Lᵀ` of their own (`definite`).

mod definite;
pub(crate) mod dense;
mod fronts;
mod gmres;
mod multifrontal;
mod shifted;
mod symbolic;

pub(crate) use definite::SparseLdl;
pub use gmres::{Gmres, gmres};
pub use multifrontal::SparseLu;
pub use shifted::{LinearSolver, Shifted};
