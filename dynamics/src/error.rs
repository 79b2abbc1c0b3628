//! What can be wrong with a world, and what can go wrong in a step.

use thiserror::Error;

/// A world that cannot be simulated as described.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum WorldError {
    /// Two things share a name.
    #[error("there are two {kind}s named '{name}'")]
    DuplicateName {
        /// "body", "joint" or "material".
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A value of a body is out of range.
    #[error("body '{name}': {message}")]
    InvalidBody {
        /// The body.
        name: String,
        /// What is wrong.
        message: String,
    },
    /// An unbounded shape has no mass, so it can't be dynamic.
    #[error("body '{name}': a {shape} has no finite mass, so it must be fixed or scripted")]
    Unbounded {
        /// The body.
        name: String,
        /// The shape.
        shape: &'static str,
    },
    /// A joint can't be made like this.
    #[error("joint '{name}': {message}")]
    InvalidJoint {
        /// The joint.
        name: String,
        /// What is wrong.
        message: String,
    },
    /// A compound's centroid is not its origin, so a uniform density puts its centre of mass elsewhere.
    #[error("body '{name}': the centre of mass of its parts is at {centroid:?}, not at the origin of its frame")]
    OffCentre {
        /// The body.
        name: String,
        /// Where the centroid is, m.
        centroid: [f64; 3],
    },
    /// A value of a material is out of range.
    #[error("material '{name}': {message}")]
    InvalidMaterial {
        /// The material, or the pair.
        name: String,
        /// What is wrong.
        message: String,
    },
    /// A timer that would never tick, or always.
    #[error("timer '{name}': {message}")]
    InvalidTimer {
        /// The timer.
        name: String,
        /// What is wrong.
        message: String,
    },
    /// A body index that does not exist.
    #[error("there is no body with index {index}: the world has {count} bodies")]
    UnknownBody {
        /// The index.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A joint index that does not exist.
    #[error("there is no joint with index {index}: the world has {count} joints")]
    UnknownJoint {
        /// The index.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A material index that does not exist.
    #[error("there is no material with index {index}")]
    UnknownMaterial {
        /// The index.
        index: usize,
    },
}

/// A step that could not be completed.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum StepError {
    /// The time step is not a positive number.
    #[error("the time step must be positive and finite, not {dt}")]
    InvalidTimeStep {
        /// The value given.
        dt: f64,
    },
    /// The stepper's options do not fit together.
    #[error("{message}")]
    Options {
        /// What is wrong.
        message: String,
    },
    /// A body was changed between steps into one that can't be simulated.
    #[error("step {step} cannot be taken: {source}")]
    World {
        /// The step.
        step: u64,
        /// What is wrong.
        source: WorldError,
    },
    /// A body's state is no longer finite.
    #[error("the simulation diverged at step {step} (t = {time} s): the state of body '{body}' is not finite")]
    Diverged {
        /// The step that produced it.
        step: u64,
        /// The time at the end of that step.
        time: f64,
        /// The first such body.
        body: String,
    },
    /// The solver could not handle a group's problem.
    #[error("the solver failed at step {step} (t = {time} s): {source}")]
    Solver {
        /// The step.
        step: u64,
        /// The time at the beginning of that step.
        time: f64,
        /// Why.
        source: drystone_solver::SolveError,
    },
    /// The broad phase reported a pair that the contact graph does not accept.
    #[error("the contact graph refused a pair at step {step}: {message}")]
    Graph {
        /// The step.
        step: u64,
        /// Why.
        message: String,
    },
}
