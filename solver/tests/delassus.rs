//! The Delassus operator in all its forms is one matrix: matrix-free, block sparse, `nalgebra` CSR, `faer`, dense.

mod common;

use common::{Constraint, Sample, distance, largest};
use drystone_solver::{BlockMatrix, Delassus, InverseMass, Operator, Problem, SolveError};
use faer::linalg::solvers::Solve;
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use nalgebra_sparse::{CooMatrix, CsrMatrix};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Entries of A are sums of a dozen products of numbers of size one, so they agree to some units of 1e-16.
const ROUNDING: f64 = 1e-14;

fn sizes(problem: &Problem) -> Vec<usize> {
    problem.blocks.iter().map(|block| block.len as usize).collect()
}

/// `P_B(l, k) = 1/m_B 1 − r_lB^× I_B⁻¹ r_kB^×` of (4.28).
fn collision_matrix(body: &InverseMass, r_l: &Vector3<f64>, r_k: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::identity() * body.mass - r_l.cross_matrix() * body.inertia * r_k.cross_matrix()
}

/// (4.28): the sum over the bodies two constraints share, with a minus where it is the first of one and the second of
/// the other.
fn closed_form(sample: &Sample, l: &Constraint, k: &Constraint) -> Matrix3<f64> {
    let mut sum = Matrix3::zeros();
    for side_l in 0..2 {
        for side_k in 0..2 {
            if l.pair[side_l] == k.pair[side_k] {
                let body = &sample.bodies[l.pair[side_l] as usize];
                let sign = if side_l == side_k { 1.0 } else { -1.0 };
                sum += sign * collision_matrix(body, &l.arms[side_l], &k.arms[side_k]);
            }
        }
    }
    sum
}

#[test]
fn the_assembled_matrix_has_the_entries_of_the_closed_form() {
    for seed in 0..20 {
        let sample = Sample::random(seed, 6, 15, false);
        let a = sample.problem().assembled().unwrap().to_dense();
        let mut row = 0;
        for l in &sample.constraints {
            for (i, n_l) in l.directions.iter().enumerate() {
                let mut column = 0;
                for k in &sample.constraints {
                    let p = closed_form(&sample, l, k);
                    for n_k in &k.directions {
                        let compliance = if row == column { l.rows[i].compliance } else { 0.0 };
                        let expected = n_l.dot(&(p * n_k)) + compliance;
                        let entry = a[(row, column)];
                        assert!(
                            (entry - expected).abs() < ROUNDING,
                            "({row}, {column}): {entry} {expected}"
                        );
                        column += 1;
                    }
                }
                row += 1;
            }
        }
        assert_eq!(row, a.nrows());
    }
}

#[test]
fn every_form_is_the_same_matrix() {
    for seed in 0..20 {
        let sample = Sample::random(seed, 8, 20, true);
        let problem = sample.problem();
        let expected = sample.dense();
        let assembled = problem.assembled().unwrap();
        let dense = assembled.to_dense();
        assert!(distance(dense.as_slice(), expected.as_slice()) < ROUNDING);
        // Conversions copy numbers, so they are exact.
        assert_eq!(DMatrix::from(&assembled.to_csr()), dense);
        let column_form = assembled.to_faer().unwrap().to_dense();
        for i in 0..dense.nrows() {
            for j in 0..dense.ncols() {
                assert_eq!(column_form[(i, j)], dense[(i, j)]);
            }
        }
        // Symmetric and positive semidefinite, as J M⁻¹ Jᵀ with M > 0 is. Eigenvalues carry the rounding of the norm.
        assert!(distance(dense.as_slice(), dense.transpose().as_slice()) < ROUNDING);
        let eigenvalues = (0.5 * (&dense + dense.transpose())).symmetric_eigenvalues();
        assert!(eigenvalues.min() > -1e-13 * eigenvalues.max(), "{}", eigenvalues.min());
    }
}

