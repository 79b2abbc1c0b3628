//! The update of a contact, eight at a time.
//!
//! With the velocities V, W = M⁻¹Jᵀλ of its two bodies a contact, as `local.rs` has it, needs neither rows nor columns of J:
//!
//! ```text
//! u = V_b + W_b × r_b − V_a − W_a × r_a,   w = (n·u, s·u, (n×s)·u) + b
//! δ = P(λ − S w) − λ,                      p = n δ₀ + s δ₁ + (n×s) δ₂
//! V_b += p/m_b,   W_b += I_b⁻¹ (r_b × p),  V_a −= p/m_a,   W_a −= I_a⁻¹ (r_a × p)
//! ```
//!
//! with unit normal n and tangent s. It streams 23 numbers, 184 bytes, a sweep, and 12 without friction; written out as rows it
//! would be 47. What fills up the lanes of a shorter manifold is all zeros, and so are its impulses.

use pulp::Simd;

use super::bodies::Side;
use super::lanes::{Lanes, Stored, StoredVectors, Vectors};
use crate::delassus::Touch;
use crate::hint::fetch;

/// Contacts side by side, in one of two kinds.
pub(super) trait Contacts: Copy + Default + Send + Sync + 'static {
    /// Rows of a contact.
    const ROWS: usize;
    /// Floating-point operations of its update, as `work` counts them.
    const OPERATIONS: usize;

    /// Writes what doesn't depend on the masses to a lane. `bias` and `impulse` have at least one row; those that are missing
    /// are zero, and so is the friction of a contact without tangents.
    fn set(&mut self, lane: usize, touch: &Touch, friction: f64, bias: &[f64], impulse: &[f64], factor: f64);

    /// Finds the step lengths, and where there is none, zero.
    fn find_steps<S: Simd>(&mut self, simd: S, part: usize, sides: &[Side<S>; 2], relaxation: f64);

    /// Whether a lane has step lengths, and what it starts from is a number.
    fn is_regular(&self, lane: usize) -> bool;

    /// Adds what its impulses do to the velocities.
    fn start<S: Simd>(&self, simd: S, part: usize, sides: &mut [Side<S>; 2]);

    /// Solves the contact with all others held still; returns the larger of `largest` and the change of an impulse.
    fn relax<S: Simd>(&mut self, simd: S, part: usize, sides: &mut [Side<S>; 2], largest: Lanes<S>) -> Lanes<S>;

    /// Reads the impulse of a lane.
    fn impulse(&self, lane: usize, impulse: &mut [f64]);

    /// Asks for the impulses, which somebody will soon read.
    fn ask_for_impulses(&self);

    /// The contacts without their friction.
    fn normal(&mut self) -> &mut Smooth;

    /// The same, to look at.
    fn along_normal(&self) -> &Smooth;
}

/// Where contacts are.
#[derive(Debug, Clone, Copy, Default)]
struct StoredPlace {
    normal: StoredVectors,
    arms: [StoredVectors; 2],
}

impl StoredPlace {
    #[inline(always)]
    fn set(&mut self, lane: usize, touch: &Touch) {
        self.normal.set(lane, &touch.normal);
        self.arms[0].set(lane, &touch.arm_a);
        self.arms[1].set(lane, &touch.arm_b);
    }

    #[inline(always)]
    fn load<S: Simd>(&self, simd: S, part: usize) -> Place<S> {
        Place {
            normal: self.normal.load(simd, part),
            arms: [self.arms[0].load(simd, part), self.arms[1].load(simd, part)],
        }
    }
}

/// The same in registers.
#[derive(Clone, Copy)]
struct Place<S: Simd> {
    normal: Vectors<S>,
    arms: [Vectors<S>; 2],
}

impl<S: Simd> Place<S> {
    /// The velocity of B against A.
    #[inline(always)]
    fn velocity(&self, [a, b]: &[Side<S>; 2]) -> Vectors<S> {
        b.velocity_at(self.arms[1]) - a.velocity_at(self.arms[0])
    }

    #[inline(always)]
    fn apply(&self, [a, b]: &mut [Side<S>; 2], impulse: Vectors<S>) {
        a.push(self.arms[0], impulse);
        b.pull(self.arms[1], impulse);
    }

