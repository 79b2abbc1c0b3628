//! The edge–edge case: the edge of A farthest along the normal against the edge of B farthest
//! against it, and the closest points of the two lines they lie on.

use nalgebra::{Point3, Unit, Vector3};

use super::pair::{BoxPair, edge_at_corner};
use super::separating_axis::EdgeAxis;
use crate::contact::{ContactPoint, Feature, FeatureId};

/// Two crossing edges, in A's frame.
pub(super) struct EdgePair {
    /// Directions: an axis of A, an axis of B, and the normal from A to B.
    i: usize,
    j: usize,
    normal: [f64; 3],
    pub(super) overlap: f64,
    /// The edges' middles, and a corner each ends at.
    middle_a: [f64; 3],
    middle_b: [f64; 3],
    corner_a: u8,
    corner_b: u8,
}

impl EdgePair {
    /// The supporting edges along the axis.
    pub(super) fn new(pair: &BoxPair, axis: &EdgeAxis) -> Self {
        let EdgeAxis { i, j, overlap } = *axis;
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        let mut normal = [0.0; 3];
        normal[i1] = -pair.rotation[i2][j];
        normal[i2] = pair.rotation[i1][j];
        let length = (normal[i1] * normal[i1] + normal[i2] * normal[i2]).sqrt();
        let towards_b = dot(&normal, &pair.offset_a);
        let scale = if towards_b >= 0.0 { 1.0 / length } else { -1.0 / length };
        normal = normal.map(|component| component * scale);

        let mut middle_a = [0.0; 3];
        let mut corner_a = 0;
        for k in [i1, i2] {
            let positive = normal[k] > 0.0;
            corner_a |= u8::from(positive) << k;
            middle_a[k] = if positive { pair.half_a[k] } else { -pair.half_a[k] };
        }
        let normal_b = pair.in_b_frame(normal);
        let mut arm_b = [0.0; 3];
        let mut corner_b = 0;
        for k in [(j + 1) % 3, (j + 2) % 3] {
            let positive = normal_b[k] < 0.0;
            corner_b |= u8::from(positive) << k;
            arm_b[k] = if positive { pair.half_b[k] } else { -pair.half_b[k] };
        }
        let arm_b = pair.in_a_frame(arm_b);
        let middle_b = std::array::from_fn(|k| pair.offset_a[k] + arm_b[k]);
        Self {
            i,
            j,
            normal,
            overlap,
            middle_a,
            middle_b,
            corner_a,
            corner_b,
        }
    }

    /// Whether all four end points of the two edges lie outside the other box.
    pub(super) fn ends_are_outside(&self, pair: &BoxPair) -> bool {
        [-1.0, 1.0].into_iter().all(|side| {
            let mut end_a = self.middle_a;
            end_a[self.i] += side * pair.half_a[self.i];
            let from_b = std::array::from_fn(|k| end_a[k] - pair.offset_a[k]);
            let along_b = side * pair.half_b[self.j];
            let end_b = std::array::from_fn(|k| self.middle_b[k] + along_b * pair.rotation[k][self.j]);
            !inside(&pair.in_b_frame(from_b), &pair.half_b) && !inside(&end_b, &pair.half_a)
        })
    }

    /// Squared sine of the angle between the edges; 1 − cos² would lose small angles to rounding.
    pub(super) fn sine_squared(&self, pair: &BoxPair) -> f64 {
        let across = |k: usize| pair.rotation[(self.i + k) % 3][self.j];
        across(1) * across(1) + across(2) * across(2)
    }

    /// Where on the lines the closest points are: signed distances from the edges' middles.
    pub(super) fn closest(&self, pair: &BoxPair) -> (f64, f64) {
        // Minimise |m_B + b u_B − m_A − a u_A|² over a and b; u_A·u_B = cosine.
        let direction_b = [0, 1, 2].map(|k| pair.rotation[k][self.j]);
        let between: [f64; 3] = std::array::from_fn(|k| self.middle_b[k] - self.middle_a[k]);
        let cosine = direction_b[self.i];
        let on_a = between[self.i];
        let on_b = dot(&between, &direction_b);
        let sine_squared = self.sine_squared(pair);
        (
            (on_a - cosine * on_b) / sine_squared,
            (cosine * on_a - on_b) / sine_squared,
        )
    }

    /// The contact midway between the points at these distances from the edges' middles.
    pub(super) fn contact(&self, pair: &BoxPair, along_a: f64, along_b: f64) -> ContactPoint {
        let mut middle: [f64; 3] =
            std::array::from_fn(|k| 0.5 * (self.middle_a[k] + self.middle_b[k] + along_b * pair.rotation[k][self.j]));
        middle[self.i] += 0.5 * along_a;
        ContactPoint {
            position: Point3::from(pair.centre_a + pair.axes_a * Vector3::from(middle)),
            normal: Unit::new_unchecked(pair.axes_a * Vector3::from(self.normal)),
            depth: self.overlap,
            feature: FeatureId::new(
                Feature::Edge(edge_at_corner(self.corner_a, self.i)),
                Feature::Edge(edge_at_corner(self.corner_b, self.j)),
            ),
        }
    }

    /// Half lengths of the two edges.
    pub(super) fn half_lengths(&self, pair: &BoxPair) -> (f64, f64) {
        (pair.half_a[self.i], pair.half_b[self.j])
    }
}

fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn inside(point: &[f64; 3], half: &[f64; 3]) -> bool {
    (0..3).all(|k| point[k].abs() < half[k])
}
