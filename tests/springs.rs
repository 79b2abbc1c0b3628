//! Springs: the damped oscillator, and stiffness without end.

mod common;

use common::*;
use drystone::dynamics::{Attachment, Hinge, Joint, Motor, Simulation, Spring};
use nalgebra::{Point3, Vector3};

/// A mass on a spring of rest length 1 along x, stretched by 0.2 m.
fn oscillator(stiffness: f64, damping: f64, mass: f64, h: f64) -> Simulation {
    let ball = ball("ball", 0.1, mass).at(Vector3::x() * 1.2);
    let mut world = weightless(0.0, 0.0, [plane("wall", -Vector3::x()), ball]);
    let spring = Spring {
        stiffness,
        damping,
        length: Some(1.0),
    };
    let ends = Attachment::between(Point3::origin(), Point3::new(1.2, 0.0, 0.0));
    join(&mut world, "spring", spring, ["wall", "ball"], ends);
    simulation(world, DIRECT, h)
}

/// x = e^{−δt} x₀ (cos ωt + δ/ω sin ωt), δ = c/2m, ω² = k/m − δ²; implicit Euler, so errors fall as h.
#[test]
fn a_mass_on_a_spring_is_a_damped_oscillator() {
    let (k, m) = (40.0_f64, 2.0);
    for c in [0.0, 2.0, 10.0] {
        let delta: f64 = c / (2.0 * m);
        let omega = (k / m - delta * delta).sqrt();
        let expected = 0.2 * (-delta).exp() * (omega.cos() + delta / omega * omega.sin());
        let error = |h: f64| {
            let mut simulation = oscillator(k, c, m, h);
            run(&mut simulation, (1.0 / h).round() as usize);
            position(&simulation, "ball").x - 1.0 - expected
        };
        let (coarse, fine) = (error(0.002), error(0.001));
        assert!(coarse.abs() < 2e-3, "{coarse:e}");
        assert_within(coarse / fine, 2.0, 0.1);
    }
}

/// k h²/m = 10⁶: an explicit spring would explode in one step. The implicit one is a rigid rod at once.
#[test]
fn a_spring_of_any_stiffness_is_stable() {
    let (m, h) = (2.0, 0.01);
    for ratio in [1.0, 1e3, 1e6, 1e12] {
        let mut simulation = oscillator(ratio * m / (h * h), 0.0, m, h);
        let mut last = 0.2;
        for _ in 0..100 {
            run(&mut simulation, 1);
            let stretch = position(&simulation, "ball").x - 1.0;
            assert!(stretch.abs() <= last + 1e-12, "it swings up from {last} to {stretch}");
            last = stretch.abs().max(0.2 / ratio);
        }
        assert!(last <= 0.2 / ratio.min(1e6) + 1e-9);
    }
}

/// A spring in a hinge is one, too: I θ'' = −k θ for a ball at the hinge.
#[test]
fn a_spring_in_a_hinge_is_a_torsion_pendulum() {
    let (k, mass, radius) = (0.3_f64, 2.0, 0.25);
    let inertia = 0.4 * mass * radius * radius;
    let error = |h: f64| {
        let mut wheel = ball("wheel", radius, mass);
        wheel.angular_velocity = Vector3::z();
        let mut world = weightless(0.0, 0.0, [plane("wall", -Vector3::z()), wheel]);
        let at = Attachment::at(Point3::origin());
        let joint = Joint::new("axle", Hinge, [0, 1], at).with_motor(Motor::spring(0, 0.0, k, 0.0));
        let joint = world.add_joint(joint).expect("a joint");
        let mut simulation = simulation(world, DIRECT, h);
        run(&mut simulation, (1.0 / h).round() as usize);
        let omega = (k / inertia).sqrt();
        coordinate(&simulation, joint, 0) - omega.sin() / omega
    };
    let (coarse, fine) = (error(0.002), error(0.001));
    assert!(coarse.abs() < 5e-3, "{coarse:e}");
    assert_within(coarse / fine, 2.0, 0.1);
}
