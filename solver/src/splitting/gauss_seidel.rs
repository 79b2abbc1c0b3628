//! Projected Gauss–Seidel, matrix-free: the dissertation's work horse (§6.1.5–6.1.7, figures 6.5–6.10 corrected).
//!
//! Each block is solved with the newest impulses of all others: `λ_i ← P(λ_i − D_i⁻¹ w_i)`, `w` brought up to date at
//! once. Its error shrinks by a constant factor a sweep, about `1 − O(1/n²)` for a stack of n bodies and
//! `m₂/(m₁ + m₂)` for a body m₂ on a light one m₁: cheap and good enough within ten sweeps for loose heaps, hopeless for
//! tall stacks and large mass ratios. Use it for speed and as the start of better methods, not for accuracy.

use super::equality::Equalities;
use super::local::LocalBlocks;
use super::order::Sequence;
use super::{ProjectionOptions, check, coloured, mechanism, take_over};
use crate::cone::at_least;
use crate::delassus::Delassus;
use crate::error::SolveError;
use crate::options;
use crate::problem::{Block, Problem, with_operator};
use crate::solve::{Context, Convergence, Solver};

options! {
    /// Projected Gauss–Seidel.
    #[derive(Debug, Clone, PartialEq)]
    pub struct GaussSeidel {
        flatten pub projection: ProjectionOptions,
    }
}

impl Solver for GaussSeidel {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        relax(&self.projection, 1.0, problem, impulses, None, context)
    }

    fn solve_with_change(
        &self,
        problem: &Problem,
        impulses: &mut [f64],
        change: &mut Vec<f64>,
        context: &mut Context,
    ) -> Result<Convergence, SolveError> {
        relax(&self.projection, 1.0, problem, impulses, Some(change), context)
    }

    fn holds_normals(&self, problem: &Problem, context: &Context) -> bool {
        coloured::holds(&self.projection, 1.0, problem, context)
    }

    fn solve_normals(
        &self,
        problem: &Problem,
        bias: &[f64],
        change: &mut Vec<f64>,
        context: &mut Context,
    ) -> Option<Convergence> {
        let held = self.holds_normals(problem, context) && bias.len() == problem.blocks.len();
        held.then(|| coloured::solve_normals(&self.projection, problem, bias, change, context))
    }
}

/// Gauss–Seidel with a relaxation factor: the whole method, shared with successive over-relaxation. `change` gets what the
/// impulses do to the bodies.
pub(super) fn relax(
    options: &ProjectionOptions,
    relaxation: f64,
    problem: &Problem,
    impulses: &mut [f64],
    mut change: Option<&mut Vec<f64>>,
    context: &mut Context,
) -> Result<Convergence, SolveError> {
    let coloured = coloured::solve(options, relaxation, problem, impulses, change.as_deref_mut(), context);
    if let Some(report) = coloured {
        return report;
    }
    let mechanism = mechanism::solve(options, relaxation, problem, impulses, change.as_deref_mut(), context);
    if let Some(report) = mechanism {
        return report;
    }
    let report = with_operator!(
        &problem.operator,
        operator => relax_rows(options, relaxation, problem, operator, impulses, context)
    )?;
    if let Some(change) = change {
        problem.velocity_change(impulses, change);
    }
    Ok(report)
}

/// The same row by row: the reference.
pub(super) fn relax_rows<D: Delassus>(
    options: &ProjectionOptions,
    relaxation: f64,
    problem: &Problem,
    operator: &D,
    impulses: &mut [f64],
    context: &mut Context,
) -> Result<Convergence, SolveError> {
    check(problem, impulses)?;
    let mut pass = Sweep::prepare(options, relaxation, problem, operator, context);
    let report = options
        .sweeps
        .iterate(problem, operator, impulses, context, |sweep, impulses, state| {
            pass.run(sweep, impulses, state)
        });
    pass.release(context);
    Ok(report)
}

/// Everything that one sweep over a problem needs. Methods built around projected Gauss–Seidel use it too.
pub(crate) struct Sweep<'a, D> {
    problem: &'a Problem,
    operator: &'a D,
    local: LocalBlocks,
    equalities: Equalities<'a>,
    sequence: Sequence,
    order: Vec<u32>,
    /// By block, in the last sweep; empty where the order does not ask for them.
    changes: Vec<f64>,
    scratch: Vec<f64>,
}

