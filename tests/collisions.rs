//! Impacts: Newton's law for the normal, Coulomb's for the tangent, momentum for both, and a ball that bounces.

mod common;

use common::*;
use drystone::dynamics::{Body, Simulation};
use nalgebra::Vector3;

/// Two balls that touch, in free space, just before they collide.
fn two_balls(masses: [f64; 2], line: Vector3<f64>, velocities: [Vector3<f64>; 2], law: (f64, f64)) -> Simulation {
    let (r1, r2) = (0.3, 0.5);
    let first = moving(ball("first", r1, masses[0]), velocities[0].into());
    let second = moving(ball("second", r2, masses[1]).at((r1 + r2) * line), velocities[1].into());
    simulation(weightless(law.0, law.1, [first, second]), CONVERGED, 0.01)
}

/// Momentum and `v₂' − v₁' = −e (v₂ − v₁)` give both velocities after a head-on collision.
#[test]
fn head_on_collisions_of_unequal_balls() {
    for restitution in [0.0, 0.5, 1.0] {
        for masses in [[1.0, 1.0], [1.0, 3.0], [7.0, 0.5], [1e-3, 1e3]] {
            let line = Vector3::new(2.0, -1.0, 2.0) / 3.0;
            let speeds = [2.0, -1.0];
            let velocities = speeds.map(|speed| speed * line);
            let mut simulation = two_balls(masses, line, velocities, (0.0, restitution));
            run(&mut simulation, 1);
            let total = masses[0] + masses[1];
            let mean = (masses[0] * speeds[0] + masses[1] * speeds[1]) / total;
            let bounce = restitution * (speeds[0] - speeds[1]) / total;
            // One equation in one unknown: rounding, of a light ball's velocity as an impulse over its mass.
            for (name, expected) in [
                ("first", mean - masses[1] * bounce),
                ("second", mean + masses[0] * bounce),
            ] {
                assert_vector(velocity(&simulation, name), expected * line, 1e-13);
                assert!(body(&simulation, name).angular_velocity.norm() < 1e-13);
            }
            if restitution == 1.0 {
                // Nothing lost: ½ m v² of both.
                let energy = 0.5 * (masses[0] * 4.0 + masses[1]);
                assert_close(simulation.world().kinetic_energy(), energy, 1e-12);
            }
        }
    }
}

/// A ball with a gap that closes within the step collides in that step, with its whole speed.
#[test]
fn a_gap_that_closes_collides_at_once_and_one_that_does_not_waits() {
    let start = |gap: f64| {
        let stone = ball("stone", 0.5, 2.0).at(Vector3::z() * (0.5 + gap));
        let mut simulation = simulation(
            weightless(0.0, 0.5, [ground(), moving(stone, [0.0, 0.0, -0.4])]),
            CONVERGED,
            0.01,
        );
        run(&mut simulation, 1);
        velocity(&simulation, "stone").z
    };
    // It covers 4 mm in the step. Rounding only.
    assert_within(start(0.003), 0.2, 1e-14);
    assert_within(start(0.005), -0.4, 1e-14);
}

/// An oblique impact with friction has one contact and so a closed form: λ_n = (1 + e) u_n m̃ with the reduced mass m̃,
/// and λ_t = min(μ λ_n, 2/7 m̃ u_t), because a ball's rim gives way 7/2 times as easily as its centre.
#[test]
fn oblique_collisions_slip_or_stick() {
    let masses = [2.0, 3.0];
    let reduced = masses[0] * masses[1] / (masses[0] + masses[1]);
    let line = Vector3::new(1.0, 2.0, -2.0) / 3.0;
    let across = Vector3::new(2.0, 1.0, 2.0) / 3.0;
    let (mut slips, mut sticks) = (0, 0);
    for friction in [0.05, 0.2, 1.0] {
        for restitution in [0.0, 0.6, 1.0] {
            for tangential in [0.3, 1.5, 6.0] {
                let approach = 2.0;
                let first = approach * line + tangential * across;
                let spin = Vector3::new(0.3, -0.2, 0.5);
                let mut simulation = two_balls(masses, line, [first, Vector3::zeros()], (friction, restitution));
                let index = simulation.world().find("first").expect("it is there");
                simulation.world_mut().bodies_mut()[index].angular_velocity = spin;
                run(&mut simulation, 1);

                // Velocity of the second against the first where they touch.
                let rim = -(first + spin.cross(&(0.3 * line)));
                let slip = rim - rim.dot(&line) * line;
                let normal = (1.0 + restitution) * approach * reduced;
                let stick = 2.0 / 7.0 * reduced * slip.norm();
                if stick > friction * normal {
                    slips += 1;
                } else {
                    sticks += 1;
                }
                let impulse = normal * line - stick.min(friction * normal) * slip.normalize();
                let inertia = |mass: f64, radius: f64| 0.4 * mass * radius * radius;
                // Gauss–Seidel on one contact between balls ends after two sweeps: rounding.
                let [one, two] = ["first", "second"].map(|name| body(&simulation, name));
                assert_vector(one.linear_velocity, first - impulse / masses[0], 1e-13);
                assert_vector(two.linear_velocity, impulse / masses[1], 1e-13);
                let turn = |arm: f64, mass: f64| arm * line.cross(&impulse) / inertia(mass, arm);
                assert_vector(one.angular_velocity, spin - turn(0.3, masses[0]), 1e-12);
                assert_vector(two.angular_velocity, -turn(0.5, masses[1]), 1e-12);
            }
        }
    }
    // Both branches were visited.
    assert!(slips >= 5 && sticks >= 5, "{slips} {sticks}");
}

