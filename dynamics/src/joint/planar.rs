//! Planar joint: B's anchor stays in the plane through A's anchor across the axis, and B turns about that axis only.
//! Three rows.

use super::frames::{Coordinate, Frames};
use super::hinge::between_axes;
use super::model::{JointError, JointModel};
use crate::constraint::{ConstraintRow, Law};

/// A plane to slide and turn in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Planar;

impl JointModel for Planar {
    fn name(&self) -> &'static str {
        "planar"
    }

    fn rows(&self) -> usize {
        3
    }

    fn write(&self, frames: &Frames, block: &mut dyn FnMut(usize, Law, &[ConstraintRow])) {
        let rows = [frames.shift(2), frames.crossing(0, 2), frames.crossing(1, 2)];
        block(0, Law::Equality, &rows);
    }

    fn coordinates(&self) -> &'static [&'static str] {
        &["x", "y", "angle"]
    }

    fn coordinate(&self, index: usize, frames: &Frames) -> Coordinate {
        match index {
            0 | 1 => Coordinate::of(frames.shift(index)),
            _ => frames.twist(),
        }
    }

    fn error(&self, frames: &Frames) -> JointError {
        JointError {
            length: frames.axis_a(2).dot(&frames.gap).abs(),
            angle: between_axes(frames),
        }
    }
}
