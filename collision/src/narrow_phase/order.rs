//! A canonical order for two shapes of one kind, so that a pair gives the same bits whichever way
//! round it is asked for. Sizes never change, so they decide first; equal sizes are told apart
//! along a fixed slanting direction, in which the neighbours of a wall, a stack or a row all
//! differ by far more than noise.

use std::cmp::Ordering;

use nalgebra::{Isometry3, Vector3};

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

fn lexicographic(a: &[f64], b: &[f64]) -> Ordering {
    a.iter()
        .zip(b)
        .map(|(a, b)| a.total_cmp(b))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}
