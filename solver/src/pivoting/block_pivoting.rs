//! Block principal pivoting (Kostreva 1978; Júdice and Pires 1994), for rows between bounds.
//!
//! All rows whose sign is wrong change their state at once. That takes a handful of pivots whatever the size, but may
//! cycle; so if their number has not come down for ten pivots, Murty's least-index rule moves one at a time until it
//! has. With this the method ends for P-matrices. Semidefinite matrices are taken through a proximal term; on the
//! friction pyramid, outside of the theorem, Lemke's method takes over after a cycle or 2n + 50 pivots.
//!
//! The fastest of the family on large problems without friction, as every pivot is one sparse factorisation.

use super::active_set::{self, Rule};
use super::pivot_limits;
use crate::error::SolveError;
use crate::formulation::{check_facets, on_pyramid};
use crate::monitor::Limits;
use crate::options;
use crate::problem::Problem;
use crate::solve::{Context, Convergence, Solver};

options! {
    /// Block principal pivoting.
    #[derive(Debug, Clone, PartialEq)]
    pub struct BlockPivoting {
        /// Facets of the friction pyramid, an even number from 4 on.
        pub facets: usize = 8,
        /// Pivots of whole blocks without progress before single rows are moved.
        pub patience: usize = 10,
        flatten pub limits: Limits = pivot_limits(),
    }
    validate(options) {
        check_facets(options.facets)
    }
}

impl Solver for BlockPivoting {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        on_pyramid(problem, self.facets, impulses, context, |problem, impulses, context| {
            let mut rule = WholeBlocks {
                patience: self.patience,
                left: self.patience,
                fewest: usize::MAX,
            };
            active_set::solve(problem, &self.limits, &mut rule, impulses, context)
        })
    }
}

/// The rule itself.
struct WholeBlocks {
    patience: usize,
    left: usize,
    /// The fewest wrong rows seen.
    fewest: usize,
}

impl Rule for WholeBlocks {
    fn reset(&mut self) {
        self.left = self.patience;
        self.fewest = usize::MAX;
    }

    fn pick(&mut self, wrong: &mut Vec<usize>) -> bool {
        if wrong.len() < self.fewest {
            self.fewest = wrong.len();
            self.left = self.patience;
            false
        } else if self.left > 0 {
            self.left -= 1;
            false
        } else {
            wrong.truncate(1);
            true
        }
    }
}
