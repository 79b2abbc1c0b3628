//! Arguments of `drystone report`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `report`.
#[derive(Debug, Clone, Args)]
pub struct ReportArguments {
    /// A directory of run, compare, sweep or solve, or a folder of sweeps; several runs are shown side by side
    #[arg(required = true, value_name = "DIR")]
    pub directories: Vec<PathBuf>,
    /// The file to write [default: `report.html` in the directory]; plots go to `plots/` beside it
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Embed all trajectories, however large the page becomes
    #[arg(long)]
    pub all_trajectories: bool,
}
