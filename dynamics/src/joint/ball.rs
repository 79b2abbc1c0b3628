//! Ball and socket (dissertation §4.9.1): the anchors stay together, everything else is free. Three rows.
//!
//! What it leaves can be limited as swing (the angle between the z axes of the two frames: a reach cone), as the two
//! components of swing (for reach functions), and as twist about the axis.

use nalgebra::Isometry3;

use super::frames::{Coordinate, Frames, JointFrames};
use super::model::{JointError, JointModel};
use crate::constraint::{ConstraintRow, Law, Unit, turn_jacobian};

/// Ball and socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ball;

impl JointModel for Ball {
    fn name(&self) -> &'static str {
        "ball"
    }

    fn rows(&self) -> usize {
        3
    }

    fn write(&self, frames: &Frames, block: &mut dyn FnMut(usize, Law, &[ConstraintRow])) {
        block(0, Law::Equality, &frames.shifts());
    }

    fn write_at(
        &self,
        place: &JointFrames,
        [a, b]: [&Isometry3<f64>; 2],
        block: &mut dyn FnMut(usize, Law, &[ConstraintRow]),
    ) {
        block(0, Law::Equality, &place.anchors(a, b).shifts(&place.axes_of_a(a)));
    }

    fn is_point(&self) -> bool {
        true
    }

    fn coordinates(&self) -> &'static [&'static str] {
        &["swing", "twist", "swing-x", "swing-y"]
    }

    fn coordinate(&self, index: usize, frames: &Frames) -> Coordinate {
        match index {
            0 => swing(frames),
            1 => frames.twist(),
            _ => swing_component(frames, index - 2),
        }
    }

    fn error(&self, frames: &Frames) -> JointError {
        JointError {
            length: frames.gap.norm(),
            angle: 0.0,
        }
    }

    fn error_at(&self, place: &JointFrames, [a, b]: [&Isometry3<f64>; 2]) -> JointError {
        JointError {
            length: place.anchors(a, b).gap.norm(),
            angle: 0.0,
        }
    }
}

/// Below this sine an angle of swing has no direction.
const TURNED_OVER: f64 = 1e-12;

/// α, the angle between the z axes, 0 to π. `α' = (z_A × z_B)·(ω_B − ω_A)/sin α`; nothing at α = 0, where it has a corner.
/// At α = π, where every way is the way back, B is taken to have swung over towards x.
fn swing(frames: &Frames) -> Coordinate {
    let across = frames.axis_a(2).cross(&frames.axis_b(2));
    let (sine, cosine) = (across.norm(), frames.axis_a(2).dot(&frames.axis_b(2)));
    let direction = if sine > TURNED_OVER {
        across / sine
    } else if cosine < 0.0 {
        frames.axis_a(1)
    } else {
        across * 0.0
    };
    Coordinate {
        value: sine.atan2(cosine),
        jacobian: turn_jacobian(&direction),
        unit: Unit::Angle,
        periodic: false,
    }
}

/// `α (e_k·z_B)/sin α`: where B's z axis points, seen from A, with its length the angle of swing.
fn swing_component(frames: &Frames, k: usize) -> Coordinate {
    let swing = swing(frames);
    let tilt = frames.cosine(k, 2);
    let sine = swing.value.sin();
    if sine.abs() <= TURNED_OVER && swing.value > 1.0 {
        let along = if k == 0 { 1.0 } else { 0.0 };
        return Coordinate {
            value: along * swing.value,
            jacobian: swing.jacobian.map(|j| along * j),
            ..swing
        };
    }
    let tilt_value = tilt.position.unwrap_or(0.0);
    // α/sin α and its derivative, by their series near zero.
    let (stretch, slope) = if sine.abs() < 1e-4 && swing.value < 1.0 {
        (1.0 + swing.value * swing.value / 6.0, swing.value / 3.0)
    } else {
        (
            swing.value / sine,
            (sine - swing.value * swing.value.cos()) / (sine * sine),
        )
    };
    Coordinate {
        value: stretch * tilt_value,
        jacobian: std::array::from_fn(|i| stretch * tilt.jacobian[i] + tilt_value * slope * swing.jacobian[i]),
        unit: Unit::Angle,
        periodic: false,
    }
}
