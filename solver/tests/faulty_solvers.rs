//! The conformance suite itself: it must find what is wrong. Each solver here is the reference solver with one fault, and
//! the case that is made for this fault has to fail; without a fault none may.

use std::sync::atomic::{AtomicU64, Ordering};

use drystone_solver::conformance;
use drystone_solver::newton::ProximalPoint;
use drystone_solver::registry::{Accuracy, Class, Entry, FrictionLaw, MatrixKind, SolverEntry};
use drystone_solver::spec::{Configure, OptionInfo, SpecError};
use drystone_solver::{
    BlockMatrix, Cone, Context, Convergence, Measure, Operator, Problem, SolveError, Solver, Status,
};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// Stops too early.
    Inexact,
    /// Forgets that motors have a largest impulse.
    NoUpperBounds,
    /// Works with the symmetric part of A.
    OnlySymmetric,
    /// Has no friction.
    NoFriction,
    /// Bounds each tangent by itself.
    BoxFriction,
    /// Lets what slips part.
    Relaxed,
    /// Pushes harder than the weight of what is above.
    Overloaded,
    /// Has another answer for rigid bodies than for a matrix.
    OperatorMatters,
    IgnoresCancel,
    IgnoresIterations,
    IgnoresTime,
    /// Leaves the start out of the history.
    ShortHistory,
    /// Tells another residual than it leaves.
    WrongResidual,
    /// Says it has converged whatever happened.
    Boasts,
    /// Clears the impulses before it looks at the problem.
    ClearsFirst,
    /// Takes a start of any length.
    AnyLength,
    /// Adds a number that is another one every time.
    Restless,
    /// Is led astray by a start.
    BadWarmStart,
    /// Names no block.
    NoBlock,
}

/// The reference solver with a fault.
struct Faulty {
    inner: ProximalPoint,
    fault: Fault,
}

impl Configure for Faulty {
    fn options(&self) -> Vec<OptionInfo> {
        self.inner.options()
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), SpecError> {
        match (self.fault, key) {
            (Fault::IgnoresIterations, "iterations") | (Fault::IgnoresTime, "time-limit") => Ok(()),
            _ => self.inner.set(key, value),
        }
    }

    fn validate(&self) -> Result<(), String> {
        self.inner.validate()
    }
}

static CALLS: AtomicU64 = AtomicU64::new(0);

impl Faulty {
    /// The problem as the fault sees it.
    fn seen(&self, problem: &Problem) -> Problem {
        let mut seen = problem.clone();
        for block in &mut seen.blocks {
            block.cone = match (self.fault, block.cone) {
                (Fault::NoUpperBounds, Cone::Interval { lower, .. }) => Cone::Interval {
                    lower,
                    upper: f64::INFINITY,
                },
                (Fault::NoFriction, Cone::Friction { .. }) => Cone::Friction { coefficient: 0.0 },
                (Fault::Relaxed, Cone::Friction { coefficient }) => Cone::SecondOrder { coefficient },
                (_, cone) => cone,
            };
        }
        if let (Fault::OnlySymmetric, Operator::Matrix(matrix)) = (self.fault, &problem.operator) {
            let dense = matrix.to_dense();
            let sizes: Vec<usize> = problem.blocks.iter().map(|block| block.len as usize).collect();
            if let Ok(half) = BlockMatrix::from_dense(&(0.5 * (&dense + dense.transpose())), &sizes) {
                seen.operator = Operator::Matrix(half);
            }
        }
        let has_bodies = matches!(problem.operator, Operator::RigidBodies(_));
        if self.fault == Fault::OperatorMatters && has_bodies {
            seen.bias.iter_mut().for_each(|b| *b += 1e-3);
        }
        seen
    }

