//! Contacts of compounds are those of their parts, all of them and no others.

mod common;

use std::collections::BTreeSet;

use common::{generator, random_box, random_pose, random_shape};
use drystone_collision::{
    BoxBoxMethod, Compound, ContactPoint, Cuboid, Feature, FeatureId, HalfSpace, NarrowPhase, Part, Shape, Sphere,
};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use rand::RngExt;
use rand_pcg::Pcg64;

fn phase(envelope: f64) -> NarrowPhase {
    NarrowPhase {
        envelope,
        ..NarrowPhase::default()
    }
}

fn contacts(
    phase: NarrowPhase,
    a: &Shape,
    pose_a: &Isometry3<f64>,
    b: &Shape,
    pose_b: &Isometry3<f64>,
) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    phase.contacts(a, pose_a, b, pose_b, &mut out);
    out
}

fn compound(parts: Vec<Part>) -> Shape {
    Shape::Compound(Compound::new(parts).unwrap())
}

fn random_parts(rng: &mut Pcg64, count: usize, spread: f64) -> Vec<Part> {
    let part = |_| Part {
        shape: {
            let kind = rng.random_range(0..2);
            random_shape(rng, kind)
        },
        pose: random_pose(rng, spread),
    };
    (0..count).map(part).collect()
}

fn parts_of(shape: &Shape) -> Vec<Part> {
    match shape {
        Shape::Compound(compound) => compound.parts().to_vec(),
        other => vec![Part::at(other.clone(), Vector3::zeros())],
    }
}

/// Every number of a contact, so that even the sign of a zero counts.
fn bits(contact: &ContactPoint) -> [u64; 8] {
    let (p, n) = (contact.position, contact.normal);
    let numbers = [p.x, p.y, p.z, n.x, n.y, n.z, contact.depth].map(f64::to_bits);
    std::array::from_fn(|k| if k < 7 { numbers[k] } else { contact.feature.0 })
}

/// Law: a compound of one part that is not moved is that part, to the last bit, on either side or both.
#[test]
fn one_part_is_the_part() {
    let mut rng = generator(71);
    let mut found = [0; 3];
    for kind_a in 0..2 {
        for kind_b in 0..3 {
            for _ in 0..1000 {
                let (a, b) = (random_shape(&mut rng, kind_a), random_shape(&mut rng, kind_b));
                let (pose_a, pose_b) = (random_pose(&mut rng, 0.9), random_pose(&mut rng, 0.9));
                let phase = phase([0.0, 0.1][rng.random_range(0..2)]);
                let plain: Vec<_> = contacts(phase, &a, &pose_a, &b, &pose_b).iter().map(bits).collect();
                found[kind_b] += plain.len();
                let one = compound(parts_of(&a));
                let points = contacts(phase, &one, &pose_a, &b, &pose_b);
                assert_eq!(points.iter().map(bits).collect::<Vec<_>>(), plain);
                if kind_b < 2 {
                    let other = compound(parts_of(&b));
                    for (a, b) in [(&a, &other), (&one, &other)] {
                        let points = contacts(phase, a, &pose_a, b, &pose_b);
                        assert_eq!(points.iter().map(bits).collect::<Vec<_>>(), plain);
                    }
                }
            }
        }
    }
    assert!(found.iter().all(|&count| count > 1000), "{found:?}");
}

/// Law: the contacts are those of all pairs of parts, asked for one by one without any bounds: none is passed over.
/// Wide envelopes, none, and shapes from just apart to deep inside each other.
#[test]
fn contacts_are_those_of_all_pairs_of_parts() {
    let mut rng = generator(72);
    let (mut total, mut tried) = (0, 0);
    for round in 0..3000 {
        let (count_a, spread) = (rng.random_range(1..6), rng.random_range(0.1..3.0));
        let a = compound(random_parts(&mut rng, count_a, spread));
        let b = match round % 4 {
            0 => random_shape(&mut rng, 2),
            1 => {
                let kind = rng.random_range(0..2);
                random_shape(&mut rng, kind)
            }
            _ => {
                let count_b = rng.random_range(1..6);
                compound(random_parts(&mut rng, count_b, spread))
            }
        };
        let (pose_a, pose_b) = (random_pose(&mut rng, 2.0), random_pose(&mut rng, 2.0));
        let phase = phase([0.0, 0.01, 0.3][round % 3]);
        let mut expected = Vec::new();
        let in_world = |pose: &Isometry3<f64>, part: &Part| pose * part.pose;
        for (i, part_a) in (0..).zip(parts_of(&a)) {
            for (j, part_b) in (0..).zip(parts_of(&b)) {
                let (at_a, at_b) = (in_world(&pose_a, &part_a), in_world(&pose_b, &part_b));
                let points = contacts(phase, &part_a.shape, &at_a, &part_b.shape, &at_b);
                expected.extend(points.iter().map(|point| ContactPoint {
                    feature: point.feature.of_parts(i, j),
                    ..*point
                }));
                tried += 1;
            }
        }
        let mut found: Vec<_> = contacts(phase, &a, &pose_a, &b, &pose_b).iter().map(bits).collect();
        let mut expected: Vec<_> = expected.iter().map(bits).collect();
        total += found.len();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }
    assert!(total > 3000 && total < 4 * tried, "{total} points of {tried} pairs");
}

