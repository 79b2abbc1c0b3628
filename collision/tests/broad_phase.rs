//! All broad phases find exactly the pairs that testing everything finds, whatever moves, comes, goes, is large, small or
//! infinite; and boxes bound their shapes.

mod common;

use common::{corners, generator, random_box, random_direction, random_pose, random_vector};
use drystone_collision::{
    Aabb, AllPairs, BroadPhase, Grid, HalfSpace, NeighbourList, Shape, Sphere, SweepAndPrune, Tree,
};
use nalgebra::{Isometry3, Vector3};
use rand::RngExt;

/// The methods that are compared with testing everything.
fn methods() -> [Box<dyn BroadPhase>; 4] {
    [
        Box::new(SweepAndPrune::default()),
        Box::new(Grid::default()),
        Box::new(Tree::default()),
        Box::new(NeighbourList::default()),
    ]
}

fn assert_same_pairs(methods: &mut [Box<dyn BroadPhase>], aabbs: &[Aabb], movable: &[bool]) -> usize {
    let mut expected = vec![(9, 9)];
    AllPairs.pairs(aabbs, movable, &mut expected);
    assert!(expected.windows(2).all(|w| w[0] < w[1]), "sorted, each once");
    assert!(expected.iter().all(|&(a, b)| a < b));
    for method in methods {
        // Rubbish in `out` must not survive.
        let mut found = vec![(7, 7); 3];
        method.pairs(aabbs, movable, &mut found);
        assert!(expected == found, "{}", method.name());
    }
    expected.len()
}

/// Law: equality of sets, so no tolerance. The world drifts, is stretched along changing axes
/// (so that the sweep must change axis), is now and then scattered anew, and changes its number.
#[test]
fn all_methods_find_all_pairs_in_moving_worlds() {
    let mut rng = generator(21);
    let mut methods = methods();
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
            total += assert_same_pairs(&mut methods, &aabbs, &movable[..count]);
        }
    }
    assert!(total > 10_000, "the worlds must not be empty: {total}");
}

/// Law: as above, where most rest and some do not, so that methods with a memory use it: bodies tremble, some few fly
/// through the others, are thrown elsewhere, vanish and come back, become movable or immovable, grow and shrink, and half-spaces
/// are moved; now and then all of them at once, and now and then one is removed and another added.
#[test]
fn all_methods_find_all_pairs_where_most_bodies_rest() {
    let mut rng = generator(26);
    let mut total = 0;
    for _ in 0..12 {
        let mut methods = methods();
        let count = rng.random_range(60..400);
        let width = (count as f64).cbrt();
        let mut centres: Vec<_> = (0..count).map(|_| random_vector(&mut rng, width)).collect();
        let mut sizes: Vec<f64> = (0..count).map(|_| rng.random_range(0.3..1.0)).collect();
        let mut movable: Vec<_> = (0..count).map(|_| rng.random_range(0..4) > 0).collect();
        let mut hidden = vec![false; count];
        let fliers = rng.random_range(0..count / 10);
        let velocity = random_vector(&mut rng, 0.3);
        for _ in 0..120 {
            centres
                .iter_mut()
                .for_each(|centre| *centre += random_vector(&mut rng, 1e-3));
            centres[..fliers].iter_mut().for_each(|centre| *centre += velocity);
            let body = rng.random_range(0..centres.len());
            match rng.random_range(0..30) {
                0..4 => centres[body] = random_vector(&mut rng, 2.0 * width),
                4..8 => movable[body] = !movable[body],
                8..12 => hidden[body] = !hidden[body],
                12..16 => sizes[body] = rng.random_range(0.1..3.0),
                16 => movable.iter_mut().for_each(|movable| *movable = !*movable),
                17 => centres.iter_mut().for_each(|centre| *centre += velocity),
                18 => {
                    centres.remove(body);
                    centres.push(random_vector(&mut rng, width));
                }
                _ => {}
            }
            let aabb = |body: usize| match (hidden[body], body % 37) {
                (true, _) => Aabb::around(Vector3::repeat(f64::NAN), Vector3::zeros()),
                (_, 5) => {
                    let mut ground = Aabb::everything();
                    ground.max.z = centres[body].z - 0.5 * width;
                    ground
                }
                _ => Aabb::around(centres[body], Vector3::repeat(sizes[body])),
            };
            let aabbs: Vec<_> = (0..centres.len()).map(aabb).collect();
            total += assert_same_pairs(&mut methods, &aabbs, &movable);
        }
    }
    assert!(total > 100_000, "the worlds must not be empty: {total}");
}

/// Law: as above, when methods with a memory have just found that nothing is worth remembering, and then everything goes.
#[test]
fn all_methods_survive_the_end_of_the_world() {
    let mut rng = generator(28);
    for steps in 0..12 {
        let mut methods = methods();
        for count in [80, 0, 40, 0] {
            for _ in 0..steps {
                let centres = (0..count).map(|_| random_vector(&mut rng, 2.0));
                let aabbs: Vec<_> = centres
                    .map(|centre| Aabb::around(centre, Vector3::repeat(0.5)))
                    .collect();
                assert_same_pairs(&mut methods, &aabbs, &[]);
            }
        }
    }
}

/// Law: as above, for so many bodies that work is shared out to threads, and for any number of these.
#[test]
fn the_number_of_threads_does_not_show() {
    let mut rng = generator(27);
    let mut centres: Vec<_> = (0..6000).map(|_| random_vector(&mut rng, 9.0)).collect();
    let mut methods = [1, 2, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        (pool, self::methods())
    });
    for _ in 0..6 {
        centres
            .iter_mut()
            .for_each(|centre| *centre += random_vector(&mut rng, 0.02));
        let aabbs: Vec<_> = centres
            .iter()
            .map(|&centre| Aabb::around(centre, Vector3::repeat(0.5)))
            .collect();
        for (pool, methods) in &mut methods {
            let found = pool.install(|| assert_same_pairs(methods, &aabbs, &[]));
            assert!(found > 10_000, "enough to be shared out: {found}");
        }
    }
}

