//! A stack of boxes on the low end of a plank that turns on a hinge, and a counterweight that falls on its high end: the
//! stack is levered up (Gravitas, figure 72, without numbers).

use drystone_solver::options;
use nalgebra::Vector3;

use super::parts::{ACROSS, Tilt, counts, fractions, grounded, not_negative, positive, ridge};
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, JointDescription, JointType, ShapeDescription};

options! {
    /// Parameters of the levered stack.
    #[derive(Debug, Clone)]
    pub struct LeveredStack {
        /// Number of boxes in the stack.
        pub boxes: usize = 4,
        /// Side of a box, m.
        pub size: f64 = 0.5,
        /// Density of the boxes and the plank, kg/m³.
        pub density: f64 = 10.0,
        /// Mass of the counterweight, kg.
        pub weight: f64 = 40.0,
        /// How far the counterweight is above the plank, m.
        pub drop: f64 = 0.5,
        /// Length of the plank, m.
        pub length: f64 = 6.0,
        /// Width of the plank, m.
        pub width: f64 = 1.0,
        /// Thickness of the plank, m.
        pub thickness: f64 = 0.2,
        /// Height of the hinge above the ground, m.
        pub pivot: f64 = 0.5,
        /// Coefficient of friction.
        pub friction: f64 = 0.5,
        /// Coefficient of restitution.
        pub restitution: f64 = 0.0,
    }
    validate(it) {
        counts(&[("boxes", it.boxes)])?;
        positive(&[("length", it.length), ("width", it.width), ("thickness", it.thickness), ("pivot", it.pivot)])?;
        positive(&[("size", it.size), ("density", it.density), ("weight", it.weight)])?;
        not_negative(&[("drop", it.drop), ("friction", it.friction)])?;
        fractions(&[("restitution", it.restitution)])?;
        if 2.0 * it.size >= it.length {
            return Err("size must be less than half the plank's length".into());
        }
        if 2.0 * it.pivot >= it.length {
            return Err("pivot must be less than half the plank's length".into());
        }
        Ok(())
    }
}

impl CatalogueScene for LeveredStack {
    const NAME: &'static str = "levered-stack";
    const SUMMARY: &'static str = "a stack of boxes on a hinged plank, levered up by a counterweight: contacts on a mechanism (after Gravitas, S1)";

    fn scene(&self) -> Scene {
        let mut scene = grounded(Self::NAME, self.friction, self.restitution);
        // Negative: the end at +x is up, and the other one touches the ground.
        let tilt = Tilt::new(-(2.0 * self.pivot / self.length).asin().to_degrees());
        let edge = Vector3::z() * self.pivot;
        let plank = ShapeDescription::cuboid(self.length, self.width, self.thickness);
        let cube = ShapeDescription::cuboid(self.size, self.size, self.size);
        let arm = 0.5 * (self.length - self.size);
        scene.bodies.extend([
            ridge("pivot", self.pivot, 1.5 * self.width),
            tilt.apply(
                BodyDescription::dynamic("plank", plank)
                    .density(self.density)
                    .at(edge + tilt.vector(0.0, 0.0, 0.5 * self.thickness)),
            ),
        ]);
        for k in 0..self.boxes {
            let above = self.thickness + (k as f64 + 0.5) * self.size;
            let lower = BodyDescription::dynamic(format!("box-{k}"), cube.clone()).density(self.density);
            scene
                .bodies
                .push(tilt.apply(lower.at(edge + tilt.vector(-arm, 0.0, above))));
        }
        let top = edge + tilt.vector(0.5 * self.length, 0.0, self.thickness);
        let weight = [top.x - 0.5 * self.size, 0.0, top.z + self.drop + 0.5 * self.size];
        scene
            .bodies
            .push(BodyDescription::dynamic("weight", cube).mass(self.weight).at(weight));
        let hinge = JointDescription::new("hinge", JointType::Hinge, ["pivot", "plank"], edge);
        scene.joints.push(hinge.axis(ACROSS));
        scene
    }
}
