//! Sleep (dissertation §6.5): who is put asleep when a step is over, and who is woken before the next.
//!
//! A body asleep has no velocity, feels no force, makes no contacts with others asleep, and is in no problem. It wakes
//! with its group when something awake touches it, when something it touched is taken away, when its state, a force on
//! it, a joint of it or gravity is changed, or when it is asked to.

use nalgebra::{Isometry3, Vector3};

use super::Pipeline;
use crate::body::Body;
use crate::event::{Event, WakeCause};

/// What a body looked like when it was put asleep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Watched {
    pose: Isometry3<f64>,
    force: Vector3<f64>,
    torque: Vector3<f64>,
    gravity: Vector3<f64>,
    mass: f64,
}

impl Watched {
    fn of(body: &Body, gravity: &Vector3<f64>) -> Self {
        Self {
            pose: body.pose,
            force: body.force,
            torque: body.torque,
            gravity: *gravity,
            mass: body.mass,
        }
    }
}

impl Pipeline {
    /// Wakes a body, if it is asleep, and notes it.
    pub(crate) fn wake_body(&mut self, body: u32, cause: WakeCause) {
        if self.sleepers.is_asleep(body) {
            self.sleepers.wake(body);
            let body = body as usize;
            self.events.push(Event::Awake { body, cause });
        }
    }

    /// Wakes a body between steps. Bodies may have come and gone since the last one, and it is their present numbers that
    /// are meant; the next step tells of it.
    pub(crate) fn wake_by_hand(&mut self, body: u32) {
        std::mem::swap(&mut self.events, &mut self.pending);
        self.follow_between_steps();
        self.wake_body(body, WakeCause::User);
        std::mem::swap(&mut self.events, &mut self.pending);
    }

    /// Puts a body asleep between steps, wherever it has been put.
    pub(crate) fn put_asleep_by_hand(&mut self, body: u32) {
        std::mem::swap(&mut self.events, &mut self.pending);
        self.follow_between_steps();
        self.put_asleep(body);
        self.known.note_change(body as usize);
        std::mem::swap(&mut self.events, &mut self.pending);
    }

    /// What is new since the last step is not to wake anybody later who is put asleep now.
    fn follow_between_steps(&mut self) {
        // If something is wrong with the world, the next step finds it too, and says so.
        let _ = self.follow_the_world();
    }

    /// Puts a body asleep, and notes it.
    fn put_asleep(&mut self, body: u32) {
        if !self.sleepers.put_asleep(body) {
            return;
        }
        let index = body as usize;
        let gravity = self.world.gravity;
        let it = &mut self.world.bodies_mut()[index];
        it.linear_velocity = Vector3::zeros();
        it.angular_velocity = Vector3::zeros();
        let watched = Watched::of(it, &gravity);
        if self.watched.len() <= index {
            self.watched.resize(index + 1, watched);
        }
        self.watched[index] = watched;
        if let Some(state) = self.states.get_mut(index) {
            state.side.pose = watched.pose;
            state.side.before = Default::default();
            state.side.free = Default::default();
            state.displacement = Default::default();
        }
        self.events.push(Event::Asleep { body: index });
    }

    /// Bodies asleep whose state or surroundings are no longer those that they fell asleep in.
    pub(super) fn wake_what_was_changed(&mut self) {
        if self.sleepers.asleep() == 0 {
            return;
        }
        let gravity = self.world.gravity;
        for body in 0..self.world.bodies().len() as u32 {
            if !self.sleepers.is_asleep(body) {
                continue;
            }
            let it = &self.world.bodies()[body as usize];
            let moves = it.linear_velocity != Vector3::zeros() || it.angular_velocity != Vector3::zeros();
            let watched = self.watched.get(body as usize);
            if moves || watched != Some(&Watched::of(it, &gravity)) {
                self.wake_body(body, WakeCause::Force);
            }
        }
    }

