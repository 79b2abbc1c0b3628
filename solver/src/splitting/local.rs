//! The update of one block with all others held still: the step that every splitting method repeats.
//!
//! Given the block's velocity w, its impulse λ and its diagonal block D of A, a new impulse is found in one of two ways.
//!
//! - **Rows**: one row after the other, `λ_r ← P(λ_r − ω w_r / D_rr)`, each change δ_r carried over to the rows behind
//!   it. That is Gauss–Seidel on scalar rows, done on the block's own numbers: the bodies are read once and written once
//!   a block. All targets `z = λ − ω w / diag D` are made first, and corrected by `z_s ← z_s − S_sr δ_r` with
//!   `S_sr = ω D_sr / D_ss` prepared in advance: a sweep is a chain of dependent operations, and this way only a product
//!   and a difference lie between one row and the next.
//! - **Blocks**: first `λ − ω D⁻¹ w`, which is right whenever it lies inside the cone (the contact sticks, the joint
//!   holds); if it does not, row by row. A joint with redundant rows takes the pseudo-inverse.
//!
//! Friction takes one of three models. The box bounds each tangent by ±μ λ_n and follows λ_n as it changes (SOR-LCP-3);
//! it is too strong by up to √2 along its diagonal. The scaled box has ±μ λ_n/√2, the largest inside the disc. The cone
//! takes both tangents at once, `λ_t ← P_disc(λ_t − ω ρ w_t)` with ρ one over the larger eigenvalue of D_tt; its fixed
//! points satisfy Coulomb's law exactly: stick, or full friction against the slip.

use std::ops::Range;

use crate::choices;
use crate::cone::{Cone, at_least, between, length, project_disc};
use crate::delassus::Delassus;
use crate::linear::dense;
use crate::problem::{Block, Problem};
use crate::solve::Context;
use crate::splitting::one_contact::scratch_len;

choices! {
    /// What is solved at once.
    pub enum Granularity {
        /// One scalar row after the other.
        Rows = "rows",
        /// The rows of a contact or joint together where possible.
        Blocks = "blocks",
    }
}

choices! {
    /// How the friction cone is represented.
    pub enum Friction {
        /// Each tangent within ±μ λ_n: a box around the disc.
        Box = "box",
        /// Each tangent within ±μ λ_n / √2: the box inside the disc.
        ScaledBox = "scaled-box",
        /// The disc itself, by projection.
        Cone = "cone",
    }
}

/// The diagonal blocks of a problem, prepared for many updates.
pub(super) struct LocalBlocks {
    friction: Friction,
    /// How much of μ λ_n a tangent may have.
    share: f64,
    granularity: Granularity,
    relaxation: f64,
    /// Where the numbers of each block begin.
    offsets: Vec<u32>,
    /// Row-major, a block each: step lengths `ω / D_rr` (or ω ρ) on the diagonal, and beside them the row of D times
    /// its step length.
    steps: Vec<f64>,
    /// Their inverses (pseudo-inverses of joints with redundant rows), where whole blocks are solved; NaN in front where there is none.
    inverses: Vec<f64>,
}

impl LocalBlocks {
    /// Reads every diagonal block of a valid problem. `coupled` is false for methods that must not see the rows of a
    /// block act on each other (Jacobi on scalar rows).
    pub(super) fn prepare(
        problem: &Problem,
        operator: &impl Delassus,
        options: (Friction, Granularity, f64),
        coupled: bool,
        context: &mut Context,
    ) -> Self {
        let read = |index: usize, out: &mut [f64]| operator.diagonal_block(problem.blocks[index].rows(), out);
        Self::prepare_with(problem, read, options, coupled, context)
    }

    /// The same with blocks that `read` writes, given a block's index, in the place of A's own.
    pub(super) fn prepare_with(
        problem: &Problem,
        read: impl Fn(usize, &mut [f64]),
        options: (Friction, Granularity, f64),
        coupled: bool,
        context: &mut Context,
    ) -> Self {
        let (friction, granularity, relaxation) = options;
        let total = problem.block_diagonal_len();
        let mut local = Self {
            friction,
            share: match friction {
                Friction::Box | Friction::Cone => 1.0,
                Friction::ScaledBox => std::f64::consts::FRAC_1_SQRT_2,
            },
            granularity,
            relaxation,
            offsets: context.take_indices(),
            steps: context.take(total),
            inverses: context.take(if granularity == Granularity::Blocks { total } else { 0 }),
        };
        let largest = problem.blocks.iter().map(|block| block.len).max().unwrap_or(0) as usize;
        let mut scratch = context.take(scratch_len(largest));
        let mut at = 0;
        for (index, block) in problem.blocks.iter().enumerate() {
            let n = block.len as usize;
            local.offsets.push(at as u32);
            let steps = &mut local.steps[at..at + n * n];
            read(index, steps);
            if granularity == Granularity::Blocks {
                let inverse = &mut local.inverses[at..at + n * n];
                let regular = match block.cone {
                    Cone::Free => dense::invert_joint(n, steps, inverse, &mut scratch),
                    _ => dense::invert_definite(n, steps, inverse),
                };
                if !regular {
                    inverse[0] = f64::NAN;
                }
            }
            scale_to_steps(block, friction, relaxation, coupled, steps);
            at += n * n;
        }
        context.give([scratch]);
        local
    }