/// Boxes stacked corner over corner, flush and tilted by noise, at exactly the envelope: where bounds are nearly all
/// there is to a contact, they still pass none over.
#[test]
fn bounds_pass_over_no_contact_at_the_edge_of_the_envelope() {
    let mut rng = generator(73);
    let mut total = 0;
    for _ in 0..20_000 {
        let (a, b) = (random_box(&mut rng), random_box(&mut rng));
        let envelope = 0.02;
        let reach = a.half_extents + b.half_extents;
        // Beside each other along x and y, to a hair; above each other by the envelope.
        let hair = 10.0_f64.powf(rng.random_range(-17.0..-3.0)) * if rng.random_range(0..2) == 0 { 1.0 } else { -1.0 };
        let corner = Translation3::new(reach.x + hair, reach.y + hair, reach.z + envelope);
        let tilt = UnitQuaternion::from_scaled_axis(Vector3::from_fn(|_, _| rng.random_range(-1e-6..1e-6)));
        let pose_a = random_pose(&mut rng, 1.0);
        let pose_b = pose_a * Isometry3::from_parts(corner, tilt);
        // Parts of their own frames, so that bounds are taken in a frame that is not the box's.
        let (in_a, in_b) = (random_pose(&mut rng, 1.0), random_pose(&mut rng, 1.0));
        let part = |cuboid, pose| {
            compound(vec![Part {
                shape: Shape::Cuboid(cuboid),
                pose,
            }])
        };
        let (body_a, body_b) = (pose_a * in_a.inverse(), pose_b * in_b.inverse());
        let (at_a, at_b) = (body_a * in_a, body_b * in_b);
        let plain = contacts(phase(envelope), &Shape::Cuboid(a), &at_a, &Shape::Cuboid(b), &at_b);
        let found = contacts(phase(envelope), &part(a, in_a), &body_a, &part(b, in_b), &body_b);
        total += plain.len();
        assert_eq!(found, plain);
    }
    assert!(total > 1000, "{total}");
}

/// Boxes side by side corner to corner, apart by a hair along both of their axes: the box–box method takes the corner as
/// on the face, and in a frame turned by 45° the bounds are √2 hairs apart.
#[test]
fn bounds_pass_over_no_corner_that_counts_as_on_a_face() {
    let cube = || {
        Shape::Cuboid(Cuboid {
            half_extents: Vector3::repeat(0.5),
        })
    };
    let eighth = Isometry3::rotation(Vector3::z() * std::f64::consts::FRAC_PI_4);
    let part = || {
        compound(vec![Part {
            shape: cube(),
            pose: eighth,
        }])
    };
    let envelope = 2e-4;
    let hair = 1.0 + 0.9 * envelope;
    for corner in [[hair, hair, 0.1], [-hair, hair, 0.1], [hair, -hair, -0.3]] {
        let there = Isometry3::from_parts(Vector3::from(corner).into(), UnitQuaternion::identity());
        let (body_a, body_b) = (eighth.inverse(), there * eighth.inverse());
        let plain = contacts(
            phase(envelope),
            &cube(),
            &(body_a * eighth),
            &cube(),
            &(body_b * eighth),
        );
        assert!(!plain.is_empty());
        assert_eq!(contacts(phase(envelope), &part(), &body_a, &part(), &body_b), plain);
    }
}

