//! Problems captured from the catalogue's scenes, for every registered solver: what the suite of
//! `drystone::solver::conformance` asks on problems made for it, asked on problems that simulations make.
//!
//! Each solver is judged by the law it names. Exact methods must reach 1e-8 m/s from a cold start and from the warm start
//! that the step had. Iterative ones get a bounded number of iterations, must never end worse than they began, and most of
//! them must be well under way: heavy boxes on light ones and long levers are what they are slow at.

mod common;

use common::run;
use drystone::dynamics::{Method, Simulation};
use drystone::scenes;
use drystone::solver::Problem;
use drystone::solver::conformance::{EXACT, Subject};
use drystone::solver::registry::{self, Accuracy};

/// What simulates up to the step that is captured: the reference, so that scenes stay what they are meant to be.
const SIMULATED_WITH: &str = "proximal";

/// Scenes, and the steps whose largest groups are captured: resting, stacked, sliding, tipping, and at and after impacts,
/// where the warm start is far off.
const SCENES: [(&str, &[usize]); 13] = [
    ("box-stack:count=5", &[1, 20]),
    ("heavy-top:count=4,ratio=1000", &[1, 10]),
    ("two-balls:ratio=1000", &[1]),
    ("wall:rows=3,columns=2", &[1, 20]),
    ("tower:layers=2,per-layer=3", &[1, 20]),
    ("ball-grid:side=3", &[1, 10]),
    ("sphere-pile:count=24,width=1.5", &[39, 42, 44, 47, 100]),
    ("incline:angle=10", &[1, 5]),
    ("incline:angle=25", &[1, 5]),
    ("see-saw", &[19, 42, 43, 56]),
    ("flip-over", &[78, 79, 88, 89, 95]),
    ("billiards:rows=4", &[256, 257]),
    ("rolling-plate:side=3", &[1, 10]),
];

/// Dense methods must be able to do it, on η + 2 unknowns a contact.
const MOST_CONTACTS: usize = 80;

/// Iterations of iterative methods.
const ITERATIONS: usize = 2000;
/// The natural residual that most of them reach with that, m/s: a hundredth of what gravity adds in a step.
const UNDER_WAY: f64 = 1e-3;
/// How many of all their solves do.
const MOST: f64 = 0.85;

/// A problem of a step, and the impulses its solve began with.
fn capture(scene: &str, step: usize) -> (Problem, Vec<f64>) {
    let loaded = scenes::load(scene).unwrap_or_else(|error| panic!("{scene}: {error}"));
    let world = loaded.build().unwrap_or_else(|error| panic!("{scene}: {error}"));
    let method = Method::parse(SIMULATED_WITH).expect("a method");
    let mut simulation = Simulation::new(world, method, loaded.dt).expect("a positive time step");
    simulation.keep_starts();
    run(&mut simulation, step);
    let pipeline = simulation.pipeline();
    let (problem, start) = pipeline
        .problems()
        .zip(pipeline.starts())
        .map(|((problem, _), start)| (problem, start))
        .max_by_key(|(problem, _)| problem.rows())
        .unwrap_or_else(|| panic!("{scene}: nothing touches in step {step}"));
    (problem.clone(), start.to_vec())
}

#[test]
fn every_solver_solves_what_scenes_ask() {
    let (mut failures, mut slow) = (String::new(), String::new());
    let (mut solves, mut under_way) = (0, 0);
    let steps = SCENES
        .iter()
        .flat_map(|(scene, steps)| steps.iter().map(|step| (*scene, *step)));
    for (scene, step) in steps {
        let (problem, warm) = capture(scene, step);
        let contacts = problem.blocks.len();
        assert!((1..=MOST_CONTACTS).contains(&contacts), "{scene}: {contacts} contacts");
        let cold = vec![0.0; problem.rows()];
        for entry in registry::solvers() {
            let subject = Subject::of(entry);
            for (name, start) in [("cold", &cold), ("warm", &warm)] {
                let what = format!("{scene}, step {step}, {contacts} contacts, {name}, {}", entry.name);
                let began = subject.law.residual(&problem, start).expect("a law for friction");
                let judged = match subject.judge_within(ITERATIONS, &problem, start) {
                    Ok(judged) => judged,
                    Err(error) => {
                        failures.push_str(&format!("{what}: {error}\n"));
                        continue;
                    }
                };
                let (residual, report) = (judged.residual, judged.report);
                let line = format!(
                    "{what}: from {began:.1e} to {residual:.1e} in {} iterations ({})\n",
                    report.iterations, report.status
                );
                // Rounding, where the start was a solution.
                let allowed = match entry.takes.accuracy {
                    Accuracy::Exact => EXACT,
                    Accuracy::Iterative => began.max(EXACT) * (1.0 + 1e-6),
                };
                if residual > allowed || residual.is_nan() {
                    failures.push_str(&line);
                }
                if entry.takes.accuracy == Accuracy::Iterative {
                    solves += 1;
                    if residual <= UNDER_WAY {
                        under_way += 1;
                    } else {
                        slow.push_str(&line);
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
    let share = f64::from(under_way) / f64::from(solves);
    assert!(share >= MOST, "only {under_way} of {solves} are under way:\n{slow}");
}
