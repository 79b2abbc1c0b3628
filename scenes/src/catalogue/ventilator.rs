//! Jacks thrown into a motorised fan: three crossed bars each, on one body, against pitched blades on a hinge whose motor
//! wants a speed and has a largest torque. Dissertation, figure 3.

use drystone_solver::options;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::parts::{counts, fractions, grounded, not_negative, positive};
use super::{CatalogueScene, Scene};
use crate::format::{
    BodyDescription, DriveDescription, JointDescription, JointType, Orientation, PartDescription, ShapeDescription,
};

options! {
    /// Parameters of the ventilator.
    #[derive(Debug, Clone)]
    pub struct Ventilator {
        /// Number of jacks.
        pub jacks: usize = 10,
        /// Number of blades.
        pub blades: usize = 4,
        /// Speed the motor wants, rad/s.
        pub spin: f64 = 12.0,
        /// Its largest torque, N·m.
        pub torque: f64 = 300.0,
        /// Length of the blades, m.
        pub radius: f64 = 1.2,
        /// How far blades are turned out of the plane of the fan, degrees.
        pub pitch: f64 = 35.0,
        /// Length of a jack's bars, m.
        pub size: f64 = 0.4,
        /// Speed of the jacks, m/s.
        pub speed: f64 = 6.0,
        /// Density of jacks and fan, kg/m³.
        pub density: f64 = 200.0,
        /// Coefficient of friction.
        pub friction: f64 = 0.25,
        /// Coefficient of restitution.
        pub restitution: f64 = 0.25,
        /// Seed of the jacks' places and turns.
        pub seed: u64 = 1,
    }
    validate(ventilator) {
        counts(&[("jacks", ventilator.jacks)])?;
        counts(&[("blades", ventilator.blades)])?;
        if ventilator.blades > 100 {
            return Err("a fan has at most 100 blades".into());
        }
        positive(&[("radius", ventilator.radius), ("size", ventilator.size), ("density", ventilator.density)])?;
        not_negative(&[("torque", ventilator.torque), ("friction", ventilator.friction), ("speed", ventilator.speed)])?;
        fractions(&[("restitution", ventilator.restitution)])
    }
}

/// Height of the axle, in lengths of a blade: the fan is clear of the ground.
const CLEARANCE: f64 = 1.3;

impl CatalogueScene for Ventilator {
    const NAME: &'static str = "ventilator";
    const SUMMARY: &'static str = "jacks thrown into a motorised fan: bodies of several shapes, a motor with a bound, impacts (Erleben, figure 3)";

    fn scene(&self) -> Scene {
        let mut scene = grounded(Self::NAME, self.friction, self.restitution);
        scene.duration = 4.0;
        scene.dt = 0.005;
        scene.solver = Some("semi-implicit:projection=hybrid/hybrid".into());
        let height = CLEARANCE * self.radius;
        let hub = 0.15 * self.radius;
        let stand = ShapeDescription::cuboid(0.6 * hub, 0.6 * hub, height);
        scene
            .bodies
            .push(BodyDescription::fixed("stand", stand).at([1.5 * hub, 0.0, 0.5 * height]));
        let blade = ShapeDescription::cuboid(0.03 * self.radius, 0.25 * self.radius, self.radius);
        let mut parts = vec![PartDescription::new(ShapeDescription::cuboid(hub, hub, hub))];
        for k in 0..self.blades {
            let angle = std::f64::consts::TAU * k as f64 / self.blades as f64;
            // Pitched about its own length, then turned about the fan's axis.
            let turn = nalgebra::UnitQuaternion::from_euler_angles(angle, 0.0, 0.0)
                * nalgebra::UnitQuaternion::from_euler_angles(0.0, 0.0, self.pitch.to_radians());
            let middle = turn * nalgebra::Vector3::new(0.0, 0.0, 0.5 * (hub + self.radius));
            let q = turn.quaternion();
            parts.push(PartDescription {
                orientation: Some(Orientation::Quaternion([q.w, q.i, q.j, q.k])),
                ..PartDescription::new(blade.clone()).at(middle)
            });
        }
        scene.bodies.push(
            BodyDescription::dynamic("fan", ShapeDescription::compound(parts))
                .density(self.density)
                .at([0.0, 0.0, height]),
        );
        scene.joints.push(
            JointDescription::new("axle", JointType::Hinge, ["stand", "fan"], [0.0, 0.0, height])
                .axis([1.0, 0.0, 0.0])
                .motor(
                    "angle",
                    DriveDescription::Velocity {
                        speed: self.spin,
                        force: Some(self.torque),
                    },
                ),
        );
        self.add_jacks(&mut scene, height);
        scene
    }
}

impl Ventilator {
    /// One behind the other, far enough apart not to touch however they are turned.
    fn add_jacks(&self, scene: &mut Scene, height: f64) {
        let mut rng = Pcg64::seed_from_u64(self.seed);
        let bar = 0.15 * self.size;
        let tip = ShapeDescription::sphere(0.8 * bar);
        let jack = ShapeDescription::compound(
            [
                PartDescription::new(ShapeDescription::cuboid(self.size, bar, bar)),
                PartDescription::new(ShapeDescription::cuboid(bar, self.size, bar)),
                PartDescription::new(ShapeDescription::cuboid(bar, bar, self.size)),
            ]
            .into_iter()
            .chain((0..3).flat_map(|axis| {
                [-0.5, 0.5].map(|end| {
                    let mut place = [0.0; 3];
                    place[axis] = end * self.size;
                    PartDescription::new(tip.clone()).at(place)
                })
            })),
        );
        let reach = 0.6 * self.radius;
        for k in 0..self.jacks {
            let angle = rng.random_range(0.0..std::f64::consts::TAU);
            let away = reach * rng.random_range(0.3..1.0_f64);
            let x = -1.5 * self.radius - 1.5 * self.size * k as f64;
            let turn: [f64; 4] = std::array::from_fn(|_| rng.random_range(-1.0..1.0));
            let turn = if turn == [0.0; 4] { [1.0, 0.0, 0.0, 0.0] } else { turn };
            // Thrown so high that gravity brings each to its height at the fan.
            let time = if self.speed > 0.0 { -x / self.speed } else { 0.0 };
            scene.bodies.push(BodyDescription {
                orientation: Some(Orientation::Quaternion(turn)),
                angular_velocity: std::array::from_fn(|_| rng.random_range(-2.0..2.0)),
                ..BodyDescription::dynamic(format!("jack-{k}"), jack.clone())
                    .density(self.density)
                    .at([x, away * angle.cos(), height + away * angle.sin()])
                    .moving([self.speed, 0.0, 0.5 * drystone_dynamics::GRAVITY * time])
            });
        }
    }
}
