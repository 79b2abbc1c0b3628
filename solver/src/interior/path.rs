//! The path itself: Mehrotra's predictor and corrector (1992) on the laws of all rows and contacts at once.
//!
//! With w = Aλ + b, every iteration solves Newton's system twice with one factorisation: once aiming straight at the
//! solution, to see how far that gets, and once at products `τ = σ x·y/n` with `σ = (what was left of it)³`, corrected by
//! the first step's error of second order. Impulses and velocities then go the same part of the way to the boundary.
//!
//! Joints have no barrier, and barriers of loaded contacts vanish, which would leave a matrix that redundant constraints
//! make singular and elimination in body space can't take. A small multiple δ of A's own diagonal is therefore added to
//! it, as a proximal term: the right-hand side is that of the true equations, so that their solution stays the fixed
//! point, and δ costs a factor of about `δ/(δ + eigenvalue)` in the convergence at the very end.

use super::barrier::{Law, Piece};
use super::bounded::BoundedRow;
use super::contact::Contact;
use crate::cone::Cone;
use crate::error::SolveError;
use crate::linear::{Gmres, LinearSolver, Shifted};
use crate::problem::Problem;
use crate::residual;

/// An iterate on its way.
#[derive(Debug)]
pub(super) struct Path<'a> {
    problem: &'a Problem,
    linear: Shifted<'a>,
    pieces: Vec<Piece>,
    regularisation: f64,
    c: Vec<f64>,
    e: Vec<f64>,
    right: Vec<f64>,
    steps: Vec<f64>,
    /// Steps in a row that were short.
    short_steps: usize,
    /// λ.
    pub(super) impulses: Vec<f64>,
    /// `w = Aλ + b`.
    pub(super) velocities: Vec<f64>,
}

impl<'a> Path<'a> {
    /// Prepares a path for a valid problem.
    pub(super) fn new(method: &'static str, problem: &'a Problem, regularisation: f64) -> Result<Self, SolveError> {
        let mut pieces = Vec::with_capacity(problem.blocks.len());
        let operator = problem.operator.as_delassus();
        let mut at = 0;
        for block in &problem.blocks {
            let n = block.len as usize;
            let mean = block.rows().map(|row| operator.diagonal(row)).sum::<f64>() / n as f64;
            let scale = if mean > 0.0 { mean } else { 1.0 };
            let single = |k: usize, law: Law| Piece {
                row: block.first as usize + k,
                len: 1,
                at: at + k * (n + 1),
                scale,
                law,
            };
            let bounded = |lower: f64, upper: f64| {
                if lower == upper {
                    Law::Fixed(lower)
                } else {
                    Law::Bounded(BoundedRow::new(lower, upper))
                }
            };
            match block.cone {
                Cone::Free => pieces.extend((0..n).map(|k| single(k, bounded(f64::NEG_INFINITY, f64::INFINITY)))),
                Cone::NonNegative => pieces.extend((0..n).map(|k| single(k, bounded(0.0, f64::INFINITY)))),
                Cone::Interval { lower, upper } => pieces.extend((0..n).map(|k| single(k, bounded(lower, upper)))),
                Cone::Friction { coefficient: 0.0 } | Cone::SecondOrder { coefficient: 0.0 } => {
                    pieces.push(single(0, bounded(0.0, f64::INFINITY)));
                    pieces.extend((1..n).map(|k| single(k, Law::Fixed(0.0))));
                }
                Cone::Friction { coefficient } | Cone::SecondOrder { coefficient } => pieces.push(Piece {
                    row: block.first as usize,
                    len: n,
                    at,
                    scale,
                    law: Law::Contact(Contact::new(coefficient, matches!(block.cone, Cone::Friction { .. }))),
                }),
                Cone::Rolling { .. } => {
                    return Err(SolveError::Unsupported {
                        method,
                        what: "rolling friction".into(),
                    });
                }
            }
            at += n * n;
        }
        Ok(Self {
            problem,
            linear: Shifted::new(problem, LinearSolver::Direct, &Gmres::default())?,
            pieces,
            regularisation,
            c: vec![0.0; at],
            e: vec![0.0; at],
            right: vec![0.0; problem.rows()],
            steps: vec![0.0; problem.rows()],
            short_steps: 0,
            impulses: vec![0.0; problem.rows()],
            velocities: vec![0.0; problem.rows()],
        })
    }

    /// Starts near the given impulses if they are worth it, that is if their residual is well below that of no impulses
    /// at all, and else in the middle. Tells whether they were.
    pub(super) fn start(&mut self, impulses: &[f64]) -> Result<bool, SolveError> {
        let without = residual::natural(self.problem, &self.impulses, &self.problem.bias);
        self.problem.velocities(impulses, &mut self.velocities);
        let with = residual::natural(self.problem, impulses, &self.velocities);
        if with > WORTH * without {
            self.start_centred()?;
            return Ok(false);
        }
        self.impulses.copy_from_slice(impulses);
        for piece in &mut self.pieces {
            piece.start_near(&mut self.impulses, &self.velocities, with);
        }
        self.problem.velocities(&self.impulses, &mut self.velocities);
        Ok(true)
    }

