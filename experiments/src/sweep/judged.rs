//! What a sweep does for a folder with claims: a directory that holds the results of all its experiments, and the verdicts at
//! the end.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Environment;
use crate::claims::{self, CLAIMS_MD, CLAIMS_TOML, Claims, ClaimsReport};
use crate::cli::SweepArguments;
use crate::error::{Error, Exit};
use crate::run_directory::{file_name, prepare};

/// The claims of the folder that is swept, if it has any. Claims are about the experiments beside them, so two such folders
/// need two sweeps.
pub(super) fn claims_of(given: &[PathBuf]) -> Result<Option<Claims>, Error> {
    let folders: Vec<&PathBuf> = given.iter().filter(|path| Claims::are_in(path)).collect();
    match (folders.as_slice(), given.len()) {
        ([], _) => Ok(None),
        ([folder], 1) => Claims::read(folder).map(Some),
        ([folder, ..], _) => {
            let message = format!(
                "folder '{}' has claims of its own; sweep it by itself",
                folder.display()
            );
            Err(Error::Input(message))
        }
    }
}

/// Refuses `--check-claims` where there is nothing to check: a pipeline would be green for ever.
pub(super) fn check_claims_are_there(arguments: &SweepArguments, claims: Option<&Claims>) -> Result<(), Error> {
    if !arguments.check_claims || claims.is_some() {
        return Ok(());
    }
    let given: Vec<String> = arguments
        .experiments
        .iter()
        .map(|path| format!("'{}'", path.display()))
        .collect();
    Err(Error::Input(format!(
        "--check-claims: there are no claims ({CLAIMS_TOML}) in {}; name a folder that has some",
        given.join(", ")
    )))
}

/// The directory that those of a folder's experiments are made in: the one that was asked for, or a new one.
pub(super) fn parent_directory(
    arguments: &SweepArguments,
    claims: &Claims,
    environment: &Environment,
) -> Result<PathBuf, Error> {
    if let Some(out) = &arguments.out {
        return Ok(out.clone());
    }
    let folder = fs::canonicalize(&claims.folder).unwrap_or_else(|_| claims.folder.clone());
    let name = file_name(&folder.file_name().unwrap_or_default().to_string_lossy());
    prepare(None, &format!("sweep-{name}"), environment.global.force)
}

/// Judges the claims by all results there are in the directory. The page goes beside those of the experiments only if all of
/// them were run: one that says "not run" would take the place of one that says more.
pub(super) fn judge(
    claims: &Claims,
    directory: &Path,
    arguments: &SweepArguments,
    environment: &Environment,
    exit: &mut Exit,
) -> Result<ClaimsReport, Error> {
    let report = claims::judge(claims, directory, environment)?;
    if let Some(folder) = &arguments.markdown
        && folder.is_dir()
        && arguments.only.is_empty()
        && *exit != Exit::Interrupted
    {
        claims::write_page(&report, &folder.join(CLAIMS_MD), environment)?;
    }
    let ended = claims::show(&report, arguments.check_claims, environment);
    if *exit == Exit::Done {
        *exit = ended;
    }
    Ok(report)
}
