//! Broad and narrow phase on the wall and on a pile of balls, and how broad phases grow with the number of bodies.

#![allow(missing_docs, reason = "criterion's macros")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use drystone::collision::{Aabb, AllPairs, BoxBoxMethod, BroadPhase, Grid, NarrowPhase, SweepAndPrune};
use drystone::dynamics::Body;
use drystone_benches::{settled, world};

const ENVELOPE: f64 = 0.01;

fn aabbs(bodies: &[Body]) -> (Vec<Aabb>, Vec<bool>) {
    let boxes = bodies
        .iter()
        .map(|body| body.shape.aabb(&body.pose).loosened(0.5 * ENVELOPE));
    (boxes.collect(), bodies.iter().map(Body::is_dynamic).collect())
}

/// Time per body.
fn broad_phase(c: &mut Criterion) {
    let mut group = c.benchmark_group("broad phase per body");
    for scene in ["wall", "tower", "sphere-pile"] {
        let simulation = settled(scene, "pgs", 0.01, 50);
        let (boxes, movable) = aabbs(simulation.world().bodies());
        let mut pairs = Vec::new();
        group.throughput(Throughput::Elements(boxes.len() as u64));
        let phases: [Box<dyn BroadPhase>; 3] = [
            Box::new(SweepAndPrune::default()),
            Box::new(Grid::default()),
            Box::new(AllPairs),
        ];
        for mut phase in phases {
            group.bench_function(BenchmarkId::new(phase.name(), scene), |b| {
                b.iter(|| phase.pairs(&boxes, &movable, &mut pairs));
            });
        }
    }
    group.finish();
}

/// Time per body as scenes grow, in two states that are a little apart, as those of two steps are.
fn broad_phase_scaling(c: &mut Criterion) {
    let mut group = c.benchmark_group("broad-phase scaling");
    group.sample_size(20);
    for scene in [
        "silo:count=3000",
        "silo:count=10000",
        "silo:count=30000",
        "wall:rows=10,columns=20",
        "wall:rows=40,columns=50",
        "wall:rows=100,columns=200",
    ] {
        let world = world(scene);
        let (before, movable) = aabbs(world.bodies());
        let mut after = before.clone();
        for (body, aabb) in after.iter_mut().enumerate() {
            // Up to 0.6 mm either way, without a pattern along the order of bodies.
            let shift = (body * 7919 % 13) as f64 * 1e-4 - 6e-4;
            aabb.min.add_scalar_mut(shift);
            aabb.max.add_scalar_mut(shift);
        }
        let mut pairs = Vec::new();
        group.throughput(Throughput::Elements(2 * before.len() as u64));
        let phases: [Box<dyn BroadPhase>; 2] = [Box::new(SweepAndPrune::default()), Box::new(Grid::default())];
        for mut phase in phases {
            group.bench_function(BenchmarkId::new(phase.name(), scene), |b| {
                b.iter(|| {
                    phase.pairs(&before, &movable, &mut pairs);
                    phase.pairs(&after, &movable, &mut pairs);
                });
            });
        }
    }
    group.finish();
}

/// Time per pair that the broad phase lets through.
fn narrow_phase(c: &mut Criterion) {
    let mut group = c.benchmark_group("narrow phase per pair");
    for scene in ["wall", "tower", "sphere-pile"] {
        let simulation = settled(scene, "pgs", 0.01, 50);
        let bodies = simulation.world().bodies();
        let (boxes, movable) = aabbs(bodies);
        let mut pairs = Vec::new();
        SweepAndPrune::default().pairs(&boxes, &movable, &mut pairs);
        group.throughput(Throughput::Elements(pairs.len() as u64));
        let mut points = Vec::new();
        for (name, box_box) in [("improved", BoxBoxMethod::Improved), ("old", BoxBoxMethod::Old)] {
            let phase = NarrowPhase {
                box_box,
                envelope: ENVELOPE,
            };
            group.bench_function(BenchmarkId::new(name, scene), |b| {
                b.iter(|| {
                    for &(a, b) in &pairs {
                        let (a, b) = (&bodies[a as usize], &bodies[b as usize]);
                        points.clear();
                        phase.contacts(&a.shape, &a.pose, &b.shape, &b.pose, &mut points);
                    }
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, broad_phase, broad_phase_scaling, narrow_phase);
criterion_main!(benches);
