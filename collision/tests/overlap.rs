//! Yes or no: do two solids share a point? Compared with alternating projections, which know nothing of axes, and with the
//! contact generator.

mod common;

use common::{
    BoxSample, corners, generator, least_overlaps, random_box_pair, random_direction, random_pose, random_shape,
    random_slab_pair,
};
use drystone_collision::{Compound, Cuboid, HalfSpace, NarrowPhase, Part, Shape, Sphere, overlaps};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use rand::RngExt;
use rand_pcg::Pcg64;

fn ball(radius: f64) -> Shape {
    Shape::Sphere(Sphere { radius })
}

fn cube(half: f64) -> Shape {
    Shape::Cuboid(Cuboid {
        half_extents: Vector3::repeat(half),
    })
}

fn level() -> Shape {
    Shape::HalfSpace(HalfSpace {
        normal: Vector3::z_axis(),
    })
}

fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

/// Kinds 0 to 2 as elsewhere, and 3 for a compound of two to four parts.
fn any_shape(rng: &mut Pcg64, kind: usize) -> Shape {
    if kind < 3 {
        return random_shape(rng, kind);
    }
    let part = |_| {
        let kind = rng.random_range(0..2);
        Part {
            shape: random_shape(rng, kind),
            pose: random_pose(rng, 1.0),
        }
    };
    let count = 2 + (kind - 3) % 3;
    Shape::Compound(Compound::new((0..count).map(part).collect::<Vec<_>>()).unwrap())
}

/// The convex pieces of a shape in the world.
fn pieces(shape: &Shape, pose: &Isometry3<f64>) -> Vec<(Shape, Isometry3<f64>)> {
    match shape {
        Shape::Compound(compound) => {
            let parts = compound.parts().iter();
            parts.map(|part| (part.shape.clone(), pose * part.pose)).collect()
        }
        other => vec![(other.clone(), *pose)],
    }
}

/// The point of a convex solid that is closest to a given one.
fn closest((shape, pose): &(Shape, Isometry3<f64>), point: &Point3<f64>) -> Point3<f64> {
    let local = pose.inverse_transform_point(point).coords;
    let found = match shape {
        Shape::Sphere(sphere) => local * f64::min(1.0, sphere.radius / local.norm().max(1e-300)),
        Shape::Cuboid(cuboid) => local.zip_map(&cuboid.half_extents, |x, half| x.clamp(-half, half)),
        Shape::HalfSpace(plane) => local - plane.normal.into_inner() * plane.normal.dot(&local).max(0.0),
        Shape::Compound(_) => unreachable!("pieces are convex"),
    };
    pose * Point3::from(found)
}

/// How far a convex solid reaches along a direction.
fn support((shape, pose): &(Shape, Isometry3<f64>), direction: &Vector3<f64>) -> f64 {
    let reach = match shape {
        Shape::Sphere(sphere) => sphere.radius * direction.norm(),
        Shape::Cuboid(cuboid) => {
            let corners = corners(cuboid, pose);
            return corners
                .iter()
                .map(|c| c.coords.dot(direction))
                .fold(f64::NEG_INFINITY, f64::max);
        }
        Shape::HalfSpace(plane) => {
            let normal = pose * plane.normal.into_inner();
            // Bounded along its normal only.
            if (direction.normalize() - normal).norm() < 1e-7 {
                0.0
            } else {
                f64::INFINITY
            }
        }
        Shape::Compound(_) => unreachable!("pieces are convex"),
    };
    pose.translation.vector.dot(direction) + reach
}

/// Alternating projections (von Neumann): going to the closest point of the one and of the other solid in turn leads to a
/// common point, or to the two closest points. Either is proved: a point in both, or a plane between them.
fn decide(a: &(Shape, Isometry3<f64>), b: &(Shape, Isometry3<f64>)) -> Option<bool> {
    let mut in_a = closest(a, &Point3::from(b.1.translation.vector));
    for _ in 0..3000 {
        let in_b = closest(b, &in_a);
        in_a = closest(a, &in_b);
        let gap = in_b - in_a;
        if gap.norm() < 1e-11 {
            return Some(true);
        }
        let direction = gap.normalize();
        let width = -support(b, &-direction) - support(a, &direction);
        if width > 1e-9 {
            return Some(false);
        }
    }
    None
}

