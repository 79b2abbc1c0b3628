//! A robot that assembles itself: its parts begin apart and turned, and the joints' own error reduction draws them
//! together (after the dissertation's figure 2, which gives no numbers).
//!
//! There is no gravity and no ground. Anchors and axes are given in the frames of the bodies, so a joint is not satisfied
//! as it begins; each step it corrects the part `erp` of its error by velocity, and without projection nothing else does:
//! the errors fall as (1 − erp)ⁿ. Damped springs in the joints bring the limbs into their places.

use drystone_solver::options;
use nalgebra::Vector3;

use super::parts::{fractions, not_negative, positive, within_a_turn};
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, DriveDescription, JointDescription, JointType, ShapeDescription};

options! {
    /// Parameters of the robot.
    #[derive(Debug, Clone)]
    pub struct RobotAssembly {
        /// How far apart the parts are at the beginning: their places times this; 1 is assembled.
        pub spread: f64 = 2.5,
        /// How far each part is turned at the beginning, degrees.
        pub turn: f64 = 40.0,
        /// Error reduction of the joints.
        pub erp: f64 = 0.05,
        /// Density of the parts, kg/m³.
        pub density: f64 = 100.0,
        /// Stiffness of the springs that straighten the limbs, N·m/rad; 0 for none. Their damping is a fifth of it, N·m·s/rad.
        pub stiffness: f64 = 20.0,
        /// Rate of damping, 1/s.
        pub damping: f64 = 1.0,
    }
    validate(robot) {
        positive(&[("spread", robot.spread), ("density", robot.density)])?;
        fractions(&[("erp", robot.erp)])?;
        not_negative(&[("stiffness", robot.stiffness), ("damping", robot.damping)])?;
        within_a_turn("turn", robot.turn)?;
        if robot.spread < 1.0 {
            return Err("spread must be 1 or more".into());
        }
        Ok(())
    }
}

/// A part: its name, its sides, and where it belongs, from the middle of the torso.
type Part = (&'static str, [f64; 3], [f64; 3]);

const PARTS: [Part; 10] = [
    ("torso", [0.3, 0.5, 0.7], [0.0, 0.0, 0.0]),
    ("head", [0.3, 0.3, 0.3], [0.0, 0.0, 0.55]),
    ("left-upper-arm", [0.15, 0.15, 0.35], [0.0, 0.375, 0.125]),
    ("right-upper-arm", [0.15, 0.15, 0.35], [0.0, -0.375, 0.125]),
    ("left-lower-arm", [0.12, 0.12, 0.35], [0.0, 0.375, -0.275]),
    ("right-lower-arm", [0.12, 0.12, 0.35], [0.0, -0.375, -0.275]),
    ("left-upper-leg", [0.2, 0.2, 0.4], [0.0, 0.15, -0.6]),
    ("right-upper-leg", [0.2, 0.2, 0.4], [0.0, -0.15, -0.6]),
    ("left-lower-leg", [0.15, 0.15, 0.4], [0.0, 0.15, -1.05]),
    ("right-lower-leg", [0.15, 0.15, 0.4], [0.0, -0.15, -1.05]),
];

/// A joint: its name, its two parts, and where it is in the assembled robot. Balls, and hinges where the last is true.
type Link = (&'static str, [&'static str; 2], [f64; 3], bool);

const LINKS: [Link; 9] = [
    ("neck", ["torso", "head"], [0.0, 0.0, 0.375], false),
    ("left-shoulder", ["torso", "left-upper-arm"], [0.0, 0.3, 0.3], false),
    ("right-shoulder", ["torso", "right-upper-arm"], [0.0, -0.3, 0.3], false),
    (
        "left-elbow",
        ["left-upper-arm", "left-lower-arm"],
        [0.0, 0.375, -0.075],
        true,
    ),
    (
        "right-elbow",
        ["right-upper-arm", "right-lower-arm"],
        [0.0, -0.375, -0.075],
        true,
    ),
    ("left-hip", ["torso", "left-upper-leg"], [0.0, 0.15, -0.375], false),
    ("right-hip", ["torso", "right-upper-leg"], [0.0, -0.15, -0.375], false),
    (
        "left-knee",
        ["left-upper-leg", "left-lower-leg"],
        [0.0, 0.15, -0.825],
        true,
    ),
    (
        "right-knee",
        ["right-upper-leg", "right-lower-leg"],
        [0.0, -0.15, -0.825],
        true,
    ),
];

/// The place of a part in the assembled robot.
fn place(name: &str) -> Vector3<f64> {
    let part = PARTS.iter().find(|part| part.0 == name);
    part.map_or_else(Vector3::zeros, |part| Vector3::from(part.2))
}

impl CatalogueScene for RobotAssembly {
    const NAME: &'static str = "robot-assembly";
    const SUMMARY: &'static str =
        "a robot whose parts begin apart: joints draw them together by stabilisation (after figure 2)";

    fn scene(&self) -> Scene {
        let mut scene = Scene::named(Self::NAME);
        scene.gravity = [0.0; 3];
        scene.solver = Some("semi-implicit:projection=none/hybrid".into());
        for (k, (name, [x, y, z], _)) in PARTS.into_iter().enumerate() {
            // A different axis for every part.
            let k = k as f64;
            let axis = [k.cos(), (2.0 * k).sin(), (0.5 * k).cos() + 0.1];
            let part = BodyDescription::dynamic(name, ShapeDescription::cuboid(x, y, z))
                .density(self.density)
                .damped(self.damping)
                .at(self.spread * place(name));
            scene.bodies.push(part.turned(axis, self.turn));
        }
        for (name, [a, b], at, hinge) in LINKS {
            let at = Vector3::from(at);
            let kind = if hinge { JointType::Hinge } else { JointType::Ball };
            let joint = JointDescription::in_bodies(name, kind, [a, b], [at - place(a), at - place(b)]);
            // Hinges turn about y, balls swing from z; all angles are zero where the limb is straight.
            let (axis, second, coordinates) = if hinge {
                ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0], &["angle"][..])
            } else {
                ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0], &["swing-x", "swing-y", "twist"][..])
            };
            let mut joint = joint.axis(axis).second(second).erp(self.erp);
            if self.stiffness > 0.0 {
                let spring = DriveDescription::Spring {
                    rest: 0.0,
                    stiffness: self.stiffness,
                    damping: 0.2 * self.stiffness,
                };
                joint = coordinates
                    .iter()
                    .fold(joint, |joint, coordinate| joint.motor(coordinate, spring));
            }
            scene.joints.push(joint);
        }
        scene
    }
}
