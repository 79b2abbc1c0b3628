//! Events (§5.3): what is told, when, and what is not.
//!
//! A step begins by looking where bodies are, and tells of what it saw when it is over, and of who pushed each other. So
//! an event comes with the step in which something happens or with the next one: it is late by no more than one step.

mod common;

use std::sync::Arc;

use common::*;
use drystone::dynamics::{
    Attachment, Ball, Body, BodyKind, Breaking, Change, Event, FilterScope, Fixed, Joint, Simulation, Timer, WakeCause,
    World,
};
use nalgebra::{Isometry3, Point3, Vector3};

/// The changes of touching of two bodies, with the time at which the step began that told of it.
fn touches(simulation: &mut Simulation, bodies: [usize; 2], steps: usize) -> Vec<(f64, Change)> {
    let mut told = Vec::new();
    for _ in 0..steps {
        let time = simulation.world().time;
        simulation.step().unwrap();
        let of_pair = simulation.events().filter_map(|event| match event {
            Event::Touch { bodies: pair, change } if pair == bodies => Some((time, change)),
            _ => None,
        });
        told.extend(of_pair);
    }
    told
}

fn changes(told: &[(f64, Change)]) -> Vec<(f64, Change)> {
    told.iter().copied().filter(|(_, change)| change.is_change()).collect()
}

/// A ball dropped from a height H touches the ground after √(2H/g), leaves it in the same instant with e times its
/// speed, and is back after 2 e √(2H/g). With a step h it touches for one or two steps each time. A bounce is early by up
/// to one step, and then slower by up to g h, which takes 2 e h from the flight that follows, 2 e² h from the next, and so on.
#[test]
fn a_bouncing_ball_touches_when_free_fall_says() {
    let (height, e, h) = (1.0, 0.8, 1e-3);
    let dropped = ball("ball", 0.1, 1.0).at(Vector3::z() * (height + 0.1));
    for method in [
        "pgs:iterations=10",
        "shock-propagation/pgs:iterations=10",
        "backtracking/pgs:iterations=10",
    ] {
        let mut simulation = simulation(world(0.0, e, [ground(), dropped.clone()]), method, h);
        let told = touches(&mut simulation, [0, 1], 2300);
        let changes = changes(&told);
        let fall = (2.0 * height / G).sqrt();
        let mut expected = fall;
        for (bounce, pair) in changes.chunks(2).take(4).enumerate() {
            let &[(new, Change::New), (gone, Change::Vanishing)] = pair else {
                panic!("{method}: {pair:?}");
            };
            let flights = |from: usize| (1..=bounce - from).map(|k| 2.0 * e.powi(k as i32)).sum::<f64>();
            let allowed = h * (1.0 + (0..bounce).map(|from| 1.0 + flights(from)).sum::<f64>());
            assert_within(new, expected, allowed + 1e-9);
            // It is nearer than the touch distance of 1 mm for 1 mm over its speed, before and after.
            let speed = G * fall * e.powi(bounce as i32 + 1);
            assert!(
                gone > new && gone - new <= 2.0 * (1e-3 / speed + h) + 1e-9,
                "{method}: {new} to {gone}"
            );
            expected += 2.0 * fall * e.powi(bounce as i32 + 1);
        }
        assert!(changes.len() >= 8, "{method}: {changes:?}");
        // Between New and Vanishing there is nothing but Persistent, outside of it nothing.
        let mut touching = false;
        for (time, change) in told {
            assert_eq!(touching, change != Change::New, "{method}: {change:?} at {time}");
            touching = change != Change::Vanishing;
        }
    }
}

