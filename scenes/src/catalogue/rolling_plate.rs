//! Balls on a plate that is pushed over rough ground: the plate slides, the balls roll on it without slipping.
//!
//! With plate mass M, n balls of mass m, friction μ with the ground and a push F, rolling gives each ball 2/7 of the
//! plate's acceleration, and the plate
//! `a = (F − μ g (M + n m)) / (M + 2/7 n m)`, 0.7385 m/s² by default, in any direction of the push. A friction model
//! that is not isotropic (a pyramid) gets the direction wrong.

use drystone_solver::options;

use super::parts::{centred, counts, ground, not_negative, positive};
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, DEFAULT_MATERIAL, Material, MaterialPair, ShapeDescription};

options! {
    /// Parameters of the plate with balls.
    #[derive(Debug, Clone)]
    pub struct RollingPlate {
        /// Balls along each side of their square.
        pub side: usize = 5,
        /// Distance between balls, m.
        pub spacing: f64 = 2.0,
        /// Radius of a ball, m.
        pub radius: f64 = 0.5,
        /// Mass of a ball, kg.
        pub mass: f64 = 1.0,
        /// Side of the plate, m.
        pub plate_size: f64 = 20.0,
        /// Thickness of the plate, m.
        pub plate_thickness: f64 = 0.1,
        /// Mass of the plate, kg.
        pub plate_mass: f64 = 10.0,
        /// Push on the plate, N.
        pub force: f64 = 150.0,
        /// Direction of the push in the plane, degrees from +x towards +y.
        pub angle: f64 = 0.0,
        /// Coefficient of friction between plate and ground.
        pub friction: f64 = 0.4,
        /// Coefficient of friction between balls and plate.
        pub ball_friction: f64 = 0.8,
    }
    validate(plate) {
        counts(&[("side", plate.side), ("side", plate.side)])?;
        positive(&[("spacing", plate.spacing), ("radius", plate.radius), ("mass", plate.mass)])?;
        positive(&[("plate-size", plate.plate_size), ("plate-thickness", plate.plate_thickness)])?;
        positive(&[("plate-mass", plate.plate_mass)])?;
        not_negative(&[("friction", plate.friction), ("ball-friction", plate.ball_friction)])?;
        if plate.spacing < 2.0 * plate.radius {
            return Err("spacing must be at least the diameter of a ball".into());
        }
        if (plate.side - 1) as f64 * plate.spacing >= plate.plate_size {
            return Err("plate-size is too small for the balls".into());
        }
        Ok(())
    }
}

impl CatalogueScene for RollingPlate {
    const NAME: &'static str = "rolling-plate";
    const SUMMARY: &'static str =
        "balls rolling on a plate that is pushed over rough ground: friction in all directions, in closed form";

    fn scene(&self) -> Scene {
        let mut scene = Scene {
            dt: 0.001,
            duration: 1.0,
            materials: vec![
                Material::new(DEFAULT_MATERIAL, self.friction, 0.0),
                Material::new("plate", self.friction, 0.0),
                Material::new("ball", self.ball_friction, 0.0),
            ],
            material_pairs: vec![
                MaterialPair::new("plate", DEFAULT_MATERIAL, self.friction, 0.0),
                MaterialPair::new("plate", "ball", self.ball_friction, 0.0),
            ],
            bodies: vec![ground()],
            ..Scene::named(Self::NAME)
        };
        let shape = ShapeDescription::cuboid(self.plate_size, self.plate_size, self.plate_thickness);
        let plate = BodyDescription::dynamic("plate", shape)
            .mass(self.plate_mass)
            .of("plate");
        let (sin, cos) = self.angle.to_radians().sin_cos();
        scene.bodies.push(BodyDescription {
            force: [self.force * cos, self.force * sin, 0.0],
            ..plate.at([0.0, 0.0, 0.5 * self.plate_thickness])
        });
        for j in 0..self.side {
            for i in 0..self.side {
                let (x, y) = (centred(i, self.side, self.spacing), centred(j, self.side, self.spacing));
                let ball = BodyDescription::dynamic(format!("ball-{i}-{j}"), ShapeDescription::sphere(self.radius));
                let ball = ball.mass(self.mass).of("ball");
                scene.bodies.push(ball.at([x, y, self.plate_thickness + self.radius]));
            }
        }
        scene
    }
}
