//! Worlds in a few words, and the arithmetic that several laws share.
#![allow(dead_code)] // Every theme uses its own part of it.

use drystone::collision::{Cuboid, HalfSpace, Shape, Sphere};
use drystone::dynamics::{
    Attachment, Body, ContactLaw, Event, Joint, JointModel, Materials, Method, MixingRule, Simulation, World,
};
use nalgebra::{Unit, Vector3};

/// Standard gravity of the project's conventions, m/s².
pub(crate) const G: f64 = 9.81;

/// Gauss–Seidel on the true friction cone, as far as rounding lets it go. A sweep that changes impulses by less than
/// 1e-14 of the largest ends it, so with a contraction ρ the impulses are good to about 1e-14/(1 − ρ).
pub(crate) const CONVERGED: &str = "pgs:friction=cone,iterations=100000,tolerance=1e-14,stop=relative";

/// Joints by elimination, in velocities and in the projection: both to rounding.
pub(crate) const DIRECT: &str = "semi-implicit:projection=hybrid/hybrid";

/// The same without projection: positions are what the velocities make of them.
pub(crate) const DIRECT_VELOCITIES: &str = "semi-implicit:projection=none/hybrid";

/// The level ground, z = 0.
pub(crate) fn ground() -> Body {
    plane("ground", Vector3::z())
}

/// A fixed half-space through the origin.
pub(crate) fn plane(name: &str, normal: Vector3<f64>) -> Body {
    let normal = Unit::new_normalize(normal);
    Body::fixed(name, Shape::HalfSpace(HalfSpace { normal }))
}

/// A uniform ball at the origin.
pub(crate) fn ball(name: &str, radius: f64, mass: f64) -> Body {
    Body::dynamic_with_mass(name, Shape::Sphere(Sphere { radius }), mass).expect("a ball has a mass")
}

/// A uniform box at the origin, by its half extents.
pub(crate) fn cuboid(name: &str, half_extents: [f64; 3], mass: f64) -> Body {
    Body::dynamic_with_mass(name, box_shape(half_extents), mass).expect("a box has a mass")
}

/// The shape of a box.
pub(crate) fn box_shape(half_extents: [f64; 3]) -> Shape {
    Shape::Cuboid(Cuboid {
        half_extents: half_extents.into(),
    })
}

/// A body with a velocity.
pub(crate) fn moving(mut body: Body, velocity: [f64; 3]) -> Body {
    body.linear_velocity = velocity.into();
    body
}

/// A world under standard gravity with one material.
pub(crate) fn world(friction: f64, restitution: f64, bodies: impl IntoIterator<Item = Body>) -> World {
    let law = ContactLaw { friction, restitution };
    let mut world = World::new();
    world.materials = Materials::new(law, MixingRule::default()).expect("values in range");
    for body in bodies {
        world.add(body).expect("a valid body");
    }
    world
}

/// The same without gravity.
pub(crate) fn weightless(friction: f64, restitution: f64, bodies: impl IntoIterator<Item = Body>) -> World {
    let mut world = world(friction, restitution, bodies);
    world.gravity = Vector3::zeros();
    world
}

/// Adds a joint between two bodies and returns its index.
pub(crate) fn join(
    world: &mut World,
    name: &str,
    model: impl JointModel + 'static,
    bodies: [&str; 2],
    attachment: Attachment,
) -> usize {
    let bodies = bodies.map(|body| world.find(body).unwrap_or_else(|| panic!("no body {body}")));
    let joint = Joint::new(name, model, bodies, attachment);
    world.add_joint(joint).unwrap_or_else(|error| panic!("{error}"))
}

/// What a coordinate of a joint is now.
pub(crate) fn coordinate(simulation: &Simulation, joint: usize, index: usize) -> f64 {
    let world = simulation.world();
    let joint = &world.joints()[joint];
    let [a, b] = joint.bodies.map(|body| &world.bodies()[body].pose);
    joint.value(index, a, b)
}

/// The mean force of a joint on its second body in the last step, N.
pub(crate) fn joint_force(simulation: &Simulation, joint: usize) -> Vector3<f64> {
    simulation.pipeline().reactions()[joint].impulse / simulation.dt()
}

/// The joints that broke in the last step.
pub(crate) fn broke(simulation: &Simulation) -> impl Iterator<Item = Event> {
    simulation
        .events()
        .filter(|event| matches!(event, Event::JointBroke { .. }))
}

