//! Newton on the minimum map, `min(sλ, w) = 0` row by row (Pang 1990, Erleben 2013): a guess of the active set at every
//! iteration and a linear solve on it.
//!
//! It ends in a handful of iterations once the active set is right, and can cycle before that, which the line search
//! guards against. Friction enters as a pyramid.

use super::functions::RowFunction;
use super::newton_loop;
use super::search::NewtonOptions;
use crate::error::SolveError;
use crate::formulation::on_pyramid;
use crate::monitor::Limits;
use crate::options;
use crate::problem::Problem;
use crate::solve::{Context, Convergence, Solver};

options! {
    /// Newton on the minimum map.
    #[derive(Debug, Clone, PartialEq)]
    pub struct MinimumMap {
        /// Facets of the friction pyramid, an even number from 4 on.
        pub facets: usize = 8,
        flatten pub newton: NewtonOptions,
        flatten pub limits: Limits = Limits::of(200),
    }
}

impl Solver for MinimumMap {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        on_pyramid(problem, self.facets, impulses, context, |problem, impulses, context| {
            newton_loop(
                problem,
                RowFunction::MinimumMap,
                &self.newton,
                &self.limits,
                impulses,
                context,
            )
        })
    }
}
