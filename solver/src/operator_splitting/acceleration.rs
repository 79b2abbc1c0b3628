//! Faster fixed points: given v and T(v), where to look next.
//!
//! **Nesterov's** extrapolation goes on in the direction of the last step, further and further, and starts anew when the
//! residual `T(v) − v` grows (Goldstein, O'Donoghue, Setzer and Baraniuk 2014). **Anderson's** (1965) takes the
//! combination of the last steps whose residuals cancel best: with the differences ΔF of residuals and ΔT of images as
//! columns, `v ← T(v) − ΔT γ`, `γ = argmin ‖T(v) − v − ΔF γ‖`, which on a linear map is GMRES. Neither is sure to help
//! where the map has kinks, so a step that made the residual grow is taken back.

use nalgebra::{DMatrix, DVector};

use crate::choices;

choices! {
    /// How a fixed-point iteration is sped up.
    pub enum Acceleration {
        /// Not at all.
        None = "none",
        /// Nesterov's extrapolation with restarts.
        Nesterov = "nesterov",
        /// Anderson's combination of the last steps, with a safeguard.
        Anderson = "anderson",
    }
}

/// How many times the residual of the point before it a point of Anderson's may have; Nesterov's may not have more.
const GROWTH: f64 = 2.0;

/// Tikhonov's term in the least squares of Anderson, relative to the squared size of ΔF: the columns become parallel as
/// the iteration converges.
const REGULARISATION: f64 = 1e-12;

/// The memory of an accelerated iteration.
#[derive(Debug)]
pub(super) struct Accelerator {
    kind: Acceleration,
    memory: usize,
    /// The last residual and image, if there are any.
    last: Option<(Vec<f64>, Vec<f64>)>,
    last_size: f64,
    /// Nesterov's t; 1 after a restart.
    momentum: f64,
    /// ΔF and ΔT, the oldest first.
    differences: Vec<(Vec<f64>, Vec<f64>)>,
    /// Whether the point that is being judged was extrapolated.
    extrapolated: bool,
}

impl Accelerator {
    pub(super) fn new(kind: Acceleration, memory: usize) -> Self {
        Self {
            kind,
            memory,
            last: None,
            last_size: f64::INFINITY,
            momentum: 1.0,
            differences: Vec::new(),
            extrapolated: false,
        }
    }

    /// Forgets everything: the map has changed.
    pub(super) fn reset(&mut self) {
        self.last = None;
        self.momentum = 1.0;
        self.differences.clear();
        self.extrapolated = false;
    }

    /// Replaces v by the next point. `weights` are those of the norm in which residuals are compared.
    pub(super) fn advance(&mut self, weights: &[f64], v: &mut [f64], image: &[f64]) {
        if self.kind == Acceleration::None {
            v.copy_from_slice(image);
            return;
        }
        let residual: Vec<f64> = image.iter().zip(&*v).map(|(t, v)| t - v).collect();
        let size = product(weights, &residual, &residual).sqrt();
        let growth = if self.kind == Acceleration::Nesterov {
            1.0
        } else {
            GROWTH
        };
        if let Some((_, last)) = &self.last
            && self.extrapolated
            && (size > growth * self.last_size || size.is_nan())
        {
            v.copy_from_slice(last);
            self.reset();
            return;
        }
        match self.kind {
            Acceleration::Nesterov => self.nesterov(v, image),
            _ => self.anderson(weights, &residual, v, image),
        }
        self.last = Some((residual, image.to_vec()));
        self.last_size = size;
    }

    fn nesterov(&mut self, v: &mut [f64], image: &[f64]) {
        v.copy_from_slice(image);
        self.extrapolated = false;
        let Some((_, last)) = &self.last else { return };
        let next = 0.5 * (1.0 + (1.0 + 4.0 * self.momentum * self.momentum).sqrt());
        let share = (self.momentum - 1.0) / next;
        for (v, (image, last)) in v.iter_mut().zip(image.iter().zip(last)) {
            *v += share * (image - last);
        }
        self.momentum = next;
        self.extrapolated = share > 0.0;
    }

