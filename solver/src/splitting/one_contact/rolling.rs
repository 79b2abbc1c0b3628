//! A contact with two discs, slip and roll, where Newton's method alone does not arrive.
//!
//! As for one disc the normal is eliminated, and each disc has its own factor, `u_t = −α λ_t`, `u_r = −β λ_r`:
//!
//! ```text
//! (S + diag(α, α, β, β)) (λ_t, λ_r) = −p,      α ≥ 0 ⟂ μ λ_n ≥ ‖λ_t‖,      β ≥ 0 ⟂ μ_r λ_n ≥ ‖λ_r‖
//! ```
//!
//! For a given α the inner root β is bracketed as for one disc, and so is the outer root α. Slow and sure; the caller
//! polishes the result.

use super::{OneContact, bracketed_root};
use crate::cone::Cone;
use crate::linear::dense;
use crate::vector::dot;

/// Into `new`: a point at or near the solution.
pub(super) fn solve(contact: &OneContact<'_>, velocity: &[f64], impulse: &[f64], new: &mut [f64]) {
    let Cone::Rolling { friction, rolling } = contact.cone else {
        return new.copy_from_slice(impulse);
    };
    let discs = Discs::new(contact.matrix, velocity, impulse);
    let excess = |mu: f64, x: &[f64; 5], k: usize| mu * x[0] / (x[k].hypot(x[k + 1]) + f64::MIN_POSITIVE) - 1.0;
    let roll = |alpha: f64| discs.root(|beta| excess(rolling, &discs.at(alpha, beta), 3));
    let alpha = discs.root(|alpha| excess(friction, &discs.at(alpha, roll(alpha)), 1));
    let x = discs.at(alpha, roll(alpha));
    if x.iter().all(|x| x.is_finite()) {
        new.copy_from_slice(&x);
    } else {
        new.copy_from_slice(impulse);
    }
}

struct Discs {
    normal_row: [f64; 5],
    q_n: f64,
    s: [f64; 16],
    p: [f64; 4],
    trace: f64,
}

impl Discs {
    fn new(d: &[f64], velocity: &[f64], impulse: &[f64]) -> Self {
        let q: [f64; 5] = std::array::from_fn(|r| velocity[r] - dot(&d[5 * r..5 * r + 5], impulse));
        let ratio = |r: usize| d[5 * (r + 1)] / d[0];
        let s: [f64; 16] = std::array::from_fn(|k| {
            let (r, c) = (k / 4, k % 4);
            d[5 * (r + 1) + c + 1] - ratio(r) * d[c + 1]
        });
        Self {
            normal_row: std::array::from_fn(|k| d[k]),
            q_n: q[0],
            s,
            p: std::array::from_fn(|r| q[r + 1] - ratio(r) * q[0]),
            trace: (0..4).map(|k| s[5 * k].abs()).sum(),
        }
    }

    /// The impulse that belongs to the two factors.
    fn at(&self, alpha: f64, beta: f64) -> [f64; 5] {
        let (mut system, mut x) = (self.s, self.p.map(|p| -p));
        for k in 0..4 {
            system[5 * k] += if k < 2 { alpha } else { beta };
        }
        if !dense::solve(4, &mut system, &mut x) {
            return [f64::NAN; 5];
        }
        let normal = -(self.q_n + dot(&self.normal_row[1..], &x)) / self.normal_row[0];
        [normal, x[0], x[1], x[2], x[3]]
    }

    /// The least factor from 0 on at which `excess` is not negative; very large where there is none, so that the disc is
    /// as good as closed.
    fn root(&self, excess: impl Fn(f64) -> f64) -> f64 {
        if excess(0.0) >= 0.0 {
            return 0.0;
        }
        let (mut low, mut high) = (0.0, self.trace * 1e-3);
        while excess(high) < 0.0 {
            (low, high) = (high, 8.0 * high);
            if high > self.trace * 1e16 {
                return high;
            }
        }
        bracketed_root(excess, low, high)
    }
}
