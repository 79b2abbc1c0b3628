//! Laws of the improved box–box method over random pairs, most of them nearly stacked.
//!
//! The independent reference is a separating-axis test by projection of all corners on all 15
//! axes (`common::least_overlaps`). Tolerances are those the method documents, relative to the
//! smallest half extent: 1e-3 for coincidence of points, and 5e-3 plus 5 % of the least overlap
//! for the preference of faces; 1e-9 stands for rounding and cut noise.

mod common;

use common::{
    BoxSample, box_contacts, corners, distance_to_box, generator, greatest_depth, least_overlaps, random_box_pair,
    random_slab_pair, smallest_half_extent,
};
use drystone_collision::BoxBoxMethod::{Improved, Old};
use drystone_collision::{Cuboid, Feature};
use nalgebra::{Isometry3, Point3};
use rand::RngExt;
use rand_pcg::Pcg64;

const SAMPLES: usize = 20_000;
const ENVELOPES: [f64; 2] = [0.0, 0.05];

/// Half the pairs are of boxes of about one size, half of posts, planks and slabs.
fn random_pair(rng: &mut Pcg64) -> BoxSample {
    if rng.random_range(0..2) == 0 {
        random_box_pair(rng)
    } else {
        random_slab_pair(rng)
    }
}

fn coincidence(s: &BoxSample) -> f64 {
    1e-3 * smallest_half_extent(s) + 1e-9
}

fn face_preference(s: &BoxSample, least: f64) -> f64 {
    0.05 * least.abs() + 5e-3 * smallest_half_extent(s) + 1e-9
}

/// Law: boxes that overlap have contacts, boxes farther apart than the envelope have none.
#[test]
fn contacts_exist_just_when_boxes_overlap() {
    let mut rng = generator(41);
    for _ in 0..SAMPLES {
        let s = random_pair(&mut rng);
        let (_, least) = least_overlaps(&s);
        for envelope in ENVELOPES {
            for method in [Improved, Old] {
                let contacts = box_contacts(method, envelope, &s);
                assert!(least > -envelope - 1e-9 || contacts.is_empty(), "{method:?} {least}");
                assert!(contacts.iter().all(|contact| contact.depth >= -envelope - 1e-9));
            }
            let contacts = box_contacts(Improved, envelope, &s);
            assert!(least < 1e-9 || !contacts.is_empty(), "overlap {least} but no contact");
            assert!(contacts.len() <= 8);
        }
    }
}

/// Law: all normals of a pair are one unit vector.
#[test]
fn a_pair_has_one_normal() {
    let mut rng = generator(42);
    for _ in 0..SAMPLES {
        let s = random_pair(&mut rng);
        for contact in &box_contacts(Improved, 0.05, &s) {
            assert!((contact.normal.norm() - 1.0).abs() < 1e-9);
            assert_eq!(contact.normal, box_contacts(Improved, 0.05, &s)[0].normal);
        }
    }
}

/// Law: points are distinct, in place and in id.
///
/// Points are kept apart in the plane of the faces, so their distance in space is at least the
/// coincidence tolerance; merging two corners moves the point by half of it, hence one half.
#[test]
fn no_point_is_reported_twice() {
    let mut rng = generator(43);
    for _ in 0..SAMPLES {
        let s = random_pair(&mut rng);
        let contacts = box_contacts(Improved, 0.05, &s);
        for (i, p) in contacts.iter().enumerate() {
            for q in &contacts[..i] {
                assert!((p.position - q.position).norm() >= 0.5 * coincidence(&s), "{p:?} {q:?}");
                assert_ne!(p.feature, q.feature);
            }
        }
    }
}

/// Law: no depth exceeds the least translation that separates the boxes, to the preference for
/// faces. The one exception is the method's second repair: when an edge of one box ends inside
/// the other the least *face* overlap is the bound; it must be rare even among random poses.
#[test]
fn depth_never_exceeds_the_least_translation() {
    let mut rng = generator(44);
    let (mut overlapping, mut exceptions) = (0, 0);
    for _ in 0..SAMPLES {
        let s = random_pair(&mut rng);
        let (least_face, least) = least_overlaps(&s);
        let contacts = box_contacts(Improved, 0.0, &s);
        overlapping += usize::from(!contacts.is_empty());
        let depth = greatest_depth(&contacts);
        if depth > least + face_preference(&s, least) {
            exceptions += 1;
            assert!(depth <= least_face + coincidence(&s), "{depth} > {least_face}");
            let ends_inside = corners(&s.a, &s.pose_a)
                .iter()
                .any(|corner| distance_to_box(&s.b, &s.pose_b, corner) == 0.0)
                || corners(&s.b, &s.pose_b)
                    .iter()
                    .any(|corner| distance_to_box(&s.a, &s.pose_a, corner) == 0.0);
            assert!(ends_inside, "no corner is inside, so the edge had to be used");
        }
    }
    assert!(exceptions > 0, "the samples must exercise the second repair");
    assert!(exceptions * 25 < overlapping, "{exceptions} of {overlapping}");
}

