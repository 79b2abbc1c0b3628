//! What is measured, declared once in `metrics/declared.rs`: each metric with its name, its unit, its meaning, its formula, and the
//! code that computes it.
//!
//! `steps.csv` has one column a metric in this order, summaries gather them, the table of a run shows the headlines, plots
//! draw them, and `drystone list metrics` prints this list, with `--markdown` as the page `docs/metrics.md`. The order and
//! the names of the columns are stable: new ones go to the end.

mod declared;
pub mod page;

use std::fmt;
use std::time::Duration;

use drystone_dynamics::{StepReport, World};

/// A finished step: the world after it, and what the stepper reported.
#[derive(Debug, Clone, Copy)]
pub struct Observation<'a> {
    /// The world at the end of the step.
    pub world: &'a World,
    /// What the step did.
    pub report: &'a StepReport,
}

/// A measured value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// A whole number.
    Count(u64),
    /// A number.
    Number(f64),
    /// It was not measured.
    Missing,
}

impl Value {
    /// The value as a number, if there is one.
    pub fn number(self) -> Option<f64> {
        match self {
            Self::Count(count) => Some(count as f64),
            Self::Number(number) => Some(number),
            Self::Missing => None,
        }
    }
}

impl fmt::Display for Value {
    /// The shortest text that reads back as the same number; nothing for a missing value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => count.fmt(f),
            // `Debug` has exponents for the very large and the very small, `Display` writes out their zeros.
            Self::Number(number) => write!(f, "{number:?}"),
            Self::Missing => Ok(()),
        }
    }
}

impl From<usize> for Value {
    fn from(count: usize) -> Self {
        Self::Count(count as u64)
    }
}

impl From<u64> for Value {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<Option<f64>> for Value {
    fn from(number: Option<f64>) -> Self {
        number.map_or(Self::Missing, Self::Number)
    }
}

impl From<Duration> for Value {
    /// Microseconds.
    fn from(duration: Duration) -> Self {
        Self::Number(duration.as_nanos() as f64 / 1e3)
    }
}

/// Where a metric appears besides `steps.csv`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It says which step it is; there is nothing to summarise.
    Index,
    /// In summaries.
    Recorded,
    /// In summaries and in the table that a run prints.
    Headline,
    /// The same, unless it was zero all the time.
    HeadlineIfAny,
}

/// Where a figure of a run appears when runs are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the file only.
    File,
    /// Also in the table.
    Table,
    /// Also in the table, with the smallest value marked.
    Ranked,
    /// The same, unless it is zero in all runs: a scene without joints needs no column for their errors.
    RankedIfAny,
}

/// What becomes of the steps of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statistic {
    /// Their mean.
    Mean,
    /// Their largest.
    Max,
}

impl Statistic {
    /// The end of a column's name, and the second line of a heading.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Max => "max",
        }
    }
}

/// One figure that a run is compared by: a statistic of a metric over the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compared {
    /// Which.
    pub statistic: Statistic,
    /// Where it appears.
    pub place: Place,
    /// What the table calls the metric; empty for what is in the file only.
    pub label: &'static str,
}

impl Compared {
    const fn mean() -> Self {
        Self::in_file(Statistic::Mean)
    }

    const fn max() -> Self {
        Self::in_file(Statistic::Max)
    }

    const fn in_file(statistic: Statistic) -> Self {
        Self {
            statistic,
            place: Place::File,
            label: "",
        }
    }

    /// Also in the table, under this name.
    const fn ranked(self, label: &'static str) -> Self {
        let place = Place::Ranked;
        Self { place, label, ..self }
    }

    const fn ranked_if_any(self, label: &'static str) -> Self {
        let place = Place::RankedIfAny;
        Self { place, label, ..self }
    }
}

/// What a metric is about; the page has a section for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// Which step it is.
    Step,
    /// How much there is to solve.
    Size,
    /// How the solver fared.
    Solver,
    /// What is left of errors that should not be there.
    Error,
    /// Quantities with laws of conservation.
    Conserved,
    /// What the machine took.
    Time,
}

