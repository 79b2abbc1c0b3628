//! What a trajectory says of itself first: the run, and how exactly each number is kept.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use drystone_dynamics::World;

use super::quantise::{
    DIRECTION_ERROR, DIRECTION_STEPS, Grid, Logarithmic, ORIENTATION_ERROR, ORIENTATION_STEPS, STEPS_PER_OCTAVE,
};

/// The version that this program writes and reads.
pub const VERSION: u32 = 1;

/// Contacts a simulated second that are stored, at most, beside those of each chunk's first frame.
///
/// A contact of a pile that is shaken takes about 12 bytes, so they take less than a megabyte a second; with 50 frames a
/// second, scenes of up to 1200 contacts have all of them.
pub const CONTACTS_PER_SECOND: f64 = 60_000.0;

/// The header.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// `drystone-trajectory`.
    pub format: String,
    /// Of the format.
    pub version: u32,
    /// Who wrote it.
    pub program: String,
    /// The scene as it was given.
    pub scene: String,
    /// The method as it was given.
    pub method: String,
    /// Time step, s.
    pub dt: f64,
    /// The world's time before the first step, s: the time of a frame is `start + step · dt`.
    pub start: f64,
    /// Frames a simulated second that were asked for.
    pub rate: f64,
    /// Gravity, m/s².
    pub gravity: [f64; 3],
    /// How contacts are thinned out.
    pub contacts_per_second: f64,
    /// How exactly numbers are kept.
    pub precision: Precision,
}

/// How exactly numbers are kept: see [`quantise`](super::quantise).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Precision {
    /// From place to place of the grid of positions, m.
    pub position_spacing: f64,
    /// How far a position may be off along each axis, m, while it is less than 2³¹ places from the origin.
    pub position_error: f64,
    /// N of orientations.
    pub orientation_steps: i32,
    /// How far an orientation may be off, rad.
    pub orientation_error: f64,
    /// N of contact normals.
    pub normal_steps: i32,
    /// How far a normal may be off, rad.
    pub normal_error: f64,
    /// K of impulses and depths.
    pub steps_per_octave: f64,
    /// How far impulses and depths may be off, as a part of themselves plus their scale.
    pub relative_error: f64,
    /// s of impulses, N·s.
    pub impulse_scale: f64,
    /// s of depths, m.
    pub depth_scale: f64,
}

impl Header {
    /// The header for a run that begins with this world.
    pub fn new(world: &World, scene: &str, method: &str, dt: f64, rate: f64) -> Self {
        Self {
            format: "drystone-trajectory".into(),
            version: VERSION,
            program: concat!("drystone ", env!("CARGO_PKG_VERSION")).into(),
            scene: scene.into(),
            method: method.into(),
            dt,
            start: world.time,
            rate,
            gravity: world.gravity.into(),
            contacts_per_second: CONTACTS_PER_SECOND,
            precision: Precision::for_world(world, dt),
        }
    }
}

impl Precision {
    /// What serves a world: the smallest body and its weight say what is small.
    pub fn for_world(world: &World, dt: f64) -> Self {
        let (mut smallest, mut lightest, mut extent) = (f64::INFINITY, f64::INFINITY, 0.0_f64);
        for body in world.bodies() {
            let radius = body.shape.bounding_radius();
            let far = body.pose.translation.vector.amax();
            extent = extent.max(far + if radius.is_finite() { radius } else { 0.0 });
            if body.kind.is_dynamic() {
                smallest = smallest.min(radius);
                lightest = lightest.min(body.mass);
            }
        }
        let spacing = Grid::for_scene(smallest, extent).spacing;
        let gravity = Vector3::from(world.gravity).norm();
        // A thousandth of what holds the lightest body up; without weight, of what moves it by a metre a second.
        let push = lightest * if gravity > 0.0 { gravity * dt } else { 1.0 } / 1000.0;
        let usable = push.is_finite() && push > f64::MIN_POSITIVE;
        Self {
            position_spacing: spacing,
            position_error: 0.5 * spacing,
            orientation_steps: ORIENTATION_STEPS,
            orientation_error: ORIENTATION_ERROR,
            normal_steps: DIRECTION_STEPS,
            normal_error: DIRECTION_ERROR,
            steps_per_octave: STEPS_PER_OCTAVE,
            relative_error: Logarithmic::relative_error(),
            impulse_scale: if usable { push } else { 1e-6 },
            depth_scale: spacing / 8.0,
        }
    }

    /// The grid of positions.
    pub fn grid(&self) -> Grid {
        Grid {
            spacing: self.position_spacing,
        }
    }

    /// The scale of impulses.
    pub fn impulse(&self) -> Logarithmic {
        Logarithmic {
            scale: self.impulse_scale,
        }
    }

    /// The scale of depths.
    pub fn depth(&self) -> Logarithmic {
        Logarithmic {
            scale: self.depth_scale,
        }
    }
}
