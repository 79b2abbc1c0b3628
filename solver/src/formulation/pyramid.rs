//! The friction pyramid of Stewart and Trinkle (1996) and Anitescu and Potra (1997): dissertation (4.54) and (4.61–4.64),
//! corrected.
//!
//! The disc `‖λ_t‖ ≤ μ λ_n` becomes the polygon `λ_t = D β`, `β ≥ 0`, `Σβ ≤ μ λ_n` of η directions d_j. With the slip
//! speed σ as one more unknown a contact is η + 2 rows, each with `z ≥ 0`, `w ≥ 0`, `z w = 0`:
//!
//! ```text
//! w_n = (Aλ + b)_n            ⟂ λ_n
//! w_β = Dᵀ(Aλ + b)_t + s e σ  ⟂ β
//! w_σ = s (μ λ_n − eᵀβ)       ⟂ σ
//! ```
//!
//! The matrix is not symmetric and has nothing on the diagonal at σ, but it is copositive, so that Lemke's method
//! solves it. s, the mean diagonal of the tangents, makes σ an impulse and w_σ a velocity like all others; it does not
//! change the solutions. Friction is too weak by up to `1 − cos(π/η)` between two directions, and slip turns towards
//! the nearest one: with η = 8 by 8 % and 22°. A contact without friction keeps only its normal row.
//!
//! Rolling friction is a second fan with a σ of its own. The convex relaxation needs no σ: its polygonal cone is spanned
//! by the rays `n + μ d_j` (Tasora and Anitescu 2010), which keeps the matrix symmetric.

use std::f64::consts::TAU;
use std::ops::Range;

use nalgebra_sparse::{CooMatrix, CsrMatrix};

use crate::cone::Cone;
use crate::delassus::BlockMatrix;
use crate::error::SolveError;
use crate::problem::{Block, Problem};
use crate::solve::{Context, Convergence};

/// A problem whose contact cones are replaced by pyramids, and the way back.
#[derive(Debug, Clone)]
pub struct Pyramid {
    /// The converted problem: no contact cones are left. Its blocks are those of the original, in their order.
    pub problem: Problem,
    /// For every row of the original, the unknowns that it is the sum of, with their factors: `λ = T z`.
    sums: Vec<Vec<(usize, f64)>>,
    fans: Vec<Fan>,
}

/// The directions in which one pair of tangents, or the one tangent of the plane, may push.
#[derive(Debug, Clone)]
struct Fan {
    /// Rows of the original.
    normal: usize,
    tangents: Range<usize>,
    /// Unknowns of the pyramid, one a direction.
    directions: Range<usize>,
    /// μ.
    coefficient: f64,
    /// The unknown σ, and s. The rays of the convex relaxation have none.
    slip: Option<(usize, f64)>,
}

impl Pyramid {
    /// Converts a problem; every contact in space gets `facets` directions, an even number from 4 on, and one in the
    /// plane its two.
    pub fn new(problem: &Problem, facets: usize) -> Result<Self, SolveError> {
        problem.validate()?;
        check_facets(facets).map_err(|what| SolveError::Unsupported {
            method: "the friction pyramid",
            what,
        })?;
        Self::with(problem, Shape::Facets(facets))
    }

    /// Box friction in the same form: every tangent is a fan of two directions with a σ of its own, bounded by ± `share` ·
    /// μ λ_n. It has the solutions of [`BoxLcp`](super::BoxLcp), but no limits that depend on them.
    pub fn boxes(problem: &Problem, share: f64) -> Result<Self, SolveError> {
        problem.validate()?;
        if problem
            .blocks
            .iter()
            .any(|block| matches!(block.cone, Cone::SecondOrder { .. }))
        {
            return Err(SolveError::Unsupported {
                method: "box friction",
                what: "the relaxed friction cone".into(),
            });
        }
        Self::with(problem, Shape::Box { share })
    }

    fn with(problem: &Problem, shape: Shape) -> Result<Self, SolveError> {
        let matrix = problem.assembled()?;
        let mut layout = Layout {
            shape,
            rows: 0,
            sums: Vec::with_capacity(problem.rows()),
            fans: Vec::new(),
        };
        let (mut sizes, mut cones) = (Vec::new(), Vec::new());
        for block in &problem.blocks {
            let first = layout.rows;
            cones.push(layout.add(problem, block));
            sizes.push(layout.rows - first);
        }
        let Layout { rows, sums, fans, .. } = layout;
        // Tᵀ A T, entry by entry; what falls on one place is summed when the triplets are compressed.
        let mut triplets = CooMatrix::new(rows, rows);
        for (row, column, value) in matrix.triplets() {
            for &(i, left) in &sums[row] {
                for &(j, right) in &sums[column] {
                    triplets.push(i, j, left * value * right);
                }
            }
        }
        let mut bias = vec![0.0; rows];
        for (parts, b) in sums.iter().zip(&problem.bias) {
            for &(i, factor) in parts {
                bias[i] += factor * b;
            }
        }
        for fan in &fans {
            if let Some((slip, scale)) = fan.slip {
                for j in fan.directions.clone() {
                    triplets.push(j, slip, scale);
                    triplets.push(slip, j, -scale);
                }
                triplets.push(slip, sums[fan.normal][0].0, scale * fan.coefficient);
            }
        }
        let matrix = BlockMatrix::from_csr(&CsrMatrix::from(&triplets), &sizes)?;
        Ok(Self {
            problem: Problem::from_matrix(matrix, bias, &cones)?,
            sums,
            fans,
        })
    }

