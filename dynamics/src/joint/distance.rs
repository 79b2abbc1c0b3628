//! Distance joint: the anchors keep a distance, exactly (a massless rod), at most (a rope), or within a range. One row
//! along the line between them, `c·c'/|c| = 0` or its inequalities.

use super::frames::{Coordinate, Frames};
use super::model::{JointError, JointModel};
use crate::constraint::{ConstraintRow, Law};

/// A massless rod or rope between two points.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Distance {
    /// The smallest distance, m. Without either bound the distance stays what it is.
    pub lower: Option<f64>,
    /// The largest distance, m.
    pub upper: Option<f64>,
    /// Newton's coefficient where the rope goes taut.
    pub restitution: f64,
}

impl Distance {
    /// A rod of the length that the anchors have when the joint is added.
    pub fn rod() -> Self {
        Self::default()
    }

    /// A rope of a length, m.
    pub fn rope(length: f64) -> Self {
        Self {
            upper: Some(length),
            ..Self::default()
        }
    }

    /// The bounds, for anchors that began at a distance `rest`.
    fn bounds(&self, rest: f64) -> (f64, f64) {
        match (self.lower, self.upper) {
            (None, None) => (rest, rest),
            (lower, upper) => (lower.unwrap_or(0.0), upper.unwrap_or(f64::INFINITY)),
        }
    }
}

impl JointModel for Distance {
    fn name(&self) -> &'static str {
        "distance"
    }

    fn rows(&self) -> usize {
        2
    }

    fn write(&self, frames: &Frames, block: &mut dyn FnMut(usize, Law, &[ConstraintRow])) {
        let Coordinate {
            value, jacobian, unit, ..
        } = frames.distance();
        let (lower, upper) = self.bounds(frames.rest);
        if lower == upper {
            block(0, Law::Equality, &[ConstraintRow::of(value - upper, jacobian, unit)]);
            return;
        }
        let law = Law::AtLeast {
            restitution: self.restitution,
        };
        if lower > 0.0 {
            block(0, law, &[ConstraintRow::of(value - lower, jacobian, unit)]);
        }
        if upper.is_finite() {
            block(1, law, &[ConstraintRow::of(upper - value, jacobian.map(|j| -j), unit)]);
        }
    }

    fn coordinates(&self) -> &'static [&'static str] {
        &["length"]
    }

    fn coordinate(&self, _index: usize, frames: &Frames) -> Coordinate {
        frames.distance()
    }

    fn error(&self, frames: &Frames) -> JointError {
        let (lower, upper) = self.bounds(frames.rest);
        let length = frames.gap.norm();
        JointError {
            length: (lower - length).max(length - upper).max(0.0),
            angle: 0.0,
        }
    }

    fn rest(&self, frames: &Frames) -> f64 {
        frames.gap.norm()
    }

    /// A rod without length has no direction: it would hold one of three.
    fn check_place(&self, frames: &Frames) -> Result<(), String> {
        match self.bounds(frames.rest) {
            (_, upper) if upper > 0.0 => Ok(()),
            _ => Err("the ends of a rod must be apart; for a rod without length take a ball joint".into()),
        }
    }

    fn validate(&self) -> Result<(), String> {
        let (lower, upper) = (self.lower.unwrap_or(0.0), self.upper.unwrap_or(f64::INFINITY));
        if !(lower.is_finite() && lower >= 0.0 && upper > 0.0) {
            return Err("lower must be 0 or more, upper positive".into());
        }
        if lower > upper {
            return Err(format!("lower ({lower}) must not be above upper ({upper})"));
        }
        if !(0.0..=1.0).contains(&self.restitution) {
            return Err(format!("restitution must be from 0 to 1, not {}", self.restitution));
        }
        Ok(())
    }
}
