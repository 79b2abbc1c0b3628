//! A sphere against a sphere or a box: one point, along the line from the other shape's closest
//! surface point to the sphere's centre.

use nalgebra::{Isometry3, Point3, Unit, Vector3};

use crate::contact::{ContactPoint, Feature, FeatureId};
use crate::shape::{Cuboid, Sphere};

/// Two spheres: depth `r_a + r_b − |b − a|` along the line of centres.
///
/// Concentric spheres have no line of centres; their normal is +z.
pub(super) fn sphere_sphere(
    a: &Sphere,
    pose_a: &Isometry3<f64>,
    b: &Sphere,
    pose_b: &Isometry3<f64>,
    envelope: f64,
    out: &mut Vec<ContactPoint>,
) {
    let centre_a = pose_a.translation.vector;
    let between = pose_b.translation.vector - centre_a;
    let reach = a.radius + b.radius + envelope;
    let distance_squared = between.norm_squared();
    if distance_squared > reach * reach {
        return;
    }
    let distance = distance_squared.sqrt();
    let normal = if distance > f64::MIN_POSITIVE {
        between / distance
    } else {
        Vector3::z()
    };
    let depth = a.radius + b.radius - distance;
    out.push(ContactPoint {
        position: Point3::from(centre_a + normal * (a.radius - 0.5 * depth)),
        normal: Unit::new_unchecked(normal),
        depth,
        feature: FeatureId::new(Feature::Whole, Feature::Whole),
    });
}

/// Box A and sphere B: the closest point of the box is the centre clamped to the box.
///
/// A centre inside the box (or exactly on its surface) leaves through the nearest face; of
/// equally near faces the first axis, positive side, wins.
pub(super) fn box_sphere(
    a: &Cuboid,
    pose_a: &Isometry3<f64>,
    b: &Sphere,
    pose_b: &Isometry3<f64>,
    envelope: f64,
    out: &mut Vec<ContactPoint>,
) {
    let half = a.half_extents;
    let from_box = pose_b.translation.vector - pose_a.translation.vector;
    let centre = pose_a.rotation.inverse_transform_vector(&from_box);
    let mut surface = Vector3::zeros();
    for axis in 0..3 {
        surface[axis] = centre[axis].min(half[axis]).max(-half[axis]);
    }
    let outward = centre - surface;
    let distance_squared = outward.norm_squared();
    let reach = b.radius + envelope;
    if distance_squared > reach * reach {
        return;
    }
    let (normal, distance, feature) = if distance_squared > f64::MIN_POSITIVE {
        let distance = distance_squared.sqrt();
        (outward / distance, distance, outside_feature(&outward))
    } else {
        let axis = nearest_face_axis(&centre, &half);
        let sign = if centre[axis] >= 0.0 { 1.0 } else { -1.0 };
        surface[axis] = sign * half[axis];
        let mut normal = Vector3::zeros();
        normal[axis] = sign;
        let face = 2 * axis as u8 + u8::from(sign > 0.0);
        (normal, centre[axis].abs() - half[axis], Feature::Face(face))
    };
    let depth = b.radius - distance;
    let middle = surface - normal * (0.5 * depth);
    out.push(ContactPoint {
        position: pose_a * Point3::from(middle),
        normal: Unit::new_unchecked(pose_a.rotation * normal),
        depth,
        feature: FeatureId::new(feature, Feature::Whole),
    });
}

fn nearest_face_axis(centre: &Vector3<f64>, half: &Vector3<f64>) -> usize {
    let inset = |axis: usize| half[axis] - centre[axis].abs();
    let mut best = 0;
    for axis in 1..3 {
        if inset(axis) < inset(best) {
            best = axis;
        }
    }
    best
}

/// The feature whose region an outside point is in: it is beyond the box along one axis (face),
/// two (edge) or three (corner).
fn outside_feature(outward: &Vector3<f64>) -> Feature {
    let beyond = |axis: usize| outward[axis] != 0.0;
    let positive = |axis: usize| u8::from(outward[axis] > 0.0);
    match (0..3).filter(|&axis| beyond(axis)).count() {
        1 => {
            let axis = (0..3).find(|&axis| beyond(axis)).unwrap_or(0);
            Feature::Face(2 * axis as u8 + positive(axis))
        }
        2 => {
            let along = (0..3).find(|&axis| !beyond(axis)).unwrap_or(0);
            let signs = positive((along + 1) % 3) + 2 * positive((along + 2) % 3);
            Feature::Edge(4 * along as u8 + signs)
        }
        _ => Feature::Corner(positive(0) + 2 * positive(1) + 4 * positive(2)),
    }
}
