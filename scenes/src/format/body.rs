//! One body, or a regular array of equal bodies, as it is written in a scene.
//!
//! Choices are written as the key of a table (`shape.sphere.radius = 0.5`), never as a tag beside the values: only so
//! can a misspelt key inside a choice be reported at its own place.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::array::exactly;
use super::is_default;
use super::scene::DEFAULT_MATERIAL;

/// A body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BodyDescription {
    /// A unique name. The n-th body of a scene is called `body-n`, counted from 0, if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Who decides how it moves.
    #[serde(default, skip_serializing_if = "is_default")]
    pub kind: Kind,
    /// Whether it is only kept in store: it neither moves nor touches anything.
    #[serde(default, skip_serializing_if = "is_default")]
    pub passive: bool,
    /// The collision groups it is in, by name; collision rules speak of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// The name of its material.
    #[serde(default = "default_material", skip_serializing_if = "is_default_material")]
    pub material: String,
    /// Density, kg/m³. A dynamic body has either a density or a mass, or is a compound whose parts have densities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub density: Option<f64>,
    /// Mass, kg, spread uniformly over the shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub mass: Option<f64>,
    /// Where the origin of the body frame is, m: the centre of mass, but for a compound the origin of the frame that its
    /// parts are written in.
    #[serde(deserialize_with = "exactly", default)]
    pub position: [f64; 3],
    /// Velocity of the centre of mass, m/s.
    #[serde(deserialize_with = "exactly", default, skip_serializing_if = "is_default")]
    pub linear_velocity: [f64; 3],
    /// Angular velocity, world frame, rad/s.
    #[serde(deserialize_with = "exactly", default, skip_serializing_if = "is_default")]
    pub angular_velocity: [f64; 3],
    /// A constant force through the centre of mass besides gravity, world frame, N.
    #[serde(deserialize_with = "exactly", default, skip_serializing_if = "is_default")]
    pub force: [f64; 3],
    /// A constant torque, world frame, N·m.
    #[serde(deserialize_with = "exactly", default, skip_serializing_if = "is_default")]
    pub torque: [f64; 3],
    /// Linear damping rate, 1/s.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0.0))]
    pub linear_damping: f64,
    /// Angular damping rate, 1/s.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0.0))]
    pub angular_damping: f64,
    /// Its shape.
    pub shape: ShapeDescription,
    /// How the body is turned. Not turned, if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<Orientation>,
    /// How the orientation follows the angular velocity over a step.
    #[serde(default, skip_serializing_if = "is_default")]
    pub orientation_update: OrientationUpdate,
    /// How a scripted body moves, or a trigger that does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
    /// Copies of the body in a regular array.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Repetition>,
}

/// Who decides how a body moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Forces and contacts.
    #[default]
    Dynamic,
    /// Nobody: it stays where it is.
    Fixed,
    /// Its `motion`, a function of time.
    Scripted,
    /// Nobody, or its `motion` if it has one. It is not a thing but a place: it touches nothing, and notices who is in it.
    Trigger,
}

/// A shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum ShapeDescription {
    /// A ball.
    #[serde(rename_all = "kebab-case")]
    Sphere {
        /// Radius, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        radius: f64,
    },
    /// A box with its sides along the axes of the body frame.
    #[serde(rename = "box")]
    Cuboid {
        /// Full side lengths along x, y and z, m.
        #[schemars(inner(range(min = 0.0)))]
        #[serde(deserialize_with = "exactly")]
        size: [f64; 3],
    },
    /// Everything below a plane through the body's origin. Never dynamic.
    #[serde(rename_all = "kebab-case")]
    HalfSpace {
        /// The plane's normal, out of the solid, body frame; any length but zero.
        #[serde(deserialize_with = "exactly", default = "up")]
        normal: [f64; 3],
    },
    /// Several spheres and boxes that move as one.
    #[serde(rename_all = "kebab-case")]
    Compound {
        /// The parts, one or more.
        #[schemars(length(min = 1))]
        parts: Vec<PartDescription>,
    },
}

/// One shape of a compound. The frame it is written in may have its origin anywhere: it is what the body's position and
/// orientation place. Where parts overlap, the mass of the overlap counts for each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PartDescription {
    /// A sphere or a box.
    pub shape: ShapeDescription,
    /// Where its centre is, m.
    #[serde(deserialize_with = "exactly", default, skip_serializing_if = "is_default")]
    pub position: [f64; 3],
    /// How it is turned. Not turned, if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<Orientation>,
    /// Density, kg/m³, if it is not that of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub density: Option<f64>,
}

/// A rotation from the body frame to the world frame, or from a part's to that of its compound.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Orientation {
    /// A turn about an axis, right-handed.
    AxisAngle {
        /// The axis; any length but zero.
        #[serde(deserialize_with = "exactly")]
        axis: [f64; 3],
        /// The angle in degrees.
        degrees: f64,
    },
    /// A quaternion `[w, x, y, z]`; any length but zero, it is normalised.
    #[serde(deserialize_with = "exactly")]
    Quaternion([f64; 4]),
}

/// How the orientation follows the angular velocity over a step; see [`drystone_dynamics::OrientationUpdate`].
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum OrientationUpdate {
    /// First order: turns too little when the body spins fast.
    Infinitesimal,
    /// Exact for a constant angular velocity.
    #[default]
    Finite,
    /// Finite about one axis of the body frame, infinitesimal for the rest: for wheels on their axles.
    PartialFinite {
        /// The axis, body frame; any length but zero.
        #[serde(deserialize_with = "exactly")]
        axis: [f64; 3],
    },
}

/// How a scripted body or a trigger moves, beginning at its position and orientation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Motion {
    /// Constant velocities.
    #[serde(rename_all = "kebab-case")]
    Uniform {
        /// m/s.
        #[serde(deserialize_with = "exactly", default, skip_serializing_if = "is_default")]
        linear_velocity: [f64; 3],
        /// World frame, rad/s.
        #[serde(deserialize_with = "exactly", default, skip_serializing_if = "is_default")]
        angular_velocity: [f64; 3],
    },
    /// `position + amplitude · sin(2π · frequency · t + phase)`.
    #[serde(rename_all = "kebab-case")]
    Oscillation {
        /// Direction and amplitude, m.
        #[serde(deserialize_with = "exactly")]
        amplitude: [f64; 3],
        /// Hz.
        frequency: f64,
        /// The phase at time zero, in degrees.
        #[serde(default, skip_serializing_if = "is_default")]
        phase_degrees: f64,
    },
}

/// A regular array of copies. The copy at (i, j, k) is moved by i, j and k times the spacing along x, y and z, and
/// has `-i-j-k` appended to its name.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Repetition {
    /// How many along x, y and z, 1 or more each.
    #[schemars(inner(range(min = 1)))]
    #[serde(deserialize_with = "exactly")]
    pub count: [usize; 3],
    /// The distance from one to the next along x, y and z, m.
    #[serde(deserialize_with = "exactly")]
    pub spacing: [f64; 3],
}

pub(super) fn default_material() -> String {
    DEFAULT_MATERIAL.into()
}

fn is_default_material(material: &str) -> bool {
    material == DEFAULT_MATERIAL
}

pub(super) fn up() -> [f64; 3] {
    [0.0, 0.0, 1.0]
}
