//! Balls at rest in a steep canyon: those on its walls touch a fixed body and yet are carried by balls that lie deeper.
//!
//! Dissertation figure 6.55: a ball's stack height, counted in contacts from the nearest fixed body, is 1 on the walls
//! whatever carries it, so balls of height 1 lie on balls of height 2 and those on balls of height 1. Working upwards by
//! stack height then goes round in circles. Layers that ask what carries what have no such circle.
//!
//! The canyon runs along y between two end walls, on the ground, and its walls lean outwards by β, half the opening. In
//! units of the radius, and in the plane of x and z:
//!
//! ```text
//! level 0          `across` balls side by side on the ground, at z = 1, the outer ones at x = ±(across − 1)
//! walls            touch centres on the lines (±(across − 1 + t sin β), 1 + t cos β)
//! odd levels       one ball less, each in the hollow of the two below it; they touch no wall
//! even levels      the same in the hollows of the odd level, and one more at either end, on the wall and the last ball
//! ```
//!
//! Along y the balls of even levels touch each other, two radii from centre to centre, and the end walls; those of odd
//! levels are shifted by one radius. A ball is therefore one radius off along y from those that carry it, and their
//! centres are `√(2² − 1²) = √3` apart in the plane, from which each place follows from two others by intersecting
//! circles, or a circle and a line.
//!
//! All of this rests without friction: each ball is held from below by two or four balls or by balls and a wall, along y
//! by pairs that push against each other and by the end walls, and the forces that balance the weights all push.

use drystone_solver::options;

use super::parts::{centred, counts, fractions, grounded, not_negative, positive};
use super::{CatalogueScene, Scene};
use crate::format::{BodyDescription, ShapeDescription};

options! {
    /// Parameters of the canyon.
    #[derive(Debug, Clone)]
    pub struct Canyon {
        /// Balls across the canyon at its bottom, 2 or more.
        pub across: usize = 3,
        /// Balls along the canyon, 2 or more; one less in every other level.
        pub along: usize = 4,
        /// Levels from the bottom up.
        pub levels: usize = 5,
        /// Radius of a ball, m.
        pub radius: f64 = 0.5,
        /// Angle between the walls, degrees.
        pub opening: f64 = 12.0,
        /// Density, kg/m³.
        pub density: f64 = 10.0,
        /// Coefficient of friction.
        pub friction: f64 = 0.25,
        /// Coefficient of restitution.
        pub restitution: f64 = 0.25,
    }
    validate(canyon) {
        counts(&[("across", canyon.across), ("along", canyon.along), ("levels", canyon.levels)])?;
        if canyon.across < 2 || canyon.along < 2 {
            return Err("across and along must be 2 or more".into());
        }
        positive(&[("radius", canyon.radius), ("density", canyon.density)])?;
        not_negative(&[("friction", canyon.friction)])?;
        fractions(&[("restitution", canyon.restitution)])?;
        super::parts::slope("opening", canyon.opening)?;
        match canyon.section() {
            Some(_) => Ok(()),
            None => Err("the canyon opens too wide for so many levels: balls on its walls would sink into others".into()),
        }
    }
}

/// Distance in the plane between a ball and one that carries it, in radii.
const APART: f64 = 1.732_050_807_568_877_2;

/// Thickness of the walls, in radii.
const THICKNESS: f64 = 2.0;

/// Neighbours closer than two radii by this overlap; less is rounding.
const ROUNDING: f64 = 1e-9;

/// A place in the plane of x and z, in radii.
type Place = [f64; 2];

impl Canyon {
    fn lean(&self) -> f64 {
        0.5 * self.opening.to_radians()
    }

    /// Where balls are in the plane across the canyon, level by level from left to right, in radii; `None` if they
    /// do not fit.
    fn section(&self) -> Option<Vec<Vec<Place>>> {
        let bottom = (0..self.across).map(|i| [centred(i, self.across, 2.0), 1.0]).collect();
        let mut levels: Vec<Vec<Place>> = vec![bottom];
        for level in 1..self.levels {
            let below = &levels[level - 1];
            let mut places = Vec::with_capacity(self.across);
            for pair in below.windows(2) {
                places.push(hollow(pair[0], pair[1])?);
            }
            if level % 2 == 0 {
                let [x, z] = self.on_wall(*below.last()?)?;
                places.push([x, z]);
                places.insert(0, [-x, z]);
            }
            let clear = |other: &[Place], least: f64| fits(&places, other, least);
            let fits = places
                .windows(2)
                .all(|pair| distance(pair[0], pair[1]) >= 2.0 - ROUNDING)
                && clear(below, APART)
                && (level < 2 || clear(&levels[level - 2], 2.0));
            if !fits {
                return None;
            }
            levels.push(places);
        }
        Some(levels)
    }

