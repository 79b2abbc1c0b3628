//! What the benchmarks share: scenes that have come to rest, on one thread, and the problems of their steps.

pub mod peers;

use drystone::dynamics::{Method, Simulation, World};
use drystone::scenes;
use drystone::solver::Problem;

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

/// The largest contact problem in the last step of a scene.
///
/// # Panics
/// If nothing touches, and as [`settled`] does.
pub fn captured(scene: &str, steps: usize) -> Problem {
    let simulation = settled(scene, "pgs", 0.01, steps);
    let problems = simulation.pipeline().problems();
    let largest = problems.max_by_key(|(problem, _)| problem.rows());
    largest.expect("a scene in which something touches").0.clone()
}

/// A scene that comes in sizes.
#[derive(Debug, Clone, Copy)]
pub struct Series {
    /// The catalogue's name of it.
    pub name: &'static str,
    /// Parameters that give about 50, 500 and 5000 contacts.
    pub sizes: [&'static str; 3],
    /// Steps until it is captured.
    pub steps: usize,
}

/// The problems of the laboratory: a structure with many load paths, the longest of load paths, and a heap.
pub const SERIES: [Series; 3] = [
    Series {
        name: "wall",
        sizes: ["rows=3,columns=2", "rows=6,columns=7", "rows=20,columns=21"],
        steps: 10,
    },
    Series {
        name: "box-stack",
        sizes: ["count=12", "count=125", "count=1250"],
        steps: 10,
    },
    Series {
        name: "sphere-pile",
        sizes: ["count=24,width=1.5", "count=170,width=2.5", "count=1500,width=5"],
        steps: 150,
    },
];

impl Series {
    /// Its problems, from the smallest to the largest.
    pub fn problems(&self) -> impl Iterator<Item = Problem> {
        let scenes = self.sizes.map(|parameters| format!("{}:{parameters}", self.name));
        scenes.into_iter().map(|scene| captured(&scene, self.steps))
    }
}

/// Keeps everything on one thread from now on: comparisons between engines are comparisons of work done.
pub fn use_one_thread() {
    // It fails only if threads were set up before, which is what we want too.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(1).build_global();
}
