//! `drystone compare --plot`: the problems of one step, caught on their way to a solver, for all solvers alike.
//!
//! Methods that simulate by themselves drift apart, and then solve different problems. Here the first method simulates
//! up to a step; the problems of that step's groups, with the impulses the warm start gives them, are kept, and every
//! method's solver gets those. Several groups count as one problem: its residual is the largest of theirs, its time the
//! sum.

mod rates;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use drystone_dynamics::{Method, Simulation};
use drystone_solver::spec::{Configure, OptionInfo, SpecError};
use drystone_solver::{Context, Convergence, Criterion, Problem, SolveError, Solver};

use crate::Environment;
use crate::cli::CompareArguments;
use crate::curves::{self, Curve};
use crate::error::Error;
use crate::plan::Plan;
use crate::run_directory::{file_name, prepare_inside};
use crate::solve::limits::{Limits, PreparedSolver};
use crate::solve::trial::{Settings, Status, attempt};

pub use rates::{RATES_CSV, RATES_MD};

/// The file with all curves.
pub const CAPTURED_CSV: &str = "captured.csv";

/// A captured problem is solved to this natural residual, m/s, if the solver has iterations enough.
const TOLERANCE: f64 = 1e-10;
/// Seconds for one solve of a captured problem.
const TIME_LIMIT: f64 = 60.0;

/// Captures a step of every scene, runs all solvers on it, writes curves, plots and rates into `directory`, and returns
/// a table. `plans` are by scene; the first of a scene simulates it.
pub fn plot(
    arguments: &CompareArguments,
    plans: &[Vec<Plan>],
    directory: &Path,
    environment: &Environment,
) -> Result<String, Error> {
    let mut all: Vec<rates::OfScene> = Vec::new();
    let mut names = Vec::new();
    for of_scene in plans {
        if environment.interrupt.requested() {
            break;
        }
        let plan = &of_scene[0];
        let step = arguments.capture_step.unwrap_or(plan.steps);
        let captured = capture(plan, step, environment)?;
        let rows: usize = captured.iter().map(|(problem, _)| problem.rows()).sum();
        let mut scene = rates::OfScene::new(&plan.scene.given, &plan.scene.scene.name, step, rows);
        if captured.is_empty() {
            environment.output.complain(&format!(
                "step {step} of {} has no contacts, so there is nothing to plot; choose another with --capture-step",
                plan.scene.given
            ));
        } else {
            scene.outcomes = solve_all(arguments, of_scene, &captured, environment)?;
            let inside = if plans.len() == 1 {
                directory.to_owned()
            } else {
                let name = format!("{}-captured", file_name(&plan.scene.given));
                prepare_inside(directory, &name, &mut names)?
            };
            let title = format!("{}, step {step}", plan.scene.given);
            let groups = match captured.len() {
                1 => "one group".to_owned(),
                count => format!("{count} groups"),
            };
            let subtitle = format!("{rows} rows in {groups}, simulated with {}", plan.method.given);
            curves::write_plots(&inside, &title, &subtitle, &scene.curves())?;
        }
        all.push(scene);
    }
    let points: Vec<Curve> = all.iter().flat_map(rates::OfScene::curves).collect();
    curves::write_csv(directory, CAPTURED_CSV, "scene", &points)?;
    rates::write(directory, &all)?;
    Ok(rates::table(&all))
}

/// A problem and the impulses that the solver was to start from.
type Captured = (Problem, Vec<f64>);

/// Simulates with a plan's method and keeps the problems of one step, in the order of the groups.
fn capture(plan: &Plan, step: u64, environment: &Environment) -> Result<Vec<Captured>, Error> {
    let Method { text, stepper, solver } = plan.method.make()?;
    let kept = Arc::new(Mutex::new(Vec::new()));
    let method = Method {
        text,
        stepper,
        solver: Box::new(Capturing {
            inner: solver,
            step,
            kept: Arc::clone(&kept),
        }),
    };
    let mut simulation = Simulation::new(plan.scene.world.clone(), method, plan.dt)?;
    for _ in 0..step {
        if environment.interrupt.requested() {
            break;
        }
        simulation.step()?;
    }
    let mut kept = std::mem::take(&mut *kept.lock().unwrap_or_else(PoisonError::into_inner));
    kept.sort_by_key(|(stream, _)| *stream);
    Ok(kept.into_iter().map(|(_, captured)| captured).collect())
}

/// Passes everything on to another solver, and keeps a copy of what it is given in one step.
struct Capturing {
    inner: Box<dyn Solver>,
    step: u64,
    kept: Arc<Mutex<Vec<(u64, Captured)>>>,
}

impl Solver for Capturing {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        // The stream is the step and, in its last bits, the group.
        if context.stream >> GROUP_BITS == self.step {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.push((context.stream, (problem.clone(), impulses.to_vec())));
        }
        self.inner.solve(problem, impulses, context)
    }
}

/// As `Pipeline` numbers the streams of its groups.
const GROUP_BITS: u32 = 24;

impl Configure for Capturing {
    fn options(&self) -> Vec<OptionInfo> {
        self.inner.options()
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), SpecError> {
        self.inner.set(key, value)
    }
}

/// All methods' solvers on the captured problems; one that refuses them is left out with its reason.
fn solve_all(
    arguments: &CompareArguments,
    plans: &[Plan],
    captured: &[Captured],
    environment: &Environment,
) -> Result<Vec<rates::Outcome>, Error> {
    let limits = Limits {
        tolerance: TOLERANCE,
        criterion: Criterion::Natural,
        time_limit: TIME_LIMIT,
        iterations: Some(arguments.capture_iterations),
    };
    let settings = Settings {
        limits,
        repeat: 1,
        record: true,
        interrupt: &environment.interrupt,
    };
    let mut outcomes = Vec::new();
    for plan in plans {
        if environment.interrupt.requested() {
            break;
        }
        let given = &plan.method.given;
        let (_, solver) = given.split_once('/').unwrap_or(("", given));
        let solver = PreparedSolver::new(solver, &limits, environment.global.seed)?;
        let mut curve = Curve {
            problem: plan.scene.given.clone(),
            solver: given.clone(),
            residuals: Vec::new(),
            seconds: 0.0,
        };
        let mut status = Status::Converged;
        let mut message = String::new();
        for (problem, start) in captured {
            match attempt(&solver, problem, start, &settings) {
                Ok(trial) => {
                    curve.seconds += trial.seconds.first().copied().unwrap_or(0.0);
                    curve.residuals = larger_of(&curve.residuals, &trial.history);
                    if trial.status != Status::Converged {
                        status = trial.status;
                    }
                }
                Err((refused, reason)) => {
                    (status, message) = (refused, reason);
                    curve.residuals.clear();
                    break;
                }
            }
        }
        outcomes.push(rates::Outcome { curve, status, message });
    }
    Ok(outcomes)
}

/// The larger of two histories, iteration by iteration; the shorter one stays where it ended.
fn larger_of(a: &[f64], b: &[f64]) -> Vec<f64> {
    let at = |history: &[f64], k: usize| history.get(k).or(history.last()).copied().unwrap_or(0.0);
    (0..a.len().max(b.len())).map(|k| at(a, k).max(at(b, k))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_count_by_the_worst_of_them() {
        assert_eq!(larger_of(&[], &[3.0, 1.0]), [3.0, 1.0]);
        assert_eq!(larger_of(&[4.0, 2.0, 0.5, 0.1], &[3.0, 2.5, 0.2]), [4.0, 2.5, 0.5, 0.2]);
    }
}
