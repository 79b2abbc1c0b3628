//! One column of cubes: the worst case for an iterative solver, because what the lowest contact must carry reaches
//! it only through all the others.
//!
//! Dissertation figures 6.14 to 6.17 (stacking), 6.22 (time per frame), 6.67 to 6.69 (sleep at e = 0.1, 0.4, 1).

use drystone_solver::options;

use super::parts::{counts, fractions, grounded, not_negative, positive};
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, ShapeDescription};

options! {
    /// Parameters of the box stack.
    #[derive(Debug, Clone)]
    pub struct BoxStack {
        /// Number of cubes.
        pub count: usize = 25,
        /// Side of a cube, m.
        pub size: f64 = 1.0,
        /// Free height under each cube at the beginning, m.
        pub gap: f64 = 0.0,
        /// Density, kg/m³.
        pub density: f64 = 10.0,
        /// Coefficient of friction.
        pub friction: f64 = 0.25,
        /// Coefficient of restitution.
        pub restitution: f64 = 0.25,
    }
    validate(stack) {
        counts(&[("count", stack.count)])?;
        positive(&[("size", stack.size), ("density", stack.density)])?;
        not_negative(&[("gap", stack.gap), ("friction", stack.friction)])?;
        fractions(&[("restitution", stack.restitution)])
    }
}

impl CatalogueScene for BoxStack {
    const NAME: &'static str = "box-stack";
    const SUMMARY: &'static str =
        "one column of cubes: how far a solver carries load in a given number of iterations (X03, X06, X21)";

    fn scene(&self) -> Scene {
        let mut scene = grounded(Self::NAME, self.friction, self.restitution);
        let cube = ShapeDescription::cuboid(self.size, self.size, self.size);
        scene.bodies.extend((0..self.count).map(|k| {
            BodyDescription::dynamic(format!("box-{k}"), cube.clone())
                .density(self.density)
                .at([0.0, 0.0, (k as f64 + 0.5) * self.size + (k + 1) as f64 * self.gap])
        }));
        scene
    }
}
