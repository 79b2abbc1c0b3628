//! Newton's cradle: balls in a row, each on two rods to its centre, the first of them lifted.
//!
//! What comes out depends on the law of impact. Newton's, asked of all contacts at once, conserves momentum and energy,
//! and yet of touching balls none comes out alone: the first bounces back with v (n−2)/n and the others leave together
//! with 2 v/n. A ball comes out alone where the impacts happen one after another: with a gap wider than a ball moves in
//! one step, `gap > v dt`, as by default.

use drystone_solver::options;
use nalgebra::Vector3;

use super::parts::{centred, counts, fractions, mechanism, not_negative, positive};
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, JointDescription, JointType, ShapeDescription};

options! {
    /// Parameters of the cradle.
    #[derive(Debug, Clone)]
    pub struct NewtonCradle {
        /// Number of balls.
        pub balls: usize = 5,
        /// How many of them are lifted.
        pub lifted: usize = 1,
        /// How far they are lifted, degrees.
        pub angle: f64 = 30.0,
        /// Distance of a ball's centre below the beams, m.
        pub length: f64 = 1.0,
        /// Distance between the beams, m.
        pub width: f64 = 0.6,
        /// Radius of a ball, m.
        pub radius: f64 = 0.1,
        /// Distance between balls at rest, m.
        pub gap: f64 = 0.001,
        /// Mass of a ball, kg.
        pub mass: f64 = 1.0,
        /// Coefficient of restitution.
        pub restitution: f64 = 1.0,
    }
    validate(cradle) {
        counts(&[("balls", cradle.balls)])?;
        positive(&[("length", cradle.length), ("width", cradle.width)])?;
        positive(&[("radius", cradle.radius), ("mass", cradle.mass)])?;
        not_negative(&[("gap", cradle.gap)])?;
        fractions(&[("restitution", cradle.restitution)])?;
        if cradle.lifted >= cradle.balls.max(2) {
            return Err("lifted must be less than the number of balls".into());
        }
        if !(0.0..=90.0).contains(&cradle.angle) {
            return Err(format!("angle must be from 0 to 90 degrees, not {}", cradle.angle));
        }
        if cradle.radius >= cradle.length {
            return Err("radius must be less than the length".into());
        }
        Ok(())
    }
}

impl CatalogueScene for NewtonCradle {
    const NAME: &'static str = "newton-cradle";
    const SUMMARY: &'static str =
        "balls in a row on pairs of rods, the first one lifted: elastic impacts, momentum, energy, one in, one out";

    fn scene(&self) -> Scene {
        let mut scene = mechanism(Self::NAME, 0.0, self.restitution);
        // At 1.6 m/s a ball moves 0.8 mm in a step, less than the gap.
        scene.dt = 0.0005;
        let pitch = 2.0 * self.radius + self.gap;
        let height = 1.5 * (self.length + self.radius);
        let thickness = 0.5 * self.radius;
        let beam = ShapeDescription::cuboid(self.balls as f64 * pitch, thickness, thickness);
        let beams = [("front-beam", -0.5 * self.width), ("back-beam", 0.5 * self.width)];
        for (name, y) in beams {
            scene
                .bodies
                .push(BodyDescription::fixed(name, beam.clone()).at([0.0, y, height]));
        }
        let angle = self.angle.to_radians();
        for k in 0..self.balls {
            let x = centred(k, self.balls, pitch);
            let swing = if k < self.lifted { angle } else { 0.0 };
            let centre = Vector3::new(x - self.length * swing.sin(), 0.0, height - self.length * swing.cos());
            let name = format!("ball-{k}");
            for (side, (beam, y)) in ["front", "back"].into_iter().zip(beams) {
                let rod = JointType::Distance {
                    lower: None,
                    upper: None,
                    restitution: 0.0,
                };
                let ends = [Vector3::new(x, y, height), centre];
                scene.joints.push(JointDescription::between(
                    format!("{side}-rod-{k}"),
                    rod,
                    [beam, &name],
                    ends,
                ));
            }
            let ball = BodyDescription::dynamic(name, ShapeDescription::sphere(self.radius));
            scene.bodies.push(ball.mass(self.mass).at(centre));
        }
        scene
    }
}