/// Heights of the first apexes of a ball dropped from 1 m on a floor.
fn apexes(restitution: f64, h: f64, count: usize) -> Vec<f64> {
    let radius = 0.1;
    let stone = ball("stone", radius, 1.0).at(Vector3::z() * (1.0 + radius));
    // The envelope is wide enough to see the floor one step before it is reached at 4.4 m/s.
    let method = format!("semi-implicit:envelope={}/pgs:iterations=20", 5.0 * h);
    let mut simulation = simulation(world(0.3, restitution, [ground(), stone]), &method, h);
    let mut found = Vec::new();
    let mut before = velocity(&simulation, "stone").z;
    while found.len() < count {
        let height = position(&simulation, "stone").z - radius;
        run(&mut simulation, 1);
        let now = velocity(&simulation, "stone").z;
        if before > 0.0 && now <= 0.0 {
            found.push(height);
        }
        before = now;
        assert!(simulation.world().time < 10.0, "no more bounces after {found:?}");
    }
    found
}

/// The n-th apex is at e²ⁿ of the height, to first order in h.
#[test]
fn apexes_of_a_bouncing_ball_shrink_by_the_square_of_the_restitution() {
    for restitution in [0.8, 0.5] {
        let worst = |h: f64| {
            let found = apexes(restitution, h, 4);
            let errors = (1..).zip(found).map(|(n, apex)| (apex - restitution.powi(2 * n)).abs());
            errors.fold(0.0, f64::max)
        };
        let impact: f64 = (2.0 * G).sqrt();
        for h in [0.004, 0.001, 0.000_25] {
            // A bounce is early by up to one step: it starts up to v h above the floor and g h too slow, which is v h
            // again in height. What earlier bounces left shrinks with them.
            let bound = 2.0 * impact * h / (1.0 - restitution * restitution);
            assert!(
                worst(h) < bound,
                "e = {restitution}, h = {h}: {:e} > {bound:e}",
                worst(h)
            );
        }
        // The error depends on where within its step the impact falls; over a factor of 16 that evens out.
        assert!(worst(0.000_25) < worst(0.004) / 5.0);
    }
}

/// With e = 1 the scheme is its own mirror image in time: after the bounce it runs the same points back, and the apex
/// is the same for ever.
#[test]
fn a_perfectly_elastic_ball_returns_to_its_height() {
    let h = 0.002;
    for apex in apexes(1.0, h, 6) {
        // 6 bounces of 500 steps, numbers of size 4.
        assert_within(apex, 1.0, 3000.0 * 4.0 * f64::EPSILON);
    }
}

/// Contacts slower than the threshold do not bounce, faster ones do.
#[test]
fn there_is_no_bounce_below_the_threshold() {
    let after = |speed: f64, method: &str| {
        let stone = moving(ball("stone", 0.5, 2.0).at(Vector3::z() * 0.5), [0.0, 0.0, -speed]);
        let mut simulation = simulation(weightless(0.2, 0.5, [ground(), stone]), method, 0.01);
        run(&mut simulation, 1);
        velocity(&simulation, "stone").z
    };
    // One normal equation, solved to rounding.
    assert_within(after(0.099, "pgs"), 0.0, 1e-15);
    assert_within(after(0.101, "pgs"), 0.0505, 1e-15);
    assert_within(after(0.4, "semi-implicit:restitution-threshold=0.5/pgs"), 0.0, 1e-15);
    assert_within(after(0.001, "semi-implicit:restitution-threshold=0/pgs"), 0.0005, 1e-15);
}

/// A gap that closes within a step is closed exactly: an inelastic ball, however fast, ends its step on the surface of a
/// thin plate. Without contacts that reach ahead it passes through between two steps.
#[test]
fn a_fast_ball_stops_at_a_thin_plate() {
    for (speculative, passes) in [(true, false), (false, true)] {
        let plate = Body::fixed("plate", box_shape([1.0, 1.0, 0.05]));
        let bullet = moving(ball("bullet", 0.02, 0.1).at(Vector3::z() * 1.0), [0.0, 0.0, -60.0]);
        let method = format!("semi-implicit:speculative={speculative}/{CONVERGED}");
        let mut simulation = simulation(weightless(0.0, 0.0, [plate, bullet]), &method, 0.01);
        run(&mut simulation, 10);
        let height = position(&simulation, "bullet").z;
        if passes {
            assert!(height < -1.0, "{height}");
        } else {
            // One row: rounding of positions of size one.
            assert_within(height, 0.05 + 0.02, 1e-14);
        }
    }
}
