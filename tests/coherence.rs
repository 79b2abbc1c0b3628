//! The switches of the contact graph (§5.6): what must not change the motion does not, what changes it changes it as said.

mod common;

use common::*;
use drystone::dynamics::{Body, Simulation, World};
use nalgebra::{UnitQuaternion, Vector3};

/// A wall of bricks that grows narrower, so that each brick rests on two.
fn wall() -> World {
    let row = |level: i32| {
        (0..5 - level).map(move |k| {
            let place = Vector3::new(
                1.05 * (f64::from(k) + 0.5 * f64::from(level)),
                0.0,
                0.25 + 0.5 * f64::from(level),
            );
            cuboid(&format!("{level}-{k}"), [0.5, 0.25, 0.25], 10.0).at(place)
        })
    };
    world(0.5, 0.0, [ground()].into_iter().chain((0..5).flat_map(row)))
}

/// The weight of everything that moves, N.
fn weight(world: &World) -> f64 {
    let dynamic = world.bodies().iter().filter(|body| body.is_dynamic());
    dynamic.map(|body| body.mass * G).sum()
}

/// What fixed bodies carry in the last step, N.
fn carried(simulation: &Simulation) -> f64 {
    let fixed = |body: u32| !simulation.world().bodies()[body as usize].is_dynamic();
    let contacts = simulation.pipeline().contacts();
    let impulses = contacts.map(|(a, b, _, impulse)| match (fixed(a), fixed(b)) {
        (true, false) => impulse.z,
        (false, true) => -impulse.z,
        _ => 0.0,
    });
    impulses.sum::<f64>() / simulation.dt()
}

/// The largest distance between the same bodies of two simulations, m.
fn apart(one: &Simulation, other: &Simulation) -> f64 {
    let bodies = one.world().bodies().iter().zip(other.world().bodies());
    let distance = |(a, b): (&Body, &Body)| (a.pose.translation.vector - b.pose.translation.vector).norm();
    bodies.map(distance).fold(0.0, f64::max)
}

/// Boxes that slide, tumble and collide.
fn tumbling() -> World {
    let boxes = (0..12).map(|k| {
        let place = f64::from(k);
        let mut body = cuboid(&format!("{k}"), [0.3, 0.25, 0.2], 1.0 + 0.1 * place);
        body.pose.translation.vector = Vector3::new(0.37 * place.sin(), 0.3 * (2.0 * place).cos(), 0.5 + 0.55 * place);
        body.pose.rotation = UnitQuaternion::from_scaled_axis(Vector3::new(0.3 * place, 0.2, -0.1 * place));
        body.linear_velocity.x = 0.5 - 0.1 * place;
        body
    });
    world(0.4, 0.1, [ground()].into_iter().chain(boxes))
}

/// Contact points that are carried along keep a wall standing with the same forces: its weight on the ground, to what a
/// solver reaches in 100 sweeps. Bodies end up no further from those of the run without than the tolerance, which is as
/// far as they may have moved without a new look.
#[test]
fn carried_contact_points_hold_the_same_wall() {
    let world = wall();
    let weight = weight(&world);
    let run_with = |tolerance: f64| {
        let method = format!("semi-implicit:cache-contacts={tolerance}/pgs:iterations=100");
        let mut simulation = simulation(world.clone(), &method, 0.01);
        run(&mut simulation, 200);
        assert_close(carried(&simulation), weight, 1e-3);
        assert!(simulation.report().penetration_max < 1e-4);
        simulation
    };
    let plain = run_with(0.0);
    for tolerance in [1e-6, 1e-4, 1e-3] {
        let cached = run_with(tolerance);
        assert!(
            apart(&plain, &cached) <= tolerance,
            "{tolerance}: {}",
            apart(&plain, &cached)
        );
    }
}

/// A body that does not move has the same points, carried or found: not a bit is different. Where bodies do move, the
/// switch shows.
#[test]
fn carrying_shows_only_where_something_moves() {
    let hung = |speed: f64| {
        let mut cube = cuboid("cube", [0.5; 3], 1.0).at(Vector3::z() * 0.5);
        cube.linear_velocity.x = speed;
        // Without weight and friction nothing pushes it: it stays, or glides.
        weightless(0.0, 0.0, [ground(), cube])
    };
    let bits_with = |speed: f64, tolerance: &str| {
        let method = format!("semi-implicit:cache-contacts={tolerance}/pgs");
        let mut simulation = simulation(hung(speed), &method, 0.01);
        run(&mut simulation, 50);
        let points = simulation.pipeline().contacts();
        let places: Vec<_> = points
            .map(|(_, _, point, _)| point.position.coords.map(f64::to_bits))
            .collect();
        (bits(&simulation), places)
    };
    assert_eq!(bits_with(0.0, "0"), bits_with(0.0, "1e-3"));
    let tumbled = |tolerance: &str| {
        let mut simulation = simulation(
            tumbling(),
            &format!("semi-implicit:cache-contacts={tolerance}/pgs"),
            0.01,
        );
        run(&mut simulation, 100);
        bits(&simulation)
    };
    assert_ne!(tumbled("0"), tumbled("1e-2"));
}

