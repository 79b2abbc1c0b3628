//! The second stage: every group becomes a complementarity problem and is solved.
//!
//! A group's task owns its problem, impulses and solver memory, so that groups can be worked on side by side and
//! nothing is allocated once they have grown.

use std::time::{Duration, Instant};

use drystone_contact_graph::{Edge, Group};
use drystone_solver::{Cone, Context, Convergence, Measure, Operator, Problem, RigidBodies, SolveError, Solver};
use nalgebra::Vector3;
use rayon::prelude::*;

use super::{BodyState, Pipeline};
use crate::contact::{ContactSettings, Manifold, Side, contact_frame};
use crate::error::StepError;
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
    pub(super) context: Context,
    pub(super) outcome: Option<Result<Convergence, SolveError>>,
    pub(super) assembly: Duration,
    pub(super) solve: Duration,
}

/// What all groups read.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a> {
    pub(super) world: &'a World,
    pub(super) edges: &'a [Edge<Manifold>],
    pub(super) states: &'a [BodyState],
}

impl Pipeline {
    /// Solves the contact problem of every group and gives the bodies their new velocities.
    pub(crate) fn solve_contacts(&mut self, solver: &dyn Solver, settings: &ContactSettings) -> Result<(), StepError> {
        let mut tasks = std::mem::take(&mut self.tasks);
        let keep_starts = self.keep_starts;
        self.for_each_group(&mut tasks, self.measure, |task, group, shared| {
            let started = Instant::now();
            task.assemble_contacts(group, shared, settings);
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
            // No contact, nothing violated.
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
        let edges = self.graph.active_edges_mut();
        for (group, task) in self.groups.iter().zip(&self.tasks) {
            let mut blocks = task.problem.blocks.iter();
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

impl GroupTask {
    /// Three rows a contact; one where there is no friction. Starts from the impulses its features had.
    fn assemble_contacts(&mut self, group: Group<'_>, shared: Shared<'_>, settings: &ContactSettings) {
        let Shared { world, edges, states } = shared;
        let mut assembler = self.problem.assemble();
        self.impulses.clear();
        for &body in group.bodies {
            assembler.add_body(states[body as usize].inverse);
        }
        for &edge in group.edges {
            let Edge { a, b, payload, .. } = &edges[edge as usize];
            let (a, b) = (*a as usize, *b as usize);
            let law = world
                .materials
                .pair(world.bodies()[a].material, world.bodies()[b].material);
            let sides = [side(&states[a]), side(&states[b])];
            let pair = [states[a].local, states[b].local];
            for (point, impulse) in payload.points.iter().zip(&payload.impulses) {
                let frame = contact_frame(&point.normal);
                let rows = settings.rows(point, &frame, law, &sides[0], &sides[1]);
                if law.friction > 0.0 {
                    let cone = Cone::Friction {
                        coefficient: law.friction,
                    };
                    assembler.add_block(pair, cone, &rows);
                    self.impulses.extend(frame.iter().map(|axis| axis.dot(impulse)));
                } else {
                    assembler.add_block(pair, Cone::NonNegative, &rows[..1]);
                    self.impulses.push(frame[0].dot(impulse));
                }
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

fn side(state: &BodyState) -> Side {
    Side {
        centre: state.centre,
        before: state.before,
        free: state.free,
    }
}

// A body that nothing moves has local index 0, which is what the solver calls it.
const _: () = assert!(RigidBodies::IMMOVABLE == 0);
