//! Arguments of `drystone completions` and `drystone man`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// Arguments of `completions`.
#[derive(Debug, Clone, Args)]
pub struct CompletionsArguments {
    /// The shell to write a script for
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Arguments of `man`.
#[derive(Debug, Clone, Args)]
pub struct ManArguments {
    /// A folder for a page a command; without it the main page is printed
    #[arg(value_name = "DIR")]
    pub directory: Option<PathBuf>,
}
