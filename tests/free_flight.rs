//! Motion without contacts: gravity, constant forces and torques, damping, and bodies that follow a script.

mod common;

use std::sync::Arc;

use common::*;
use drystone::dynamics::motion::{Oscillation, UniformMotion};
use drystone::dynamics::{Body, ScriptedMotion, Simulation};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

/// A stone thrown upwards, after one second in steps of h.
fn thrown(h: f64) -> Simulation {
    let stone = moving(
        ball("stone", 0.1, 2.0).at(Vector3::new(0.0, 0.0, 5.0)),
        [1.0, -2.0, 3.0],
    );
    let mut simulation = simulation(world(0.0, 0.0, [stone]), "pgs", h);
    run(&mut simulation, (1.0 / h).round() as usize);
    simulation
}

/// Semi-implicit Euler has a parabola of its own: `z = z₀ + v₀ t − g t (t + h)/2`.
#[test]
fn the_discrete_parabola_is_exact() {
    let h = 0.01;
    let end = position(&thrown(h), "stone");
    // A hundred additions of numbers below 10: rounding of a few hundred ulps at most.
    let tolerance = 100.0 * 10.0 * f64::EPSILON;
    assert_within(end.x, 1.0, tolerance);
    assert_within(end.y, -2.0, tolerance);
    assert_within(end.z, 5.0 + 3.0 - 0.5 * G * (1.0 + h), tolerance);
    assert_within(velocity(&thrown(h), "stone").z, 3.0 - G, tolerance);
}

/// Galilei's parabola is its limit: the error is g t h/2, so halving h halves it.
#[test]
fn the_continuous_parabola_is_met_to_first_order() {
    let error = |h: f64| 5.0 + 3.0 - 0.5 * G - position(&thrown(h), "stone").z;
    assert_close(error(0.01), 0.5 * G * 0.01, 1e-10);
    // What is left of the ratio is the rounding of errors of 2.5e-2 m in numbers of size 5.
    assert_close(error(0.01) / error(0.005), 2.0, 1e-10);
}

/// Newton: `v = f t/m`; Euler about a principal axis: `ω = τ t/I`, and an angle of `τ/I t (t + h)/2`.
#[test]
fn constant_force_and_torque() {
    let h = 0.01;
    let mut plate = cuboid("plate", [0.3, 0.2, 0.1], 2.0);
    plate.force = Vector3::new(1.0, 2.0, -3.0);
    // Turned, so that its inertia in the world is not that in its own frame.
    let start = UnitQuaternion::from_scaled_axis(Vector3::new(0.7, -0.4, 0.3));
    let axis = start * Vector3::z();
    plate.pose.rotation = start;
    plate.torque = 0.01 * axis;
    let inertia = plate.inertia[(2, 2)];
    // m/3 (a² + b²) for half extents a, b.
    assert_close(inertia, 2.0 / 3.0 * (0.09 + 0.04), 1e-15);
    let mut simulation = simulation(weightless(0.0, 0.0, [plate]), "pgs", h);
    run(&mut simulation, 100);
    let plate = body(&simulation, "plate");
    // Rounding of a hundred steps.
    assert_vector(plate.linear_velocity, Vector3::new(0.5, 1.0, -1.5), 1e-13);
    assert_vector(plate.angular_velocity, axis * (0.01 / inertia), 1e-13);
    let turned = (plate.pose.rotation * start.inverse()).scaled_axis();
    assert_vector(turned, axis * (0.5 * 0.01 / inertia * (1.0 + h)), 1e-13);
}

/// Stokes: `v = v₀ exp(−c t)`, for every step length and even when c h is large.
#[test]
fn damping_decays_exponentially() {
    for (rate, h) in [(0.5, 0.01), (3.0, 0.02), (200.0, 0.05)] {
        let mut leaf = moving(ball("leaf", 0.1, 1.0), [3.0, 0.0, -1.0]);
        leaf.angular_velocity = Vector3::new(0.0, 5.0, 2.0);
        leaf.linear_damping = rate;
        leaf.angular_damping = 0.5 * rate;
        let mut simulation = simulation(weightless(0.0, 0.0, [leaf]), "pgs", h);
        for n in 1..=20 {
            run(&mut simulation, 1);
            let leaf = body(&simulation, "leaf");
            let t = f64::from(n) * h;
            // Twenty factors, each good to an ulp of its exponent.
            let tolerance = 1e-13 * (1.0 + rate * t);
            assert_close(
                leaf.linear_velocity.norm(),
                10_f64.sqrt() * (-rate * t).exp(),
                tolerance,
            );
            assert_close(
                leaf.angular_velocity.norm(),
                29_f64.sqrt() * (-0.5 * rate * t).exp(),
                tolerance,
            );
        }
    }
}

