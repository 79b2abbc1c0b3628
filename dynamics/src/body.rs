//! A rigid body: what it is (shape, mass, material), where it is, how it moves, what pulls at it.
//!
//! Conventions: the origin of the body frame is the centre of mass; inertia is stored in the body frame, velocities
//! and forces in the world frame. Fixed and scripted bodies have zero inverse mass: contacts push against them, never
//! the other way round.

use std::fmt;
use std::sync::Arc;

use drystone_collision::{Compound, MassProperties, Part, Shape};
use nalgebra::{Isometry3, Matrix3, Point3, Unit, Vector3};

use crate::error::WorldError;
use crate::motion::ScriptedMotion;

/// Who decides how a body moves.
#[derive(Clone)]
pub enum BodyKind {
    /// Forces and contacts.
    Dynamic,
    /// Nobody: it stays where it is.
    Fixed,
    /// A function of time.
    Scripted(Arc<dyn ScriptedMotion>),
    /// Nobody, or a function of time. It is not a thing but a place: nothing collides with it, and it notices who is in it.
    Trigger(Option<Arc<dyn ScriptedMotion>>),
}

impl BodyKind {
    /// Whether forces and contacts move the body.
    pub fn is_dynamic(&self) -> bool {
        matches!(self, Self::Dynamic)
    }

    /// The function of time that moves the body, if one does.
    pub fn motion(&self) -> Option<&dyn ScriptedMotion> {
        match self {
            Self::Scripted(motion) | Self::Trigger(Some(motion)) => Some(motion.as_ref()),
            Self::Dynamic | Self::Fixed | Self::Trigger(None) => None,
        }
    }
}

impl fmt::Debug for BodyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dynamic => "Dynamic",
            Self::Fixed => "Fixed",
            Self::Scripted(_) => "Scripted",
            Self::Trigger(_) => "Trigger",
        })
    }
}

/// How the orientation follows the angular velocity over one step (dissertation §4.14, figure 4.29).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum OrientationUpdate {
    /// `q ← normalise(q + h/2 ω q)`: the dissertation's default; turns too little when |ω|h is large.
    Infinitesimal,
    /// `q ← exp(h ω) q`: exact for a constant angular velocity.
    #[default]
    Finite,
    /// Finite about one axis of the body frame, infinitesimal for the rest: for wheels on their axles.
    PartialFinite(Unit<Vector3<f64>>),
}

/// One rigid body.
#[derive(Debug, Clone)]
pub struct Body {
    /// A name, unique in its world.
    pub name: String,
    /// Who decides how it moves.
    pub kind: BodyKind,
    /// Its shape, about the centre of mass.
    pub shape: Shape,
    /// Index into the world's materials.
    pub material: usize,
    /// Mass in kg (any value for a fixed or scripted body; it is not used).
    pub mass: f64,
    /// Inertia about the centre of mass, body frame, kg·m².
    pub inertia: Matrix3<f64>,
    /// Body to world.
    pub pose: Isometry3<f64>,
    /// Velocity of the centre of mass, m/s.
    pub linear_velocity: Vector3<f64>,
    /// Angular velocity, world frame, rad/s.
    pub angular_velocity: Vector3<f64>,
    /// A constant force through the centre of mass besides gravity, world frame, N.
    pub force: Vector3<f64>,
    /// A constant torque, world frame, N·m.
    pub torque: Vector3<f64>,
    /// Linear damping rate, 1/s: without other forces the velocity decays as `exp(-rate t)`.
    pub linear_damping: f64,
    /// Angular damping rate, 1/s.
    pub angular_damping: f64,
    /// How its orientation is advanced.
    pub orientation_update: OrientationUpdate,
    /// Whether it is only kept in store: it neither moves nor touches anything, and its joints don't hold, until this is
    /// taken back (the light-weighted objects of dissertation §5.2).
    pub passive: bool,
}

impl Body {
    /// A dynamic body at rest at the origin, with its mass properties from a density in kg/m³.
    ///
    /// A compound must have its centroid at its origin; [`Body::dynamic_compound`] takes any other.
    pub fn dynamic(name: impl Into<String>, shape: Shape, density: f64) -> Result<Self, WorldError> {
        let name = name.into();
        match (shape.mass_properties(density), &shape) {
            (Some(properties), _) => Ok(Self::with_properties(name, shape, properties)),
            (None, Shape::Compound(compound)) => Err(WorldError::OffCentre {
                name,
                centroid: compound.centroid().into(),
            }),
            (None, _) => Err(WorldError::Unbounded {
                name,
                shape: shape.kind_name(),
            }),
        }
    }

    /// A dynamic body of several shapes, each with a density in kg/m³, at rest with its parts where they are written.
    ///
    /// The body's frame has the axes of the frame the parts are written in, and its origin at their centre of mass:
    /// that is where the body's pose then is, and what [`Body::at`] moves elsewhere.
    pub fn dynamic_compound(
        name: impl Into<String>,
        parts: impl IntoIterator<Item = (Part, f64)>,
    ) -> Result<Self, WorldError> {
        let name = name.into();
        match Compound::about_centre_of_mass(parts) {
            Ok(centred) => {
                let shape = Shape::Compound(centred.compound);
                Ok(Self::with_properties(name, shape, centred.properties).at(centred.offset))
            }
            Err(error) => Err(WorldError::InvalidBody {
                name,
                message: error.to_string(),
            }),
        }
    }

