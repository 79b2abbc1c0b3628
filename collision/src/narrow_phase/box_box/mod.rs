//! Two boxes: a separating-axis test, then contact points by one of two methods.
//!
//! `pair` holds the relative pose and `separating_axis` the test, `edge_edge` and `face_face` the
//! geometry of the two cases: all this both methods share. `old` and `improved` are the methods
//! themselves; `face_manifold` makes the points of the improved one's face case.

mod edge_edge;
mod face_face;
mod face_manifold;
pub(super) mod improved;
pub(super) mod old;
mod pair;
mod separating_axis;

use nalgebra::Isometry3;

use crate::shape::Cuboid;
use pair::BoxPair;

/// Squared sine below which two edges count as parallel where only yes or no is asked. At an angle s the direction of a
/// cross product is wrong by rounding/s, and leaving it out by s: this is where both are about 1e-8.
const PARALLEL_EDGES: f64 = 1e-16;

/// Whether two closed boxes share a point.
pub(super) fn overlap(a: &Cuboid, pose_a: &Isometry3<f64>, b: &Cuboid, pose_b: &Isometry3<f64>) -> bool {
    let pair = BoxPair::new(a, pose_a, b, pose_b, 0.0);
    let overlaps = separating_axis::test(&pair, 0.0, PARALLEL_EDGES);
    // The test looks for a gap, and with a NaN finds none.
    overlaps.is_some_and(|overlaps| {
        overlaps
            .faces_a
            .iter()
            .chain(&overlaps.faces_b)
            .all(|&overlap| overlap >= 0.0)
    })
}
