//! Joints directly, contacts by any iterative solver.
//!
//! Joints are equations, and long chains of them are what sweeps are worst at; contacts are what they are good at. So the
//! joints are eliminated ([`Schur`](crate::formulation::Schur)), the named solver works on the contacts that are left, each
//! of which then moves the mechanism as a whole, and the joints' impulses follow. Whatever the solver leaves undone, the
//! joints hold to rounding. (Baraff 1996 treats contacts and loops on articulated bodies in this way.)
//!
//! Joints alone take time in proportion to their number, trees and loops alike; in a simulation the analysis of the mechanism
//! and all memory are kept from step to step. Redundant joints get the smallest impulses in the norm of diag(A); joints that
//! contradict each other are met as nearly as can be, and the status is `Stalled`.
//!
//! By default contacts, limits and motors are left to conjugate gradients on sweeps (`nncg`): on hinge chains with some tens of
//! each it comes to 1e-10 m/s in 50 to 130 iterations, where plain sweeps take 400 to 1400, and unlike Newton's method it
//! takes well to many contacts.
//!
//! Use it for mechanisms: chains, robots, vehicles with a moderate number of contacts on each. The complement of a
//! mechanism with n contacts has (3n)² numbers, and each of its columns costs a back substitution, so one mechanism
//! under thousands of contacts is better left to methods on the whole.

use std::fmt;

use crate::error::SolveError;
use crate::formulation::{Elimination, is_free};
use crate::monitor::Limits;
use crate::options;
use crate::problem::Problem;
use crate::registry;
use crate::solve::{Context, Convergence, Solver, Status};
use crate::spec::{OptionValue, Spec, SpecError};

options! {
    /// Direct joints, iterative contacts.
    #[derive(Debug, Clone, PartialEq)]
    pub struct DirectJoints {
        /// The solver of all that is not a joint, with its options in brackets: pgs(iterations=50,order=symmetric). The
        /// limits below are given on to it, but for those that it names itself.
        pub contacts: Spec = Spec::named("nncg"),
        /// What redundant joints are regularised by, relative to the diagonal of A. They do what they should whatever it is,
        /// and share their load evenly.
        pub regularisation: f64 = 1e-9,
        flatten pub limits: Limits = Limits::of(1000),
    }
    validate(hybrid) {
        if !(hybrid.regularisation > 0.0 && hybrid.regularisation < 1.0) {
            return Err("regularisation must be between 0 and 1".into());
        }
        registry::solver(&hybrid.contacts).map(|_| ()).map_err(|error| format!("contacts: {error}"))
    }
}

/// Joints whose equations are solved worse than this, relative to their right-hand side, contradict each other.
const CONTRADICTION: f64 = 1e-9;

/// How often the contacts are solved again, to a stricter tolerance, if the whole is not solved yet.
const STRICTER: usize = 2;

fn refused(error: SpecError) -> SolveError {
    SolveError::Unsupported {
        method: "hybrid",
        what: error.to_string(),
    }
}

/// What is kept from solve to solve.
#[derive(Default)]
struct Kept {
    elimination: Elimination,
    contacts: Vec<f64>,
    /// The solver of the contacts, and what it was made by.
    solver: Option<(DirectJoints, Box<dyn Solver>)>,
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").finish_non_exhaustive()
    }
}

impl Solver for DirectJoints {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        self.run(problem, impulses, None, context)
    }

    fn solve_with_change(
        &self,
        problem: &Problem,
        impulses: &mut [f64],
        change: &mut Vec<f64>,
        context: &mut Context,
    ) -> Result<Convergence, SolveError> {
        self.run(problem, impulses, Some(change), context)
    }
}

impl DirectJoints {
    /// Solves, and says what the impulses do to the bodies if it is asked.
    fn run(
        &self,
        problem: &Problem,
        impulses: &mut [f64],
        change: Option<&mut Vec<f64>>,
        context: &mut Context,
    ) -> Result<Convergence, SolveError> {
        problem.validate_start(impulses)?;
        let mut kept = context.recall::<Kept>();
        kept.elimination.forget_solution();
        let report = if context.cancelled() {
            let mut report = Convergence {
                status: Status::Cancelled,
                ..Convergence::default()
            };
            report.measure(problem, impulses, context);
            Ok(report)
        } else {
            self.solve_in(&mut kept, problem, impulses, context)
        };
        if let Some(change) = change
            && !kept.elimination.velocity_change(problem, change)
        {
            problem.velocity_change(impulses, change);
        }
        context.keep(kept);
        report
    }