/// Law: the old method's depth never exceeds the least translation at all; it takes the least
/// axis, whatever it is. Tolerance: rounding, through cross products as short as 1e-9 that the
/// reference skips and the method does not.
#[test]
fn the_old_method_takes_the_least_axis() {
    let mut rng = generator(45);
    for _ in 0..SAMPLES {
        let s = random_pair(&mut rng);
        let (_, least) = least_overlaps(&s);
        let depth = greatest_depth(&box_contacts(Old, 0.0, &s));
        assert!(depth <= least + 1e-6, "{depth} > {least}");
    }
}

/// Law: moving B along the normal by the greatest depth separates the boxes, to the preference
/// for faces.
#[test]
fn the_greatest_depth_separates() {
    let mut rng = generator(46);
    for _ in 0..SAMPLES {
        let mut s = random_pair(&mut rng);
        let contacts = box_contacts(Improved, 0.0, &s);
        if let Some(contact) = contacts.first() {
            let (_, before) = least_overlaps(&s);
            s.pose_b.translation.vector += contact.normal.into_inner() * greatest_depth(&contacts);
            let (_, after) = least_overlaps(&s);
            assert!(after <= face_preference(&s, before), "{before} left {after}");
        }
    }
}

/// Law: a point is midway between the surfaces along the normal, so half the depth along it is a
/// point of A, and half the depth against it a point of B.
#[test]
fn points_lie_between_the_two_surfaces() {
    let mut rng = generator(47);
    for _ in 0..SAMPLES {
        let s = random_pair(&mut rng);
        for envelope in ENVELOPES {
            for contact in &box_contacts(Improved, envelope, &s) {
                let half = contact.normal.into_inner() * (0.5 * contact.depth);
                let to_a = distance_to_box(&s.a, &s.pose_a, &(contact.position + half));
                let to_b = distance_to_box(&s.b, &s.pose_b, &(contact.position - half));
                // A corner up to one tolerance off the other face's border is drawn onto it, and
                // two coinciding corners meet half way: at most two tolerances together.
                let tolerance = 2.0 * coincidence(&s);
                assert!(to_a < tolerance && to_b < tolerance, "{to_a} {to_b} {contact:?}");
            }
        }
    }
}

/// The ends of an edge of a box, by the numbering that `Feature` documents.
fn edge_ends(cuboid: &Cuboid, pose: &Isometry3<f64>, edge: u8) -> [Point3<f64>; 2] {
    let axis = usize::from(edge / 4);
    let sign = |bit: u8| if edge >> bit & 1 == 1 { 1.0 } else { -1.0 };
    [-1.0, 1.0].map(|end| {
        let mut corner = cuboid.half_extents;
        corner[axis] *= end;
        corner[(axis + 1) % 3] *= sign(0);
        corner[(axis + 2) % 3] *= sign(1);
        pose * Point3::from(corner)
    })
}

/// Law: edge–edge contacts have the four ends of their edges outside the other box. They may
/// break it only where no face separates the boxes, which must be rare.
#[test]
fn edges_of_an_edge_contact_end_outside() {
    let mut rng = generator(48);
    let (mut edge_contacts, mut exceptions) = (0, 0);
    for _ in 0..3 * SAMPLES {
        let s = random_pair(&mut rng);
        let contacts = box_contacts(Improved, 0.0, &s);
        let [contact] = contacts[..] else { continue };
        if let (Feature::Edge(a), Feature::Edge(b)) = contact.feature.features() {
            let ends_a = edge_ends(&s.a, &s.pose_a, a);
            let ends_b = edge_ends(&s.b, &s.pose_b, b);
            let inside = ends_a.iter().any(|end| distance_to_box(&s.b, &s.pose_b, end) == 0.0)
                || ends_b.iter().any(|end| distance_to_box(&s.a, &s.pose_a, end) == 0.0);
            edge_contacts += 1;
            exceptions += usize::from(inside);
        }
    }
    assert!(edge_contacts > 300, "{edge_contacts}");
    assert!(exceptions * 20 < edge_contacts, "{exceptions} of {edge_contacts}");
}