/// When a body is in a trigger: every step's answer, by the time at which the step began.
fn times_in(simulation: &mut Simulation, trigger: usize, body: usize, steps: usize) -> (f64, f64) {
    let (mut enter, mut leave, mut inside) = (f64::NAN, f64::NAN, false);
    for _ in 0..steps {
        let time = simulation.world().time;
        simulation.step().unwrap();
        let mut told = simulation.events().filter_map(|event| match event {
            Event::Trigger {
                trigger: t,
                body: b,
                change,
            } => {
                assert_eq!((t, b), (trigger, body));
                Some(change)
            }
            Event::Touch { .. } => panic!("nothing touches a trigger"),
            _ => None,
        });
        let change = told.next();
        assert_eq!(told.next(), None, "once a step");
        match change {
            Some(Change::New) => (enter, inside) = (time, true),
            Some(Change::Vanishing) => (leave, inside) = (time, false),
            Some(Change::Persistent) => assert!(inside),
            None => assert!(!inside),
        }
    }
    (enter, leave)
}

/// A ball of radius r passes a box of half length a from −L with speed v: it is in from (L − a − r)/v to (L + a + r)/v.
/// It does not matter which of them moves, nor whether the ball is thrown or scripted, nor which has the smaller index.
#[test]
fn triggers_are_entered_and_left_on_time() {
    let (r, a, start, v, h) = (0.1, 0.5, 2.0, 1.7, 0.01);
    let slide =
        |from: f64, speed: f64| Arc::new(move |time: f64| Isometry3::translation(from + speed * time, 0.0, 0.0));
    let still = Body::trigger("gate", box_shape([a, 1.0, 1.0]));
    let carried = Body {
        kind: BodyKind::Trigger(Some(slide(start, -v))),
        pose: Isometry3::translation(start, 0.0, 0.0),
        ..still.clone()
    };
    let thrown = moving(ball("ball", r, 1.0).at(-start * Vector3::x()), [v, 0.0, 0.0]);
    let waiting = ball("ball", r, 1.0);
    let pinned = Body::fixed("ball", waiting.shape.clone());
    let scripted = Body::scripted("ball", waiting.shape.clone(), slide(-start, v));
    for (gate, ball) in [
        (&still, &thrown),
        (&carried, &waiting),
        (&carried, &pinned),
        (&still, &scripted),
    ] {
        for gate_first in [true, false] {
            for method in [
                "pgs",
                "semi-implicit:sleep=true/pgs",
                "modified-shock-propagation/pgs",
                "backtracking/pgs",
            ] {
                let bodies = if gate_first { [gate, ball] } else { [ball, gate] };
                let mut simulation = simulation(weightless(0.0, 0.0, bodies.map(Body::clone)), method, h);
                let [gate, ball] = ["gate", "ball"].map(|name| simulation.world().find(name).unwrap());
                let (enter, leave) = times_in(&mut simulation, gate, ball, 300);
                let what = format!(
                    "{method}, {:?}, gate first: {gate_first}",
                    bodies.map(|body| &body.kind)
                );
                // With a second query at the end of the step the answer is that of its end.
                let early = if method.starts_with("modified") { h } else { 0.0 };
                for (found, expected) in [(enter, start - a - r), (leave, start + a + r)] {
                    let late = found + early - expected / v;
                    assert!((-1e-9..=h + 1e-9).contains(&late), "{what}: late by {late}");
                }
                // It was not slowed down by what is no thing.
                if simulation.world().bodies()[ball].is_dynamic() && bodies[usize::from(gate_first)].name == "ball" {
                    let expected = if bodies.iter().any(|body| body.linear_velocity.x != 0.0) {
                        v
                    } else {
                        0.0
                    };
                    assert_eq!(simulation.world().bodies()[ball].linear_velocity.x, expected, "{what}");
                }
            }
        }
    }
}

/// The n-th tick is told in the step in which it falls, with its exact time.
#[test]
fn timers_tick_in_their_step() {
    let mut world = weightless(0.0, 0.0, [ball("ball", 0.1, 1.0)]);
    world.add_timer(Timer::every("often", 0.003)).unwrap();
    world.add_timer(Timer::once("once", 0.1234)).unwrap();
    for method in [
        "semi-implicit:sleep=true/pgs",
        "backtracking/pgs",
        "shock-propagation/pgs",
    ] {
        let mut simulation = simulation(world.clone(), method, 0.01);
        let (mut often, mut once) = (0, Vec::new());
        for step in 1..=100 {
            simulation.step().unwrap();
            let (begin, end) = (f64::from(step - 1) * 0.01, f64::from(step) * 0.01);
            for event in simulation.events() {
                if let Event::Tick { timer, time } = event {
                    assert!(time > begin - 1e-12 && time <= end + 1e-12);
                    if timer == 0 {
                        often += 1;
                        assert_within(time, f64::from(often) * 0.003, 1e-12);
                    } else {
                        once.push(time);
                    }
                }
            }
        }
        assert_eq!((often, once), (333, vec![0.1234]), "{method}");
    }
}

