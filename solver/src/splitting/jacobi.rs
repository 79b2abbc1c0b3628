//! Projected Jacobi: all blocks at once, each from the impulses of the last sweep (dissertation §6.1.1, K = 0 in (6.55)).
//!
//! It could run on as many threads as there are blocks, and its result does not depend on their order. But the four
//! contacts under a box each take on the whole load, together four times too much: without a relaxation factor below
//! two over the number of blocks that share a body it diverges. The order options have no effect on it.

use super::local::{Granularity, LocalBlocks};
use super::{ProjectionOptions, SweepOptions, check, take_over};
use crate::cone::at_least;
use crate::delassus::Delassus;
use crate::error::SolveError;
use crate::options;
use crate::problem::{Problem, with_operator};
use crate::solve::{Context, Convergence, Solver};

options! {
    /// Projected Jacobi.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Jacobi {
        /// ω: 1 is the textbook method; stacks of boxes need about one over the contacts a body has.
        pub relaxation: f64 = 0.2,
        flatten pub projection: ProjectionOptions,
    }
    validate(options) {
        if options.relaxation <= 0.0 || options.relaxation >= 2.0 {
            return Err(format!("relaxation must be above 0 and below 2, not {}", options.relaxation));
        }
        Ok(())
    }
}

impl Solver for Jacobi {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        with_operator!(&problem.operator, operator => self.relax(problem, operator, impulses, context))
    }
}

impl Jacobi {
    fn relax<D: Delassus>(
        &self,
        problem: &Problem,
        operator: &D,
        impulses: &mut [f64],
        context: &mut Context,
    ) -> Result<Convergence, SolveError> {
        check(problem, impulses)?;
        let options = &self.projection;
        let kind = (options.friction, options.granularity, self.relaxation);
        let coupled = options.granularity == Granularity::Blocks;
        let local = LocalBlocks::prepare(problem, operator, kind, coupled, context);
        let report = all_at_once(&options.sweeps, &local, problem, operator, impulses, context);
        local.release(context);
        Ok(report)
    }
}

/// Sweeps in which every block is updated from the impulses of the last one: shared with mass splitting.
pub(super) fn all_at_once<D: Delassus>(
    options: &SweepOptions,
    local: &LocalBlocks,
    problem: &Problem,
    operator: &D,
    impulses: &mut [f64],
    context: &mut Context,
) -> Convergence {
    let mut velocities = context.take(problem.rows());
    let mut new = context.take(problem.rows());
    let report = options.iterate(problem, operator, impulses, context, |_, impulses, state| {
        problem.velocities_at(operator, impulses, state, &mut velocities);
        for (index, block) in problem.blocks.iter().enumerate() {
            let rows = block.rows();
            let velocity = &velocities[rows.clone()];
            local.update(index, block.cone, velocity, &impulses[rows.clone()], &mut new[rows]);
        }
        let mut largest = 0.0;
        for block in &problem.blocks {
            let rows = block.rows();
            let new = &mut new[rows.clone()];
            largest = at_least(largest, take_over(&mut impulses[rows.clone()], new));
            operator.block_changed(rows, new, state);
        }
        largest
    });
    context.give([velocities, new]);
    report
}
