//! Rapier as one of the engines: the very same bodies, masses and inertias.
//!
//! Rapier does one sweep with bias and one without in each of its solver iterations, so five of them are ten sweeps on
//! the normal rows. Sleeping is off.

use drystone::collision::{Part, Shape};
use drystone::dynamics::{Body, Joint};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use rapier3d_f64::prelude::{
    ColliderBuilder, FrictionModel, MassProperties, PhysicsWorld, Pose, RigidBody, RigidBodyBuilder, RigidBodyHandle,
    Rotation, SharedShape, SphericalJointBuilder, Vector as RapierVector,
};

use super::measure::{BodyState, Engine, Split};
use super::scenes::Setting;

/// How much of its work Rapier does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// As comparable to ours as its settings allow: Coulomb friction at every contact point in all ten sweeps, and fresh
    /// contacts in every step.
    Same,
    /// Its defaults, which solve one friction constraint for four points, in five of the ten sweeps, and reuse contacts of
    /// pairs that hardly moved.
    Defaults,
    /// Its defaults, with joints as coordinates instead of constraints.
    ReducedCoordinates,
}

/// Rapier with a scene in it.
pub struct Rapier {
    /// The peer's own world.
    pub world: PhysicsWorld,
    handles: Vec<RigidBodyHandle>,
}

fn vector(v: &Vector3<f64>) -> RapierVector {
    RapierVector::new(v.x, v.y, v.z)
}

fn back(v: RapierVector) -> Vector3<f64> {
    Vector3::new(v.x, v.y, v.z)
}

fn pose(pose: &Isometry3<f64>) -> Pose {
    let q = pose.rotation;
    Pose::from_parts(
        vector(&pose.translation.vector),
        Rotation::from_xyzw(q.i, q.j, q.k, q.w),
    )
}

fn shared_shape(shape: &Shape) -> SharedShape {
    match shape {
        Shape::Sphere(sphere) => SharedShape::ball(sphere.radius),
        Shape::Cuboid(cuboid) => {
            let half = cuboid.half_extents;
            SharedShape::cuboid(half.x, half.y, half.z)
        }
        Shape::HalfSpace(plane) => SharedShape::halfspace(vector(&plane.normal)),
        Shape::Compound(compound) => {
            let part = |part: &Part| (pose(&part.pose), shared_shape(&part.shape));
            SharedShape::compound(compound.parts().iter().map(part).collect())
        }
    }
}

impl Rapier {
    /// The same bodies in Rapier.
    ///
    /// # Panics
    /// If the scene has bodies or joints that are not compared: inertias that are not diagonal, joints that are not balls,
    /// or loops in reduced coordinates.
    pub fn new(setting: &Setting, work: Work) -> Self {
        let mut world = PhysicsWorld {
            gravity: vector(&setting.world.gravity),
            ..PhysicsWorld::default()
        };
        let parameters = &mut world.integration_parameters;
        parameters.dt = setting.dt;
        parameters.num_solver_iterations = 5;
        parameters.num_internal_pgs_iterations = 1;
        parameters.num_internal_stabilization_iterations = 1;
        if work == Work::Same {
            parameters.friction_model = FrictionModel::Coulomb;
            parameters.friction_in_bias_pass = true;
            parameters.contact_recycling = false;
        }
        let mut peer = Self {
            world,
            handles: Vec::new(),
        };
        for body in setting.world.bodies() {
            peer.insert(body, setting.friction);
        }
        for joint in setting.world.joints() {
            peer.connect(joint, work);
        }
        peer
    }

    fn insert(&mut self, body: &Body, friction: f64) {
        let builder = if body.is_dynamic() {
            RigidBodyBuilder::dynamic()
        } else {
            RigidBodyBuilder::fixed()
        };
        let builder = builder
            .pose(pose(&body.pose))
            .linvel(vector(&body.linear_velocity))
            .angvel(vector(&body.angular_velocity))
            .can_sleep(false);
        let mut collider = ColliderBuilder::new(shared_shape(&body.shape))
            .friction(friction)
            .restitution(0.0);
        if body.is_dynamic() {
            let inertia = body.inertia.diagonal();
            assert_eq!(
                body.inertia,
                nalgebra::Matrix3::from_diagonal(&inertia),
                "a diagonal inertia"
            );
            collider = collider.mass_properties(MassProperties::new(RapierVector::ZERO, body.mass, vector(&inertia)));
        }
        let (handle, _) = self.world.insert(builder, collider);
        self.handles.push(handle);
    }

    fn connect(&mut self, joint: &Joint, work: Work) {
        assert_eq!(joint.model.name(), "ball", "a ball joint");
        let [a, b] = joint.bodies.map(|body| self.handles[body]);
        let frames = joint.frames();
        let ball = SphericalJointBuilder::new()
            .local_anchor1(vector(&frames.a.translation.vector))
            .local_anchor2(vector(&frames.b.translation.vector))
            .contacts_enabled(joint.collide);
        if work == Work::ReducedCoordinates {
            let joint = self.world.insert_multibody_joint(a, b, ball);
            assert!(joint.is_some(), "joints without loops");
        } else {
            self.world.insert_impulse_joint(a, b, ball);
        }
    }
}

impl Engine for Rapier {
    fn step(&mut self) -> Result<Split, String> {
        self.world.step();
        let stages = &self.world.physics_pipeline.counters.stages;
        let solve = [
            &stages.solver_time,
            &stages.island_constraints_collection_time,
            &stages.update_time,
        ];
        Ok(Split {
            collision: stages.collision_detection_time.time() + stages.island_construction_time.time(),
            solve: solve.iter().map(|timer| timer.time()).sum(),
        })
    }

    fn states(&self) -> Vec<BodyState> {
        let state = |handle: &RigidBodyHandle| state(&self.world.bodies[*handle]);
        self.handles.iter().map(state).collect()
    }

    fn contacts(&self) -> usize {
        let manifolds = self.world.contact_pairs().flat_map(|pair| pair.manifolds());
        manifolds.map(|manifold| manifold.data.solver_contacts.len()).sum()
    }
}

fn state(body: &RigidBody) -> BodyState {
    let q = body.rotation();
    let rotation = UnitQuaternion::from_quaternion(Quaternion::new(q.w, q.x, q.y, q.z));
    BodyState {
        pose: Isometry3::from_parts(Translation3::from(back(body.translation())), rotation),
        linear_velocity: back(body.linvel()),
        angular_velocity: back(body.angvel()),
    }
}
