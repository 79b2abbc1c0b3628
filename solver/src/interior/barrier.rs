//! What a path inside the cones knows of each row or contact: a point strictly inside, the Newton equation of its
//! complementarity, and how far a step may go.
//!
//! Each law asks that impulse x and velocity y are inside a cone and its dual, with `x ∘ y = τ e` on the path and τ → 0.
//! Linearised, with the step dλ of the impulses known, the velocities follow:
//!
//! ```text
//! dy = q − D dλ
//! ```
//!
//! D is z/x for a bound and Nesterov and Todd's `W⁻²` for a contact. Coulomb's law has De Saxcé's velocity for y, so that
//! the bodies' equation is `y − μ‖y_t‖ e_n = Aλ + b`; its linear part is `dy = N (A dλ + r)` with `N = 1 + μ e_n ŷ_tᵀ`, and
//! N = 1 for all others. Together: `(D + N A) dλ = q − N r`.

use super::bounded::BoundedRow;
use super::contact::Contact;

/// A row or a contact of the problem, and where it is.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    /// Its first row, and how many it has.
    pub(super) row: usize,
    pub(super) len: usize,
    /// Where its matrix begins among the numbers of a block-diagonal matrix.
    pub(super) at: usize,
    /// Mean diagonal entry of A in its block.
    pub(super) scale: f64,
    pub(super) law: Law,
}

/// What a piece may do.
#[derive(Debug, Clone)]
pub(super) enum Law {
    /// Its impulse is given.
    Fixed(f64),
    /// It has bounds, or none.
    Bounded(BoundedRow),
    /// It has a cone.
    Contact(Contact),
}

impl Piece {
    fn rows(&self) -> std::ops::Range<usize> {
        self.row..self.row + self.len
    }

    /// Starts in the middle: all complementarity products are `size²`. Impulses of different masses have different
    /// sizes; times the root of their scale they all have that of the root of an energy.
    pub(super) fn start_centred(&mut self, impulses: &mut [f64], size: f64) {
        let (impulse_size, velocity_size) = (size / self.scale.sqrt(), size * self.scale.sqrt());
        let impulse = &mut impulses[self.rows()];
        match &mut self.law {
            Law::Fixed(value) => impulse[0] = *value,
            Law::Bounded(row) => {
                impulse[0] = row.start(0.0, 0.0, impulse_size, 0.0);
                row.centre(size * size);
            }
            Law::Contact(contact) => contact.start_centred(impulse, impulse_size, velocity_size),
        }
    }

    /// Starts at given impulses and velocities, pushed inside by a velocity and the impulse that goes with it.
    pub(super) fn start_near(&mut self, impulses: &mut [f64], velocities: &[f64], push: f64) {
        let (impulse, velocity) = (&mut impulses[self.row..self.row + self.len], &velocities[self.rows()]);
        let margin = push / self.scale;
        match &mut self.law {
            Law::Fixed(value) => impulse[0] = *value,
            Law::Bounded(row) => impulse[0] = row.start(impulse[0], velocity[0], margin, push),
            Law::Contact(contact) => contact.start(impulse, velocity, margin, push),
        }
    }

    /// Hands over every complementarity product x·y after a part of the step, and what is the same for a bound but not for a
    /// contact, the smaller eigenvalue of the product in Jordan's sense; zero if that point is outside.
    pub(super) fn products(&self, length: f64, mut take: impl FnMut(f64, f64)) {
        match &self.law {
            Law::Fixed(_) => {}
            Law::Bounded(row) => row.products(length, take),
            Law::Contact(contact) => {
                let (smaller, product) = contact.products(length);
                take(smaller, product);
            }
        }
    }

    /// Writes its part of C and E of `(C + E A) dλ = …`: `D + δ` and N, a contact's multiplied by `(D + δ)^−½`.
    pub(super) fn matrices(&mut self, regularisation: f64, c: &mut [f64], e: &mut [f64]) {
        let delta = regularisation * self.scale;
        match &mut self.law {
            Law::Fixed(_) => (c[self.at], e[self.at]) = (1.0, 0.0),
            Law::Bounded(row) => (c[self.at], e[self.at]) = (row.stiffness() + delta, 1.0),
            Law::Contact(contact) => {
                let all = self.at..self.at + self.len * self.len;
                contact.matrices(delta, self.len, &mut c[all.clone()], &mut e[all]);
            }
        }
    }

    /// Aims at complementarity products of `target`; `corrected` takes into account what the last direction's linear
    /// equation left out. Writes its part of the right-hand side, for velocities `w = Aλ + b`.
    pub(super) fn aim(
        &mut self,
        target: f64,
        corrected: bool,
        velocities: &[f64],
        regularisation: f64,
        out: &mut [f64],
    ) {
        let (velocity, rows) = (&velocities[self.rows()], self.rows());
        let delta = regularisation * self.scale;
        match &mut self.law {
            Law::Fixed(_) => out[self.row] = 0.0,
            Law::Bounded(row) => {
                row.aim(target, corrected);
                out[self.row] = row.pull() - (velocity[0] - row.velocity());
            }
            Law::Contact(contact) => {
                contact.aim(target, corrected);
                contact.right_side(delta, velocity, &mut out[rows]);
            }
        }
    }

    /// Takes the step of the impulses in, and works out that of the velocities.
    pub(super) fn follow(&mut self, steps: &[f64]) {
        let step = &steps[self.rows()];
        match &mut self.law {
            Law::Fixed(_) => {}
            Law::Bounded(row) => row.follow(step[0]),
            Law::Contact(contact) => contact.follow(step),
        }
    }

    /// How much of the step leads to the boundary.
    pub(super) fn longest_step(&self) -> f64 {
        match &self.law {
            Law::Fixed(_) => f64::INFINITY,
            Law::Bounded(row) => row.longest_step(),
            Law::Contact(contact) => contact.longest_step(),
        }
    }

    /// Goes that far.
    pub(super) fn advance(&mut self, length: f64, steps: &[f64], impulses: &mut [f64]) {
        let rows = self.rows();
        match &mut self.law {
            Law::Fixed(_) => {}
            Law::Bounded(row) => {
                row.advance(length);
                impulses[self.row] = row.impulse(impulses[self.row], length * steps[self.row]);
            }
            Law::Contact(contact) => contact.advance(length, &mut impulses[rows]),
        }
    }
}
