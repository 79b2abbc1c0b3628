//! The directory of a sweep: a new one, or one that an earlier program left behind and that is gone on with.
//!
//! Everything is checked for all experiments before anything is written for one. Then the journal is opened and locked
//! first of all, and the checks are made again under the lock, since another program may have been quicker.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::identity::{Identity, SWEEP_JSON};
use super::journal::{Contents, Journal, RUNS_JSONL};
use super::manifest::EXPERIMENT_TOML;
use super::parquet_file::RESULTS_PARQUET;
use super::work::{Finished, is_done};
use crate::error::Error;
use crate::manifest::MANIFEST_JSON;
use crate::run_directory::{cannot_write, check, claim, prepare};
use crate::whole_file::{write_json, write_text};

/// How a directory that is there already is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It must be empty.
    Refuse,
    /// The results in it are removed.
    Overwrite,
    /// The sweep in it goes on; failed runs may be tried again.
    Resume {
        /// Whether they are.
        retry_failed: bool,
    },
}

/// A directory that is ready, and locked for as long as this lives.
#[derive(Debug)]
pub struct Claimed {
    /// Where.
    pub path: PathBuf,
    /// For the runs to come.
    pub journal: Journal,
    /// The runs that need not be made again.
    pub kept: Vec<Finished>,
    /// Those who worked here before, as they described themselves.
    pub launches: Vec<serde_json::Value>,
}

/// Refuses a directory that can't be used. Nothing is written.
pub fn check_directory(directory: &Path, identity: &Identity, existing: Existing) -> Result<(), Error> {
    Journal::check(directory)?;
    match existing {
        Existing::Refuse => check(directory, false).map_err(|refusal| match Identity::read(directory) {
            Ok(Some(found)) if found.difference_with_shard(identity).is_none() => Error::Directory(format!(
                "directory '{}' holds this sweep already; use --resume to go on with it, or --force to begin again",
                directory.display()
            )),
            _ => refusal,
        }),
        Existing::Overwrite => check(directory, true),
        Existing::Resume { .. } => is_resumed(directory, identity).map(drop),
    }
}

/// Whether there is something to go on with: no for a directory that is empty or not there.
fn is_resumed(directory: &Path, identity: &Identity) -> Result<bool, Error> {
    let shown = directory.display();
    if let Some(found) = Identity::read(directory)? {
        return match found.difference_with_shard(identity) {
            None => Ok(true),
            Some(what) => Err(Error::Input(format!(
                "cannot resume in '{shown}': {what} has changed since its sweep began; name another directory, or begin again \
                 with --force"
            ))),
        };
    }
    // A program that was killed before it had written anything leaves an empty journal.
    let is_nothing = |entry: fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_empty = entry
            .metadata()
            .is_ok_and(|metadata| metadata.is_file() && metadata.len() == 0);
        name.ends_with(".partial") || (name == RUNS_JSONL && is_empty)
    };
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(cannot_write(directory, &error)),
    };
    match entries.flatten().all(is_nothing) {
        true => Ok(false),
        false => Err(Error::Input(format!(
            "cannot resume in '{shown}': it is not empty, and no directory of a sweep ({SWEEP_JSON} is missing); name that of \
             the sweep, or a new one"
        ))),
    }
}

/// Makes a directory ready: the one that was asked for, or a new one in `runs/`.
pub fn claim_directory(
    asked: Option<&Path>,
    stem: &str,
    identity: &Identity,
    experiment: &str,
    existing: Existing,
) -> Result<Claimed, Error> {
    let path = match asked {
        Some(directory) => directory.to_owned(),
        None => prepare(None, stem, false)?,
    };
    let cannot = |error: io::Error| cannot_write(&path, &error);
    fs::create_dir_all(&path).map_err(cannot)?;
    let mut journal = Journal::open(&path)?;
    if let Existing::Resume { retry_failed } = existing
        && is_resumed(&path, identity)?
    {
        let contents = Contents::read(&path)?;
        journal.mend(&contents)?;
        // Until the end there is a sweep under way again, not a complete one.
        for stale in [MANIFEST_JSON, RESULTS_PARQUET] {
            remove(&path.join(stale)).map_err(cannot)?;
        }
        write_text(&path, EXPERIMENT_TOML, experiment)?;
        let kept = contents.finished.into_iter();
        return Ok(Claimed {
            kept: kept.filter(|finished| is_done(finished, retry_failed)).collect(),
            launches: contents.launches,
            journal,
            path,
        });
    }
    if existing == Existing::Refuse && !Contents::read(&path)?.launches.is_empty() {
        let message = format!("directory '{}' was taken by another sweep just now", path.display());
        return Err(Error::Directory(message));
    }
    journal.clear()?;
    claim(&path, Some(RUNS_JSONL))?;
    write_json(&path, SWEEP_JSON, identity)?;
    write_text(&path, EXPERIMENT_TOML, experiment)?;
    Ok(Claimed {
        path,
        journal,
        kept: Vec::new(),
        launches: Vec::new(),
    })
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
