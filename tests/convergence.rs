//! How fast Gauss–Seidel converges where theory says so: a heavy ball on a light one (dissertation figure 6.23, X07).

mod common;

use common::*;
use drystone::dynamics::Simulation;
use drystone::solver::Measure;
use nalgebra::Vector3;

/// The lower ball has r = 0.5 m at 1 kg/m³, the upper r = 1 m at 1000 kg/m³: a mass ratio of 8000.
fn two_balls(iterations: usize, ratio: f64) -> Simulation {
    let light = std::f64::consts::PI / 6.0;
    let lower = ball("lower", 0.5, light).at(Vector3::z() * 0.5);
    let upper = ball("upper", 1.0, ratio * light).at(Vector3::z() * 2.0);
    let method = format!("pgs:warm-start=0,iterations={iterations}");
    simulation(world(0.0, 0.0, [ground(), lower, upper]), &method, 0.01)
}

/// With A = [[1/m₁, −1/m₁], [−1/m₁, 1/m₁ + 1/m₂]] a sweep multiplies the error by A₁₂²/(A₁₁A₂₂) = m₂/(m₁ + m₂).
#[test]
fn the_error_of_two_balls_shrinks_by_the_mass_ratio() {
    for (ratio, rate) in [(8000.0, 0.999_875), (1.0, 0.5), (99.0, 0.99)] {
        let mut simulation = two_balls(20, ratio);
        simulation.set_measure(Measure::EveryIteration);
        run(&mut simulation, 1);
        let history = &simulation.report().convergence[0].history;
        assert_eq!(history.len(), 21);
        // The rates in the table are rounded to six digits; residuals lose 1e-16 times the ratio to rounding.
        for pair in history[1..].windows(2) {
            assert_within(pair[1] / pair[0], rate, 1e-6);
            assert_close(pair[1] / pair[0], ratio / (1.0 + ratio), 1e-9);
        }
    }
}

/// The dissertation needed about 64 000 sweeps for a stable picture; that leaves 0.999875⁶⁴⁰⁰⁰ = 3.4e-4 of the error.
#[test]
fn sixty_four_thousand_sweeps_leave_a_third_of_a_thousandth() {
    for (iterations, left) in [(10, 0.9988), (1000, 0.883), (10_000, 0.287), (64_000, 3.4e-4)] {
        let mut simulation = two_balls(iterations, 8000.0);
        simulation.set_measure(Measure::Final);
        run(&mut simulation, 1);
        // Cold start: the error in λ₁ is the upper ball's weight at first, and each sweep leaves m₂/(m₁ + m₂) of it.
        // The upper ball gains what is missing: its velocity is −g h times what is left.
        let falling = -velocity(&simulation, "upper").z / (G * 0.01);
        // Printed to two to four digits.
        assert_close(falling, left, 0.02);
        assert_close(falling, (8000.0_f64 / 8001.0).powi(iterations as i32), 2e-4);
    }
}
