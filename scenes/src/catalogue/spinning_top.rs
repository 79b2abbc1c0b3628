//! A symmetric top on a pivot: a square plate that spins about its axis above a ball joint.
//!
//! A fast top precesses with `Ω ≈ m g l/(I_s s)`. Exactly, a steady precession at a tilt θ has
//! `I_1 Ω² cos θ − I_s s Ω + m g l = 0`, I_1 about the pivot across the axis, s the spin about it; `steady` begins with
//! the slow root, and without it the top is let go spinning only and nods.

use drystone_solver::options;
use nalgebra::Vector3;

use super::parts::{finite, mechanism, positive};
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, JointDescription, JointType, ShapeDescription};

options! {
    /// Parameters of the top.
    #[derive(Debug, Clone)]
    pub struct SpinningTop {
        /// Angular velocity about its own axis, rad/s.
        pub spin: f64 = 100.0,
        /// Angle of its axis from the vertical, degrees.
        pub tilt: f64 = 30.0,
        /// Distance of its centre from the pivot, m.
        pub lever: f64 = 0.3,
        /// Side of the plate, m.
        pub size: f64 = 0.5,
        /// Thickness of the plate, m.
        pub thickness: f64 = 0.1,
        /// Mass, kg.
        pub mass: f64 = 1.0,
        /// Whether it begins in steady precession; otherwise it is let go with its spin alone.
        pub steady: bool = true,
    }
    validate(top) {
        positive(&[("lever", top.lever), ("size", top.size), ("thickness", top.thickness), ("mass", top.mass)])?;
        finite(&[("spin", top.spin)])?;
        if !(0.0..=180.0).contains(&top.tilt) {
            return Err(format!("tilt must be from 0 to 180 degrees, not {}", top.tilt));
        }
        if top.steady && top.precession().is_none() {
            return Err("the top is too slow to precess steadily; spin it faster or set steady=false".into());
        }
        Ok(())
    }
}

impl SpinningTop {
    /// The slow root of the steady precession, rad/s; none if the top is too slow.
    fn precession(&self) -> Option<f64> {
        let along = self.mass * self.size * self.size / 6.0;
        let across =
            self.mass * ((self.size * self.size + self.thickness * self.thickness) / 12.0 + self.lever * self.lever);
        let weight = self.mass * drystone_dynamics::GRAVITY * self.lever;
        let momentum = along * self.spin;
        let root = momentum * momentum - 4.0 * across * self.tilt.to_radians().cos() * weight;
        // The form of the root that does not cancel.
        let precession = 2.0 * weight / (momentum + momentum.signum() * root.sqrt());
        (root >= 0.0 && precession.is_finite()).then_some(precession)
    }
}

impl CatalogueScene for SpinningTop {
    const NAME: &'static str = "spinning-top";
    const SUMMARY: &'static str =
        "a symmetric top on a pivot: precession with a closed form, gyroscopic term and ball joint together";

    fn scene(&self) -> Scene {
        let mut scene = mechanism(Self::NAME, 0.25, 0.25);
        (scene.dt, scene.duration) = (0.001, 10.0);
        let tilt = self.tilt.to_radians();
        let axis = Vector3::new(tilt.sin(), 0.0, tilt.cos());
        // High enough for the top to hang.
        let pivot = Vector3::z() * (self.lever + self.size + self.thickness);
        let precession = if self.steady {
            self.precession().unwrap_or(0.0)
        } else {
            0.0
        };
        // s is the whole angular velocity along the axis, the precession's part included.
        let omega = self.spin * axis + precession * (Vector3::z() - tilt.cos() * axis);
        let plate = ShapeDescription::cuboid(self.size, self.size, self.thickness);
        let top = BodyDescription::dynamic("top", plate)
            .mass(self.mass)
            .at(pivot + self.lever * axis)
            .turned([0.0, 1.0, 0.0], self.tilt)
            .moving(omega.cross(&(self.lever * axis)))
            .spinning(omega);
        scene.bodies.push(top);
        scene.joints.push(JointDescription::new(
            "pivot",
            JointType::Ball,
            ["ground", "top"],
            pivot,
        ));
        scene
    }
}
