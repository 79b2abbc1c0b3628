//! Restarted GMRES with right preconditioning (Saad and Schultz 1986): linear systems without a matrix.
//!
//! It needs nothing but products, and its residual never grows; memory is one vector an iteration until it restarts. On
//! ill-conditioned contact systems it takes many iterations: prefer the factorisation where that fits into memory.

use crate::options;
use crate::vector::{dot, norm};

options! {
    /// When and how the Krylov method stops.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Gmres {
        /// With linear=krylov: iterations at most.
        pub krylov_iterations: usize = 500,
        /// With linear=krylov: iterations between restarts.
        pub krylov_restart: usize = 60,
        /// With linear=krylov: stop when the residual has shrunk by this factor.
        pub krylov_tolerance: f64 = 1e-10,
    }
}

/// Solves `A x = b` from the given x. `apply` writes A times its first argument into its second, `precondition` divides
/// by an approximation of A in place. Returns the relative residual reached.
pub fn gmres(
    options: &Gmres,
    b: &[f64],
    x: &mut [f64],
    mut apply: impl FnMut(&[f64], &mut [f64]),
    mut precondition: impl FnMut(&mut [f64]),
) -> f64 {
    let n = b.len();
    let size = norm(b);
    if size == 0.0 {
        x.fill(0.0);
        return 0.0;
    }
    let restart = options.krylov_restart.clamp(1, n.max(1));
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let (mut work, mut residual) = (vec![0.0; n], vec![0.0; n]);
    let mut left = options.krylov_iterations;
    loop {
        apply(x, &mut work);
        for k in 0..n {
            residual[k] = b[k] - work[k];
        }
        let beta = norm(&residual);
        if beta <= options.krylov_tolerance * size || beta.is_nan() || left == 0 {
            return beta / size;
        }
        basis.clear();
        basis.push(residual.iter().map(|r| r / beta).collect());
        let mut triangle: Vec<Vec<f64>> = Vec::new();
        let mut rotations: Vec<(f64, f64)> = Vec::new();
        let mut rhs = vec![beta];
        for k in 0..restart.min(left) {
            let mut direction = basis[k].clone();
            precondition(&mut direction);
            apply(&direction, &mut work);
            // Modified Gram–Schmidt, twice: near convergence once is not enough.
            let mut column = vec![0.0; k + 2];
            for _ in 0..2 {
                for (j, v) in basis.iter().enumerate() {
                    let overlap = dot(v, &work);
                    column[j] += overlap;
                    work.iter_mut().zip(v).for_each(|(w, v)| *w -= overlap * v);
                }
            }
            let length = norm(&work);
            column[k + 1] = length;
            for (j, &(c, s)) in rotations.iter().enumerate() {
                (column[j], column[j + 1]) = (c * column[j] + s * column[j + 1], c * column[j + 1] - s * column[j]);
            }
            let radius = column[k].hypot(column[k + 1]);
            let (c, s) = if radius > 0.0 {
                (column[k] / radius, column[k + 1] / radius)
            } else {
                (1.0, 0.0)
            };
            column[k] = radius;
            column.truncate(k + 1);
            rotations.push((c, s));
            rhs.push(-s * rhs[k]);
            rhs[k] *= c;
            triangle.push(column);
            left -= 1;
            if rhs[k + 1].abs() <= options.krylov_tolerance * size || length <= 1e-300 || !length.is_finite() {
                break;
            }
            basis.push(work.iter().map(|w| w / length).collect());
        }
        // Back substitution, then x += P⁻¹ V y.
        let m = triangle.len();
        let mut y = rhs[..m].to_vec();
        for k in (0..m).rev() {
            for j in k + 1..m {
                y[k] -= triangle[j][k] * y[j];
            }
            y[k] = if triangle[k][k] != 0.0 {
                y[k] / triangle[k][k]
            } else {
                0.0
            };
        }
        work.fill(0.0);
        for (v, y) in basis.iter().zip(&y) {
            work.iter_mut().zip(v).for_each(|(w, v)| *w += y * v);
        }
        precondition(&mut work);
        x.iter_mut().zip(&work).for_each(|(x, w)| *x += w);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    #[test]
    fn solutions_agree_with_a_dense_factorisation_with_and_without_restarts() {
        let mut rng = Pcg64::seed_from_u64(11);
        for n in [1, 2, 10, 60] {
            let a = DMatrix::<f64>::from_fn(n, n, |i, j| {
                rng.random_range(-1.0..1.0) + if i == j { 2.0 * (n as f64).sqrt() } else { 0.0 }
            });
            let b = DVector::from_fn(n, |_, _| rng.random_range(-1.0..1.0));
            let expected = a.clone().lu().solve(&b).unwrap();
            for krylov_restart in [5, 100] {
                let options = Gmres {
                    krylov_restart,
                    krylov_tolerance: 1e-13,
                    ..Gmres::default()
                };
                let mut x = vec![0.0; n];
                let reached = gmres(
                    &options,
                    b.as_slice(),
                    &mut x,
                    |x, y| y.copy_from_slice((&a * DVector::from_column_slice(x)).as_slice()),
                    |x| x.iter_mut().enumerate().for_each(|(k, x)| *x /= a[(k, k)]),
                );
                assert!(reached <= 1e-13);
                assert!((DVector::from_vec(x) - &expected).norm() < 1e-11 * expected.norm());
            }
        }
    }
}
