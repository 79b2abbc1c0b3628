//! Matrix splitting: methods that update one block at a time with the rest held still.
//!
//! All are instances of Murty's projected scheme (dissertation (6.55)): `λ ← P(λ − ω E (Aλ + b + K(λ⁺ − λ)))`. With K = 0
//! it is Jacobi, with K the strict lower triangle Gauss–Seidel, with ω ≠ 1 successive over-relaxation. For symmetric
//! positive definite A and fixed bounds Gauss–Seidel and 0 < ω < 2 converge; friction limits that follow the normal
//! impulse are outside that theorem.
//!
//! What they share is here: the options, the update of a block (`local`), the order of blocks (`order`) and the
//! stopping test (`stop`). Each method is one file.

mod gauss_seidel;
mod jacobi;
mod local;
mod order;
mod sor;
mod stop;

pub use gauss_seidel::GaussSeidel;
pub use jacobi::Jacobi;
pub use local::{Friction, Granularity};
pub use order::Order;
pub use sor::SuccessiveOverRelaxation;
pub use stop::Stop;

use crate::cone::at_least;
use crate::delassus::Delassus;
use crate::error::SolveError;
use crate::options;
use crate::problem::Problem;
use crate::residual;
use crate::solve::{Context, Convergence, Measure, Status};

options! {
    /// What all splitting methods can be told.
    #[derive(Debug, Clone, PartialEq)]
    pub struct SweepOptions {
        /// Sweeps at most.
        pub iterations: usize = 10,
        /// Sweeps before the stopping test may end the solve.
        pub min_iterations: usize = 1,
        /// Stop when a sweep changes the impulses by less than this; 0 does all iterations.
        pub tolerance: f64 = 0.0,
        /// Whether the tolerance is absolute (N·s) or relative to the largest impulse.
        pub stop: Stop = Stop::Absolute,
        /// What is solved at once: scalar rows, or the rows of a contact or joint together.
        pub granularity: Granularity = Granularity::Rows,
        /// How the friction cone is represented.
        pub friction: Friction = Friction::Cone,
        /// The order of the blocks in a sweep.
        pub order: Order = Order::Forward,
        /// For random and slowest order: reorder every so many sweeps.
        pub reorder_every: usize = 1,
        /// For random order: the seed.
        pub seed: u64 = 1,
        /// Factor on the impulses of the last step as a start; 0 starts cold.
        pub warm_start: f64 = 1.0,
    }
    validate(options) {
        if options.iterations == 0 {
            return Err("iterations must be 1 or more".into());
        }
        if options.min_iterations > options.iterations {
            return Err("min-iterations must not exceed iterations".into());
        }
        if options.tolerance < 0.0 {
            return Err("tolerance must be 0 or more".into());
        }
        if options.reorder_every == 0 {
            return Err("reorder-every must be 1 or more".into());
        }
        if options.warm_start < 0.0 {
            return Err("warm-start must be 0 or more".into());
        }
        Ok(())
    }
}

impl SweepOptions {
    /// The loop around the sweeps: warm start, stopping, cancelling, measuring. `sweep` gets its number, the impulses
    /// and the operator's state, does one sweep and returns the largest change of an impulse.
    fn iterate<D: Delassus>(
        &self,
        problem: &Problem,
        operator: &D,
        impulses: &mut [f64],
        context: &mut Context,
        mut sweep: impl FnMut(usize, &mut [f64], &mut [f64]) -> f64,
    ) -> Convergence {
        impulses.iter_mut().for_each(|x| *x *= self.warm_start);
        let mut memory = context.take(operator.state_len());
        let state = memory.as_mut_slice();
        operator.load(impulses, state);
        let mut report = Convergence::default();
        let every = context.measure == Measure::EveryIteration;
        let mut velocities = context.take(if context.measure == Measure::Nothing {
            0
        } else {
            problem.rows()
        });
        let mut measure = |impulses: &[f64], state: &[f64]| {
            for block in &problem.blocks {
                let rows = block.rows();
                operator.block_product(rows.clone(), impulses, state, &mut velocities[rows.clone()]);
                for row in rows {
                    velocities[row] += problem.bias[row];
                }
            }
            residual::natural(problem, impulses, &velocities)
        };
        if every {
            report.history.push(measure(impulses, state));
        }
        while report.iterations < self.iterations {
            if context.cancelled() {
                report.status = Status::Cancelled;
                break;
            }
            let change = sweep(report.iterations, impulses, state);
            report.iterations += 1;
            if every {
                report.history.push(measure(impulses, state));
            }
            if report.iterations >= self.min_iterations
                && self.tolerance > 0.0
                && self.stop.met(self.tolerance, change, impulses)
            {
                report.status = Status::Converged;
                break;
            }
        }
        report.row_updates = report.iterations as u64 * problem.rows() as u64;
        report.residual = match context.measure {
            Measure::Nothing => None,
            Measure::Final => Some(measure(impulses, state)),
            Measure::EveryIteration => report.history.last().copied(),
        };
        context.give([memory, velocities]);
        report
    }
}

/// Makes the new impulses of a block the present ones, leaves in their place what they changed by, and returns the
/// largest of these changes.
#[inline(always)]
fn take_over(impulse: &mut [f64], new: &mut [f64]) -> f64 {
    let mut largest = 0.0;
    for (impulse, new) in impulse.iter_mut().zip(new) {
        let change = *new - *impulse;
        *impulse = *new;
        *new = change;
        largest = at_least(largest, change.abs());
    }
    largest
}

/// Refuses a problem that is malformed, and a start that is not finite or does not fit it.
fn check(problem: &Problem, impulses: &[f64]) -> Result<(), SolveError> {
    problem.validate()?;
    if impulses.len() != problem.rows() {
        return Err(SolveError::Malformed(format!(
            "{} impulses for {} rows",
            impulses.len(),
            problem.rows()
        )));
    }
    match problem
        .blocks
        .iter()
        .position(|block| !impulses[block.rows()].iter().all(|x| x.is_finite()))
    {
        Some(block) => Err(SolveError::NotFinite {
            block,
            what: "starting impulses",
        }),
        None => Ok(()),
    }
}
