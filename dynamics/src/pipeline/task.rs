//! The work on one group, or on one cell of a layer: its rows, its problem, its solution.
//!
//! A task owns its problem, impulses and solver memory, so that tasks can be worked on side by side and nothing is
//! allocated once they have grown.

use std::time::{Duration, Instant};

use drystone_contact_graph::{Edge, Group, Sleepers};
use drystone_solver::{Assembler, Cone, Context, Convergence, Operator, Problem, RigidBodies, SolveError, Solver};

use super::BodyState;
use super::joints::JointMemory;
use super::options::GraphOptions;
use crate::constraint::{Constraint, ConstraintRow, Law, MAX_BLOCK, NO_ROW, Placement, RowSettings};
use crate::contact::{Contact, Manifold, Phase, contact_frame};
use crate::material::ContactLaw;
use crate::world::World;

/// The work on one group, and its memory.
#[derive(Debug, Default)]
pub(crate) struct GroupTask {
    pub(super) problem: Problem,
    pub(super) impulses: Vec<f64>,
    /// The impulses that the solve began with, if they are to be kept.
    pub(super) start: Vec<f64>,
    /// What the impulses do to the bodies: six numbers each, the immovable one first.
    pub(super) change: Vec<f64>,
    /// Whose the first blocks are: joints come before contacts.
    pub(super) joint_blocks: Vec<JointBlock>,
    /// The Jacobians of their rows.
    pub(super) joint_rows: Vec<[f64; 12]>,
    /// Bodies asleep that bound a subgroup, sorted; they come after the group's own.
    pub(super) borders: Vec<u32>,
    pub(super) context: Context,
    pub(super) outcome: Option<Result<Convergence, SolveError>>,
    pub(super) assembly: Duration,
    pub(super) solve: Duration,
}

/// A block that a joint wrote.
#[derive(Debug, Clone, Copy)]
pub(super) struct JointBlock {
    pub(super) joint: u32,
    /// The slot of its first row.
    pub(super) slot: u32,
}

/// What all groups read.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a> {
    pub(super) world: &'a World,
    pub(super) edges: &'a [Edge<Manifold>],
    pub(super) states: &'a [BodyState],
    pub(super) joints: &'a JointMemory,
    pub(super) sleepers: &'a Sleepers,
    pub(super) options: &'a GraphOptions,
    /// How near one-sided constraints are watched.
    pub(super) envelope: f64,
}

impl GroupTask {
    /// Joints first, then contacts: what comes last in a sweep is fulfilled best, and penetration is worse to look at than
    /// a joint that gives a little. Starts from the impulses that rows and features had.
    pub(super) fn assemble(
        &mut self,
        group: Group<'_>,
        shared: Shared<'_>,
        settings: &RowSettings,
        phase: Phase,
        horizon: f64,
    ) {
        let Shared { states, .. } = shared;
        let start = if shared.options.cache_impulses { 1.0 } else { 0.0 };
        self.impulses.clear();
        self.joint_blocks.clear();
        self.joint_rows.clear();
        self.find_borders(group, shared, phase);
        let mut assembler = self.problem.assemble();
        for &body in group.bodies.iter().chain(&self.borders) {
            assembler.add_body(states[body as usize].inverse);
        }
        let locals = Locals {
            states,
            members: group.bodies.len(),
            borders: &self.borders,
        };
        for &link in group.links {
            let index = shared.joints.linked[link as usize];
            let joint = &shared.world.joints()[index as usize];
            let (at, pair) = (shared.placement(joint.bodies, horizon), locals.of(joint.bodies));
            joint.write(&at, &mut |slot, law, rows| {
                add_block(&mut assembler, settings, pair, &at, law, rows);
                let slots = slot..slot + rows.len();
                self.impulses
                    .extend(slots.map(|slot| start * shared.joints.impulse(index, slot, phase)));
                self.joint_rows.extend(rows.iter().map(|row| row.jacobian));
                self.joint_blocks.push(JointBlock {
                    joint: index,
                    slot: slot as u32,
                });
            });
        }
        for &edge in group.edges {
            let Edge { a, b, payload, .. } = &shared.edges[edge as usize];
            let bodies = [*a as usize, *b as usize];
            let (at, pair) = (shared.placement(bodies, horizon), locals.of(bodies));
            let law = shared.contact_law(bodies);
            for (point, impulses) in payload.points.iter().zip(&payload.impulses) {
                let impulse = start * impulses[phase as usize];
                let frame = &contact_frame(&point.normal);
                let contact = Contact { point, frame, law };
                contact.write(&at, &mut |_, law, rows| {
                    add_block(&mut assembler, settings, pair, &at, law, rows);
                    let axes = frame.iter().take(rows.len());
                    self.impulses.extend(axes.map(|axis| axis.dot(&impulse)));
                });
            }
        }
    }

