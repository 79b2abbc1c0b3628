//! Universal joint (dissertation §4.9.5): a ball joint with an axis in each body, always at right angles. Four rows.
//!
//! Axis 1 is z of A's frame, axis 2 is x of B's, and the orientation is `R_z(θ₁) R_x(θ₂)`: θ₁ is where axis 2 points in
//! A's frame, θ₂ where axis 1 points in B's.

use std::f64::consts::FRAC_PI_2;

use super::frames::{Coordinate, Frames};
use super::model::{JointError, JointModel};
use crate::constraint::{ConstraintRow, Law};

/// Two crossed axes to turn about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Universal;

impl JointModel for Universal {
    fn name(&self) -> &'static str {
        "universal"
    }

    fn rows(&self) -> usize {
        4
    }

    fn write(&self, frames: &Frames, block: &mut dyn FnMut(usize, Law, &[ConstraintRow])) {
        let [x, y, z] = frames.shifts();
        block(0, Law::Equality, &[x, y, z, frames.crossing(2, 0)]);
    }

    fn coordinates(&self) -> &'static [&'static str] {
        &["angle-1", "angle-2"]
    }

    fn coordinate(&self, index: usize, frames: &Frames) -> Coordinate {
        crossed_axes(index, frames)
    }

    fn error(&self, frames: &Frames) -> JointError {
        JointError {
            length: frames.gap.norm(),
            angle: (axes_angle(frames) - FRAC_PI_2).abs(),
        }
    }

    fn exact_second(&self) -> bool {
        true
    }
}

/// The turn about axis 1 (index 0) or about axis 2.
pub(super) fn crossed_axes(index: usize, frames: &Frames) -> Coordinate {
    match index {
        0 => frames.heading(frames.cosine(0, 0), frames.cosine(1, 0)),
        _ => frames.heading(frames.cosine(2, 2), frames.cosine(2, 1)),
    }
}

/// The angle between axis 1 and axis 2.
pub(super) fn axes_angle(frames: &Frames) -> f64 {
    let (a, b) = (frames.axis_a(2), frames.axis_b(0));
    a.cross(&b).norm().atan2(a.dot(&b))
}
