//! Known answers to compare with: velocities from a folder of references, and what another program reached.
//!
//! Impulses are not compared: where there are more contact rows than degrees of freedom they are not unique. Velocities
//! mostly are, but Coulomb's law can have several solutions that move differently: so the reference's own residual
//! is told beside the difference, and who differs from a reference that is as good a solution has found another one.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use drystone_solver::{Problem, Residuals};

use crate::error::Error;

/// A solution as somebody else has found it, contact by contact.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reference {
    velocities: Vec<f64>,
    /// Empty if there are none.
    impulses: Vec<f64>,
}

/// A folder with `<file name>.csv` for problems: a line a contact, with columns `un,ut1,ut2`, or `un,ut` in the plane, and
/// the same with r for impulses if they are known.
#[derive(Debug, Clone)]
pub struct References(PathBuf);

impl References {
    /// The folder must be there.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        if folder.is_dir() {
            Ok(Self(folder.to_owned()))
        } else {
            Err(Error::Input(format!(
                "'{}' is not a folder of references; it holds `<file name>.csv` with the velocities of each problem",
                folder.display()
            )))
        }
    }

    /// What the folder has of a problem.
    pub fn of(&self, file: &Path) -> Result<Option<Reference>, String> {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let path = self.0.join(format!("{name}.csv"));
        if !path.is_file() {
            return Ok(None);
        }
        let wrong = |message: String| format!("reference '{}': {message}", path.display());
        let mut reader = csv::Reader::from_path(&path).map_err(|error| wrong(error.to_string()))?;
        let headers = reader.headers().map_err(|error| wrong(error.to_string()))?.clone();
        let mut reference = Reference::default();
        for record in reader.records() {
            let record = record.map_err(|error| wrong(error.to_string()))?;
            for (heading, text) in headers.iter().zip(&record) {
                let numbers = match heading.trim().chars().next() {
                    Some('u') => &mut reference.velocities,
                    Some('r') => &mut reference.impulses,
                    _ => continue,
                };
                let text = text.trim();
                numbers.push(text.parse().map_err(|_| wrong(format!("'{text}' is no number")))?);
            }
        }
        Ok(Some(reference))
    }
}

impl Reference {
    /// FCLIB's relative error of its impulses, where they are all that the problem asks for.
    pub fn residual(&self, problem: &Problem) -> Option<f64> {
        (self.impulses.len() == problem.rows()).then(|| Residuals::of(problem, &self.impulses).relative)
    }

    /// `‖u − u_ref‖∞` over the contacts, divided by the largest velocity of the reference or, where that rests, of the
    /// problem without impulses: a stack at rest would be compared with rounding otherwise. Nothing if the sizes differ.
    pub fn velocity_error(&self, problem: &Problem, velocities: &[f64]) -> Option<f64> {
        let contacts = || problem.blocks.iter().filter(|block| block.cone.is_contact());
        let rows: Vec<usize> = contacts().flat_map(|block| block.rows()).collect();
        if rows.len() != self.velocities.len() {
            return None;
        }
        let largest =
            |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, |most: f64, value| most.max(value.abs()));
        let differences = rows.iter().zip(&self.velocities);
        let difference = largest(&mut differences.map(|(&row, reference)| velocities[row] - reference));
        let size =
            largest(&mut self.velocities.iter().copied()).max(largest(&mut rows.iter().map(|&row| problem.bias[row])));
        Some(if size > 0.0 { difference / size } else { difference })
    }
}

/// What another program reached, from the `index.csv` of a collection: columns `file`, `best_residual`, `best_solver`.
#[derive(Debug, Clone, Default)]
pub struct Index(HashMap<String, Known>);

/// The best result of another program.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// Its relative error e.
    pub residual: f64,
    /// The solver's name there.
    pub solver: String,
    /// The seconds it took, if the index tells.
    pub seconds: Option<f64>,
}

impl Index {
    /// Reads an index.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let wrong = |message: String| Error::Input(format!("cannot read the index '{}': {message}", path.display()));
        let mut reader = csv::Reader::from_path(path).map_err(|error| wrong(error.to_string()))?;
        let headers = reader.headers().map_err(|error| wrong(error.to_string()))?.clone();
        let column = |name: &str| headers.iter().position(|header| header == name);
        let (Some(file), Some(residual), Some(solver)) =
            (column("file"), column("best_residual"), column("best_solver"))
        else {
            return Err(wrong("it has no columns file, best_residual and best_solver".into()));
        };
        let mut known = HashMap::new();
        for record in reader.records() {
            let record = record.map_err(|error| wrong(error.to_string()))?;
            let Ok(best) = record[residual].parse::<f64>() else {
                continue;
            };
            let seconds = column(&format!("{}_seconds", &record[solver])).and_then(|at| record[at].parse().ok());
            let entry = Known {
                residual: best,
                solver: record[solver].to_owned(),
                seconds,
            };
            known.insert(file_name(Path::new(&record[file])), entry);
        }
        Ok(Self(known))
    }

    /// What is known of a file, by its name.
    pub fn get(&self, file: &str) -> Option<&Known> {
        self.0.get(&file_name(Path::new(file)))
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
