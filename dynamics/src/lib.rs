//! Bodies, materials and forces; the contact blocks they write; and the steppers that take one time step.
//!
//! [`World`] holds what has a state, [`Method`] how to advance it, [`Simulation`] does so and reports what each step
//! did. Inside, a [`Stepper`] calls the stages of the [`Pipeline`]: detect contacts, solve them group by group, move
//! the bodies, project away what still penetrates.

mod body;
mod contact;
mod error;
mod integrate;
mod material;
mod method;
pub mod motion;
mod pipeline;
mod report;
mod simulation;
mod stepper;
mod world;

pub use body::{Body, BodyKind, OrientationUpdate};
pub use error::{StepError, WorldError};
pub use integrate::{Gyroscopic, Velocity};
pub use material::{ContactLaw, Materials, MixingRule};
pub use method::{Method, StepperEntry, steppers};
pub use motion::ScriptedMotion;
pub use pipeline::{Depths, Pipeline};
pub use report::{StepReport, Timings};
pub use simulation::Simulation;
pub use stepper::{BoxBoxChoice, BroadPhaseChoice, FixedStep, StepOptions, Stepper};
pub use world::{GRAVITY, World};
