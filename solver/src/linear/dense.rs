//! Small dense systems: single contacts, and the blocks of block-diagonal matrices. All numbers are row-major, and nothing
//! is allocated for up to sixteen rows.

/// Inverts a matrix of n × n numbers, row-major, in place, by Gauss–Jordan elimination with row pivoting; false if a
/// pivot is zero or not finite.
pub(crate) fn invert(n: usize, a: &mut [f64]) -> bool {
    const MOST: usize = 16;
    let mut short = [0_usize; MOST];
    let mut long = Vec::new();
    let swaps = if n <= MOST {
        &mut short[..n]
    } else {
        long.resize(n, 0);
        &mut long[..]
    };
    for k in 0..n {
        let mut pivot_row = k;
        for i in k + 1..n {
            if a[n * i + k].abs() > a[n * pivot_row + k].abs() {
                pivot_row = i;
            }
        }
        swaps[k] = pivot_row;
        if pivot_row != k {
            for j in 0..n {
                a.swap(n * k + j, n * pivot_row + j);
            }
        }
        let pivot = a[n * k + k];
        if pivot == 0.0 || !pivot.is_finite() {
            return false;
        }
        a[n * k + k] = 1.0;
        for j in 0..n {
            a[n * k + j] /= pivot;
        }
        for i in (0..n).filter(|&i| i != k) {
            let factor = a[n * i + k];
            if factor != 0.0 {
                a[n * i + k] = 0.0;
                for j in 0..n {
                    a[n * i + j] -= factor * a[n * k + j];
                }
            }
        }
    }
    for k in (0..n).rev() {
        if swaps[k] != k {
            for i in 0..n {
                a.swap(n * i + k, n * i + swaps[k]);
            }
        }
    }
    true
}

