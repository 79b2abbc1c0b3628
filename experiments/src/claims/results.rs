//! `results.csv` of the experiments of a folder, read back: the rows that checks are made of, with the reason where there
//! are none. Results of an experiment that has been changed since are not taken for those of the present one.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::selection::Filter;
use crate::error::Error;
use crate::sweep::file::Experiment;
use crate::sweep::manifest::EXPERIMENT_TOML;
use crate::sweep::results::RESULTS_CSV;

/// A row of `results.csv`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StoredRow {
    /// The scene's label.
    pub scene: String,
    /// Its parameters.
    pub parameters: Filter,
    /// The method's label.
    pub method: String,
    /// Options of its stepper.
    pub stepper: Filter,
    /// Options of its solver.
    pub solver: Filter,
    /// The seed, if there is one.
    pub seed: String,
    /// From 1.
    pub repetition: String,
    /// Whether the run came to its end.
    pub is_finished: bool,
    /// The numbers of the measured columns that have any.
    pub values: BTreeMap<String, f64>,
}

impl StoredRow {
    /// A parameter, an option or a column as a number.
    pub fn number(&self, name: &str) -> Option<f64> {
        let options = [&self.parameters, &self.stepper, &self.solver];
        let option = options.into_iter().find_map(|options| options.get(name));
        match option {
            Some(text) => text.parse().ok(),
            None => self.values.get(name).copied(),
        }
    }
}

/// The rows of one experiment, or why there are none.
pub type Rows = Result<Vec<StoredRow>, String>;

/// The results of all experiments of a folder.
#[derive(Debug, Default)]
pub struct Results {
    /// By the name of the experiment's file, without `.toml`.
    pub of: BTreeMap<String, Rows>,
}

impl Results {
    /// Reads those in the directories of a sweep, each named after its experiment.
    pub fn read(directory: &Path, experiments: &[Experiment]) -> Result<Self, Error> {
        let mut of = BTreeMap::new();
        for experiment in experiments {
            let stem = experiment.stem();
            let rows = read(&directory.join(&stem), experiment)?;
            of.insert(stem, rows);
        }
        Ok(Self { of })
    }
}

fn read(directory: &Path, experiment: &Experiment) -> Result<Rows, Error> {
    let path = directory.join(RESULTS_CSV);
    if !path.is_file() {
        return Ok(Err(format!("{} was not run", experiment.stem())));
    }
    let text = fs::read_to_string(directory.join(EXPERIMENT_TOML)).unwrap_or_default();
    if physics(&text) != physics(&experiment.source.text) {
        let message = format!("the results are of another version of {}.toml", experiment.stem());
        return Ok(Err(message));
    }
    rows(&path).map(Ok)
}

/// What decides the rows of an experiment: everything but its words.
fn physics(text: &str) -> Option<toml::Table> {
    let mut table: toml::Table = text.parse().ok()?;
    for words in ["title", "description"] {
        table.remove(words);
    }
    Some(table)
}

fn rows(path: &PathBuf) -> Result<Vec<StoredRow>, Error> {
    let cannot = |error: csv::Error| {
        let place = error
            .position()
            .map_or(String::new(), |place| format!(":{}", place.line()));
        Error::Input(format!("cannot read results '{}{place}': {error}", path.display()))
    };
    let mut reader = csv::Reader::from_path(path).map_err(cannot)?;
    let header = reader.headers().map_err(cannot)?.clone();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(cannot)?;
        rows.push(row(header.iter().zip(record.iter())));
    }
    Ok(rows)
}

fn row<'a>(cells: impl Iterator<Item = (&'a str, &'a str)>) -> StoredRow {
    let mut row = StoredRow::default();
    for (name, cell) in cells {
        match name {
            "scene" => row.scene = cell.to_owned(),
            "method" => row.method = cell.to_owned(),
            "seed" => row.seed = cell.to_owned(),
            "repetition" => row.repetition = cell.to_owned(),
            "status" => row.is_finished = !matches!(cell, "failed" | "interrupted"),
            "parameters" => row.parameters = options(cell),
            "options" => {
                let (stepper, solver) = cell.split_once('/').unwrap_or(("", cell));
                (row.stepper, row.solver) = (options(stepper), options(solver));
            }
            _ => {
                if let Ok(value) = cell.parse() {
                    row.values.insert(name.to_owned(), value);
                }
            }
        }
    }
    row
}

/// `a=1,b=2`.
fn options(text: &str) -> Filter {
    let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
    pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_read_back_as_it_was_written() {
        let cells = [
            ("run", "7"),
            ("scene", "tower"),
            ("parameters", "layers=20,restitution=0.1"),
            ("method", "published"),
            ("options", "weight=0.01/warm-start=1"),
            ("seed", ""),
            ("repetition", "2"),
            ("status", "finished"),
            ("largest energy", "1.5e-7"),
            ("asleep", ""),
            ("wild", "NaN"),
        ];
        let row = row(cells.into_iter());
        assert!(row.is_finished);
        assert_eq!((row.scene.as_str(), row.repetition.as_str()), ("tower", "2"));
        assert_eq!(row.number("layers"), Some(20.0));
        assert_eq!(row.number("weight"), Some(0.01));
        assert_eq!(row.number("warm-start"), Some(1.0));
        assert_eq!(row.number("largest energy"), Some(1.5e-7));
        assert_eq!(row.number("asleep"), None);
        assert!(row.number("wild").unwrap().is_nan());
        assert_eq!(row.stepper.len() + row.solver.len(), 2);
    }

    #[test]
    fn options_of_the_solver_alone_have_no_slash() {
        let row = row([("options", "iterations=10"), ("status", "failed")].into_iter());
        assert_eq!(row.solver.get("iterations").map(String::as_str), Some("10"));
        assert!(row.stepper.is_empty() && !row.is_finished);
    }

    #[test]
    fn words_of_an_experiment_may_change_and_nothing_else() {
        let text = "title = \"a\"\nsteps = 3\n";
        assert_eq!(
            physics(text),
            physics("steps = 3\ndescription = \"b\"\ntitle = \"c\"\n")
        );
        assert_ne!(physics(text), physics("title = \"a\"\nsteps = 4\n"));
    }
}
