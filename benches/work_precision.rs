//! Solvers on the problems of one simulation: how long, and how near to a solution.
//!
//! ```text
//! work-precision methods                                        the methods and their settings, as JSON
//! work-precision run SCENE START WARM_UP STEPS REPEAT LIMIT SPEC…
//!                                                               one scene, some settings of one method
//! ```
//!
//! One method drives the simulation, always [`REFERENCE`], so that every solver gets the same problems. With START `warm`
//! each comes with the impulses that its contacts had in the step before, which where things rest are nearly those that are
//! looked for; with `cold` it comes with none, as contacts do that are new. All groups of a step are solved one after the other; a step's
//! time is the sum, its residual the largest. Times are those of a context that has seen the problem before, as in a
//! simulation, where memory is kept from step to step. A setting that needs more than LIMIT seconds for a step ends the run of
//! its method: settings come from the quickest to the slowest.

#![allow(clippy::print_stdout, reason = "its results are its output")]

use std::process::ExitCode;

use drystone::dynamics::{Method, Simulation};
use drystone::solver::registry::{self, Accuracy};
use drystone::solver::{Criterion, Problem, Residuals};
use drystone_benches::{use_one_thread, world};
use drystone_experiments::interrupt::Interrupt;
use drystone_experiments::solve::limits::{Limits, PreparedSolver};
use drystone_experiments::solve::trial::{Settings, Status, attempt};
use serde_json::{Value, json};

/// What takes the steps.
const REFERENCE: &str = "pgs:iterations=100";
/// Iterations of methods that come nearer with every one.
const ITERATIONS: [usize; 9] = [5, 10, 20, 40, 80, 160, 320, 1000, 3000];
/// Tolerances, m/s, of methods that end at a solution.
const TOLERANCES: [f64; 5] = [1e-2, 1e-3, 1e-4, 1e-6, 1e-8];
/// Variants beside the defaults.
const VARIANTS: [&str; 4] = [
    "pgs:order=coloured",
    "psor:order=coloured",
    "pgs:order=symmetric",
    "pgs:granularity=blocks",
];

