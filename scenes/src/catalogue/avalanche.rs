//! An avalanche: rocks of one collision group slide down a cliff without colliding with each other, and a boulder that
//! collides with all of them comes after (the example of Gravitas §3.4.3). A trigger volume at the foot of the cliff
//! notices who arrives, and a timer ticks.
//!
//! Until the boulder is upon them, rocks accelerate by `g (sin α − μ cos α)`, each as if it were alone.

use drystone_solver::options;

use super::parts::{Tilt, centred, counts, fractions, grounded, not_negative, positive, slope};
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, CollisionRule, ShapeDescription, TimerDescription};

options! {
    /// Parameters of the avalanche.
    #[derive(Debug, Clone)]
    pub struct Avalanche {
        /// Number of rocks.
        pub count: usize = 24,
        /// Rocks side by side.
        pub across: usize = 6,
        /// Side of a rock, a cube, m.
        pub size: f64 = 0.4,
        /// Radius of the boulder, m.
        pub boulder: f64 = 0.8,
        /// Speed of the boulder at the beginning, down the cliff, m/s.
        pub speed: f64 = 4.0,
        /// Slope of the cliff, degrees; it falls along +x.
        pub angle: f64 = 40.0,
        /// Way of the first rocks down to the foot, m.
        pub way: f64 = 5.0,
        /// Density, kg/m³.
        pub density: f64 = 10.0,
        /// Coefficient of friction.
        pub friction: f64 = 0.25,
        /// Coefficient of restitution.
        pub restitution: f64 = 0.0,
    }
    validate(avalanche) {
        counts(&[("count", avalanche.count)])?;
        counts(&[("across", avalanche.across)])?;
        positive(&[("size", avalanche.size), ("boulder", avalanche.boulder), ("way", avalanche.way)])?;
        slope("angle", avalanche.angle)?;
        positive(&[("density", avalanche.density)])?;
        not_negative(&[("speed", avalanche.speed), ("friction", avalanche.friction)])?;
        fractions(&[("restitution", avalanche.restitution)])
    }
}

/// The collision groups.
const ROCKS: &str = "rocks";
const TERRAIN: &str = "terrain";
const GATES: &str = "gates";

impl CatalogueScene for Avalanche {
    const NAME: &'static str = "avalanche";
    const SUMMARY: &'static str = "rocks slide down a cliff through each other, chased by a boulder that hits them: collision groups (after Gravitas)";

    fn scene(&self) -> Scene {
        let tilt = Tilt::new(self.angle);
        let mut scene = grounded(Self::NAME, self.friction, self.restitution);
        scene.duration = 4.0;
        scene.bodies[0] = scene.bodies[0].clone().in_group(TERRAIN);
        let cliff = BodyDescription::fixed("cliff", ShapeDescription::half_space());
        scene.bodies.push(tilt.apply(cliff).in_group(TERRAIN));

        let spacing = 1.5 * self.size;
        for rock in 0..self.count {
            let (column, row) = (rock % self.across, rock / self.across);
            let along = self.way + 0.5 * self.size + row as f64 * spacing;
            let place = tilt.vector(-along, centred(column, self.across, spacing), 0.5 * self.size);
            let cube = ShapeDescription::cuboid(self.size, self.size, self.size);
            let body = BodyDescription::dynamic(format!("rock-{rock}"), cube).density(self.density);
            scene.bodies.push(tilt.apply(body).at(place).in_group(ROCKS));
        }

        let rows = self.count.div_ceil(self.across) as f64;
        let behind = self.way + rows * spacing + 2.0 * self.boulder;
        let boulder = BodyDescription::dynamic("boulder", ShapeDescription::sphere(self.boulder))
            .density(self.density)
            .at(tilt.vector(-behind, 0.0, self.boulder))
            .moving(tilt.vector(self.speed, 0.0, 0.0));
        scene.bodies.push(boulder.in_group(ROCKS));

        // From the foot on, as wide as the rocks and the boulder, and higher than both.
        let size = [
            2.0 * self.way,
            (self.across as f64 * spacing).max(4.0 * self.boulder),
            2.0 * (self.size + self.boulder),
        ];
        let foot = BodyDescription::trigger("foot", ShapeDescription::Cuboid { size });
        let foot = foot.at([0.5 * size[0], 0.0, 0.5 * size[2]]);
        scene.bodies.push(foot.in_group(GATES));

        scene.collision_rules = vec![
            CollisionRule::groups(ROCKS, ROCKS, false),
            CollisionRule::body("boulder", true),
            // The foot is to tell who arrives, not what has always been there.
            CollisionRule::groups(TERRAIN, GATES, false),
        ];
        scene.timers.push(TimerDescription::every("clock", 0.5));
        scene
    }
}