/// Kinetic and potential energy together, J.
pub(crate) fn energy(simulation: &Simulation) -> f64 {
    simulation.world().kinetic_energy() + simulation.world().potential_energy()
}

/// One step of the classical Runge–Kutta method of fourth order.
pub(crate) fn runge_kutta<const N: usize>(y: [f64; N], h: f64, f: impl Fn(&[f64; N]) -> [f64; N]) -> [f64; N] {
    let ahead = |k: &[f64; N], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
    let k1 = f(&y);
    let k2 = f(&ahead(&k1, 0.5 * h));
    let k3 = f(&ahead(&k2, 0.5 * h));
    let k4 = f(&ahead(&k3, h));
    std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
}

/// The arithmetic-geometric mean: a pendulum of amplitude θ has the period `T₀ / agm(1, cos θ/2)`, exactly.
pub(crate) fn agm(mut a: f64, mut b: f64) -> f64 {
    while (a - b).abs() > 1e-15 * a {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    a
}

/// A simulation by a method's text.
pub(crate) fn simulation(world: World, method: &str, dt: f64) -> Simulation {
    let method = Method::parse(method).unwrap_or_else(|error| panic!("{method}: {error}"));
    Simulation::new(world, method, dt).expect("a positive time step")
}

/// A scene of the catalogue with its own time step, by a method's text.
pub(crate) fn catalogue_scene(spec: &str, method: &str) -> Simulation {
    let scene = drystone::scenes::load(spec).unwrap_or_else(|error| panic!("{spec}: {error}"));
    simulation(scene.build().expect("a catalogue scene"), method, scene.dt)
}

/// Takes a number of steps.
pub(crate) fn run(simulation: &mut Simulation, steps: usize) {
    for _ in 0..steps {
        simulation.step().unwrap_or_else(|error| panic!("{error}"));
    }
}

/// A body by name.
pub(crate) fn body<'a>(simulation: &'a Simulation, name: &str) -> &'a Body {
    let index = simulation
        .world()
        .find(name)
        .unwrap_or_else(|| panic!("no body {name}"));
    &simulation.world().bodies()[index]
}

/// Where a body's centre of mass is.
pub(crate) fn position(simulation: &Simulation, name: &str) -> Vector3<f64> {
    body(simulation, name).pose.translation.vector
}

/// How fast it moves.
pub(crate) fn velocity(simulation: &Simulation, name: &str) -> Vector3<f64> {
    body(simulation, name).linear_velocity
}

/// The sum of the impulses that the contacts between two bodies had in the last step, as they act on the second.
pub(crate) fn impulse_between(simulation: &Simulation, first: &str, second: &str) -> Vector3<f64> {
    let index = |name: &str| simulation.world().find(name).expect("a known body") as u32;
    let (first, second) = (index(first), index(second));
    simulation
        .pipeline()
        .contacts()
        .map(|(a, b, _, impulse)| match (a, b) {
            _ if (a, b) == (first, second) => impulse,
            _ if (a, b) == (second, first) => -impulse,
            _ => Vector3::zeros(),
        })
        .sum()
}

/// Every bit of the state of every body.
pub(crate) fn bits(simulation: &Simulation) -> Vec<u64> {
    let state = |body: &Body| {
        let pose = &body.pose;
        let numbers = [pose.translation.vector, body.linear_velocity, body.angular_velocity];
        let vectors = numbers.into_iter().flat_map(|v| [v.x, v.y, v.z]);
        vectors.chain(pose.rotation.coords.iter().copied()).collect::<Vec<_>>()
    };
    let bodies = simulation.world().bodies().iter();
    bodies.flat_map(state).map(f64::to_bits).collect()
}

/// Asserts that two numbers agree to a relative tolerance.
#[track_caller]
pub(crate) fn assert_close(found: f64, expected: f64, relative: f64) {
    assert_within(found, expected, relative * expected.abs());
}

/// Asserts that two numbers agree to an absolute tolerance.
#[track_caller]
pub(crate) fn assert_within(found: f64, expected: f64, absolute: f64) {
    let error = (found - expected).abs();
    assert!(
        error <= absolute,
        "found {found:e}, expected {expected:e}: off by {error:e}, allowed {absolute:e}"
    );
}

/// Asserts that two vectors agree to an absolute tolerance.
#[track_caller]
pub(crate) fn assert_vector(found: Vector3<f64>, expected: Vector3<f64>, absolute: f64) {
    let error = (found - expected).norm();
    assert!(
        error <= absolute,
        "found {found:?}, expected {expected:?}: off by {error:e}, allowed {absolute:e}"
    );
}
