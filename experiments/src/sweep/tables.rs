//! The tables of a sweep: a row for every scene with every method, with the median and the spread of each column over seeds
//! and repetitions. Runs that did not finish are counted, and named below; their values are left out.

use super::columns::{Column, Place};
use super::file::Experiment;
use super::measures::median;
use super::product::Run;
use super::results::Row;
use crate::quantity::{Scale, count};
use crate::summary::Status;
use crate::table::{Align, Table};

/// Median, smallest and largest of some values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The middle.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

impl Spread {
    /// Of some values, if there are any.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        Some(Self {
            min: *values.first()?,
            max: *values.last()?,
            median: median(values)?,
        })
    }

    /// `1.20 (1.10..1.50)`; the median alone where the others look the same.
    pub(crate) fn show(&self, show: impl Fn(f64) -> String) -> String {
        let (median, min, max) = (show(self.median), show(self.min), show(self.max));
        if min == median && max == median {
            median
        } else {
            format!("{median} ({min}..{max})")
        }
    }
}

/// The rows of one scene with one method.
#[derive(Debug)]
pub struct Combination<'a> {
    rows: Vec<&'a Row>,
}

impl<'a> Combination<'a> {
    /// Sorts rows by combination; their order stays.
    pub fn all(rows: &[&'a Row]) -> Vec<Self> {
        let mut combinations: Vec<Self> = Vec::new();
        for &row in rows {
            match combinations.last_mut() {
                Some(last) if last.run().combination == row.run.combination => last.rows.push(row),
                _ => combinations.push(Self { rows: vec![row] }),
            }
        }
        combinations
    }

    fn run(&self) -> &Run {
        &self.rows[0].run
    }

    /// Its rows in the order of their runs.
    pub fn rows(&self) -> impl Iterator<Item = &'a Row> + '_ {
        self.rows.iter().copied()
    }

    /// What tables and legends call it: what tells it from the others.
    pub fn label(&self) -> String {
        let run = self.run();
        let with = |name: &str, varying: &str| match varying {
            "" => name.to_owned(),
            _ => format!("{name} {varying}"),
        };
        let (scene, method) = (&run.scene, &run.method);
        [with(scene, &run.varying_parameters), with(method, &run.varying_options)].join(", ")
    }

    fn finished(&self) -> impl Iterator<Item = &'a Row> + '_ {
        let rows = self.rows.iter().copied();
        rows.filter(|row| row.status == Status::Finished)
    }

    fn spread(&self, column: usize) -> Option<Spread> {
        Spread::of(self.finished().filter_map(|row| row.value(column)))
    }

    /// The stop rules that ended its runs: `at rest`, or `at rest 2 of 3`.
    fn stopped_by(&self) -> String {
        let mut rules: Vec<(&str, usize)> = Vec::new();
        for row in self.finished().filter(|row| !row.stopped_by.is_empty()) {
            match rules.iter_mut().find(|(name, _)| *name == row.stopped_by) {
                Some((_, count)) => *count += 1,
                None => rules.push((&row.stopped_by, 1)),
            }
        }
        let all = self.finished().count();
        let show = |(name, count): (&str, usize)| match count == all {
            true => name.to_owned(),
            false => format!("{name} {count} of {all}"),
        };
        rules.into_iter().map(show).collect::<Vec<_>>().join(", ")
    }

    /// `3`, or `2 of 3`.
    fn runs(&self) -> String {
        match (self.finished().count(), self.rows.len()) {
            (finished, all) if finished == all => all.to_string(),
            (finished, all) => format!("{finished} of {all}"),
        }
    }
}

/// Cells, for a terminal or a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Cells {
    /// So many columns are texts.
    texts: usize,
    /// The headings, then the rows.
    lines: Vec<Vec<String>>,
}

impl Cells {
    /// For a terminal.
    pub fn text(&self) -> String {
        let columns = self.lines.first().map_or(0, Vec::len);
        let align = |column: usize| if column < self.texts { Align::Left } else { Align::Right };
        let mut table = Table::new((0..columns).map(align).collect::<Vec<_>>());
        if let Some((headings, rows)) = self.lines.split_first() {
            table.heading(headings);
            rows.iter().for_each(|row| table.row(row.iter().map(String::as_str)));
        }
        table.render()
    }

    /// For a page.
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        for (k, line) in self.lines.iter().enumerate() {
            let cells: Vec<String> = line.iter().map(|cell| crate::solve::markdown::cell(cell)).collect();
            text.push_str(&format!("| {} |\n", cells.join(" | ")));
            if k == 0 {
                let rules = (0..line.len()).map(|column| if column < self.texts { "---" } else { "---:" });
                text.push_str(&format!("|{}|\n", rules.collect::<Vec<_>>().join("|")));
            }
        }
        text
    }
}

