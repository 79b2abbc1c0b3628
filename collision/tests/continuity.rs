//! Contacts follow small motions: no flicker.
//!
//! Poses are disturbed by δ = 1e-7 (metres and radians, boxes of about one metre). Where the same
//! features touch before and after, points, normals and depths may move by a small multiple of δ:
//! a lever of at most 2·√3 m, and the tilt of a face against the reference (up to 55°) enlarge it,
//! so 10 δ. The crossing of two edges slides by 1/sin of the angle at which they are seen to cross,
//! whoever computes it, so its bound is divided by that sine.

mod common;

use std::collections::BTreeMap;

use common::{BoxSample, box_contacts, generator, random_box_pair, random_direction};
use drystone_collision::{BoxBoxMethod::Improved, ContactPoint, Feature, FeatureId};
use nalgebra::{UnitQuaternion, Vector3};

const DISTURBANCE: f64 = 1e-7;
const SAMPLES: usize = 50_000;

fn by_feature(contacts: &[ContactPoint]) -> BTreeMap<FeatureId, ContactPoint> {
    contacts
        .iter()
        .map(|contact| (contact.feature, *contact))
        .collect()
}

/// Sine of the angle between two crossing edges seen along the normal; 1 for other features.
fn crossing_sine(s: &BoxSample, contact: &ContactPoint) -> f64 {
    let (Feature::Edge(a), Feature::Edge(b)) = contact.feature.features() else {
        return 1.0;
    };
    let normal = contact.normal.into_inner();
    let seen = |v: Vector3<f64>| (v - normal * normal.dot(&v)).normalize();
    let a = seen(s.pose_a * Vector3::ith(usize::from(a) / 4, 1.0));
    let b = seen(s.pose_b * Vector3::ith(usize::from(b) / 4, 1.0));
    a.cross(&b).norm()
}

#[test]
fn points_normals_and_depths_follow_small_motions() {
    let mut rng = generator(51);
    let (mut compared, mut changed) = (0, 0);
    for _ in 0..SAMPLES {
        let s = random_box_pair(&mut rng);
        let before = by_feature(&box_contacts(Improved, 0.0, &s));
        let mut pose_b = s.pose_b;
        pose_b.translation.vector += random_direction(&mut rng).into_inner() * DISTURBANCE;
        let turn = random_direction(&mut rng).into_inner() * DISTURBANCE;
        pose_b.rotation = UnitQuaternion::from_scaled_axis(turn) * pose_b.rotation;
        let disturbed = BoxSample {
            a: s.a,
            pose_a: s.pose_a,
            b: s.b,
            pose_b,
        };
        let after = by_feature(&box_contacts(Improved, 0.0, &disturbed));
        if before.is_empty() && after.is_empty() {
            continue;
        }
        compared += 1;
        if !before.keys().eq(after.keys()) {
            changed += 1;
            continue;
        }
        for (b, a) in before.values().zip(after.values()) {
            let bound = 10.0 * DISTURBANCE / crossing_sine(&s, b);
            assert!((a.position - b.position).norm() < bound, "{b:?} {a:?}");
            assert!(
                (a.normal.into_inner() - b.normal.into_inner()).norm() < bound,
                "{b:?} {a:?}"
            );
            assert!((a.depth - b.depth).abs() < bound, "{b:?} {a:?}");
        }
    }
    // Features change on a set of poses of thickness δ; a dozen such sets in a space of size one
    // would give 1e-6. One in a thousand would be flicker.
    assert!(compared > SAMPLES / 2);
    assert!(changed * 1000 < compared, "{changed} of {compared}");
}

/// Law: a stack that trembles keeps its four corners, their ids and its normal. The noise goes
/// from rounding (1e-16) to 1e-4, within the tolerance for coincident corners (5e-4 here).
#[test]
fn a_trembling_stack_keeps_its_four_points() {
    use drystone_collision::{Cuboid, NarrowPhase, Shape};
    use nalgebra::Isometry3;
    let mut rng = generator(52);
    let cube = Shape::Cuboid(Cuboid {
        half_extents: Vector3::repeat(0.5),
    });
    let phase = NarrowPhase {
        envelope: 1e-2,
        ..NarrowPhase::default()
    };
    let resting = |noise: f64, rng: &mut rand_pcg::Pcg64| {
        let shift = random_direction(rng).into_inner() * noise;
        let turn = random_direction(rng).into_inner() * noise;
        let lower = Isometry3::new(shift, turn);
        let shift = random_direction(rng).into_inner() * noise + Vector3::z();
        let upper = Isometry3::new(shift, random_direction(rng).into_inner() * noise);
        let mut contacts = Vec::new();
        phase.contacts(&cube, &lower, &cube, &upper, &mut contacts);
        contacts
    };
    let ids = |contacts: &[ContactPoint]| by_feature(contacts).into_keys().collect::<Vec<_>>();
    let still = ids(&resting(0.0, &mut rng));
    assert_eq!(still.len(), 4);
    for exponent in 4..17 {
        let noise = 10.0_f64.powi(-exponent);
        for _ in 0..500 {
            let contacts = resting(noise, &mut rng);
            assert_eq!(ids(&contacts), still, "noise {noise}");
            for contact in &contacts {
                assert!((contact.normal.into_inner() - Vector3::z()).norm() <= 2.0 * noise);
                assert!(contact.depth.abs() <= 5.0 * noise + 1e-15);
            }
        }
    }
}
