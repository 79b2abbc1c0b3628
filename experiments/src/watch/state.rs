//! The numbers of a run that are shown while it goes on: those of its last step, and the course of the residual.

use std::time::Duration;

use drystone_dynamics::StepReport;

use crate::metrics::{Value, metrics};
use crate::trace::Trace;

/// Residuals are drawn by their logarithm; what is smaller than this is rounding.
const SMALLEST_RESIDUAL: f64 = 1e-16;

/// How far a run is, and how it fares.
#[derive(Debug, Clone)]
pub struct State {
    /// Scene and method.
    pub title: String,
    /// Steps to take.
    pub steps: u64,
    /// Time step, s.
    pub dt: f64,
    /// Time since the beginning.
    pub elapsed: Duration,
    /// What the last step did, but for its records of convergence.
    pub report: StepReport,
    /// Bodies in the world.
    pub bodies: f64,
    /// Kinetic energy, J.
    pub kinetic_energy: f64,
    /// Potential energy, J.
    pub potential_energy: f64,
    /// Logarithms of the residuals so far.
    pub residuals: Trace,
    columns: [usize; 3],
}

impl State {
    /// Before the first step.
    pub fn new(title: String, steps: u64, dt: f64) -> Self {
        let column = |name: &str| metrics().iter().position(|metric| metric.name == name);
        let columns = ["bodies", "kinetic_energy", "potential_energy"];
        Self {
            title,
            steps,
            dt,
            elapsed: Duration::ZERO,
            report: StepReport::default(),
            bodies: 0.0,
            kinetic_energy: 0.0,
            potential_energy: 0.0,
            residuals: Trace::default(),
            columns: columns.map(|name| column(name).unwrap_or(usize::MAX)),
        }
    }

    /// Takes over what a step did.
    pub fn step(&mut self, report: &StepReport, values: &[Value]) {
        let value = |column: usize| values.get(column).and_then(|value| value.number()).unwrap_or(0.0);
        [self.bodies, self.kinetic_energy, self.potential_energy] = self.columns.map(value);
        if let Some(residual) = report.residual {
            self.residuals.push(residual.max(SMALLEST_RESIDUAL).log10());
        }
        // The records of convergence are long, and not shown.
        self.report = StepReport {
            convergence: Vec::new(),
            ..*report
        };
    }

    /// The share of the steps that is done.
    pub fn share(&self) -> f64 {
        self.report.step as f64 / self.steps.max(1) as f64
    }

    /// Seconds left if the rest goes as the steps so far did.
    pub fn left(&self) -> Option<f64> {
        let done = self.report.step;
        let left = self.steps.saturating_sub(done);
        (done > 0).then(|| self.elapsed.as_secs_f64() / done as f64 * left as f64)
    }
}
