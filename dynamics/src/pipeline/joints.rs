//! What a pipeline remembers of joints: which of them hold, their impulses from step to step, what they carried, and how
//! far they are from being satisfied.

use nalgebra::Vector3;

use super::Pipeline;
use crate::constraint::Constraint;
use crate::error::StepError;
use crate::event::Event;
use crate::joint::{Joint, JointError};

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
    /// Where each joint's impulses begin; one more entry for the end.
    first: Vec<u32>,
    /// The impulse of every slot of every joint.
    impulses: Vec<f64>,
    pub(super) reactions: Vec<Reaction>,
}

impl JointMemory {
    /// The impulse of a joint's row in the last step; zero if it was not active.
    #[inline]
    pub(super) fn impulse(&self, joint: u32, slot: usize) -> f64 {
        self.impulses[self.first[joint as usize] as usize + slot]
    }

    #[inline]
    pub(super) fn set_impulse(&mut self, joint: u32, slot: usize, impulse: f64) {
        self.impulses[self.first[joint as usize] as usize + slot] = impulse;
    }

    /// Whether a joint keeps two bodies from colliding.
    pub(super) fn is_apart(&self, pair: &(u32, u32)) -> bool {
        !self.apart.is_empty() && self.apart.binary_search(pair).is_ok()
    }

    /// Forgets impulses and reactions, for new ones to be put in.
    pub(super) fn clear_impulses(&mut self) {
        self.impulses.fill(0.0);
        self.reactions.fill(Reaction::default());
    }

    /// Makes room for every row that a joint can have. Limits and motors may have come or gone since the last step; then
    /// nothing is remembered.
    fn make_room(&mut self, joints: &[Joint]) {
        let mut next = 0;
        let mut same = self.first.len() == joints.len() + 1;
        self.first.resize(joints.len() + 1, u32::MAX);
        for (first, joint) in self.first.iter_mut().zip(joints) {
            same &= *first == next;
            *first = next;
            next += joint.rows() as u32;
        }
        same &= self.first[joints.len()] == next;
        self.first[joints.len()] = next;
        if !same {
            self.impulses.clear();
            self.impulses.resize(next as usize, 0.0);
            self.reactions.clear();
            self.reactions.resize(joints.len(), Reaction::default());
        }
    }
}

impl Pipeline {
    /// Tells the graph which joints hold.
    pub(super) fn link_joints(&mut self) -> Result<(), StepError> {
        let joints = self.world.joints();
        let memory = &mut self.joints;
        memory.make_room(joints);
        memory.linked.clear();
        memory.links.clear();
        memory.apart.clear();
        for (index, joint) in joints.iter().enumerate().filter(|(_, joint)| joint.enabled) {
            let [a, b] = joint.bodies.map(|body| body as u32);
            memory.linked.push(index as u32);
            memory.links.push((a, b));
            if !joint.collide {
                memory.apart.push((a.min(b), a.max(b)));
            }
        }
        memory.apart.sort_unstable();
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
            if !joint.enabled {
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
