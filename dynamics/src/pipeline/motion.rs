//! What moves bodies between the solves: external forces on velocities, velocities on poses.

use drystone_solver::InverseMass;
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

use super::options::GraphOptions;
use super::share::{PARALLEL_BODIES, is_shared};
use super::{BodyState, Pipeline};
use crate::body::{Body, BodyKind};
use crate::constraint::Side;
use crate::integrate::{Gyroscopic, Velocity, advance, free_velocity, velocity_between};
use crate::world::World;

/// Which velocities move the bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AdvanceWith {
    /// Those at the beginning of the step.
    Old,
    /// Those the solver found.
    New,
}

/// External forces, over a time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Forces {
    pub(crate) gyroscopic: Gyroscopic,
    /// Seconds.
    pub(crate) h: f64,
}

impl Forces {
    /// What they do to a body: its velocity without contacts and joints.
    pub(super) fn push(self, world: &Surroundings, asleep: bool, body: &mut Body, state: &mut BodyState) {
        if body.is_dynamic() {
            if asleep {
                return;
            }
            state.side.before = Velocity::of(body);
            state.side.free = free_velocity(body, &world.gravity, world.damping, self.gyroscopic, self.h);
        }
        // Until constraints say otherwise, this is where velocities end.
        body.linear_velocity = state.side.free.linear;
        body.angular_velocity = state.side.free.angular;
    }
}

/// What pushes all bodies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surroundings {
    gravity: Vector3<f64>,
    damping: f64,
}

impl Surroundings {
    pub(super) fn new(world: &World, options: &GraphOptions) -> Self {
        Self {
            gravity: world.gravity,
            damping: options.damping,
        }
    }
}

impl Pipeline {
    /// External forces: what the velocities would be without contacts and joints.
    pub(crate) fn apply_forces(&mut self, forces: Forces) {
        let surroundings = Surroundings::new(&self.world, &self.options);
        self.for_each_body(|asleep, body, state| forces.push(&surroundings, asleep, body, state));
    }

    /// Moves the bodies for a time h; scripted ones to where they are `elapsed` after the beginning of the step.
    pub(crate) fn advance(&mut self, with: AdvanceWith, h: f64, elapsed: f64) {
        let time = self.world.time + elapsed;
        self.for_each_body(|asleep, body, state| {
            if !asleep {
                move_body(body, state, with, h, time);
            }
        });
    }

    /// The same for one body.
    pub(super) fn advance_body(&mut self, index: usize, with: AdvanceWith, h: f64, elapsed: f64) {
        if !self.sleepers.is_asleep(index as u32) {
            let time = self.world.time + elapsed;
            move_body(
                &mut self.world.bodies_mut()[index],
                &mut self.states[index],
                with,
                h,
                time,
            );
        }
    }

    /// Does something to each body by itself, given whether it is asleep.
    fn for_each_body(&mut self, work: impl Fn(bool, &mut Body, &mut BodyState) + Sync) {
        let sleepers = &self.sleepers;
        for_each_body(self.world.bodies_mut(), &mut self.states, |index, body, state| {
            work(sleepers.is_asleep(index as u32), body, state);
        });
    }

    /// Makes room for what stages need to know of bodies.
    pub(super) fn make_room_for_states(&mut self) {
        let bodies = self.world.bodies();
        let new = || BodyState::immovable(&bodies[0], Velocity::default());
        self.states.resize_with(bodies.len(), new);
    }

    /// Notes where bodies are, as contacts were found, and how scripted ones will move over a step of h seconds.
    pub(super) fn note_poses(&mut self, h: f64) {
        self.make_room_for_states();
        let (time, sleepers, known) = (self.world.time, &self.sleepers, &self.known);
        for_each_body(self.world.bodies_mut(), &mut self.states, |index, body, state| {
            // Nothing has changed of a body asleep since it was put so.
            if !sleepers.is_asleep(index as u32) || known.is_changed(index as u32) {
                state.note(body, time, h);
            }
        });
    }

    /// The same where nobody sleeps, and then applies forces.
    pub(super) fn note_poses_and_push(&mut self, h: f64, forces: Forces) {
        self.make_room_for_states();
        let (time, surroundings) = (self.world.time, Surroundings::new(&self.world, &self.options));
        for_each_body(self.world.bodies_mut(), &mut self.states, |_, body, state| {
            state.note(body, time, h);
            forces.push(&surroundings, false, body, state);
        });
    }
}

