//! Dantzig's incremental pivoting (Cottle and Dantzig 1968) as Baraff (1994) used it for contact, between bounds and with
//! friction limits that follow the normal impulse.
//!
//! Rows are settled one after the other. To settle row i its impulse is driven so that w_i goes to zero, while the rows
//! that are clamped (w = 0, impulse inside its bounds) follow and stay at zero; a row that meets a bound on the way
//! leaves them, one at a bound whose velocity comes to zero joins them (`drive.rs`). Redundant contacts make A singular:
//! then a small proximal term, whose centre moves from pass to pass, keeps what has to be inverted regular.
//!
//! Limits of friction are held during such a pass, and renewed after it: with the rows of the last pass inside, at their
//! bounds or at their limits, one linear system with `λ_t = ±μ λ_n` in it gives all impulses, and if the choice was right
//! it is the solution. Where this does not settle (large μ), or a pass fails, Lemke's method takes over on the same law.
//!
//! On the pyramid the limits are entries `s μ` of the matrix; a pass takes them for constants, which leaves it semidefinite.
//!
//! Fast for tens of contacts. The box is stronger than Coulomb's disc along its diagonal, and turns slip towards it.

use nalgebra::{DMatrix, DVector};
use nalgebra_sparse::CsrMatrix;

use super::active_set::{DEFINITE, is_definite};
use super::drive::{Drive, Place};
use super::{after_pivot, lemke, pivot_limits};
use crate::choices;
use crate::cone::between;
use crate::error::SolveError;
use crate::formulation::{BoxLcp, Factor, Pyramid, check_facets};
use crate::monitor::{Limits, Monitor};
use crate::options;
use crate::problem::Problem;
use crate::solve::{Context, Convergence, Solver};

/// ε of the proximal term for semidefinite matrices, beside ones on the diagonal.
const PROXIMAL: f64 = 1e-6;
/// Passes with new limits, or a new centre, before Lemke's method takes over.
const PASSES: usize = 20;

choices! {
    /// What Dantzig's method makes of the friction cone.
    pub enum DantzigFriction {
        /// Each tangent within ±μ λ_n: a box around the disc.
        Box = "box",
        /// Each tangent within ±μ λ_n / √2: the box inside the disc.
        ScaledBox = "scaled-box",
        /// The pyramid of the other pivoting methods.
        Pyramid = "pyramid",
    }
}

options! {
    /// Dantzig's method with friction limits that follow the normal impulse.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Dantzig {
        /// The friction cone becomes a box around the disc, one inside it, or a pyramid.
        pub friction: DantzigFriction = DantzigFriction::Box,
        /// Facets of the friction pyramid, an even number from 4 on.
        pub facets: usize = 8,
        flatten pub limits: Limits = pivot_limits(),
    }
    validate(options) {
        check_facets(options.facets)
    }
}

/// The law as one pass sees it.
struct Law {
    boxes: BoxLcp,
    /// Entries of the matrix that a pass takes for constants: the limits of a pyramid.
    lagged: Vec<(usize, usize)>,
}

impl Solver for Dantzig {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        problem.validate_start(impulses)?;
        if !problem.blocks.iter().any(|block| block.cone.is_contact()) {
            return self.run(&Law::new(problem, 1.0)?, problem, None, impulses, context);
        }
        let share = match self.friction {
            DantzigFriction::Box => 1.0,
            DantzigFriction::ScaledBox => std::f64::consts::FRAC_1_SQRT_2,
            DantzigFriction::Pyramid => {
                let pyramid = Pyramid::new(problem, self.facets)?;
                let mut law = Law::new(&pyramid.problem, 1.0)?;
                law.lagged = pyramid.limit_entries().collect();
                return pyramid.solve_with(problem, impulses, context, |converted, unknowns, context| {
                    self.run(&law, converted, None, unknowns, context)
                });
            }
        };
        let fans = Pyramid::boxes(problem, share)?;
        let law = Law::new(problem, share)?;
        fans.solve_with(problem, impulses, context, |converted, unknowns, context| {
            self.run(&law, converted, Some(&fans), unknowns, context)
        })
    }
}

impl Law {
    fn new(problem: &Problem, share: f64) -> Result<Self, SolveError> {
        Ok(Self {
            boxes: BoxLcp::new(problem, share)?,
            lagged: Vec::new(),
        })
    }

    /// The matrix of a pass.
    fn matrix(&self) -> DMatrix<f64> {
        let mut matrix = self.boxes.matrix.clone();
        self.lagged.iter().for_each(|&place| matrix[place] = 0.0);
        matrix
    }

    /// The bias of a pass, with what the lagged entries make of the present impulses.
    fn bias(&self, impulses: &[f64]) -> Vec<f64> {
        let mut bias = self.boxes.bias.clone();
        for &(row, column) in &self.lagged {
            bias[row] += self.boxes.matrix[(row, column)] * impulses[column].max(0.0);
        }
        bias
    }
}

