//! Balls that run through a funnel: fixed slabs around an axis, open at the bottom, with a bin underneath. Dissertation,
//! figure 1 (128 balls; it gives no other numbers).

use drystone_solver::options;
use nalgebra::{UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::parts::{centred, counts, fractions, grounded, not_negative, positive};
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, Orientation, ShapeDescription};

options! {
    /// Parameters of the funnel.
    #[derive(Debug, Clone)]
    pub struct Funnel {
        /// Number of balls.
        pub count: usize = 128,
        /// Radius of the balls, m.
        pub radius: f64 = 0.15,
        /// Radius of the opening at the bottom, m.
        pub opening: f64 = 0.6,
        /// Radius of the funnel at the top, m.
        pub top: f64 = 2.0,
        /// Slope of its sides, degrees.
        pub slope: f64 = 45.0,
        /// Number of slabs.
        pub sides: usize = 8,
        /// Height of the opening above the ground, m.
        pub height: f64 = 1.5,
        /// Largest displacement along each axis at the beginning, as a part of the radius.
        pub jitter: f64 = 0.1,
        /// Density, kg/m³.
        pub density: f64 = 10.0,
        /// Coefficient of friction.
        pub friction: f64 = 0.25,
        /// Coefficient of restitution.
        pub restitution: f64 = 0.25,
        /// Seed of the displacements.
        pub seed: u64 = 1,
    }
    validate(funnel) {
        counts(&[("count", funnel.count)])?;
        positive(&[("radius", funnel.radius), ("opening", funnel.opening), ("height", funnel.height)])?;
        positive(&[("density", funnel.density)])?;
        not_negative(&[("friction", funnel.friction)])?;
        fractions(&[("restitution", funnel.restitution), ("jitter", funnel.jitter)])?;
        super::parts::slope("slope", funnel.slope)?;
        if !(3..=100).contains(&funnel.sides) {
            return Err("a funnel has from 3 to 100 sides".into());
        }
        if !(funnel.top.is_finite() && funnel.top > funnel.opening + 4.0 * funnel.radius) {
            return Err("top must leave room for two balls beside the opening".into());
        }
        Ok(())
    }
}

/// Thickness of slabs and walls, m.
const THICKNESS: f64 = 0.2;

impl CatalogueScene for Funnel {
    const NAME: &'static str = "funnel";
    const SUMMARY: &'static str = "balls run through a funnel into a bin: arching, flow, impacts (Erleben, figure 1)";

    fn scene(&self) -> Scene {
        let mut scene = grounded(Self::NAME, self.friction, self.restitution);
        scene.duration = 8.0;
        let slope = self.slope.to_radians();
        let run = self.top - self.opening;
        let wide = 2.0 * self.top * (std::f64::consts::PI / self.sides as f64).tan();
        let slab = ShapeDescription::cuboid(run / slope.cos(), wide, THICKNESS);
        for k in 0..self.sides {
            let around = std::f64::consts::TAU * k as f64 / self.sides as f64;
            let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), around)
                * UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -slope);
            // The middle of the slab's upper face, then half its thickness down.
            let spoke = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), around)
                * Vector3::new(self.opening + 0.5 * run, 0.0, self.height + 0.5 * run * slope.tan());
            let centre = spoke - turn * Vector3::new(0.0, 0.0, 0.5 * THICKNESS);
            let q = turn.quaternion();
            scene.bodies.push(BodyDescription {
                orientation: Some(Orientation::Quaternion([q.w, q.i, q.j, q.k])),
                ..BodyDescription::fixed(format!("slab-{k}"), slab.clone()).at(centre)
            });
        }
        // The bin, as wide as the funnel, lower than its opening.
        let (half, tall) = (self.top, 0.7 * self.height);
        for (name, x, y) in [
            ("east", 1.0, 0.0),
            ("west", -1.0, 0.0),
            ("north", 0.0, 1.0),
            ("south", 0.0, -1.0),
        ] {
            let out = half + 0.5 * THICKNESS;
            let long = 2.0 * (half + THICKNESS);
            let wall = if y == 0.0 {
                ShapeDescription::cuboid(THICKNESS, long, tall)
            } else {
                ShapeDescription::cuboid(long, THICKNESS, tall)
            };
            scene
                .bodies
                .push(BodyDescription::fixed(name, wall).at([x * out, y * out, 0.5 * tall]));
        }
        self.add_balls(&mut scene, slope);
        scene
    }
}

impl Funnel {
    /// Layers of a square lattice that fits the top, above it.
    fn add_balls(&self, scene: &mut Scene, slope: f64) {
        let mut rng = Pcg64::seed_from_u64(self.seed);
        let pitch = 2.0 * self.radius * (1.05 + self.jitter);
        let room = std::f64::consts::SQRT_2 * (self.top - self.radius);
        let side = ((room / pitch) as usize).max(1);
        let base = self.height + (self.top - self.opening) * slope.tan() + pitch;
        for ball in 0..self.count {
            let (i, j, k) = (ball % side, ball / side % side, ball / (side * side));
            let mut shift = || self.jitter * self.radius * rng.random_range(-1.0..1.0);
            let place = [
                centred(i, side, pitch) + shift(),
                centred(j, side, pitch) + shift(),
                base + k as f64 * pitch + shift(),
            ];
            scene.bodies.push(
                BodyDescription::dynamic(format!("ball-{ball}"), ShapeDescription::sphere(self.radius))
                    .density(self.density)
                    .at(place),
            );
        }
    }
}
