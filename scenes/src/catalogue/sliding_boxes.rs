//! Boxes side by side on one slope, each with its own coefficient of friction, all pushed off with the same velocity.
//!
//! A box with `μ > tan α` stops after `v² / (2 g (μ cos α − sin α))`; one with less goes on. One of the four tests
//! that the dissertation takes from Guendelman, Bridson and Fedkiw 2003 (figure 6.31; it gives no numbers).

use drystone_solver::options;

use super::parts::{Tilt, centred, counts, grounded, not_negative, positive, slope};
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, DEFAULT_MATERIAL, Material, MaterialPair, ShapeDescription};

options! {
    /// Parameters of the sliding boxes.
    #[derive(Debug, Clone)]
    pub struct SlidingBoxes {
        /// Number of boxes.
        pub count: usize = 5,
        /// Slope of the ground, degrees; it falls along +x.
        pub angle: f64 = 10.0,
        /// Coefficient of friction of the first box.
        pub least_friction: f64 = 0.25,
        /// Coefficient of friction of the last box; those between are evenly spaced.
        pub most_friction: f64 = 0.65,
        /// Velocity at the beginning, down the slope, m/s.
        pub velocity: f64 = 4.0,
        /// Side of a box, m; it is half as high.
        pub size: f64 = 1.0,
        /// Density, kg/m³.
        pub density: f64 = 10.0,
    }
    validate(boxes) {
        counts(&[("count", boxes.count)])?;
        // Each box is a material, and the table of pairs grows as the square.
        if boxes.count > 1000 {
            return Err(format!("count must be 1000 or less, not {}", boxes.count));
        }
        slope("angle", boxes.angle)?;
        not_negative(&[("least-friction", boxes.least_friction), ("most-friction", boxes.most_friction)])?;
        positive(&[("size", boxes.size), ("density", boxes.density)])
    }
}

impl SlidingBoxes {
    /// The coefficient of friction of a box.
    pub fn friction(&self, index: usize) -> f64 {
        if self.count < 2 {
            return self.least_friction;
        }
        let part = index as f64 / (self.count - 1) as f64;
        self.least_friction + part * (self.most_friction - self.least_friction)
    }
}

impl CatalogueScene for SlidingBoxes {
    const NAME: &'static str = "sliding-boxes";
    const SUMMARY: &'static str =
        "boxes of different friction sliding down one slope: each stops at its own distance, in closed form (X10)";

    fn scene(&self) -> Scene {
        let tilt = Tilt::new(self.angle);
        let mut scene = grounded(Self::NAME, 0.25, 0.0);
        scene.duration = 6.0;
        scene.bodies[0] = tilt.apply(scene.bodies[0].clone());
        let (size, height) = (self.size, 0.5 * self.size);
        for index in 0..self.count {
            let material = format!("surface-{index}");
            let friction = self.friction(index);
            scene.materials.push(Material::new(&material, friction, 0.0));
            scene
                .material_pairs
                .push(MaterialPair::new(&material, DEFAULT_MATERIAL, friction, 0.0));
            let y = centred(index, self.count, 2.0 * size);
            let body = BodyDescription::dynamic(format!("box-{index}"), ShapeDescription::cuboid(size, size, height))
                .density(self.density)
                .of(material)
                .at(tilt.vector(0.0, y, 0.5 * height))
                .moving(tilt.vector(self.velocity, 0.0, 0.0));
            scene.bodies.push(tilt.apply(body));
        }
        scene
    }
}
