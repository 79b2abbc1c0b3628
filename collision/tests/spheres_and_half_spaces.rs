//! Spheres against closed forms and a brute-force closest point; boxes against a plane.

mod common;

use common::{corners, generator, random_box, random_direction, random_pose, random_vector};
use drystone_collision::{ContactPoint, Cuboid, Feature, HalfSpace, NarrowPhase, Shape, Sphere};
use nalgebra::{Isometry3, Point3, Unit, Vector3};
use rand::RngExt;

fn contacts(
    envelope: f64,
    a: &Shape,
    pose_a: &Isometry3<f64>,
    b: &Shape,
    pose_b: &Isometry3<f64>,
) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    NarrowPhase {
        envelope,
        ..NarrowPhase::default()
    }
    .contacts(a, pose_a, b, pose_b, &mut out);
    out
}

/// Law: depth is r_a + r_b − distance, and half a depth to either side are the surfaces.
/// Tolerance: rounding.
#[test]
fn two_spheres() {
    let mut rng = generator(81);
    for _ in 0..5000 {
        let radii = [rng.random_range(0.1..1.0), rng.random_range(0.1..1.0)];
        let (pa, pb) = (random_pose(&mut rng, 1.0), random_pose(&mut rng, 1.0));
        let [a, b] = radii.map(|radius| Shape::Sphere(Sphere { radius }));
        let found = contacts(0.1, &a, &pa, &b, &pb);
        let distance = (pb.translation.vector - pa.translation.vector).norm();
        let depth = radii[0] + radii[1] - distance;
        if depth < -0.1 {
            assert!(found.is_empty());
            continue;
        }
        let [contact] = found[..] else {
            panic!("one point, not {found:?}")
        };
        let (normal, position) = (contact.normal.into_inner(), contact.position.coords);
        assert!((contact.depth - depth).abs() < 1e-13);
        assert!((pa.translation.vector + normal * distance - pb.translation.vector).norm() < 1e-13);
        let surface_a = pa.translation.vector + normal * radii[0];
        let surface_b = pb.translation.vector - normal * radii[1];
        assert!((position - 0.5 * (surface_a + surface_b)).norm() < 1e-13);
    }
}

#[test]
fn concentric_spheres_part_along_z() {
    let [a, b] = [1.0, 2.0].map(|radius| Shape::Sphere(Sphere { radius }));
    let pose = Isometry3::translation(1.0, 2.0, 3.0);
    let found = contacts(0.0, &a, &pose, &b, &pose);
    assert_eq!(found[0].normal.into_inner(), Vector3::z());
    assert_eq!(found[0].depth, 3.0);
    assert_eq!(
        contacts(0.0, &b, &pose, &a, &pose)[0].normal.into_inner(),
        -Vector3::z()
    );
}

/// The distance from a point to the surface of a box, and the closest surface point, by search:
/// a 9 × 9 grid on each face, refined 60 times about its best point by a factor 0.7. The squared
/// distance is convex on a face, so the best grid point's neighbourhood holds the minimum.
fn search_surface(half: &Vector3<f64>, point: &Vector3<f64>) -> (f64, Vector3<f64>) {
    let mut best = (f64::INFINITY, Vector3::zeros());
    for axis in 0..3 {
        let (first, second) = ((axis + 1) % 3, (axis + 2) % 3);
        for side in [-1.0, 1.0] {
            let (mut u, mut v, mut width) = (0.0, 0.0, 1.0);
            let mut on_face = (f64::INFINITY, Vector3::zeros());
            for _ in 0..60 {
                let (centre_u, centre_v) = (u, v);
                for i in -4..=4 {
                    for j in -4..=4 {
                        let s = f64::clamp(centre_u + width * f64::from(i) / 4.0, -1.0, 1.0);
                        let t = f64::clamp(centre_v + width * f64::from(j) / 4.0, -1.0, 1.0);
                        let mut candidate = Vector3::zeros();
                        candidate[axis] = side * half[axis];
                        candidate[first] = s * half[first];
                        candidate[second] = t * half[second];
                        let distance = (candidate - point).norm();
                        if distance < on_face.0 {
                            on_face = (distance, candidate);
                            (u, v) = (s, t);
                        }
                    }
                }
                width *= 0.7;
            }
            if on_face.0 < best.0 {
                best = on_face;
            }
        }
    }
    best
}

/// Law: the contact is at the box's surface point closest to the centre, and its depth is
/// r − distance, or r + distance for a centre inside.
///
/// Tolerance: the search ends with a grid of 0.7⁶⁰ ≈ 5e-10; near its minimum a distance is found
/// to the square of that, a point only to the square root of rounding, some 1e-7.
#[test]
fn sphere_and_box_against_a_search() {
    let mut rng = generator(82);
    let mut inside_count = 0;
    for _ in 0..400 {
        let cuboid = random_box(&mut rng);
        let pose_box = random_pose(&mut rng, 1.0);
        let centre = random_vector(&mut rng, 1.3);
        let pose_ball = pose_box * Isometry3::translation(centre.x, centre.y, centre.z);
        let radius = rng.random_range(0.1..1.0);
        let (distance, closest) = search_surface(&cuboid.half_extents, &centre);
        let inside = (0..3).all(|k| centre[k].abs() <= cuboid.half_extents[k]);
        inside_count += usize::from(inside);
        let depth = if inside { radius + distance } else { radius - distance };
        let ball = Shape::Sphere(Sphere { radius });
        let found = contacts(0.2, &Shape::Cuboid(cuboid), &pose_box, &ball, &pose_ball);
        if depth < -0.2 - 1e-9 {
            assert!(found.is_empty());
        } else if depth > -0.2 + 1e-9 {
            let [contact] = found[..] else {
                panic!("one point, not {found:?}")
            };
            assert!((contact.depth - depth).abs() < 1e-9, "{contact:?} {depth}");
            assert!((contact.normal.norm() - 1.0).abs() < 1e-12);
            let half = contact.normal.into_inner() * (0.5 * contact.depth);
            let on_box = pose_box.inverse_transform_point(&(contact.position + half));
            assert!((on_box.coords - closest).norm() < 1e-5, "{on_box} {closest}");
            let on_ball = contact.position - half - Point3::from(pose_ball.translation.vector);
            assert!((on_ball + contact.normal.into_inner() * radius).norm() < 1e-12);
        }
    }
    assert!(inside_count > 30, "{inside_count}");
}

