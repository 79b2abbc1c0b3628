//! A compound against a primitive shape or another compound: the contacts of every pair of parts that can touch.
//!
//! Which pairs can is decided in the frame of A, where the bounds of its parts never change: those of B's parts are
//! found there once each, so most pairs cost six comparisons. That is still every part of the one for every part of
//! the other that is near the whole; thousands of parts would want a tree.
//!
//! Points come in the order of B's parts, then of A's. Parts that lie flush, as those of a box cut in two, each make the
//! points they would make alone: seams have points, several at one place if several parts meet there.

use nalgebra::Isometry3;

use super::{NarrowPhase, order, turned_around};
use crate::aabb::Aabb;
use crate::compound::Compound;
use crate::contact::ContactPoint;
use crate::shape::Shape;

/// How much farther than the envelope bounds reach, as a share of a shape's radius, so that no pair is passed over of
/// which the box–box method would still report a point: it takes a corner this close beside a face as on it.
const SLACK: f64 = 1e-3;

/// Appends the contact points of two shapes of which at least one is a compound.
///
/// The order in which it goes through them is decided here once for all parts, since parts that lie exactly on each other
/// have no order of their own. Not inlined: the way to a pair of simple shapes is short and stays so.
#[inline(never)]
pub(super) fn contacts(
    phase: &NarrowPhase,
    shape_a: &Shape,
    pose_a: &Isometry3<f64>,
    shape_b: &Shape,
    pose_b: &Isometry3<f64>,
    out: &mut Vec<ContactPoint>,
) {
    match (shape_a, shape_b) {
        (Shape::Compound(a), Shape::Compound(b)) => {
            if order::compound_comes_first(a, pose_a, b, pose_b) {
                compound_compound(phase, a, pose_a, b, pose_b, out);
            } else {
                turned_around(out, |out| compound_compound(phase, b, pose_b, a, pose_a, out));
            }
        }
        (Shape::Compound(a), _) => compound_primitive(phase, a, pose_a, shape_b, pose_b, out),
        (_, Shape::Compound(b)) => {
            turned_around(out, |out| compound_primitive(phase, b, pose_b, shape_a, pose_a, out));
        }
        _ => {}
    }
}

/// Compound A and a sphere, box or half-space B.
fn compound_primitive(
    phase: &NarrowPhase,
    a: &Compound,
    pose_a: &Isometry3<f64>,
    shape_b: &Shape,
    pose_b: &Isometry3<f64>,
    out: &mut Vec<ContactPoint>,
) {
    let bounds = loosened(phase, shape_b, &pose_a.inv_mul(pose_b));
    if bounds.overlaps(a.whole()) {
        near_parts(phase, a, pose_a, (shape_b, 0), pose_b, &bounds, out);
    }
}

/// Two compounds.
fn compound_compound(
    phase: &NarrowPhase,
    a: &Compound,
    pose_a: &Isometry3<f64>,
    b: &Compound,
    pose_b: &Isometry3<f64>,
    out: &mut Vec<ContactPoint>,
) {
    let b_in_a = pose_a.inv_mul(pose_b);
    for (index, part) in (0..=u16::MAX).zip(b.parts()) {
        let bounds = loosened(phase, &part.shape, &(b_in_a * part.pose));
        if bounds.overlaps(a.whole()) {
            let pose = pose_b * part.pose;
            near_parts(phase, a, pose_a, (&part.shape, index), &pose, &bounds, out);
        }
    }
}

/// The parts of A whose bounds overlap those of B, which is given with its place among the parts of its body.
fn near_parts(
    phase: &NarrowPhase,
    a: &Compound,
    pose_a: &Isometry3<f64>,
    (shape_b, index_b): (&Shape, u16),
    pose_b: &Isometry3<f64>,
    bounds_b: &Aabb,
    out: &mut Vec<ContactPoint>,
) {
    for ((index_a, part), bounds) in (0..=u16::MAX).zip(a.parts()).zip(a.bounds()) {
        if !bounds.overlaps(bounds_b) {
            continue;
        }
        let start = out.len();
        phase.contacts(&part.shape, &(pose_a * part.pose), shape_b, pose_b, out);
        for contact in &mut out[start..] {
            contact.feature = contact.feature.of_parts(index_a, index_b);
        }
    }
}

/// Bounds that overlap those of every shape with which this one has contacts.
fn loosened(phase: &NarrowPhase, shape: &Shape, pose: &Isometry3<f64>) -> Aabb {
    let slack = match shape {
        Shape::HalfSpace(_) => 0.0,
        _ => SLACK * shape.bounding_radius(),
    };
    shape.aabb(pose).loosened(phase.envelope + slack)
}
