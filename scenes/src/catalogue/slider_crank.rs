//! Slider and crank: a crank turns, a rod pushes a piston along a straight guide.
//!
//! With the crank r at an angle θ and a rod l, the piston is at `x = r cos θ + √(l² − r² sin² θ)`. The loop is plane: three
//! hinges and a slider have 20 rows for 18 coordinates and yet leave one motion, so three rows are redundant. They stay,
//! as a test of what solvers do with them.

use drystone_solver::options;
use nalgebra::Vector3;

use super::parts::{ACROSS, bar, finite, heading, mechanism, positive, within_a_turn};
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, DriveDescription, JointDescription, JointType, ShapeDescription};

options! {
    /// Parameters of the slider-crank.
    #[derive(Debug, Clone)]
    pub struct SliderCrank {
        /// Length of the crank, m.
        pub crank: f64 = 0.5,
        /// Length of the rod, m; longer than the crank.
        pub rod: f64 = 1.5,
        /// Thickness of the bars, m.
        pub thickness: f64 = 0.1,
        /// Side of the piston, m.
        pub piston: f64 = 0.3,
        /// Density, kg/m³.
        pub density: f64 = 100.0,
        /// Angle of the crank at the beginning, degrees.
        pub angle: f64 = 30.0,
        /// Angular velocity of the crank, rad/s.
        pub speed: f64 = 5.0,
        /// Whether a motor keeps it; otherwise the crank only begins with it.
        pub motor: bool = true,
    }
    validate(it) {
        positive(&[("crank", it.crank), ("rod", it.rod), ("thickness", it.thickness)])?;
        positive(&[("piston", it.piston), ("density", it.density)])?;
        finite(&[("speed", it.speed)])?;
        within_a_turn("angle", it.angle)?;
        if it.rod <= it.crank {
            return Err("the rod must be longer than the crank".into());
        }
        Ok(())
    }
}

impl CatalogueScene for SliderCrank {
    const NAME: &'static str = "slider-crank";
    const SUMMARY: &'static str =
        "a crank that drives a piston: a closed loop with three redundant rows, and closed-form kinematics";

    fn scene(&self) -> Scene {
        let mut scene = mechanism(Self::NAME, 0.25, 0.25);
        let theta = self.angle.to_radians();
        // Half a thickness between the planes of crank, rod and piston, so that they pass each other.
        let layer = |k: f64| Vector3::y() * (1.5 * k * self.thickness);
        let shaft = Vector3::z() * 2.0 * (self.crank + self.thickness);
        let pin = shaft + self.crank * heading(theta);
        let below = self.crank * theta.sin();
        let length = (self.rod * self.rod - below * below).sqrt();
        let wrist = shaft + Vector3::x() * (self.crank * theta.cos() + length);
        // Velocities that fit together.
        let turn = |speed: f64| speed * Vector3::from(ACROSS);
        let tilt_rate = -self.speed * self.crank * theta.cos() / length;
        let pin_velocity = turn(self.speed).cross(&(pin - shaft));
        let rod_velocity = pin_velocity + turn(tilt_rate).cross(&(0.5 * (wrist - pin)));
        let wrist_velocity = pin_velocity + turn(tilt_rate).cross(&(wrist - pin));

        let cube = ShapeDescription::cuboid(self.piston, self.piston, self.piston);
        scene.bodies.extend([
            bar("crank", shaft, pin, self.thickness)
                .density(self.density)
                .at(0.5 * (shaft + pin) - layer(1.0))
                .moving(0.5 * pin_velocity)
                .spinning(turn(self.speed)),
            bar("rod", pin, wrist, self.thickness)
                .density(self.density)
                .moving(rod_velocity)
                .spinning(turn(tilt_rate)),
            BodyDescription::dynamic("piston", cube)
                .density(self.density)
                .at(wrist + layer(1.0) + Vector3::y() * (0.5 * (self.piston - self.thickness)))
                .moving(wrist_velocity),
        ]);
        let hinge = |name: &str, bodies: [&str; 2], at: Vector3<f64>| {
            JointDescription::new(name, JointType::Hinge, bodies, at).axis(ACROSS)
        };
        let mut drive = hinge("shaft", ["ground", "crank"], shaft);
        if self.motor {
            let speed = self.speed;
            drive = drive.motor("angle", DriveDescription::Velocity { speed, force: None });
        }
        let guide = JointDescription::new("guide", JointType::Slider, ["ground", "piston"], wrist);
        scene.joints.extend([
            drive,
            hinge("pin", ["crank", "rod"], pin),
            hinge("wrist", ["rod", "piston"], wrist),
            guide.axis([1.0, 0.0, 0.0]),
        ]);
        scene
    }
}
