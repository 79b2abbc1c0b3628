//! What a directory holds, told by the files in it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::comparison::COMPARISON_CSV;
use crate::error::Error;
use crate::manifest::SCENE_TOML;
use crate::solve::rows::PROBLEMS_CSV;
use crate::steps_csv::STEPS_CSV;
use crate::summary::SUMMARY_JSON;
use crate::sweep::results::RESULTS_CSV;

/// What a report is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// One run.
    Run,
    /// Runs of `drystone compare`.
    Comparison,
    /// Runs that were named one by one.
    Runs,
    /// An experiment file.
    Sweep,
    /// A folder with several of these.
    Sweeps,
    /// Stored problems.
    Solve,
}

impl Kind {
    /// What `directory` holds.
    pub fn of(directory: &Path) -> Result<Self, Error> {
        let shown = directory.display();
        if !directory.is_dir() {
            let what = if directory.exists() {
                "is no directory"
            } else {
                "does not exist"
            };
            return Err(Error::Input(format!("'{shown}' {what}; name a directory with results")));
        }
        let has = |name: &str| directory.join(name).is_file();
        if has(COMPARISON_CSV) {
            Ok(Self::Comparison)
        } else if has(RESULTS_CSV) {
            Ok(Self::Sweep)
        } else if has(PROBLEMS_CSV) {
            Ok(Self::Solve)
        } else if has(STEPS_CSV) || has(SUMMARY_JSON) || has(SCENE_TOML) {
            Ok(Self::Run)
        } else if !sweeps_in(directory)?.is_empty() {
            Ok(Self::Sweeps)
        } else {
            Err(Error::Input(format!(
                "'{shown}' holds no results of run ({STEPS_CSV}), compare ({COMPARISON_CSV}), sweep ({RESULTS_CSV}) or solve \
                 ({PROBLEMS_CSV})"
            )))
        }
    }
}

/// The directories of sweeps inside a folder, by name.
pub fn sweeps_in(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let cannot = |error| Error::Input(format!("cannot read '{}': {error}", folder.display()));
    let mut sweeps = Vec::new();
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        if path.join(RESULTS_CSV).is_file() {
            sweeps.push(path);
        }
    }
    sweeps.sort();
    Ok(sweeps)
}
