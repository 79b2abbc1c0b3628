//! `convergence.csv`: how the residual fell, for every step and group.
//!
//! Groups are numbered from 0 within their step. Iteration 0 is the start, before the solver did anything. A solver
//! that was only measured at its end has one row, that of its last iteration.

use std::path::Path;

use drystone_dynamics::StepReport;

use crate::error::Error;
use crate::steps_csv::{csv_error, finish_csv};
use crate::whole_file::WholeFile;

/// The file's name.
pub const CONVERGENCE_CSV: &str = "convergence.csv";

/// The file under way.
#[derive(Debug)]
pub struct ConvergenceCsv {
    writer: csv::Writer<WholeFile>,
}

impl ConvergenceCsv {
    /// Begins the file with its header.
    pub fn create(directory: &Path) -> Result<Self, Error> {
        let mut writer = csv::Writer::from_writer(WholeFile::create(directory, CONVERGENCE_CSV)?);
        writer
            .write_record(["step", "group", "iteration", "residual"])
            .map_err(csv_error(directory, CONVERGENCE_CSV))?;
        Ok(Self { writer })
    }

    /// Adds what is known of a step.
    pub fn step(&mut self, report: &StepReport) -> Result<(), Error> {
        for (group, convergence) in report.convergence.iter().enumerate() {
            for (iteration, &residual) in convergence.history.iter().enumerate() {
                self.row(report.step, group, iteration, residual)?;
            }
            if convergence.history.is_empty()
                && let Some(residual) = convergence.residual
            {
                self.row(report.step, group, convergence.iterations, residual)?;
            }
        }
        Ok(())
    }

    fn row(&mut self, step: u64, group: usize, iteration: usize, residual: f64) -> Result<(), Error> {
        // Serialised numbers are the shortest that read back the same.
        self.writer
            .serialize((step, group, iteration, residual))
            .map_err(|error| csv_error(self.writer.get_ref().path(), "")(error))
    }

    /// Gives the file its name.
    pub fn finish(self) -> Result<(), Error> {
        finish_csv(self.writer)
    }
}
