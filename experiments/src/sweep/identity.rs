//! `sweep.json`: which sweep a directory belongs to, written before its first run. Only the very same sweep may be resumed
//! in it, and only parts of the same sweep are joined.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Prepared;
use super::shard::Shard;
use crate::error::Error;

/// The file's name.
pub const SWEEP_JSON: &str = "sweep.json";

/// What makes a sweep the one it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Identity {
    /// The version of the program; another one may compute other numbers.
    pub version: String,
    /// The experiment file as it was given; the same file may lie elsewhere on another machine.
    pub given: String,
    /// What the experiment is called.
    pub title: String,
    /// The BLAKE3 hash of the experiment file.
    pub experiment_blake3: String,
    /// The BLAKE3 hash of all its scenes.
    pub scenes_blake3: String,
    /// The seed of the command line.
    pub seed: Option<u64>,
    /// The part of the sweep, if it is split.
    pub shard: Option<Shard>,
    /// The runs of the whole sweep.
    pub runs: usize,
    /// Whether runs have directories.
    pub keep_runs: bool,
    /// The measured columns.
    pub columns: Vec<String>,
}

impl Identity {
    /// Of a sweep about to begin.
    pub fn new(prepared: &Prepared, seed: Option<u64>, keep_runs: bool) -> Self {
        let source = &prepared.experiment.source;
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            given: source.path.display().to_string(),
            title: prepared.experiment.title.clone(),
            experiment_blake3: blake3::hash(source.text.as_bytes()).to_hex().to_string(),
            scenes_blake3: prepared.scenes_blake3.clone(),
            // Seeds of the file go before that of the command line.
            seed: seed.filter(|_| prepared.experiment.seeds.is_empty()),
            shard: prepared.shard,
            runs: prepared.whole,
            keep_runs,
            columns: prepared.columns.iter().map(|column| column.name.clone()).collect(),
        }
    }

    /// Reads that of a directory; none if there is no such file.
    pub fn read(directory: &Path) -> Result<Option<Self>, Error> {
        let path = directory.join(SWEEP_JSON);
        let cannot = |error: &dyn std::fmt::Display| Error::Input(format!("cannot read '{}': {error}", path.display()));
        match fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).map(Some).map_err(|error| cannot(&error)),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
            Err(error) => Err(cannot(&error)),
        }
    }

    /// What of it differs from another, besides the shard: `the experiment file`. Nothing if both are parts of the same
    /// sweep.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let seed = |seed: Option<u64>| seed.map_or_else(|| "none".to_owned(), |seed| seed.to_string());
        let kept = |keep: bool| {
            if keep {
                "with --keep-runs"
            } else {
                "without --keep-runs"
            }
        };
        if self.version != other.version {
            let versions = (&self.version, &other.version);
            return Some(format!("the version of drystone ({} and {})", versions.0, versions.1));
        }
        if self.experiment_blake3 != other.experiment_blake3 {
            return Some("the experiment file".into());
        }
        if self.seed != other.seed {
            return Some(format!("--seed ({} and {})", seed(self.seed), seed(other.seed)));
        }
        // After the seed, which changes scenes, too.
        if self.scenes_blake3 != other.scenes_blake3 {
            return Some("a scene that the experiment names".into());
        }
        if self.runs != other.runs || self.columns != other.columns {
            return Some("the columns or runs that the program makes of the experiment".into());
        }
        if self.keep_runs != other.keep_runs {
            return Some(format!(
                "whether runs are kept ({} and {})",
                kept(self.keep_runs),
                kept(other.keep_runs)
            ));
        }
        None
    }

    /// The same, or the shard.
    pub fn difference_with_shard(&self, other: &Self) -> Option<String> {
        let shard = |shard: Option<Shard>| shard.map_or_else(|| "none".to_owned(), |shard| shard.to_string());
        self.difference(other).or_else(|| {
            let both = (self.shard != other.shard).then(|| (shard(self.shard), shard(other.shard)));
            both.map(|(one, two)| format!("--shard ({one} and {two})"))
        })
    }
}
