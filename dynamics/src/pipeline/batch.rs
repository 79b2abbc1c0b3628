//! The second stage: groups, or the cells of a layer, become complementarity problems and are solved side by side.

use std::time::Instant;

use drystone_contact_graph::{Edge, Group, Groups};
use drystone_solver::{Block, Cone, Measure, Solver};
use nalgebra::Vector3;
use rayon::prelude::*;

use super::joints::Reaction;
use super::layers::Layer;
use super::share::for_each_of;
use super::stretches::for_each_edge;
use super::task::{GroupTask, Shared};
use super::{BodyState, Pipeline};
use crate::body::Body;
use crate::constraint::RowSettings;
use crate::contact::contact_frame;
use crate::error::StepError;
use crate::integrate::Velocity;
use crate::manifold::{Manifold, Phase};

/// Fewer contacts and joints than this are not worth sharing out to threads.
const PARALLEL_TIES: usize = 32;

/// What changes velocities by less than this is no push but a solver's noise, m/s.
const PUSH: f64 = 1e-6;

/// Parts of the world that share no body that moves.
#[derive(Clone, Copy)]
pub(super) struct Batch<'a> {
    pub(super) parts: &'a Groups,
    /// Those that it is about.
    pub(super) numbers: &'a [u32],
}

impl<'a> Batch<'a> {
    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    fn get(&self, index: usize) -> Option<Group<'a>> {
        self.parts.get(*self.numbers.get(index)? as usize)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Group<'a>> + use<'a> {
        let parts = self.parts;
        self.numbers
            .iter()
            .filter_map(move |&number| parts.get(number as usize))
    }
}

impl Pipeline {
    /// Solves the problem of every group that is awake and gives the bodies their new velocities. One-sided constraints
    /// of joints are seen as far ahead as the time `horizon`.
    pub(crate) fn solve_constraints(
        &mut self,
        solver: &dyn Solver,
        settings: &RowSettings,
        horizon: f64,
    ) -> Result<(), StepError> {
        let (groups, active, mut tasks) = (
            std::mem::take(&mut self.groups),
            std::mem::take(&mut self.active),
            std::mem::take(&mut self.tasks),
        );
        let batch = Batch {
            parts: &groups,
            numbers: &active,
        };
        let result = self.solve_batch(batch, &mut tasks, Phase::Whole, solver, settings, horizon);
        (self.groups, self.active, self.tasks) = (groups, active, tasks);
        if self.report.residual.is_none() && self.measure > Measure::Nothing {
            // No constraint, nothing violated.
            self.report.residual = Some(0.0);
        }
        result
    }

    /// The same for one layer, what is lower being taken as it is.
    pub(crate) fn solve_layer(
        &mut self,
        layer: Layer,
        solver: &dyn Solver,
        settings: &RowSettings,
        horizon: f64,
    ) -> Result<(), StepError> {
        let layering = std::mem::take(&mut self.layering);
        let mut tasks = std::mem::take(&mut self.layer_tasks);
        let batch = Batch {
            parts: &layering.cells,
            numbers: &layering.order[layer.cells()],
        };
        let result = self.solve_batch(batch, &mut tasks, Phase::Layered, solver, settings, horizon);
        (self.layering, self.layer_tasks) = (layering, tasks);
        result
    }

    fn solve_batch(
        &mut self,
        batch: Batch<'_>,
        tasks: &mut Vec<GroupTask>,
        phase: Phase,
        solver: &dyn Solver,
        settings: &RowSettings,
        horizon: f64,
    ) -> Result<(), StepError> {
        let keep_starts = self.keep_starts;
        self.run(batch, tasks, self.measure, |task, group, shared| {
            let started = Instant::now();
            task.assemble(group, shared, settings, phase, horizon);
            task.assembly = started.elapsed();
            if keep_starts {
                task.start.clone_from(&task.impulses);
            }
            task.solve(solver, started);
        });
        let tasks = &mut tasks[..batch.len()];
        self.collect(tasks, phase)?;
        self.store_velocities(batch, tasks, phase);
        self.store_impulses(batch, tasks, phase);
        Ok(())
    }

    /// Runs work on every part, side by side if there are several.
    pub(super) fn run(
        &mut self,
        batch: Batch<'_>,
        tasks: &mut Vec<GroupTask>,
        measure: Measure,
        work: impl Fn(&mut GroupTask, Group<'_>, Shared<'_>) + Sync,
    ) {
        let count = batch.len();
        if tasks.len() < count {
            tasks.resize_with(count, GroupTask::default);
        }
        let mut ties = 0;
        for part in batch.iter() {
            ties += part.edges.len() + part.links.len();
            for (index, &body) in part.bodies.iter().enumerate() {
                self.states[body as usize].local = index as u32 + 1;
            }
        }
        for (task, &number) in tasks.iter_mut().zip(batch.numbers) {
            task.context.measure = measure;
            task.context.stream = self.report.step << 24 | u64::from(number);
        }
        let shared = Shared {
            world: &self.world,
            edges: self.graph.active_edges(),
            pairs: self.graph.pairs(),
            point_counts: &self.point_counts,
            states: &self.states,
            joints: &self.joints,
            sleepers: &self.sleepers,
            options: &self.options,
            only_law: self.world.materials.only(),
            envelope: self.narrow_phase.envelope,
            detection: self.detections,
        };
        let run = |(index, task): (usize, &mut GroupTask)| {
            if let Some(part) = batch.get(index) {
                work(task, part, shared);
            }
        };
        let tasks = &mut tasks[..count];
        if count < 2 || ties < PARALLEL_TIES || rayon::current_num_threads() == 1 {
            tasks.iter_mut().enumerate().for_each(run);
        } else {
            tasks.par_iter_mut().enumerate().for_each(run);
        }
        for part in batch.iter() {
            for &body in part.bodies {
                self.states[body as usize].local = 0;
            }
        }
    }

