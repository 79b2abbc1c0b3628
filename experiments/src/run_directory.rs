//! Directories for results: checked before anything is written, never overwritten unasked.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::capture::{CAPTURED_CSV, RATES_CSV, RATES_MD};
use crate::claims::{CLAIMS_JSON, CLAIMS_MD};
use crate::comparison::COMPARISON_CSV;
use crate::convergence_csv::CONVERGENCE_CSV;
use crate::curves::{ITERATIONS_SVG, TIME_SVG};
use crate::error::Error;
use crate::events_csv::EVENTS_CSV;
use crate::group_sizes_csv::GROUP_SIZES_CSV;
use crate::logs::target::PROGRAM;
use crate::manifest::{MANIFEST_JSON, SCENE_TOML};
use crate::problems::dump;
use crate::report::{self, REPORT_HTML};
use crate::solve::plots::{PROFILE_SVG, RESIDUAL_TIME_SVG};
use crate::solve::rows::PROBLEMS_CSV;
use crate::steps_csv::STEPS_CSV;
use crate::summary::SUMMARY_JSON;
use crate::sweep::identity::SWEEP_JSON;
use crate::sweep::journal::RUNS_JSONL;
use crate::sweep::manifest::EXPERIMENT_TOML;
use crate::sweep::page::{self, REPORT_MD};
use crate::sweep::parquet_file::RESULTS_PARQUET;
use crate::sweep::results::RESULTS_CSV;
use crate::trajectory::TRAJECTORY_BIN;
use crate::whole_file::partial_name;

/// Where new directories go if none is named.
pub const RUNS: &str = "runs";

/// All the files this program writes, and so the only ones it removes.
const RESULTS: &[&str] = &[
    MANIFEST_JSON,
    SCENE_TOML,
    STEPS_CSV,
    CONVERGENCE_CSV,
    EVENTS_CSV,
    GROUP_SIZES_CSV,
    TRAJECTORY_BIN,
    SUMMARY_JSON,
    COMPARISON_CSV,
    CAPTURED_CSV,
    RATES_CSV,
    RATES_MD,
    ITERATIONS_SVG,
    TIME_SVG,
    PROBLEMS_CSV,
    PROFILE_SVG,
    RESIDUAL_TIME_SVG,
    RESULTS_CSV,
    REPORT_MD,
    EXPERIMENT_TOML,
    SWEEP_JSON,
    RUNS_JSONL,
    CLAIMS_MD,
    CLAIMS_JSON,
    REPORT_HTML,
    RESULTS_PARQUET,
];

/// A name is cut to this many characters; file systems allow 255 bytes.
const LONGEST_NAME: usize = 100;

/// Makes the directory that was asked for ready for results, or a new one in `runs/`.
///
/// With `force` the old results in it are removed, and nothing else; a file the program does not know stays.
pub fn prepare(asked: Option<&Path>, stem: &str, force: bool) -> Result<PathBuf, Error> {
    let directory = match asked {
        Some(directory) => {
            check(directory, force)?;
            claim(directory, None)?;
            directory.to_owned()
        }
        None => fresh(Path::new(RUNS), stem)?,
    };
    tracing::info!(target: PROGRAM, directory = %directory.display(), "results go here");
    Ok(directory)
}

/// Refuses a directory that holds something, unless forced, and a path that is no directory.
pub(crate) fn check(directory: &Path, force: bool) -> Result<(), Error> {
    let shown = directory.display();
    match fs::read_dir(directory).map(Iterator::count) {
        Ok(entries) if force || entries == 0 => Ok(()),
        Ok(_) => Err(Error::Directory(format!(
            "directory '{shown}' is not empty; use --force to overwrite the results in it"
        ))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(cannot_write(directory, &error)),
    }
}

/// What is said of a directory that can't be written to.
pub(crate) fn cannot_write(directory: &Path, error: &io::Error) -> Error {
    let shown = directory.display();
    Error::Directory(format!(
        "cannot write to '{shown}': {error}; choose another directory with --out"
    ))
}

/// Creates a directory and clears it of old results but one, if one is to be kept.
pub(crate) fn claim(directory: &Path, kept: Option<&str>) -> Result<(), Error> {
    let cannot = |error| cannot_write(directory, &error);
    fs::create_dir_all(directory).map_err(cannot)?;
    for name in RESULTS.iter().copied().filter(|name| Some(*name) != kept) {
        for name in [name, &partial_name(name)] {
            match fs::remove_file(directory.join(name)) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(cannot(error)),
                _ => {}
            }
        }
    }
    dump::clear(directory).map_err(cannot)?;
    page::clear(directory).map_err(cannot)?;
    report::clear(directory).map_err(cannot)?;
    // Creating a file is the one sure way to know that it is possible.
    probe(directory).map_err(cannot)
}

