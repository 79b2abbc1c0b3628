//! What surrounds the iterations of every method but the sweeps: the start, the stopping test on the common residual,
//! limits of count and time, the cancel flag, the record, and the best impulses seen.
//!
//! ```text
//! let mut monitor = Monitor::start(problem, &self.limits, impulses, context)?;
//! while monitor.goes_on(impulses, context) {
//!     … one iteration on `impulses` …
//! }
//! Ok(monitor.finish(impulses, context))
//! ```
//!
//! Methods that do not descend monotonically end with the best impulses they met, not with the last.

use std::time::{Duration, Instant};

use crate::choices;
use crate::error::SolveError;
use crate::options;
use crate::problem::Problem;
use crate::residual;
use crate::solve::{Context, Convergence, Measure, Status};

choices! {
    /// Which of the common residuals a tolerance is compared with.
    pub enum Criterion {
        /// The natural residual of the worst block, m/s.
        Natural = "natural",
        /// FCLIB's relative error over all rows.
        Relative = "relative",
    }
}

impl Criterion {
    /// That residual, from the velocities `w = Aλ + b`.
    pub(crate) fn residual(self, problem: &Problem, impulses: &[f64], velocities: &[f64]) -> f64 {
        match self {
            Self::Natural => residual::natural(problem, impulses, velocities),
            Self::Relative => residual::relative(problem, impulses, velocities),
        }
    }
}

/// When a number of seconds is over, counted from now; 0 is no limit.
pub(crate) fn deadline(seconds: f64) -> Option<Instant> {
    (seconds > 0.0).then(|| Instant::now() + Duration::from_secs_f64(seconds.min(1e9)))
}

options! {
    /// When an iterative method stops, and where it starts.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Limits {
        /// Iterations at most.
        pub iterations: usize = 100,
        /// Stop when the residual is at most this, m/s or relative as `criterion` says; 0 goes on until nothing is left.
        pub tolerance: f64 = 1e-10,
        /// Which residual that is: of the worst block in m/s, or relative over all rows.
        pub criterion: Criterion = Criterion::Natural,
        /// Seconds at most; 0 for no limit. With a limit the result depends on the machine.
        pub time_limit: f64 = 0.0,
        /// Factor on the impulses of the last step as a start; 0 starts cold.
        pub warm_start: f64 = 1.0,
    }
    validate(limits) {
        if limits.iterations == 0 {
            return Err("iterations must be 1 or more".into());
        }
        for (name, value) in [
            ("tolerance", limits.tolerance),
            ("time-limit", limits.time_limit),
            ("warm-start", limits.warm_start),
        ] {
            if value < 0.0 {
                return Err(format!("{name} must be 0 or more"));
            }
        }
        Ok(())
    }
}

impl Limits {
    /// The defaults with another number of iterations.
    pub fn of(iterations: usize) -> Self {
        Self {
            iterations,
            ..Self::default()
        }
    }

    /// The residual that the tolerance is compared with, from the velocities `w = Aλ + b`.
    pub fn residual(&self, problem: &Problem, impulses: &[f64], velocities: &[f64]) -> f64 {
        self.criterion.residual(problem, impulses, velocities)
    }

    /// When the time is up, counted from now.
    pub fn deadline(&self) -> Option<Instant> {
        deadline(self.time_limit)
    }
}

/// Where rounding of the velocities is larger than this, m/s, a residual that is smaller says nothing.
const MEANINGLESS: f64 = 1e-6;

/// A residual that is to replace the best one is smaller by this factor, or solves the problem.
const NOTICEABLY: f64 = 0.9999;

/// Watches over one solve. See the module's text.
#[derive(Debug)]
pub struct Monitor<'a> {
    problem: &'a Problem,
    limits: &'a Limits,
    deadline: Option<Instant>,
    report: Convergence,
    started: bool,
    ended: Option<Status>,
    /// The latest residual of the limits' criterion.
    residual: f64,
    best_residual: f64,
    best: Vec<f64>,
    /// The residual when it last fell by a tenth, and the iteration.
    landmark: (f64, usize),
    velocities: Vec<f64>,
    /// The operator's, so that measuring allocates nothing.
    state: Vec<f64>,
}

impl<'a> Monitor<'a> {
    /// Checks the problem and the start, and applies the warm start's factor.
    pub fn start(
        problem: &'a Problem,
        limits: &'a Limits,
        impulses: &mut [f64],
        context: &mut Context,
    ) -> Result<Self, SolveError> {
        problem.validate_start(impulses)?;
        impulses.iter_mut().for_each(|x| *x *= limits.warm_start);
        Ok(Self {
            problem,
            limits,
            deadline: limits.deadline(),
            report: Convergence::default(),
            started: false,
            ended: None,
            residual: f64::INFINITY,
            best_residual: f64::INFINITY,
            best: context.take(problem.rows()),
            landmark: (f64::INFINITY, 0),
            velocities: context.take(problem.rows()),
            state: context.take(problem.operator.as_delassus().state_len()),
        })
    }

