//! Chains of 10 to 10 000 links: joints solved directly, by Newton's method on the whole, and by sweeps; and a chain with
//! limits, motors and contacts.
//!
//! Times are those of a step in a simulation: the context has seen the problem before. Criterion's time per element is that
//! of a link. A sweep costs as much for every link too, but n links take some n² sweeps; fifty are what a step may spend.
//!
//! `cargo bench -p drystone-benches --bench mechanism`

#![allow(missing_docs, reason = "criterion's macros")]

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use drystone::solver::{Cone, Context, InverseMass, Problem, RigidBodies, Row, registry};
use nalgebra::{Matrix3, Vector3};

type Vector = Vector3<f64>;

/// A row on the velocity of a point of two bodies.
fn point(d: Vector, arms: [Vector; 2], bias: f64) -> Row {
    row([-d, -arms[0].cross(&d), d, arms[1].cross(&d)], bias)
}

/// A row on their angular velocity.
fn angular(d: Vector, bias: f64) -> Row {
    row([Vector::zeros(), -d, Vector::zeros(), d], bias)
}

fn row(parts: [Vector; 4], bias: f64) -> Row {
    Row {
        jacobian: std::array::from_fn(|k| parts[k / 3][k % 3]),
        bias,
        compliance: 0.0,
    }
}

/// Links of 1 kg and 1 m that hang from the world and have fallen for a step, on ball joints or hinges. `others` of them have
/// a limit, as many a motor, and as many touch a wall.
fn chain(links: usize, hinges: bool, others: usize) -> Problem {
    let mut problem = Problem::default();
    let mut assembler = problem.assemble();
    let half = Vector::new(0.0, 0.0, -0.5);
    let fall = Vector::new(0.0, 0.0, -0.1);
    let every = links.checked_div(others).unwrap_or(usize::MAX);
    for link in 0..links {
        let body = assembler.add_body(InverseMass {
            mass: 1.0,
            inertia: Matrix3::from_diagonal(&Vector::new(12.0, 12.0, 60.0)),
        });
        let (above, speed) = match link {
            0 => (RigidBodies::IMMOVABLE, fall),
            _ => (body - 1, Vector::zeros()),
        };
        let axes = [Vector::z(), Vector::x(), Vector::y()];
        let mut rows = axes.map(|d| point(d, [half, -half], d.dot(&speed))).to_vec();
        if hinges {
            rows.extend([angular(axes[0], 0.0), angular(axes[1 + link % 2], 0.0)]);
        }
        assembler.add_block([above, body], Cone::Free, &rows);
        if link % every == every - 1 {
            let turning = 0.3 * (link as f64).sin();
            let axis = axes[2 - link % 2];
            let motor = Cone::Interval {
                lower: -0.05,
                upper: 0.05,
            };
            assembler.add_block([above, body], Cone::NonNegative, &[angular(axis, turning)]);
            assembler.add_block([above, body], motor, &[angular(axis, -turning)]);
            let arms = [Vector::zeros(), Vector::new(-0.1, 0.0, 0.3 * turning)];
            let wall = [Vector::x(), Vector::y(), Vector::z()];
            let rows = wall.map(|d| point(d, arms, d.dot(&(fall - 0.1 * Vector::x()))));
            assembler.add_block(
                [RigidBodies::IMMOVABLE, body],
                Cone::Friction { coefficient: 0.5 },
                &rows,
            );
        }
    }
    problem
}

fn measure(c: &mut Criterion, title: &str, specs: &[&str], problems: impl Iterator<Item = (usize, Problem)>) {
    let mut group = c.benchmark_group(title);
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800));
    for (links, problem) in problems {
        group.throughput(Throughput::Elements(links as u64));
        for spec in specs {
            let solver = registry::solver(&spec.parse().expect("a spec")).expect("a solver");
            let mut context = Context::default();
            let mut impulses = vec![0.0; problem.rows()];
            group.bench_function(BenchmarkId::new(*spec, links), |b| {
                b.iter(|| {
                    impulses.fill(0.0);
                    solver.solve(&problem, &mut impulses, &mut context)
                });
            });
        }
    }
    group.finish();
}

const LINKS: [usize; 4] = [10, 100, 1000, 10_000];

fn joints(c: &mut Criterion) {
    let specs = ["hybrid", "proximal", "pgs:iterations=50"];
    for (name, hinges) in [("ball joints", false), ("hinges", true)] {
        let problems = LINKS.into_iter().map(|links| (links, chain(links, hinges, 0)));
        measure(c, &format!("chain of {name}"), &specs, problems);
    }
}

fn with_contacts(c: &mut Criterion) {
    let specs = ["hybrid", "hybrid:contacts=pgs", "proximal", "pgs:iterations=50"];
    let problems = [30, 100, 1000].into_iter().map(|links| (links, chain(links, true, 10)));
    measure(c, "hinges with 10 limits, motors and contacts", &specs, problems);
}

criterion_group!(benches, joints, with_contacts);
criterion_main!(benches);
