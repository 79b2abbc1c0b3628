//! From a scene to a world.

use std::sync::Arc;

use drystone_collision::{Cuboid, HalfSpace, Shape, Sphere};
use drystone_dynamics::motion::{Oscillation, UniformMotion};
use drystone_dynamics::{Body, ContactLaw, Materials, MixingRule, ScriptedMotion, World, WorldError};
use nalgebra::{Isometry3, Quaternion, Translation3, Unit, UnitQuaternion, Vector3};

use super::body::{BodyDescription, Kind, Motion, Orientation, OrientationUpdate, ShapeDescription};
use super::fault::Fault;
use super::scene::{DEFAULT_MATERIAL, Mixing, Scene};
use crate::error::SceneError;

impl Scene {
    /// Makes the world at time zero. Bodies get indices in the order of the scene, repetitions written out in place.
    pub fn build(&self) -> Result<World, SceneError> {
        self.check()
            .and_then(|()| self.world())
            .map_err(|fault| SceneError::Invalid {
                scene: self.name.clone(),
                place: fault.place(),
                message: fault.message,
            })
    }

    /// Builds without checking first; what the world itself refuses is a fault of the body it refuses.
    fn world(&self) -> Result<World, Fault> {
        let mut world = World::new();
        world.gravity = Vector3::from(self.gravity);
        world.materials = self.contact_laws().map_err(|error| Fault::here(error.to_string()))?;
        for (index, description) in self.bodies.iter().enumerate() {
            let refused = |error: WorldError| Fault::here(error.to_string()).within_element("body", index, "refused");
            let material = world.materials.find(&description.material).unwrap_or(0);
            for (name, position) in description.expanded(index) {
                let mut body = description.body(name, position).map_err(refused)?;
                body.material = material;
                world.add(body).map_err(refused)?;
            }
        }
        for (index, description) in self.joints.iter().enumerate() {
            let bodies = [0, 1].map(|side| world.find(&description.bodies[side]).unwrap_or(usize::MAX));
            world
                .add_joint(description.joint(index, bodies))
                .map_err(|error| Fault::here(error.to_string()).within_element("joint", index, "refused"))?;
        }
        Ok(world)
    }

    fn contact_laws(&self) -> Result<Materials, WorldError> {
        let mut materials = Materials::new(Materials::default().pair(0, 0), self.mixing.into())?;
        for material in &self.materials {
            let law = ContactLaw {
                friction: material.friction,
                restitution: material.restitution,
            };
            if material.name == DEFAULT_MATERIAL {
                materials.set_default(law)?;
            } else {
                materials.add(&material.name, law)?;
            }
        }
        for pair in &self.material_pairs {
            let [a, b] = [&pair.materials[0], &pair.materials[1]].map(|name| materials.find(name).unwrap_or(0));
            let mixed = materials.pair(a, b);
            let law = ContactLaw {
                friction: pair.friction.unwrap_or(mixed.friction),
                restitution: pair.restitution.unwrap_or(mixed.restitution),
            };
            materials.set_pair(a, b, law)?;
        }
        Ok(materials)
    }
}

impl From<Mixing> for MixingRule {
    fn from(mixing: Mixing) -> Self {
        match mixing {
            Mixing::GeometricMaximum => Self::GeometricMaximum,
            Mixing::Minimum => Self::Minimum,
            Mixing::Maximum => Self::Maximum,
            Mixing::Mean => Self::Mean,
        }
    }
}

