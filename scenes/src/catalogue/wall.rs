//! A wall in running bond: every other row is shifted by half a brick, so that at each end every other row sticks
//! out by half a brick (the "teeth" of the dissertation's §6.5).
//!
//! Dissertation figures 6.18 and 6.19 (stacking), 6.45 and 6.46 (contact generation), 6.70 and 6.71 (sleep, e = 0.4).

use drystone_solver::options;

use super::parts::{centred, counts, fractions, grounded, not_negative, positive};
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, ShapeDescription};

options! {
    /// Parameters of the wall.
    #[derive(Debug, Clone)]
    pub struct Wall {
        /// Rows, from the ground up.
        pub rows: usize = 10,
        /// Bricks in a row.
        pub columns: usize = 20,
        /// Length of a brick along the wall, m.
        pub length: f64 = 1.0,
        /// Depth of a brick across the wall, m.
        pub depth: f64 = 1.0,
        /// Height of a brick, m.
        pub height: f64 = 1.0,
        /// Free space between neighbours in a row, m.
        pub gap: f64 = 0.0,
        /// Density, kg/m³.
        pub density: f64 = 10.0,
        /// Coefficient of friction.
        pub friction: f64 = 0.25,
        /// Coefficient of restitution.
        pub restitution: f64 = 0.25,
    }
    validate(wall) {
        counts(&[("rows", wall.rows), ("columns", wall.columns)])?;
        positive(&[("length", wall.length), ("depth", wall.depth), ("height", wall.height)])?;
        positive(&[("density", wall.density)])?;
        not_negative(&[("gap", wall.gap), ("friction", wall.friction)])?;
        fractions(&[("restitution", wall.restitution)])?;
        // A brick must still reach both of those below it.
        if wall.gap >= wall.length {
            return Err(format!("gap must be less than the length of a brick, {}", wall.length));
        }
        Ok(())
    }
}

impl CatalogueScene for Wall {
    const NAME: &'static str = "wall";
    const SUMMARY: &'static str =
        "a wall of bricks in running bond: many bodies, many load paths, free teeth at the ends (X04, X15, X22, X23)";

    fn scene(&self) -> Scene {
        let mut scene = grounded(Self::NAME, self.friction, self.restitution);
        scene.duration = 10.0;
        let brick = ShapeDescription::cuboid(self.length, self.depth, self.height);
        let pitch = self.length + self.gap;
        for row in 0..self.rows {
            // A quarter to either side makes half a brick, and keeps the wall's centre on the axis.
            let shift = if row % 2 == 0 { -0.25 } else { 0.25 } * pitch;
            let z = (row as f64 + 0.5) * self.height;
            scene.bodies.extend((0..self.columns).map(|column| {
                BodyDescription::dynamic(format!("brick-{row}-{column}"), brick.clone())
                    .density(self.density)
                    .at([centred(column, self.columns, pitch) + shift, 0.0, z])
            }));
        }
        scene
    }
}
