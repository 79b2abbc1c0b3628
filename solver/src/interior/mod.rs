//! Interior-point methods: they follow a path inside the cones to the solution on their boundary.
//!
//! The path is one for all laws: `path` steps along it, `barrier` has the laws (`bounded` those of rows, `contact` and
//! `lorentz` those of cones), and `crossover` finds the last digits. The two methods differ in what they make of
//! friction.

mod barrier;
mod bounded;
mod box_path;
mod cone_path;
mod contact;
mod crossover;
mod lorentz;
mod path;

pub use box_path::InteriorBox;
pub use cone_path::InteriorCone;

use std::time::Instant;

use crate::error::SolveError;
use crate::monitor::{Limits, Monitor};
use crate::newton::{NewtonOptions, ProximalPoint};
use crate::options;
use crate::problem::Problem;
use crate::registry::{Accuracy, Class, Entry, FrictionLaw, MatrixKind, SolverEntry};
use crate::solve::{Context, Convergence, Solver, Status};
use crossover::Crossover;
use path::Path;

/// The interior-point methods, in the order they are listed.
pub(crate) static ENTRIES: &[SolverEntry] = &[
    Entry {
        name: "interior-box",
        summary: "primal-dual interior point for rows with bounds and the friction pyramid",
        takes: Class {
            family: "interior",
            friction: FrictionLaw::Pyramid,
            matrix: MatrixKind::Any,
            accuracy: Accuracy::Exact,
        },
        reference: "Mehrotra 1992; Wright 1997",
        make: || Box::new(InteriorBox::default()),
    },
    Entry {
        name: "interior-cone",
        summary: "primal-dual interior point on the friction cones themselves",
        takes: Class {
            family: "interior",
            friction: FrictionLaw::Coulomb,
            matrix: MatrixKind::Any,
            accuracy: Accuracy::Exact,
        },
        reference: "Acary, Armand, Nguyen and Shpakovych 2023; Nesterov and Todd 1997",
        make: || Box::new(InteriorCone::default()),
    },
];

options! {
    /// What all interior-point methods can be told.
    #[derive(Debug, Clone, PartialEq)]
    pub struct PathOptions {
        /// Proximal term relative to A's diagonal; redundant constraints need one.
        pub regularisation: f64 = 1e-10,
        /// Whether Newton's method may finish what the path has found.
        pub crossover: bool = true,
    }
    validate(options) {
        if options.regularisation <= 0.0 {
            return Err("regularisation must be above 0".into());
        }
        Ok(())
    }
}

impl PathOptions {
    /// The whole method on one formulation; `monotone` says whether theory promises that the path gets there.
    fn follow(
        &self,
        method: &'static str,
        monotone: bool,
        problem: &Problem,
        limits: &Limits,
        impulses: &mut [f64],
        context: &mut Context,
    ) -> Result<Convergence, SolveError> {
        let began = Instant::now();
        let mut monitor = Monitor::start(problem, limits, impulses, context)?;
        let mut path = Path::new(method, problem, self.regularisation)?;
        if !monitor.goes_on(impulses, context) {
            return Ok(monitor.finish(impulses, context));
        }
        let newton = NewtonOptions::default();
        let mut finish = match self.crossover {
            true => Some(Crossover::new(problem, &newton, monitor.residual())?),
            false => None,
        };
        let mut near_start = path.start(impulses)?;
        let mut stuck = false;
        // The last residual that was half the one before, and how long ago that was.
        let (mut halved, mut since) = (monitor.residual(), 0);
        loop {
            let goes_on = match &mut finish {
                Some(finish) if finish.is_under_way() => {
                    if !finish.step() {
                        finish.give_up();
                    }
                    monitor.goes_on_at(&finish.impulses, &finish.velocities, context)
                }
                _ => {
                    // A matrix that can't be factorised ends the path like a step that leads nowhere.
                    stuck = path.advance().map_or(true, |length| length == 0.0);
                    monitor.goes_on_at(&path.impulses, &path.velocities, context)
                }
            };
            if !goes_on {
                break;
            }
            since += 1;
            if monitor.residual() < 0.5 * halved {
                (halved, since) = (monitor.residual(), 0);
            }
            let mut lost = path.is_lost(monotone) || (!monotone && since >= PATIENCE);
            match &mut finish {
                Some(finish) => {
                    lost |= !finish.decide(monitor.residual(), &path, stuck);
                    // It is asked again when the try under way has ended.
                    lost &= !finish.is_under_way();
                }
                None => lost |= stuck,
            }
            if lost && std::mem::take(&mut near_start) {
                path.start_centred()?;
                since = 0;
            } else if lost {
                monitor.stop(Status::Stalled);
                break;
            }
        }
        let mut report = monitor.finish(impulses, context);
        if report.status == Status::Stalled && self.crossover {
            rescue(problem, limits, began, impulses, &mut report, context)?;
        }
        Ok(report)
    }
}

/// So many iterations may pass without the residual being halved where no theory says that the path arrives.
const PATIENCE: usize = 30;

/// Where the path is lost, the proximal-point method goes on from the best point that was found.
fn rescue(
    problem: &Problem,
    limits: &Limits,
    began: Instant,
    impulses: &mut [f64],
    report: &mut Convergence,
    context: &mut Context,
) -> Result<(), SolveError> {
    let mut rest_of = limits.clone();
    rest_of.iterations -= report.iterations.min(limits.iterations - 1);
    rest_of.warm_start = 1.0;
    if limits.time_limit > 0.0 {
        rest_of.time_limit = (limits.time_limit - began.elapsed().as_secs_f64()).max(f64::MIN_POSITIVE);
    }
    let solver = ProximalPoint {
        limits: rest_of,
        ..ProximalPoint::default()
    };
    let mut found = impulses.to_vec();
    let rest = solver.solve(problem, &mut found, context)?;
    report.iterations += rest.iterations;
    report.row_updates += rest.row_updates;
    // Its first entry is where it began.
    report.history.extend(rest.history.into_iter().skip(1));
    // It begins with sweeps, which may also spoil a point.
    let residual = |impulses: &[f64]| {
        let mut velocities = vec![0.0; impulses.len()];
        problem.velocities(impulses, &mut velocities);
        limits.residual(problem, impulses, &velocities)
    };
    if residual(&found) < residual(impulses) {
        impulses.copy_from_slice(&found);
        report.status = rest.status;
        report.residual = rest.residual;
    }
    Ok(())
}
