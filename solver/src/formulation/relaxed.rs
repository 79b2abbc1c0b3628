//! Coulomb's law with the convex relaxation in its place (Anitescu 2006).
//!
//! De Saxcé's law asks for `w + μ‖w_t‖ e_n ∈ K*`, the relaxation for `w ∈ K*`: the optimality condition of the convex
//! program `min ½ λᵀAλ + bᵀλ, λ ∈ K`. Where nothing slips the two agree. A contact that slips at `‖w_t‖` parts at
//! `w_n = μ‖w_t‖` in the relaxation: an error that vanishes with the step for slow sliding, and is seen as a gap of
//! `h μ‖w_t‖` under fast sliding.

use crate::cone::Cone;
use crate::error::SolveError;
use crate::problem::{Block, Problem};
use crate::solve::{Context, Convergence};

/// The same problem with every friction cone relaxed. The unknowns are the same, so impulses need no way back. Rolling
/// cones have no relaxed kind and are refused.
pub fn relaxed(problem: &Problem) -> Result<Problem, SolveError> {
    let mut relaxed = problem.clone();
    for block in &mut relaxed.blocks {
        match block.cone {
            Cone::Friction { coefficient } => block.cone = Cone::SecondOrder { coefficient },
            Cone::Rolling { .. } => {
                return Err(SolveError::Unsupported {
                    method: "the convex relaxation",
                    what: "rolling cones".into(),
                });
            }
            _ => {}
        }
    }
    Ok(relaxed)
}

/// Solves the relaxation of a problem with a method for convex problems. The record has the residual of the problem
/// itself, and in its history that of the relaxation. A problem without friction is left as it is.
pub(crate) fn on_relaxed(
    problem: &Problem,
    impulses: &mut [f64],
    context: &mut Context,
    solve: impl FnOnce(&Problem, &mut [f64], &mut Context) -> Result<Convergence, SolveError>,
) -> Result<Convergence, SolveError> {
    problem.validate_start(impulses)?;
    let has_law = |block: &Block| matches!(block.cone, Cone::Friction { .. } | Cone::Rolling { .. });
    if !problem.blocks.iter().any(has_law) {
        return solve(problem, impulses, context);
    }
    let mut report = solve(&relaxed(problem)?, impulses, context)?;
    report.measure(problem, impulses, context);
    Ok(report)
}
