//! What can be wrong with a stored problem: where in which file, what was expected there, what was found. One line each.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use drystone_solver::SolveError;
use thiserror::Error;

/// Where in a file something is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line of a text, the first is 1.
    Line(usize),
    /// A dataset, a group or a field, by its path.
    Entry(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => Ok(()),
            Self::Line(line) => write!(f, ", line {line}"),
            Self::Entry(name) => write!(f, ", {name}"),
        }
    }
}

/// What a parser says; the file's name is added by whoever opened it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Where.
    pub place: Place,
    /// What should be there.
    pub expected: String,
    /// What is.
    pub found: String,
}

impl Mismatch {
    /// Something wrong with a dataset, a group or a field.
    pub(super) fn entry(name: &str, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self {
            place: Place::Entry(name.to_owned()),
            expected: expected.into(),
            found: found.into(),
        }
    }

    /// Something wrong with the whole.
    pub(super) fn file(expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self {
            place: Place::File,
            expected: expected.into(),
            found: found.into(),
        }
    }

    pub(super) fn of(self, path: &Path) -> ReadError {
        ReadError::Content {
            path: path.to_owned(),
            mismatch: self,
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, found {}", self.expected, self.found)
    }
}

/// Why a file could not be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The file can't be opened or read.
    #[error("cannot read '{path}': {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It holds something else than it should.
    #[error("'{path}'{}: {mismatch}", mismatch.place)]
    Content {
        /// The file.
        path: PathBuf,
        /// What, and where.
        mismatch: Mismatch,
    },
}

impl ReadError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }
}

/// Why a problem could not be written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The format has no place for it.
    #[error("cannot write '{path}': {reason}")]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        reason: String,
    },
    /// The file can't be written.
    #[error(transparent)]
    File(#[from] crate::Error),
}

/// Why a stored problem is none that a solver can be given.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ConvertError {
    /// The mass matrix can't be inverted.
    #[error("the mass matrix is singular in degree of freedom {0}")]
    SingularMass(usize),
    /// The pieces do not make a square system.
    #[error("{0}")]
    Shape(String),
    /// The solver's own check refused it.
    #[error(transparent)]
    Solve(#[from] SolveError),
}
