//! The improved box–box method (Erleben 2005, section 6.3), with its repairs in order:
//!
//! 1. precision noise is cut from the relative rotation, and near-parallel edges make no axis;
//! 2. an edge–edge contact needs the four end points of its edges outside the other box, else
//!    the face of least overlap is used;
//! 3. corners come first, those of both faces, and are flagged when they make a contact;
//! 4. crossings of edges come last, and not along an edge whose two corners are flagged.
//!
//! Added here: faces win against edges unless the edge is clearly better (`FACE_…` below), so
//! that noise does not choose; and a face that was preferred to a better edge has to prove that
//! its points do separate the boxes, else the edge is used after all. All points of a pair share
//! one normal, and there are at most 8, the vertices of two intersecting quadrilaterals.

use nalgebra::Isometry3;

use super::edge_edge::EdgePair;
use super::face_face::{CORNER_SIGNS, FacePoint, Faces, MOST_POINTS};
use super::pair::{BoxPair, Which, edge_at_corner, feature_id};
use super::separating_axis::{self, EdgeAxis, FaceAxis};
use crate::contact::{ContactPoint, Feature, FeatureId};
use crate::shape::Cuboid;

/// Entries of the relative rotation this close to zero are noise: an angle in radians, far above
/// what rounding makes of a long simulation and far below any angle that matters.
const ROTATION_NOISE: f64 = 1e-10;

/// Squared sine below which two edges are parallel (an angle of 1e-4).
const PARALLEL_EDGES: f64 = 1e-8;

/// An edge axis must beat the best face by this share of its overlap …
const FACE_PREFERENCE_RELATIVE: f64 = 0.05;

/// … plus this share of the smallest half extent.
const FACE_PREFERENCE_ABSOLUTE: f64 = 5e-3;

/// Face axes closer than this share of the smallest half extent are tied.
const FACE_TIE: f64 = 1e-6;

/// Points closer than this share of the smallest half extent are one point; a corner this close
/// outside a face's border counts as on it.
const COINCIDENCE: f64 = 1e-3;

/// Appends the contact points of two boxes.
pub(in crate::narrow_phase) fn contacts(
    a: &Cuboid,
    pose_a: &Isometry3<f64>,
    b: &Cuboid,
    pose_b: &Isometry3<f64>,
    envelope: f64,
    out: &mut Vec<ContactPoint>,
) {
    let pair = BoxPair::new(a, pose_a, b, pose_b, ROTATION_NOISE);
    let Some(overlaps) = separating_axis::test(&pair, envelope, PARALLEL_EDGES) else {
        return;
    };
    let scale = pair.smallest_half_extent();
    let face = overlaps.least_face(FACE_TIE * scale);
    // An edge that does not beat the face beyond a tie needs no thought.
    let rival = overlaps
        .edge
        .filter(|edge| edge.overlap < face.overlap - FACE_TIE * scale);
    let Some(edge) = rival else {
        face_contacts(&pair, &face, envelope, scale, out);
        return;
    };

    let slack = FACE_PREFERENCE_RELATIVE * edge.overlap.abs() + FACE_PREFERENCE_ABSOLUTE * scale;
    let edges = EdgePair::new(&pair, &edge);
    let edge_is_clearly_better = edge.overlap < face.overlap - slack;
    if edge_is_clearly_better && edges.ends_are_outside(&pair) {
        edge_contact(&pair, &edge, &edges, scale, out);
        return;
    }
    let start = out.len();
    let depth = face_contacts(&pair, &face, envelope, scale, out);
    if !separates(&pair, &face, depth, slack) {
        out.truncate(start);
        edge_contact(&pair, &edge, &edges, scale, out);
    }
}

/// Whether moving B along the face normal by `depth` leaves the boxes overlapping by no more
/// than `slack`.
fn separates(pair: &BoxPair, face: &FaceAxis, depth: f64, slack: f64) -> bool {
    if depth == f64::NEG_INFINITY {
        return false;
    }
    let length = depth * pair.normal_sign(face.which, face.axis);
    let mut motion = [0.0; 3];
    match face.which {
        Which::A => motion[face.axis] = length,
        Which::B => motion = [0, 1, 2].map(|k| length * pair.rotation[k][face.axis]),
    }
    separating_axis::test(&pair.with_b_moved(motion), -slack, PARALLEL_EDGES).is_none()
}

