//! Newton methods: root finding on equations that are equivalent to complementarity.
//!
//! The equations and their derivatives are in `functions`, the iteration with its linear systems and line search in
//! `search`; each method is one file that puts them together. `minimum_map` and `fischer` take rows between bounds, and
//! friction as a pyramid; `alart_curnier` takes the cones themselves, and `proximal_point` makes it safe: it is the
//! reference solver.

mod alart_curnier;
mod fischer;
mod functions;
mod minimum_map;
pub(crate) mod pace;
mod proximal_point;
mod pulled;
mod search;

pub use alart_curnier::AlartCurnier;
pub use fischer::FischerNewton;
pub use functions::RowFunction;
pub use minimum_map::MinimumMap;
pub use proximal_point::ProximalPoint;
pub(crate) use search::Newton;
pub use search::{LineSearch, NewtonOptions};

use crate::error::SolveError;
use crate::monitor::{Limits, Monitor};
use crate::problem::Problem;
use crate::registry::{Accuracy, Class, Entry, FrictionLaw, MatrixKind, SolverEntry};
use crate::solve::{Context, Convergence, Measure, Solver, Status};
use crate::splitting::GaussSeidel;

const BOXES: Class = Class {
    family: "newton",
    friction: FrictionLaw::Pyramid,
    matrix: MatrixKind::Any,
    accuracy: Accuracy::Exact,
};

const CONES: Class = Class {
    friction: FrictionLaw::Coulomb,
    ..BOXES
};

/// The Newton methods, in the order they are listed.
pub(crate) static ENTRIES: &[SolverEntry] = &[
    Entry {
        name: "proximal",
        summary: "proximal-point method around nonsmooth Newton: the reference solver",
        takes: CONES,
        reference: "Acary, Bremond and Huber 2018; Rockafellar 1976",
        make: || Box::new(ProximalPoint::default()),
    },
    Entry {
        name: "alart-curnier",
        summary: "generalised Newton on Alart and Curnier's equations",
        takes: Class {
            accuracy: Accuracy::Iterative,
            ..CONES
        },
        reference: "Alart and Curnier 1991",
        make: || Box::new(AlartCurnier::default()),
    },
    Entry {
        name: "minimum-map",
        summary: "Newton on the minimum map",
        // The minimum map has kinks where no direction descends: impacts of several bodies find them.
        takes: Class {
            accuracy: Accuracy::Iterative,
            ..BOXES
        },
        reference: "Erleben 2013; Pang 1990",
        make: || Box::new(MinimumMap::default()),
    },
    Entry {
        name: "fischer",
        summary: "Newton on the Fischer–Burmeister function, plain or penalised",
        takes: BOXES,
        reference: "De Luca, Facchinei and Kanzow 1996; Chen, Chen and Kanzow 2000",
        make: || Box::new(FischerNewton::default()),
    },
];

/// Steps of Newton's method until the limits say stop.
fn newton_loop(
    problem: &Problem,
    rows: RowFunction,
    options: &NewtonOptions,
    limits: &Limits,
    impulses: &mut [f64],
    context: &mut Context,
) -> Result<Convergence, SolveError> {
    let mut monitor = Monitor::start(problem, limits, impulses, context)?;
    let mut newton = search::Newton::new(problem, rows, options)?;
    let mut velocities = context.take(problem.rows());
    newton.velocities(impulses, &mut velocities);
    let mut failures = 0;
    while monitor.goes_on_at(impulses, &velocities, context) {
        let Ok(step) = newton.step(impulses, &mut velocities) else {
            monitor.stop(Status::Stalled);
            break;
        };
        // Velocities that were only ever added to would drift from Aλ + b.
        newton.velocities(impulses, &mut velocities);
        failures = if step.after < step.before { 0 } else { failures + 1 };
        if failures == 20 {
            monitor.stop(Status::Stalled);
            break;
        }
    }
    context.give([velocities]);
    Ok(monitor.finish(impulses, context))
}

/// Improves the impulses by another method, unless that fails or can't be done.
fn improve(method: &dyn Solver, problem: &Problem, impulses: &mut [f64], context: &mut Context) {
    if problem.check_diagonal().is_err() {
        return;
    }
    let measure = std::mem::replace(&mut context.measure, Measure::Nothing);
    let mut better = context.take(impulses.len());
    better.copy_from_slice(impulses);
    let solved = method.solve(problem, &mut better, context);
    if solved.is_ok() && better.iter().all(|x| x.is_finite()) {
        impulses.copy_from_slice(&better);
    }
    context.give([better]);
    context.measure = measure;
}

/// Sweeps of Gauss–Seidel: what is wrong locally is mended locally.
fn sweeps(problem: &Problem, sweeps: usize, impulses: &mut [f64], context: &mut Context) {
    if sweeps > 0 {
        let mut method = GaussSeidel::default();
        method.projection.sweeps.iterations = sweeps;
        improve(&method, problem, impulses, context);
    }
}
