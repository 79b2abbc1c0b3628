//! The pictures of `drystone solve`: the performance profile, and errors against times.

use std::path::Path;

use super::limits::Limits;
use super::rows::Row;
use crate::error::Error;
use crate::plot::{Axis, Mark, Plot, Series, performance_profile};
use crate::whole_file::write_text;
use drystone_solver::Criterion;

/// The performance profile.
pub const PROFILE_SVG: &str = "profile.svg";
/// Errors against times.
pub const RESIDUAL_TIME_SVG: &str = "residual-time.svg";

/// Times below this are equal: a clock read twice differs by about as much.
const RESOLUTION: f64 = 1e-6;

/// The costs of every solver on every problem that could be read: `costs[solver][problem]`. A problem is as many rows as
/// there are solvers, in their order; one that was interrupted has fewer.
pub fn costs(solvers: usize, problems: &[Vec<Row>]) -> Vec<Vec<Option<f64>>> {
    let of_solver = |solver: usize| {
        problems
            .iter()
            .map(|rows| rows.get(solver).and_then(Row::cost))
            .collect()
    };
    (0..solvers).map(of_solver).collect()
}

/// Writes both.
pub fn write(directory: &Path, solvers: &[String], problems: &[Vec<Row>], limits: &Limits) -> Result<(), Error> {
    let costs = costs(solvers.len(), problems);
    let profiles = performance_profile(&costs, RESOLUTION);
    let measure = measure_name(limits.criterion);
    let tolerance = exact(limits.tolerance);
    let reach = profiles
        .iter()
        .flat_map(|profile| &profile.points)
        .map(|point| point.0)
        .fold(1.0, f64::max);
    let series = solvers.iter().zip(profiles).map(|(solver, profile)| Series {
        label: solver.clone(),
        mark: Mark::Steps,
        points: profile.points,
    });
    let profile = Plot {
        title: "Performance profile".into(),
        subtitle: format!(
            "share of {} solved to {measure} ≤ {tolerance} within τ times the best solver's time",
            problem_count(problems.len())
        ),
        x: Axis {
            range: Some((1.0, (1.2 * reach).max(2.0))),
            ..Axis::log("τ, time relative to the best solver")
        },
        y: Axis {
            // Lines at 0 and 1 keep off the frame.
            range: Some((-0.03, 1.03)),
            ..Axis::linear("share of problems")
        },
        series: series.collect(),
    };
    write_text(directory, PROFILE_SVG, &profile.render())?;

    let residual = |row: &Row| match limits.criterion {
        Criterion::Relative => row.relative,
        Criterion::Natural => row.natural,
    };
    let series = solvers.iter().enumerate().map(|(solver, name)| {
        let rows = problems.iter().filter_map(|rows| rows.get(solver));
        Series {
            label: name.clone(),
            mark: Mark::Points,
            points: rows.filter_map(|row| Some((row.seconds?, residual(row)?))).collect(),
        }
    });
    let scatter = Plot {
        title: "Residual against time".into(),
        subtitle: format!(
            "a point for each of {}; solved is {measure} ≤ {tolerance}",
            problem_count(problems.len())
        ),
        x: Axis::log("time, s"),
        y: Axis::log(match limits.criterion {
            Criterion::Relative => "relative error e",
            Criterion::Natural => "natural residual, m/s",
        }),
        series: series.collect(),
    };
    write_text(directory, RESIDUAL_TIME_SVG, &scatter.render())
}

/// As it stands beside a number.
pub fn measure_name(criterion: Criterion) -> &'static str {
    match criterion {
        Criterion::Relative => "e",
        Criterion::Natural => "natural residual",
    }
}

/// A number as it was typed: `1e-8`, `0.01`.
pub fn exact(value: f64) -> String {
    if (1e-3..1e6).contains(&value) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// `1 problem`, `7 problems`.
pub fn problem_count(count: usize) -> String {
    format!("{count} problem{}", if count == 1 { "" } else { "s" })
}
