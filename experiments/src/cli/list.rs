//! Arguments of `drystone list`.

use clap::{Args, ValueEnum};

/// Arguments of `list`.
#[derive(Debug, Clone, Args)]
pub struct ListArguments {
    /// What to list
    #[arg(value_enum)]
    pub what: Listed,
    /// Print metrics with formulas and the code that computes them, as the page docs/metrics.md
    #[arg(long)]
    pub markdown: bool,
}

/// What can be listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Listed {
    /// Catalogue scenes and their parameters
    Scenes,
    /// Solvers and their options
    Solvers,
    /// Steppers and their options
    Steppers,
    /// Joints and what limits and motors can sit on
    Joints,
    /// What is measured: the columns of steps.csv
    Metrics,
    /// What can happen: the rows of events.csv
    Events,
}
