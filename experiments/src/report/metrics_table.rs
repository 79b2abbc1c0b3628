//! The table of all metrics: whatever [`crate::metrics`] declares and the steps hold, with mean, largest and last value of one
//! run, or mean and largest value of several.

use super::figures::Shown;
use super::html_table::{Cell, Column, Group, HtmlTable, Row};
use crate::metrics::{Metric, Role, metrics};
use crate::quantity::{Scale, count};
use crate::summary::Statistics;

/// Characters of the small line that shows the course.
const SPARKLINE: usize = 32;

/// The table of the runs of one scene, the k-th of the page.
pub fn table(runs: &[Shown<'_>], k: usize) -> HtmlTable {
    let mut columns = vec![Column::text("metric")];
    match runs {
        [_] => {
            columns.extend(["mean", "max", "last"].map(|heading| Column::number(heading, "")));
            columns.extend(["unit", "over the run", "what it is"].map(Column::text));
        }
        runs => {
            columns.push(Column::text("unit"));
            columns.extend(runs.iter().map(|shown| Column::number(&shown.label, "mean / max")));
        }
    }
    let measured = |metric: &&Metric| {
        let of_run = |shown: &Shown<'_>| {
            statistics(shown, metric)
                .and_then(Statistics::max)
                .is_some_and(|max| max != 0.0)
        };
        metric.role != Role::Index && runs.iter().any(of_run)
    };
    let rows = metrics().iter().filter(measured).map(|metric| Row {
        cells: match runs {
            [shown] => one(shown, metric),
            runs => several(runs, metric),
        },
        ..Row::default()
    });
    HtmlTable {
        id: if k == 0 {
            "metrics".into()
        } else {
            format!("metrics-{}", k + 1)
        },
        caption: "Every metric over the steps".into(),
        columns,
        groups: vec![Group {
            label: String::new(),
            rows: rows.collect(),
        }],
    }
}

fn statistics<'a>(shown: &'a Shown<'_>, metric: &Metric) -> Option<&'a Statistics> {
    shown.run.outcome.summary.metric(metric.name)
}

fn show(metric: &Metric, scale: &Scale, value: f64) -> String {
    match metric.unit {
        "" => count(value),
        _ => scale.show(value),
    }
}

fn one(shown: &Shown<'_>, metric: &Metric) -> Vec<Cell> {
    let statistics = statistics(shown, metric);
    let values = [Statistics::mean, Statistics::max, Statistics::last].map(|value| statistics.and_then(value));
    let scale = Scale::fitting(metric.unit, values.into_iter().flatten());
    let mut cells = vec![Cell::text(metric.name)];
    cells.extend(values.map(|value| Cell::number(value, |value| show(metric, &scale, value), false)));
    cells.push(Cell::text(scale.unit));
    cells.push(Cell::text(
        statistics.map_or_else(String::new, |statistics| statistics.trace.sparkline(SPARKLINE)),
    ));
    cells.push(Cell::text(metric.meaning));
    cells
}

fn several(runs: &[Shown<'_>], metric: &Metric) -> Vec<Cell> {
    let both = |shown: &Shown<'_>| {
        let statistics = statistics(shown, metric);
        (
            statistics.and_then(Statistics::mean),
            statistics.and_then(Statistics::max),
        )
    };
    let scale = Scale::fitting(metric.unit, runs.iter().filter_map(|shown| both(shown).1));
    let mut cells = vec![Cell::text(metric.name), Cell::text(scale.unit)];
    cells.extend(runs.iter().map(|shown| {
        let (mean, max) = both(shown);
        let max = max.map_or_else(|| "–".to_owned(), |max| show(metric, &scale, max));
        Cell::number(mean, |mean| format!("{} / {max}", show(metric, &scale, mean)), false)
    }));
    cells
}
