//! The standard linear complementarity problem `w = M z + q`, `z ≥ 0`, `w ≥ 0`, `z·w = 0` from rows between bounds.
//!
//! | row | becomes |
//! |---|---|
//! | free | eliminated ([`Schur`]); where that is not possible, `λ = z⁺ − z⁻` |
//! | fixed, l = u | its value put in |
//! | λ ≥ l | `λ = l + z` |
//! | λ ≤ u | `λ = u − z`, `w` negated |
//! | l ≤ λ ≤ u | `λ = l + z`, `w = w⁺ + s y`, and one more row `s (u − l − z) ⟂ y` for the multiplier y of the upper bound |
//!
//! None of these steps takes positive semidefinite or copositive matrices to others; s, the row's diagonal entry, only
//! gives y the unit of an impulse.

use nalgebra_sparse::{CooMatrix, CscMatrix};

use super::schur::{Schur, is_free};
use crate::cone::Cone;
use crate::error::SolveError;
use crate::problem::Problem;

/// A standard linear complementarity problem, and the way back.
#[derive(Debug)]
pub struct Lcp {
    /// M.
    pub matrix: CscMatrix<f64>,
    /// q.
    pub bias: Vec<f64>,
    schur: Option<Schur>,
    rows: Vec<Row>,
}

/// How an impulse is written with unknowns z ≥ 0.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Row {
    Fixed {
        value: f64,
    },
    Above {
        lower: f64,
        z: usize,
    },
    Below {
        upper: f64,
        z: usize,
    },
    /// The multiplier follows z.
    Between {
        lower: f64,
        upper: f64,
        z: usize,
    },
    /// z⁻ follows z⁺.
    Split {
        z: usize,
    },
}

impl Row {
    fn new(cone: &Cone, z: usize) -> Result<(Self, usize), SolveError> {
        Ok(match *cone {
            Cone::NonNegative => (Self::Above { lower: 0.0, z }, 1),
            Cone::Free => (Self::Split { z }, 2),
            Cone::Interval { lower, upper } if lower == upper => (Self::Fixed { value: lower }, 0),
            Cone::Interval { lower, upper } => match (lower.is_finite(), upper.is_finite()) {
                (true, false) => (Self::Above { lower, z }, 1),
                (false, true) => (Self::Below { upper, z }, 1),
                (true, true) => (Self::Between { lower, upper, z }, 2),
                (false, false) => (Self::Split { z }, 2),
            },
            Cone::Friction { .. } | Cone::Rolling { .. } | Cone::SecondOrder { .. } => {
                return Err(SolveError::Unsupported {
                    method: "the standard linear complementarity problem",
                    what: "contact cones; they need a pyramid first".into(),
                });
            }
        })
    }

    /// The unknowns an impulse is the sum of, with their signs.
    fn terms(&self) -> [Option<(usize, f64)>; 2] {
        match *self {
            Self::Fixed { .. } => [None, None],
            Self::Above { z, .. } | Self::Between { z, .. } => [Some((z, 1.0)), None],
            Self::Below { z, .. } => [Some((z, -1.0)), None],
            Self::Split { z } => [Some((z, 1.0)), Some((z + 1, -1.0))],
        }
    }

    /// The impulse where all z are zero.
    fn offset(&self) -> f64 {
        match *self {
            Self::Fixed { value } => value,
            Self::Above { lower, .. } | Self::Between { lower, .. } => lower,
            Self::Below { upper, .. } => upper,
            Self::Split { .. } => 0.0,
        }
    }
}

