//! The picture of a fit: the steps of the first run of every combination whose steps are known, and the straight line through
//! them.

use super::columns::{Column, Place};
use super::file::Experiment;
use super::tables::Combination;
use super::work::Finished;
use crate::metrics::metrics;
use crate::plot::{Axis, Mark, Plot, Series};
use crate::run_directory::file_name;

/// The name of the picture of a fit beside a page: `tower-linear-in-contacts.svg`.
pub fn picture_name(page_stem: &str, fit: &str) -> String {
    format!("{page_stem}-{}.svg", file_name(fit))
}

/// The picture of a fit, as SVG.
pub fn picture(
    experiment: &Experiment,
    fit: usize,
    columns: &[Column],
    combinations: &[Combination<'_>],
    finished: &[Finished],
) -> String {
    let declared = &experiment.fits[fit];
    let at = columns
        .iter()
        .position(|column| column.place == Place::Fit(fit))
        .unwrap_or(0);
    let series = combinations.iter().filter_map(|combination| {
        let (row, points) = combination.rows().find_map(|row| {
            // Rows are in the order of their runs.
            let at = finished.binary_search_by_key(&row.run.run, |finished| finished.row.run.run);
            let points = finished[at.ok()?].points.get(fit)?;
            Some((row, points))
        })?;
        let mark = match row.value(at).zip(row.value(at + 1)) {
            Some((slope, intercept)) => Mark::Fit { slope, intercept },
            None => Mark::Points,
        };
        Some(Series {
            label: combination.label(),
            mark,
            points: points.clone(),
        })
    });
    let (x, y) = (&metrics()[declared.x], &metrics()[declared.y]);
    let minus = declared
        .minus
        .map_or_else(String::new, |metric| format!(" − {}", metrics()[metric].name));
    let with_unit = |name: String, unit: &str| {
        if unit.is_empty() {
            name
        } else {
            format!("{name}, {unit}")
        }
    };
    Plot {
        title: declared.name.clone(),
        subtitle: format!(
            "{}; steps of the first run of each, with a line of least squares",
            experiment.title
        ),
        x: Axis::linear(with_unit(x.name.to_owned(), x.unit)),
        y: Axis::linear(with_unit(format!("{}{minus}", y.name), y.unit)),
        series: series.collect(),
    }
    .render()
}
