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
//!   holds); if it does not, row by row.
//!
//! Friction takes one of three models. The box bounds each tangent by ±μ λ_n and follows λ_n as it changes (SOR-LCP-3);
//! it is too strong by up to √2 along its diagonal. The scaled box has ±μ λ_n/√2, the largest inside the disc. The cone
//! takes both tangents at once, `λ_t ← P_disc(λ_t − ω ρ w_t)` with ρ one over the larger eigenvalue of D_tt; its fixed
//! points satisfy Coulomb's law exactly: stick, or full friction against the slip.

use crate::choices;
use crate::cone::{Cone, at_least, between, project_disc};
use crate::delassus::Delassus;
use crate::problem::{Block, Problem};
use crate::solve::Context;

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
    /// Their inverses, where whole blocks are solved; NaN in front where there is none.
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
        let (friction, granularity, relaxation) = options;
        let total = problem.blocks.iter().map(|block| (block.len as usize).pow(2)).sum();
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
        let mut at = 0;
        for block in &problem.blocks {
            let n = block.len as usize;
            local.offsets.push(at as u32);
            let steps = &mut local.steps[at..at + n * n];
            operator.diagonal_block(block.rows(), steps);
            if granularity == Granularity::Blocks {
                let inverse = &mut local.inverses[at..at + n * n];
                if !invert(n, steps, inverse) {
                    inverse[0] = f64::NAN;
                }
            }
            scale_to_steps(block, friction, relaxation, coupled, steps);
            at += n * n;
        }
        local
    }

    /// Returns the memory.
    pub(super) fn release(self, context: &mut Context) {
        context.give([self.steps, self.inverses]);
        context.give_indices(self.offsets);
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
            Cone::Free | Cone::Friction { .. } => rows(steps, velocity, impulse, new, |x| x),
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
            Cone::Friction { coefficient } => {
                let radius = self.limit(coefficient, new[0]);
                // A radius of minus zero is no radius: without friction the sign of the normal still counts.
                new[0] >= 0.0
                    && match self.friction {
                        Friction::Cone => new[1] * new[1] + new[2] * new[2] <= radius * radius,
                        Friction::Box | Friction::ScaledBox => new[1].abs() <= radius && new[2].abs() <= radius,
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
    let tangents = match (block.cone, friction) {
        (Cone::Friction { .. }, Friction::Cone) => Some(relaxation / largest_tangential_eigenvalue(steps)),
        _ => None,
    };
    for r in 0..n {
        let step = match tangents {
            Some(step) if r > 0 => step,
            _ => relaxation / steps[(n + 1) * r],
        };
        let factor = if coupled { step } else { 0.0 };
        steps[n * r..n * (r + 1)].iter_mut().for_each(|entry| *entry *= factor);
        steps[(n + 1) * r] = step;
    }
}

/// Of the lower right 2×2 block of a 3×3 block.
fn largest_tangential_eigenvalue(d: &[f64]) -> f64 {
    let (a, b, c) = (d[4], 0.5 * (d[5] + d[7]), d[8]);
    0.5 * (a + c) + (0.25 * (a - c) * (a - c) + b * b).sqrt()
}

/// Writes the inverse of a symmetric positive definite matrix by Gauss–Jordan elimination, which needs no pivoting for
/// these; false if it is singular to working precision (redundant rows).
///
/// A pivot is what is left of its row's diagonal entry once the rows before it are accounted for. It is compared with
/// that entry and nothing else, so that the answer depends neither on units nor on rows of very different size, such as
/// the linear and angular rows of a joint.
fn invert(n: usize, matrix: &[f64], inverse: &mut [f64]) -> bool {
    inverse.copy_from_slice(matrix);
    for k in 0..n {
        let pivot = inverse[n * k + k];
        // Rounding leaves a redundant row with a few units of the last place.
        if pivot.is_nan() || pivot <= 1e-13 * matrix[n * k + k] {
            return false;
        }
        inverse[n * k + k] = 1.0;
        for j in 0..n {
            inverse[n * k + j] /= pivot;
        }
        for i in (0..n).filter(|&i| i != k) {
            let factor = inverse[n * i + k];
            inverse[n * i + k] = 0.0;
            for j in 0..n {
                inverse[n * i + j] -= factor * inverse[n * k + j];
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::DMatrix;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    #[test]
    fn inverses_agree_with_an_independent_one() {
        let mut rng = Pcg64::seed_from_u64(3);
        for n in 1..=6 {
            let g = DMatrix::<f64>::from_fn(n, n, |_, _| rng.random_range(-1.0..1.0));
            let a = &g * g.transpose() + DMatrix::identity(n, n);
            // Units do not matter: blocks of grains and of ships invert alike.
            for scale in [1e-20, 1.0, 1e20] {
                let scaled = &a * scale;
                let mut ours = vec![0.0; n * n];
                assert!(invert(n, scaled.as_slice(), &mut ours), "{n} rows times {scale}");
                let theirs: DMatrix<f64> = scaled.try_inverse().unwrap();
                for (x, y) in ours.iter().zip(theirs.iter()) {
                    // Condition numbers here are below 100, and entries of the inverse below one.
                    assert!((x - y).abs() * scale < 1e-13);
                }
            }
        }
    }

    #[test]
    fn rows_of_different_size_are_invertible_but_redundant_rows_are_not() {
        let mut inverse = [0.0; 4];
        assert!(invert(2, &[1e9, 0.0, 0.0, 1e-9], &mut inverse));
        assert_eq!(inverse, [1.0 / 1e9, 0.0, 0.0, 1.0 / 1e-9]);
        assert!(!invert(2, &[1.0, 1.0, 1.0, 1.0], &mut inverse));
        // Three rows in a plane, with rounding: (1, 0), (0.6, 0.8), (0.8, 0.6).
        let rows = [[1.0, 0.0], [0.6, 0.8], [0.8, 0.6]];
        let gram: Vec<f64> = (0..9)
            .map(|k| rows[k / 3][0] * rows[k % 3][0] + rows[k / 3][1] * rows[k % 3][1])
            .collect();
        assert!(!invert(3, &gram, &mut [0.0; 9]));
    }

    #[test]
    fn the_larger_eigenvalue_agrees_with_an_independent_one() {
        let d = nalgebra::Matrix2::new(2.0, 0.7, 0.7, 1.0);
        let block = [9.0, 0.1, 0.2, 0.1, 2.0, 0.7, 0.2, 0.7, 1.0];
        let expected: f64 = d.symmetric_eigenvalues().max();
        assert!((largest_tangential_eigenvalue(&block) - expected).abs() < 1e-14);
    }
}