impl Lcp {
    /// Converts a problem without contact cones.
    pub fn new(problem: &Problem) -> Result<Self, SolveError> {
        problem.validate()?;
        let schur = if problem.blocks.iter().any(is_free) {
            match Schur::new(problem) {
                Ok(schur) => Some(schur),
                Err(SolveError::Unsupported { .. }) => None,
                Err(error) => return Err(error),
            }
        } else {
            None
        };
        let reduced = schur.as_ref().map_or(problem, |schur| &schur.problem);
        let mut rows = Vec::with_capacity(reduced.rows());
        let mut count = 0;
        for block in &reduced.blocks {
            for _ in block.rows() {
                let (row, unknowns) = Row::new(&block.cone, count)?;
                rows.push(row);
                count += unknowns;
            }
        }
        let mut triplets = CooMatrix::new(count, count);
        let mut bias = vec![0.0; count];
        let terms: Vec<Vec<(usize, f64)>> = rows
            .iter()
            .map(|row| row.terms().into_iter().flatten().collect())
            .collect();
        let mut add_constant =
            |row: usize, value: f64| terms[row].iter().for_each(|&(i, sign)| bias[i] += sign * value);
        for (row, column, value) in reduced.assembled()?.triplets() {
            add_constant(row, value * rows[column].offset());
            for &(i, left) in &terms[row] {
                for &(j, right) in &terms[column] {
                    triplets.push(i, j, left * value * right);
                }
            }
        }
        for (row, &b) in reduced.bias.iter().enumerate() {
            add_constant(row, b);
        }
        for (index, row) in rows.iter().enumerate() {
            if let Row::Between { lower, upper, z } = *row {
                let scale = multiplier_scale(reduced, index);
                triplets.push(z, z + 1, scale);
                triplets.push(z + 1, z, -scale);
                bias[z + 1] = scale * (upper - lower);
            }
        }
        Ok(Self {
            matrix: CscMatrix::from(&triplets),
            bias,
            schur,
            rows,
        })
    }

    /// Number of unknowns.
    pub fn len(&self) -> usize {
        self.bias.len()
    }

    /// Whether there are none: all rows free or fixed.
    pub fn is_empty(&self) -> bool {
        self.bias.is_empty()
    }

    /// Unknowns that stand for the given impulses of `problem`, the one this was made from, for warm starts.
    pub fn start(&self, problem: &Problem, impulses: &[f64]) -> Vec<f64> {
        let kept;
        let (reduced, impulses) = match &self.schur {
            Some(schur) => {
                kept = schur.start(impulses);
                (&schur.problem, kept.as_slice())
            }
            None => (problem, impulses),
        };
        let mut velocities = vec![0.0; reduced.rows()];
        reduced.velocities(impulses, &mut velocities);
        let mut unknowns = vec![0.0; self.len()];
        for (index, row) in self.rows.iter().enumerate() {
            let impulse = impulses[index];
            match *row {
                Row::Fixed { .. } => {}
                Row::Above { lower, z } => unknowns[z] = (impulse - lower).max(0.0),
                Row::Below { upper, z } => unknowns[z] = (upper - impulse).max(0.0),
                Row::Between { lower, upper, z } => {
                    unknowns[z] = (impulse - lower).clamp(0.0, upper - lower);
                    unknowns[z + 1] = (-velocities[index]).max(0.0) / multiplier_scale(reduced, index);
                }
                Row::Split { z } => {
                    unknowns[z] = impulse.max(0.0);
                    unknowns[z + 1] = (-impulse).max(0.0);
                }
            }
        }
        unknowns
    }

    /// The impulses that a solution stands for, within their bounds to the last bit.
    pub fn impulses(&self, solution: &[f64], out: &mut [f64]) {
        let value = |row: &Row| {
            let sum: f64 = row
                .terms()
                .into_iter()
                .flatten()
                .map(|(z, sign)| sign * solution[z])
                .sum();
            let impulse = row.offset() + sum;
            match *row {
                Row::Between { lower, upper, .. } => impulse.clamp(lower, upper),
                _ => impulse,
            }
        };
        match &self.schur {
            Some(schur) => {
                let kept: Vec<f64> = self.rows.iter().map(value).collect();
                schur.impulses(&kept, out);
            }
            None => out.iter_mut().zip(&self.rows).for_each(|(out, row)| *out = value(row)),
        }
    }
}

/// s of a row between bounds.
fn multiplier_scale(problem: &Problem, row: usize) -> f64 {
    let diagonal = problem.operator.as_delassus().diagonal(row);
    if diagonal > 0.0 { diagonal } else { 1.0 }
}
