//! What Murty's method and block pivoting share: every row is at its lower bound, at its upper one, or inside, and for each
//! such choice the impulses follow from a linear system.
//!
//! ```text
//! A_ii x_i = −(b_i + A_in x_n)   inside rows i, rows n at their bounds
//! ```
//!
//! A choice is right if the inside rows lie between their bounds and the others' velocities have the right sign. For
//! P-matrices there is always exactly one such x, and each basis is regular. A semidefinite matrix becomes one by the
//! proximal term `A + εD` with `b − εD x_k`, D the diagonal: its solutions x_k converge to one of the original problem,
//! and once the choice no longer changes each step takes another factor `ε/λ` off the error.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Lu, SymbolicLu};
use faer::sparse::{SparseColMat, Triplet};
use nalgebra::DMatrix;
use nalgebra_sparse::{CooMatrix, CsrMatrix};

use super::{after_pivot, lemke};
use crate::cone::{Cone, between};
use crate::error::SolveError;
use crate::formulation::{Factor, is_symmetric};
use crate::monitor::{Limits, Monitor};
use crate::problem::Problem;
use crate::solve::{Context, Convergence};

/// ε, beside ones on the diagonal. Smaller needs fewer proximal steps, larger makes regular bases that rounding cannot
/// spoil.
const PROXIMAL: f64 = 1e-8;
/// Proximal steps at most. Each takes several digits.
const STEPS: usize = 30;
/// The least eigenvalue of a matrix that is safely definite, beside ones on the diagonal.
pub(super) const DEFINITE: f64 = 1e-9;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum State {
    Lower,
    Inside,
    Upper,
}

/// The choice of states, and what follows from it.
pub(super) struct ActiveSet<'a> {
    problem: &'a Problem,
    matrix: CsrMatrix<f64>,
    is_symmetric: bool,
    /// εD.
    proximal: Vec<f64>,
    /// Diagonal entries, for units.
    scale: Vec<f64>,
    bounds: Vec<(f64, f64)>,
    pub(super) states: Vec<State>,
    impulses: Vec<f64>,
    velocities: Vec<f64>,
    /// x_k.
    centre: Vec<f64>,
    /// What a velocity may be off by.
    tolerance: f64,
    /// Pivots at most, where no theorem says that they end.
    most_pivots: usize,
    visited: HashSet<u64>,
}

/// A rule that changes the states of some of the rows with wrong signs, and returns whether it chose by index: then a
/// choice that is met twice proves a cycle.
pub(super) trait Rule {
    /// A new search begins.
    fn reset(&mut self);
    /// Picks from the rows with wrong signs, which are in ascending order and at least one.
    fn pick(&mut self, wrong: &mut Vec<usize>) -> bool;
}

/// How a search for the right states ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Found,
    Failed,
    Interrupted,
}

/// Solves a problem without contact cones by a rule, and by Lemke's method where that fails.
pub(super) fn solve(
    problem: &Problem,
    limits: &Limits,
    rule: &mut dyn Rule,
    impulses: &mut [f64],
    context: &mut Context,
) -> Result<Convergence, SolveError> {
    let mut monitor = Monitor::start(problem, limits, impulses, context)?;
    if monitor.goes_on(impulses, context) {
        let mut set = ActiveSet::new(problem, limits, impulses)?;
        if !set.run(rule, &mut monitor, impulses, context) {
            lemke::run(problem, lemke::Covering::Scaled, &mut monitor, impulses, context)?;
        }
    }
    Ok(monitor.finish(impulses, context))
}

