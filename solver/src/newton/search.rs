//! The Newton iteration all methods of this family share: equations, linear system, line search.
//!
//! `Δλ` solves `(C + E (A + τS)) Δλ = −F`, where S holds the blocks' scales: τ is zero in theory, a small number for
//! matrices that are singular (more contact rows than the bodies have freedoms), and not so small in the
//! proximal-point method, where `τS(λ − λ̄)` is also a part of the velocities. Since velocities are linear
//! in λ, a line search costs one product for all its trials.

use super::functions::{self, RowFunction};
use crate::choices;
use crate::error::SolveError;
use crate::linear::{Gmres, LinearSolver, Shifted};
use crate::options;
use crate::problem::Problem;
use crate::vector::norm;

choices! {
    /// How far to go along Newton's direction.
    pub enum LineSearch {
        /// All the way.
        None = "none",
        /// Halve until the merit ½‖F‖² falls enough (Armijo).
        Armijo = "armijo",
        /// Halve until it is below the largest of the last few (Grippo, Lampariello and Lucidi 1986).
        NonMonotone = "non-monotone",
    }
}

options! {
    /// What all Newton methods can be told about their directions and steps.
    #[derive(Debug, Clone, PartialEq)]
    pub struct NewtonOptions {
        /// How far to go along Newton's direction.
        pub line_search: LineSearch = LineSearch::NonMonotone,
        /// How Newton's systems are solved.
        pub linear: LinearSolver = LinearSolver::Direct,
        /// Added to A in Newton's matrix, relative to its diagonal: redundant contacts make A singular.
        pub regularisation: f64 = 1e-9,
        flatten pub krylov: Gmres,
    }
    validate(options) {
        if options.regularisation < 0.0 {
            return Err("regularisation must be 0 or more".into());
        }
        Ok(())
    }
}

/// Merits remembered by the non-monotone search.
const MEMORY: usize = 6;
/// Step lengths tried: the last is a thousandth.
const TRIALS: usize = 11;
/// Armijo's share of the predicted decrease.
const SUFFICIENT: f64 = 1e-4;

/// One problem with its equations, ready for Newton steps.
pub(crate) struct Newton<'a> {
    problem: &'a Problem,
    rows: RowFunction,
    options: &'a NewtonOptions,
    /// The line search in use.
    pub(super) line_search: LineSearch,
    system: Shifted<'a>,
    pub(super) scales: Vec<f64>,
    f: Vec<f64>,
    c: Vec<f64>,
    e: Vec<f64>,
    direction: Vec<f64>,
    change: Vec<f64>,
    trial: Vec<f64>,
    trial_velocities: Vec<f64>,
    state: Vec<f64>,
    merits: Vec<f64>,
    /// A point the velocities are pulled towards, and how strongly: `w + τS(λ − λ̄)`.
    centre: Vec<f64>,
    pull: f64,
}

/// What one step did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Step {
    /// ‖F‖ before.
    pub(crate) before: f64,
    /// ‖F‖ after.
    pub(crate) after: f64,
    /// How much of Newton's direction was taken.
    pub(crate) length: f64,
}

impl<'a> Newton<'a> {
    pub(crate) fn new(problem: &'a Problem, rows: RowFunction, options: &'a NewtonOptions) -> Result<Self, SolveError> {
        let n = problem.rows();
        let blocks = problem.block_diagonal_len();
        let operator = problem.operator.as_delassus();
        let scales = problem.blocks.iter().map(|block| block.scale(operator)).collect();
        Ok(Self {
            problem,
            rows,
            options,
            line_search: options.line_search,
            system: Shifted::new(problem, options.linear, &options.krylov)?,
            scales,
            f: vec![0.0; n],
            c: vec![0.0; blocks],
            e: vec![0.0; blocks],
            direction: vec![0.0; n],
            change: vec![0.0; n],
            trial: vec![0.0; n],
            trial_velocities: vec![0.0; n],
            state: vec![0.0; problem.operator.as_delassus().state_len()],
            merits: Vec::new(),
            centre: vec![0.0; n],
            pull: 0.0,
        })
    }

    /// Begins a proximal problem: from now on velocities are `Aλ + b + τS(λ − λ̄)`.
    pub(super) fn pull_towards(&mut self, centre: &[f64], strength: f64) {
        self.centre.copy_from_slice(centre);
        self.pull = strength;
        self.merits.clear();
    }

    /// `w = Aλ + b`, without the pull.
    pub(crate) fn velocities(&mut self, impulses: &[f64], velocities: &mut [f64]) {
        self.problem.velocities_with(impulses, &mut self.state, velocities);
    }

    /// ‖F‖ at these impulses and velocities (without the pull).
    pub(super) fn norm(&mut self, impulses: &[f64], velocities: &[f64]) -> f64 {
        let mut f = std::mem::take(&mut self.f);
        self.values(impulses, velocities, &mut f);
        let norm = norm(&f);
        self.f = f;
        norm
    }

