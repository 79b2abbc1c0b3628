//! The old box–box method, in the manner of ODE's as section 6.3 of Erleben's dissertation (2005)
//! describes it, kept to be compared with: the axis of least overlap wins, whatever it is; an edge
//! axis gives the mean of the closest points of the two edges' *lines*; a face axis gives the 2D
//! intersection points of the incident face, projected, with the reference face.
//!
//! The dissertation does not spell out the 2D test; this is the lazy reading that has the
//! failures it shows (Figs. 6.41, 6.42), and they are left in on purpose: a tiny tilt lets an edge
//! axis win and one point, often outside the contact region, replaces a face of points; crossings
//! are reported next to, even on top of, corners that are contacts already; corners of the
//! reference face inside the incident face are missing unless nothing else was found.

use nalgebra::Isometry3;

use super::edge_edge::EdgePair;
use super::face_face::{CORNER_SIGNS, FacePoint, Faces};
use super::pair::{BoxPair, edge_at_corner, feature_id};
use super::separating_axis::{self, FaceAxis};
use crate::contact::{ContactPoint, Feature};
use crate::shape::Cuboid;

/// Squared sine below which a cross product of edges has no direction at all.
const NO_DIRECTION: f64 = 1e-24;

/// Squared sine below which two lines count as parallel and the edges' middles stand in for the
/// closest points.
const PARALLEL_LINES: f64 = 1e-4;

/// Appends the contact points of two boxes.
pub(in crate::narrow_phase) fn contacts(
    a: &Cuboid,
    pose_a: &Isometry3<f64>,
    b: &Cuboid,
    pose_b: &Isometry3<f64>,
    envelope: f64,
    out: &mut Vec<ContactPoint>,
) {
    let pair = BoxPair::new(a, pose_a, b, pose_b, 0.0);
    let Some(overlaps) = separating_axis::test(&pair, envelope, NO_DIRECTION) else {
        return;
    };
    let face = overlaps.least_face(0.0);
    match overlaps.edge {
        Some(edge) if edge.overlap < face.overlap => {
            let edges = EdgePair::new(&pair, &edge);
            let (along_a, along_b) = if edges.sine_squared(&pair) > PARALLEL_LINES {
                edges.closest(&pair)
            } else {
                (0.0, 0.0)
            };
            out.push(edges.contact(&pair, along_a, along_b));
        }
        _ => face_contacts(&pair, &face, envelope, out),
    }
}

fn face_contacts(pair: &BoxPair, face: &FaceAxis, envelope: f64, out: &mut Vec<ContactPoint>) {
    let faces = Faces::new(pair, face);
    let start = out.len();
    let corners: [[f64; 3]; 4] = std::array::from_fn(|corner| faces.incident_corner(corner));
    incident_corners(pair, &faces, &corners, envelope, out);
    crossings(pair, &faces, &corners, envelope, out);
    if out.len() == start {
        reference_corners(pair, &faces, envelope, out);
    }
}

/// Incident corners strictly within the reference face.
fn incident_corners(
    pair: &BoxPair,
    faces: &Faces,
    corners: &[[f64; 3]; 4],
    envelope: f64,
    out: &mut Vec<ContactPoint>,
) {
    for corner in 0..4 {
        let [u, v, w] = corners[corner];
        if u.abs() < faces.half.0 && v.abs() < faces.half.1 && -w >= -envelope {
            let face = Feature::Face(faces.face_codes().0);
            let own = Feature::Corner(faces.incident_corner_code(corner));
            let feature = feature_id(faces.which, face, own);
            faces.emit(pair, &[FacePoint { u, v, w, feature }], out);
        }
    }
}

/// All crossings of closed edges, whatever corners are near.
fn crossings(pair: &BoxPair, faces: &Faces, corners: &[[f64; 3]; 4], envelope: f64, out: &mut Vec<ContactPoint>) {
    let halves = [faces.half.0, faces.half.1];
    for edge in 0..4 {
        let (start, end) = (&corners[edge], &corners[(edge + 1) % 4]);
        for side in 0..4 {
            let (across, along) = if side % 2 == 0 { (1, 0) } else { (0, 1) };
            let border = if side == 1 || side == 2 {
                halves[across]
            } else {
                -halves[across]
            };
            let (before, after) = (start[across] - border, end[across] - border);
            if before * after > 0.0 || before == after {
                continue;
            }
            let share = before / (before - after);
            let at = start[along] + share * (end[along] - start[along]);
            let w = start[2] + share * (end[2] - start[2]);
            if at.abs() > halves[along] || -w < -envelope {
                continue;
            }
            let (u, v) = if across == 0 { (border, at) } else { (at, border) };
            let reference_axis = (faces.axis + 1 + side % 2) % 3;
            let incident_axis = (faces.incident_axis + 1 + edge % 2) % 3;
            let feature = feature_id(
                faces.which,
                Feature::Edge(edge_at_corner(faces.reference_corner_code(side), reference_axis)),
                Feature::Edge(edge_at_corner(faces.incident_corner_code(edge), incident_axis)),
            );
            faces.emit(pair, &[FacePoint { u, v, w, feature }], out);
        }
    }
}

/// Reference corners within the incident face: only asked for when it covers the whole
/// reference face, or a small box would fall through a large one.
fn reference_corners(pair: &BoxPair, faces: &Faces, envelope: f64, out: &mut Vec<ContactPoint>) {
    let Faces {
        centre, arms: [p, q], ..
    } = faces;
    let area = p[0] * q[1] - p[1] * q[0];
    for corner in 0..4 {
        let (sign_u, sign_v) = CORNER_SIGNS[corner];
        let (u, v) = (sign_u * faces.half.0, sign_v * faces.half.1);
        let (du, dv) = (u - centre[0], v - centre[1]);
        let alpha = (du * q[1] - dv * q[0]) / area;
        let beta = (p[0] * dv - p[1] * du) / area;
        let w = centre[2] + alpha * p[2] + beta * q[2];
        if alpha.abs() <= 1.0 && beta.abs() <= 1.0 && -w >= -envelope {
            let own = Feature::Corner(faces.reference_corner_code(corner));
            let face = Feature::Face(faces.face_codes().1);
            let feature = feature_id(faces.which, own, face);
            faces.emit(pair, &[FacePoint { u, v, w, feature }], out);
        }
    }
}
