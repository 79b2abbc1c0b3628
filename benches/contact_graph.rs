//! One step of scenes at rest by what the contact graph makes of it, on one thread: whole groups, layer by layer, with contact
//! points carried along, and asleep. Times are per contact point, so that sizes can be compared.

#![allow(missing_docs, reason = "criterion's macros")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use drystone_benches::{settled, use_one_thread};

const DT: f64 = 0.01;
/// Steps before the clock runs: long enough for walls to fall asleep.
const WARM_UP: usize = 60;

const METHODS: [(&str, &str); 5] = [
    ("groups", "semi-implicit/pgs"),
    ("groups, contacts cached", "semi-implicit:cache-contacts=0.0001/pgs"),
    ("layers", "shock-propagation/pgs"),
    ("layers, second query", "modified-shock-propagation/pgs"),
    ("asleep", "shock-propagation:sleep=true/pgs"),
];

fn step(criterion: &mut Criterion) {
    use_one_thread();
    let mut group = criterion.benchmark_group("contact graph");
    group.sample_size(20);
    for scene in ["wall", "tower:layers=20,per-layer=100", "tower"] {
        for (name, method) in METHODS {
            let mut simulation = settled(scene, method, DT, WARM_UP);
            group.throughput(Throughput::Elements(simulation.report().contacts as u64));
            group.bench_function(BenchmarkId::new(name, scene), |bencher| {
                bencher.iter(|| simulation.step().expect("a stable scene").contacts);
            });
        }
    }
    group.finish();
}

criterion_group!(benches, step);
criterion_main!(benches);
