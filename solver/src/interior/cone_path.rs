//! Primal-dual interior point on the friction cones themselves.
//!
//! `λ ∈ K`, `w̃ ∈ K*` and `λ ∘ w̃ = τ e`, τ → 0, with Nesterov and Todd's scaling for the second-order cones and Mehrotra's
//! predictor and corrector. For Coulomb's law `w̃ = w + μ‖w_t‖ e_n` (De Saxcé), whose derivative is a part of Newton's
//! matrix: `(W⁻² + (1 + μ e_n ŵ_tᵀ) A) dλ = …`, not symmetric and not monotone, yet it works well in practice (Acary, Armand,
//! Nguyen and Shpakovych 2023). Where it does not, in packed heaps with μ of 0.5 and more, the proximal-point method goes
//! on from the best point. On the convex relaxation (second-order blocks) the matrix is monotone and the theory holds.
//!
//! Some ten to forty iterations, each a factorisation in the space of bodies, whatever the size, the masses and the
//! redundancy of contacts: for accuracy on hard problems. Rough answers to easy ones are cheaper elsewhere, and little is
//! gained from a warm start. Rolling friction is not taken.

use super::PathOptions;
use crate::cone::Cone;
use crate::error::SolveError;
use crate::monitor::Limits;
use crate::options;
use crate::problem::{Block, Problem};
use crate::solve::{Context, Convergence, Solver};

options! {
    /// Interior-point method on the friction cones.
    #[derive(Debug, Clone, PartialEq)]
    pub struct InteriorCone {
        flatten pub path: PathOptions,
        flatten pub limits: Limits = Limits::of(400),
    }
}

impl Solver for InteriorCone {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        let relaxed = |block: &Block| !matches!(block.cone, Cone::Friction { coefficient } if coefficient > 0.0);
        let monotone = problem.blocks.iter().all(relaxed);
        self.path
            .follow("interior-cone", monotone, problem, &self.limits, impulses, context)
    }
}
