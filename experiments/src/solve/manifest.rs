//! `manifest.json` of a `solve`: which files, which solvers with all options, which limits, which machine.

use std::time::SystemTime;

use drystone_solver::spec::OptionValue;
use serde::{Serialize, Serializer};

use super::limits::{Limits, PreparedSolver};
use crate::clock::rfc3339;
use crate::machine::Machine;
use crate::seed::GENERATOR;

/// The manifest.
#[derive(Debug, Serialize)]
pub struct Manifest<'a> {
    program: &'static str,
    version: &'static str,
    command: &'a [String],
    problems: Vec<FileRecord>,
    solvers: Vec<SolverRecord<'a>>,
    tolerance: f64,
    criterion: String,
    time_limit: f64,
    iterations: Option<usize>,
    repeat: usize,
    warm_start: bool,
    seed: Option<u64>,
    generator: &'static str,
    jobs: usize,
    threads: usize,
    machine: Machine,
    started: String,
    finished: String,
    /// `finished`, `failed` (some solver or file did), or `interrupted`.
    status: &'static str,
}

/// A problem file.
#[derive(Debug, Clone, Serialize)]
pub struct FileRecord {
    /// Its path as it was given or found.
    pub file: String,
    /// The BLAKE3 hash of its content, if it could be read.
    pub blake3: Option<String>,
}

#[derive(Debug, Serialize)]
struct SolverRecord<'a> {
    given: &'a str,
    name: &'a str,
    #[serde(serialize_with = "as_map")]
    options: &'a [(String, String)],
}

/// What the manifest tells of a run.
#[derive(Debug)]
pub struct Facts<'a> {
    /// The command line.
    pub command: &'a [String],
    /// The files.
    pub problems: Vec<FileRecord>,
    /// The solvers.
    pub solvers: &'a [PreparedSolver],
    /// The limits.
    pub limits: &'a Limits,
    /// Repetitions.
    pub repeat: usize,
    /// Whether stored guesses were used.
    pub warm_start: bool,
    /// The seed given for everything.
    pub seed: Option<u64>,
    /// Problems solved at a time.
    pub jobs: usize,
    /// Threads that solvers may share.
    pub threads: usize,
    /// When it began.
    pub started: SystemTime,
    /// How it ended.
    pub status: &'static str,
}

impl<'a> Manifest<'a> {
    /// Describes a run that has just ended.
    pub fn new(facts: Facts<'a>) -> Self {
        let record = |solver: &'a PreparedSolver| SolverRecord {
            given: &solver.given,
            name: &solver.spec.name,
            options: &solver.options,
        };
        Self {
            program: "drystone",
            version: env!("CARGO_PKG_VERSION"),
            command: facts.command,
            problems: facts.problems,
            solvers: facts.solvers.iter().map(record).collect(),
            tolerance: facts.limits.tolerance,
            criterion: facts.limits.criterion.show(),
            time_limit: facts.limits.time_limit,
            iterations: facts.limits.iterations,
            repeat: facts.repeat,
            warm_start: facts.warm_start,
            seed: facts.seed,
            generator: GENERATOR,
            jobs: facts.jobs,
            threads: facts.threads,
            machine: Machine::here(),
            started: rfc3339(facts.started),
            finished: rfc3339(SystemTime::now()),
            status: facts.status,
        }
    }
}

fn as_map<S: Serializer>(pairs: &[(String, String)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(key, value)| (key, value)))
}
