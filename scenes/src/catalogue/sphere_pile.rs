//! Balls dropped into an open box: collisions, jamming, and a pile that comes to rest. With 3000 balls it is close
//! to the dissertation's silo (figure 6.63).
//!
//! The balls begin on a lattice that is wide enough for the jitter and for the largest ball, so none overlap whatever
//! the seed.

use drystone_solver::options;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::parts::{centred, counts, fractions, grounded, not_negative, positive};
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, ShapeDescription};

/// Thickness of the box's walls, m.
const THICKNESS: f64 = 0.5;

options! {
    /// Parameters of the pile.
    #[derive(Debug, Clone)]
    pub struct SpherePile {
        /// Number of balls.
        pub count: usize = 200,
        /// Mean radius, m.
        pub radius: f64 = 0.25,
        /// Radii vary by this part of the mean to either side.
        pub spread: f64 = 0.0,
        /// Inner width of the box, m.
        pub width: f64 = 3.0,
        /// Free height under the lowest balls, m.
        pub drop: f64 = 0.5,
        /// Largest displacement along each axis at the beginning, as a part of the diameter.
        pub jitter: f64 = 0.1,
        /// Density, kg/m³.
        pub density: f64 = 10.0,
        /// Coefficient of friction.
        pub friction: f64 = 0.25,
        /// Coefficient of restitution.
        pub restitution: f64 = 0.25,
        /// Seed of the random displacements and radii.
        pub seed: u64 = 1,
    }
    validate(pile) {
        counts(&[("count", pile.count)])?;
        positive(&[("radius", pile.radius), ("width", pile.width), ("density", pile.density)])?;
        not_negative(&[("drop", pile.drop), ("friction", pile.friction)])?;
        fractions(&[("restitution", pile.restitution), ("jitter", pile.jitter)])?;
        if !(0.0..1.0).contains(&pile.spread) {
            return Err(format!("spread must be from 0 to less than 1, not {}", pile.spread));
        }
        if pile.width < pile.spacing() {
            return Err(format!("width must be at least {} to hold one ball", pile.spacing()));
        }
        Ok(())
    }
}

impl SpherePile {
    fn displacement(&self) -> f64 {
        2.0 * self.jitter * self.radius
    }

    /// Room for the largest ball with its displacement to either side.
    fn spacing(&self) -> f64 {
        2.0 * (self.radius * (1.0 + self.spread) + self.displacement())
    }

    /// Four walls around the box, as tall as the balls begin.
    fn walls(&self, height: f64) -> impl Iterator<Item = BodyDescription> {
        let (inner, across) = (self.width, 0.5 * (self.width + THICKNESS));
        let wall = move |name: &str, size: [f64; 2], x, y| {
            BodyDescription::fixed(name, ShapeDescription::cuboid(size[0], size[1], height)).at([x, y, 0.5 * height])
        };
        let along_y = [THICKNESS, inner];
        let along_x = [inner + 2.0 * THICKNESS, THICKNESS];
        [
            wall("wall-left", along_y, -across, 0.0),
            wall("wall-right", along_y, across, 0.0),
            wall("wall-front", along_x, 0.0, -across),
            wall("wall-back", along_x, 0.0, across),
        ]
        .into_iter()
    }
}

impl CatalogueScene for SpherePile {
    const NAME: &'static str = "sphere-pile";
    const SUMMARY: &'static str =
        "balls dropped into an open box from random places: collisions, then a pile at rest (after X20)";

    fn scene(&self) -> Scene {
        let mut scene = grounded(Self::NAME, self.friction, self.restitution);
        let spacing = self.spacing();
        let columns = ((self.width / spacing) as usize).max(1);
        let layers = self.count.div_ceil(columns.saturating_mul(columns));
        scene.bodies.extend(self.walls(self.drop + layers as f64 * spacing));
        let mut random = Pcg64::seed_from_u64(self.seed);
        // From −1 to 1.
        let mut sway = || 2.0 * random.random::<f64>() - 1.0;
        for index in 0..self.count {
            let [i, j, k] = [index % columns, index / columns % columns, index / columns / columns];
            let lattice = [
                centred(i, columns, spacing),
                centred(j, columns, spacing),
                self.drop + (k as f64 + 0.5) * spacing,
            ];
            let position = lattice.map(|coordinate| coordinate + self.displacement() * sway());
            let radius = self.radius * (1.0 + self.spread * sway());
            let ball = BodyDescription::dynamic(format!("ball-{index}"), ShapeDescription::sphere(radius));
            scene.bodies.push(ball.density(self.density).at(position));
        }
        scene
    }
}
