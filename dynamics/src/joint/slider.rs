//! Slider (dissertation §4.9.3): the bodies don't turn against each other, and shift along one axis only. Five rows.

use super::frames::{Coordinate, Frames};
use super::model::{JointError, JointModel};
use crate::constraint::{ConstraintRow, Law};

/// One axis to shift along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Slider;

impl JointModel for Slider {
    fn name(&self) -> &'static str {
        "slider"
    }

    fn rows(&self) -> usize {
        5
    }

    fn write(&self, frames: &Frames, block: &mut dyn FnMut(usize, Law, &[ConstraintRow])) {
        let [rx, ry, rz] = frames.turns();
        let rows = [frames.shift(0), frames.shift(1), rx, ry, rz];
        block(0, Law::Equality, &rows);
    }

    fn coordinates(&self) -> &'static [&'static str] {
        &["displacement"]
    }

    fn coordinate(&self, _index: usize, frames: &Frames) -> Coordinate {
        Coordinate::of(frames.shift(2))
    }

    fn error(&self, frames: &Frames) -> JointError {
        JointError {
            length: across(frames),
            angle: frames.relative.angle(),
        }
    }
}

/// How far B's anchor is from A's axis.
pub(super) fn across(frames: &Frames) -> f64 {
    frames
        .axis_a(0)
        .dot(&frames.gap)
        .hypot(frames.axis_a(1).dot(&frames.gap))
}
