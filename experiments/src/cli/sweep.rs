//! Arguments of `drystone sweep`.

use std::path::PathBuf;

use clap::Args;

use super::values::thread_count;
use crate::sweep::shard::Shard;

/// Arguments of `sweep`.
#[derive(Debug, Clone, Args)]
pub struct SweepArguments {
    /// Experiment files, or folders whose *.toml files are run in the order of their names
    #[arg(required_unless_present = "collect", value_name = "EXPERIMENT")]
    pub experiments: Vec<PathBuf>,
    /// Of the folder's experiments run these, named without .toml; repeat it or divide names by commas
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Exit with 1 if a claim of the folder's claims.toml fails without an explanation; not of a shard, whose runs decide none
    #[arg(long, conflicts_with = "shard")]
    pub check_claims: bool,
    /// Print the runs without running them
    #[arg(long)]
    pub list: bool,
    /// Runs at a time; more than one makes times longer and leaves memory_per_contact_bytes empty
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = thread_count, allow_negative_numbers = true)]
    pub jobs: usize,
    /// Write a run directory for every run, inside that of the results
    #[arg(long)]
    pub keep_runs: bool,
    /// Go on with the sweep in the directory of --out, which may have been killed at any moment; a new or empty directory
    /// is simply begun with
    #[arg(long, requires = "out", conflicts_with = "list")]
    pub resume: bool,
    /// With --resume: run failed runs again, which otherwise stay as they are
    #[arg(long, requires = "resume")]
    pub retry_failed: bool,
    /// Make only part K of N of the runs, to be joined with the others by --collect
    #[arg(long, value_name = "K/N")]
    pub shard: Option<Shard>,
    /// Join the directories of shards into one, instead of running anything
    #[arg(long, value_name = "DIR", num_args = 1..,
          conflicts_with_all = ["experiments", "check_claims", "list", "jobs", "keep_runs", "resume", "shard"])]
    pub collect: Vec<PathBuf>,
    /// Write results.parquet besides results.csv, when all runs have ended
    #[arg(long)]
    pub parquet: bool,
    /// A page to write with the tables and pictures, besides report.md; for several experiments a folder
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// Directory for the results, for a folder or several experiments the one that theirs are made in [default: new ones in `runs/`]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
