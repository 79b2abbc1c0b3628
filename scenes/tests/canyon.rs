//! The canyon keeps what it promises: it is at rest without friction, and its stack heights go round in circles.

use drystone_collision::NarrowPhase;
use drystone_dynamics::{Method, Simulation, World};
use drystone_scenes::load;
use nalgebra::Vector3;

/// Far above the rounding of a few metres, far below any gap that was meant.
const TOLERANCE: f64 = 1e-9;

const CANYONS: [&str; 5] = [
    "canyon",
    "canyon:opening=0",
    "canyon:across=2,along=3,levels=5,opening=8",
    "canyon:across=4,along=5,levels=5,opening=16",
    "canyon:across=3,along=2,levels=3,opening=30,radius=0.1",
];

/// A pair that touches, with the direction from the first to the second.
struct Touch {
    bodies: [usize; 2],
    normal: Vector3<f64>,
}

fn touches(world: &World) -> Vec<Touch> {
    let narrow_phase = NarrowPhase {
        envelope: TOLERANCE,
        ..NarrowPhase::default()
    };
    let bodies = world.bodies();
    let (mut found, mut points) = (Vec::new(), Vec::new());
    for b in 0..bodies.len() {
        for a in 0..b {
            if bodies[a].is_dynamic() || bodies[b].is_dynamic() {
                points.clear();
                let (first, second) = (&bodies[a], &bodies[b]);
                narrow_phase.contacts(&first.shape, &first.pose, &second.shape, &second.pose, &mut points);
                found.extend(points.iter().map(|point| Touch {
                    bodies: [a, b],
                    normal: point.normal.into_inner(),
                }));
            }
        }
    }
    found
}

/// Law: forces that push along the normals, no friction, balance all weights. They are looked for by relaxing one force
/// after another, which converges to those that leave the least unbalanced; a weight is 1. Tolerance: where there are
/// such forces the rest shrinks by a factor each round, and is left here long before rounding.
#[test]
fn it_rests_without_friction() {
    for text in CANYONS {
        let world = load(text).unwrap().build().unwrap();
        let touches = touches(&world);
        let mut unbalanced: Vec<_> = world.bodies().iter().map(|_| -Vector3::z()).collect();
        let mut forces = vec![0.0; touches.len()];
        for _ in 0..4000 {
            for (touch, force) in touches.iter().zip(&mut forces) {
                let [a, b] = touch.bodies;
                let movable = [a, b].map(|body| f64::from(u8::from(world.bodies()[body].is_dynamic())));
                let apart = touch
                    .normal
                    .dot(&(movable[1] * unbalanced[b] - movable[0] * unbalanced[a]));
                let pushed = f64::max(0.0, *force - apart / (movable[0] + movable[1]));
                let change = (pushed - *force) * touch.normal;
                *force = pushed;
                unbalanced[a] -= change;
                unbalanced[b] += change;
            }
        }
        for (body, rest) in world.bodies().iter().zip(&unbalanced) {
            assert!(
                !body.is_dynamic() || rest.norm() < 1e-8,
                "{text}, {}: {rest:?}",
                body.name
            );
        }
    }
}

/// Contacts from the nearest fixed body, as the dissertation counts them (§6.4.2).
fn stack_heights(world: &World, touches: &[Touch]) -> Vec<usize> {
    let mut heights: Vec<usize> = world
        .bodies()
        .iter()
        .map(|body| if body.is_dynamic() { usize::MAX } else { 0 })
        .collect();
    for _ in 0..world.bodies().len() {
        for [a, b] in touches.iter().map(|touch| touch.bodies) {
            heights[a] = heights[a].min(heights[b].saturating_add(1));
            heights[b] = heights[b].min(heights[a].saturating_add(1));
        }
    }
    heights
}

/// Figure 6.55: a ball on the wall has height 1, but what carries it has height 2, and is carried by height 1 in turn.
#[test]
fn balls_of_height_1_lie_on_balls_of_height_2() {
    let world = load("canyon").unwrap().build().unwrap();
    let touches = touches(&world);
    let heights = stack_heights(&world, &touches);
    let carriers = |name: &str| -> Vec<usize> {
        let ball = world.find(name).unwrap();
        let below = touches.iter().filter_map(|touch| match touch.bodies {
            [a, b] if b == ball && touch.normal.z > 0.1 => Some(a),
            [a, b] if a == ball && touch.normal.z < -0.1 => Some(b),
            _ => None,
        });
        below.filter(|&body| world.bodies()[body].is_dynamic()).collect()
    };
    for level in [2, 4] {
        for (side, along) in [(0, 1), (0, 2), (2, 1), (2, 2)] {
            let name = format!("ball-{level}-{side}-{along}");
            assert_eq!(heights[world.find(&name).unwrap()], 1, "{name}");
            let under = carriers(&name);
            assert_eq!(under.len(), 2, "{name} lies on two balls and the wall");
            for ball in under {
                assert_eq!(heights[ball], 2, "{}", world.bodies()[ball].name);
                let lower = carriers(&world.bodies()[ball].name);
                assert_eq!(lower.len(), 4);
                assert!(lower.iter().any(|&ball| heights[ball] == 1));
            }
        }
    }
}

/// A hundred steps move nothing. The tolerance is a thousandth of the millimetre that a free ball falls in one.
#[test]
fn it_stays_at_rest() {
    for text in ["canyon", "canyon:friction=0"] {
        let world = load(text).unwrap().build().unwrap();
        let places = |world: &World| -> Vec<_> { world.bodies().iter().map(|body| body.pose.translation).collect() };
        let before = places(&world);
        let method = Method::parse("pgs:iterations=200").unwrap();
        let mut simulation = Simulation::new(world, method, 0.01).unwrap();
        for _ in 0..100 {
            simulation.step().unwrap();
        }
        for (body, (before, after)) in before.iter().zip(places(simulation.world())).enumerate() {
            let moved = (after.vector - before.vector).norm();
            assert!(
                moved < 1e-6,
                "{text}, {}: {moved}",
                simulation.world().bodies()[body].name
            );
        }
    }
}
