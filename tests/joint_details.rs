//! What is easily lost in joints without anything falling apart: angles that wrap, energies, what a step reports, where
//! impulses start from, and bodies that are moved by a script.

mod common;

use std::sync::Arc;

use common::*;
use drystone::dynamics::{
    Attachment, Ball, Body, Distance, Drive, Fixed, Gear, Hinge, Joint, JointModel, Limit, Motor, Simulation, Slider,
    Spring, Suspension, Swing, Universal, Wheel, World,
};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

fn wall() -> Body {
    Body::fixed("wall", box_shape([0.1; 3]))
}

/// A rotor about y at the origin, turned to an angle, with nothing but its hinge acting on it.
fn rotor(angle: f64, dress: impl Fn(Joint) -> Joint) -> World {
    let mut world = weightless(0.0, 0.0, [wall(), cuboid("rod", [0.5, 0.05, 0.05], 2.0)]);
    let hinge = Attachment::at(Point3::origin()).axis(Vector3::y());
    world
        .add_joint(dress(Joint::new("hinge", Hinge, [0, 1], hinge)))
        .unwrap();
    world.bodies_mut()[1].pose.rotation = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angle);
    world
}

/// A weight on a vertical slider.
fn weight(gravity: f64, dress: impl Fn(Joint) -> Joint) -> World {
    let mut world = weightless(0.0, 0.0, [wall(), cuboid("weight", [0.1; 3], 2.0)]);
    world.gravity.z = -gravity;
    let slider = Joint::new("slider", Slider, [0, 1], Attachment::at(Point3::origin()));
    world.add_joint(dress(slider)).unwrap();
    world
}

fn steps(simulation: &mut Simulation, count: usize) {
    for _ in 0..count {
        simulation.step().unwrap();
    }
}

/// From 3 to −3 it is 0.28 forward, through half a turn, for a servo and for a spring.
#[test]
fn motors_go_the_shorter_way_round() {
    for motor in [Motor::servo(0, -3.0, 5.0, 10.0), Motor::spring(0, -3.0, 1.0, 0.1)] {
        let mut simulation = simulation(rotor(3.0, |joint| joint.with_motor(motor)), DIRECT, 0.01);
        assert!(simulation.world().spring_energy() <= 0.5 * 0.2832 * 0.2832);
        simulation.step().unwrap();
        assert!(body(&simulation, "rod").angular_velocity.y > 1e-4);
    }
}

/// A servo leads its swinging target by the target's own speed, so what is left is the step's error, of first order, and
/// not a lag of `speed/rate`, 0.3 rad here.
#[test]
fn a_servo_keeps_up_with_a_swinging_target() {
    let swing = Swing {
        amplitude: 0.5,
        frequency: 1.0,
        phase: 0.0,
    };
    let drive = Drive::Servo {
        target: 0.2,
        rate: 10.0,
        speed: f64::INFINITY,
        force: f64::INFINITY,
        swing: Some(swing),
    };
    let motor = Motor { coordinate: 0, drive };
    let h = 1e-3;
    let mut simulation = simulation(rotor(0.2, |joint| joint.with_motor(motor)), DIRECT, h);
    for _ in 0..2000 {
        simulation.step().unwrap();
        let time = simulation.world().time;
        let target = 0.2 + 0.5 * (std::f64::consts::TAU * time).sin();
        // ½ h |target''|/rate is less than this.
        assert_within(coordinate(&simulation, 0, 0), target, 2.0 * h);
    }
}

/// Constraint force mixing is for errors; a motor that is strong enough has its speed.
#[test]
fn softness_does_not_slow_motors() {
    let world = rotor(0.0, |joint| joint.with_motor(Motor::velocity(0, 2.0, 1e6)));
    let mut simulation = simulation(world, "semi-implicit:projection=none,cfm=0.1/hybrid", 0.01);
    simulation.step().unwrap();
    assert_close(body(&simulation, "rod").angular_velocity.y, 2.0, 1e-9);
}

