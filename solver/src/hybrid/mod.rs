//! Hybrids: one method for the joints, another for the contacts. `direct_joints` eliminates the joints
//! ([`crate::formulation::Schur`]) and gives the rest to any solver of the registry.

mod direct_joints;

pub use direct_joints::DirectJoints;

use crate::registry::{Accuracy, Class, Entry, FrictionLaw, MatrixKind, SolverEntry};

/// The hybrid methods, in the order they are listed.
pub(crate) static ENTRIES: &[SolverEntry] = &[Entry {
    name: "hybrid",
    summary: "joints by sparse elimination, contacts by any other solver",
    takes: Class {
        family: "hybrid",
        friction: FrictionLaw::Coulomb,
        matrix: MatrixKind::PositiveDiagonal,
        accuracy: Accuracy::Iterative,
    },
    reference: "Baraff 1996; Schur complement with a sparse factorisation",
    make: || Box::new(DirectJoints::default()),
}];
