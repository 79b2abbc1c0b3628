//! Newton's method on Alart and Curnier's (1991) equations of one contact, with rolling discs or without:
//!
//! ```text
//! u_n = 0 if λ_n > ρ u_n, else λ_n = 0;      u_t = 0 if ‖y‖ ≤ μ λ_n, else λ_t = μ λ_n y/‖y‖,   y = λ_t − ρ u_t
//! ```
//!
//! It is quick near a solution and may wander far from one. So a step counts only if it lowers the natural map; if none
//! of its halvings does, projected steps `λ ← P(λ − ρ ũ)` go on to a better place. The best point seen is the result, so
//! that it is never worse than the start.

use super::OneContact;
use crate::cone::{Cone, length};
use crate::linear::dense;
use crate::problem::Block;
use crate::residual::natural_map;
use crate::vector::dot;

/// As many rows as a contact can have.
const ROWS: usize = 5;

/// Whether a point obeys the law to rounding.
pub(super) fn is_solution(contact: &OneContact<'_>, velocity: &[f64], impulse: &[f64], point: &[f64]) -> bool {
    let search = Search::new(contact, velocity, impulse);
    let at = search.start(contact, point);
    search.merit(&at) <= 32.0 * search.enough(&at)
}

/// Newton's steps alone, into `new`; true if they end at a solution.
pub(super) fn quick(contact: &OneContact<'_>, velocity: &[f64], impulse: &[f64], new: &mut [f64]) -> bool {
    let search = Search::new(contact, velocity, impulse);
    let mut at = search.start(contact, impulse);
    let mut merit = search.merit(&at);
    for _ in 0..30 {
        if merit <= search.enough(&at) {
            new.copy_from_slice(&at[..search.n]);
            return true;
        }
        match search.newton_step(&at, merit) {
            Some((point, better)) => (at, merit) = (point, better),
            None => return false,
        }
    }
    false
}

/// Into `new`.
pub(super) fn solve(contact: &OneContact<'_>, velocity: &[f64], impulse: &[f64], new: &mut [f64]) {
    let search = Search::new(contact, velocity, impulse);
    let n = search.n;
    let mut best = search.start(contact, impulse);
    let mut merit = search.merit(&best);
    let mut at = best;
    for round in 0..60 {
        for _ in 0..30 {
            if merit <= search.enough(&best) {
                break;
            }
            match search.newton_step(&at, merit) {
                Some((point, better)) => (best, at, merit) = (point, point, better),
                None => break,
            }
        }
        if merit <= search.enough(&best) {
            break;
        }
        at = best;
        for _ in 0..10 * (round + 1) {
            at = search.projected_step(&at);
            let here = search.merit(&at);
            if here < merit {
                (best, merit) = (at, here);
            }
        }
    }
    new.copy_from_slice(&best[..n]);
}

struct Search<'a> {
    n: usize,
    block: Block,
    d: &'a [f64],
    q: [f64; ROWS],
    /// Mean diagonal entry, the residual's scale.
    scale: f64,
    /// A step length that contracts.
    step: f64,
}

impl<'a> Search<'a> {
    fn new(contact: &OneContact<'a>, velocity: &[f64], impulse: &[f64]) -> Self {
        let (n, d) = (impulse.len(), contact.matrix);
        let mut q = [0.0; ROWS];
        for r in 0..n {
            q[r] = velocity[r] - dot(&d[n * r..n * (r + 1)], impulse);
        }
        let stiffest = d
            .chunks_exact(n)
            .map(|row| row.iter().map(|x| x.abs()).sum())
            .fold(0.0, f64::max);
        Self {
            n,
            block: Block {
                first: 0,
                len: n as u32,
                cone: contact.cone,
            },
            d,
            q,
            scale: (0..n).map(|r| d[(n + 1) * r]).sum::<f64>() / n as f64,
            step: 1.0 / stiffest,
        }
    }