    /// One step: `impulses` and `velocities` (without the pull) are brought up to date together.
    pub(crate) fn step(&mut self, impulses: &mut [f64], velocities: &mut [f64]) -> Result<Step, SolveError> {
        let mut f = std::mem::take(&mut self.f);
        self.values(impulses, velocities, &mut f);
        let before = norm(&f);
        self.linearise(impulses, velocities);
        self.system.factor(&self.c, &self.e)?;
        f.iter_mut().for_each(|f| *f = -*f);
        self.system.solve(&f, &mut self.direction);
        self.f = f;
        if !self.direction.iter().all(|x| x.is_finite()) {
            return Err(SolveError::Factorisation);
        }
        self.problem.product(&self.direction, &mut self.state, &mut self.change);
        let (length, after) = self.search(impulses, velocities, before);
        for k in 0..impulses.len() {
            impulses[k] += length * self.direction[k];
            velocities[k] += length * self.change[k];
        }
        Ok(Step { before, after, length })
    }

    /// The step length, and ‖F‖ there.
    fn search(&mut self, impulses: &[f64], velocities: &[f64], before: f64) -> (f64, f64) {
        let merit = 0.5 * before * before;
        if self.merits.len() == MEMORY {
            self.merits.remove(0);
        }
        self.merits.push(merit);
        let reference = match self.line_search {
            LineSearch::None => f64::INFINITY,
            LineSearch::Armijo => merit,
            LineSearch::NonMonotone => self.merits.iter().copied().fold(0.0, f64::max),
        };
        let (mut length, mut best) = (1.0, (1.0, f64::INFINITY));
        for _ in 0..TRIALS {
            let after = self.norm_at(impulses, velocities, length);
            // Along Newton's direction the merit's slope is −2 merit.
            if 0.5 * after * after <= reference - 2.0 * SUFFICIENT * length * merit {
                return (length, after);
            }
            if after < best.1 {
                best = (length, after);
            }
            length *= 0.5;
        }
        best
    }

    fn norm_at(&mut self, impulses: &[f64], velocities: &[f64], length: f64) -> f64 {
        let mut trial = std::mem::take(&mut self.trial);
        let mut trial_velocities = std::mem::take(&mut self.trial_velocities);
        for k in 0..impulses.len() {
            trial[k] = impulses[k] + length * self.direction[k];
            trial_velocities[k] = velocities[k] + length * self.change[k];
        }
        let norm = self.norm(&trial, &trial_velocities);
        (self.trial, self.trial_velocities) = (trial, trial_velocities);
        norm
    }

    /// F of all blocks.
    fn values(&self, impulses: &[f64], velocities: &[f64], f: &mut [f64]) {
        let mut pulled = [0.0; 16];
        for (block, &s) in self.problem.blocks.iter().zip(&self.scales) {
            for_each_part(block.rows(), |rows| {
                let pulled = &mut pulled[..rows.len()];
                self.pulled(s, rows.clone(), impulses, velocities, pulled);
                functions::value(self.rows, block, s, &impulses[rows.clone()], pulled, &mut f[rows]);
            });
        }
    }

    /// C and E of all blocks, with the regularisation and the pull moved into C.
    fn linearise(&mut self, impulses: &[f64], velocities: &[f64]) {
        let mut at = 0;
        let mut pulled = Vec::new();
        let (mut c, mut e) = (std::mem::take(&mut self.c), std::mem::take(&mut self.e));
        for (block, &s) in self.problem.blocks.iter().zip(&self.scales) {
            let rows = block.rows();
            let n = rows.len();
            pulled.resize(n, 0.0);
            self.pulled(s, rows.clone(), impulses, velocities, &mut pulled);
            let (c, e) = (&mut c[at..at + n * n], &mut e[at..at + n * n]);
            functions::derivatives(self.rows, block, s, &impulses[rows], &pulled, c, e);
            let shift = s * (self.pull + self.options.regularisation);
            c.iter_mut().zip(&*e).for_each(|(c, e)| *c += shift * e);
            at += n * n;
        }
        (self.c, self.e) = (c, e);
    }

    fn pulled(&self, s: f64, rows: std::ops::Range<usize>, impulses: &[f64], velocities: &[f64], out: &mut [f64]) {
        let strength = self.pull * s;
        for (out, k) in out.iter_mut().zip(rows) {
            *out = velocities[k] + strength * (impulses[k] - self.centre[k]);
        }
    }
}

/// Runs over the rows of a block in parts that fit on the stack. Only blocks without coupling between their rows, such
/// as joints, are ever larger.
fn for_each_part(rows: std::ops::Range<usize>, mut part: impl FnMut(std::ops::Range<usize>)) {
    let mut start = rows.start;
    while start < rows.end {
        let end = rows.end.min(start + 16);
        part(start..end);
        start = end;
    }
}
