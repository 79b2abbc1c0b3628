//! Sleep (§6.5): who falls asleep, who must not, and what wakes a sleeper.

mod common;

use std::sync::Arc;

use common::*;
use drystone::dynamics::{
    Attachment, Ball, Body, ContactLaw, Event, FilterScope, Fixed, Hinge, Joint, Motor, Simulation, WakeCause, World,
};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

const SLEEPY: &str = "semi-implicit:sleep=true/pgs:iterations=50";

/// Every stepper there is, with sleep.
const STEPPERS: [&str; 4] = [
    SLEEPY,
    "shock-propagation:sleep=true/pgs:iterations=20",
    "modified-shock-propagation:sleep=true/pgs:iterations=20",
    "backtracking:sleep=true/pgs:iterations=50",
];

/// A tower of three cubes on the ground.
fn tower(name: &str, x: f64) -> impl Iterator<Item = Body> {
    (0..3).map(move |level| {
        let cube = cuboid(&format!("{name}{level}"), [0.5; 3], 10.0);
        cube.at(Vector3::new(x, 0.0, 0.5 + f64::from(level)))
    })
}

/// The ground (0), the tower A (1 to 3) and the tower B (4 to 6).
fn two_towers() -> World {
    let bodies = [ground()].into_iter();
    world(0.5, 0.0, bodies.chain(tower("a", -3.0)).chain(tower("b", 3.0)))
}

fn asleep(simulation: &Simulation) -> Vec<usize> {
    let bodies = 0..simulation.world().bodies().len();
    bodies.filter(|&body| simulation.pipeline().is_asleep(body)).collect()
}

fn put_to_sleep(simulation: &mut Simulation) -> Vec<usize> {
    run(simulation, 60);
    asleep(simulation)
}

/// Who woke in the last step and why, in the order of the bodies.
fn woken(simulation: &Simulation) -> Vec<(usize, WakeCause)> {
    let mut woken: Vec<_> = simulation
        .events()
        .filter_map(|event| match event {
            Event::Awake { body, cause } => Some((body, cause)),
            _ => None,
        })
        .collect();
    woken.sort_by_key(|&(body, _)| body);
    woken
}

fn fell_asleep(simulation: &Simulation) -> Vec<usize> {
    let events = simulation.events().filter_map(|event| match event {
        Event::Asleep { body } => Some(body),
        _ => None,
    });
    events.collect()
}

/// A tower at rest sleeps after the five steps of the rule, all of it in one step. The other one falls first:
/// it sleeps later, all of it in one step too, and the first is not woken by it.
#[test]
fn a_group_falls_asleep_together_and_groups_on_their_own() {
    let mut world = two_towers();
    for cube in &mut world.bodies_mut()[4..] {
        cube.pose.translation.vector.z += 0.2;
    }
    let mut simulation = simulation(world, SLEEPY, 0.01);
    let mut nights = Vec::new();
    for step in 1..=300 {
        simulation.step().unwrap();
        assert!(woken(&simulation).is_empty());
        let sleepers = fell_asleep(&simulation);
        if !sleepers.is_empty() {
            nights.push((step, sleepers));
        }
    }
    let [(first, a), (second, b)] = &nights[..] else {
        panic!("{nights:?}");
    };
    assert_eq!(
        (a.as_slice(), b.as_slice()),
        ([1, 2, 3].as_slice(), [4, 5, 6].as_slice())
    );
    assert!((5..10).contains(first), "{first}");
    // The fall takes √(2 · 0.2/g) = 0.2 s.
    assert!((25..80).contains(second), "{second}");
    assert_eq!(simulation.report().sleeping, 6);
}

/// A change of the world, and the cause that must be given for each body that it wakes at once; the rest of the group
/// wakes by contact, the other tower not at all.
type Disturbance = (&'static str, fn(&mut Simulation), &'static [(usize, WakeCause)]);

