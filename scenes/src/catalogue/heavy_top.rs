//! A stack of light boxes under one heavy box: the mass ratio seen from the contact at the bottom is that of the
//! whole load to one box, and a method that has not converged lets the stack sink or buckle under the top.

use drystone_solver::options;

use super::parts::{counts, fractions, grounded, not_negative, positive};
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, ShapeDescription};

options! {
    /// Parameters of the stack with a heavy top.
    #[derive(Debug, Clone)]
    pub struct HeavyTop {
        /// Number of boxes, the heavy one included.
        pub count: usize = 10,
        /// Mass of the uppermost box over that of the others.
        pub ratio: f64 = 100.0,
        /// Mass of each other box, kg.
        pub mass: f64 = 1.0,
        /// Side of a box, m.
        pub size: f64 = 1.0,
        /// Coefficient of friction.
        pub friction: f64 = 0.5,
        /// Coefficient of restitution.
        pub restitution: f64 = 0.0,
    }
    validate(stack) {
        counts(&[("count", stack.count)])?;
        positive(&[("ratio", stack.ratio), ("mass", stack.mass), ("size", stack.size)])?;
        not_negative(&[("friction", stack.friction)])?;
        fractions(&[("restitution", stack.restitution)])
    }
}

impl CatalogueScene for HeavyTop {
    const NAME: &'static str = "heavy-top";
    const SUMMARY: &'static str =
        "a stack of light boxes under one that is much heavier: stacking and mass ratio together (after X03, X07)";

    fn scene(&self) -> Scene {
        let mut scene = grounded(Self::NAME, self.friction, self.restitution);
        let cube = ShapeDescription::cuboid(self.size, self.size, self.size);
        scene.bodies.extend((0..self.count).map(|k| {
            let top = k + 1 == self.count;
            BodyDescription::dynamic(format!("box-{k}"), cube.clone())
                .mass(if top { self.ratio * self.mass } else { self.mass })
                .at([0.0, 0.0, (k as f64 + 0.5) * self.size])
        }));
        scene
    }
}
