//! The table of methods: a row a run, the measures of [`crate::comparison`], the best of each scene marked.

use super::figures::Shown;
use super::html_table::{Cell, Column, Group, HtmlTable, Row};
use crate::comparison::{Measure, best, in_table, is_shown};
use crate::quantity::{Scale, count};
use crate::summary::Status;

/// The table of some scenes.
pub fn table(scenes: &[Vec<Shown<'_>>]) -> HtmlTable {
    let outcomes = || scenes.iter().flatten().map(|shown| &shown.run.outcome);
    let measures: Vec<(&Measure, Scale)> = in_table()
        .filter(|measure| is_shown(measure, outcomes()))
        .map(|measure| {
            let values = outcomes().filter_map(|outcome| (measure.value)(&outcome.summary));
            (measure, Scale::fitting(measure.unit, values))
        })
        .collect();
    let mut columns = vec![Column::text("method")];
    let headings = measures.iter();
    columns.extend(headings.map(|(measure, scale)| Column::number(&measure.heading.join(" "), scale.unit)));
    columns.push(Column::text("status"));
    let group = |scene: &Vec<Shown<'_>>| Group {
        label: match scenes.len() {
            1 => String::new(),
            _ => scene
                .first()
                .map_or_else(String::new, |shown| shown.run.scene().to_owned()),
        },
        rows: scene.iter().map(|shown| row(shown, scene, &measures)).collect(),
    };
    HtmlTable {
        id: "methods".into(),
        caption: match scenes.iter().map(Vec::len).sum::<usize>() {
            1 => "The run in a few numbers".into(),
            _ => "Methods; sort by any column".into(),
        },
        columns,
        groups: scenes.iter().map(group).collect(),
    }
}

fn row(shown: &Shown<'_>, scene: &[Shown<'_>], measures: &[(&Measure, Scale)]) -> Row {
    let summary = &shown.run.outcome.summary;
    let finished = summary.status == Status::Finished;
    let mut cells = vec![Cell::text(&shown.label)];
    for (measure, scale) in measures {
        let value = (measure.value)(summary).filter(|_| summary.steps > 0);
        let best = best(measure, scene.iter().map(|shown| &shown.run.outcome));
        let show = |value: f64| match measure.unit {
            "" => count(value),
            _ => scale.show(value),
        };
        cells.push(Cell::number(value, show, finished && best.is_some() && value == best));
    }
    cells.push(Cell::text(match &summary.message {
        Some(message) => format!("{}: {message}", summary.status.name()),
        None => summary.status.name().to_owned(),
    }));
    Row {
        cells,
        style: Some(shown.style),
        failed: !finished,
    }
}
