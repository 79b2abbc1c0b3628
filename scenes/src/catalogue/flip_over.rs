//! A plank leans over a ridge with a light box on its lower end; a heavy box falls on the upper end and throws the
//! light one. A chain of contacts has to carry an impact from one end to the other.
//!
//! One of the four tests that the dissertation takes from Guendelman, Bridson and Fedkiw 2003 (figure 6.34; it gives
//! no numbers). The plank touches the ridge under its middle and the ground with its lower end, so it is turned by
//! `asin(2 pivot / length)`.

use drystone_solver::options;

use super::parts::{Tilt, fractions, grounded, not_negative, positive, ridge};
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, ShapeDescription};

options! {
    /// Parameters of the catapult.
    #[derive(Debug, Clone)]
    pub struct FlipOver {
        /// Length of the plank, m.
        pub length: f64 = 6.0,
        /// Width of the plank, m.
        pub width: f64 = 1.0,
        /// Thickness of the plank, m.
        pub thickness: f64 = 0.2,
        /// Height of the ridge above the ground, m.
        pub pivot: f64 = 0.5,
        /// Side of each box, m.
        pub size: f64 = 0.8,
        /// Mass of the falling box, at +x, kg.
        pub heavy: f64 = 100.0,
        /// Mass of the box that is thrown, at −x, kg.
        pub light: f64 = 5.0,
        /// How far the heavy box falls before it touches the plank, m.
        pub drop: f64 = 3.0,
        /// Density of the plank, kg/m³.
        pub density: f64 = 10.0,
        /// Coefficient of friction.
        pub friction: f64 = 0.25,
        /// Coefficient of restitution.
        pub restitution: f64 = 0.25,
    }
    validate(flip) {
        positive(&[("length", flip.length), ("width", flip.width), ("thickness", flip.thickness)])?;
        positive(&[("pivot", flip.pivot), ("size", flip.size), ("density", flip.density)])?;
        positive(&[("heavy", flip.heavy), ("light", flip.light)])?;
        not_negative(&[("drop", flip.drop), ("friction", flip.friction)])?;
        fractions(&[("restitution", flip.restitution)])?;
        if 2.0 * flip.size >= flip.length {
            return Err("size must be less than half the plank's length".into());
        }
        if 2.0 * flip.pivot >= flip.length {
            return Err("pivot must be less than half the plank's length".into());
        }
        Ok(())
    }
}

impl CatalogueScene for FlipOver {
    const NAME: &'static str = "flip-over";
    const SUMMARY: &'static str =
        "a heavy box falls on one end of a plank and throws the light box on the other: impact through a chain (X10)";

    fn scene(&self) -> Scene {
        let mut scene = grounded(Self::NAME, self.friction, self.restitution);
        scene.duration = 3.0;
        // Negative: the end at +x is up.
        let tilt = Tilt::new(-(2.0 * self.pivot / self.length).asin().to_degrees());
        let edge = nalgebra::Vector3::new(0.0, 0.0, self.pivot);
        let plank = ShapeDescription::cuboid(self.length, self.width, self.thickness);
        let cube = ShapeDescription::cuboid(self.size, self.size, self.size);
        let arm = 0.5 * (self.length - self.size);
        let top = edge + tilt.vector(0.5 * self.length, 0.0, self.thickness);
        let heavy = [top.x - 0.5 * self.size, 0.0, top.z + self.drop + 0.5 * self.size];
        scene.bodies.extend([
            ridge("pivot", self.pivot, 1.5 * self.width),
            tilt.apply(
                BodyDescription::dynamic("plank", plank)
                    .density(self.density)
                    .at(edge + tilt.vector(0.0, 0.0, 0.5 * self.thickness)),
            ),
            tilt.apply(
                BodyDescription::dynamic("light", cube.clone())
                    .mass(self.light)
                    .at(edge + tilt.vector(-arm, 0.0, self.thickness + 0.5 * self.size)),
            ),
            BodyDescription::dynamic("heavy", cube).mass(self.heavy).at(heavy),
        ]);
        scene
    }
}