    fn anderson(&mut self, weights: &[f64], residual: &[f64], v: &mut [f64], image: &[f64]) {
        v.copy_from_slice(image);
        self.extrapolated = false;
        let Some((last_residual, last_image)) = &self.last else {
            return;
        };
        let difference = |new: &[f64], old: &[f64]| new.iter().zip(old).map(|(a, b)| a - b).collect();
        let pair = (difference(residual, last_residual), difference(image, last_image));
        if self.differences.len() == self.memory {
            self.differences.remove(0);
        }
        self.differences.push(pair);
        let count = self.differences.len();
        let mut gram = DMatrix::from_fn(count, count, |i, j| {
            product(weights, &self.differences[i].0, &self.differences[j].0)
        });
        let regularisation = REGULARISATION * gram.trace();
        (0..count).for_each(|k| gram[(k, k)] += regularisation);
        let right = DVector::from_fn(count, |k, _| product(weights, &self.differences[k].0, residual));
        let Some(factors) = gram.cholesky() else {
            self.differences.clear();
            return;
        };
        let shares = factors.solve(&right);
        for ((_, image), share) in self.differences.iter().zip(shares.iter()) {
            v.iter_mut().zip(image).for_each(|(v, d)| *v -= share * d);
        }
        self.extrapolated = true;
    }
}

/// `Σ weights a b`.
fn product(weights: &[f64], a: &[f64], b: &[f64]) -> f64 {
    weights.iter().zip(a.iter().zip(b)).map(|(d, (a, b))| d * a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `v ← v − (M v − c)`, the simplest linear iteration, with eigenvalues of M between 0.01 and 1.
    fn iterations(kind: Acceleration) -> usize {
        let stiffness: Vec<f64> = (0..6).map(|k| 0.01_f64.powf(f64::from(k) / 5.0)).collect();
        let weights = [1.0; 6];
        let mut accelerator = Accelerator::new(kind, 8);
        let mut v = vec![0.0; 6];
        for iteration in 0..5000 {
            let image: Vec<f64> = v.iter().zip(&stiffness).map(|(v, m)| v - (m * v - 1.0)).collect();
            if v.iter().zip(&stiffness).all(|(v, m)| (m * v - 1.0).abs() < 1e-9) {
                return iteration;
            }
            accelerator.advance(&weights, &mut v, &image);
        }
        5000
    }

    /// The plain iteration needs log(1e-9)/log(0.99) ≈ 2062 steps. Nesterov's needs about the square root of that times
    /// a small factor; Anderson's is GMRES and ends after six steps but for rounding.
    #[test]
    fn on_a_linear_map_both_need_far_fewer_steps() {
        let plain = iterations(Acceleration::None);
        assert!((2050..2075).contains(&plain), "{plain}");
        let nesterov = iterations(Acceleration::Nesterov);
        assert!(nesterov < plain / 4, "{nesterov}");
        let anderson = iterations(Acceleration::Anderson);
        assert!(anderson <= 12, "{anderson}");
    }

    /// A contraction with kinks at both axes, where extrapolations overshoot; the fixed point is still found.
    #[test]
    fn steps_that_make_the_residual_grow_are_taken_back() {
        for kind in [Acceleration::Nesterov, Acceleration::Anderson] {
            let mut accelerator = Accelerator::new(kind, 3);
            let mut v: Vec<f64> = vec![3.0, -2.0];
            for _ in 0..400 {
                let image = [0.9 * v[1].abs() + 0.05, -0.9 * v[0].abs() + 0.1];
                accelerator.advance(&[1.0, 1.0], &mut v, &image);
            }
            let image = [0.9 * v[1].abs() + 0.05, -0.9 * v[0].abs() + 0.1];
            assert!(
                (image[0] - v[0]).abs() + (image[1] - v[1]).abs() < 1e-9,
                "{kind:?} {v:?}"
            );
        }
    }
}
