//! One step of `wall` and `tower` at ten sweeps, beside Rapier on the very same bodies, on one thread.
//!
//! Rapier does one sweep with bias and one without in each of its solver iterations, so five of them are ten sweeps on
//! the normal rows. It runs twice: with Coulomb friction at every contact point in all ten sweeps and fresh contacts
//! in every step, which is the work that Drystone does, and with its defaults, which solve one friction constraint for
//! four points, in five of the ten sweeps, and reuse contacts of pairs that hardly moved. Sleeping is off. Drystone runs
//! with its defaults, which add five sweeps of projection on the normal rows, and once without them.

#![allow(missing_docs, reason = "criterion's macros")]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use drystone::collision::{Part, Shape};
use drystone::dynamics::World;
use drystone_benches::{settled, use_one_thread, world};
use rapier3d_f64::prelude::{
    ColliderBuilder, FrictionModel, PhysicsWorld, Pose, RigidBodyBuilder, Rotation, SharedShape, Vector as RapierVector,
};

const DT: f64 = 0.01;
/// Steps before the clock runs: contacts are found, memory has grown.
const WARM_UP: usize = 50;
const FRICTION: f64 = 0.25;

/// How much of its work Rapier does.
#[derive(Clone, Copy, PartialEq)]
enum Peer {
    /// As comparable to ours as its settings allow.
    SameWork,
    Defaults,
}

fn vector(v: &nalgebra::Vector3<f64>) -> RapierVector {
    RapierVector::new(v.x, v.y, v.z)
}

fn pose(pose: &nalgebra::Isometry3<f64>) -> Pose {
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

/// The same bodies in Rapier.
fn rapier(world: &World, kind: Peer) -> PhysicsWorld {
    let mut peer = PhysicsWorld {
        gravity: vector(&world.gravity),
        ..PhysicsWorld::default()
    };
    peer.integration_parameters.dt = DT;
    peer.integration_parameters.num_solver_iterations = 5;
    peer.integration_parameters.num_internal_pgs_iterations = 1;
    peer.integration_parameters.num_internal_stabilization_iterations = 1;
    if kind == Peer::SameWork {
        peer.integration_parameters.friction_model = FrictionModel::Coulomb;
        peer.integration_parameters.friction_in_bias_pass = true;
        peer.integration_parameters.contact_recycling = false;
    }
    for body in world.bodies() {
        let builder = if body.is_dynamic() {
            RigidBodyBuilder::dynamic()
        } else {
            RigidBodyBuilder::fixed()
        };
        let collider = ColliderBuilder::new(shared_shape(&body.shape))
            .friction(FRICTION)
            .restitution(0.0)
            .density(10.0);
        peer.insert(builder.pose(pose(&body.pose)).can_sleep(false), collider);
    }
    for _ in 0..WARM_UP {
        peer.step();
    }
    peer
}

fn steps(c: &mut Criterion) {
    use_one_thread();
    let mut group = c.benchmark_group("step");
    for scene in ["wall", "tower"] {
        for (name, method) in [
            ("drystone", "pgs"),
            ("drystone without projection", "semi-implicit:projection=none/pgs"),
        ] {
            let mut simulation = settled(scene, method, DT, WARM_UP);
            group.bench_function(BenchmarkId::new(name, scene), |b| {
                b.iter(|| simulation.step().map(|report| report.contacts));
            });
        }
        for (name, kind) in [
            ("rapier3d-f64 same work", Peer::SameWork),
            ("rapier3d-f64 defaults", Peer::Defaults),
        ] {
            let mut peer = rapier(&world(scene), kind);
            group.bench_function(BenchmarkId::new(name, scene), |b| b.iter(|| peer.step()));
        }
    }
    group.finish();
}

criterion_group!(benches, steps);
criterion_main!(benches);
