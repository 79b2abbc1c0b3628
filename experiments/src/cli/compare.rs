//! Arguments of `drystone compare`.

use clap::Args;

use super::simulation::SimulationArguments;
use super::values::{iteration_count, step_count};

/// Arguments of `compare`.
#[derive(Debug, Clone, Args)]
pub struct CompareArguments {
    /// Scene files, or catalogue names with parameters
    #[arg(required = true, value_name = "SCENE")]
    pub scenes: Vec<String>,
    /// A method, `[stepper[:options]/]solver[:options]`; once for each
    #[arg(long = "solver", value_name = "SPEC", required = true)]
    pub solvers: Vec<String>,
    /// Hand one step's problems to all solvers, and plot how their residuals fall
    #[arg(long)]
    pub plot: bool,
    /// The step whose problems are captured, simulated with the first method [default: the last]
    #[arg(long, value_name = "N", requires = "plot", value_parser = step_count, allow_negative_numbers = true)]
    pub capture_step: Option<u64>,
    /// Iterations on the captured problems, for solvers whose spec does not say how many
    #[arg(long, value_name = "N", requires = "plot", default_value_t = 1000, value_parser = iteration_count,
          allow_negative_numbers = true)]
    pub capture_iterations: usize,
    /// How long, how finely, and where to.
    #[command(flatten)]
    pub simulation: SimulationArguments,
}
