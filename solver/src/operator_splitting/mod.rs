//! Splitting by operators: the problem is cut into parts that are easy by themselves, and solved in turn until they agree.
//!
//! `admm` alternates between a linear solve and projections onto the cones; `staggered` between the problem with given
//! friction bounds (`tresca`) and new bounds.

mod acceleration;
mod admm;
mod penalty;
mod staggered;
mod tresca;

pub use acceleration::Acceleration;
pub use admm::Admm;
pub use penalty::Penalty;
pub use staggered::{Inner, Scheme, Staggered};

use crate::registry::{Accuracy, Class, Entry, FrictionLaw, MatrixKind, SolverEntry};

const fn class(matrix: MatrixKind) -> Class {
    Class {
        family: "operator splitting",
        friction: FrictionLaw::Coulomb,
        matrix,
        accuracy: Accuracy::Iterative,
    }
}

/// The operator-splitting methods, in the order they are listed.
pub(crate) static ENTRIES: &[SolverEntry] = &[
    Entry {
        name: "admm",
        summary: "alternating direction method of multipliers, scaled and accelerated",
        takes: class(MatrixKind::Symmetric),
        reference: "Carpentier, Le Lidec and Montaut 2024; Boyd et al. 2011",
        make: || Box::new(Admm::default()),
    },
    Entry {
        name: "staggered",
        summary: "fixed point on the friction bounds, Tresca's problem inside",
        takes: class(MatrixKind::PositiveDiagonal),
        reference: "Haslinger 1983; Panagiotopoulos 1975",
        make: || Box::new(Staggered::default()),
    },
];
