//! How joints' errors are corrected, and what redundant joints do.
//!
//! **Stabilisation**, (4.113)–(4.115): without forces a small error Φ becomes (1 − erp) Φ in one step, up to its square.
//! **Projection**, (6.78): a small error is gone, up to its square. **Softness**, (4.235): `J u = b − K λ/h`.
//! **Redundancy**: velocities are unique, whichever rows say so; multipliers follow the rule of the solver, and the direct
//! one's is the smallest impulses in the norm of diag(A): equal rows share evenly.

mod common;

use std::sync::Arc;

use common::*;
use drystone::dynamics::{
    Attachment, Ball, Body, Fixed, Hinge, Joint, JointModel, Motor, PointJoint, PointMotor, Points, Simulation,
    Softness, World, joint_kinds,
};
use nalgebra::{Point3, UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Two floating boxes with a joint that was satisfied before the second was moved and turned a little.
fn disturbed(model: Arc<dyn JointModel>, size: f64, rng: &mut Pcg64) -> World {
    let mut world = weightless(
        0.0,
        0.0,
        [
            cuboid("a", [0.3, 0.2, 0.1], 1.0),
            cuboid("b", [0.1, 0.3, 0.2], 2.0).at(Vector3::new(0.9, 0.1, 0.2)),
        ],
    );
    let attachment = match model.name() {
        "distance" | "spring" | "gear" => Attachment::between(Point3::origin(), Point3::new(0.9, 0.1, 0.0)),
        _ => Attachment::at(Point3::new(0.4, 0.1, 0.0)),
    };
    world
        .add_joint(Joint::with_model(
            "joint",
            model,
            [0, 1],
            attachment.second(Vector3::x()),
        ))
        .unwrap();
    let mut vector = || Vector3::from_fn(|_, _| rng.random_range(-size..size));
    let b = &mut world.bodies_mut()[1];
    b.pose.translation.vector += vector();
    b.pose.rotation = UnitQuaternion::from_scaled_axis(vector()) * b.pose.rotation;
    world
}

fn error(simulation: &Simulation) -> (f64, f64) {
    let joint = &simulation.world().joints()[0];
    let [a, b] = joint.bodies.map(|body| &simulation.world().bodies()[body].pose);
    let error = joint.error(a, b);
    (error.length, error.angle)
}

/// Every joint of the list but springs, which have no error. A motor's driving rows are in the way of nothing.
fn holding() -> impl Iterator<Item = Arc<dyn JointModel>> {
    let kinds = joint_kinds()
        .iter()
        .filter(|kind| !matches!(kind.name, "spring" | "point-motor"));
    kinds.map(drystone::dynamics::JointKind::example)
}

/// With an error of 1e-4, its square is 1e-8; lever arms and the rows' bending make it a few times that.
#[test]
fn stabilisation_shrinks_every_joint_error_by_its_share() {
    let mut rng = Pcg64::seed_from_u64(5);
    for model in holding() {
        for erp in [0.0, 0.2, 0.8, 1.0] {
            let world = disturbed(Arc::clone(&model), 1e-4, &mut rng);
            let method = format!("semi-implicit:projection=none,erp={erp}/hybrid");
            let mut simulation = simulation(world, &method, 0.01);
            let before = error(&simulation);
            simulation.step().unwrap();
            let after = error(&simulation);
            let name = model.name();
            assert!(before.0 > 1e-6, "{name} was not disturbed");
            assert!(
                (after.0 - (1.0 - erp) * before.0).abs() < 2e-7,
                "{name}, erp {erp}: {before:?}, {after:?}"
            );
            assert!(
                (after.1 - (1.0 - erp) * before.1).abs() < 2e-7,
                "{name}, erp {erp}: {before:?}, {after:?}"
            );
        }
    }
}

/// The same for the projection, which leaves velocities alone.
#[test]
fn projection_takes_every_joint_error_away_and_adds_no_speed() {
    let mut rng = Pcg64::seed_from_u64(6);
    for model in holding() {
        let world = disturbed(Arc::clone(&model), 1e-4, &mut rng);
        let mut simulation = simulation(world, "semi-implicit:projection=hybrid/hybrid", 0.01);
        simulation.step().unwrap();
        let (length, angle) = error(&simulation);
        assert!(length < 2e-7 && angle < 2e-7, "{}: {length}, {angle}", model.name());
        // A disturbed suspension pulls, as it should.
        if model.name() != "wheel" {
            assert_eq!(simulation.world().kinetic_energy(), 0.0);
        }
    }
}

/// A weight on a soft joint: `J u⁺ = −K λ/h` from rest, with λ from Newton's law.
#[test]
fn a_soft_joint_gives_way_in_proportion_to_its_force() {
    let (mass, dt) = (2.0, 0.01);
    for k in [1e-4, 1e-2, 1.0] {
        let mut world = world(
            0.0,
            0.0,
            [Body::fixed("ceiling", box_shape([0.1; 3])), ball("weight", 0.1, mass)],
        );
        let softness = Softness {
            erp: None,
            cfm: Some(k),
        };
        let joint = Joint::new("hook", Ball, [0, 1], Attachment::at(Point3::origin()));
        world.add_joint(joint.softened(softness)).unwrap();
        let mut simulation = simulation(world, "semi-implicit:projection=none/hybrid", dt);
        simulation.step().unwrap();
        let impulse = simulation.pipeline().reactions()[0].impulse.z;
        let speed = velocity(&simulation, "weight").z;
        assert_close(speed, -k * impulse / dt, 1e-9);
        assert_close(mass * speed, impulse - mass * G * dt, 1e-9);
    }
}

/// The same where only the row along z is soft, and another force pulls along x: the joint gives way along z alone.
#[test]
fn a_single_row_can_be_soft() {
    let (mass, dt, k) = (2.0, 0.01, 1e-2);
    let mut weight = ball("weight", 0.1, mass);
    weight.force.x = 30.0;
    let mut world = world(0.0, 0.0, [Body::fixed("ceiling", box_shape([0.1; 3])), weight]);
    let mut joint = Joint::new(
        "hook",
        Ball,
        [0, 1],
        Attachment::at(Point3::origin()).second(Vector3::x()),
    );
    let soft = Softness {
        erp: None,
        cfm: Some(k),
    };
    joint.row_softness = vec![Softness::default(), Softness::default(), soft];
    world.add_joint(joint).unwrap();
    let mut simulation = simulation(world, "semi-implicit:projection=none/hybrid", dt);
    simulation.step().unwrap();
    let (speed, impulse) = (
        velocity(&simulation, "weight"),
        simulation.pipeline().reactions()[0].impulse,
    );
    assert_close(speed.z, -k * impulse.z / dt, 1e-9);
    assert!(speed.x.abs() < 1e-12 && speed.y.abs() < 1e-12, "{speed}");
    assert_close(impulse.x, -30.0 * dt, 1e-9);
}

/// A chain of three rods that swings for a while: joints that are left alone drift, stabilised, projected and both hold.
#[test]
fn drift_is_held_by_stabilisation_by_projection_and_by_both() {
    let chain = || {
        let mut world = world(0.0, 0.0, [Body::fixed("ceiling", box_shape([0.1; 3]))]);
        for k in 0..3 {
            let rod = cuboid(&format!("rod-{k}"), [0.25, 0.02, 0.02], 1.0);
            world
                .add(rod.at(Vector3::new(0.25 + 0.5 * k as f64, 0.0, 0.0)))
                .unwrap();
            let anchor = Attachment::at(Point3::new(0.5 * k as f64, 0.0, 0.0)).axis(Vector3::y());
            world
                .add_joint(Joint::new(format!("hinge-{k}"), Hinge, [k, k + 1], anchor))
                .unwrap();
        }
        world
    };
    let worst = |stepper: &str| {
        let mut simulation = simulation(chain(), &format!("semi-implicit:{stepper}/hybrid"), 0.005);
        let mut worst = 0.0_f64;
        for _ in 0..1000 {
            simulation.step().unwrap();
            worst = worst.max(simulation.report().joint_error.length);
        }
        worst
    };
    let alone = worst("projection=none");
    let stabilised = worst("projection=none,erp=0.2");
    let projected = worst("projection=hybrid");
    let both = worst("projection=hybrid,erp=0.2");
    // Measured: 0.15, 8e-3, 8e-6 and 8e-6 m. An error of a step is about (ωh)² l/2, with ω up to 30/s for the last rod;
    // erp = 0.2 lets about five of them gather, and projection leaves their squares.
    assert!(alone > 0.05, "{alone}");
    assert!(stabilised < 0.02, "{stabilised}");
    assert!(projected < 3e-5, "{projected}");
    assert!(both < 3e-5, "{both}");
}

/// A joint and its form made of points, as the last link of a pendulum of two: in the first step, where both are
/// satisfied, velocities agree to the solvers' accuracy, and so do force and torque in the joint; and they still swing
/// together half a second later.
#[test]
fn joints_made_of_points_do_what_their_models_do() {
    let reach = 0.2;
    let points = |kind| -> Arc<dyn JointModel> { Arc::new(Points { kind, reach }) };
    let pairs: [(Arc<dyn JointModel>, Arc<dyn JointModel>); 3] = [
        (Arc::new(Ball), points(PointJoint::Ball)),
        (Arc::new(Hinge), points(PointJoint::Hinge)),
        (Arc::new(Fixed), points(PointJoint::Fixed)),
    ];
    let pendulum = |model: Arc<dyn JointModel>| {
        let mut world = world(0.0, 0.0, [Body::fixed("ceiling", box_shape([0.1; 3]))]);
        for k in 0..2 {
            let rod = cuboid(&format!("rod-{k}"), [0.25, 0.05, 0.02], 1.0);
            world
                .add(rod.at(Vector3::new(0.25 + 0.5 * k as f64, 0.0, 0.0)))
                .unwrap();
        }
        let socket = Attachment::at(Point3::origin());
        world.add_joint(Joint::new("socket", Ball, [0, 1], socket)).unwrap();
        let link = Attachment::at(Point3::new(0.5, 0.0, 0.0)).axis(Vector3::new(0.2, 1.0, 0.0));
        world.add_joint(Joint::with_model("link", model, [1, 2], link)).unwrap();
        world.bodies_mut()[2].torque = Vector3::new(0.3, 0.0, 0.4);
        world
    };
    // An iterative solver that is given time is as right as a direct one.
    for (solver, exact) in [
        ("hybrid", 1e-9),
        ("proximal", 1e-7),
        ("pgs:iterations=20000,tolerance=1e-13", 1e-7),
    ] {
        for (model, by_points) in &pairs {
            let run_with = |model: &Arc<dyn JointModel>, steps: usize| {
                let method = format!("semi-implicit:projection=hybrid/{solver}");
                let mut simulation = simulation(pendulum(Arc::clone(model)), &method, 0.005);
                run(&mut simulation, steps);
                simulation
            };
            let name = format!("{} with {solver}", by_points.name());
            let (one, other) = (run_with(model, 1), run_with(by_points, 1));
            for (a, b) in one.world().bodies().iter().zip(other.world().bodies()) {
                let off =
                    (a.linear_velocity - b.linear_velocity).norm() + (a.angular_velocity - b.angular_velocity).norm();
                assert!(off < exact, "{name}: velocities differ by {off}");
            }
            let (a, b) = (one.pipeline().reactions()[1], other.pipeline().reactions()[1]);
            let off = (a.impulse - b.impulse).norm() + (a.angular_impulse - b.angular_impulse).norm();
            assert!(off < exact, "{name}: reactions differ by {off}");
        }
    }
    for (model, by_points) in &pairs {
        let end = |model: &Arc<dyn JointModel>| {
            let method = "semi-implicit:projection=hybrid/hybrid";
            let mut simulation = simulation(pendulum(Arc::clone(model)), method, 0.001);
            run(&mut simulation, 500);
            position(&simulation, "rod-1")
        };
        // Projected to second order, both hold the same motions; measured 1e-15.
        assert_vector(end(model), end(by_points), 1e-9);
    }
}

/// Gravitas' motor turns as fast as a hinge with a motor of unbounded force.
#[test]
fn the_motor_made_of_points_turns_at_its_speed() {
    let speed = 2.5;
    let rotor = |model: Arc<dyn JointModel>| {
        let mut world = weightless(
            0.0,
            0.0,
            [
                cuboid("stator", [0.3, 0.3, 0.1], 5.0),
                cuboid("rotor", [0.1, 0.4, 0.1], 1.0).at(Vector3::z()),
            ],
        );
        let at = Attachment::at(Point3::new(0.0, 0.0, 0.5));
        world.add_joint(Joint::with_model("motor", model, [0, 1], at)).unwrap();
        world
    };
    let by_points = rotor(Arc::new(PointMotor { speed, reach: 0.2 }));
    let mut by_hinge = rotor(Arc::new(Hinge));
    by_hinge.joints_mut()[0]
        .motors
        .push(Motor::velocity(0, speed, f64::INFINITY));
    for solver in ["hybrid", "pgs:iterations=20000,tolerance=1e-13"] {
        let method = format!("semi-implicit:projection=hybrid/{solver}");
        let [one, other] = [&by_points, &by_hinge].map(|world| {
            let mut simulation = simulation(world.clone(), &method, 0.01);
            run(&mut simulation, 20);
            simulation
        });
        let relative = |simulation: &Simulation| {
            body(simulation, "rotor").angular_velocity - body(simulation, "stator").angular_velocity
        };
        assert_vector(relative(&one), Vector3::new(0.0, 0.0, speed), 1e-6);
        assert_vector(relative(&other), Vector3::new(0.0, 0.0, speed), 1e-6);
        // Both began at rest: angular momentum stays zero.
        assert!(one.world().angular_momentum().norm() < 1e-6);
    }
}

/// The solvers that are asked about redundant joints, and how far they get.
const REDUNDANT: [(&str, f64); 6] = [
    ("hybrid", 1e-9),
    ("proximal", 1e-6),
    ("interior-cone", 1e-6),
    ("pgs:iterations=20000,tolerance=1e-14", 1e-6),
    ("pgs:granularity=blocks,iterations=20000,tolerance=1e-14", 1e-6),
    ("nncg:iterations=5000,tolerance=1e-12", 1e-5),
];

/// A bar between two walls with a hinge at each end about the same axis: five rows too many. It stands, the two hinges
/// together carry its weight, and with the direct solver each carries half.
#[test]
fn a_bar_on_two_hinges_is_carried_by_both() {
    let (mass, dt) = (3.0, 0.01);
    for (solver, exact) in REDUNDANT {
        let mut world = world(
            0.0,
            0.0,
            [
                Body::fixed("walls", box_shape([0.01; 3])),
                cuboid("bar", [1.0, 0.05, 0.05], mass),
            ],
        );
        for (name, x) in [("left", -1.0), ("right", 1.0)] {
            let at = Attachment::at(Point3::new(x, 0.0, 0.0)).axis(Vector3::x());
            world.add_joint(Joint::new(name, Hinge, [0, 1], at)).unwrap();
        }
        let mut simulation = simulation(world, &format!("semi-implicit:projection=hybrid/{solver}"), dt);
        run(&mut simulation, 10);
        assert!(velocity(&simulation, "bar").norm() < exact, "{solver}");
        assert!(body(&simulation, "bar").angular_velocity.norm() < exact, "{solver}");
        let forces: Vec<f64> = simulation
            .pipeline()
            .reactions()
            .iter()
            .map(|r| r.impulse.z / dt)
            .collect();
        assert_within(forces[0] + forces[1], mass * G, 1e3 * exact);
        if solver == "hybrid" {
            assert_within(forces[0], forces[1], 1e-6);
        }
    }
}

/// A table whose four legs are fixed to its top and to the floor: three closed loops of fixed joints, 18 rows too many. It
/// stands, and with the direct solver each leg carries a quarter.
#[test]
fn a_table_stands_on_four_legs() {
    let (top, leg, dt) = (8.0, 0.5, 0.01);
    for (solver, exact) in REDUNDANT {
        let mut world = world(
            0.0,
            0.0,
            [
                Body::fixed("floor", box_shape([0.01; 3])),
                cuboid("top", [0.6, 0.4, 0.05], top).at(Vector3::new(0.0, 0.0, 0.8)),
            ],
        );
        for (k, (x, y)) in [(-0.5, -0.3), (0.5, -0.3), (-0.5, 0.3), (0.5, 0.3)]
            .into_iter()
            .enumerate()
        {
            let body = cuboid(&format!("leg-{k}"), [0.05, 0.05, 0.375], leg).at(Vector3::new(x, y, 0.375));
            let index = world.add(body).unwrap();
            let foot = Attachment::at(Point3::new(x, y, 0.0));
            world
                .add_joint(Joint::new(format!("foot-{k}"), Fixed, [0, index], foot))
                .unwrap();
            let corner = Attachment::at(Point3::new(x, y, 0.75));
            world
                .add_joint(Joint::new(format!("corner-{k}"), Fixed, [index, 1], corner))
                .unwrap();
        }
        let mut simulation = simulation(world, &format!("semi-implicit:projection=hybrid/{solver}"), dt);
        run(&mut simulation, 5);
        for body in simulation.world().bodies() {
            assert!(
                body.linear_velocity.norm() < exact,
                "{solver}: {}",
                body.linear_velocity.norm()
            );
        }
        let feet: Vec<f64> = simulation
            .pipeline()
            .reactions()
            .iter()
            .step_by(2)
            .map(|r| r.impulse.z / dt)
            .collect();
        assert_within(feet.iter().sum(), (top + 4.0 * leg) * G, 2e3 * exact);
        if solver == "hybrid" {
            for foot in &feet {
                assert_within(*foot, 0.25 * (top + 4.0 * leg) * G, 1e-4);
            }
        }
    }
}

/// Bodies that a joint connects don't collide, unless it says so; all others do.
#[test]
fn jointed_bodies_pass_through_each_other_unless_told_otherwise() {
    for (collide, contacts) in [(false, 0), (true, 1)] {
        let mut world = weightless(
            0.0,
            0.0,
            [ball("a", 0.5, 1.0), ball("b", 0.5, 1.0).at(Vector3::x() * 0.9)],
        );
        let mut joint = Joint::new("link", Ball, [1, 0], Attachment::at(Point3::new(0.45, 0.0, 0.0)));
        joint.collide = collide;
        world.add_joint(joint).unwrap();
        let mut simulation = simulation(world, "hybrid", 0.01);
        simulation.step().unwrap();
        assert_eq!(simulation.report().contacts, contacts);
        assert_eq!(simulation.report().groups, 1);
        // Switched off, it keeps nothing apart.
        simulation.world_mut().joints_mut()[0].enabled = false;
        simulation.step().unwrap();
        assert_eq!(simulation.report().contacts, 1);
    }
}
