//! Limits and motors: what they allow, what they prevent, and what they must not do.
//!
//! A rod on a hinge turns in the plane. Hinged at its end it is a pendulum; hinged at its centre it is a rotor, for which a
//! hinge with a torque is one equation, `I ω' = τ`, without an error of the scheme. (At its end there is one of first order:
//! the centre's velocity at the beginning of a step has the direction of the rod then, and loses `1 − cos ωh` of itself to
//! the hinge at its end.)

mod common;

use common::*;
use drystone::dynamics::{
    Attachment, Ball, Body, EllipticCone, Hinge, Joint, Limit, Motor, Reach, Simulation, Slider, Softness, Universal,
    World,
};
use nalgebra::{Point3, UnitQuaternion, Vector3};

/// Joints to rounding, whatever hangs on them by contacts and limits.
const DIRECT: &str = "semi-implicit:projection=hybrid/hybrid";
const UNPROJECTED: &str = "semi-implicit:projection=none/hybrid";

/// A rod along x on a hinge about y, at the origin, to a fixed body. Positive angles lower the end at +x.
fn hinged(centre: f64, gravity: f64, dress: impl Fn(Joint) -> Joint) -> World {
    let mut world = weightless(
        0.0,
        0.0,
        [
            Body::fixed("wall", box_shape([0.1, 0.1, 0.1])),
            cuboid("rod", [0.5, 0.05, 0.05], 2.0).at(Vector3::new(centre, 0.0, 0.0)),
        ],
    );
    world.gravity = Vector3::new(0.0, 0.0, -gravity);
    let joint = Joint::new(
        "hinge",
        Hinge,
        [0, 1],
        Attachment::at(Point3::origin()).axis(Vector3::y()),
    );
    world.add_joint(dress(joint)).unwrap();
    world
}

/// Hinged at its end.
fn hinged_rod(gravity: f64, dress: impl Fn(Joint) -> Joint) -> World {
    hinged(0.5, gravity, dress)
}

/// Hinged at its centre, with nothing but the hinge acting on it.
fn rotor(dress: impl Fn(Joint) -> Joint) -> World {
    hinged(0.0, 0.0, dress)
}

/// A rod that stands on the origin, beside a fixed body, with nothing yet that holds it.
fn upright() -> World {
    let rod = cuboid("rod", [0.05, 0.05, 0.5], 2.0).at(Vector3::new(0.0, 0.0, 0.5));
    weightless(0.0, 0.0, [Body::fixed("wall", box_shape([0.1; 3])), rod])
}

fn angle(simulation: &Simulation) -> f64 {
    let joint = &simulation.world().joints()[0];
    let [a, b] = joint.bodies.map(|body| &simulation.world().bodies()[body].pose);
    joint.value(0, a, b)
}

fn spin(simulation: &Simulation) -> f64 {
    body(simulation, "rod").angular_velocity.y
}

fn energy(simulation: &Simulation) -> f64 {
    simulation.world().kinetic_energy() + simulation.world().potential_energy()
}

/// `ω = τ t/I` until the speed is reached, and then that speed. Each step adds exactly h τ/I, so only rounding and the
/// direct solver's 1e-12 are left.
#[test]
fn a_motor_reaches_its_speed_when_torque_and_inertia_say_and_no_sooner() {
    let (torque, speed, dt) = (3.0, 5.0, 0.01);
    let world = rotor(|joint| joint.with_motor(Motor::velocity(0, speed, torque)));
    let inertia = world.bodies()[1].inertia[(1, 1)];
    let mut simulation = simulation(world, UNPROJECTED, dt);
    let needed = speed * inertia / torque;
    assert!(needed > 20.0 * dt);
    for step in 1..=60 {
        simulation.step().unwrap();
        let expected = (torque * step as f64 * dt / inertia).min(speed);
        assert_within(spin(&simulation), expected, 1e-9);
        // The reaction is the motor's torque while it accelerates, and nothing but what the turn needs afterwards.
        let about = simulation.pipeline().reactions()[0].angular_impulse.y / dt;
        let torque = if expected < speed { torque } else { 0.0 };
        if (needed - step as f64 * dt).abs() > 2.0 * dt {
            assert_within(about, torque, 1e-6);
        }
    }
}