const DISTURBANCES: [Disturbance; 15] = {
    use WakeCause::{Contact, Force, Joint as ByJoint, User};
    [
        (
            "force",
            |it| it.world_mut().bodies_mut()[1].force.x = 0.1,
            &[(1, Force)],
        ),
        (
            "torque",
            |it| it.world_mut().bodies_mut()[2].torque.z = 0.1,
            &[(2, Force)],
        ),
        ("mass", |it| it.world_mut().bodies_mut()[2].mass *= 2.0, &[(2, Force)]),
        (
            "velocity",
            |it| it.world_mut().bodies_mut()[3].linear_velocity.x = 0.1,
            &[(3, Force)],
        ),
        (
            "angular velocity",
            |it| it.world_mut().bodies_mut()[3].angular_velocity.z = 0.1,
            &[(3, Force)],
        ),
        (
            "pose",
            |it| it.world_mut().bodies_mut()[3].pose.translation.vector.x += 0.01,
            &[(3, Force)],
        ),
        ("user", |it| it.wake(2), &[(2, User)]),
        (
            "a ball that lands",
            |it| {
                let ball = moving(
                    ball("ball", 0.2, 1.0).at(Vector3::new(-3.0, 0.0, 3.2)),
                    [0.0, 0.0, -1.0],
                );
                it.world_mut().add(ball).unwrap();
            },
            &[],
        ),
        (
            "top removed",
            |it| drop(it.world_mut().remove(3).unwrap()),
            &[(2, Contact)],
        ),
        (
            "middle passive",
            |it| it.world_mut().bodies_mut()[2].passive = true,
            &[(1, Contact), (3, Contact)],
        ),
        (
            "middle fixed",
            |it| it.world_mut().bodies_mut()[2].kind = drystone::dynamics::BodyKind::Fixed,
            &[(1, Contact), (3, Contact)],
        ),
        (
            "middle made a ball",
            |it| {
                let ball = ball("a1", 0.5, 10.0).at(Vector3::new(-3.0, 0.0, 1.5));
                it.world_mut().replace(2, ball).unwrap();
            },
            &[(1, Contact), (2, Force), (3, Contact)],
        ),
        (
            "a rule",
            |it| it.world_mut().filter.add_rule(FilterScope::Pair(2, 3)).unwrap(),
            &[(2, Contact), (3, Contact)],
        ),
        (
            "joint to the ground",
            |it| {
                let place = Attachment::at(Point3::new(-3.0, 0.0, 2.5));
                it.world_mut()
                    .add_joint(Joint::new("nail", Ball, [0, 3], place))
                    .unwrap();
            },
            &[(3, ByJoint)],
        ),
        (
            "joint inside",
            |it| {
                let place = Attachment::at(Point3::new(-3.0, 0.0, 2.0));
                it.world_mut()
                    .add_joint(Joint::new("nail", Fixed, [2, 3], place))
                    .unwrap();
            },
            &[(2, ByJoint), (3, ByJoint)],
        ),
    ]
};

/// Whatever happens to a sleeper wakes it, for the right reason, and with it those that can feel it.
#[test]
fn each_disturbance_wakes_its_group_and_says_why() {
    for (name, disturb, causes) in DISTURBANCES {
        let mut simulation = simulation(two_towers(), SLEEPY, 0.01);
        assert_eq!(put_to_sleep(&mut simulation), [1, 2, 3, 4, 5, 6]);
        disturb(&mut simulation);
        let mut events = Vec::new();
        let gone = name == "top removed";
        let mut awake = [true, true, !gone];
        for _ in 0..8 {
            simulation.step().unwrap();
            events.extend(woken(&simulation));
            for (body, awake) in (1..).zip(&mut awake) {
                *awake &= simulation.pipeline().is_asleep(body);
            }
        }
        for cause in causes {
            assert!(events.contains(cause), "{name}: {cause:?} is not in {events:?}");
        }
        for (body, cause) in &events {
            let known = causes.iter().any(|(other, _)| body == other);
            assert!(
                known || *cause == WakeCause::Contact,
                "{name}: {body} woke by {cause:?}"
            );
            assert!(gone && *body < 3 || !gone && *body < 4, "{name}: {body} woke");
        }
        // Who is still there and moved by forces was awake for a while.
        let bodies = simulation.world().bodies();
        let is_tower = |body: &&Body| body.name.starts_with('a') && body.is_dynamic();
        for body in bodies.iter().filter(is_tower) {
            let index = simulation.world().find(&body.name).unwrap();
            assert!(!awake[index - 1], "{name}: {} slept on", body.name);
        }
    }
}

