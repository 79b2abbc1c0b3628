//! The solvers by name. A method is entered here once, and then the program lists it, reads its options, and the
//! contract test runs it.

use crate::solve::Solver;
use crate::spec::{OptionInfo, Spec, SpecError, nearest};
use crate::splitting::{GaussSeidel, Jacobi, SuccessiveOverRelaxation};

/// A solver as it is listed for people.
#[derive(Clone, Copy)]
pub struct SolverEntry {
    /// The name in specs.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Which problems it takes.
    pub problems: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    make: fn() -> Box<dyn Solver>,
}

impl SolverEntry {
    /// A solver with default options.
    pub fn make(&self) -> Box<dyn Solver> {
        (self.make)()
    }

    /// Its options with their defaults.
    pub fn options(&self) -> Vec<OptionInfo> {
        self.make().options()
    }
}

impl std::fmt::Debug for SolverEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SolverEntry")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

const ANY: &str = "any blocks and cones, matrix-free or explicit";

static SOLVERS: &[SolverEntry] = &[
    SolverEntry {
        name: "pgs",
        summary: "projected Gauss–Seidel",
        problems: ANY,
        reference: "Erleben 2005, §6.1.5–6.1.7",
        make: || Box::new(GaussSeidel::default()),
    },
    SolverEntry {
        name: "psor",
        summary: "projected successive over-relaxation",
        problems: ANY,
        reference: "Erleben 2005, §6.1.4",
        make: || Box::new(SuccessiveOverRelaxation::default()),
    },
    SolverEntry {
        name: "jacobi",
        summary: "projected Jacobi with relaxation",
        problems: ANY,
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
    let entry = SOLVERS
        .iter()
        .find(|entry| entry.name == spec.name)
        .ok_or_else(|| SpecError::UnknownName {
            kind: "solver",
            name: spec.name.clone(),
            nearest: nearest(&spec.name, SOLVERS.iter().map(|entry| entry.name)).map(str::to_owned),
        })?;
    let mut solver = entry.make();
    spec.apply_to(solver.as_mut())?;
    Ok(solver)
}
