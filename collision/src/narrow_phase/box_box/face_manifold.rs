//! The contact points of two faces, most restrictive first (Erleben 2005, section 6.3).
//!
//! In the plane of the reference face the contact region is the intersection of a rectangle and a
//! parallelogram, and its vertices are the contact points: corners of the incident face over the
//! reference face, corners of the reference face under the incident face, and, only where corners
//! do not already tell the story, crossings of their edges. Corners are taken with a tolerance,
//! so a border that nearly coincides with another does not flicker between the three kinds.

use super::face_face::{CORNER_SIGNS, FacePoint, Faces, MOST_POINTS};
use super::pair::{BoxPair, Which, edge_at_corner, feature_id};
use super::separating_axis::FaceAxis;
use crate::contact::{ContactPoint, Feature, FeatureId};

/// Points found so far on a pair of faces.
struct Found {
    points: [FacePoint; MOST_POINTS],
    count: usize,
    /// Squared distance in the face below which two points are one.
    coincidence_squared: f64,
}

impl Found {
    fn nearest(&mut self, u: f64, v: f64) -> Option<&mut FacePoint> {
        let limit = self.coincidence_squared;
        self.points[..self.count].iter_mut().find(|point| {
            let (du, dv) = (point.u - u, point.v - v);
            du * du + dv * dv <= limit
        })
    }

    fn push(&mut self, point: FacePoint) {
        if self.count < MOST_POINTS {
            self.points[self.count] = point;
            self.count += 1;
        }
    }
}

/// Appends the points of a face case and returns the greatest depth, −∞ if there are none.
pub(super) fn face_contacts(
    pair: &BoxPair,
    face: &FaceAxis,
    envelope: f64,
    tolerance: f64,
    out: &mut Vec<ContactPoint>,
) -> f64 {
    let faces = Faces::new(pair, face);
    let nothing = FacePoint {
        u: 0.0,
        v: 0.0,
        w: 0.0,
        feature: FeatureId(0),
    };
    let mut found = Found {
        points: [nothing; MOST_POINTS],
        count: 0,
        coincidence_squared: tolerance * tolerance,
    };
    let corners: [[f64; 3]; 4] = [0, 1, 2, 3].map(|corner| faces.incident_corner(corner));
    let incident_flags = incident_corners(&faces, &corners, envelope, tolerance, &mut found);
    let reference_flags = reference_corners(&faces, envelope, tolerance, &mut found);
    if !(incident_flags == [true; 4] || reference_flags == [true; 4]) {
        crossings(
            &faces,
            &corners,
            incident_flags,
            reference_flags,
            envelope,
            tolerance,
            &mut found,
        );
    }
    let points = &found.points[..found.count];
    faces.emit(pair, points, out);
    points.iter().map(|point| -point.w).fold(f64::NEG_INFINITY, f64::max)
}

/// Corners of the incident face over the reference face.
fn incident_corners(
    faces: &Faces,
    corners: &[[f64; 3]; 4],
    envelope: f64,
    tolerance: f64,
    found: &mut Found,
) -> [bool; 4] {
    let (half_u, half_v) = faces.half;
    let reference_face = Feature::Face(faces.face_codes().0);
    let mut flags = [false; 4];
    for corner in 0..4 {
        let [u, v, w] = corners[corner];
        flags[corner] = u.abs() <= half_u + tolerance && v.abs() <= half_v + tolerance && -w >= -envelope;
        if flags[corner] {
            // Just outside counts as on the border, which is also where the crossing will be
            // that takes over when the corner moves farther out: no jump.
            let own = Feature::Corner(faces.incident_corner_code(corner));
            let feature = feature_id(faces.which, reference_face, own);
            let (u, v) = (u.min(half_u).max(-half_u), v.min(half_v).max(-half_v));
            found.push(FacePoint { u, v, w, feature });
        }
    }
    flags
}