/// Gravity pulls at all of them, a slippery material loosens all of them.
#[test]
fn what_concerns_all_wakes_all() {
    let causes = |disturb: fn(&mut World)| {
        let mut simulation = simulation(two_towers(), SLEEPY, 0.01);
        assert_eq!(put_to_sleep(&mut simulation).len(), 6);
        disturb(simulation.world_mut());
        simulation.step().unwrap();
        assert!(asleep(&simulation).is_empty());
        woken(&simulation)
    };
    let all = |cause| (1..=6).map(|body| (body, cause)).collect::<Vec<_>>();
    assert_eq!(causes(|world| world.gravity.x = 0.1), all(WakeCause::Force));
    let by_ground = causes(|world| world.bodies_mut()[0].pose.translation.vector.z = -0.1);
    assert_eq!(by_ground, all(WakeCause::Contact));
}

/// Blocks asleep on a slope that friction holds start to slide when there is none.
#[test]
fn a_slope_made_slippery_wakes_what_lies_on_it() {
    let (sine, cosine) = 0.2_f64.sin_cos();
    let mut block = cuboid("block", [0.5, 0.5, 0.2], 5.0).at(Vector3::new(0.2 * sine, 0.0, 0.2 * cosine));
    block.pose.rotation = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.2);
    let slope = plane("slope", Vector3::new(sine, 0.0, cosine));
    let mut simulation = simulation(world(0.5, 0.0, [slope, block]), SLEEPY, 0.01);
    assert_eq!(put_to_sleep(&mut simulation), [1]);
    let slippery = ContactLaw {
        friction: 0.0,
        restitution: 0.0,
    };
    simulation.world_mut().materials.set_pair(0, 0, slippery).unwrap();
    run(&mut simulation, 100);
    // v = g sin α t.
    let speed = velocity(&simulation, "block").norm();
    assert_close(speed, G * sine, 1e-6);
}

/// An arm on a hinge, held level by a motor or not.
fn arm(motor: Option<Motor>) -> World {
    let post = Body::fixed("post", box_shape([0.1; 3]));
    let beam = cuboid("beam", [0.5, 0.05, 0.05], 2.0).at(Vector3::x() * 0.6);
    let mut world = world(0.5, 0.0, [post, beam]);
    let mut joint = Joint::new(
        "pivot",
        Hinge,
        [0, 1],
        Attachment::at(Point3::origin()).axis(Vector3::y()),
    );
    joint.motors.extend(motor);
    world.add_joint(joint).unwrap();
    world
}