    fn start(&self, contact: &OneContact<'_>, impulse: &[f64]) -> [f64; ROWS] {
        let mut start = [0.0; ROWS];
        start[..self.n].copy_from_slice(impulse);
        contact.cone.project(&mut start[..self.n]);
        start
    }

    fn velocity(&self, x: &[f64; ROWS]) -> [f64; ROWS] {
        let mut u = [0.0; ROWS];
        for r in 0..self.n {
            u[r] = dot(&self.d[self.n * r..self.n * (r + 1)], &x[..self.n]) + self.q[r];
        }
        u
    }

    fn merit(&self, x: &[f64; ROWS]) -> f64 {
        natural_map(&self.block, self.scale, &x[..self.n], &self.velocity(x)[..self.n])
    }

    /// Rounding of the velocities at a point.
    fn enough(&self, x: &[f64; ROWS]) -> f64 {
        let size = dot(&x[..self.n], &x[..self.n]).sqrt() / self.step;
        2.0 * f64::EPSILON * (size + dot(&self.q, &self.q).sqrt())
    }

    fn projected_step(&self, x: &[f64; ROWS]) -> [f64; ROWS] {
        let mut u = self.velocity(x);
        u[0] += self.block.cone.de_saxce(&u[..self.n]);
        let mut next = [0.0; ROWS];
        for r in 0..self.n {
            next[r] = x[r] - self.step * u[r];
        }
        self.block.cone.project(&mut next[..self.n]);
        next
    }

    /// A point of lower merit along Newton's direction, with that merit.
    fn newton_step(&self, x: &[f64; ROWS], merit: f64) -> Option<([f64; ROWS], f64)> {
        let n = self.n;
        if matches!(self.block.cone, Cone::SecondOrder { .. }) {
            return None;
        }
        let mut matrix = [0.0; ROWS * ROWS];
        let mut right = [0.0; ROWS];
        self.linearise(x, &mut matrix[..n * n], &mut right[..n]);
        if !dense::solve(n, &mut matrix[..n * n], &mut right[..n]) {
            return None;
        }
        let mut length = 1.0;
        for _ in 0..12 {
            let mut point = *x;
            for r in 0..n {
                point[r] += length * right[r];
            }
            self.block.cone.project(&mut point[..n]);
            let here = self.merit(&point);
            if here < merit {
                return Some((point, here));
            }
            length *= 0.5;
        }
        None
    }

    /// The generalised Jacobian of the equations, and minus their values.
    fn linearise(&self, x: &[f64; ROWS], matrix: &mut [f64], right: &mut [f64]) {
        let (n, u) = (self.n, self.velocity(x));
        let rho = 1.0 / self.scale;
        if x[0] > rho * u[0] {
            matrix[..n].copy_from_slice(&self.d[..n]);
            right[0] = -u[0];
        } else {
            matrix[0] = 1.0;
            right[0] = -x[0];
        }
        for (mu, rows) in self.block.cone.discs(n) {
            let mut y = [0.0; ROWS];
            for r in rows.clone() {
                y[r] = x[r] - rho * u[r];
            }
            let (size, radius) = (length(&y[rows.clone()]), mu * x[0].max(0.0));
            for r in rows.clone() {
                let row = &self.d[n * r..n * (r + 1)];
                if size <= radius {
                    matrix[n * r..n * (r + 1)].copy_from_slice(row);
                    right[r] = -u[r];
                    continue;
                }
                right[r] = -(x[r] - radius * y[r] / size);
                matrix[n * r + r] = 1.0;
                matrix[n * r] -= mu * y[r] / size;
                // What the direction y/‖y‖ changes by: (I − ŷŷᵀ)(I − ρD)/‖y‖.
                for s in rows.clone() {
                    let across = f64::from(u8::from(r == s)) - y[r] * y[s] / (size * size);
                    let factor = radius / size * across;
                    matrix[n * r + s] -= factor;
                    for (entry, d) in matrix[n * r..n * (r + 1)].iter_mut().zip(&self.d[n * s..n * (s + 1)]) {
                        *entry += factor * rho * d;
                    }
                }
            }
        }
    }
}
