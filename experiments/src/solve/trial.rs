//! One solver on one problem: timed without measuring anything else, judged by the residual of what it returned.
//!
//! A solver's word is not taken: it has converged if the residual computed here from problem and impulses says so.

use std::time::Instant;

use drystone_solver::registry::FrictionLaw;
use drystone_solver::{Context, Convergence, Criterion, Measure, Problem, Residuals, SolveError};
use serde::Serialize;

use super::limits::{Limits, PreparedSolver};
use super::watchdog::Watchdog;
use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::quantity::number;

/// The rounding of a residual computed a second time in another order.
const ROUNDING: f64 = 1e-6;

/// What became of a solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The residual is within the tolerance.
    Converged,
    /// The solver says it has converged, but not to what was asked.
    NotConverged,
    /// It did all the iterations it was allowed.
    IterationLimit,
    /// Its time was up.
    TimeLimit,
    /// It can't get any further.
    Stalled,
    /// It met an unbounded ray.
    RayTermination,
    /// Somebody stopped it.
    Interrupted,
    /// What it returned is not finite.
    Diverged,
    /// It does not take this kind of problem.
    Unsupported,
    /// It refused the problem.
    Failed,
    /// The file could not be read.
    Unreadable,
}

impl Status {
    /// As files show it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::NotConverged => "not-converged",
            Self::IterationLimit => "iteration-limit",
            Self::TimeLimit => "time-limit",
            Self::Stalled => "stalled",
            Self::RayTermination => "ray-termination",
            Self::Interrupted => "interrupted",
            Self::Diverged => "diverged",
            Self::Unsupported => "unsupported",
            Self::Failed => "failed",
            Self::Unreadable => "unreadable",
        }
    }

    /// Whether the solver failed, rather than came as far as it could.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Diverged | Self::Unsupported | Self::Failed)
    }
}

/// What a solver did to a problem.
#[derive(Debug, Clone)]
pub struct Trial {
    /// How it ended, by our own measure.
    pub status: Status,
    /// What there is to say about that.
    pub message: String,
    /// Iterations.
    pub iterations: usize,
    /// Every measure of what it returned.
    pub residuals: Residuals,
    /// `w = Aλ + b` of that.
    pub velocities: Vec<f64>,
    /// The time of every repetition, ascending.
    pub seconds: Vec<f64>,
    /// The natural residual at the start and after every iteration, if it was to be recorded.
    pub history: Vec<f64>,
}

/// How a trial is made.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'a> {
    /// What counts as solved, and when to stop.
    pub limits: Limits,
    /// How often the solve is timed.
    pub repeat: usize,
    /// Whether to solve once more with the residual measured after every iteration.
    pub record: bool,
    /// Who may stop it.
    pub interrupt: &'a Interrupt,
}

/// Why there is nothing to judge.
pub type Refusal = (Status, String);

/// Runs a solver on a problem from a given start.
pub fn attempt(
    solver: &PreparedSolver,
    problem: &Problem,
    start: &[f64],
    settings: &Settings<'_>,
) -> Result<Trial, Refusal> {
    let method = solver
        .make()
        .map_err(|error: Error| (Status::Failed, error.to_string()))?;
    let refused = |error: SolveError| match error {
        SolveError::Unsupported { .. } => (Status::Unsupported, error.to_string()),
        _ => (Status::Failed, error.to_string()),
    };
    // One that keeps the time itself stops tidily; the watchdog is for the others, and for long iterations.
    let patience = if solver.keeps_time { 1.05 } else { 1.0 };
    let mut context = Context::default();
    let mut impulses = start.to_vec();
    let mut seconds = Vec::with_capacity(settings.repeat);
    let mut run = |measure: Measure, patience: f64, impulses: &mut Vec<f64>| {
        let dog = Watchdog::start(patience * settings.limits.time_limit, settings.interrupt);
        context.measure = measure;
        context.cancel = Some(dog.flag());
        impulses.copy_from_slice(start);
        let clock = Instant::now();
        let report = method.solve(problem, impulses, &mut context);
        Ok((report.map_err(refused)?, clock.elapsed().as_secs_f64(), dog.was_late()))
    };

    let (mut report, first, mut late) = run(Measure::Nothing, patience, &mut impulses)?;
    seconds.push(first);
    while seconds.len() < settings.repeat && !late && !settings.interrupt.requested() {
        let (again, took, was_late) = run(Measure::Nothing, patience, &mut impulses)?;
        (report, late) = (again, was_late);
        seconds.push(took);
    }
    let mut history = Vec::new();
    if settings.record && !settings.interrupt.requested() {
        // Measuring takes about as long as iterating.
        let mut measured = start.to_vec();
        history = run(Measure::EveryIteration, 3.0, &mut measured)?.0.history;
    }
    seconds.sort_by(f64::total_cmp);

    let mut velocities = vec![0.0; problem.rows()];
    problem.velocities(&impulses, &mut velocities);
    let residuals = Residuals::at(problem, &impulses, &velocities);
    let (status, message) = verdict(solver, &report, &residuals, &settings.limits, late);
    Ok(Trial {
        status,
        message,
        iterations: report.iterations,
        residuals,
        velocities,
        seconds,
        history,
    })
}

impl Limits {
    /// The residual that the tolerance is for.
    pub fn measure(&self, residuals: &Residuals) -> f64 {
        match self.criterion {
            Criterion::Natural => residuals.natural,
            Criterion::Relative => residuals.relative,
        }
    }

    /// Whether residuals are small enough.
    pub fn are_met_by(&self, residuals: &Residuals) -> bool {
        self.measure(residuals) <= self.tolerance * (1.0 + ROUNDING)
    }
}

fn verdict(
    solver: &PreparedSolver,
    report: &Convergence,
    residuals: &Residuals,
    limits: &Limits,
    late: bool,
) -> (Status, String) {
    use drystone_solver::Status as Claim;
    let residual = limits.measure(residuals);
    if !residuals.natural.is_finite() || !residual.is_finite() {
        return (
            Status::Diverged,
            "its impulses are not finite, or their residual is not".into(),
        );
    }
    if limits.are_met_by(residuals) {
        return (Status::Converged, String::new());
    }
    let status = match report.status {
        Claim::Cancelled if late => Status::TimeLimit,
        Claim::Cancelled => Status::Interrupted,
        Claim::Converged => Status::NotConverged,
        Claim::IterationLimit => Status::IterationLimit,
        Claim::TimeLimit => Status::TimeLimit,
        Claim::Stalled => Status::Stalled,
        Claim::Ray => Status::RayTermination,
    };
    let message = match (status, law(solver.friction)) {
        (Status::NotConverged, Some(law)) => {
            format!("it solves {law}; of Coulomb's law the residual is {}", number(residual))
        }
        (Status::NotConverged, None) => {
            format!("it stopped by a test of its own at a residual of {}", number(residual))
        }
        _ => String::new(),
    };
    (status, message)
}

/// What a solver puts in the place of Coulomb's law.
fn law(friction: FrictionLaw) -> Option<&'static str> {
    match friction {
        FrictionLaw::Coulomb | FrictionLaw::None => None,
        FrictionLaw::Relaxed => Some("the convex relaxation"),
        FrictionLaw::Pyramid => Some("a friction pyramid"),
        FrictionLaw::Box => Some("box friction"),
    }
}
