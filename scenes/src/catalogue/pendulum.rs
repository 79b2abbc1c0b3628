//! Rods on hinges, let go from rest: one is the physical pendulum, two the double pendulum, many a whip.
//!
//! With one rod of length l and square section d, `T = 2π √(I/(m g l/2))` for small angles, `I = m (l²/3 + d²/12)`. From
//! two on the motion is chaotic, and tells how long a method follows the true one. Rods that are not neighbours can
//! strike each other.

use drystone_solver::options;

use super::parts::{ACROSS, bar, counts, heading, mechanism, positive, within_a_turn};
use super::{CatalogueScene, Scene};
use crate::format::{JointDescription, JointType};

options! {
    /// Parameters of the pendulum.
    #[derive(Debug, Clone)]
    pub struct Pendulum {
        /// Number of rods.
        pub links: usize = 1,
        /// Length of a rod, m.
        pub length: f64 = 1.0,
        /// Thickness of a rod, m.
        pub thickness: f64 = 0.05,
        /// Mass of a rod, kg.
        pub mass: f64 = 1.0,
        /// Angle of all rods from hanging straight down, degrees.
        pub angle: f64 = 30.0,
    }
    validate(pendulum) {
        counts(&[("links", pendulum.links)])?;
        positive(&[("length", pendulum.length), ("thickness", pendulum.thickness), ("mass", pendulum.mass)])?;
        within_a_turn("angle", pendulum.angle)
    }
}

impl CatalogueScene for Pendulum {
    const NAME: &'static str = "pendulum";
    const SUMMARY: &'static str =
        "rods on hinges let go from rest: one with a known period, two or more chaotic, energy and drift of joints";

    fn scene(&self) -> Scene {
        let mut scene = mechanism(Self::NAME, 0.25, 0.25);
        scene.duration = 10.0;
        let step = self.length * heading(self.angle.to_radians() - std::f64::consts::FRAC_PI_2);
        // High enough to swing clear of the ground.
        let pivot = nalgebra::Vector3::z() * (1.25 * self.links as f64 * self.length);
        let mut above = "ground".to_owned();
        for k in 0..self.links {
            let name = format!("rod-{k}");
            let from = pivot + k as f64 * step;
            let hinge = JointDescription::new(format!("hinge-{k}"), JointType::Hinge, [&above, &name], from);
            scene.joints.push(hinge.axis(ACROSS));
            scene
                .bodies
                .push(bar(&name, from, from + step, self.thickness).mass(self.mass));
            above = name;
        }
        scene
    }
}
