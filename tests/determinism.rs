//! The same input gives the same bits: on one thread, on several, and once more.

mod common;

use common::*;
use drystone::dynamics::{Simulation, World};
use nalgebra::{UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Many small heaps of boxes and balls that fall over and into each other.
fn heaps() -> World {
    let mut rng = Pcg64::seed_from_u64(11);
    let mut bodies = vec![ground()];
    for heap in 0..100 {
        let corner = Vector3::new(f64::from(heap % 10), f64::from(heap / 10), 0.0) * 2.5;
        for level in 0..4 {
            let name = format!("{heap}-{level}");
            let mut body = if rng.random_bool(0.3) {
                ball(&name, rng.random_range(0.3..0.5), rng.random_range(0.5..2.0))
            } else {
                cuboid(
                    &name,
                    std::array::from_fn(|_| rng.random_range(0.2..0.5)),
                    rng.random_range(0.5..2.0),
                )
            };
            let jitter = Vector3::from_fn(|_, _| rng.random_range(-0.1..0.1));
            body.pose.translation.vector = corner + jitter + Vector3::z() * (0.5 + 0.9 * f64::from(level));
            body.pose.rotation = UnitQuaternion::from_scaled_axis(Vector3::from_fn(|_, _| rng.random_range(-0.5..0.5)));
            body.linear_velocity = Vector3::from_fn(|_, _| rng.random_range(-1.0..1.0));
            bodies.push(body);
        }
    }
    world(0.4, 0.2, bodies)
}

/// Every bit of every tenth step of three hundred, and the most pairs and groups there were.
fn trajectory(threads: usize, method: &str) -> (Vec<Vec<u64>>, usize, usize) {
    let (states, pairs, groups, _) = shorter_trajectory(threads, method, 30);
    (states, pairs, groups)
}

/// The same for some tens of steps, and the most that slept.
fn shorter_trajectory(threads: usize, method: &str, tens: usize) -> (Vec<Vec<u64>>, usize, usize, usize) {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("a pool of threads");
    pool.install(|| {
        let mut simulation = simulation(heaps(), method, 0.01);
        let (mut states, mut pairs, mut groups, mut sleeping) = (Vec::new(), 0, 0, 0);
        for _ in 0..tens {
            run(&mut simulation, 10);
            states.push(bits(&simulation));
            pairs = pairs.max(touching_pairs(&simulation));
            groups = groups.max(simulation.report().groups);
            sleeping = sleeping.max(simulation.report().sleeping);
        }
        (states, pairs, groups, sleeping)
    })
}

fn touching_pairs(simulation: &Simulation) -> usize {
    let mut pairs: Vec<_> = simulation.pipeline().contacts().map(|(a, b, _, _)| (a, b)).collect();
    pairs.dedup();
    pairs.len()
}

#[track_caller]
fn assert_same_bits(one: &[Vec<u64>], other: &[Vec<u64>]) {
    for (tenth, (one, other)) in (1..).zip(one.iter().zip(other)) {
        assert!(one == other, "different bits after {} steps or before", 10 * tenth);
    }
}

/// Three hundred steps on 1, 2 and 4 threads.
#[test]
fn the_number_of_threads_does_not_show() {
    // Random order draws its numbers per step and group, not per thread.
    for method in [
        "pgs",
        "semi-implicit:projection-iterations=3/pgs:order=random,friction=cone",
    ] {
        let (one, pairs, groups) = trajectory(1, method);
        // Enough for the narrow phase to be shared out (256 pairs) and for groups to be solved side by side.
        assert!(pairs > 256, "{pairs} pairs");
        assert!(groups > 20, "{groups} groups");
        for threads in [2, 4] {
            assert_same_bits(&one, &trajectory(threads, method).0);
        }
    }
}

/// Nor with layers, steps taken back, and bodies asleep.
#[test]
fn the_number_of_threads_does_not_show_in_any_stepper() {
    for method in [
        "shock-propagation:sleep=true/pgs",
        "modified-shock-propagation:heights=distance,cycles=ignore/pgs",
        "backtracking:halvings=2/pgs",
        "semi-implicit:sleep=true,sleep-energy=0.01,subgroups=true,zeroing=true,cache-contacts=1e-4/pgs",
        "semi-implicit:sleep=true,sleep-energy=0.01,sleep-rate=0,subgroups=true,fixation=true/pgs",
    ] {
        let (one, pairs, groups, sleeping) = shorter_trajectory(1, method, 15);
        assert!(pairs > 256 && groups > 20, "{method}: {pairs} pairs in {groups} groups");
        assert_eq!(
            sleeping > 0,
            method.contains("sleep=true"),
            "{method}: {sleeping} sleep"
        );
        for threads in [2, 4] {
            assert_same_bits(&one, &shorter_trajectory(threads, method, 15).0);
        }
    }
}

/// The same again.
#[test]
fn a_second_run_is_the_first_again() {
    assert_same_bits(&trajectory(2, "pgs").0, &trajectory(2, "pgs").0);
}

/// Which broad phase found the pairs does not show either.
#[test]
fn the_broad_phase_does_not_show() {
    let with = |name: &str| trajectory(2, &format!("semi-implicit:broad-phase={name}/pgs")).0;
    let expected = with("all-pairs");
    for name in ["sweep-and-prune", "grid", "tree", "neighbour-list"] {
        assert_same_bits(&expected, &with(name));
    }
}

/// And the comparison can fail: another order of the sweep gives other bits.
#[test]
fn another_method_gives_other_bits() {
    assert_ne!(trajectory(2, "pgs").0, trajectory(2, "pgs:order=backward").0);
}

/// Mechanisms too: four dolls that fall, their joints eliminated or swept.
#[test]
fn jointed_bodies_have_the_same_bits_on_any_number_of_threads() {
    let scene = drystone::scenes::load("ragdoll:count=4,height=0.05").expect("a scene of the catalogue");
    let trajectory = |threads: usize, method: &str| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("a pool of threads");
        pool.install(|| {
            let mut simulation = simulation(scene.build().expect("a sound scene"), method, scene.dt);
            let (mut states, mut groups) = (Vec::new(), 0);
            for _ in 0..10 {
                run(&mut simulation, 10);
                states.push(bits(&simulation));
                groups = groups.max(simulation.report().groups);
            }
            assert!(groups > 1);
            states
        })
    };
    for method in [
        "semi-implicit:projection=hybrid/hybrid:iterations=50",
        "semi-implicit:erp=0.1/pgs:iterations=20",
    ] {
        let one = trajectory(1, method);
        for threads in [2, 4] {
            assert_same_bits(&one, &trajectory(threads, method));
        }
    }
}
