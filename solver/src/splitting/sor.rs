//! Projected successive over-relaxation: Gauss–Seidel that goes a little further, `λ_i ← P(λ_i − ω D_i⁻¹ w_i)`
//! (dissertation §6.1.1, §6.1.4: SOR-LCP-1 to SOR-LCP-4).
//!
//! For ω between 1 and 2 the error of stiff systems shrinks faster, at best with the square root of Gauss–Seidel's
//! number of sweeps; ω too large adds energy in frictional contact. ω < 1 damps.

use super::gauss_seidel::relax;
use super::{ProjectionOptions, coloured};
use crate::error::SolveError;
use crate::options;
use crate::problem::Problem;
use crate::solve::{Context, Convergence, Solver};

options! {
    /// Projected successive over-relaxation.
    #[derive(Debug, Clone, PartialEq)]
    pub struct SuccessiveOverRelaxation {
        /// ω, above 0 and below 2.
        pub relaxation: f64 = 1.3,
        flatten pub projection: ProjectionOptions,
    }
    validate(options) {
        if options.relaxation <= 0.0 || options.relaxation >= 2.0 {
            return Err(format!("relaxation must be above 0 and below 2, not {}", options.relaxation));
        }
        Ok(())
    }
}

impl Solver for SuccessiveOverRelaxation {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        relax(&self.projection, self.relaxation, problem, impulses, None, context)
    }

    fn solve_with_change(
        &self,
        problem: &Problem,
        impulses: &mut [f64],
        change: &mut Vec<f64>,
        context: &mut Context,
    ) -> Result<Convergence, SolveError> {
        relax(
            &self.projection,
            self.relaxation,
            problem,
            impulses,
            Some(change),
            context,
        )
    }

    fn holds_normals(&self, problem: &Problem, context: &Context) -> bool {
        coloured::holds(&self.projection, self.relaxation, problem, context)
    }

    fn solve_normals(
        &self,
        problem: &Problem,
        bias: &[f64],
        change: &mut Vec<f64>,
        context: &mut Context,
    ) -> Option<Convergence> {
        let held = self.holds_normals(problem, context) && bias.len() == problem.blocks.len();
        held.then(|| coloured::solve_normals(&self.projection, problem, bias, change, context))
    }
}