    fn solve_in(
        &self,
        kept: &mut Kept,
        problem: &Problem,
        impulses: &mut [f64],
        context: &mut Context,
    ) -> Result<Convergence, SolveError> {
        if !problem.blocks.iter().any(is_free) {
            return self.contact_solver(&mut kept.solver)?.solve(problem, impulses, context);
        }
        let Kept {
            elimination,
            contacts,
            solver,
        } = kept;
        elimination.eliminate(problem, self.regularisation, self.regularisation)?;
        contacts.clear();
        contacts.resize(elimination.problem.rows(), 0.0);
        elimination.start(problem, impulses, contacts);
        if contacts.is_empty() {
            let mut report = Convergence {
                iterations: 1,
                status: Status::Converged,
                ..Convergence::default()
            };
            self.finish(elimination, &mut report, problem, contacts, impulses);
            report.measure(problem, impulses, context);
            return Ok(report);
        }
        let solver = self.contact_solver(solver)?;
        let mut report = solver.solve(&elimination.problem, contacts, context)?;
        let mut found = self.finish(elimination, &mut report, problem, contacts, impulses);
        // Rows that joints leave nothing to move weigh nothing in the complement's residual, but they do in the problem's.
        let mut stricter = self.clone();
        for _ in 0..STRICTER {
            let tolerance = self.limits.tolerance;
            if report.status != Status::Converged || found.is_nan() || found <= tolerance || self.stops_by_itself() {
                break;
            }
            stricter.limits.tolerance *= (tolerance / found).min(0.1);
            let solver = stricter.with_limits().map_err(refused)?;
            let again = solver.solve(&elimination.problem, contacts, context)?;
            found = self.finish(elimination, &mut report, problem, contacts, impulses);
            report.iterations += again.iterations;
            report.row_updates += again.row_updates;
            report.history.extend(again.history.into_iter().skip(1));
            if found > tolerance {
                report.status = again.status;
            }
        }
        report.measure(problem, impulses, context);
        Ok(report)
    }

    /// The joints' impulses, with the status if they contradict each other. Returns the residual of the whole.
    fn finish(
        &self,
        elimination: &mut Elimination,
        report: &mut Convergence,
        problem: &Problem,
        contacts: &[f64],
        impulses: &mut [f64],
    ) -> f64 {
        let left = elimination.impulses(problem, contacts, impulses);
        if left > CONTRADICTION && report.status == Status::Converged {
            report.status = Status::Stalled;
        }
        report.row_updates += (problem.rows() - contacts.len()) as u64;
        if contacts.is_empty() {
            return 0.0;
        }
        elimination.residual(problem, impulses, &self.limits)
    }

    /// The solver of the contacts, made once.
    fn contact_solver<'a>(&self, made: &'a mut Option<(Self, Box<dyn Solver>)>) -> Result<&'a dyn Solver, SolveError> {
        let (_, solver) = match made.take() {
            Some((by, solver)) if by == *self => made.insert((by, solver)),
            _ => {
                let solver = self.with_limits().map_err(refused)?;
                made.insert((self.clone(), solver))
            }
        };
        Ok(&**solver)
    }

    /// Whether the named solver says itself when to stop.
    fn stops_by_itself(&self) -> bool {
        let names = |key: &str| self.contacts.options.iter().any(|(other, _)| other == key);
        names("tolerance") || names("stop")
    }

    /// The named solver with the limits that it has options for and does not name itself.
    fn with_limits(&self) -> Result<Box<dyn Solver>, SpecError> {
        let mut spec = self.contacts.clone();
        let known = registry::solver(&spec)?.options();
        let named = |key: &str| self.contacts.options.iter().any(|(other, _)| other == key);
        let mut add = |key: &str, value: String| {
            if known.iter().any(|option| option.key == key) && !named(key) {
                let mut more = spec.clone();
                more.options.push((key.to_owned(), value));
                // A value that this solver does not take is left out.
                if registry::solver(&more).is_ok() {
                    spec = more;
                }
            }
        };
        let limits = &self.limits;
        add("iterations", limits.iterations.show());
        add("time-limit", limits.time_limit.show());
        add("warm-start", limits.warm_start.show());
        // A tolerance that it names is for what it says, or by default, it is for.
        if !self.stops_by_itself() {
            add("stop", "residual".into());
            add("criterion", limits.criterion.show());
            add("tolerance", limits.tolerance.show());
        }
        registry::solver(&spec)
    }
}
