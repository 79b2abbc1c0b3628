//! Non-smooth nonlinear conjugate gradients (Silcowitz-Hansen, Niebe and Erleben 2010).
//!
//! A sweep of projected Gauss–Seidel is a fixed-point iteration `λ ← F(λ)`; what it changes, `r = F(λ) − λ`, is taken for
//! the negative gradient of some energy, and Fletcher and Reeves' directions are built of it:
//!
//! ```text
//! λ ← F(λ) + β p,      p ← β p + r,      β = ‖r‖²/‖r of the last sweep‖²
//! ```
//!
//! with a new start, p = 0, whenever β > 1. It costs a sweep and little more, needs no step length and takes Coulomb's law
//! as the sweep does, without an outer loop. On stacks it turns the 1/n² of Gauss–Seidel into about 1/n. The residual goes
//! up and down; the best point seen is the result.

use super::{check, fill_metric};
use crate::delassus::Delassus;
use crate::error::SolveError;
use crate::monitor::{Limits, Monitor};
use crate::options;
use crate::problem::{Problem, with_operator};
use crate::solve::{Context, Convergence, Solver};
use crate::splitting::{Granularity, ProjectionOptions, Sweep};

options! {
    /// Non-smooth nonlinear conjugate gradients.
    #[derive(Debug, Clone, PartialEq)]
    pub struct NonsmoothConjugateGradient {
        /// What the sweep solves at once: scalar rows, or the rows of a contact or joint together.
        pub granularity: Granularity = Granularity::Blocks,
        /// Whether changes are weighed with the diagonal of A, as the energy does, or all alike.
        pub scaling: bool = true,
        flatten pub limits: Limits = Limits { tolerance: 1e-8, ..Limits::default() },
    }
}

impl Solver for NonsmoothConjugateGradient {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        with_operator!(&problem.operator, operator => self.descend(problem, operator, impulses, context))
    }
}

impl NonsmoothConjugateGradient {
    fn descend<D: Delassus>(
        &self,
        problem: &Problem,
        operator: &D,
        x: &mut [f64],
        context: &mut Context,
    ) -> Result<Convergence, SolveError> {
        check(problem, x)?;
        let mut monitor = Monitor::start(problem, &self.limits, x, context)?;
        let options = ProjectionOptions {
            granularity: self.granularity,
            ..ProjectionOptions::default()
        };
        let mut sweep = Sweep::prepare(&options, 1.0, problem, operator, context);
        let rows = problem.rows();
        let (mut metric, mut w, mut p) = (context.take(rows), context.take(rows), context.take(rows));
        let (mut from, mut state) = (context.take(rows), context.take(operator.state_len()));
        fill_metric(problem, operator, self.scaling, &mut metric);
        from.copy_from_slice(x);
        operator.load(x, &mut state);
        problem.velocities_at(operator, x, &state, &mut w);
        let mut last = f64::INFINITY;
        let mut count = 0;

        // x is always the result of a sweep; `from` is the point ahead that the next one starts at.
        while monitor.goes_on_at(x, &w, context) {
            x.copy_from_slice(&from);
            sweep.run(count, x, &mut state);
            count += 1;
            problem.velocities_at(operator, x, &state, &mut w);
            let square: f64 = (0..rows).map(|row| (x[row] - from[row]).powi(2) / metric[row]).sum();
            let beta = square / last;
            last = square;
            if beta > 1.0 || !beta.is_finite() {
                p.fill(0.0);
                from.copy_from_slice(x);
                continue;
            }
            for row in 0..rows {
                let change = x[row] - from[row];
                from[row] = x[row] + beta * p[row];
                p[row] = beta * p[row] + change;
            }
            if beta > 0.0 {
                operator.load(&from, &mut state);
            }
        }
        context.give([metric, w, p, from, state]);
        sweep.release(context);
        Ok(monitor.finish(x, context))
    }
}
