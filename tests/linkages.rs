//! Closed loops: slider-crank and four-bar linkage against their closed-form kinematics, and gears.
//!
//! Both linkages are plane, and so have three redundant rows; the elimination takes them as they are.

mod common;

use common::*;
use drystone::collision::{Shape, Sphere};
use drystone::dynamics::{Attachment, Body, Gear, Hinge, Simulation};
use nalgebra::{Point3, Vector3};

fn linkage(text: &str, h: f64) -> Simulation {
    let scene = drystone::scenes::load(text).expect("a catalogue scene");
    let method = scene.solver.clone().expect("a linkage says how it is solved");
    simulation(scene.build().expect("a scene that builds"), &method, h)
}

/// The direction of a bar's long side.
fn direction(simulation: &Simulation, name: &str) -> Vector3<f64> {
    body(simulation, name).pose.rotation * Vector3::x()
}

/// The angle of a direction from x towards z.
fn angle(direction: Vector3<f64>) -> f64 {
    direction.z.atan2(direction.x)
}

fn wrapped(angle: f64) -> f64 {
    angle.sin().atan2(angle.cos())
}

/// x = r cos θ + √(l² − r² sin² θ), for the crank's true angle: joints hold to what one projection leaves, which is of
/// second order in the error of a step, itself of second order in h.
#[test]
fn the_piston_of_a_slider_crank_is_where_geometry_puts_it() {
    let (r, l) = (0.5, 1.5);
    for (text, h) in [("slider-crank", 0.01), ("slider-crank:motor=false", 0.002)] {
        let mut simulation = linkage(text, h);
        let start = position(&simulation, "piston");
        let mut worst = 0.0_f64;
        let mut turned = 0.0;
        let mut before = angle(direction(&simulation, "crank"));
        for _ in 0..(3.0 / h) as usize {
            run(&mut simulation, 1);
            let theta = angle(direction(&simulation, "crank"));
            turned += wrapped(theta - before);
            before = theta;
            let expected = r * theta.cos() + (l * l - (r * theta.sin()).powi(2)).sqrt();
            let found = position(&simulation, "piston");
            worst = worst.max((found.x - expected).abs());
            // The guide is straight, and the rod's slope is that of its two ends.
            assert_within(found.z, start.z, 1e-5);
            assert_within(found.y, start.y, 1e-9);
            let slope = -(r * theta.sin() / l).asin();
            worst = worst.max(wrapped(angle(direction(&simulation, "rod")) - slope).abs());
        }
        assert!(worst < 1e-5, "{text}: {worst:e}");
        // A motor keeps its speed: 15 rad in 3 s, but for what projection shifts.
        if text == "slider-crank" {
            assert_within(turned, 15.0, 0.02);
        }
    }
}

/// Coupler and rocker meet where two circles do.
#[test]
fn the_rocker_of_a_four_bar_is_where_geometry_puts_it() {
    let (base, a, b, c) = (2.0, 0.8, 2.2, 1.5_f64);
    for (text, h) in [("four-bar", 0.01), ("four-bar:motor=false,speed=6", 0.002)] {
        let mut simulation = linkage(text, h);
        let mut worst = 0.0_f64;
        let mut turned = 0.0;
        let mut before = angle(direction(&simulation, "crank"));
        for _ in 0..(3.0 / h) as usize {
            run(&mut simulation, 1);
            let theta = angle(direction(&simulation, "crank"));
            turned += wrapped(theta - before);
            before = theta;
            let pin = a * Vector3::new(theta.cos(), 0.0, theta.sin());
            let across = Vector3::x() * base - pin;
            // The law of cosines in the triangle of coupler, rocker and diagonal.
            let diagonal = across.norm();
            let inner = ((b * b + diagonal * diagonal - c * c) / (2.0 * b * diagonal)).acos();
            let coupler = angle(across) + inner;
            let knuckle = pin + b * Vector3::new(coupler.cos(), 0.0, coupler.sin());
            let rocker = angle(knuckle - Vector3::x() * base);
            worst = worst.max(wrapped(angle(direction(&simulation, "coupler")) - coupler).abs());
            worst = worst.max(wrapped(angle(direction(&simulation, "rocker")) - rocker).abs());
        }
        assert!(worst < 1e-5, "{text}: {worst:e}");
        if text == "four-bar" {
            assert_within(turned, 9.0, 0.02);
        }
    }
}

/// Two balls on axles with gears of 12 and 30 teeth, a torque on the first.
fn gears(torque: f64, internal: bool) -> (Simulation, [f64; 2], usize) {
    let wheel = |name: &str, radius: f64, mass: f64, x: f64| -> Body {
        Body::dynamic_with_mass(name, Shape::Sphere(Sphere { radius }), mass)
            .expect("a ball has a mass")
            .at(Vector3::x() * x)
    };
    let mut small = wheel("small", 0.2, 2.0, 0.0);
    small.torque = Vector3::z() * torque;
    let large = wheel("large", 0.3, 5.0, 1.4);
    let inertias = [0.4 * 2.0 * 0.04, 0.4 * 5.0 * 0.09];
    let mut world = weightless(0.0, 0.0, [plane("frame", -Vector3::z()), small, large]);
    let centres = [Point3::origin(), Point3::new(1.4, 0.0, 0.0)];
    join(
        &mut world,
        "axle-1",
        Hinge,
        ["frame", "small"],
        Attachment::at(centres[0]),
    );
    join(
        &mut world,
        "axle-2",
        Hinge,
        ["frame", "large"],
        Attachment::at(centres[1]),
    );
    let gear = Gear {
        teeth: [12, 30],
        internal,
    };
    let gear = join(
        &mut world,
        "gear",
        gear,
        ["small", "large"],
        Attachment::between(centres[0], centres[1]),
    );
    (simulation(world, DIRECT, 0.01), inertias, gear)
}

/// α = τ/(I_A + I_B (r_A/r_B)²) for the driven wheel, and the other turns r_A/r_B times as fast, against it or, inside a
/// ring, with it. All rows are linear and constant, so the law holds to the solver's rounding.
#[test]
fn gears_pass_on_speeds_and_torques_in_the_ratio_of_their_teeth() {
    for internal in [false, true] {
        let torque = 1.5;
        let (mut simulation, [small, large], gear) = gears(torque, internal);
        let ratio = 12.0 / 30.0;
        let sign = if internal { 1.0 } else { -1.0 };
        let acceleration = torque / (small + large * ratio * ratio);
        // The pitch circles divide the distance of the axles, 1.4 m, as sum or as difference.
        let radius = if internal { 1.4 * 30.0 / 18.0 } else { 1.4 * 30.0 / 42.0 };
        for n in 1..=200 {
            run(&mut simulation, 1);
            let spin = |name| body(&simulation, name).angular_velocity.z;
            let expected = acceleration * 0.01 * f64::from(n);
            assert_close(spin("small"), expected, 1e-9);
            assert_close(spin("large"), sign * ratio * expected, 1e-9);
            // The teeth carry what turns the second wheel.
            let force = joint_force(&simulation, gear).norm();
            assert_close(force, large * ratio * acceleration / radius, 1e-6);
        }
        let error = simulation.report().joint_error.length;
        assert!(error < 1e-9, "the teeth are off by {error:e} m after {internal}");
    }
}