    /// To be called before every iteration: measures the impulses, and tells whether there is to be one more.
    pub fn goes_on(&mut self, impulses: &[f64], context: &Context) -> bool {
        let mut velocities = std::mem::take(&mut self.velocities);
        self.problem.velocities_with(impulses, &mut self.state, &mut velocities);
        let goes_on = self.goes_on_at(impulses, &velocities, context);
        self.velocities = velocities;
        goes_on
    }

    /// The same for methods that have the velocities `w = Aλ + b` of these impulses at hand.
    pub fn goes_on_at(&mut self, impulses: &[f64], velocities: &[f64], context: &Context) -> bool {
        if self.started {
            self.report.iterations += 1;
            self.report.row_updates += self.problem.rows() as u64;
        }
        self.started = true;
        self.residual = self.limits.residual(self.problem, impulses, velocities);
        // Joints that contradict each other make impulses grow without end while the residual stays, until rounding is as
        // large as velocities: what is hardly better is not taken, and beyond a size nothing is believed.
        let solved = self.residual <= self.limits.tolerance;
        let better = self.residual < NOTICEABLY * self.best_residual || solved && self.residual < self.best_residual;
        let meaningless = better && self.has_blown_up(impulses);
        if better && !meaningless {
            self.best_residual = self.residual;
            self.best.copy_from_slice(impulses);
        }
        if self.residual < 0.9 * self.landmark.0 {
            self.landmark = (self.residual, self.report.iterations);
        }
        if context.measure == Measure::EveryIteration {
            self.report.history.push(match self.limits.criterion {
                Criterion::Natural => self.residual,
                Criterion::Relative => residual::natural(self.problem, impulses, velocities),
            });
        }
        if self.ended.is_none() {
            self.ended = if meaningless {
                Some(Status::Stalled)
            } else {
                self.verdict(context)
            };
        }
        self.ended.is_none()
    }

    /// Whether a row's impulse alone would move it so fast that rounding is [`MEANINGLESS`].
    fn has_blown_up(&self, impulses: &[f64]) -> bool {
        let operator = self.problem.operator.as_delassus();
        (0..impulses.len()).any(|row| f64::EPSILON * (operator.diagonal(row) * impulses[row]).abs() > MEANINGLESS)
    }

    /// The same for iterations too cheap to be measured one by one: counts, and looks at the limits and the cancel flag.
    pub fn goes_on_unmeasured(&mut self, context: &Context) -> bool {
        self.report.iterations += 1;
        self.report.row_updates += self.problem.rows() as u64;
        self.residual = f64::INFINITY;
        if self.ended.is_none() {
            self.ended = self.verdict(context);
        }
        self.ended.is_none()
    }

    /// Adds the residual of these impulses to the history, for iterations that are not measured otherwise.
    pub fn record(&mut self, impulses: &[f64]) {
        self.problem.velocities(impulses, &mut self.velocities);
        let natural = residual::natural(self.problem, impulses, &self.velocities);
        self.report.history.push(natural);
    }

    fn verdict(&self, context: &Context) -> Option<Status> {
        if context.cancelled() {
            Some(Status::Cancelled)
        } else if self.residual <= self.limits.tolerance {
            Some(Status::Converged)
        } else if self.report.iterations >= self.limits.iterations {
            Some(Status::IterationLimit)
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(Status::TimeLimit)
        } else {
            None
        }
    }

    /// Ends the solve before its time: the method knows that it can go no further.
    pub fn stop(&mut self, status: Status) {
        self.ended = Some(status);
    }

    /// The residual measured last, of the limits' criterion.
    pub fn residual(&self) -> f64 {
        self.residual
    }

    /// Whether time is up or the solve was cancelled: for methods with long inner loops.
    pub fn interrupted(&self, context: &Context) -> bool {
        context.cancelled() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// For how many iterations the residual has not fallen by a tenth below its best: rounding, or a standstill.
    pub fn standstill(&self) -> usize {
        self.report.iterations - self.landmark.1
    }

    /// Counts work beyond one update of every row an iteration.
    pub fn add_work(&mut self, row_updates: u64) {
        self.report.row_updates += row_updates;
    }

    /// Leaves the best impulses seen, and the record.
    pub fn finish(mut self, impulses: &mut [f64], context: &mut Context) -> Convergence {
        if self.best_residual.is_finite() {
            impulses.copy_from_slice(&self.best);
        }
        self.report.status = self.ended.unwrap_or_default();
        if self.best_residual <= self.limits.tolerance && self.report.status != Status::Cancelled {
            self.report.status = Status::Converged;
        }
        if context.measure != Measure::Nothing {
            self.problem
                .velocities_with(impulses, &mut self.state, &mut self.velocities);
            self.report.residual = Some(residual::natural(self.problem, impulses, &self.velocities));
        }
        context.give([self.best, self.velocities, self.state]);
        self.report
    }
}
