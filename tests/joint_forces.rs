//! What joints carry: weights, tensions, moments; and what they leave alone: momentum.

mod common;

use common::*;
use drystone::dynamics::{
    Attachment, Ball, Cylindrical, Distance, Fixed, Hinge, Joint, JointModel, Motor, Planar, PointJoint, Points,
    Simulation, Slider, Spring, Universal, World,
};
use nalgebra::{Point3, Vector3};

/// A hinge carries the weight that hangs from it, and nothing else.
#[test]
fn a_hinge_carries_the_weight_that_hangs_from_it() {
    let rod = cuboid("rod", [0.05, 0.05, 0.5], 2.0).at(-0.5 * Vector3::z());
    let mut world = world(0.0, 0.0, [plane("ceiling", -Vector3::z()), rod]);
    let at = Attachment::at(Point3::origin()).axis(Vector3::y());
    let hinge = join(&mut world, "hinge", Hinge, ["ceiling", "rod"], at);
    for method in [DIRECT, DIRECT_VELOCITIES, CONVERGED] {
        let mut simulation = simulation(world.clone(), method, 0.01);
        run(&mut simulation, 20);
        assert_vector(joint_force(&simulation, hinge), Vector3::z() * 2.0 * G, 1e-9);
        let moment = simulation.pipeline().reactions()[hinge].angular_impulse;
        assert_vector(moment, Vector3::zeros(), 1e-11);
    }
}

/// The tension in a hanging chain is the weight below.
#[test]
fn every_joint_of_a_hanging_chain_carries_what_is_below() {
    let masses: Vec<f64> = (0..12)
        .map(|k| if k == 11 { 100.0 } else { 0.5 + 0.1 * k as f64 })
        .collect();
    let mut world = world(0.0, 0.0, [plane("ceiling", -Vector3::z())]);
    let mut above = "ceiling".to_owned();
    for (k, &mass) in masses.iter().enumerate() {
        let name = format!("link-{k}");
        let top = -0.3 * k as f64;
        world
            .add(cuboid(&name, [0.02, 0.02, 0.15], mass).at(Vector3::z() * (top - 0.15)))
            .expect("a link");
        let at = Attachment::at(Point3::new(0.0, 0.0, top));
        join(&mut world, &format!("socket-{k}"), Ball, [&above, &name], at);
        above = name;
    }
    let mut simulation = simulation(world, DIRECT, 0.001);
    run(&mut simulation, 50);
    for k in 0..masses.len() {
        let below: f64 = masses[k..].iter().sum();
        // The elimination's rounding, times the ratio of the masses.
        assert_vector(joint_force(&simulation, k), Vector3::z() * below * G, 1e-9 * below * G);
    }
}

/// A beam that sticks out of a wall: the weight, and the moment m g l/2 about its root; with a load at its end, more.
#[test]
fn the_root_of_a_cantilever_carries_force_and_moment() {
    let (length, mass, load) = (1.6, 3.0, 4.0);
    let beam = cuboid("beam", [0.5 * length, 0.05, 0.05], mass).at(Vector3::x() * 0.5 * length);
    let weight = cuboid("load", [0.1, 0.1, 0.1], load).at(Vector3::x() * (length + 0.1));
    let mut world = world(0.0, 0.0, [plane("wall", Vector3::x()), beam, weight]);
    let root = join(
        &mut world,
        "root",
        Fixed,
        ["wall", "beam"],
        Attachment::at(Point3::origin()),
    );
    let tip = Attachment::at(Point3::new(length, 0.0, 0.0));
    let tip = join(&mut world, "tip", Fixed, ["beam", "load"], tip);
    let mut simulation = simulation(world, DIRECT, 0.01);
    run(&mut simulation, 10);
    let moment = |joint: usize| simulation.pipeline().reactions()[joint].angular_impulse / simulation.dt();
    assert_vector(joint_force(&simulation, root), Vector3::z() * (mass + load) * G, 1e-9);
    // The beam's weight turns it about +y; the wall holds against that.
    let expected = mass * G * 0.5 * length + load * G * (length + 0.1);
    assert_vector(moment(root), -Vector3::y() * expected, 1e-8);
    assert_vector(joint_force(&simulation, tip), Vector3::z() * load * G, 1e-9);
    assert_vector(moment(tip), -Vector3::y() * load * G * 0.1, 1e-8);
}

