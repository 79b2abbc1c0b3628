//! Fixed joint (dissertation §4.9.6): two bodies as one. Six rows.

use super::frames::Frames;
use super::model::{JointError, JointModel};
use crate::constraint::{ConstraintRow, Law};

/// No motion at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fixed;

impl JointModel for Fixed {
    fn name(&self) -> &'static str {
        "fixed"
    }

    fn rows(&self) -> usize {
        6
    }

    fn write(&self, frames: &Frames, block: &mut dyn FnMut(usize, Law, &[ConstraintRow])) {
        let [x, y, z] = frames.shifts();
        let [rx, ry, rz] = frames.turns();
        block(0, Law::Equality, &[x, y, z, rx, ry, rz]);
    }

    fn error(&self, frames: &Frames) -> JointError {
        JointError {
            length: frames.gap.norm(),
            angle: frames.relative.angle(),
        }
    }
}
