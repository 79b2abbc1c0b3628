//! Gradient methods: descent on the quadratic energy `½ λ·Aλ + b·λ`, with projections onto the cones.
//!
//! For symmetric A and convex laws (bounds, the relaxed cone) the solution is the minimum of that energy. Coulomb's law is
//! not the minimum of anything; it becomes so with a part of it frozen, and the frozen part follows in an outer loop until
//! both agree:
//!
//! - **De Saxcé**: the shift `μ‖w_t‖` of the normal velocities is frozen; what is left is the relaxed law with another b
//!   (Acary, Cadoux, Lemaréchal and Malick 2011);
//! - **Tresca**: the radii `μ λ_n` of the discs are frozen; what is left has fixed bounds (Haslinger 1983).
//!
//! Neither loop is sure to converge for large μ and strong coupling; each solution of one is a solution of Coulomb's law.
//!
//! Steps are taken in the metric of a diagonal H, `λ ← P(λ − t H g)`, with one number a contact so that projections stay
//! what they are, and one a row elsewhere. With H the inverse diagonal of A bodies of very different mass do not slow
//! each other down.
//!
//! On redundant joints the steps of `apgd`, `spg` and `mprgp` lie in H times the range of A: from zero they end, as the direct
//! solution does, at the smallest impulses in the norm of diag(A).
//!
//! `nncg` and `pgs-sm` put conjugate gradients around sweeps of projected Gauss–Seidel, and meet Coulomb's law in the
//! sweeps; `apgd` (Nesterov's momentum), `spg` (Barzilai and Borwein's step lengths) and `mprgp` (conjugate gradients on
//! the rows that are free) share the frozen energy below.

mod apgd;
mod mprgp;
mod nncg;
mod spectral;
mod subspace;

pub use apgd::AcceleratedProjectedGradient;
pub use mprgp::ReducedGradientProjection;
pub use nncg::NonsmoothConjugateGradient;
pub use spectral::SpectralProjectedGradient;
pub use subspace::SubspaceMinimisation;

use crate::choices;
use crate::cone::{Cone, at_least, length};
use crate::delassus::Delassus;
use crate::error::SolveError;
use crate::monitor::Limits;
use crate::options;
use crate::problem::{Block, Problem};
use crate::registry::{Accuracy, Class, Entry, FrictionLaw, MatrixKind, SolverEntry};
use crate::solve::Context;
use crate::vector::dot;

const CLASS: Class = Class {
    family: "gradient",
    friction: FrictionLaw::Coulomb,
    matrix: MatrixKind::Symmetric,
    accuracy: Accuracy::Iterative,
};

/// The gradient methods, in the order they are listed.
pub(crate) static ENTRIES: &[SolverEntry] = &[
    Entry {
        name: "nncg",
        summary: "non-smooth nonlinear conjugate gradients around projected Gauss–Seidel",
        takes: CLASS,
        reference: "Silcowitz-Hansen, Niebe and Erleben 2010",
        make: || Box::new(NonsmoothConjugateGradient::default()),
    },
    Entry {
        name: "pgs-sm",
        summary: "projected Gauss–Seidel with subspace minimisation",
        takes: CLASS,
        reference: "Silcowitz-Hansen, Niebe and Erleben 2010",
        make: || Box::new(SubspaceMinimisation::default()),
    },
    Entry {
        name: "apgd",
        summary: "accelerated projected gradient descent",
        takes: CLASS,
        reference: "Mazhar, Heyn, Negrut and Tasora 2015; Nesterov 1983",
        make: || Box::new(AcceleratedProjectedGradient::default()),
    },
    Entry {
        name: "spg",
        summary: "spectral projected gradient with a non-monotone line search",
        takes: CLASS,
        reference: "Birgin, Martínez and Raydan 2000; Barzilai and Borwein 1988",
        make: || Box::new(SpectralProjectedGradient::default()),
    },
    Entry {
        name: "mprgp",
        summary: "modified proportioning with reduced gradient projections",
        takes: CLASS,
        reference: "Dostál 2009; Dostál and Kučera 2010",
        make: || Box::new(ReducedGradientProjection::default()),
    },
];

