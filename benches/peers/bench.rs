//! One step of each of the peers' scenes in Drystone and in Rapier, in one process and on one thread.
//!
//! `rapier_engine` says what "same work" and "defaults" mean. Other engines, and what all of them make of the bodies, are in
//! `benches/peers/run.py`. A run takes some minutes; `cargo bench -p drystone-benches --bench peers -- wall-2000` is one
//! scene of it.

#![allow(missing_docs, reason = "criterion's macros")]

use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use drystone_benches::peers::drystone_engine::simulation;
use drystone_benches::peers::measure::Engine;
use drystone_benches::peers::rapier_engine::{Rapier, Work};
use drystone_benches::peers::scenes::{PeerScene, SCENES};
use drystone_benches::use_one_thread;

/// An engine in the state after the warm-up.
fn warm(scene: &PeerScene, name: &str) -> Box<dyn Engine> {
    let setting = scene.setting().expect("a scene of the catalogue");
    let drystone = |setting, method| Box::new(simulation(setting, method).expect("a method of the registry"));
    let mut engine: Box<dyn Engine> = match name {
        "drystone" => drystone(setting, "pgs:order=coloured"),
        "drystone without projection" => drystone(setting, "semi-implicit:projection=none/pgs:order=coloured"),
        "rapier3d-f64 same work" => Box::new(Rapier::new(&setting, Work::Same)),
        _ => Box::new(Rapier::new(&setting, Work::Defaults)),
    };
    for _ in 0..scene.warm_up {
        engine.step().expect("a stable scene");
    }
    engine
}

/// The timed steps of a scene, over and over: stacks that are left alone for minutes come to lean and fall.
struct Window {
    scene: &'static PeerScene,
    name: &'static str,
    /// None until the first step, so that what is filtered out costs nothing.
    engine: Option<Box<dyn Engine>>,
    left: usize,
}

impl Window {
    fn new(scene: &'static PeerScene, name: &'static str) -> Self {
        Self {
            scene,
            name,
            engine: None,
            left: scene.steps,
        }
    }

    fn step(&mut self) -> Duration {
        if self.left == 0 {
            self.engine = None;
            self.left = self.scene.steps;
        }
        self.left -= 1;
        let engine = self.engine.get_or_insert_with(|| warm(self.scene, self.name));
        let started = Instant::now();
        engine.step().expect("a stable scene");
        started.elapsed()
    }
}

fn peers(c: &mut Criterion) {
    use_one_thread();
    for scene in &SCENES {
        let mut group = c.benchmark_group("peers");
        group.sample_size(10);
        for name in [
            "drystone",
            "drystone without projection",
            "rapier3d-f64 same work",
            "rapier3d-f64 defaults",
        ] {
            let mut window = Window::new(scene, name);
            group.bench_function(BenchmarkId::new(name, scene.name), |b| {
                b.iter_custom(|steps| (0..steps).map(|_| window.step()).sum());
            });
        }
        group.finish();
    }
}

criterion_group!(benches, peers);
criterion_main!(benches);
