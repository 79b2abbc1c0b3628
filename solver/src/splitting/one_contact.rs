//! One block by itself, solved to rounding: find λ ∈ K with `u = Dλ + q` and the law of the block's cone.
//!
//! For a Coulomb contact there are three cases, cheapest first:
//!
//! - **separation**: q_n ≥ 0, and λ = 0;
//! - **stick**: `λ = −D⁻¹q` lies in the cone;
//! - **slip**: u_n = 0, and full friction against the slip, `u_t = −α λ_t` with α > 0. With u_n = 0 the normal is
//!   eliminated, and everything is a function of α alone:
//!
//! ```text
//! (S + αI) λ_t = −p,   λ_n = −(q_n + D_nt λ_t)/D_nn,   S = D_tt − D_tn D_nt/D_nn,   p = q_t − D_tn q_n/D_nn
//! ‖λ_t(α)‖ = μ λ_n(α)
//! ```
//!
//! The last line, squared and freed from fractions, is the quartic of Bonnefon and Daviet (2011). We solve
//! `h(α) = μ λ_n/‖λ_t‖ − 1 = 0` instead: h is smooth, negative at 0 where the contact would have to stick and does not,
//! grows without end, and is a straight line where S is a multiple of the identity and the normal is not coupled. So there
//! is a root, Newton's method within a bracket finds it, and from the α of the last sweep it takes a step or two.
//!
//! That needs S to have no negative eigenvalue, which positive definite D grants. Where it fails, and for contacts that
//! resist rolling, `newton` takes over; it never ends at a worse point than it was given. The relaxed cone is in
//! `relaxed`, rows between bounds in `bounds`.

mod bounds;
mod newton;
mod relaxed;
mod rolling;
mod slip;

use self::slip::Slip;
use crate::cone::{Cone, at_least};
use crate::linear::dense;
use crate::vector::dot;

/// A block's diagonal block D and its cone, prepared for many solves.
#[derive(Debug, Clone, Copy)]
pub struct OneContact<'a> {
    /// Where the impulses may lie.
    pub cone: Cone,
    /// D, row-major, with positive diagonal.
    pub matrix: &'a [f64],
    /// D⁻¹, of a joint with redundant rows its pseudo-inverse; a NaN in front where there is none.
    pub inverse: &'a [f64],
}

/// As many rows as a contact can have, or a block without an inverse that is to be held still.
const MOST_ROWS: usize = 6;

/// How many numbers [`OneContact::solve`] needs to work in, for a block of `rows` rows.
pub fn scratch_len(rows: usize) -> usize {
    rows * (rows + 3)
}

/// Writes the inverse that [`OneContact`] wants. One that would have fewer than five digits left is none, but that joints get
/// a pseudo-inverse: redundant rows then share their load. `scratch` as [`scratch_len`] says.
pub fn prepare_inverse(cone: Cone, rows: usize, matrix: &[f64], inverse: &mut [f64], scratch: &mut [f64]) {
    let exact = match cone {
        Cone::Free => dense::invert_joint(rows, matrix, inverse, scratch),
        _ => {
            dense::invert_definite(rows, matrix, inverse)
                && (0..rows).all(|r| matrix[(rows + 1) * r] * inverse[(rows + 1) * r] < 1e11)
        }
    };
    if !exact {
        inverse[0] = f64::NAN;
    }
}

/// Solves one block from scratch: `impulse` is the start and becomes the result. Allocates; for tests and trials.
pub fn solve(cone: Cone, matrix: &[f64], bias: &[f64], impulse: &mut [f64]) {
    let n = bias.len();
    let (mut inverse, mut scratch, mut velocity) = (vec![0.0; n * n], vec![0.0; scratch_len(n)], bias.to_vec());
    prepare_inverse(cone, n, matrix, &mut inverse, &mut scratch);
    for (velocity, row) in velocity.iter_mut().zip(matrix.chunks_exact(n)) {
        *velocity += dot(row, impulse);
    }
    let contact = OneContact {
        cone,
        matrix,
        inverse: &inverse,
    };
    let start = impulse.to_vec();
    contact.solve(&velocity, &start, impulse, &mut scratch);
}

