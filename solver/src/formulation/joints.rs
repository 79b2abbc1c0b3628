//! The joints of a problem, factorised: systems `A_ff x = b` on its free rows f, from step to step in the same memory.
//!
//! A_ff has the graph of the mechanism. On rigid bodies it is never formed: its blocks are worked out where the sparse
//! `L D Lᵀ` of the scaled matrix takes them in, and residuals are products with the bodies, which are also more accurate.
//! A chain or a tree takes time and memory in proportion to its links, a closed loop hardly more. A body with very many
//! joints makes all of them meet, at the cost of the cube of their number.
//!
//! Redundant joints make A_ff singular, and a pivot tells. Then a ridge is added, `A + εD` with `D = diag(A)`, and a solution
//! is refined against A itself, `x ← x + (A + εD)⁻¹ (b − A x)` from zero.
//!
//! - If the equations do not contradict each other this goes to a solution of them, and among all of them to the one
//!   smallest in the norm of D, `Σ A_rr x_r²`: redundant joints share their load evenly, whatever their units. (With
//!   `y = D^½ x` all iterates lie in the range of `D^-½ A D^-½`.)
//! - If they do, what no x can meet is taken off the right-hand side and the rest is solved: x makes `Σ (b − A x)_r² / A_rr`
//!   as small as can be, and among such x it is again the smallest.
//!
//! An explicit matrix that is not symmetric, or has a row with nothing on the diagonal, goes through a dense LU with complete
//! pivoting instead; unknowns beyond its rank are zero.

use nalgebra_sparse::{CooMatrix, CsrMatrix};

use super::factor::Factor;
use super::schur::is_free;
use crate::delassus::{BlockMatrix, Couplings, Delassus, RigidBodies};
use crate::error::SolveError;
use crate::linear::SparseLdl;
use crate::problem::{Block, Operator, Problem, with_operator};
use crate::vector::{add, largest};

/// Pivots of the scaled matrix above this tell that no row follows from the others. Along a chain of n links they fall to
/// about 1/n; rounding leaves redundant rows with 1e-13 or less.
const REDUNDANT: f64 = 1e-8;
/// Refinements at most where no row is redundant.
const REFINEMENTS: usize = 4;
/// The same with a ridge: each leaves about ε over the smallest eigenvalue that is not zero.
const RIDGE_REFINEMENTS: usize = 20;
/// A residual of this size beside its right-hand side is rounding.
const ROUNDING: f64 = 2e-16;
/// The same beside the largest term of the equations.
const BACKWARD: f64 = 8.0 * f64::EPSILON;
/// What is left of a right-hand side, relative to it, when the equations contradict each other.
const CONTRADICTION: f64 = 1e-12;
/// How often a contradiction is taken off. The first solution is as large as its part of the right-hand side over ε, and so
/// is its rounding; each time that shrinks by the rounding over ε.
const WITHDRAWALS: usize = 3;

/// The free rows of a problem and the factors of their matrix.
#[derive(Debug, Default)]
pub(crate) struct Joints {
    /// The blocks that are free, and those that are not.
    pub(super) free: Vec<u32>,
    pub(super) kept: Vec<u32>,
    /// For every block its place among those of its kind.
    pub(super) place: Vec<u32>,
    /// The first row of every free block among the free rows, and their number at the end.
    pub(super) starts: Vec<usize>,
    pub(super) couplings: Couplings,
    /// The pattern that the factors are made for: sizes of the nodes, and pairs of them that meet.
    sizes: Vec<usize>,
    pairs: Vec<(u32, u32)>,
    /// For every free block the mechanism it belongs to.
    pub(super) mechanism: Vec<u32>,
    next_sizes: Vec<usize>,
    next_pairs: Vec<(u32, u32)>,
    /// What all of this was found from, on rigid bodies: of every block its bodies and number of rows, and whether it is free.
    seen: Vec<([u32; 2], u32, bool)>,
    /// Whether there are only blocks of three rows on rigid bodies, all of them free: ball joints and nothing else.
    threes: bool,
    factors: SparseLdl,
    general: Option<Factor>,
    /// ε, or 0 where no row is redundant.
    ridge: f64,
}

