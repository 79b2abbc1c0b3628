//! Newton's cradle, and what the law of impact makes of it.
//!
//! Newton's law is asked of all contacts of a step at once. For touching balls it then conserves momentum and energy and
//! still lets none come out alone: `v_1 = −(n−2)/n v`, all others `2/n v`. Where the balls have gaps of more than v h, each
//! impact has a step of its own, and as many come out as came in.

mod common;

use common::*;
use drystone::dynamics::Simulation;
use nalgebra::Vector3;

const SPEED: f64 = 1.5;
const STEP: f64 = 0.001;

/// Balls in a line without weight, the first few of them at speed.
fn line(balls: usize, incoming: usize, gap: f64) -> Simulation {
    let radius = 0.1;
    let row = (0..balls).map(|k| {
        let ball = ball(&format!("ball-{k}"), radius, 1.0).at(Vector3::x() * (k as f64 * (2.0 * radius + gap)));
        moving(ball, [if k < incoming { SPEED } else { 0.0 }, 0.0, 0.0])
    });
    simulation(weightless(0.0, 1.0, row), "hybrid", STEP)
}

fn speeds(simulation: &Simulation) -> Vec<f64> {
    simulation
        .world()
        .bodies()
        .iter()
        .filter(|b| b.is_dynamic())
        .map(|b| b.linear_velocity.x)
        .collect()
}

/// k in, k out, to the tolerance of the solver on impulses of about 1 N·s.
#[test]
fn with_gaps_as_many_come_out_as_came_in() {
    for incoming in 1..=4 {
        let mut simulation = line(5, incoming, 2.0 * SPEED * STEP);
        run(&mut simulation, 40);
        for (k, speed) in speeds(&simulation).into_iter().enumerate() {
            let expected = if k >= 5 - incoming { SPEED } else { 0.0 };
            assert_within(speed, expected, 1e-9);
        }
    }
}

/// All at once: the first bounces off the rest, which leave together. Momentum and energy are conserved all the same.
#[test]
fn touching_balls_share_what_came_in() {
    for balls in [2, 3, 5, 8] {
        let mut simulation = line(balls, 1, 0.0);
        run(&mut simulation, 5);
        let n = balls as f64;
        let found = speeds(&simulation);
        // Sweeps over up to seven contacts stop at changes of 1e-12 N·s.
        assert_within(found[0], -(n - 2.0) / n * SPEED, 1e-9);
        for &speed in &found[1..] {
            assert_within(speed, 2.0 / n * SPEED, 1e-9);
        }
        assert_within(found.iter().sum(), SPEED, 1e-12);
        assert_within(found.iter().map(|v| v * v).sum(), SPEED * SPEED, 1e-9);
    }
}

/// A gap that a ball crosses within the step does not separate the impacts either: the first ball bounces back.
#[test]
fn a_gap_less_than_a_step_is_too_small() {
    let mut simulation = line(5, 1, 0.3 * SPEED * STEP);
    run(&mut simulation, 40);
    let found = speeds(&simulation);
    assert!(found[0] < -0.1 * SPEED, "{found:?}");
    assert_within(found.iter().sum(), SPEED, 1e-12);
}

/// The cradle itself, over a whole swing to the other side and back.
#[test]
fn a_cradle_swings_from_side_to_side() {
    for lifted in [1, 2] {
        let text = format!("newton-cradle:lifted={lifted}");
        let scene = drystone::scenes::load(&text).expect("a catalogue scene");
        let method = scene.solver.clone().expect("the cradle says how it is solved");
        let mut simulation = simulation(scene.build().expect("a scene that builds"), &method, scene.dt);
        let start = energy(&simulation);
        let lowest = -simulation.world().gravity.z * 5.0 * 0.65;
        let incoming = (2.0 * G * (1.0 - 30_f64.to_radians().cos())).sqrt();
        // A quarter of the period of amplitude 30° is 0.51 s; a few milliseconds later the impacts are over.
        let quarter = 0.25 * std::f64::consts::TAU / G.sqrt() / agm(1.0, 15_f64.to_radians().cos());
        let after = |n: f64| ((n * quarter + 0.01) / scene.dt) as usize;
        run(&mut simulation, after(1.0));
        let found = speeds(&simulation);
        for (k, speed) in found.into_iter().enumerate() {
            let expected = if k >= 5 - lifted { incoming } else { 0.0 };
            // Ten milliseconds later it has slowed down by ω²t²/2, 0.05 %; the others have moved by their gaps and swing back.
            assert_within(speed, expected, 1e-3 * incoming);
        }
        let now = simulation.report().step as usize;
        run(&mut simulation, after(3.0) - now);
        let found = speeds(&simulation);
        // Rods lose a little with the step, elastic impacts nothing.
        assert_within((energy(&simulation) - start) / (start - lowest), 0.0, 1e-3);
        for (k, speed) in found.into_iter().enumerate() {
            let expected = if k < lifted { -incoming } else { 0.0 };
            assert_within(speed, expected, 2e-3 * incoming);
        }
    }
}
