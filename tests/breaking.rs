//! Joints that break: by the force, torque or distance that was set, in that step, with an event.

mod common;

use common::*;
use drystone::dynamics::{Attachment, Ball, Body, BreakCause, Breaking, Event, Fixed, Joint};
use nalgebra::{Point3, Vector3};

const DIRECT: &str = "semi-implicit:projection=hybrid/hybrid";

/// A weight on a breakable joint: one that can carry it holds, one that can't breaks in the first step, says so, and lets
/// the weight fall freely.
#[test]
fn joints_break_by_force_and_say_so() {
    let weight = 2.0 * G;
    for (bound, breaks) in [(1.01 * weight, false), (0.99 * weight, true)] {
        let mut world = world(
            0.0,
            0.0,
            [
                Body::fixed("ceiling", box_shape([0.1, 0.1, 0.1])),
                ball("weight", 0.1, 2.0).at(Vector3::new(0.0, 0.0, -1.0)),
            ],
        );
        let breaking = Breaking {
            force: Some(bound),
            ..Breaking::default()
        };
        let joint = Joint::new("hook", Ball, [0, 1], Attachment::at(Point3::new(0.0, 0.0, -1.0)));
        world.add_joint(joint.breaking(breaking)).unwrap();
        let mut simulation = simulation(world, DIRECT, 0.01);
        simulation.step().unwrap();
        let events: Vec<_> = broke(&simulation).collect();
        assert_eq!(events.len(), usize::from(breaks));
        if let [Event::JointBroke { joint, cause }] = events[..] {
            assert_eq!(joint, 0);
            let BreakCause::Force(force) = cause else {
                panic!("{cause:?}")
            };
            assert_close(force, weight, 1e-9);
        }
        run(&mut simulation, 10);
        assert_eq!(broke(&simulation).count(), 0);
        assert_eq!(simulation.report().joints_off, usize::from(breaks));
        let expected = if breaks { -G * 0.1 } else { 0.0 };
        assert_within(velocity(&simulation, "weight").z, expected, 1e-9);
    }
}

/// A joint that is held softly and torn apart breaks at its distance. Its bodies collide from then on.
#[test]
fn joints_break_by_distance() {
    let mut world = weightless(0.0, 0.0, [ball("a", 0.1, 1.0), ball("b", 0.1, 1.0)]);
    let breaking = Breaking {
        distance: Some(0.05),
        ..Breaking::default()
    };
    let mut joint = Joint::new("glue", Ball, [0, 1], Attachment::at(Point3::origin())).breaking(breaking);
    joint.softness.cfm = Some(1.0);
    world.add_joint(joint).unwrap();
    world.bodies_mut()[1].force = Vector3::new(1.0, 0.0, 0.0);
    let mut simulation = simulation(world, "semi-implicit:projection=none/hybrid", 0.01);
    let mut gap = 0.0;
    for _ in 0..1000 {
        simulation.step().unwrap();
        gap = (position(&simulation, "b") - position(&simulation, "a")).norm();
        if let Some(Event::JointBroke { cause, .. }) = broke(&simulation).next() {
            assert_eq!(cause, BreakCause::Distance(gap));
            break;
        }
    }
    assert!(gap > 0.05 && gap < 0.06, "{gap}");
    // They overlap: without the joint they touch.
    assert_eq!(simulation.report().contacts, 0);
    simulation.step().unwrap();
    assert_eq!(simulation.report().contacts, 1);
}

/// By torque: a cantilever breaks off if its own moment is too much.
#[test]
fn joints_break_by_torque() {
    let moment = 2.0 * G * 0.5;
    for (bound, breaks) in [(1.01 * moment, 0), (0.99 * moment, 1)] {
        let rod = cuboid("rod", [0.5, 0.05, 0.05], 2.0).at(Vector3::new(0.5, 0.0, 0.0));
        let mut world = world(0.0, 0.0, [Body::fixed("wall", box_shape([0.1; 3])), rod]);
        let breaking = Breaking {
            torque: Some(bound),
            ..Breaking::default()
        };
        let joint = Joint::new("clamp", Fixed, [0, 1], Attachment::at(Point3::origin()));
        world.add_joint(joint.breaking(breaking)).unwrap();
        let mut simulation = simulation(world, DIRECT, 0.01);
        simulation.step().unwrap();
        assert_eq!(broke(&simulation).count(), breaks);
    }
}
