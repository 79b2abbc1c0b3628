//! Friction with given bounds (Tresca's law): normals on a half-line, tangents in discs whose radii are held still.
//!
//! Then the set of impulses is a product of intervals and discs, and for symmetric A the problem is convex:
//! `min ½λᵀAλ + bᵀλ`. Two small solvers: Gauss–Seidel over the parts of the product, and the spectral projected gradient
//! (Birgin, Martínez and Raydan 2000) with the exact step along its direction, both with every part scaled by the
//! largest eigenvalue of its own diagonal block.

use std::ops::Range;

use crate::cone::{Cone, at_least, length};
use crate::delassus::Delassus;
use crate::problem::{Block, Operator, Problem};
use crate::vector::dot;

/// What a part of a block may be.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Set {
    /// One of the sets that need no bound.
    Fixed(Cone),
    /// The normal of a contact: `λ_n ≥ 0`.
    Normal,
    /// One or two tangents in a disc, whose radius should be μ times the impulse of the row of its normal.
    Disc { coefficient: f64, normal: usize },
}

/// Rows that are projected together.
#[derive(Debug, Clone)]
struct Part {
    rows: Range<usize>,
    set: Set,
    /// Largest eigenvalue of the diagonal block of A on these rows, or a bound of it.
    stiffness: f64,
    /// Radius of a disc.
    bound: f64,
}

impl Part {
    fn project(&self, impulse: &mut [f64]) {
        match self.set {
            Set::Fixed(cone) => cone.project(impulse),
            Set::Normal => impulse[0] = at_least(0.0, impulse[0]),
            Set::Disc { .. } => {
                let size = length(impulse);
                if size > self.bound {
                    impulse.iter_mut().for_each(|t| *t *= self.bound / size);
                }
            }
        }
    }
}

/// Which rows of contacts may move. All other rows always may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moving {
    Everything,
    Normals,
    Tangents,
}

impl Moving {
    fn includes(self, set: Set) -> bool {
        match set {
            Set::Fixed(_) => true,
            Set::Normal => self != Self::Tangents,
            Set::Disc { .. } => self != Self::Normals,
        }
    }
}

/// A problem with Tresca's law in place of Coulomb's.
#[derive(Debug)]
pub(super) struct Tresca<'a> {
    problem: &'a Problem,
    parts: Vec<Part>,
    /// For every block, where its parts begin; one more at the end.
    starts: Vec<usize>,
}

impl<'a> Tresca<'a> {
    /// Cuts the blocks into parts; all bounds are zero.
    pub(super) fn new(problem: &'a Problem) -> Self {
        let operator = problem.operator.as_delassus();
        let mut parts = Vec::new();
        let mut starts = vec![0];
        let mut diagonal = Vec::new();
        for block in &problem.blocks {
            let n = block.len as usize;
            diagonal.resize(n * n, 0.0);
            operator.diagonal_block(block.rows(), &mut diagonal);
            for (rows, set) in sets(block) {
                let first = block.first as usize;
                let stiffness = rows
                    .clone()
                    .map(|r| rows.clone().map(|c| diagonal[n * r + c].abs()).sum())
                    .fold(0.0, f64::max);
                parts.push(Part {
                    rows: first + rows.start..first + rows.end,
                    set,
                    stiffness,
                    bound: 0.0,
                });
            }
            starts.push(parts.len());
        }
        Self { problem, parts, starts }
    }