fn assert_swaps(phase: NarrowPhase, a: &Shape, pose_a: &Isometry3<f64>, b: &Shape, pose_b: &Isometry3<f64>) -> usize {
    let forward = contacts(phase, a, pose_a, b, pose_b);
    let backward = contacts(phase, b, pose_b, a, pose_a);
    let turned: Vec<_> = backward.iter().map(ContactPoint::swapped).collect();
    assert_eq!(forward, turned, "{a:?} {pose_a:?} {b:?} {pose_b:?}");
    for (f, b) in forward.iter().zip(&backward) {
        let (x, y) = b.feature.parts();
        assert_eq!(f.feature.parts(), (y, x));
        assert_eq!(f.normal.into_inner(), -b.normal.into_inner());
    }
    forward.len()
}

/// Law: exchanging A and B flips the normals, exchanges the halves of the ids, and changes nothing else, not even the
/// sequence; for compounds among themselves and with every other shape.
#[test]
fn swapping() {
    let mut rng = generator(74);
    let mut total = [0; 4];
    for round in 0..4000 {
        let kind = round % 4;
        let a = compound(random_parts(&mut rng, 1 + round % 5, 1.0));
        let b = if kind < 3 {
            random_shape(&mut rng, kind)
        } else {
            compound(random_parts(&mut rng, 1 + round / 7 % 5, 1.0))
        };
        let (pose_a, pose_b) = (random_pose(&mut rng, 1.0), random_pose(&mut rng, 1.0));
        for box_box in [BoxBoxMethod::Improved, BoxBoxMethod::Old] {
            let phase = NarrowPhase {
                box_box,
                envelope: 0.05,
            };
            total[kind] += assert_swaps(phase, &a, &pose_a, &b, &pose_b);
            // Equal compounds at different poses, and different compounds at equal poses.
            assert_swaps(phase, &a, &pose_a, &a, &pose_b);
            assert_swaps(phase, &a, &pose_a, &b, &pose_a);
        }
    }
    assert!(total.iter().all(|&count| count > 1000), "{total:?}");
}

/// Parts of two different compounds that lie exactly on each other have no order of their own; the compounds do.
#[test]
fn swapping_with_parts_in_one_place() {
    let cube = Shape::Cuboid(Cuboid {
        half_extents: Vector3::repeat(0.5),
    });
    let at = |x: f64| Part::at(cube.clone(), Vector3::new(x, 0.0, 0.0));
    let here = Isometry3::translation(0.1, 0.2, 0.3);
    // Mirror images have one size and one pose, and share the part in the middle.
    let left = compound(vec![at(0.0), at(-1.5)]);
    let right = compound(vec![at(0.0), at(1.5)]);
    assert!(assert_swaps(phase(0.01), &left, &here, &right, &here) > 0);
    // The same parts in another order.
    let turned = compound(vec![at(-1.5), at(0.0)]);
    assert!(assert_swaps(phase(0.01), &left, &here, &turned, &here) > 0);
    // A primitive exactly on a part.
    let more = compound(vec![at(0.0), at(1.5), at(-1.5)]);
    assert!(assert_swaps(phase(0.01), &more, &here, &cube, &here) > 0);
    let balls = |x: f64| {
        compound(
            [0.0, x]
                .map(|x| Part::at(Shape::Sphere(Sphere { radius: 0.5 }), Vector3::x() * x))
                .to_vec(),
        )
    };
    assert!(assert_swaps(phase(0.01), &balls(0.9), &here, &balls(-0.9), &here) > 0);
}