/// The table of all columns but those of fits.
pub fn main_table(columns: &[Column], combinations: &[Combination<'_>]) -> Cells {
    let is_zero = |column: usize| {
        let rows = combinations.iter().flat_map(|combination| &combination.rows);
        rows.map(|row| row.value(column))
            .all(|value| value.is_none_or(|value| value == 0.0))
    };
    let is_shown = |(k, column): &(usize, &Column)| match column.place {
        Place::File | Place::Fit(_) => false,
        Place::Table => true,
        Place::TableIfAny => !is_zero(*k),
    };
    let shown = columns.iter().enumerate().filter(is_shown);
    let mut cells = table(
        combinations,
        shown.map(|(k, column)| (k, column, column.heading.clone())),
    );
    let stopped: Vec<String> = combinations.iter().map(Combination::stopped_by).collect();
    if stopped.iter().any(|rules| !rules.is_empty()) {
        // Beside the number of runs, as the last of the texts.
        let column = cells.texts;
        let heading = std::iter::once("stopped by".to_owned());
        for (line, text) in cells.lines.iter_mut().zip(heading.chain(stopped)) {
            line.insert(column, text);
        }
        cells.texts += 1;
    }
    cells
}

/// The table of a fit.
pub fn fit_table(fit: usize, columns: &[Column], combinations: &[Combination<'_>]) -> Cells {
    let of_fit = columns
        .iter()
        .enumerate()
        .filter(|(_, column)| column.place == Place::Fit(fit));
    let headings = ["slope", "intercept", "R²"].map(str::to_owned);
    table(
        combinations,
        of_fit.zip(headings).map(|((k, column), heading)| (k, column, heading)),
    )
}

fn table<'a>(combinations: &[Combination<'_>], columns: impl Iterator<Item = (usize, &'a Column, String)>) -> Cells {
    type Text = fn(&Run) -> &String;
    // Parameters and options have a column where any vary.
    let texts: [(&str, bool, Text); 4] = [
        ("scene", true, |run| &run.scene),
        ("parameters", false, |run| &run.varying_parameters),
        ("method", true, |run| &run.method),
        ("options", false, |run| &run.varying_options),
    ];
    let any = |text: Text| {
        combinations
            .iter()
            .any(|combination| !text(combination.run()).is_empty())
    };
    let texts: Vec<(&str, Text)> = texts
        .into_iter()
        .filter(|&(_, always, text)| always || any(text))
        .map(|(heading, _, text)| (heading, text))
        .collect();

    let mut lines = vec![
        texts
            .iter()
            .map(|(heading, _)| (*heading).to_owned())
            .collect::<Vec<_>>(),
    ];
    lines[0].push("runs".into());
    for combination in combinations {
        let mut line: Vec<String> = texts.iter().map(|(_, text)| text(combination.run()).clone()).collect();
        line.push(combination.runs());
        lines.push(line);
    }
    for (k, column, heading) in columns {
        let spreads: Vec<Option<Spread>> = combinations.iter().map(|combination| combination.spread(k)).collect();
        let ends = spreads.iter().flatten().flat_map(|spread| [spread.min, spread.max]);
        let scale = Scale::fitting(column.base_unit, ends);
        let unit = format!("{}{}", scale.unit, column.per);
        let unit = unit.trim_start();
        lines[0].push(if unit.is_empty() {
            heading
        } else {
            format!("{heading}, {unit}")
        });
        let show = |value: f64| match (column.base_unit, column.place) {
            // How near a share is to one is seen in its digits.
            ("", Place::Fit(_)) => format!("{value:.4}"),
            ("", _) => count(value),
            _ => scale.show(value),
        };
        for (line, spread) in lines[1..].iter_mut().zip(&spreads) {
            line.push(spread.map_or_else(|| "–".to_owned(), |spread| spread.show(show)));
        }
    }
    Cells {
        texts: texts.len(),
        lines,
    }
}

/// A line for every run that did not finish.
pub fn unfinished(rows: &[&Row]) -> Vec<String> {
    let rows = rows.iter().filter(|row| row.status != Status::Finished);
    rows.map(|row| {
        let run = &row.run;
        let seed = run.seed.map_or_else(String::new, |seed| format!(", seed {seed}"));
        let (scene, method, status) = (&run.scene_spec, &run.method_spec, row.status.name());
        format!(
            "run {} ({scene} with {method}{seed}) {status}: {}",
            run.run, row.message
        )
    })
    .collect()
}

/// `12 runs: 2 scenes, 3 methods, …`, as a sentence.
pub fn counted(experiment: &Experiment, runs: usize) -> String {
    let several = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let mut parts = vec![
        several(experiment.scenes.len(), "scene"),
        several(experiment.methods.len(), "method"),
    ];
    if !experiment.seeds.is_empty() {
        parts.push(several(experiment.seeds.len(), "seed"));
    }
    if experiment.repetitions > 1 {
        parts.push(format!("{} repetitions", experiment.repetitions));
    }
    format!("{} of {}", several(runs, "run"), parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_shown_where_there_is_one() {
        let show = |values: &[f64]| {
            Spread::of(values.iter().copied())
                .unwrap()
                .show(crate::quantity::number)
        };
        assert_eq!(show(&[3.0, 1.0, 2.0]), "2.00 (1.00..3.00)");
        assert_eq!(show(&[2.0, 2.0, 2.0001]), "2.00");
        assert_eq!(Spread::of([]), None);
    }
}