#[test]
fn products_agree_with_and_without_the_matrix() {
    let mut rng = Pcg64::seed_from_u64(11);
    for seed in 0..20 {
        let problem = Sample::random(seed, 8, 20, true).problem();
        let explicit = problem.explicit().unwrap();
        let dense = problem.assembled().unwrap().to_dense();
        let x: Vec<f64> = (0..problem.rows()).map(|_| rng.random_range(-1.0..1.0)).collect();
        let expected = &dense * DVector::from_column_slice(&x);
        for operator in [&problem.operator, &explicit.operator] {
            let operator = operator.as_delassus();
            let mut y = vec![f64::NAN; x.len()];
            operator.apply(&x, &mut y);
            // Sums of some dozen entries.
            assert!(distance(&y, expected.as_slice()) < 10.0 * ROUNDING);
            // Block by block: a state built up change by change answers as one that was loaded.
            let mut state = vec![0.0; operator.state_len()];
            for block in &problem.blocks {
                operator.block_changed(block.rows(), &x[block.rows()], &mut state);
            }
            let mut loaded = vec![f64::NAN; operator.state_len()];
            operator.load(&x, &mut loaded);
            for state in [&state, &loaded] {
                for block in &problem.blocks {
                    let mut out = vec![f64::NAN; block.len as usize];
                    operator.block_product(block.rows(), &x, state, &mut out);
                    assert!(distance(&out, &expected.as_slice()[block.rows()]) < 10.0 * ROUNDING);
                }
            }
            for block in &problem.blocks {
                let n = block.len as usize;
                let mut part = vec![f64::NAN; n * n];
                operator.diagonal_block(block.rows(), &mut part);
                for (k, row) in block.rows().enumerate() {
                    assert!((operator.diagonal(row) - dense[(row, row)]).abs() < ROUNDING);
                    for (l, column) in block.rows().enumerate() {
                        assert!((part[n * k + l] - dense[(row, column)]).abs() < ROUNDING);
                    }
                }
            }
        }
    }
}

/// Σ is diagonal: taking all compliance away changes the diagonal by just that, and nothing beside it.
#[test]
fn compliance_is_on_the_diagonal_only() {
    let sample = Sample::random(3, 6, 15, true);
    let mut stiff = sample.clone();
    stiff
        .constraints
        .iter_mut()
        .flat_map(|c| &mut c.rows)
        .for_each(|row| row.compliance = 0.0);
    let difference = sample.problem().assembled().unwrap().to_dense() - stiff.problem().assembled().unwrap().to_dense();
    let compliance: Vec<f64> = sample
        .constraints
        .iter()
        .flat_map(|c| &c.rows)
        .map(|row| row.compliance)
        .collect();
    assert!(compliance.iter().filter(|&&x| x > 0.0).count() > 5);
    for i in 0..difference.nrows() {
        for j in 0..difference.ncols() {
            let expected = if i == j { compliance[i] } else { 0.0 };
            assert!((difference[(i, j)] - expected).abs() < ROUNDING);
        }
    }
}

