//! Murty's least-index principal pivoting (1974), for rows between bounds.
//!
//! Of all rows whose sign is wrong, the one with the least index changes its state: from a bound to the inside, or from
//! the inside to the bound that it is beyond. For P-matrices no choice of states is met twice, so it ends; it needs no
//! ratio test and no artificial variable. Semidefinite matrices are taken through a proximal term. The friction pyramid
//! is outside of the theorem. There it mostly works all the same; if it meets a choice twice, which proves a cycle, or
//! takes more than 2n + 50 pivots, Lemke's method takes over from where it stands.
//!
//! Simple, and fine for small problems. Each pivot moves one row, so that many are needed, up to 2ⁿ on Murty's example;
//! [`BlockPivoting`](super::BlockPivoting) moves all at once.

use super::active_set::{self, Rule};
use super::pivot_limits;
use crate::error::SolveError;
use crate::formulation::{check_facets, on_pyramid};
use crate::monitor::Limits;
use crate::options;
use crate::problem::Problem;
use crate::solve::{Context, Convergence, Solver};

options! {
    /// Murty's least-index method.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Murty {
        /// Facets of the friction pyramid, an even number from 4 on.
        pub facets: usize = 8,
        flatten pub limits: Limits = pivot_limits(),
    }
    validate(options) {
        check_facets(options.facets)
    }
}

impl Solver for Murty {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        on_pyramid(problem, self.facets, impulses, context, |problem, impulses, context| {
            active_set::solve(problem, &self.limits, &mut LeastIndex, impulses, context)
        })
    }
}

/// The rule itself.
struct LeastIndex;

impl Rule for LeastIndex {
    fn reset(&mut self) {}

    fn pick(&mut self, wrong: &mut Vec<usize>) -> bool {
        wrong.truncate(1);
        true
    }
}