choices! {
    /// What of Coulomb's law is frozen while the energy is lowered.
    pub enum Staggering {
        /// The shift `μ‖w_t‖` of the normal velocity.
        DeSaxce = "de-saxce",
        /// The radius `μ λ_n` of the disc.
        Tresca = "tresca",
    }
}

options! {
    /// What the methods that project onto cones can be told.
    #[derive(Debug, Clone, PartialEq)]
    pub struct GradientOptions {
        /// What of Coulomb's law is frozen while the energy is lowered.
        pub staggering: Staggering = Staggering::DeSaxce,
        /// The frozen part follows after this many iterations, or earlier if it is what is wrong most.
        pub inner_iterations: usize = 100,
        /// Whether steps are scaled by the inverse diagonal of A; without, all masses should be alike.
        pub scaling: bool = true,
        flatten pub limits: Limits = Limits { tolerance: 1e-8, ..Limits::default() },
    }
    validate(options) {
        if options.inner_iterations == 0 {
            return Err("inner-iterations must be 1 or more".into());
        }
        Ok(())
    }
}

/// The energy with the frozen part of friction, and the sets to project onto.
struct Model<'a, D> {
    problem: &'a Problem,
    operator: &'a D,
    options: &'a GradientOptions,
    /// H, by row.
    metric: Vec<f64>,
    /// By row: De Saxcé's shift at normals, or the discs' radii at their first tangents.
    frozen: Vec<f64>,
    state: Vec<f64>,
    /// Iterations since the frozen part followed.
    age: usize,
    has_friction: bool,
}

impl<'a, D: Delassus> Model<'a, D> {
    fn new(problem: &'a Problem, operator: &'a D, options: &'a GradientOptions, context: &mut Context) -> Self {
        let mut metric = context.take(problem.rows());
        fill_metric(problem, operator, options.scaling, &mut metric);
        Self {
            problem,
            operator,
            options,
            metric,
            frozen: context.take(problem.rows()),
            state: context.take(operator.state_len()),
            age: 0,
            has_friction: problem
                .blocks
                .iter()
                .any(|block| matches!(block.cone, Cone::Friction { .. } | Cone::Rolling { .. })),
        }
    }

    fn release(self, context: &mut Context) {
        context.give([self.metric, self.frozen, self.state]);
    }

    /// `A x`.
    fn multiply(&mut self, x: &[f64], product: &mut [f64]) {
        self.problem.product(x, &mut self.state, product);
    }

    /// `w = A x + b`, summed up anew.
    fn velocities(&mut self, x: &[f64], velocities: &mut [f64]) {
        self.problem.velocities_with(x, &mut self.state, velocities);
    }

    /// The frozen part as it is at these impulses and velocities.
    fn freeze(&mut self, impulses: &[f64], velocities: &[f64]) {
        self.age = 0;
        for block in &self.problem.blocks {
            let rows = block.rows();
            let first = rows.start;
            match self.options.staggering {
                Staggering::DeSaxce => {
                    self.frozen[first] = block.cone.de_saxce(&velocities[rows]);
                }
                Staggering::Tresca => {
                    for (mu, tangents) in block.discs() {
                        self.frozen[tangents.start] = mu * at_least(0.0, impulses[first]);
                    }
                }
            }
        }
    }

    /// Counts an iteration; where the frozen part is due it follows, and true is returned: the energy is another one.
    ///
    /// It is due when it is old, and when the frozen problem is solved so well that waiting gains nothing.
    fn follow(&mut self, impulses: &[f64], velocities: &[f64], residual: f64) -> bool {
        self.age += 1;
        let due = self.has_friction
            && (self.age > self.options.inner_iterations || self.residual(impulses, velocities) <= 0.1 * residual);
        if due {
            self.freeze(impulses, velocities);
        }
        due
    }