/// The same with gravity: a motor that is too weak for the weight stalls, one that is strong enough doesn't.
#[test]
fn a_motor_lifts_what_its_torque_can_and_no_more() {
    let weight_torque = 2.0 * G * 0.5;
    for (share, lifts) in [(0.95, false), (1.05, true)] {
        let world = hinged_rod(G, |joint| {
            joint.with_motor(Motor::velocity(0, -0.5, share * weight_torque))
        });
        let mut simulation = simulation(world, DIRECT, 0.005);
        run(&mut simulation, 20);
        assert_eq!(angle(&simulation) < 0.0, lifts, "{share}: {}", angle(&simulation));
    }
}

/// Dry friction in the joint: `ω = ω₀ − τ t/I` until it stands, and then it stands.
#[test]
fn joint_friction_stops_a_turn_in_a_straight_line() {
    let (torque, start, dt) = (1.0, 4.0, 0.01);
    let mut world = rotor(|joint| joint.with_motor(Motor::friction(0, torque)));
    let inertia = world.bodies()[1].inertia[(1, 1)];
    world.bodies_mut()[1].angular_velocity.y = start;
    let mut simulation = simulation(world, DIRECT, dt);
    for step in 1..=400 {
        simulation.step().unwrap();
        let expected = (start - torque * step as f64 * dt / inertia).max(0.0);
        assert_within(spin(&simulation), expected, 1e-9);
    }
    assert!(spin(&simulation).abs() < 1e-9);
}

/// A servo goes for its target as `exp(−rate t)`, discretised as `(1 − rate h)ⁿ`, and holds it against gravity.
#[test]
fn a_servo_goes_to_its_target_and_holds_it() {
    let (target, rate, dt) = (-0.7, 8.0, 0.01);
    let world = hinged_rod(G, |joint| joint.with_motor(Motor::servo(0, target, rate, 1e3)));
    let mut simulation = simulation(world, DIRECT, dt);
    for step in 1..=100 {
        simulation.step().unwrap();
        let expected = target * (1.0 - (1.0 - rate * dt).powi(step));
        // The angle the rod turns by in a step is ωh up to the scheme's error of first order.
        assert_within(angle(&simulation), expected, 2e-3);
    }
    run(&mut simulation, 200);
    assert_within(angle(&simulation), target, 1e-6);
}

/// From −2.9 to 2.9 rad the shorter way is through ±π. A range of ±3 closes it, and the servo goes the long way.
#[test]
fn a_servo_goes_the_way_that_its_range_leaves_open() {
    for (limited, halfway) in [(false, std::f64::consts::PI), (true, 0.0)] {
        let mut world = rotor(|joint| {
            let joint = joint.with_motor(Motor::servo(0, 2.9, 4.0, 50.0));
            if limited {
                joint.with_limit(Limit::range(0, -3.0, 3.0))
            } else {
                joint
            }
        });
        let axis = Vector3::y_axis();
        world.bodies_mut()[1].pose.rotation = nalgebra::UnitQuaternion::from_axis_angle(&axis, -2.9);
        let mut simulation = simulation(world, DIRECT, 0.01);
        let mut nearest = f64::INFINITY;
        for _ in 0..400 {
            simulation.step().unwrap();
            nearest = nearest.min((angle(&simulation).abs() - halfway).abs());
        }
        // It passes the middle of its way within half a step's turn.
        assert!(nearest < 0.15, "{limited}: {nearest}");
        assert_within(angle(&simulation), 2.9, 1e-6);
    }
}

/// A servo whose torque is too small for the weight gives way.
#[test]
fn a_weak_servo_gives_way() {
    let world = hinged_rod(G, |joint| {
        joint.with_motor(Motor::servo(0, 0.0, 10.0, 0.5 * 2.0 * G * 0.5))
    });
    let mut simulation = simulation(world, DIRECT, 0.01);
    run(&mut simulation, 60);
    assert!(angle(&simulation) > 0.3, "{}", angle(&simulation));
}

/// A rod falls on the limit of its hinge: it stops there, and in no step is there more energy than before, but for the
/// speed that projection costs: it moves the rod back by the last step's overshoot, at most ½ (ωh)² l of height.
#[test]
fn a_limit_without_bounce_creates_no_energy() {
    for upper in [0.4, 1.2] {
        let world = hinged_rod(G, |joint| joint.with_limit(Limit::range(0, -1.0, upper)));
        let mut simulation = simulation(world, DIRECT, 0.005);
        let mut before = energy(&simulation);
        for _ in 0..400 {
            simulation.step().unwrap();
            let now = energy(&simulation);
            // The semi-implicit step itself changes the energy of a falling rod by O(h²) a step: m g l ω h²/2 ~ 1e-3 J.
            assert!(now < before + 2e-3, "{before} J became {now} J");
            before = now;
        }
        assert_within(angle(&simulation), upper, 1e-9);
        assert!(spin(&simulation).abs() < 1e-9);
        assert!(simulation.report().limit_violation < 1e-9);
    }
}

