//! Taking a trial back: the state of the bodies, who sleeps, and what has been noted, as they were.
//!
//! Contact points are found anew by the next trial. Impulses that the discarded one found stay: they are only where the
//! next solve starts from.

use drystone_contact_graph::Sleepers;
use nalgebra::Isometry3;

use super::{Pipeline, Reaction};
use crate::integrate::Velocity;

/// The world as it was.
#[derive(Debug, Default)]
pub(crate) struct Checkpoint {
    bodies: Vec<(Isometry3<f64>, Velocity)>,
    sleepers: Sleepers,
    reactions: Vec<Reaction>,
    events: usize,
}

impl Pipeline {
    /// Notes the state of things.
    pub(crate) fn save(&mut self, checkpoint: &mut Checkpoint) {
        self.trial += 1;
        let states = self.world.bodies().iter().map(|body| (body.pose, Velocity::of(body)));
        checkpoint.bodies.clear();
        checkpoint.bodies.extend(states);
        checkpoint.sleepers.clone_from(&self.sleepers);
        checkpoint.reactions.clone_from(&self.joints.reactions);
        checkpoint.events = self.events.len();
    }

    /// Makes things what they were.
    pub(crate) fn restore(&mut self, checkpoint: &Checkpoint) {
        for (body, (pose, velocity)) in self.world.bodies_mut().iter_mut().zip(&checkpoint.bodies) {
            body.pose = *pose;
            body.linear_velocity = velocity.linear;
            body.angular_velocity = velocity.angular;
        }
        self.sleepers.clone_from(&checkpoint.sleepers);
        for (index, state) in (0..).zip(&mut self.states) {
            // The trial may have woken it and let it fall.
            if self.sleepers.is_asleep(index) {
                state.side.before = Velocity::default();
                state.side.free = Velocity::default();
            }
        }
        self.joints.reactions.clone_from(&checkpoint.reactions);
        self.events.truncate(checkpoint.events);
    }

    /// Lets time pass within a step: what was done so far is done.
    pub(crate) fn pass(&mut self, time: f64) {
        self.world.time += time;
        self.underway = true;
        self.note_pushes();
    }
}