impl<'a> ActiveSet<'a> {
    fn new(problem: &'a Problem, limits: &Limits, start: &[f64]) -> Result<Self, SolveError> {
        let matrix = problem.assembled()?.to_csr();
        let n = problem.rows();
        let operator = problem.operator.as_delassus();
        let mut scale: Vec<f64> = (0..n).map(|row| operator.diagonal(row)).collect();
        let (sum, count) = scale
            .iter()
            .filter(|d| **d > 0.0)
            .fold((0.0, 0), |(s, c), d| (s + d, c + 1));
        let mean = if count > 0 { sum / f64::from(count) } else { 1.0 };
        scale.iter_mut().filter(|d| **d <= 0.0).for_each(|d| *d = mean);
        let mut bounds = Vec::with_capacity(n);
        for block in &problem.blocks {
            let pair = match block.cone {
                Cone::NonNegative => (0.0, f64::INFINITY),
                Cone::Interval { lower, upper } => (lower, upper),
                _ => (f64::NEG_INFINITY, f64::INFINITY),
            };
            bounds.resize(block.rows().end, pair);
        }
        let dense = DMatrix::from(&matrix);
        let epsilon = if is_definite(&dense, DEFINITE) { 0.0 } else { PROXIMAL };
        let is_monotone = epsilon == 0.0 || is_definite(&dense, -DEFINITE);
        let largest = problem.bias.iter().fold(0.0, |largest: f64, b| largest.max(b.abs()));
        let states = (0..n)
            .map(|row| {
                let (lower, upper) = bounds[row];
                if start[row] <= lower {
                    State::Lower
                } else if start[row] >= upper {
                    State::Upper
                } else {
                    State::Inside
                }
            })
            .collect();
        Ok(Self {
            is_symmetric: is_symmetric(&matrix),
            matrix,
            proximal: scale.iter().map(|d| epsilon * d).collect(),
            scale,
            bounds,
            states,
            impulses: start.to_vec(),
            velocities: vec![0.0; n],
            centre: start.to_vec(),
            tolerance: (0.1 * limits.tolerance).max(1e-14 * largest),
            most_pivots: if is_monotone { usize::MAX } else { 2 * n + 50 },
            visited: HashSet::new(),
            problem,
        })
    }

    /// The proximal steps, each a search for the right states. False where it fails.
    fn run(&mut self, rule: &mut dyn Rule, monitor: &mut Monitor<'_>, impulses: &mut [f64], context: &Context) -> bool {
        let mut last = f64::INFINITY;
        for _ in 0..STEPS {
            match self.search(rule, monitor, impulses, context) {
                End::Found => {}
                End::Failed => return false,
                End::Interrupted => return true,
            }
            self.write(impulses);
            if !monitor.goes_on(impulses, context) {
                return true;
            }
            // Without a proximal term there is nothing to repeat; with one, each step should take off digits.
            if monitor.residual() > 0.5 * last || self.proximal.iter().all(|d| *d == 0.0) {
                return false;
            }
            last = monitor.residual();
            self.centre.copy_from_slice(&self.impulses);
        }
        false
    }

    /// Changes states by the rule until all signs are right.
    fn search(
        &mut self,
        rule: &mut dyn Rule,
        monitor: &mut Monitor<'_>,
        impulses: &mut [f64],
        context: &Context,
    ) -> End {
        rule.reset();
        self.visited.clear();
        for pivot in 0..self.most_pivots {
            if !self.solve_states() {
                return End::Failed;
            }
            let mut wrong: Vec<usize> = (0..self.states.len())
                .filter(|&row| self.right(row).is_some())
                .collect();
            if wrong.is_empty() {
                return End::Found;
            }
            if !rule.pick(&mut wrong) {
                self.visited.clear();
            } else if !self.visited.insert(self.fingerprint()) {
                return End::Failed;
            }
            // The last pivot is counted with the measurement that follows it.
            if pivot > 0 && !after_pivot(monitor, impulses, context, |impulses| self.write(impulses)) {
                return End::Interrupted;
            }
            for row in wrong {
                if let Some(state) = self.right(row) {
                    self.states[row] = state;
                }
            }
        }
        End::Failed
    }

    /// The state a row should have instead, if its sign is wrong.
    fn right(&self, row: usize) -> Option<State> {
        let (lower, upper) = self.bounds[row];
        let slack = self.tolerance / self.scale[row];
        match self.states[row] {
            State::Inside if self.impulses[row] < lower - slack => Some(State::Lower),
            State::Inside if self.impulses[row] > upper + slack => Some(State::Upper),
            State::Lower if lower < upper && self.velocities[row] < -self.tolerance => Some(State::Inside),
            State::Upper if self.velocities[row] > self.tolerance => Some(State::Inside),
            _ => None,
        }
    }

    fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.states.hash(&mut hasher);
        hasher.finish()
    }

    /// The impulses, within their bounds to the last bit.
    fn write(&self, out: &mut [f64]) {
        for (out, (&x, &(lower, upper))) in out.iter_mut().zip(self.impulses.iter().zip(&self.bounds)) {
            *out = between(lower, upper, x);
        }
    }

    /// Impulses and velocities of the present states. False if their basis is singular.
    fn solve_states(&mut self) -> bool {
        let n = self.states.len();
        let mut inside = Vec::new();
        let mut place = vec![usize::MAX; n];
        for row in 0..n {
            match self.states[row] {
                State::Lower => self.impulses[row] = self.bounds[row].0,
                State::Upper => self.impulses[row] = self.bounds[row].1,
                State::Inside => {
                    place[row] = inside.len();
                    inside.push(row);
                }
            }
        }
        let mut basis = CooMatrix::new(inside.len(), inside.len());
        let mut right = vec![0.0; inside.len()];
        for (k, &row) in inside.iter().enumerate() {
            right[k] = self.proximal[row] * self.centre[row] - self.problem.bias[row];
            basis.push(k, k, self.proximal[row]);
            let entries = self.matrix.row(row);
            for (&column, &value) in entries.col_indices().iter().zip(entries.values()) {
                match place[column] {
                    usize::MAX => right[k] -= value * self.impulses[column],
                    other => basis.push(k, other, value),
                }
            }
        }
        if !solve_basis(CsrMatrix::from(&basis), self.is_symmetric, &mut right) {
            return false;
        }
        for (&row, &x) in inside.iter().zip(&right) {
            self.impulses[row] = x;
        }
        self.problem.velocities(&self.impulses, &mut self.velocities);
        for row in 0..n {
            self.velocities[row] += self.proximal[row] * (self.impulses[row] - self.centre[row]);
        }
        true
    }
}

/// Whether the symmetric part, scaled to ones on the diagonal, has no eigenvalue below `least`, as Cholesky's factorisation
/// sees it.
pub(super) fn is_definite(matrix: &DMatrix<f64>, least: f64) -> bool {
    let scale: Vec<f64> = matrix
        .diagonal()
        .iter()
        .map(|&d| if d > 0.0 { d.sqrt() } else { 1.0 })
        .collect();
    let scaled = DMatrix::from_fn(matrix.nrows(), matrix.ncols(), |i, j| {
        let entry = 0.5 * (matrix[(i, j)] + matrix[(j, i)]) / (scale[i] * scale[j]);
        entry - if i == j { least } else { 0.0 }
    });
    scaled.cholesky().is_some()
}

/// Solves a basis by a sparse factorisation. False if it is singular.
fn solve_basis(basis: CsrMatrix<f64>, is_symmetric: bool, x: &mut [f64]) -> bool {
    if x.is_empty() {
        return true;
    }
    if is_symmetric {
        return match Factor::new(basis) {
            Ok(factor) => factor.solve(x).is_finite() && x.iter().all(|x| x.is_finite()),
            Err(_) => false,
        };
    }
    let n = x.len();
    let triplets: Vec<_> = basis
        .triplet_iter()
        .map(|(row, col, &val)| Triplet { row, col, val })
        .collect();
    let Ok(sparse) = SparseColMat::try_new_from_triplets(n, n, &triplets) else {
        return false;
    };
    let Ok(symbolic) = SymbolicLu::try_new(sparse.symbolic()) else {
        return false;
    };
    let Ok(factor) = Lu::try_new_with_symbolic(symbolic, sparse.as_ref()) else {
        return false;
    };
    let right = x.to_vec();
    factor.solve_in_place(faer::MatMut::from_column_major_slice_mut(&mut *x, n, 1));
    let mut left = right;
    for (row, column, value) in basis.triplet_iter() {
        left[row] -= value * x[column];
    }
    factor.solve_in_place(faer::MatMut::from_column_major_slice_mut(&mut left, n, 1));
    x.iter_mut().zip(&left).for_each(|(x, step)| *x += step);
    x.iter().all(|x| x.is_finite())
}