/// A beam that a motor holds level sleeps. Whatever is done to the motor or the joint wakes it, because of the joint, and
/// it moves: it swings down, or up as the motor says.
#[test]
fn joints_and_motors_that_change_wake_what_they_hold() {
    type Change = (&'static str, fn(&mut World));
    let disturbances: [Change; 5] = [
        ("another target", |world| {
            world.joints_mut()[0].motors[0] = Motor::servo(0, -0.5, 5.0, 1e3);
        }),
        ("a drive", |world| {
            world.joints_mut()[0].motors[0] = Motor::velocity(0, 0.5, 1e3)
        }),
        ("no motor", |world| world.joints_mut()[0].motors.clear()),
        ("switched off", |world| world.joints_mut()[0].enabled = false),
        ("removed", |world| drop(world.remove_joint(0).unwrap())),
    ];
    for (name, disturb) in disturbances {
        let method = "semi-implicit:sleep=true,projection=hybrid/hybrid";
        let mut simulation = simulation(arm(Some(Motor::servo(0, 0.0, 5.0, 1e3))), method, 0.01);
        assert_eq!(put_to_sleep(&mut simulation), [1], "{name}");
        let before = body(&simulation, "beam").pose;
        disturb(simulation.world_mut());
        simulation.step().unwrap();
        assert_eq!(woken(&simulation), [(1, WakeCause::Joint)], "{name}");
        run(&mut simulation, 9);
        let way = (body(&simulation, "beam").pose.translation.vector - before.translation.vector).norm();
        // In a tenth of a second: g t²/2 = 5 cm, or 0.6 m · 0.5 rad/s · 0.1 s = 3 cm.
        assert!(way > 0.02, "{name}: {way}");
    }
}

/// A servo that is slow is not done: `θ' = r (θ* − θ)`, so at r = 0.1 / s the beam's energy per mass, some `½ (0.6 θ')²`, is
/// below the threshold from the beginning, and only when it wants less than 1e-3 rad/s may it sleep, 0.01 rad from its target.
#[test]
fn a_slow_servo_arrives_before_it_sleeps() {
    let method = "semi-implicit:sleep=true,projection=hybrid/hybrid";
    let mut simulation = simulation(arm(Some(Motor::servo(0, 0.3, 0.1, 1e3))), method, 0.01);
    let asleep_at = (0..10_000).find(|_| {
        simulation.step().unwrap();
        simulation.report().sleeping == 1
    });
    let left = (0.3 - coordinate(&simulation, 0, 0)).abs();
    assert_within(left, 0.01, 1e-4);
    // ln(0.3 / 0.01) / r, and the steps of the policy.
    let expected = (0.3_f64 / 0.01).ln() / 0.1 / 0.01;
    assert_within(asleep_at.unwrap() as f64, expected, 10.0 + 0.01 * expected);
}

/// What flies is never at rest, however slow it is at its highest point: with a threshold far above its energy there,
/// and with the published rule, it keeps to its parabola.
#[test]
fn a_body_in_free_flight_never_sleeps() {
    for rate in ["1e-3", "0"] {
        let method = format!("semi-implicit:sleep=true,sleep-energy=0.1,sleep-rate={rate}/pgs");
        let thrown = moving(ball("ball", 0.1, 1.0), [0.0, 0.0, 2.0]);
        let mut simulation = simulation(world(0.0, 0.0, [thrown]), &method, 1e-3);
        for _ in 0..400 {
            simulation.step().unwrap();
            assert!(fell_asleep(&simulation).is_empty());
        }
        assert_within(velocity(&simulation, "ball").z, 2.0 - G * 0.4, 1e-12);
    }
}

/// Where nothing pulls at it, a body that does not move is at rest; one that is pulled is not.
#[test]
fn weightless_bodies_at_rest_sleep() {
    let pulled = |name: &str, x: f64, force: f64| {
        let mut body = ball(name, 0.1, 1.0).at(Vector3::x() * x);
        body.force.y = force;
        body
    };
    let world = weightless(
        0.0,
        0.0,
        [pulled("a", 0.0, 0.0), pulled("b", 1.0, 1e-9), pulled("c", 2.0, 0.0)],
    );
    let mut simulation = simulation(world, SLEEPY, 0.01);
    for step in 1..10 {
        simulation.step().unwrap();
        let expected: &[usize] = if step < 5 { &[] } else { &[0, 2] };
        assert_eq!(asleep(&simulation), expected, "step {step}");
    }
}

/// A beam that swings about a hinge above its centre. At its turning point it has next to no energy: the published rule
/// (`sleep-rate=0`) puts it asleep there, 17 degrees from where it would come to rest. The rate test sees that the energy
/// changes, and lets it swing, as if there were no sleep at all.
///
/// At the turning point `α = m g d sin θ/I`, and its energy per mass `½ (I/m) α² t²` is 7e-4 J/kg four steps before: less
/// than the threshold of 1e-3, and 15 times what the rate of 1e-3 W/kg allows over five steps.
#[test]
fn a_see_saw_sleeps_at_its_turning_point_by_the_published_rule_alone() {
    let amplitude = 0.3;
    let distance = 0.2;
    let see_saw = || {
        let mut beam = cuboid("beam", [1.0, 0.1, 0.05], 10.0);
        beam.pose.rotation = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), amplitude);
        beam.pose.translation.vector = beam.pose.rotation * (-distance * Vector3::z());
        let mut world = world(0.0, 0.0, [Body::fixed("post", box_shape([0.01; 3])), beam]);
        let pivot = Attachment::at(Point3::origin()).axis(Vector3::y());
        world.add_joint(Joint::new("pivot", Hinge, [0, 1], pivot)).unwrap();
        world
    };
    let angle = |simulation: &Simulation| {
        let axis = body(simulation, "beam").pose.rotation * Vector3::x();
        -axis.z.asin()
    };
    let with = |options: &str| {
        simulation(
            see_saw(),
            &format!("semi-implicit:projection=hybrid,{options}/hybrid"),
            0.01,
        )
    };

    let beam = &see_saw().bodies()[1].clone();
    let inertia = beam.inertia[(1, 1)] + beam.mass * distance * distance;
    let period =
        std::f64::consts::TAU * (inertia / (beam.mass * G * distance)).sqrt() / agm(1.0, (0.5 * amplitude).cos());

    let mut published = with("sleep=true,sleep-rate=0");
    let night = (1..1000).find(|_| {
        published.step().unwrap();
        !fell_asleep(&published).is_empty()
    });
    let night = 0.01 * night.expect("it sleeps") as f64;
    assert_within(night, 0.5 * period, 0.05);
    // Within a step or two of the turning point it is amplitude-near: ½ α t².
    assert_within(angle(&published), -amplitude, 2e-3);
    let bits_asleep = bits(&published);
    run(&mut published, 100);
    assert_eq!(bits(&published), bits_asleep);

    let (mut rated, mut sleepless) = (with("sleep=true"), with("sleep=false"));
    for _ in 0..(3.0 * period / 0.01) as usize {
        rated.step().unwrap();
        sleepless.step().unwrap();
        assert!(fell_asleep(&rated).is_empty());
        assert_eq!(bits(&rated), bits(&sleepless));
    }
    assert!(angle(&rated).abs() <= 1.01 * amplitude);
}

