//! Spur gears: two wheels that roll on each other without slip. One row.
//!
//! The teeth push at the pitch point, so that is where the row acts: `t·(velocity of B − velocity of A) = 0` there, t
//! across the line of centres. The forces are equal and opposite and both momenta are conserved; the bearings that hold
//! the axles, which are joints of their own, do the rest. (A row on the two angular velocities alone, as gears are often
//! modelled, makes angular momentum from nothing.)
//!
//! With the angles ψ from each body's own x axis to the line of centres d and signed pitch radii r_A + r_B = |d|,
//!
//! ```text
//! Φ = r_A ψ_A + r_B ψ_B − Φ₀,    Φ' = t·(v_B − v_A) − r_A ω_A − r_B ω_B
//! ```
//!
//! Angles are known up to whole turns, which change Φ by whole teeth; Φ is taken to the nearest tooth.

use super::frames::{Frames, wrapped};
use super::model::{JointError, JointModel};
use crate::constraint::{ConstraintRow, Law, Unit, point_jacobian};

/// Two gear wheels, their anchors at the centres, the axis along both axles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gear {
    /// Numbers of teeth of A and B. The pitch circles divide the distance of the centres in their proportion.
    pub teeth: [u32; 2],
    /// Whether the wheel with more teeth is a ring around the other.
    pub internal: bool,
}

impl Gear {
    /// Signed pitch radii for centres at this distance.
    fn radii(&self, distance: f64) -> [f64; 2] {
        let [a, b] = self.teeth.map(f64::from);
        if !self.internal {
            [distance * a / (a + b), distance * b / (a + b)]
        } else {
            // The one inside has its pitch point beyond its centre, as seen from the ring's.
            [distance * a / (a - b), distance * b / (b - a)]
        }
    }

    /// (Φ + Φ₀ before teeth are counted off, its row).
    fn mesh(&self, frames: &Frames) -> (f64, [f64; 12], f64) {
        let z = frames.axis_a(2);
        let across = frames.gap - z * z.dot(&frames.gap);
        let distance = across.norm();
        let d = if distance > 0.0 {
            across / distance
        } else {
            frames.axis_a(0)
        };
        let t = z.cross(&d);
        let [ra, rb] = self.radii(distance);
        let angle = |x: nalgebra::Vector3<f64>| t.dot(&x).atan2(d.dot(&x));
        // From x to d is minus the angle from d to x.
        let phase = -(ra * angle(frames.axis_a(0)) + rb * angle(frames.axis_b(0)));
        let point = d * ra;
        let jacobian = point_jacobian(&t, &(frames.arm_a + point), &(frames.arm_b + point - frames.gap));
        let tooth = std::f64::consts::TAU * ra.abs() / f64::from(self.teeth[0]);
        (phase, jacobian, tooth)
    }

    fn slip(&self, frames: &Frames) -> (f64, [f64; 12]) {
        let (phase, jacobian, tooth) = self.mesh(frames);
        let turns = std::f64::consts::TAU / tooth;
        (wrapped((phase - frames.rest) * turns) / turns, jacobian)
    }
}

impl JointModel for Gear {
    fn name(&self) -> &'static str {
        "gear"
    }

    fn rows(&self) -> usize {
        1
    }

    fn write(&self, frames: &Frames, block: &mut dyn FnMut(usize, Law, &[ConstraintRow])) {
        let (slip, jacobian) = self.slip(frames);
        block(0, Law::Equality, &[ConstraintRow::of(slip, jacobian, Unit::Length)]);
    }

    fn error(&self, frames: &Frames) -> JointError {
        JointError {
            length: self.slip(frames).0.abs(),
            angle: 0.0,
        }
    }

    /// The teeth mesh as the wheels are when they are put together.
    fn rest(&self, frames: &Frames) -> f64 {
        self.mesh(frames).0
    }

    fn check_place(&self, frames: &Frames) -> Result<(), String> {
        if frames.axis_a(2).cross(&frames.gap).norm() > 0.0 {
            Ok(())
        } else {
            Err("the centres of two gear wheels must be apart".into())
        }
    }

    fn validate(&self) -> Result<(), String> {
        if self.teeth.contains(&0) {
            return Err("a gear needs at least one tooth on each wheel".into());
        }
        if self.internal && self.teeth[0] == self.teeth[1] {
            return Err("a ring must have more teeth than the wheel inside".into());
        }
        Ok(())
    }
}