/// Law: a box cut into eight, flush on a plate or a half-space, touches it where the box does: the box's own corners
/// are among its points with the same depths, no point is deeper, and all lie in the box's footprint.
#[test]
fn a_box_cut_into_eight_touches_like_the_box() {
    let half = Vector3::new(0.5, 0.4, 0.3);
    let parts = (0..8).map(|octant| {
        let sign = Vector3::from_fn(|k, _| if octant >> k & 1 == 1 { 0.5 } else { -0.5 });
        let shape = Shape::Cuboid(Cuboid {
            half_extents: 0.5 * half,
        });
        Part::at(shape, half.component_mul(&sign))
    });
    let cut = compound(parts.collect());
    let whole = Shape::Cuboid(Cuboid { half_extents: half });
    let ground = Shape::HalfSpace(HalfSpace {
        normal: Vector3::z_axis(),
    });
    let plate = Shape::Cuboid(Cuboid {
        half_extents: Vector3::new(2.0, 2.0, 0.1),
    });
    let plate_pose = Isometry3::translation(0.1, 0.0, -0.1);
    for turn in [0.0, 0.3, 1.2] {
        let sink = 0.01;
        let rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn);
        let pose = Isometry3::from_parts(Translation3::new(0.2, 0.1, half.z - sink), rotation);
        for (base, base_pose) in [(&ground, Isometry3::identity()), (&plate, plate_pose)] {
            let one = contacts(phase(1e-3), base, &base_pose, &whole, &pose);
            let eight = contacts(phase(1e-3), base, &base_pose, &cut, &pose);
            assert_eq!((one.len(), eight.len()), (4, 16));
            for point in &one {
                let same = eight.iter().filter(|p| (p.position - point.position).norm() < 1e-12);
                let same: Vec<_> = same.collect();
                assert_eq!(same.len(), 1);
                assert!((same[0].depth - point.depth).abs() < 1e-12);
                // The corner of the box is the same corner of the part at that corner.
                let (_, Feature::Corner(corner)) = point.feature.features() else {
                    panic!("{point:?}")
                };
                assert_eq!(same[0].feature.features().1, Feature::Corner(corner));
                assert_eq!(same[0].feature.parts(), (0, u16::from(corner)));
            }
            for point in &eight {
                assert!((point.depth - sink).abs() < 1e-12);
                assert!((point.normal.into_inner() - Vector3::z()).norm() < 1e-15);
                let local = pose.inverse_transform_point(&point.position);
                assert!((0..3).all(|k| local[k].abs() <= half[k] + 1e-12), "{local}");
            }
        }
    }
}

/// Law: ids are unique within a manifold, and a small motion that brings no new features into touch keeps them all.
#[test]
fn ids_are_unique_and_persist() {
    let mut rng = generator(75);
    let (mut kept, mut total) = (0, 0);
    for _ in 0..1000 {
        let (a, b) = (
            compound(random_parts(&mut rng, 4, 1.0)),
            compound(random_parts(&mut rng, 4, 1.0)),
        );
        let (pose_a, pose_b) = (random_pose(&mut rng, 1.0), random_pose(&mut rng, 1.0));
        let ids = |pose_b: &Isometry3<f64>| {
            let found = contacts(phase(0.01), &a, &pose_a, &b, pose_b);
            let ids: BTreeSet<FeatureId> = found.iter().map(|contact| contact.feature).collect();
            assert_eq!(ids.len(), found.len(), "{found:?}");
            ids
        };
        let before = ids(&pose_b);
        let push = Translation3::from(Vector3::from_fn(|_, _| rng.random_range(-1e-7..1e-7)));
        let after = ids(&(push * pose_b));
        total += before.len();
        kept += before.intersection(&after).count();
    }
    // A motion of 1e-7 changes features of bodies of size 1 in about 1e-6 of all points.
    assert!(total > 10_000 && total - kept < total / 1000, "{kept} of {total}");
}

#[test]
fn ids_name_parts_beside_features() {
    let features = [Feature::Whole, Feature::Corner(7), Feature::Edge(11), Feature::Face(5)];
    let mut seen = BTreeSet::new();
    for a in features {
        for b in features {
            for parts in [(0, 0), (1, 0), (0, 1), (256, 3), (65_535, 65_534)] {
                let id = FeatureId::new(a, b).of_parts(parts.0, parts.1);
                assert_eq!((id.features(), id.parts()), ((a, b), parts));
                assert_eq!(id.swapped(), FeatureId::new(b, a).of_parts(parts.1, parts.0));
                assert_eq!(id.swapped().swapped(), id);
                assert_eq!(id.of_parts(0, 0), FeatureId::new(a, b), "the old parts are forgotten");
                assert!(seen.insert(id));
            }
        }
    }
}

/// The last of the most parts there can be is still told from the first.
#[test]
fn the_last_part_has_its_own_id() {
    let ball = |z: f64| Part::at(Shape::Sphere(Sphere { radius: 0.4 }), Vector3::new(0.0, 0.0, z));
    let pearls = compound((0..Compound::MAX_PARTS).map(|k| ball(k as f64)).collect());
    let probe = Shape::Sphere(Sphere { radius: 0.2 });
    let here = Isometry3::identity();
    let at = |z: f64| Isometry3::translation(0.5, 0.0, z);
    for part in [0, 1, 255, 256, u16::MAX] {
        let found = contacts(phase(0.0), &pearls, &here, &probe, &at(f64::from(part)));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].feature.parts(), (part, 0));
        let top = Point3::new(0.35, 0.0, f64::from(part));
        assert!((found[0].position - top).norm() < 1e-10);
    }
}