/// Newton's law at the limit: the speed after is e times that before; without gravity nothing else changes it.
#[test]
fn limits_bounce_as_their_restitution_says() {
    for e in [0.3, 0.8, 1.0] {
        let mut world = rotor(|joint| joint.with_limit(Limit::range(0, -1.0, 0.5).bouncing(e)));
        world.bodies_mut()[1].angular_velocity.y = 2.0;
        let mut simulation = simulation(world, DIRECT, 0.01);
        run(&mut simulation, 30);
        assert_within(spin(&simulation), -2.0 * e, 1e-9);
    }
}

/// A range across the seam at ±π: from 170° to 190°. The rod starts at 180° and is driven either way.
#[test]
fn a_range_across_half_a_turn_holds_on_both_sides() {
    use std::f64::consts::PI;
    for speed in [-3.0, 3.0] {
        let mut world = hinged_rod(0.0, |joint| {
            joint
                .with_limit(Limit::range(0, PI - 0.17, PI + 0.17))
                .with_motor(Motor::velocity(0, speed, 5.0))
        });
        let rod = &mut world.bodies_mut()[1];
        rod.pose.translation.vector = Vector3::new(-0.5, 0.0, 0.0);
        rod.pose.rotation = nalgebra::UnitQuaternion::from_axis_angle(&Vector3::y_axis(), PI - 1e-9);
        let mut simulation = simulation(world, DIRECT, 0.01);
        run(&mut simulation, 100);
        let expected = if speed > 0.0 { -(PI - 0.17) } else { PI - 0.17 };
        assert_within(angle(&simulation), expected, 1e-9);
    }
}

/// A range of angles that is open or a whole turn says nothing about which side of a bound an angle is on: a rotor that
/// may turn one way only would be thrown back to its bound after three quarters of a turn.
#[test]
fn an_angle_is_limited_on_both_sides_or_not_at_all() {
    let mut world = rotor(|joint| joint);
    for (lower, upper, good) in [
        (-0.5, f64::INFINITY, false),
        (f64::NEG_INFINITY, 0.5, false),
        (f64::NEG_INFINITY, f64::INFINITY, false),
        (-3.2, 3.2, false),
        (-3.1, 3.1, true),
    ] {
        let hinge = Joint::new(
            format!("{lower} {upper}"),
            Hinge,
            [0, 1],
            Attachment::at(Point3::origin()),
        );
        let result = world.add_joint(hinge.with_limit(Limit::range(0, lower, upper)));
        assert_eq!(result.is_ok(), good, "{lower} {upper} {result:?}");
    }
}

/// A slider under gravity between two stops: `z = −½ g t²` (as the scheme has it) until it stands on the lower one, where
/// the limit carries the weight.
#[test]
fn a_slider_rests_on_its_stop() {
    let mut world = world(
        0.0,
        0.0,
        [
            Body::fixed("rail", box_shape([0.1, 0.1, 0.1])),
            cuboid("carriage", [0.2, 0.1, 0.1], 3.0).at(Vector3::new(1.0, 0.0, 0.0)),
        ],
    );
    let joint = Joint::new("slider", Slider, [0, 1], Attachment::at(Point3::origin()));
    world.add_joint(joint.with_limit(Limit::range(0, -0.5, 0.2))).unwrap();
    let dt = 0.01;
    let mut simulation = simulation(world, DIRECT, dt);
    for step in 1..=150 {
        simulation.step().unwrap();
        let fall = 0.5 * G * dt * dt * (step * (step + 1)) as f64;
        assert_within(position(&simulation, "carriage").z, -fall.min(0.5), 1e-9);
    }
    let reaction = simulation.pipeline().reactions()[0].impulse / dt;
    assert_vector(reaction, Vector3::new(0.0, 0.0, 3.0 * G), 1e-6);
}

