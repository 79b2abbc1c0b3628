//! A canonical order for two shapes of one kind, so that a pair gives the same bits whichever way
//! round it is asked for. Sizes never change, so they decide first; equal sizes are told apart
//! along a fixed slanting direction, in which the neighbours of a wall, a stack or a row all
//! differ by far more than noise.

use std::cmp::Ordering;

use nalgebra::{Isometry3, Vector3};

use crate::compound::{Compound, Part};
use crate::shape::{Cuboid, Shape, Sphere};

/// A direction along which no regular arrangement lines up.
const SLANT: [f64; 3] = [0.312_47, 0.193_11, 0.930_09];

/// Whether the first of two shapes comes first. Antisymmetric unless all arguments are equal.
#[inline]
pub(super) fn comes_first(
    size_a: &Vector3<f64>,
    pose_a: &Isometry3<f64>,
    size_b: &Vector3<f64>,
    pose_b: &Isometry3<f64>,
) -> bool {
    if size_a != size_b {
        return lexicographic(size_a.as_slice(), size_b.as_slice()).is_le();
    }
    let (a, b) = (&pose_a.translation.vector, &pose_b.translation.vector);
    // A difference of floating-point numbers is exactly antisymmetric, and so is this sum.
    let along = (b.x - a.x) * SLANT[0] + (b.y - a.y) * SLANT[1] + (b.z - a.z) * SLANT[2];
    if along != 0.0 {
        return along > 0.0;
    }
    lexicographic(a.as_slice(), b.as_slice())
        .then_with(|| {
            let (a, b) = (&pose_a.rotation.coords, &pose_b.rotation.coords);
            lexicographic(a.as_slice(), b.as_slice())
        })
        .is_le()
}

/// The same for compounds. Their size in a few numbers does not tell them apart at one pose, so there their parts do.
pub(super) fn compound_comes_first(
    a: &Compound,
    pose_a: &Isometry3<f64>,
    b: &Compound,
    pose_b: &Isometry3<f64>,
) -> bool {
    let size = |compound: &Compound| Vector3::new(compound.parts().len() as f64, compound.bounding_radius(), 0.0);
    let (size_a, size_b) = (size(a), size(b));
    if size_a == size_b && pose_a == pose_b {
        let pairs = a.parts().iter().zip(b.parts());
        let order = pairs
            .map(|(a, b)| lexicographic(&numbers(a), &numbers(b)))
            .find(|order| order.is_ne());
        if let Some(order) = order {
            return order.is_lt();
        }
    }
    comes_first(&size_a, pose_a, &size_b, pose_b)
}

/// Everything that tells two parts apart.
fn numbers(part: &Part) -> [f64; 11] {
    let (kind, size) = match &part.shape {
        Shape::Sphere(Sphere { radius }) => (0.0, Vector3::repeat(*radius)),
        Shape::Cuboid(Cuboid { half_extents }) => (1.0, *half_extents),
        Shape::HalfSpace(_) | Shape::Compound(_) => (2.0, Vector3::zeros()),
    };
    let (t, r) = (&part.pose.translation.vector, &part.pose.rotation.coords);
    [kind, size.x, size.y, size.z, t.x, t.y, t.z, r.x, r.y, r.z, r.w]
}

fn lexicographic(a: &[f64], b: &[f64]) -> Ordering {
    a.iter()
        .zip(b)
        .map(|(a, b)| a.total_cmp(b))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}
