//! Gauss–Seidel with exact solves of every contact: the "non-smooth Gauss–Seidel" of contact dynamics (Jourdan, Alart and
//! Jean 1998), with one contact solved in closed form or nearly so (see [`one_contact`](super::one_contact)).
//!
//! A sweep does for each contact what projected Gauss–Seidel does in the limit of many inner sweeps, in about twice the
//! time. It gains where the rows of a contact act on each other strongly, as at the end of a long arm, and for sliding
//! contacts; the number of sweeps that stacks and mass ratios take is that of Gauss–Seidel on blocks. Each sweep satisfies
//! Coulomb's law of the contact just visited exactly, which makes it the reference among the iterative methods.

use super::one_contact::{OneContact, prepare_inverse, scratch_len};
use super::order::Sequence;
use super::{SweepOptions, check, take_over};
use crate::cone::at_least;
use crate::delassus::Delassus;
use crate::error::SolveError;
use crate::options;
use crate::problem::{Block, Problem, with_operator};
use crate::solve::{Context, Convergence, Solver};

options! {
    /// Gauss–Seidel with exact solves of every contact.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ExactGaussSeidel {
        /// ω: the share of the way to a block's exact solution that a visit goes.
        pub relaxation: f64 = 1.0,
        flatten pub sweeps: SweepOptions,
    }
    validate(options) {
        if options.relaxation <= 0.0 || options.relaxation >= 2.0 {
            return Err(format!("relaxation must be above 0 and below 2, not {}", options.relaxation));
        }
        Ok(())
    }
}

impl Solver for ExactGaussSeidel {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        with_operator!(&problem.operator, operator => self.relax(problem, operator, impulses, context))
    }
}

impl ExactGaussSeidel {
    fn relax<D: Delassus>(
        &self,
        problem: &Problem,
        operator: &D,
        impulses: &mut [f64],
        context: &mut Context,
    ) -> Result<Convergence, SolveError> {
        check(problem, impulses)?;
        let options = &self.sweeps;
        let mut sequence = Sequence::new(options.order, options.reorder_every, options.seed, context.stream);
        let mut order = sequence.start(problem, options, context);
        let mut offsets = context.take_indices();
        // Of each block D and its inverse, one behind the other.
        let mut numbers = context.take(2 * problem.block_diagonal_len());
        let mut changes = context.take(if sequence.needs_changes() {
            problem.blocks.len()
        } else {
            0
        });
        let largest = problem.blocks.iter().map(|block| block.len).max().unwrap_or(0) as usize;
        let mut scratch = context.take(2 * largest + scratch_len(largest));
        prepare(problem, operator, &mut offsets, &mut numbers, &mut scratch);

        let report = options.iterate(problem, operator, impulses, context, |sweep, impulses, state| {
            sequence.advance(sweep, &mut order, &changes);
            let mut largest = 0.0;
            for &index in &order {
                let block = &problem.blocks[index as usize];
                let (at, n) = (offsets[index as usize] as usize, block.len as usize);
                let (matrix, inverse) = numbers[at..at + 2 * n * n].split_at(n * n);
                let contact = OneContact {
                    cone: block.cone,
                    matrix,
                    inverse,
                };
                let mut visit = Visit {
                    problem,
                    operator,
                    relaxation: self.relaxation,
                    impulses,
                    state,
                };
                // Contacts and single rows are by far the most common; fixed sizes let their loops unroll.
                let change = match n {
                    3 => visit.block(&contact, block, &mut [0.0; 3], &mut [0.0; 3], &mut scratch),
                    1 => visit.block(&contact, block, &mut [0.0; 1], &mut [0.0; 1], &mut scratch),
                    _ => {
                        let (velocity, rest) = scratch.split_at_mut(n);
                        let (new, rest) = rest.split_at_mut(n);
                        visit.block(&contact, block, velocity, new, rest)
                    }
                };
                if let Some(slot) = changes.get_mut(index as usize) {
                    *slot = change;
                }
                largest = at_least(largest, change);
            }
            largest
        });
        context.give([numbers, changes, scratch]);
        // Last taken, first back.
        context.give_indices(offsets);
        context.give_indices(order);
        Ok(report)
    }
}

fn prepare(
    problem: &Problem,
    operator: &impl Delassus,
    offsets: &mut Vec<u32>,
    numbers: &mut [f64],
    scratch: &mut [f64],
) {
    let mut at = 0;
    for block in &problem.blocks {
        let n = block.len as usize;
        let (matrix, inverse) = numbers[at..at + 2 * n * n].split_at_mut(n * n);
        operator.diagonal_block(block.rows(), matrix);
        prepare_inverse(block.cone, n, matrix, inverse, scratch);
        offsets.push(at as u32);
        at += 2 * n * n;
    }
}

/// What the visit of one block reads and writes.
struct Visit<'a, D> {
    problem: &'a Problem,
    operator: &'a D,
    relaxation: f64,
    impulses: &'a mut [f64],
    state: &'a mut [f64],
}

impl<D: Delassus> Visit<'_, D> {
    /// Solves one block with all others held still; returns the largest change of an impulse.
    #[inline(always)]
    fn block(
        &mut self,
        contact: &OneContact<'_>,
        block: &Block,
        velocity: &mut [f64],
        new: &mut [f64],
        scratch: &mut [f64],
    ) -> f64 {
        // Counted from the array, whose length the compiler knows.
        let first = block.first as usize;
        let rows = first..first + new.len();
        self.operator
            .block_product(rows.clone(), self.impulses, self.state, velocity);
        for (w, b) in velocity.iter_mut().zip(&self.problem.bias[rows.clone()]) {
            *w += b;
        }
        let impulse = &mut self.impulses[rows.clone()];
        contact.solve(velocity, impulse, new, scratch);
        if self.relaxation != 1.0 {
            for (new, old) in new.iter_mut().zip(&*impulse) {
                *new = old + self.relaxation * (*new - old);
            }
            contact.cone.project(new);
        }
        let largest = take_over(impulse, new);
        // Parted contacts stay at zero sweep after sweep; their bodies need no write.
        if largest != 0.0 {
            self.operator.block_changed(rows, new, self.state);
        }
        largest
    }
}
