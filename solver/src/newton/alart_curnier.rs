//! Generalised Newton on Alart and Curnier's equations: the exact Coulomb cone (Alart and Curnier 1991).
//!
//! Near a solution it converges quadratically, in a handful of iterations whatever the masses, where A has full rank (FEM
//! bodies, few contacts). On redundant contacts the matrix is singular and Newton wanders: a little regularisation and a
//! few sweeps of Gauss–Seidel as a start help, but the proximal-point method around it is what holds
//! (Acary, Bremond and Huber 2018 find the same).

use super::functions::RowFunction;
use super::search::NewtonOptions;
use super::{newton_loop, sweeps};
use crate::error::SolveError;
use crate::monitor::Limits;
use crate::options;
use crate::problem::Problem;
use crate::solve::{Context, Convergence, Solver};

options! {
    /// Generalised Newton on Alart and Curnier's equations.
    #[derive(Debug, Clone, PartialEq)]
    pub struct AlartCurnier {
        /// Sweeps of Gauss–Seidel before the first Newton step.
        pub sweeps: usize = 20,
        flatten pub newton: NewtonOptions,
        flatten pub limits: Limits = Limits::of(200),
    }
}

impl Solver for AlartCurnier {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        problem.validate_start(impulses)?;
        sweeps(problem, self.sweeps, impulses, context);
        newton_loop(
            problem,
            RowFunction::MinimumMap,
            &self.newton,
            &self.limits,
            impulses,
            context,
        )
    }
}
