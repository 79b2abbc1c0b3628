//! Dominoes in a line or a curve, the first one pushed: impacts that run along, one after another.
//!
//! Once the wave has settled it moves at a constant speed, of the order of √(g · height) (Gravitas, figure 73, without
//! numbers).

use drystone_solver::options;
use nalgebra::Vector3;

use super::parts::{counts, fractions, grounded, not_negative, positive, within_a_turn};
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, ShapeDescription};

options! {
    /// Parameters of the dominoes.
    #[derive(Debug, Clone)]
    pub struct DominoChain {
        /// Number of dominoes.
        pub count: usize = 20,
        /// Height of a domino, m.
        pub height: f64 = 1.0,
        /// Width of a domino, m.
        pub width: f64 = 0.5,
        /// Thickness of a domino, m.
        pub thickness: f64 = 0.15,
        /// Distance from one domino's face to the next one's, m.
        pub spacing: f64 = 0.35,
        /// How far the line has turned at its end, degrees; 0 is straight.
        pub turn: f64 = 0.0,
        /// Speed of the top of the first domino, m/s.
        pub push: f64 = 1.5,
        /// Density, kg/m³.
        pub density: f64 = 10.0,
        /// Coefficient of friction.
        pub friction: f64 = 0.5,
        /// Coefficient of restitution.
        pub restitution: f64 = 0.0,
    }
    validate(chain) {
        counts(&[("count", chain.count)])?;
        positive(&[("height", chain.height), ("width", chain.width), ("thickness", chain.thickness)])?;
        positive(&[("spacing", chain.spacing), ("density", chain.density)])?;
        not_negative(&[("push", chain.push), ("friction", chain.friction)])?;
        fractions(&[("restitution", chain.restitution)])?;
        within_a_turn("turn", chain.turn)?;
        if chain.spacing >= chain.height {
            return Err("spacing must be less than the height, or no domino reaches the next".into());
        }
        Ok(())
    }
}

impl CatalogueScene for DominoChain {
    const NAME: &'static str = "domino-chain";
    const SUMMARY: &'static str =
        "dominoes in a line or a curve, the first one pushed: impacts one after another, a wave of constant speed";

    fn scene(&self) -> Scene {
        let mut scene = grounded(Self::NAME, self.friction, self.restitution);
        // Late dominoes lean on all the earlier ones.
        scene.solver = Some("pgs:iterations=50".into());
        scene.dt = 0.005;
        let shape = ShapeDescription::cuboid(self.thickness, self.width, self.height);
        let pitch = self.thickness + self.spacing;
        let bend = self.turn.to_radians() / (self.count.max(2) - 1) as f64;
        let mut at = Vector3::new(0.0, 0.0, 0.5 * self.height);
        for k in 0..self.count {
            let angle = k as f64 * bend;
            let mut domino = BodyDescription::dynamic(format!("domino-{k}"), shape.clone())
                .density(self.density)
                .at(at)
                .turned([0.0, 0.0, 1.0], angle.to_degrees());
            if k == 0 {
                // It begins to turn about its lower front edge.
                let rate = Vector3::y() * (self.push / self.height);
                let arm = Vector3::new(-0.5 * self.thickness, 0.0, 0.5 * self.height);
                domino = domino.moving(rate.cross(&arm)).spinning(rate);
            }
            scene.bodies.push(domino);
            let halfway = angle + 0.5 * bend;
            at += pitch * Vector3::new(halfway.cos(), halfway.sin(), 0.0);
        }
        scene
    }
}
