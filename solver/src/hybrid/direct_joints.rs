//! Joints directly, contacts by any iterative solver.
//!
//! Joints are equations, and long chains of them are what sweeps are worst at; contacts are what they are good at. So the
//! joints are eliminated ([`Schur`]), the named solver works on the contacts that are left, each of which then moves
//! the mechanism as a whole, and the joints' impulses follow. Whatever the solver leaves undone, the joints hold to
//! rounding. (Baraff 1996 treats contacts and loops on articulated bodies in this way.)
//!
//! Use it for mechanisms: chains, robots, vehicles with a moderate number of contacts on each. The complement of a
//! mechanism with n contacts has (3n)² numbers, and each of its columns costs a back substitution, so one mechanism
//! under thousands of contacts is better left to methods on the whole.

use crate::error::SolveError;
use crate::formulation::{Schur, is_free};
use crate::options;
use crate::problem::Problem;
use crate::registry;
use crate::solve::{Context, Convergence, Solver, Status};
use crate::spec::Spec;

options! {
    /// Direct joints, iterative contacts.
    #[derive(Debug, Clone, PartialEq)]
    pub struct DirectJoints {
        /// The solver of all that is not a joint, with its options in brackets: pgs(iterations=50,order=symmetric).
        pub contacts: Spec = default_contacts(),
        /// What redundant joints are regularised by, relative to the diagonal of A. They do what they should whatever it is,
        /// and share their load evenly.
        pub regularisation: f64 = 1e-9,
    }
    validate(hybrid) {
        if !(hybrid.regularisation > 0.0 && hybrid.regularisation < 1.0) {
            return Err("regularisation must be between 0 and 1".into());
        }
        registry::solver(&hybrid.contacts).map(|_| ()).map_err(|error| format!("contacts: {error}"))
    }
}

fn default_contacts() -> Spec {
    let option = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    Spec {
        name: "pgs".into(),
        options: vec![option("iterations", "1000"), option("tolerance", "1e-12")],
    }
}

/// Joints whose equations are solved worse than this, relative to their right-hand side, contradict each other.
const CONTRADICTION: f64 = 1e-9;

impl Solver for DirectJoints {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        problem.validate_start(impulses)?;
        let solver = registry::solver(&self.contacts).map_err(|error| SolveError::Unsupported {
            method: "hybrid",
            what: error.to_string(),
        })?;
        if !problem.blocks.iter().any(is_free) {
            return solver.solve(problem, impulses, context);
        }
        if context.cancelled() {
            let mut report = Convergence {
                status: Status::Cancelled,
                ..Convergence::default()
            };
            report.measure(problem, impulses, context);
            return Ok(report);
        }
        let schur = Schur::with_positive_diagonal(problem, self.regularisation)?;
        let mut contacts = schur.start(impulses);
        let mut report = Convergence::default();
        if contacts.is_empty() {
            report.iterations = 1;
            report.status = Status::Converged;
        } else {
            report = solver.solve(&schur.problem, &mut contacts, context)?;
        }
        let left = schur.impulses(&contacts, impulses);
        if left > CONTRADICTION && report.status == Status::Converged {
            report.status = Status::Stalled;
        }
        report.row_updates += (problem.rows() - contacts.len()) as u64;
        report.measure(problem, impulses, context);
        Ok(report)
    }
}
