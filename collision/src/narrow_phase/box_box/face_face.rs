//! The face case seen in the reference face: its box's face across the chosen axis is the
//! rectangle |u| ≤ U, |v| ≤ V at height w = 0, and the incident face, the other box's face most
//! opposed to it, is a quadrilateral above or below, its corners at (u, v, w). A point's depth is
//! −w, measured along the reference normal; its position is half way, at w/2.

use nalgebra::{Point3, Unit, Vector3};

use super::pair::{BoxPair, Which};
use super::separating_axis::FaceAxis;
use crate::contact::{ContactPoint, FeatureId};

/// Most vertices two convex quadrilaterals' intersection can have.
pub(super) const MOST_POINTS: usize = 8;

/// Signs of the corners of a face along its two axes, in order around the face. Side number s
/// runs from corner s to corner s + 1, along the first axis if s is even.
pub(super) const CORNER_SIGNS: [(f64, f64); 4] = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];

/// A point found on the faces, in reference face coordinates.
#[derive(Clone, Copy, Debug)]
pub(super) struct FacePoint {
    pub(super) u: f64,
    pub(super) v: f64,
    pub(super) w: f64,
    pub(super) feature: FeatureId,
}

/// The two faces in reference face coordinates.
pub(super) struct Faces {
    /// Which box the reference face belongs to, the axis it lies across, and its side.
    pub(super) which: Which,
    pub(super) axis: usize,
    sign: f64,
    /// The normal from A to B is this sign times the reference box's axis.
    normal_sign: f64,
    /// U and V: half extents along the two axes after `axis` in cyclic order.
    pub(super) half: (f64, f64),
    /// Axis of the incident box its face lies across.
    pub(super) incident_axis: usize,
    incident_positive: bool,
    /// The incident face's centre, and its half edges along the two axes after `incident_axis`.
    pub(super) centre: [f64; 3],
    pub(super) arms: [[f64; 3]; 2],
}

impl Faces {
    #[inline]
    pub(super) fn new(pair: &BoxPair, face: &FaceAxis) -> Self {
        let FaceAxis { which, axis, .. } = *face;
        let r = &pair.rotation;
        let (ta, tb) = (&pair.offset_a, &pair.offset_b);
        // Column j of `m` is axis j of the incident box in the reference box's frame.
        let (half, other_half, towards_other, m) = match which {
            Which::A => (&pair.half_a, &pair.half_b, *ta, *r),
            Which::B => {
                let transposed = [
                    [r[0][0], r[1][0], r[2][0]],
                    [r[0][1], r[1][1], r[2][1]],
                    [r[0][2], r[1][2], r[2][2]],
                ];
                (&pair.half_b, &pair.half_a, [-tb[0], -tb[1], -tb[2]], transposed)
            }
        };
        let normal_sign = pair.normal_sign(which, axis);
        let sign = match which {
            Which::A => normal_sign,
            Which::B => -normal_sign,
        };
        let (first, second) = ((axis + 1) % 3, (axis + 2) % 3);

        let mut incident_axis = 0;
        for column in 1..3 {
            if m[axis][column].abs() > m[axis][incident_axis].abs() {
                incident_axis = column;
            }
        }
        let incident_positive = sign * m[axis][incident_axis] <= 0.0;
        let column = |column: usize, scale: f64| {
            [
                scale * m[first][column],
                scale * m[second][column],
                scale * sign * m[axis][column],
            ]
        };
        let side = if incident_positive { 1.0 } else { -1.0 };
        let out = column(incident_axis, side * other_half[incident_axis]);
        let (third, fourth) = ((incident_axis + 1) % 3, (incident_axis + 2) % 3);
        Self {
            which,
            axis,
            sign,
            normal_sign,
            half: (half[first], half[second]),
            incident_axis,
            incident_positive,
            centre: [
                towards_other[first] + out[0],
                towards_other[second] + out[1],
                sign * towards_other[axis] - half[axis] + out[2],
            ],
            arms: [column(third, other_half[third]), column(fourth, other_half[fourth])],
        }
    }

    /// Corner number `corner` of the incident face, in order around it.
    #[inline]
    pub(super) fn incident_corner(&self, corner: usize) -> [f64; 3] {
        let (s, t) = CORNER_SIGNS[corner];
        let ([p, q], c) = (&self.arms, &self.centre);
        [
            c[0] + s * p[0] + t * q[0],
            c[1] + s * p[1] + t * q[1],
            c[2] + s * p[2] + t * q[2],
        ]
    }

    /// Its number among the corners of the incident box.
    #[inline]
    pub(super) fn incident_corner_code(&self, corner: usize) -> u8 {
        corner_code(self.incident_axis, self.incident_positive, corner)
    }

    /// The number of reference corner `corner` among the corners of its box.
    #[inline]
    pub(super) fn reference_corner_code(&self, corner: usize) -> u8 {
        corner_code(self.axis, self.sign > 0.0, corner)
    }

    /// The number of the reference face, and of the incident face.
    #[inline]
    pub(super) fn face_codes(&self) -> (u8, u8) {
        (
            2 * self.axis as u8 + u8::from(self.sign > 0.0),
            2 * self.incident_axis as u8 + u8::from(self.incident_positive),
        )
    }

    /// Appends the points to `out` as contacts in the world; all share one normal.
    #[inline]
    pub(super) fn emit(&self, pair: &BoxPair, points: &[FacePoint], out: &mut Vec<ContactPoint>) {
        let (axes, centre, half) = match self.which {
            Which::A => (&pair.axes_a, &pair.centre_a, pair.half_a[self.axis]),
            Which::B => (&pair.axes_b, &pair.centre_b, pair.half_b[self.axis]),
        };
        let along: Vector3<f64> = axes.column(self.axis).into();
        let first: Vector3<f64> = axes.column((self.axis + 1) % 3).into();
        let second: Vector3<f64> = axes.column((self.axis + 2) % 3).into();
        let normal = Unit::new_unchecked(along * self.normal_sign);
        let origin = centre + along * (self.sign * half);
        out.extend(points.iter().map(|point| ContactPoint {
            position: Point3::from(origin + first * point.u + second * point.v + along * (0.5 * self.sign * point.w)),
            normal,
            depth: -point.w,
            feature: point.feature,
        }));
    }
}

fn corner_code(axis: usize, positive: bool, corner: usize) -> u8 {
    let (s, t) = CORNER_SIGNS[corner];
    u8::from(positive) << axis | u8::from(s > 0.0) << ((axis + 1) % 3) | u8::from(t > 0.0) << ((axis + 2) % 3)
}