/// A soft stop: at rest `K λ/h = erp (−Φ)/h` with λ = h m g, so it gives way by `h K m g/erp`, and projection, which is for
/// errors, leaves that alone.
#[test]
fn a_soft_stop_gives_way_in_proportion_to_the_weight_on_it() {
    let (mass, dt, softness) = (
        2.0,
        0.01,
        Softness {
            erp: Some(0.2),
            cfm: Some(0.01),
        },
    );
    for method in [UNPROJECTED, DIRECT] {
        let mut world = world(
            0.0,
            0.0,
            [
                Body::fixed("wall", box_shape([0.1; 3])),
                cuboid("weight", [0.1; 3], mass),
            ],
        );
        let joint = Joint::new("slider", Slider, [0, 1], Attachment::at(Point3::origin()));
        let stop = Limit {
            softness,
            ..Limit::range(0, 0.0, f64::INFINITY)
        };
        world.add_joint(joint.with_limit(stop)).unwrap();
        let mut simulation = simulation(world, method, dt);
        for _ in 0..500 {
            simulation.step().unwrap();
        }
        assert_close(coordinate(&simulation, 0, 0), -dt * 0.01 * mass * G / 0.2, 1e-6);
    }
}

/// A ball joint's cone is one row: it stops the swing outwards, and lets the rod turn round the cone and come back.
#[test]
fn a_reach_cone_stops_but_does_not_stick() {
    let cone = 0.5;
    let pendulum = |limit: Limit| {
        let mut world = upright();
        let joint = Joint::new("socket", Ball, [0, 1], Attachment::at(Point3::origin()));
        world.add_joint(joint.with_limit(limit)).unwrap();
        world
    };
    let swing = |simulation: &Simulation| {
        let rod = body(simulation, "rod");
        (rod.pose.rotation * Vector3::z()).angle(&Vector3::z())
    };
    for limit in [Limit::cone(cone), Limit::reach(EllipticCone { angles: [cone, cone] })] {
        let mut world = pendulum(limit);
        // Thrown outwards and sideways.
        let rod = &mut world.bodies_mut()[1];
        rod.angular_velocity = Vector3::new(0.6, 1.5, 0.0);
        rod.linear_velocity = rod.angular_velocity.cross(&Vector3::new(0.0, 0.0, 0.5));
        let mut simulation = simulation(world, DIRECT, 0.005);
        let mut worst = 0.0_f64;
        for _ in 0..200 {
            simulation.step().unwrap();
            worst = worst.max(swing(&simulation));
        }
        assert!(worst > 0.99 * cone && worst < cone + 1e-3, "{worst}");
        // Pulled back, it comes at once: a row that sticks would hold it.
        let rod = &mut simulation.world_mut().bodies_mut()[1];
        let tip = rod.pose.rotation * Vector3::z();
        let inward = tip.cross(&Vector3::z()).normalize();
        rod.angular_velocity = inward;
        rod.linear_velocity = inward.cross(&(0.5 * tip));
        let before = swing(&simulation);
        run(&mut simulation, 20);
        assert_within(swing(&simulation), before - 0.1, 2e-3);
    }
}

/// An elliptic cone lets the rod further along one direction than along the other.
#[test]
fn an_elliptic_cone_has_two_half_angles() {
    for (axis, half) in [(Vector3::y(), 0.3), (Vector3::x(), 0.8)] {
        let mut world = upright();
        let joint = Joint::new(
            "socket",
            Ball,
            [0, 1],
            Attachment::at(Point3::origin()).second(Vector3::x()),
        );
        world
            .add_joint(joint.with_limit(Limit::reach(EllipticCone { angles: [0.3, 0.8] })))
            .unwrap();
        let rod = &mut world.bodies_mut()[1];
        rod.angular_velocity = 2.0 * axis;
        rod.linear_velocity = rod.angular_velocity.cross(&Vector3::new(0.0, 0.0, 0.5));
        let mut simulation = simulation(world, DIRECT, 0.005);
        run(&mut simulation, 200);
        let rod = body(&simulation, "rod");
        assert_within((rod.pose.rotation * Vector3::z()).angle(&Vector3::z()), half, 1e-6);
    }
}

