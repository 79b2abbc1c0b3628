//! Joints made of points, Gravitas' "discrepancies" (§2.7.4–2.7.5): each is a pair of points, one on either body, that
//! should coincide, and nothing else. A ball joint is one, a hinge two on its axis, a fixed joint three in a triangle, and
//! an angular motor is a hinge with four more points that want the speed of a turning wheel's rim.
//!
//! They need no axes, no angles and no case distinctions; their price is redundant rows: a hinge has 6 of rank 5, a fixed
//! joint 9 of rank 6, the motor 18 of rank 6. The motions they allow are those of [`Hinge`](super::Hinge) and
//! [`Fixed`](super::Fixed), and so are the forces they pass on; only how the rows share them is not unique, and every
//! solver has its own rule (`solver/src/formulation/factor.rs` has that of the direct ones). Gravitas corrects the part
//! 0.8 of an error in each step; that is the joint's [`Softness::erp`](crate::Softness) here.

use nalgebra::Vector3;

use super::frames::{Coordinate, Frames};
use super::model::{JointError, JointModel};
use super::{Ball, Fixed, Hinge};
use crate::constraint::{ConstraintRow, Law, Unit, point_jacobian};

/// What a set of points does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointJoint {
    /// One point: a ball joint.
    Ball,
    /// Two points on the axis: a hinge.
    Hinge,
    /// Three points in a triangle: a fixed joint.
    Fixed,
}

/// A joint of points that should coincide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Points {
    /// Which points.
    pub kind: PointJoint,
    /// Half the distance between the points of a hinge, and that of the corners of a fixed joint from its anchor, m.
    /// About half the bodies' width is a good choice.
    pub reach: f64,
}

impl Points {
    /// The points in the joint's frame.
    fn points(&self) -> &'static [[f64; 3]] {
        match self.kind {
            PointJoint::Ball => &[[0.0, 0.0, 0.0]],
            PointJoint::Hinge => &[[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]],
            PointJoint::Fixed => &[[1.0, 0.0, 0.0], [-0.5, 0.75, 0.0], [-0.5, -0.75, 0.0]],
        }
    }
}

/// The three rows of one point of the joint's frame: [`Frames::shifts`] with the point for the anchor.
fn point_rows(frames: &Frames, point: &Vector3<f64>) -> [ConstraintRow; 3] {
    let (on_a, on_b) = (frames.a * point, frames.b * point);
    Frames {
        arm_a: frames.arm_a + on_a,
        arm_b: frames.arm_b + on_b,
        gap: frames.gap + on_b - on_a,
        ..*frames
    }
    .shifts()
}

impl JointModel for Points {
    fn name(&self) -> &'static str {
        match self.kind {
            PointJoint::Ball => "point-ball",
            PointJoint::Hinge => "point-hinge",
            PointJoint::Fixed => "point-fixed",
        }
    }

    fn rows(&self) -> usize {
        3 * self.points().len()
    }

    fn write(&self, frames: &Frames, block: &mut dyn FnMut(usize, Law, &[ConstraintRow])) {
        for (k, point) in self.points().iter().enumerate() {
            let point = self.reach * Vector3::from(*point);
            block(3 * k, Law::Equality, &point_rows(frames, &point));
        }
    }

    fn coordinates(&self) -> &'static [&'static str] {
        match self.kind {
            PointJoint::Hinge => &["angle"],
            PointJoint::Ball | PointJoint::Fixed => &[],
        }
    }

    fn coordinate(&self, _index: usize, frames: &Frames) -> Coordinate {
        frames.twist()
    }

    /// That of the joint it stands for.
    fn error(&self, frames: &Frames) -> JointError {
        match self.kind {
            PointJoint::Ball => Ball.error(frames),
            PointJoint::Hinge => Hinge.error(frames),
            PointJoint::Fixed => Fixed.error(frames),
        }
    }

    fn validate(&self) -> Result<(), String> {
        check_reach(self.reach)
    }
}

/// Gravitas' angular motor (§2.7.5.5): a hinge of two points, and four points of the rim of a wheel about the middle of
/// its axis that want the velocity `ω â × l`. One would do; four keep it balanced.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointMotor {
    /// ω, rad/s, of B against A.
    pub speed: f64,
    /// Half the distance between the points of the hinge, and the radius of the wheel, m.
    pub reach: f64,
}

impl JointModel for PointMotor {
    fn name(&self) -> &'static str {
        "point-motor"
    }

    fn is_driving(&self) -> bool {
        self.speed != 0.0
    }

    fn rows(&self) -> usize {
        18
    }

    fn write(&self, frames: &Frames, block: &mut dyn FnMut(usize, Law, &[ConstraintRow])) {
        let hinge = Points {
            kind: PointJoint::Hinge,
            reach: self.reach,
        };
        hinge.write(frames, block);
        // The axis is between those of the two bodies, as is its middle.
        let axis = frames.axis_a(2) + frames.axis_b(2);
        let axis = axis.try_normalize(1e-12).unwrap_or_else(|| frames.axis_a(2));
        let (x, y) = {
            let x = frames.axis_a(0) - axis * axis.dot(&frames.axis_a(0));
            let x = x.try_normalize(1e-12).unwrap_or_else(|| frames.axis_a(1));
            (x, axis.cross(&x))
        };
        for (k, spoke) in [x, -x, y, -y].into_iter().enumerate() {
            let arm = 0.5 * frames.gap + self.reach * spoke;
            let (arm_a, arm_b) = (frames.arm_a + arm, frames.arm_b + arm - frames.gap);
            let wanted = self.speed * axis.cross(&(self.reach * spoke));
            let rows: [ConstraintRow; 3] = std::array::from_fn(|i| {
                let mut e = Vector3::zeros();
                e[i] = 1.0;
                ConstraintRow::rate(wanted[i], point_jacobian(&e, &arm_a, &arm_b), Unit::Length)
            });
            block(6 + 3 * k, Law::Equality, &rows);
        }
    }

    fn coordinates(&self) -> &'static [&'static str] {
        &["angle"]
    }

    fn coordinate(&self, _index: usize, frames: &Frames) -> Coordinate {
        frames.twist()
    }

    fn error(&self, frames: &Frames) -> JointError {
        Hinge.error(frames)
    }

    fn validate(&self) -> Result<(), String> {
        if !self.speed.is_finite() {
            return Err(format!("speed must be finite, not {}", self.speed));
        }
        check_reach(self.reach)
    }
}

fn check_reach(reach: f64) -> Result<(), String> {
    if reach.is_finite() && reach > 0.0 {
        Ok(())
    } else {
        Err(format!("reach must be positive and finite, not {reach}"))
    }
}
