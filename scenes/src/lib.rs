//! Scenes: what is simulated, before any choice of how.
//!
//! A [`Scene`] is plain data (bodies, materials, gravity, the time step it was made for) and is written as TOML; a
//! mistake in a file is reported with its line and column. The [catalogue](mod@catalogue) makes the reference scenes of the
//! dissertation's chapter 6 and of the literature from a few parameters, as the same kind of value, so that every
//! catalogue scene can be written to a file, changed by hand and read again.
//!
//! ```
//! let scene = drystone_scenes::load("wall:rows=4,columns=6")?;
//! let world = scene.build()?;
//! assert_eq!(world.bodies().len(), 4 * 6 + 1); // the bricks and the ground
//! # Ok::<(), drystone_scenes::SceneError>(())
//! ```

pub mod catalogue;
mod error;
pub mod format;
mod load;

pub use catalogue::{CatalogueEntry, catalogue, find_scene};
pub use error::{LocatedError, SceneError};
pub use format::{
    BodyDescription, BreakingDescription, CollisionRule, DriveDescription, EllipticConeDescription, Frame,
    JointDescription, JointType, Kind, LimitDescription, Material, MaterialPair, Mixing, Motion, MotorDescription,
    Orientation, OrientationUpdate, Pair, PartDescription, RangeDescription, Repetition, Scene, ShapeDescription,
    SuspensionDescription, SwingDescription, TimerDescription, Triple, parse_scene, read_scene, schema, toml_message,
};
pub use load::load;
