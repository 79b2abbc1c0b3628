//! Cylindrical joint: a hinge that also slides along its axis. Four rows.

use super::frames::{Coordinate, Frames};
use super::hinge::between_axes;
use super::model::{JointError, JointModel};
use super::slider::across;
use crate::constraint::{ConstraintRow, Law};

/// One axis to turn about and to shift along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cylindrical;

impl JointModel for Cylindrical {
    fn name(&self) -> &'static str {
        "cylindrical"
    }

    fn rows(&self) -> usize {
        4
    }

    fn write(&self, frames: &Frames, block: &mut dyn FnMut(usize, Law, &[ConstraintRow])) {
        let rows = [
            frames.shift(0),
            frames.shift(1),
            frames.crossing(0, 2),
            frames.crossing(1, 2),
        ];
        block(0, Law::Equality, &rows);
    }

    fn coordinates(&self) -> &'static [&'static str] {
        &["displacement", "angle"]
    }

    fn coordinate(&self, index: usize, frames: &Frames) -> Coordinate {
        match index {
            0 => Coordinate::of(frames.shift(2)),
            _ => frames.twist(),
        }
    }

    fn error(&self, frames: &Frames) -> JointError {
        JointError {
            length: across(frames),
            angle: between_axes(frames),
        }
    }
}
