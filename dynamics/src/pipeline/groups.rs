//! The second stage: every group becomes a complementarity problem and is solved.
//!
//! A group's task owns its problem, impulses and solver memory, so that groups can be worked on side by side and
//! nothing is allocated once they have grown.

use std::time::{Duration, Instant};

use drystone_contact_graph::{Edge, Group};
use drystone_solver::{
    Assembler, Cone, Context, Convergence, Measure, Operator, Problem, RigidBodies, SolveError, Solver,
};
use nalgebra::Vector3;
use rayon::prelude::*;

use super::joints::{JointMemory, Reaction};
use super::{BodyState, Pipeline};
use crate::constraint::{Constraint, ConstraintRow, Law, MAX_BLOCK, NO_ROW, Placement, RowSettings};
use crate::contact::{Contact, Manifold, contact_frame};
use crate::error::StepError;
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
    joint_blocks: Vec<JointBlock>,
    /// The Jacobians of their rows.
    joint_rows: Vec<[f64; 12]>,
    pub(super) context: Context,
    pub(super) outcome: Option<Result<Convergence, SolveError>>,
    pub(super) assembly: Duration,
    pub(super) solve: Duration,
}

/// A block that a joint wrote.
#[derive(Debug, Clone, Copy)]
struct JointBlock {
    joint: u32,
    /// The slot of its first row.
    slot: u32,
}

/// What all groups read.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a> {
    pub(super) world: &'a World,
    pub(super) edges: &'a [Edge<Manifold>],
    pub(super) states: &'a [BodyState],
    pub(super) joints: &'a JointMemory,
    /// How near one-sided constraints are watched.
    pub(super) envelope: f64,
}

impl Pipeline {
    /// Solves the problem of every group and gives the bodies their new velocities. One-sided constraints of joints are
    /// seen as far ahead as the time `horizon`.
    pub(crate) fn solve_constraints(
        &mut self,
        solver: &dyn Solver,
        settings: &RowSettings,
        horizon: f64,
    ) -> Result<(), StepError> {
        let mut tasks = std::mem::take(&mut self.tasks);
        let keep_starts = self.keep_starts;
        self.for_each_group(&mut tasks, self.measure, |task, group, shared| {
            let started = Instant::now();
            task.assemble(group, shared, settings, horizon);
            task.assembly = started.elapsed();
            if keep_starts {
                task.start.clone_from(&task.impulses);
            }
            task.solve(solver, started);
        });
        self.tasks = tasks;
        self.collect()?;
        self.store_velocities();
        self.store_impulses();
        Ok(())
    }

    /// Runs work on every group, side by side if there are several.
    pub(super) fn for_each_group(
        &mut self,
        tasks: &mut Vec<GroupTask>,
        measure: Measure,
        work: impl Fn(&mut GroupTask, Group<'_>, Shared<'_>) + Sync,
    ) {
        let count = self.groups.len();
        if tasks.len() < count {
            tasks.resize_with(count, GroupTask::default);
        }
        let tasks = &mut tasks[..count];
        for group in self.groups.iter() {
            for (index, &body) in group.bodies.iter().enumerate() {
                self.states[body as usize].local = index as u32 + 1;
            }
        }
        for (index, task) in tasks.iter_mut().enumerate() {
            task.context.measure = measure;
            task.context.stream = self.report.step << 24 | index as u64;
        }
        let shared = Shared {
            world: &self.world,
            edges: self.graph.active_edges(),
            states: &self.states,
            joints: &self.joints,
            envelope: self.narrow_phase.envelope,
        };
        let groups = &self.groups;
        let run = |(index, task): (usize, &mut GroupTask)| {
            if let Some(group) = groups.get(index) {
                work(task, group, shared);
            }
        };
        if count < 2 || rayon::current_num_threads() == 1 {
            tasks.iter_mut().enumerate().for_each(run);
        } else {
            tasks.par_iter_mut().enumerate().for_each(run);
        }
    }

    /// Puts the reports of all groups together, in their order.
    fn collect(&mut self) -> Result<(), StepError> {
        let report = &mut self.report;
        for task in &mut self.tasks[..self.groups.len()] {
            report.timings.assembly += task.assembly;
            report.timings.solve += task.solve;
            report.rows += task.problem.rows();
            let convergence = match task.outcome.take() {
                Some(Ok(convergence)) => convergence,
                Some(Err(source)) => {
                    return Err(StepError::Solver {
                        step: report.step,
                        time: self.world.time,
                        source,
                    });
                }
                None => continue,
            };
            report.iterations = report.iterations.max(convergence.iterations);
            report.row_updates += convergence.row_updates;
            if let Some(residual) = convergence.residual {
                report.residual = Some(report.residual.map_or(residual, |worst| worst.max(residual)));
            }
            report.friction_violation = report.friction_violation.max(task.friction_violation());
            report.convergence.push(convergence);
        }
        if report.residual.is_none() && self.measure > Measure::Nothing {
            // No constraint, nothing violated.
            report.residual = Some(0.0);
        }
        Ok(())
    }