/// A rule, and a body in store: nothing touches, nobody is told, and a ball falls through a floor. Without, it lands.
#[test]
fn what_may_not_touch_does_not_and_says_nothing() {
    let table = || Body::fixed("table", box_shape([1.0, 1.0, 0.1]));
    let above = || ball("ball", 0.1, 1.0).at(Vector3::z() * 0.5);
    let forbid: [fn(&mut World); 5] = [
        |world| world.filter.add_rule(FilterScope::Pair(0, 1)).unwrap(),
        |world| world.filter.add_rule(FilterScope::Body(1)).unwrap(),
        |world| {
            world.filter.set_groups(0, &[3]).unwrap();
            world.filter.set_groups(1, &[7]).unwrap();
            world.filter.add_rule(FilterScope::Groups(7, 3)).unwrap();
        },
        |world| world.filter.default_allow = false,
        |world| world.bodies_mut()[0].passive = true,
    ];
    for method in ["pgs", "shock-propagation/pgs", "backtracking/pgs"] {
        for (index, forbid) in forbid.iter().enumerate() {
            let mut world = world(0.5, 0.0, [table(), above()]);
            forbid(&mut world);
            let mut simulation = simulation(world, method, 0.01);
            for _ in 0..100 {
                simulation.step().unwrap();
                let told = simulation
                    .events()
                    .any(|event| matches!(event, Event::Touch { .. } | Event::Proximity { .. }));
                assert!(!told, "{method}, rule {index}");
            }
            assert_within(velocity(&simulation, "ball").z, -G, 1e-9);
        }
        let mut simulation = simulation(world(0.5, 0.0, [table(), above()]), method, 0.01);
        assert!(touches(&mut simulation, [0, 1], 100).len() > 50);
        assert_within(position(&simulation, "ball").z, 0.2, 2e-3);
    }
}

/// A rule that comes and goes while two touch: told as parting and meeting.
#[test]
fn a_rule_that_comes_ends_a_touch() {
    let mut simulation = simulation(
        world(0.5, 0.0, [ground(), ball("ball", 0.1, 1.0).at(Vector3::z() * 0.1)]),
        "pgs",
        1e-3,
    );
    let scope = FilterScope::Pair(0, 1);
    let first = touches(&mut simulation, [0, 1], 3);
    assert_eq!(
        first.iter().map(|told| told.1).collect::<Vec<_>>(),
        [Change::New, Change::Persistent, Change::Persistent]
    );
    simulation.world_mut().filter.add_rule(scope).unwrap();
    let rules = |simulation: &Simulation| {
        let nodes = simulation.pipeline().graph().nodes();
        nodes.filter(|node| format!("{:?}", node.kind) == "Rule").count()
    };
    assert_eq!(
        touches(&mut simulation, [0, 1], 2)
            .iter()
            .map(|told| told.1)
            .collect::<Vec<_>>(),
        [Change::Vanishing]
    );
    assert_eq!(rules(&simulation), 1);
    assert!(simulation.world_mut().filter.remove_rule(scope));
    assert_eq!(touches(&mut simulation, [0, 1], 1)[0].1, Change::New);
    assert_eq!(rules(&simulation), 0);
}

