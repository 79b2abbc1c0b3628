//! A cube of balls, each exactly on top of another: the slightest error in a layer is felt by all above it.
//!
//! Dissertation figures 6.12 and 6.13 (stacking) and 6.53 and 6.54 (the same grid with severe initial overlaps, which
//! position correction has to resolve). With `sideways=0` the columns only touch each other, so that what is corrected is
//! a stack's own, and with `gravity=0` nothing else moves.

use drystone_dynamics::GRAVITY;
use drystone_solver::options;

use super::parts::{centred, counts, fractions, grounded, not_negative, positive};
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, ShapeDescription};

options! {
    /// Parameters of the ball grid.
    #[derive(Debug, Clone)]
    pub struct BallGrid {
        /// Balls along each side of the cube.
        pub side: usize = 5,
        /// Radius of a ball, m.
        pub radius: f64 = 0.5,
        /// How deep each ball begins inside its neighbours and the ground, m.
        pub overlap: f64 = 0.0,
        /// How deep neighbours in a layer begin in each other, as a part of the overlap: 1 is as deep as layers, 0 only
        /// touching, so that all overlaps are vertical.
        pub sideways: f64 = 1.0,
        /// Density, kg/m³.
        pub density: f64 = 10.0,
        /// Coefficient of friction.
        pub friction: f64 = 0.25,
        /// Coefficient of restitution.
        pub restitution: f64 = 0.25,
        /// Gravitational acceleration, m/s²; 0 leaves position correction alone.
        pub gravity: f64 = GRAVITY,
    }
    validate(grid) {
        counts(&[("side", grid.side), ("side", grid.side), ("side", grid.side)])?;
        positive(&[("radius", grid.radius), ("density", grid.density)])?;
        not_negative(&[("overlap", grid.overlap), ("friction", grid.friction), ("gravity", grid.gravity)])?;
        fractions(&[("restitution", grid.restitution), ("sideways", grid.sideways)])?;
        if grid.overlap >= grid.radius {
            return Err(format!("overlap must be less than the radius, {}", grid.radius));
        }
        Ok(())
    }
}

impl CatalogueScene for BallGrid {
    const NAME: &'static str = "ball-grid";
    const SUMMARY: &'static str =
        "a cube of balls stacked exactly one on another: stacking, and with overlap, position correction (X02, X16)";

    fn scene(&self) -> Scene {
        let mut scene = grounded(Self::NAME, self.friction, self.restitution);
        scene.gravity = [0.0, 0.0, -self.gravity];
        let rise = 2.0 * self.radius - self.overlap;
        let spacing = 2.0 * self.radius - self.sideways * self.overlap;
        let ball = ShapeDescription::sphere(self.radius);
        for k in 0..self.side {
            let z = self.radius - self.overlap + k as f64 * rise;
            for j in 0..self.side {
                for i in 0..self.side {
                    let position = [centred(i, self.side, spacing), centred(j, self.side, spacing), z];
                    let body = BodyDescription::dynamic(format!("ball-{i}-{j}-{k}"), ball.clone());
                    scene.bodies.push(body.density(self.density).at(position));
                }
            }
        }
        scene
    }
}
