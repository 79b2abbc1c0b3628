//! What the benchmarks share: scenes that have come to rest, on one thread.

use drystone::dynamics::{Method, Simulation, World};
use drystone::scenes;

/// The world of a catalogue scene.
///
/// # Panics
/// If there is no such scene.
pub fn world(scene: &str) -> World {
    scenes::load(scene)
        .and_then(|scene| scene.build())
        .expect("a scene of the catalogue")
}

/// A scene after some steps, so that contacts are warm and memory has grown.
///
/// # Panics
/// If the scene or the method doesn't exist, or the simulation fails.
pub fn settled(scene: &str, method: &str, dt: f64, steps: usize) -> Simulation {
    let method = Method::parse(method).expect("a method of the registry");
    let mut simulation = Simulation::new(world(scene), method, dt).expect("a positive step");
    for _ in 0..steps {
        simulation.step().expect("a stable scene");
    }
    simulation
}

/// Keeps everything on one thread from now on: comparisons between engines are comparisons of work done.
pub fn use_one_thread() {
    // It fails only if threads were set up before, which is what we want too.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(1).build_global();
}
