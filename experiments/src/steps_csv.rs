//! `steps.csv`: one row a step, one column a metric, numbers in full precision.

use std::path::Path;

use crate::error::Error;
use crate::metrics::{Value, metrics};
use crate::whole_file::WholeFile;

/// The file's name.
pub const STEPS_CSV: &str = "steps.csv";

/// The file under way.
#[derive(Debug)]
pub struct StepsCsv {
    writer: csv::Writer<WholeFile>,
    cell: String,
}

impl StepsCsv {
    /// Begins the file with its header.
    pub fn create(directory: &Path) -> Result<Self, Error> {
        let mut writer = csv::Writer::from_writer(WholeFile::create(directory, STEPS_CSV)?);
        let header = metrics().iter().map(|metric| metric.name);
        writer.write_record(header).map_err(csv_error(directory, STEPS_CSV))?;
        Ok(Self {
            writer,
            cell: String::new(),
        })
    }

    /// Adds the row of a step: the values in the order of the metrics.
    pub fn row(&mut self, values: &[Value]) -> Result<(), Error> {
        use std::fmt::Write;
        let result = (|| {
            for value in values {
                self.cell.clear();
                // Writing to a string can't fail.
                let _ = write!(self.cell, "{value}");
                self.writer.write_field(&self.cell)?;
            }
            self.writer.write_record(None::<&[u8]>)
        })();
        result.map_err(|error| csv_error(self.writer.get_ref().path(), "")(error))
    }

    /// Gives the file its name.
    pub fn finish(self) -> Result<(), Error> {
        finish_csv(self.writer)
    }
}

/// Flushes a CSV writer and gives its file its name.
pub(crate) fn finish_csv(writer: csv::Writer<WholeFile>) -> Result<(), Error> {
    let path = writer.get_ref().path().to_owned();
    match writer.into_inner() {
        Ok(file) => file.finish(),
        Err(error) => Err(Error::Write {
            path,
            source: error.into_error(),
        }),
    }
}

/// For `map_err` on writing CSV.
pub(crate) fn csv_error(directory: &Path, name: &str) -> impl FnOnce(csv::Error) -> Error + use<> {
    let path = if name.is_empty() {
        directory.to_owned()
    } else {
        directory.join(name)
    };
    move |error| Error::Write {
        path,
        source: error.into(),
    }
}