    fn spoil(&self, problem: &Problem, impulses: &mut [f64], report: &mut Convergence) {
        match self.fault {
            Fault::Inexact => impulses.iter_mut().for_each(|x| *x += 1e-6),
            Fault::BoxFriction => {
                for block in &problem.blocks {
                    let rows = block.rows();
                    if let (Cone::Friction { coefficient }, 3) = (block.cone, rows.len()) {
                        let limit = coefficient * impulses[rows.start];
                        let slips = impulses[rows.start + 1].hypot(impulses[rows.start + 2]) > 0.999 * limit;
                        for row in rows.start + 1..rows.end {
                            if slips && impulses[row] != 0.0 {
                                impulses[row] = limit.copysign(impulses[row]);
                            }
                        }
                    }
                }
            }
            Fault::Overloaded => impulses.iter_mut().for_each(|x| *x *= 1.0 + 1e-4),
            Fault::ShortHistory => {
                report.history.pop();
            }
            Fault::WrongResidual => report.residual = report.residual.map(|residual| residual + 1e-9),
            Fault::Boasts => report.status = Status::Converged,
            Fault::Restless => {
                let call = CALLS.fetch_add(1, Ordering::Relaxed) as f64;
                impulses.iter_mut().for_each(|x| *x += 1e-14 * (1.0 + call % 7.0));
            }
            _ => {}
        }
    }
}

impl Solver for Faulty {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        match self.fault {
            Fault::IgnoresCancel => context.cancel = None,
            Fault::ClearsFirst => impulses.fill(0.0),
            Fault::AnyLength if impulses.len() != problem.rows() => return Ok(Convergence::default()),
            Fault::BadWarmStart if context.measure == Measure::Nothing && impulses.iter().any(|x| *x != 0.0) => {
                problem.validate_start(impulses)?;
                return Ok(Convergence::default());
            }
            _ => {}
        }
        let end = self.inner.solve(&self.seen(problem), impulses, context);
        let mut report = match (self.fault, end) {
            (Fault::NoBlock, Err(SolveError::NotFinite { what, .. })) => {
                return Err(SolveError::NotFinite { block: 0, what });
            }
            (_, end) => end?,
        };
        self.spoil(problem, impulses, &mut report);
        if self.fault == Fault::BadWarmStart {
            impulses.iter_mut().for_each(|x| *x += 1e-9);
        }
        Ok(report)
    }
}

macro_rules! faulty {
    ($($fault:ident => $($case:literal),*;)*) => {
        [$((
            Entry {
                name: stringify!($fault),
                summary: "",
                takes: CLASS,
                reference: "",
                make: || Box::new(Faulty { inner: ProximalPoint::default(), fault: Fault::$fault }),
            },
            vec![$($case),*],
        )),*]
    };
}

const CLASS: Class = Class {
    family: "faulty",
    friction: FrictionLaw::Coulomb,
    matrix: MatrixKind::Any,
    accuracy: Accuracy::Exact,
};

#[test]
fn every_fault_is_found_by_the_case_made_for_it() {
    let solvers: [(SolverEntry, Vec<&str>); 20] = faulty! {
        None => ;
        Inexact => "one-row", "definite", "joints", "tangle";
        NoUpperBounds => "definite", "one-row", "tangle";
        OnlySymmetric => "dominant", "skewed", "no-diagonal";
        NoFriction => "contact-sticks", "contact-slips", "slope-sticks", "slope-slides";
        BoxFriction => "contact-slips", "contact-slips-coupled";
        Relaxed => "contact-slips", "contact-slips-coupled", "contact-plane", "slope-slides";
        Overloaded => "box-at-rest", "stack-3", "stack-10", "mass-ratio";
        OperatorMatters => "tangle", "tangle-stiff", "slope-sticks";
        IgnoresCancel => "cancel";
        IgnoresIterations => "iteration-limit";
        IgnoresTime => "time-limit";
        ShortHistory => "records";
        WrongResidual => "records";
        Boasts => "honesty", "cancel";
        ClearsFirst => "bad-numbers";
        AnyLength => "bad-start";
        Restless => "same-bits";
        BadWarmStart => "warm-start";
        NoBlock => "bad-numbers";
    };
    for (entry, expected) in &solvers {
        let report = conformance::check(entry);
        let failed: Vec<&str> = report.failures().map(|case| case.name).collect();
        if expected.is_empty() {
            assert!(report.passed(), "{failed:?}");
        }
        for case in expected {
            assert!(
                failed.contains(case),
                "{}: {case} passed, {failed:?} failed",
                entry.name
            );
        }
    }
}
