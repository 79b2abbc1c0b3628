//! Lemke's method (1965) for `w = M z + q`, `z ≥ 0`, `w ≥ 0`, `z·w = 0`.
//!
//! A covering vector c > 0 with one more unknown z₀ makes any q feasible. From there a path of complementary pivots
//! is followed: the complement of what left the basis enters it, until z₀ leaves, which is a solution, or nothing
//! bounds the entering variable: a ray. For copositive-plus M, which includes positive semidefinite matrices, a ray proves
//! that the problem is infeasible; for the friction pyramid, with b from velocities, there is none (Anitescu and Potra
//! 1997). Ties of the ratio test are broken lexicographically, so that degenerate problems cannot cycle.
//!
//! The problem is scaled to ones on the diagonal. Values are computed from a factorised basis, not carried along in a
//! tableau, and the last basis is solved once more with refinement; what is reported as converged has been measured on the
//! problem itself. A warm start tries the basis that the starting impulses suggest, and goes back to the slack basis if
//! the path from there ends in a ray: semidefinite matrices keep their class under such a pivot, copositive ones may
//! not. Where rounding leads a path astray (redundant contacts, large mass ratios), a proximal term `M + εI` makes the
//! matrix strictly copositive, for which there are no rays, and its bases regular.
//!
//! Use it where an exact solution is worth O(n) pivots of O(n²) each: as a reference, on small groups, at large mass
//! ratios. The worst case is exponential (Murty 1978).

use nalgebra_sparse::CscMatrix;

use super::basis::Basis;
use super::path::{End, follow};
use super::scaled::Scaled;
use super::{after_pivot, pivot_limits};
use crate::choices;
use crate::error::SolveError;
use crate::formulation::{Lcp, check_facets, on_pyramid};
use crate::monitor::{Limits, Monitor};
use crate::options;
use crate::problem::Problem;
use crate::solve::{Context, Convergence, Solver, Status};

/// ε of the proximal term, beside ones on the diagonal.
const PROXIMAL: f64 = 1e-7;
/// Residuals below this, beside the largest bias, are rounding of an ill-conditioned problem.
const ROUNDING: f64 = 1e-6;
/// Proximal steps at most.
const STEPS: usize = 60;

choices! {
    /// The covering vector of Lemke's method.
    pub enum Covering {
        /// All ones in the scaled problem, `√A_rr` in the problem itself.
        Scaled = "scaled",
        /// All ones.
        Ones = "ones",
    }
}

options! {
    /// Lemke's method.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Lemke {
        /// Facets of the friction pyramid, an even number from 4 on.
        pub facets: usize = 8,
        /// The covering vector: ones in the scaled problem, or in the problem itself.
        pub covering: Covering = Covering::Scaled,
        flatten pub limits: Limits = pivot_limits(),
    }
    validate(options) {
        check_facets(options.facets)
    }
}

impl Solver for Lemke {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        on_pyramid(problem, self.facets, impulses, context, |problem, impulses, context| {
            let mut monitor = Monitor::start(problem, &self.limits, impulses, context)?;
            if monitor.goes_on(impulses, context) {
                run(problem, self.covering, &mut monitor, impulses, context)?;
            }
            Ok(monitor.finish(impulses, context))
        })
    }
}

/// Solves a problem without contact cones, under a monitor that has been asked once.
pub(super) fn run(
    problem: &Problem,
    covering: Covering,
    monitor: &mut Monitor<'_>,
    impulses: &mut [f64],
    context: &Context,
) -> Result<(), SolveError> {
    let lcp = Lcp::new(problem)?;
    let scaled = Scaled::new(&lcp);
    let ones = vec![1.0; lcp.len()];
    let (first, second) = match covering {
        Covering::Scaled => (&ones, &scaled.scale),
        Covering::Ones => (&scaled.scale, &ones),
    };
    let guess = scaled.active(&lcp.start(problem, impulses));
    let mut search = Search {
        lcp: &lcp,
        scaled: &scaled,
        monitor,
        impulses,
        context,
        solved: false,
        met_ray: false,
        least: f64::INFINITY,
    };
    // The last two are for what rounding, or a matrix outside the theorems, takes from the first.
    let over = search.from(Start::Guess(&guess))
        || search.from(Start::Slack(first))
        || search.proximal()
        || search.from(Start::Slack(second));
    if !over {
        // With a residual this small there is a solution, which rounding keeps out of reach.
        let size = problem.bias.iter().fold(0.0, |size: f64, b| size.max(b.abs()));
        let is_ray = search.met_ray && !search.solved && search.least > ROUNDING * size;
        monitor.stop(if is_ray { Status::Ray } else { Status::Stalled });
    }
    Ok(())
}

