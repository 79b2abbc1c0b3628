//! Scripted motion: bodies whose pose is a given function of time (dissertation chapter 3).
//!
//! Only poses are asked for. Over a step the body moves with the one constant velocity that takes it from its pose at
//! the beginning to its pose at the end, so what it carries cannot drift against it.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

/// A pose as a function of time. Implemented for closures, so a library user can script anything.
pub trait ScriptedMotion: Send + Sync {
    /// The pose, body to world, at a time in seconds.
    fn pose(&self, time: f64) -> Isometry3<f64>;
}

impl<F: Fn(f64) -> Isometry3<f64> + Send + Sync> ScriptedMotion for F {
    fn pose(&self, time: f64) -> Isometry3<f64> {
        self(time)
    }
}

/// Uniform translation and rotation from a starting pose.
#[derive(Debug, Clone, Copy)]
pub struct UniformMotion {
    /// The pose at time zero.
    pub start: Isometry3<f64>,
    /// m/s.
    pub linear_velocity: Vector3<f64>,
    /// World frame, rad/s.
    pub angular_velocity: Vector3<f64>,
}

impl ScriptedMotion for UniformMotion {
    fn pose(&self, time: f64) -> Isometry3<f64> {
        Isometry3::from_parts(
            Translation3::from(self.start.translation.vector + time * self.linear_velocity),
            UnitQuaternion::from_scaled_axis(time * self.angular_velocity) * self.start.rotation,
        )
    }
}

/// A sinusoidal translation about a starting pose: `r(t) = r₀ + a sin(2π f t + φ)`.
#[derive(Debug, Clone, Copy)]
pub struct Oscillation {
    /// The pose about which it swings.
    pub start: Isometry3<f64>,
    /// Direction and amplitude, m.
    pub amplitude: Vector3<f64>,
    /// Hz.
    pub frequency: f64,
    /// rad.
    pub phase: f64,
}

impl ScriptedMotion for Oscillation {
    fn pose(&self, time: f64) -> Isometry3<f64> {
        let angle = std::f64::consts::TAU * self.frequency * time + self.phase;
        Translation3::from(self.amplitude * angle.sin()) * self.start
    }
}