impl OneContact<'_> {
    /// The impulse that solves the block, into `new`, given a present impulse and the velocity `u = Dλ + q` that belongs
    /// to it.
    #[inline(always)]
    pub fn solve(&self, velocity: &[f64], impulse: &[f64], new: &mut [f64], scratch: &mut [f64]) {
        match (self.cone, impulse, velocity) {
            (Cone::Friction { coefficient }, &[x0, x1, x2], &[w0, w1, w2]) => {
                let (Ok(d), Ok(inverse)) = (self.matrix.try_into(), self.inverse.try_into()) else {
                    return new.copy_from_slice(impulse);
                };
                match friction(coefficient, d, inverse, [w0, w1, w2], [x0, x1, x2]) {
                    Some(solution) => new.copy_from_slice(&solution),
                    None => self.solve_hard(coefficient, d, velocity, impulse, new),
                }
            }
            (Cone::NonNegative, &[x], &[w]) => new[0] = at_least(0.0, x - w / self.matrix[0]),
            _ => self.solve_other(velocity, impulse, new, scratch),
        }
    }

    /// Friction in space where D has no inverse, or the slip's equation no root.
    #[cold]
    fn solve_hard(&self, mu: f64, d: &[f64; 9], velocity: &[f64], impulse: &[f64], new: &mut [f64]) {
        if self.inverse[0].is_nan() {
            let (w, x) = (
                std::array::from_fn(|k| velocity[k]),
                std::array::from_fn(|k| impulse[k]),
            );
            let slip = Slip::new(mu, d, w[0] - dot(&d[..3], &x), w, x);
            let slipping = || slip.direction(slip.guess(w, x)).and_then(|t| slip.impulse(t));
            // Near α = 0 neither is exact to the last digit, so each has to prove itself.
            for candidate in [Some(slip.limit()), slipping()].into_iter().flatten() {
                if self.contains(&candidate) && newton::is_solution(self, velocity, impulse, &candidate) {
                    return new.copy_from_slice(&candidate);
                }
            }
        }
        newton::solve(self, velocity, impulse, new);
    }

    #[cold]
    fn solve_other(&self, velocity: &[f64], impulse: &[f64], new: &mut [f64], scratch: &mut [f64]) {
        match self.cone {
            Cone::Free => bounds::solve(
                self,
                (f64::NEG_INFINITY, f64::INFINITY),
                velocity,
                impulse,
                new,
                scratch,
            ),
            Cone::NonNegative => bounds::solve(self, (0.0, f64::INFINITY), velocity, impulse, new, scratch),
            Cone::Interval { lower, upper } => bounds::solve(self, (lower, upper), velocity, impulse, new, scratch),
            Cone::Friction { coefficient } => self.planar(coefficient, velocity, impulse, new),
            Cone::Rolling { .. } => {
                let normal = velocity[0] - dot(&self.matrix[..5], impulse);
                if normal >= 0.0 {
                    new.fill(0.0);
                } else if !self.sticks(velocity, impulse, new) && !newton::quick(self, velocity, impulse, new) {
                    rolling::solve(self, velocity, impulse, new);
                    let start = [new[0], new[1], new[2], new[3], new[4]];
                    let change: [f64; 5] = std::array::from_fn(|k| start[k] - impulse[k]);
                    let moved: [f64; 5] =
                        std::array::from_fn(|k| velocity[k] + dot(&self.matrix[5 * k..5 * k + 5], &change));
                    newton::solve(self, &moved, &start, new);
                }
            }
            Cone::SecondOrder { coefficient } => {
                if !relaxed::solve(self, coefficient, velocity, impulse, new) {
                    newton::solve(self, velocity, impulse, new);
                }
            }
        }
    }

    /// In the plane the slip has two directions, and the sign of p tells which.
    fn planar(&self, mu: f64, velocity: &[f64], impulse: &[f64], new: &mut [f64]) {
        let d = self.matrix;
        let normal = velocity[0] - dot(&d[..2], impulse);
        if normal >= 0.0 {
            return new.fill(0.0);
        }
        if self.sticks(velocity, impulse, new) {
            return;
        }
        let tangent = velocity[1] - dot(&d[2..4], impulse) - d[2] / d[0] * normal;
        let along = if tangent > 0.0 { -mu } else { mu };
        let denominator = d[0] + along * d[1];
        if denominator > 0.0 {
            new[0] = -normal / denominator;
            new[1] = along * new[0];
        } else {
            newton::solve(self, velocity, impulse, new);
        }
    }

    /// Tries `λ − D⁻¹u`, with which the block has no velocity left; false if that is outside of the cone.
    fn sticks(&self, velocity: &[f64], impulse: &[f64], new: &mut [f64]) -> bool {
        let n = new.len();
        if self.inverse[0].is_nan() {
            return self.sticks_singular(velocity, impulse, new);
        }
        for i in 0..n {
            new[i] = impulse[i] - dot(&self.inverse[n * i..n * (i + 1)], velocity);
        }
        self.contains(new)
    }

    /// The same where D has no inverse: proximal steps `λ ← λ − (D + εI)⁻¹u`, which end where u = 0 if that can be had.
    /// Four of them leave ε⁴ of u, and no impulse in directions that have no effect.
    #[cold]
    fn sticks_singular(&self, velocity: &[f64], impulse: &[f64], new: &mut [f64]) -> bool {
        let n = new.len();
        if n > MOST_ROWS {
            return false;
        }
        let (mut system, mut right) = ([0.0; MOST_ROWS * MOST_ROWS], [0.0; MOST_ROWS]);
        let trace: f64 = (0..n).map(|k| self.matrix[(n + 1) * k]).sum();
        let change =
            |new: &[f64], k: usize| -> f64 { (0..n).map(|j| self.matrix[n * k + j] * (new[j] - impulse[j])).sum() };
        new.copy_from_slice(impulse);
        for _ in 0..4 {
            system[..n * n].copy_from_slice(self.matrix);
            for k in 0..n {
                system[(n + 1) * k] += 1e-6 * trace;
                right[k] = velocity[k] + change(new, k);
            }
            if !dense::solve(n, &mut system[..n * n], &mut right[..n]) {
                return false;
            }
            new.iter_mut().zip(&right).for_each(|(x, change)| *x -= change);
        }
        let size = trace * dot(new, new).sqrt() + dot(velocity, velocity).sqrt();
        self.contains(new) && (0..n).all(|k| (velocity[k] + change(new, k)).abs() <= 1e-13 * size)
    }

    /// Whether an impulse lies in the cone of a contact. Of rows with bounds of their own nothing is asked here.
    fn contains(&self, x: &[f64]) -> bool {
        let within = |mu: f64, tangents: &[f64]| x[0] >= 0.0 && dot(tangents, tangents) <= mu * mu * x[0] * x[0];
        match self.cone {
            Cone::Rolling { friction, rolling } => within(friction, &x[1..3]) && within(rolling, &x[3..5]),
            Cone::Friction { coefficient } | Cone::SecondOrder { coefficient } => within(coefficient, &x[1..]),
            Cone::Free | Cone::NonNegative | Cone::Interval { .. } => true,
        }
    }
}

