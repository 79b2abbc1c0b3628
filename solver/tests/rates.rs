//! How fast the splitting methods converge, and to what.
//!
//! Two balls on the ground, the heavy one (m₂) on the light one (m₁), no friction (the dissertation's figure 6.23):
//!
//! ```text
//! A = [  1/m₁      −1/m₁       ]     b = [ −g h ]     λ = [ (m₁ + m₂) g h ]
//!     [ −1/m₁   1/m₁ + 1/m₂    ]         [   0  ]         [      m₂ g h    ]
//! ```
//!
//! Jacobi's iteration matrix is `[[0, 1], [ρ, 0]]` with `ρ = A₁₂²/(A₁₁A₂₂) = m₂/(m₁ + m₂)`, spectral radius √ρ;
//! Gauss–Seidel's is `[[0, 1], [0, ρ]]`, so after the first sweep its error shrinks by exactly ρ.

mod common;

use common::{Sample, distance, solved};
use drystone_solver::{BlockMatrix, Cone, InverseMass, Problem, RigidBodies, Row};
use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn two_balls(ratio: f64, cone: Cone) -> (Problem, [f64; 2]) {
    let (m1, m2, approach) = (1.5, 1.5 * ratio, 0.0981);
    let mut problem = Problem::default();
    let mut assembler = problem.assemble();
    let [light, heavy] = [m1, m2].map(|mass| {
        assembler.add_body(InverseMass {
            mass: 1.0 / mass,
            ..InverseMass::ZERO
        })
    });
    for (pair, bias) in [([RigidBodies::IMMOVABLE, light], -approach), ([light, heavy], 0.0)] {
        let mut jacobian = [0.0; 12];
        jacobian[2] = -1.0;
        jacobian[8] = 1.0;
        let row = Row {
            jacobian,
            bias,
            compliance: 0.0,
        };
        assembler.add_block(pair, cone, &[row]);
    }
    (problem, [(m1 + m2) * approach, m2 * approach])
}

fn error_after(problem: &Problem, exact: &[f64], spec: &str, iterations: usize) -> f64 {
    let separator = if spec.contains(':') { ',' } else { ':' };
    distance(
        &solved(&format!("{spec}{separator}iterations={iterations}"), problem),
        exact,
    )
}

#[test]
fn gauss_seidels_error_shrinks_by_the_mass_fraction_every_sweep() {
    for cone in [Cone::NonNegative, Cone::Free] {
        for ratio in [1.0, 8.0, 8000.0] {
            let (problem, exact) = two_balls(ratio, cone);
            let rate = ratio / (1.0 + ratio);
            let errors: Vec<f64> = (1..12).map(|n| error_after(&problem, &exact, "pgs", n)).collect();
            for pair in errors.windows(2) {
                let measured = pair[1] / pair[0];
                // Errors stay above 1e-4 of the impulses, so that their ratio has twelve digits; what a sweep gains,
                // 1 − ρ, is small for large ratios and is held to 1e-9 itself.
                assert!(
                    ((1.0 - measured) / (1.0 - rate) - 1.0).abs() < 1e-9,
                    "ratio {ratio}: {measured} for {rate}"
                );
            }
        }
    }
}

/// Why the dissertation needs 64 000 iterations for this scene: the upper impulse is wrong by ρᴺ.
#[test]
fn the_dissertations_ball_pair_needs_tens_of_thousands_of_sweeps() {
    let (problem, exact) = two_balls(8000.0, Cone::NonNegative);
    for (sweeps, quoted) in [(10, 0.9988), (1000, 0.883), (10_000, 0.287), (64_000, 3.4e-4)] {
        let upper = solved(&format!("pgs:iterations={sweeps}"), &problem)[1];
        let missing = 1.0 - upper / exact[1];
        let expected = (8000.0_f64 / 8001.0).powi(sweeps);
        // The rounding of each sweep, 1e-16, is added up by a contraction of 1.25e-4 to some 1e-12.
        assert!((missing - expected).abs() < 1e-11, "{sweeps}: {missing} {expected}");
        // The numbers quoted here have two to four digits.
        assert!((missing / quoted - 1.0).abs() < 0.02, "{sweeps}: {missing}");
    }
}

/// The eigenvalues ±√ρ have the same size, so the error shrinks by exactly ρ in two sweeps, by √ρ in one on average.
#[test]
fn jacobis_error_shrinks_by_the_root_of_that() {
    for ratio in [1.0, 8.0, 8000.0] {
        let (problem, exact) = two_balls(ratio, Cone::NonNegative);
        let rate = ratio / (1.0 + ratio);
        let errors: Vec<f64> = (1..16)
            .map(|n| error_after(&problem, &exact, "jacobi:relaxation=1", n))
            .collect();
        for triple in errors.windows(3) {
            let measured = triple[2] / triple[0];
            // As above.
            assert!(
                ((1.0 - measured) / (1.0 - rate) - 1.0).abs() < 1e-9,
                "ratio {ratio}: {measured}"
            );
        }
    }
}

