//! A resting stack carries exactly its weight, at every level, however it is detected.

mod common;

use common::*;
use drystone::dynamics::{Body, Simulation};
use nalgebra::Vector3;

const H: f64 = 0.01;

/// Bodies named by their level from 0, each standing on the one below.
fn stack(method: &str, levels: impl IntoIterator<Item = (Body, f64)>) -> Simulation {
    let mut top = 0.0;
    let mut bodies = vec![ground()];
    for (level, (body, half_height)) in levels.into_iter().enumerate() {
        let mut body = body.at(Vector3::z() * (top + half_height));
        body.name = level.to_string();
        bodies.push(body);
        top += 2.0 * half_height;
    }
    simulation(world(0.5, 0.25, bodies), method, H)
}

/// Each level's contacts push with (mass above) g h, and nothing moves.
fn assert_carries_its_weight(mut simulation: Simulation, steps: usize, tolerance: f64) {
    let masses: Vec<f64> = simulation
        .world()
        .bodies()
        .iter()
        .skip(1)
        .map(|body| body.mass)
        .collect();
    let start: Vec<_> = simulation.world().bodies().iter().map(|body| body.pose).collect();
    for _ in 0..steps {
        run(&mut simulation, 1);
        for level in 0..masses.len() {
            let below = if level == 0 {
                "ground".into()
            } else {
                (level - 1).to_string()
            };
            let carried = impulse_between(&simulation, &below, &level.to_string());
            let weight = masses[level..].iter().sum::<f64>() * G * H;
            assert_vector(carried, Vector3::z() * weight, tolerance * weight);
        }
    }
    for (body, start) in simulation.world().bodies().iter().zip(&start) {
        let moved = (body.pose.translation.vector - start.translation.vector).norm();
        // A relative error ε of the impulses is a velocity of ε g h (times the mass ratio), for all the steps.
        assert!(moved < 1e-9, "{}: {moved:e}", body.name);
    }
}

fn boxes(count: usize) -> impl Iterator<Item = (Body, f64)> {
    (0..count).map(|_| (cuboid("box", [0.5; 3], 10.0), 0.5))
}

/// Gauss–Seidel contracts by 1 − O(1/n²): five levels leave about 100 times the 1e-14 of its stopping test.
#[test]
fn boxes_carry_their_weight() {
    assert_carries_its_weight(stack(CONVERGED, boxes(5)), 50, 1e-9);
}

#[test]
fn boxes_of_all_sizes_and_masses_carry_their_weight() {
    let sizes = [[0.8, 0.7, 0.1], [0.3, 0.5, 0.2], [0.4, 0.2, 0.3], [0.1, 0.1, 0.4]];
    let levels = (0..)
        .zip(sizes)
        .map(|(k, half)| (cuboid("box", half, 1.0 + f64::from(k * k)), half[2]));
    assert_carries_its_weight(stack(CONVERGED, levels), 50, 1e-9);
}

/// A column of balls is an equilibrium, though not a stable one: rounding is all that pushes it off.
#[test]
fn balls_carry_their_weight() {
    let levels = (1..=5).map(|k| {
        let radius = 0.1 * f64::from(k);
        (ball("ball", radius, f64::from(k)), radius)
    });
    assert_carries_its_weight(stack(CONVERGED, levels), 50, 1e-9);
}

#[test]
fn boxes_and_a_ball_on_top_carry_their_weight() {
    let levels = [
        (cuboid("box", [0.5, 0.5, 0.2], 3.0), 0.2),
        (cuboid("box", [0.3, 0.4, 0.3], 2.0), 0.3),
        (ball("ball", 0.2, 1.0), 0.2),
    ];
    assert_carries_its_weight(stack(CONVERGED, levels), 50, 1e-9);
}