impl BodyDescription {
    /// The names and positions of the bodies it stands for, x fastest.
    pub(crate) fn expanded(&self, index: usize) -> impl Iterator<Item = (String, Vector3<f64>)> + '_ {
        let name = self.name_or_index(index);
        let position = Vector3::from(self.position);
        let [nx, ny, nz] = self.repeat.map_or([1; 3], |repeat| repeat.count);
        let spacing = self.repeat.map_or(Vector3::zeros(), |repeat| repeat.spacing.into());
        (0..self.copies()).map(move |copy| {
            let [i, j, k] = [copy % nx, copy / nx % ny, copy / (nx * ny) % nz];
            let offset = Vector3::new(i as f64, j as f64, k as f64).component_mul(&spacing);
            let name = match self.repeat {
                None => name.clone(),
                Some(_) => format!("{name}-{i}-{j}-{k}"),
            };
            (name, position + offset)
        })
    }

    /// The body without a place or a state: shape, mass and inertia.
    pub(crate) fn mass_model(&self) -> Result<Body, WorldError> {
        let (name, shape) = (String::new(), self.shape.shape());
        match self.mass {
            Some(mass) => Body::dynamic_with_mass(name, shape, mass),
            None => Body::dynamic(name, shape, self.density.unwrap_or(f64::NAN)),
        }
    }

    fn body(&self, name: String, position: Vector3<f64>) -> Result<Body, WorldError> {
        let rotation = self
            .orientation
            .as_ref()
            .map_or_else(UnitQuaternion::identity, Orientation::rotation);
        let pose = Isometry3::from_parts(Translation3::from(position), rotation);
        let body = match (self.kind, &self.motion) {
            (Kind::Dynamic, _) => Body {
                name,
                ..self.mass_model()?
            },
            (Kind::Scripted, Some(motion)) => Body::scripted(name, self.shape.shape(), motion.starting_at(pose)),
            (Kind::Fixed | Kind::Scripted, _) => Body::fixed(name, self.shape.shape()),
        };
        Ok(Body {
            // An oscillation need not begin at its middle: a scripted body is where its motion says.
            pose: if self.kind == Kind::Scripted { body.pose } else { pose },
            linear_velocity: self.linear_velocity.into(),
            angular_velocity: self.angular_velocity.into(),
            force: self.force.into(),
            torque: self.torque.into(),
            linear_damping: self.linear_damping,
            angular_damping: self.angular_damping,
            orientation_update: self.orientation_update.into(),
            ..body
        })
    }
}

impl ShapeDescription {
    fn shape(&self) -> Shape {
        match *self {
            Self::Sphere { radius } => Shape::Sphere(Sphere { radius }),
            Self::Cuboid { size } => Shape::Cuboid(Cuboid {
                half_extents: 0.5 * Vector3::from(size),
            }),
            Self::HalfSpace { normal } => Shape::HalfSpace(HalfSpace {
                normal: Unit::new_normalize(normal.into()),
            }),
        }
    }
}

impl Orientation {
    fn rotation(&self) -> UnitQuaternion<f64> {
        match *self {
            Self::AxisAngle { axis, degrees } => {
                UnitQuaternion::from_axis_angle(&Unit::new_normalize(axis.into()), degrees.to_radians())
            }
            Self::Quaternion([w, x, y, z]) => UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z)),
        }
    }
}

impl From<OrientationUpdate> for drystone_dynamics::OrientationUpdate {
    fn from(update: OrientationUpdate) -> Self {
        match update {
            OrientationUpdate::Infinitesimal => Self::Infinitesimal,
            OrientationUpdate::Finite => Self::Finite,
            OrientationUpdate::PartialFinite { axis } => Self::PartialFinite(Unit::new_normalize(axis.into())),
        }
    }
}

impl Motion {
    fn starting_at(&self, start: Isometry3<f64>) -> Arc<dyn ScriptedMotion> {
        match *self {
            Self::Uniform {
                linear_velocity,
                angular_velocity,
            } => Arc::new(UniformMotion {
                start,
                linear_velocity: linear_velocity.into(),
                angular_velocity: angular_velocity.into(),
            }),
            Self::Oscillation {
                amplitude,
                frequency,
                phase_degrees,
            } => Arc::new(Oscillation {
                start,
                amplitude: amplitude.into(),
                frequency,
                phase: phase_degrees.to_radians(),
            }),
        }
    }
}
