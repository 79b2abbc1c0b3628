//! Joints as they are written in a scene, with their limits and motors. SI units: angles are in radians.
//!
//! ```toml
//! [[joint]]
//! name = "knee"
//! bodies = ["thigh", "shin"]
//! type = "hinge"
//! anchor = [0.0, 0.0, 0.5]
//! axis = [0.0, 1.0, 0.0]
//! limit = [{ range = { coordinate = "angle", lower = 0.0, upper = 2.4 } }]
//! motor = [{ coordinate = "angle", drive.velocity = { speed = 1.0, force = 20.0 } }]
//! ```

mod build;
mod check;
mod make;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::array::exactly;
use super::is_default;

pub(super) use check::check_joints;

/// A joint between two bodies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct JointDescription {
    /// A unique name. The n-th joint of a scene is called `joint-n`, counted from 0, if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The names of body A and body B.
    #[serde(deserialize_with = "exactly")]
    pub bodies: [String; 2],
    /// What kind of joint it is.
    #[serde(rename = "type")]
    pub kind: JointType,
    /// What anchors and axes are given in.
    #[serde(default, skip_serializing_if = "is_default")]
    pub frame: Frame,
    /// The anchor, m, where it is one point of the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<[f64; 3]>")]
    pub anchor: Option<Triple>,
    /// The anchors on A and on B, m, where they are two points, or are given in the bodies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<[[f64; 3]; 2]>")]
    pub anchors: Option<Pair>,
    /// The axis; any length but zero. The z axis if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<[f64; 3]>")]
    pub axis: Option<Triple>,
    /// The axis on A and on B, where they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<[[f64; 3]; 2]>")]
    pub axes: Option<Pair>,
    /// A second direction: axis 2 of a universal joint, the axle of a wheel, where angles are counted from for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<[f64; 3]>")]
    pub second: Option<Triple>,
    /// The second direction on A and on B, where they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<[[f64; 3]; 2]>")]
    pub seconds: Option<Pair>,
    /// Error reduction of its rows, 0 to 1; the stepper's if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub erp: Option<f64>,
    /// Constraint force mixing of its rows, 0 or more; the stepper's if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub cfm: Option<f64>,
    /// Whether its two bodies can touch each other.
    #[serde(default, skip_serializing_if = "is_default")]
    pub collide: bool,
    /// What it breaks of.
    #[serde(rename = "break", default, skip_serializing_if = "is_default")]
    pub breaking: BreakingDescription,
    /// Its limits.
    #[serde(rename = "limit", default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<LimitDescription>,
    /// Its motors.
    #[serde(rename = "motor", default, skip_serializing_if = "Vec::is_empty")]
    pub motors: Vec<MotorDescription>,
}

/// Three numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Triple(#[serde(deserialize_with = "exactly")] pub [f64; 3]);

/// Three numbers for A and three for B.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pair(#[serde(deserialize_with = "exactly")] pub [Triple; 2]);

/// What anchors and axes are given in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Frame {
    /// The world, with the bodies where the scene puts them.
    #[default]
    World,
    /// Each in the frame of its own body: wherever the bodies are, the joint draws them together.
    Bodies,
}

/// A kind of joint.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum JointType {
    /// Ball and socket. Coordinates: swing, twist, swing-x, swing-y.
    Ball,
    /// One axis to turn about. Coordinate: angle.
    Hinge,
    /// One axis to shift along. Coordinate: displacement.
    Slider,
    /// One axis to turn about and to shift along. Coordinates: displacement, angle.
    Cylindrical,
    /// A plane across the axis to slide and turn in. Coordinates: x, y, angle.
    Planar,
    /// Two crossed axes to turn about. Coordinates: angle-1, angle-2.
    Universal,
    /// Hinge-2: `axis` steers and is the direction of the suspension, `second` is the axle. Coordinates: steering, spin,
    /// suspension.
    #[serde(rename_all = "kebab-case")]
    Wheel {
        /// A damped spring along `axis`; rigid without one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        suspension: Option<SuspensionDescription>,
    },
    /// Two bodies as one.
    Fixed,
    /// A distance between the anchors: what it is at the beginning, or between bounds. Coordinate: length.
    #[serde(rename_all = "kebab-case")]
    Distance {
        /// The smallest distance, m.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0.0))]
        lower: Option<f64>,
        /// The largest distance, m: the length of a rope.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0.0))]
        upper: Option<f64>,
        /// Newton's coefficient where a bound is reached, 0 to 1.
        #[serde(default, skip_serializing_if = "is_default")]
        #[schemars(range(min = 0.0, max = 1.0))]
        restitution: f64,
    },
    /// A damped spring between the anchors. Coordinate: length.
    #[serde(rename_all = "kebab-case")]
    Spring {
        /// N/m.
        #[schemars(range(min = 0.0))]
        stiffness: f64,
        /// N·s/m.
        #[serde(default, skip_serializing_if = "is_default")]
        #[schemars(range(min = 0.0))]
        damping: f64,
        /// Length without force, m; what it is at the beginning if left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0.0))]
        length: Option<f64>,
    },
    /// Spur gears with their centres at `anchors` and axles along `axis`.
    #[serde(rename_all = "kebab-case")]
    Gear {
        /// Numbers of teeth of A and of B.
        #[serde(deserialize_with = "exactly")]
        teeth: [u32; 2],
        /// Whether the wheel with more teeth is a ring around the other.
        #[serde(default, skip_serializing_if = "is_default")]
        internal: bool,
    },
    /// One pair of points that coincide.
    PointBall,
    /// Two pairs of points on the axis. Coordinate: angle.
    #[serde(rename_all = "kebab-case")]
    PointHinge {
        /// Half the distance between them, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        reach: f64,
    },
    /// Three pairs of points in a triangle.
    #[serde(rename_all = "kebab-case")]
    PointFixed {
        /// How far they are from the anchor, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        reach: f64,
    },
    /// Two pairs of points on the axis and four that drive. Coordinate: angle.
    #[serde(rename_all = "kebab-case")]
    PointMotor {
        /// Angular velocity of B against A about the axis, rad/s.
        speed: f64,
        /// Half the distance between the points on the axis, and the distance of the driving ones from it, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        reach: f64,
    },
}

