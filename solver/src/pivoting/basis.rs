//! The basis of a linear complementarity problem with a covering vector: `w − M z − c z₀ = q`, n of the 2n + 1 unknowns
//! basic.
//!
//! Columns of w are unit vectors, so only the rows whose w is not basic have to be factorised: a dense LU of their columns
//! of z and z₀. Pivots since then are kept as a product of elementary matrices; after a hundred of them, or when a pivot is
//! small, the basis is factorised anew.

use faer::Mat;
use faer::linalg::solvers::{PartialPivLu, Solve};
use nalgebra_sparse::CscMatrix;

use crate::cone::at_least;

/// Pivots between factorisations.
const UPDATES: usize = 100;
/// A basis whose pivots differ by more than this is taken for singular.
const SINGULAR: f64 = 1e-15;

/// An unknown: `w_i` is i, `z_i` is n + i, `z₀` is 2n.
pub(super) type Variable = usize;

pub(super) struct Basis<'a> {
    matrix: &'a CscMatrix<f64>,
    covering: Vec<f64>,
    /// The basic variable at every position, and the position of every basic variable.
    basic: Vec<Variable>,
    position: Vec<Option<usize>>,
    kernel: Kernel,
    /// Position and `B⁻¹a` of every pivot since the factorisation.
    pivots: Vec<(usize, Vec<f64>)>,
}

/// What was factorised.
#[derive(Default)]
struct Kernel {
    rows: Vec<usize>,
    variables: Vec<Variable>,
    factor: Option<PartialPivLu<f64>>,
}

impl<'a> Basis<'a> {
    /// The complementary basis with the z that are named and the w of all other rows; `None` if it is singular. The
    /// covering vector is the sum of its columns, so that z₀ takes part in every row alike.
    pub(super) fn complementary(matrix: &'a CscMatrix<f64>, active: &[bool]) -> Option<Self> {
        let n = active.len();
        let mut basis = Self::slack(matrix, vec![0.0; n]);
        basis.basic = (0..n).map(|i| if active[i] { n + i } else { i }).collect();
        if !basis.factorise() {
            return None;
        }
        let mut column = vec![0.0; n];
        for place in 0..n {
            basis.column(basis.basic[place], &mut column);
            basis.covering.iter_mut().zip(&column).for_each(|(sum, x)| *sum += x);
        }
        Some(basis)
    }

