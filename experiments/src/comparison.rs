//! What a comparison shows: one column a measure, the same in the table and in `comparison.csv`.

mod measures;

use std::path::Path;

use crate::error::Error;
use crate::execute::Outcome;
pub(crate) use crate::metrics::Place;
use crate::metrics::Value;
use crate::quantity::{Scale, count};
use crate::steps_csv::{csv_error, finish_csv};
use crate::summary::Status;
use crate::table::{Align, Table};
use crate::tone::Tone;
use crate::whole_file::WholeFile;
pub(crate) use measures::{Measure, measures};

/// The file's name.
pub const COMPARISON_CSV: &str = "comparison.csv";

/// The measures that appear in tables.
pub(crate) fn in_table() -> impl Iterator<Item = &'static Measure> {
    measures().iter().filter(|measure| measure.place != Place::File)
}

/// The runs of one scene as a table, a row a method, the best value of each column marked with `*`.
pub fn table(outcomes: &[Outcome]) -> String {
    let shown: Vec<&Measure> = measures()
        .iter()
        .filter(|measure| is_shown(measure, outcomes.iter()))
        .collect();
    let columns: Vec<Vec<String>> = shown.iter().map(|measure| column(measure, outcomes)).collect();

    let mut aligns = vec![Align::Left];
    aligns.extend(shown.iter().map(|_| Align::Right));
    aligns.push(Align::Left);
    let mut table = Table::new(aligns);
    let mut heading = |first: &str, line: usize, last: &str| {
        let cells = columns.iter().map(|column| column[line].as_str());
        table.heading(std::iter::once(first).chain(cells).chain([last]));
    };
    heading("method", 0, "status");
    heading("", 1, "");
    heading("", 2, "");
    let mut row = |first: &str, line: usize, last: &str| {
        let cells = columns.iter().map(|column| column[line].as_str());
        table.row(std::iter::once(first).chain(cells).chain([last]));
    };
    for (index, outcome) in outcomes.iter().enumerate() {
        let summary = &outcome.summary;
        let status = match &summary.message {
            Some(message) if summary.status == Status::Failed => format!("{}: {message}", Tone::Bad.paint("failed")),
            Some(message) => message.clone(),
            None => summary.status.name().to_owned(),
        };
        row(&summary.method, HEADING_LINES + index, &status);
    }
    table.render()
}

/// Whether a measure has a column in the table of these runs.
pub(crate) fn is_shown<'a>(measure: &Measure, mut runs: impl Iterator<Item = &'a Outcome>) -> bool {
    let is_zero = |outcome: &Outcome| (measure.value)(&outcome.summary).is_none_or(|value| value == 0.0);
    match measure.place {
        Place::File => false,
        Place::Table | Place::Ranked => true,
        Place::RankedIfAny => !runs.all(is_zero),
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
    let best = best(measure, outcomes.iter());
    let cell = |value: &Option<f64>, outcome: &Outcome| {
        let text = match *value {
            None => "-".to_owned(),
            Some(value) if measure.unit.is_empty() => count(value),
            Some(value) => scale.show(value),
        };
        let marked = best.is_some() && *value == best && outcome.summary.status == Status::Finished;
        if marked {
            Tone::Best.paint(&format!("{text}*"))
        } else {
            format!("{text} ")
        }
    };
    // Headings leave the same room for a mark as the values do.
    let headings = [measure.heading[0], measure.heading[1], scale.unit].map(|line| format!("{line} "));
    let cells = values.iter().zip(outcomes).map(|(value, outcome)| cell(value, outcome));
    headings.into_iter().chain(cells).collect()
}

/// The smallest value of a ranked measure among the runs that finished, if there are several and they differ.
pub(crate) fn best<'a>(measure: &Measure, runs: impl Iterator<Item = &'a Outcome>) -> Option<f64> {
    if !measure.is_ranked() {
        return None;
    }
    let finished = runs.filter(|outcome| outcome.summary.status == Status::Finished);
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
        writer.write_record(
            fixed
                .into_iter()
                .chain(measures().iter().map(|measure| measure.name.as_str())),
        )?;
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
                measures()
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
    use crate::summary::Summary;

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
        let table = crate::tone::plain(&table(&outcomes));
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
    fn the_columns_are_those_promised() {
        let names: Vec<&str> = measures().iter().map(|measure| measure.name.as_str()).collect();
        assert_eq!(
            names.join(", "),
            "contacts_mean, iterations_mean, iterations_max, residual_mean, residual_max, penetration_max, \
             penetration_mean, joint_error_max, friction_violation_max, joint_angle_error_max, energy_start, energy_end, \
             energy_drift, energy_gain, collision_us_mean, assembly_us_mean, solve_us_mean, step_us_mean"
        );
        let shown: Vec<String> = in_table().map(|measure| measure.heading.join(" ")).collect();
        assert_eq!(
            shown.join(", "),
            "iterations mean, residual mean, penetration max, joint error max, energy drift, energy gain, time/step mean"
        );
    }

    /// A metric is declared in one place; what it is compared by follows.
    #[test]
    fn every_figure_of_a_metric_is_a_measure_with_its_unit() {
        for metric in metrics() {
            for figure in metric.compared {
                let of = format!("`{}`", metric.name);
                let is_it = |measure: &&Measure| {
                    measure.formula.contains(&of) && measure.name.ends_with(figure.statistic.name())
                };
                let found: Vec<&Measure> = measures().iter().filter(is_it).collect();
                assert_eq!(found.len(), 1, "{}", metric.name);
                assert_eq!((found[0].unit, found[0].place), (metric.unit, figure.place));
                assert_eq!(figure.label.is_empty(), figure.place == Place::File, "{}", metric.name);
            }
        }
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