/// Where a joint's angles have no direction (not swung at all, turned right over, axes that should cross but meet) limits
/// and motors wait for one or take any, and the step is taken.
#[test]
fn angles_without_a_direction_do_not_stop_the_simulation() {
    let swung = |angle: f64, dress: &dyn Fn(Joint) -> Joint| {
        let mut world = weightless(
            0.0,
            0.0,
            [
                Body::fixed("wall", box_shape([0.1; 3])),
                cuboid("rod", [0.05, 0.05, 0.5], 2.0),
            ],
        );
        world.bodies_mut()[1].pose.rotation = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), angle);
        let socket = Attachment::in_bodies(Point3::origin(), Point3::origin());
        world
            .add_joint(dress(Joint::new("ball", Ball, [0, 1], socket)))
            .unwrap();
        world
    };
    for method in [DIRECT, "semi-implicit/pgs:iterations=50"] {
        let run = |world: World| {
            let mut simulation = simulation(world, method, 0.01);
            for _ in 0..50 {
                simulation.step().unwrap();
            }
            simulation
        };
        for angle in [0.0, std::f64::consts::PI] {
            for cone in [0.005, 0.5] {
                let simulation_of = |limit: &Limit| run(swung(angle, &|joint| joint.with_limit(limit.clone())));
                let circular = simulation_of(&Limit::cone(cone));
                assert!(coordinate(&circular, 0, 0) < cone + 1e-9);
                let angles = [cone, 2.0 * cone];
                let elliptic = simulation_of(&Limit::reach(EllipticCone { angles }));
                assert!(elliptic.report().limit_violation < 1e-9);
                assert!(coordinate(&elliptic, 0, 0) < 2.0 * cone + 1e-9);
            }
        }
        for motor in [
            Motor::friction(0, 1.0),
            Motor::servo(0, 0.0, 10.0, 5.0),
            Motor::spring(0, 0.0, 10.0, 1.0),
        ] {
            let still = run(swung(0.0, &|joint| joint.with_motor(motor)));
            assert_eq!(body(&still, "rod").angular_velocity, Vector3::zeros());
        }
        // Axis 2, along x of B, lies along axis 1.
        let mut world = swung(0.0, &|joint| joint);
        world.joints_mut()[0].enabled = false;
        let crossed = Attachment::in_bodies(Point3::origin(), Point3::origin())
            .axes(Vector3::x(), Vector3::z())
            .seconds(Vector3::y(), Vector3::x());
        world
            .add_joint(Joint::new("cross", Universal, [0, 1], crossed).with_motor(Motor::friction(0, 1.0)))
            .unwrap();
        assert!(run(world).report().joint_error.angle < 1e-9);
    }
}

/// A reach function of one's own: the two angles of a universal joint may not sum to more than 0.6.
#[derive(Debug)]
struct Sum;

impl Reach for Sum {
    fn value(&self, q: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.copy_from_slice(&[-1.0, -1.0]);
        0.6 - q[0] - q[1]
    }
}

#[test]
fn a_reach_function_of_ones_own_limits_a_universal_joint() {
    let mut world = upright();
    let joint = Joint::new(
        "cross",
        Universal,
        [0, 1],
        Attachment::at(Point3::origin()).axis(Vector3::x()).second(Vector3::y()),
    );
    let joint = joint
        .with_limit(Limit::reach(Sum))
        .with_motor(Motor::velocity(0, 0.5, 2.0))
        .with_motor(Motor::velocity(1, 0.5, 2.0));
    world.add_joint(joint).unwrap();
    let mut simulation = simulation(world, DIRECT, 0.005);
    run(&mut simulation, 600);
    let joint = &simulation.world().joints()[0];
    let [a, b] = joint.bodies.map(|body| &simulation.world().bodies()[body].pose);
    let (first, second) = (joint.value(0, a, b), joint.value(1, a, b));
    assert_within(first + second, 0.6, 1e-6);
    assert!(first > 0.0 && second > 0.0, "{first}, {second}");
}

/// Ranges on both angles of a universal joint: driven against them, each stops at its own.
#[test]
fn a_universal_joint_stops_at_the_ranges_of_its_two_angles() {
    let mut world = upright();
    let at = Attachment::at(Point3::origin()).axis(Vector3::x()).second(Vector3::y());
    let joint = Joint::new("cross", Universal, [0, 1], at)
        .with_limit(Limit::range(0, -0.3, 0.4))
        .with_limit(Limit::range(1, -0.5, 0.2))
        .with_motor(Motor::velocity(0, 0.6, 2.0))
        .with_motor(Motor::velocity(1, -0.6, 2.0));
    world.add_joint(joint).unwrap();
    let mut simulation = simulation(world, DIRECT, 0.005);
    run(&mut simulation, 600);
    let joint = &simulation.world().joints()[0];
    let [a, b] = joint.bodies.map(|body| &simulation.world().bodies()[body].pose);
    assert_within(joint.value(0, a, b), 0.4, 1e-6);
    assert_within(joint.value(1, a, b), -0.5, 1e-6);
}
