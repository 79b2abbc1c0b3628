//! Redundant joints: which of the many impulses a method finds, and what becomes of joints that contradict each other.
//! The rules are those written down in `formulation/joints.rs`, `splitting/mod.rs` and `gradient/mod.rs`; references are
//! singular value decompositions of the whole matrix.

mod common;

use common::{distance, largest, solved, solver};
use drystone_solver::conformance::problems::Redundant;
use drystone_solver::{Context, Problem, Status};
use nalgebra::{DMatrix, DVector};

/// A scaled to ones on its diagonal, `S A S`, with S beside it.
struct Scaled {
    dense: DMatrix<f64>,
    scale: Vec<f64>,
    bias: DVector<f64>,
}

/// Singular values below this, of a scaled matrix, are rounding; the smallest other one here is 4e-3.
const RANK: f64 = 1e-10;

impl Scaled {
    fn new(problem: &Problem) -> Self {
        let dense = problem.assembled().unwrap().to_dense();
        let scale: Vec<f64> = dense.diagonal().iter().map(|d| d.sqrt().recip()).collect();
        Self {
            dense,
            scale,
            bias: DVector::from_column_slice(&problem.bias),
        }
    }

    fn matrix(&self) -> DMatrix<f64> {
        DMatrix::from_fn(self.scale.len(), self.scale.len(), |i, j| {
            self.dense[(i, j)] * self.scale[i] * self.scale[j]
        })
    }

    /// The smallest impulses in the norm of diag(A) among those that make `Σ w_r² / A_rr` smallest.
    fn least(&self) -> Vec<f64> {
        let n = self.scale.len();
        let right = DVector::from_fn(n, |i, _| -self.bias[i] * self.scale[i]);
        let y = self.matrix().svd(true, true).solve(&right, RANK).unwrap();
        (0..n).map(|i| y[i] * self.scale[i]).collect()
    }

    /// Impulses that move nothing, each of size one.
    fn idle(&self) -> Vec<DVector<f64>> {
        let eigen = self.matrix().symmetric_eigen();
        let n = self.scale.len();
        (0..n)
            .filter(|&k| eigen.eigenvalues[k].abs() < RANK)
            .map(|k| DVector::from_fn(n, |i, _| eigen.eigenvectors[(i, k)] * self.scale[i]))
            .collect()
    }
}

fn velocities(problem: &Problem, impulses: &[f64]) -> Vec<f64> {
    let mut velocities = vec![0.0; problem.rows()];
    problem.velocities(impulses, &mut velocities);
    velocities
}

#[test]
fn the_mechanisms_have_the_ranks_they_claim() {
    for (kind, redundant) in [
        (Redundant::Table, 6),
        (Redundant::Bar, 4),
        (Redundant::FourBar, 3),
        (
            Redundant::Points {
                count: 2,
                together: false,
            },
            2,
        ),
        (
            Redundant::Points {
                count: 3,
                together: false,
            },
            6,
        ),
        (
            Redundant::Points {
                count: 6,
                together: true,
            },
            24,
        ),
    ] {
        assert_eq!(Scaled::new(&kind.problem()).idle().len(), redundant, "{kind:?}");
    }
}

/// The direct rule, and that of methods whose steps are products with A scaled by its diagonal.
#[test]
fn direct_joints_jacobi_and_gradients_find_the_smallest_impulses_in_the_norm_of_the_diagonal() {
    for kind in Redundant::ALL {
        let problem = kind.problem();
        let least = Scaled::new(&problem).least();
        // Rounding over the regularisation for the direct ones; for the others the residual times one over the least
        // eigenvalue, 4e-3, and Jacobi does not always come down to it.
        for (spec, tolerance) in [
            ("hybrid", 1e-6),
            ("lemke", 1e-6),
            ("jacobi:iterations=100000,stop=residual,tolerance=1e-11", 1e-7),
            ("apgd:iterations=20000,tolerance=1e-11", 1e-7),
            ("spg:iterations=20000,tolerance=1e-11", 1e-7),
            ("mprgp:iterations=20000,tolerance=1e-11", 1e-7),
        ] {
            let impulses = solved(spec, &problem);
            assert!(largest(velocities(&problem, &impulses)) < 1e-9, "{kind:?} {spec}");
            let apart = distance(&impulses, &least);
            assert!(apart < tolerance, "{kind:?} {spec}: {apart}");
        }
    }
}

