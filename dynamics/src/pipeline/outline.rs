//! What detection needs to know of every body, side by side in memory.
//!
//! A body is nearly half a kilobyte; every pair asks of two of them, in no order that a processor could foresee. Most pairs
//! of balls whose boxes overlap are out of each other's reach, and for these an outline, a ball in forty-eight bytes, is
//! enough to say so.

use drystone_collision::{Aabb, Shape};
use drystone_contact_graph::NodeKind;
use nalgebra::Vector3;
use rayon::prelude::*;

use super::Pipeline;
use super::share::{PARALLEL_BODIES, is_shared};
use crate::body::{Body, BodyKind};

/// Bounding balls are larger than they are by this part, far above rounding: what is thrown out with them is what the
/// narrow phase would have thrown out.
const MARGIN: f64 = 1e-9;

/// A body as detection sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outline {
    centre: Vector3<f64>,
    /// Of a ball about the centre that the surface, and its reach, is in; infinite for a half-space.
    radius: f64,
    /// How far the surface can get: half the envelope, so that two bodies share the whole of it, and its motion over the
    /// horizon.
    pub(super) reach: f64,
    pub(super) is_trigger: bool,
    /// Whether it is where it was when contacts were last looked for.
    pub(super) is_still: bool,
    /// Whether impulses move it.
    pub(super) is_movable: bool,
}

const _: () = assert!(size_of::<Outline>() <= 48);

impl Outline {
    const NOTHING: Self = Self {
        centre: Vector3::new(f64::NAN, f64::NAN, f64::NAN),
        radius: f64::NAN,
        reach: 0.0,
        is_trigger: false,
        is_still: true,
        is_movable: false,
    };

    /// Whether two bodies are further apart than they reach, by their bounding balls alone.
    #[inline]
    pub(super) fn is_clear_of(&self, other: &Self) -> bool {
        let reach = self.radius + other.radius;
        (self.centre - other.centre).norm_squared() > reach * reach
    }
}

/// How far a body's surface gets in a time, at most.
fn way(body: &Body, horizon: f64) -> f64 {
    if horizon == 0.0 {
        return 0.0;
    }
    let turning = match body.shape {
        Shape::Cuboid(_) | Shape::Compound(_) => body.angular_velocity.norm() * body.shape.bounding_radius(),
        // A ball's surface does not move when it turns; a half-space has no radius.
        Shape::Sphere(_) | Shape::HalfSpace(_) => 0.0,
    };
    horizon * (body.linear_velocity.norm() + turning)
}

impl Pipeline {
    /// Outlines and boxes of all bodies that reach as far as a margin and their motion over a time take them, and who may
    /// have come to touch somebody new.
    pub(super) fn find_boxes(&mut self, margin: f64, horizon: f64) {
        let bodies = self.world.bodies();
        let (known, sleepers, graph) = (&self.known, &self.sleepers, &self.graph);
        let someone_sleeps = sleepers.asleep() > 0;
        self.movable.resize(bodies.len(), false);
        self.aabbs.resize(bodies.len(), NOWHERE);
        self.outlines.resize(bodies.len(), Outline::NOTHING);
        let find = |index: usize, outline: &mut Outline, aabb: &mut Aabb, movable: &mut bool| {
            let (index, body) = (index as u32, &bodies[index]);
            let is_changed = known.is_changed(index);
            let rests = sleepers.is_asleep(index) && !is_changed;
            let kind = graph.node_kind(index);
            let reach = margin + way(body, horizon);
            *outline = Outline {
                centre: body.pose.translation.vector,
                radius: (body.shape.bounding_radius() + reach) * (1.0 + MARGIN),
                reach,
                is_trigger: matches!(body.kind, BodyKind::Trigger(_)),
                is_still: (rests || !body.is_dynamic()) && body.kind.motion().is_none() && !is_changed,
                is_movable: kind.is_some_and(NodeKind::is_movable),
            };
            *movable = !rests
                && match kind {
                    _ if is_changed => true,
                    // What is scripted may meet what is asleep.
                    Some(NodeKind::Scripted) => someone_sleeps,
                    Some(kind) => kind.is_movable() || kind == NodeKind::Trigger,
                    None => false,
                };
            if !rests {
                *aabb = if body.passive {
                    NOWHERE
                } else {
                    body.shape.aabb(&body.pose).loosened(reach)
                };
            }
        };
        let (outlines, aabbs, movable) = (&mut self.outlines, &mut self.aabbs, &mut self.movable);
        if is_shared(bodies.len(), PARALLEL_BODIES) {
            let all = outlines.par_iter_mut().zip(&mut aabbs[..]).zip(&mut movable[..]);
            all.with_min_len(PARALLEL_BODIES / 4)
                .enumerate()
                .for_each(|(index, ((outline, aabb), movable))| find(index, outline, aabb, movable));
        } else {
            let all = outlines.iter_mut().zip(aabbs).zip(movable);
            all.enumerate()
                .for_each(|(index, ((outline, aabb), movable))| find(index, outline, aabb, movable));
        }
    }
}

/// The box of a body that is nowhere: it overlaps nothing.
const NOWHERE: Aabb = Aabb {
    min: Vector3::new(f64::NAN, f64::NAN, f64::NAN),
    max: Vector3::new(f64::NAN, f64::NAN, f64::NAN),
};
