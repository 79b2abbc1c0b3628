//! Mass splitting (Tonge, Benevolenski and Voroshilov 2012): Jacobi that converges without a factor to be tuned.
//!
//! Every body is split into as many equal parts as it has blocks, so that each block has its two parts for itself; all
//! blocks are solved at once on these lighter bodies, and the parts of a body then get their mean velocity. The mean
//! takes back what the lighter parts gave too much, and what is left is Jacobi with other diagonal blocks,
//!
//! ```text
//! D̃_i = Σ_b n_b H_ib H_ibᵀ + Σ_i        n_b: blocks on body b
//! ```
//!
//! By the inequality of Cauchy and Schwarz `A ≼ diag(D̃_i)`, so that for fixed bounds no sweep raises the energy. A
//! problem that comes as a matrix has no bodies to split; there `D̃_i = k_i A_ii` with k_i the number of blocks in block
//! row i, which bounds A likewise for positive semidefinite A, but more loosely. Still Jacobi: parallel and independent
//! of the order (whose options have no effect), and slower than Gauss–Seidel by about the number of contacts a body has.

use super::jacobi::all_at_once;
use super::local::LocalBlocks;
use super::{ProjectionOptions, check};
use crate::delassus::{Delassus, RigidBodies};
use crate::error::SolveError;
use crate::options;
use crate::problem::{Operator, Problem, with_operator};
use crate::solve::{Context, Convergence, Solver};

options! {
    /// Jacobi on bodies split among their contacts.
    #[derive(Debug, Clone, PartialEq)]
    pub struct MassSplitting {
        /// ω: 1 is the method; above 1 the bound on A is given up, though it mostly holds with room to spare.
        pub relaxation: f64 = 1.0,
        flatten pub projection: ProjectionOptions,
    }
    validate(options) {
        if options.relaxation <= 0.0 || options.relaxation >= 2.0 {
            return Err(format!("relaxation must be above 0 and below 2, not {}", options.relaxation));
        }
        Ok(())
    }
}

impl Solver for MassSplitting {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        check(problem, impulses)?;
        let options = &self.projection;
        let kind = (options.friction, options.granularity, self.relaxation);
        let mut shares = context.take(0);
        let local = match &problem.operator {
            Operator::RigidBodies(bodies) => {
                count_blocks(problem, bodies, &mut shares);
                let read = |index: usize, out: &mut [f64]| split_block(problem, bodies, &shares, index, out);
                LocalBlocks::prepare_with(problem, read, kind, true, context)
            }
            Operator::Matrix(matrix) => {
                let read = |index: usize, out: &mut [f64]| {
                    matrix.diagonal_block(problem.blocks[index].rows(), out);
                    let coupled = matrix.coupled_blocks(index) as f64;
                    out.iter_mut().for_each(|entry| *entry *= coupled);
                };
                LocalBlocks::prepare_with(problem, read, kind, true, context)
            }
        };
        let report = with_operator!(
            &problem.operator,
            operator => all_at_once(&options.sweeps, &local, problem, operator, impulses, context)
        );
        local.release(context);
        context.give([shares]);
        Ok(report)
    }
}

/// n_b: on how many blocks each body is.
fn count_blocks(problem: &Problem, bodies: &RigidBodies, shares: &mut Vec<f64>) {
    shares.resize(bodies.body_count(), 0.0);
    for block in &problem.blocks {
        for body in bodies.pair(block.first as usize) {
            shares[body as usize] += 1.0;
        }
    }
}

/// D̃ of one block.
fn split_block(problem: &Problem, bodies: &RigidBodies, shares: &[f64], index: usize, out: &mut [f64]) {
    let block = &problem.blocks[index];
    let n = block.len as usize;
    let weights = bodies.pair(block.first as usize).map(|body| shares[body as usize]);
    for (i, row) in block.rows().enumerate() {
        for (j, column) in block.rows().enumerate() {
            let (a, b) = (bodies.scaled_row(row), bodies.scaled_row(column));
            let product = |side: usize| (6 * side..6 * side + 6).map(|k| a[k] * b[k]).sum::<f64>();
            out[n * i + j] = weights[0] * product(0) + weights[1] * product(1);
        }
        out[n * i + i] += bodies.compliance(row);
    }
}
