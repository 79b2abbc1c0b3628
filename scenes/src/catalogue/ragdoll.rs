//! Dolls that fall down a flight of stairs: ball joints with elliptic reach cones and limited twist at shoulders, hips and
//! spine, hinges with one-sided ranges at elbows and knees. Gravitas' figure 79.

use drystone_solver::options;
use nalgebra::{UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::parts::{counts, grounded, not_negative, positive};
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, DriveDescription, JointDescription, JointType, Orientation, ShapeDescription};

options! {
    /// Parameters of the ragdolls.
    #[derive(Debug, Clone)]
    pub struct Ragdoll {
        /// Number of dolls, one behind the other.
        pub count: usize = 1,
        /// Height of the feet above the top stair, m.
        pub height: f64 = 0.3,
        /// Number of stairs.
        pub stairs: usize = 5,
        /// How far the doll leans forward at the beginning, degrees.
        pub lean: f64 = 25.0,
        /// Speed forward at the beginning, m/s.
        pub speed: f64 = 1.0,
        /// Mass of a doll, kg.
        pub mass: f64 = 70.0,
        /// Dry friction in elbows and knees, N·m.
        pub stiffness: f64 = 2.0,
        /// Coefficient of friction.
        pub friction: f64 = 0.5,
        /// Seed of the small turns that make dolls differ.
        pub seed: u64 = 1,
    }
    validate(ragdoll) {
        counts(&[("count", ragdoll.count)])?;
        counts(&[("stairs", ragdoll.stairs)])?;
        if ragdoll.stairs > 1000 || ragdoll.count > 10_000 {
            return Err("this makes too many bodies".into());
        }
        not_negative(&[("height", ragdoll.height), ("friction", ragdoll.friction), ("stiffness", ragdoll.stiffness)])?;
        positive(&[("mass", ragdoll.mass)])
    }
}

const RISE: f64 = 0.2;
const RUN: f64 = 0.35;

/// A part: name, side lengths, centre (left side), share of the mass. The doll faces +x and stands on z = 0.
const PARTS: [(&str, [f64; 3], [f64; 3], f64); 8] = [
    ("pelvis", [0.20, 0.30, 0.15], [0.0, 0.0, 1.00], 0.16),
    ("chest", [0.22, 0.34, 0.40], [0.0, 0.0, 1.30], 0.30),
    ("head", [0.18, 0.16, 0.22], [0.0, 0.0, 1.67], 0.08),
    ("upper-arm", [0.08, 0.08, 0.26], [0.0, 0.23, 1.34], 0.03),
    ("forearm", [0.07, 0.07, 0.26], [0.0, 0.23, 1.06], 0.025),
    ("thigh", [0.13, 0.13, 0.38], [0.0, 0.09, 0.72], 0.11),
    ("shin", [0.10, 0.10, 0.38], [0.0, 0.09, 0.32], 0.05),
    ("foot", [0.24, 0.09, 0.08], [0.05, 0.09, 0.06], 0.015),
];

impl CatalogueScene for Ragdoll {
    const NAME: &'static str = "ragdoll";
    const SUMMARY: &'static str =
        "a doll falls down a flight of stairs: reach cones, hinge ranges and contacts at once (Gravitas, figure 79)";

    fn scene(&self) -> Scene {
        let mut scene = grounded(Self::NAME, self.friction, 0.0);
        scene.duration = 4.0;
        scene.dt = 0.005;
        // On redundant contacts a whole mechanism at a time converges slowly; all rows together are soon done.
        scene.solver = Some("semi-implicit:projection=hybrid/nncg:iterations=100".into());
        for stair in 0..self.stairs {
            let top = RISE * (self.stairs - stair) as f64;
            let length = if stair == 0 { 2.0 + 1.0 * self.count as f64 } else { RUN };
            let far = RUN * stair as f64 + RUN;
            let shape = ShapeDescription::cuboid(length, 2.0, top);
            scene
                .bodies
                .push(BodyDescription::fixed(format!("stair-{stair}"), shape).at([far - 0.5 * length, 0.0, 0.5 * top]));
        }
        let mut rng = Pcg64::seed_from_u64(self.seed);
        for doll in 0..self.count {
            let turn = UnitQuaternion::from_euler_angles(
                rng.random_range(-0.05..0.05),
                self.lean.to_radians(),
                rng.random_range(-0.1..0.1),
            );
            let top = RISE * self.stairs as f64 + self.height;
            self.add_doll(&mut scene, doll, turn, Vector3::new(-(doll as f64), 0.0, top));
        }
        scene
    }
}

