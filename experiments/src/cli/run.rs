//! Arguments of `drystone run`.

use clap::Args;

use super::simulation::SimulationArguments;
use super::values::every;

/// Arguments of `run`.
#[derive(Debug, Clone, Args)]
pub struct RunArguments {
    /// A scene file, or a catalogue name with parameters: `wall`, `wall:rows=4,columns=6`
    pub scene: String,
    /// The method, `[stepper[:options]/]solver[:options]` [default: the scene's own, or `pgs:order=coloured,iterations=20`]
    #[arg(long, value_name = "SPEC")]
    pub solver: Option<String>,
    /// Show what the run does while it does it: contacts, energy, penetration, residuals, time per step and time left; without
    /// a terminal, a line every two seconds
    #[arg(long, conflicts_with = "quiet")]
    pub watch: bool,
    /// Write the complementarity problems of every N-th step to `problems/` in the run directory, with the impulses that
    /// their solves began with and ended at
    #[arg(long, value_name = "every=N", value_parser = every)]
    pub dump_problems: Option<u64>,
    /// How long, how finely, and where to.
    #[command(flatten)]
    pub simulation: SimulationArguments,
}