/// Many turns of both wheels: teeth are counted off, nothing is ever pulled back, and the ratio stays.
#[test]
fn gears_turn_for_ever() {
    for internal in [false, true] {
        let mut world = weightless(
            0.0,
            0.0,
            [
                wall(),
                ball("small", 0.2, 2.0),
                ball("large", 0.3, 5.0).at(Vector3::x()),
            ],
        );
        let centres = [Point3::origin(), Point3::from(Vector3::x())];
        join(&mut world, "axle", Hinge, ["wall", "large"], Attachment::at(centres[1]));
        let driven = Joint::new("shaft", Hinge, [0, 1], Attachment::at(centres[0]));
        world
            .add_joint(driven.with_motor(Motor::velocity(0, 6.0, f64::INFINITY)))
            .unwrap();
        let gear = Gear {
            teeth: [12, 30],
            internal,
        };
        let between = Attachment::between(centres[0], centres[1]);
        join(&mut world, "gear", gear, ["small", "large"], between);
        let mut simulation = simulation(world, DIRECT, 0.01);
        let expected = if internal { 2.4 } else { -2.4 };
        for _ in 0..800 {
            let report = simulation.step().unwrap();
            assert!(report.joint_error.length < 1e-9, "{:?}", report.joint_error);
            assert_close(body(&simulation, "large").angular_velocity.z, expected, 1e-9);
            let angle = expected * simulation.world().time;
            let turned = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
            assert!(turned.angle_to(&body(&simulation, "large").pose.rotation) < 1e-6);
        }
    }
}

/// The angle between steering axis and axle is what it was, whatever it was.
#[test]
fn a_wheel_keeps_the_angle_of_its_axle() {
    let axle = Vector3::new(1.0, 0.0, 0.5).normalize();
    let mut world = weightless(0.0, 0.0, [wall(), ball("wheel", 0.3, 3.0)]);
    let place = Attachment::at(Point3::origin()).second(axle);
    join(&mut world, "hub", Wheel::default(), ["wall", "wheel"], place);
    world.bodies_mut()[1].angular_velocity = Vector3::new(1.0, 2.0, 3.0);
    let mut simulation = simulation(world, DIRECT, 0.001);
    for _ in 0..500 {
        simulation.step().unwrap();
        let now = body(&simulation, "wheel").pose.rotation * axle;
        assert_within(now.z, axle.z, 1e-6);
    }
}

/// How far a body is turned the wrong way is what the joint says.
#[test]
fn errors_of_angles_are_the_angles() {
    let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.02);
    let models: [Arc<dyn JointModel>; 5] = [
        Arc::new(Universal),
        Arc::new(Wheel::default()),
        Arc::new(Slider),
        Arc::new(Fixed),
        Arc::new(Hinge),
    ];
    for model in models {
        let mut world = weightless(0.0, 0.0, [wall(), ball("ball", 0.1, 1.0)]);
        let place = Attachment::at(Point3::origin()).second(Vector3::x());
        let joint = Joint::with_model("joint", model, [0, 1], place);
        world.add_joint(joint).unwrap();
        world.bodies_mut()[1].pose.rotation = turn;
        let joint = &world.joints()[0];
        let error = joint.error(&world.bodies()[0].pose, &world.bodies()[1].pose);
        assert_within(error.angle, 0.02, 1e-12);
    }
}

