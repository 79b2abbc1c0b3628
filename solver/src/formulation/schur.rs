//! Joints first: the free rows f are eliminated, and only the others c are left to a solver.
//!
//! ```text
//! S = A_cc − A_cf A_ff⁻¹ A_fc,   b' = b_c − A_cf A_ff⁻¹ b_f,   λ_f = −A_ff⁻¹ (b_f + A_fc λ_c)
//! ```
//!
//! Worth it where joints are many and contacts few: what is left is small, contacts feel the whole mechanism at once, and
//! the joints' slow modes are gone. It fills in: S couples all contacts on bodies that joints connect. A_ff has the graph
//! of the joints and is factorised sparsely (`L D Lᵀ`).
//!
//! Redundant joints (closed loops, A_ff singular) are taken; of their many solutions they get the one in which they share
//! their load evenly, the smallest in the norm of A_ff's diagonal. Joints that contradict each other are met as nearly as
//! can be. The file `factor.rs` has the rule.

use nalgebra_sparse::{CooMatrix, CsrMatrix};

use super::factor::Factor;
use crate::cone::Cone;
use crate::delassus::{BlockMatrix, Delassus};
use crate::error::SolveError;
use crate::problem::{Block, Problem};
use crate::vector::largest;

/// What A_ff⁻¹A_fc may leave undone, beside the size of A_fc. More means that A_ff is singular and the other rows need
/// what it cannot give.
const CONSISTENCY: f64 = 1e-8;

/// What A_ff is regularised by, relative to its diagonal. It does not change what is solved, see `factor.rs`.
const REGULARISATION: f64 = 1e-9;

/// Entries of S this small, beside the diagonal of A, are nothing but rounding.
const ROUNDING: f64 = 1e-13;

/// A problem without its free rows, and the way back.
#[derive(Debug)]
pub struct Schur {
    /// What is left: the other blocks, in their order, with an explicit matrix.
    pub problem: Problem,
    free: Vec<usize>,
    kept: Vec<usize>,
    bias: Vec<f64>,
    /// A_fc, its rows those of `free`, its columns those of `kept`.
    coupling: CsrMatrix<f64>,
    factor: Factor,
}

impl Schur {
    /// Eliminates the rows of all blocks that are [`Cone::Free`], or between infinite bounds. Fails where A_ff is singular
    /// in a way that the other rows feel, which no positive semidefinite A is.
    pub fn new(problem: &Problem) -> Result<Self, SolveError> {
        Self::with(problem, REGULARISATION, 0.0, None)
    }

    /// The same for solvers that divide by the diagonal of S: where joints leave a row nothing to move, rounding is all
    /// that is left of it, and it is made `regularisation` times that of A.
    pub(crate) fn with_positive_diagonal(problem: &Problem, regularisation: f64) -> Result<Self, SolveError> {
        Self::with(problem, regularisation, regularisation, None)
    }

    /// The same for a problem like the last one: if its joints have the same pattern, as in the next step of a simulation,
    /// the symbolic factorisation is used again.
    pub fn renew(self, problem: &Problem) -> Result<Self, SolveError> {
        Self::with(problem, REGULARISATION, 0.0, Some(self.factor))
    }

