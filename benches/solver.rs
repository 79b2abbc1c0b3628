//! The solver's inner loops on the contact problem of a wall at rest: one sweep per contact, and assembly.

#![allow(missing_docs, reason = "criterion's macros")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use drystone::dynamics::Simulation;
use drystone::solver::{Context, InverseMass, Operator, Problem, Row, registry};
use drystone_benches::settled;

/// The largest problem of the last step.
fn largest(simulation: &Simulation) -> (&Problem, &[f64]) {
    simulation
        .pipeline()
        .problems()
        .max_by_key(|(problem, _)| problem.rows())
        .expect("the wall touches the ground")
}

/// Nanoseconds per contact and sweep: Criterion's time per element.
fn sweeps(c: &mut Criterion) {
    let simulation = settled("wall", "pgs", 0.01, 50);
    let (problem, start) = largest(&simulation);
    let iterations = 10;
    let mut group = c.benchmark_group("sweep per contact");
    group.throughput(Throughput::Elements((problem.blocks.len() * iterations) as u64));
    for spec in [
        "pgs",
        "pgs:friction=box",
        "pgs:granularity=blocks",
        "pgs:granularity=blocks,friction=box",
        "psor",
        "jacobi",
        "pgs:order=random",
        "pgs:order=slowest",
    ] {
        let solver = registry::solver(&spec.parse().expect("a spec")).expect("a solver");
        let mut context = Context::default();
        let mut impulses = start.to_vec();
        group.bench_function(BenchmarkId::from_parameter(spec), |b| {
            b.iter(|| {
                impulses.copy_from_slice(start);
                solver.solve(problem, &mut impulses, &mut context)
            });
        });
    }
    group.finish();
}

/// Writing the rows of a problem again: nanoseconds per contact.
fn assembly(c: &mut Criterion) {
    let simulation = settled("wall", "pgs", 0.01, 50);
    let (problem, _) = largest(&simulation);
    let Operator::RigidBodies(bodies) = &problem.operator else {
        return;
    };
    // The numbers don't matter, only how many there are.
    let rows: Vec<Row> = (0..problem.rows())
        .map(|row| Row {
            jacobian: *bodies.scaled_row(row),
            bias: problem.bias[row],
            compliance: bodies.compliance(row),
        })
        .collect();
    let inverse = InverseMass {
        mass: 0.1,
        inertia: nalgebra::Matrix3::identity() * 0.6,
    };
    let mut copy = Problem::default();
    let mut group = c.benchmark_group("assembly per contact");
    group.throughput(Throughput::Elements(problem.blocks.len() as u64));
    group.bench_function("rigid bodies", |b| {
        b.iter(|| {
            let mut assembler = copy.assemble();
            for _ in 1..bodies.body_count() {
                assembler.add_body(inverse);
            }
            for block in &problem.blocks {
                assembler.add_block(bodies.pair(block.first as usize), block.cone, &rows[block.rows()]);
            }
        });
    });
    group.bench_function("explicit matrix", |b| b.iter(|| problem.assembled()));
    group.finish();
}

criterion_group!(benches, sweeps, assembly);
criterion_main!(benches);