/// A damped body that falls ends at g/c, to first order in h; its own limit is `g h/(1 − exp(−c h))`.
#[test]
fn damping_and_gravity_reach_the_terminal_velocity() {
    let speed = |h: f64| {
        let mut leaf = ball("leaf", 0.1, 1.0);
        leaf.linear_damping = 2.0;
        let mut simulation = simulation(world(0.0, 0.0, [leaf]), "pgs", h);
        run(&mut simulation, (20.0 / h).round() as usize);
        -velocity(&simulation, "leaf").z
    };
    // exp(−40) of the transient is left, less than rounding.
    assert_close(speed(0.01), G * 0.01 / (1.0 - (-0.02_f64).exp()), 1e-13);
    let error = |h: f64| speed(h) - 0.5 * G;
    // The next term of the series, c²h²/12, spoils the ratio by c h/24.
    assert_close(error(0.01) / error(0.005), 2.0, 2e-3);
}

fn follow(motion: impl ScriptedMotion + Clone + 'static, h: f64) {
    let actor = Body::scripted("actor", box_shape([0.1; 3]), Arc::new(motion.clone()));
    // Neither gravity nor the force of its mass moves it.
    let mut simulation = simulation(world(0.5, 0.5, [actor]), "pgs", h);
    for _ in 0..1000 {
        let before = motion.pose(simulation.world().time);
        run(&mut simulation, 1);
        let (actor, time) = (body(&simulation, "actor"), simulation.world().time);
        let pose = motion.pose(time);
        // Not nearly: exactly.
        assert_eq!(actor.pose, pose, "at t = {time}");
        // Its velocity over the step is the mean one. Times up to 30 s carry errors of 4e-15 s.
        let mean = (pose.translation.vector - before.translation.vector) / h;
        assert_vector(actor.linear_velocity, mean, 1e-11);
    }
}

/// A scripted body is where its function says it is, to the last bit, at every time that the simulation shows.
#[test]
fn scripted_bodies_follow_their_functions() {
    let start = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.1, 0.2, 0.3));
    let uniform = UniformMotion {
        start,
        linear_velocity: Vector3::new(1.0, -0.5, 0.2),
        angular_velocity: Vector3::new(0.3, 2.0, -1.0),
    };
    let oscillation = Oscillation {
        start,
        amplitude: Vector3::new(0.1, 0.0, 0.3),
        frequency: 1.7,
        phase: 0.4,
    };
    let closure = |t: f64| Isometry3::new(Vector3::new(t.cos(), t.sin(), 0.1 * t), Vector3::z() * t);
    for h in [0.01, 1.0 / 60.0, 0.03] {
        follow(uniform, h);
        follow(oscillation, h);
        follow(closure, h);
    }
}

/// Uniform motion has the angular velocity it was given.
#[test]
fn a_turning_script_has_its_angular_velocity() {
    let uniform = UniformMotion {
        start: Isometry3::identity(),
        linear_velocity: Vector3::zeros(),
        angular_velocity: Vector3::new(0.3, 2.0, -1.0),
    };
    let mut simulation = simulation(
        weightless(
            0.0,
            0.0,
            [Body::scripted("turner", box_shape([0.1; 3]), Arc::new(uniform))],
        ),
        "pgs",
        0.01,
    );
    for _ in 0..1000 {
        run(&mut simulation, 1);
        // Differences of quaternions over 0.01 s: 1e-16 of rounding becomes 1e-14.
        assert_vector(
            body(&simulation, "turner").angular_velocity,
            uniform.angular_velocity,
            1e-12,
        );
    }
}

/// A world may begin at any time: the clock goes on from there.
#[test]
fn the_clock_starts_where_the_world_does() {
    let motion = |t: f64| Isometry3::translation(t, 0.0, 0.0);
    let mut late = weightless(
        0.0,
        0.0,
        [Body::scripted("hand", box_shape([0.1; 3]), Arc::new(motion))],
    );
    late.time = 5.0;
    late.bodies_mut()[0].pose = motion(5.0);
    let mut simulation = simulation(late, "pgs", 0.25);
    run(&mut simulation, 2);
    // Powers of two: no rounding at all.
    assert_eq!(simulation.world().time, 5.5);
    assert_eq!(position(&simulation, "hand").x, 5.5);
    assert_eq!(velocity(&simulation, "hand").x, 1.0);
}
