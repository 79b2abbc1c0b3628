//! Factorisations of the matrices that pivoting methods meet, and of joints without symmetry.
//!
//! A symmetric matrix gets a sparse `L D Lᵀ` of its scaled form `S A S`, `S = diag(A)^(-½)`, which has ones on the diagonal. A
//! pivot that is nothing but rounding is put to 1, which leaves the unknown of that row at zero and, where the right-hand
//! side is consistent, changes nothing in the others.
//!
//! Anything that is not symmetric gets a dense LU with complete pivoting, cut off at its rank; unknowns beyond it are zero.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::ldlt::factor::LdltRegularization;
use faer::sparse::linalg::cholesky::{LdltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky};
use faer::sparse::{SparseColMat, Triplet};
use faer::{Conj, MatMut, Par, Side};
use nalgebra::{DMatrix, DVector};
use nalgebra_sparse::CsrMatrix;

use crate::error::SolveError;
use crate::vector::{add, largest};

/// Pivots of the scaled matrix below this are taken for zero.
const RANK_TOLERANCE: f64 = 1e-10;
/// Two steps of refinement repair what the regularised pivots and rounding leave.
const REFINEMENTS: usize = 2;

/// A factorised square matrix.
#[derive(Debug)]
pub(crate) struct Factor {
    matrix: CsrMatrix<f64>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Symmetric {
        symbolic: SymbolicCholesky<usize>,
        values: Vec<f64>,
        scale: Vec<f64>,
    },
    Dense {
        lu: nalgebra::FullPivLU<f64, nalgebra::Dyn, nalgebra::Dyn>,
        rank: usize,
    },
}

impl Factor {
    /// Factorises a matrix.
    pub(crate) fn new(matrix: CsrMatrix<f64>) -> Result<Self, SolveError> {
        let kind = if is_symmetric(&matrix) {
            symmetric(&matrix)?
        } else {
            dense(&matrix)
        };
        Ok(Self { matrix, kind })
    }

    /// Solves in place, and returns the largest entry of the residual that is left.
    pub(crate) fn solve(&self, x: &mut [f64]) -> f64 {
        let right = x.to_vec();
        self.refined(&right, x)
    }

    /// Solves by refinement from zero; returns the largest entry of the residual that is left.
    fn refined(&self, right: &[f64], x: &mut [f64]) -> f64 {
        let mut residual = right.to_vec();
        let mut best = f64::INFINITY;
        let mut sum = vec![0.0; x.len()];
        x.fill(0.0);
        for _ in 0..=REFINEMENTS {
            self.solve_once(&mut residual);
            add(&mut sum, 1.0, &residual);
            self.residual(right, &sum, &mut residual);
            let size = largest(&residual);
            if size.is_nan() || size >= best {
                break;
            }
            best = size;
            x.copy_from_slice(&sum);
        }
        best
    }

    /// `right − A x`.
    fn residual(&self, right: &[f64], x: &[f64], residual: &mut [f64]) {
        residual.copy_from_slice(right);
        for (row, entries) in self.matrix.row_iter().enumerate() {
            for (&column, &value) in entries.col_indices().iter().zip(entries.values()) {
                residual[row] -= value * x[column];
            }
        }
    }

    fn solve_once(&self, x: &mut [f64]) {
        match &self.kind {
            Kind::Symmetric {
                symbolic,
                values,
                scale,
            } => {
                x.iter_mut().zip(scale).for_each(|(x, s)| *x *= s);
                let ldlt = LdltRef::new(symbolic, values);
                let mut buffer = MemBuffer::new(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
                let rows = x.len();
                let column = MatMut::from_column_major_slice_mut(&mut *x, rows, 1);
                ldlt.solve_in_place_with_conj(Conj::No, column, Par::Seq, MemStack::new(&mut buffer));
                x.iter_mut().zip(scale).for_each(|(x, s)| *x *= s);
            }
            Kind::Dense { lu, rank } => solve_to_rank(lu, *rank, x),
        }
    }
}

pub(crate) fn is_symmetric(matrix: &CsrMatrix<f64>) -> bool {
    let transposed = matrix.transpose();
    let diagonal_is_positive = (0..matrix.nrows()).all(|k| matrix.index_entry(k, k).into_value() > 0.0);
    diagonal_is_positive
        && matrix.pattern() == transposed.pattern()
        && matrix.triplet_iter().zip(transposed.values()).all(|((i, j, a), b)| {
            let size = matrix.index_entry(i, i).into_value() * matrix.index_entry(j, j).into_value();
            (a - b).abs() <= 1e-12 * size.sqrt()
        })
}

fn symmetric(matrix: &CsrMatrix<f64>) -> Result<Kind, SolveError> {
    let n = matrix.nrows();
    let scale: Vec<f64> = (0..n)
        .map(|k| matrix.index_entry(k, k).into_value().sqrt().recip())
        .collect();
    // Only the triangle that is named below.
    let triplets: Vec<_> = matrix
        .triplet_iter()
        .filter(|(row, col, _)| row >= col)
        .map(|(row, col, &value)| Triplet {
            row,
            col,
            val: scale[row] * value * scale[col],
        })
        .collect();
    let malformed = |error: String| SolveError::Malformed(format!("free rows: {error}"));
    let lower =
        SparseColMat::try_new_from_triplets(n, n, &triplets).map_err(|error| malformed(format!("{error:?}")))?;
    let symbolic = factorize_symbolic_cholesky(
        lower.symbolic(),
        Side::Lower,
        SymmetricOrdering::Amd,
        Default::default(),
    )
    .map_err(|error| malformed(format!("{error:?}")))?;
    let mut values = vec![0.0; symbolic.len_val()];
    let mut buffer = MemBuffer::new(symbolic.factorize_numeric_ldlt_scratch::<f64>(Par::Seq, Default::default()));
    let signs = vec![1; n];
    symbolic
        .factorize_numeric_ldlt(
            &mut values,
            lower.as_ref(),
            Side::Lower,
            LdltRegularization {
                dynamic_regularization_signs: Some(&signs),
                dynamic_regularization_delta: 1.0,
                dynamic_regularization_epsilon: RANK_TOLERANCE,
            },
            Par::Seq,
            MemStack::new(&mut buffer),
            Default::default(),
        )
        .map_err(|error| malformed(format!("{error:?}")))?;
    Ok(Kind::Symmetric {
        symbolic,
        values,
        scale,
    })
}

fn dense(matrix: &CsrMatrix<f64>) -> Kind {
    let lu = DMatrix::from(matrix).full_piv_lu();
    let u = lu.u();
    let largest = u.diagonal().iter().fold(0.0, |worst: f64, d| worst.max(d.abs()));
    let rank = u
        .diagonal()
        .iter()
        .take_while(|d| d.abs() > RANK_TOLERANCE * largest)
        .count();
    Kind::Dense { lu, rank }
}

/// Solves with the leading `rank` rows and columns of the factors; the other unknowns are zero.
fn solve_to_rank(lu: &nalgebra::FullPivLU<f64, nalgebra::Dyn, nalgebra::Dyn>, rank: usize, x: &mut [f64]) {
    let mut y = DVector::from_column_slice(x);
    lu.p().permute_rows(&mut y);
    lu.l().solve_lower_triangular_with_diag_mut(&mut y, 1.0);
    let u = lu.u();
    let mut head = y.rows(0, rank).into_owned();
    u.view((0, 0), (rank, rank)).solve_upper_triangular_mut(&mut head);
    y.fill(0.0);
    y.rows_mut(0, rank).copy_from(&head);
    lu.q().inv_permute_rows(&mut y);
    x.copy_from_slice(y.as_slice());
}