/// What solves work in.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// Impulses of all rows, and what belongs to them.
    pub(super) full: Vec<f64>,
    pub(super) state: Vec<f64>,
    /// Whether the state belongs to the impulses of the joints that were last found.
    pub(super) holds_solution: bool,
    pub(super) product: Vec<f64>,
    right: Vec<f64>,
    consistent: Vec<f64>,
    sum: Vec<f64>,
    residual: Vec<f64>,
    factors: Vec<f64>,
}

impl Memory {
    /// Makes room for a problem, with all impulses zero.
    pub(super) fn fit(&mut self, problem: &Problem) {
        self.holds_solution = false;
        let largest_block = problem.blocks.iter().map(|block| block.len).max().unwrap_or(0);
        for (memory, len) in [
            (&mut self.full, problem.rows()),
            (&mut self.state, problem.operator.as_delassus().state_len()),
            (&mut self.product, largest_block as usize),
        ] {
            memory.clear();
            memory.resize(len, 0.0);
        }
    }
}

impl Joints {
    /// Factorises the free rows of a valid problem. Where they have the pattern of the last one, as in the next step of a
    /// simulation, nothing is analysed and nothing allocated; the result is the same to the last bit.
    pub(crate) fn renew(&mut self, problem: &Problem, regularisation: f64) -> Result<(), SolveError> {
        if !self.is_like_the_last(problem) {
            self.analyse(problem)?;
        }
        self.general = match &problem.operator {
            Operator::Matrix(matrix) if !self.is_symmetric(matrix) => {
                Some(Factor::new(self.explicit(problem, matrix))?)
            }
            _ => None,
        };
        self.ridge = 0.0;
        if self.general.is_none() && self.factor(problem) <= REDUNDANT {
            self.ridge = regularisation;
            self.factor(problem);
        }
        Ok(())
    }

    /// Whether a problem has the blocks of the last one, on the same bodies.
    fn is_like_the_last(&self, problem: &Problem) -> bool {
        match &problem.operator {
            Operator::RigidBodies(bodies) => {
                problem.blocks.len() == self.seen.len()
                    && problem
                        .blocks
                        .iter()
                        .zip(&self.seen)
                        .all(|(block, seen)| look(bodies, block) == *seen)
            }
            Operator::Matrix(_) => false,
        }
    }

    fn analyse(&mut self, problem: &Problem) -> Result<(), SolveError> {
        self.seen.clear();
        self.partition(problem);
        self.threes = self.kept.is_empty()
            && matches!(problem.operator, Operator::RigidBodies(_))
            && problem.blocks.iter().all(|block| block.len == 3);
        self.couplings.read(problem);
        self.read_pattern();
        if self.next_sizes != self.sizes || self.next_pairs != self.pairs {
            self.factors = SparseLdl::new(&self.next_sizes, &self.next_pairs)?;
            self.sizes.clone_from(&self.next_sizes);
            self.pairs.clone_from(&self.next_pairs);
            self.find_mechanisms();
        }
        if let Operator::RigidBodies(bodies) = &problem.operator {
            self.seen.extend(problem.blocks.iter().map(|block| look(bodies, block)));
        }
        Ok(())
    }

