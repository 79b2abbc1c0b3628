//! Arguments of `drystone init`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Arguments of `init`.
#[derive(Debug, Clone, Args)]
pub struct InitArguments {
    /// The folder to write to; it is made if there is none
    #[arg(value_name = "NAME")]
    pub folder: PathBuf,
    /// What the scene begins with
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    pub template: Template,
    /// Begin with this catalogue scene instead, with parameters if wanted: `wall:rows=4`
    #[arg(long, value_name = "SCENE", conflicts_with = "template")]
    pub from: Option<String>,
}

/// Scenes to begin with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Template {
    /// A small stack of boxes on the ground, and a ball that hits it
    #[default]
    Boxes,
    /// A crank that a motor turns, and a pendulum that hangs on it
    Joints,
}
