//! Who there is: bodies, their shapes, and joints. A new population is written whenever bodies or joints have been added, removed
//! or replaced since the last frame.
//!
//! Lists of thousands of bodies are kept small: shapes, and bodies' masses and inertias with them, are in tables of distinct ones,
//! and bodies are columns.

use std::collections::HashMap;

use drystone_collision::Shape;
use drystone_dynamics::{Body, BodyKind, World};
use nalgebra::{Isometry3, Matrix3};
use serde::{Deserialize, Serialize};

/// Bodies and joints for the frames that follow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Population {
    /// Distinct shapes.
    pub shapes: Vec<ShapeRecord>,
    /// Distinct shapes with mass and inertia.
    pub solids: Vec<Solid>,
    /// The bodies, column by column.
    pub bodies: Bodies,
    /// The joints, one by one.
    pub joints: Vec<JointRecord>,
}

/// A shape about its body's origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum ShapeRecord {
    /// A ball.
    Sphere {
        /// Radius, m.
        radius: f64,
    },
    /// A box.
    Cuboid {
        /// Half of each side, m.
        half_extents: [f64; 3],
    },
    /// All behind a plane through the origin.
    HalfSpace {
        /// Outward normal.
        normal: [f64; 3],
    },
    /// Several of the former.
    Compound {
        /// Its parts.
        parts: Vec<PartRecord>,
    },
}

/// A part of a compound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartRecord {
    /// What it is.
    pub shape: ShapeRecord,
    /// Where it is in the body, m.
    pub position: [f64; 3],
    /// How it is turned: x, y, z, w of a unit quaternion.
    pub orientation: [f64; 4],
}

/// A shape with mass and inertia.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Solid {
    /// Which of the shapes.
    pub shape: usize,
    /// Mass, kg; none for bodies that nothing moves.
    pub mass: Option<f64>,
    /// Inertia about the centre of mass in the body's frame, kg·m²: xx, yy, zz, xy, xz, yz.
    pub inertia: Option<[f64; 6]>,
}

/// The bodies, by index.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Bodies {
    /// Their names.
    pub names: Vec<String>,
    /// Who decides how they move.
    pub kinds: Vec<KindRecord>,
    /// Which of the solids they are.
    pub solids: Vec<usize>,
}

/// Who decides how a body moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KindRecord {
    /// Forces and contacts.
    Dynamic,
    /// Nobody.
    Fixed,
    /// A function of time.
    Scripted,
    /// A place that notices who is in it.
    Trigger,
}

impl KindRecord {
    fn of(kind: &BodyKind) -> Self {
        match kind {
            BodyKind::Dynamic => Self::Dynamic,
            BodyKind::Fixed => Self::Fixed,
            BodyKind::Scripted(_) => Self::Scripted,
            BodyKind::Trigger(_) => Self::Trigger,
        }
    }
}

/// A joint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JointRecord {
    /// Its name.
    pub name: String,
    /// Its kind, as `drystone list joints` has it.
    pub kind: String,
    /// Its bodies A and B.
    pub bodies: [usize; 2],
    /// Its anchors, each in the frame of its body, m.
    pub anchors: [[f64; 3]; 2],
    /// Its axis in the frame of A.
    pub axis: [f64; 3],
}

impl ShapeRecord {
    fn of(shape: &Shape) -> Self {
        match shape {
            Shape::Sphere(sphere) => Self::Sphere { radius: sphere.radius },
            Shape::Cuboid(cuboid) => Self::Cuboid {
                half_extents: cuboid.half_extents.into(),
            },
            Shape::HalfSpace(half_space) => Self::HalfSpace {
                normal: half_space.normal.into_inner().into(),
            },
            Shape::Compound(compound) => Self::Compound {
                parts: compound
                    .parts()
                    .iter()
                    .map(|part| PartRecord::of(&part.shape, &part.pose))
                    .collect(),
            },
        }
    }
}

impl PartRecord {
    fn of(shape: &Shape, pose: &Isometry3<f64>) -> Self {
        Self {
            shape: ShapeRecord::of(shape),
            position: pose.translation.vector.into(),
            orientation: pose.rotation.coords.into(),
        }
    }
}

