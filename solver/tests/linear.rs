//! Systems `(C + E A) x = b`, on rigid bodies, on the same matrix written out, and by a dense LU.

mod common;

use common::{Sample, random_vector};
use drystone_solver::Problem;
use drystone_solver::linear::{Gmres, LinearSolver, Shifted};
use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Random blocks: C dominant on the diagonal, E without structure, and zero for some blocks.
fn random_blocks(problem: &Problem, size: f64, rng: &mut Pcg64) -> (Vec<f64>, Vec<f64>) {
    let (mut c, mut e) = (Vec::new(), Vec::new());
    for (index, block) in problem.blocks.iter().enumerate() {
        let n = block.len as usize;
        for k in 0..n * n {
            let diagonal = if k % (n + 1) == 0 { 1.0 } else { 0.0 };
            c.push(size * (diagonal + 0.2 * random_vector(rng)[0] / n as f64));
            let coupled = if index % 4 == 3 { 0.0 } else { 1.0 };
            e.push(coupled * (diagonal + 0.3 * random_vector(rng)[0] / n as f64));
        }
    }
    (c, e)
}

fn dense(problem: &Problem, blocks: &[f64]) -> DMatrix<f64> {
    let mut matrix = DMatrix::zeros(problem.rows(), problem.rows());
    let mut at = 0;
    for block in &problem.blocks {
        for i in block.rows() {
            for j in block.rows() {
                matrix[(i, j)] = blocks[at];
                at += 1;
            }
        }
    }
    matrix
}

#[test]
fn all_ways_to_solve_agree_with_a_dense_factorisation() {
    let mut rng = Pcg64::seed_from_u64(17);
    for seed in 0..6 {
        let sample = Sample::random(seed, 12, 30, true);
        let problem = sample.problem();
        let explicit = problem.explicit().unwrap();
        // Small C is the hard case: more rows than the bodies have freedoms, so that A alone is singular.
        for size in [1.0, 1e-3, 1e-6] {
            let (c, e) = random_blocks(&problem, size, &mut rng);
            let matrix = dense(&problem, &c) + dense(&problem, &e) * sample.dense();
            let b = DVector::from_fn(problem.rows(), |_, _| rng.random_range(-1.0..1.0));
            let expected = matrix.clone().lu().solve(&b).unwrap();
            for (what, problem, solver) in [
                ("bodies", &problem, LinearSolver::Direct),
                ("rows", &explicit, LinearSolver::Direct),
                ("krylov", &problem, LinearSolver::Krylov),
                ("krylov rows", &explicit, LinearSolver::Krylov),
            ] {
                let krylov = Gmres {
                    krylov_tolerance: 1e-14,
                    krylov_restart: 200,
                    ..Gmres::default()
                };
                let mut system = Shifted::new(problem, solver, &krylov).unwrap();
                let mut x = vec![0.0; problem.rows()];
                // Twice with other numbers in between: nothing may be left over.
                system.factor(&e, &c).unwrap_or_default();
                system.factor(&c, &e).unwrap();
                system.solve(b.as_slice(), &mut x);
                let x = DVector::from_vec(x);
                let residual = (&matrix * &x - &b).norm() / b.norm();
                // Backward stable: the residual is rounding times the size of the solution.
                let bound = 1e-14 * (1.0 + matrix.norm() * x.norm() / b.norm());
                assert!(residual < bound, "{what}, seed {seed}, C {size}: {residual} {bound}");
                let error = (&x - &expected).norm() / expected.norm();
                // Forward error: rounding times the condition number, at most about 10/size.
                assert!(error < 1e-12 / size, "{what}, seed {seed}, C {size}: {error}");
            }
        }
    }
}