    /// Unknowns of the pyramid that stand for the given impulses, for warm starts: every λ_t on the two directions beside
    /// it, which takes the least Σβ, and σ the largest slip against a direction.
    pub fn start(&self, impulses: &[f64]) -> Vec<f64> {
        let mut unknowns = vec![0.0; self.problem.rows()];
        for (parts, &impulse) in self.sums.iter().zip(impulses) {
            // All rows but those of fans are one unknown each; what fans get here is overwritten below.
            if let &[(unknown, _)] = parts.as_slice() {
                unknowns[unknown] = impulse;
            }
        }
        for fan in &self.fans {
            fan.start(impulses, &mut unknowns[fan.directions.clone()]);
        }
        let mut velocities = vec![0.0; unknowns.len()];
        self.problem.velocities(&unknowns, &mut velocities);
        for fan in &self.fans {
            if let Some((slip, scale)) = fan.slip {
                let against = velocities[fan.directions.clone()].iter().map(|w| -w);
                unknowns[slip] = against.fold(0.0, f64::max) / scale;
            }
        }
        unknowns
    }

    /// The impulses of the original problem that a solution of the pyramid stands for: `λ_t = D β`.
    pub fn impulses(&self, solution: &[f64], out: &mut [f64]) {
        for (impulse, parts) in out.iter_mut().zip(&self.sums) {
            *impulse = parts.iter().map(|&(unknown, factor)| factor * solution[unknown]).sum();
        }
    }

    /// Where the matrix has the limits `s μ` of friction by the normal impulse: (row of σ, column of λ_n). Without these
    /// entries it is positive semidefinite if A is.
    pub(crate) fn limit_entries(&self) -> impl Iterator<Item = (usize, usize)> {
        let slips = self.fans.iter().filter_map(|fan| Some((fan.slip?.0, fan.normal)));
        slips.map(|(slip, normal)| (slip, self.sums[normal][0].0))
    }

    /// Starts, solves, and takes the solution back to `problem`, the one this was made from.
    pub(crate) fn solve_with(
        &self,
        problem: &Problem,
        impulses: &mut [f64],
        context: &mut Context,
        solve: impl FnOnce(&Problem, &mut [f64], &mut Context) -> Result<Convergence, SolveError>,
    ) -> Result<Convergence, SolveError> {
        let mut unknowns = self.start(impulses);
        let mut report = solve(&self.problem, &mut unknowns, context)?;
        self.impulses(&unknowns, impulses);
        report.measure(problem, impulses, context);
        Ok(report)
    }
}

impl Fan {
    fn start(&self, impulses: &[f64], out: &mut [f64]) {
        let count = out.len();
        out.fill(0.0);
        let shares = beside(&impulses[self.tangents.clone()], count);
        match self.slip {
            Some(_) => {
                for (j, share) in shares {
                    out[j] += share;
                }
            }
            None => {
                // Rays carry normal impulse too; what is left of it goes in halves to two that cancel sideways.
                let mut left = impulses[self.normal];
                for (j, share) in shares {
                    out[j] += share / self.coefficient;
                    left -= share / self.coefficient;
                }
                for j in [0, count / 2] {
                    out[j] += 0.5 * left.max(0.0);
                }
            }
        }
    }
}

/// What a pair of tangents becomes.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Facets(usize),
    Box { share: f64 },
}

/// Deals out the unknowns of the new problem, block by block.
struct Layout {
    shape: Shape,
    rows: usize,
    sums: Vec<Vec<(usize, f64)>>,
    fans: Vec<Fan>,
}

impl Layout {
    /// Adds the unknowns of a block; returns their cone.
    fn add(&mut self, problem: &Problem, block: &Block) -> Cone {
        let rows = block.rows();
        match block.cone {
            Cone::Friction { coefficient } => {
                self.add_single();
                self.add_fan(problem, rows.start, rows.start + 1..rows.end, coefficient);
            }
            Cone::Rolling { friction, rolling } => {
                self.add_single();
                self.add_fan(problem, rows.start, rows.start + 1..rows.start + 3, friction);
                self.add_fan(problem, rows.start, rows.start + 3..rows.end, rolling);
            }
            Cone::SecondOrder { coefficient: 0.0 } => {
                self.add_single();
                self.sums.resize(rows.end, Vec::new());
            }
            Cone::SecondOrder { coefficient } => self.add_rays(rows, coefficient),
            Cone::Free | Cone::NonNegative | Cone::Interval { .. } => {
                rows.for_each(|_| self.add_single());
                return block.cone;
            }
        }
        Cone::NonNegative
    }

