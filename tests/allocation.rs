//! The performance contract: once a scene has settled, a step allocates nothing.

mod common;

use common::*;
use drystone::dynamics::{Body, World};
use drystone::solver::Measure;
use nalgebra::Vector3;

/// A wall of boxes with a row of balls on top, at rest.
fn wall() -> World {
    let mut bodies: Vec<Body> = vec![ground()];
    for level in 0..4 {
        for column in 0..4 {
            let place = Vector3::new(f64::from(column) + 0.5 * f64::from(level % 2), 0.0, f64::from(level) + 0.5);
            bodies.push(cuboid(&format!("box-{level}-{column}"), [0.5; 3], 10.0).at(place));
        }
    }
    for column in 0..4 {
        let place = Vector3::new(f64::from(column) + 0.5, 0.0, 4.3);
        bodies.push(ball(&format!("ball-{column}"), 0.3, 1.0).at(place));
    }
    world(0.5, 0.25, bodies)
}

/// Allocations in a hundred steps after a hundred others, on one thread.
fn allocations(method: &str, measure: Measure) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
    pool.install(|| {
        let mut simulation = simulation(wall(), method, 0.01);
        simulation.set_measure(measure);
        run(&mut simulation, 100);
        assert!(simulation.report().contacts >= 60);
        allocation_counter::measure(|| run(&mut simulation, 100)).count_total
    })
}

#[test]
fn a_settled_scene_allocates_nothing() {
    for method in [
        "pgs",
        "pgs:friction=cone,granularity=blocks",
        "pgs:order=random",
        "pgs:order=slowest",
        "psor",
        "jacobi",
        "semi-implicit:projection=none/pgs",
        "semi-implicit:projection=jacobi,broad-phase=all-pairs,box-box=old/pgs",
        "classical/pgs",
    ] {
        for measure in [Measure::Nothing, Measure::Final] {
            assert_eq!(allocations(method, measure), 0, "{method}, {measure:?}");
        }
    }
}

/// The counter counts: a history of residuals has to be kept somewhere.
#[test]
fn measuring_every_iteration_allocates() {
    assert!(allocations("pgs", Measure::EveryIteration) > 0);
}
