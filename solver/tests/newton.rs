//! The Newton family beyond the suite for all solvers: rates, linear solvers, stacks and mass ratios.

mod common;

use common::{Sample, distance, solver, stack};
use drystone_solver::linear::{Gmres, LinearSolver, Shifted};
use drystone_solver::{Context, Convergence, Measure, Problem, Residuals, Status};

fn solve(spec: &str, problem: &Problem) -> (Vec<f64>, Convergence) {
    let mut impulses = vec![0.0; problem.rows()];
    let mut context = Context::default();
    context.measure = Measure::EveryIteration;
    let report = solver(spec).solve(problem, &mut impulses, &mut context).unwrap();
    (impulses, report)
}

fn velocities(problem: &Problem, impulses: &[f64]) -> Vec<f64> {
    let mut velocities = vec![0.0; problem.rows()];
    problem.velocities(impulses, &mut velocities);
    velocities
}

/// Far from it Newton halves its step, near a solution the residual is squared: where the active set no longer changes,
/// the equations of sticking and parted contacts are linear, those of slipping ones smooth.
#[test]
fn the_last_steps_converge_faster_than_linearly() {
    let problem = Sample::random(4, 8, 12, false).dominant().problem();
    let spec = "alart-curnier:sweeps=0,regularisation=0,tolerance=0,iterations=12";
    let (_, report) = solve(spec, &problem);
    let start = report.history.iter().position(|r| *r < 1e-2).unwrap();
    let reached = report.history[start..].iter().position(|r| *r < 1e-12).unwrap();
    assert!(reached <= 4, "{:?}", report.history);
}

/// A Krylov method in the place of the factorisation gives the same solution.
#[test]
fn linear_solvers_lead_to_the_same_velocities() {
    for seed in 0..4 {
        let problem = Sample::random(seed, 8, 16, true).problem();
        for name in ["proximal", "alart-curnier"] {
            let (direct, report) = solve(&format!("{name}:tolerance=1e-11"), &problem);
            assert_eq!(report.status, Status::Converged, "{name}, seed {seed}");
            let (krylov, report) = solve(&format!("{name}:tolerance=1e-11,linear=krylov"), &problem);
            assert_eq!(report.status, Status::Converged, "{name}, seed {seed}");
            let difference = distance(&velocities(&problem, &direct), &velocities(&problem, &krylov));
            // Both have residuals below 1e-11; velocities are at most a condition number of these blocks apart.
            assert!(difference < 1e-8, "{name}, seed {seed}: {difference}");
        }
    }
}

/// The weight of everything above goes through every layer: impulses are known in closed form up to how the four
/// contacts of a layer share them, velocities are zero.
#[test]
fn tall_stacks_and_large_mass_ratios_are_held() {
    let heavy: Vec<f64> = (0..10).map(|k| if k == 9 { 1e6 } else { 1.0 }).collect();
    // With 1e6 kg on 1 kg the impulses of 1e5 N·s round at 1e-11, and so do the velocities of the light boxes.
    for (masses, tolerance) in [(vec![1.0; 50], 1e-12), (heavy, 1e-9)] {
        let problem = stack(&masses, 0.5, 0.0);
        let (impulses, report) = solve(&format!("proximal:tolerance={tolerance}"), &problem);
        assert_eq!(report.status, Status::Converged, "{:?}", report.residual);
        assert!(report.iterations < 40, "{}", report.iterations);
        for layer in 0..masses.len() {
            let weight: f64 = 0.0981 * masses[layer..].iter().sum::<f64>();
            let carried: f64 = (0..4).map(|contact| impulses[3 * (4 * layer + contact)]).sum();
            // The residual times the mass above: what is left of the velocity.
            assert!(
                (carried / weight - 1.0).abs() < 1e-7,
                "layer {layer}: {carried} {weight}"
            );
        }
    }
}

/// A pushed stack slips at the top: the block's deceleration is Coulomb's, whatever the pushing direction.
#[test]
fn what_slips_is_slowed_by_the_friction_it_has() {
    let problem = stack(&[1.0; 3], 0.5, 2.0);
    let (impulses, report) = solve("proximal:tolerance=1e-12", &problem);
    assert_eq!(report.status, Status::Converged);
    let top = &impulses[24..36];
    let normal: f64 = top.chunks(3).map(|c| c[0]).sum();
    let along = [1, 2].map(|k| top.chunks(3).map(|c| c[k]).sum::<f64>());
    // All four contacts slip in the direction of the push, so their friction adds up to μ times the weight.
    assert!((normal - 0.0981).abs() < 1e-9);
    assert!((along[0].hypot(along[1]) - 0.5 * normal).abs() < 1e-9);
    assert!((along[1] / along[0] - 0.3).abs() < 1e-6);
}

/// Box LCPs by all three equations agree with each other and with the law.
#[test]
fn equations_for_boxes_agree() {
    for seed in 0..6 {
        let mut problem = Sample::random(seed, 8, 16, true).problem();
        for block in &mut problem.blocks {
            if block.cone.is_contact() {
                block.cone = drystone_solver::Cone::NonNegative;
            }
        }
        let specs = ["minimum-map", "fischer", "fischer:penalised=true", "proximal"];
        let results = specs.map(|spec| {
            let separator = if spec.contains(':') { ',' } else { ':' };
            let (impulses, report) = solve(&format!("{spec}{separator}tolerance=1e-11"), &problem);
            assert_eq!(
                report.status,
                Status::Converged,
                "{spec}, seed {seed}: {:?}",
                report.history.last()
            );
            assert!(Residuals::of(&problem, &impulses).natural <= 1e-11);
            velocities(&problem, &impulses)
        });
        for result in &results[1..] {
            assert!(distance(result, &results[0]) < 1e-8, "seed {seed}");
        }
    }
}

/// The factors of a stack's matrix grow with its height, not with its square: the space of bodies is a chain.
#[test]
fn memory_grows_in_proportion_to_a_stack() {
    let numbers = |boxes: usize| {
        let problem = stack(&vec![1.0; boxes], 0.5, 0.0);
        Shifted::new(&problem, LinearSolver::Direct, &Gmres::default())
            .unwrap()
            .factor_len()
    };
    // At most a block and two couplings a body, in fronts of two bodies.
    assert!(numbers(1000) <= 1000 * 36 * 4);
    assert!(numbers(1000) <= 2 * numbers(500) + 36 * 8);
}
