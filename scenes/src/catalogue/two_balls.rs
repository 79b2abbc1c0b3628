//! A heavy ball on a light one on the ground: two unknowns, and yet one of the hardest small problems for
//! Gauss–Seidel, whose error shrinks per iteration only by `m₂ / (m₁ + m₂)` (0.999875 for the ratio of 8000).
//!
//! Dissertation figure 6.23: lower ball r = 0.5 m at 1 kg/m³, upper r = 1 m at 1000 kg/m³, no friction, e = 0 with
//! the ground and e = 1 between the balls.

use drystone_solver::options;

use super::parts::{ground, positive};
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, DEFAULT_MATERIAL, Material, MaterialPair, ShapeDescription};

options! {
    /// Parameters of the two balls.
    #[derive(Debug, Clone)]
    pub struct TwoBalls {
        /// Mass of the upper ball over that of the lower.
        pub ratio: f64 = 8000.0,
        /// Radius of the lower ball, m.
        pub lower_radius: f64 = 0.5,
        /// Radius of the upper ball, m.
        pub upper_radius: f64 = 1.0,
        /// Density of the lower ball, kg/m³; that of the upper follows from the ratio.
        pub density: f64 = 1.0,
    }
    validate(balls) {
        positive(&[
            ("ratio", balls.ratio),
            ("lower-radius", balls.lower_radius),
            ("upper-radius", balls.upper_radius),
            ("density", balls.density),
        ])
    }
}

impl CatalogueScene for TwoBalls {
    const NAME: &'static str = "two-balls";
    const SUMMARY: &'static str =
        "a heavy ball resting on a light one: two unknowns and a mass ratio, with a known Gauss-Seidel rate (X07)";

    fn scene(&self) -> Scene {
        let (lower, upper) = (self.lower_radius, self.upper_radius);
        let upper_density = self.density * self.ratio * (lower / upper).powi(3);
        Scene {
            duration: 2.0,
            materials: vec![
                Material::new(DEFAULT_MATERIAL, 0.0, 0.0),
                Material::new("ball", 0.0, 0.0),
            ],
            material_pairs: vec![MaterialPair::new("ball", "ball", 0.0, 1.0)],
            bodies: vec![
                ground(),
                BodyDescription::dynamic("lower", ShapeDescription::sphere(lower))
                    .density(self.density)
                    .of("ball")
                    .at([0.0, 0.0, lower]),
                BodyDescription::dynamic("upper", ShapeDescription::sphere(upper))
                    .density(upper_density)
                    .of("ball")
                    .at([0.0, 0.0, 2.0 * lower + upper]),
            ],
            ..Scene::named(Self::NAME)
        }
    }
}
