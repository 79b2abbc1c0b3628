//! Arguments of `drystone claims`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `claims`.
#[derive(Debug, Clone, Args)]
pub struct ClaimsArguments {
    /// Folders with a claims.toml and experiments
    #[arg(required = true, value_name = "FOLDER")]
    pub folders: Vec<PathBuf>,
    /// Directory of a sweep of the folder; its results are judged without running anything
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
    /// A page to write, besides claims.md in the directory of the results
    #[arg(long, value_name = "FILE", requires = "results")]
    pub markdown: Option<PathBuf>,
    /// Exit with 1 if a claim fails without an explanation
    #[arg(long, requires = "results")]
    pub check: bool,
}
