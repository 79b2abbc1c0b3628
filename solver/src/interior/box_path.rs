//! Primal-dual interior point for rows with bounds (Mehrotra 1992; for complementarity problems Wright 1997).
//!
//! Every bound has a distance x and a velocity z that pushes away from it, `x z = τ` on the path and τ → 0; a step solves
//! `(A + Z/X) dλ = …`. A has to be positive semidefinite, not symmetric: then every such problem that has a solution is
//! solved in some ten to thirty iterations, whatever its size and condition.
//!
//! Friction is the pyramid's (see [`Pyramid`](crate::formulation::Pyramid)). Its matrix is not monotone and no theory
//! covers it; of the path's steps most are still good ones, and Newton's method or the proximal-point method finish (see
//! `crossover`). It is an explicit matrix with ten rows a contact, slow beyond a few hundred contacts. For the cone itself
//! take `interior-cone`.

use super::PathOptions;
use crate::error::SolveError;
use crate::formulation::{check_facets, on_pyramid};
use crate::monitor::Limits;
use crate::options;
use crate::problem::Problem;
use crate::solve::{Context, Convergence, Solver};

options! {
    /// Interior-point method on boxes and friction pyramids.
    #[derive(Debug, Clone, PartialEq)]
    pub struct InteriorBox {
        /// Facets of the friction pyramid, an even number from 4 on.
        pub facets: usize = 8,
        flatten pub path: PathOptions,
        flatten pub limits: Limits = Limits::of(400),
    }
    validate(options) {
        check_facets(options.facets)
    }
}

impl Solver for InteriorBox {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        let monotone = !problem.blocks.iter().any(|block| block.cone.is_contact());
        on_pyramid(problem, self.facets, impulses, context, |pyramid, unknowns, context| {
            self.path
                .follow("interior-box", monotone, pyramid, &self.limits, unknowns, context)
        })
    }
}
