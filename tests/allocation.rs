//! The performance contract: once a scene has settled, a step allocates nothing.

mod common;

use common::*;
use drystone::collision::Part;
use drystone::dynamics::{Attachment, Body, Hinge, Joint, Limit, Motor, World};
use drystone::solver::Measure;
use nalgebra::{Point3, Vector3};

/// A stack of boxes, a pyramid of boxes, and a ball on each, at rest: two groups. The third box of the stack is cut in
/// two.
fn scene() -> World {
    let mut bodies: Vec<Body> = vec![ground()];
    let mut put = |body: Body, x: f64, z: f64| bodies.push(body.at(Vector3::new(x, 0.0, z)));
    for level in 0..5 {
        let name = format!("stack-{level}");
        let body = if level == 2 {
            let part = |x: f64| (Part::at(box_shape([0.25, 0.5, 0.5]), Vector3::x() * x), 10.0);
            Body::dynamic_compound(name, [part(-0.25), part(0.25)]).expect("two good parts")
        } else {
            cuboid(&name, [0.5; 3], 10.0)
        };
        put(body, -3.0, f64::from(level) + 0.5);
    }
    put(ball("stack-ball", 0.3, 1.0), -3.0, 5.3);
    for level in 0..4 {
        for column in 0..4 - level {
            let x = 1.1 * (f64::from(column) + 0.5 * f64::from(level));
            put(
                cuboid(&format!("pyramid-{level}-{column}"), [0.5; 3], 10.0),
                x,
                f64::from(level) + 0.5,
            );
        }
    }
    put(ball("pyramid-ball", 0.3, 1.0), 1.65, 4.3);
    world(0.5, 0.25, bodies)
}

/// Allocations in a hundred steps after a hundred others, on one thread.
fn allocations(method: &str, measure: Measure) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a pool of one thread");
    pool.install(|| {
        let mut simulation = simulation(scene(), method, 0.01);
        simulation.set_measure(measure);
        run(&mut simulation, 100);
        assert!(simulation.report().contacts >= 60 && simulation.report().groups == 2);
        allocation_counter::measure(|| run(&mut simulation, 100)).count_total
    })
}

/// Memory is kept from step to step. Only a new pair of bodies, or more points on a pair than it ever had, may ask for
/// more, and at rest there are none; methods that would leave this scene trembling get the iterations they need.
#[test]
fn a_settled_scene_allocates_nothing() {
    for method in [
        "pgs",
        "pgs:friction=cone,granularity=blocks",
        "pgs:order=random",
        "pgs:order=slowest",
        "psor:iterations=50",
        "jacobi:iterations=50",
        "semi-implicit:projection=none/pgs",
        "semi-implicit:broad-phase=all-pairs,projection=psor/pgs",
        "classical/pgs:iterations=50",
        "shock-propagation/pgs:iterations=20",
        "shock-propagation:heights=distance,cycles=ignore,falling=drop/pgs:iterations=20",
        "modified-shock-propagation/pgs:iterations=20",
        "backtracking/pgs:iterations=50",
        "semi-implicit:sleep=true/pgs:iterations=50",
        "shock-propagation:sleep=true/pgs:iterations=20",
        "modified-shock-propagation:sleep=true/pgs:iterations=20",
        "backtracking:sleep=true/pgs:iterations=50",
        "semi-implicit:sleep=true,subgroups=true,cache-contacts=1e-4/pgs:iterations=50",
    ] {
        for measure in [Measure::Nothing, Measure::Final] {
            assert_eq!(allocations(method, measure), 0, "{method}, {measure:?}");
        }
    }
}

/// A chain at rest, with a motor that holds and a limit that carries where all rows are swept, without where joints are
/// eliminated: a step allocates nothing. (With limits, motors or contacts beside them, eliminating joints makes a new
/// problem for these in every step, and that allocates.)
#[test]
fn a_settled_mechanism_allocates_nothing() {
    let mechanism = |dressed: bool| {
        let mut world = world(0.5, 0.0, [Body::fixed("ceiling", box_shape([0.1; 3]))]);
        for k in 0..20 {
            let z = -0.5 - f64::from(k);
            let index = world
                .add(cuboid(&format!("link-{k}"), [0.05, 0.05, 0.5], 1.0).at(Vector3::z() * z))
                .unwrap();
            let top = Attachment::at(Point3::new(0.0, 0.0, z + 0.5)).axis(Vector3::y());
            let joint = Joint::new(format!("joint-{k}"), Hinge, [index - 1, index], top);
            let joint = match k {
                3 if dressed => joint.with_motor(Motor::servo(0, 0.0, 10.0, 5.0)),
                7 if dressed => joint.with_limit(Limit::range(0, 0.0, 1.0)),
                _ => joint,
            };
            world.add_joint(joint).unwrap();
        }
        world
    };
    for (method, dressed) in [
        ("pgs:iterations=50", true),
        ("semi-implicit:projection=none,erp=0.2/psor:iterations=50", true),
        ("semi-implicit:projection=hybrid/pgs:iterations=50", false),
        ("semi-implicit:projection=hybrid/hybrid", false),
        ("semi-implicit:projection=none,erp=0.2/hybrid", false),
    ] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .expect("a pool of one thread");
        let count = pool.install(|| {
            let mut simulation = simulation(mechanism(dressed), method, 0.01);
            run(&mut simulation, 100);
            allocation_counter::measure(|| run(&mut simulation, 100)).count_total
        });
        assert_eq!(count, 0, "{method}");
    }
}

/// The counter counts: a history of residuals has to be kept somewhere.
#[test]
fn measuring_every_iteration_allocates() {
    assert!(allocations("pgs", Measure::EveryIteration) > 0);
}
