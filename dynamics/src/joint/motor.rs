//! Joint motors (dissertation §4.11): one row a driven coordinate, with bounds on its force.
//!
//! λ is an impulse, so a force bound f gives `|λ| ≤ h f` (printed without h). Inside the bounds the coordinate has the
//! wanted speed; at a bound the motor pushes as hard as it may and no harder.

use super::frames::{Coordinate, Frames};
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
    /// A position, which may swing: the speed `target' + rate · (target − value)`, no more than `speed`.
    Servo {
        /// m or rad; angles go the shorter way round, or the way that a range on them leaves open.
        target: f64,
        /// Which part of the way it goes in a second, 1/s. Above 1/h it goes too far in a step, above 2/h ever further.
        rate: f64,
        /// The largest speed, m/s or rad/s; may be infinite.
        speed: f64,
        /// The largest force or torque, N or N·m, 0 or more; may be infinite.
        force: f64,
        /// How the target moves, if it does.
        swing: Option<Swing>,
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

/// A target that swings about its place: `amplitude · sin(2π · frequency · t + phase)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Swing {
    /// m or rad.
    pub amplitude: f64,
    /// Hz.
    pub frequency: f64,
    /// rad.
    pub phase: f64,
}

impl Swing {
    /// How far the target is from its place at a time, and its speed.
    fn at(&self, time: f64) -> (f64, f64) {
        let rate = std::f64::consts::TAU * self.frequency;
        let (sine, cosine) = (rate * time + self.phase).sin_cos();
        (self.amplitude * sine, self.amplitude * rate * cosine)
    }
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
    /// Whether it wants its joint to move, now or later, so that nothing it drives may be put asleep.
    pub fn is_driving(&self) -> bool {
        match self.drive {
            Drive::Velocity { speed, .. } => speed != 0.0,
            Drive::Servo { swing, .. } => swing.is_some(),
            Drive::Friction { .. } | Drive::Spring { .. } => false,
        }
    }

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
                swing: None,
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

    /// Writes its row. `middle` is that of a range on the same coordinate, which tells the way round.
    pub(super) fn write(
        &self,
        model: &dyn JointModel,
        frames: &Frames,
        time: f64,
        middle: Option<f64>,
        slot: usize,
        block: &mut dyn FnMut(usize, Law, &[ConstraintRow]),
    ) {
        let coordinate = model.coordinate(self.coordinate, frames);
        let row = |velocity| ConstraintRow::rate(velocity, coordinate.jacobian, coordinate.unit);
        if !row(0.0).acts() {
            return;
        }
        let wanted = self.wanted_speed(&coordinate, time, middle);
        match self.drive {
            Drive::Velocity { force, .. } | Drive::Servo { force, .. } | Drive::Friction { force } => {
                block(slot, Law::Bounded { force }, &[row(wanted)]);
            }
            Drive::Spring {
                rest,
                stiffness,
                damping,
            } => {
                let stretch = coordinate.difference_about(middle, rest);
                let row = ConstraintRow::of(stretch, coordinate.jacobian, coordinate.unit);
                block(slot, Law::Spring { stiffness, damping }, &[row]);
            }
        }
    }

    /// How fast it wants its coordinate to move; springs and friction want nothing.
    pub(super) fn wanted_speed(&self, coordinate: &Coordinate, time: f64, middle: Option<f64>) -> f64 {
        match self.drive {
            Drive::Velocity { speed, .. } => speed,
            Drive::Servo {
                target,
                rate,
                speed,
                swing,
                ..
            } => {
                let (shift, lead) = swing.map_or((0.0, 0.0), |swing| swing.at(time));
                let wanted = lead - rate * coordinate.difference_about(middle, target + shift);
                // Not `clamp`: it panics on bounds that are no bounds.
                wanted.min(speed).max(-speed)
            }
            Drive::Friction { .. } | Drive::Spring { .. } => 0.0,
        }
    }

    /// Energy stored in it, J.
    pub(super) fn energy(&self, model: &dyn JointModel, frames: &Frames, middle: Option<f64>) -> f64 {
        match self.drive {
            Drive::Spring { rest, stiffness, .. } => {
                let stretch = model.coordinate(self.coordinate, frames).difference_about(middle, rest);
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
                swing,
            } => finite("target", target)
                .and_then(|()| {
                    swing.map_or(Ok(()), |swing| {
                        finite("amplitude", swing.amplitude)
                            .and_then(|()| finite("frequency", swing.frequency))
                            .and_then(|()| finite("phase", swing.phase))
                    })
                })
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
