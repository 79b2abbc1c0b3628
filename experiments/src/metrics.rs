//! What is measured, declared once: each metric with its name, its unit, its meaning and its formula.
//!
//! `steps.csv` has one column a metric in this order, summaries gather them, the table of a run shows the headlines, and
//! `drystone list metrics` prints this list. The order and the names of the columns are stable: new ones go to the end.

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

/// One metric.
#[derive(Clone, Copy)]
pub struct Metric {
    /// The name of its column.
    pub name: &'static str,
    /// Its unit; empty for counts.
    pub unit: &'static str,
    /// What it is, in one line.
    pub meaning: &'static str,
    /// Where it appears.
    pub role: Role,
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
    METRICS
}

/// A metric by name.
pub fn find(name: &str) -> Option<&'static Metric> {
    METRICS.iter().find(|metric| metric.name == name)
}

macro_rules! metrics {
    ($( $role:ident $name:ident [$unit:literal] $meaning:literal = |$observation:ident| $value:expr; )*) => {
        &[$( Metric {
            name: stringify!($name),
            unit: $unit,
            meaning: $meaning,
            role: Role::$role,
            value: |$observation| Value::from($value),
        } ),*]
    };
}

static METRICS: &[Metric] = metrics! {
    Index step [""] "number of the step, from 1" = |o| o.report.step;
    Index time ["s"] "simulated time at the end of the step" = |o| o.report.time;
    Recorded bodies [""] "bodies in the world, fixed and scripted ones included" = |o| o.world.bodies().len();
    HeadlineIfAny sleeping [""] "bodies asleep at the end of the step" = |o| o.report.sleeping;
    Headline contacts [""] "contact points at the beginning of the step" = |o| o.report.contacts;
    Recorded rows [""] "rows of the complementarity problems of all groups" = |o| o.report.rows;
    Headline groups [""] "groups of bodies joined by contacts or joints, each a problem of its own" = |o| o.report.groups;
    Recorded largest_group [""] "dynamic bodies in the largest group" = |o| o.report.largest_group;
    HeadlineIfAny layers [""] "stack layers that were swept; 0 if the stepper has none" = |o| o.report.layers;
    Headline iterations [""] "solver iterations, the most of any group" = |o| o.report.iterations;
    Headline residual ["m/s"] "natural residual after the solve, the largest of any group; empty if not measured"
        = |o| o.report.residual;
    Headline penetration_max ["m"] "deepest penetration at the beginning of the step" = |o| o.report.penetration_max;
    Headline penetration_mean ["m"] "mean penetration of the contact points that penetrate"
        = |o| o.report.penetration_mean;
    HeadlineIfAny joint_error_max ["m"] "largest distance between points that joints hold together, at the end of the step"
        = |o| o.report.joint_error.length;
    Headline friction_violation ["N·s"] "largest excess of the friction impulse over μ times the normal impulse"
        = |o| o.report.friction_violation;
    Headline kinetic_energy ["J"] "kinetic energy of the dynamic bodies at the end of the step"
        = |o| o.world.kinetic_energy();
    Headline potential_energy ["J"] "potential energy of the dynamic bodies, zero at the origin, and of springs"
        = |o| o.world.potential_energy();
    Recorded momentum_x ["N·s"] "linear momentum of the dynamic bodies, x" = |o| o.world.momentum().x;
    Recorded momentum_y ["N·s"] "linear momentum of the dynamic bodies, y" = |o| o.world.momentum().y;
    Recorded momentum_z ["N·s"] "linear momentum of the dynamic bodies, z" = |o| o.world.momentum().z;
    Recorded collision_us ["µs"] "time for collision detection, contact graph and groups"
        = |o| o.report.timings.collision;
    Recorded assembly_us ["µs"] "time for writing the rows, summed over groups" = |o| o.report.timings.assembly;
    Recorded solve_us ["µs"] "time for solving, residuals and projection included, summed over groups"
        = |o| o.report.timings.solve;
    Headline step_us ["µs"] "time for the whole step, by the clock on the wall" = |o| o.report.timings.step;
    Recorded joint_angle_error_max ["rad"] "largest angle by which joints are out of line, at the end of the step"
        = |o| o.report.joint_error.angle;
    HeadlineIfAny limit_violation_max ["m or rad"] "how far a joint is beyond one of its limits, at the end of the step"
        = |o| o.report.limit_violation;
    HeadlineIfAny joints_off [""] "joints that are broken or switched off" = |o| o.report.joints_off;
    Recorded row_updates [""] "rows that solvers updated, in all groups and layers: work that no clock is needed for"
        = |o| o.report.row_updates;
};

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
