//! One run: steps that are not timed, steps that are, and the states at the end of either.

use std::time::{Duration, Instant};

use nalgebra::{Isometry3, Vector3};

use super::scenes::PeerScene;

/// Where a body is, and how fast.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyState {
    /// Its centre of mass and its orientation.
    pub pose: Isometry3<f64>,
    /// m/s, of the centre of mass.
    pub linear_velocity: Vector3<f64>,
    /// rad/s, in the world frame.
    pub angular_velocity: Vector3<f64>,
}

/// What an engine says of the time that a step took.
#[derive(Debug, Clone, Copy, Default)]
pub struct Split {
    /// Finding contacts.
    pub collision: Duration,
    /// Making and solving the constraints.
    pub solve: Duration,
}

/// An engine with a scene in it.
pub trait Engine {
    /// Takes one step.
    fn step(&mut self) -> Result<Split, String>;
    /// The states of all bodies in the order of the scene.
    fn states(&self) -> Vec<BodyState>;
    /// Contact points of the last step.
    fn contacts(&self) -> usize;
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// All steps were taken.
    Done,
    /// The time was up before.
    TimeLimit,
    /// The engine gave up.
    Failed(String),
}

/// What one run gave.
#[derive(Debug, Clone)]
pub struct Measurement {
    /// How it ended.
    pub status: Status,
    /// Steps taken, those of the warm-up included.
    pub taken: usize,
    /// Seconds for each timed step.
    pub times: Vec<f64>,
    /// Seconds for which the program had a processor in all timed steps; `None` where the system doesn't tell.
    pub processor: Option<f64>,
    /// Seconds for collision and for solving in all timed steps.
    pub split: [f64; 2],
    /// Contact points of the last step.
    pub contacts: usize,
    /// States after the warm-up and at the end, as far as the run came.
    pub states: Vec<(usize, Vec<BodyState>)>,
}

/// Runs a scene through, or until the time is up.
pub fn measure(engine: &mut dyn Engine, scene: &PeerScene, limit: Duration) -> Measurement {
    let started = Instant::now();
    let mut measurement = Measurement {
        status: Status::Done,
        taken: 0,
        times: Vec::with_capacity(scene.steps),
        processor: None,
        split: [0.0; 2],
        contacts: 0,
        states: Vec::new(),
    };
    let mut processor = None;
    while measurement.taken < scene.warm_up + scene.steps {
        if started.elapsed() > limit {
            measurement.status = Status::TimeLimit;
            break;
        }
        let before = Instant::now();
        let split = match engine.step() {
            Ok(split) => split,
            Err(message) => {
                measurement.status = Status::Failed(message);
                break;
            }
        };
        let time = before.elapsed();
        measurement.taken += 1;
        if measurement.taken > scene.warm_up {
            measurement.times.push(time.as_secs_f64());
            measurement.split[0] += split.collision.as_secs_f64();
            measurement.split[1] += split.solve.as_secs_f64();
        }
        if measurement.taken == scene.warm_up {
            measurement.states.push((measurement.taken, engine.states()));
            processor = processor_seconds();
        }
    }
    measurement.processor = processor.zip(processor_seconds()).map(|(before, after)| after - before);
    measurement.contacts = engine.contacts();
    measurement.states.push((measurement.taken, engine.states()));
    measurement
}

/// Seconds for which the threads of this program had a processor, as Linux tells it: the first number of a file each, in
/// nanoseconds.
fn processor_seconds() -> Option<f64> {
    let mut nanoseconds = 0.0;
    for task in std::fs::read_dir("/proc/self/task").ok()? {
        let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        nanoseconds += text.split_whitespace().next()?.parse::<f64>().ok()?;
    }
    Some(1e-9 * nanoseconds)
}