#[test]
fn sparse_and_dense_matrices_survive_being_cut_into_blocks() {
    let mut rng = Pcg64::seed_from_u64(5);
    for _ in 0..50 {
        let sizes: Vec<usize> = (0..rng.random_range(1..8)).map(|_| rng.random_range(1..6)).collect();
        let n: usize = sizes.iter().sum();
        // Not symmetric, with holes, and with block rows that are all zero.
        let dense = DMatrix::from_fn(n, n, |_, _| {
            if rng.random_range(0..5) == 0 {
                rng.random_range(-1.0..1.0)
            } else {
                0.0
            }
        });
        for matrix in [
            BlockMatrix::from_dense(&dense, &sizes).unwrap(),
            BlockMatrix::from_csr(&CsrMatrix::from(&dense), &sizes).unwrap(),
        ] {
            assert_eq!(matrix.block_count(), sizes.len());
            assert_eq!(matrix.rows(), n);
            assert_eq!(matrix.to_dense(), dense);
            assert_eq!(DMatrix::from(&matrix.to_csr()), dense);
            let again = BlockMatrix::from_csr(&matrix.to_csr(), &sizes).unwrap();
            assert_eq!(again.to_dense(), dense);
            // Only blocks with a number in them are stored.
            let starts: Vec<usize> = (0..=sizes.len()).map(|k| sizes[..k].iter().sum()).collect();
            let occupied = (0..sizes.len().pow(2))
                .filter(|k| {
                    let (i, j) = (k / sizes.len(), k % sizes.len());
                    dense
                        .view((starts[i], starts[j]), (sizes[i], sizes[j]))
                        .iter()
                        .any(|&x| x != 0.0)
                })
                .count();
            assert_eq!(matrix.stored_blocks(), occupied);
            let x: Vec<f64> = (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
            let mut y = vec![f64::NAN; n];
            matrix.apply(&x, &mut y);
            let expected = &dense * DVector::from_column_slice(&x);
            assert!(distance(&y, expected.as_slice()) < ROUNDING);
            for row in 0..n {
                assert_eq!(matrix.diagonal(row), dense[(row, row)]);
            }
        }
    }
    let nothing = BlockMatrix::from_dense(&DMatrix::zeros(0, 0), &[]).unwrap();
    assert_eq!(
        (nothing.rows(), nothing.block_count(), nothing.stored_blocks()),
        (0, 0, 0)
    );
}

/// Cutting is linear in the stored numbers: three full rows of 60 000 blocks would take 10¹⁰ steps if each block looked
/// through them whole. A bound of seconds on work of milliseconds does not depend on the machine.
#[test]
fn cutting_a_full_row_takes_no_quadratic_time() {
    let n = 60_000;
    let mut triplets = CooMatrix::new(n, n);
    for k in 0..n {
        triplets.push(k, k, 2.0);
    }
    for row in 0..3 {
        for k in 3..n {
            triplets.push(row, k, 1.0);
        }
    }
    let csr = CsrMatrix::from(&triplets);
    let mut sizes = vec![3];
    sizes.extend(std::iter::repeat_n(1, n - 3));
    let start = std::time::Instant::now();
    let matrix = BlockMatrix::from_csr(&csr, &sizes).unwrap();
    assert!(start.elapsed().as_secs_f64() < 1.0, "{:?}", start.elapsed());
    assert_eq!(matrix.stored_blocks(), (n - 2) + (n - 3));
}

#[test]
fn sizes_that_do_not_fit_are_errors() {
    let square = DMatrix::<f64>::identity(4, 4);
    for sizes in [&[3][..], &[3, 2], &[2, 0, 2], &[]] {
        let error = BlockMatrix::from_dense(&square, sizes).unwrap_err();
        assert!(matches!(error, SolveError::Malformed(_)), "{sizes:?}: {error}");
    }
    let wide = DMatrix::<f64>::zeros(3, 4);
    assert!(BlockMatrix::from_dense(&wide, &[3]).is_err());
}

/// A stored problem can have a NaN anywhere; it is found wherever it is, and its block row named.
#[test]
fn numbers_that_are_not_finite_are_errors_naming_the_block() {
    for bad in [f64::NAN, f64::INFINITY] {
        for (row, column, block) in [(0, 0, 0), (1, 4, 0), (3, 0, 1), (4, 3, 1)] {
            let mut dense = DMatrix::<f64>::identity(5, 5);
            dense[(row, column)] = bad;
            let error = BlockMatrix::from_dense(&dense, &[2, 3]).unwrap_err();
            assert_eq!(error, SolveError::NotFinite { block, what: "rows" });
        }
    }
}

/// The converted matrix is fit for factorisation: `A x = b` holds to the rounding of a backward stable solve.
#[test]
fn faer_factors_and_solves_with_the_converted_matrix() {
    for seed in 0..5 {
        let problem = Sample::random(seed, 8, 20, true).dominant().problem();
        let n = problem.rows();
        let matrix = problem.assembled().unwrap();
        let sparse = matrix.to_faer().unwrap();
        let b = faer::Mat::from_fn(n, 1, |i, _| problem.bias[i]);
        let by_cholesky = sparse.sp_cholesky(faer::Side::Lower).unwrap().solve(&b);
        let by_lu = sparse.sp_lu().unwrap().solve(&b);
        for solution in [by_cholesky, by_lu] {
            let x: Vec<f64> = (0..n).map(|i| solution[(i, 0)]).collect();
            let mut y = vec![0.0; n];
            matrix.apply(&x, &mut y);
            // b has size one and A, dominant, a condition number of some tens.
            assert!(distance(&y, &problem.bias) < 1e-13);
            assert!(largest(x.iter().copied()) > 1e-3);
        }
    }
}

/// Blocks that fit neither rows nor operator are refused before anything is computed with them.
#[test]
fn a_problem_whose_pieces_do_not_fit_is_not_assembled() {
    let good = Sample::random(1, 4, 8, false).problem();
    let mut gap = good.clone();
    gap.blocks[2].first += 1;
    let mut short = good.clone();
    short.bias.pop();
    let mut empty = good.clone();
    empty.blocks[3].len = 0;
    for problem in [gap, short, empty] {
        assert!(matches!(problem.assembled(), Err(SolveError::Malformed(_))));
        assert!(matches!(problem.explicit(), Err(SolveError::Malformed(_))));
    }
    // The matrix is cut in other places than the blocks.
    let mut shifted = good.explicit().unwrap();
    let Operator::Matrix(matrix) = &shifted.operator else {
        panic!("explicit problems have a matrix");
    };
    let mut other = sizes(&good);
    other.swap(0, 2);
    assert_ne!(other, sizes(&good));
    shifted.operator = Operator::Matrix(BlockMatrix::from_csr(&matrix.to_csr(), &other).unwrap());
    let message = shifted.validate().unwrap_err().to_string();
    assert!(message.contains("block 0"), "{message}");
}
