//! A block on a slope: Coulomb's law in its plainest form. At rest while `tan α ≤ μ`, otherwise it accelerates by
//! `g (sin α − μ cos α)` down the slope.

use drystone_solver::options;

use super::parts::{Tilt, grounded, not_negative, positive, slope};
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, ShapeDescription};

options! {
    /// Parameters of the block on a slope.
    #[derive(Debug, Clone)]
    pub struct Incline {
        /// Slope of the ground, degrees; it falls along +x.
        pub angle: f64 = 20.0,
        /// Coefficient of friction.
        pub friction: f64 = 0.25,
        /// Length of the block down the slope, m.
        pub length: f64 = 1.0,
        /// Width of the block across the slope, m.
        pub width: f64 = 1.0,
        /// Height of the block, m.
        pub height: f64 = 0.5,
        /// Density, kg/m³.
        pub density: f64 = 10.0,
        /// Velocity at the beginning, down the slope, m/s.
        pub velocity: f64 = 0.0,
    }
    validate(incline) {
        slope("angle", incline.angle)?;
        not_negative(&[("friction", incline.friction)])?;
        positive(&[("length", incline.length), ("width", incline.width), ("height", incline.height)])?;
        positive(&[("density", incline.density)])
    }
}

impl CatalogueScene for Incline {
    const NAME: &'static str = "incline";
    const SUMMARY: &'static str =
        "a block on a slope: sticks or slides as Coulomb's law says, with a closed form (after X10)";

    fn scene(&self) -> Scene {
        let tilt = Tilt::new(self.angle);
        let mut scene = grounded(Self::NAME, self.friction, 0.0);
        scene.duration = 2.0;
        scene.bodies[0] = tilt.apply(scene.bodies[0].clone());
        let block = ShapeDescription::cuboid(self.length, self.width, self.height);
        let block = BodyDescription::dynamic("block", block)
            .density(self.density)
            .at(tilt.vector(0.0, 0.0, 0.5 * self.height))
            .moving(tilt.vector(self.velocity, 0.0, 0.0));
        scene.bodies.push(tilt.apply(block));
        scene
    }
}
