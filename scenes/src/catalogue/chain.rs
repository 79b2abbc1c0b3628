//! A chain of light links with a heavy ball at its end, let go aside: the test of mass ratios for joints.
//!
//! Every joint carries the ball, and every link weighs next to nothing: the condition number of A grows with the ratio
//! and with the square of the number of links. Sweeps stretch such a chain like rubber; direct methods don't notice.
//! The energy of the ball and the length of the chain tell how well a method does.
//!
//! However well the rows are solved, a taut chain of light links is stiff across its length, and that stiffness is taken
//! explicitly: with a tension T, links of length l and mass m shake at up to `ω = √(12 T/(m l))`, and steps longer than
//! 2/ω blow up. The ball pulls with up to three times its weight, which gives `dt < √(l/(9 g ratio))`; the scene's own step
//! is at most half of that.

use drystone_solver::options;
use nalgebra::Vector3;

use super::parts::{bar, counts, heading, mechanism, positive, within_a_turn};
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, JointDescription, JointType, ShapeDescription};

options! {
    /// Parameters of the chain.
    #[derive(Debug, Clone)]
    pub struct Chain {
        /// Number of links, the ball not counted.
        pub links: usize = 10,
        /// Length of a link, m.
        pub length: f64 = 0.25,
        /// Thickness of a link, m.
        pub thickness: f64 = 0.05,
        /// Mass of a link, kg.
        pub mass: f64 = 0.1,
        /// Mass of the ball over that of a link.
        pub ratio: f64 = 100.0,
        /// Radius of the ball, m.
        pub radius: f64 = 0.25,
        /// Angle of the chain from hanging straight down, degrees: 90 is level.
        pub angle: f64 = 90.0,
    }
    validate(chain) {
        counts(&[("links", chain.links)])?;
        positive(&[("length", chain.length), ("thickness", chain.thickness), ("mass", chain.mass)])?;
        positive(&[("ratio", chain.ratio), ("radius", chain.radius)])?;
        within_a_turn("angle", chain.angle)
    }
}

impl CatalogueScene for Chain {
    const NAME: &'static str = "chain";
    const SUMMARY: &'static str =
        "a heavy ball swinging on a chain of light links: mass ratio and length against the solver of joints";

    fn scene(&self) -> Scene {
        let mut scene = mechanism(Self::NAME, 0.25, 0.25);
        let longest = (self.length / (9.0 * drystone_dynamics::GRAVITY * self.ratio)).sqrt();
        scene.dt = (0.5 * longest).min(0.002);
        let towards = heading(self.angle.to_radians() - std::f64::consts::FRAC_PI_2);
        let reach = self.links as f64 * self.length + 2.0 * self.radius;
        let side = 4.0 * self.thickness;
        // The chain begins below the ceiling, clear of it.
        let start = Vector3::z() * (1.25 * reach);
        let ceiling = ShapeDescription::cuboid(side, side, 0.5 * side);
        scene
            .bodies
            .push(BodyDescription::fixed("ceiling", ceiling).at(start + Vector3::z() * (0.25 * side)));
        let mut above = "ceiling".to_owned();
        for k in 0..=self.links {
            let from = start + k as f64 * self.length * towards;
            let body = if k < self.links {
                bar(format!("link-{k}"), from, from + self.length * towards, self.thickness).mass(self.mass)
            } else {
                BodyDescription::dynamic("ball", ShapeDescription::sphere(self.radius))
                    .mass(self.ratio * self.mass)
                    .at(from + self.radius * towards)
            };
            let name = body.name_or_index(k);
            let joint = JointDescription::new(format!("socket-{k}"), JointType::Ball, [&above, &name], from);
            scene.joints.push(joint);
            scene.bodies.push(body);
            above = name;
        }
        scene
    }
}
