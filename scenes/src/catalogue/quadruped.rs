//! A machine that trots: a trunk on four legs of two links each, with servos at hips and knees whose targets swing. The legs
//! at either end of a diagonal move together, half a period after those of the other. After Gravitas' figure 80.
//!
//! Legs are bent by α at the hip and 2α at the knee, so that feet are under hips. A leg swings by `A sin φ`; while it goes back
//! it stands, while it comes forward it is lifted by bending knee and hip further, by `δ (1 − cos φ)` and half of that:
//!
//! ```text
//! hip = −α − ½δ + A sin φ + ½δ cos φ,    knee = 2α + δ − δ cos φ
//! ```

use std::f64::consts::{FRAC_PI_2, PI};

use drystone_solver::options;

use super::parts::{grounded, not_negative, positive};
use super::{CatalogueScene, Scene};
use crate::format::{
    BodyDescription, DriveDescription, JointDescription, JointType, PartDescription, ShapeDescription, SwingDescription,
};

options! {
    /// Parameters of the quadruped.
    #[derive(Debug, Clone)]
    pub struct Quadruped {
        /// Steps a second of each leg, Hz.
        pub frequency: f64 = 2.0,
        /// A: how far legs swing to either side, degrees.
        pub stride: f64 = 12.0,
        /// δ: how far legs are bent to be lifted, degrees.
        pub lift: f64 = 10.0,
        /// α: how far hips are bent where the leg stands, degrees.
        pub crouch: f64 = 25.0,
        /// Length of each of a leg's two links, m.
        pub link: f64 = 0.3,
        /// Mass of the trunk, kg.
        pub mass: f64 = 10.0,
        /// Largest torque of a servo, N·m.
        pub torque: f64 = 60.0,
        /// Coefficient of friction.
        pub friction: f64 = 0.8,
    }
    validate(quadruped) {
        positive(&[("link", quadruped.link), ("mass", quadruped.mass)])?;
        not_negative(&[("frequency", quadruped.frequency), ("torque", quadruped.torque)])?;
        not_negative(&[("friction", quadruped.friction)])?;
        for (name, value) in [("stride", quadruped.stride), ("lift", quadruped.lift), ("crouch", quadruped.crouch)] {
            if !(0.0..=40.0).contains(&value) {
                return Err(format!("{name} must be from 0 to 40 degrees, not {value}"));
            }
        }
        Ok(())
    }
}

impl CatalogueScene for Quadruped {
    const NAME: &'static str = "quadruped";
    const SUMMARY: &'static str =
        "a machine trots on four legs: servos at hips and knees against friction and contacts (Gravitas, figure 80)";

    fn scene(&self) -> Scene {
        let mut scene = grounded(Self::NAME, self.friction, 0.0);
        scene.duration = 5.0;
        scene.dt = 0.005;
        scene.solver = Some("semi-implicit:projection=hybrid/hybrid".into());
        let (foot, half) = (0.12 * self.link, 0.5 * self.link);
        let crouch = self.crouch.to_radians();
        let hip = 2.0 * self.link * crouch.cos() + foot;
        let (forward, knee) = (self.link * crouch.sin(), hip - self.link * crouch.cos());
        let trunk = ShapeDescription::cuboid(3.0 * self.link, self.link, 0.5 * self.link);
        scene.bodies.push(
            BodyDescription::dynamic("trunk", trunk)
                .mass(self.mass)
                .at([0.0, 0.0, hip]),
        );
        let limb = ShapeDescription::cuboid(0.2 * self.link, 0.2 * self.link, 0.9 * self.link);
        let shin = ShapeDescription::compound([
            PartDescription::new(limb.clone()),
            PartDescription::new(ShapeDescription::sphere(foot)).at([0.0, 0.0, -half]),
        ]);
        for (name, x, y, phase) in [
            ("front-left", 1.3, 0.8, 0.0),
            ("front-right", 1.3, -0.8, PI),
            ("rear-left", -1.3, 0.8, PI),
            ("rear-right", -1.3, -0.8, 0.0),
        ] {
            let (x, y) = (x * self.link, y * self.link);
            let [thigh, lower] = ["thigh", "shin"].map(|part| format!("{name}-{part}"));
            let mass = 0.05 * self.mass;
            let turned = |degrees: f64, x: f64, z: f64, name: &str, shape: &ShapeDescription| {
                let body = BodyDescription::dynamic(name, shape.clone()).mass(mass);
                body.at([x, y, z]).turned([0.0, 1.0, 0.0], degrees)
            };
            scene.bodies.extend([
                turned(-self.crouch, x + 0.5 * forward, 0.5 * (hip + knee), &thigh, &limb),
                turned(self.crouch, x + 0.5 * forward, 0.5 * (knee + foot), &lower, &shin),
            ]);
            let servo = |target: f64, amplitude: f64, phase: f64| DriveDescription::Servo {
                target,
                rate: 30.0,
                speed: None,
                force: Some(self.torque),
                swing: Some(SwingDescription {
                    amplitude,
                    frequency: self.frequency,
                    phase,
                }),
            };
            // Joints count their angles from how the legs stand at the beginning.
            let (swing, lift) = (self.stride.to_radians(), self.lift.to_radians());
            let (sine, cosine) = (swing, 0.5 * lift);
            scene.joints.extend([
                JointDescription::new(format!("{name}-hip"), JointType::Hinge, ["trunk", &thigh], [x, y, hip])
                    .axis([0.0, 1.0, 0.0])
                    .range("angle", Some(-1.5), Some(1.5))
                    .motor("angle", servo(-cosine, sine.hypot(cosine), phase + cosine.atan2(sine))),
                JointDescription::new(
                    format!("{name}-knee"),
                    JointType::Hinge,
                    [&thigh, &lower],
                    [x + forward, y, knee],
                )
                .axis([0.0, 1.0, 0.0])
                .range("angle", Some(-2.0 * crouch), Some(1.8))
                .motor("angle", servo(lift, -lift, phase + FRAC_PI_2)),
            ]);
        }
        scene
    }
}
