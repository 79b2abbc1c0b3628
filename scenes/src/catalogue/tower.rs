//! A round tower: rings of bricks laid along the circumference, every other ring turned by half a brick.
//!
//! Neighbours in a ring meet at their inner edges. With n bricks of length l and width w in a ring, and a free space
//! g between those edges, the bricks' centres are on the circle of radius
//! `w/2 + (g/2 + l/2 cos(π/n)) / sin(π/n)`.
//!
//! Dissertation figures 6.20 and 6.21 (320 bricks of 1.5 × 0.5 × 0.5 m); 6.57 to 6.59 and 6.72 are the one with
//! `layers=40` (640 bricks; the last with `width=1,height=1`).

use std::f64::consts::PI;

use drystone_solver::options;

use super::parts::{counts, fractions, grounded, not_negative, positive};
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, ShapeDescription};

options! {
    /// Parameters of the tower.
    #[derive(Debug, Clone)]
    pub struct Tower {
        /// Rings, from the ground up.
        pub layers: usize = 20,
        /// Bricks in a ring.
        pub per_layer: usize = 16,
        /// Length of a brick along the circumference, m.
        pub length: f64 = 1.5,
        /// Width of a brick along the radius, m.
        pub width: f64 = 0.5,
        /// Height of a brick, m.
        pub height: f64 = 0.5,
        /// Free space between the inner edges of neighbours in a ring, m.
        pub gap: f64 = 0.02,
        /// Length of a plank that falls fast along the inside of the wall, m; 0 for none.
        pub plank: f64 = 0.0,
        /// Density, kg/m³.
        pub density: f64 = 10.0,
        /// Coefficient of friction.
        pub friction: f64 = 0.25,
        /// Coefficient of restitution.
        pub restitution: f64 = 0.25,
    }
    validate(tower) {
        counts(&[("layers", tower.layers), ("per-layer", tower.per_layer)])?;
        positive(&[("length", tower.length), ("width", tower.width), ("height", tower.height)])?;
        positive(&[("density", tower.density)])?;
        not_negative(&[("gap", tower.gap), ("friction", tower.friction), ("plank", tower.plank)])?;
        fractions(&[("restitution", tower.restitution)])?;
        if tower.per_layer < 3 {
            return Err("per-layer must be 3 or more to make a ring".into());
        }
        if tower.plank >= tower.total_height() {
            return Err(format!("plank must be shorter than the tower, {}", tower.total_height()));
        }
        // A brick must still reach both of those below it.
        if tower.gap >= 0.5 * tower.length {
            return Err(format!("gap must be less than half the length of a brick, {}", tower.length));
        }
        Ok(())
    }
}

/// Half the width of the plank, and its distance from the wall, m.
const PLANK: [f64; 2] = [0.1, 0.003];

impl Tower {
    fn total_height(&self) -> f64 {
        self.layers as f64 * self.height
    }

    /// A plank of 5 kg that begins with its top at the tower's, falls at 6 m/s and leans on the wall: it touches several rings
    /// at once on its way down (figure 6.61).
    fn falling_plank(&self, inner_radius: f64) -> BodyDescription {
        let [half, distance] = PLANK;
        let x = inner_radius - half - distance;
        BodyDescription::dynamic("plank", ShapeDescription::cuboid(2.0 * half, 2.0 * half, self.plank))
            .mass(5.0)
            .at([x, 0.0, self.total_height() - 0.5 * self.plank])
            .moving([0.2, 0.0, -6.0])
    }
}

impl CatalogueScene for Tower {
    const NAME: &'static str = "tower";
    const SUMMARY: &'static str =
        "a round tower of bricks in alternating rings: tall, many load paths, bulges when unsolved (X05, X18, X25)";

    fn scene(&self) -> Scene {
        let mut scene = grounded(Self::NAME, self.friction, self.restitution);
        scene.duration = 10.0;
        let half_step = PI / self.per_layer as f64;
        let radius = 0.5 * self.width + 0.5 * (self.gap + self.length * half_step.cos()) / half_step.sin();
        // Along x is along the radius, so a brick's angle is that of its place on the circle.
        let brick = ShapeDescription::cuboid(self.width, self.length, self.height);
        for layer in 0..self.layers {
            let z = (layer as f64 + 0.5) * self.height;
            for place in 0..self.per_layer {
                let angle = (2 * place + layer % 2) as f64 * half_step;
                let body = BodyDescription::dynamic(format!("brick-{layer}-{place}"), brick.clone())
                    .density(self.density)
                    .at([radius * angle.cos(), radius * angle.sin(), z])
                    .turned([0.0, 0.0, 1.0], angle.to_degrees());
                scene.bodies.push(body);
            }
        }
        if self.plank > 0.0 {
            scene.bodies.push(self.falling_plank(radius - 0.5 * self.width));
        }
        scene
    }
}
