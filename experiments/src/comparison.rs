//! What a comparison shows: one column a measure, declared once for the table and for `comparison.csv`.

use std::path::Path;

use crate::error::Error;
use crate::execute::Outcome;
use crate::metrics::Value;
use crate::quantity::{Scale, count};
use crate::steps_csv::{csv_error, finish_csv};
use crate::summary::{Statistics, Status, Summary};
use crate::table::{Align, Table};
use crate::whole_file::WholeFile;

/// The file's name.
pub const COMPARISON_CSV: &str = "comparison.csv";

/// Where a measure appears.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the file only.
    File,
    /// Also in the table.
    Table,
    /// Also in the table, with the smallest value marked.
    Ranked,
    /// The same, unless it is zero in all runs: a scene without joints needs no column for their errors.
    RankedIfAny,
}

/// One measure of a run.
pub(crate) struct Measure {
    /// The column in the file.
    pub(crate) name: &'static str,
    /// The heading in the table, in two lines.
    pub(crate) heading: [&'static str; 2],
    pub(crate) unit: &'static str,
    pub(crate) place: Place,
    pub(crate) value: fn(&Summary) -> Option<f64>,
}

const fn measure(
    place: Place,
    name: &'static str,
    heading: [&'static str; 2],
    unit: &'static str,
    value: fn(&Summary) -> Option<f64>,
) -> Measure {
    Measure {
        name,
        heading,
        unit,
        place,
        value,
    }
}

fn mean(summary: &Summary, metric: &str) -> Option<f64> {
    summary.metric(metric).and_then(Statistics::mean)
}

fn max(summary: &Summary, metric: &str) -> Option<f64> {
    summary.metric(metric).and_then(Statistics::max)
}

/// The energy drift is shown but not ranked: friction and inelastic impacts ought to lose energy. A gain is always
/// wrong without motors and moving supports.
static MEASURES: &[Measure] = &[
    measure(Place::File, "contacts_mean", ["", ""], "", |s| mean(s, "contacts")),
    measure(Place::Ranked, "iterations_mean", ["iterations", "mean"], "", |s| {
        mean(s, "iterations")
    }),
    measure(Place::File, "iterations_max", ["", ""], "", |s| max(s, "iterations")),
    measure(Place::Ranked, "residual_mean", ["residual", "mean"], "m/s", |s| {
        mean(s, "residual")
    }),
    measure(Place::File, "residual_max", ["", ""], "m/s", |s| max(s, "residual")),
    measure(Place::Ranked, "penetration_max", ["penetration", "max"], "m", |s| {
        max(s, "penetration_max")
    }),
    measure(Place::File, "penetration_mean", ["", ""], "m", |s| {
        mean(s, "penetration_mean")
    }),
    measure(
        Place::RankedIfAny,
        "joint_error_max",
        ["joint error", "max"],
        "m",
        |s| max(s, "joint_error_max"),
    ),
    measure(Place::File, "joint_angle_error_max", ["", ""], "rad", |s| {
        max(s, "joint_angle_error_max")
    }),
    measure(Place::File, "friction_violation_max", ["", ""], "N·s", |s| {
        max(s, "friction_violation")
    }),
    measure(Place::File, "energy_start", ["", ""], "J", |s| Some(s.energy.start)),
    measure(Place::File, "energy_end", ["", ""], "J", |s| Some(s.energy.end)),
    measure(Place::Table, "energy_drift", ["energy", "drift"], "J", |s| {
        Some(s.energy.drift)
    }),
    measure(Place::Ranked, "energy_gain", ["energy", "gain"], "J", |s| {
        Some(s.energy.gain)
    }),
    measure(Place::File, "collision_us_mean", ["", ""], "µs", |s| {
        mean(s, "collision_us")
    }),
    measure(Place::File, "assembly_us_mean", ["", ""], "µs", |s| {
        mean(s, "assembly_us")
    }),
    measure(Place::File, "solve_us_mean", ["", ""], "µs", |s| mean(s, "solve_us")),
    measure(Place::Ranked, "step_us_mean", ["time/step", "mean"], "µs", |s| {
        mean(s, "step_us")
    }),
];

/// The measures that appear in tables.
pub(crate) fn in_table() -> impl Iterator<Item = &'static Measure> {
    MEASURES.iter().filter(|measure| measure.place != Place::File)
}

/// The runs of one scene as a table, a row a method, the best value of each column marked with `*`.
pub fn table(outcomes: &[Outcome]) -> String {
    let shown: Vec<&Measure> = MEASURES.iter().filter(|measure| is_shown(measure, outcomes)).collect();
    let columns: Vec<Vec<String>> = shown.iter().map(|measure| column(measure, outcomes)).collect();

    let mut aligns = vec![Align::Left];
    aligns.extend(shown.iter().map(|_| Align::Right));
    aligns.push(Align::Left);
    let mut table = Table::new(aligns);
    let mut row = |first: &str, line: usize, last: &str| {
        let cells = columns.iter().map(|column| column[line].as_str());
        table.row(std::iter::once(first).chain(cells).chain([last]));
    };
    row("method", 0, "status");
    row("", 1, "");
    row("", 2, "");
    for (index, outcome) in outcomes.iter().enumerate() {
        let summary = &outcome.summary;
        let status = match &summary.message {
            Some(message) if summary.status == Status::Failed => format!("failed: {message}"),
            Some(message) => message.clone(),
            None => summary.status.name().to_owned(),
        };
        row(&summary.method, HEADING_LINES + index, &status);
    }
    table.render()
}

fn is_shown(measure: &Measure, outcomes: &[Outcome]) -> bool {
    let is_zero = |outcome: &Outcome| (measure.value)(&outcome.summary).is_none_or(|value| value == 0.0);
    match measure.place {
        Place::File => false,
        Place::Table | Place::Ranked => true,
        Place::RankedIfAny => !outcomes.iter().all(is_zero),
    }
}

/// Lines above the values: what, which statistic, and the unit.
const HEADING_LINES: usize = 3;

/// A column of the table: its heading, then a cell for each run, all in one unit.
fn column(measure: &Measure, outcomes: &[Outcome]) -> Vec<String> {
    let values: Vec<Option<f64>> = outcomes
        .iter()
        .map(|outcome| (measure.value)(&outcome.summary))
        .collect();
    let scale = Scale::fitting(measure.unit, values.iter().copied().flatten());
    let best = if matches!(measure.place, Place::Ranked | Place::RankedIfAny) {
        best(measure, outcomes)
    } else {
        None
    };
    let cell = |value: &Option<f64>, outcome: &Outcome| {
        let text = match *value {
            None => "-".to_owned(),
            Some(value) if measure.unit.is_empty() => count(value),
            Some(value) => scale.show(value),
        };
        let marked = best.is_some() && *value == best && outcome.summary.status == Status::Finished;
        format!("{text}{}", if marked { '*' } else { ' ' })
    };
    // Headings leave the same room for a mark as the values do.
    let headings = [measure.heading[0], measure.heading[1], scale.unit].map(|line| format!("{line} "));
    let cells = values.iter().zip(outcomes).map(|(value, outcome)| cell(value, outcome));
    headings.into_iter().chain(cells).collect()
}

/// The smallest value among the runs that finished, if there are several and they differ.
fn best(measure: &Measure, outcomes: &[Outcome]) -> Option<f64> {
    let finished = outcomes
        .iter()
        .filter(|outcome| outcome.summary.status == Status::Finished);
    let values: Vec<f64> = finished
        .filter_map(|outcome| (measure.value)(&outcome.summary))
        .collect();
    let smallest = values.iter().copied().reduce(f64::min)?;
    values.iter().any(|&value| value != smallest).then_some(smallest)
}

/// Writes `comparison.csv`: a row for each run so far.
pub fn write_csv(directory: &Path, outcomes: &[Outcome]) -> Result<(), Error> {
    let mut writer = csv::Writer::from_writer(WholeFile::create(directory, COMPARISON_CSV)?);
    let result = (|| {
        let fixed = ["scene", "method", "status", "message", "directory", "steps", "time"];
        writer.write_record(fixed.into_iter().chain(MEASURES.iter().map(|measure| measure.name)))?;
        for outcome in outcomes {
            let summary = &outcome.summary;
            let inside = outcome.directory.strip_prefix(directory).unwrap_or(&outcome.directory);
            let mut row = vec![
                summary.scene.clone(),
                summary.method.clone(),
                summary.status.name().to_owned(),
                summary.message.clone().unwrap_or_default(),
                inside.display().to_string(),
                Value::from(summary.steps).to_string(),
                Value::from(summary.time).to_string(),
            ];
            row.extend(
                MEASURES
                    .iter()
                    .map(|measure| Value::from((measure.value)(summary)).to_string()),
            );
            writer.write_record(row)?;
        }
        Ok(())
    })();
    result.map_err(csv_error(directory, COMPARISON_CSV))?;
    finish_csv(writer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::metrics;

    fn outcome(method: &str, status: Status, number: f64) -> Outcome {
        let mut summary = Summary::begin("wall", method, 0.0);
        let values: Vec<Value> = metrics().iter().map(|_| Value::Number(number)).collect();
        summary.add(0.01, 0.0, &values);
        summary.status = status;
        summary.message = (status == Status::Failed).then(|| "it fell over".to_owned());
        Outcome {
            summary,
            directory: "runs/x".into(),
        }
    }

    #[test]
    fn the_best_of_those_that_finished_is_marked() {
        let outcomes = [
            outcome("a", Status::Finished, 2.0),
            outcome("b", Status::Finished, 1.0),
            outcome("c", Status::Failed, 0.5),
        ];
        let table = table(&outcomes);
        let line = |method: &str| {
            table
                .lines()
                .find(|line| line.trim_start().starts_with(method))
                .unwrap()
        };
        assert!(!line("a ").contains('*'));
        assert_eq!(line("b ").matches('*').count(), 5, "{table}");
        assert!(!line("c ").contains('*'));
        assert!(line("c ").ends_with("failed: it fell over"));
    }

    #[test]
    fn joints_have_a_column_where_there_are_any() {
        let shown = |number| table(&[outcome("a", Status::Finished, number)]).contains("joint error");
        assert!(shown(1e-9));
        assert!(!shown(0.0));
    }

    #[test]
    fn equal_values_are_not_marked() {
        let outcomes = [outcome("a", Status::Finished, 1.0), outcome("b", Status::Finished, 1.0)];
        assert!(!table(&outcomes).contains('*'));
    }
}
