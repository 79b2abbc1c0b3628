//! What a pipeline remembers of joints: which of them hold, their impulses from step to step, what they carried, and how
//! far they are from being satisfied.

use nalgebra::Vector3;

use super::Pipeline;
use crate::constraint::Constraint;
use crate::error::StepError;
use crate::event::Event;
use crate::joint::{Joint, JointError};
use crate::manifold::Phase;
use crate::world::JointId;

/// What a joint did to its body B in the last step: all its rows together, limits and motors included. On body A it did
/// the opposite, at the same point.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Reaction {
    /// The impulse, world frame, N·s; over the time step it is the mean force.
    pub impulse: Vector3<f64>,
    /// The angular impulse about the joint's anchor on B, world frame, N·m·s.
    pub angular_impulse: Vector3<f64>,
}

/// The memory of all joints, flat.
#[derive(Debug, Default)]
pub(super) struct JointMemory {
    /// The joints that hold, in the order of the graph's links.
    pub(super) linked: Vec<u32>,
    links: Vec<(u32, u32)>,
    /// Pairs of bodies that don't collide because of a joint, sorted.
    apart: Vec<(u32, u32)>,
    /// Where those of every body begin, which is the first of a pair; one more entry for the end.
    apart_from: Vec<u32>,
    /// Which bodies have a joint that holds.
    jointed: Vec<bool>,
    /// The joints that the memory is about.
    ids: Vec<JointId>,
    /// Where each joint's impulses begin; one more entry for the end.
    first: Vec<u32>,
    /// The impulses of every slot of every joint, by phase.
    impulses: Vec<[f64; 2]>,
    pub(super) reactions: Vec<Reaction>,
}

impl JointMemory {
    /// The impulse of a joint's row in the last step; zero if it was not active.
    #[inline]
    pub(super) fn impulse(&self, joint: u32, slot: usize, phase: Phase) -> f64 {
        self.impulses[self.first[joint as usize] as usize + slot][phase as usize]
    }

    #[inline]
    pub(super) fn set_impulse(&mut self, joint: u32, slot: usize, phase: Phase, impulse: f64) {
        self.impulses[self.first[joint as usize] as usize + slot][phase as usize] = impulse;
    }

    /// Whether a joint holds a body.
    pub(super) fn is_jointed(&self, body: usize) -> bool {
        self.jointed.get(body).copied().unwrap_or(false)
    }

    /// Whether a joint keeps two bodies from colliding.
    pub(super) fn is_apart(&self, pair: &(u32, u32)) -> bool {
        let first = pair.0 as usize;
        !self.apart.is_empty() && {
            let own = self.apart_from[first] as usize..self.apart_from[first + 1] as usize;
            self.apart[own].binary_search(pair).is_ok()
        }
    }

    /// Sorts the pairs that don't collide, for as many bodies.
    fn index_apart(&mut self, bodies: usize) {
        self.apart.sort_unstable();
        self.apart_from.clear();
        for body in 0..=bodies as u32 {
            let from = self.apart_from.last().map_or(0, |&last| last as usize);
            let more = self.apart[from..].iter().take_while(|pair| pair.0 < body).count();
            self.apart_from.push((from + more) as u32);
        }
    }

    /// Forgets the impulses of a joint in a phase, for new ones to be put in.
    pub(super) fn clear(&mut self, joint: u32, phase: Phase) {
        let joint = joint as usize;
        for slot in self.first[joint]..self.first[joint + 1] {
            self.impulses[slot as usize][phase as usize] = 0.0;
        }
    }

    /// Forgets what a joint did, for the sum of a new step.
    pub(super) fn clear_reaction(&mut self, joint: u32) {
        self.reactions[joint as usize] = Reaction::default();
    }

    /// Makes room for every row that a joint can have. Joints may have come or gone since the last step, and limits and
    /// motors too; joints with as many rows as before keep their memory.
    fn make_room(&mut self, joints: &[Joint], ids: &[JointId]) {
        let ends = joints.iter().scan(0_u32, |end, joint| {
            *end += joint.rows() as u32;
            Some(*end)
        });
        let unchanged = self.ids == ids && !self.first.is_empty() && ends.clone().eq(self.first[1..].iter().copied());
        if unchanged {
            return;
        }
        let old_ids = std::mem::replace(&mut self.ids, ids.to_vec());
        let first = std::iter::once(0).chain(ends).collect();
        let old_first = std::mem::replace(&mut self.first, first);
        let rows = self.first[joints.len()] as usize;
        let old_impulses = std::mem::replace(&mut self.impulses, vec![[0.0; 2]; rows]);
        self.reactions.clear();
        self.reactions.resize(joints.len(), Reaction::default());
        for (joint, id) in ids.iter().enumerate() {
            if let Ok(old) = old_ids.binary_search(id) {
                let from = &old_impulses[old_first[old] as usize..old_first[old + 1] as usize];
                let to = &mut self.impulses[self.first[joint] as usize..self.first[joint + 1] as usize];
                if from.len() == to.len() {
                    to.copy_from_slice(from);
                }
            }
        }
    }
}

impl Pipeline {
    /// Tells the graph which joints hold.
    pub(super) fn link_joints(&mut self) -> Result<(), StepError> {
        let joints = self.world.joints();
        let memory = &mut self.joints;
        memory.make_room(joints, self.world.joint_ids());
        memory.linked.clear();
        memory.links.clear();
        memory.apart.clear();
        memory.jointed.clear();
        memory.jointed.resize(self.world.bodies().len(), false);
        for (index, joint) in joints.iter().enumerate() {
            if !self.world.holds(joint) {
                memory.clear(index as u32, Phase::Whole);
                memory.clear(index as u32, Phase::Layered);
                memory.clear_reaction(index as u32);
                continue;
            }
            let [a, b] = joint.bodies.map(|body| body as u32);
            memory.linked.push(index as u32);
            memory.links.push((a, b));
            joint.bodies.iter().for_each(|&body| memory.jointed[body] = true);
            if !joint.collide {
                memory.apart.push((a.min(b), a.max(b)));
            }
        }
        memory.index_apart(self.world.bodies().len());
        self.graph.set_links(&memory.links).map_err(|error| StepError::Graph {
            step: self.report.step,
            message: error.to_string(),
        })
    }

    /// What each joint did in the last step, by index; nothing where it is off.
    pub fn reactions(&self) -> &[Reaction] {
        &self.joints.reactions
    }

    /// Measures the joints where the step has left them, and breaks those that carried too much.
    pub(super) fn inspect_joints(&mut self, h: f64) {
        let mut worst = JointError::default();
        let mut violation = 0.0_f64;
        let mut broken = 0;
        for index in 0..self.world.joints().len() {
            let joint = &self.world.joints()[index];
            if !self.world.holds(joint) {
                broken += 1;
                continue;
            }
            let [a, b] = joint.bodies.map(|body| &self.world.bodies()[body].pose);
            let error = joint.error(a, b);
            worst = worst.max(error);
            violation = violation.max(joint.limit_violation(a, b));
            if joint.breaking.is_possible() {
                let reaction = self.joints.reactions.get(index).copied().unwrap_or_default();
                let (force, torque) = (reaction.impulse.norm() / h, reaction.angular_impulse.norm() / h);
                if let Some(cause) = joint.breaking.cause(force, torque, error.length) {
                    self.events.push(Event::JointBroke { joint: index, cause });
                    self.world.joints_mut()[index].enabled = false;
                    broken += 1;
                }
            }
        }
        self.report.joint_error = worst;
        self.report.limit_violation = violation;
        self.report.joints_off = broken;
    }
}
