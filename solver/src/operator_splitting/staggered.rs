//! Staggered fixed point on the friction bounds.
//!
//! Coulomb's law bounds the tangents by μ times the normals, which are unknown. Hold the bounds still, and friction is
//! Tresca's, a convex problem; solve that, read new bounds off its normals, repeat (Panagiotopoulos 1975; Haslinger 1983):
//!
//! ```text
//! λᵏ⁺¹ = solution with ‖λ_t‖ ≤ gᵏ,     gᵏ⁺¹ = gᵏ + ω (μ λ_nᵏ⁺¹ − gᵏ)
//! ```
//!
//! At a fixed point the law is Coulomb's exactly. The map contracts for small μ or weak coupling of normals and tangents;
//! otherwise a relaxation ω < 1 helps, or Aitken's, which is found on the way. The inner problem is solved to a fraction
//! of what the new bounds upset, which shrinks with the outer residual, and no further. It is the classic of
//! finite-element contact and easy to trust; on stacks its inner sweeps crawl as all sweeps do.

use super::tresca::{Moving, SpectralGradient, Tresca};
use crate::choices;
use crate::delassus::Delassus;
use crate::error::SolveError;
use crate::monitor::{Limits, Monitor};
use crate::options;
use crate::problem::{Problem, with_operator};
use crate::solve::{Context, Convergence, Solver};

choices! {
    /// What is solved while the bounds are held still.
    pub enum Scheme {
        /// Normals and tangents together.
        Joint = "joint",
        /// Normals with the tangents held still, then tangents with the normals held still.
        Alternating = "alternating",
    }
}

choices! {
    /// The solver of the problem with given bounds.
    pub enum Inner {
        /// Projected Gauss–Seidel.
        GaussSeidel = "gauss-seidel",
        /// Spectral projected gradient; for symmetric matrices.
        SpectralGradient = "spectral-gradient",
    }
}

options! {
    /// Staggered fixed point on the friction bounds.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Staggered {
        /// What is solved while the bounds are held still.
        pub scheme: Scheme = Scheme::Joint,
        /// The solver of the problem with given bounds.
        pub inner: Inner = Inner::GaussSeidel,
        /// Inner iterations at most.
        pub inner_iterations: usize = 100,
        /// Inner iterations go on until their residual is this fraction of the first.
        pub inexactness: f64 = 0.1,
        /// Relaxation ω of the bounds between 0 and 2; 1 takes them over.
        pub relaxation: f64 = 1.0,
        /// Aitken's rule for ω, beginning with the one given.
        pub aitken: bool = false,
        flatten pub limits: Limits = Limits::of(500),
    }
    validate(staggered) {
        if staggered.inner_iterations == 0 {
            return Err("inner-iterations must be 1 or more".into());
        }
        if !(staggered.inexactness > 0.0 && staggered.inexactness < 1.0) {
            return Err("inexactness must be between 0 and 1".into());
        }
        if !(staggered.relaxation > 0.0 && staggered.relaxation < 2.0) {
            return Err("relaxation must be between 0 and 2".into());
        }
        Ok(())
    }
}

impl Solver for Staggered {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        let mut monitor = Monitor::start(problem, &self.limits, impulses, context)?;
        problem.check_diagonal()?;
        let mut tresca = Tresca::new(problem);
        let mut bounds = Bounds::new(&tresca, self, impulses);
        while monitor.goes_on(impulses, context) {
            let phases: &[Moving] = match self.scheme {
                Scheme::Joint => &[Moving::Everything],
                Scheme::Alternating => &[Moving::Normals, Moving::Tangents],
            };
            for &moving in phases {
                if moving != Moving::Normals {
                    tresca.set_bounds(&bounds.present);
                }
                self.settle(&tresca, moving, impulses, &mut monitor, context);
                if moving != Moving::Tangents {
                    bounds.follow(&tresca, impulses);
                }
            }
        }
        Ok(monitor.finish(impulses, context))
    }
}

impl Staggered {
    /// Solves the problem with the present bounds until what the last change of them upset is down to a fraction.
    fn settle(
        &self,
        tresca: &Tresca<'_>,
        moving: Moving,
        impulses: &mut [f64],
        monitor: &mut Monitor<'_>,
        context: &Context,
    ) {
        tresca.project(moving, impulses);
        let mut work = 0;
        let mut go = |iterate: &mut dyn FnMut() -> f64| {
            let mut first = f64::NAN;
            for _ in 0..self.inner_iterations {
                work += 1;
                let left = iterate();
                if work == 1 {
                    first = left;
                }
                if left <= self.inexactness * first || left.is_nan() || monitor.interrupted(context) {
                    break;
                }
            }
        };
        match self.inner {
            Inner::GaussSeidel => with_operator!(tresca.operator(), operator => {
                let mut state = vec![0.0; operator.state_len()];
                operator.load(impulses, &mut state);
                go(&mut || tresca.sweep(operator, moving, impulses, &mut state));
            }),
            Inner::SpectralGradient => {
                let mut method = SpectralGradient::new(tresca, impulses);
                go(&mut || method.step(tresca, moving, impulses));
            }
        }
        monitor.add_work((work - 1) * impulses.len() as u64);
    }
}

/// The bounds g, and how they follow the normals.
struct Bounds {
    present: Vec<f64>,
    relaxation: f64,
    aitken: bool,
    asked: Vec<f64>,
    /// `μ λ_n − g` of the step before.
    last: Vec<f64>,
}

impl Bounds {
    fn new(tresca: &Tresca<'_>, options: &Staggered, impulses: &[f64]) -> Self {
        let mut present = Vec::new();
        tresca.coulomb_bounds(impulses, &mut present);
        Self {
            present,
            relaxation: options.relaxation,
            aitken: options.aitken,
            asked: Vec::new(),
            last: Vec::new(),
        }
    }

    /// `g ← g + ω (μ λ_n − g)`, with Aitken's `ω ← −ω r·(r⁺ − r)/‖r⁺ − r‖²` if asked for.
    fn follow(&mut self, tresca: &Tresca<'_>, impulses: &[f64]) {
        tresca.coulomb_bounds(impulses, &mut self.asked);
        for (asked, present) in self.asked.iter_mut().zip(&self.present) {
            *asked -= present;
        }
        if self.aitken && !self.last.is_empty() {
            let (mut product, mut square) = (0.0, 0.0);
            for (new, old) in self.asked.iter().zip(&self.last) {
                product += old * (new - old);
                square += (new - old).powi(2);
            }
            let relaxation = -self.relaxation * product / square;
            // Within what neither stalls nor runs away.
            if relaxation.is_finite() {
                self.relaxation = relaxation.clamp(0.1, 1.9);
            }
        }
        for (present, asked) in self.present.iter_mut().zip(&self.asked) {
            *present = (*present + self.relaxation * asked).max(0.0);
        }
        std::mem::swap(&mut self.last, &mut self.asked);
    }
}