impl<'a, D: Delassus> Sweep<'a, D> {
    /// Reads the diagonal blocks of a problem that is valid and has a positive diagonal.
    pub(crate) fn prepare(
        options: &ProjectionOptions,
        relaxation: f64,
        problem: &'a Problem,
        operator: &'a D,
        context: &mut Context,
    ) -> Self {
        let sweeps = &options.sweeps;
        let kind = (options.friction, options.granularity, relaxation);
        let local = LocalBlocks::prepare(problem, operator, kind, true, context);
        let equalities = Equalities::prepare(problem, operator, &local, context);
        let sequence = Sequence::new(sweeps.order, sweeps.reorder_every, sweeps.seed, context.stream);
        let order = sequence.start(problem, sweeps, context);
        let changes = context.take(if sequence.needs_changes() {
            problem.blocks.len()
        } else {
            0
        });
        let largest = problem.blocks.iter().map(|block| block.len).max().unwrap_or(0) as usize;
        Self {
            problem,
            operator,
            local,
            equalities,
            sequence,
            order,
            changes,
            scratch: context.take(2 * largest),
        }
    }

    /// Returns the memory.
    pub(crate) fn release(self, context: &mut Context) {
        context.give([self.changes, self.scratch]);
        context.give_indices(self.order);
        self.equalities.release(context);
        self.local.release(context);
    }

    /// Sweep number `sweep`, from 0, on the impulses and the operator's state; returns the largest change of an impulse.
    #[inline(always)]
    pub(crate) fn run(&mut self, sweep: usize, impulses: &mut [f64], state: &mut [f64]) -> f64 {
        // Taken apart and inlined: read through `self` the same loop is noticeably slower.
        let Self {
            problem,
            operator,
            local,
            equalities,
            sequence,
            order,
            changes,
            scratch,
        } = self;
        sequence.advance(sweep, order, changes);
        let mut largest = 0.0;
        for &index in &*order {
            let block = &problem.blocks[index as usize];
            let change = match equalities.update(index as usize, block, impulses, state) {
                Some(change) => change,
                None => {
                    let mut relax = Relax {
                        problem,
                        operator: *operator,
                        local,
                        impulses,
                        state,
                    };
                    // Contacts and single rows are by far the most common; fixed sizes let their loops unroll.
                    match block.len {
                        3 => relax.block(index as usize, block, &mut [0.0; 3], &mut [0.0; 3]),
                        1 => relax.block(index as usize, block, &mut [0.0; 1], &mut [0.0; 1]),
                        n => {
                            let (velocity, new) = scratch[..2 * n as usize].split_at_mut(n as usize);
                            relax.block(index as usize, block, velocity, new)
                        }
                    }
                }
            };
            if let Some(slot) = changes.get_mut(index as usize) {
                *slot = change;
            }
            largest = at_least(largest, change);
        }
        largest
    }
}

/// What the update of one block reads and writes.
struct Relax<'a, D> {
    problem: &'a Problem,
    operator: &'a D,
    local: &'a LocalBlocks,
    impulses: &'a mut [f64],
    state: &'a mut [f64],
}

impl<D: Delassus> Relax<'_, D> {
    /// Solves one block with all others held still; returns the largest change of an impulse.
    #[inline(always)]
    fn block(&mut self, index: usize, block: &Block, velocity: &mut [f64], new: &mut [f64]) -> f64 {
        // Counted from the array, whose length the compiler knows.
        let first = block.first as usize;
        let rows = first..first + new.len();
        self.operator
            .block_product(rows.clone(), self.impulses, self.state, velocity);
        for (w, b) in velocity.iter_mut().zip(&self.problem.bias[rows.clone()]) {
            *w += b;
        }
        let impulse = &mut self.impulses[rows.clone()];
        self.local.update(index, block.cone, velocity, impulse, new);
        let largest = take_over(impulse, new);
        // Parted contacts stay at zero sweep after sweep; their bodies need no write.
        if largest != 0.0 {
            self.operator.block_changed(rows, new, self.state);
        }
        largest
    }
}