    /// Starts in the middle of all cones, at the size of the impulses that `(A + δS) λ = −b` gives, S the scales.
    pub(super) fn start_centred(&mut self) -> Result<(), SolveError> {
        self.short_steps = 0;
        self.c.fill(0.0);
        self.e.fill(0.0);
        for piece in &self.pieces {
            for k in 0..piece.len {
                let at = piece.at + k * (piece.len + 1);
                (self.c[at], self.e[at]) = (START * piece.scale, 1.0);
            }
        }
        self.linear.factor(&self.c, &self.e)?;
        for (right, b) in self.right.iter_mut().zip(&self.problem.bias) {
            *right = -b;
        }
        self.linear.solve(&self.right, &mut self.steps);
        let mut size: f64 = 0.0;
        for piece in &self.pieces {
            for row in piece.row..piece.row + piece.len {
                size = size.max(self.steps[row].abs() * piece.scale.sqrt());
            }
        }
        // No velocities to begin with: any size will do.
        let size = if size > 0.0 { size } else { 1.0 };
        self.c.fill(0.0);
        self.e.fill(0.0);
        for piece in &mut self.pieces {
            piece.start_centred(&mut self.impulses, size);
        }
        self.problem.velocities(&self.impulses, &mut self.velocities);
        Ok(())
    }

    /// One iteration. Returns the part of the step that was taken.
    pub(super) fn advance(&mut self) -> Result<f64, SolveError> {
        self.factor()?;
        let before = self.products(0.0);
        self.solve_towards(0.0, false);
        let left = self.products(self.longest_step().min(1.0)).mean / before.mean;
        let centring = if before.mean > 0.0 {
            left.clamp(0.0, 1.0).powi(3)
        } else {
            0.0
        };
        self.solve_towards(centring * before.mean, true);
        let mut length = self.length(&before);
        if length < SHORT {
            // The correction is only good for long steps.
            self.solve_towards(before.mean, false);
            length = self.length(&before);
        }
        if length.is_nan() || length <= SHORTEST || !self.steps.iter().all(|x| x.is_finite()) {
            return Ok(0.0);
        }
        for piece in &mut self.pieces {
            piece.advance(length, &self.steps, &mut self.impulses);
        }
        self.problem.velocities(&self.impulses, &mut self.velocities);
        self.short_steps = if length < SHORT { self.short_steps + 1 } else { 0 };
        Ok(length)
    }

    /// Whether the last steps were all so short that the path seems to lead nowhere: De Saxcé's term, and the pyramid, make
    /// Newton's matrix lose its monotonicity, and a path need not reach the solution then.
    pub(super) fn is_lost(&self, monotone: bool) -> bool {
        self.short_steps >= if monotone { MORE_PATIENCE } else { PATIENCE }
    }

    /// The part of the step to take: nearly to the boundary, but not so that products fall too far behind the mean, since
    /// that would be a corner that later steps can't leave.
    fn length(&self, before: &Products) -> f64 {
        let mut length = (NEARLY_ALL * self.longest_step()).min(1.0);
        let spread = SPREAD.min(0.9 * before.smallest / before.mean);
        while length > SHORTEST {
            let after = self.products(length);
            if after.smallest > 0.0 && after.smallest >= spread * after.mean {
                break;
            }
            length *= 0.9;
        }
        length
    }

    fn factor(&mut self) -> Result<(), SolveError> {
        for piece in &mut self.pieces {
            piece.matrices(self.regularisation, &mut self.c, &mut self.e);
        }
        self.linear.factor(&self.c, &self.e)
    }

    /// The direction to complementarity products of `target`.
    fn solve_towards(&mut self, target: f64, corrected: bool) {
        let (velocities, regularisation) = (&self.velocities, self.regularisation);
        for piece in &mut self.pieces {
            piece.aim(target, corrected, velocities, regularisation, &mut self.right);
        }
        self.linear.solve(&self.right, &mut self.steps);
        for piece in &mut self.pieces {
            piece.follow(&self.steps);
        }
    }

    /// The complementarity products after a part of the step.
    fn products(&self, length: f64) -> Products {
        let (mut smallest, mut sum, mut count) = (f64::INFINITY, 0.0, 0_usize);
        for piece in &self.pieces {
            piece.products(length, |low, mean| {
                // Like `min`, but a NaN wins.
                smallest = if smallest < low { smallest } else { low };
                sum += mean;
                count += 1;
            });
        }
        Products {
            smallest,
            mean: sum / count.max(1) as f64,
        }
    }

    fn longest_step(&self) -> f64 {
        let shorter = |shortest: f64, piece: &Piece| shortest.min(piece.longest_step());
        self.pieces.iter().fold(f64::INFINITY, shorter)
    }
}

/// How far the products x·y of rows and contacts have come.
struct Products {
    smallest: f64,
    mean: f64,
}

/// The smallest product may be this part of the mean.
const SPREAD: f64 = 1e-5;

/// A step shorter than this is tried again, towards the middle.
const SHORT: f64 = 0.1;

/// δ where the size of the impulses is guessed.
const START: f64 = 1e-3;

/// A start is taken if its residual is this part of that of no impulses.
const WORTH: f64 = 0.1;

/// The part of the way to the boundary that is gone.
const NEARLY_ALL: f64 = 0.99;

/// So many short steps in a row are too many.
const PATIENCE: usize = 5;

/// The same where theory promises that the path arrives.
const MORE_PATIENCE: usize = 30;

/// Steps shorter than this part get nowhere.
const SHORTEST: f64 = 1e-10;
