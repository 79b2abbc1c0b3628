//! `results.csv`: a row for every run, numbers in full precision, written whole every now and then and at the end.

use std::path::Path;

use serde::Deserialize;
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::columns::{Column, FIXED};
use super::exact;
use super::product::Run;
use crate::error::Error;
use crate::metrics::Value;
use crate::steps_csv::{csv_error, finish_csv};
use crate::summary::{Status, Summary};
use crate::whole_file::WholeFile;

/// The file's name.
pub const RESULTS_CSV: &str = "results.csv";

/// What came of a run.
#[derive(Debug, Clone, PartialEq, serde::Serialize, Deserialize)]
pub struct Row {
    /// Which it was.
    pub run: Run,
    /// How it ended.
    pub status: Status,
    /// Why, unless it finished.
    pub message: String,
    /// Its run directory inside that of the sweep, if it was kept.
    pub directory: String,
    /// Steps taken.
    pub steps: u64,
    /// Simulated time, s.
    pub time: f64,
    /// The stop rule that ended it; empty if none did.
    pub stopped_by: String,
    /// In the order of the columns; a run that never began has none.
    #[serde(with = "exact::options")]
    pub values: Vec<Option<f64>>,
}

impl Row {
    /// A run that came to an end, one way or another.
    pub fn of(run: &Run, summary: &Summary, directory: String, values: Vec<Option<f64>>) -> Self {
        Self {
            run: run.clone(),
            status: summary.status,
            message: summary.message.clone().unwrap_or_default(),
            directory,
            steps: summary.steps,
            time: summary.time,
            stopped_by: summary.stopped_by.clone().unwrap_or_default(),
            values,
        }
    }

    /// A run that could not begin.
    pub fn failed(run: &Run, error: &Error) -> Self {
        Self {
            run: run.clone(),
            status: Status::Failed,
            message: error.to_string(),
            directory: String::new(),
            steps: 0,
            time: 0.0,
            stopped_by: String::new(),
            values: Vec::new(),
        }
    }

    /// The value in a column.
    pub fn value(&self, column: usize) -> Option<f64> {
        self.values.get(column).copied().flatten()
    }

    /// The cells before the measures, in the order of [`FIXED`].
    pub(super) fn fixed(&self) -> [String; FIXED.len()] {
        let run = &self.run;
        [
            run.run.to_string(),
            run.scene.clone(),
            run.parameters.clone(),
            run.method.clone(),
            run.options.clone(),
            run.seed.map_or_else(String::new, |seed| seed.to_string()),
            run.repetition.to_string(),
            self.status.name().to_owned(),
            self.message.clone(),
            self.directory.clone(),
            self.steps.to_string(),
            Value::from(self.time).to_string(),
            self.stopped_by.clone(),
        ]
    }
}

/// Writes the rows there are.
pub fn write_csv<'a>(
    directory: &Path,
    columns: &[Column],
    rows: impl IntoIterator<Item = &'a Row>,
) -> Result<(), Error> {
    let mut writer = csv::Writer::from_writer(WholeFile::create(directory, RESULTS_CSV)?);
    let result = (|| {
        writer.write_record(
            FIXED
                .into_iter()
                .chain(columns.iter().map(|column| column.name.as_str())),
        )?;
        for row in rows {
            let values = (0..columns.len()).map(|column| Value::from(row.value(column)).to_string());
            writer.write_record(row.fixed().into_iter().chain(values))?;
        }
        Ok(())
    })();
    result.map_err(csv_error(directory, RESULTS_CSV))?;
    finish_csv(writer)
}

/// A row with the names of its columns, for programs.
#[derive(Debug)]
pub struct Named<'a> {
    /// The row.
    pub row: &'a Row,
    /// Its columns.
    pub columns: &'a [Column],
}

impl<'a> Named<'a> {
    /// A row of these columns.
    pub fn of(row: &'a Row, columns: &'a [Column]) -> Self {
        Self { row, columns }
    }
}

impl Serialize for Named<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (row, run) = (self.row, &self.row.run);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("run", &run.run)?;
        map.serialize_entry("scene", &run.scene)?;
        map.serialize_entry("parameters", &run.parameters)?;
        map.serialize_entry("method", &run.method)?;
        map.serialize_entry("options", &run.options)?;
        map.serialize_entry("scene_spec", &run.scene_spec)?;
        map.serialize_entry("method_spec", &run.method_spec)?;
        map.serialize_entry("seed", &run.seed)?;
        map.serialize_entry("repetition", &run.repetition)?;
        map.serialize_entry("status", &row.status)?;
        map.serialize_entry("message", &row.message)?;
        map.serialize_entry("directory", &row.directory)?;
        map.serialize_entry("steps", &row.steps)?;
        map.serialize_entry("time", &row.time)?;
        map.serialize_entry("stopped_by", &row.stopped_by)?;
        for (k, column) in self.columns.iter().enumerate() {
            map.serialize_entry(&column.name, &row.value(k))?;
        }
        map.end()
    }
}