    /// The problem's A.
    pub(super) fn operator(&self) -> &'a Operator {
        &self.problem.operator
    }

    /// The radii that Coulomb's law asks for.
    pub(super) fn coulomb_bounds(&self, impulses: &[f64], bounds: &mut Vec<f64>) {
        bounds.clear();
        bounds.extend(self.parts.iter().map(|part| match part.set {
            Set::Disc { coefficient, normal } => coefficient * at_least(0.0, impulses[normal]),
            _ => 0.0,
        }));
    }

    /// Sets the radii.
    pub(super) fn set_bounds(&mut self, bounds: &[f64]) {
        self.parts
            .iter_mut()
            .zip(bounds)
            .for_each(|(part, &bound)| part.bound = bound);
    }

    /// Brings impulses into the set.
    pub(super) fn project(&self, moving: Moving, impulses: &mut [f64]) {
        for part in self.parts.iter().filter(|part| moving.includes(part.set)) {
            part.project(&mut impulses[part.rows.clone()]);
        }
    }

    /// One sweep of Gauss–Seidel over the parts; returns the largest change, as a velocity.
    pub(super) fn sweep<D: Delassus>(
        &self,
        operator: &D,
        moving: Moving,
        impulses: &mut [f64],
        state: &mut [f64],
    ) -> f64 {
        let mut largest = 0.0;
        let (mut velocity, mut change, mut diagonal, mut new) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (index, block) in self.problem.blocks.iter().enumerate() {
            let (rows, n, first) = (block.rows(), block.len as usize, block.first as usize);
            velocity.resize(n, 0.0);
            diagonal.resize(n * n, 0.0);
            change.clear();
            change.resize(n, 0.0);
            operator.block_product(rows.clone(), impulses, state, &mut velocity);
            for (w, b) in velocity.iter_mut().zip(&self.problem.bias[rows.clone()]) {
                *w += b;
            }
            operator.diagonal_block(rows.clone(), &mut diagonal);
            for part in &self.parts[self.starts[index]..self.starts[index + 1]] {
                if !moving.includes(part.set) {
                    continue;
                }
                new.clear();
                new.extend(
                    part.rows
                        .clone()
                        .map(|row| impulses[row] - velocity[row - first] / part.stiffness),
                );
                part.project(&mut new);
                for (row, &new) in part.rows.clone().zip(&new) {
                    let delta = new - impulses[row];
                    change[row - first] = delta;
                    impulses[row] = new;
                    largest = at_least(largest, part.stiffness * delta.abs());
                    for (r, w) in velocity.iter_mut().enumerate() {
                        *w += diagonal[n * r + row - first] * delta;
                    }
                }
            }
            operator.block_changed(rows, &change, state);
        }
        largest
    }
}

/// The spectral projected gradient on a [`Tresca`] problem.
#[derive(Debug)]
pub(super) struct SpectralGradient {
    gradient: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
    state: Vec<f64>,
    /// Barzilai and Borwein's step, relative to one over the stiffness.
    step: f64,
}

impl SpectralGradient {
    pub(super) fn new(tresca: &Tresca<'_>, impulses: &[f64]) -> Self {
        let rows = impulses.len();
        let mut gradient = vec![0.0; rows];
        let mut state = vec![0.0; tresca.problem.operator.as_delassus().state_len()];
        tresca.problem.velocities_with(impulses, &mut state, &mut gradient);
        Self {
            gradient,
            direction: vec![0.0; rows],
            product: vec![0.0; rows],
            state,
            step: 1.0,
        }
    }

    /// One step; returns the largest natural map of a part before it, as a velocity.
    pub(super) fn step(&mut self, tresca: &Tresca<'_>, moving: Moving, impulses: &mut [f64]) -> f64 {
        let mut largest = 0.0;
        let mut target = Vec::new();
        self.direction.fill(0.0);
        let (mut square, mut slope) = (0.0, 0.0);
        for part in tresca.parts.iter().filter(|part| moving.includes(part.set)) {
            for step in [1.0, self.step] {
                target.clear();
                target.extend(
                    part.rows
                        .clone()
                        .map(|row| impulses[row] - step * self.gradient[row] / part.stiffness),
                );
                part.project(&mut target);
                for (row, &new) in part.rows.clone().zip(&target) {
                    self.direction[row] = new - impulses[row];
                }
                if step == 1.0 {
                    let natural = part.stiffness * length(&self.direction[part.rows.clone()]);
                    largest = at_least(largest, natural);
                }
            }
            for row in part.rows.clone() {
                square += part.stiffness * self.direction[row].powi(2);
                slope += self.gradient[row] * self.direction[row];
            }
        }
        tresca
            .problem
            .product(&self.direction, &mut self.state, &mut self.product);
        let curvature = dot(&self.direction, &self.product);
        // Exact along the direction, but not out of the set.
        let share = if curvature > 0.0 {
            (-slope / curvature).clamp(0.0, 1.0)
        } else {
            1.0
        };
        for row in 0..impulses.len() {
            impulses[row] += share * self.direction[row];
            self.gradient[row] += share * self.product[row];
        }
        let spectral = square / curvature;
        self.step = if spectral.is_finite() {
            spectral.clamp(1e-6, 1e6)
        } else {
            1.0
        };
        largest
    }
}

/// The parts of a block, by rows within it.
fn sets(block: &Block) -> Vec<(Range<usize>, Set)> {
    let (n, first) = (block.len as usize, block.first as usize);
    let disc = |coefficient, rows| {
        (
            rows,
            Set::Disc {
                coefficient,
                normal: first,
            },
        )
    };
    match block.cone {
        Cone::Friction { .. } | Cone::Rolling { .. } => {
            let discs = block.cone.discs(n).map(|(mu, rows)| disc(mu, rows));
            std::iter::once((0..1, Set::Normal)).chain(discs).collect()
        }
        Cone::SecondOrder { .. } => vec![(0..n, Set::Fixed(block.cone))],
        cone => (0..n).map(|row| (row..row + 1, Set::Fixed(cone))).collect(),
    }
}
