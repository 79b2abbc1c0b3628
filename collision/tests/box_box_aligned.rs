//! Exactly aligned, deep and nested boxes: the cases a simulation starts from.

mod common;

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

use common::{BoxSample, box_contacts, generator, greatest_depth, least_overlaps, random_box, random_pose};
use drystone_collision::{BoxBoxMethod::Improved, ContactPoint, Cuboid};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use rand::RngExt;

fn cuboid(x: f64, y: f64, z: f64) -> Cuboid {
    Cuboid {
        half_extents: Vector3::new(x, y, z),
    }
}

fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

fn turned(angle: f64) -> Isometry3<f64> {
    Isometry3::rotation(Vector3::z() * angle)
}

fn sample(a: Cuboid, pose_a: Isometry3<f64>, b: Cuboid, pose_b: Isometry3<f64>) -> BoxSample {
    BoxSample { a, pose_a, b, pose_b }
}

/// The points are the expected ones in some order, to rounding.
fn assert_points(contacts: &[ContactPoint], expected: &[[f64; 3]]) {
    assert_eq!(contacts.len(), expected.len(), "{contacts:?}");
    for point in expected {
        let nearest = contacts
            .iter()
            .map(|contact| (contact.position - Point3::from(*point)).norm())
            .fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-12, "{point:?} is not among {contacts:?}");
    }
}

/// Law: the contacts of overlapping boxes separate them, exactly here: no slack.
fn assert_separates(mut s: BoxSample, what: &str) -> Vec<ContactPoint> {
    let contacts = box_contacts(Improved, 0.0, &s);
    assert!(!contacts.is_empty(), "{what}");
    let depth = greatest_depth(&contacts);
    let (_, least) = least_overlaps(&s);
    assert!((depth - least).abs() < 1e-9, "{what}: {depth} is not {least}");
    s.pose_b.translation.vector += contacts[0].normal.into_inner() * depth;
    let (_, left) = least_overlaps(&s);
    assert!(left < 1e-9, "{what}: {left} left");
    contacts
}

#[test]
fn a_cube_flush_on_a_cube_touches_at_its_four_corners() {
    let cube = cuboid(0.5, 0.5, 0.5);
    let corners = [[-0.5, -0.5, 0.5], [0.5, -0.5, 0.5], [0.5, 0.5, 0.5], [-0.5, 0.5, 0.5]];
    let quarter_turns = [0.0, 1.0, 2.0, 3.0].map(|turns| at(0.0, 0.0, 1.0) * turned(turns * FRAC_PI_2));
    for upper in quarter_turns {
        let contacts = box_contacts(Improved, 0.0, &sample(cube, at(0.0, 0.0, 0.0), cube, upper));
        assert_points(&contacts, &corners);
        for contact in &contacts {
            assert!((contact.normal.into_inner() - Vector3::z()).norm() < 1e-15);
            assert!(contact.depth.abs() < 1e-15);
        }
    }
}

#[test]
fn a_brick_bridging_two_bricks_has_four_points_with_each() {
    let brick = cuboid(1.0, 0.5, 0.25);
    let upper = at(1.0, 0.0, 0.5);
    for (lower, left) in [(0.0, 0.0), (2.0, 1.0)] {
        let contacts = box_contacts(Improved, 0.0, &sample(brick, at(lower, 0.0, 0.0), brick, upper));
        let right = left + 1.0;
        let expected = [
            [left, -0.5, 0.25],
            [left, 0.5, 0.25],
            [right, -0.5, 0.25],
            [right, 0.5, 0.25],
        ];
        assert_points(&contacts, &expected);
    }
}

#[test]
fn a_cube_turned_by_45_degrees_on_a_cube_has_eight_points() {
    let cube = cuboid(0.5, 0.5, 0.5);
    let upper = at(0.0, 0.0, 1.0) * turned(FRAC_PI_4);
    let contacts = box_contacts(Improved, 0.0, &sample(cube, at(0.0, 0.0, 0.0), cube, upper));
    // The octagon |x|, |y| ≤ ½, |x ± y| ≤ √½.
    let near = 0.5_f64.sqrt() - 0.5;
    let mut expected = Vec::new();
    for (x, y) in [(0.5, near), (near, 0.5)] {
        for (sx, sy) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            expected.push([sx * x, sy * y, 0.5]);
        }
    }
    assert_points(&contacts, &expected);
}

