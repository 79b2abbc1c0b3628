//! `manifest.json` of a sweep: which file, which runs, which columns, which machines. It is written when all results are there,
//! before the page that is made of them. A sweep that is under way, or was killed, has none.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Serialize;
use serde_json::{Value, json};

use super::columns::{Column, FIXED, columns};
use super::file::{Experiment, Source};
use super::identity::Identity;
use super::journal::Contents;
use super::shard::Shard;
use super::stop::{StopRecord, TIME_LIMIT};
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
    /// The part of a sweep that is split.
    shard: Option<Shard>,
    /// The runs of the whole sweep.
    runs_of_sweep: usize,
    /// Runs that were to be made here.
    planned_runs: usize,
    finished_runs: usize,
    failed_runs: usize,
    /// Those that stop rules ended; they are among the finished ones.
    stopped_runs: usize,
    /// Those that the clock ended, which says more of the machine than of the method; they are among the stopped ones.
    time_limited_runs: usize,
    /// Those that an earlier program had made.
    resumed_runs: usize,
    /// Those that are not there, or were interrupted.
    missing_runs: Vec<usize>,
    repetitions: u64,
    /// The seeds of the runs; those in parameters and options where there are none.
    seeds: Vec<u64>,
    generator: &'static str,
    record: &'static str,
    stop: Vec<StopRecord<'a>>,
    /// Seconds on the wall.
    time_limit: Option<f64>,
    /// The columns before the measured ones.
    fixed_columns: &'static [&'static str],
    columns: &'a [Column],
    #[serde(skip_serializing_if = "Option::is_none")]
    jobs: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<usize>,
    /// This machine; those of the runs are in `launches`.
    machine: Machine,
    /// Everybody who made runs of this directory, in order.
    launches: &'a [Value],
    /// The directories that were joined, if it was made so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<PartRecord>,
    started: String,
    finished: String,
    /// `finished`, `failed` (every run did), `interrupted`, or `incomplete` (parts were missing).
    status: &'static str,
}

#[derive(Debug, Serialize)]
struct FileRecord {
    given: String,
    file: &'static str,
    blake3: String,
}

/// A directory that was joined with others.
#[derive(Debug, Clone, Serialize)]
pub struct PartRecord {
    /// Where it was.
    pub directory: String,
    /// Which part of the sweep it is.
    pub shard: Option<Shard>,
    /// How many runs it had.
    pub runs: usize,
    /// Who made them.
    pub launches: Vec<Value>,
}

/// A program at work on a sweep, for the journal and the manifest.
#[derive(Debug, Serialize)]
pub struct Launch<'a> {
    process: u32,
    command: &'a [String],
    started: String,
    jobs: usize,
    threads: usize,
    /// Runs that were there when it began.
    resumed_runs: usize,
    machine: Machine,
}

impl<'a> Launch<'a> {
    /// This program, from now on.
    pub fn new(work: &Work<'a>, resumed_runs: usize) -> Self {
        Self {
            process: std::process::id(),
            command: &work.environment.command_line,
            started: rfc3339(SystemTime::now()),
            jobs: work.jobs,
            threads: work.environment.threads,
            resumed_runs,
            machine: Machine::here(),
        }
    }
}

/// What a manifest is made of.
#[derive(Debug)]
pub struct About<'a> {
    /// The command line.
    pub command: &'a [String],
    /// What was read.
    pub experiment: &'a Experiment,
    /// Its columns.
    pub columns: &'a [Column],
    /// The part of the sweep.
    pub shard: Option<Shard>,
    /// The runs of the whole sweep.
    pub whole: usize,
    /// The runs that should be here, by number.
    pub planned: Vec<usize>,
    /// What came of runs, in their order.
    pub results: &'a [Finished],
    /// How many of those were made before.
    pub resumed: usize,
    /// The seed of the command line.
    pub seed: Option<u64>,
    /// Runs at once, and threads; unknown for what is joined from parts.
    pub jobs_and_threads: Option<(usize, usize)>,
    /// Who made the runs.
    pub launches: &'a [Value],
    /// The directories that were joined.
    pub parts: Vec<PartRecord>,
    /// When this program began with it.
    pub started: SystemTime,
    /// How it ended.
    pub status: &'static str,
}

