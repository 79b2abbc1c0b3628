//! Arguments of `drystone solve`.

use std::path::PathBuf;

use clap::Args;
use drystone_solver::Criterion;

use super::values::{criterion, iteration_count, positive, positive_seconds, thread_count};

/// Arguments of `solve`.
#[derive(Debug, Clone, Args)]
pub struct SolveArguments {
    /// Problem files (.hdf5 .dat .json .mtx), or folders that are searched for them
    #[arg(required = true, value_name = "PROBLEM")]
    pub problems: Vec<PathBuf>,
    /// A solver, `solver[:options]`; once for each [default: the laboratory's reference solver]
    #[arg(long = "solver", value_name = "SPEC")]
    pub solvers: Vec<String>,
    /// Every solver of `drystone list solvers`, with its own options
    #[arg(long, conflicts_with = "solvers")]
    pub all_solvers: bool,
    /// The residual that counts as solved
    #[arg(long, value_name = "T", default_value_t = 1e-8, value_parser = positive, allow_negative_numbers = true)]
    pub tolerance: f64,
    /// Which residual that is: relative (FCLIB's e, over all rows) or natural (of the worst block, m/s)
    #[arg(long, value_name = "WHICH", default_value = "relative", value_parser = criterion)]
    pub criterion: Criterion,
    /// Seconds for each solve
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = positive_seconds, allow_negative_numbers = true)]
    pub time_limit: f64,
    /// Iterations for each solve [default: 100000 for iterative methods, their own for others]
    #[arg(long, value_name = "N", value_parser = iteration_count, allow_negative_numbers = true)]
    pub iterations: Option<usize>,
    /// Problems solved at a time; more than one makes times longer
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = thread_count, allow_negative_numbers = true)]
    pub jobs: usize,
    /// How often each solve is timed; the shortest time counts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = thread_count, allow_negative_numbers = true)]
    pub repeat: usize,
    /// Solve once more with the residual measured after every iteration, for convergence.csv; with a single problem also
    /// for plots
    #[arg(long)]
    pub record: bool,
    /// Start from the guess that a file holds
    #[arg(long)]
    pub warm_start: bool,
    /// A folder of known velocities to compare with, `<file name>.csv` for each problem
    #[arg(long, value_name = "DIR")]
    pub reference: Option<PathBuf>,
    /// A page to write with the best solver for every problem, in Markdown
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// For that page: what another program reached, a CSV file with columns file, best_residual, best_solver
    #[arg(long, value_name = "FILE", requires = "markdown")]
    pub index: Option<PathBuf>,
    /// Directory for the results [default: a new one in `runs/`]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