/// ½ k x² in a spring, a suspension and a motor's spring; nothing in a joint that is off.
#[test]
fn springs_store_energy_while_they_hold() {
    let (k, x) = (300.0, 0.1);
    let mut world = weightless(0.0, 0.0, [wall(), ball("a", 0.1, 1.0), ball("b", 0.1, 1.0)]);
    let spring = Spring {
        stiffness: k,
        damping: 1.0,
        length: Some(1.0),
    };
    let ends = Attachment::between(Point3::origin(), Point3::from(Vector3::z() * (1.0 + x)));
    join(&mut world, "spring", spring, ["wall", "a"], ends);
    let suspension = Some(Suspension {
        stiffness: k,
        damping: 1.0,
    });
    let hub = Attachment::at(Point3::origin()).second(Vector3::x());
    join(&mut world, "hub", Wheel { suspension }, ["wall", "b"], hub);
    assert_close(world.spring_energy(), 0.5 * k * x * x, 1e-12);
    world.bodies_mut()[2].pose.translation.z = -x;
    assert_close(world.spring_energy(), k * x * x, 1e-12);
    world.joints_mut()[0].enabled = false;
    assert_close(world.potential_energy(), 0.5 * k * x * x, 1e-12);
    world.joints_mut()[1].enabled = false;
    assert_eq!(world.spring_energy(), 0.0);
}

/// The report has the worst joint, not the last, and how far limits are passed.
#[test]
fn a_step_reports_the_worst_joint_and_limit() {
    let mut world = weightless(0.0, 0.0, [wall(), ball("a", 0.1, 1.0), ball("b", 0.1, 1.0)]);
    for (name, shift) in [("a", 0.1), ("b", 0.02)] {
        let apart = Attachment::between(Point3::origin(), Point3::from(Vector3::x() * shift));
        join(&mut world, name, Ball, ["wall", name], apart);
    }
    let mut unsatisfied = simulation(world, DIRECT_VELOCITIES, 0.01);
    assert_close(unsatisfied.step().unwrap().joint_error.length, 0.1, 1e-12);

    let world = rotor(0.8, |joint| joint.with_limit(Limit::range(0, -0.5, 0.5)));
    let mut beyond = simulation(world, DIRECT_VELOCITIES, 0.01);
    assert_close(beyond.step().unwrap().limit_violation, 0.3, 1e-9);
}

/// A stop that is passed by less than a millimetre is an error like any other.
#[test]
fn projection_takes_small_violations_of_limits_away() {
    let mut world = weight(0.0, |joint| joint.with_limit(Limit::range(0, -1.0, 1.0)));
    world.bodies_mut()[1].pose.translation.z = -1.0005;
    let mut simulation = simulation(world, DIRECT, 0.01);
    simulation.step().unwrap();
    assert_within(coordinate(&simulation, 0, 0), -1.0, 1e-9);
    assert_eq!(simulation.world().kinetic_energy(), 0.0);
}

/// Two balls with a massless strut that keeps them from coming nearer than it is long.
#[test]
fn a_strut_pushes_and_does_not_pull() {
    let strut = Distance {
        lower: Some(0.5),
        ..Distance::default()
    };
    let run = |speed: f64| {
        let bodies = [
            moving(ball("a", 0.1, 1.0), [speed, 0.0, 0.0]),
            ball("b", 0.1, 1.0).at(Vector3::x()),
        ];
        let mut world = weightless(0.0, 0.0, bodies);
        let centres = Attachment::between(Point3::origin(), Point3::from(Vector3::x()));
        join(&mut world, "strut", strut, ["a", "b"], centres);
        let mut simulation = simulation(world, DIRECT, 0.01);
        steps(&mut simulation, 100);
        [velocity(&simulation, "a").x, velocity(&simulation, "b").x]
    };
    let [a, b] = run(1.0);
    assert_within(a, 0.5, 1e-9);
    assert_within(b, 0.5, 1e-9);
    assert_eq!(run(-1.0), [-1.0, 0.0]);
}

/// What hangs on a scripted body goes with it from the first step on, on either side of the joint.
#[test]
fn joints_follow_scripted_bodies() {
    for order in [["cart", "box"], ["box", "cart"]] {
        let motion = |time: f64| Isometry3::translation(0.7 * time, 0.0, 0.0);
        let cart = Body::scripted("cart", box_shape([0.1; 3]), Arc::new(motion));
        let mut world = weightless(0.0, 0.0, [cart, cuboid("box", [0.1; 3], 1.0)]);
        join(&mut world, "bolt", Fixed, order, Attachment::at(Point3::origin()));
        let mut simulation = simulation(world, DIRECT_VELOCITIES, 0.01);
        for _ in 0..10 {
            assert!(simulation.step().unwrap().joint_error.length < 1e-12);
            assert_vector(velocity(&simulation, "box"), Vector3::x() * 0.7, 1e-12);
        }
    }
}

