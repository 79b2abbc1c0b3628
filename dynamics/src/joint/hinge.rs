//! Hinge (dissertation §4.9.2): a ball joint whose bodies keep one axis in common. Five rows.
//!
//! The axis z_B has no component along x_A and y_A; for small errors these are the components of `s_i × s_j` in (4.128).

use super::frames::{Coordinate, Frames};
use super::model::{JointError, JointModel};
use crate::constraint::{ConstraintRow, Law};

/// One axis to turn about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hinge;

impl JointModel for Hinge {
    fn name(&self) -> &'static str {
        "hinge"
    }

    fn rows(&self) -> usize {
        5
    }

    fn write(&self, frames: &Frames, block: &mut dyn FnMut(usize, Law, &[ConstraintRow])) {
        let [x, y, z] = frames.shifts();
        let rows = [x, y, z, frames.crossing(0, 2), frames.crossing(1, 2)];
        block(0, Law::Equality, &rows);
    }

    fn coordinates(&self) -> &'static [&'static str] {
        &["angle"]
    }

    fn coordinate(&self, _index: usize, frames: &Frames) -> Coordinate {
        frames.twist()
    }

    fn error(&self, frames: &Frames) -> JointError {
        JointError {
            length: frames.gap.norm(),
            angle: between_axes(frames),
        }
    }
}

/// The angle between the z axes, by the shorter way to either end.
pub(super) fn between_axes(frames: &Frames) -> f64 {
    let (a, b) = (frames.axis_a(2), frames.axis_b(2));
    a.cross(&b).norm().atan2(a.dot(&b).abs())
}