    /// Returns the memory.
    pub(super) fn release(self, context: &mut Context) {
        context.give([self.steps, self.inverses]);
        context.give_indices(self.offsets);
    }

    /// Turns rows of a block into `E⁻¹` of them, where `−E⁻¹ w` is what an update without bounds adds to the impulse for the velocity w.
    #[inline(always)]
    pub(super) fn divide<const N: usize, const K: usize>(&self, index: usize, rows: &mut [[f64; K]; N]) {
        let n = N;
        let at = self.offsets[index] as usize;
        let inverse = self.inverses.get(at..at + n * n);
        if let Some(inverse) = inverse.filter(|inverse| !inverse[0].is_nan()) {
            let given = *rows;
            for (row, factors) in rows.iter_mut().zip(inverse.chunks_exact(n)) {
                let product = |k: usize| {
                    given
                        .iter()
                        .zip(factors)
                        .map(|(row, factor)| row[k] * factor)
                        .sum::<f64>()
                };
                *row = std::array::from_fn(|k| self.relaxation * product(k));
            }
            return;
        }
        let steps = &self.steps[at..at + n * n];
        for r in 0..n {
            let mut row = rows[r].map(|x| x * steps[(n + 1) * r]);
            for s in 0..r {
                for k in 0..K {
                    row[k] -= steps[n * r + s] * rows[s][k];
                }
            }
            rows[r] = row;
        }
    }

    /// The new impulse of block `index`, into `new`. It lies in the cone to the last bit, which it would not if it were
    /// given as a change to be added.
    #[inline(always)]
    pub(super) fn update(&self, index: usize, cone: Cone, velocity: &[f64], impulse: &[f64], new: &mut [f64]) {
        let n = new.len();
        let at = self.offsets[index] as usize;
        if self.granularity == Granularity::Blocks
            && self.whole(cone, &self.inverses[at..at + n * n], velocity, impulse, new)
        {
            return;
        }
        let steps = &self.steps[at..at + n * n];
        match cone {
            Cone::Friction { coefficient } if n == 3 => {
                let steps: &[f64; 9] = steps.try_into().expect("three rows have nine numbers");
                let velocity = [velocity[0], velocity[1], velocity[2]];
                let impulse = [impulse[0], impulse[1], impulse[2]];
                new.copy_from_slice(&self.contact(coefficient, steps, velocity, impulse));
            }
            Cone::Interval { lower, upper } => rows(steps, velocity, impulse, new, |x| between(lower, upper, x)),
            Cone::NonNegative => rows(steps, velocity, impulse, new, |x| at_least(0.0, x)),
            Cone::Free => rows(steps, velocity, impulse, new, |x| x),
            Cone::Friction { .. } | Cone::Rolling { .. } => self.discs(cone, steps, velocity, impulse, new),
            Cone::SecondOrder { .. } => {
                for r in 0..n {
                    new[r] = impulse[r] - steps[(n + 1) * r] * velocity[r];
                }
                cone.project(new);
            }
        }
    }

    /// Tries `λ − ω D⁻¹ w`; false if it leaves the cone, or there is no D⁻¹.
    #[inline(always)]
    fn whole(&self, cone: Cone, inverse: &[f64], velocity: &[f64], impulse: &[f64], new: &mut [f64]) -> bool {
        if inverse[0].is_nan() {
            return false;
        }
        let n = new.len();
        for i in 0..n {
            let row = &inverse[n * i..n * (i + 1)];
            let product: f64 = row.iter().zip(velocity).map(|(a, w)| a * w).sum();
            new[i] = impulse[i] - self.relaxation * product;
        }
        match cone {
            Cone::Free => true,
            Cone::NonNegative => new.iter().all(|&x| x >= 0.0),
            Cone::Interval { lower, upper } => new.iter().all(|x| (lower..=upper).contains(x)),
            Cone::Friction { coefficient } if n == 3 => {
                let radius = self.limit(coefficient, new[0]);
                // A radius of minus zero is no radius: without friction the sign of the normal still counts.
                new[0] >= 0.0
                    && match self.friction {
                        Friction::Cone => new[1] * new[1] + new[2] * new[2] <= radius * radius,
                        Friction::Box | Friction::ScaledBox => new[1].abs() <= radius && new[2].abs() <= radius,
                    }
            }
            Cone::Friction { .. } | Cone::Rolling { .. } | Cone::SecondOrder { .. } => {
                new[0] >= 0.0 && cone.discs(n).all(|(mu, rows)| length(&new[rows]) <= mu * new[0])
            }
        }
    }