    fn add_single(&mut self) {
        self.sums.push(vec![(self.rows, 1.0)]);
        self.rows += 1;
    }

    fn add_fan(&mut self, problem: &Problem, normal: usize, tangents: Range<usize>, coefficient: f64) {
        // Without friction there is nothing to share out.
        if coefficient == 0.0 {
            self.sums.resize(tangents.end, Vec::new());
            return;
        }
        match self.shape {
            Shape::Facets(_) => self.add_polygon(problem, normal, tangents, coefficient),
            Shape::Box { share } => {
                for tangent in tangents {
                    self.add_polygon(problem, normal, tangent..tangent + 1, share * coefficient);
                }
            }
        }
    }

    fn add_polygon(&mut self, problem: &Problem, normal: usize, tangents: Range<usize>, coefficient: f64) {
        let directions = self.add_directions(tangents.clone(), 1.0);
        let operator = problem.operator.as_delassus();
        let mean = tangents.clone().map(|row| operator.diagonal(row)).sum::<f64>() / tangents.len() as f64;
        self.fans.push(Fan {
            normal,
            tangents,
            directions,
            coefficient,
            slip: Some((self.rows, if mean > 0.0 { mean } else { 1.0 })),
        });
        self.rows += 1;
    }

    fn add_rays(&mut self, rows: Range<usize>, coefficient: f64) {
        self.sums.push(Vec::new());
        let tangents = rows.start + 1..rows.end;
        let directions = self.add_directions(tangents.clone(), coefficient);
        self.sums[rows.start] = directions.clone().map(|unknown| (unknown, 1.0)).collect();
        self.fans.push(Fan {
            normal: rows.start,
            tangents,
            directions,
            coefficient,
            slip: None,
        });
    }

    fn add_directions(&mut self, tangents: Range<usize>, factor: f64) -> Range<usize> {
        let count = match self.shape {
            Shape::Facets(facets) if tangents.len() == 2 => facets,
            _ => 2,
        };
        for axis in 0..tangents.len() {
            let parts = (0..count).map(|j| (self.rows + j, factor * direction(j, count)[axis]));
            self.sums.push(parts.filter(|part| part.1 != 0.0).collect());
        }
        let first = self.rows;
        self.rows += count;
        first..self.rows
    }
}

/// Whether a pyramid can have so many facets.
pub(crate) fn check_facets(facets: usize) -> Result<(), String> {
    if facets < 4 || !facets.is_multiple_of(2) {
        return Err(format!("{facets} facets: their number must be even, and 4 or more"));
    }
    Ok(())
}

/// `d_j = (cos 2πj/η, sin 2πj/η)`, opposite ones exactly so, and zero where it is zero.
fn direction(j: usize, count: usize) -> [f64; 2] {
    let half = count / 2;
    if j >= half {
        return direction(j - half, count).map(|x| -x);
    }
    let (sin, cos) = (TAU * j as f64 / count as f64).sin_cos();
    [if 4 * j == count { 0.0 } else { cos }, sin]
}

/// A vector as a sum of the two directions beside it, with shares that are not negative.
fn beside(tangents: &[f64], count: usize) -> [(usize, f64); 2] {
    let &[x, y] = tangents else {
        let t = tangents[0];
        return [(0, t.max(0.0)), (1, (-t).max(0.0))];
    };
    let angle = y.atan2(x).rem_euclid(TAU);
    let j = ((angle / TAU * count as f64) as usize).min(count - 1);
    let next = (j + 1) % count;
    let ([ax, ay], [bx, by]) = (direction(j, count), direction(next, count));
    let det = ax * by - ay * bx;
    // Rounding at a direction itself can leave a share just below zero.
    [
        (j, ((x * by - y * bx) / det).max(0.0)),
        (next, ((ax * y - ay * x) / det).max(0.0)),
    ]
}

/// Solves a problem on its friction pyramid with a method that knows no contact cones. The record has the residual of
/// the problem itself, and in its history that of the pyramid. A problem without contact cones is left as it is.
pub(crate) fn on_pyramid(
    problem: &Problem,
    facets: usize,
    impulses: &mut [f64],
    context: &mut Context,
    solve: impl FnOnce(&Problem, &mut [f64], &mut Context) -> Result<Convergence, SolveError>,
) -> Result<Convergence, SolveError> {
    problem.validate_start(impulses)?;
    if !problem.blocks.iter().any(|block| block.cone.is_contact()) {
        return solve(problem, impulses, context);
    }
    Pyramid::new(problem, facets)?.solve_with(problem, impulses, context, solve)
}
