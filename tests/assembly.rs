//! Joints that are not satisfied as they begin, joints made of points, and joints that break.

mod common;

use common::*;
use drystone::dynamics::{BreakCause, Event, Simulation};

fn scene(text: &str) -> Simulation {
    let scene = drystone::scenes::load(text).expect("a catalogue scene");
    let method = scene.solver.clone().expect("a mechanism says how it is solved");
    simulation(scene.build().expect("a scene that builds"), &method, scene.dt)
}

/// Stabilisation alone: each step corrects the part `erp` of every error, so errors fall as (1 − erp)ⁿ. Parts turn by some
/// degrees in a step at first, which is where the tenth comes from.
#[test]
fn a_robot_assembles_itself_at_the_pace_of_its_error_reduction() {
    for erp in [0.05_f64, 0.1] {
        let mut simulation = scene(&format!("robot-assembly:erp={erp},turn=20"));
        run(&mut simulation, 1);
        let start = simulation.report().joint_error.length;
        assert!(start > 0.5);
        for n in [10, 20, 40] {
            let now = simulation.report().step as usize - 1;
            run(&mut simulation, n - now);
            let expected = start * (1.0 - erp).powi(n as i32);
            let found = simulation.report().joint_error.length;
            assert_close(found, expected, 0.15);
        }
        run(&mut simulation, 400);
        let error = simulation.report().joint_error;
        assert!(error.length < 1e-8 && error.angle < 1e-8, "{error:?}");
        // Springs have straightened it: the head is above the torso, the feet are below.
        let torso = position(&simulation, "torso");
        assert_within((position(&simulation, "head") - torso).norm(), 0.55, 1e-3);
        assert_within(
            (position(&simulation, "left-lower-leg") - torso).norm(),
            (0.15_f64.powi(2) + 1.05_f64.powi(2)).sqrt(),
            1e-3,
        );
    }
}

/// A motor of points holds the axis and the speed, redundant as its 18 rows of rank 6 are, through a fall and a landing.
#[test]
fn a_motor_of_points_keeps_its_speed() {
    let mut simulation = scene("motor-spheres");
    for _ in 0..300 {
        run(&mut simulation, 1);
        let spin = |name| body(&simulation, name).angular_velocity;
        let relative = spin("upper") - spin("lower");
        assert_within(relative.z, 3.1412, 1e-9);
        assert_within(relative.xy().norm(), 0.0, 1e-9);
        assert!(simulation.report().joint_error.length < 1e-9);
    }
    assert_within(position(&simulation, "upper").z, 2.5, 1e-6);
}

/// With a bound of 100 N on its force it goes in the step in which the lower ball lands: both balls together stop and
/// bounce back with v (1 + e), and what does that to the upper one is m v (1 + e)/h.
#[test]
fn a_joint_breaks_where_it_has_to_carry_too_much() {
    let mut simulation = scene("motor-spheres:break-force=100,damping=0");
    let mut broken = None;
    let mut before = 0.0;
    while broken.is_none() && simulation.world().time < 1.0 {
        before = velocity(&simulation, "upper").z;
        run(&mut simulation, 1);
        broken = broke(&simulation).next();
    }
    let Some(Event::JointBroke {
        joint: 0,
        cause: BreakCause::Force(force),
    }) = broken
    else {
        panic!("{broken:?}");
    };
    // √(2 · 5 · 0.5) m/s, with the restitution of 0.4 of ball and ground; and gravity in that step.
    let (mass, h) = (body(&simulation, "upper").mass, simulation.dt());
    assert_within(before, -5_f64.sqrt(), 5.0 * h);
    assert_close(force, mass * (-before * 1.4 / h + 5.0), 1e-6);
    assert_eq!(simulation.report().joints_off, 1);
    // From then on nothing holds the upper ball up.
    run(&mut simulation, 1);
    assert_eq!(joint_force(&simulation, 0).norm(), 0.0);
}