impl<'a> Manifest<'a> {
    /// Of a sweep that has just ended.
    pub fn new(about: About<'a>) -> Self {
        let (experiment, results) = (about.experiment, about.results);
        let count = |counts: &dyn Fn(&Finished) -> bool| results.iter().filter(|finished| counts(finished)).count();
        let seeds = match about.seed {
            Some(seed) if experiment.seeds.is_empty() => vec![seed],
            _ => experiment.seeds.clone(),
        };
        Self {
            program: "drystone",
            version: env!("CARGO_PKG_VERSION"),
            command: about.command,
            title: &experiment.title,
            experiment: FileRecord {
                given: experiment.source.path.display().to_string(),
                file: EXPERIMENT_TOML,
                blake3: blake3::hash(experiment.source.text.as_bytes()).to_hex().to_string(),
            },
            shard: about.shard,
            runs_of_sweep: about.whole,
            planned_runs: about.planned.len(),
            finished_runs: count(&|finished| finished.row.status == Status::Finished),
            failed_runs: count(&|finished| finished.row.status == Status::Failed),
            stopped_runs: count(&|finished| !finished.row.stopped_by.is_empty()),
            time_limited_runs: count(&|finished| finished.row.stopped_by == TIME_LIMIT),
            resumed_runs: about.resumed,
            missing_runs: missing(&about.planned, results),
            repetitions: experiment.repetitions,
            seeds,
            generator: GENERATOR,
            record: experiment.record.name(),
            stop: experiment.stops.iter().map(StopRecord::from).collect(),
            time_limit: experiment.time_limit,
            fixed_columns: &FIXED,
            columns: about.columns,
            jobs: about.jobs_and_threads.map(|(jobs, _)| jobs),
            threads: about.jobs_and_threads.map(|(_, threads)| threads),
            machine: Machine::here(),
            launches: about.launches,
            parts: about.parts,
            started: rfc3339(about.started),
            finished: rfc3339(SystemTime::now()),
            status: about.status,
        }
    }
}

/// What is known of a sweep that has no manifest (yet), under the same keys. Whatever can't be read is left out.
pub fn of_unfinished(directory: &Path) -> Value {
    let identity = Identity::read(directory).ok().flatten();
    let contents = Contents::read(directory).unwrap_or_default();
    let text = fs::read_to_string(directory.join(EXPERIMENT_TOML)).ok();
    let source = text.map(|text| Source {
        path: PathBuf::from(EXPERIMENT_TOML),
        text,
    });
    let experiment = source.and_then(|source| Experiment::parse(source).ok());
    let count = |status| {
        let rows = contents.finished.iter().map(|finished| &finished.row);
        rows.filter(|row| row.status == status).count()
    };
    let last = contents.launches.last().unwrap_or(&Value::Null);
    let planned = identity.as_ref().map(|identity| {
        let is_here = |run: &usize| identity.shard.is_none_or(|shard| shard.has(*run));
        (1..=identity.runs).filter(is_here).count()
    });
    let folder = directory.file_name().map(|name| name.to_string_lossy().into_owned());
    json!({
        "title": identity.as_ref().map(|identity| identity.title.clone()).or(folder),
        "version": identity.as_ref().map(|identity| &identity.version),
        "seed": identity.as_ref().map(|identity| identity.seed),
        "command": last["command"],
        "started": last["started"],
        "jobs": last["jobs"],
        "threads": last["threads"],
        "machine": last["machine"],
        "planned_runs": planned,
        "finished_runs": count(Status::Finished),
        "failed_runs": count(Status::Failed),
        "columns": experiment.map(|experiment| columns(&experiment)),
        "status": "under way or killed",
    })
}

/// The runs of these that are not there or were interrupted. Both lists are in the order of runs.
pub fn missing(planned: &[usize], results: &[Finished]) -> Vec<usize> {
    let is_there = |run: &usize| {
        let found = results.binary_search_by_key(run, |finished| finished.row.run.run);
        found.is_ok_and(|at| results[at].row.status != Status::Interrupted)
    };
    planned.iter().copied().filter(|run| !is_there(run)).collect()
}