    /// The natural residual of the frozen problem, m/s.
    fn residual(&self, impulses: &[f64], velocities: &[f64]) -> f64 {
        let mut worst = 0.0;
        for block in &self.problem.blocks {
            let rows = block.rows();
            let scale = block.scale(self.operator);
            let mut square = 0.0;
            if block.cone.is_contact() {
                let mut target = [0.0; 5];
                let target = &mut target[..rows.len()];
                for (k, row) in rows.clone().enumerate() {
                    target[k] = impulses[row] - (velocities[row] + self.shift(row)) / scale;
                }
                self.project_block(block, target);
                for (k, row) in rows.enumerate() {
                    square += (impulses[row] - target[k]).powi(2);
                }
            } else {
                for row in rows {
                    let mut target = [impulses[row] - velocities[row] / scale];
                    block.cone.project(&mut target);
                    square += (impulses[row] - target[0]).powi(2);
                }
            }
            worst = at_least(worst, scale * square.sqrt());
        }
        worst
    }

    /// What De Saxcé adds to the velocity of a row.
    #[inline(always)]
    fn shift(&self, row: usize) -> f64 {
        match self.options.staggering {
            Staggering::DeSaxce => self.frozen[row],
            Staggering::Tresca => 0.0,
        }
    }

    /// `g = w + shift`: the gradient of the frozen energy.
    fn gradient(&self, velocities: &[f64], gradient: &mut [f64]) {
        for (row, (g, w)) in gradient.iter_mut().zip(velocities).enumerate() {
            *g = w + self.shift(row);
        }
    }

    /// `target ← P(from − t H g)`.
    fn projected_step(&self, step: f64, from: &[f64], gradient: &[f64], target: &mut [f64]) {
        for row in 0..target.len() {
            target[row] = from[row] - step * self.metric[row] * gradient[row];
        }
        self.project(target);
    }

    /// Onto the sets of the frozen problem.
    fn project(&self, x: &mut [f64]) {
        for block in &self.problem.blocks {
            self.project_block(block, &mut x[block.rows()]);
        }
    }

    fn project_block(&self, block: &Block, x: &mut [f64]) {
        let has_discs = matches!(block.cone, Cone::Friction { .. } | Cone::Rolling { .. });
        if self.options.staggering == Staggering::DeSaxce || !has_discs {
            return block.cone.project(x);
        }
        x[0] = at_least(0.0, x[0]);
        let first = block.first as usize;
        for (_, tangents) in block.discs() {
            let radius = self.frozen[tangents.start];
            let tangents = &mut x[tangents.start - first..tangents.end - first];
            let size = length(tangents);
            if size > radius {
                tangents.iter_mut().for_each(|t| *t *= radius / size);
            }
        }
    }

    /// `x · H⁻¹ y`.
    fn weighted(&self, x: &[f64], y: &[f64]) -> f64 {
        x.iter().zip(y).zip(&self.metric).map(|((x, y), h)| x * y / h).sum()
    }

    /// A step length for the start: that of steepest descent without cones, `g·Hg / Hg·A Hg`.
    fn first_step(&mut self, gradient: &[f64], direction: &mut [f64], product: &mut [f64]) -> f64 {
        for row in 0..direction.len() {
            direction[row] = self.metric[row] * gradient[row];
        }
        self.multiply(direction, product);
        let step = dot(gradient, direction) / dot(direction, product);
        if step > 0.0 && step.is_finite() { step } else { 1.0 }
    }
}

/// H: the inverse mean diagonal entry of a contact, the inverse diagonal entry of any other row.
fn fill_metric(problem: &Problem, operator: &impl Delassus, scaling: bool, metric: &mut [f64]) {
    metric.fill(1.0);
    if !scaling {
        return;
    }
    for block in &problem.blocks {
        let rows = block.rows();
        let mean = block.scale(operator);
        for row in rows {
            metric[row] = 1.0
                / if block.cone.is_contact() {
                    mean
                } else {
                    operator.diagonal(row)
                };
        }
    }
}

/// Refuses what these methods cannot scale by.
fn check(problem: &Problem, impulses: &[f64]) -> Result<(), SolveError> {
    problem.validate_start(impulses)?;
    problem.check_diagonal()
}