/// Gauss–Seidel is `λ ← λ − B⁻¹ (Aλ + b)` with `B = D/ω + L`. What it adds lies in B⁻¹ times the range of A, so that from zero
/// it ends where `n·Bλ = 0` for every n that moves nothing.
#[test]
fn gauss_seidel_from_zero_ends_where_its_own_matrix_sees_nothing_idle() {
    for kind in Redundant::ALL {
        let problem = kind.problem();
        let scaled = Scaled::new(&problem);
        for (spec, relaxation) in [("pgs", 1.0), ("psor:relaxation=1.4", 1.4), ("psor:relaxation=0.7", 0.7)] {
            let separator = if spec.contains(':') { ',' } else { ':' };
            let spec = format!("{spec}{separator}iterations=100000,stop=residual,tolerance=1e-12");
            let impulses = DVector::from_vec(solved(&spec, &problem));
            assert!(
                largest(velocities(&problem, impulses.as_slice())) < 1e-11,
                "{kind:?} {spec}"
            );
            let mut b = scaled.dense.lower_triangle();
            (0..b.nrows()).for_each(|k| b[(k, k)] /= relaxation);
            for idle in scaled.idle() {
                // Rounding of some thousand sweeps.
                let seen = (idle.transpose() * &b * &impulses)[0];
                assert!(seen.abs() < 1e-11, "{kind:?} {spec}: {seen}");
            }
            // Which is not the even share.
            assert!(distance(impulses.as_slice(), &scaled.least()) > 1e-3, "{kind:?} {spec}");
        }
    }
}

/// The plainest consequence: of two rows that are the same, the first takes all.
#[test]
fn the_first_of_two_equal_rows_carries_the_load_in_gauss_seidel_and_both_do_directly() {
    let a = DMatrix::from_element(2, 2, 0.5);
    let matrix = drystone_solver::BlockMatrix::from_dense(&a, &[1, 1]).unwrap();
    let problem = Problem::from_matrix(matrix, vec![-1.0; 2], &[drystone_solver::Cone::Free; 2]).unwrap();
    assert_eq!(solved("pgs:iterations=50", &problem), [2.0, 0.0]);
    assert!(distance(&solved("hybrid", &problem), &[1.0, 1.0]) < 1e-6);
}

/// A joint whose rows are redundant among themselves gets a pseudo-inverse where blocks are solved whole: an even share, and
/// of what contradicts itself within the joint the best there is, without growing.
#[test]
fn whole_blocks_share_evenly_within_a_joint() {
    for count in [2, 3, 6] {
        for by in [0.0, 0.2] {
            let problem = Redundant::Points { count, together: true }.contradictory(by);
            let least = Scaled::new(&problem).least();
            let best = velocities(&problem, &least);
            for name in ["pgs:granularity=blocks,", "nsgs:"] {
                let impulses = solved(&format!("{name}iterations=20000,tolerance=1e-15"), &problem);
                let apart = distance(&impulses, &least);
                assert!(apart < 1e-8, "{count} points, {name}: {apart}");
                assert!(distance(&velocities(&problem, &impulses), &best) < 1e-9);
            }
        }
    }
}

/// Joints that contradict each other, directly: velocities with the least `Σ w_r² / A_rr`, the smallest impulses for that,
/// and a status that tells.
#[test]
fn contradicting_joints_are_met_as_nearly_as_can_be() {
    for kind in Redundant::ALL {
        let problem = kind.contradictory(0.2);
        let least = Scaled::new(&problem).least();
        let best = velocities(&problem, &least);
        assert!(largest(best.iter().copied()) > 1e-3, "{kind:?}: no contradiction");
        let mut impulses = vec![0.0; problem.rows()];
        let report = solver("hybrid")
            .solve(&problem, &mut impulses, &mut Context::default())
            .unwrap();
        assert_eq!(report.status, Status::Stalled, "{kind:?}");
        // What rounding is left of impulses as large as the contradiction over the regularisation, 2e8.
        assert!(distance(&velocities(&problem, &impulses), &best) < 1e-6, "{kind:?}");
        assert!(distance(&impulses, &least) < 1e-5, "{kind:?}");
    }
}

/// The same by sweeps. Velocities come to rest, Jacobi's at the same best compromise, Gauss–Seidel's at another that favours
/// rows visited late; impulses go on growing, by the same amount every sweep, along what moves nothing.
#[test]
fn sweeps_drift_along_contradictions_at_a_constant_rate() {
    let problem = Redundant::Bar.contradictory(0.2);
    let best = velocities(&problem, &Scaled::new(&problem).least());
    for (name, is_best) in [("jacobi", true), ("pgs", false)] {
        let at = |sweeps: usize| solved(&format!("{name}:iterations={sweeps}"), &problem);
        let runs = [1000, 2000, 3000].map(at);
        let w = runs.each_ref().map(|run| velocities(&problem, run));
        // Velocities are differences of impulses of up to a hundred N·s.
        assert!(distance(&w[1], &w[2]) < 1e-11, "{name}");
        assert_eq!(distance(&w[2], &best) < 1e-9, is_best, "{name}");
        let drift: Vec<Vec<f64>> = (0..2)
            .map(|k| runs[k + 1].iter().zip(&runs[k]).map(|(b, a)| b - a).collect())
            .collect();
        assert!(distance(&drift[0], &drift[1]) < 1e-8, "{name}");
        assert!(largest(drift[0].iter().copied()) > 1.0, "{name}");
        let mut nothing = vec![0.0; problem.rows()];
        problem.operator.as_delassus().apply(&drift[0], &mut nothing);
        assert!(largest(nothing) < 1e-10, "{name}");
    }
}
