//! Keeping up with what was changed between steps: bodies and joints added, removed, replaced, switched.
//!
//! The world knows nothing of the pipeline. Before each step the pipeline compares what it remembers with what there is:
//! ids tell who has gone and who is new, and since both lists are in rising order one pass over them is enough. Memory of
//! those who stay is kept; sleeping neighbours of whatever changed are woken. Bodies are compared one by one only if somebody has
//! had the world in hand since.

use drystone_contact_graph::{CollisionFilter, EdgeKind, FilterScope, Groups, NodeKind};
use rayon::prelude::*;

use super::Pipeline;
use super::share::{PARALLEL_BODIES, is_shared};
use super::surroundings::Look;
use crate::body::{Body, BodyKind};
use crate::error::StepError;
use crate::event::WakeCause;
use crate::joint::Motor;
use crate::material::Materials;
use crate::world::{BodyId, JointId};

/// The bodies and joints that the pipeline's memory is about.
#[derive(Debug, Default)]
pub(super) struct Known {
    bodies: Vec<BodyId>,
    /// Which of them are passive.
    passive: Vec<bool>,
    /// The joints that hold, with their bodies.
    held: Vec<Held>,
    /// The same a step ago; empty between steps.
    held_before: Vec<Held>,
    /// The motors of all joints, with their joints.
    motors: Vec<(JointId, Motor)>,
    motors_before: Vec<(JointId, Motor)>,
    /// What the bodies look like to those that touch them.
    pub(super) looks: Vec<Look>,
    pub(super) materials: Materials,
    pub(super) filter: CollisionFilter,
    timers: usize,
    /// Whether anything has changed since the last step that contacts or groups may depend on.
    edited: bool,
    /// Bodies that are not where or what they were, though no step moved them.
    changed: Vec<bool>,
    mechanisms: Groups,
}

impl Known {
    /// Whether anything has changed since the last step that contacts or groups may depend on.
    pub(super) fn is_edited(&self) -> bool {
        self.edited
    }

    /// Notes a change that is no single body's.
    pub(super) fn note_edit(&mut self) {
        self.edited = true;
    }

    /// Notes that contacts of a body have to be looked for, even if it does not move.
    pub(super) fn note_change(&mut self, body: usize) {
        self.edited = true;
        if self.changed.len() <= body {
            self.changed.resize(body + 1, false);
        }
        self.changed[body] = true;
    }

    /// Whether contacts of a body have to be looked for, even if it does not move.
    pub(super) fn is_changed(&self, body: u32) -> bool {
        self.changed.get(body as usize).copied().unwrap_or(false)
    }