    /// Normal first, then disc after disc within the radius it sets, each change carried over to the rows behind it:
    /// contacts in the plane and contacts that resist rolling.
    #[cold]
    fn discs(&self, cone: Cone, steps: &[f64], velocity: &[f64], impulse: &[f64], new: &mut [f64]) {
        let n = new.len();
        for r in 0..n {
            new[r] = impulse[r] - steps[(n + 1) * r] * velocity[r];
        }
        let carry = |new: &mut [f64], r: usize| {
            let change = new[r] - impulse[r];
            for s in r + 1..n {
                new[s] -= steps[n * s + r] * change;
            }
        };
        new[0] = at_least(0.0, new[0]);
        carry(new, 0);
        for (mu, rows) in cone.discs(n) {
            if self.friction == Friction::Cone || rows.len() < 2 {
                let (size, radius) = (length(&new[rows.clone()]), mu * new[0]);
                if size > radius {
                    new[rows.clone()].iter_mut().for_each(|t| *t *= radius / size);
                }
                // Within a disc both rows have moved at once; only those behind it take note.
                for r in rows.clone() {
                    let change = new[r] - impulse[r];
                    for s in rows.end..n {
                        new[s] -= steps[n * s + r] * change;
                    }
                }
            } else {
                let limit = self.limit(mu, new[0]);
                for r in rows {
                    new[r] = between(-limit, limit, new[r]);
                    carry(new, r);
                }
            }
        }
    }

    /// The bound of a tangential impulse that belongs to a normal one.
    #[inline(always)]
    fn limit(&self, coefficient: f64, normal: f64) -> f64 {
        self.share * coefficient * normal
    }

    /// Normal first, then the tangents within the limits it sets.
    #[inline(always)]
    fn contact(&self, coefficient: f64, steps: &[f64; 9], velocity: [f64; 3], impulse: [f64; 3]) -> [f64; 3] {
        let [mut z0, mut z1, mut z2] = std::array::from_fn(|r| impulse[r] - steps[4 * r] * velocity[r]);
        z0 = at_least(0.0, z0);
        let limit = self.limit(coefficient, z0);
        let change = z0 - impulse[0];
        z1 -= steps[3] * change;
        z2 -= steps[6] * change;
        if self.friction == Friction::Cone {
            (z1, z2) = project_disc(limit, z1, z2);
        } else {
            z1 = between(-limit, limit, z1);
            z2 = between(-limit, limit, z2 - steps[7] * (z1 - impulse[1]));
        }
        [z0, z1, z2]
    }
}

/// Row after row, each projected by itself.
#[inline(always)]
fn rows(steps: &[f64], velocity: &[f64], impulse: &[f64], new: &mut [f64], project: impl Fn(f64) -> f64) {
    let n = new.len();
    for r in 0..n {
        new[r] = impulse[r] - steps[(n + 1) * r] * velocity[r];
    }
    for r in 0..n {
        new[r] = project(new[r]);
        let change = new[r] - impulse[r];
        for s in r + 1..n {
            new[s] -= steps[n * s + r] * change;
        }
    }
}

/// Turns a diagonal block of A into step lengths and scaled rows; without coupling only the step lengths are left.
fn scale_to_steps(block: &Block, friction: Friction, relaxation: f64, coupled: bool, steps: &mut [f64]) {
    let n = block.len as usize;
    let mut lengths = [0.0; 5];
    if let Cone::SecondOrder { .. } = block.cone {
        // The whole block moves at once, so no row may go further than the stiffest direction allows.
        let stiffest = (0..n)
            .map(|r| steps[n * r..n * (r + 1)].iter().map(|x| x.abs()).sum())
            .fold(0.0, f64::max);
        lengths[..n].fill(relaxation / stiffest);
    } else if friction == Friction::Cone {
        for (_, rows) in block.cone.discs(n) {
            lengths[rows.clone()].fill(relaxation / largest_eigenvalue(n, steps, rows));
        }
    }
    for r in 0..n {
        let step = match lengths.get(r) {
            Some(&step) if step > 0.0 => step,
            _ => relaxation / steps[(n + 1) * r],
        };
        let factor = if coupled { step } else { 0.0 };
        steps[n * r..n * (r + 1)].iter_mut().for_each(|entry| *entry *= factor);
        steps[(n + 1) * r] = step;
    }
}

/// Of the diagonal block on one or two tangents of a block of n rows.
pub(super) fn largest_eigenvalue(n: usize, d: &[f64], tangents: Range<usize>) -> f64 {
    let r = tangents.start;
    if tangents.len() == 1 {
        return d[(n + 1) * r];
    }
    let (a, b, c) = (
        d[(n + 1) * r],
        0.5 * (d[n * r + r + 1] + d[n * (r + 1) + r]),
        d[(n + 1) * (r + 1)],
    );
    0.5 * (a + c) + (0.25 * (a - c) * (a - c) + b * b).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_larger_eigenvalue_agrees_with_an_independent_one() {
        let d = nalgebra::Matrix2::new(2.0, 0.7, 0.7, 1.0);
        let block = [9.0, 0.1, 0.2, 0.1, 2.0, 0.7, 0.2, 0.7, 1.0];
        let expected: f64 = d.symmetric_eigenvalues().max();
        assert!((largest_eigenvalue(3, &block, 1..3) - expected).abs() < 1e-14);
    }
}