/// Pairs that joints keep from colliding, in whatever order the joints come.
#[test]
fn jointed_pairs_stay_apart_in_any_order() {
    let balls = (0..12).map(|k| ball(&format!("{k}"), 0.5, 1.0).at(Vector3::x() * 3.0 * f64::from(k / 2)));
    let mut world = weightless(0.0, 0.0, balls);
    for pair in [4, 1, 5, 0, 3, 2] {
        let names = [2 * pair + 1, 2 * pair].map(|k: usize| k.to_string());
        let place = Attachment::at(Point3::from(Vector3::x() * 3.0 * pair as f64));
        let names = [names[0].as_str(), names[1].as_str()];
        join(&mut world, &format!("joint-{pair}"), Ball, names, place);
    }
    let mut simulation = simulation(world, DIRECT, 0.01);
    assert_eq!(simulation.step().unwrap().contacts, 0);
}

/// The impulses that the only group's solve began with and ended with.
fn start_and_end(simulation: &Simulation) -> (Vec<f64>, Vec<f64>) {
    let pipeline = simulation.pipeline();
    let start = pipeline.starts().next().unwrap().to_vec();
    (start, pipeline.problems().next().unwrap().1.to_vec())
}

/// A solve begins where each row ended in the step before: with nothing for a stop that was left in between, and with
/// nothing at all when rows have changed their places.
#[test]
fn impulses_start_where_their_rows_ended() {
    let stop = |joint: Joint| joint.with_limit(Limit::range(0, 0.0, 1.0));
    let mut resting = simulation(weight(G, stop), DIRECT, 0.01);
    resting.keep_starts();
    steps(&mut resting, 2);
    let (_, before) = start_and_end(&resting);
    assert_within(before[5], 2.0 * G * 0.01, 1e-9);
    resting.step().unwrap();
    assert_eq!(start_and_end(&resting).0, before);
    // Taken away from it, and falling back.
    resting.world_mut().bodies_mut()[1].pose.translation.z = 0.5;
    resting.step().unwrap();
    assert_eq!(start_and_end(&resting).0.len(), 5);
    while start_and_end(&resting).0.len() < 6 {
        resting.step().unwrap();
    }
    assert_eq!(start_and_end(&resting).0[5], 0.0);

    // Every row of a joint has its own.
    let mut world = world(0.0, 0.0, [wall(), cuboid("beam", [0.5, 0.1, 0.1], 2.0)]);
    let root = Attachment::at(Point3::new(-0.5, 0.1, 0.0));
    join(&mut world, "root", Fixed, ["wall", "beam"], root);
    let mut beam = simulation(world, DIRECT, 0.01);
    beam.keep_starts();
    steps(&mut beam, 1);
    let (_, before) = start_and_end(&beam);
    assert!(before.iter().filter(|impulse| impulse.abs() > 1e-3).count() >= 3);
    beam.step().unwrap();
    assert_eq!(start_and_end(&beam).0, before);

    // Two joints of one body; a motor moves from one to the other.
    let mut world = weight(G, |joint| joint.with_motor(Motor::friction(0, 1.0)));
    join(
        &mut world,
        "again",
        Slider,
        ["wall", "weight"],
        Attachment::at(Point3::origin()),
    );
    let mut changed = simulation(world, DIRECT, 0.01);
    changed.keep_starts();
    steps(&mut changed, 2);
    assert!(start_and_end(&changed).0.iter().any(|&impulse| impulse != 0.0));
    let joints = changed.world_mut().joints_mut();
    let motor = joints[0].motors.pop().unwrap();
    joints[1].motors.push(motor);
    changed.step().unwrap();
    assert!(start_and_end(&changed).0.iter().all(|&impulse| impulse == 0.0));
}
