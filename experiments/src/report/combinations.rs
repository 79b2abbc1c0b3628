//! The rows of `results.csv`, gathered by combination of scene, parameters, method and options.

use serde_json::Value as Json;

use super::csv_table::CsvTable;
use super::figures::dependence::{Varied, settings};
use super::html_table::{Cell, Column as HtmlColumn, Group, HtmlTable, Row};
use crate::comparison::in_table;
use crate::error::Error;
use crate::quantity::{Scale, count};
use crate::sweep::tables::Spread;

/// A column of measured values.
#[derive(Debug, Clone)]
struct Column {
    name: String,
    /// The unit of the metric it is made of, and what that is divided by.
    unit: String,
    per: String,
    /// Whether less is better.
    ranked: bool,
}

/// One run of a combination.
#[derive(Debug, Clone)]
pub struct SweepRun {
    number: String,
    seed: String,
    status: String,
    message: String,
    /// Its directory inside that of the sweep, if it was kept.
    pub directory: String,
    values: Vec<f64>,
}

/// Runs that differ in seed and repetition only.
#[derive(Debug, Clone)]
pub struct Combination {
    scene: String,
    parameters: String,
    method: String,
    options: String,
    /// The runs.
    pub runs: Vec<SweepRun>,
}

impl Combination {
    /// What tells it from the others.
    pub fn label(&self) -> String {
        format!("{}, {}", self.scene_label(), self.method_label())
    }

    /// The method with its options.
    pub fn method_label(&self) -> String {
        joined(&self.method, &self.options)
    }

    fn scene_label(&self) -> String {
        joined(&self.scene, &self.parameters)
    }
}

fn joined(name: &str, rest: &str) -> String {
    if rest.is_empty() {
        name.to_owned()
    } else {
        format!("{name} {rest}")
    }
}

/// All of a sweep.
#[derive(Debug, Clone)]
pub struct Sweep {
    /// In the order of the file.
    pub combinations: Vec<Combination>,
    columns: Vec<Column>,
}

impl Sweep {
    /// From `results.csv`, and the manifest that has the units of its columns.
    pub fn new(table: &CsvTable, manifest: &Json) -> Result<Self, Error> {
        let declared = manifest["columns"].as_array().cloned().unwrap_or_default();
        let mut columns = Vec::new();
        let mut places = Vec::new();
        for column in &declared {
            let text = |key: &str| column[key].as_str().unwrap_or_default().to_owned();
            let (name, unit) = (text("name"), text("unit"));
            let Some(place) = table.column(&name) else { continue };
            let (unit, per) = match unit.split_once(" / ") {
                Some((unit, per)) => (unit.to_owned(), format!(" / {per}")),
                None => (unit, String::new()),
            };
            let ranked = in_table().any(|measure| measure.name == name && measure.is_ranked());
            places.push(place);
            columns.push(Column {
                name,
                unit,
                per,
                ranked,
            });
        }
        let [scene, parameters, method, options] =
            ["scene", "parameters", "method", "options"].map(|name| table.required(name));
        let [run, seed, status, message, directory] =
            ["run", "seed", "status", "message", "directory"].map(|name| table.required(name));
        let (scene, parameters, method, options) = (scene?, parameters?, method?, options?);
        let (run, seed, status, message, directory) = (run?, seed?, status?, message?, directory?);
        let mut combinations: Vec<Combination> = Vec::new();
        for row in 0..table.len() {
            let text = |column: usize| table.text(row, column).to_owned();
            let of_row = SweepRun {
                number: text(run),
                seed: text(seed),
                status: text(status),
                message: text(message),
                directory: text(directory),
                values: places
                    .iter()
                    .map(|&place| table.number(row, place))
                    .collect::<Result<_, _>>()?,
            };
            let is_same = |combination: &Combination| {
                combination.scene == table.text(row, scene)
                    && combination.parameters == table.text(row, parameters)
                    && combination.method == table.text(row, method)
                    && combination.options == table.text(row, options)
            };
            match combinations.iter_mut().find(|combination| is_same(combination)) {
                Some(combination) => combination.runs.push(of_row),
                None => combinations.push(Combination {
                    scene: text(scene),
                    parameters: text(parameters),
                    method: text(method),
                    options: text(options),
                    runs: vec![of_row],
                }),
            }
        }
        Ok(Self { combinations, columns })
    }