    /// A step has seen all changes.
    pub(super) fn forget_changes(&mut self) {
        self.edited = false;
        self.changed.clear();
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Held {
    joint: JointId,
    bodies: [BodyId; 2],
}

impl Pipeline {
    /// Brings graph, sleep and memory in line with the world as it is.
    pub(super) fn follow_the_world(&mut self) -> Result<(), StepError> {
        self.follow_bodies();
        let joints_changed = self.follow_joints();
        self.follow_kinds(joints_changed)?;
        let filter_changed = self.follow_filter();
        self.follow_structure(joints_changed || filter_changed)?;
        let bodies = self.world.bodies().len();
        self.sleepers.resize(bodies, &self.options.sleep_rule());
        self.wake_what_was_changed();
        if self.is_open {
            self.follow_looks();
        }
        self.follow_materials();
        self.is_open = false;
        Ok(())
    }

    /// Bodies that are gone and bodies that are new.
    fn follow_bodies(&mut self) {
        if self.known.bodies == self.world.body_ids() {
            return;
        }
        self.known.edited = true;
        let before = std::mem::take(&mut self.known.bodies);
        let stays: Vec<bool> = before.iter().map(|&id| self.world.index_of(id).is_some()).collect();
        for body in (0..before.len()).filter(|&body| !stays[body]) {
            self.wake_neighbours(body as u32);
        }
        let stay = |node: u32| stays.get(node as usize).copied().unwrap_or(false);
        self.graph.renumber(stay);
        self.sleepers.renumber(stay);
        retain(&mut self.states, stay);
        retain(&mut self.watched, stay);
        retain(&mut self.aabbs, stay);
        retain(&mut self.known.passive, stay);
        retain(&mut self.known.looks, stay);
        retain(&mut self.known.changed, stay);
        if !self.known.filter.is_trivial() {
            let counted = stays.iter().scan(0, |next, &stays| {
                *next += u32::from(stays);
                Some(stays.then(|| *next - 1))
            });
            let now: Vec<Option<u32>> = counted.collect();
            self.known
                .filter
                .renumber(|body| now.get(body as usize).copied().flatten());
        }
        self.layering.renumber(stay);
        self.renumber_events(&stays);
        let new = self.world.bodies().len() - self.known.looks.len();
        self.known.looks.reserve_exact(new);
        self.known.passive.reserve_exact(new);
        for body in &self.world.bodies()[self.graph.node_count()..] {
            self.graph.add_node(kind_of(body, false), ());
            self.known.passive.push(body.passive);
            self.known.looks.push(Look::of(body));
            if !before.is_empty() {
                self.known.note_change(self.known.looks.len() - 1);
            }
        }
        self.known.bodies.extend_from_slice(self.world.body_ids());
        self.sleepers
            .resize(self.known.bodies.len(), &self.options.sleep_rule());
    }

    /// Joints that hold and did not, or held and don't; and motors that were changed. Returns whether there are any.
    fn follow_joints(&mut self) -> bool {
        let ids = self.world.joint_ids();
        let bodies = self.world.body_ids();
        let known = &mut self.known;
        std::mem::swap(&mut known.held, &mut known.held_before);
        std::mem::swap(&mut known.motors, &mut known.motors_before);
        known.held.clear();
        known.motors.clear();
        for (joint, &id) in self.world.joints().iter().zip(ids) {
            if self.world.holds(joint) {
                known.held.push(Held {
                    joint: id,
                    bodies: joint.bodies.map(|body| bodies[body]),
                });
            }
            known.motors.extend(joint.motors.iter().map(|&motor| (id, motor)));
        }
        let changed = known.held != known.held_before;
        if changed {
            known.edited = true;
            self.wake_at_joints_that_changed();
        }
        if self.known.motors != self.known.motors_before {
            let Known {
                motors, motors_before, ..
            } = &mut self.known;
            let (motors, before) = (std::mem::take(motors), std::mem::take(motors_before));
            let new = motors.iter().filter(|motor| !before.contains(motor));
            let gone = before.iter().filter(|motor| !motors.contains(motor));
            for (id, _) in new.chain(gone) {
                self.wake_at_joint(*id);
            }
            (self.known.motors, self.known.motors_before) = (motors, before);
        }
        changed
    }

    fn wake_at_joints_that_changed(&mut self) {
        let (held, before) = (
            std::mem::take(&mut self.known.held),
            std::mem::take(&mut self.known.held_before),
        );
        // Both are sorted by joint.
        let missing = |list: &[Held], of: &Held| list.binary_search_by_key(&of.joint, |held| held.joint).is_err();
        let new = held.iter().filter(|joint| missing(&before, joint));
        let gone = before.iter().filter(|joint| missing(&held, joint));
        for body in new.chain(gone).flat_map(|joint| joint.bodies) {
            if let Some(body) = self.world.index_of(body) {
                self.wake_body(body as u32, WakeCause::Joint);
            }
        }
        (self.known.held, self.known.held_before) = (held, before);
    }

    fn wake_at_joint(&mut self, id: JointId) {
        if let Ok(joint) = self.world.joint_ids().binary_search(&id) {
            for body in self.world.joints()[joint].bodies {
                self.wake_body(body as u32, WakeCause::Joint);
            }
        }
    }

    /// Fixed bodies made dynamic, bodies taken out of store, bodies with their first joint.
    fn follow_kinds(&mut self, joints_changed: bool) -> Result<(), StepError> {
        self.link_joints()?;
        if !self.is_open && !joints_changed {
            return Ok(());
        }
        let (graph, known, joints) = (&self.graph, &self.known, &self.joints);
        let differs = |(body, it): (usize, &Body)| {
            let kind = kind_of(it, joints.is_jointed(body));
            graph.node_kind(body as u32) != Some(kind) || it.passive != known.passive[body]
        };
        if !self.any_body(differs) {
            return Ok(());
        }
        for body in 0..self.known.bodies.len() {
            let it = &self.world.bodies()[body];
            let kind = kind_of(it, self.joints.is_jointed(body));
            let known = self.graph.node_kind(body as u32);
            if known == Some(kind) && it.passive == self.known.passive[body] {
                continue;
            }
            if kind.is_movable() && !known.is_some_and(NodeKind::is_movable) {
                it.validate().map_err(|source| StepError::World {
                    step: self.report.step,
                    source,
                })?;
            }
            self.known.passive[body] = it.passive;
            self.known.note_change(body);
            if let Some(node) = self.graph.node_mut(body as u32) {
                node.kind = kind;
            }
            self.wake_body(body as u32, WakeCause::Contact);
            self.wake_neighbours(body as u32);
        }
        Ok(())
    }

    /// Whether something is true of any body, which threads find out together where there are many.
    pub(super) fn any_body(&self, is_so: impl Fn((usize, &Body)) -> bool + Sync + Send) -> bool {
        let bodies = self.world.bodies();
        if is_shared(bodies.len(), PARALLEL_BODIES) {
            let all = bodies.par_iter().with_min_len(PARALLEL_BODIES / 4);
            all.enumerate().any(is_so)
        } else {
            bodies.iter().enumerate().any(is_so)
        }
    }

    /// The nodes that are no bodies: a container for each mechanism, a node for each entry of the filter and each timer.
    fn follow_structure(&mut self, changed: bool) -> Result<(), StepError> {
        let timers = self.world.timers().len();
        let bodies = self.known.bodies.len();
        if !changed && !self.known.edited && timers == self.known.timers {
            return Ok(());
        }
        self.known.edited = true;
        self.known.timers = timers;
        self.graph.renumber(|node| (node as usize) < bodies);
        self.graph.groups(|_| false, &mut self.known.mechanisms);
        let mut edges = Vec::new();
        for mechanism in self.known.mechanisms.iter() {
            let node = self.graph.add_node(NodeKind::Multibody, ());
            edges.extend(mechanism.bodies.iter().map(|&body| (body, node)));
        }
        for (scope, _) in self.world.filter.entries() {
            let node = self.graph.add_node(NodeKind::Rule, ());
            let filter = &self.world.filter;
            let concerns = |body: u32| match scope {
                FilterScope::Body(a) => body == a,
                FilterScope::Pair(a, b) => body == a || body == b,
                FilterScope::Group(group) => filter.is_member(body, group),
                FilterScope::Groups(a, b) => filter.is_member(body, a) || filter.is_member(body, b),
            };
            let concerned = (0..bodies as u32).filter(|&body| concerns(body));
            // Rules may speak of triggers too; Table 5.2 has no edge for these.
            let drawn = concerned.filter(|&body| self.graph.edge_kind(body, node) == Some(EdgeKind::Logical));
            edges.extend(drawn.map(|body| (body, node)));
        }
        for _ in 0..timers {
            self.graph.add_node(NodeKind::Timer, ());
        }
        let refused = |error: drystone_contact_graph::GraphError| StepError::Graph {
            step: self.report.step,
            message: error.to_string(),
        };
        self.graph.set_static_edges(&edges).map_err(refused)
    }

    /// Wakes the bodies that touch a body.
    pub(super) fn wake_neighbours(&mut self, body: u32) {
        for edge in 0..self.graph.active_edges().len() {
            let (a, b) = self.graph.pairs()[edge];
            if a != body && b != body || self.graph.active_edges()[edge].payload.is_empty() {
                continue;
            }
            self.wake_body(if a == body { b } else { a }, WakeCause::Contact);
        }
    }
}

fn kind_of(body: &Body, jointed: bool) -> NodeKind {
    match body.kind {
        BodyKind::Dynamic if jointed => NodeKind::Link,
        BodyKind::Dynamic => NodeKind::Rigid,
        BodyKind::Fixed => NodeKind::Fixed,
        BodyKind::Scripted(_) => NodeKind::Scripted,
        BodyKind::Trigger(_) => NodeKind::Trigger,
    }
}

/// Keeps the entries of the bodies that stay.
pub(super) fn retain<T>(list: &mut Vec<T>, stay: impl Fn(u32) -> bool) {
    let mut body = 0;
    list.retain(|_| {
        body += 1;
        stay(body - 1)
    });
}
