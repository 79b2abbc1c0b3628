//! Mass splitting against splitting the bodies by hand, and its claim that no sweep raises the energy.

mod common;

use common::{Sample, distance, solved, solver, stack};
use drystone_solver::{Cone, Context, InverseMass, Problem, RigidBodies};
use nalgebra::DVector;

/// From rest a sweep is what each constraint does alone to its own parts of its two bodies, n_b times lighter than these.
#[test]
fn a_sweep_solves_every_constraint_on_its_own_share_of_the_bodies() {
    for seed in 0..5 {
        let sample = Sample::random(seed, 6, 14, true);
        let mut count = vec![0.0; sample.bodies.len()];
        for constraint in &sample.constraints {
            constraint.pair.iter().for_each(|&body| count[body as usize] += 1.0);
        }
        for granularity in ["rows", "blocks"] {
            let ours = solved(
                &format!("mass-splitting:iterations=1,granularity={granularity}"),
                &sample.problem(),
            );
            let mut alone = Vec::new();
            for constraint in &sample.constraints {
                let mut problem = Problem::default();
                let mut assembler = problem.assemble();
                let pair = constraint.pair.map(|body| {
                    if body == RigidBodies::IMMOVABLE {
                        return body;
                    }
                    let (whole, parts) = (sample.bodies[body as usize], count[body as usize]);
                    assembler.add_body(InverseMass {
                        mass: whole.mass * parts,
                        inertia: whole.inertia * parts,
                    })
                });
                assembler.add_block(pair, constraint.cone, &constraint.rows);
                alone.extend(solved(&format!("pgs:iterations=1,granularity={granularity}"), &problem));
            }
            // A few operations on numbers of size one.
            assert!(distance(&ours, &alone) < 1e-13, "{}", distance(&ours, &alone));
        }
    }
}

/// Bounds only, so that the energy is what is to be lowered: every sweep does, while Jacobi's with the same factor of 1
/// raise it.
#[test]
fn no_sweep_raises_the_energy_as_jacobis_do() {
    let mut problem = stack(&[1.0, 2.0, 1.0, 5.0], 0.0, 0.0);
    for block in &mut problem.blocks {
        block.cone = Cone::NonNegative;
    }
    for problem in [problem.explicit().unwrap(), problem] {
        let a = problem.assembled().unwrap().to_dense();
        let b = DVector::from_column_slice(&problem.bias);
        let energy = |x: &[f64]| {
            let x = DVector::from_column_slice(x);
            0.5 * x.dot(&(&a * &x)) + x.dot(&b)
        };
        // By how much the worst of 300 sweeps raises the energy.
        let worst_rise = |spec: String| {
            let solver = solver(&spec);
            let mut impulses: Vec<f64> = (0..problem.rows()).map(|row| (row % 3) as f64).collect();
            let mut last = energy(&impulses);
            let mut worst = f64::NEG_INFINITY;
            for _ in 0..300 {
                solver.solve(&problem, &mut impulses, &mut Context::default()).unwrap();
                worst = f64::max(worst, energy(&impulses) - last);
                last = energy(&impulses);
            }
            worst
        };
        for granularity in ["rows", "blocks"] {
            let rise = worst_rise(format!("mass-splitting:iterations=1,granularity={granularity}"));
            // The rounding of an energy of size one, when nothing is left to be gained.
            assert!(rise < 1e-14, "{granularity}: {rise}");
            let rise = worst_rise(format!("jacobi:relaxation=1,iterations=1,granularity={granularity}"));
            assert!(rise > 0.1, "{granularity}: {rise}");
        }
    }
}