fn main() -> ExitCode {
    use_one_thread();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let answer = match arguments.as_slice() {
        ["methods"] => Ok(methods()),
        [
            "run",
            scene,
            start @ ("warm" | "cold"),
            warm_up,
            steps,
            repeat,
            limit,
            specs @ ..,
        ] => run(scene, *start == "warm", [warm_up, steps, repeat], limit, specs),
        _ => Err("expected methods or run; see the head of this program".into()),
    };
    match answer {
        Ok(value) => {
            println!("{value}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            println!("{}", json!({ "error": message }));
            ExitCode::from(2)
        }
    }
}

/// Everything in the registry, and the variants, with the settings that each is tried with.
fn methods() -> Value {
    let entries = registry::solvers();
    let class = |name: &str| entries.iter().find(|entry| entry.name == name).map(|entry| entry.takes);
    let names = entries.iter().map(|entry| entry.name).chain(VARIANTS);
    let listed = names.filter_map(|spec| {
        let takes = class(spec.split(':').next()?)?;
        let separator = if spec.contains(':') { ',' } else { ':' };
        let settings: Vec<String> = match takes.accuracy {
            Accuracy::Iterative => ITERATIONS
                .iter()
                .map(|count| format!("{spec}{separator}iterations={count}"))
                .collect(),
            Accuracy::Exact => TOLERANCES
                .iter()
                .map(|tolerance| format!("{spec}{separator}tolerance={tolerance}"))
                .collect(),
        };
        Some(json!({
            "name": spec,
            "family": takes.family,
            "kind": if takes.accuracy == Accuracy::Exact { "exact" } else { "iterative" },
            "settings": settings,
        }))
    });
    json!({ "reference": REFERENCE, "methods": listed.collect::<Vec<_>>() })
}

/// The problems of a step, one a group, with their starts.
type Step = Vec<(Problem, Vec<f64>)>;

fn captured(scene: &str, warm: bool, warm_up: usize, steps: usize) -> Result<Vec<Step>, String> {
    let method = Method::parse(REFERENCE).map_err(|error| error.to_string())?;
    let mut simulation = Simulation::new(world(scene), method, 0.01).map_err(|error| error.to_string())?;
    simulation.keep_starts();
    let mut captured = Vec::new();
    for step in 0..warm_up + steps {
        simulation.step().map_err(|error| error.to_string())?;
        if step >= warm_up {
            let pipeline = simulation.pipeline();
            let problems = pipeline.problems().zip(pipeline.starts());
            let with_start = problems.map(|((problem, _), start)| {
                let start = if warm { start.to_vec() } else { vec![0.0; start.len()] };
                (problem.clone(), start)
            });
            captured.push(with_start.collect());
        }
    }
    Ok(captured)
}

fn run(scene: &str, warm: bool, counts: [&str; 3], limit: &str, specs: &[&str]) -> Result<Value, String> {
    let count = |text: &str| text.parse::<usize>().map_err(|error| format!("{text}: {error}"));
    let [warm_up, steps, repeat] = counts.map(count);
    let (warm_up, steps, repeat) = (warm_up?, steps?, repeat?);
    let limit: f64 = limit.parse().map_err(|error| format!("{limit}: {error}"))?;
    let captured = captured(scene, warm, warm_up, steps)?;
    let rows = |step: &Step| step.iter().map(|(problem, _)| problem.rows()).sum::<usize>();
    let start = |step: &Step| {
        let residuals = step
            .iter()
            .map(|(problem, start)| Residuals::of(problem, start).natural);
        residuals.fold(0.0, f64::max)
    };
    let start_residual = captured.iter().map(start).sum::<f64>() / captured.len().max(1) as f64;
    let mut results = Vec::new();
    for spec in specs {
        let result = setting(spec, &captured, repeat, limit)?;
        let goes_on = result["status"] == "done";
        results.push(result);
        if !goes_on {
            break;
        }
    }
    Ok(json!({
        "rows": captured.first().map_or(0, rows),
        "groups": captured.first().map_or(0, Vec::len),
        "start_residual": start_residual,
        "results": results,
    }))
}

/// One solver on all captured steps.
fn setting(spec: &str, captured: &[Step], repeat: usize, limit: f64) -> Result<Value, String> {
    let limits = Limits {
        tolerance: 0.0,
        criterion: Criterion::Natural,
        time_limit: limit,
        iterations: None,
    };
    let solver = PreparedSolver::new(spec, &limits, None).map_err(|error| error.to_string())?;
    let interrupt = Interrupt::default();
    let settings = Settings {
        limits,
        repeat,
        record: false,
        interrupt: &interrupt,
    };
    let (mut seconds, mut residuals, mut iterations) = (Vec::new(), Vec::new(), 0);
    for step in captured {
        let (mut time, mut residual) = (0.0, 0.0_f64);
        for (problem, start) in step {
            let trial = match attempt(&solver, problem, start, &settings) {
                Ok(trial) => trial,
                Err((status, message)) => {
                    return Ok(json!({ "spec": spec, "status": status.name(), "message": message }));
                }
            };
            if matches!(trial.status, Status::TimeLimit | Status::Diverged | Status::Interrupted) {
                return Ok(json!({ "spec": spec, "status": trial.status.name(), "message": trial.message }));
            }
            time += trial.seconds.first().copied().unwrap_or(f64::NAN);
            residual = residual.max(trial.residuals.natural);
            iterations = iterations.max(trial.iterations);
        }
        // Many groups together may take longer than each is allowed.
        if time > limit {
            return Ok(json!({ "spec": spec, "status": "time-limit", "message": "" }));
        }
        seconds.push(time);
        residuals.push(residual);
    }
    seconds.sort_by(f64::total_cmp);
    let mean = residuals.iter().sum::<f64>() / residuals.len().max(1) as f64;
    Ok(json!({
        "spec": spec,
        "status": "done",
        "seconds": seconds.get(seconds.len() / 2),
        "residual": mean,
        "worst_residual": residuals.iter().copied().fold(0.0, f64::max),
        "iterations": iterations,
    }))
}
