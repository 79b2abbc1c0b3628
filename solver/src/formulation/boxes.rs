//! Box friction with limits that depend on the solution: a linear complementarity problem between bounds,
//!
//! ```text
//! w = Aλ + b,   l ≤ λ ≤ u,   w_r ≥ 0 where λ_r = l_r,   w_r ≤ 0 where λ_r = u_r,   w_r = 0 between,
//! ```
//!
//! in which the bounds of a tangent row are `±k λ_n` of its normal row (Baraff 1994; the `findex` of ODE's solver). The
//! unknowns are those of the contact problem itself. With k = μ the box is too strong by up to √2 along its diagonal;
//! with k = μ/√2 it lies inside the disc.

use nalgebra::DMatrix;

use crate::cone::Cone;
use crate::delassus::BlockMatrix;
use crate::error::SolveError;
use crate::problem::Problem;

/// A row's bounds follow another row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// The row whose impulse is the measure.
    pub normal: usize,
    /// The bounds are ± this times that impulse.
    pub factor: f64,
}

/// A dense box problem with dependent limits. Its rows are those of the problem it comes from.
#[derive(Debug, Clone)]
pub struct BoxLcp {
    /// A.
    pub matrix: DMatrix<f64>,
    /// b.
    pub bias: Vec<f64>,
    /// Lower bounds; of no meaning in rows with a limit.
    pub lower: Vec<f64>,
    /// Upper bounds; of no meaning in rows with a limit.
    pub upper: Vec<f64>,
    /// Which rows' bounds follow which.
    pub limit: Vec<Option<Limit>>,
}

impl BoxLcp {
    /// Converts a problem. A tangent's bounds are ± `share` · μ λ_n. The convex relaxation has no box and is refused.
    pub fn new(problem: &Problem, share: f64) -> Result<Self, SolveError> {
        problem.validate()?;
        let n = problem.rows();
        let mut lcp = Self {
            matrix: problem.assembled()?.to_dense(),
            bias: problem.bias.clone(),
            lower: vec![f64::NEG_INFINITY; n],
            upper: vec![f64::INFINITY; n],
            limit: vec![None; n],
        };
        for block in &problem.blocks {
            let rows = block.rows();
            let normal = rows.start;
            let mut follow = |rows: std::ops::Range<usize>, coefficient: f64| {
                lcp.lower[normal] = 0.0;
                let factor = share * coefficient;
                rows.for_each(|row| lcp.limit[row] = Some(Limit { normal, factor }));
            };
            match block.cone {
                Cone::Free => {}
                Cone::NonNegative => lcp.lower[rows].fill(0.0),
                Cone::Interval { lower, upper } => {
                    lcp.lower[rows.clone()].fill(lower);
                    lcp.upper[rows].fill(upper);
                }
                Cone::Friction { coefficient } => follow(normal + 1..rows.end, coefficient),
                Cone::Rolling { friction, rolling } => {
                    follow(normal + 1..normal + 3, friction);
                    follow(normal + 3..rows.end, rolling);
                }
                Cone::SecondOrder { .. } => {
                    return Err(SolveError::Unsupported {
                        method: "box friction",
                        what: "the relaxed friction cone".into(),
                    });
                }
            }
        }
        Ok(lcp)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.bias.len()
    }

    /// The bounds of a row while the impulses are these.
    pub fn bounds(&self, row: usize, impulses: &[f64]) -> (f64, f64) {
        match self.limit[row] {
            Some(Limit { normal, factor }) => {
                let limit = factor * impulses[normal].max(0.0);
                (-limit, limit)
            }
            None => (self.lower[row], self.upper[row]),
        }
    }

    /// The plain box problem that is left when the dependent limits are held at their values for these impulses: each
    /// row a block of its own.
    pub fn at(&self, impulses: &[f64]) -> Result<Problem, SolveError> {
        let cones: Vec<Cone> = (0..self.rows())
            .map(|row| match self.bounds(row, impulses) {
                (f64::NEG_INFINITY, f64::INFINITY) => Cone::Free,
                (0.0, f64::INFINITY) => Cone::NonNegative,
                (lower, upper) => Cone::Interval { lower, upper },
            })
            .collect();
        let matrix = BlockMatrix::from_dense(&self.matrix, &vec![1; self.rows()])?;
        Problem::from_matrix(matrix, self.bias.clone(), &cones)
    }
}
