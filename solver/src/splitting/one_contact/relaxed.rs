//! The relaxed cone: λ ∈ K, u ∈ K*, λ·u = 0, without De Saxcé's shift.
//!
//! Between rest (q ∈ K*) and stick lies the edge of the cone, `λ = r (1, μd)` with a direction d. Complementarity sets the
//! size, `r = −c/a` with `y = (1, μd)`, `a = y·Dy`, `c = q·y`, and leaves one equation for the angle of d: the tangential
//! velocity has no part across d,
//!
//! ```text
//! f(θ) = d × (a q_t − c (D y)_t) = 0,      c < 0,      d·u_t ≤ 0
//! ```
//!
//! a trigonometric polynomial of the third degree, so that a handful of samples part its roots. The last condition picks
//! the right one; for symmetric positive definite D it is the only one, since the problem is convex.

use super::{OneContact, bracketed_root};
use crate::vector::dot;

/// Samples of the angle when the present one leads nowhere.
const SAMPLES: usize = 24;

/// Into `new`; false if no root was found.
pub(super) fn solve(contact: &OneContact<'_>, mu: f64, velocity: &[f64], impulse: &[f64], new: &mut [f64]) -> bool {
    let (n, d) = (new.len(), contact.matrix);
    let mut q = [0.0; 3];
    for r in 0..n {
        q[r] = velocity[r] - dot(&d[n * r..n * (r + 1)], impulse);
    }
    let slip = dot(&q[1..n], &q[1..n]).sqrt();
    if q[0] >= mu * slip {
        new.fill(0.0);
        return true;
    }
    if mu == 0.0 {
        new.fill(0.0);
        new[0] = -q[0] / d[0];
        return true;
    }
    if contact.sticks(velocity, impulse, new) {
        return true;
    }
    let edge = Edge { mu, n, d, q };
    if n == 2 {
        return [1.0, -1.0].iter().any(|&along| edge.accept([along, 0.0], new));
    }
    // From where the contact slips now, else from against the slip it would have.
    let start = if impulse[1] != 0.0 || impulse[2] != 0.0 {
        impulse[2].atan2(impulse[1])
    } else {
        (-q[2]).atan2(-q[1])
    };
    let step = std::f64::consts::TAU / SAMPLES as f64;
    let (mut last, mut angle) = (edge.across(start - step), start - step);
    for _ in 0..SAMPLES {
        let next = edge.across(angle + step);
        if last * next <= 0.0 {
            let root = bracketed_root(|angle| edge.across(angle), angle, angle + step);
            let (sin, cos) = root.sin_cos();
            if edge.accept([cos, sin], new) {
                return true;
            }
        }
        (last, angle) = (next, angle + step);
    }
    false
}

struct Edge<'a> {
    mu: f64,
    n: usize,
    d: &'a [f64],
    q: [f64; 3],
}

impl Edge<'_> {
    /// a, c and D y at a direction.
    fn at(&self, [x, y]: [f64; 2]) -> (f64, f64, [f64; 3]) {
        let point = [1.0, self.mu * x, self.mu * y];
        let mut product = [0.0; 3];
        for r in 0..self.n {
            product[r] = dot(&self.d[self.n * r..self.n * (r + 1)], &point);
        }
        (dot(&point, &product), dot(&point, &self.q), product)
    }

    /// f(θ).
    fn across(&self, angle: f64) -> f64 {
        let (sin, cos) = angle.sin_cos();
        let (a, c, product) = self.at([cos, sin]);
        cos * (a * self.q[2] - c * product[2]) - sin * (a * self.q[1] - c * product[1])
    }

    /// Writes the impulse along a direction if it obeys the law.
    fn accept(&self, along: [f64; 2], new: &mut [f64]) -> bool {
        let (a, c, product) = self.at(along);
        if !(a > 0.0 && c < 0.0) {
            return false;
        }
        let r = -c / a;
        let slip: f64 = (1..self.n).map(|k| along[k - 1] * (r * product[k] + self.q[k])).sum();
        // At the border to stick it is zero up to rounding.
        let size: f64 = (1..self.n).map(|k| (r * product[k]).abs() + self.q[k].abs()).sum();
        if slip > 1e-13 * size {
            return false;
        }
        new[0] = r;
        for k in 1..self.n {
            new[k] = self.mu * r * along[k - 1];
        }
        true
    }
}