#[test]
fn corners_of_both_boxes_are_found() {
    // Shifted along the diagonal: a corner of each, and two crossings.
    let cube = cuboid(0.5, 0.5, 0.5);
    let s = sample(cube, at(0.0, 0.0, 0.0), cube, at(0.25, 0.25, 1.0));
    let expected = [
        [-0.25, -0.25, 0.5],
        [0.5, 0.5, 0.5],
        [-0.25, 0.5, 0.5],
        [0.5, -0.25, 0.5],
    ];
    assert_points(&box_contacts(Improved, 0.0, &s), &expected);

    // A post under a plate, and the plate under the post: the post's corners.
    let (post, plate) = (cuboid(0.1, 0.2, 1.0), cuboid(2.0, 2.0, 0.125));
    let expected = [[-0.1, -0.2, 1.0], [0.1, -0.2, 1.0], [-0.1, 0.2, 1.0], [0.1, 0.2, 1.0]];
    let s = sample(post, at(0.0, 0.0, 0.0), plate, at(0.3, 0.4, 1.125));
    assert_points(&box_contacts(Improved, 0.0, &s), &expected);

    // A box on one of its edges: the edge's two ends.
    let rolled = Isometry3::from_parts(
        Translation3::new(0.0, 0.0, 0.125 + 0.5_f64.sqrt()),
        UnitQuaternion::from_axis_angle(&Vector3::y_axis(), FRAC_PI_4),
    );
    let s = sample(plate, at(0.0, 0.0, 0.0), cube, rolled);
    let contacts = box_contacts(Improved, 1e-9, &s);
    assert_points(&contacts, &[[0.0, -0.5, 0.125], [0.0, 0.5, 0.125]]);
}

/// Law: the depth of a face contact is measured at the point, along the reference normal.
#[test]
fn a_tilted_box_is_deepest_where_it_is_lowest() {
    let (plate, cube) = (cuboid(5.0, 5.0, 1.0), cuboid(0.5, 0.5, 0.5));
    let tilt = 0.02_f64;
    let pose = Isometry3::from_parts(
        Translation3::new(0.0, 0.0, 1.49),
        UnitQuaternion::from_axis_angle(&Vector3::y_axis(), tilt),
    );
    let contacts = box_contacts(Improved, 0.1, &sample(plate, at(0.0, 0.0, 0.0), cube, pose));
    assert_eq!(contacts.len(), 4);
    for contact in &contacts {
        assert_eq!(contact.normal.into_inner(), Vector3::z());
        // Rotation about y lowers positive x: corner height −½ cos t ∓ ½ sin t about the centre.
        let side = if contact.position.x > 0.0 { 1.0 } else { -1.0 };
        let expected = 1.0 - (1.49 - 0.5 * tilt.cos() - side * 0.5 * tilt.sin());
        assert!((contact.depth - expected).abs() < 1e-14);
        assert!((contact.position.z - (1.0 - 0.5 * expected)).abs() < 1e-14);
    }
}