    fn store_velocities(&mut self) {
        let bodies = self.world.bodies_mut();
        for (group, task) in self.groups.iter().zip(&self.tasks) {
            for (&body, change) in group.bodies.iter().zip(task.change.chunks_exact(6).skip(1)) {
                let body = &mut bodies[body as usize];
                body.linear_velocity += Vector3::new(change[0], change[1], change[2]);
                body.angular_velocity += Vector3::new(change[3], change[4], change[5]);
            }
        }
    }

    fn store_impulses(&mut self) {
        self.joints.clear_impulses();
        let edges = self.graph.active_edges_mut();
        for (group, task) in self.groups.iter().zip(&self.tasks) {
            let mut blocks = task.problem.blocks.iter();
            for (owner, block) in task.joint_blocks.iter().zip(&mut blocks) {
                let joint = &self.world.joints()[owner.joint as usize];
                let side = &self.states[joint.bodies[1]].side;
                let arm = side.pose.rotation * joint.frames().b.translation.vector;
                for (k, row) in block.rows().enumerate() {
                    let impulse = task.impulses[row];
                    self.joints.set_impulse(owner.joint, owner.slot as usize + k, impulse);
                    let reaction = &mut self.joints.reactions[owner.joint as usize];
                    reaction.add(&task.joint_rows[row], &arm, impulse);
                }
            }
            for &edge in group.edges {
                let manifold = &mut edges[edge as usize].payload;
                for ((point, impulse), block) in manifold.points.iter().zip(&mut manifold.impulses).zip(&mut blocks) {
                    let frame = contact_frame(&point.normal);
                    let values = &task.impulses[block.rows()];
                    *impulse = frame.iter().zip(values).map(|(axis, value)| axis * *value).sum();
                }
            }
        }
    }
}

impl Reaction {
    /// Adds what a row does to body B, about the point that is an arm away from its centre.
    fn add(&mut self, jacobian: &[f64; 12], arm: &Vector3<f64>, impulse: f64) {
        let linear = impulse * Vector3::new(jacobian[6], jacobian[7], jacobian[8]);
        let angular = impulse * Vector3::new(jacobian[9], jacobian[10], jacobian[11]);
        self.impulse += linear;
        self.angular_impulse += angular - arm.cross(&linear);
    }
}

impl GroupTask {
    /// Joints first, then contacts: what comes last in a sweep is fulfilled best, and penetration is worse to look at than
    /// a joint that gives a little. Starts from the impulses that rows and features had.
    fn assemble(&mut self, group: Group<'_>, shared: Shared<'_>, settings: &RowSettings, horizon: f64) {
        let Shared { states, .. } = shared;
        self.impulses.clear();
        self.joint_blocks.clear();
        self.joint_rows.clear();
        let mut assembler = self.problem.assemble();
        for &body in group.bodies {
            assembler.add_body(states[body as usize].inverse);
        }
        for &link in group.links {
            let index = shared.joints.linked[link as usize];
            let joint = &shared.world.joints()[index as usize];
            let (at, pair) = shared.placement(joint.bodies, horizon);
            joint.write(&at, &mut |slot, law, rows| {
                add_block(&mut assembler, settings, pair, &at, law, rows);
                let slots = slot..slot + rows.len();
                self.impulses
                    .extend(slots.map(|slot| shared.joints.impulse(index, slot)));
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
            let (at, pair) = shared.placement(bodies, horizon);
            let law = shared.contact_law(bodies);
            for (point, impulse) in payload.points.iter().zip(&payload.impulses) {
                let frame = &contact_frame(&point.normal);
                let contact = Contact { point, frame, law };
                contact.write(&at, &mut |_, law, rows| {
                    add_block(&mut assembler, settings, pair, &at, law, rows);
                    let axes = frame.iter().take(rows.len());
                    self.impulses.extend(axes.map(|axis| axis.dot(impulse)));
                });
            }
        }
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
    fn friction_violation(&self) -> f64 {
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
    /// Two bodies as constraints see them, and their indices in the problem.
    #[inline]
    pub(super) fn placement(&self, bodies: [usize; 2], horizon: f64) -> (Placement<'_>, [u32; 2]) {
        let [a, b] = bodies.map(|body| &self.states[body]);
        let at = Placement {
            a: &a.side,
            b: &b.side,
            time: self.world.time,
            horizon,
            envelope: if horizon > 0.0 { self.envelope } else { 0.0 },
        };
        (at, [a.local, b.local])
    }

    /// The law of a pair of bodies.
    #[inline]
    pub(super) fn contact_law(&self, bodies: [usize; 2]) -> ContactLaw {
        let [a, b] = bodies.map(|body| self.world.bodies()[body].material);
        self.world.materials.pair(a, b)
    }
}

// A body that nothing moves has local index 0, which is what the solver calls it.
const _: () = assert!(RigidBodies::IMMOVABLE == 0);
