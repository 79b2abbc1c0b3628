//! Hinge-2, the joint of a wheel (dissertation §4.9.4): A is the car, B the wheel. Axis 1 (z of A's frame) steers and
//! is the direction of the suspension, axis 2 (x of B's frame) is the axle. They keep the angle they began with.
//!
//! Four rows: across the suspension axis the anchor is held, along it the row is a damped spring (or held too, if there
//! is no suspension), and the angle φ between the axes stays θ: `(cos θ − cos φ)/sin θ ≈ φ − θ` with its exact rate.

use super::frames::{Coordinate, Frames};
use super::model::{JointError, JointModel};
use super::slider::across;
use super::universal::{axes_angle, crossed_axes};
use crate::constraint::{ConstraintRow, Law};

/// A wheel with steering and suspension.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wheel {
    /// The suspension; rigid without one.
    pub suspension: Option<Suspension>,
}

/// A damped spring along the suspension axis, at rest as the bodies are when the joint is added.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Suspension {
    /// N/m.
    pub stiffness: f64,
    /// N·s/m.
    pub damping: f64,
}

impl JointModel for Wheel {
    fn name(&self) -> &'static str {
        "wheel"
    }

    fn rows(&self) -> usize {
        4
    }

    fn write(&self, frames: &Frames, block: &mut dyn FnMut(usize, Law, &[ConstraintRow])) {
        let (sine, cosine) = frames.angle.sin_cos();
        let between = frames.crossing(2, 0);
        let angle = ConstraintRow {
            position: between.position.map(|now| (cosine - now) / sine),
            jacobian: between.jacobian.map(|j| -j / sine),
            ..between
        };
        let [x, y, z] = frames.shifts();
        match self.suspension {
            None => block(0, Law::Equality, &[x, y, angle, z]),
            Some(Suspension { stiffness, damping }) => {
                block(0, Law::Equality, &[x, y, angle]);
                block(3, Law::Spring { stiffness, damping }, &[z]);
            }
        }
    }

    fn coordinates(&self) -> &'static [&'static str] {
        &["steering", "spin", "suspension"]
    }

    fn coordinate(&self, index: usize, frames: &Frames) -> Coordinate {
        match index {
            0 | 1 => crossed_axes(index, frames),
            _ => Coordinate::of(frames.shift(2)),
        }
    }

    fn error(&self, frames: &Frames) -> JointError {
        JointError {
            length: match self.suspension {
                None => frames.gap.norm(),
                Some(_) => across(frames),
            },
            angle: (axes_angle(frames) - frames.angle).abs(),
        }
    }

    fn exact_second(&self) -> bool {
        true
    }

    fn energy(&self, frames: &Frames) -> f64 {
        self.suspension.map_or(0.0, |spring| {
            0.5 * spring.stiffness * frames.axis_a(2).dot(&frames.gap).powi(2)
        })
    }

    fn validate(&self) -> Result<(), String> {
        match self.suspension {
            None => Ok(()),
            Some(Suspension { stiffness, damping }) => super::spring::check(stiffness, damping),
        }
    }
}
