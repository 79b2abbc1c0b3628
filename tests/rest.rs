//! When scenes of the dissertation come to rest (§6.5, figures 6.67–6.71), and what that saves (§5.6).

mod common;

use common::*;
use drystone::dynamics::{Event, Simulation};

/// The step after which so many bodies sleep, if there is one.
fn asleep_after(simulation: &mut Simulation, bodies: usize, steps: usize) -> Option<usize> {
    (1..=steps).find(|_| {
        run(simulation, 1);
        simulation.report().sleeping >= bodies
    })
}

/// The sleepy policy as published: without the rate test.
const STACKING: &str = "shock-propagation:weight=0,sleep=true,sleep-rate=0,restitution-threshold=0/pgs:iterations=10";

/// Figure 6.67: all cubes asleep at frame 5 with e = 0.1. No policy over five steps can be faster.
#[test]
fn a_stack_at_rest_is_asleep_at_frame_5() {
    let mut stack = catalogue_scene("box-stack:restitution=0.1", STACKING);
    assert_eq!(asleep_after(&mut stack, 25, 10), Some(5));
    let slept = stack.events().filter(|event| matches!(event, Event::Asleep { .. }));
    assert_eq!(slept.count(), 25);
}

/// Figures 6.67 to 6.69, with cubes that begin 5 mm apart so that there is something to bounce: e = 0.4 takes longer than
/// e = 0.1, and e = 1 never comes to rest.
#[test]
fn restitution_keeps_awake() {
    let frames = |e: f64| {
        let mut stack = catalogue_scene(&format!("box-stack:restitution={e},gap=0.005"), STACKING);
        asleep_after(&mut stack, 25, 300)
    };
    let (soft, hard) = (frames(0.1).unwrap(), frames(0.4).unwrap());
    // The top cube falls through 25 gaps, 0.125 m, which alone takes 16 steps.
    assert!(soft >= 16 + 5 && hard > soft, "{soft} {hard}");
    assert_eq!(frames(1.0), None);
}

/// Figures 6.70 and 6.71: the wall sleeps soon at weight 0, the tooth that an exact solver lets fall included.
#[test]
fn a_wall_sleeps_soon() {
    for weight in [0.0, 0.125] {
        let method = format!("shock-propagation:weight={weight},sleep=true,sleep-rate=0/pgs:iterations=10");
        let mut wall = catalogue_scene("wall:restitution=0.4", &method);
        let frames = asleep_after(&mut wall, 200, 100);
        assert!(frames.is_some(), "weight {weight}");
        // Nothing is solved, nothing is moved, contacts are still there.
        let before = bits(&wall);
        run(&mut wall, 50);
        let report = wall.report();
        assert_eq!((report.rows, report.row_updates, report.sleeping), (0, 0, 200));
        assert!(report.contacts > 2000);
        assert_eq!(bits(&wall), before);
    }
}

/// A brick dropped on the sleeping wall wakes it, all of it, and it goes to sleep again.
#[test]
fn a_wall_wakes_on_impact() {
    let mut wall = catalogue_scene(
        "wall:rows=4,columns=6",
        "shock-propagation:sleep=true/pgs:iterations=10",
    );
    assert!(asleep_after(&mut wall, 24, 200).is_some());
    let stone = cuboid("stone", [0.3; 3], 5.0).at(nalgebra::Vector3::new(0.1, 0.0, 5.0));
    wall.world_mut().add(stone).unwrap();
    let mut woken = 0;
    for _ in 0..100 {
        run(&mut wall, 1);
        woken += wall
            .events()
            .filter(|event| matches!(event, Event::Awake { .. }))
            .count();
        if woken > 0 {
            break;
        }
    }
    assert_eq!(woken, 24, "a group wakes as a whole");
    // It has fallen 0.7 m, give or take the envelope and a step.
    let speed = velocity(&wall, "stone").z.abs();
    assert!(speed < (2.0 * G * 0.7_f64).sqrt() + 0.2, "{speed}");
    assert!(asleep_after(&mut wall, 25, 500).is_some());
}

/// §5.2.5: with groups, 120 balls on an engraved plane are many small problems; one problem for all has the same physics.
#[test]
fn groups_divide_the_problem_and_change_nothing() {
    let solver = "pgs:iterations=2000,tolerance=1e-13,stop=relative,friction=cone";
    let mut parts = catalogue_scene("engraved-plane", &format!("semi-implicit/{solver}"));
    let mut whole = catalogue_scene("engraved-plane", &format!("semi-implicit:groups=false/{solver}"));
    let mut most = 0;
    for _ in 0..60 {
        run(&mut parts, 1);
        run(&mut whole, 1);
        most = most.max(parts.report().groups);
        assert!(whole.report().groups <= 1);
        assert_eq!(parts.report().rows, whole.report().rows);
    }
    assert!(most > 20, "{most} groups");
    let apart = |name: &str| (position(&parts, name) - position(&whole, name)).norm();
    // Both stop at 1e-13 of the largest impulse, the whole at that of all groups; 60 steps of impacts amplify it.
    let worst = (0..120).map(|k| apart(&format!("ball-{k}"))).fold(0.0, f64::max);
    assert!(worst < 1e-6, "{worst}");
}

/// Figure 6.65: what a step does is linear in the number of contact points: with ten sweeps, thirty row updates a contact
/// in the first solve, and as many layer by layer.
#[test]
fn work_is_linear_in_contacts() {
    let mut silo = catalogue_scene(
        "silo:count=300,width=2,looseness=0.3",
        "shock-propagation/pgs:iterations=10",
    );
    for step in 0..150 {
        run(&mut silo, 1);
        let report = silo.report();
        let most = 2 * 10 * 3 * report.contacts as u64;
        assert!(
            report.row_updates <= most,
            "step {step}: {} of {most}",
            report.row_updates
        );
    }
    assert!(silo.report().contacts > 300);
}