/// A hundred or a thousand times its own mass on top: the error shrinks by 1 − 1/ratio a sweep for balls, more slowly
/// for boxes that can rock, so the stopping test of 1e-14 leaves some 1e-11.
#[test]
fn a_heavy_top_is_carried() {
    let boxes = |ratio: f64| [1.0, ratio].map(|mass| (cuboid("box", [0.5; 3], mass), 0.5));
    let balls = |ratio: f64| [1.0, ratio].map(|mass| (ball("ball", 0.5, mass), 0.5));
    assert_carries_its_weight(stack(CONVERGED, balls(1000.0)), 10, 1e-9);
    assert_carries_its_weight(stack(CONVERGED, boxes(100.0)), 10, 1e-9);
    // Some 290 000 sweeps, once.
    let patient = "pgs:friction=cone,iterations=1000000,tolerance=1e-16,stop=relative";
    assert_carries_its_weight(stack(patient, boxes(1000.0)), 1, 1e-9);
}

/// A beam on two posts: half of its weight on each when it lies centred, by levers when it does not.
#[test]
fn a_beam_rests_on_two_posts_by_the_law_of_the_lever() {
    for shift in [0.0, 0.4] {
        let post = |name: &str, x: f64| ball(name, 0.5, 2.0).at(Vector3::new(x, 0.0, 0.5));
        let beam = cuboid("beam", [2.0, 0.3, 0.1], 6.0).at(Vector3::new(shift, 0.0, 1.1));
        let bodies = [ground(), post("left", -1.0), post("right", 1.0), beam];
        let mut simulation = simulation(world(0.5, 0.0, bodies), CONVERGED, H);
        run(&mut simulation, 5);
        let weight = 6.0 * G * H;
        // Contraction between post, beam and post is fast; 1e-9 as for the stacks.
        let left = impulse_between(&simulation, "left", "beam").z;
        let right = impulse_between(&simulation, "right", "beam").z;
        assert_close(left, 0.5 * (1.0 - shift) * weight, 1e-9);
        assert_close(right, 0.5 * (1.0 + shift) * weight, 1e-9);
    }
}

/// Broad phases differ only in how fast they find the pairs: the same bits come out of all.
#[test]
fn all_broad_phases_give_the_same_bits() {
    let end = |broad_phase: &str| {
        let method = format!("semi-implicit:broad-phase={broad_phase}/pgs:iterations=30");
        let mut simulation = stack(&method, boxes(6));
        // A nudge, so that there is something to simulate.
        simulation.world_mut().bodies_mut()[4].linear_velocity.x = 0.5;
        simulation.world_mut().bodies_mut()[6].angular_velocity.z = 2.0;
        run(&mut simulation, 300);
        bits(&simulation)
    };
    let expected = end("all-pairs");
    assert_eq!(expected, end("sweep-and-prune"));
    assert_eq!(expected, end("grid"));
}

/// Where every corner of a box lies well inside the face below, the repairs of §6.3 change no force.
#[test]
fn both_box_methods_carry_the_weight() {
    for method in ["improved", "old"] {
        let method = format!("semi-implicit:box-box={method}/{CONVERGED}");
        let pyramid = [0.5, 0.4, 0.3, 0.2].map(|half| (cuboid("box", [half, half, 0.25], 10.0 * half), 0.25));
        assert_carries_its_weight(stack(&method, pyramid), 50, 1e-9);
    }
}

/// Where corner stands on corner, the improved method finds the four points in every step, noise or not; the old one
/// finds each twice at first and then loses some (figure 6.45).
#[test]
fn corners_on_corners_are_found_in_every_step_by_the_improved_method_alone() {
    let counts = |method: &str| {
        let mut simulation = stack(&format!("semi-implicit:box-box={method}/pgs:iterations=100"), boxes(3));
        (0..100)
            .map(|_| {
                run(&mut simulation, 1);
                simulation.report().contacts
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(counts("improved"), [12; 100]);
    assert!(counts("old").iter().any(|&count| count != 12));
}
