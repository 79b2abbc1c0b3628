//! A bridge of planks on hinges between two banks, with boxes dropped onto it: contacts on a long mechanism that is
//! closed by the ground.
//!
//! The planks begin along an arc of a circle, which is near their shape at rest. Like every plane loop of hinges this one
//! has three rows more than it needs: the hinges of n planks and two banks leave n − 2 motions and have 5 (n + 1) rows.

use drystone_solver::options;
use nalgebra::Vector3;

use super::parts::{ACROSS, bar, centred, counts, fractions, grounded, not_negative, positive};
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, JointDescription, JointType, ShapeDescription};

options! {
    /// Parameters of the rope bridge.
    #[derive(Debug, Clone)]
    pub struct RopeBridge {
        /// Number of planks.
        pub planks: usize = 20,
        /// Length of a plank along the bridge, m.
        pub length: f64 = 0.5,
        /// Width of the bridge, m.
        pub width: f64 = 1.5,
        /// Thickness of a plank, m.
        pub thickness: f64 = 0.1,
        /// Slope at the banks, degrees.
        pub slope: f64 = 25.0,
        /// Number of boxes.
        pub boxes: usize = 5,
        /// Side of a box, m.
        pub size: f64 = 0.5,
        /// How far the boxes are above the banks, m.
        pub drop: f64 = 0.1,
        /// Density of the planks, kg/m³.
        pub density: f64 = 50.0,
        /// Density of the boxes, kg/m³.
        pub load: f64 = 100.0,
        /// Coefficient of friction.
        pub friction: f64 = 0.6,
        /// Coefficient of restitution.
        pub restitution: f64 = 0.0,
    }
    validate(bridge) {
        counts(&[("planks", bridge.planks)])?;
        counts(&[("boxes", bridge.boxes.max(1))])?;
        positive(&[("length", bridge.length), ("width", bridge.width), ("thickness", bridge.thickness)])?;
        positive(&[("size", bridge.size), ("density", bridge.density), ("load", bridge.load)])?;
        not_negative(&[("drop", bridge.drop), ("friction", bridge.friction)])?;
        fractions(&[("restitution", bridge.restitution)])?;
        if bridge.planks < 2 {
            return Err("planks must be 2 or more".into());
        }
        if !(bridge.slope > 0.0 && bridge.slope < 90.0) {
            return Err(format!("slope must be above 0 and below 90 degrees, not {}", bridge.slope));
        }
        if 1.5 * bridge.boxes as f64 * bridge.size > bridge.span() {
            return Err("the boxes do not fit on the bridge".into());
        }
        Ok(())
    }
}

impl RopeBridge {
    /// The radius of the arc through the hinges.
    fn radius(&self) -> f64 {
        // The angle between the banks' tangents is twice the slope; each plank is a chord of the same angle.
        0.5 * self.length / (self.slope.to_radians() / self.planks as f64).sin()
    }

    /// The distance between the banks.
    fn span(&self) -> f64 {
        2.0 * self.radius() * self.slope.to_radians().sin()
    }
}

impl CatalogueScene for RopeBridge {
    const NAME: &'static str = "rope-bridge";
    const SUMMARY: &'static str =
        "boxes dropped on a bridge of hinged planks between two banks: contacts on a long redundant loop of joints";

    fn scene(&self) -> Scene {
        let mut scene = grounded(Self::NAME, self.friction, self.restitution);
        // With forty contacts on one mechanism, sweeps over all rows are far cheaper than an elimination of its joints,
        // and keep them to 2 mm.
        scene.solver = Some("pgs:iterations=50".into());
        scene.dt = 0.005;
        let (radius, slope) = (self.radius(), self.slope.to_radians());
        let sag = radius * (1.0 - slope.cos());
        let height = 2.0 * sag + self.size + self.thickness;
        // The hinges lie on the arc, the lowest in the middle.
        let hinge = |k: usize| {
            let angle = slope * (2.0 * k as f64 / self.planks as f64 - 1.0);
            Vector3::new(radius * angle.sin(), 0.0, height - radius * (angle.cos() - slope.cos()))
        };
        let side = 2.0 * self.length;
        for (name, sign) in [("west-bank", -1.0), ("east-bank", 1.0)] {
            let bank = ShapeDescription::cuboid(side, self.width, height);
            let x = sign * 0.5 * (self.span() + side);
            let bank = BodyDescription::fixed(name, bank).at([x, 0.0, 0.5 * height]);
            scene.bodies.push(bank);
        }
        let names: Vec<String> = (0..self.planks).map(|k| format!("plank-{k}")).collect();
        for (k, name) in names.iter().enumerate() {
            let mut plank = bar(name, hinge(k), hinge(k + 1), self.thickness).density(self.density);
            plank.shape = ShapeDescription::cuboid(self.length, self.width, self.thickness);
            scene.bodies.push(plank);
        }
        for k in 0..=self.planks {
            let before = if k == 0 { "west-bank" } else { &names[k - 1] };
            let after = names.get(k).map_or("east-bank", String::as_str);
            let joint = JointDescription::new(format!("hinge-{k}"), JointType::Hinge, [before, after], hinge(k));
            scene.joints.push(joint.axis(ACROSS));
        }
        let cube = ShapeDescription::cuboid(self.size, self.size, self.size);
        for k in 0..self.boxes {
            let x = centred(k, self.boxes, 1.5 * self.size);
            let load = BodyDescription::dynamic(format!("box-{k}"), cube.clone()).density(self.load);
            scene
                .bodies
                .push(load.at([x, 0.0, height + self.drop + 0.5 * self.size]));
        }
        scene
    }
}