#[test]
fn deep_and_exact_overlaps_separate() {
    let mut rng = generator(61);
    for _ in 0..300 {
        let (a, b) = (random_box(&mut rng), random_box(&mut rng));
        let base = if rng.random_range(0..2) == 0 {
            at(0.0, 0.0, 0.0)
        } else {
            random_pose(&mut rng, 2.0)
        };
        let small = Cuboid {
            half_extents: a.half_extents * 0.2,
        };
        let check = |b: Cuboid, relative: Isometry3<f64>, what: &str| {
            assert_separates(sample(a, base, b, base * relative), what)
        };
        check(a, at(0.0, 0.0, 0.0), "identical");
        check(b, at(0.0, 0.0, 0.0), "concentric");
        for angle in [FRAC_PI_4, FRAC_PI_2] {
            check(a, turned(angle), "turned in place");
            let height = a.half_extents.z + b.half_extents.z;
            check(b, at(0.0, 0.0, height - 1e-3) * turned(angle), "turned on top");
            check(b, at(0.0, 0.0, height - 0.1) * turned(angle), "turned on top, deep");
        }
        check(small, at(0.0, 0.0, 0.0), "inside, concentric");
        check(small, at(0.1 * a.half_extents.x, 0.2 * a.half_extents.y, 0.0), "inside");
        let flush = 0.8 * a.half_extents;
        check(small, at(flush.x, flush.y, flush.z), "inside, in the corner");
        check(small, at(0.0, 0.0, flush.z), "inside, flush with a face");
        for axis in 0..3 {
            for share in [0.5, 1.0, 1.5, 1.9] {
                let shift = Vector3::ith(axis, share * a.half_extents[axis]);
                let contacts = check(
                    a,
                    Isometry3::from_parts(shift.into(), UnitQuaternion::identity()),
                    "shifted",
                );
                assert_eq!(contacts.len(), 4, "equal boxes shifted along an axis share a rectangle");
            }
        }
        let resting = check(a, at(0.0, 0.0, 1.999 * a.half_extents.z), "stacked, sides flush");
        assert_eq!(resting.len(), 4);
        let half = check(
            a,
            at(a.half_extents.x, 0.0, 1.999 * a.half_extents.z),
            "shifted by half",
        );
        assert_eq!(half.len(), 4);
    }
}

/// Law: a corner exactly on a face or edge of the other box makes one point there, no more.
#[test]
fn a_corner_on_a_border_makes_one_point() {
    let cube = cuboid(0.5, 0.5, 0.5);
    let small = cuboid(0.125, 0.125, 0.125);
    // On the face; on an edge of the face; corner on corner; all exact in floating point.
    for (x, y) in [(0.0, 0.0), (0.375, 0.0), (0.375, 0.375), (-0.375, 0.25)] {
        let s = sample(cube, at(0.0, 0.0, 0.0), small, at(x, y, 0.625));
        let expected: Vec<_> = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
            .map(|(sx, sy)| [x + 0.125 * sx, y + 0.125 * sy, 0.5])
            .to_vec();
        assert_points(&box_contacts(Improved, 0.0, &s), &expected);
    }
    // Standing on one corner, on the middle of an edge: a single point.
    let on_corner = UnitQuaternion::rotation_between(&Vector3::repeat(1.0), &Vector3::z()).unwrap();
    let height = 0.5 + 0.125 * 3.0_f64.sqrt();
    for (x, y) in [(0.1, 0.2), (0.5, 0.0), (0.5, 0.5)] {
        let pose = Isometry3::from_parts(Translation3::new(x, y, height), on_corner);
        let contacts = box_contacts(Improved, 1e-6, &sample(cube, at(0.0, 0.0, 0.0), small, pose));
        assert_points(&contacts, &[[x, y, 0.5]]);
    }
}

/// Law: where two sides run along each other within the tolerance, their ends are the contacts and
/// their crossing in between is not, whichever box has the reference face. A turn of 2e-4 puts the
/// ends 8e-5 off the border; the tolerance is 1e-3 of a quarter.
#[test]
fn nearly_flush_sides_do_not_cross() {
    let short = cuboid(0.4, 0.5, 0.25);
    let long = cuboid(1.0, 0.5, 0.25);
    // The same box standing on another axis, so that the canonical order is the other one.
    let upended = cuboid(0.25, 0.5, 1.0);
    let lay = Isometry3::rotation(Vector3::y() * FRAC_PI_2);
    for (lower, pose) in [(long, at(0.0, 0.0, 0.0)), (upended, lay)] {
        let upper = at(0.0, 0.0, 0.5) * turned(2e-4);
        let contacts = box_contacts(Improved, 1e-6, &sample(lower, pose, short, upper));
        assert_eq!(contacts.len(), 4, "{contacts:?}");
        for contact in &contacts {
            assert!((contact.position.x.abs() - 0.4).abs() < 2e-4);
            assert!((contact.position.y.abs() - 0.5).abs() < 2e-4);
        }
    }
}