/// Law: `overlaps` says what is proved, for all pairs of kinds and in both orders. No tolerance, but cases that three
/// thousand projections do not decide are left out, and must be few.
#[test]
fn it_agrees_with_what_is_proved() {
    let mut rng = generator(91);
    let (mut yes, mut no, mut open) = (0, 0, 0);
    for kind_a in 0..6 {
        for kind_b in 0..6 {
            for _ in 0..150 {
                let (a, b) = (any_shape(&mut rng, kind_a), any_shape(&mut rng, kind_b));
                let (pose_a, pose_b) = (random_pose(&mut rng, 1.3), random_pose(&mut rng, 1.3));
                let found = overlaps(&a, &pose_a, &b, &pose_b);
                assert_eq!(found, overlaps(&b, &pose_b, &a, &pose_a), "exchanged");
                if kind_a == 2 && kind_b == 2 {
                    assert!(found, "planes at an angle meet");
                    continue;
                }
                let others = pieces(&b, &pose_b);
                let decisions: Vec<_> = pieces(&a, &pose_a)
                    .iter()
                    .flat_map(|a| others.iter().map(|b| decide(a, b)).collect::<Vec<_>>())
                    .collect();
                if decisions.contains(&Some(true)) {
                    assert!(found, "{a:?} at {pose_a}, {b:?} at {pose_b}");
                    yes += 1;
                } else if decisions.contains(&None) {
                    open += 1;
                } else {
                    assert!(!found, "{a:?} at {pose_a}, {b:?} at {pose_b}");
                    no += 1;
                }
            }
        }
    }
    assert!(yes > 1000 && no > 1000 && open < 50, "{yes} yes, {no} no, {open} open");
}

/// Law: the sign of the least overlap over 15 axes, here by brute force over corners, for boxes in all the situations a
/// simulation meets, nearly aligned ones among them. Tolerance: 1e-8 of a size, as documented; slabs are up to 10 m long.
#[test]
fn boxes_agree_with_all_fifteen_axes() {
    let mut rng = generator(92);
    let (mut yes, mut no) = (0, 0);
    for round in 0..20_000 {
        let sample = if round % 2 == 0 {
            random_box_pair(&mut rng)
        } else {
            random_slab_pair(&mut rng)
        };
        let BoxSample { a, pose_a, b, pose_b } = &sample;
        let (a, b) = (Shape::Cuboid(*a), Shape::Cuboid(*b));
        let found = overlaps(&a, pose_a, &b, pose_b);
        assert_eq!(found, overlaps(&b, pose_b, &a, pose_a));
        let (_, least) = least_overlaps(&sample);
        if least.abs() > 1e-7 {
            assert_eq!(found, least > 0.0, "{least}");
        }
        yes += usize::from(found);
        no += usize::from(!found);
    }
    assert!(yes > 3000 && no > 1000, "{yes} yes, {no} no");
}

/// Law: what overlaps has a contact point of positive depth, what doesn't has none. The contact generator takes edges at
/// an angle below 1e-4 as parallel, so it may be wrong by that share of a size of 2 m.
#[test]
fn it_agrees_with_the_contact_generator() {
    let mut rng = generator(93);
    let mut found = [0; 2];
    let mut points = Vec::new();
    for round in 0..20_000 {
        let (kind_a, kind_b) = (round % 4, round / 4 % 4);
        if kind_a == 2 && kind_b == 2 {
            continue;
        }
        let (a, pose_a, b, pose_b) = if kind_a == 1 && kind_b == 1 {
            let s = random_box_pair(&mut rng);
            (Shape::Cuboid(s.a), s.pose_a, Shape::Cuboid(s.b), s.pose_b)
        } else {
            let (a, b) = (any_shape(&mut rng, kind_a), any_shape(&mut rng, kind_b));
            (a, random_pose(&mut rng, 1.3), b, random_pose(&mut rng, 1.3))
        };
        points.clear();
        NarrowPhase::default().contacts(&a, &pose_a, &b, &pose_b, &mut points);
        let deepest = points.iter().map(|point| point.depth).fold(f64::NEG_INFINITY, f64::max);
        let overlap = overlaps(&a, &pose_a, &b, &pose_b);
        found[usize::from(overlap)] += 1;
        if overlap {
            // Solids of nearly one size: none is wholly inside another without its surface being near.
            assert!(deepest > -1e-9 || is_inside(&a, &pose_a, &b, &pose_b), "{deepest}");
        } else {
            assert!(deepest < 2e-4, "{deepest}");
        }
    }
    assert!(found.iter().all(|&count| count > 2000), "{found:?}");
}

/// Whether a point of A's every piece is in B, or the other way round.
fn is_inside(a: &Shape, pose_a: &Isometry3<f64>, b: &Shape, pose_b: &Isometry3<f64>) -> bool {
    let holds = |outer: &(Shape, Isometry3<f64>), inner: &(Shape, Isometry3<f64>)| {
        let centre = Point3::from(inner.1.translation.vector);
        (closest(outer, &centre) - centre).norm() < 1e-12
    };
    let (a, b) = (pieces(a, pose_a), pieces(b, pose_b));
    a.iter().any(|a| b.iter().any(|b| holds(a, b) || holds(b, a)))
}

