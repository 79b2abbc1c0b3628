//! Newton on the Fischer–Burmeister function (De Luca, Facchinei and Kanzow 1996; penalised: Chen, Chen and Kanzow 2000).
//!
//! Its merit function is differentiable, so the line search knows that Newton's direction descends; the penalised one
//! keeps large products of positive parts from looking like solutions. Friction enters as a pyramid.

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
    /// Newton on the Fischer–Burmeister function.
    #[derive(Debug, Clone, PartialEq)]
    pub struct FischerNewton {
        /// Whether products of positive parts are penalised.
        pub penalised: bool = false,
        /// Facets of the friction pyramid, an even number from 4 on.
        pub facets: usize = 8,
        flatten pub newton: NewtonOptions,
        flatten pub limits: Limits = Limits::of(200),
    }
}

impl Solver for FischerNewton {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        let rows = if self.penalised {
            RowFunction::PenalisedFischer
        } else {
            RowFunction::Fischer
        };
        on_pyramid(problem, self.facets, impulses, context, |problem, impulses, context| {
            newton_loop(problem, rows, &self.newton, &self.limits, impulses, context)
        })
    }
}
