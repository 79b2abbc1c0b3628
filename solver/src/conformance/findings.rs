//! What is noted down while a case runs.

use std::fmt;

use super::subject::{Judgement, Subject};
use super::{FEWER_ITERATIONS, ITERATIONS};
use crate::error::SolveError;
use crate::problem::Problem;

/// How a case ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// All it claims was found.
    Passed,
    /// Something was not, with numbers.
    Failed(String),
    /// Something was not, and is not demanded of this solver either: how far off it is.
    Reported(String),
    /// The case asks for what the solver does not claim to do.
    NotApplicable(String),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed => f.write_str("passed"),
            Self::Failed(message) => write!(f, "failed: {message}"),
            Self::Reported(message) => write!(f, "not demanded: {message}"),
            Self::NotApplicable(why) => write!(f, "not applicable: {why}"),
        }
    }
}

/// Why a case ended before its end.
pub(super) enum Refusal {
    /// It does not apply.
    NotApplicable(String),
    /// A problem of the suite could not be built, or judged: a fault of the suite or of what it stands on.
    Broken(SolveError),
}

impl From<SolveError> for Refusal {
    fn from(error: SolveError) -> Self {
        Self::Broken(error)
    }
}

/// Ends a case that does not apply.
pub(super) fn not_applicable(why: &str) -> Refusal {
    Refusal::NotApplicable(why.into())
}

/// The worst of what was seen, and all that was wrong.
pub(super) struct Findings {
    /// Whether what is wrong is a failure.
    demanded: bool,
    pub(super) residual: Option<f64>,
    pub(super) iterations: Option<usize>,
    wrong: Vec<String>,
}

impl Findings {
    pub(super) fn new(demanded: bool) -> Self {
        Self {
            demanded,
            residual: None,
            iterations: None,
            wrong: Vec::new(),
        }
    }

    /// Notes something that is wrong, unless `right`.
    pub(super) fn expect(&mut self, right: bool, message: impl FnOnce() -> String) {
        if !right {
            self.wrong.push(message());
        }
    }

    /// Notes a number that is above its bound, or not a number.
    pub(super) fn bound(&mut self, what: &str, found: f64, bound: f64) {
        self.expect(found <= bound, || format!("{what}: {found:.1e}, allowed {bound:.0e}"));
    }

    /// Solves a problem from zero with all patience, and notes if the result is not one by the solver's own law.
    pub(super) fn solve(
        &mut self,
        subject: &Subject,
        problem: &Problem,
        what: &str,
    ) -> Result<Option<Judgement>, Refusal> {
        let judged = self.run(subject, problem);
        self.judge(subject, judged, what)
    }

    /// The same, for a kind of block that the solver may refuse by saying so.
    pub(super) fn solve_if_taken(
        &mut self,
        subject: &Subject,
        problem: &Problem,
        what: &str,
    ) -> Result<Option<Judgement>, Refusal> {
        match self.run(subject, problem) {
            Err(error @ SolveError::Unsupported { .. }) => Err(Refusal::NotApplicable(error.to_string())),
            judged => self.judge(subject, judged, what),
        }
    }

    fn run(&self, subject: &Subject, problem: &Problem) -> Result<Judgement, SolveError> {
        let iterations = if self.demanded { ITERATIONS } else { FEWER_ITERATIONS };
        subject.judge_within(iterations, problem, &vec![0.0; problem.rows()])
    }

    fn judge(
        &mut self,
        subject: &Subject,
        judged: Result<Judgement, SolveError>,
        what: &str,
    ) -> Result<Option<Judgement>, Refusal> {
        let judgement = match judged {
            Ok(judgement) => judgement,
            Err(error) => {
                self.wrong.push(format!("{what}: {error}"));
                return Ok(None);
            }
        };
        self.note(&judgement);
        let tolerance = subject.tolerance();
        self.expect(judgement.residual <= tolerance, || {
            format!(
                "{what}: a residual of {:.1e} after {} iterations ({}), allowed {tolerance:.0e}",
                judgement.residual, judgement.report.iterations, judgement.report.status
            )
        });
        Ok(Some(judgement))
    }

    fn note(&mut self, judgement: &Judgement) {
        let worst = self.residual.unwrap_or(0.0);
        // A NaN stays.
        if judgement.residual > worst || judgement.residual.is_nan() || self.residual.is_none() {
            self.residual = Some(judgement.residual);
        }
        self.iterations = self.iterations.max(Some(judgement.report.iterations));
    }

    pub(super) fn outcome(self, end: Result<(), Refusal>) -> Outcome {
        let mut wrong = self.wrong;
        match end {
            Err(Refusal::NotApplicable(why)) => return Outcome::NotApplicable(why),
            Err(Refusal::Broken(error)) => wrong.push(format!("the case itself is broken: {error}")),
            Ok(()) => {}
        }
        let Some(first) = wrong.first() else {
            return Outcome::Passed;
        };
        let message = match wrong.len() {
            1 => first.clone(),
            count => format!("{first} (and {} more)", count - 1),
        };
        if self.demanded {
            Outcome::Failed(message)
        } else {
            Outcome::Reported(message)
        }
    }
}

/// The largest absolute difference; a NaN stays one.
pub(super) fn distance(a: &[f64], b: &[f64]) -> f64 {
    let mut largest = 0.0;
    for (a, b) in a.iter().zip(b) {
        let difference = (a - b).abs();
        if difference > largest || difference.is_nan() {
            largest = difference;
        }
    }
    largest
}