fn probe(directory: &Path) -> io::Result<()> {
    let path = directory.join(partial_name("probe"));
    fs::write(&path, b"")?;
    fs::remove_file(path)
}

/// Creates `<parent>/<stem>-<n>` with the first n that is free.
fn fresh(parent: &Path, stem: &str) -> Result<PathBuf, Error> {
    let cannot = |error| cannot_write(parent, &error);
    fs::create_dir_all(parent).map_err(cannot)?;
    let mut number = 1_u64;
    loop {
        let directory = parent.join(format!("{stem}-{number}"));
        // Creating is what tells whether it is free, so that two programs never share one.
        match fs::create_dir(&directory) {
            Ok(()) => return Ok(directory),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(cannot(error)),
        }
    }
}

/// Creates the directory of one of several runs inside that of their comparison; old results in it are removed.
/// Of runs with the same name, `taken` of them made before, the later ones are numbered.
pub fn prepare_inside(parent: &Path, name: &str, taken: &mut Vec<String>) -> Result<PathBuf, Error> {
    let mut unique = name.to_owned();
    let mut number = 2;
    while taken.contains(&unique) {
        unique = format!("{name}-{number}");
        number += 1;
    }
    let directory = parent.join(&unique);
    taken.push(unique);
    claim(&directory, None)?;
    Ok(directory)
}

/// A text as part of a file name: what shells and file systems take amiss becomes a hyphen.
pub fn file_name(text: &str) -> String {
    let safe = |character: char| character.is_alphanumeric() || "._=,+".contains(character);
    let mut name = String::new();
    for character in text.chars().take(LONGEST_NAME) {
        if safe(character) {
            name.push(character);
        } else if !name.ends_with('-') {
            name.push('-');
        }
    }
    let trimmed = name.trim_matches(['-', '.']);
    if trimmed.is_empty() {
        "run".to_owned()
    } else {
        trimmed.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_fit_for_file_systems() {
        assert_eq!(file_name("wall:rows=4,columns=6"), "wall-rows=4,columns=6");
        assert_eq!(
            file_name("classical/psor:relaxation=1.2"),
            "classical-psor-relaxation=1.2"
        );
        assert_eq!(file_name("../../etc/passwd"), "etc-passwd");
        assert_eq!(file_name("//"), "run");
        assert_eq!(file_name(&"long".repeat(100)).len(), LONGEST_NAME);
    }

    #[test]
    fn fresh_directories_are_numbered() {
        let folder = tempfile::tempdir().unwrap();
        let names: Vec<_> = (0..2).map(|_| fresh(folder.path(), "wall-pgs").unwrap()).collect();
        assert_eq!(names[0], folder.path().join("wall-pgs-1"));
        assert_eq!(names[1], folder.path().join("wall-pgs-2"));
    }

    #[test]
    fn force_removes_results_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["steps.csv", "diary.txt"] {
            fs::write(folder.path().join(name), "old").unwrap();
        }
        assert!(prepare(Some(folder.path()), "", false).is_err());
        prepare(Some(folder.path()), "", true).unwrap();
        assert!(!folder.path().join("steps.csv").exists());
        assert!(folder.path().join("diary.txt").exists());
    }

    #[test]
    fn equal_names_inside_a_directory_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let mut taken = Vec::new();
        let first = prepare_inside(folder.path(), "a", &mut taken).unwrap();
        let second = prepare_inside(folder.path(), "a", &mut taken).unwrap();
        assert_ne!(first, second);
    }
}
