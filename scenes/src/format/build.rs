//! From a scene to a world.

use std::sync::Arc;

use drystone_collision::{Compound, Cuboid, HalfSpace, Part, Shape, ShapeError, Sphere};
use drystone_dynamics::motion::{Oscillation, UniformMotion};
use drystone_dynamics::{
    Body, BodyKind, ContactLaw, Materials, MixingRule, Reference, ScriptedMotion, World, WorldError,
};
use nalgebra::{Isometry3, Quaternion, Translation3, Unit, UnitQuaternion, Vector3};

use super::body::{BodyDescription, Kind, Motion, Orientation, OrientationUpdate, PartDescription, ShapeDescription};
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
        // Where each body's own frame is in the one it is written in; only compounds have two.
        let mut origins = Vec::new();
        for (index, description) in self.bodies.iter().enumerate() {
            let refused = |error: WorldError| Fault::here(error.to_string()).within_element("body", index, "refused");
            let material = world.materials.find(&description.material).unwrap_or(0);
            // Made once, so that copies share the parts of a compound.
            let model = description.model().map_err(refused)?;
            for (name, position) in description.expanded(index) {
                let mut body = description.body(&model, name, position);
                body.material = material;
                world.add(body).map_err(refused)?;
                origins.push(model.pose);
            }
        }
        for (index, description) in self.joints.iter().enumerate() {
            let bodies = [0, 1].map(|side| world.find(&description.bodies[side]).unwrap_or(usize::MAX));
            let mut joint = description.joint(index, bodies);
            if joint.attachment.reference == Reference::Bodies {
                for (anchor, body) in joint.attachment.anchors.iter_mut().zip(bodies) {
                    let origin = origins.get(body).copied().unwrap_or_default();
                    *anchor = origin.inverse_transform_point(anchor);
                }
            }
            world
                .add_joint(joint)
                .map_err(|error| Fault::here(error.to_string()).within_element("joint", index, "refused"))?;
        }
        world.filter = self.collision_filter()?;
        for (index, description) in self.timers.iter().enumerate() {
            world
                .add_timer(description.timer(index))
                .map_err(|error| Fault::here(error.to_string()).within_element("timer", index, "refused"))?;
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

    /// The body without a place or a state: shape, mass and inertia. Its pose is that of the body's own frame, about the
    /// centre of mass, in the frame that the description places; only for a dynamic compound are they two.
    pub(crate) fn model(&self) -> Result<Body, WorldError> {
        let name = String::new();
        match (&self.shape, self.mass) {
            _ if self.kind != Kind::Dynamic => Ok(Body::fixed(name, self.shape.shape().map_err(refused)?)),
            (ShapeDescription::Compound { parts }, mass) => {
                let parts = PartDescription::parts(parts).map_err(refused)?;
                let volume: f64 = parts.iter().map(|part| part.shape.volume()).sum();
                let uniform = mass.map_or(self.density.unwrap_or(f64::NAN), |mass| mass / volume);
                let densities = self.shape.part_densities().map(|own| own.unwrap_or(uniform));
                let body = Body::dynamic_compound(name, parts.into_iter().zip(densities))?;
                Ok(Body {
                    mass: mass.unwrap_or(body.mass),
                    ..body
                })
            }
            (shape, Some(mass)) => Body::dynamic_with_mass(name, shape.shape().map_err(refused)?, mass),
            (shape, None) => {
                let density = self.density.unwrap_or(f64::NAN);
                Body::dynamic(name, shape.shape().map_err(refused)?, density)
            }
        }
    }

    fn body(&self, model: &Body, name: String, position: Vector3<f64>) -> Body {
        let frame = Isometry3::from_parts(Translation3::from(position), rotation(self.orientation.as_ref()));
        let body = match (self.kind, &self.motion) {
            // An oscillation need not begin at its middle: a scripted body is where its motion says.
            (Kind::Scripted, Some(motion)) => Body::scripted(name, model.shape.clone(), motion.starting_at(frame)),
            (Kind::Trigger, motion) => {
                let motion = motion.map(|motion| motion.starting_at(frame));
                Body {
                    pose: motion.as_ref().map_or(frame, |motion| motion.pose(0.0)),
                    kind: BodyKind::Trigger(motion),
                    ..Body::trigger(name, model.shape.clone())
                }
            }
            _ => Body {
                name,
                pose: frame * model.pose,
                ..model.clone()
            },
        };
        Body {
            linear_velocity: self.linear_velocity.into(),
            angular_velocity: self.angular_velocity.into(),
            force: self.force.into(),
            torque: self.torque.into(),
            linear_damping: self.linear_damping,
            angular_damping: self.angular_damping,
            orientation_update: self.orientation_update.into(),
            passive: self.passive,
            ..body
        }
    }
}

impl ShapeDescription {
    fn shape(&self) -> Result<Shape, ShapeError> {
        Ok(match self {
            Self::Sphere { radius } => Shape::Sphere(Sphere { radius: *radius }),
            Self::Cuboid { size } => Shape::Cuboid(Cuboid {
                half_extents: 0.5 * Vector3::from(*size),
            }),
            Self::HalfSpace { normal } => Shape::HalfSpace(HalfSpace {
                normal: Unit::new_normalize((*normal).into()),
            }),
            Self::Compound { parts } => Shape::Compound(Compound::new(PartDescription::parts(parts)?)?),
        })
    }

    /// The densities that the parts of a compound have of their own.
    pub(crate) fn part_densities(&self) -> impl Iterator<Item = Option<f64>> + '_ {
        let parts = match self {
            Self::Compound { parts } => parts.as_slice(),
            _ => &[],
        };
        parts.iter().map(|part| part.density)
    }
}

impl PartDescription {
    fn parts(descriptions: &[Self]) -> Result<Vec<Part>, ShapeError> {
        let part = |description: &Self| {
            let position = Translation3::from(Vector3::from(description.position));
            Ok(Part {
                shape: description.shape.shape()?,
                pose: Isometry3::from_parts(position, rotation(description.orientation.as_ref())),
            })
        };
        descriptions.iter().map(part).collect()
    }
}

/// What the checks let through and the collision library still refuses.
fn refused(error: ShapeError) -> WorldError {
    WorldError::InvalidBody {
        name: String::new(),
        message: error.to_string(),
    }
}

fn rotation(orientation: Option<&Orientation>) -> UnitQuaternion<f64> {
    orientation.map_or_else(UnitQuaternion::identity, Orientation::rotation)
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