/// Young: with `ω = 2/(1 + √(1 − ρ_J²))`, ρ_J² = ρ, both eigenvalues of the iteration matrix are ω − 1. The double
/// eigenvalue has one eigenvector, so the error goes like `(c + k d)(ω − 1)ᵏ`: from sweep 20 to sweep 40 by
/// `(ω − 1)²⁰` times a factor between 1 and 2.
#[test]
fn over_relaxation_with_youngs_factor_converges_at_its_rate() {
    for (ratio, sweeps) in [(8.0, 20), (80.0, 40), (8000.0, 300)] {
        let (problem, exact) = two_balls(ratio, Cone::Free);
        let rate: f64 = ratio / (1.0 + ratio);
        let omega = 2.0 / (1.0 + (1.0 - rate).sqrt());
        let mean_rate = |omega: f64| {
            let error = |n| error_after(&problem, &exact, &format!("psor:relaxation={omega}"), n);
            (error(2 * sweeps) / error(sweeps)).powf(1.0 / sweeps as f64)
        };
        let measured = mean_rate(omega);
        let slack = 2.2_f64.powf(1.0 / sweeps as f64);
        assert!(
            measured > (omega - 1.0) / slack && measured < (omega - 1.0) * slack,
            "ratio {ratio}: {measured} for {}",
            omega - 1.0
        );
        // It is the best there is: Gauss–Seidel and smaller factors are slower.
        assert!(mean_rate(1.0) > measured);
        assert!(mean_rate(1.0 + 0.8 * (omega - 1.0)) > measured);
    }
}

/// Joints only: the solution is that of `A λ = −b`.
#[test]
fn bilateral_problems_end_at_the_direct_solution() {
    for seed in 0..10 {
        let mut sample = Sample::random(seed, 8, 20, true).dominant();
        for constraint in &mut sample.constraints {
            constraint.cone = Cone::Free;
        }
        let problem = sample.problem();
        let b = DVector::from_column_slice(&problem.bias);
        let direct = sample.dense().lu().solve(&-b).unwrap();
        for spec in ["pgs", "pgs:granularity=blocks", "psor", "jacobi:relaxation=0.6"] {
            let separator = if spec.contains(':') { ',' } else { ':' };
            let ours = solved(&format!("{spec}{separator}iterations=500"), &problem);
            // Impulses of size one, a dominant matrix: rounding.
            assert!(
                distance(&ours, direct.as_slice()) < 1e-12,
                "{spec}: {}",
                distance(&ours, direct.as_slice())
            );
        }
    }
}

/// The solution of a boxed LCP with positive definite A by trying, for each row, all of its cases: at the lower bound,
/// at the upper bound, or between with w = 0. There is exactly one.
fn enumerate(a: &DMatrix<f64>, b: &DVector<f64>, lower: f64, upper: f64) -> DVector<f64> {
    let n = b.len();
    let cases = if upper.is_finite() { 3_usize } else { 2 };
    let mut found = None;
    for code in 0..cases.pow(n as u32) {
        let case = |row: usize| code / cases.pow(row as u32) % cases;
        // Rows at a bound read λ = bound; the others (Aλ)_row = −b_row.
        let mut system = a.clone();
        let mut right = -b;
        for row in (0..n).filter(|&row| case(row) > 0) {
            system.row_mut(row).fill(0.0);
            system[(row, row)] = 1.0;
            right[row] = if case(row) == 1 { lower } else { upper };
        }
        let x = system.lu().solve(&right).unwrap();
        let w = a * &x + b;
        let holds = (0..n).all(|row| match case(row) {
            0 => x[row] > lower && x[row] < upper,
            1 => w[row] >= 0.0,
            _ => w[row] <= 0.0,
        });
        if holds {
            assert!(found.is_none(), "a positive definite LCP has one solution");
            found = Some(x);
        }
    }
    found.expect("a positive definite LCP has a solution")
}

#[test]
fn small_complementarity_problems_end_at_the_enumerated_solution() {
    let mut rng = Pcg64::seed_from_u64(17);
    for trial in 0..60 {
        let (n, lower, upper) = if trial % 2 == 0 {
            (1 + trial / 2 % 8, 0.0, f64::INFINITY)
        } else {
            (1 + trial / 2 % 5, -0.3, 0.4)
        };
        let g = DMatrix::<f64>::from_fn(n, n, |_, _| rng.random_range(-1.0..1.0));
        let a = &g * g.transpose() + DMatrix::identity(n, n) * 0.3;
        let b = DVector::from_fn(n, |_, _| rng.random_range(-1.0..1.0));
        let expected = enumerate(&a, &b, lower, upper);
        let cone = if upper.is_finite() {
            Cone::Interval { lower, upper }
        } else {
            Cone::NonNegative
        };
        // Once as scalar blocks, once as one block.
        for sizes in [vec![1; n], vec![n]] {
            let matrix = BlockMatrix::from_dense(&a, &sizes).unwrap();
            let cones = vec![cone; sizes.len()];
            let problem = Problem::from_matrix(matrix, b.as_slice().to_vec(), &cones).unwrap();
            for spec in [
                "pgs:iterations=3000",
                "pgs:iterations=3000,granularity=blocks",
                "pgs:iterations=3000,order=symmetric",
                "psor:iterations=3000,relaxation=1.2",
                "jacobi:iterations=20000,relaxation=0.2",
            ] {
                let ours = solved(spec, &problem);
                // Condition numbers are below some tens, impulses of size one.
                let gap = distance(&ours, expected.as_slice());
                assert!(gap < 1e-11, "trial {trial}, {spec}, {} blocks: {gap}", sizes.len());
            }
        }
    }
}
