//! Broad and narrow phase on the wall and on a pile of balls, at rest and under way, and how broad phases grow with the
//! number of bodies. `cargo bench -p drystone-benches --bench collision -- motion` compares all broad phases.

#![allow(missing_docs, reason = "criterion's macros")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use drystone::collision::{
    Aabb, AllPairs, BoxBoxMethod, BroadPhase, Grid, NarrowPhase, NeighbourList, SweepAndPrune, Tree,
};
use drystone::dynamics::Body;
use drystone_benches::{settled, use_one_thread, world};

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
        for mut phase in phases() {
            group.bench_function(BenchmarkId::new(phase.name(), scene), |b| {
                b.iter(|| phase.pairs(&boxes, &movable, &mut pairs));
            });
        }
    }
    group.finish();
}

/// Every broad phase.
fn phases() -> [Box<dyn BroadPhase>; 5] {
    [
        Box::new(NeighbourList::default()),
        Box::new(Grid::default()),
        Box::new(Tree::default()),
        Box::new(SweepAndPrune::default()),
        Box::new(AllPairs),
    ]
}

/// Time per body and step, one after the other as a simulation asks: boxes as long as the bodies' ways, twenty steps forth and
/// back again, so that each call is a step from the last.
fn broad_phase_motion(c: &mut Criterion) {
    use_one_thread();
    let mut group = c.benchmark_group("broad phase in motion");
    group.sample_size(10);
    for (name, scene, warm_up) in [
        ("wall of 2000", "wall:rows=40,columns=50", 30),
        ("pile of 10000, falling", "sphere-pile:count=10000,width=12", 40),
        ("pile of 10000, settled", "sphere-pile:count=10000,width=12", 300),
        ("avalanche of 2000", "avalanche:count=2000,across=40", 30),
    ] {
        let mut simulation = settled(scene, "pgs", 0.01, warm_up);
        let mut frames = Vec::new();
        for _ in 0..20 {
            let boxes = simulation.world().bodies().iter().map(|body| {
                let way = 0.01 * body.linear_velocity.norm();
                body.shape.aabb(&body.pose).loosened(0.5 * ENVELOPE + way)
            });
            frames.push(boxes.collect::<Vec<_>>());
            simulation.step().expect("a stable scene");
        }
        let movable: Vec<_> = simulation.world().bodies().iter().map(Body::is_dynamic).collect();
        group.throughput(Throughput::Elements(2 * (frames.len() * movable.len()) as u64));
        let mut pairs = Vec::new();
        // Every pair of ten thousand bodies would take minutes.
        for mut phase in phases()
            .into_iter()
            .filter(|phase| movable.len() < 5000 || phase.name() != "all-pairs")
        {
            group.bench_function(BenchmarkId::new(phase.name(), name), |b| {
                b.iter(|| {
                    for boxes in frames.iter().chain(frames.iter().rev()) {
                        phase.pairs(boxes, &movable, &mut pairs);
                    }
                });
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
        let phases: [Box<dyn BroadPhase>; 4] = [
            Box::new(NeighbourList::default()),
            Box::new(Grid::default()),
            Box::new(Tree::default()),
            Box::new(SweepAndPrune::default()),
        ];
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

criterion_group!(
    benches,
    broad_phase,
    broad_phase_motion,
    broad_phase_scaling,
    narrow_phase
);
criterion_main!(benches);