/// A damped spring along a wheel's suspension axis, without force at the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SuspensionDescription {
    /// N/m.
    #[schemars(range(min = 0.0))]
    pub stiffness: f64,
    /// N·s/m.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0.0))]
    pub damping: f64,
}

/// What a joint breaks of; nothing that is left out.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BreakingDescription {
    /// The largest force it carries, N.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub force: Option<f64>,
    /// The largest torque about its anchor, N·m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub torque: Option<f64>,
    /// The largest distance between points that should coincide, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub distance: Option<f64>,
}

/// A limit of a joint: exactly one of `range` and `elliptic-cone`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LimitDescription {
    /// One coordinate between two values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<RangeDescription>,
    /// A reach cone of a ball joint that is an ellipse in its two components of swing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elliptic_cone: Option<EllipticConeDescription>,
    /// Newton's coefficient for reaching it at speed, 0 to 1.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub restitution: f64,
    /// Error reduction, 0 to 1; the stepper's if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub erp: Option<f64>,
    /// Constraint force mixing, 0 or more; the stepper's if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub cfm: Option<f64>,
}

/// One coordinate between two values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RangeDescription {
    /// The name of the coordinate.
    pub coordinate: String,
    /// The smallest value, m or rad; none if left out. An angle needs both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<f64>,
    /// The largest value, m or rad; none if left out. An angle needs both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<f64>,
}

/// A cone with an ellipse for its section.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EllipticConeDescription {
    /// Half angles along swing-x and swing-y, rad.
    #[serde(deserialize_with = "exactly")]
    #[schemars(inner(range(min = 0.0)))]
    pub angles: [f64; 2],
}

/// A motor of a joint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MotorDescription {
    /// The name of the coordinate it drives.
    pub coordinate: String,
    /// What it does.
    pub drive: DriveDescription,
}

/// What a motor wants of its coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum DriveDescription {
    /// A speed.
    #[serde(rename_all = "kebab-case")]
    Velocity {
        /// m/s or rad/s.
        speed: f64,
        /// The largest force or torque, N or N·m; without bound if left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0.0))]
        force: Option<f64>,
    },
    /// A position.
    #[serde(rename_all = "kebab-case")]
    Servo {
        /// m or rad.
        target: f64,
        /// Which part of the way it goes in a second, 1/s.
        #[serde(default = "servo_rate")]
        #[schemars(range(min = 0.0))]
        rate: f64,
        /// The largest speed, m/s or rad/s; without bound if left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0.0))]
        speed: Option<f64>,
        /// The largest force or torque, N or N·m; without bound if left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0.0))]
        force: Option<f64>,
        /// How the target moves, if it does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        swing: Option<SwingDescription>,
    },
    /// Dry friction.
    #[serde(rename_all = "kebab-case")]
    Friction {
        /// N or N·m.
        #[schemars(range(min = 0.0))]
        force: f64,
    },
    /// A damped spring to a position.
    #[serde(rename_all = "kebab-case")]
    Spring {
        /// m or rad.
        #[serde(default, skip_serializing_if = "is_default")]
        rest: f64,
        /// N/m or N·m/rad.
        #[schemars(range(min = 0.0))]
        stiffness: f64,
        /// N·s/m or N·m·s/rad.
        #[serde(default, skip_serializing_if = "is_default")]
        #[schemars(range(min = 0.0))]
        damping: f64,
    },
}

/// A target that swings: `target + amplitude · sin(2π · frequency · t + phase)`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SwingDescription {
    /// m or rad.
    pub amplitude: f64,
    /// Hz.
    pub frequency: f64,
    /// rad.
    #[serde(default, skip_serializing_if = "is_default")]
    pub phase: f64,
}

fn servo_rate() -> f64 {
    10.0
}
