//! Random poses and shapes from a seeded generator, and box geometry done the slow, plain way, so
//! that the tests compare two independent computations.

#![allow(dead_code)] // Each test file uses its own share.

use drystone_collision::{BoxBoxMethod, ContactPoint, Cuboid, HalfSpace, NarrowPhase, Shape, Sphere};
use nalgebra::{Isometry3, Point3, Translation3, Unit, UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

pub(crate) fn generator(seed: u64) -> Pcg64 {
    Pcg64::seed_from_u64(seed)
}

/// Uniform in the cube of this half width.
pub(crate) fn random_vector(rng: &mut Pcg64, half_width: f64) -> Vector3<f64> {
    Vector3::from_fn(|_, _| rng.random_range(-half_width..=half_width))
}

/// A uniformly random direction (by rejection from the cube).
pub(crate) fn random_direction(rng: &mut Pcg64) -> Unit<Vector3<f64>> {
    loop {
        let v = random_vector(rng, 1.0);
        if (0.01..1.0).contains(&v.norm_squared()) {
            return Unit::new_normalize(v);
        }
    }
}

/// A rotation by a uniform angle about a uniform axis.
pub(crate) fn random_rotation(rng: &mut Pcg64) -> UnitQuaternion<f64> {
    let angle = rng.random_range(0.0..std::f64::consts::TAU);
    UnitQuaternion::from_axis_angle(&random_direction(rng), angle)
}

/// Half extents between 0.3 and 1.
pub(crate) fn random_box(rng: &mut Pcg64) -> Cuboid {
    Cuboid {
        half_extents: Vector3::from_fn(|_, _| rng.random_range(0.3..=1.0)),
    }
}

/// Posts, planks and slabs: half extents from 3 cm to 5 m, each independent of the others.
pub(crate) fn random_slab(rng: &mut Pcg64) -> Cuboid {
    Cuboid {
        half_extents: Vector3::from_fn(|_, _| 10.0_f64.powf(rng.random_range(-1.5..=0.7))),
    }
}

pub(crate) fn random_shape(rng: &mut Pcg64, kind: usize) -> Shape {
    match kind {
        0 => Shape::Sphere(Sphere {
            radius: rng.random_range(0.3..=1.0),
        }),
        1 => Shape::Cuboid(random_box(rng)),
        _ => Shape::HalfSpace(HalfSpace {
            normal: random_direction(rng),
        }),
    }
}

pub(crate) fn random_pose(rng: &mut Pcg64, half_width: f64) -> Isometry3<f64> {
    let translation = Translation3::from(random_vector(rng, half_width));
    Isometry3::from_parts(translation, random_rotation(rng))
}

/// A pair of boxes and how it was drawn.
pub(crate) struct BoxSample {
    pub(crate) a: Cuboid,
    pub(crate) pose_a: Isometry3<f64>,
    pub(crate) b: Cuboid,
    pub(crate) pose_b: Isometry3<f64>,
}

/// Boxes in all the situations a simulation meets: any pose at all, and (three of four) nearly
/// stacked with a tilt between 1e-12 and 0.1 and a small gap or overlap.
pub(crate) fn random_box_pair(rng: &mut Pcg64) -> BoxSample {
    let (a, b) = (random_box(rng), random_box(rng));
    placed_at_random(rng, a, b)
}

/// The same with boxes of any proportions, some thousand times larger than the other.
pub(crate) fn random_slab_pair(rng: &mut Pcg64) -> BoxSample {
    let (a, b) = (random_slab(rng), random_slab(rng));
    placed_at_random(rng, a, b)
}

fn placed_at_random(rng: &mut Pcg64, a: Cuboid, b: Cuboid) -> BoxSample {
    let pose_a = random_pose(rng, 1.0);
    let relative = if rng.random_range(0..4) == 0 {
        random_pose(rng, 1.5)
    } else {
        let tilt = 10.0_f64.powf(rng.random_range(-12.0..-1.0));
        let turn = UnitQuaternion::from_axis_angle(
            &Vector3::z_axis(),
            if rng.random_range(0..2) == 0 {
                0.0
            } else {
                rng.random_range(0.0..6.0)
            },
        );
        let tilting = UnitQuaternion::from_scaled_axis(random_direction(rng).into_inner() * tilt);
        let sink = rng.random_range(-0.02..0.2);
        let height = a.half_extents.z + b.half_extents.z - sink;
        let x = rng.random_range(-1.0..1.0);
        let y = rng.random_range(-1.0..1.0);
        Isometry3::from_parts(Translation3::new(x, y, height), tilting * turn)
    };
    BoxSample {
        a,
        pose_a,
        b,
        pose_b: pose_a * relative,
    }
}

/// Contacts of two boxes.
pub(crate) fn box_contacts(method: BoxBoxMethod, envelope: f64, s: &BoxSample) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    let narrow_phase = NarrowPhase {
        box_box: method,
        envelope,
    };
    narrow_phase.contacts(&Shape::Cuboid(s.a), &s.pose_a, &Shape::Cuboid(s.b), &s.pose_b, &mut out);
    out
}