/// Two walls and a fast ball between them, with a step in which it goes a third of its own radius: where a plain step
/// finds it deep in the wall, the backtracking one does not, and it tells of the same touches as a run with steps a
/// hundred times as fine.
#[test]
fn backtracking_tells_of_nothing_that_it_took_back() {
    let (r, v, h, tolerance) = (0.1, 2.95, 0.01, 1e-3);
    let scene = || {
        let wall = |name: &str, x: f64| Body::fixed(name, box_shape([0.5, 1.0, 1.0])).at(Vector3::x() * x);
        let thrown = moving(ball("ball", r, 1.0), [v, 0.0, 0.0]);
        weightless(0.0, 1.0, [wall("left", -1.0), wall("right", 1.0), thrown])
    };
    let observe = |method: &str, h: f64| {
        let mut simulation = simulation(scene(), method, h);
        let (mut told, mut deepest) = (Vec::new(), 0.0_f64);
        for _ in 0..(2.0 / h).round() as usize {
            let time = simulation.world().time;
            simulation.step().unwrap();
            deepest = deepest.max(position(&simulation, "ball").x.abs() + r - 0.5);
            told.extend(simulation.events().filter_map(|event| match event {
                Event::Touch { bodies, change } if change.is_change() => Some((time, bodies, change)),
                _ => None,
            }));
        }
        (told, deepest)
    };
    let plain = "semi-implicit:speculative=false,projection=none,touch-distance=0/pgs:iterations=10";
    let back =
        format!("backtracking:projection=none,touch-distance=0,halvings=10,tolerance={tolerance}/pgs:iterations=10");
    let (_, too_deep) = observe(plain, h);
    assert!(too_deep > 5.0 * tolerance, "{too_deep}");
    let (found, depth) = observe(&back, h);
    assert!(depth <= tolerance, "{depth}");
    let (fine, _) = observe(plain, h / 100.0);
    let order = |told: &[(f64, [usize; 2], Change)]| told.iter().map(|told| (told.1, told.2)).collect::<Vec<_>>();
    // With steps as coarse as these a touch may begin and end within one, and then it is not told. Here none does.
    assert_eq!(order(&found), order(&fine));
    assert!(found.len() >= 12);
    for (found, fine) in found.iter().zip(&fine) {
        assert_within(found.0, fine.0, 2.0 * h);
    }
}

/// A step that is taken in parts counts as one: what a joint carried is the sum over its parts, and a joint that can
/// carry its weight does not break.
#[test]
fn joints_carry_their_load_in_steps_that_are_divided() {
    let ceiling = Body::fixed("ceiling", box_shape([0.1; 3])).at(Vector3::new(0.0, 0.0, 2.0));
    let hung = ball("weight", 0.1, 2.0).at(Vector3::z());
    let thrown = moving(ball("ball", 0.1, 1.0).at(Vector3::x() * 3.0), [0.0, 0.0, -3.1]);
    let floor = Body::fixed("floor", box_shape([0.5; 3])).at(Vector3::new(3.0, 0.0, -1.0));
    let mut world = world(0.0, 1.0, [ceiling, hung, floor, thrown]);
    let hook = Joint::new("hook", Ball, [0, 1], Attachment::at(Point3::new(0.0, 0.0, 1.0)));
    let breaking = Breaking {
        force: Some(1.01 * 2.0 * G),
        ..Breaking::default()
    };
    world.add_joint(hook.breaking(breaking)).unwrap();
    let mut simulation = simulation(world, "backtracking:halvings=8/pgs:iterations=50", 0.01);
    let mut bounced = false;
    for _ in 0..60 {
        simulation.step().unwrap();
        bounced |= velocity(&simulation, "ball").z > 0.0;
        assert_eq!(broke(&simulation).count(), 0);
        assert_within(joint_force(&simulation, 0).z, 2.0 * G, 1e-6);
    }
    assert!(bounced, "no step was divided");
}

/// The first impulses of a contact are told like all others, also by a step that looks for contacts twice.
#[test]
fn a_new_contact_has_its_impulse() {
    for method in [
        "pgs:iterations=50",
        "shock-propagation/pgs:iterations=50",
        "modified-shock-propagation/pgs:iterations=50",
        "backtracking/pgs:iterations=50",
    ] {
        let rests = ball("ball", 0.1, 2.0).at(Vector3::z() * 0.1);
        let mut simulation = simulation(world(0.5, 0.0, [ground(), rests]), method, 0.01);
        for step in 1..5 {
            simulation.step().unwrap();
            let impulse = impulse_between(&simulation, "ground", "ball").z;
            assert!(
                (impulse - 2.0 * G * 0.01).abs() < 1e-9,
                "{method}, step {step}: {impulse}"
            );
        }
    }
}