/// One contact at the closest points of the two edges.
fn edge_contact(pair: &BoxPair, edge: &EdgeAxis, edges: &EdgePair, scale: f64, out: &mut Vec<ContactPoint>) {
    let (along_a, along_b) = edges.closest(pair);
    let (half_a, half_b) = edges.half_lengths(pair);
    let tolerance = COINCIDENCE * scale;
    let on_edges = along_a.abs() <= half_a + tolerance && along_b.abs() <= half_b + tolerance;
    // Boxes apart may be closest elsewhere than on these edges: then this is no contact.
    if on_edges || edge.overlap >= 0.0 {
        let along_a = along_a.clamp(-half_a, half_a);
        let along_b = along_b.clamp(-half_b, half_b);
        out.push(edges.contact(pair, along_a, along_b));
    }
}

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
fn face_contacts(pair: &BoxPair, face: &FaceAxis, envelope: f64, scale: f64, out: &mut Vec<ContactPoint>) -> f64 {
    let faces = Faces::new(pair, face);
    let tolerance = COINCIDENCE * scale;
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
    let corners: [[f64; 3]; 4] = std::array::from_fn(|corner| faces.incident_corner(corner));
    let incident_flags = incident_corners(&faces, &corners, envelope, tolerance, &mut found);
    let reference_flags = reference_corners(&faces, envelope, tolerance, &mut found);
    if !(incident_flags == [true; 4] || reference_flags == [true; 4]) {
        crossings(&faces, &corners, incident_flags, reference_flags, envelope, &mut found);
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
    std::array::from_fn(|corner| {
        let [u, v, w] = corners[corner];
        let touches = u.abs() <= half_u + tolerance && v.abs() <= half_v + tolerance && -w >= -envelope;
        if touches {
            // Just outside counts as on the border, which is also where the crossing will be
            // that takes over when the corner moves farther out: no jump.
            let own = Feature::Corner(faces.incident_corner_code(corner));
            let feature = feature_id(faces.which, reference_face, own);
            let (u, v) = (u.clamp(-half_u, half_u), v.clamp(-half_v, half_v));
            found.push(FacePoint { u, v, w, feature });
        }
        touches
    })
}

/// Corners of the reference face under the incident face, which is a parallelogram in (u, v):
/// centre + α·arm₀ + β·arm₁ with |α|, |β| ≤ 1.
fn reference_corners(faces: &Faces, envelope: f64, tolerance: f64, found: &mut Found) -> [bool; 4] {
    let Faces {
        centre, arms: [p, q], ..
    } = faces;
    // Not zero: the incident face is the one most opposed to the reference normal.
    let area = p[0] * q[1] - p[1] * q[0];
    let margin_alpha = tolerance * f64::hypot(q[0], q[1]);
    let margin_beta = tolerance * f64::hypot(p[0], p[1]);
    let incident_face = Feature::Face(faces.face_codes().1);
    std::array::from_fn(|corner| {
        let (sign_u, sign_v) = CORNER_SIGNS[corner];
        let (u, v) = (sign_u * faces.half.0, sign_v * faces.half.1);
        let (du, dv) = (u - centre[0], v - centre[1]);
        let alpha_area = du * q[1] - dv * q[0];
        let beta_area = p[0] * dv - p[1] * du;
        if alpha_area.abs() > area.abs() + margin_alpha || beta_area.abs() > area.abs() + margin_beta {
            return false;
        }
        let alpha = (alpha_area / area).clamp(-1.0, 1.0);
        let beta = (beta_area / area).clamp(-1.0, 1.0);
        let [u, v, w] = [0, 1, 2].map(|k| centre[k] + alpha * p[k] + beta * q[k]);
        if -w < -envelope {
            return false;
        }
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
        true
    })
}

/// Crossings of the incident face's edges with the reference face's sides.
fn crossings(
    faces: &Faces,
    corners: &[[f64; 3]; 4],
    incident_flags: [bool; 4],
    reference_flags: [bool; 4],
    envelope: f64,
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
            if !((before < 0.0 && after > 0.0) || (before > 0.0 && after < 0.0)) {
                continue;
            }
            let share = before / (before - after);
            let at = start[along] + share * (end[along] - start[along]);
            // … and the side's ends on opposite sides of the edge.
            if at.abs() >= halves[along] {
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
