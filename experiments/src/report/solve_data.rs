//! The files of a solve, read back: what every solver made of every problem, and how residuals fell.

use std::path::Path;

use super::csv_table::CsvTable;
use super::figures::residuals::Captured;
use crate::error::Error;

/// What a solver made of a problem.
#[derive(Debug, Clone)]
pub(super) struct Attempt {
    pub(super) problem: String,
    pub(super) solver: String,
    pub(super) status: String,
    pub(super) message: String,
    pub(super) contacts: f64,
    pub(super) rows: f64,
    pub(super) iterations: f64,
    pub(super) relative: f64,
    pub(super) natural: f64,
    pub(super) seconds: f64,
}

impl Attempt {
    /// Whether the solver failed, rather than came as far as it could.
    pub(super) fn is_failure(&self) -> bool {
        matches!(self.status.as_str(), "failed" | "diverged" | "unsupported")
    }

    /// The time it took, if it solved the problem.
    pub(super) fn cost(&self) -> Option<f64> {
        (self.status == "converged" && self.seconds.is_finite()).then_some(self.seconds)
    }
}

/// All rows of `problems.csv`.
pub(super) fn read(path: &Path) -> Result<Vec<Attempt>, Error> {
    let table = CsvTable::read(path)?;
    if table.is_empty() {
        return Ok(Vec::new());
    }
    let [problem, solver, status, message] =
        ["problem", "solver", "status", "message"].map(|name| table.required(name));
    let numbers = ["contacts", "rows", "iterations", "relative", "natural", "seconds"].map(|name| table.required(name));
    let (problem, solver, status, message) = (problem?, solver?, status?, message?);
    let numbers = numbers.into_iter().collect::<Result<Vec<usize>, Error>>()?;
    let attempt = |row: usize| {
        let text = |column: usize| table.text(row, column).to_owned();
        let number = |k: usize| table.number(row, numbers[k]);
        Ok(Attempt {
            problem: text(problem),
            solver: text(solver),
            status: text(status),
            message: text(message),
            contacts: number(0)?,
            rows: number(1)?,
            iterations: number(2)?,
            relative: number(3)?,
            natural: number(4)?,
            seconds: number(5)?,
        })
    };
    (0..table.len()).map(attempt).collect()
}

/// The recorded curves by problem.
pub(super) fn curves(path: &Path, solvers: &[String]) -> Result<Vec<(String, Vec<Captured>)>, Error> {
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let table = CsvTable::read(path)?;
    let [problem, solver, iteration, seconds, residual] =
        ["problem", "solver", "iteration", "seconds", "residual"].map(|name| table.required(name));
    let (problem, solver, iteration, seconds, residual) = (problem?, solver?, iteration?, seconds?, residual?);
    let mut all: Vec<(String, Vec<Captured>)> = Vec::new();
    for row in 0..table.len() {
        let (of_problem, of_solver) = (table.text(row, problem), table.text(row, solver));
        let point = [
            table.number(row, iteration)?,
            table.number(row, seconds)?,
            table.number(row, residual)?,
        ];
        if all.last().is_none_or(|(name, _)| name != of_problem) {
            all.push((of_problem.to_owned(), Vec::new()));
        }
        let Some((_, curves)) = all.last_mut() else { continue };
        match curves.last_mut() {
            Some(curve) if curve.label == of_solver && point[0] > 0.0 => curve.points.push(point),
            _ => curves.push(Captured {
                label: of_solver.to_owned(),
                style: solvers.iter().position(|solver| solver == of_solver).unwrap_or(0),
                points: vec![point],
            }),
        }
    }
    Ok(all)
}
