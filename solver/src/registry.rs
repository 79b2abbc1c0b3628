//! Things by name. A method is entered once, and then the program lists it, reads its options, and the contract test
//! runs it. Solvers are here; steppers use the same [`Entry`] in the crate that has them.

use std::fmt;

use crate::solve::Solver;
use crate::spec::{Configure, OptionInfo, Spec, SpecError, nearest};
use crate::splitting::{GaussSeidel, Jacobi, SuccessiveOverRelaxation};

/// Something that can be made by name, as it is listed for people.
pub struct Entry<T: ?Sized + 'static> {
    /// The name in specs.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// What it takes.
    pub takes: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    /// Makes one with default options.
    pub make: fn() -> Box<T>,
}

/// A solver of the registry.
pub type SolverEntry = Entry<dyn Solver>;

impl<T: Configure + ?Sized> Entry<T> {
    /// Its options with their defaults.
    pub fn options(&self) -> Vec<OptionInfo> {
        (self.make)().options()
    }
}

impl<T: ?Sized> fmt::Debug for Entry<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Makes what a spec names, with its options set. `kind` is what the entries are called in an error.
pub fn make<T: Configure + ?Sized>(kind: &'static str, entries: &[Entry<T>], spec: &Spec) -> Result<Box<T>, SpecError> {
    let entry = entries
        .iter()
        .find(|entry| entry.name == spec.name)
        .ok_or_else(|| SpecError::UnknownName {
            kind,
            name: spec.name.clone(),
            nearest: nearest(&spec.name, entries.iter().map(|entry| entry.name)).map(str::to_owned),
        })?;
    let mut made = (entry.make)();
    spec.apply_to(made.as_mut())?;
    Ok(made)
}

const ANY: &str = "any blocks and cones, matrix-free or explicit";

static SOLVERS: &[SolverEntry] = &[
    Entry {
        name: "pgs",
        summary: "projected Gauss–Seidel",
        takes: ANY,
        reference: "Erleben 2005, §6.1.5–6.1.7",
        make: || Box::new(GaussSeidel::default()),
    },
    Entry {
        name: "psor",
        summary: "projected successive over-relaxation",
        takes: ANY,
        reference: "Erleben 2005, §6.1.4",
        make: || Box::new(SuccessiveOverRelaxation::default()),
    },
    Entry {
        name: "jacobi",
        summary: "projected Jacobi with relaxation",
        takes: ANY,
        reference: "Erleben 2005, §6.1.1 and (6.55)",
        make: || Box::new(Jacobi::default()),
    },
];

/// All solvers, in the order they are listed.
pub fn solvers() -> &'static [SolverEntry] {
    SOLVERS
}

/// The solver of a spec such as `pgs:iterations=100`.
pub fn solver(spec: &Spec) -> Result<Box<dyn Solver>, SpecError> {
    make("solver", SOLVERS, spec)
}