    /// The entry of A for two directions.
    #[inline(always)]
    fn response(&self, [a, b]: &[Side<S>; 2], along: Vectors<S>, other: Vectors<S>) -> Lanes<S> {
        a.response(self.arms[0], along, other) + b.response(self.arms[1], along, other)
    }
}

/// Contacts without friction: one row each.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Smooth {
    place: StoredPlace,
    bias: Stored,
    step: Stored,
    impulse: Stored,
}

impl Smooth {
    /// Begins again in a lane, from nothing and with another bias.
    #[inline(always)]
    pub(super) fn restart(&mut self, lane: usize, bias: f64) {
        self.bias.0[lane] = bias;
        self.impulse.0[lane] = 0.0;
    }
}

impl Contacts for Smooth {
    const ROWS: usize = 1;
    const OPERATIONS: usize = 27 + 9 + 3 + 66;

    #[inline(always)]
    fn set(&mut self, lane: usize, touch: &Touch, _: f64, bias: &[f64], impulse: &[f64], factor: f64) {
        self.place.set(lane, touch);
        self.bias.0[lane] = bias[0];
        self.impulse.0[lane] = factor * impulse[0];
    }

    #[inline(always)]
    fn find_steps<S: Simd>(&mut self, simd: S, part: usize, sides: &[Side<S>; 2], relaxation: f64) {
        let place = self.place.load(simd, part);
        let entry = place.response(sides, place.normal, place.normal);
        entry.steps(relaxation).store(&mut self.step, part);
    }

    fn is_regular(&self, lane: usize) -> bool {
        let step = self.step.0[lane];
        step > 0.0 && (step * self.bias.0[lane] + self.impulse.0[lane]).is_finite()
    }

    #[inline(always)]
    fn start<S: Simd>(&self, simd: S, part: usize, sides: &mut [Side<S>; 2]) {
        let place = self.place.load(simd, part);
        place.apply(sides, place.normal * Lanes::load(simd, &self.impulse, part));
    }

    #[inline(always)]
    fn relax<S: Simd>(&mut self, simd: S, part: usize, sides: &mut [Side<S>; 2], largest: Lanes<S>) -> Lanes<S> {
        let load = |from: &Stored| Lanes::load(simd, from, part);
        let place = self.place.load(simd, part);
        let old = load(&self.impulse);
        let velocity = place.normal.dot(place.velocity(sides)) + load(&self.bias);
        let new = (old - load(&self.step) * velocity).at_least_zero();
        let change = new - old;
        new.store(&mut self.impulse, part);
        place.apply(sides, place.normal * change);
        largest.or_size_of(change)
    }

    #[inline(always)]
    fn impulse(&self, lane: usize, impulse: &mut [f64]) {
        impulse[0] = self.impulse.0[lane];
    }

    #[inline(always)]
    fn ask_for_impulses(&self) {
        fetch(&self.impulse);
    }

    #[inline(always)]
    fn normal(&mut self) -> &mut Smooth {
        self
    }

    #[inline(always)]
    fn along_normal(&self) -> &Smooth {
        self
    }
}

/// Contacts with Coulomb friction: three rows each, the tangents together in their disc.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rough {
    /// What is left of them without friction comes first, for sweeps over that alone.
    normal: Smooth,
    tangent: StoredVectors,
    friction: Stored,
    /// Of both tangents, as all that follows.
    bias: [Stored; 2],
    step: Stored,
    /// What a change of the normal impulse takes away from the targets of the tangents.
    couplings: [Stored; 2],
    impulse: [Stored; 2],
}

impl Contacts for Rough {
    const ROWS: usize = 3;
    const OPERATIONS: usize = 9 + 27 + 9 + 20 + 11 + 15 + 66;

    #[inline(always)]
    fn set(&mut self, lane: usize, touch: &Touch, friction: f64, bias: &[f64], impulse: &[f64], factor: f64) {
        self.normal.set(lane, touch, friction, bias, impulse, factor);
        self.tangent.set(lane, &touch.tangent);
        self.friction.0[lane] = friction;
        for row in 0..2 {
            self.bias[row].0[lane] = bias.get(row + 1).copied().unwrap_or_default();
            self.impulse[row].0[lane] = factor * impulse.get(row + 1).copied().unwrap_or_default();
        }
    }

