//! Whether two solids share a point: the question that trigger volumes and sensors ask. No contact points are made, so it
//! is cheaper than the narrow phase, and it is also right where surfaces do not touch because one solid is inside the
//! other.
//!
//! Spheres overlap if their centres are no farther apart than their radii together; a sphere overlaps a box if its centre
//! is no farther than its radius from the closest point of the box; boxes overlap if none of 15 axes separates them
//! (Gottschalk, Lin, Manocha 1996); a convex solid overlaps a half-space if its support point against the normal does; a
//! compound overlaps what one of its parts overlaps. Two half-spaces only fail to meet if they face away from each other
//! with a gap between them.

use nalgebra::{Isometry3, Vector3};

use super::{box_box, order};
use crate::aabb::Aabb;
use crate::compound::Compound;
use crate::shape::{Cuboid, HalfSpace, Shape, Sphere};

/// Planes at a smaller angle than this, in radians, count as parallel: they would meet only a million million gaps away,
/// and rotations are known no better.
const PARALLEL_PLANES: f64 = 1e-12;

/// By how much bounds of a compound's parts are grown before they rule a pair out, as a share of a shape's radius: rounding
/// in the change of frames must not.
const SLACK: f64 = 1e-9;

/// Whether the closed solids A and B intersect; touching counts, and so does one wholly inside the other.
///
/// Exchanging A and B does not change the answer. Solids that only just touch may be found on either side by rounding:
/// the band is about 1e-8 of a size for turned boxes, and of the order of rounding for all others. A shape or pose
/// with a NaN overlaps nothing.
///
/// ```
/// use drystone_collision::{Cuboid, Shape, Sphere, overlaps};
/// use nalgebra::{Isometry3, Vector3};
///
/// let room = Shape::Cuboid(Cuboid { half_extents: Vector3::repeat(5.0) });
/// let ball = Shape::Sphere(Sphere { radius: 0.1 });
/// let here = Isometry3::identity();
/// assert!(overlaps(&room, &here, &ball, &Isometry3::translation(1.0, 2.0, 3.0)));
/// assert!(!overlaps(&room, &here, &ball, &Isometry3::translation(1.0, 2.0, 5.2)));
/// ```
pub fn overlaps(shape_a: &Shape, pose_a: &Isometry3<f64>, shape_b: &Shape, pose_b: &Isometry3<f64>) -> bool {
    use Shape::{Compound, Cuboid, HalfSpace, Sphere};
    match (shape_a, shape_b) {
        (Sphere(a), Sphere(b)) => sphere_sphere(a, pose_a, b, pose_b),
        (Cuboid(a), Sphere(b)) => box_sphere(a, pose_a, b, pose_b),
        (Cuboid(a), Cuboid(b)) => {
            if order::comes_first(&a.half_extents, pose_a, &b.half_extents, pose_b) {
                box_box::overlap(a, pose_a, b, pose_b)
            } else {
                box_box::overlap(b, pose_b, a, pose_a)
            }
        }
        (HalfSpace(a), Sphere(b)) => height(a, pose_a, pose_b) <= b.radius,
        (HalfSpace(a), Cuboid(b)) => half_space_box(a, pose_a, b, pose_b),
        (HalfSpace(a), HalfSpace(b)) => half_spaces(a, pose_a, b, pose_b),
        (Compound(a), Compound(b)) => {
            if order::compound_comes_first(a, pose_a, b, pose_b) {
                compound(a, pose_a, shape_b, pose_b)
            } else {
                compound(b, pose_b, shape_a, pose_a)
            }
        }
        (Compound(a), _) => compound(a, pose_a, shape_b, pose_b),
        (_, Compound(b)) => compound(b, pose_b, shape_a, pose_a),
        (Sphere(_), Cuboid(_)) | (Sphere(_) | Cuboid(_), HalfSpace(_)) => overlaps(shape_b, pose_b, shape_a, pose_a),
    }
}

fn sphere_sphere(a: &Sphere, pose_a: &Isometry3<f64>, b: &Sphere, pose_b: &Isometry3<f64>) -> bool {
    let reach = a.radius + b.radius;
    (pose_b.translation.vector - pose_a.translation.vector).norm_squared() <= reach * reach
}

fn box_sphere(a: &Cuboid, pose_a: &Isometry3<f64>, b: &Sphere, pose_b: &Isometry3<f64>) -> bool {
    let from_box = pose_b.translation.vector - pose_a.translation.vector;
    let centre = pose_a.rotation.inverse_transform_vector(&from_box);
    // How far beyond the box along each axis. Not `max`, which would take a NaN for zero.
    let beyond = (centre.abs() - a.half_extents).map(|length| if length < 0.0 { 0.0 } else { length });
    beyond.norm_squared() <= b.radius * b.radius
}

fn half_space_box(a: &HalfSpace, pose_a: &Isometry3<f64>, b: &Cuboid, pose_b: &Isometry3<f64>) -> bool {
    let normal = pose_b
        .rotation
        .inverse_transform_vector(&(pose_a.rotation * a.normal.into_inner()));
    height(a, pose_a, pose_b) <= normal.abs().dot(&b.half_extents)
}

/// How high a body's origin is above the plane of a half-space.
fn height(plane: &HalfSpace, pose: &Isometry3<f64>, body: &Isometry3<f64>) -> f64 {
    let normal: Vector3<f64> = pose.rotation * plane.normal.into_inner();
    normal.dot(&(body.translation.vector - pose.translation.vector))
}

/// With normals n and m through p and q: if m = −n, the first holds what is below n·p and the second what is above n·q.
fn half_spaces(a: &HalfSpace, pose_a: &Isometry3<f64>, b: &HalfSpace, pose_b: &Isometry3<f64>) -> bool {
    let (n, m) = (
        pose_a.rotation * a.normal.into_inner(),
        pose_b.rotation * b.normal.into_inner(),
    );
    let between = pose_b.translation.vector - pose_a.translation.vector;
    // The mean of both normals, so that neither of the two is preferred.
    let gap = 0.5 * (n - m).dot(&between);
    gap <= 0.0 || (gap > 0.0 && (n + m).norm() > PARALLEL_PLANES)
}

/// Compound A and any shape B. Bounds are compared in the frame of A, where those of its parts are known.
fn compound(a: &Compound, pose_a: &Isometry3<f64>, shape_b: &Shape, pose_b: &Isometry3<f64>) -> bool {
    let bounds_b = match shape_b {
        Shape::HalfSpace(_) => Aabb::everything(),
        _ => {
            let slack = SLACK * (a.bounding_radius() + shape_b.bounding_radius());
            shape_b.aabb(&pose_a.inv_mul(pose_b)).loosened(slack)
        }
    };
    a.whole().overlaps(&bounds_b)
        && a.parts().iter().zip(a.bounds()).any(|(part, bounds)| {
            bounds.overlaps(&bounds_b) && overlaps(&part.shape, &(pose_a * part.pose), shape_b, pose_b)
        })
}