/// Four cubes in a chain, tumbling, with one kind of joint each; cubes because their inertia does not turn with them, so
/// that momentum at the end of a step is what the impulses left.
fn tumbling(model: impl JointModel + Clone + 'static, h: f64, method: &str) -> Simulation {
    let mut world = weightless(0.0, 0.0, []);
    for k in 0..4 {
        let t = k as f64;
        let mut cube = cuboid(&format!("cube-{k}"), [0.2; 3], 1.0 + t).at(Vector3::x() * t);
        cube.linear_velocity = Vector3::new(0.3 * t, (t * 1.7).sin(), (t * 0.9).cos());
        cube.angular_velocity = Vector3::new((t * 2.1).cos(), 0.5 - 0.2 * t, (t * 1.3).sin());
        world.add(cube).expect("a cube");
    }
    for k in 0..3 {
        let (a, b) = (format!("cube-{k}"), format!("cube-{}", k + 1));
        let x = k as f64;
        let attachment = Attachment {
            anchors: [Point3::new(x + 0.4, 0.1, 0.0), Point3::new(x + 0.6, 0.1, 0.0)],
            ..Attachment::at(Point3::origin())
                .axis(Vector3::new(0.2, 0.3, 1.0))
                .second(Vector3::new(1.0, -0.4, 0.1))
        };
        let attachment = if model.name() == "distance" || model.name() == "spring" {
            attachment
        } else {
            let middle = Point3::new(x + 0.5, 0.1, 0.0);
            Attachment {
                anchors: [middle; 2],
                ..attachment
            }
        };
        join(&mut world, &format!("joint-{k}"), model.clone(), [&a, &b], attachment);
    }
    simulation(world, method, h)
}

/// Joints push both bodies equally and oppositely, at one point: free bodies keep both momenta, to rounding.
#[test]
fn joints_keep_linear_and_angular_momentum() {
    fn check(model: impl JointModel + Clone + 'static) {
        let name = model.name();
        let mut simulation = tumbling(model, 0.01, DIRECT_VELOCITIES);
        let momenta = |s: &Simulation| (s.world().momentum(), s.world().angular_momentum());
        let (linear, angular) = momenta(&simulation);
        run(&mut simulation, 300);
        let (linear_now, angular_now) = momenta(&simulation);
        // Impulses of some N·s, three hundred times, with arms of some metres: 1e-14 was seen.
        assert!(
            (linear_now - linear).norm() < 1e-12,
            "{name}: {linear} becomes {linear_now}"
        );
        assert!(
            (angular_now - angular).norm() < 1e-12,
            "{name}: {angular} becomes {angular_now}"
        );
    }
    check(Ball);
    check(Hinge);
    check(Slider);
    check(Cylindrical);
    check(Planar);
    check(Universal);
    check(Fixed);
    check(Distance::rod());
    check(Spring {
        stiffness: 50.0,
        damping: 1.0,
        length: None,
    });
    check(Points {
        kind: PointJoint::Hinge,
        reach: 0.2,
    });
}

/// So do motors, which are rows like the others.
#[test]
fn motors_keep_momentum() {
    let mut world = weightless(0.0, 0.0, []);
    for (k, x) in [0.0, 1.0].into_iter().enumerate() {
        world
            .add(cuboid(&format!("cube-{k}"), [0.3; 3], 1.0 + k as f64).at(Vector3::x() * x))
            .expect("a cube");
    }
    let at = Attachment::at(Point3::new(0.5, 0.2, 0.0)).axis(Vector3::new(0.1, 0.0, 1.0));
    let joint = Joint::new("motor", Hinge, [0, 1], at).with_motor(Motor::velocity(0, 3.0, 5.0));
    world.add_joint(joint).expect("a joint");
    let mut simulation = simulation(world, DIRECT_VELOCITIES, 0.01);
    run(&mut simulation, 200);
    assert!(simulation.world().kinetic_energy() > 0.1, "the motor does nothing");
    assert!(simulation.world().momentum().norm() < 1e-12);
    assert!(simulation.world().angular_momentum().norm() < 1e-11);
}

/// Energy drifts with the step: half the step, half the drift.
#[test]
fn the_energy_of_a_floating_chain_drifts_with_the_step() {
    let drift = |h: f64| {
        let mut simulation = tumbling(Ball, h, DIRECT_VELOCITIES);
        // The first step is a jerk: the velocities did not fit the joints.
        run(&mut simulation, 1);
        let before = energy(&simulation);
        run(&mut simulation, (1.0 / h).round() as usize);
        energy(&simulation) / before - 1.0
    };
    let (coarse, fine) = (drift(0.002), drift(0.001));
    assert!(coarse.abs() < 0.02);
    assert_within(coarse / fine, 2.0, 0.2);
}

/// A motor lifts what its bound allows: below the weight, it pushes with all it has and the load still sinks.
#[test]
fn a_bounded_motor_pushes_with_its_bound() {
    let lift = |force: f64| {
        let load = cuboid("load", [0.1; 3], 2.0);
        let mut world: World = world(0.0, 0.0, [plane("frame", -Vector3::x()), load]);
        let at = Attachment::at(Point3::origin()).axis(Vector3::z());
        let bodies = [0, 1];
        let joint = Joint::new("lift", Slider, bodies, at).with_motor(Motor::velocity(0, 1.0, force));
        world.add_joint(joint).expect("a joint");
        let mut simulation = simulation(world, DIRECT, 0.01);
        run(&mut simulation, 50);
        velocity(&simulation, "load").z
    };
    // Too weak: it falls with what is missing. Strong enough: it has the speed.
    assert_close(lift(10.0), (10.0 / 2.0 - G) * 0.5, 1e-9);
    assert_close(lift(100.0), 1.0, 1e-9);
}
