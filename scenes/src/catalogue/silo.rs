//! Balls poured into a silo, a tall box on the ground: a column that settles, arches, and leans on its walls.
//! Dissertation figure 6.63 (3000 objects; it gives no other numbers).
//!
//! The width is fixed, so the column grows with the number of balls. So that tall ones need not fall far, balls begin
//! near the density they settle to, on a face-centred cubic lattice that is a little too wide. With balls of radius r, the
//! largest of radius `R = r (1 + spread)`, places are
//!
//! ```text
//! s = 2 R (1 + looseness)   apart in square layers,
//! s/√2                      from layer to layer, every other one shifted by s/2 along x and y.
//! ```
//!
//! Nearest places are then s apart in a layer and between layers. The free room between balls is `s − 2R`, and a
//! displacement of `jitter (s − 2R) / (2√3)` along each axis is no longer than half of it, so none overlap whatever
//! the seed. Equal balls fill `π√2/6 / (1 + looseness)³` of the lattice, 0.56 for 0.1; random packings settle to 0.55 to
//! 0.64.

use drystone_solver::options;

use super::parts::{centred, counts, fractions, grounded, not_negative, positive};
use super::poured::{Poured, spread, walls};
use super::{CatalogueScene, Scene};

options! {
    /// Parameters of the silo.
    #[derive(Debug, Clone)]
    pub struct Silo {
        /// Number of balls.
        pub count: usize = 3000,
        /// Mean radius, m.
        pub radius: f64 = 0.25,
        /// Radii vary by this part of the mean to either side.
        pub spread: f64 = 0.0,
        /// Inner width of the silo, m.
        pub width: f64 = 8.0,
        /// Free room between balls at the beginning, as a part of the largest diameter.
        pub looseness: f64 = 0.1,
        /// How much of the free room random displacements use up, 0 to 1.
        pub jitter: f64 = 0.5,
        /// Free height under the lowest layer, m.
        pub drop: f64 = 0.0,
        /// Density, kg/m³.
        pub density: f64 = 10.0,
        /// Coefficient of friction.
        pub friction: f64 = 0.25,
        /// Coefficient of restitution.
        pub restitution: f64 = 0.25,
        /// Seed of the random displacements and radii.
        pub seed: u64 = 1,
    }
    validate(silo) {
        counts(&[("count", silo.count)])?;
        positive(&[("radius", silo.radius), ("width", silo.width), ("density", silo.density)])?;
        not_negative(&[("looseness", silo.looseness), ("drop", silo.drop), ("friction", silo.friction)])?;
        fractions(&[("restitution", silo.restitution), ("jitter", silo.jitter)])?;
        spread(silo.spread)?;
        if silo.width < 1.5 * silo.spacing() {
            return Err(format!("width must be at least {} to hold one ball a layer", 1.5 * silo.spacing()));
        }
        Ok(())
    }
}

impl Silo {
    fn largest(&self) -> f64 {
        2.0 * self.radius * (1.0 + self.spread)
    }

    /// From place to place of the lattice.
    fn spacing(&self) -> f64 {
        self.largest() * (1.0 + self.looseness)
    }
}

impl CatalogueScene for Silo {
    const NAME: &'static str = "silo";
    const SUMMARY: &'static str =
        "balls poured into a tall silo: a large group that settles, arches and leans on its walls (X20)";

    fn scene(&self) -> Scene {
        let mut scene = grounded(Self::NAME, self.friction, self.restitution);
        scene.duration = 10.0;
        let spacing = self.spacing();
        // A layer needs half a place more, for its shift.
        let columns = ((self.width / spacing - 0.5) as usize).max(1);
        let layers = self.count.div_ceil(columns.saturating_mul(columns));
        let rise = spacing * std::f64::consts::FRAC_1_SQRT_2;
        let height = self.drop + layers.saturating_sub(1) as f64 * rise + spacing;
        scene.bodies.extend(walls(self.width, height));
        let poured = Poured {
            count: self.count,
            radius: self.radius,
            spread: self.spread,
            displacement: self.jitter * (spacing - self.largest()) / (2.0 * 3_f64.sqrt()),
            density: self.density,
            seed: self.seed,
        };
        scene.bodies.extend(poured.balls(|index| {
            let [i, j, k] = [index % columns, index / columns % columns, index / columns / columns];
            // A quarter to either side makes a half, and keeps the column on the axis.
            let shift = if k % 2 == 0 { -0.25 } else { 0.25 } * spacing;
            [
                centred(i, columns, spacing) + shift,
                centred(j, columns, spacing) + shift,
                self.drop + 0.5 * spacing + k as f64 * rise,
            ]
        }));
        scene
    }
}
