//! The work on one group, or on one cell of a layer: its rows, its problem, its solution.
//!
//! A task owns its problem, impulses and solver memory, so that tasks can be worked on side by side and nothing is
//! allocated once they have grown.

use std::time::{Duration, Instant};

use drystone_contact_graph::{Edge, Group, Sleepers};
use drystone_solver::{
    Assembler, Cone, Context, Convergence, Problem, RigidBodies, SolveError, Solver, Touch, TouchSlots,
};

use super::BodyState;
use super::joints::JointMemory;
use super::options::GraphOptions;
use super::stretches::{Count, add_touches};
use crate::constraint::{Constraint, ConstraintRow, Law, Placement, RowSettings, Side};
use crate::contact::{Contact, contact_frame};
use crate::manifold::{Manifold, Phase};
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
    /// How much each stretch of edges has.
    pub(super) counts: Vec<Count>,
    /// Biases of the normals alone, one a contact point.
    pub(super) normals: Vec<f64>,
    /// The detection that the problem is made of.
    pub(super) detection: u64,
    /// Whether a projection task has its displacements already.
    pub(super) settled: bool,
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
    /// The bodies of each edge, and how many contact points it has: all that is needed for counting, in a tenth of the memory.
    pub(super) pairs: &'a [(u32, u32)],
    pub(super) point_counts: &'a [u32],
    pub(super) states: &'a [BodyState],
    pub(super) joints: &'a JointMemory,
    pub(super) sleepers: &'a Sleepers,
    pub(super) options: &'a GraphOptions,
    /// The law of all pairs if there is but one, so that nobody has to ask bodies for their materials.
    pub(super) only_law: Option<ContactLaw>,
    /// How near one-sided constraints are watched.
    pub(super) envelope: f64,
    /// Counts how often contacts have been looked for.
    pub(super) detection: u64,
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
        self.detection = shared.detection;
        let start = if shared.options.cache_impulses { 1.0 } else { 0.0 };
        // A large group's memory is wiped out only where it is not going to be overwritten.
        let is_overwritten = group.links.is_empty() && settings.cfm == 0.0;
        if !is_overwritten {
            self.impulses.clear();
        }
        self.joint_blocks.clear();
        self.joint_rows.clear();
        self.counts.clear();
        self.find_borders(group, shared, phase);
        let mut assembler = if is_overwritten {
            self.problem.assemble_over()
        } else {
            self.problem.assemble()
        };
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
            let pair = locals.of(joint.bodies);
            let [a, b] = joint.bodies;
            if let Some(place) = joint.as_point() {
                let pose = |body: usize| match settings.moved {
                    true => &shared.world.bodies()[body].pose,
                    false => &states[body].side.pose,
                };
                let rows = place.point_rows(pose(a), pose(b));
                let free = rows.rates(&states[a].side.free, &states[b].side.free);
                let (bias, compliance) = settings.equality_terms(&free, &rows.errors);
                // Made where they stay.
                let jacobians = &mut self.joint_rows;
                jacobians.extend((0..3).map(|k| rows.jacobian(k)));
                if let Some(jacobians) = jacobians.last_chunk::<3>() {
                    assembler.add_free(pair, jacobians, &bias, compliance);
                }
                let own = |slot: usize| start * shared.joints.impulse(index, slot, phase);
                self.impulses.extend_from_slice(&[own(0), own(1), own(2)]);
                self.joint_blocks.push(JointBlock { joint: index, slot: 0 });
                continue;
            }
            let (side_a, side_b) = (shared.side_now(a, settings.moved), shared.side_now(b, settings.moved));
            let at = Placement {
                a: &side_a,
                b: &side_b,
                ..shared.placement(joint.bodies, horizon)
            };
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
        if settings.cfm == 0.0 {
            let write = |edges: &[u32], mut slots: TouchSlots<'_>, mut impulses: &mut [f64]| {
                for (place, &edge) in edges.iter().enumerate() {
                    shared.ask_ahead(&edges[place..]);
                    let Edge { a, b, payload, .. } = &shared.edges[edge as usize];
                    let bodies = [*a as usize, *b as usize];
                    let (at, pair) = (shared.placement(bodies, horizon), locals.of(bodies));
                    let ContactLaw { friction, restitution } = shared.contact_law(bodies);
                    for (point, before) in payload.impulses(phase) {
                        let impulse = start * before;
                        let frame = contact_frame(&point.normal);
                        let touch = Touch {
                            normal: frame[0],
                            tangent: frame[1],
                            arm_a: point.position.coords - at.a.pose.translation.vector,
                            arm_b: point.position.coords - at.b.pose.translation.vector,
                        };
                        let gap = if settings.moved {
                            shared.opening(bodies, &touch) - point.depth
                        } else {
                            -point.depth
                        };
                        let bias = settings.contact_bias(restitution, gap, &touch, &at);
                        let rows = if friction > 0.0 {
                            slots.push(pair, Cone::Friction { coefficient: friction }, &touch, bias);
                            3
                        } else {
                            slots.push(pair, Cone::NonNegative, &touch, [bias[0]]);
                            1
                        };
                        let Some(own) = impulses.split_off_mut(..rows) else {
                            return;
                        };
                        for (own, axis) in own.iter_mut().zip(&frame) {
                            *own = axis.dot(&impulse);
                        }
                    }
                }
            };
            let rows_of = |bodies: [usize; 2]| {
                if shared.contact_law(bodies).friction > 0.0 {
                    3
                } else {
                    1
                }
            };
            let before = if is_overwritten { 0 } else { self.impulses.len() };
            add_touches(
                &mut assembler,
                (&mut self.impulses, before),
                &mut self.counts,
                group.edges,
                shared,
                rows_of,
                write,
            );
            return;
        }
        for &edge in group.edges {
            let Edge { a, b, payload, .. } = &shared.edges[edge as usize];
            let bodies = [*a as usize, *b as usize];
            let (at, pair) = (shared.placement(bodies, horizon), locals.of(bodies));
            let law = shared.contact_law(bodies);
            for (point, before) in payload.impulses(phase) {
                let impulse = start * before;
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
        let Self {
            problem,
            impulses,
            change,
            context,
            ..
        } = self;
        self.outcome = Some(solver.solve_with_change(problem, impulses, change, context));
        self.solve = started.elapsed() - self.assembly;
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
    let mut block = assembler.begin_block(pair);
    for (k, row) in rows.iter().enumerate() {
        let (bias, compliance) = settings.terms(law, k, row, at);
        block.push(&row.jacobian, bias, compliance);
    }
    block.finish(settings.cone(law));
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

    /// A body where it is now, or where it was when contacts were found.
    fn side_now(&self, body: usize, moved: bool) -> Side {
        let side = self.states[body].side;
        Side {
            pose: if moved {
                self.world.bodies()[body].pose
            } else {
                side.pose
            },
            ..side
        }
    }

    /// How much a gap has opened since contacts were found, to first order.
    #[inline]
    pub(super) fn opening(&self, [a, b]: [usize; 2], touch: &Touch) -> f64 {
        let [a, b] = [a, b].map(|body| &self.states[body].displacement);
        touch.normal.dot(&(b.at(&touch.arm_b) - a.at(&touch.arm_a)))
    }

    /// The law of a pair of bodies.
    #[inline]
    fn contact_law(&self, bodies: [usize; 2]) -> ContactLaw {
        let law = self.only_law.unwrap_or_else(|| {
            let [a, b] = bodies.map(|body| self.world.bodies()[body].material);
            self.world.materials.pair(a, b)
        });
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
