//! What `run` and `compare` share: how long, how finely, what is written down, and where to.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use drystone_solver::Measure;

use super::values::{positive_seconds, step_count};
use crate::trajectory::schedule::FrameRate;

/// What `run` and `compare` share.
#[derive(Debug, Clone, Args)]
pub struct SimulationArguments {
    /// Number of steps [default: as many as the scene's duration needs]
    #[arg(long, value_name = "N", conflicts_with = "duration", value_parser = step_count, allow_negative_numbers = true)]
    pub steps: Option<u64>,
    /// Simulated time in seconds [default: the scene's]
    #[arg(long, value_name = "S", value_parser = positive_seconds, allow_negative_numbers = true)]
    pub duration: Option<f64>,
    /// Time step in seconds [default: the scene's]
    #[arg(long, value_name = "H", value_parser = positive_seconds, allow_negative_numbers = true)]
    pub dt: Option<f64>,
    /// Directory for the results [default: a new one in `runs/`]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Which residuals to measure and write to convergence.csv. Measuring one costs about as much as one sweep of
    /// Gauss–Seidel, and that time is part of `solve_us` and `step_us`: take `final` where times matter
    /// [default: `every` for one run, `final` for comparisons]
    #[arg(long, value_name = "WHICH", value_enum)]
    pub record: Option<Record>,
    /// Write what happened (touches, triggers, ticks of timers, sleep, broken joints) to events.csv: `changes`, which is
    /// the default, or `all` [default: no such file]
    #[arg(long, value_name = "WHICH", value_enum, num_args = 0..=1, require_equals = true,
          default_missing_value = "changes")]
    pub events: Option<EventRows>,
    /// Frames per simulated second in trajectory.bin, which replays show: whole steps, never more than one a step; `none` for
    /// no such file
    #[arg(long, value_name = "RATE", default_value = "50", value_parser = FrameRate::read, allow_negative_numbers = true)]
    pub trajectory: FrameRate,
}

/// Which events are written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EventRows {
    /// What began, ended or happened
    Changes,
    /// Also, in every step, who still is near, touches or is inside
    All,
}

impl EventRows {
    /// As it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Changes => "changes",
            Self::All => "all",
        }
    }
}

/// Which residuals are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Record {
    /// At the start of every solve and after each of its iterations
    Every,
    /// At the end of every solve
    Final,
    /// None; there is no convergence.csv, and the residual column stays empty
    None,
}

impl Record {
    /// What solvers are told.
    pub fn measure(self) -> Measure {
        match self {
            Self::Every => Measure::EveryIteration,
            Self::Final => Measure::Final,
            Self::None => Measure::Nothing,
        }
    }

    /// As it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Every => "every",
            Self::Final => "final",
            Self::None => "none",
        }
    }
}
