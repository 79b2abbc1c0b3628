//! Balls dropped into an open box: collisions, jamming, and a pile that comes to rest. The dissertation's silo (figure
//! 6.63) is `silo`, in which balls begin closer together.
//!
//! The balls begin on a lattice that is wide enough for the jitter and for the largest ball, so none overlap whatever
//! the seed.

use drystone_solver::options;

use super::parts::{centred, counts, fractions, grounded, not_negative, positive};
use super::poured::{Poured, spread, walls};
use super::{CatalogueScene, Scene};

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
        spread(pile.spread)?;
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
        scene
            .bodies
            .extend(walls(self.width, self.drop + layers as f64 * spacing));
        let poured = Poured {
            count: self.count,
            radius: self.radius,
            spread: self.spread,
            displacement: self.displacement(),
            density: self.density,
            seed: self.seed,
        };
        scene.bodies.extend(poured.balls(|index| {
            let [i, j, k] = [index % columns, index / columns % columns, index / columns / columns];
            [
                centred(i, columns, spacing),
                centred(j, columns, spacing),
                self.drop + (k as f64 + 0.5) * spacing,
            ]
        }));
        scene
    }
}
