//! What a final state is worth, found in one way for all engines from where bodies are and how fast.

use std::collections::HashSet;

use drystone::collision::{BroadPhase, Grid, NarrowPhase};
use drystone::dynamics::World;
use serde_json::{Value, json};

use super::measure::BodyState;
use super::scenes::{PeerScene, Since};

/// The quality of a state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quality {
    /// Deepest penetration, m.
    pub penetration: f64,
    /// Mean depth of the points that penetrate, m.
    pub mean_penetration: f64,
    /// How far the body on top has moved, m; nothing for mechanisms, which should move.
    pub drift: Option<f64>,
    /// Fastest body, m/s.
    pub speed: f64,
    /// The speed that 95 of 100 bodies stay below, m/s: a wall's topmost teeth hang over and fall in every engine.
    pub common_speed: f64,
    /// Kinetic and potential energy less that of before, J.
    pub energy_change: f64,
    /// Largest distance between two anchors that should coincide, m.
    pub joint_gap: f64,
}

/// Judges the last of a run's states; `None` if some number in it is not finite.
///
/// # Panics
/// If there is no state, or one of another number of bodies.
pub fn judge(scene: &PeerScene, world: &World, states: &[(usize, Vec<BodyState>)]) -> Option<Quality> {
    let beginning = world;
    let warm = |&&(taken, _): &&(usize, Vec<BodyState>)| taken == scene.warm_up;
    let reference = match scene.since {
        Since::Beginning => beginning.clone(),
        Since::WarmUp => states
            .iter()
            .find(warm)
            .map_or(beginning.clone(), |(_, state)| placed(world, state)),
    };
    let (_, last) = states.last().expect("at least one state");
    if !last.iter().all(is_finite) {
        return None;
    }
    let end = placed(world, last);
    let (penetration, mean_penetration) = penetrations(&end);
    let place = |world: &World, body: usize| world.bodies()[body].pose.translation.vector;
    let energy = |world: &World| world.kinetic_energy() + world.potential_energy();
    let moving = end.bodies().iter().filter(|body| body.is_dynamic());
    let mut speeds: Vec<_> = moving.map(|body| body.linear_velocity.norm()).collect();
    speeds.sort_by(f64::total_cmp);
    let gaps = end.joints().iter().map(|joint| {
        let [a, b] = joint.bodies.map(|body| &end.bodies()[body].pose);
        joint.error(a, b).length
    });
    Some(Quality {
        penetration,
        mean_penetration,
        drift: top(&reference)
            .filter(|_| world.joints().is_empty())
            .map(|top| (place(&end, top) - place(&reference, top)).norm()),
        speed: speeds.last().copied().unwrap_or(0.0),
        common_speed: speeds.get(speeds.len() * 95 / 100).copied().unwrap_or(0.0),
        energy_change: energy(&end) - energy(&reference),
        joint_gap: gaps.fold(0.0, f64::max),
    })
}

/// The highest body; of several equally high ones, that nearest to the axis.
fn top(world: &World) -> Option<usize> {
    /// Differences in height that don't count, m.
    const LEVEL: f64 = 1e-3;
    let bodies = world.bodies();
    let place = |body: usize| bodies[body].pose.translation.vector;
    let dynamic = (0..bodies.len()).filter(|&body| bodies[body].is_dynamic());
    let highest = dynamic.clone().map(|body| place(body).z).fold(f64::MIN, f64::max);
    dynamic
        .filter(|&body| place(body).z > highest - LEVEL)
        .min_by(|&a, &b| place(a).xy().norm().total_cmp(&place(b).xy().norm()))
}

fn is_finite(body: &BodyState) -> bool {
    let pose = body
        .pose
        .translation
        .vector
        .iter()
        .chain(body.pose.rotation.coords.iter());
    let velocities = body.linear_velocity.iter().chain(body.angular_velocity.iter());
    pose.chain(velocities).all(|number| number.is_finite())
}

/// The world with its moving bodies in a state.
fn placed(world: &World, states: &[BodyState]) -> World {
    assert_eq!(world.bodies().len(), states.len(), "a state of this scene");
    let mut world = world.clone();
    for (body, state) in world.bodies_mut().iter_mut().zip(states) {
        if body.is_dynamic() {
            body.pose = state.pose;
            body.linear_velocity = state.linear_velocity;
            body.angular_velocity = state.angular_velocity;
        }
    }
    world
}

/// The deepest and the mean penetration of all pairs that a joint doesn't keep apart.
fn penetrations(world: &World) -> (f64, f64) {
    let bodies = world.bodies();
    let boxes: Vec<_> = bodies.iter().map(|body| body.shape.aabb(&body.pose)).collect();
    let movable: Vec<_> = bodies.iter().map(|body| body.is_dynamic()).collect();
    let mut pairs = Vec::new();
    Grid::default().pairs(&boxes, &movable, &mut pairs);
    let apart: HashSet<_> = world
        .joints()
        .iter()
        .filter(|joint| !joint.collide)
        .map(|joint| {
            (
                joint.bodies[0].min(joint.bodies[1]),
                joint.bodies[0].max(joint.bodies[1]),
            )
        })
        .collect();
    let mut points = Vec::new();
    for (a, b) in pairs.into_iter().map(|(a, b)| (a as usize, b as usize)) {
        if !apart.contains(&(a, b)) {
            let (a, b) = (&bodies[a], &bodies[b]);
            NarrowPhase::default().contacts(&a.shape, &a.pose, &b.shape, &b.pose, &mut points);
        }
    }
    let depths: Vec<_> = points
        .iter()
        .map(|point| point.depth)
        .filter(|depth| *depth > 0.0)
        .collect();
    let deepest = depths.iter().copied().fold(0.0, f64::max);
    let sum = depths.iter().fold(0.0, |sum, depth| sum + depth);
    (deepest, sum / depths.len().max(1) as f64)
}

impl Quality {
    /// As it is written to results.
    pub fn json(&self) -> Value {
        json!({
            "penetration": self.penetration,
            "mean_penetration": self.mean_penetration,
            "drift": self.drift,
            "speed": self.speed,
            "common_speed": self.common_speed,
            "energy_change": self.energy_change,
            "joint_gap": self.joint_gap,
        })
    }
}
