//! A box set down on a moving belt: friction with a scripted body (dissertation chapter 3).
//!
//! The box accelerates by `μ g` until it moves with the belt, after `v / (μ g)` seconds; by then it has slipped back
//! on the belt by `v² / (2 μ g)`.

use drystone_solver::options;

use super::parts::{not_negative, positive};
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, DEFAULT_MATERIAL, Kind, Material, Motion, ShapeDescription};

options! {
    /// Parameters of the conveyor.
    #[derive(Debug, Clone)]
    pub struct Conveyor {
        /// Velocity of the belt along +x, m/s.
        pub speed: f64 = 2.0,
        /// Coefficient of friction.
        pub friction: f64 = 0.25,
        /// Length of the box along the belt, m; it is as wide, and half as high.
        pub size: f64 = 1.0,
        /// Density, kg/m³.
        pub density: f64 = 10.0,
    }
    validate(conveyor) {
        positive(&[("size", conveyor.size), ("density", conveyor.density)])?;
        not_negative(&[("friction", conveyor.friction)])
    }
}

impl CatalogueScene for Conveyor {
    const NAME: &'static str = "conveyor";
    const SUMMARY: &'static str =
        "a box set down on a moving belt: friction with a scripted body, with a closed form (after X27)";

    fn scene(&self) -> Scene {
        let height = 0.5 * self.size;
        let load = ShapeDescription::cuboid(self.size, self.size, height);
        Scene {
            duration: 2.0,
            materials: vec![Material::new(DEFAULT_MATERIAL, self.friction, 0.0)],
            bodies: vec![
                // A half-space that moves along itself: an endless belt.
                BodyDescription {
                    kind: Kind::Scripted,
                    motion: Some(Motion::Uniform {
                        linear_velocity: [self.speed, 0.0, 0.0],
                        angular_velocity: [0.0; 3],
                    }),
                    ..BodyDescription::fixed("belt", ShapeDescription::half_space())
                },
                BodyDescription::dynamic("load", load)
                    .density(self.density)
                    .at([0.0, 0.0, 0.5 * height]),
            ],
            ..Scene::named(Self::NAME)
        }
    }
}