/// Law: a centre on the surface or at the centre of the box leaves through the nearest face; of
/// equal faces the first axis, positive side.
#[test]
fn a_centre_on_or_deep_in_a_box() {
    let cube = Shape::Cuboid(Cuboid {
        half_extents: Vector3::repeat(0.5),
    });
    let ball = Shape::Sphere(Sphere { radius: 0.25 });
    let origin = Isometry3::identity();
    for (place, normal, depth) in [
        (Vector3::zeros(), Vector3::x(), 0.75),
        (Vector3::new(0.0, -0.5, 0.0), -Vector3::y(), 0.25),
        (Vector3::new(0.1, 0.2, 0.3), Vector3::z(), 0.45),
        (Vector3::new(0.5, 0.5, 0.5), Vector3::x(), 0.25),
    ] {
        let pose = Isometry3::from_parts(place.into(), nalgebra::UnitQuaternion::identity());
        let found = contacts(0.0, &cube, &origin, &ball, &pose);
        assert_eq!(found[0].normal.into_inner(), normal);
        assert!((found[0].depth - depth).abs() < 1e-15);
    }
}

/// Law: depth is −n·(x − p) for the lowest point of a ball and every corner of a box, and all
/// corners within the envelope are reported, no others. Tolerance: rounding.
#[test]
fn half_spaces() {
    let mut rng = generator(83);
    for _ in 0..3000 {
        let normal = random_direction(&mut rng);
        let plane = Shape::HalfSpace(HalfSpace { normal });
        let (ground, pose) = (random_pose(&mut rng, 1.0), random_pose(&mut rng, 1.0));
        let up = ground.rotation * normal.into_inner();
        let height = |x: &Point3<f64>| up.dot(&(x.coords - ground.translation.vector));
        let cuboid = random_box(&mut rng);
        let envelope = 0.05;
        let found = contacts(envelope, &plane, &ground, &Shape::Cuboid(cuboid), &pose);
        let mut expected = 0;
        for (index, corner) in corners(&cuboid, &pose).iter().enumerate() {
            if height(corner) > envelope {
                continue;
            }
            expected += 1;
            let contact = found
                .iter()
                .find(|c| c.feature.features() == (Feature::Whole, Feature::Corner(index as u8)))
                .expect("every corner within the envelope");
            assert!((contact.depth + height(corner)).abs() < 1e-13);
            let middle = corner - up * (0.5 * height(corner));
            assert!((contact.position - middle).norm() < 1e-13);
            assert_eq!(contact.normal.into_inner(), up);
        }
        assert_eq!(found.len(), expected);

        let ball = Shape::Sphere(Sphere { radius: 0.5 });
        let found = contacts(envelope, &plane, &ground, &ball, &pose);
        let gap = height(&Point3::from(pose.translation.vector)) - 0.5;
        assert_eq!(found.len(), usize::from(gap <= envelope));
        if let [contact] = found[..] {
            assert!((contact.depth + gap).abs() < 1e-13);
            assert!((height(&contact.position) - 0.5 * gap).abs() < 1e-13);
            assert_eq!(contact.normal, Unit::new_unchecked(up));
        }
    }
}

/// Nonsense in must not be a panic.
#[test]
fn not_a_number_does_not_panic() {
    let shapes = [
        Shape::Sphere(Sphere { radius: f64::NAN }),
        Shape::Cuboid(Cuboid {
            half_extents: Vector3::new(1.0, f64::NAN, f64::INFINITY),
        }),
        Shape::Cuboid(Cuboid {
            half_extents: Vector3::zeros(),
        }),
        Shape::Cuboid(Cuboid {
            half_extents: Vector3::repeat(-1.0),
        }),
        Shape::Sphere(Sphere { radius: -1.0 }),
        Shape::HalfSpace(HalfSpace {
            normal: Vector3::z_axis(),
        }),
    ];
    let poses = [
        Isometry3::identity(),
        Isometry3::translation(f64::NAN, 0.0, 0.0),
        Isometry3::translation(0.0, f64::INFINITY, 0.0),
        Isometry3::translation(1e300, 1e-300, 0.0),
    ];
    for box_box in [
        drystone_collision::BoxBoxMethod::Improved,
        drystone_collision::BoxBoxMethod::Old,
    ] {
        for envelope in [0.0, f64::NAN, -1.0, f64::INFINITY] {
            let phase = NarrowPhase { box_box, envelope };
            for (a, b) in shapes.iter().flat_map(|a| shapes.iter().map(move |b| (a, b))) {
                for (pa, pb) in poses.iter().flat_map(|a| poses.iter().map(move |b| (a, b))) {
                    phase.contacts(a, pa, b, pb, &mut Vec::new());
                }
            }
        }
    }
}