    fn with(problem: &Problem, regularisation: f64, floor: f64, last: Option<Factor>) -> Result<Self, SolveError> {
        problem.validate()?;
        let matrix = problem.assembled()?;
        let n = problem.rows();
        let (mut free, mut kept) = (Vec::new(), Vec::new());
        let mut place = vec![(false, 0); n];
        for block in &problem.blocks {
            let is_free = is_free(block);
            let list = if is_free { &mut free } else { &mut kept };
            for row in block.rows() {
                place[row] = (is_free, list.len());
                list.push(row);
            }
        }
        let mut free_free = CooMatrix::new(free.len(), free.len());
        let mut coupling = CooMatrix::new(free.len(), kept.len());
        let mut back = CooMatrix::new(kept.len(), free.len());
        let mut reduced = CooMatrix::new(kept.len(), kept.len());
        let mut diagonal = vec![0.0; kept.len()];
        for (row, column, value) in matrix.triplets() {
            let ((row_is_free, i), (column_is_free, j)) = (place[row], place[column]);
            match (row_is_free, column_is_free) {
                (true, true) => free_free.push(i, j, value),
                (true, false) => coupling.push(i, j, value),
                (false, true) => back.push(i, j, value),
                (false, false) => {
                    reduced.push(i, j, value);
                    if i == j {
                        diagonal[i] += value;
                    }
                }
            }
        }
        let factor = Factor::new(CsrMatrix::from(&free_free), regularisation, last)?;
        let (coupling, back) = (CsrMatrix::from(&coupling), CsrMatrix::from(&back));
        let mut solved = vec![0.0; free.len()];
        let columns = coupling.transpose();
        for (column, entries) in columns.row_iter().enumerate() {
            if entries.nnz() == 0 {
                continue;
            }
            solved.fill(0.0);
            for (&row, &value) in entries.col_indices().iter().zip(entries.values()) {
                solved[row] = value;
            }
            let size = largest(entries.values());
            let left = factor.solve(&mut solved);
            if left.is_nan() || left > CONSISTENCY * size {
                return Err(SolveError::Unsupported {
                    method: "the elimination of free rows",
                    what: "a singular matrix among them that the other rows depend on".into(),
                });
            }
            for (row, product) in products(&back, &solved) {
                reduced.push(row, column, -product);
                if row == column {
                    diagonal[row] -= product;
                }
            }
        }
        for (k, &row) in kept.iter().enumerate() {
            let least = floor * matrix.diagonal(row);
            if diagonal[k] < least {
                reduced.push(k, k, least - diagonal[k]);
            }
        }
        let free_bias: Vec<f64> = free.iter().map(|&row| problem.bias[row]).collect();
        let mut bias: Vec<f64> = kept.iter().map(|&row| problem.bias[row]).collect();
        solved.copy_from_slice(&free_bias);
        // Joints that contradict each other leave a residual here; the final one tells.
        factor.solve(&mut solved);
        for (row, product) in products(&back, &solved) {
            bias[row] -= product;
        }

        let reduced = without_rounding(CsrMatrix::from(&reduced), |k| matrix.diagonal(kept[k]));
        let others: Vec<&Block> = problem.blocks.iter().filter(|block| !is_free(block)).collect();
        let sizes: Vec<usize> = others.iter().map(|block| block.len as usize).collect();
        let cones: Vec<Cone> = others.iter().map(|block| block.cone).collect();
        let matrix = BlockMatrix::from_csr(&reduced, &sizes)?;
        Ok(Self {
            problem: Problem::from_matrix(matrix, bias, &cones)?,
            free,
            kept,
            bias: free_bias,
            coupling,
            factor,
        })
    }

    /// The impulses of the rows that are kept, for a warm start.
    pub fn start(&self, impulses: &[f64]) -> Vec<f64> {
        self.kept.iter().map(|&row| impulses[row]).collect()
    }

    /// All impulses, from those of the rows that were kept. Returns what is left of the free rows' equations, relative to
    /// their right-hand side: more than rounding where they contradict each other.
    pub fn impulses(&self, solution: &[f64], out: &mut [f64]) -> f64 {
        for (&row, &impulse) in self.kept.iter().zip(solution) {
            out[row] = impulse;
        }
        let mut joints: Vec<f64> = self.bias.iter().map(|b| -b).collect();
        for (row, entries) in self.coupling.row_iter().enumerate() {
            for (&column, &value) in entries.col_indices().iter().zip(entries.values()) {
                joints[row] -= value * solution[column];
            }
        }
        let size = largest(&joints);
        let left = self.factor.solve(&mut joints);
        for (&row, impulse) in self.free.iter().zip(joints) {
            out[row] = impulse;
        }
        if size > 0.0 { left / size } else { 0.0 }
    }
}

/// Rows that follow from the free ones cancel down to rounding, which must not be taken for a matrix.
fn without_rounding(matrix: CsrMatrix<f64>, diagonal: impl Fn(usize) -> f64) -> CsrMatrix<f64> {
    matrix.filter(|i, j, value| value.abs() > ROUNDING * (diagonal(i) * diagonal(j)).abs().sqrt())
}

/// The rows of a product that are not zero.
fn products(matrix: &CsrMatrix<f64>, x: &[f64]) -> impl Iterator<Item = (usize, f64)> {
    matrix.row_iter().enumerate().filter_map(move |(row, entries)| {
        let terms = entries.col_indices().iter().zip(entries.values());
        let product: f64 = terms.map(|(&k, value)| value * x[k]).sum();
        (product != 0.0).then_some((row, product))
    })
}

/// Whether a block's rows are without bounds.
pub(crate) fn is_free(block: &Block) -> bool {
    matches!(
        block.cone,
        Cone::Free
            | Cone::Interval {
                lower: f64::NEG_INFINITY,
                upper: f64::INFINITY
            }
    )
}
