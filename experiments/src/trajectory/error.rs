//! What can be wrong with a trajectory file, each in one line with the place.

use thiserror::Error;

/// Why a trajectory cannot be read.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum TrajectoryError {
    /// It does not begin as a trajectory does.
    #[error("this is no drystone trajectory: the first eight bytes are not 'DRYTRAJ1'")]
    NotATrajectory,
    /// It was written by a version that this one does not know.
    #[error("the trajectory has version {found}, and this program reads version {known}; take a newer drystone")]
    Version {
        /// The version in the file.
        found: u32,
        /// The version of this program.
        known: u32,
    },
    /// It ends in the middle of something.
    #[error("the trajectory is cut off at byte {offset}, after {frames} frames; run the scene again")]
    CutOff {
        /// Where it ends.
        offset: usize,
        /// Whole frames before that.
        frames: u32,
    },
    /// A part of it is not what was written.
    #[error("the trajectory is damaged at byte {offset}: {what}; run the scene again")]
    Damaged {
        /// Where.
        offset: usize,
        /// What is wrong.
        what: String,
    },
    /// A frame that is not there was asked for.
    #[error("there is no frame {frame}: the trajectory has {frames}")]
    NoFrame {
        /// The number asked for.
        frame: u32,
        /// How many there are.
        frames: u32,
    },
}

/// What is wrong inside a record; the reader adds where the record is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage(pub String);

impl Damage {
    /// A damage in these words.
    pub fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}
