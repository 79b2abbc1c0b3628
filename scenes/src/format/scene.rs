//! The scene as a whole, and its materials.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::array::exactly;
use super::body::BodyDescription;
use super::collision::CollisionRule;
use super::is_default;
use super::joint::JointDescription;
use super::timer::TimerDescription;
use crate::error::SceneError;

/// The name of the material that every scene has.
pub const DEFAULT_MATERIAL: &str = "default";

/// More bodies than this are taken for a mistake.
pub const MAX_BODIES: usize = 1_000_000;

/// Everything there is to simulate, and the time step and duration it was made for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Scene {
    /// A short name. A file without one is named after the file.
    pub name: String,
    /// What the scene is for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Gravitational acceleration, m/s².
    #[serde(deserialize_with = "exactly")]
    pub gravity: [f64; 3],
    /// The time step the scene was made for, s. A run may choose another.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub dt: f64,
    /// How long the scene is usually run, s.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub duration: f64,
    /// The solver to use if the run names none: `[stepper[:options]/]solver[:options]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solver: Option<String>,
    /// How the values of two materials make those of a pair that has none of its own.
    #[serde(skip_serializing_if = "is_default")]
    pub mixing: Mixing,
    /// Whether pairs of bodies that no collision rule speaks of may collide.
    #[serde(skip_serializing_if = "is_true")]
    pub collide_by_default: bool,
    /// The materials. One named `default` always exists; declaring it here changes its values.
    #[serde(rename = "material", skip_serializing_if = "Vec::is_empty")]
    pub materials: Vec<Material>,
    /// Pairs of materials with values of their own.
    #[serde(rename = "material-pair", skip_serializing_if = "Vec::is_empty")]
    pub material_pairs: Vec<MaterialPair>,
    /// The bodies, in the order of their indices in the world.
    #[serde(rename = "body", skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<BodyDescription>,
    /// The joints, in the order of their indices in the world.
    #[serde(rename = "joint", skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<JointDescription>,
    /// Which bodies may collide; their order plays no part.
    #[serde(rename = "collision-rule", skip_serializing_if = "Vec::is_empty")]
    pub collision_rules: Vec<CollisionRule>,
    /// The timers, in the order of their indices in the world.
    #[serde(rename = "timer", skip_serializing_if = "Vec::is_empty")]
    pub timers: Vec<TimerDescription>,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            name: String::new(),
            description: String::new(),
            gravity: [0.0, 0.0, -drystone_dynamics::GRAVITY],
            dt: 0.01,
            duration: 5.0,
            solver: None,
            mixing: Mixing::default(),
            collide_by_default: true,
            materials: Vec::new(),
            material_pairs: Vec::new(),
            bodies: Vec::new(),
            joints: Vec::new(),
            collision_rules: Vec::new(),
            timers: Vec::new(),
        }
    }
}

impl Scene {
    /// An empty scene under standard gravity.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// The number of bodies once repetitions are written out.
    pub fn body_count(&self) -> usize {
        self.bodies
            .iter()
            .map(BodyDescription::copies)
            .fold(0, usize::saturating_add)
    }

    /// The scene as TOML, such that [`parse_scene`](super::parse_scene) gives an equal scene.
    pub fn to_toml(&self) -> Result<String, SceneError> {
        toml::to_string(self).map_err(|error| SceneError::Write {
            scene: self.name.clone(),
            message: error.to_string(),
        })
    }
}

/// How two materials combine; see [`drystone_dynamics::MixingRule`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mixing {
    /// Friction by geometric mean, restitution by maximum.
    #[default]
    GeometricMaximum,
    /// The smaller of the two, for both.
    Minimum,
    /// The larger of the two, for both.
    Maximum,
    /// The arithmetic mean of the two, for both.
    Mean,
}

/// A surface.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Material {
    /// The name that bodies and pairs refer to.
    pub name: String,
    /// Coulomb's coefficient of friction, 0 or more.
    #[serde(default = "quarter")]
    #[schemars(range(min = 0.0))]
    pub friction: f64,
    /// Newton's coefficient of restitution, 0 to 1.
    #[serde(default = "quarter")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub restitution: f64,
}

impl Material {
    /// A named material.
    pub fn new(name: impl Into<String>, friction: f64, restitution: f64) -> Self {
        Self {
            name: name.into(),
            friction,
            restitution,
        }
    }
}

/// What happens where two given materials meet; a value left out comes from the mixing rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MaterialPair {
    /// The two materials, in any order; they may be the same one.
    #[serde(deserialize_with = "exactly")]
    pub materials: [String; 2],
    /// Coulomb's coefficient of friction, 0 or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub friction: Option<f64>,
    /// Newton's coefficient of restitution, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub restitution: Option<f64>,
}

impl MaterialPair {
    /// A pair with both values of its own.
    pub fn new(a: impl Into<String>, b: impl Into<String>, friction: f64, restitution: f64) -> Self {
        Self {
            materials: [a.into(), b.into()],
            friction: Some(friction),
            restitution: Some(restitution),
        }
    }
}

fn is_true(value: &bool) -> bool {
    *value
}

/// The dissertation's value for both coefficients (§6.1.7).
fn quarter() -> f64 {
    0.25
}
