//! What the catalogue's scenes have in common: the ground, materials, tilted frames, and ranges of parameters.

use nalgebra::{UnitQuaternion, Vector3};

use crate::format::{BodyDescription, DEFAULT_MATERIAL, MAX_BODIES, Material, Scene, ShapeDescription};

/// A scene with one material and the level ground at z = 0.
pub(super) fn grounded(name: &str, friction: f64, restitution: f64) -> Scene {
    Scene {
        materials: vec![Material::new(DEFAULT_MATERIAL, friction, restitution)],
        bodies: vec![ground()],
        ..Scene::named(name)
    }
}

/// How mechanisms are solved: their joints directly, both in velocities and in the projection. Sweeps would let long
/// chains stretch.
pub(super) const DIRECT: &str = "semi-implicit:projection=hybrid/hybrid";

/// A scene with one material, the level ground at z = 0, and joints that are solved directly.
pub(super) fn mechanism(name: &str, friction: f64, restitution: f64) -> Scene {
    Scene {
        solver: Some(DIRECT.into()),
        ..grounded(name, friction, restitution)
    }
}

/// A bar of square section between two points of a plane y = const, its long side along x of its own frame.
pub(super) fn bar(name: impl Into<String>, from: Vector3<f64>, to: Vector3<f64>, thickness: f64) -> BodyDescription {
    let along = to - from;
    let shape = ShapeDescription::cuboid(along.norm(), thickness, thickness);
    // A turn about y lowers the x axis.
    let degrees = (-along.z).atan2(along.x).to_degrees();
    BodyDescription::dynamic(name, shape)
        .at(0.5 * (from + to))
        .turned([0.0, 1.0, 0.0], degrees)
}

/// Angles in the plane of x and z are counted from x towards z: the axis that gives them their sign.
pub(super) const ACROSS: [f64; 3] = [0.0, -1.0, 0.0];

/// The direction at an angle from x towards z.
pub(super) fn heading(angle: f64) -> Vector3<f64> {
    Vector3::new(angle.cos(), 0.0, angle.sin())
}

/// The level ground at z = 0.
pub(super) fn ground() -> BodyDescription {
    BodyDescription::fixed("ground", ShapeDescription::half_space())
}

/// A frame turned about the y axis: positive angles lower its x axis.
pub(super) struct Tilt {
    degrees: f64,
    rotation: UnitQuaternion<f64>,
}

impl Tilt {
    pub(super) fn new(degrees: f64) -> Self {
        Self {
            degrees,
            rotation: UnitQuaternion::from_axis_angle(&Vector3::y_axis(), degrees.to_radians()),
        }
    }

    /// A vector of the tilted frame in the world's.
    pub(super) fn vector(&self, x: f64, y: f64, z: f64) -> Vector3<f64> {
        self.rotation * Vector3::new(x, y, z)
    }

    /// The body turned into the tilted frame.
    pub(super) fn apply(&self, body: BodyDescription) -> BodyDescription {
        body.turned([0.0, 1.0, 0.0], self.degrees)
    }
}

/// A fixed ridge along y with its edge `height` above the ground at x = 0: a box standing on its edge, half buried.
pub(super) fn ridge(name: &str, height: f64, width: f64) -> BodyDescription {
    let side = height * std::f64::consts::SQRT_2;
    BodyDescription::fixed(name, ShapeDescription::cuboid(side, width, side)).turned([0.0, 1.0, 0.0], 45.0)
}

/// The position of the `index`-th of `count` things in a row that is centred on zero.
pub(super) fn centred(index: usize, count: usize, spacing: f64) -> f64 {
    (index as f64 - 0.5 * (count as f64 - 1.0)) * spacing
}

/// Each count is 1 or more, and their product no more bodies than a scene may have.
pub(super) fn counts(counts: &[(&str, usize)]) -> Result<(), String> {
    let mut product = 1_usize;
    for (name, count) in counts {
        if *count == 0 {
            return Err(format!("{name} must be 1 or more"));
        }
        product = product.saturating_mul(*count);
    }
    // Room for the ground and the walls.
    if product > MAX_BODIES - 10 {
        return Err(format!("this makes more than {} bodies", MAX_BODIES - 10));
    }
    Ok(())
}

/// Each value is above zero.
pub(super) fn positive(values: &[(&str, f64)]) -> Result<(), String> {
    check(values, "positive", |value| value > 0.0)
}

/// Each value is zero or more.
pub(super) fn not_negative(values: &[(&str, f64)]) -> Result<(), String> {
    check(values, "0 or more", |value| value >= 0.0)
}

/// Each value is from 0 to 1.
pub(super) fn fractions(values: &[(&str, f64)]) -> Result<(), String> {
    check(values, "from 0 to 1", |value| (0.0..=1.0).contains(&value))
}

/// An angle of slope from the horizontal.
pub(super) fn slope(name: &str, degrees: f64) -> Result<(), String> {
    check(&[(name, degrees)], "from 0 to less than 90 degrees", |value| {
        (0.0..90.0).contains(&value)
    })
}

/// An angle within a whole turn either way.
pub(super) fn within_a_turn(name: &str, degrees: f64) -> Result<(), String> {
    check(&[(name, degrees)], "from -360 to 360 degrees", |value| {
        (-360.0..=360.0).contains(&value)
    })
}

/// Values that may be anything but infinite.
pub(super) fn finite(values: &[(&str, f64)]) -> Result<(), String> {
    check(values, "finite", |_| true)
}

fn check(values: &[(&str, f64)], expected: &str, good: impl Fn(f64) -> bool) -> Result<(), String> {
    match values.iter().find(|(_, value)| !(value.is_finite() && good(*value))) {
        None => Ok(()),
        Some((name, value)) => Err(format!("{name} must be {expected}, not {value}")),
    }
}