/// A body of another shape in the place of one: its cached points are those of the old shape, and are not used.
#[test]
fn cached_points_of_another_shape_are_forgotten() {
    let cube = cuboid("body", [0.5; 3], 1.0).at(Vector3::z() * 0.5);
    let mut simulation = simulation(
        world(0.5, 0.0, [ground(), cube]),
        "semi-implicit:cache-contacts=0.1/pgs",
        0.01,
    );
    run(&mut simulation, 5);
    assert_eq!(simulation.report().contacts, 4);
    let ball = ball("body", 0.5, 1.0).at(position(&simulation, "body"));
    simulation.world_mut().replace(1, ball).unwrap();
    simulation.step().unwrap();
    assert_eq!(simulation.report().contacts, 1);
}

/// When edges go is a question of memory: a pair that comes back begins anew in any case, so the motion is the same to the
/// last bit.
#[test]
fn obsolete_edges_do_not_show() {
    let trajectory = |rule: &str| {
        let mut simulation = simulation(tumbling(), &format!("semi-implicit:obsolete-edges={rule}/pgs"), 0.01);
        let (mut states, mut dormant) = (Vec::new(), 0);
        for _ in 0..300 {
            simulation.step().unwrap();
            states.push(bits(&simulation));
            dormant = dormant.max(simulation.pipeline().graph().dormant_edges().len());
        }
        (states, dormant)
    };
    let ((at_once, few), (distant, many)) = (trajectory("at-once"), trajectory("distant"));
    assert!(at_once == distant);
    assert!(
        many > few,
        "{many} dormant edges against {few}: the switch does nothing"
    );
}

/// Groups are a way to compute: one problem of everything has the same solution. Both are solved as far as rounding
/// allows, so velocities agree to 1e-9 m/s as long as the solution is unique in velocities: without friction it is.
#[test]
fn groups_do_not_change_the_physics() {
    let towers = (0..4).flat_map(|tower| {
        (0..3).map(move |level| {
            let name = format!("{tower}-{level}");
            let mut body = ball(&name, 0.2, 1.0 + f64::from(level));
            body.pose.translation.vector = Vector3::new(
                f64::from(tower) + 0.01 * f64::from(level),
                0.0,
                0.2 + 0.4 * f64::from(level),
            );
            body.linear_velocity.z = -1.0;
            body
        })
    });
    let scene = world(0.0, 0.5, [ground()].into_iter().chain(towers));
    let run_with = |groups: bool| {
        let mut simulation = simulation(
            scene.clone(),
            &format!("semi-implicit:groups={groups},projection=none/{CONVERGED}"),
            0.01,
        );
        simulation.step().unwrap();
        simulation
    };
    let (parts, whole) = (run_with(true), run_with(false));
    assert_eq!((parts.report().groups, whole.report().groups), (4, 1));
    for (a, b) in parts.world().bodies().iter().zip(whole.world().bodies()) {
        assert_vector(a.linear_velocity, b.linear_velocity, 1e-9);
        assert_vector(a.angular_velocity, b.angular_velocity, 1e-9);
    }
}

/// A cube deep in the ground keeps one point of four, the deepest; lying on it, all four.
#[test]
fn deep_pairs_keep_their_deepest_point() {
    let points = |reduce: &str, depth: f64| {
        let mut cube = cuboid("cube", [0.5; 3], 1.0).at(Vector3::z() * (0.5 - depth));
        cube.pose.rotation = UnitQuaternion::from_scaled_axis(Vector3::new(0.003, 0.002, 0.0));
        let method = format!("semi-implicit:reduce={reduce},projection=none/pgs");
        let mut simulation = simulation(world(0.5, 0.0, [ground(), cube]), &method, 0.01);
        simulation.step().unwrap();
        let depths = simulation.pipeline().contacts().map(|(_, _, point, _)| point.depth);
        depths.collect::<Vec<f64>>()
    };
    let all = points("0", 0.05);
    assert_eq!(all.len(), 4);
    let deepest = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    assert_eq!(points("0.02", 0.05), [deepest]);
    assert_eq!(points("0.2", 0.05), all);
    assert_eq!(points("0.02", 0.0).len(), 4);
}