impl Subject {
    /// All of them, in the order of the page.
    pub const ALL: [Self; 6] = [
        Self::Step,
        Self::Size,
        Self::Solver,
        Self::Error,
        Self::Conserved,
        Self::Time,
    ];

    /// The heading of its section.
    pub fn title(self) -> &'static str {
        match self {
            Self::Step => "Which step",
            Self::Size => "How much there is to solve",
            Self::Solver => "How the solver fared",
            Self::Error => "Errors",
            Self::Conserved => "Energy and momentum",
            Self::Time => "Time",
        }
    }
}

/// When in a step something is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// After contacts were found, before anything is solved.
    Beginning,
    /// When the solvers are done.
    AfterSolve,
    /// When bodies have moved and errors were projected away.
    End,
    /// Over the step.
    Whole,
}

impl Moment {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Beginning => "at the beginning of the step, when contacts were found",
            Self::AfterSolve => "after the solve",
            Self::End => "at the end of the step",
            Self::Whole => "over the step",
        }
    }
}

/// Where something is computed: a function in a file of this project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// The file, from the root of the project.
    pub file: &'static str,
    /// The function.
    pub function: &'static str,
}

/// One metric.
#[derive(Clone, Copy)]
pub struct Metric {
    /// The name of its column.
    pub name: &'static str,
    /// Its unit; empty for counts.
    pub unit: &'static str,
    /// What it is, in one line.
    pub meaning: &'static str,
    /// How it is computed.
    pub formula: &'static str,
    /// When.
    pub moment: Moment,
    /// By what.
    pub code: Code,
    /// What it is about.
    pub subject: Subject,
    /// Where it appears.
    pub role: Role,
    /// The plot over the run that it is drawn in, by title; those with the same title share one. Empty for none.
    pub chart: &'static str,
    /// The figures of a run that are made of it, for `comparison.csv`, tables of methods and standard columns of sweeps.
    pub compared: &'static [Compared],
    value: fn(&Observation<'_>) -> Value,
}

impl Metric {
    /// Its value for a step.
    pub fn value(&self, observation: &Observation<'_>) -> Value {
        (self.value)(observation)
    }

    /// Whether it measures the machine rather than the physics, so that two equal runs differ in it.
    pub fn is_time_taken(&self) -> bool {
        self.unit == "µs"
    }
}

impl fmt::Debug for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metric")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// All metrics, in the order of the columns.
pub fn metrics() -> &'static [Metric] {
    declared::METRICS
}

/// A metric by name.
pub fn find(name: &str) -> Option<&'static Metric> {
    metrics().iter().find(|metric| metric.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_are_those_promised() {
        let names: Vec<_> = metrics().iter().map(|metric| metric.name).collect();
        assert_eq!(
            names.join(", "),
            "step, time, bodies, sleeping, contacts, rows, groups, largest_group, layers, iterations, residual, \
             penetration_max, penetration_mean, joint_error_max, friction_violation, kinetic_energy, \
             potential_energy, momentum_x, momentum_y, momentum_z, collision_us, assembly_us, solve_us, step_us, \
             joint_angle_error_max, limit_violation_max, joints_off, row_updates"
        );
    }

    #[test]
    fn values_are_written_so_that_they_read_back_the_same() {
        for number in [0.1 + 0.2, 1e-300, -1.0 / 3.0, 6.02e23, 0.0] {
            let text = Value::Number(number).to_string();
            assert_eq!(text.parse::<f64>().unwrap(), number);
            assert!(text.len() < 25, "{text}");
        }
        assert_eq!(Value::Missing.to_string(), "");
        assert_eq!(Value::Count(7).to_string(), "7");
    }

    #[test]
    fn times_are_in_microseconds() {
        assert_eq!(Value::from(Duration::from_nanos(1500)), Value::Number(1.5));
    }
}
