//! A plank balanced on a ridge with a heavy box on one end and a light one on the other: it tips to the heavy side,
//! where the plank hits the ground and the light box may leave it.
//!
//! One of the four tests that the dissertation takes from Guendelman, Bridson and Fedkiw 2003 (figure 6.33; it gives
//! no numbers). At its turning points the plank is slow without being at rest, which deceives a test for sleep (§6.5).

use drystone_solver::options;

use super::parts::{fractions, grounded, not_negative, positive, ridge};
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, ShapeDescription};

options! {
    /// Parameters of the see-saw.
    #[derive(Debug, Clone)]
    pub struct SeeSaw {
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
        /// Mass of the heavy box, at +x, kg.
        pub heavy: f64 = 40.0,
        /// Mass of the light box, at −x, kg.
        pub light: f64 = 10.0,
        /// Density of the plank, kg/m³.
        pub density: f64 = 10.0,
        /// Coefficient of friction.
        pub friction: f64 = 0.25,
        /// Coefficient of restitution.
        pub restitution: f64 = 0.25,
    }
    validate(see_saw) {
        positive(&[("length", see_saw.length), ("width", see_saw.width), ("thickness", see_saw.thickness)])?;
        positive(&[("pivot", see_saw.pivot), ("size", see_saw.size), ("density", see_saw.density)])?;
        positive(&[("heavy", see_saw.heavy), ("light", see_saw.light)])?;
        not_negative(&[("friction", see_saw.friction)])?;
        fractions(&[("restitution", see_saw.restitution)])?;
        if 2.0 * see_saw.size >= see_saw.length {
            return Err("size must be less than half the plank's length".into());
        }
        Ok(())
    }
}

impl CatalogueScene for SeeSaw {
    const NAME: &'static str = "see-saw";
    const SUMMARY: &'static str =
        "a plank on a ridge with a heavy and a light box: line contact, tipping, turning points (X10)";

    fn scene(&self) -> Scene {
        let mut scene = grounded(Self::NAME, self.friction, self.restitution);
        let plank = ShapeDescription::cuboid(self.length, self.width, self.thickness);
        let cube = ShapeDescription::cuboid(self.size, self.size, self.size);
        let arm = 0.5 * (self.length - self.size);
        let top = self.pivot + self.thickness + 0.5 * self.size;
        scene.bodies.extend([
            ridge("pivot", self.pivot, 1.5 * self.width),
            BodyDescription::dynamic("plank", plank).density(self.density).at([
                0.0,
                0.0,
                self.pivot + 0.5 * self.thickness,
            ]),
            BodyDescription::dynamic("heavy", cube.clone())
                .mass(self.heavy)
                .at([arm, 0.0, top]),
            BodyDescription::dynamic("light", cube)
                .mass(self.light)
                .at([-arm, 0.0, top]),
        ]);
        scene
    }
}
