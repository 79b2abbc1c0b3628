//! From the path to the solution: Newton's method on the equations of the laws themselves, once the path is near.
//!
//! Inside the cones a slipping contact is the root of its product x·y away from its law, so that the last digits cost many
//! iterations, and where λ and w both vanish they are out of reach of rounding. The path has by then found out who
//! sticks, slips and parts, which is all that Newton's method on the minimum map and on Alart and Curnier's
//! equations needs in order to converge in a few steps. Where it does not, the path goes on.

use super::path::Path;
use crate::error::SolveError;
use crate::newton::{Newton, NewtonOptions, RowFunction};
use crate::problem::Problem;

/// Newton's method, waiting for its turn.
pub(super) struct Crossover<'a> {
    newton: Newton<'a>,
    /// The residual below which it is tried.
    trigger: f64,
    /// Iterations of the path since it was tried last.
    waited: usize,
    attempt: Option<Attempt>,
    pub(super) impulses: Vec<f64>,
    pub(super) velocities: Vec<f64>,
}

/// A try under way.
struct Attempt {
    /// The residual it began with.
    began: f64,
    /// The residual that it has to be well below of when the next few steps are done.
    reference: f64,
    steps: usize,
}

impl<'a> Crossover<'a> {
    /// Made for a problem whose starting impulses have the given residual.
    pub(super) fn new(problem: &'a Problem, options: &'a NewtonOptions, residual: f64) -> Result<Self, SolveError> {
        Ok(Self {
            newton: Newton::new(problem, RowFunction::MinimumMap, options)?,
            trigger: NEAR * residual,
            waited: 0,
            attempt: None,
            impulses: vec![0.0; problem.rows()],
            velocities: vec![0.0; problem.rows()],
        })
    }

    pub(super) fn is_under_way(&self) -> bool {
        self.attempt.is_some()
    }

    /// One step of Newton's method; false if there is none.
    pub(super) fn step(&mut self) -> bool {
        let done = self.newton.step(&mut self.impulses, &mut self.velocities).is_ok();
        // Velocities that were only ever added to would drift from Aλ + b.
        self.newton.velocities(&self.impulses, &mut self.velocities);
        done
    }

    /// Decides whose turn the next iteration is, from the residual after the last one. `stuck` is a path at its end.
    /// False if neither can do more.
    pub(super) fn decide(&mut self, residual: f64, path: &Path<'_>, stuck: bool) -> bool {
        let Some(attempt) = &mut self.attempt else {
            self.waited += 1;
            if residual <= self.trigger || self.waited >= WAIT || stuck {
                self.impulses.copy_from_slice(&path.impulses);
                self.velocities.copy_from_slice(&path.velocities);
                self.attempt = Some(Attempt {
                    began: residual,
                    reference: residual,
                    steps: 0,
                });
            }
            return true;
        };
        attempt.steps += 1;
        if !attempt.steps.is_multiple_of(STEPS) && residual.is_finite() {
            return true;
        }
        if residual <= 0.5 * attempt.reference {
            attempt.reference = residual;
            return true;
        }
        self.trigger = AGAIN * attempt.began.min(self.trigger);
        self.waited = 0;
        self.attempt = None;
        !stuck
    }

    /// Ends a try that can't go on.
    pub(super) fn give_up(&mut self) {
        self.attempt = None;
        self.waited = 0;
        self.trigger *= AGAIN;
    }
}

/// The first try is made at this part of the start's residual.
const NEAR: f64 = 1e-2;
/// The next one at this part of the residual at which the last one began,
const AGAIN: f64 = 0.1;
/// or after so many iterations of the path.
const WAIT: usize = 10;
/// In so many steps the residual has to be halved.
const STEPS: usize = 4;