    /// The scenes with their parameters, and the numbers of their combinations.
    pub fn scenes(&self) -> Vec<(String, Vec<usize>)> {
        let mut scenes: Vec<(String, Vec<usize>)> = Vec::new();
        for (k, combination) in self.combinations.iter().enumerate() {
            let label = combination.scene_label();
            match scenes.iter_mut().find(|(known, _)| *known == label) {
                Some((_, members)) => members.push(k),
                None => scenes.push((label, vec![k])),
            }
        }
        scenes
    }

    /// The look of a combination: the same for the same method with the same options.
    pub fn style(&self, k: usize) -> usize {
        let mut labels: Vec<String> = Vec::new();
        for combination in &self.combinations {
            let label = combination.method_label();
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        labels
            .iter()
            .position(|label| *label == self.combinations[k].method_label())
            .unwrap_or(0)
    }

    fn spread(&self, k: usize, column: usize) -> Option<Spread> {
        let finished = self.combinations[k].runs.iter().filter(|run| run.status == "finished");
        Spread::of(finished.map(|run| run.values[column]).filter(|value| !value.is_nan()))
    }

    /// The median of a column over the runs of a combination that finished.
    pub fn median(&self, k: usize, column: &str) -> Option<f64> {
        let column = self.columns.iter().position(|known| known.name == column)?;
        self.spread(k, column).map(|spread| spread.median)
    }

    /// The combinations with the medians of some columns, for charts over what was varied.
    pub fn varied(&self, columns: &[&str]) -> Vec<Varied> {
        let varied = |(k, combination): (usize, &Combination)| Varied {
            names: format!("{}, {}", combination.scene, combination.method),
            settings: [settings(&combination.parameters), settings(&combination.options)].concat(),
            values: columns.iter().map(|column| self.median(k, column)).collect(),
        };
        self.combinations.iter().enumerate().map(varied).collect()
    }

    /// A line for every run that did not finish.
    pub fn unfinished(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for combination in &self.combinations {
            for run in combination.runs.iter().filter(|run| run.status != "finished") {
                let seed = if run.seed.is_empty() {
                    String::new()
                } else {
                    format!(", seed {}", run.seed)
                };
                let (number, status, message) = (&run.number, &run.status, &run.message);
                lines.push(format!(
                    "run {number} ({}{seed}) {status}: {message}",
                    combination.label()
                ));
            }
        }
        lines
    }

    /// The table of combinations.
    pub fn table(&self, id: &str) -> HtmlTable {
        let all = 0..self.combinations.len();
        let is_any = |column: &usize| {
            all.clone().any(|k| {
                self.spread(k, *column)
                    .is_some_and(|spread| spread.min != 0.0 || spread.max != 0.0)
            })
        };
        let shown: Vec<usize> = (0..self.columns.len()).filter(is_any).collect();
        let with_options = self
            .combinations
            .iter()
            .any(|combination| !combination.options.is_empty());
        let scales: Vec<Scale> = shown
            .iter()
            .map(|&column| {
                let spreads = all.clone().filter_map(|k| self.spread(k, column));
                let ends = spreads.flat_map(|spread| [spread.min, spread.max]);
                Scale::fitting(known_unit(&self.columns[column].unit), ends)
            })
            .collect();
        let mut columns = vec![HtmlColumn::text("method")];
        if with_options {
            columns.push(HtmlColumn::text("options"));
        }
        columns.push(HtmlColumn::number("runs", ""));
        columns.extend(shown.iter().zip(&scales).map(|(&column, scale)| {
            let column = &self.columns[column];
            let unit = if scale.unit.is_empty() {
                column.unit.as_str()
            } else {
                scale.unit
            };
            HtmlColumn::number(&heading(&column.name), format!("{unit}{}", column.per).trim_start())
        }));
        let scenes = self.scenes();
        let group = |(label, members): &(String, Vec<usize>)| Group {
            label: label.clone(),
            rows: members
                .iter()
                .map(|&k| self.row(k, members, &shown, &scales, with_options))
                .collect(),
        };
        HtmlTable {
            id: id.to_owned(),
            caption: "Combinations; sort by any column".into(),
            columns,
            groups: scenes.iter().map(group).collect(),
        }
    }

    fn row(&self, k: usize, members: &[usize], shown: &[usize], scales: &[Scale], with_options: bool) -> Row {
        let combination = &self.combinations[k];
        let finished = combination.runs.iter().filter(|run| run.status == "finished").count();
        let mut cells = vec![Cell::text(&combination.method)];
        if with_options {
            cells.push(Cell::text(&combination.options));
        }
        let runs = match combination.runs.len() {
            all if all == finished => all.to_string(),
            all => format!("{finished} of {all}"),
        };
        cells.push(Cell::number(Some(finished as f64), |_| runs.clone(), false));
        for (&column, scale) in shown.iter().zip(scales) {
            let spread = self.spread(k, column);
            let medians: Vec<f64> = members
                .iter()
                .filter_map(|&other| self.spread(other, column))
                .map(|spread| spread.median)
                .collect();
            let smallest = medians.iter().copied().reduce(f64::min);
            let differ = medians.iter().any(|median| Some(*median) != smallest);
            let median = spread.map(|spread| spread.median);
            let best = self.columns[column].ranked && differ && median.is_some() && median == smallest;
            let show = |value: f64| match self.columns[column].unit.as_str() {
                "" => count(value),
                _ => scale.show(value),
            };
            let text = |_| spread.map_or_else(String::new, |spread| spread.show(show));
            cells.push(Cell::number(median, text, best));
        }
        Row {
            cells,
            style: Some(self.style(k)),
            failed: finished < combination.runs.len(),
        }
    }
}

/// The heading of a standard measure, or the name of a column of the experiment's own.
fn heading(name: &str) -> String {
    let standard = in_table().find(|measure| measure.name == name);
    // The unit stands behind it.
    let plain = || name.trim_end_matches("_bytes").replace('_', " ");
    standard.map_or_else(plain, |measure| measure.heading.join(" "))
}

/// The units that can be made larger or smaller; others stay as they are.
fn known_unit(unit: &str) -> &'static str {
    ["m", "s", "µs", "J"]
        .into_iter()
        .find(|known| *known == unit)
        .unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sweep(rows: &str) -> Sweep {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        let header = "run,scene,parameters,method,options,seed,repetition,status,message,directory,steps,time,residual_mean,mine";
        std::fs::write(&path, format!("{header}\n{rows}")).unwrap();
        let columns = serde_json::json!({"columns": [
            {"name": "residual_mean", "unit": "m/s"}, {"name": "mine", "unit": "µs / contacts"}]});
        Sweep::new(&CsvTable::read(&path).unwrap(), &columns).unwrap()
    }