    /// Whether every dynamic body is asleep, and nothing else has moved or been changed: then contacts and groups are what
    /// they were.
    pub(super) fn is_all_quiet(&self) -> bool {
        let sleeping = self.sleepers.asleep();
        if sleeping == 0 || self.known.is_edited() {
            return false;
        }
        let bodies = self.world.bodies();
        let dynamic = bodies.iter().filter(|body| body.is_dynamic()).count();
        dynamic == sleeping && bodies.iter().all(|body| body.kind.motion().is_none())
    }

    /// Notes the energies of all bodies awake after a step of h seconds, and puts those asleep that are at rest: whole
    /// groups, or with subgroups each body by itself.
    pub(super) fn put_to_rest(&mut self, h: f64) {
        if !self.options.sleep {
            return;
        }
        let rule = self.options.sleep_rule();
        for (body, it) in (0..).zip(self.world.bodies()) {
            if it.is_dynamic() && (!self.sleepers.is_asleep(body) || self.options.subgroups) {
                let energy = it.kinetic_energy() / it.mass;
                let rests = self.sleepers.observe(&rule, body, energy, h);
                if !rests && self.sleepers.is_asleep(body) {
                    // Pushed by what it bounds.
                    self.sleepers.wake(body);
                    let (body, cause) = (body as usize, WakeCause::Contact);
                    self.events.push(Event::Awake { body, cause });
                }
            }
        }
        self.stay_awake_beside_what_moves();
        let (groups, active) = (std::mem::take(&mut self.groups), std::mem::take(&mut self.active));
        for &group in &active {
            let Some(group) = groups.get(group as usize) else {
                continue;
            };
            if self.options.subgroups {
                for &body in group.bodies {
                    if self.sleepers.is_sleepy(body) {
                        self.put_asleep(body);
                    }
                }
            } else if group.bodies.iter().all(|&body| self.sleepers.is_sleepy(body)) {
                group.bodies.iter().for_each(|&body| self.put_asleep(body));
            }
        }
        // A body that touches nothing rests only where nothing pulls at it.
        for &body in &groups.free {
            let it = &self.world.bodies()[body as usize];
            let pulled = self.world.gravity + it.force / it.mass != Vector3::zeros() || it.torque != Vector3::zeros();
            if it.is_dynamic() && !pulled && self.sleepers.is_sleepy(body) {
                self.put_asleep(body);
            }
        }
        (self.groups, self.active) = (groups, active);
        if self.options.subgroups {
            self.hold_still();
        }
    }

    /// Bodies at scripted ones that move and bodies at motors that drive are not at rest, however slow they are.
    fn stay_awake_beside_what_moves(&mut self) {
        // Not the notes of the last detection: one at the end of a step takes all bodies as still.
        let is_carrying = |body: u32| {
            let it = &self.world.bodies()[body as usize];
            let moves = it.linear_velocity != Vector3::zeros() || it.angular_velocity != Vector3::zeros();
            moves && it.kind.motion().is_some()
        };
        let edges = self.graph.active_edges().iter().zip(self.graph.pairs());
        let touching = edges.filter(|(edge, _)| !edge.payload.is_empty());
        for &(a, b) in touching.map(|(_, pair)| pair).chain(self.graph.links()) {
            for (moving, beside) in [(a, b), (b, a)] {
                if is_carrying(moving) {
                    self.sleepers.rouse(beside);
                }
            }
        }
        for joint in self.world.joints() {
            let [a, b] = joint.bodies.map(|body| &self.world.bodies()[body].pose);
            if self.world.holds(joint) && joint.is_driving(a, b, self.world.time) {
                joint.bodies.iter().for_each(|&body| self.sleepers.rouse(body as u32));
            }
        }
    }

    /// Sleepy bodies that bound groups may have been pushed a little; if that did not wake them, it is forgotten.
    fn hold_still(&mut self) {
        for body in 0..self.world.bodies().len() {
            if self.sleepers.is_asleep(body as u32) {
                let it = &mut self.world.bodies_mut()[body];
                it.linear_velocity = Vector3::zeros();
                it.angular_velocity = Vector3::zeros();
                self.watched[body].pose = it.pose;
                self.states[body].side.pose = it.pose;
            }
        }
    }
}
