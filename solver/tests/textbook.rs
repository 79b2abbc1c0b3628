//! The sweeps are the ones of the books: every iterate, not just the limit, agrees with the dissertation's algorithms
//! written down plainly on a dense matrix, one scalar row after the other.

mod common;

use common::{Sample, distance, solved};
use drystone_solver::{Cone, Problem};
use nalgebra::{DMatrix, DVector, Matrix2, Vector2};

/// As in `operators.rs`: rounding that a contraction does not enlarge.
const ROUNDING: f64 = 1e-13;

#[derive(Clone, Copy, PartialEq)]
enum Model {
    Box(f64),
    Cone,
}

/// One sweep of SOR-LCP-3 (figure 6.7, without the errors of figure 6.10): `x_i ← P(x_i − ω w_i/A_ii)` with w from the
/// newest x, limits of tangents from the newest normal. `frozen` is Jacobi: w from the x at the start of the sweep.
fn sweep(problem: &Problem, a: &DMatrix<f64>, x: &mut DVector<f64>, omega: f64, model: Model, frozen: bool) {
    let b = DVector::from_column_slice(&problem.bias);
    let old = x.clone();
    for block in &problem.blocks {
        let first = block.first as usize;
        for row in block.rows() {
            let at = if frozen { &old } else { &*x };
            let w = (a.row(row) * at)[0] + b[row];
            let target = x[row] - omega * w / a[(row, row)];
            x[row] = match block.cone {
                Cone::Free => target,
                Cone::NonNegative => target.max(0.0),
                Cone::Interval { lower, upper } => target.max(lower).min(upper),
                Cone::Rolling { .. } | Cone::SecondOrder { .. } => unreachable!("not among the samples"),
                Cone::Friction { .. } if row == first => target.max(0.0),
                Cone::Friction { coefficient } => match model {
                    Model::Box(share) => {
                        let limit = share * coefficient * x[first];
                        target.max(-limit).min(limit)
                    }
                    Model::Cone => {
                        // Both tangents at once, with the step that suits the stiffer direction.
                        let w = Vector2::from_fn(|k, _| (a.row(row + k) * at)[0] + b[row + k]);
                        let stiffness = Matrix2::from_fn(|k, l| a[(row + k, row + l)])
                            .symmetric_eigenvalues()
                            .max();
                        let target = Vector2::new(x[row], x[row + 1]) - omega * w / stiffness;
                        let limit = coefficient * x[first];
                        let new = if target.norm() > limit {
                            target * (limit / target.norm())
                        } else {
                            target
                        };
                        x.rows_mut(row, 2).copy_from(&new);
                        break;
                    }
                },
            };
        }
    }
}

#[test]
fn every_iterate_on_scalar_rows_is_the_textbooks() {
    for seed in 0..5 {
        let sample = Sample::random(seed, 8, 20, true).dominant();
        let (problem, a) = (sample.problem(), sample.dense());
        for (name, omega) in [
            ("pgs", 1.0),
            ("psor:relaxation=1.3", 1.3),
            ("psor:relaxation=0.7", 0.7),
            ("jacobi:relaxation=0.4", 0.4),
        ] {
            for (friction, model) in [
                ("box", Model::Box(1.0)),
                ("scaled-box", Model::Box(std::f64::consts::FRAC_1_SQRT_2)),
                ("cone", Model::Cone),
            ] {
                let mut expected = DVector::zeros(problem.rows());
                for iterations in 1..=15 {
                    sweep(&problem, &a, &mut expected, omega, model, name.starts_with("jacobi"));
                    let separator = if name.contains(':') { ',' } else { ':' };
                    let spec = format!("{name}{separator}friction={friction},iterations={iterations}");
                    let gap = distance(&solved(&spec, &problem), expected.as_slice());
                    assert!(gap < ROUNDING, "seed {seed}, {spec}: {gap}");
                }
            }
        }
    }
}

/// Whole blocks: a joint's rows are solved at once, `λ_i ← λ_i − ω D_i⁻¹ w_i`, block Gauss–Seidel on bilateral rows.
#[test]
fn every_iterate_on_whole_joints_is_block_gauss_seidel() {
    for seed in 0..5 {
        let mut sample = Sample::random(seed, 8, 20, true).dominant();
        sample
            .constraints
            .iter_mut()
            .for_each(|constraint| constraint.cone = Cone::Free);
        let (problem, a) = (sample.problem(), sample.dense());
        for (name, omega) in [
            ("pgs:granularity=blocks", 1.0),
            ("psor:granularity=blocks,relaxation=1.3", 1.3),
        ] {
            let mut expected = DVector::zeros(problem.rows());
            for iterations in 1..=15 {
                for block in &problem.blocks {
                    let (first, n) = (block.first as usize, block.len as usize);
                    let w = a.rows(first, n) * &expected + DVector::from_column_slice(&problem.bias[block.rows()]);
                    let change = a.view((first, first), (n, n)).into_owned().lu().solve(&w).unwrap();
                    let mut part = expected.rows_mut(first, n);
                    part -= omega * change;
                }
                let spec = format!("{name},iterations={iterations}");
                let gap = distance(&solved(&spec, &problem), expected.as_slice());
                assert!(gap < ROUNDING, "seed {seed}, {spec}: {gap}");
            }
        }
    }
}
