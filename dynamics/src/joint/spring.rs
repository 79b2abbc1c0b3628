//! Spring and damper between two anchors: `F = −k (|c| − L) − c |c|'` along the line between them.
//!
//! It is implicit in position and velocity, `λ = −h (k (Φ + h J u⁺) + c J u⁺)`, which is a row with
//! `erp = hk/(hk + c)` and compliance `1/(h (hk + c))`: stable for every stiffness and every step.

use super::frames::{Coordinate, Frames};
use super::model::{JointError, JointModel};
use crate::constraint::{ConstraintRow, Law};

/// A damped spring between two points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spring {
    /// k, N/m.
    pub stiffness: f64,
    /// c, N·s/m.
    pub damping: f64,
    /// Its length without force, m; that which it has when the joint is added if there is none.
    pub length: Option<f64>,
}

impl Spring {
    fn stretch(&self, frames: &Frames) -> f64 {
        frames.gap.norm() - self.length.unwrap_or(frames.rest)
    }
}

impl JointModel for Spring {
    fn name(&self) -> &'static str {
        "spring"
    }

    fn rows(&self) -> usize {
        1
    }

    fn write(&self, frames: &Frames, block: &mut dyn FnMut(usize, Law, &[ConstraintRow])) {
        let Coordinate { jacobian, unit, .. } = frames.distance();
        let law = Law::Spring {
            stiffness: self.stiffness,
            damping: self.damping,
        };
        block(0, law, &[ConstraintRow::of(self.stretch(frames), jacobian, unit)]);
    }

    fn coordinates(&self) -> &'static [&'static str] {
        &["length"]
    }

    fn coordinate(&self, _index: usize, frames: &Frames) -> Coordinate {
        frames.distance()
    }

    /// A spring may have any length.
    fn error(&self, _frames: &Frames) -> JointError {
        JointError::default()
    }

    fn rest(&self, frames: &Frames) -> f64 {
        frames.gap.norm()
    }

    fn energy(&self, frames: &Frames) -> f64 {
        0.5 * self.stiffness * self.stretch(frames).powi(2)
    }

    fn validate(&self) -> Result<(), String> {
        check(self.stiffness, self.damping)?;
        match self.length {
            Some(length) if !(length.is_finite() && length >= 0.0) => {
                Err(format!("length must be 0 or more, not {length}"))
            }
            _ => Ok(()),
        }
    }
}

/// Whether these make a spring.
pub(super) fn check(stiffness: f64, damping: f64) -> Result<(), String> {
    for (name, value) in [("stiffness", stiffness), ("damping", damping)] {
        if !(value.is_finite() && value >= 0.0) {
            return Err(format!("{name} must be 0 or more and finite, not {value}"));
        }
    }
    if stiffness == 0.0 && damping == 0.0 {
        return Err("stiffness and damping must not both be zero".into());
    }
    Ok(())
}
