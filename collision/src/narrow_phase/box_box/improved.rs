//! The improved box–box method (Erleben 2005, section 6.3), with its repairs in order:
//!
//! 1. precision noise is cut from the relative rotation, and near-parallel edges make no axis;
//! 2. an edge–edge contact needs the four end points of its edges outside the other box, else
//!    the face of least overlap is used;
//! 3. corners come first, those of both faces, and are flagged when they make a contact;
//! 4. crossings of edges come last, and not along an edge whose two corners are flagged.
//!
//! Added here: faces win against edges unless the edge is clearly better (`FACE_…` below), so
//! that noise does not choose; and a face that was preferred to a better axis has to prove that
//! its points do separate the boxes, else the better axis is used after all. All points of a pair share
//! one normal, and there are at most 8, the vertices of two intersecting quadrilaterals.

use nalgebra::Isometry3;

use super::edge_edge::EdgePair;
use super::face_manifold::face_contacts;
use super::pair::{BoxPair, Which};
use super::separating_axis::{self, FaceAxis};
use crate::contact::ContactPoint;
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

/// Axes whose overlaps differ by less than this share of the smallest half extent are tied.
const FACE_TIE: f64 = 1e-6;

/// A face of the first box stays the reference until one of the second is better by this share
/// of the smallest half extent, so that the two faces of a resting contact, nearly parallel, do
/// not take turns.
const REFERENCE_TIE: f64 = 1e-3;

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
    let tie = FACE_TIE * scale;
    let coincidence = COINCIDENCE * scale;
    let least = overlaps.least_face(tie);
    // An edge that does not beat the faces beyond a tie needs no thought.
    let rival = overlaps.edge.filter(|edge| edge.overlap < least.overlap - tie);
    let slack =
        rival.map_or(0.0, |edge| FACE_PREFERENCE_RELATIVE * edge.overlap.abs()) + FACE_PREFERENCE_ABSOLUTE * scale;
    if let Some(edge) = &rival
        && edge.overlap < least.overlap - slack
    {
        let edges = EdgePair::new(&pair, edge);
        if edges.ends_are_outside(&pair) {
            edge_contact(&pair, &edges, coincidence, out);
            return;
        }
    }

    let start = out.len();
    let face = overlaps.reference_face(&least, REFERENCE_TIE * scale);
    let depth = face_contacts(&pair, &face, envelope, coincidence, out);
    let face_is_least = face.which == least.which;
    if (face_is_least && rival.is_none()) || separates(&pair, &face, depth, slack) {
        return;
    }
    if !face_is_least {
        out.truncate(start);
        let depth = face_contacts(&pair, &least, envelope, coincidence, out);
        if rival.is_none() || separates(&pair, &least, depth, slack) {
            return;
        }
    }
    if let Some(edge) = &rival {
        out.truncate(start);
        edge_contact(&pair, &EdgePair::new(&pair, edge), coincidence, out);
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
fn edge_contact(pair: &BoxPair, edges: &EdgePair, tolerance: f64, out: &mut Vec<ContactPoint>) {
    let (along_a, along_b) = edges.closest(pair);
    let (half_a, half_b) = edges.half_lengths(pair);
    let on_edges = along_a.abs() <= half_a + tolerance && along_b.abs() <= half_b + tolerance;
    // Boxes apart may be closest elsewhere than on these edges: then this is no contact.
    if on_edges || edges.overlap >= 0.0 {
        // Not `clamp`, which panics on sizes that are negative or not numbers.
        let along_a = along_a.min(half_a).max(-half_a);
        let along_b = along_b.min(half_b).max(-half_b);
        out.push(edges.contact(pair, along_a, along_b));
    }
}
