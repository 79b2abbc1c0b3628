//! Exchanging the two shapes flips the normals and nothing else.

mod common;

use common::{generator, random_box_pair, random_pose, random_shape};
use drystone_collision::{BoxBoxMethod, ContactPoint, Cuboid, Feature, FeatureId, NarrowPhase, Shape, Sphere};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

/// Law: contacts(B, A) is contacts(A, B) with each normal negated and the halves of each id
/// exchanged, in the same order, to the last bit: the pair is computed in a canonical order.
fn assert_swaps(phase: NarrowPhase, a: &Shape, pa: &Isometry3<f64>, b: &Shape, pb: &Isometry3<f64>) -> usize {
    let (mut forward, mut backward) = (Vec::new(), Vec::new());
    phase.contacts(a, pa, b, pb, &mut forward);
    phase.contacts(b, pb, a, pa, &mut backward);
    let turned: Vec<_> = backward.iter().map(ContactPoint::swapped).collect();
    assert_eq!(forward, turned, "{a:?} {pa:?} {b:?} {pb:?}");
    for (f, b) in forward.iter().zip(&backward) {
        assert_eq!(f.normal.into_inner(), -b.normal.into_inner());
        assert_eq!((f.position, f.depth), (b.position, b.depth));
        assert_eq!(f.feature.features(), {
            let (x, y) = b.feature.features();
            (y, x)
        });
    }
    forward.len()
}

fn phases() -> [NarrowPhase; 4] {
    [
        (BoxBoxMethod::Improved, 0.0),
        (BoxBoxMethod::Improved, 0.1),
        (BoxBoxMethod::Old, 0.0),
        (BoxBoxMethod::Old, 0.1),
    ]
    .map(|(box_box, envelope)| NarrowPhase { box_box, envelope })
}

#[test]
fn all_kinds_of_pairs() {
    let mut rng = generator(31);
    for kind_a in 0..3 {
        for kind_b in 0..3 {
            let mut total = 0;
            for _ in 0..1000 {
                let (a, b) = (random_shape(&mut rng, kind_a), random_shape(&mut rng, kind_b));
                let (pa, pb) = (random_pose(&mut rng, 0.8), random_pose(&mut rng, 0.8));
                for phase in phases() {
                    total += assert_swaps(phase, &a, &pa, &b, &pb);
                }
            }
            // Two half-spaces never touch; every other pair must have been tested in earnest.
            assert_eq!(
                total == 0,
                kind_a == 2 && kind_b == 2,
                "kinds {kind_a} {kind_b}: {total}"
            );
        }
    }
}

#[test]
fn nearly_stacked_boxes() {
    let mut rng = generator(32);
    for _ in 0..5000 {
        let s = random_box_pair(&mut rng);
        for phase in phases() {
            assert_swaps(phase, &Shape::Cuboid(s.a), &s.pose_a, &Shape::Cuboid(s.b), &s.pose_b);
            // Equal boxes, so that the order is decided by the poses.
            assert_swaps(phase, &Shape::Cuboid(s.a), &s.pose_a, &Shape::Cuboid(s.a), &s.pose_b);
        }
    }
}

/// Exact ties in size, position or rotation, but not in all of them.
#[test]
fn ties() {
    let cube = Shape::Cuboid(Cuboid {
        half_extents: Vector3::repeat(0.5),
    });
    let plate = Shape::Cuboid(Cuboid {
        half_extents: Vector3::new(0.5, 0.5, 0.1),
    });
    let turned = Isometry3::from_parts(
        Vector3::zeros().into(),
        UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2),
    );
    let origin = Isometry3::identity();
    for phase in phases() {
        assert!(assert_swaps(phase, &cube, &origin, &plate, &origin) > 0);
        assert!(assert_swaps(phase, &cube, &origin, &cube, &turned) > 0);
        for axis in 0..3 {
            let shifted = Isometry3::from_parts(Vector3::ith(axis, 1.0).into(), UnitQuaternion::identity());
            assert!(assert_swaps(phase, &cube, &origin, &cube, &shifted) > 0);
        }
        let balls = [0.5, 0.6].map(|radius| Shape::Sphere(Sphere { radius }));
        assert_eq!(assert_swaps(phase, &balls[0], &origin, &balls[1], &origin), 1);
    }
}

#[test]
fn ids_name_their_features() {
    let features = [Feature::Whole, Feature::Corner(7), Feature::Edge(11), Feature::Face(5)];
    for a in features {
        for b in features {
            let id = FeatureId::new(a, b);
            assert_eq!(id.features(), (a, b));
            assert_eq!(id.swapped(), FeatureId::new(b, a));
            assert_eq!(id.swapped().swapped(), id);
        }
    }
}

#[test]
fn contacts_are_appended() {
    let ball = Shape::Sphere(Sphere { radius: 1.0 });
    let mut out = Vec::new();
    let phase = NarrowPhase::default();
    phase.contacts(
        &ball,
        &Isometry3::identity(),
        &ball,
        &Isometry3::translation(1.0, 0.0, 0.0),
        &mut out,
    );
    let first = out[0];
    phase.contacts(
        &ball,
        &Isometry3::translation(1.0, 0.0, 0.0),
        &ball,
        &Isometry3::identity(),
        &mut out,
    );
    assert_eq!(out, [first, first.swapped()]);
}