/// Law: as above, for boxes of all sizes together, each side drawn between a tenth of a millimetre and a hundred metres,
/// so that all levels of a grid are full; then flattened to sheets and needles, and moved far from the origin, where
/// coordinates are rounded to a tenth of the smallest side.
#[test]
fn all_methods_find_all_pairs_of_any_sizes() {
    let mut rng = generator(23);
    let mut methods = methods();
    for (round, flat) in (0..6).flat_map(|round| [0.0, 1e-3, 1.0].map(|flat| (round, flat))) {
        let far = [0.0, 1e4, 1e11][round % 3];
        let mut aabbs = Vec::new();
        for _ in 0..1500 {
            let size = 10.0_f64.powf(rng.random_range(-4.0..2.0));
            let half = Vector3::from_fn(|_, _| if rng.random_range(0..3) == 0 { flat * size } else { size });
            // Small ones are near others of their size as often as large ones.
            let centre = random_vector(&mut rng, 3.0 * size) + random_vector(&mut rng, 1.0).map(|x| x.powi(9) * 300.0);
            aabbs.push(Aabb::around(centre.add_scalar(far), half));
        }
        let movable: Vec<_> = (0..1400).map(|_| rng.random_range(0..4) > 0).collect();
        let found = assert_same_pairs(&mut methods, &aabbs, &movable);
        assert!(found > 1000, "{found}");
    }
}

/// Law: as above. Points that lie exactly on each other, dust scattered over more cells than a grid can count, and boxes
/// as large as numbers get.
#[test]
fn all_methods_survive_extremes() {
    let mut rng = generator(24);
    let mut methods = methods();
    let point = |centre| Aabb::around(centre, Vector3::zeros());
    let stacked: Vec<_> = (0..40).map(|k| point(Vector3::repeat(f64::from(k / 4)))).collect();
    assert_eq!(assert_same_pairs(&mut methods, &stacked, &[]), 10 * 6);
    let mut dust: Vec<_> = (0..400).map(|_| point(random_vector(&mut rng, 1e9))).collect();
    for k in 0..400 {
        let side = 10.0_f64.powf(rng.random_range(-9.0..-6.0));
        dust.push(Aabb::around(dust[k].min.add_scalar(0.9 * side), Vector3::repeat(side)));
    }
    assert!(assert_same_pairs(&mut methods, &dust, &[]) >= 400);
    let huge = [1e300, 1e308, f64::MAX, f64::INFINITY].map(|side| Aabb {
        min: Vector3::repeat(-side),
        max: Vector3::repeat(side),
    });
    let edge = Aabb {
        min: Vector3::repeat(f64::INFINITY),
        max: Vector3::repeat(f64::INFINITY),
    };
    dust.extend(huge);
    dust.extend([edge; 2]);
    assert!(assert_same_pairs(&mut methods, &dust, &[]) > 4 * 800);
    assert_eq!(assert_same_pairs(&mut methods, &[], &[]), 0);
}

/// Law: intervals are closed, so boxes that share only a face, an edge or a corner do overlap.
/// Coordinates are small integers, exact in floating point.
#[test]
fn exact_touching_counts() {
    let mut methods = methods();
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
    assert_eq!(assert_same_pairs(&mut methods, &aabbs, &[true; 64]), 468);
    assert_eq!(assert_same_pairs(&mut methods, &aabbs, &[false; 64]), 0);
    let gap: Vec<_> = aabbs.iter().map(|aabb| aabb.loosened(-1e-9)).collect();
    assert_eq!(assert_same_pairs(&mut methods, &gap, &[true; 64]), 0);
}

/// Law: once a method has seen a world, asking again about it, or about one that has moved a little, allocates nothing.
#[test]
fn a_second_call_allocates_nothing() {
    let mut rng = generator(25);
    let boxes = |shift: f64, rng: &mut rand_pcg::Pcg64| -> Vec<Aabb> {
        let lattice = (0..1000).map(|k| Vector3::new(f64::from(k % 10), f64::from(k / 10 % 10), f64::from(k / 100)));
        let mut aabbs: Vec<_> = lattice
            .map(|place| Aabb::around(place + random_vector(rng, shift), Vector3::repeat(0.55)))
            .collect();
        aabbs.push(Aabb::around(Vector3::zeros(), Vector3::repeat(20.0)));
        aabbs.push(Aabb::everything());
        aabbs
    };
    let (before, after) = (boxes(0.0, &mut rng), boxes(1e-3, &mut rng));
    for mut method in methods() {
        let mut out = Vec::new();
        let mut count = |aabbs: &[Aabb]| allocation_counter::measure(|| method.pairs(aabbs, &[], &mut out)).count_total;
        // The first call has to get its memory, which also shows that the counter counts.
        assert!(count(&before) > 0);
        assert_eq!(count(&after) + count(&before), 0);
    }
}

#[test]
fn a_box_with_a_nan_overlaps_nothing() {
    let mut aabbs = vec![Aabb::around(Vector3::zeros(), Vector3::repeat(1.0)); 5];
    aabbs[2].min.x = f64::NAN;
    aabbs[3].max = Vector3::repeat(f64::NAN);
    let mut methods = methods();
    assert_eq!(assert_same_pairs(&mut methods, &aabbs, &[]), 3);
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