/// Solves a system in place by elimination with row exchanges, and destroys the matrix; false if a pivot is zero or the
/// solution not finite.
pub(crate) fn solve(n: usize, matrix: &mut [f64], right: &mut [f64]) -> bool {
    for k in 0..n {
        let largest = (k..n).fold(k, |best, i| {
            if matrix[n * i + k].abs() > matrix[n * best + k].abs() {
                i
            } else {
                best
            }
        });
        if largest != k {
            for j in 0..n {
                matrix.swap(n * k + j, n * largest + j);
            }
            right.swap(k, largest);
        }
        let pivot = matrix[n * k + k];
        if pivot.is_nan() || pivot.abs() <= f64::MIN_POSITIVE {
            return false;
        }
        for i in k + 1..n {
            let factor = matrix[n * i + k] / pivot;
            for j in k..n {
                matrix[n * i + j] -= factor * matrix[n * k + j];
            }
            right[i] -= factor * right[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| matrix[n * k + j] * right[j]).sum();
        right[k] = (right[k] - known) / matrix[n * k + k];
    }
    right.iter().all(|x| x.is_finite())
}

/// Writes the inverse of a symmetric positive definite matrix by Gauss–Jordan elimination, which needs no pivoting for
/// these; false if it is singular to working precision (redundant rows).
///
/// A pivot is what is left of its row's diagonal entry once the rows before it are accounted for. It is compared with
/// that entry and nothing else, so that the answer depends neither on units nor on rows of very different size, such as
/// the linear and angular rows of a joint. [`invert`] has no such scale to go by: its matrices need not be definite.
pub(crate) fn invert_definite(n: usize, matrix: &[f64], inverse: &mut [f64]) -> bool {
    inverse.copy_from_slice(matrix);
    for k in 0..n {
        let pivot = inverse[n * k + k];
        // Rounding leaves a redundant row with a few units of the last place.
        if pivot.is_nan() || pivot <= 1e-13 * matrix[n * k + k] {
            return false;
        }
        inverse[n * k + k] = 1.0;
        for j in 0..n {
            inverse[n * k + j] /= pivot;
        }
        for i in (0..n).filter(|&i| i != k) {
            let factor = inverse[n * i + k];
            inverse[n * i + k] = 0.0;
            for j in 0..n {
                inverse[n * i + j] -= factor * inverse[n * k + j];
            }
        }
    }
    true
}

/// Writes the inverse of a joint's block, or where rows are redundant its pseudo-inverse. False if some number is not finite.
pub(crate) fn invert_joint(n: usize, matrix: &[f64], inverse: &mut [f64], scratch: &mut [f64]) -> bool {
    // Rows that rounding alone keeps apart have inverses as large as one over it.
    let regular =
        invert_definite(n, matrix, inverse) && (0..n).all(|r| matrix[(n + 1) * r] * inverse[(n + 1) * r] < 1e9);
    regular || pseudo_invert(n, matrix, inverse, scratch)
}

/// Writes the pseudo-inverse of a symmetric positive semidefinite matrix with positive diagonal, scaled: with
/// `C = S D S` and ones on its diagonal it is `S C⁺ S`, which takes a right-hand side to the smallest solution in the norm of
/// diag(D), or where there is none to the nearest thing. False if some number is not finite.
///
/// `C = L Lᵀ` by Cholesky's method with diagonal pivoting, ended where only rounding is left, and `C⁺ = L (LᵀL)⁻² Lᵀ`.
/// `scratch` has n² numbers and n more.
fn pseudo_invert(n: usize, matrix: &[f64], inverse: &mut [f64], scratch: &mut [f64]) -> bool {
    /// What is left of a redundant row is 1e-15 or less; loose rows have much more.
    const RANK: f64 = 1e-11;
    let (factor, left) = scratch.split_at_mut(n * n);
    let scale = |k: usize| matrix[(n + 1) * k].sqrt().recip();
    // Column by column of L into the rows of `factor`.
    factor.fill(0.0);
    left[..n].fill(1.0);
    let mut rank = 0;
    while rank < n {
        let pivot = (1..n).fold(0, |best, k| if left[k] > left[best] { k } else { best });
        if left[pivot].is_nan() || left[pivot] <= RANK {
            break;
        }
        let root = left[pivot].sqrt();
        for i in 0..n {
            let known: f64 = (0..rank).map(|k| factor[n * k + i] * factor[n * k + pivot]).sum();
            let entry = (matrix[n * i + pivot] * scale(i) * scale(pivot) - known) / root;
            factor[n * rank + i] = entry;
        }
        for i in 0..n {
            left[i] -= factor[n * rank + i] * factor[n * rank + i];
        }
        // Never again.
        left[pivot] = 0.0;
        rank += 1;
    }
    // (LᵀL)⁻¹ Lᵀ in the place of Lᵀ: rank systems, by elimination on both.
    let gram = &mut inverse[..rank * rank];
    for i in 0..rank {
        for j in 0..rank {
            gram[rank * i + j] = (0..n).map(|k| factor[n * i + k] * factor[n * j + k]).sum();
        }
    }
    for k in 0..rank {
        let pivot = gram[(rank + 1) * k];
        for i in (0..rank).filter(|&i| i != k) {
            let share = gram[rank * i + k] / pivot;
            for j in k..rank {
                gram[rank * i + j] -= share * gram[rank * k + j];
            }
            for j in 0..n {
                factor[n * i + j] -= share * factor[n * k + j];
            }
        }
    }
    for k in 0..rank {
        let pivot = gram[(rank + 1) * k];
        factor[n * k..n * (k + 1)].iter_mut().for_each(|entry| *entry /= pivot);
    }
    for i in 0..n {
        for j in 0..n {
            let product: f64 = (0..rank).map(|k| factor[n * k + i] * factor[n * k + j]).sum();
            inverse[n * i + j] = product * scale(i) * scale(j);
        }
    }
    inverse.iter().all(|x| x.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::DMatrix;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    #[test]
    fn inverses_agree_with_independent_ones() {
        let mut rng = Pcg64::seed_from_u64(3);
        for round in 0..200 {
            let n = 1 + round % 20;
            // A zero in front, so that rows have to be exchanged.
            let mut a = DMatrix::<f64>::from_fn(n, n, |_, _| rng.random_range(-1.0..1.0));
            a[(0, 0)] = if n > 1 { 0.0 } else { 2.0 };
            let Some(expected) = a.clone().try_inverse() else {
                continue;
            };
            let mut inverse = a.transpose().as_slice().to_vec();
            assert!(invert(n, &mut inverse));
            let inverse = DMatrix::from_row_slice(n, n, &inverse);
            // The error of either is the rounding times the condition number.
            let tolerance = 1e-14 * a.norm() * expected.norm().powi(2) * n as f64;
            assert!((inverse - &expected).norm() < tolerance);
        }
        assert!(!invert(2, &mut [1.0, 1.0, 1.0, 1.0]));
    }

    #[test]
    fn definite_inverses_agree_in_all_units() {
        let mut rng = Pcg64::seed_from_u64(3);
        for n in 1..=6 {
            let g = DMatrix::<f64>::from_fn(n, n, |_, _| rng.random_range(-1.0..1.0));
            let a = &g * g.transpose() + DMatrix::identity(n, n);
            // Units do not matter: blocks of grains and of ships invert alike.
            for scale in [1e-20, 1.0, 1e20] {
                let scaled = &a * scale;
                let mut ours = vec![0.0; n * n];
                assert!(
                    invert_definite(n, scaled.as_slice(), &mut ours),
                    "{n} rows times {scale}"
                );
                let theirs: DMatrix<f64> = scaled.try_inverse().unwrap();
                for (x, y) in ours.iter().zip(theirs.iter()) {
                    // Condition numbers here are below 100, and entries of the inverse below one.
                    assert!((x - y).abs() * scale < 1e-13);
                }
            }
        }
    }

    #[test]
    fn rows_of_different_size_are_invertible_but_redundant_rows_are_not() {
        let mut inverse = [0.0; 4];
        assert!(invert_definite(2, &[1e9, 0.0, 0.0, 1e-9], &mut inverse));
        assert_eq!(inverse, [1.0 / 1e9, 0.0, 0.0, 1.0 / 1e-9]);
        assert!(!invert_definite(2, &[1.0, 1.0, 1.0, 1.0], &mut inverse));
        // Three rows in a plane, with rounding: (1, 0), (0.6, 0.8), (0.8, 0.6).
        let rows = [[1.0, 0.0], [0.6, 0.8], [0.8, 0.6]];
        let gram: Vec<f64> = (0..9)
            .map(|k| rows[k / 3][0] * rows[k % 3][0] + rows[k / 3][1] * rows[k % 3][1])
            .collect();
        assert!(!invert_definite(3, &gram, &mut [0.0; 9]));
    }

    /// Against the singular value decomposition of the scaled matrix, for every rank up to full.
    #[test]
    fn pseudo_inverses_agree_with_independent_ones() {
        let mut rng = Pcg64::seed_from_u64(6);
        for (n, rank) in [(1, 1), (2, 1), (6, 5), (6, 6), (9, 6), (18, 6)] {
            let g = DMatrix::<f64>::from_fn(n, rank, |_, _| rng.random_range(-1.0..1.0));
            // Rows of very different size, as linear and angular ones are.
            let size = DMatrix::from_diagonal(&nalgebra::DVector::from_fn(n, |k, _| [1.0, 1e-3, 40.0][k % 3]));
            let a = &size * &g * g.transpose() * &size;
            let mut inverse = vec![0.0; n * n];
            assert!(pseudo_invert(n, a.as_slice(), &mut inverse, &mut vec![0.0; n * n + n]));
            let scale = DMatrix::from_fn(n, n, |i, j| if i == j { a[(i, i)].sqrt().recip() } else { 0.0 });
            let expected = &scale * (&scale * &a * &scale).pseudo_inverse(1e-9).unwrap() * &scale;
            let found = DMatrix::from_row_slice(n, n, &inverse);
            // Rounding times the square of a condition number below a thousand, in units of the scaled matrix.
            let apart = |x: &DMatrix<f64>| (x.component_div(&(scale.diagonal() * scale.diagonal().transpose()))).norm();
            let error = apart(&(&found - &expected));
            assert!(error < 1e-9 * apart(&expected), "{n} rows of rank {rank}: {error}");
        }
    }

    #[test]
    fn solutions_agree_with_inverses() {
        let mut rng = Pcg64::seed_from_u64(4);
        for n in 1..=6 {
            let mut a: Vec<f64> = (0..n * n).map(|_| rng.random_range(-1.0..1.0)).collect();
            let b: Vec<f64> = (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
            let mut inverse = a.clone();
            assert!(invert(n, &mut inverse));
            let mut x = b.clone();
            assert!(solve(n, &mut a, &mut x));
            for (x, row) in x.iter().zip(inverse.chunks_exact(n)) {
                // Rounding times condition numbers, which are below a thousand here.
                let expected: f64 = row.iter().zip(&b).map(|(a, b)| a * b).sum();
                assert!(
                    (x - expected).abs() < 1e-12 * (1.0 + expected.abs()),
                    "{n}: {x} {expected}"
                );
            }
        }
        assert!(!solve(2, &mut [1.0, 1.0, 1.0, 1.0], &mut [1.0, 2.0]));
    }
}