/// Asleep is asleep: not a bit changes in a thousand steps, with every stepper, and so neither does the energy. Awake,
/// the same wall does not keep its bits.
#[test]
fn a_sleeping_scene_does_not_move_by_a_bit() {
    let scene = drystone::scenes::load("wall:rows=4,columns=4,restitution=0").expect("a scene of the catalogue");
    for method in STEPPERS {
        let mut simulation = simulation(scene.build().unwrap(), method, 0.01);
        let bricks = simulation
            .world()
            .bodies()
            .iter()
            .filter(|body| body.is_dynamic())
            .count();
        let night = (0..1000).find(|_| {
            simulation.step().unwrap();
            simulation.report().sleeping == bricks
        });
        assert!(
            night.is_some(),
            "{method}: {} of {bricks} sleep",
            simulation.report().sleeping
        );
        let (state, total) = (bits(&simulation), energy(&simulation));
        let contacts = simulation.report().contacts;
        for _ in 0..1000 {
            simulation.step().unwrap();
            assert!(woken(&simulation).is_empty(), "{method}");
        }
        assert_eq!(bits(&simulation), state, "{method}");
        assert_eq!(energy(&simulation), total, "{method}");
        assert_eq!(simulation.report().contacts, contacts, "{method}");
        assert_eq!(simulation.world().kinetic_energy(), 0.0);
        // What it stands with is what the wall weighs: nothing sank in or was lifted before it slept. A brick is 1 m
        // high, and a tenth of a millimetre is what the envelope lets a solver's error grow to.
        let expected: f64 = scene.build().unwrap().potential_energy();
        assert_within(total / expected, 1.0, 1e-4);
    }
}

/// A box on a belt that creeps with 1 cm/s has an energy far below the threshold; it is not at rest. The same for one that
/// hangs on a trolley, and for both when the motion begins after they have fallen asleep.
#[test]
fn nothing_sleeps_on_what_moves() {
    let speed = 0.01;
    for begin in [0.0, 1.0] {
        for hangs in [false, true] {
            for method in STEPPERS {
                let path = move |time: f64| Isometry3::translation(speed * (time - begin).max(0.0), 0.0, -0.5);
                let belt = Body::scripted("belt", box_shape([5.0, 1.0, 0.5]), Arc::new(path));
                let mut world = world(0.8, 0.0, [belt]);
                if hangs {
                    world
                        .add(ball("load", 0.2, 1.0).at(Vector3::new(0.0, 0.0, -2.0)))
                        .unwrap();
                    let hook = Attachment::at(Point3::new(0.0, 0.0, -1.2));
                    world.add_joint(Joint::new("hook", Fixed, [0, 1], hook)).unwrap();
                } else {
                    world.add(cuboid("load", [0.2; 3], 1.0).at(Vector3::z() * 0.2)).unwrap();
                }
                let mut simulation = simulation(world, method, 0.01);
                let what = format!("{method}, begins at {begin}, hangs: {hangs}");
                let mut slept = 0;
                for step in 1..=300 {
                    simulation.step().unwrap();
                    // Up to the step that begins with the motion.
                    let moving = step as f64 * 0.01 > begin + 0.005;
                    slept += usize::from(!moving && simulation.pipeline().is_asleep(1));
                    assert!(!moving || !simulation.pipeline().is_asleep(1), "{what}: step {step}");
                }
                assert_eq!(slept > 50, begin > 0.0, "{what}");
                // Friction takes it along, up to what it slides at the beginning: v²/(2 μ g), and less than a step's way.
                let way = speed * (3.0 - begin);
                assert_within(position(&simulation, "load").x, way, 2.0 * speed * 0.01);
            }
        }
    }
}