    #[test]
    fn headings_leave_the_unit_to_its_place() {
        assert_eq!(heading("peak_memory_bytes"), "peak memory");
        assert_eq!(heading("bytes of mine"), "bytes of mine");
    }

    #[test]
    fn seeds_and_repetitions_become_medians_and_the_best_of_a_scene_is_marked() {
        let sweep = sweep(
            "1,wall,,a,,1,1,finished,,,5,1,0.5,10\n2,wall,,a,,2,1,finished,,,5,1,0.1,20\n3,wall,,a,,3,1,finished,,,5,1,0.3,30\n\
             4,wall,,b,,1,1,finished,,,5,1,0.4,1\n5,wall,,b,,2,1,failed,it fell,,5,1,0.0,1\n",
        );
        assert_eq!(sweep.combinations.len(), 2);
        assert_eq!(sweep.median(0, "residual_mean"), Some(0.3));
        assert_eq!(sweep.unfinished(), ["run 5 (wall, b, seed 2) failed: it fell"]);
        let table = sweep.table("methods");
        let cells = &table.groups[0].rows[0].cells;
        assert_eq!((cells[2].text.as_str(), cells[2].best), ("0.300 (0.100..0.500)", true));
        // Nobody knows whether less is better in a column of the experiment's own.
        assert!(table.groups[0].rows.iter().all(|row| !row.cells[3].best));
        assert_eq!(table.groups[0].rows[1].cells[1].text, "1 of 2");
    }
}
