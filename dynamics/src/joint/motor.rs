//! Joint motors (dissertation §4.11): one row a driven coordinate, with bounds on its force.
//!
//! λ is an impulse, so a force bound f gives `|λ| ≤ h f` (printed without h). Inside the bounds the coordinate has the
//! wanted speed; at a bound the motor pushes as hard as it may and no harder.

use super::frames::Frames;
use super::model::JointModel;
use crate::constraint::{ConstraintRow, Law};

/// What a motor wants of its coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Drive {
    /// A speed.
    Velocity {
        /// m/s or rad/s.
        speed: f64,
        /// The largest force or torque, N or N·m, 0 or more; may be infinite.
        force: f64,
    },
    /// A position: the speed `rate · (target − value)`, no more than `speed`.
    Servo {
        /// m or rad; angles go the shorter way round.
        target: f64,
        /// Which part of the way it goes in a second, 1/s.
        rate: f64,
        /// The largest speed, m/s or rad/s; may be infinite.
        speed: f64,
        /// The largest force or torque, N or N·m, 0 or more; may be infinite.
        force: f64,
    },
    /// Dry friction: standing still, as far as the force allows.
    Friction {
        /// N or N·m, 0 or more.
        force: f64,
    },
    /// A damped spring to a position, implicit.
    Spring {
        /// m or rad.
        rest: f64,
        /// N/m or N·m/rad.
        stiffness: f64,
        /// N·s/m or N·m·s/rad.
        damping: f64,
    },
}

/// A motor on one coordinate of a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motor {
    /// Index of the coordinate.
    pub coordinate: usize,
    /// What it does.
    pub drive: Drive,
}

impl Motor {
    /// A motor that wants a speed.
    pub fn velocity(coordinate: usize, speed: f64, force: f64) -> Self {
        Self {
            coordinate,
            drive: Drive::Velocity { speed, force },
        }
    }

    /// A servo that goes for a position.
    pub fn servo(coordinate: usize, target: f64, rate: f64, force: f64) -> Self {
        Self {
            coordinate,
            drive: Drive::Servo {
                target,
                rate,
                speed: f64::INFINITY,
                force,
            },
        }
    }

    /// Dry friction in the joint.
    pub fn friction(coordinate: usize, force: f64) -> Self {
        Self {
            coordinate,
            drive: Drive::Friction { force },
        }
    }

    /// A damped spring on the coordinate.
    pub fn spring(coordinate: usize, rest: f64, stiffness: f64, damping: f64) -> Self {
        Self {
            coordinate,
            drive: Drive::Spring {
                rest,
                stiffness,
                damping,
            },
        }
    }

    pub(super) fn write(
        &self,
        model: &dyn JointModel,
        frames: &Frames,
        slot: usize,
        block: &mut dyn FnMut(usize, Law, &[ConstraintRow]),
    ) {
        let coordinate = model.coordinate(self.coordinate, frames);
        let row = |velocity| ConstraintRow::rate(velocity, coordinate.jacobian, coordinate.unit);
        match self.drive {
            Drive::Velocity { speed, force } => block(slot, Law::Bounded { force }, &[row(speed)]),
            Drive::Servo {
                target,
                rate,
                speed,
                force,
            } => {
                let wanted = (-rate * coordinate.difference(target)).clamp(-speed, speed);
                block(slot, Law::Bounded { force }, &[row(wanted)]);
            }
            Drive::Friction { force } => block(slot, Law::Bounded { force }, &[row(0.0)]),
            Drive::Spring {
                rest,
                stiffness,
                damping,
            } => {
                let stretch = coordinate.difference(rest);
                let row = ConstraintRow::of(stretch, coordinate.jacobian, coordinate.unit);
                block(slot, Law::Spring { stiffness, damping }, &[row]);
            }
        }
    }

    /// Energy stored in it, J.
    pub(super) fn energy(&self, model: &dyn JointModel, frames: &Frames) -> f64 {
        match self.drive {
            Drive::Spring { rest, stiffness, .. } => {
                let stretch = model.coordinate(self.coordinate, frames).difference(rest);
                0.5 * stiffness * stretch * stretch
            }
            _ => 0.0,
        }
    }

    pub(super) fn validate(&self, model: &dyn JointModel) -> Result<(), String> {
        if self.coordinate >= model.coordinates().len() {
            return Err(super::no_coordinate(model, self.coordinate));
        }
        let finite = |name: &str, value: f64| {
            if value.is_finite() {
                Ok(())
            } else {
                Err(format!("{name} must be finite, not {value}"))
            }
        };
        let bound = |name: &str, value: f64| {
            if value >= 0.0 {
                Ok(())
            } else {
                Err(format!("{name} must be 0 or more, not {value}"))
            }
        };
        match self.drive {
            Drive::Velocity { speed, force } => finite("speed", speed).and_then(|()| bound("force", force)),
            Drive::Servo {
                target,
                rate,
                speed,
                force,
            } => finite("target", target)
                .and_then(|()| finite("rate", rate))
                .and_then(|()| bound("rate", rate))
                .and_then(|()| bound("speed", speed))
                .and_then(|()| bound("force", force)),
            Drive::Friction { force } => bound("force", force),
            Drive::Spring {
                rest,
                stiffness,
                damping,
            } => finite("rest", rest).and_then(|()| super::spring::check(stiffness, damping)),
        }
    }
}
