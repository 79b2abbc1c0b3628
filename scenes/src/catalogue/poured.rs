//! What scenes with poured balls share: an open box with four walls, and balls of random place and size.
//!
//! Each ball is moved from its place on a lattice along each axis by up to a given displacement, and its radius is the
//! mean times `1 + spread·ξ`, with ξ uniform from −1 to 1. A ball takes four numbers of the generator, in the order x, y,
//! z, radius.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::format::{BodyDescription, ShapeDescription};

/// Thickness of the box's walls, m.
const THICKNESS: f64 = 0.5;

/// Balls to be poured.
pub(super) struct Poured {
    /// How many.
    pub(super) count: usize,
    /// Mean radius, m.
    pub(super) radius: f64,
    /// Radii vary by this part of the mean to either side.
    pub(super) spread: f64,
    /// Largest displacement along each axis, m.
    pub(super) displacement: f64,
    /// kg/m³.
    pub(super) density: f64,
    /// Of displacements and radii.
    pub(super) seed: u64,
}

impl Poured {
    /// The balls `ball-0`, `ball-1`, … about the places of a lattice.
    pub(super) fn balls(&self, place: impl Fn(usize) -> [f64; 3]) -> impl Iterator<Item = BodyDescription> {
        let mut random = Pcg64::seed_from_u64(self.seed);
        // From −1 to 1.
        let mut sway = move || 2.0 * random.random::<f64>() - 1.0;
        (0..self.count).map(move |index| {
            let position = place(index).map(|coordinate| coordinate + self.displacement * sway());
            let radius = self.radius * (1.0 + self.spread * sway());
            BodyDescription::dynamic(format!("ball-{index}"), ShapeDescription::sphere(radius))
                .density(self.density)
                .at(position)
        })
    }
}

/// A part of a radius by which balls may be smaller or larger, less than all of it.
pub(super) fn spread(value: f64) -> Result<(), String> {
    if (0.0..1.0).contains(&value) {
        Ok(())
    } else {
        Err(format!("spread must be from 0 to less than 1, not {value}"))
    }
}

/// Four walls on the ground around a square of inner width `inner`.
pub(super) fn walls(inner: f64, height: f64) -> [BodyDescription; 4] {
    let across = 0.5 * (inner + THICKNESS);
    let wall = |name: &str, size: [f64; 2], x, y| {
        BodyDescription::fixed(name, ShapeDescription::cuboid(size[0], size[1], height)).at([x, y, 0.5 * height])
    };
    let along_y = [THICKNESS, inner];
    let along_x = [inner + 2.0 * THICKNESS, THICKNESS];
    [
        wall("wall-left", along_y, -across, 0.0),
        wall("wall-right", along_y, across, 0.0),
        wall("wall-front", along_x, 0.0, -across),
        wall("wall-back", along_x, 0.0, across),
    ]
}
