//! `manifest.json` of a sweep: which file, which runs, which columns, which machine. It is written last, so a directory with
//! a manifest is complete.

use std::time::SystemTime;

use serde::Serialize;

use super::columns::Column;
use super::file::Experiment;
use super::work::{Finished, Work};
use crate::clock::rfc3339;
use crate::machine::Machine;
use crate::seed::GENERATOR;
use crate::summary::Status;

/// The copy of the experiment in the directory.
pub const EXPERIMENT_TOML: &str = "experiment.toml";

/// The manifest.
#[derive(Debug, Serialize)]
pub struct Manifest<'a> {
    program: &'static str,
    version: &'static str,
    command: &'a [String],
    title: &'a str,
    experiment: FileRecord,
    /// Runs that were to be made.
    planned_runs: usize,
    finished_runs: usize,
    failed_runs: usize,
    repetitions: u64,
    /// The seeds of the runs; those in parameters and options where there are none.
    seeds: Vec<u64>,
    generator: &'static str,
    record: &'static str,
    columns: &'a [Column],
    jobs: usize,
    threads: usize,
    machine: Machine,
    started: String,
    finished: String,
    /// `finished`, `failed` (every run did) or `interrupted`.
    status: &'static str,
}

#[derive(Debug, Serialize)]
struct FileRecord {
    given: String,
    file: &'static str,
    blake3: String,
}

impl<'a> Manifest<'a> {
    /// Of a sweep that has just ended.
    pub fn new(work: &Work<'a>, results: &[Finished], status: &'static str, started: SystemTime) -> Self {
        let (experiment, environment): (&'a Experiment, _) = (work.experiment, work.environment);
        let with = |status| results.iter().filter(|finished| finished.row.status == status).count();
        let seeds = match environment.global.seed {
            Some(seed) if experiment.seeds.is_empty() => vec![seed],
            _ => experiment.seeds.clone(),
        };
        Self {
            program: "drystone",
            version: env!("CARGO_PKG_VERSION"),
            command: &environment.command_line,
            title: &experiment.title,
            experiment: FileRecord {
                given: experiment.source.path.display().to_string(),
                file: EXPERIMENT_TOML,
                blake3: blake3::hash(experiment.source.text.as_bytes()).to_hex().to_string(),
            },
            planned_runs: work.runs.len(),
            finished_runs: with(Status::Finished),
            failed_runs: with(Status::Failed),
            repetitions: experiment.repetitions,
            seeds,
            generator: GENERATOR,
            record: experiment.record.name(),
            columns: work.columns,
            jobs: work.jobs,
            threads: environment.threads,
            machine: Machine::here(),
            started: rfc3339(started),
            finished: rfc3339(SystemTime::now()),
            status,
        }
    }
}
