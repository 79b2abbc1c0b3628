//! Two balls on a motor, one above the other: the one scene that Gravitas gives in full (appendix B), z for its y.
//!
//! Kept: the balls of radius 0.5 m at heights 1 and 3, restitution 0.4 and 0.1 for the ground, gravity 5 m/s², damping 0.1,
//! a motor of 3.1412 rad/s (probably π) on the axis between the two centres, the part 0.8 of an error corrected in a step.
//! Its defects: the balls have density 0, which makes them immovable there, so 10 kg/m³ here; friction is not given, so
//! 0.25; `BreakingThreshold = 100` has no unit. Gravitas breaks joints by distance, so it is taken for metres, and never
//! reached. As a force of 100 N (`break-force=100`) it would be reached when the lower ball lands.

use drystone_solver::options;

use super::parts::{DIRECT, ground, not_negative, positive};
use super::{CatalogueScene, Scene};
use crate::format::{
    BodyDescription, BreakingDescription, DEFAULT_MATERIAL, JointDescription, JointType, Material, ShapeDescription,
};

options! {
    /// Parameters of the balls on a motor.
    #[derive(Debug, Clone)]
    pub struct MotorSpheres {
        /// Angular velocity of the upper ball against the lower, rad/s.
        pub speed: f64 = 3.1412,
        /// Radius of a ball, m.
        pub radius: f64 = 0.5,
        /// Density of the balls, kg/m³.
        pub density: f64 = 10.0,
        /// Rate of damping, 1/s.
        pub damping: f64 = 0.1,
        /// Gravitational acceleration, m/s².
        pub gravity: f64 = 5.0,
        /// Coefficient of friction.
        pub friction: f64 = 0.25,
        /// How far apart the motor's points may be before it breaks, m; 0 for no bound.
        pub break_distance: f64 = 100.0,
        /// The largest force the motor carries before it breaks, N; 0 for no bound.
        pub break_force: f64 = 0.0,
    }
    validate(it) {
        positive(&[("radius", it.radius), ("density", it.density)])?;
        not_negative(&[("damping", it.damping), ("gravity", it.gravity), ("friction", it.friction)])?;
        not_negative(&[("break-distance", it.break_distance), ("break-force", it.break_force)])?;
        if it.radius >= 1.0 {
            return Err("radius must be less than 1, or the balls overlap".into());
        }
        Ok(())
    }
}

impl CatalogueScene for MotorSpheres {
    const NAME: &'static str = "motor-spheres";
    const SUMMARY: &'static str =
        "two balls on a motor between them land on the ground: a joint made of points, redundant (after Gravitas, S0)";

    fn scene(&self) -> Scene {
        let ball = |name: &str, height: f64| {
            BodyDescription::dynamic(name, ShapeDescription::sphere(self.radius))
                .density(self.density)
                .damped(self.damping)
                .of("ball")
                .at([0.0, 0.0, height])
        };
        let motor = JointType::PointMotor {
            speed: self.speed,
            reach: 1.0,
        };
        let bound = |value: f64| (value > 0.0).then_some(value);
        let motor = JointDescription::new("motor", motor, ["lower", "upper"], [0.0, 0.0, 2.0])
            .erp(0.8)
            .colliding()
            .breaking(BreakingDescription {
                force: bound(self.break_force),
                torque: None,
                distance: bound(self.break_distance),
            });
        Scene {
            gravity: [0.0, 0.0, -self.gravity],
            solver: Some(DIRECT.into()),
            materials: vec![
                Material::new(DEFAULT_MATERIAL, self.friction, 0.1),
                Material::new("ball", self.friction, 0.4),
            ],
            bodies: vec![ground(), ball("lower", 1.0), ball("upper", 3.0)],
            joints: vec![motor],
            ..Scene::named(Self::NAME)
        }
    }
}