    /// The basis of all w, with a covering vector of one's own, positive in every row.
    pub(super) fn slack(matrix: &'a CscMatrix<f64>, covering: Vec<f64>) -> Self {
        let n = covering.len();
        Self {
            matrix,
            covering,
            basic: (0..n).collect(),
            position: (0..=2 * n).map(|k| (k < n).then_some(k)).collect(),
            kernel: Kernel::default(),
            pivots: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.basic.len()
    }

    pub(super) fn basic(&self, position: usize) -> Variable {
        self.basic[position]
    }

    pub(super) fn position(&self, variable: Variable) -> Option<usize> {
        self.position[variable]
    }

    /// The column of an unknown in `w − M z − c z₀`.
    pub(super) fn column(&self, variable: Variable, out: &mut [f64]) {
        out.fill(0.0);
        self.add_column(variable, 1.0, out);
    }

    fn add_column(&self, variable: Variable, factor: f64, out: &mut [f64]) {
        let n = self.len();
        if variable < n {
            out[variable] += factor;
        } else if variable < 2 * n {
            let column = self.matrix.col(variable - n);
            for (&row, &value) in column.row_indices().iter().zip(column.values()) {
                out[row] -= factor * value;
            }
        } else {
            out.iter_mut()
                .zip(&self.covering)
                .for_each(|(out, c)| *out -= factor * c);
        }
    }

    /// Solves with the basis: `x ← B⁻¹ x`, in the order of positions.
    pub(super) fn solve(&self, x: &mut [f64]) {
        if let Some(factor) = &self.kernel.factor {
            let mut solved = Mat::from_fn(self.kernel.rows.len(), 1, |k, _| x[self.kernel.rows[k]]);
            factor.solve_in_place(solved.as_mut());
            // Basic w take what the columns of z and z₀ leave.
            for (k, &variable) in self.kernel.variables.iter().enumerate() {
                if solved[(k, 0)] != 0.0 {
                    self.add_column(variable, -solved[(k, 0)], x);
                }
            }
            for (k, &row) in self.kernel.rows.iter().enumerate() {
                x[row] = solved[(k, 0)];
            }
        }
        for (place, direction) in &self.pivots {
            let value = x[*place] / direction[*place];
            if value != 0.0 {
                x.iter_mut().zip(direction).for_each(|(x, d)| *x -= d * value);
            }
            x[*place] = value;
        }
    }

    /// The values of the basic variables, `B⁻¹ q`, refined once.
    pub(super) fn values(&self, q: &[f64]) -> Vec<f64> {
        let mut x = q.to_vec();
        self.solve(&mut x);
        let mut left = q.to_vec();
        for (place, &value) in x.iter().enumerate() {
            self.add_column(self.basic[place], -value, &mut left);
        }
        self.solve(&mut left);
        x.iter_mut().zip(&left).for_each(|(x, step)| *x += step);
        x
    }

    /// All z, from the values of the basic variables. What is below zero there is rounding; a NaN stays one.
    pub(super) fn unknowns(&self, values: &[f64]) -> Vec<f64> {
        let n = self.len();
        let value = |i: usize| self.position[n + i].map_or(0.0, |place| at_least(0.0, values[place]));
        (0..n).map(value).collect()
    }

    /// Puts a variable in the place of another; `direction` is B⁻¹ times its column.
    pub(super) fn replace(&mut self, place: usize, entering: Variable, direction: Vec<f64>) {
        self.position[self.basic[place]] = None;
        self.position[entering] = Some(place);
        self.basic[place] = entering;
        self.pivots.push((place, direction));
    }

    /// Whether it is time to factorise anew.
    pub(super) fn is_worn(&self) -> bool {
        self.pivots.len() >= UPDATES
    }

    /// Whether nothing has happened since the factorisation.
    pub(super) fn is_fresh(&self) -> bool {
        self.pivots.is_empty()
    }

    /// Factorises the basis as it is now. Positions change. False if it is singular.
    pub(super) fn factorise(&mut self) -> bool {
        let n = self.len();
        let mut is_row = vec![true; n];
        let mut variables = Vec::new();
        for &variable in &self.basic {
            if variable < n {
                is_row[variable] = false;
            } else {
                variables.push(variable);
            }
        }
        variables.sort_unstable();
        let rows: Vec<usize> = (0..n).filter(|&row| is_row[row]).collect();
        let mut column = vec![0.0; n];
        let mut dense = Mat::zeros(rows.len(), rows.len());
        for (j, &variable) in variables.iter().enumerate() {
            self.column(variable, &mut column);
            for (i, &row) in rows.iter().enumerate() {
                dense[(i, j)] = column[row];
            }
        }
        self.position.fill(None);
        for row in 0..n {
            self.basic[row] = row;
        }
        for (&row, &variable) in rows.iter().zip(&variables) {
            self.basic[row] = variable;
        }
        for place in 0..n {
            self.position[self.basic[place]] = Some(place);
        }
        self.pivots.clear();
        let factor = (!rows.is_empty()).then(|| PartialPivLu::new(dense.as_ref()));
        let regular = factor.as_ref().is_none_or(is_regular);
        self.kernel = Kernel {
            rows,
            variables,
            factor,
        };
        regular
    }
}

fn is_regular(factor: &PartialPivLu<f64>) -> bool {
    let u = factor.U();
    let (mut least, mut largest) = (f64::INFINITY, 0.0);
    for k in 0..u.nrows() {
        let pivot = u[(k, k)].abs();
        if pivot.is_nan() || pivot == 0.0 {
            return false;
        }
        least = pivot.min(least);
        largest = pivot.max(largest);
    }
    least > SINGULAR * largest
}
