//! A run directory, read back: what was run, its steps, and whatever else is there.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use super::convergence::Histories;
use super::csv_table::CsvTable;
use crate::convergence_csv::CONVERGENCE_CSV;
use crate::error::Error;
use crate::execute::Outcome;
use crate::group_sizes_csv::GROUP_SIZES_CSV;
use crate::manifest::MANIFEST_JSON;
use crate::metrics::{Value, metrics};
use crate::steps_csv::STEPS_CSV;
use crate::summary::{SUMMARY_JSON, Status, Summary};
use crate::trajectory::TRAJECTORY_BIN;

/// A run.
#[derive(Debug)]
pub struct RunData {
    /// Where it is, and what came of it: the summary is worked out again from the steps.
    pub outcome: Outcome,
    /// The manifest.
    pub manifest: Json,
    /// The summary as it was written, for what steps do not tell.
    pub summary: Json,
    /// The steps.
    pub steps: Steps,
    /// How residuals fell, if that was measured.
    pub histories: Option<Histories>,
    /// Bodies in a group, and how many such groups there were over all steps.
    pub group_sizes: Option<Vec<(f64, f64)>>,
    /// The trajectory, if there is one.
    pub trajectory: Option<PathBuf>,
}

/// The columns of `steps.csv`, in the order of the metrics.
#[derive(Debug, Clone, Default)]
pub struct Steps {
    columns: Vec<Vec<f64>>,
    len: usize,
}

impl Steps {
    /// From columns by name. A metric that is not among them (the file may be older than the program) was not measured.
    pub fn new(len: usize, mut column: impl FnMut(&str) -> Result<Option<Vec<f64>>, Error>) -> Result<Self, Error> {
        let columns = metrics()
            .iter()
            .map(|metric| Ok(column(metric.name)?.unwrap_or_else(|| vec![f64::NAN; len])));
        Ok(Self {
            columns: columns.collect::<Result<_, Error>>()?,
            len,
        })
    }

    fn read(path: &Path) -> Result<Self, Error> {
        let table = CsvTable::read(path)?;
        table.required("step")?;
        table.required("time")?;
        Self::new(table.len(), |name| {
            table.column(name).map(|column| table.numbers(column)).transpose()
        })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The values of a metric over the run; NaN where it was not measured, empty if there is no such metric.
    pub fn metric(&self, name: &str) -> &[f64] {
        let index = metrics().iter().position(|metric| metric.name == name);
        index
            .and_then(|index| self.columns.get(index))
            .map_or(&[], Vec::as_slice)
    }

    /// The values of a step, in the order of the metrics.
    fn row(&self, step: usize) -> Vec<Value> {
        let value = |column: &Vec<f64>| match column.get(step) {
            Some(number) if !number.is_nan() => Value::Number(*number),
            _ => Value::Missing,
        };
        self.columns.iter().map(value).collect()
    }
}

impl RunData {
    /// Reads a run directory.
    pub fn read(directory: &Path) -> Result<Self, Error> {
        let manifest = read_json(&directory.join(MANIFEST_JSON))?;
        let summary = read_json(&directory.join(SUMMARY_JSON))?;
        let path = directory.join(STEPS_CSV);
        // A run that could not begin has none.
        let steps = match summary["steps"].as_u64() {
            Some(0) if !path.exists() => Steps::new(0, |_| Ok(None))?,
            _ => Steps::read(&path)?,
        };
        let optional = |name: &str| Some(directory.join(name)).filter(|path| path.is_file());
        let histories = optional(CONVERGENCE_CSV).map(|path| Histories::read(&path, steps.len() as u64));
        let group_sizes = optional(GROUP_SIZES_CSV).map(|path| read_group_sizes(&path));
        let outcome = Outcome {
            summary: summarise(directory, &summary, &steps)?,
            directory: directory.to_owned(),
        };
        Ok(Self {
            outcome,
            histories: histories.transpose()?,
            group_sizes: group_sizes.transpose()?,
            trajectory: optional(TRAJECTORY_BIN),
            manifest,
            summary,
            steps,
        })
    }

    /// The scene as it was given.
    pub fn scene(&self) -> &str {
        &self.outcome.summary.scene
    }

    /// The method as it was given.
    pub fn method(&self) -> &str {
        &self.outcome.summary.method
    }

    /// Whether all steps were taken.
    pub fn is_finished(&self) -> bool {
        self.outcome.summary.status == Status::Finished
    }
}

/// The summary of a run as it was made when it ran, with every metric's statistics.
fn summarise(directory: &Path, written: &Json, steps: &Steps) -> Result<Summary, Error> {
    let text = |key: &str| {
        written[key].as_str().ok_or_else(|| {
            let path = directory.join(SUMMARY_JSON);
            Error::Input(format!("{}: there is no text '{key}'", path.display()))
        })
    };
    let start = written["energy"]["start"].as_f64().unwrap_or(f64::NAN);
    let mut summary = Summary::begin(text("scene")?, text("method")?, start);
    let (time, kinetic, potential) = (
        steps.metric("time"),
        steps.metric("kinetic_energy"),
        steps.metric("potential_energy"),
    );
    for step in 0..steps.len() {
        summary.add(time[step], kinetic[step] + potential[step], &steps.row(step));
    }
    summary.status = match text("status")? {
        "finished" => Status::Finished,
        "interrupted" => Status::Interrupted,
        _ => Status::Failed,
    };
    summary.message = written["message"].as_str().map(str::to_owned);
    summary.seconds = written["seconds"].as_f64().unwrap_or(0.0);
    summary.peak_memory_bytes = written["peak_memory_bytes"].as_u64();
    Ok(summary)
}

fn read_group_sizes(path: &Path) -> Result<Vec<(f64, f64)>, Error> {
    let table = CsvTable::read(path)?;
    let (size, count) = (table.required("size")?, table.required("count")?);
    (0..table.len())
        .map(|row| Ok((table.number(row, size)?, table.number(row, count)?)))
        .collect()
}

/// Reads a JSON file that must be there.
pub(super) fn read_json(path: &Path) -> Result<Json, Error> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Error::Input(format!("cannot read '{}': {error}", path.display())))?;
    serde_json::from_str(&text).map_err(|error| Error::Input(format!("{}: {error}", path.display())))
}
