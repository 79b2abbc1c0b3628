//! Sweep and prune finds exactly the pairs that testing everything finds, whatever moves, comes,
//! goes or is infinite; and boxes bound their shapes.

mod common;

use common::{corners, generator, random_box, random_direction, random_pose, random_vector};
use drystone_collision::{Aabb, AllPairs, BroadPhase, HalfSpace, Shape, Sphere, SweepAndPrune};
use nalgebra::{Isometry3, Vector3};
use rand::RngExt;

fn assert_same_pairs(sweep: &mut SweepAndPrune, aabbs: &[Aabb], movable: &[bool]) -> usize {
    // Rubbish in `out` must not survive.
    let (mut expected, mut found) = (vec![(9, 9)], vec![(7, 7); 3]);
    AllPairs.pairs(aabbs, movable, &mut expected);
    sweep.pairs(aabbs, movable, &mut found);
    assert_eq!(expected, found);
    assert!(found.windows(2).all(|w| w[0] < w[1]), "sorted, each once");
    assert!(found.iter().all(|&(a, b)| a < b));
    found.len()
}

/// Law: equality of sets, so no tolerance. The world drifts, is stretched along changing axes
/// (so that the sweep must change axis), is now and then scattered anew, and changes its number.
#[test]
fn sweep_and_prune_equals_all_pairs_in_moving_worlds() {
    let mut rng = generator(21);
    let mut sweep = SweepAndPrune::default();
    let mut total = 0;
    for world in 0..20 {
        let mut count = rng.random_range(0..120);
        let mut centres: Vec<_> = (0..200).map(|_| random_vector(&mut rng, 4.0)).collect();
        let velocities: Vec<_> = (0..200).map(|_| random_vector(&mut rng, 0.2)).collect();
        let halves: Vec<_> = (0..200).map(|_| random_box(&mut rng).half_extents).collect();
        let movable: Vec<_> = (0..200).map(|_| rng.random_range(0..4) > 0).collect();
        for step in 0..60 {
            for (centre, velocity) in centres.iter_mut().zip(&velocities) {
                *centre += velocity;
                centre[(step / 20 + world) % 3] *= 1.05;
            }
            match rng.random_range(0..12) {
                0 => count = rng.random_range(0..200),
                1 => centres.iter_mut().for_each(|c| *c = random_vector(&mut rng, 4.0)),
                _ => {}
            }
            let mut aabbs: Vec<_> = (0..count).map(|i| Aabb::around(centres[i], halves[i])).collect();
            for (body, aabb) in aabbs.iter_mut().enumerate() {
                if body % 17 == 3 {
                    let axis = body % 3;
                    aabb.max[axis] = f64::INFINITY;
                    aabb.min[(axis + 1) % 3] = f64::NEG_INFINITY;
                }
                if body % 50 == 9 {
                    *aabb = Aabb::everything();
                }
            }
            total += assert_same_pairs(&mut sweep, &aabbs, &movable[..count]);
        }
    }
    assert!(total > 10_000, "the worlds must not be empty: {total}");
}

/// Law: intervals are closed, so boxes that share only a face, an edge or a corner do overlap.
/// Coordinates are small integers, exact in floating point.
#[test]
fn exact_touching_counts() {
    let mut sweep = SweepAndPrune::default();
    let mut aabbs = Vec::new();
    for x in 0..4 {
        for y in 0..4 {
            for z in 0..4 {
                let centre = Vector3::new(f64::from(x), f64::from(y), f64::from(z)) * 2.0;
                aabbs.push(Aabb::around(centre, Vector3::repeat(1.0)));
            }
        }
    }
    // A 4×4×4 grid: (4 + 2·3)³ ordered neighbour pairs with itself, so (1000 − 64)/2.
    assert_eq!(assert_same_pairs(&mut sweep, &aabbs, &[true; 64]), 468);
    assert_eq!(assert_same_pairs(&mut sweep, &aabbs, &[false; 64]), 0);
    let gap: Vec<_> = aabbs.iter().map(|aabb| aabb.loosened(-1e-9)).collect();
    assert_eq!(assert_same_pairs(&mut sweep, &gap, &[true; 64]), 0);
}

#[test]
fn a_box_with_a_nan_overlaps_nothing() {
    let mut aabbs = vec![Aabb::around(Vector3::zeros(), Vector3::repeat(1.0)); 5];
    aabbs[2].min.x = f64::NAN;
    aabbs[3].max = Vector3::repeat(f64::NAN);
    let mut sweep = SweepAndPrune::default();
    assert_eq!(assert_same_pairs(&mut sweep, &aabbs, &[]), 3);
}

/// Law: the box holds the shape and touches it on all sides: for a cuboid its extremes are those
/// of the eight corners, for a sphere centre ± radius. Tolerance: rounding of numbers of size 4.
#[test]
fn boxes_are_tight() {
    let mut rng = generator(22);
    for _ in 0..2000 {
        let pose = random_pose(&mut rng, 3.0);
        let cuboid = random_box(&mut rng);
        let aabb = Shape::Cuboid(cuboid).aabb(&pose);
        let corners = corners(&cuboid, &pose);
        for axis in 0..3 {
            let low = corners.iter().map(|c| c[axis]).fold(f64::INFINITY, f64::min);
            let high = corners.iter().map(|c| c[axis]).fold(f64::NEG_INFINITY, f64::max);
            assert!((aabb.min[axis] - low).abs() < 1e-14 && (aabb.max[axis] - high).abs() < 1e-14);
        }
        let ball = Shape::Sphere(Sphere { radius: 0.5 }).aabb(&pose);
        assert_eq!(ball, Aabb::around(pose.translation.vector, Vector3::repeat(0.5)));

        // A half-space's box must hold any point behind its plane.
        let normal = random_direction(&mut rng);
        let plane = Shape::HalfSpace(HalfSpace { normal }).aabb(&pose);
        let behind = pose.translation.vector + random_vector(&mut rng, 100.0);
        if (pose.rotation * normal).dot(&(behind - pose.translation.vector)) <= 0.0 {
            assert!(plane.overlaps(&Aabb::around(behind, Vector3::zeros())));
        }
    }
    let ceiling = Shape::HalfSpace(HalfSpace {
        normal: -Vector3::z_axis(),
    });
    let aabb = ceiling.aabb(&Isometry3::translation(0.0, 0.0, 3.0));
    assert_eq!((aabb.min.z, aabb.max.z), (3.0, f64::INFINITY));
}