/// `v e^(−c t)`, exactly, for what glides and what spins; with a body's own damping the rates add.
#[test]
fn damping_decays_as_an_exponential() {
    let mut glider = moving(cuboid("glider", [0.5; 3], 2.0), [3.0, 0.0, 0.0]);
    glider.angular_velocity.z = 2.0;
    glider.linear_damping = 0.2;
    for stepper in ["semi-implicit", "shock-propagation", "backtracking"] {
        let world = weightless(0.0, 0.0, [glider.clone()]);
        let mut simulation = simulation(world, &format!("{stepper}:damping=0.7/pgs"), 0.01);
        run(&mut simulation, 100);
        // A hundred factors, each rounded.
        assert_close(velocity(&simulation, "glider").x, 3.0 * (-0.9_f64).exp(), 1e-12);
        assert_close(
            body(&simulation, "glider").angular_velocity.z,
            2.0 * (-0.7_f64).exp(),
            1e-12,
        );
    }
}

/// A cube asleep on the ground, and a ball beside it.
fn waiting(options: &str, restitution: f64) -> Simulation {
    let cube = cuboid("cube", [0.5; 3], 2.0).at(Vector3::z() * 0.5);
    let ball = ball("ball", 0.2, 2.0).at(Vector3::new(-2.0, 0.0, 0.5));
    let world = weightless(0.0, restitution, [ground(), cube, ball]);
    let mut simulation = simulation(
        world,
        &format!("semi-implicit:sleep=true,{options}/pgs:iterations=200"),
        0.01,
    );
    run(&mut simulation, 20);
    assert!(simulation.pipeline().is_asleep(1));
    simulation
}

/// The same after the ball was thrown at the cube with a speed along x.
fn struck(options: &str, restitution: f64, speed: f64) -> Simulation {
    let mut simulation = waiting(options, restitution);
    simulation.world_mut().bodies_mut()[2].linear_velocity.x = speed;
    run(&mut simulation, (1.5 / speed / 0.01) as usize);
    simulation
}

/// Bodies of equal mass: an elastic impact exchanges their velocities, with a sleeper as with any other. With zeroing
/// nothing bounces off a sleeper: both go on with half the speed.
#[test]
fn nothing_bounces_off_sleepers_with_zeroing() {
    for options in ["zeroing=false", "subgroups=true,zeroing=false"] {
        let simulation = struck(options, 1.0, 2.0);
        assert_within(velocity(&simulation, "ball").x, 0.0, 1e-9);
        assert_within(velocity(&simulation, "cube").x, 2.0, 1e-9);
    }
    let simulation = struck("subgroups=true,zeroing=true", 1.0, 2.0);
    assert_within(velocity(&simulation, "ball").x, 1.0, 1e-9);
    assert_within(velocity(&simulation, "cube").x, 1.0, 1e-9);
}

/// With fixation a sleeper can't be moved: what strikes it without bouncing stops, at first. Without, it takes half the
/// momentum at once.
#[test]
fn fixation_makes_sleepers_immovable_until_they_wake() {
    let first_contact = |options: &str| {
        let mut simulation = waiting(options, 0.0);
        // So slow that no fixed sleeper is disturbed by it: below √(2 · 1e-3 J/kg) = 4.5 cm/s.
        simulation.world_mut().bodies_mut()[2].pose.translation.vector.x = -0.7;
        simulation.world_mut().bodies_mut()[2].linear_velocity.x = 0.03;
        simulation.step().unwrap();
        simulation
    };
    let fixed = first_contact("subgroups=true,fixation=true");
    assert_within(velocity(&fixed, "ball").x, 0.0, 1e-12);
    assert_eq!(velocity(&fixed, "cube"), Vector3::zeros());
    assert!(fixed.pipeline().is_asleep(1));
    let loose = first_contact("subgroups=true");
    assert_within(velocity(&loose, "ball").x, 0.015, 1e-9);
    assert!(!loose.pipeline().is_asleep(1), "the push has woken it");
    // A fast one wakes it first, and then there is nothing fixed about it.
    let simulation = struck("subgroups=true,fixation=true", 0.0, 2.0);
    assert!(velocity(&simulation, "cube").x > 0.5);
}

/// A long row of cubes that touch, one end of which is shaken a little: as a group all are awake, with subgroups those
/// far from the end sleep.
#[test]
fn subgroups_let_the_far_end_sleep() {
    let sleeping = |options: &str| {
        let row =
            (0..8).map(|k| cuboid(&format!("{k}"), [0.5; 3], 1.0).at(Vector3::new(1.005 * f64::from(k), 0.0, 0.5)));
        let mut simulation = simulation(
            world(0.8, 0.0, [ground()].into_iter().chain(row)),
            &format!("semi-implicit:sleep=true,{options}/pgs:iterations=50"),
            0.01,
        );
        let mut most = 0;
        for step in 0..100 {
            // Back and forth along the other's face, faster than friction can stop it in a step (μ g h = 8 cm/s).
            simulation.world_mut().bodies_mut()[1].linear_velocity.y = if step % 2 == 0 { 0.3 } else { -0.3 };
            simulation.step().unwrap();
            most = most.max(simulation.report().sleeping);
        }
        most
    };
    assert_eq!(sleeping("subgroups=false"), 0);
    assert!(sleeping("subgroups=true") >= 6);
}