/// Bodies can be put asleep before the first step. They are there: what falls on one lands on it, and wakes it.
#[test]
fn bodies_put_asleep_at_the_beginning_are_in_the_way() {
    for method in STEPPERS {
        let cube = cuboid("cube", [0.5; 3], 10.0).at(Vector3::z() * 0.5);
        let dropped = ball("ball", 0.2, 1.0).at(Vector3::z() * 1.5);
        let mut simulation = simulation(world(0.5, 0.0, [ground(), cube, dropped]), method, 0.01);
        simulation.put_asleep(1);
        assert!(simulation.pipeline().is_asleep(1));
        simulation.step().unwrap();
        assert_eq!(fell_asleep(&simulation), [1], "{method}");
        assert!(woken(&simulation).is_empty(), "{method}");
        run(&mut simulation, 9);
        assert_eq!(asleep(&simulation), [1], "{method}: nothing has touched it yet");
        run(&mut simulation, 90);
        assert_within(position(&simulation, "ball").z, 1.2, 1e-3);
        assert_within(position(&simulation, "cube").z, 0.5, 1e-3);
    }
}

/// Between steps bodies may have been removed, so that indices are others than in the last step. Waking and putting
/// asleep mean the bodies as they are numbered now, and the next step tells of it.
#[test]
fn waking_by_hand_means_the_bodies_as_they_are_numbered_now() {
    let balls = (0..5).map(|k| ball(&format!("{k}"), 0.1, 1.0).at(Vector3::x() * f64::from(k)));
    let mut simulation = simulation(weightless(0.0, 0.0, balls), SLEEPY, 0.01);
    run(&mut simulation, 10);
    assert_eq!(asleep(&simulation).len(), 5);
    simulation.world_mut().remove(1).unwrap();
    simulation.wake(1);
    assert!(!simulation.pipeline().is_asleep(1));
    simulation.step().unwrap();
    assert_eq!(woken(&simulation), [(1, WakeCause::User)]);
    assert_eq!(asleep(&simulation), [0, 2, 3]);
    assert_eq!(simulation.world().bodies()[1].name, "2");

    simulation.world_mut().remove(0).unwrap();
    simulation
        .world_mut()
        .add(ball("new", 0.1, 1.0).at(Vector3::x() * 9.0))
        .unwrap();
    simulation.put_asleep(3);
    simulation.put_asleep(99);
    simulation.wake(99);
    assert!(simulation.pipeline().is_asleep(3));
    simulation.step().unwrap();
    assert_eq!(fell_asleep(&simulation), [3]);
    assert_eq!(asleep(&simulation), [1, 2, 3]);
    assert_eq!(simulation.report().sleeping, 3);
}

/// A sleeper put somewhere else by hand is asleep there.
#[test]
fn a_body_put_asleep_elsewhere_is_there() {
    let cube = cuboid("cube", [0.5; 3], 10.0).at(Vector3::z() * 0.5);
    let dropped = ball("ball", 0.2, 1.0).at(Vector3::new(20.0, 0.0, 1.5));
    let mut simulation = simulation(world(0.5, 0.0, [ground(), cube, dropped]), SLEEPY, 0.01);
    run(&mut simulation, 3);
    simulation.world_mut().bodies_mut()[1].pose.translation.vector.x = 20.0;
    simulation.put_asleep(1);
    run(&mut simulation, 100);
    assert_within(position(&simulation, "ball").z, 1.2, 1e-3);
}
