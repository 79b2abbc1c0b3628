//! What a sweep is given: experiment files in folders, and where pages go.

use std::fs;
use std::path::{Path, PathBuf};

use drystone_solver::spec::nearest;

use crate::claims::CLAIMS_TOML;
use crate::error::Error;
use crate::solve::checked_page;

/// The files that were named, and those in folders that were named, by name; of these the ones asked for with `--only`.
pub(super) fn experiment_files(given: &[PathBuf], only: &[String]) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for path in given {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let inside = experiments_in(path)?;
        if inside.is_empty() {
            let message = format!(
                "there are no experiments (*.toml) in folder '{}'; name one, or a folder that has some",
                path.display()
            );
            return Err(Error::Input(message));
        }
        files.extend(inside);
    }
    chosen(files, only)
}

/// The experiments in a folder, by name.
pub(crate) fn experiments_in(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let cannot = |error| Error::Input(format!("cannot read folder '{}': {error}", folder.display()));
    let mut inside = Vec::new();
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let file = entry.map_err(cannot)?.path();
        let is_toml = file.extension().is_some_and(|extension| extension == "toml");
        let is_claims = file.file_name().is_some_and(|name| name == CLAIMS_TOML);
        if file.is_file() && is_toml && !is_claims {
            inside.push(file);
        }
    }
    inside.sort();
    Ok(inside)
}

/// The files of these names, without `.toml`; all if none is named.
fn chosen(files: Vec<PathBuf>, only: &[String]) -> Result<Vec<PathBuf>, Error> {
    if only.is_empty() {
        return Ok(files);
    }
    let stem = |file: &PathBuf| file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let stems: Vec<String> = files.iter().map(stem).collect();
    if let Some(unknown) = only.iter().find(|name| !stems.contains(name)) {
        let advice = match nearest(unknown, stems.iter().map(String::as_str)) {
            Some(near) => format!("did you mean '{near}'?"),
            None => format!("there are {}", stems.join(", ")),
        };
        return Err(Error::Input(format!(
            "--only: there is no experiment '{unknown}'; {advice}"
        )));
    }
    Ok(files.into_iter().filter(|file| only.contains(&stem(file))).collect())
}

/// Where the pages of experiments with these names go besides the directories: a file, or a folder for several.
pub(super) fn pages(markdown: Option<&Path>, stems: &[String]) -> Result<Vec<Option<PathBuf>>, Error> {
    let Some(path) = markdown else {
        return Ok(stems.iter().map(|_| None).collect());
    };
    if path.is_dir() {
        distinct(stems)?;
        return Ok(stems.iter().map(|stem| Some(path.join(format!("{stem}.md")))).collect());
    }
    if stems.len() > 1 {
        let message = format!(
            "--markdown must name a folder for several experiments; '{}' is none",
            path.display()
        );
        return Err(Error::Input(message));
    }
    if path.extension().is_none_or(|extension| extension != "md") {
        let message = format!(
            "--markdown must name a folder or a file that ends in .md, not '{}'",
            path.display()
        );
        return Err(Error::Input(message));
    }
    checked_page(path)?;
    Ok(vec![Some(path.to_owned())])
}

/// Whether several experiments were named: a folder counts as such however many it has, and however many of them are chosen,
/// so that results are found in the same place.
pub(super) fn are_several(given: &[PathBuf]) -> bool {
    given.len() > 1 || given.iter().any(|path| path.is_dir())
}

/// The directory of each experiment that was asked for, if any was; those of several are inside it.
pub(super) fn directories(out: Option<&Path>, stems: &[String], several: bool) -> Result<Vec<Option<PathBuf>>, Error> {
    match out {
        Some(out) if several => inside(out, stems),
        out => Ok(stems.iter().map(|_| out.map(Path::to_owned)).collect()),
    }
}

/// A directory for each experiment inside one.
pub(super) fn inside(parent: &Path, stems: &[String]) -> Result<Vec<Option<PathBuf>>, Error> {
    distinct(stems)?;
    Ok(stems.iter().map(|stem| Some(parent.join(stem))).collect())
}

/// Results are named after files.
fn distinct(stems: &[String]) -> Result<(), Error> {
    for (k, stem) in stems.iter().enumerate() {
        if stems[..k].contains(stem) {
            return Err(Error::Input(format!(
                "two experiments are called '{stem}.toml'; sweep them apart"
            )));
        }
    }
    Ok(())
}