/// Law: a solid inside another overlaps it, wherever it is and however it is turned, though their surfaces are apart.
#[test]
fn a_solid_inside_another_overlaps_it() {
    let mut rng = generator(94);
    let lumpy = Compound::new([
        Part::at(cube(20.0), Vector3::new(5.0, 0.0, 0.0)),
        Part::at(ball(1.0), Vector3::zeros()),
    ]);
    let large = [ball(20.0), cube(20.0), level(), Shape::Compound(lumpy.unwrap())];
    for outer in &large {
        for kind in [0, 1, 3, 4] {
            for _ in 0..200 {
                let small = any_shape(&mut rng, kind);
                let inside = Isometry3::from_parts(
                    Translation3::new(0.0, 0.0, -8.0) * Translation3::from(common::random_vector(&mut rng, 1.0)),
                    common::random_rotation(&mut rng),
                );
                let frame = random_pose(&mut rng, 50.0);
                assert!(overlaps(outer, &frame, &small, &(frame * inside)));
                assert!(overlaps(&small, &(frame * inside), outer, &frame));
                let far = frame * at(0.0, 0.0, 60.0) * inside;
                assert!(!overlaps(outer, &frame, &small, &far));
            }
        }
    }
}

/// Law: solids are closed. All numbers here are exact in floating point.
#[test]
fn touching_counts() {
    let here = Isometry3::identity();
    let quarter = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2);
    for (a, b, reach) in [
        (ball(0.5), ball(0.25), 0.75),
        (cube(0.5), ball(0.25), 0.75),
        (cube(0.5), cube(0.25), 0.75),
        (level(), ball(0.25), 0.25),
        (level(), cube(0.25), 0.25),
    ] {
        assert!(overlaps(&a, &here, &b, &at(0.0, 0.0, reach)));
        assert!(overlaps(&b, &at(0.0, 0.0, reach), &a, &here));
        assert!(!overlaps(&a, &here, &b, &at(0.0, 0.0, reach + 1e-9)));
        let turned = Isometry3::from_parts(Translation3::new(0.0, 0.0, reach + 1e-9), quarter);
        assert!(!overlaps(&a, &here, &b, &turned));
    }
    // A corner in a corner.
    assert!(overlaps(&cube(0.5), &here, &cube(0.5), &at(1.0, 1.0, 1.0)));
    assert!(!overlaps(&cube(0.5), &here, &cube(0.5), &at(1.0, 1.0, 1.0 + 1e-9)));
}

/// Law: half-spaces meet unless they face away from each other across a gap.
#[test]
fn half_spaces_meet_unless_they_face_away() {
    let mut rng = generator(95);
    let ceiling = Shape::HalfSpace(HalfSpace {
        normal: -Vector3::z_axis(),
    });
    for _ in 0..500 {
        let frame = random_pose(&mut rng, 5.0);
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), rng.random_range(0.0..6.0));
        let at_height = |z: f64| frame * Isometry3::from_parts(Translation3::new(0.3, -2.0, z), turn);
        let (floor, below, above) = (frame, at_height(-1e-3), at_height(1e-3));
        assert!(overlaps(&level(), &floor, &ceiling, &below));
        assert!(overlaps(&ceiling, &below, &level(), &floor));
        assert!(!overlaps(&level(), &floor, &ceiling, &above));
        assert!(!overlaps(&ceiling, &above, &level(), &floor));
        // Facing the same way one holds the other; at the slightest angle they meet.
        assert!(overlaps(&level(), &floor, &level(), &above));
        let slanted = above * UnitQuaternion::from_scaled_axis(Vector3::x() * 1e-6);
        assert!(overlaps(&level(), &floor, &ceiling, &slanted));
        let any = Isometry3::from_parts(above.translation, common::random_rotation(&mut rng));
        let plane = Shape::HalfSpace(HalfSpace {
            normal: random_direction(&mut rng),
        });
        assert!(overlaps(&level(), &floor, &plane, &any));
    }
    assert!(overlaps(&level(), &Isometry3::identity(), &ceiling, &at(1.0, 2.0, 0.0)));
}

#[test]
fn a_nan_overlaps_nothing() {
    let mut rng = generator(96);
    let nowhere = at(0.0, f64::NAN, 0.0);
    for kind_a in 0..4 {
        for kind_b in 0..4 {
            let (a, b) = (any_shape(&mut rng, kind_a), any_shape(&mut rng, kind_b));
            assert!(
                !overlaps(&a, &nowhere, &b, &Isometry3::identity()),
                "{kind_a}, {kind_b}"
            );
        }
    }
}