/// Where a path begins.
#[derive(Clone, Copy)]
enum Start<'a> {
    /// The basis that starting impulses suggest.
    Guess(&'a [bool]),
    /// All w, with this covering vector.
    Slack(&'a [f64]),
}

impl Start<'_> {
    fn basis<'m>(&self, matrix: &'m CscMatrix<f64>) -> Option<Basis<'m>> {
        match self {
            Self::Guess(active) if active.contains(&true) => Basis::complementary(matrix, active),
            Self::Guess(_) => None,
            Self::Slack(covering) => Some(Basis::slack(matrix, covering.to_vec())),
        }
    }
}

/// What all paths of one solve share.
struct Search<'s, 'p> {
    lcp: &'s Lcp,
    scaled: &'s Scaled,
    monitor: &'s mut Monitor<'p>,
    impulses: &'s mut [f64],
    context: &'s Context,
    /// Whether z₀ left the basis on some path.
    solved: bool,
    met_ray: bool,
    /// The least residual measured.
    least: f64,
}

impl Search<'_, '_> {
    /// Follows the path from one start and measures where it ends: a ray that begins within the tolerance of a solution is
    /// one of rounding. True if the solve is over.
    fn from(&mut self, start: Start<'_>) -> bool {
        let Some((end, z)) = self.walk(&self.scaled.matrix, &self.scaled.bias, start) else {
            return false;
        };
        self.solved |= end == End::Solved;
        // Only the slack basis leaves the class of the matrix as it is.
        self.met_ray |= end == End::Ray && matches!(start, Start::Slack(_));
        end == End::Interrupted || self.measure(&z)
    }

    /// Solves `M + εI` with `q − ε z_k` again and again; z_k goes to a solution of the problem itself.
    fn proximal(&mut self) -> bool {
        let n = self.lcp.len();
        let shifted = self.scaled.shifted(PROXIMAL);
        let ones = vec![1.0; n];
        let mut z = vec![0.0; n];
        let mut last = f64::INFINITY;
        for _ in 0..STEPS {
            let bias: Vec<f64> = self.scaled.bias.iter().zip(&z).map(|(q, z)| q - PROXIMAL * z).collect();
            let active: Vec<bool> = z.iter().map(|z| *z > 0.0).collect();
            let mut walk = |start| self.walk(&shifted, &bias, start);
            let found = walk(Start::Guess(&active)).filter(|(end, _)| matches!(end, End::Solved | End::Interrupted));
            let Some((end, next)) = found.or_else(|| walk(Start::Slack(&ones))) else {
                return false;
            };
            if end == End::Interrupted || self.measure(&next) {
                return true;
            }
            // Steps that no longer help have met rounding, or a problem without a solution.
            if self.monitor.residual() > 0.9 * last {
                return false;
            }
            last = self.monitor.residual();
            z = next;
        }
        false
    }

    /// Follows one path: how it ended, and at which z of the scaled problem. `None` if its basis is singular.
    fn walk(&mut self, matrix: &CscMatrix<f64>, bias: &[f64], start: Start<'_>) -> Option<(End, Vec<f64>)> {
        let mut basis = start.basis(matrix)?;
        let (lcp, scaled) = (self.lcp, self.scaled);
        let end = follow(&mut basis, bias, |basis, values| {
            after_pivot(self.monitor, self.impulses, self.context, |impulses| {
                lcp.impulses(&scaled.solution(&basis.unknowns(values)), impulses);
            })
        });
        basis.factorise();
        let z = basis.unknowns(&basis.values(bias));
        z.iter().all(|z| z.is_finite()).then_some((end, z))
    }

    /// Measures a solution of the scaled problem, which counts the pivot that led to it. True if the solve is over.
    fn measure(&mut self, z: &[f64]) -> bool {
        self.lcp.impulses(&self.scaled.solution(z), self.impulses);
        let goes_on = self.monitor.goes_on(self.impulses, self.context);
        self.least = self.least.min(self.monitor.residual());
        !goes_on
    }
}
