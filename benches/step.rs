//! One step of `wall` and `tower` at ten sweeps, beside Rapier on the very same bodies, on one thread.
//!
//! Rapier runs twice: with the work that Drystone does, and with its defaults; `peers/rapier_engine.rs` says what that is.
//! Drystone runs with its defaults, which add five sweeps of projection on the normal rows, and once without them. More
//! scenes, and more engines, are in `peers/`.

#![allow(missing_docs, reason = "criterion's macros")]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use drystone_benches::peers::rapier_engine::{Rapier, Work};
use drystone_benches::peers::scenes::Setting;
use drystone_benches::{settled, use_one_thread, world};

const DT: f64 = 0.01;
/// Steps before the clock runs: contacts are found, memory has grown.
const WARM_UP: usize = 50;
const FRICTION: f64 = 0.25;

/// The same bodies in Rapier, settled.
fn rapier(scene: &str, work: Work) -> Rapier {
    let setting = Setting {
        world: world(scene),
        dt: DT,
        friction: FRICTION,
    };
    let mut peer = Rapier::new(&setting, work);
    for _ in 0..WARM_UP {
        peer.world.step();
    }
    peer
}

fn steps(c: &mut Criterion) {
    use_one_thread();
    let mut group = c.benchmark_group("step");
    for scene in ["wall", "tower"] {
        for (name, method) in [
            ("drystone", "pgs"),
            ("drystone without projection", "semi-implicit:projection=none/pgs"),
        ] {
            let mut simulation = settled(scene, method, DT, WARM_UP);
            group.bench_function(BenchmarkId::new(name, scene), |b| {
                b.iter(|| simulation.step().map(|report| report.contacts));
            });
        }
        for (name, work) in [
            ("rapier3d-f64 same work", Work::Same),
            ("rapier3d-f64 defaults", Work::Defaults),
        ] {
            let mut peer = rapier(scene, work);
            group.bench_function(BenchmarkId::new(name, scene), |b| b.iter(|| peer.world.step()));
        }
    }
    group.finish();
}

criterion_group!(benches, steps);
criterion_main!(benches);
