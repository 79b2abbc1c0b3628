//! Changing a world while it runs: bodies and joints come and go, are switched and change their kind, asleep or awake,
//! touching or jointed. Nothing may break, and the pipeline must then see what a new one would.

mod common;

use std::collections::BTreeSet;

use common::*;
use drystone::dynamics::{
    Attachment, Ball, Body, BodyKind, Breaking, Hinge, Joint, Simulation, StepError, World, WorldError,
};
use nalgebra::{Point3, UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

const METHODS: [&str; 5] = [
    "pgs:iterations=30",
    "semi-implicit:sleep=true/pgs:iterations=30",
    "shock-propagation/pgs:iterations=20",
    "modified-shock-propagation:sleep=true/pgs:iterations=20",
    "semi-implicit:sleep=true,subgroups=true,cache-contacts=1e-4,obsolete-edges=distant/pgs:iterations=30",
];

fn cube(name: &str, x: f64, z: f64) -> Body {
    cuboid(name, [0.5; 3], 2.0).at(Vector3::new(x, 0.0, z))
}

/// A stack of cubes at x.
fn stack(name: &'static str, x: f64, count: usize) -> impl Iterator<Item = Body> {
    (0..count).map(move |k| cube(&format!("{name}{k}"), x, 0.5 + k as f64))
}

#[track_caller]
fn assert_finite(simulation: &Simulation) {
    let finite = |body: &Body| {
        let state = [
            body.pose.translation.vector,
            body.linear_velocity,
            body.angular_velocity,
        ];
        state
            .iter()
            .all(|vector| vector.iter().all(|x| x.is_finite() && x.abs() < 1e3))
    };
    assert!(simulation.world().bodies().iter().all(finite));
}

/// Pairs with contact points, by name.
fn contacts(simulation: &Simulation) -> BTreeSet<(String, String)> {
    let name = |body: u32| simulation.world().bodies()[body as usize].name.clone();
    let pairs = simulation.pipeline().contacts().map(|(a, b, _, _)| (name(a), name(b)));
    pairs.collect()
}

/// Groups as sets of names, the free bodies apart.
fn groups(simulation: &Simulation) -> (BTreeSet<BTreeSet<String>>, BTreeSet<String>) {
    let name = |body: &u32| simulation.world().bodies()[*body as usize].name.clone();
    let groups = simulation.pipeline().groups();
    let sets = groups.iter().map(|group| group.bodies.iter().map(name).collect());
    (sets.collect(), groups.free.iter().map(name).collect())
}

/// Kinds of all nodes, and the static edges.
fn nodes(simulation: &Simulation) -> (Vec<String>, Vec<String>) {
    let graph = simulation.pipeline().graph();
    let kinds = graph.nodes().map(|node| format!("{:?}", node.kind)).collect();
    let mut fixtures: Vec<_> = graph.static_edges().map(|edge| format!("{edge:?}")).collect();
    fixtures.sort();
    (kinds, fixtures)
}

/// Bodies removed and added in the middle of a stack that stands or sleeps: what was above falls by one, what was beside
/// stays, and the new one lands on top.
#[test]
fn a_body_in_the_middle_of_a_stack_goes_and_comes_back_on_top() {
    for method in METHODS {
        let bodies = [ground()]
            .into_iter()
            .chain(stack("a", 0.0, 4))
            .chain(stack("b", 5.0, 3));
        let mut simulation = simulation(world(0.5, 0.0, bodies), method, 0.01);
        run(&mut simulation, 60);
        let sleeps = method.contains("sleep=true");
        assert_eq!(simulation.report().sleeping, if sleeps { 7 } else { 0 }, "{method}");
        let middle = simulation.world().find("a1").unwrap();
        let mut removed = simulation.world_mut().remove(middle).unwrap();
        for _ in 0..150 {
            simulation.step().unwrap();
            for k in 0..3 {
                let b = simulation.world().find(&format!("b{k}")).unwrap();
                assert_eq!(simulation.pipeline().is_asleep(b), sleeps, "{method}: b{k}");
            }
        }
        for (name, z) in [("a0", 0.5), ("a2", 1.5), ("a3", 2.5), ("b2", 2.5)] {
            assert_within(position(&simulation, name).z, z, 2e-3);
        }
        removed.pose.translation.vector.z = 3.6;
        simulation.world_mut().add(removed).unwrap();
        run(&mut simulation, 100);
        assert_within(position(&simulation, "a1").z, 3.5, 2e-3);
        // The ground carries what there is. (In a sweep over layers nobody feels what is above.)
        if method.starts_with("pgs") {
            let carried = impulse_between(&simulation, "ground", "a0").z;
            assert_close(carried, 4.0 * 2.0 * G * 0.01, 0.02);
        }
    }
}

/// A lamp on two cords of which one is cut, removed, switched off, or breaks. The other one holds: the lamp swings about it
/// without losing its distance. Switched on again, a cord holds again.
#[test]
fn joints_are_cut_while_they_carry() {
    let lamp = || {
        let ceiling = Body::fixed("ceiling", box_shape([1.0, 0.1, 0.1])).at(Vector3::z() * 2.0);
        let mut world = world(0.0, 0.0, [ceiling, cuboid("lamp", [0.4, 0.1, 0.1], 2.0)]);
        for (name, x) in [("left", -0.4), ("right", 0.4)] {
            let place = Attachment::at(Point3::new(x, 0.0, 0.0));
            world.add_joint(Joint::new(name, Ball, [0, 1], place)).unwrap();
        }
        world
    };
    type Cut = (&'static str, fn(&mut World));
    let cuts: [Cut; 3] = [
        ("removed", |world| drop(world.remove_joint(0).unwrap())),
        ("off", |world| world.joints_mut()[0].enabled = false),
        ("broken", |world| {
            world.joints_mut()[0].breaking = Breaking {
                force: Some(0.1),
                ..Breaking::default()
            };
        }),
    ];
    for sleep in ["false", "true"] {
        for stepper in ["semi-implicit", "shock-propagation"] {
            for (name, cut) in cuts {
                let what = format!("{stepper}, sleep={sleep}, {name}");
                let method = format!("{stepper}:sleep={sleep},projection=hybrid/hybrid");
                let mut simulation = simulation(lamp(), &method, 0.005);
                run(&mut simulation, 60);
                assert_eq!(simulation.pipeline().is_asleep(1), sleep == "true", "{what}");
                assert_within(position(&simulation, "lamp").z, 0.0, 1e-9);
                if sleep == "true" && name == "broken" {
                    // What sleeps is not asked what it carries.
                    simulation.wake(1);
                }
                cut(simulation.world_mut());
                run(&mut simulation, 60);
                let pivot = |simulation: &Simulation| body(simulation, "lamp").pose * Point3::new(0.4, 0.0, 0.0);
                assert_within(
                    pivot(&simulation).coords.metric_distance(&Vector3::new(0.4, 0.0, 0.0)),
                    0.0,
                    1e-6,
                );
                assert!(position(&simulation, "lamp").z < -0.2, "{what}: it did not swing down");
                let joints = simulation.world().joints().len();
                assert_eq!(joints, if name == "removed" { 1 } else { 2 });
                if name == "off" {
                    // The cord is where it was fixed to the lamp, so it pulls it up again, in the projection.
                    simulation.world_mut().joints_mut()[0].enabled = true;
                    simulation.step().unwrap();
                    assert_within(position(&simulation, "lamp").z, 0.0, 1e-2);
                }
                assert_finite(&simulation);
            }
        }
    }
}

/// A fixed body has no mass. Made dynamic by its kind alone it is refused before anything is done, and again and again;
/// with `replace` it falls like any other, and takes what lies on it along. And back.
#[test]
fn fixed_bodies_become_dynamic_and_dynamic_ones_fixed() {
    for method in METHODS {
        let shelf = || Body::fixed("shelf", box_shape([1.0, 1.0, 0.1])).at(Vector3::z() * 3.0);
        let load = cube("load", 0.0, 3.6);
        let mut simulation = simulation(world(0.5, 0.0, [ground(), shelf(), load]), method, 0.01);
        run(&mut simulation, 30);

        simulation.world_mut().bodies_mut()[1].kind = BodyKind::Dynamic;
        let before = bits(&simulation);
        for _ in 0..2 {
            let error = simulation.step().unwrap_err();
            let StepError::World { source, .. } = &error else {
                panic!("{method}: {error}");
            };
            assert!(
                matches!(source, WorldError::InvalidBody { name, .. } if name == "shelf"),
                "{method}: {error}"
            );
            assert_eq!(bits(&simulation), before, "{method}");
        }

        let falling = cuboid("shelf", [1.0, 1.0, 0.1], 5.0).at(Vector3::z() * 3.0);
        simulation.world_mut().replace(1, falling).unwrap();
        run(&mut simulation, 20);
        // Together: −g t, for 20 steps of 0.01 s.
        for name in ["shelf", "load"] {
            assert_within(velocity(&simulation, name).z, -G * 0.2, 1e-6);
        }
        simulation.world_mut().bodies_mut()[1].kind = BodyKind::Fixed;
        let height = position(&simulation, "shelf").z;
        run(&mut simulation, 100);
        assert_eq!(position(&simulation, "shelf").z, height, "{method}");
        assert_eq!(velocity(&simulation, "shelf"), Vector3::zeros());
        assert_within(position(&simulation, "load").z, height + 0.6, 2e-2);
        // A kind is enough the other way round: it still has its mass.
        simulation.world_mut().bodies_mut()[1].kind = BodyKind::Dynamic;
        run(&mut simulation, 100);
        assert_within(position(&simulation, "shelf").z, 0.1, 5e-3);
        assert_finite(&simulation);
    }
}

/// A body put in store in the middle of a stack, and back: what was on it falls through its place; when it comes back
/// into the middle of another, they are pushed apart, gently.
#[test]
fn bodies_in_store_are_not_there() {
    for method in METHODS {
        let bodies = [ground()].into_iter().chain(stack("a", 0.0, 3));
        let mut simulation = simulation(world(0.5, 0.0, bodies), method, 0.01);
        run(&mut simulation, 60);
        let place = body(&simulation, "a1").pose;
        simulation.world_mut().bodies_mut()[2].passive = true;
        run(&mut simulation, 100);
        assert_eq!(body(&simulation, "a1").pose, place, "{method}");
        assert_within(position(&simulation, "a2").z, 1.5, 5e-3);
        assert!(
            !contacts(&simulation).iter().any(|(a, b)| a == "a1" || b == "a1"),
            "{method}"
        );
        // Back beside the others, above the ground.
        let stored = &mut simulation.world_mut().bodies_mut()[2];
        stored.passive = false;
        stored.pose.translation.vector = Vector3::new(3.0, 0.0, 0.6);
        run(&mut simulation, 100);
        assert_within(position(&simulation, "a1").z, 0.5, 5e-3);
        assert_within(position(&simulation, "a2").z, 1.5, 5e-3);
    }
}

/// A body that touches nothing is in no group and does what gravity says; and so it is after everything else has gone.
#[test]
fn a_body_with_no_contacts_at_all() {
    for method in METHODS {
        let lone = ball("lone", 0.1, 1.0).at(Vector3::z() * 100.0);
        let bodies = [ground()].into_iter().chain(stack("a", 0.0, 3)).chain([lone]);
        let mut simulation = simulation(world(0.5, 0.0, bodies), method, 0.01);
        run(&mut simulation, 10);
        assert!(groups(&simulation).1.contains("lone"));
        while simulation.world().bodies().len() > 1 {
            simulation.world_mut().remove(0).unwrap();
            simulation.step().unwrap();
        }
        assert_eq!(simulation.report().groups, 0, "{method}");
        assert_within(velocity(&simulation, "lone").z, -G * 0.14, 1e-9);
        simulation.world_mut().remove(0).unwrap();
        run(&mut simulation, 2);
        assert_eq!(simulation.report().contacts, 0);
    }
}

/// A plate on a field of 32 × 32 balls. All its contacts together carry its weight; the ground carries all.
///
/// Gauss–Seidel stops when a sweep changes impulses by less than 1e-9 of the largest. The plate feels every ball in every
/// sweep, so what is left then is about as small.
#[test]
fn a_plate_on_a_thousand_balls() {
    let (count, r, mass) = (32, 0.1, 500.0);
    let mut bodies = vec![ground()];
    for i in 0..count {
        for k in 0..count {
            let place = Vector3::new(0.25 * f64::from(i), 0.25 * f64::from(k), r);
            bodies.push(ball(&format!("{i}-{k}"), r, 0.1).at(place));
        }
    }
    let middle = 0.125 * f64::from(count - 1);
    let plate = cuboid("plate", [middle + 0.3, middle + 0.3, 0.05], mass);
    bodies.push(plate.at(Vector3::new(middle, middle, 2.0 * r + 0.05)));
    let method = "semi-implicit:projection=none/pgs:iterations=2000,tolerance=1e-9,stop=relative";
    let mut simulation = simulation(world(0.3, 0.0, bodies), method, 0.01);
    for _ in 0..3 {
        simulation.step().unwrap();
        assert_eq!(simulation.report().contacts, 2 * 1024);
        assert_eq!(simulation.report().groups, 1);
        let plate = simulation.world().find("plate").unwrap() as u32;
        let sum = |on: u32| -> f64 {
            let contacts = simulation.pipeline().contacts();
            contacts
                .filter(|(a, b, _, _)| *a == on || *b == on)
                .map(|(_, _, _, impulse)| impulse.z.abs())
                .sum()
        };
        assert_close(sum(plate), mass * G * 0.01, 1e-5);
        assert_close(sum(0), (mass + 102.4) * G * 0.01, 1e-5);
    }
    // A thousand contacts vanish at once, and the balls are free of it.
    let plate = simulation.world().find("plate").unwrap();
    simulation.world_mut().remove(plate).unwrap();
    simulation.step().unwrap();
    assert_eq!((simulation.report().contacts, simulation.report().groups), (1024, 1024));
}

/// One random edit.
fn edit(simulation: &mut Simulation, random: &mut Pcg64, next: &mut usize) {
    let world = simulation.world_mut();
    let count = world.bodies().len();
    let some = |random: &mut Pcg64| (count > 1).then(|| random.random_range(1..count));
    match random.random_range(0..13) {
        0..=3 => {
            *next += 1;
            let name = format!("new{next}");
            let mut body = if random.random_bool(0.5) {
                ball(&name, random.random_range(0.2..0.5), 1.0)
            } else {
                cuboid(&name, std::array::from_fn(|_| random.random_range(0.2..0.5)), 1.0)
            };
            body.pose.translation.vector = Vector3::new(
                random.random_range(-3.0..3.0),
                random.random_range(-0.5..0.5),
                random.random_range(1.0..6.0),
            );
            body.pose.rotation =
                UnitQuaternion::from_scaled_axis(Vector3::from_fn(|_, _| random.random_range(-1.0..1.0)));
            if random.random_bool(0.1) {
                body.kind = BodyKind::Fixed;
            }
            body.passive = random.random_bool(0.1);
            world.add(body).unwrap();
        }
        4..=5 => {
            if let Some(body) = some(random) {
                world.remove(body).unwrap();
            }
        }
        6 => {
            if let Some(body) = some(random) {
                let it = &mut world.bodies_mut()[body];
                it.passive = !it.passive;
            }
        }
        7 => {
            if let Some(body) = some(random).filter(|&body| world.bodies()[body].mass.is_finite()) {
                let it = &mut world.bodies_mut()[body];
                it.kind = if it.kind.is_dynamic() {
                    BodyKind::Fixed
                } else {
                    BodyKind::Dynamic
                };
            }
        }
        8..=9 => {
            if let (Some(a), Some(b)) = (some(random), some(random))
                && a != b
                && (world.bodies()[a].kind.is_dynamic() || world.bodies()[b].kind.is_dynamic())
            {
                *next += 1;
                let place = nalgebra::center(
                    &Point3::from(world.bodies()[a].pose.translation.vector),
                    &Point3::from(world.bodies()[b].pose.translation.vector),
                );
                let joint = Joint::new(
                    format!("joint{next}"),
                    Hinge,
                    [a, b],
                    Attachment::at(place).axis(Vector3::y()),
                );
                world.add_joint(joint).unwrap();
            }
        }
        10 => {
            let joints = world.joints().len();
            if joints > 0 {
                world.remove_joint(random.random_range(0..joints)).unwrap();
            }
        }
        11 => {
            let joints = world.joints().len();
            if joints > 0 {
                let joint = &mut world.joints_mut()[random.random_range(0..joints)];
                joint.enabled = !joint.enabled;
            }
        }
        _ => {
            if let Some(body) = some(random).filter(|&body| world.bodies()[body].kind.is_dynamic()) {
                let pose = world.bodies()[body].pose;
                let name = world.bodies()[body].name.clone();
                let mut other = ball(&name, 0.3, 1.0);
                other.pose = pose;
                other.passive = world.bodies()[body].passive;
                world.replace(body, other).unwrap();
            }
        }
    }
}

/// After each step of a simulation that is edited all the time, its contacts, groups and nodes are those of a new
/// simulation that takes the same step from the same state. Where bodies sleep, groups are of the same bodies too, since
/// who sleeps is still in them.
#[test]
fn an_edited_simulation_sees_what_a_new_one_would() {
    let mut jointed = 0;
    for (seed, method) in (0..).zip(METHODS) {
        // Who sleeps bounds subgroups; a new simulation has nobody asleep.
        let method = method.replace("subgroups=true,", "");
        let fresh = method.replace("sleep=true", "sleep=false");
        let mut random = Pcg64::seed_from_u64(seed);
        let bodies = [ground()]
            .into_iter()
            .chain(stack("a", -1.2, 3))
            .chain(stack("b", 1.2, 3));
        let mut simulation = simulation(world(0.5, 0.0, bodies), &method, 0.01);
        let (mut next, mut slept) = (0, 0);
        for step in 0..600 {
            // Some rest in between, so that some fall asleep.
            if step % 100 < 30 && random.random_bool(0.5) {
                edit(&mut simulation, &mut random, &mut next);
            }
            let mut other = common::simulation(simulation.world().clone(), &fresh, 0.01);
            simulation
                .step()
                .unwrap_or_else(|error| panic!("{method}, step {step}: {error}"));
            other.step().unwrap();
            assert_finite(&simulation);
            assert_eq!(nodes(&simulation), nodes(&other), "{method}, step {step}");
            if !method.starts_with("modified") {
                // With a second query these are those of the end of the step, which depends on impulses of the last one.
                assert_eq!(contacts(&simulation), contacts(&other), "{method}, step {step}");
                assert_eq!(groups(&simulation), groups(&other), "{method}, step {step}");
            }
            slept = slept.max(simulation.report().sleeping);
            jointed = jointed.max(simulation.world().joints().len());
        }
        assert_eq!(slept > 1, method.contains("sleep=true"), "{method}: {slept}");
    }
    assert!(jointed > 2);
}

/// Random edits on walls and mechanisms with every option at once: nothing panics, nothing is lost.
#[test]
fn random_edits_break_nothing() {
    for (seed, method) in (10..).zip([
        "semi-implicit:sleep=true,subgroups=true,fixation=true,zeroing=true/pgs:iterations=20",
        "shock-propagation:sleep=true,heights=distance,cycles=ignore,falling=drop/pgs:iterations=10",
        "modified-shock-propagation:sleep=true,subgroups=true,weight=0.1/pgs:iterations=10",
        "backtracking:sleep=true,cache-contacts=1e-3,reduce=0.01/pgs:iterations=20",
        "semi-implicit:groups=false,sleep=true,cache-impulses=false/pgs:iterations=20",
    ]) {
        for scene in ["wall:rows=3,columns=3", "ragdoll:count=2,height=0.05"] {
            let scene = drystone::scenes::load(scene).expect("a scene of the catalogue");
            let mut random = Pcg64::seed_from_u64(seed);
            let mut simulation = simulation(scene.build().unwrap(), method, scene.dt);
            let mut next = 0;
            for step in 0..150 {
                if random.random_bool(0.3) {
                    edit(&mut simulation, &mut random, &mut next);
                }
                if random.random_bool(0.05) {
                    simulation.wake(random.random_range(0..20));
                }
                if random.random_bool(0.05) {
                    simulation.put_asleep(random.random_range(0..20));
                }
                simulation
                    .step()
                    .unwrap_or_else(|error| panic!("{method}, step {step}: {error}"));
                assert_finite(&simulation);
                let asleep =
                    (0..simulation.world().bodies().len()).filter(|&body| simulation.pipeline().is_asleep(body));
                assert_eq!(asleep.count(), simulation.report().sleeping);
            }
        }
    }
}
