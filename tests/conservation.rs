//! What contacts cannot change: momentum, angular momentum, the motion of the centre of mass. And what they must not
//! add to: energy.

mod common;

use common::*;
use drystone::dynamics::{Body, Simulation, World};
use nalgebra::{UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Bodies in a loose lattice that fly towards its middle, spinning.
fn cluster(make: impl Fn(&mut Pcg64, usize) -> Body) -> Vec<Body> {
    let mut rng = Pcg64::seed_from_u64(8);
    let mut bodies = Vec::new();
    for index in 0..48 {
        let place = Vector3::new((index % 4) as f64, (index / 4 % 4) as f64, (index / 16) as f64) * 1.1;
        let mut random = |size: f64| Vector3::from_fn(|_, _| rng.random_range(-size..size));
        let (jitter, velocity, turn, spin) = (random(0.1), random(0.5), random(1.0), random(2.0));
        let mut body = make(&mut rng, index).at(place + jitter);
        body.name = format!("body-{index}");
        body.linear_velocity = velocity - 0.5 * (place - Vector3::new(1.65, 1.65, 1.1)) + Vector3::new(0.3, -0.2, 0.1);
        body.pose.rotation = UnitQuaternion::from_scaled_axis(turn);
        body.angular_velocity = spin;
        bodies.push(body);
    }
    bodies
}

fn mixed(rng: &mut Pcg64, index: usize) -> Body {
    let mass = rng.random_range(0.5..5.0);
    if index.is_multiple_of(2) {
        ball("", rng.random_range(0.2..0.45), mass)
    } else {
        cuboid("", std::array::from_fn(|_| rng.random_range(0.15..0.35)), mass)
    }
}

fn balls(rng: &mut Pcg64, _: usize) -> Body {
    ball("", rng.random_range(0.2..0.45), rng.random_range(0.5..5.0))
}

fn centre_of_mass(world: &World) -> Vector3<f64> {
    let mass: f64 = world.bodies().iter().map(|body| body.mass).sum();
    let moment: Vector3<f64> = world
        .bodies()
        .iter()
        .map(|body| body.mass * body.pose.translation.vector)
        .sum();
    moment / mass
}

/// Runs and returns how many contact points there were in all.
fn steps(simulation: &mut Simulation, count: usize, mut check: impl FnMut(&World)) -> usize {
    let mut contacts = 0;
    for _ in 0..count {
        run(simulation, 1);
        contacts += simulation.report().contacts;
        check(simulation.world());
    }
    contacts
}

/// Impulses act on both bodies of a contact, and so do the pushes of the projection: Σ m v is kept and the centre of
/// mass moves uniformly, whether the solver has converged or not.
#[test]
fn momentum_and_the_motion_of_the_centre_of_mass_are_kept() {
    for method in [
        "pgs",
        "psor:friction=cone",
        "jacobi:iterations=20",
        "semi-implicit:projection=pgs,depths=detected/pgs",
        "semi-implicit:erp=0.3,projection=none/pgs",
    ] {
        let mut simulation = simulation(weightless(0.4, 0.5, cluster(mixed)), method, 0.01);
        let (momentum, centre) = (simulation.world().momentum(), centre_of_mass(simulation.world()));
        let mass: f64 = simulation.world().bodies().iter().map(|body| body.mass).sum();
        let contacts = steps(&mut simulation, 300, |world| {
            // Some hundred momenta of size 10 are changed 300 times; rounding adds up like a random walk.
            assert_vector(world.momentum(), momentum, 1e-11);
            assert_vector(centre_of_mass(world), centre + world.time * momentum / mass, 1e-11);
        });
        assert!(contacts > 1000, "{method}: hardly a collision, {contacts}");
    }
}

/// The angular momentum of balls, Σ r × m v + I ω, is kept: contact impulses act at one point on both, and positions
/// move along the new velocities. (Projection moves bodies across their velocities, so it is off.)
#[test]
fn the_angular_momentum_of_balls_is_kept() {
    let method = "semi-implicit:projection=none/pgs";
    let mut simulation = simulation(weightless(0.4, 0.5, cluster(balls)), method, 0.01);
    let before = simulation.world().angular_momentum();
    let contacts = steps(&mut simulation, 300, |world| {
        // As for the momentum, with arms of some metres.
        assert_vector(world.angular_momentum(), before, 1e-10);
    });
    assert!(contacts > 1000, "{contacts}");
}

/// With boxes too the velocity stage keeps it, about the poses where contacts were found; only the rotation of their
/// inertia afterwards does not (see `rotation.rs`).
#[test]
fn the_velocity_stage_keeps_angular_momentum_for_all_shapes() {
    let method = "semi-implicit:gyroscopic=off/pgs";
    let mut simulation = simulation(weightless(0.4, 0.5, cluster(mixed)), method, 0.01);
    for _ in 0..100 {
        let mut before = simulation.world().clone();
        let expected = before.angular_momentum();
        run(&mut simulation, 1);
        for (old, new) in before.bodies_mut().iter_mut().zip(simulation.world().bodies()) {
            old.linear_velocity = new.linear_velocity;
            old.angular_velocity = new.angular_velocity;
        }
        // Rounding of one step.
        assert_vector(before.angular_momentum(), expected, 1e-11);
    }
}

/// Inelastic contacts take energy, and never give any: the new velocities are the admissible ones nearest to the old in
/// the metric of the masses (Moreau).
#[test]
fn inelastic_contacts_add_no_energy() {
    for friction in [0.0, 0.5] {
        let method = "semi-implicit:projection=none/pgs:friction=cone,iterations=2000,tolerance=1e-12";
        let mut simulation = simulation(weightless(friction, 0.0, cluster(balls)), method, 0.01);
        let mut energy = simulation.world().kinetic_energy();
        let start = energy;
        steps(&mut simulation, 200, |world| {
            let now = world.kinetic_energy();
            // The solver's tolerance of 1e-12 N·s times velocities of 1 m/s, over a hundred contacts.
            assert!(now <= energy + 1e-9, "{energy} J became {now} J");
            energy = now;
        });
        assert!(energy < 0.9 * start, "nothing was lost: {start} J, {energy} J");
    }
}
