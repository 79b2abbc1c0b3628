//! Arguments of `drystone view`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `view`.
#[derive(Debug, Clone, Args)]
pub struct ViewArguments {
    /// A directory with results, or a report
    #[arg(value_name = "DIR|FILE")]
    pub path: PathBuf,
    /// Make the report if need be and print where it is, but open no browser
    #[arg(long)]
    pub no_open: bool,
}
