//! The penalty ρ of ADMM: how strongly x and z are tied together.
//!
//! Too small, and the impulses leave their cones; too large, and the velocities take for ever to settle. Two residuals
//! tell: the primal one `x − z` and the dual one `ρ (z⁺ − z)`, each relative to the size of what it is made of.
//! **Residual balancing** multiplies ρ by the square root of their ratio (Stellato et al. 2020, after Boyd et al. 2011).
//! **Spectral** penalties are `√(L m) (L/m)^p` between the largest eigenvalue L of A and the smallest one that counts, m,
//! and the exponent p moves by a twentieth when one residual is ten times the other (Carpentier et al. 2024).

use crate::choices;
use crate::problem::Problem;
use crate::vector;

choices! {
    /// How the penalty of ADMM is chosen.
    pub enum Penalty {
        /// It stays as it is.
        Fixed = "fixed",
        /// By the square root of the ratio of primal and dual residual.
        ResidualBalancing = "residual-balancing",
        /// From the spectrum of A, then by steps of its exponent.
        Spectral = "spectral",
    }
}

/// The two residuals of ADMM, relative.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Imbalance {
    pub(super) primal: f64,
    pub(super) dual: f64,
}

/// ρ, and how it follows the residuals.
#[derive(Debug)]
pub(super) struct Balance {
    kind: Penalty,
    pub(super) rho: f64,
    /// L and m.
    spectrum: [f64; 2],
    exponent: f64,
}

/// Steps of the power method: L is needed to a few per cent.
const POWER_STEPS: usize = 20;
/// Carpentier's first exponent, its step, and the imbalance that calls for one.
const EXPONENT: f64 = 0.2;
const EXPONENT_STEP: f64 = 0.05;
const EXPONENT_RATIO: f64 = 10.0;
/// How much ρ may change at a time.
const LARGEST_CHANGE: f64 = 5.0;
/// Where ρ stays: beyond these the linear systems lose their digits.
const RANGE: (f64, f64) = (1e-6, 1e6);

impl Balance {
    /// `rho` is where fixed and balanced penalties start, `smallest` the m of the spectral ones, `scales` is D.
    pub(super) fn new(kind: Penalty, rho: f64, smallest: f64, problem: &Problem, scales: &[f64]) -> Self {
        let mut balance = Self {
            kind,
            rho,
            spectrum: [1.0, smallest],
            exponent: EXPONENT,
        };
        if kind == Penalty::Spectral {
            balance.spectrum[0] = largest_eigenvalue(problem, scales).max(2.0 * smallest);
            balance.rho = balance.of_exponent();
        }
        balance
    }

    /// What ρ should be, in view of the residuals.
    pub(super) fn proposal(&mut self, Imbalance { primal, dual }: Imbalance) -> f64 {
        // One of them may be zero (nothing touches), or neither finite.
        let ratio = primal / dual;
        if !ratio.is_finite() || ratio == 0.0 {
            return self.rho;
        }
        let proposal = match self.kind {
            Penalty::Fixed => self.rho,
            Penalty::ResidualBalancing => self.rho * ratio.sqrt().clamp(1.0 / LARGEST_CHANGE, LARGEST_CHANGE),
            Penalty::Spectral => {
                if ratio > EXPONENT_RATIO {
                    self.exponent += EXPONENT_STEP;
                } else if ratio < 1.0 / EXPONENT_RATIO {
                    self.exponent -= EXPONENT_STEP;
                }
                self.exponent = self.exponent.clamp(-0.5, 0.5);
                self.of_exponent()
            }
        };
        proposal.clamp(RANGE.0, RANGE.1)
    }

    fn of_exponent(&self) -> f64 {
        let [largest, smallest] = self.spectrum;
        (largest * smallest).sqrt() * (largest / smallest).powf(self.exponent)
    }
}

/// Of `D^-½ A D^-½`, by the power method from a vector without preferences.
fn largest_eigenvalue(problem: &Problem, scales: &[f64]) -> f64 {
    let rows = problem.rows();
    // Signs and sizes that no symmetry of the problem shares.
    let mut x: Vec<f64> = (0..rows)
        .map(|row| 1.0 + (row as f64 * 0.754_877_666).fract())
        .collect();
    let mut y = vec![0.0; rows];
    let mut state = vec![0.0; problem.operator.as_delassus().state_len()];
    let mut size = 0.0;
    for _ in 0..POWER_STEPS {
        let norm = vector::norm(&x);
        if norm == 0.0 {
            break;
        }
        x.iter_mut().zip(scales).for_each(|(x, d)| *x /= norm * d.sqrt());
        problem.product(&x, &mut state, &mut y);
        y.iter_mut().zip(scales).for_each(|(y, d)| *y /= d.sqrt());
        size = vector::norm(&y);
        std::mem::swap(&mut x, &mut y);
    }
    size
}