/// Does something to each body by itself, given its index.
pub(super) fn for_each_body(
    bodies: &mut [Body],
    states: &mut [BodyState],
    work: impl Fn(usize, &mut Body, &mut BodyState) + Sync,
) {
    let work = |(index, (body, state)): (usize, (&mut Body, &mut BodyState))| work(index, body, state);
    if is_shared(bodies.len(), PARALLEL_BODIES) {
        let all = bodies.par_iter_mut().zip(states).enumerate();
        all.with_min_len(PARALLEL_BODIES / 4).for_each(work);
    } else {
        bodies.iter_mut().zip(states).enumerate().for_each(work);
    }
}

/// Moves a body for a time h; a scripted one to where it is at a time.
fn move_body(body: &mut Body, state: &mut BodyState, with: AdvanceWith, h: f64, time: f64) {
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

impl BodyState {
    /// Notes where a body is at a time, and how it will move over a step of h seconds if it is scripted.
    pub(super) fn note(&mut self, body: &Body, time: f64, h: f64) {
        let velocity = match body.kind.motion() {
            Some(motion) if h > 0.0 && !body.passive => velocity_between(&body.pose, &motion.pose(time + h), h),
            _ => Velocity::default(),
        };
        // Field by field: a whole state made elsewhere would be copied.
        self.side.pose = body.pose;
        self.side.before = velocity;
        self.side.free = velocity;
        self.displacement = Velocity::default();
        self.local = 0;
        self.inverse = if body.is_dynamic() {
            inverse_mass(body)
        } else {
            InverseMass::ZERO
        };
    }

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

/// `R I⁻¹ Rᵀ`, built so that it is symmetric to the last bit. That of a ball or a cube is the same in every frame.
fn inverse_mass(body: &Body) -> InverseMass {
    let mass = 1.0 / body.mass;
    let moment = body.inertia.m11;
    if body.inertia == Matrix3::from_diagonal_element(moment) {
        let inertia = Matrix3::from_diagonal_element(1.0 / moment);
        return InverseMass { mass, inertia };
    }
    let rotation = body.pose.rotation.to_rotation_matrix().into_inner();
    if body.inertia.m12 == 0.0 && body.inertia.m13 == 0.0 && body.inertia.m23 == 0.0 {
        // Principal axes are those of the body, as with boxes.
        let inertia = spread(&rotation, &body.inertia.diagonal().map(f64::recip));
        return InverseMass { mass, inertia };
    }
    let local = body.inertia.try_inverse().unwrap_or(Matrix3::repeat(f64::NAN));
    let inertia = rotation * local * rotation.transpose();
    let inertia = 0.5 * (inertia + inertia.transpose());
    InverseMass { mass, inertia }
}

/// `R D Rᵀ` of a diagonal matrix.
fn spread(rotation: &Matrix3<f64>, diagonal: &Vector3<f64>) -> Matrix3<f64> {
    let columns: [Vector3<f64>; 3] = std::array::from_fn(|k| rotation.column(k).into_owned());
    let scaled: [Vector3<f64>; 3] = std::array::from_fn(|k| columns[k] * diagonal[k]);
    let entry =
        |i: usize, j: usize| scaled[0][i] * columns[0][j] + scaled[1][i] * columns[1][j] + scaled[2][i] * columns[2][j];
    let (xx, yy, zz) = (entry(0, 0), entry(1, 1), entry(2, 2));
    let (xy, xz, yz) = (entry(1, 0), entry(2, 0), entry(2, 1));
    Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::UnitQuaternion;

    /// A ball's, a box's and any other: times the inertia it is the identity, and it is symmetric to the last bit.
    #[test]
    fn inverse_inertias_are_symmetric_inverses() {
        let ball = drystone_collision::Shape::Sphere(drystone_collision::Sphere { radius: 0.5 });
        let mut body = Body::dynamic("it", ball, 10.0).unwrap();
        body.pose.rotation = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, -0.7, 1.1));
        let skewed = Matrix3::new(2.0, 0.1, -0.2, 0.1, 3.0, 0.3, -0.2, 0.3, 4.0);
        let diagonal = Matrix3::from_diagonal(&Vector3::new(2.0, 3.0, 4.5));
        for inertia in [body.inertia, diagonal, skewed] {
            body.inertia = inertia;
            let InverseMass { mass, inertia } = inverse_mass(&body);
            assert_eq!(mass, 1.0 / body.mass);
            assert_eq!(inertia, inertia.transpose());
            let identity = inertia * body.world_inertia();
            // A few roundings of numbers about one.
            assert!((identity - Matrix3::identity()).amax() < 1e-14, "{identity}");
        }
    }
}
