//! A box floating free and spinning about its middle axis: by Euler's equations that rotation is unstable, so the
//! slightest disturbance makes the box turn over again and again. Energy and angular momentum are constant, which
//! tests the gyroscopic term and the orientation update and nothing else.

use drystone_solver::options;

use super::parts::positive;
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, ShapeDescription};

options! {
    /// Parameters of the free top.
    #[derive(Debug, Clone)]
    pub struct FreeTop {
        /// Longest side, along x, m.
        pub longest: f64 = 1.5,
        /// Middle side, along y, m.
        pub middle: f64 = 1.0,
        /// Shortest side, along z, m.
        pub shortest: f64 = 0.5,
        /// Density, kg/m³.
        pub density: f64 = 10.0,
        /// Angular velocity about the middle axis, rad/s.
        pub spin: f64 = 5.0,
        /// Angular velocity about the other two axes, rad/s.
        pub disturbance: f64 = 0.001,
    }
    validate(top) {
        positive(&[("shortest", top.shortest), ("density", top.density)])?;
        if !(top.shortest < top.middle && top.middle < top.longest) {
            return Err("the sides must differ: shortest < middle < longest".into());
        }
        Ok(())
    }
}

impl CatalogueScene for FreeTop {
    const NAME: &'static str = "free-top";
    const SUMMARY: &'static str =
        "a box spinning free about its unstable middle axis: gyroscopic term, energy and angular momentum";

    fn scene(&self) -> Scene {
        let shape = ShapeDescription::cuboid(self.longest, self.middle, self.shortest);
        let mut top = BodyDescription::dynamic("top", shape).density(self.density);
        top.angular_velocity = [self.disturbance, self.spin, self.disturbance];
        Scene {
            gravity: [0.0; 3],
            duration: 20.0,
            bodies: vec![top],
            ..Scene::named(Self::NAME)
        }
    }
}