    /// The number of free rows.
    pub(crate) fn rows(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    fn partition(&mut self, problem: &Problem) {
        self.free.clear();
        self.kept.clear();
        self.place.clear();
        self.starts.clear();
        let mut rows = 0;
        for (index, block) in problem.blocks.iter().enumerate() {
            let list = if is_free(block) {
                self.starts.push(rows);
                rows += block.len as usize;
                &mut self.free
            } else {
                &mut self.kept
            };
            self.place.push(list.len() as u32);
            list.push(index as u32);
        }
        self.starts.push(rows);
    }

    /// Whether a block is among the free ones.
    pub(super) fn is_free(&self, block: u32) -> bool {
        let place = self.place[block as usize] as usize;
        self.free.get(place) == Some(&block)
    }

    fn read_pattern(&mut self) {
        self.next_sizes.clear();
        self.next_sizes.extend(self.starts.windows(2).map(|w| w[1] - w[0]));
        self.next_pairs.clear();
        for (node, &block) in self.free.iter().enumerate() {
            for &other in self.couplings.of(block as usize) {
                if self.is_free(other) && other != block {
                    let (a, b) = (node as u32, self.place[other as usize]);
                    self.next_pairs.push((a.max(b), a.min(b)));
                }
            }
        }
        self.next_pairs.sort_unstable();
        self.next_pairs.dedup();
    }

    /// Joints that are connected are one mechanism.
    fn find_mechanisms(&mut self) {
        self.mechanism.clear();
        self.mechanism.extend(0..self.sizes.len() as u32);
        fn root(parent: &mut [u32], mut node: u32) -> u32 {
            while parent[node as usize] != node {
                parent[node as usize] = parent[parent[node as usize] as usize];
                node = parent[node as usize];
            }
            node
        }
        for &(a, b) in &self.pairs {
            let (a, b) = (root(&mut self.mechanism, a), root(&mut self.mechanism, b));
            self.mechanism[a.max(b) as usize] = a.min(b);
        }
        for node in 0..self.sizes.len() as u32 {
            let root = root(&mut self.mechanism, node);
            self.mechanism[node as usize] = root;
        }
    }

    /// Factorises with the present ridge, and returns the smallest pivot.
    fn factor(&mut self, problem: &Problem) -> f64 {
        let free = &self.free;
        let rows = |node: u32| problem.blocks[free[node as usize] as usize].rows();
        with_operator!(&problem.operator, operator => {
            self.factors.factor(self.ridge, 0.01 * self.ridge, |(i, j), out| {
                // Rows that are the same must have the same numbers to the last bit where a ridge makes the difference.
                if i == j && self.ridge == 0.0 {
                    operator.diagonal_block(rows(i), out);
                } else {
                    operator.block(rows(i), rows(j), out);
                }
            })
        })
    }

    /// Solves for K right-hand sides in place, one after the other in x. One that is met up to `enough` of its size is not
    /// refined further. Returns the largest entry of each residual.
    pub(crate) fn solve<const K: usize>(
        &self,
        problem: &Problem,
        x: &mut [f64],
        enough: f64,
        memory: &mut Memory,
    ) -> [f64; K] {
        let mut right = std::mem::take(&mut memory.right);
        right.clear();
        right.extend_from_slice(x);
        let left = self.refined(problem, &right, x, enough, memory);
        memory.right = right;
        left
    }

    /// The same for one right-hand side that may contradict itself, by rule.
    pub(crate) fn solve_by_rule(&self, problem: &Problem, x: &mut [f64], memory: &mut Memory) -> f64 {
        let [left] = self.solve::<1>(problem, x, ROUNDING, memory);
        if self.ridge == 0.0 {
            return left;
        }
        let right = std::mem::take(&mut memory.right);
        let left = if left.is_nan() || left <= CONTRADICTION * largest(&right) {
            left
        } else {
            let mut consistent = std::mem::take(&mut memory.consistent);
            consistent.clear();
            consistent.extend_from_slice(&right);
            for _ in 0..WITHDRAWALS {
                self.residual::<1>(problem, &consistent, x, memory);
                add(&mut consistent, -1.0, &memory.residual);
                let [left] = self.refined::<1>(problem, &consistent, x, ROUNDING, memory);
                if left <= CONTRADICTION * largest(&consistent) {
                    break;
                }
            }
            memory.consistent = consistent;
            self.residual::<1>(problem, &right, x, memory);
            largest(&memory.residual)
        };
        memory.right = right;
        left
    }

    /// Solves by refinement from zero, keeping the best; returns the largest entries of the residuals.
    fn refined<const K: usize>(
        &self,
        problem: &Problem,
        right: &[f64],
        x: &mut [f64],
        enough: f64,
        memory: &mut Memory,
    ) -> [f64; K] {
        if let Some(general) = &self.general {
            return self.refined_generally(general, right, x, memory);
        }
        let rows = self.rows();
        let sizes = largest_by_column::<K>(rows, right);
        let mut best = [f64::INFINITY; K];
        let mut sum = std::mem::take(&mut memory.sum);
        sum.clear();
        sum.resize(right.len(), 0.0);
        memory.residual.clear();
        memory.residual.extend_from_slice(right);
        x.fill(0.0);
        let most = if self.ridge > 0.0 {
            RIDGE_REFINEMENTS
        } else {
            REFINEMENTS
        };
        for _ in 0..=most {
            self.factors.solve::<K>(&mut memory.residual, &mut memory.factors);
            add(&mut sum, 1.0, &memory.residual);
            self.residual::<K>(problem, right, &sum, memory);
            let left = largest_by_column::<K>(rows, &memory.residual);
            let rounding = self.rounding::<K>(&sum);
            let mut goes_on = false;
            for k in 0..K {
                let column = k * rows..(k + 1) * rows;
                // Nothing gets better any more: what is kept stays, and nothing is added to it.
                let better = left[k] < best[k];
                memory.holds_solution = better && K == 1;
                if better {
                    best[k] = left[k];
                    x[column.clone()].copy_from_slice(&sum[column.clone()]);
                }
                if better && left[k] > f64::max(enough * sizes[k], rounding[k]) {
                    goes_on = true;
                } else {
                    memory.residual[column].fill(0.0);
                }
            }
            if !goes_on {
                break;
            }
        }
        memory.sum = sum;
        best
    }

    /// What rounding may leave of the residual of solutions, whatever refinement does: each of its rows is a sum of terms that are about
    /// as large as `A_rr x_r`. With a ridge nothing of the kind is said, since there refinement is what finds the solution.
    fn rounding<const K: usize>(&self, x: &[f64]) -> [f64; K] {
        if self.ridge > 0.0 {
            return [0.0; K];
        }
        let rows = self.rows();
        std::array::from_fn(|k| BACKWARD * self.factors.largest_term(&x[k * rows..(k + 1) * rows]))
    }

    /// Whether the matrix is one that need not be symmetric.
    pub(super) fn is_general(&self) -> bool {
        self.general.is_some()
    }

    fn refined_generally<const K: usize>(
        &self,
        general: &Factor,
        right: &[f64],
        x: &mut [f64],
        memory: &mut Memory,
    ) -> [f64; K] {
        let rows = self.rows();
        std::array::from_fn(|k| {
            memory.sum.clear();
            memory.sum.extend_from_slice(&right[k * rows..(k + 1) * rows]);
            let left = general.solve(&mut memory.sum);
            x[k * rows..(k + 1) * rows].copy_from_slice(&memory.sum);
            left
        })
    }

    /// `right − A_ff x` into `memory.residual`.
    fn residual<const K: usize>(&self, problem: &Problem, right: &[f64], x: &[f64], memory: &mut Memory) {
        memory.residual.clear();
        memory.residual.extend_from_slice(right);
        let rows = self.rows();
        for k in 0..K {
            let x = &x[k * rows..(k + 1) * rows];
            if let (Operator::RigidBodies(bodies), true) = (&problem.operator, self.threes) {
                let residual = &mut memory.residual[k * rows..(k + 1) * rows];
                bodies.take_off_threes(x, &mut memory.state, residual);
                continue;
            }
            if x.iter().all(|&x| x == 0.0) {
                memory.state.fill(0.0);
                continue;
            }
            self.scatter(problem, x, &mut memory.full);
            with_operator!(&problem.operator, operator => {
                operator.load(&memory.full, &mut memory.state);
                for (node, &block) in self.free.iter().enumerate() {
                    let rows = problem.blocks[block as usize].rows();
                    let residual = &mut memory.residual[k * self.rows() + self.starts[node]..];
                    let mut take_off = |product: &mut [f64]| {
                        operator.block_product(rows.clone(), &memory.full, &memory.state, product);
                        for (residual, product) in residual.iter_mut().zip(product) {
                            *residual -= *product;
                        }
                    };
                    // Ball joints are by far the most common; a fixed size lets their loops unroll.
                    match rows.len() {
                        3 => take_off(&mut [0.0; 3]),
                        n => take_off(&mut memory.product[..n]),
                    }
                }
            });
        }
    }

    /// Writes what belongs to the free rows of a problem into their places.
    pub(super) fn scatter(&self, problem: &Problem, x: &[f64], full: &mut [f64]) {
        if self.kept.is_empty() {
            // They are all there is, in the same order.
            full[..x.len()].copy_from_slice(x);
            return;
        }
        for (ends, &block) in self.starts.windows(2).zip(&self.free) {
            full[problem.blocks[block as usize].rows()].copy_from_slice(&x[ends[0]..ends[1]]);
        }
    }

    /// Whether A_ff is symmetric but for rounding, with a positive diagonal.
    fn is_symmetric(&self, matrix: &BlockMatrix) -> bool {
        let (mut block, mut other) = (Vec::new(), Vec::new());
        self.free.iter().all(|&i| {
            let rows = matrix.block_rows(i as usize);
            let positive = rows.clone().all(|row| matrix.diagonal(row) > 0.0);
            positive
                && self.couplings.of(i as usize).iter().all(|&j| {
                    if !self.is_free(j) {
                        return true;
                    }
                    let columns = matrix.block_rows(j as usize);
                    let (height, width) = (rows.len(), columns.len());
                    block.resize(height * width, 0.0);
                    other.resize(height * width, 0.0);
                    matrix.block(rows.clone(), columns.clone(), &mut block);
                    matrix.block(columns.clone(), rows.clone(), &mut other);
                    (0..height * width).all(|at| {
                        let (r, c) = (at / width, at % width);
                        let size = matrix.diagonal(rows.start + r) * matrix.diagonal(columns.start + c);
                        (block[at] - other[c * height + r]).abs() <= 1e-12 * size.abs().sqrt()
                    })
                })
        })
    }

    fn explicit(&self, problem: &Problem, matrix: &BlockMatrix) -> CsrMatrix<f64> {
        let mut triplets = CooMatrix::new(self.rows(), self.rows());
        let mut numbers = Vec::new();
        for (i, &block) in self.free.iter().enumerate() {
            let rows = problem.blocks[block as usize].rows();
            for &other in self
                .couplings
                .of(block as usize)
                .iter()
                .filter(|&&other| self.is_free(other))
            {
                let columns = problem.blocks[other as usize].rows();
                let width = columns.len();
                numbers.resize(rows.len() * width, 0.0);
                matrix.block(rows.clone(), columns, &mut numbers);
                let first = self.starts[self.place[other as usize] as usize];
                for (at, value) in numbers.iter().enumerate() {
                    triplets.push(self.starts[i] + at / width, first + at % width, *value);
                }
            }
        }
        CsrMatrix::from(&triplets)
    }
}

/// What the pattern of A depends on.
fn look(bodies: &RigidBodies, block: &Block) -> ([u32; 2], u32, bool) {
    (bodies.pair(block.first as usize), block.len, is_free(block))
}

fn largest_by_column<const K: usize>(rows: usize, numbers: &[f64]) -> [f64; K] {
    std::array::from_fn(|k| largest(&numbers[k * rows..(k + 1) * rows]))
}
