//! Bodies, materials and forces; the contact blocks they write; and the steppers that take one time step.

mod body;
mod error;
mod material;
pub mod motion;
mod world;

pub use body::{Body, BodyKind, OrientationUpdate};
pub use error::{StepError, WorldError};
pub use material::{ContactLaw, Materials, MixingRule};
pub use motion::ScriptedMotion;
pub use world::{GRAVITY, World};
