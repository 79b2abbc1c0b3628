//! What every solver owes its callers, checked on problems whose answers are known from elsewhere.
//!
//! [`check`] runs a registered solver, or one of your own, through all cases: rows with solutions chosen in advance,
//! over-constrained mechanisms, a contact with a closed form, boxes on slopes and in stacks, tangles of everything, and the contract of
//! [`Solver`](crate::Solver) itself (limits, cancelling, records, errors, bits). What can be asked follows from the
//! solver's [`Class`]:
//!
//! - results are judged by the law it names: Coulomb's, the relaxation, the pyramid with its number of facets, the box;
//! - an exact method runs with its own options and must leave a natural residual of at most [`EXACT`];
//! - an iterative one gets [`ITERATIONS`] iterations and must reach [`ITERATIVE`] on the well-conditioned cases. On the
//!   others, such as a heavy box on a light one, it is only reported how far [`FEWER_ITERATIONS`] carry it.
//!
//! Tolerances are absolute: in all problems velocities are of the order of one metre a second. No case depends on the
//! clock but the one on time limits.
//!
//! ```
//! use drystone_solver::{conformance, registry};
//!
//! let entry = registry::solvers()[0];
//! # let entry = registry::solvers().into_iter().find(|entry| entry.name == "proximal").unwrap_or(entry);
//! let report = conformance::check(entry);
//! for case in report.failures() {
//!     panic!("{} fails {}", report.solver, case);
//! }
//! ```

mod cases;
mod findings;
pub mod problems;
mod subject;

use std::fmt;

use crate::registry::{self, Accuracy, Class, SolverEntry};
use crate::spec::{Spec, SpecError, nearest};

pub use findings::Outcome;
use findings::{Findings, Refusal};
pub use subject::{Judgement, Law, Subject};

/// The natural residual that an exact method leaves at most, m/s.
pub const EXACT: f64 = 1e-8;
/// The natural residual that an iterative method reaches on well-conditioned problems, m/s.
pub const ITERATIVE: f64 = 1e-6;
/// The iterations it has for that.
pub const ITERATIONS: usize = 20_000;
/// The iterations it has where nothing is demanded of it.
pub const FEWER_ITERATIONS: usize = 500;

/// What became of all cases.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The solver's name, with the options it was given.
    pub solver: String,
    /// What it claims to be.
    pub class: Class,
    /// The cases, in an order that is the same for all solvers.
    pub cases: Vec<Case>,
}

impl Report {
    /// The cases that failed.
    pub fn failures(&self) -> impl Iterator<Item = &Case> {
        self.cases
            .iter()
            .filter(|case| matches!(case.outcome, Outcome::Failed(_)))
    }

    /// Whether none failed.
    pub fn passed(&self) -> bool {
        self.failures().next().is_none()
    }
}

/// What became of one case.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Its name.
    pub name: &'static str,
    /// What it claims.
    pub claim: &'static str,
    /// What became of it.
    pub outcome: Outcome,
    /// The largest residual that was left, by the solver's own law, m/s.
    pub residual: Option<f64>,
    /// The most iterations that a problem of it took.
    pub iterations: Option<usize>,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.name, self.claim, self.outcome)
    }
}

/// A case before it is run.
struct Trial {
    name: &'static str,
    claim: &'static str,
    /// Whether iterative methods must pass it too.
    demand: Demand,
    run: fn(&Subject, &mut Findings) -> Result<(), Refusal>,
}

/// Of whom a case is demanded; the others are reported.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Demand {
    Everyone,
    ExactMethods,
}

/// Runs a solver through all cases, with its default options.
pub fn check(entry: &SolverEntry) -> Report {
    examine(&Subject::of(entry))
}

/// Runs the solver of a spec through all cases, with the options that the spec sets.
pub fn check_spec(spec: &Spec) -> Result<Report, SpecError> {
    let entries = registry::solvers();
    let Some(entry) = entries.iter().find(|entry| entry.name == spec.name) else {
        return Err(SpecError::UnknownName {
            kind: "solver",
            name: spec.name.clone(),
            nearest: nearest(&spec.name, entries.iter().map(|entry| entry.name)).map(str::to_owned),
        });
    };
    Ok(examine(&Subject::with_options(entry, spec)?))
}

fn examine(subject: &Subject) -> Report {
    let cases = cases::all().map(|trial| {
        let demanded = trial.demand == Demand::Everyone || subject.class.accuracy == Accuracy::Exact;
        let mut findings = Findings::new(demanded);
        let end = (trial.run)(subject, &mut findings);
        Case {
            name: trial.name,
            claim: trial.claim,
            residual: findings.residual,
            iterations: findings.iterations,
            outcome: findings.outcome(end),
        }
    });
    Report {
        solver: subject.name.clone(),
        class: subject.class,
        cases: cases.collect(),
    }
}
