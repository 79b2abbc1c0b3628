//! The results of `drystone solve`, a row for each problem and solver, and `problems.csv`.

use std::path::Path;

use drystone_solver::Problem;
use serde::Serialize;

use super::trial::{Refusal, Status, Trial};
use crate::error::Error;
use crate::steps_csv::{csv_error, finish_csv};
use crate::whole_file::WholeFile;

/// The file's name.
pub const PROBLEMS_CSV: &str = "problems.csv";

/// Relative velocities that differ by more than this are of different motions: at 1e-8 of residual, those of one motion
/// agree to much better, also where A is ill-conditioned.
const DIFFERENT: f64 = 1e-4;

/// What a solver made of a problem. The fields are the columns; what is not known is empty.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The problem's name.
    pub problem: String,
    /// Its file.
    pub file: String,
    /// What the file holds.
    pub kind: &'static str,
    /// Blocks with friction.
    pub contacts: Option<usize>,
    /// Rows.
    pub rows: Option<usize>,
    /// The solver as it was typed.
    pub solver: String,
    /// What became of it.
    pub status: Status,
    /// Iterations.
    pub iterations: Option<usize>,
    /// FCLIB's relative error e.
    pub relative: Option<f64>,
    /// Natural residual, m/s.
    pub natural: Option<f64>,
    /// Fischer–Burmeister merit, (m/s)².
    pub fischer_burmeister: Option<f64>,
    /// Complementarity gap, J.
    pub gap: Option<f64>,
    /// Distance of the impulses from their cones, N·s.
    pub cone_violation: Option<f64>,
    /// The shortest time of all repetitions.
    pub seconds: Option<f64>,
    /// What there is to say.
    pub message: String,
    /// The median time.
    pub seconds_median: Option<f64>,
    /// Largest difference to the velocities of a reference, relative to the largest velocity.
    pub velocity_error: Option<f64>,
    /// The relative error e of the reference's own impulses.
    pub reference_relative: Option<f64>,
}

impl Row {
    /// A file that is no problem.
    pub fn unreadable(file: &Path, message: String) -> Self {
        Self {
            problem: file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            file: file.display().to_string(),
            kind: "",
            contacts: None,
            rows: None,
            solver: String::new(),
            status: Status::Unreadable,
            iterations: None,
            relative: None,
            natural: None,
            fischer_burmeister: None,
            gap: None,
            cone_violation: None,
            seconds: None,
            message,
            seconds_median: None,
            velocity_error: None,
            reference_relative: None,
        }
    }

    /// A problem before any solver had it.
    pub fn of_problem(name: &str, file: &Path, kind: &'static str, problem: &Problem) -> Self {
        Self {
            problem: name.to_owned(),
            kind,
            contacts: Some(problem.blocks.iter().filter(|block| block.cone.is_contact()).count()),
            rows: Some(problem.rows()),
            ..Self::unreadable(file, String::new())
        }
    }

    /// The same problem with what a solver made of it.
    pub fn with(&self, solver: &str, outcome: Result<&Trial, Refusal>) -> Self {
        let mut row = Self {
            solver: solver.to_owned(),
            ..self.clone()
        };
        let trial = match outcome {
            Ok(trial) => trial,
            Err((status, message)) => {
                (row.status, row.message) = (status, message);
                return row;
            }
        };
        let residuals = &trial.residuals;
        row.status = trial.status;
        row.message.clone_from(&trial.message);
        row.iterations = Some(trial.iterations);
        row.relative = Some(residuals.relative);
        row.natural = Some(residuals.natural);
        row.fischer_burmeister = Some(residuals.fischer_burmeister);
        row.gap = Some(residuals.gap);
        row.cone_violation = Some(residuals.cone_violation);
        row.seconds = trial.seconds.first().copied();
        row.seconds_median = trial.seconds.get(trial.seconds.len() / 2).copied();
        row
    }

    /// Whether it moves differently from a reference although both are solutions: the law has several here.
    pub fn is_another_solution(&self, tolerance: f64) -> bool {
        let accurate = self.reference_relative.is_some_and(|e| e <= tolerance);
        let differs = self.velocity_error.is_some_and(|error| error > DIFFERENT);
        self.status == Status::Converged && accurate && differs
    }

    /// The time it took, if it solved the problem.
    pub fn cost(&self) -> Option<f64> {
        self.seconds.filter(|_| self.status == Status::Converged)
    }
}

/// Writes all rows there are.
pub fn write_csv<'a>(directory: &Path, rows: impl IntoIterator<Item = &'a Row>) -> Result<(), Error> {
    let mut writer = csv::Writer::from_writer(WholeFile::create(directory, PROBLEMS_CSV)?);
    for row in rows {
        writer.serialize(row).map_err(csv_error(directory, PROBLEMS_CSV))?;
    }
    finish_csv(writer)
}