pub(crate) fn corners(cuboid: &Cuboid, pose: &Isometry3<f64>) -> [Point3<f64>; 8] {
    std::array::from_fn(|corner| {
        let h = cuboid.half_extents;
        pose * Point3::from(Vector3::from_fn(|k, _| if corner >> k & 1 == 1 { h[k] } else { -h[k] }))
    })
}

/// Overlap of the boxes' projections on an axis: corners only, no formula for the radii.
/// The shorter of the two ways to push the intervals apart.
pub(crate) fn overlap_along(s: &BoxSample, axis: &Vector3<f64>) -> f64 {
    let interval = |points: &[Point3<f64>; 8]| {
        points
            .iter()
            .map(|p| p.coords.dot(axis))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
                (low.min(x), high.max(x))
            })
    };
    let (low_a, high_a) = interval(&corners(&s.a, &s.pose_a));
    let (low_b, high_b) = interval(&corners(&s.b, &s.pose_b));
    (high_a - low_b).min(high_b - low_a)
}

/// The least overlaps over the 6 face normals, and over all 15 axes: brute force, no early out,
/// nothing truncated but cross products that have no direction in floating point at all.
pub(crate) fn least_overlaps(s: &BoxSample) -> (f64, f64) {
    let axes_a: [Vector3<f64>; 3] = std::array::from_fn(|k| s.pose_a * Vector3::ith(k, 1.0));
    let axes_b: [Vector3<f64>; 3] = std::array::from_fn(|k| s.pose_b * Vector3::ith(k, 1.0));
    let faces = axes_a
        .iter()
        .chain(&axes_b)
        .map(|axis| overlap_along(s, axis))
        .fold(f64::INFINITY, f64::min);
    let mut all = faces;
    for a in &axes_a {
        for b in &axes_b {
            let cross = a.cross(b);
            if cross.norm() > 1e-9 {
                all = all.min(overlap_along(s, &cross.normalize()));
            }
        }
    }
    (faces, all)
}

/// Distance from a point to a box, zero inside.
pub(crate) fn distance_to_box(cuboid: &Cuboid, pose: &Isometry3<f64>, point: &Point3<f64>) -> f64 {
    let local = pose.inverse_transform_point(point).coords;
    (local.abs() - cuboid.half_extents).sup(&Vector3::zeros()).norm()
}

pub(crate) fn smallest_half_extent(s: &BoxSample) -> f64 {
    s.a.half_extents.min().min(s.b.half_extents.min())
}

pub(crate) fn greatest_depth(contacts: &[ContactPoint]) -> f64 {
    contacts
        .iter()
        .map(|contact| contact.depth)
        .fold(f64::NEG_INFINITY, f64::max)
}