impl Dantzig {
    /// Solves the law. The monitor watches the same one without dependent limits: that of `fans`, if there is a box.
    fn run(
        &self,
        law: &Law,
        watched: &Problem,
        fans: Option<&Pyramid>,
        unknowns: &mut [f64],
        context: &mut Context,
    ) -> Result<Convergence, SolveError> {
        let mut monitor = Monitor::start(watched, &self.limits, unknowns, context)?;
        if monitor.goes_on(unknowns, context) {
            let write = |impulses: &[f64], unknowns: &mut [f64]| match fans {
                Some(fans) => unknowns.copy_from_slice(&fans.start(impulses)),
                None => unknowns.copy_from_slice(impulses),
            };
            let mut impulses = vec![0.0; law.boxes.rows()];
            match fans {
                Some(fans) => fans.impulses(unknowns, &mut impulses),
                None => impulses.copy_from_slice(unknowns),
            }
            if !pass_by_pass(law, &mut monitor, &mut impulses, unknowns, &write, context) {
                lemke::run(watched, lemke::Covering::Scaled, &mut monitor, unknowns, context)?;
            }
        }
        Ok(monitor.finish(unknowns, context))
    }
}

/// Repeats passes until the limits agree with the impulses. False where that fails.
fn pass_by_pass(
    law: &Law,
    monitor: &mut Monitor<'_>,
    impulses: &mut [f64],
    unknowns: &mut [f64],
    write: &dyn Fn(&[f64], &mut [f64]),
    context: &Context,
) -> bool {
    let boxes = &law.boxes;
    let matrix = law.matrix();
    let proximal = if is_definite(&matrix, DEFINITE) { 0.0 } else { PROXIMAL };
    let mut last = f64::INFINITY;
    let mut places = Vec::new();
    for _ in 0..PASSES {
        let bounds = (0..boxes.rows()).map(|row| boxes.bounds(row, impulses)).unzip();
        let mut drive = Drive::new(&matrix, &law.bias(impulses), bounds, proximal, impulses);
        let mut interrupted = false;
        let settled = drive.settle(|drive| {
            interrupted = !after_pivot(monitor, unknowns, context, |unknowns| {
                write(&drive.impulses(), unknowns)
            });
            !interrupted
        });
        if interrupted {
            return true;
        }
        if !settled {
            return false;
        }
        impulses.copy_from_slice(&drive.impulses());
        let mut coupled = impulses.to_vec();
        if !solve_coupled(boxes, drive.places(), &mut coupled) {
            return false;
        }
        write(&coupled, unknowns);
        if !monitor.goes_on(unknowns, context) {
            return true;
        }
        // The same choice with no better an answer: more passes change nothing.
        if places == drive.places() && monitor.residual() > 0.5 * last {
            return false;
        }
        last = monitor.residual();
        places = drive.places().to_vec();
    }
    false
}

/// With every row's place given, brings the velocities of the clamped rows to zero by one linear system, in which
/// friction at its limit is ±k times its normal impulse. Impulses stay near where they are if there are many solutions.
/// False if an impulse comes out that is not finite.
fn solve_coupled(boxes: &BoxLcp, places: &[Place], impulses: &mut [f64]) -> bool {
    let clamped: Vec<usize> = (0..places.len()).filter(|&row| places[row] == Place::Clamped).collect();
    let n = clamped.len();
    // Friction at its limit: row, normal row, ±k.
    let sliding: Vec<(usize, usize, f64)> = (0..places.len())
        .filter_map(|row| {
            let limit = boxes.limit[row]?;
            let sign = match places[row] {
                Place::Lower => -1.0,
                Place::Upper => 1.0,
                _ => return None,
            };
            Some((row, limit.normal, sign * limit.factor))
        })
        .collect();
    let mut matrix = DMatrix::from_fn(n, n, |i, j| boxes.matrix[(clamped[i], clamped[j])]);
    for &(row, normal, factor) in &sliding {
        if let Ok(k) = clamped.binary_search(&normal) {
            (0..n).for_each(|i| matrix[(i, k)] += factor * boxes.matrix[(clamped[i], row)]);
        }
    }
    let Ok(factor) = Factor::new(CsrMatrix::from(&matrix)) else {
        return false;
    };
    for _ in 0..2 {
        for &(row, normal, factor) in &sliding {
            impulses[row] = factor * impulses[normal];
        }
        let velocities = &boxes.matrix * DVector::from_column_slice(impulses);
        let mut step: Vec<f64> = clamped.iter().map(|&row| velocities[row] + boxes.bias[row]).collect();
        factor.solve(&mut step);
        for (&row, step) in clamped.iter().zip(&step) {
            impulses[row] -= step;
        }
    }
    for &(row, normal, factor) in &sliding {
        impulses[row] = factor * impulses[normal];
    }
    // A row that the last digits push over its bound.
    for row in 0..places.len() {
        let (lower, upper) = boxes.bounds(row, impulses);
        impulses[row] = between(lower, upper, impulses[row]);
    }
    impulses.iter().all(|x| x.is_finite())
}
