//! What moves bodies between the solves: external forces on velocities, velocities on poses.

use drystone_solver::InverseMass;
use nalgebra::Matrix3;

use super::{BodyState, Pipeline};
use crate::body::{Body, BodyKind};
use crate::constraint::Side;
use crate::integrate::{Gyroscopic, Velocity, advance, free_velocity, velocity_between};

/// Which velocities move the bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AdvanceWith {
    /// Those at the beginning of the step.
    Old,
    /// Those the solver found.
    New,
}

impl Pipeline {
    /// Notes where bodies are, as contacts were found, and how scripted ones will move over a step of h seconds.
    pub(super) fn note_poses(&mut self, h: f64) {
        let time = self.world.time;
        let bodies = self.world.bodies();
        self.states
            .resize_with(bodies.len(), || BodyState::immovable(&bodies[0], Velocity::default()));
        for (index, (body, state)) in bodies.iter().zip(&mut self.states).enumerate() {
            // Nothing has changed of a body asleep since it was put so.
            if self.sleepers.is_asleep(index as u32) && !self.known.is_changed(index as u32) {
                continue;
            }
            *state = match body.kind.motion() {
                Some(motion) if h > 0.0 && !body.passive => {
                    BodyState::immovable(body, velocity_between(&body.pose, &motion.pose(time + h), h))
                }
                _ => BodyState::immovable(body, Velocity::default()),
            };
            if body.is_dynamic() {
                state.inverse = inverse_mass(body);
            }
        }
    }

    /// External forces over a time h: what the velocities would be without contacts and joints.
    pub(crate) fn apply_forces(&mut self, gyroscopic: Gyroscopic, h: f64) {
        let gravity = self.world.gravity;
        let damping = self.options.damping;
        let bodies = self.world.bodies_mut().iter_mut().zip(&mut self.states);
        for (index, (body, state)) in bodies.enumerate() {
            if body.is_dynamic() {
                if self.sleepers.is_asleep(index as u32) {
                    continue;
                }
                state.side.before = Velocity::of(body);
                state.side.free = free_velocity(body, &gravity, damping, gyroscopic, h);
            }
            // Until constraints say otherwise, this is where velocities end.
            body.linear_velocity = state.side.free.linear;
            body.angular_velocity = state.side.free.angular;
        }
    }

    /// Moves the bodies for a time h; scripted ones to where they are `elapsed` after the beginning of the step.
    pub(crate) fn advance(&mut self, with: AdvanceWith, h: f64, elapsed: f64) {
        for body in 0..self.states.len() {
            self.advance_body(body, with, h, elapsed);
        }
    }

    /// The same for some bodies.
    pub(super) fn advance_body(&mut self, index: usize, with: AdvanceWith, h: f64, elapsed: f64) {
        if self.sleepers.is_asleep(index as u32) {
            return;
        }
        let time = self.world.time + elapsed;
        let (body, state) = (&mut self.world.bodies_mut()[index], &mut self.states[index]);
        let velocity = match (&body.kind, with) {
            _ if body.passive => return,
            (BodyKind::Dynamic, AdvanceWith::New) => Velocity::of(body),
            (BodyKind::Dynamic, AdvanceWith::Old) => state.side.before,
            (BodyKind::Fixed | BodyKind::Trigger(None), _) => return,
            (BodyKind::Scripted(motion) | BodyKind::Trigger(Some(motion)), _) => {
                body.pose = motion.pose(time);
                state.displacement.add_scaled(h, &state.side.free);
                return;
            }
        };
        body.pose = advance(&body.pose, &velocity, body.orientation_update, h);
        state.displacement.add_scaled(h, &velocity);
    }
}

impl BodyState {
    fn immovable(body: &Body, velocity: Velocity) -> Self {
        Self {
            inverse: InverseMass::ZERO,
            side: Side {
                pose: body.pose,
                before: velocity,
                free: velocity,
            },
            displacement: Velocity::default(),
            local: 0,
        }
    }
}

/// `R I⁻¹ Rᵀ`, built so that it is symmetric to the last bit.
fn inverse_mass(body: &Body) -> InverseMass {
    let rotation = body.pose.rotation.to_rotation_matrix().into_inner();
    let local = body.inertia.try_inverse().unwrap_or(Matrix3::repeat(f64::NAN));
    let inertia = rotation * local * rotation.transpose();
    InverseMass {
        mass: 1.0 / body.mass,
        inertia: 0.5 * (inertia + inertia.transpose()),
    }
}
