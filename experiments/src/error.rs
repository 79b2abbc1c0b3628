//! What can go wrong, told apart by whose fault it is, because the exit code says so.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use drystone_dynamics::StepError;
use drystone_scenes::{LocatedError, SceneError};
use drystone_solver::spec::SpecError;
use thiserror::Error;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: everything asked for was done.
    Done,
    /// 1: a simulation failed (it diverged, or its solver did), a solver failed on a stored problem or does not conform,
    /// or a result could not be written.
    Failed,
    /// 2: the input or the call is wrong; nothing was written. Only among several stored problems one that can't be read
    /// leads to this code after the others were solved.
    Input,
    /// 130: stopped by Ctrl-C or a termination signal, with the results so far written. The shell's convention for a
    /// program ended by an interrupt.
    Interrupted,
}

impl Exit {
    /// The number.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Input => 2,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// An error of the program. Each is one line.
#[derive(Debug, Error)]
pub enum Error {
    /// An argument, or several together, make no sense.
    #[error("{0}")]
    Input(String),
    /// A scene can't be found, read or built.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// Something is wrong at a place in an experiment file.
    #[error(transparent)]
    Located(#[from] Box<LocatedError>),
    /// A name or option of a method is wrong.
    #[error("{context}{source}")]
    Method {
        /// Where the method was named if not on the command line; ends in `: `.
        context: String,
        /// What is wrong.
        source: SpecError,
    },
    /// The output directory can't be used.
    #[error("{0}")]
    Directory(String),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A run panicked: a mistake in a solver, or in this program.
    #[error("the run panicked: {0}")]
    Panicked(String),
    /// A result could not be written.
    #[error("cannot write '{path}': {source}")]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl Error {
    /// For `map_err` on writing.
    pub fn writing(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Write { path, source }
    }

    /// The exit code it leads to.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Input(_) | Self::Scene(_) | Self::Located(_) | Self::Method { .. } | Self::Directory(_) => {
                Exit::Input
            }
            Self::Step(_) | Self::Panicked(_) | Self::Write { .. } => Exit::Failed,
        }
    }
}