/// A Coulomb contact in space; none where the slip's equation has no root to be found.
#[inline(always)]
fn friction(mu: f64, d: &[f64; 9], inverse: &[f64; 9], w: [f64; 3], x: [f64; 3]) -> Option<[f64; 3]> {
    let normal = w[0] - (d[0] * x[0] + d[1] * x[1] + d[2] * x[2]);
    if normal >= 0.0 {
        return Some([0.0; 3]);
    }
    if mu == 0.0 {
        return Some([-normal / d[0], 0.0, 0.0]);
    }
    if inverse[0].is_nan() {
        return None;
    }
    let stick: [f64; 3] = std::array::from_fn(|i| {
        let row = &inverse[3 * i..3 * i + 3];
        x[i] - (row[0] * w[0] + row[1] * w[1] + row[2] * w[2])
    });
    let radius = mu * stick[0];
    if stick[0] >= 0.0 && stick[1] * stick[1] + stick[2] * stick[2] <= radius * radius {
        return Some(stick);
    }
    let slip = Slip::new(mu, d, normal, w, x);
    slip.direction(slip.guess(w, x))
        .and_then(|direction| slip.impulse(direction))
}

/// A root between two points where f has opposite signs, by regula falsi in its Illinois variant, kept from creeping by
/// bisection.
fn bracketed_root(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let (mut at_low, mut at_high) = (f(low), f(high));
    let mut kept = 0;
    for round in 0..200 {
        if at_low == 0.0 {
            return low;
        }
        if at_high == 0.0 || high - low <= 2.0 * f64::EPSILON * high.abs().max(low.abs()) {
            return high;
        }
        let secant = high - at_high * (high - low) / (at_high - at_low);
        let middle = if round % 4 != 3 && secant > low && secant < high {
            secant
        } else {
            0.5 * (low + high)
        };
        if middle <= low || middle >= high {
            return middle;
        }
        let value = f(middle);
        if value * at_low > 0.0 {
            (low, at_low) = (middle, value);
            if kept == 1 {
                at_high *= 0.5;
            }
            kept = 1;
        } else {
            (high, at_high) = (middle, value);
            if kept == 2 {
                at_low *= 0.5;
            }
            kept = 2;
        }
    }
    0.5 * (low + high)
}
