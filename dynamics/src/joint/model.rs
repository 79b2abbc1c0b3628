//! What a kind of joint is: which rows it writes, which motions it leaves, and how far it is from being satisfied.

use std::fmt;

use nalgebra::Isometry3;

use super::frames::{Coordinate, Frames, JointFrames};
use crate::constraint::{ConstraintRow, Law};

/// How far a joint is from being satisfied, as geometry sees it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointError {
    /// How far apart points are that should coincide, or lengths from what they should be, m.
    pub length: f64,
    /// How far directions are turned from where they should be, rad.
    pub angle: f64,
}

impl JointError {
    /// The larger of each.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            length: self.length.max(other.length),
            angle: self.angle.max(other.angle),
        }
    }
}

/// A kind of joint. One file implements it, and everything else (limits, motors, projection, errors, breaking, tests)
/// follows.
pub trait JointModel: fmt::Debug + Send + Sync {
    /// Its name in files and messages.
    fn name(&self) -> &'static str;

    /// How many rows it can have.
    fn rows(&self) -> usize;

    /// Calls `block` for each of its blocks with the slot of the first row.
    fn write(&self, frames: &Frames, block: &mut dyn FnMut(usize, Law, &[ConstraintRow]));

    /// The same, given where the joint sits in its bodies and where these are. Models that need little of the frames can spare the rest.
    fn write_at(
        &self,
        place: &JointFrames,
        poses: [&Isometry3<f64>; 2],
        block: &mut dyn FnMut(usize, Law, &[ConstraintRow]),
    ) {
        self.write(&place.at(poses[0], poses[1]), block);
    }

    /// Whether its rows are the distances of B's anchor from A's along the three axes of the frame in A and nothing else, as those of a
    /// ball joint: of these there are so many that they are made in a shorter way.
    fn is_point(&self) -> bool {
        false
    }

    /// The names of the motions that limits and motors can sit on.
    fn coordinates(&self) -> &'static [&'static str] {
        &[]
    }

    /// The value and rate of the motion with this index. Not asked for where there are none.
    fn coordinate(&self, _index: usize, _frames: &Frames) -> Coordinate {
        Coordinate::angle(0.0, [0.0; 12])
    }

    /// How far it is from being satisfied.
    fn error(&self, frames: &Frames) -> JointError;

    /// The same, given where the joint sits in its bodies and where these are.
    fn error_at(&self, place: &JointFrames, poses: [&Isometry3<f64>; 2]) -> JointError {
        self.error(&place.at(poses[0], poses[1]))
    }

    /// Whether it is the second direction that is exactly fixed in B, instead of the axis.
    fn exact_second(&self) -> bool {
        false
    }

    /// A number that depends on how the bodies are when the joint is added (a rest length, a phase); kept in
    /// [`Frames::rest`].
    fn rest(&self, _frames: &Frames) -> f64 {
        0.0
    }

    /// Energy stored in it, J.
    fn energy(&self, _frames: &Frames) -> f64 {
        0.0
    }

    /// Whether it moves its bodies by itself.
    fn is_driving(&self) -> bool {
        false
    }

    /// What is wrong with where it is put.
    fn check_place(&self, _frames: &Frames) -> Result<(), String> {
        Ok(())
    }

    /// What is wrong with its parameters.
    fn validate(&self) -> Result<(), String> {
        Ok(())
    }
}