    /// The place above a ball at which another touches it and the right wall.
    fn on_wall(&self, [x, z]: Place) -> Option<Place> {
        let (sine, cosine) = self.lean().sin_cos();
        // |foot + t·along − ball| = APART, with the later of the two t.
        let foot = [self.across as f64 - 1.0, 1.0];
        let (dx, dz) = (foot[0] - x, foot[1] - z);
        let half = dx * sine + dz * cosine;
        let root = half * half - (dx * dx + dz * dz - APART * APART);
        let t = (root > 0.0).then(|| root.sqrt() - half)?;
        Some([foot[0] + t * sine, foot[1] + t * cosine])
    }

    /// The two walls and the two ends, as tall as the balls are.
    fn walls(&self, highest: Place) -> [BodyDescription; 4] {
        let (sine, cosine) = self.lean().sin_cos();
        let metres = |[x, y, z]: [f64; 3]| [x, y, z].map(|length| self.radius * length);
        let foot = self.across as f64 - 1.0;
        // Along the wall from two radii below the lowest ball's centre to two above the highest.
        let length = (highest[1] - 1.0) / cosine + 4.0;
        let (middle, out) = (0.5 * length - 2.0, 1.0 + 0.5 * THICKNESS);
        let (x, z) = (foot + middle * sine + out * cosine, 1.0 + middle * cosine - out * sine);
        let long = 2.0 * self.along as f64;
        let size = metres([THICKNESS, long + 2.0 * THICKNESS, length]);
        let slab = |name: &str, side: f64| {
            BodyDescription::fixed(name, ShapeDescription::cuboid(size[0], size[1], size[2]))
                .at(metres([side * x, 0.0, z]))
                .turned([0.0, 1.0, 0.0], side * 0.5 * self.opening)
        };
        let tall = highest[1] + 1.0;
        let wide = 2.0 * (foot + tall * sine / cosine + 2.0);
        let size = metres([wide, THICKNESS, tall]);
        let end = |name: &str, side: f64| {
            BodyDescription::fixed(name, ShapeDescription::cuboid(size[0], size[1], size[2])).at(metres([
                0.0,
                side * 0.5 * (long + THICKNESS),
                0.5 * tall,
            ]))
        };
        [
            slab("wall-left", -1.0),
            slab("wall-right", 1.0),
            end("end-front", -1.0),
            end("end-back", 1.0),
        ]
    }
}

/// The place above two others that is `APART` from both, the first being the left one.
fn hollow(left: Place, right: Place) -> Option<Place> {
    let (dx, dz) = (right[0] - left[0], right[1] - left[1]);
    let square = dx * dx + dz * dz;
    let height = APART * APART / square - 0.25;
    let height = (height > 0.0).then(|| height.sqrt())?;
    let middle = [0.5 * (left[0] + right[0]), 0.5 * (left[1] + right[1])];
    Some([middle[0] - dz * height, middle[1] + dx * height])
}

fn distance(a: Place, b: Place) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// Whether places keep a distance from those of a lower level. Both are ordered along x, so only the few of about the
/// same number can be near.
fn fits(places: &[Place], lower: &[Place], least: f64) -> bool {
    places.iter().enumerate().all(|(i, &place)| {
        let from = i.saturating_sub(2).min(lower.len());
        let near = &lower[from..(i + 3).min(lower.len())];
        near.iter().all(|&other| distance(place, other) >= least - ROUNDING)
    })
}

impl CatalogueScene for Canyon {
    const NAME: &'static str = "canyon";
    const SUMMARY: &'static str =
        "balls at rest in a canyon: those on its walls are carried by others, so stack heights go round (X09, X17)";

    fn scene(&self) -> Scene {
        let mut scene = grounded(Self::NAME, self.friction, self.restitution);
        let section = self.section().unwrap_or_default();
        let highest =
            section.iter().flatten().copied().fold(
                [0.0, 1.0],
                |highest: Place, place| {
                    if place[1] > highest[1] { place } else { highest }
                },
            );
        scene.bodies.extend(self.walls(highest));
        let ball = ShapeDescription::sphere(self.radius);
        for (level, places) in section.iter().enumerate() {
            let along = self.along - level % 2;
            for (i, [x, z]) in places.iter().enumerate() {
                scene.bodies.extend((0..along).map(|j| {
                    let position = [*x, centred(j, along, 2.0), *z].map(|length| self.radius * length);
                    BodyDescription::dynamic(format!("ball-{level}-{i}-{j}"), ball.clone())
                        .density(self.density)
                        .at(position)
                }));
            }
        }
        scene
    }
}