    /// Finds the bodies asleep that the group's contacts push, if they can be pushed.
    fn find_borders(&mut self, group: Group<'_>, shared: Shared<'_>, phase: Phase) {
        self.borders.clear();
        let options = shared.options;
        if !options.subgroups || options.fixation || phase == Phase::Layered {
            return;
        }
        for &edge in group.edges {
            let Edge { a, b, .. } = shared.edges[edge as usize];
            self.borders
                .extend([a, b].into_iter().filter(|&body| shared.sleepers.is_asleep(body)));
        }
        self.borders.sort_unstable();
        self.borders.dedup();
    }

    /// Solves the assembled problem and finds what the impulses do to the bodies.
    pub(super) fn solve(&mut self, solver: &dyn Solver, started: Instant) {
        self.outcome = Some(solver.solve(&self.problem, &mut self.impulses, &mut self.context));
        if let Operator::RigidBodies(bodies) = &self.problem.operator {
            self.change.clear();
            self.change.resize(6 * bodies.body_count(), 0.0);
            bodies.velocity_change(&self.impulses, &mut self.change);
        }
        self.solve = started.elapsed() - self.assembly;
    }

    /// Largest excess of a tangential impulse over its bound.
    pub(super) fn friction_violation(&self) -> f64 {
        let excess = |block: &drystone_solver::Block| match block.cone {
            Cone::Friction { coefficient } => {
                let impulse = &self.impulses[block.rows()];
                // Not hypot: it is called for every contact in every step, and nothing here overflows.
                (impulse[1] * impulse[1] + impulse[2] * impulse[2]).sqrt() - coefficient * impulse[0]
            }
            _ => 0.0,
        };
        self.problem.blocks.iter().map(excess).fold(0.0, f64::max)
    }
}

/// Adds a block of a constraint to the velocity problem.
#[inline]
fn add_block(
    assembler: &mut Assembler<'_>,
    settings: &RowSettings,
    pair: [u32; 2],
    at: &Placement<'_>,
    law: Law,
    rows: &[ConstraintRow],
) {
    let mut made = [NO_ROW; MAX_BLOCK];
    for (k, (to, row)) in made.iter_mut().zip(rows).enumerate() {
        *to = settings.row(law, k, row, at);
    }
    assembler.add_block(pair, settings.cone(law), &made[..rows.len()]);
}

impl Shared<'_> {
    /// Two bodies as constraints see them.
    #[inline]
    fn placement(&self, bodies: [usize; 2], horizon: f64) -> Placement<'_> {
        let [a, b] = bodies.map(|body| &self.states[body]);
        Placement {
            a: &a.side,
            b: &b.side,
            time: self.world.time,
            horizon,
            envelope: if horizon > 0.0 { self.envelope } else { 0.0 },
        }
    }

    /// The law of a pair of bodies.
    #[inline]
    fn contact_law(&self, bodies: [usize; 2]) -> ContactLaw {
        let [a, b] = bodies.map(|body| self.world.bodies()[body].material);
        let law = self.world.materials.pair(a, b);
        let sleepy = |body: usize| self.sleepers.is_sleepy(body as u32);
        if self.options.zeroing && bodies.into_iter().any(sleepy) {
            ContactLaw {
                restitution: 0.0,
                ..law
            }
        } else {
            law
        }
    }
}

/// The indices that bodies have in a problem.
struct Locals<'a> {
    states: &'a [BodyState],
    /// How many bodies the group has.
    members: usize,
    borders: &'a [u32],
}

impl Locals<'_> {
    #[inline]
    fn of(&self, bodies: [usize; 2]) -> [u32; 2] {
        bodies.map(|body| match self.states[body].local {
            RigidBodies::IMMOVABLE if !self.borders.is_empty() => self.border(body as u32),
            local => local,
        })
    }

    fn border(&self, body: u32) -> u32 {
        let found = self.borders.binary_search(&body);
        found.map_or(RigidBodies::IMMOVABLE, |place| (1 + self.members + place) as u32)
    }
}

// A body that nothing moves has local index 0, which is what the solver calls it.
const _: () = assert!(RigidBodies::IMMOVABLE == 0);