    /// Puts the reports of all parts together, in their order. Rows and records are those of whole groups.
    fn collect(&mut self, tasks: &mut [GroupTask], phase: Phase) -> Result<(), StepError> {
        let report = &mut self.report;
        for task in tasks {
            report.timings.assembly += task.assembly;
            report.timings.solve += task.solve;
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
            if phase == Phase::Whole {
                report.rows += task.problem.rows();
                report.convergence.push(convergence);
            }
        }
        Ok(())
    }

    fn store_velocities(&mut self, batch: Batch<'_>, tasks: &[GroupTask], phase: Phase) {
        let bodies = self.world.bodies_mut();
        for (part, task) in batch.iter().zip(tasks) {
            // The immovable one is first.
            let change = |index: usize| Velocity::from_numbers(&task.change[6 * (index + 1)..][..6]);
            let borders = part.bodies.len();
            for (indices, first) in [(part.bodies, 0), (&task.borders, borders)] {
                for_each_of(bodies, indices, &|index, body: &mut Body| {
                    let change = change(first + index);
                    body.linear_velocity += change.linear;
                    body.angular_velocity += change.angular;
                });
                if phase == Phase::Whole && first == 0 {
                    // Nobody asks before forces are next applied, or contacts next looked for.
                    continue;
                }
                // What the next layer takes as given: until now it was the body's velocity.
                for_each_of(&mut self.states, indices, &|index, state: &mut BodyState| {
                    state.side.free.add_scaled(1.0, &change(first + index));
                });
            }
        }
    }

    fn store_impulses(&mut self, batch: Batch<'_>, tasks: &[GroupTask], phase: Phase) {
        let edges = self.graph.active_edges_mut();
        for (part, task) in batch.iter().zip(tasks) {
            for &link in part.links {
                let joint = self.joints.linked[link as usize];
                self.joints.clear(joint, phase);
                // Its reaction is the sum over both phases, and over all parts of a step that is taken in parts.
                if phase == Phase::Whole && !self.underway {
                    self.joints.clear_reaction(joint);
                }
            }
            let mut blocks = task.problem.blocks.iter();
            for (owner, block) in task.joint_blocks.iter().zip(&mut blocks) {
                let joint = &self.world.joints()[owner.joint as usize];
                let side = &self.states[joint.bodies[1]].side;
                let arm = side.pose.rotation * joint.frames().b.translation.vector;
                for (k, row) in block.rows().enumerate() {
                    let impulse = task.impulses[row];
                    let slot = owner.slot as usize + k;
                    self.joints.set_impulse(owner.joint, slot, phase, impulse);
                    let reaction = &mut self.joints.reactions[owner.joint as usize];
                    reaction.add(&task.joint_rows[row], &arm, impulse);
                }
            }
            let (states, trial, step) = (&self.states, self.trial, self.report.step);
            let push = Threshold::new(part.bodies.iter().map(|&body| states[body as usize].inverse.mass));
            let store = |edge: &mut Edge<Manifold>, blocks: &[Block]| {
                let masses = || [edge.a, edge.b].map(|body| states[body as usize].inverse.mass);
                let (mut pushes, mut violation) = (false, 0.0_f64);
                edge.payload.store(phase, |k, point| {
                    let frame = contact_frame(&point.normal);
                    let values = &task.impulses[blocks[k].rows()];
                    violation = violation.max(friction_violation(&blocks[k].cone, values));
                    pushes |= push.is_reached(values[0], masses);
                    frame.iter().zip(values).map(|(axis, value)| axis * *value).sum()
                });
                if pushes {
                    edge.payload.pushed.note(trial, step);
                    edge.set_touching(true);
                }
                violation
            };
            let violation = for_each_edge(&task.counts, part.edges, 0, edges, blocks.as_slice(), &store);
            self.report.friction_violation = self.report.friction_violation.max(violation);
        }
    }
}

/// The excess of a tangential impulse over its bound.
#[inline]
fn friction_violation(cone: &Cone, impulse: &[f64]) -> f64 {
    match *cone {
        // Not hypot: it is called for every contact in every step, and nothing here overflows.
        Cone::Friction { coefficient } => {
            (impulse[1] * impulse[1] + impulse[2] * impulse[2]).sqrt() - coefficient * impulse[0]
        }
        _ => 0.0,
    }
}

/// From which impulse on two bodies push each other whoever they are: what [`PUSH`] comes to for the heaviest of a part. Most that push
/// do so with more, and nobody has to ask for their masses, which lie anywhere.
struct Threshold {
    heaviest: f64,
}

impl Threshold {
    /// Of bodies with these inverse masses.
    fn new(inverse_masses: impl Iterator<Item = f64>) -> Self {
        Self {
            heaviest: inverse_masses.fold(f64::INFINITY, f64::min),
        }
    }

    /// Whether an impulse changes the velocities of two bodies by more than [`PUSH`], together. At least one of them is of the part, and
    /// the other one may be immovable, or asleep at its border.
    #[inline]
    fn is_reached(&self, impulse: f64, inverse_masses: impl FnOnce() -> [f64; 2]) -> bool {
        // Rounding is monotone, and the sum of two is no less than one of them.
        if impulse * self.heaviest > PUSH {
            return true;
        }
        impulse > 0.0 && {
            let [a, b] = inverse_masses();
            impulse * (a + b) > PUSH
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
