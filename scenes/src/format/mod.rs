//! The scene format: the types, and what happens to them between a file and a world.
//!
//! A text is read into a [`Scene`] (syntax, key names, types), checked (ranges, names, what belongs together), and
//! built into a [`World`](drystone_dynamics::World). The scene itself holds no positions in the text: a check names
//! the place as a path of keys, and only when it fails is the text parsed again to find that path's line. Scenes made
//! by a program pass the same checks.

mod array;
mod body;
mod build;
mod check;
mod collision;
mod fault;
mod joint;
mod make;
mod read;
mod scene;
mod schema;
mod timer;

pub use body::{
    BodyDescription, Kind, Motion, Orientation, OrientationUpdate, PartDescription, Repetition, ShapeDescription,
};
pub use collision::CollisionRule;
pub use joint::{
    BreakingDescription, DriveDescription, EllipticConeDescription, Frame, JointDescription, JointType,
    LimitDescription, MotorDescription, Pair, RangeDescription, SuspensionDescription, SwingDescription, Triple,
};
pub use read::{parse_scene, read_scene, toml_message};
pub use scene::{DEFAULT_MATERIAL, MAX_BODIES, Material, MaterialPair, Mixing, Scene};
pub use schema::schema;
pub use timer::{MAX_TICKS, TimerDescription};

/// For `skip_serializing_if`: a file holds only what differs from the defaults.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