impl Population {
    /// Everybody who is in a world.
    pub fn of(world: &World) -> Self {
        let mut population = Self {
            shapes: Vec::new(),
            solids: Vec::new(),
            bodies: Bodies::default(),
            joints: joints(world),
        };
        // Shapes have no order or hash, but what they are written as has. Never iterated.
        let mut shapes: HashMap<String, usize> = HashMap::new();
        let mut solids: HashMap<(usize, [u64; 7]), usize> = HashMap::new();
        for body in world.bodies() {
            let record = ShapeRecord::of(&body.shape);
            let shape = *shapes.entry(format!("{record:?}")).or_insert_with(|| {
                population.shapes.push(record);
                population.shapes.len() - 1
            });
            let moves = body.kind.is_dynamic();
            let solid = Solid {
                shape,
                mass: moves.then_some(body.mass),
                inertia: moves.then(|| symmetric(&body.inertia)),
            };
            let numbers = solid.inertia.unwrap_or_default();
            let mut bits = [solid.mass.unwrap_or(-1.0).to_bits(); 7];
            bits.iter_mut()
                .zip(numbers)
                .for_each(|(bits, number)| *bits = number.to_bits());
            let solid = *solids.entry((shape, bits)).or_insert_with(|| {
                population.solids.push(solid);
                population.solids.len() - 1
            });
            population.bodies.names.push(body.name.clone());
            population.bodies.kinds.push(KindRecord::of(&body.kind));
            population.bodies.solids.push(solid);
        }
        population
    }

    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.bodies.names.len()
    }

    /// Whether there is nobody.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The shape of a body.
    pub fn shape(&self, body: usize) -> Option<&ShapeRecord> {
        let solid = self.solids.get(*self.bodies.solids.get(body)?)?;
        self.shapes.get(solid.shape)
    }

    /// Whether all numbers point at something that is there.
    pub(super) fn check(&self) -> Result<(), String> {
        let Bodies { names, kinds, solids } = &self.bodies;
        if kinds.len() != names.len() || solids.len() != names.len() {
            return Err("the columns of bodies have different lengths".into());
        }
        if solids.iter().any(|&solid| solid >= self.solids.len())
            || self.solids.iter().any(|solid| solid.shape >= self.shapes.len())
        {
            return Err("a body has a shape that is not there".into());
        }
        let stray = |joint: &&JointRecord| joint.bodies.iter().any(|&body| body >= names.len());
        match self.joints.iter().find(stray) {
            Some(joint) => Err(format!("joint '{}' is at a body that is not there", joint.name)),
            None => Ok(()),
        }
    }
}

fn joints(world: &World) -> Vec<JointRecord> {
    let record = |joint: &drystone_dynamics::Joint| {
        let frames = joint.frames();
        JointRecord {
            name: joint.name.clone(),
            kind: joint.model.name().to_owned(),
            bodies: joint.bodies,
            anchors: [frames.a.translation.vector.into(), frames.b.translation.vector.into()],
            axis: (frames.a.rotation * nalgebra::Vector3::z()).into(),
        }
    };
    world.joints().iter().map(record).collect()
}

fn symmetric(inertia: &Matrix3<f64>) -> [f64; 6] {
    let at = |i, j| inertia[(i, j)];
    [at(0, 0), at(1, 1), at(2, 2), at(0, 1), at(0, 2), at(1, 2)]
}

/// What was there when a population was written, to see cheaply whether it still holds.
#[derive(Debug, Default)]
pub(super) struct Census {
    bodies: Vec<(drystone_dynamics::BodyId, KindRecord, Shape)>,
    joints: Vec<drystone_dynamics::JointId>,
}

impl Census {
    pub(super) fn of(world: &World) -> Self {
        let ids = world.body_ids().iter();
        let seen = |(&id, body): (_, &Body)| (id, KindRecord::of(&body.kind), body.shape.clone());
        Self {
            bodies: ids.zip(world.bodies()).map(seen).collect(),
            joints: world.joint_ids().to_vec(),
        }
    }

    /// Whether the same bodies with the same shapes, and the same joints, are there.
    pub(super) fn holds(&self, world: &World) -> bool {
        let (ids, bodies) = (world.body_ids(), world.bodies());
        self.bodies.len() == bodies.len()
            && self.joints == world.joint_ids()
            && self
                .bodies
                .iter()
                .zip(ids.iter().zip(bodies))
                .all(|((id, kind, shape), (now, body))| {
                    id == now && *kind == KindRecord::of(&body.kind) && *shape == body.shape
                })
    }
}
