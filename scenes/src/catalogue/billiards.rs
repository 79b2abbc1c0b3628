//! A rack of billiard balls and the cue ball that breaks it: many simultaneous impacts, then sliding that turns into
//! rolling.
//!
//! One of the four tests that the dissertation takes from Guendelman, Bridson and Fedkiw 2003 (figure 6.32; it gives
//! no numbers). Sizes are those of pool: balls of 57.15 mm and 0.17 kg on 2.54 × 1.27 m. The step is 1 ms, because at
//! 10 ms a ball of a few metres per second moves by its own size.

use drystone_solver::options;

use super::parts::{counts, fractions, ground, not_negative, positive};
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, DEFAULT_MATERIAL, Material, MaterialPair, ShapeDescription};

/// Width of a cushion, m.
const CUSHION: f64 = 0.1;

options! {
    /// Parameters of the billiard table.
    #[derive(Debug, Clone)]
    pub struct Billiards {
        /// Rows of the triangle; 5 rows are 15 balls.
        pub rows: usize = 5,
        /// Velocity of the cue ball, m/s.
        pub speed: f64 = 5.0,
        /// How far the cue ball begins beside the axis, m.
        pub offset: f64 = 0.0,
        /// Free space between the balls of the rack, m.
        pub gap: f64 = 0.0,
        /// Radius of a ball, m.
        pub radius: f64 = 0.028575,
        /// Mass of a ball, kg.
        pub mass: f64 = 0.17,
        /// Length of the table between the cushions, m.
        pub length: f64 = 2.54,
        /// Width of the table between the cushions, m.
        pub width: f64 = 1.27,
        /// Coefficient of friction between balls and cloth.
        pub friction: f64 = 0.2,
        /// Coefficient of restitution between balls.
        pub restitution: f64 = 0.95,
    }
    validate(table) {
        counts(&[("rows", table.rows), ("rows", table.rows)])?;
        positive(&[("radius", table.radius), ("mass", table.mass)])?;
        positive(&[("length", table.length), ("width", table.width)])?;
        not_negative(&[("gap", table.gap), ("friction", table.friction)])?;
        fractions(&[("restitution", table.restitution)])?;
        let pitch = 2.0 * table.radius + table.gap;
        let back = 0.25 * table.length + (table.rows - 1) as f64 * 0.75_f64.sqrt() * pitch + table.radius;
        let side = 0.5 * (table.rows - 1) as f64 * pitch + table.radius;
        if back > 0.5 * table.length || side > 0.5 * table.width {
            return Err(format!("a rack of {} rows does not fit the table", table.rows));
        }
        if table.offset.abs() + table.radius > 0.5 * table.width {
            return Err("offset puts the cue ball into a cushion".into());
        }
        Ok(())
    }
}

impl Billiards {
    fn ball(&self, name: String, x: f64, y: f64) -> BodyDescription {
        BodyDescription::dynamic(name, ShapeDescription::sphere(self.radius))
            .mass(self.mass)
            .of("ball")
            .at([x, y, self.radius])
    }

    fn cushions(&self) -> [BodyDescription; 4] {
        let height = 1.5 * self.radius;
        let (x, y) = (0.5 * (self.length + CUSHION), 0.5 * (self.width + CUSHION));
        let long = ShapeDescription::cuboid(self.length + 2.0 * CUSHION, CUSHION, height);
        let short = ShapeDescription::cuboid(CUSHION, self.width, height);
        [
            ("cushion-foot", short.clone(), x, 0.0),
            ("cushion-head", short, -x, 0.0),
            ("cushion-left", long.clone(), 0.0, y),
            ("cushion-right", long, 0.0, -y),
        ]
        .map(|(name, shape, x, y)| {
            BodyDescription::fixed(name, shape)
                .of("cushion")
                .at([x, y, 0.5 * height])
        })
    }
}

impl CatalogueScene for Billiards {
    const NAME: &'static str = "billiards";
    const SUMMARY: &'static str =
        "a cue ball breaks a rack of touching balls: simultaneous impacts, cushions, sliding to rolling (X10)";

    fn scene(&self) -> Scene {
        let mut scene = Scene {
            dt: 0.001,
            duration: 3.0,
            // The default material is the cloth.
            materials: vec![
                Material::new(DEFAULT_MATERIAL, self.friction, 0.5),
                Material::new("ball", 0.06, self.restitution),
                Material::new("cushion", 0.14, 0.8),
            ],
            material_pairs: vec![
                MaterialPair::new("ball", DEFAULT_MATERIAL, self.friction, 0.5),
                MaterialPair::new("ball", "ball", 0.06, self.restitution),
                MaterialPair::new("ball", "cushion", 0.14, 0.8),
            ],
            bodies: vec![ground()],
            ..Scene::named(Self::NAME)
        };
        scene.bodies.extend(self.cushions());
        let cue = self.ball("cue".into(), -0.25 * self.length, self.offset);
        scene.bodies.push(cue.moving([self.speed, 0.0, 0.0]));
        let pitch = 2.0 * self.radius + self.gap;
        for row in 0..self.rows {
            let x = 0.25 * self.length + row as f64 * 0.75_f64.sqrt() * pitch;
            for place in 0..=row {
                let y = (place as f64 - 0.5 * row as f64) * pitch;
                let number = row * (row + 1) / 2 + place + 1;
                scene.bodies.push(self.ball(format!("ball-{number}"), x, y));
            }
        }
        scene
    }
}
