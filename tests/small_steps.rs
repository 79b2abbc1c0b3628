//! Small steps: a step in parts is the same motion with a shorter step, and what rests moves less for the same sweeps.

mod common;

use common::{G, ball, cuboid, ground, join, moving, world};
use drystone::dynamics::{Attachment, Ball, Body, Method, Simulation, World};
use nalgebra::{Point3, Vector3};

const H: f64 = 0.01;

fn simulation(world: World, method: &str) -> Simulation {
    Simulation::new(world, Method::parse(method).unwrap(), H).unwrap()
}

fn run(simulation: &mut Simulation, steps: usize) {
    for _ in 0..steps {
        simulation.step().unwrap();
    }
}

/// Semi-implicit Euler with step k falls by `g k² n(n+1)/2` in n steps, to rounding of sums of a few hundred terms.
#[test]
fn free_fall_is_that_of_the_parts() {
    for parts in [1, 4, 5] {
        let mut fall = simulation(
            world(0.0, 0.0, [ball("ball", 0.1, 1.0)]),
            &format!("small-steps:parts={parts}/pgs"),
        );
        run(&mut fall, 50);
        let (k, n) = (H / f64::from(parts), f64::from(50 * parts));
        let expected = -G * k * k * n * (n + 1.0) / 2.0;
        let found = fall.world().bodies()[0].pose.translation.z;
        assert!(
            (found - expected).abs() < 1e-13 * expected.abs() * n,
            "{parts}: {found} and {expected}"
        );
    }
}

/// A gap that closes within the step closes exactly: it is brought up to date from part to part. Without that the ball, which
/// covers its gap of 5 mm in the first quarter of the step, would go on falling through the ground, or hover above it.
#[test]
fn a_gap_closes_in_the_middle_of_a_step() {
    for parts in [1, 3, 8] {
        let start = moving(ball("ball", 0.1, 1.0).at(Vector3::z() * 0.105), [0.0, 0.0, -2.0]);
        let mut fall = simulation(
            world(0.3, 0.0, [ground(), start]),
            &format!("small-steps:parts={parts},projection=none/pgs"),
        );
        run(&mut fall, 3);
        let height = fall.world().bodies()[1].pose.translation.z;
        assert!((height - 0.1).abs() < 1e-12, "{parts}: {height}");
        assert!(fall.world().bodies()[1].linear_velocity.norm() < 1e-12);
    }
}

/// The heights of a stack of cubes, and how fast its fastest is.
fn stack(method: &str) -> (f64, f64) {
    let cubes = (0..10).map(|k| cuboid(&format!("cube {k}"), [0.5; 3], 1.0).at(Vector3::z() * (0.5 + f64::from(k))));
    let mut stack = simulation(world(0.5, 0.0, std::iter::once(ground()).chain(cubes)), method);
    run(&mut stack, 60);
    let bodies = || stack.world().bodies().iter().filter(|body| body.is_dynamic());
    let top = bodies().map(|body| body.pose.translation.z).fold(0.0, f64::max);
    let speed = |body: &Body| body.linear_velocity.norm();
    (9.5 - top, bodies().map(speed).fold(0.0, f64::max))
}

/// Macklin et al. 2019: of ten sweeps a step, those of small steps leave an error that is smaller by about the number of
/// parts. Half of that is asked for, since warm starts make up for much of it.
#[test]
fn the_same_sweeps_hold_a_stack_better_in_parts() {
    let (at_once, _) = stack("semi-implicit:projection=none/pgs:order=coloured,iterations=10");
    let (in_parts, _) = stack("small-steps:parts=5,projection=none/pgs:order=coloured,iterations=2");
    assert!(at_once > 1e-3, "ten sweeps at once are not enough: {at_once}");
    assert!(in_parts.abs() < at_once / 2.5, "{in_parts} against {at_once}");
}

/// Energy of a pendulum of 1 m that is let go from the horizontal, with its joint asked where the bodies are: the length stays, to
/// the square of how far a part turns (4 rad/s · 2 ms), and without projection.
#[test]
fn joints_are_asked_where_the_bodies_are() {
    let mut world = world(
        0.0,
        0.0,
        [Body::fixed("hook", common::box_shape([0.01; 3])), ball("bob", 0.1, 1.0)],
    );
    world.bodies_mut()[1].pose.translation.vector = Vector3::x();
    join(
        &mut world,
        "rod",
        Ball,
        ["hook", "bob"],
        Attachment::at(Point3::origin()),
    );
    let mut pendulum = simulation(world, "small-steps:parts=5,projection=none,erp=0.2/pgs:iterations=20");
    let mut worst = 0.0_f64;
    for _ in 0..60 {
        run(&mut pendulum, 1);
        let length = pendulum.world().bodies()[1].pose.translation.vector.norm();
        worst = worst.max((length - 1.0).abs());
    }
    assert!(worst < 2e-4, "{worst}");
}