impl Ragdoll {
    fn add_doll(&self, scene: &mut Scene, doll: usize, turn: UnitQuaternion<f64>, base: Vector3<f64>) {
        let name = |part: &str| format!("{part}-{doll}");
        let place = |point: [f64; 3]| -> [f64; 3] { (base + turn * Vector3::from(point)).into() };
        let direction = |vector: [f64; 3]| -> [f64; 3] { (turn * Vector3::from(vector)).into() };
        let mut add = |part: String, size: [f64; 3], centre: [f64; 3], share: f64| {
            let q = turn.quaternion();
            scene.bodies.push(BodyDescription {
                orientation: Some(Orientation::Quaternion([q.w, q.i, q.j, q.k])),
                ..BodyDescription::dynamic(name(&part), ShapeDescription::cuboid(size[0], size[1], size[2]))
                    .mass(share * self.mass)
                    .at(place(centre))
                    .moving([self.speed, 0.0, 0.0])
            });
        };
        for (part, size, centre, share) in PARTS {
            if centre[1] == 0.0 {
                add(part.into(), size, centre, share);
            } else {
                for (side, sign) in [("left", 1.0), ("right", -1.0)] {
                    add(
                        format!("{side}-{part}"),
                        size,
                        [centre[0], sign * centre[1], centre[2]],
                        share,
                    );
                }
            }
        }
        // Sockets: the axis points along the lower part, so that swing is counted from how it hangs.
        let mut socket = |joint: &str, bodies: [&str; 2], at: [f64; 3], axis: [f64; 3], cone: [f64; 2], twist: f64| {
            scene.joints.push(
                JointDescription::new(
                    name(joint),
                    JointType::Ball,
                    bodies.map(name).each_ref().map(String::as_str),
                    place(at),
                )
                .axis(direction(axis))
                .second(direction([1.0, 0.0, 0.0]))
                .elliptic_cone(cone)
                .range("twist", Some(-twist), Some(twist)),
            );
        };
        socket(
            "spine",
            ["pelvis", "chest"],
            [0.0, 0.0, 1.08],
            [0.0, 0.0, 1.0],
            [0.5, 0.3],
            0.4,
        );
        socket(
            "neck",
            ["chest", "head"],
            [0.0, 0.0, 1.53],
            [0.0, 0.0, 1.0],
            [0.6, 0.5],
            0.9,
        );
        for (side, sign) in [("left", 1.0), ("right", -1.0)] {
            let [arm, thigh, shin, foot] = ["upper-arm", "thigh", "shin", "foot"].map(|part| format!("{side}-{part}"));
            let down = [0.0, 0.0, -1.0];
            socket(
                &format!("{side}-shoulder"),
                ["chest", &arm],
                [0.0, sign * 0.20, 1.46],
                down,
                [1.6, 1.2],
                0.8,
            );
            socket(
                &format!("{side}-hip"),
                ["pelvis", &thigh],
                [0.0, sign * 0.09, 0.92],
                down,
                [1.3, 0.5],
                0.5,
            );
            socket(
                &format!("{side}-ankle"),
                [&shin, &foot],
                [0.0, sign * 0.09, 0.11],
                down,
                [0.6, 0.3],
                0.2,
            );
        }
        for (side, sign) in [("left", 1.0), ("right", -1.0)] {
            // An elbow bends forward, a knee backward.
            for (joint, upper, lower, at, bend) in [
                ("elbow", "upper-arm", "forearm", [0.0, sign * 0.23, 1.20], -1.0),
                ("knee", "thigh", "shin", [0.0, sign * 0.09, 0.52], 1.0),
            ] {
                let bodies = [name(&format!("{side}-{upper}")), name(&format!("{side}-{lower}"))];
                let joint = JointDescription::new(
                    name(&format!("{side}-{joint}")),
                    JointType::Hinge,
                    bodies.each_ref().map(String::as_str),
                    place(at),
                );
                scene.joints.push(
                    joint
                        .axis(direction([0.0, bend, 0.0]))
                        .range("angle", Some(0.0), Some(2.3))
                        .motor("angle", DriveDescription::Friction { force: self.stiffness }),
                );
            }
        }
    }
}
