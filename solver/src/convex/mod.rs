//! Methods for the regularised convex primal problem: `sap`, Newton in the velocities.

mod sap;

pub use sap::Sap;

use crate::registry::{Accuracy, Class, Entry, FrictionLaw, MatrixKind, SolverEntry};

/// The convex methods, in the order they are listed.
pub(crate) static ENTRIES: &[SolverEntry] = &[Entry {
    name: "sap",
    summary: "Newton on the convex primal problem in velocities, its regularisation driven to zero",
    takes: Class {
        family: "convex",
        friction: FrictionLaw::Relaxed,
        matrix: MatrixKind::Symmetric,
        accuracy: Accuracy::Exact,
    },
    reference: "Castro, Permenter and Han 2022; Rockafellar 1976",
    make: || Box::new(Sap::default()),
}];