/// Corners of the reference face under the incident face, which is a parallelogram in (u, v):
/// centre + α·arm₀ + β·arm₁ with |α|, |β| ≤ 1.
fn reference_corners(faces: &Faces, envelope: f64, tolerance: f64, found: &mut Found) -> [bool; 4] {
    let Faces {
        centre, arms: [p, q], ..
    } = faces;
    // Not zero: the incident face is the one most opposed to the reference normal.
    let area = p[0] * q[1] - p[1] * q[0];
    let margin_alpha = tolerance * (q[0] * q[0] + q[1] * q[1]).sqrt();
    let margin_beta = tolerance * (p[0] * p[0] + p[1] * p[1]).sqrt();
    let incident_face = Feature::Face(faces.face_codes().1);
    let mut flags = [false; 4];
    for corner in 0..4 {
        let (sign_u, sign_v) = CORNER_SIGNS[corner];
        let (u, v) = (sign_u * faces.half.0, sign_v * faces.half.1);
        let (du, dv) = (u - centre[0], v - centre[1]);
        let alpha_area = du * q[1] - dv * q[0];
        let beta_area = p[0] * dv - p[1] * du;
        if alpha_area.abs() > area.abs() + margin_alpha || beta_area.abs() > area.abs() + margin_beta {
            continue;
        }
        let alpha = (alpha_area / area).clamp(-1.0, 1.0);
        let beta = (beta_area / area).clamp(-1.0, 1.0);
        let [u, v, w] = [0, 1, 2].map(|k| centre[k] + alpha * p[k] + beta * q[k]);
        if -w < -envelope {
            continue;
        }
        flags[corner] = true;
        let own = Feature::Corner(faces.reference_corner_code(corner));
        match found.nearest(u, v) {
            // Corner on corner: half way between, so that neither box's role matters.
            Some(point) => {
                let (id_a, id_b) = point.feature.features();
                let incident = if faces.which == Which::A { id_b } else { id_a };
                point.feature = feature_id(faces.which, own, incident);
                point.u = 0.5 * (point.u + u);
                point.v = 0.5 * (point.v + v);
            }
            None => {
                let feature = feature_id(faces.which, own, incident_face);
                found.push(FacePoint { u, v, w, feature });
            }
        }
    }
    flags
}

/// Crossings of the incident face's edges with the reference face's sides.
///
/// An end within the tolerance of the other's line is on it, not on one side of it: sides that run
/// along each other, as those of bricks in a wall, do not cross wherever noise happens to put the
/// crossing, and their ends, which are corners, are contacts already.
fn crossings(
    faces: &Faces,
    corners: &[[f64; 3]; 4],
    incident_flags: [bool; 4],
    reference_flags: [bool; 4],
    envelope: f64,
    tolerance: f64,
    found: &mut Found,
) {
    for edge in 0..4 {
        let next = (edge + 1) % 4;
        if incident_flags[edge] && incident_flags[next] {
            continue;
        }
        let (start, end) = (&corners[edge], &corners[next]);
        for side in 0..4 {
            if reference_flags[side] && reference_flags[(side + 1) % 4] {
                continue;
            }
            // Side 0 is v = −V, 1 is u = +U, 2 is v = +V, 3 is u = −U.
            let (across, along) = if side % 2 == 0 { (1, 0) } else { (0, 1) };
            let halves = [faces.half.0, faces.half.1];
            let border = if side == 1 || side == 2 {
                halves[across]
            } else {
                -halves[across]
            };
            let (before, after) = (start[across] - border, end[across] - border);
            // The edge's ends on opposite sides of the side's line …
            if before * after >= 0.0 || before.abs().min(after.abs()) <= tolerance {
                continue;
            }
            let share = before / (before - after);
            let at = start[along] + share * (end[along] - start[along]);
            // … and the side's ends on opposite sides of the edge's line.
            let to_corner = (halves[along] - at.abs()) * (after - before).abs();
            let (rise, run) = (after - before, end[along] - start[along]);
            if to_corner <= 0.0 || to_corner * to_corner <= tolerance * tolerance * (rise * rise + run * run) {
                continue;
            }
            let w = start[2] + share * (end[2] - start[2]);
            let (u, v) = if across == 0 { (border, at) } else { (at, border) };
            if -w < -envelope || found.nearest(u, v).is_some() {
                continue;
            }
            let reference_axis = (faces.axis + 1 + side % 2) % 3;
            let incident_axis = (faces.incident_axis + 1 + edge % 2) % 3;
            let reference_edge = edge_at_corner(faces.reference_corner_code(side), reference_axis);
            let incident_edge = edge_at_corner(faces.incident_corner_code(edge), incident_axis);
            let feature = feature_id(faces.which, Feature::Edge(reference_edge), Feature::Edge(incident_edge));
            found.push(FacePoint { u, v, w, feature });
        }
    }
}
