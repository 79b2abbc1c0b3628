//! The four-bar linkage: crank, coupler and rocker on four hinges, the ground the fourth bar.
//!
//! In space four hinges have 20 rows for the 18 coordinates of three bars; that they leave a motion at all is because the
//! axes are parallel, which makes three rows redundant. They stay: it is a test of redundancy. Positions follow from the
//! intersection of two circles.

use drystone_solver::options;
use nalgebra::Vector3;

use super::parts::{ACROSS, bar, finite, heading, mechanism, positive, within_a_turn};
use super::{CatalogueScene, Scene};
use crate::format::{DriveDescription, JointDescription, JointType};

options! {
    /// Parameters of the four-bar linkage.
    #[derive(Debug, Clone)]
    pub struct FourBar {
        /// Distance of the two fixed hinges, m.
        pub base: f64 = 2.0,
        /// Length of the crank, m.
        pub crank: f64 = 0.8,
        /// Length of the coupler, m.
        pub coupler: f64 = 2.2,
        /// Length of the rocker, m.
        pub rocker: f64 = 1.5,
        /// Thickness of the bars, m.
        pub thickness: f64 = 0.1,
        /// Density, kg/m³.
        pub density: f64 = 100.0,
        /// Angle of the crank at the beginning, degrees.
        pub angle: f64 = 90.0,
        /// Angular velocity of the crank, rad/s.
        pub speed: f64 = 3.0,
        /// Whether a motor keeps it; otherwise the crank only begins with it.
        pub motor: bool = true,
    }
    validate(it) {
        positive(&[("base", it.base), ("crank", it.crank), ("coupler", it.coupler), ("rocker", it.rocker)])?;
        positive(&[("thickness", it.thickness), ("density", it.density)])?;
        finite(&[("speed", it.speed)])?;
        within_a_turn("angle", it.angle)?;
        let nearest = (it.coupler - it.rocker).abs();
        let farthest = it.coupler + it.rocker;
        let (_, distance) = it.diagonal();
        if !(distance > nearest && distance < farthest) {
            return Err("the bars do not meet at this angle".into());
        }
        if it.motor && !(it.base + it.crank < farthest && (it.base - it.crank).abs() > nearest) {
            return Err("the crank cannot turn all the way round, as the motor wants; change lengths or set motor=false".into());
        }
        Ok(())
    }
}

impl FourBar {
    /// The crank's pin and its distance from the rocker's hinge; the crank's hinge is the origin.
    fn diagonal(&self) -> (Vector3<f64>, f64) {
        let pin = self.crank * heading(self.angle.to_radians());
        (pin, (pin - Vector3::x() * self.base).norm())
    }

    /// Where coupler and rocker meet, above the line from the crank's pin to the rocker's hinge.
    fn knuckle(&self) -> Vector3<f64> {
        let (pin, distance) = self.diagonal();
        let along = (Vector3::x() * self.base - pin) / distance;
        // From x towards z by a quarter turn.
        let up = Vector3::new(-along.z, 0.0, along.x);
        let (b, c) = (self.coupler, self.rocker);
        let foot = 0.5 * (distance + (b - c) * (b + c) / distance);
        pin + foot * along + (b * b - foot * foot).max(0.0).sqrt() * up
    }
}

impl CatalogueScene for FourBar {
    const NAME: &'static str = "four-bar";
    const SUMMARY: &'static str =
        "a four-bar linkage driven by its crank: four hinges with three redundant rows, closed-form kinematics";

    fn scene(&self) -> Scene {
        let mut scene = mechanism(Self::NAME, 0.25, 0.25);
        let lift = Vector3::z() * (self.base + self.crank + self.coupler + self.rocker);
        let (pin, _) = self.diagonal();
        let (left, right) = (lift, lift + Vector3::x() * self.base);
        let (pin, knuckle) = (lift + pin, lift + self.knuckle());
        // ω_b × b + ω_a × a = ω_c × c in the plane, for the three bars as vectors.
        let (a, b, c) = (pin - left, knuckle - pin, knuckle - right);
        let cross = |u: &Vector3<f64>, v: &Vector3<f64>| u.x * v.z - u.z * v.x;
        let coupler_rate = -self.speed * cross(&a, &c) / cross(&b, &c);
        let rocker_rate = self.speed * cross(&a, &b) / cross(&c, &b);
        let turn = |speed: f64| speed * Vector3::from(ACROSS);
        let pin_velocity = turn(self.speed).cross(&a);
        // Crank and rocker in one plane, the coupler beside them.
        let aside = Vector3::y() * (1.5 * self.thickness);
        scene.bodies.extend([
            bar("crank", left, pin, self.thickness)
                .density(self.density)
                .moving(0.5 * pin_velocity)
                .spinning(turn(self.speed)),
            bar("coupler", pin + aside, knuckle + aside, self.thickness)
                .density(self.density)
                .moving(pin_velocity + 0.5 * turn(coupler_rate).cross(&b))
                .spinning(turn(coupler_rate)),
            bar("rocker", right + 2.0 * aside, knuckle + 2.0 * aside, self.thickness)
                .density(self.density)
                .moving(0.5 * turn(rocker_rate).cross(&c))
                .spinning(turn(rocker_rate)),
        ]);
        let hinge = |name: &str, bodies: [&str; 2], at: Vector3<f64>| {
            JointDescription::new(name, JointType::Hinge, bodies, at).axis(ACROSS)
        };
        let mut drive = hinge("shaft", ["ground", "crank"], left);
        if self.motor {
            let speed = self.speed;
            drive = drive.motor("angle", DriveDescription::Velocity { speed, force: None });
        }
        scene.joints.extend([
            drive,
            hinge("pin", ["crank", "coupler"], pin),
            hinge("knuckle", ["coupler", "rocker"], knuckle),
            hinge("pivot", ["ground", "rocker"], right),
        ]);
        scene
    }
}
