//! Arguments of `drystone conformance`.

use clap::Args;

/// Arguments of `conformance`.
#[derive(Debug, Clone, Args)]
pub struct ConformanceArguments {
    /// A solver, `solver[:options]`; once for each [default: all of `drystone list solvers`]
    #[arg(long = "solver", value_name = "SPEC")]
    pub solvers: Vec<String>,
    /// Every case with its residual, also for several solvers
    #[arg(long)]
    pub details: bool,
}
