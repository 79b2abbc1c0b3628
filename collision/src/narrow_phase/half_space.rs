//! A half-space against a sphere or a box: the depth of a point x is `−n·(x − p)` with n the
//! plane's normal and p a point on it; a convex body's deepest points are corners.

use nalgebra::{Isometry3, Point3, Unit, Vector3};

use crate::contact::{ContactPoint, Feature, FeatureId};
use crate::shape::{Cuboid, HalfSpace, Sphere};

/// Half-space A and sphere B: the sphere's lowest point.
pub(super) fn half_space_sphere(
    a: &HalfSpace,
    pose_a: &Isometry3<f64>,
    b: &Sphere,
    pose_b: &Isometry3<f64>,
    envelope: f64,
    out: &mut Vec<ContactPoint>,
) {
    let normal = pose_a.rotation * a.normal.into_inner();
    let centre = pose_b.translation.vector;
    let height = normal.dot(&(centre - pose_a.translation.vector));
    let depth = b.radius - height;
    if depth >= -envelope {
        out.push(ContactPoint {
            position: Point3::from(centre - normal * (b.radius - 0.5 * depth)),
            normal: Unit::new_unchecked(normal),
            depth,
            feature: FeatureId::new(Feature::Whole, Feature::Whole),
        });
    }
}

/// Half-space A and box B: every corner no higher than the envelope, up to all eight.
pub(super) fn half_space_box(
    a: &HalfSpace,
    pose_a: &Isometry3<f64>,
    b: &Cuboid,
    pose_b: &Isometry3<f64>,
    envelope: f64,
    out: &mut Vec<ContactPoint>,
) {
    let normal = pose_a.rotation * a.normal.into_inner();
    let centre = pose_b.translation.vector;
    let height = normal.dot(&(centre - pose_a.translation.vector));
    if height - b.half_extents.norm() > envelope {
        return;
    }
    let rotation = pose_b.rotation.to_rotation_matrix();
    let arms: [Vector3<f64>; 3] = std::array::from_fn(|axis| rotation.matrix().column(axis) * b.half_extents[axis]);
    let rises = arms.map(|arm| normal.dot(&arm));
    for corner in 0..8_u8 {
        let sign = |axis: u8| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
        let depth = -(height + sign(0) * rises[0] + sign(1) * rises[1] + sign(2) * rises[2]);
        if depth >= -envelope {
            let position = centre + arms[0] * sign(0) + arms[1] * sign(1) + arms[2] * sign(2);
            out.push(ContactPoint {
                position: Point3::from(position + normal * (0.5 * depth)),
                normal: Unit::new_unchecked(normal),
                depth,
                feature: FeatureId::new(Feature::Whole, Feature::Corner(corner)),
            });
        }
    }
}
