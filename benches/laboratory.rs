//! Every solver of the registry on the same captured problems, of about 50, 500 and 5000 contacts.
//!
//! Exact methods work to a natural residual of 1e-6 m/s (of the problem they solve: a friction pyramid, if that is what
//! they are made for), iterative ones do 100 iterations. Everyone is tried once before it is timed. Who takes longer than
//! [`PATIENCE`], or refuses the problem, is named and left out, there and on the larger problems of the series: dense
//! methods grow with the cube.
//!
//! `cargo bench -p drystone-benches --bench laboratory -- wall` runs the wall alone.

#![allow(missing_docs, reason = "criterion's macros")]
#![allow(clippy::print_stderr, reason = "who is left out is said beside Criterion's lines")]

use std::collections::HashSet;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use drystone::solver::registry::{self, Accuracy};
use drystone::solver::{Context, Criterion as Residual, Problem};
use drystone_benches::{SERIES, captured, use_one_thread};
use drystone_experiments::interrupt::Interrupt;
use drystone_experiments::solve::limits::{Limits, PreparedSolver};
use drystone_experiments::solve::trial::{Settings, Status, attempt};

/// Seconds a solve may take.
const PATIENCE: f64 = 0.5;
/// Iterations of those that are not exact.
const ITERATIONS: usize = 100;

fn group<'a>(c: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = c.benchmark_group(name);
    group
        .sample_size(10)
        .sampling_mode(SamplingMode::Flat)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500));
    group
}

/// What is asked of a kind of solver.
fn limits(accuracy: Accuracy) -> Limits {
    let (tolerance, iterations) = match accuracy {
        Accuracy::Exact => (1e-6, None),
        Accuracy::Iterative => (0.0, Some(ITERATIONS)),
    };
    Limits {
        tolerance,
        criterion: Residual::Natural,
        time_limit: PATIENCE,
        iterations,
    }
}

/// Why a solver is not timed on a problem.
fn objection(solver: &PreparedSolver, problem: &Problem, limits: Limits) -> Option<String> {
    let settings = Settings {
        limits,
        repeat: 1,
        record: false,
        interrupt: &Interrupt::default(),
    };
    match attempt(solver, problem, &vec![0.0; problem.rows()], &settings) {
        Err((_, message)) => Some(message),
        Ok(trial) if trial.status == Status::TimeLimit => Some(format!("it takes more than {PATIENCE} s")),
        Ok(trial) if trial.status == Status::Diverged => Some("it diverges".into()),
        Ok(_) => None,
    }
}

fn solvers(c: &mut Criterion) {
    use_one_thread();
    for (title, accuracy) in [
        ("exact to 1e-6 m/s", Accuracy::Exact),
        ("100 iterations", Accuracy::Iterative),
    ] {
        for series in SERIES {
            let mut group = group(c, &format!("{title}, {}", series.name));
            let mut out = HashSet::new();
            for problem in series.problems() {
                for entry in registry::solvers() {
                    if entry.takes.accuracy != accuracy || out.contains(entry.name) {
                        continue;
                    }
                    let limits = limits(accuracy);
                    let prepared = PreparedSolver::new(entry.name, &limits, None).expect("a solver of the registry");
                    if let Some(objection) = objection(&prepared, &problem, limits) {
                        let contacts = problem.blocks.len();
                        eprintln!("{} on {} of {contacts} contacts: {objection}", entry.name, series.name);
                        out.insert(entry.name);
                        continue;
                    }
                    let solver = prepared.make().expect("it was tried");
                    let mut context = Context::default();
                    let mut impulses = vec![0.0; problem.rows()];
                    group.bench_function(BenchmarkId::new(entry.name, problem.blocks.len()), |b| {
                        b.iter(|| {
                            impulses.fill(0.0);
                            solver.solve(&problem, &mut impulses, &mut context)
                        });
                    });
                }
            }
            group.finish();
        }
    }
}

/// Gauss–Seidel on heaps, by rows and with exact contacts: Criterion's time per element is that of a contact and sweep.
fn sweeps(c: &mut Criterion) {
    use_one_thread();
    let mut group = group(c, "sweep per contact");
    let sweeps = 50;
    for scene in ["sphere-pile:count=1500,width=5", "wall:rows=20,columns=21"] {
        let problem = captured(scene, 100);
        group.throughput(Throughput::Elements((problem.blocks.len() * sweeps) as u64));
        for name in ["pgs", "pgs:granularity=blocks", "nsgs"] {
            let separator = if name.contains(':') { ',' } else { ':' };
            let spec = format!("{name}{separator}iterations={sweeps},tolerance=0");
            let solver = registry::solver(&spec.parse().expect("a spec")).expect("a solver");
            let mut context = Context::default();
            let mut impulses = vec![0.0; problem.rows()];
            group.bench_function(BenchmarkId::new(name, scene), |b| {
                b.iter(|| {
                    impulses.fill(0.0);
                    solver.solve(&problem, &mut impulses, &mut context)
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, solvers, sweeps);
criterion_main!(benches);
