//! The heavy symmetric top: precession on a pivot.

mod common;

use common::*;
use drystone::dynamics::Simulation;
use nalgebra::Vector3;

const SIZE: f64 = 0.5;
const THICKNESS: f64 = 0.1;
const LEVER: f64 = 0.3;

/// Moments per mass, along the axis and about the pivot across it.
fn moments() -> [f64; 2] {
    let along = SIZE * SIZE / 6.0;
    let across = (SIZE * SIZE + THICKNESS * THICKNESS) / 12.0 + LEVER * LEVER;
    [along, across]
}

/// The slow root of `I₁ Ω² cos θ − I_s s Ω + m g l = 0`.
fn precession(spin: f64, tilt: f64) -> f64 {
    let [along, across] = moments();
    let momentum = along * spin;
    let root = momentum * momentum - 4.0 * across * tilt.cos() * G * LEVER;
    2.0 * G * LEVER / (momentum + root.sqrt())
}

fn top(spin: f64, degrees: f64, steady: bool, h: f64) -> Simulation {
    let text = format!("spinning-top:spin={spin},tilt={degrees},steady={steady}");
    let scene = drystone::scenes::load(&text).expect("a catalogue scene");
    let method = scene.solver.clone().expect("the top says how it is solved");
    simulation(scene.build().expect("a scene that builds"), &method, h)
}

/// Tilt and azimuth of the axis.
fn axis(simulation: &Simulation) -> (f64, f64) {
    let axis = body(simulation, "top").pose.rotation * Vector3::z();
    (axis.z.acos(), axis.y.atan2(axis.x))
}

/// The mean precession over a time, and how much the tilt has changed.
fn measured(mut simulation: Simulation, time: f64) -> (f64, f64) {
    let (start, mut before) = axis(&simulation);
    let mut turned = 0.0;
    for _ in 0..(time / simulation.dt()).round() as usize {
        run(&mut simulation, 1);
        let (_, azimuth) = axis(&simulation);
        let step = azimuth - before;
        turned += step.sin().atan2(step.cos());
        before = azimuth;
    }
    (turned / time, axis(&simulation).0 - start)
}

/// A top set going in steady precession keeps to it: rate and tilt are off by what the step makes, of first order.
#[test]
fn a_top_in_steady_precession_keeps_its_rate_and_its_tilt() {
    for (spin, degrees) in [(100.0, 30.0), (60.0, 75.0), (80.0, 120.0)] {
        let expected = precession(spin, f64::to_radians(degrees));
        let error = |h: f64| {
            let (rate, nod) = measured(top(spin, degrees, true, h), 1.0);
            (rate / expected - 1.0, nod)
        };
        let (coarse, fine) = (error(0.001), error(0.0005));
        assert!(coarse.0.abs() < 5e-3 && fine.0.abs() < 2.5e-3, "{coarse:?}, {fine:?}");
        // The top sinks with the step: half the step, half of it.
        assert!(coarse.1.abs() < 0.05, "{coarse:?}");
        assert_within(coarse.1 / fine.1, 2.0, 0.1);
    }
}

/// Ω ≈ m g l/(I_s s), the better the faster: the first correction is I₁ Ω cos θ/(I_s s) of it. Let go with its spin alone,
/// the top nods about the same mean.
#[test]
fn a_fast_top_precesses_with_the_torque_over_its_spin() {
    let [along, across] = moments();
    for spin in [100.0, 200.0] {
        let gyroscopic = G * LEVER / (along * spin);
        let correction = across * gyroscopic * 0.5_f64.sqrt() / (along * spin);
        for steady in [true, false] {
            let (rate, _) = measured(top(spin, 45.0, steady, 0.0005), 1.0);
            // Twice the correction, and half a percent for the step.
            assert_close(rate, gyroscopic, 2.0 * correction + 0.005);
        }
    }
}