    #[inline(always)]
    fn find_steps<S: Simd>(&mut self, simd: S, part: usize, sides: &[Side<S>; 2], relaxation: f64) {
        let place = self.normal.place.load(simd, part);
        let (n, s) = (place.normal, self.tangent.load(simd, part));
        let t = n.cross(s);
        let entry = |along, other| place.response(sides, along, other);
        // The larger eigenvalue of the block of the tangents, as in `local.rs`.
        let (ss, st, tt) = (entry(s, s), entry(s, t), entry(t, t));
        let half = Lanes::splat(simd, 0.5);
        let difference = half * (ss - tt);
        let stiffest = half * (ss + tt) + (difference * difference + st * st).sqrt();
        let tangents = stiffest.steps(relaxation);
        entry(n, n).steps(relaxation).store(&mut self.normal.step, part);
        tangents.store(&mut self.step, part);
        (entry(s, n) * tangents).store(&mut self.couplings[0], part);
        (entry(t, n) * tangents).store(&mut self.couplings[1], part);
    }

    fn is_regular(&self, lane: usize) -> bool {
        let step = self.step.0[lane];
        let sum = |rows: &[Stored; 2]| rows[0].0[lane] + rows[1].0[lane];
        self.normal.is_regular(lane) && step > 0.0 && (step * sum(&self.bias) + sum(&self.impulse)).is_finite()
    }

    #[inline(always)]
    fn start<S: Simd>(&self, simd: S, part: usize, sides: &mut [Side<S>; 2]) {
        let load = |from: &Stored| Lanes::load(simd, from, part);
        let place = self.normal.place.load(simd, part);
        let (n, s) = (place.normal, self.tangent.load(simd, part));
        let [along_s, along_t] = &self.impulse;
        let impulse = n * load(&self.normal.impulse) + s * load(along_s) + n.cross(s) * load(along_t);
        place.apply(sides, impulse);
    }

    #[inline(always)]
    fn relax<S: Simd>(&mut self, simd: S, part: usize, sides: &mut [Side<S>; 2], largest: Lanes<S>) -> Lanes<S> {
        let load = |from: &Stored| Lanes::load(simd, from, part);
        let place = self.normal.place.load(simd, part);
        let (n, s) = (place.normal, self.tangent.load(simd, part));
        let t = n.cross(s);
        let velocity = place.velocity(sides);
        let [old_n, old_s, old_t] = [&self.normal.impulse, &self.impulse[0], &self.impulse[1]].map(load);
        let [bias_n, bias_s, bias_t] = [&self.normal.bias, &self.bias[0], &self.bias[1]].map(load);
        let [normal_step, tangent_step] = [&self.normal.step, &self.step].map(load);
        let [coupling_s, coupling_t] = [0, 1].map(|k| load(&self.couplings[k]));

        let new_n = (old_n - normal_step * (n.dot(velocity) + bias_n)).at_least_zero();
        let change_n = new_n - old_n;
        let target_s = old_s - tangent_step * (s.dot(velocity) + bias_s) - coupling_s * change_n;
        let target_t = old_t - tangent_step * (t.dot(velocity) + bias_t) - coupling_t * change_n;
        let square = target_s * target_s + target_t * target_t;
        let scale = square.into_disc(load(&self.friction) * new_n);
        let (new_s, new_t) = (scale * target_s, scale * target_t);
        let (change_s, change_t) = (new_s - old_s, new_t - old_t);

        new_n.store(&mut self.normal.impulse, part);
        new_s.store(&mut self.impulse[0], part);
        new_t.store(&mut self.impulse[1], part);
        place.apply(sides, n * change_n + s * change_s + t * change_t);
        largest.or_size_of(change_n).or_size_of(change_s).or_size_of(change_t)
    }

    #[inline(always)]
    fn impulse(&self, lane: usize, impulse: &mut [f64]) {
        let rows = [&self.normal.impulse, &self.impulse[0], &self.impulse[1]];
        for (row, impulse) in rows.into_iter().zip(impulse) {
            *impulse = row.0[lane];
        }
    }

    #[inline(always)]
    fn ask_for_impulses(&self) {
        fetch(&self.normal.impulse);
        fetch(&self.impulse);
    }

    #[inline(always)]
    fn normal(&mut self) -> &mut Smooth {
        &mut self.normal
    }

    #[inline(always)]
    fn along_normal(&self) -> &Smooth {
        &self.normal
    }
}