    /// A dynamic body of uniform density with a given mass in kg.
    pub fn dynamic_with_mass(name: impl Into<String>, shape: Shape, mass: f64) -> Result<Self, WorldError> {
        let unit = Self::dynamic(name, shape, 1.0)?;
        let scale = mass / unit.mass;
        Ok(Self {
            mass,
            inertia: unit.inertia * scale,
            ..unit
        })
    }

    /// A body that never moves.
    pub fn fixed(name: impl Into<String>, shape: Shape) -> Self {
        Self {
            kind: BodyKind::Fixed,
            ..Self::with_properties(name.into(), shape, IMMOVABLE)
        }
    }

    /// A body whose pose is a function of time.
    pub fn scripted(name: impl Into<String>, shape: Shape, motion: Arc<dyn ScriptedMotion>) -> Self {
        Self {
            pose: motion.pose(0.0),
            kind: BodyKind::Scripted(motion),
            ..Self::with_properties(name.into(), shape, IMMOVABLE)
        }
    }

    /// A volume that stays where it is and notices who is in it.
    pub fn trigger(name: impl Into<String>, shape: Shape) -> Self {
        Self {
            kind: BodyKind::Trigger(None),
            ..Self::with_properties(name.into(), shape, IMMOVABLE)
        }
    }

    fn with_properties(name: String, shape: Shape, properties: MassProperties) -> Self {
        Self {
            name,
            kind: BodyKind::Dynamic,
            shape,
            material: 0,
            mass: properties.mass,
            inertia: properties.inertia,
            pose: Isometry3::identity(),
            linear_velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
            force: Vector3::zeros(),
            torque: Vector3::zeros(),
            linear_damping: 0.0,
            angular_damping: 0.0,
            orientation_update: OrientationUpdate::default(),
            passive: false,
        }
    }

    /// The same body with its centre of mass elsewhere.
    #[must_use]
    pub fn at(mut self, position: Vector3<f64>) -> Self {
        self.pose.translation.vector = position;
        self
    }

    /// Whether forces and contacts move it: not while it is passive.
    pub fn is_dynamic(&self) -> bool {
        self.kind.is_dynamic() && !self.passive
    }

    /// 1/m, zero for fixed and scripted bodies.
    pub fn inverse_mass(&self) -> f64 {
        if self.is_dynamic() { 1.0 / self.mass } else { 0.0 }
    }

    /// `R I Rᵀ`: the inertia in the world frame.
    pub fn world_inertia(&self) -> Matrix3<f64> {
        let rotation = self.pose.rotation.to_rotation_matrix();
        rotation.matrix() * self.inertia * rotation.matrix().transpose()
    }

    /// The velocity of the point of the body that is now at `point`.
    pub fn velocity_at(&self, point: &Point3<f64>) -> Vector3<f64> {
        self.linear_velocity
            + self
                .angular_velocity
                .cross(&(point.coords - self.pose.translation.vector))
    }

    /// ½ m v² + ½ ω·Iω, zero for fixed and scripted bodies.
    pub fn kinetic_energy(&self) -> f64 {
        let at_rest = self.linear_velocity == Vector3::zeros() && self.angular_velocity == Vector3::zeros();
        if !self.is_dynamic() || at_rest {
            return 0.0;
        }
        0.5 * self.mass * self.linear_velocity.norm_squared() + 0.5 * self.angular_velocity.dot(&self.spin())
    }

    /// I ω: the angular momentum about the body's own centre of mass.
    pub fn spin(&self) -> Vector3<f64> {
        self.world_inertia() * self.angular_velocity
    }

    /// Checks everything a simulation divides by or relies on.
    pub(crate) fn validate(&self) -> Result<(), WorldError> {
        let invalid = |message: &str| {
            Err(WorldError::InvalidBody {
                name: self.name.clone(),
                message: message.to_owned(),
            })
        };
        if let Err(error) = self.shape.validate() {
            return invalid(&error.to_string());
        }
        if self.kind.is_dynamic() {
            if !(self.mass.is_finite() && self.mass > 0.0) {
                return invalid(&format!("mass must be positive and finite, not {}", self.mass));
            }
            // Cholesky's factorisation exists exactly for positive definite matrices, but reads only the lower half.
            let skew = (self.inertia - self.inertia.transpose()).amax();
            let symmetric = skew <= 1e-12 * self.inertia.amax();
            if !self.inertia.iter().all(|x| x.is_finite()) || !symmetric || self.inertia.cholesky().is_none() {
                return invalid("inertia must be symmetric and positive definite");
            }
        }
        let pose = self.pose.to_homogeneous();
        let state = [&self.linear_velocity, &self.angular_velocity, &self.force, &self.torque];
        if !pose.iter().chain(state.into_iter().flatten()).all(|x| x.is_finite()) {
            return invalid("position, orientation, velocities and forces must be finite");
        }
        for (name, rate) in [
            ("linear damping", self.linear_damping),
            ("angular damping", self.angular_damping),
        ] {
            if !(rate.is_finite() && rate >= 0.0) {
                return invalid(&format!("{name} must be 0 or more, not {rate}"));
            }
        }
        Ok(())
    }
}

/// Fixed and scripted bodies never divide by these.
const IMMOVABLE: MassProperties = MassProperties {
    mass: f64::INFINITY,
    inertia: Matrix3::new(
        f64::INFINITY,
        0.0,
        0.0,
        0.0,
        f64::INFINITY,
        0.0,
        0.0,
        0.0,
        f64::INFINITY,
    ),
};