/// A removed body is in no event any more, and indices are those of the world as it is. Its neighbours wake.
#[test]
fn removed_bodies_are_in_no_event() {
    let stack = (0..4).map(|k| cuboid(&format!("{k}"), [0.5; 3], 1.0).at(Vector3::z() * (0.5 + f64::from(k))));
    let gate = Body::trigger("gate", box_shape([2.0, 2.0, 10.0]));
    let world = world(0.5, 0.0, [ground(), gate].into_iter().chain(stack));
    let mut simulation = simulation(world, "semi-implicit:sleep=true/pgs:iterations=50", 0.01);
    run(&mut simulation, 30);
    assert_eq!(simulation.report().sleeping, 4);
    // The second from below: those below and above it wake, and the upper ones fall by one.
    simulation.world_mut().remove(3).unwrap();
    let mut told = Vec::new();
    for _ in 0..80 {
        simulation.step().unwrap();
        let count = simulation.world().bodies().len();
        for event in simulation.events() {
            let bodies = match event {
                Event::Touch { bodies, .. } | Event::Proximity { bodies, .. } => bodies,
                Event::Trigger { trigger, body, .. } => [trigger, body],
                Event::Awake { body, .. } | Event::Asleep { body } => [body, body],
                _ => [0, 0],
            };
            assert!(bodies.iter().all(|&body| body < count), "{event:?}");
            match event {
                Event::Touch { change, .. } if change.is_change() => told.push(event),
                Event::Trigger { body, change, .. } => {
                    assert_eq!(change, Change::Persistent, "nobody else went out: {body}");
                    assert!(body != 1);
                }
                Event::Awake { .. } => told.push(event),
                _ => {}
            }
        }
    }
    let awake = |body| Event::Awake {
        body,
        cause: WakeCause::Contact,
    };
    let meet = Event::Touch {
        bodies: [2, 3],
        change: Change::New,
    };
    assert_eq!(told[..3], [awake(2), awake(3), awake(4)]);
    // Meanwhile the lowest one may sleep again, until the others land on it.
    let met: Vec<_> = told[3..].iter().filter(|&&event| event != awake(2)).collect();
    assert_eq!(met, [&meet], "{told:?}");
    assert_within(position(&simulation, "3").z, 2.5, 2e-3);
}

/// A joint removed in the step after it broke, and bodies with it: indices of other joints follow.
#[test]
fn events_of_joints_follow_their_indices() {
    let bodies = (0..4).map(|k| ball(&format!("{k}"), 0.1, 1.0).at(Vector3::x() * f64::from(k)));
    let ceiling = Body::fixed("ceiling", box_shape([0.01; 3])).at(Vector3::z() * 5.0);
    let mut world = world(0.0, 0.0, bodies.chain([ceiling]));
    for k in 0..4 {
        let place = Attachment::at(Point3::new(k as f64, 0.0, 0.0));
        world
            .add_joint(Joint::new(format!("{k}"), Fixed, [k, 4], place))
            .unwrap();
    }
    let mut simulation = simulation(world, DIRECT, 0.01);
    simulation.step().unwrap();
    simulation.world_mut().remove(1).unwrap();
    assert_eq!(simulation.world().joints().len(), 3);
    simulation.world_mut().joints_mut()[1].breaking.force = Some(0.5 * G);
    simulation.step().unwrap();
    let told: Vec<_> = broke(&simulation).collect();
    assert!(matches!(told[..], [Event::JointBroke { joint: 1, .. }]), "{told:?}");
    assert_eq!(simulation.world().joints()[1].name, "2");
    run(&mut simulation, 10);
    assert_within(velocity(&simulation, "2").z, -G * 0.1, 1e-9);
    assert_within(velocity(&simulation, "3").z, 0.0, 1e-9);
}
