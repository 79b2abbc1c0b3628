//! A car on four wheels that drives round a circle: wheel joints (hinge-2) with steering servos, suspension and driven
//! rear wheels; the front wheels are steered as Ackermann says, so that all four roll about one centre.
//!
//! A wheel turns fast about its axle while the axle turns slowly with the car. An update of the orientation by the whole
//! angular velocity at once, infinitesimal or finite, tilts the axle by about `½ ω_spin ω_turn h²` in each step: the
//! artefact of the dissertation's §4.14, where wheels seem to leave their axles in fast turns. The cure is the partial
//! finite update about the axle (parameter `update`). Joint projection hides the artefact; the scene is for a run without.

use drystone_solver::{choices, options};

use super::parts::{grounded, not_negative, positive};
use super::{CatalogueScene, Scene};
use crate::format::{
    BodyDescription, DriveDescription, JointDescription, JointType, OrientationUpdate, PartDescription,
    ShapeDescription, SuspensionDescription,
};

choices! {
    /// How the wheels' orientations follow their angular velocities.
    pub enum WheelUpdate {
        /// Finite about the axle, infinitesimal for the rest: the cure.
        Partial = "partial",
        /// Exact for a constant angular velocity.
        Finite = "finite",
        /// The dissertation's default.
        Infinitesimal = "infinitesimal",
    }
}

options! {
    /// Parameters of the car.
    #[derive(Debug, Clone)]
    pub struct Car {
        /// Speed, m/s.
        pub speed: f64 = 10.0,
        /// Angle of steering to the left, degrees, of a wheel in the middle of the front axle.
        pub steering: f64 = 10.0,
        /// How the wheels' orientations are advanced.
        pub update: WheelUpdate = WheelUpdate::Partial,
        /// Distance from axle to axle, m.
        pub wheelbase: f64 = 2.6,
        /// Distance from wheel to wheel, m.
        pub track: f64 = 1.6,
        /// Radius of the wheels, m.
        pub radius: f64 = 0.35,
        /// Mass of the car without wheels, kg.
        pub mass: f64 = 800.0,
        /// Mass of a wheel, kg.
        pub wheel_mass: f64 = 20.0,
        /// Stiffness of each suspension, N/m.
        pub stiffness: f64 = 40000.0,
        /// Damping of each suspension, N·s/m.
        pub damping: f64 = 3000.0,
        /// Largest torque at a driven wheel, N·m.
        pub torque: f64 = 600.0,
        /// Coefficient of friction of the road.
        pub friction: f64 = 1.0,
    }
    validate(car) {
        positive(&[("wheelbase", car.wheelbase), ("track", car.track), ("radius", car.radius)])?;
        positive(&[("mass", car.mass), ("wheel-mass", car.wheel_mass)])?;
        positive(&[("stiffness", car.stiffness)])?;
        not_negative(&[("damping", car.damping), ("torque", car.torque), ("friction", car.friction)])?;
        not_negative(&[("speed", car.speed)])?;
        // The inner wheel is turned further; at 60 degrees the centre of the turn is near the car.
        if !(-40.0..=40.0).contains(&car.steering) {
            return Err(format!("steering must be from -40 to 40 degrees, not {}", car.steering));
        }
        if 2.0 * car.radius >= car.wheelbase {
            return Err("the wheels must fit between the axles".into());
        }
        Ok(())
    }
}

impl Car {
    /// Curvature of the turn, 1/m, at the middle of the rear axle.
    fn curvature(&self) -> f64 {
        self.steering.to_radians().tan() / self.wheelbase
    }
}

impl CatalogueScene for Car {
    const NAME: &'static str = "car";
    const SUMMARY: &'static str =
        "a car drives round a circle: wheel joints, servos, suspension, and what fast wheels do to orientations";

    fn scene(&self) -> Scene {
        let mut scene = grounded(Self::NAME, self.friction, 0.0);
        scene.duration = 5.0;
        scene.solver = Some("semi-implicit:projection=hybrid/hybrid".into());
        let (length, width) = (self.wheelbase + 3.0 * self.radius, self.track);
        let hull = ShapeDescription::cuboid(length, width, 0.4);
        let cabin = ShapeDescription::cuboid(0.5 * length, 0.9 * width, 0.45);
        let body = ShapeDescription::compound([
            PartDescription::new(hull),
            PartDescription::new(cabin).at([-0.05 * length, 0.0, 0.42]),
        ]);
        let height = self.radius + 0.2;
        scene.bodies.push(
            BodyDescription::dynamic("chassis", body)
                .mass(self.mass)
                .at([0.0, 0.0, height])
                .moving([self.speed, 0.0, 0.0]),
        );
        let update = match self.update {
            WheelUpdate::Partial => OrientationUpdate::PartialFinite { axis: [0.0, 1.0, 0.0] },
            WheelUpdate::Finite => OrientationUpdate::Finite,
            WheelUpdate::Infinitesimal => OrientationUpdate::Infinitesimal,
        };
        for (name, front, side) in [
            ("front-left", true, 1.0),
            ("front-right", true, -1.0),
            ("rear-left", false, 1.0),
            ("rear-right", false, -1.0),
        ] {
            let place = [
                if front { 0.5 } else { -0.5 } * self.wheelbase,
                0.5 * side * self.track,
                self.radius,
            ];
            let wheel = BodyDescription {
                orientation_update: update,
                angular_velocity: [0.0, self.speed / self.radius, 0.0],
                ..BodyDescription::dynamic(name, ShapeDescription::sphere(self.radius))
            };
            scene
                .bodies
                .push(wheel.mass(self.wheel_mass).at(place).moving([self.speed, 0.0, 0.0]));
            // Distances from the centre of the turn, in units of that of the rear axle's middle.
            let nearer = 1.0 - self.curvature() * place[1];
            let angle = if front {
                (self.curvature() * self.wheelbase).atan2(nearer)
            } else {
                0.0
            };
            let suspension = SuspensionDescription {
                stiffness: self.stiffness,
                damping: self.damping,
            };
            let kind = JointType::Wheel {
                suspension: Some(suspension),
            };
            let mut joint = JointDescription::new(format!("{name}-joint"), kind, ["chassis", name], place)
                .second([0.0, 1.0, 0.0])
                .range("suspension", Some(-0.2), Some(0.2))
                .motor(
                    "steering",
                    DriveDescription::Servo {
                        target: angle,
                        rate: 5.0,
                        speed: Some(1.0),
                        force: None,
                        swing: None,
                    },
                );
            if !front {
                let drive = DriveDescription::Velocity {
                    speed: nearer * self.speed / self.radius,
                    force: Some(self.torque),
                };
                joint = joint.motor("spin", drive);
            }
            scene.joints.push(joint);
        }
        scene
    }
}
