//! The last stage: error correction by projection, in a first-order world (dissertation §4.16 and (6.78)).
//!
//! Bodies are moved until no contact penetrates, `A λ − d ≥ 0 ⟂ λ ≥ 0` on normal rows, and joints hold, `A λ + Φ = 0` on
//! all of theirs (4.211); then `s ← s + S M⁻¹ Jᵀ λ` ((6.78) prints `lcp(A, d)`; the sign is −d). In a first-order world,
//! force makes velocity; nothing of it is left when the push ends, so unlike stabilisation it adds no kinetic energy.
//!
//! The contacts are those found at the beginning of the step. Their depths can be taken as they were found, as the
//! dissertation does, or brought up to date to first order, `d − J_n Δs` with the way Δs that the bodies have gone since,
//! by their velocities and by the projection of lower layers. The errors of joints are asked for where the bodies are.
//!
//! Where a group has nothing but contacts, the problem is the one that was solved for velocities, less friction and with other biases.
//! If the solver of the projection can go on from what the other one left, nothing is assembled; the result is the same to the bit.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use drystone_collision::ContactPoint;
use drystone_contact_graph::{Edge, Group};
use drystone_solver::{Cone, Measure, Solver, Touch, TouchSlots, choices};
use nalgebra::Vector3;

use super::batch::Batch;
use super::layers::Layer;
use super::share::for_each_of;
use super::stretches::{add_touches, fill};
use super::task::{GroupTask, Shared};
use super::{BodyState, Pipeline};
use crate::body::{Body, OrientationUpdate};
use crate::constraint::{Constraint, Placement, Side, position_bias, position_cone};
use crate::error::StepError;
use crate::integrate::{Velocity, advance};

choices! {
    /// Which depths are projected away.
    pub enum Depths {
        /// Brought up to date to first order after the bodies have moved.
        Updated = "updated",
        /// As detected at the beginning of the step.
        Detected = "detected",
    }
}

/// What projection does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProjectionSettings {
    pub(crate) depths: Depths,
    /// Penetration that is left alone, m.
    pub(crate) slop: f64,
}

impl Pipeline {
    /// Moves the bodies of each group to where contacts and joints are satisfied; velocities stay as they are.
    pub(crate) fn project(&mut self, solver: &dyn Solver, settings: &ProjectionSettings) -> Result<(), StepError> {
        let (groups, active) = (std::mem::take(&mut self.groups), std::mem::take(&mut self.active));
        let batch = Batch {
            parts: &groups,
            numbers: &active,
        };
        self.go_on(batch, solver, settings);
        let result = self.project_batch(batch, solver, settings);
        if result.is_ok() {
            // How far they have gone nobody asks before contacts are next looked for.
            self.move_apart(batch, false);
        }
        (self.groups, self.active) = (groups, active);
        result
    }

    /// Projects those groups whose velocity problems lie ready for it.
    fn go_on(&mut self, batch: Batch<'_>, solver: &dyn Solver, settings: &ProjectionSettings) {
        let mut tasks = std::mem::take(&mut self.tasks);
        self.run(batch, &mut tasks, Measure::Nothing, |task, group, shared| {
            task.settled = task.go_on(group, shared, solver, settings);
        });
        if self.projections.len() < batch.len() {
            self.projections.resize_with(batch.len(), GroupTask::default);
        }
        for (task, projection) in tasks.iter_mut().zip(&mut self.projections[..batch.len()]) {
            if std::mem::take(&mut task.settled) {
                projection.settled = true;
                projection.outcome = task.outcome.take();
                (projection.assembly, projection.solve) = (task.assembly, task.solve);
                std::mem::swap(&mut projection.change, &mut task.change);
            }
        }
        self.tasks = tasks;
    }

    /// The same for the bodies of one layer, what is lower staying where it is.
    pub(crate) fn project_layer(
        &mut self,
        layer: Layer,
        solver: &dyn Solver,
        settings: &ProjectionSettings,
    ) -> Result<(), StepError> {
        let layering = std::mem::take(&mut self.layering);
        let batch = Batch {
            parts: &layering.cells,
            numbers: &layering.order[layer.cells()],
        };
        let result = self.project_batch(batch, solver, settings);
        if result.is_ok() {
            self.move_apart(batch, true);
        }
        self.layering = layering;
        result
    }

    fn project_batch(
        &mut self,
        batch: Batch<'_>,
        solver: &dyn Solver,
        settings: &ProjectionSettings,
    ) -> Result<(), StepError> {
        let mut tasks = std::mem::take(&mut self.projections);
        // Residuals speak of velocities; those of the projection would be lengths.
        self.run(batch, &mut tasks, Measure::Nothing, |task, group, shared| {
            if std::mem::take(&mut task.settled) {
                return;
            }
            let started = Instant::now();
            let needed = task.assemble_errors(group, shared, settings);
            task.assembly = started.elapsed();
            task.outcome = None;
            task.solve = Duration::ZERO;
            if needed {
                task.solve(solver, started);
            }
        });
        self.projections = tasks;
        for task in &mut self.projections[..batch.len()] {
            self.report.timings.assembly += task.assembly;
            self.report.timings.solve += task.solve;
            if let Some(Err(source)) = &task.outcome {
                return Err(StepError::Solver {
                    step: self.report.step,
                    time: self.world.time,
                    source: source.clone(),
                });
            }
        }
        Ok(())
    }

    /// Moves bodies by what their projections say, and notes it for those of higher layers.
    fn move_apart(&mut self, batch: Batch<'_>, is_noted: bool) {
        let bodies = self.world.bodies_mut();
        for (part, task) in batch.iter().zip(&self.projections) {
            if task.outcome.is_none() {
                continue;
            }
            // The immovable one is first.
            let displacement = |index: usize| Velocity::from_numbers(&task.change[6 * (index + 1)..][..6]);
            for_each_of(bodies, part.bodies, &|index, body: &mut Body| {
                body.pose = advance(&body.pose, &displacement(index), OrientationUpdate::Finite, 1.0);
            });
            if is_noted {
                for_each_of(&mut self.states, part.bodies, &|index, state: &mut BodyState| {
                    state.displacement.add_scaled(1.0, &displacement(index));
                });
            }
        }
    }
}

impl Shared<'_> {
    /// A contact point for the projection, and how deep it is.
    #[inline]
    fn error(&self, bodies: [usize; 2], point: &ContactPoint, depths: Depths) -> (Touch, f64) {
        let [a, b] = bodies.map(|body| &self.states[body].side.pose.translation.vector);
        let touch = Touch {
            normal: point.normal.into_inner(),
            // There is no row along it.
            tangent: Vector3::zeros(),
            arm_a: point.position.coords - a,
            arm_b: point.position.coords - b,
        };
        let depth = match depths {
            Depths::Detected => point.depth,
            Depths::Updated => point.depth - self.opening(bodies, &touch),
        };
        (touch, depth)
    }
}

impl GroupTask {
    /// Projects the group of a velocity problem by what its solve left. False if that can't be done.
    fn go_on(
        &mut self,
        group: Group<'_>,
        shared: Shared<'_>,
        solver: &dyn Solver,
        settings: &ProjectionSettings,
    ) -> bool {
        let is_alike = self.detection == shared.detection && group.links.is_empty() && self.borders.is_empty();
        if !is_alike || !solver.holds_normals(&self.problem, &self.context) {
            return false;
        }
        let started = Instant::now();
        let deep = AtomicBool::new(false);
        self.normals.resize(self.problem.blocks.len(), 0.0);
        fill(
            &self.counts,
            group.edges,
            self.normals.as_mut_slice(),
            &|edges, normals| {
                let mut any = false;
                let mut biases = normals.iter_mut();
                for (place, &edge) in edges.iter().enumerate() {
                    shared.ask_ahead(&edges[place..]);
                    let Edge { a, b, payload, .. } = &shared.edges[edge as usize];
                    for (point, bias) in payload.points().zip(&mut biases) {
                        let (_, depth) = shared.error([*a as usize, *b as usize], point, settings.depths);
                        any |= depth > settings.slop;
                        *bias = settings.slop - depth;
                    }
                }
                deep.fetch_or(any, Ordering::Relaxed);
            },
        );
        self.assembly = started.elapsed();
        let solved = deep
            .into_inner()
            .then(|| solver.solve_normals(&self.problem, &self.normals, &mut self.change, &mut self.context));
        self.solve = started.elapsed() - self.assembly;
        self.outcome = solved.flatten().map(Ok);
        true
    }

    /// Rows for everything that has an error, biased by it. False if nothing is wrong and so nothing has to move.
    fn assemble_errors(&mut self, group: Group<'_>, shared: Shared<'_>, settings: &ProjectionSettings) -> bool {
        let Shared {
            world, edges, states, ..
        } = shared;
        self.borders.clear();
        let mut assembler = self.problem.assemble();
        for &body in group.bodies {
            assembler.add_body(states[body as usize].inverse);
        }
        let mut needed = false;
        let mut count = 0;
        for &link in group.links {
            let joint = &world.joints()[shared.joints.linked[link as usize] as usize];
            let [a, b] = joint.bodies;
            if let Some(place) = joint.as_point() {
                let pose = |body: usize| match settings.depths {
                    Depths::Detected => &states[body].side.pose,
                    Depths::Updated => &world.bodies()[body].pose,
                };
                let rows = place.point_rows(pose(a), pose(b));
                needed |= rows.errors.iter().any(|error| error.abs() > NEGLIGIBLE);
                let pair = [states[a].local, states[b].local];
                let jacobians = [rows.jacobian(0), rows.jacobian(1), rows.jacobian(2)];
                assembler.add_free(pair, &jacobians, &rows.errors.into(), 0.0);
                count += 3;
                continue;
            }
            // Joints can be asked again where the bodies are now.
            let side = |body: usize| match settings.depths {
                Depths::Detected => states[body].side,
                Depths::Updated => Side {
                    pose: world.bodies()[body].pose,
                    ..states[body].side
                },
            };
            let (side_a, side_b) = (side(a), side(b));
            let at = Placement {
                a: &side_a,
                b: &side_b,
                time: world.time,
                horizon: 0.0,
                envelope: shared.envelope,
            };
            joint.write(&at, &mut |_, law, rows| {
                let Some(cone) = position_cone(law) else {
                    return;
                };
                let mut block = assembler.begin_block([states[a].local, states[b].local]);
                for (k, row) in rows.iter().enumerate() {
                    if let Some(bias) = position_bias(law, k, row) {
                        needed |= match cone {
                            Cone::Free => bias.abs() > NEGLIGIBLE,
                            _ => bias < -NEGLIGIBLE,
                        };
                        block.push(&row.jacobian, bias, 0.0);
                    }
                }
                count += block.finish(cone);
            });
        }
        self.impulses.clear();
        self.impulses.resize(count, 0.0);
        let deep = AtomicBool::new(false);
        let write = |stretch: &[u32], mut slots: TouchSlots<'_>, impulses: &mut [f64]| {
            let mut any = false;
            impulses.fill(0.0);
            for &edge in stretch {
                let Edge { a, b, payload, .. } = &edges[edge as usize];
                let bodies = [*a as usize, *b as usize];
                let pair = bodies.map(|body| states[body].local);
                for point in payload.points() {
                    let (touch, depth) = shared.error(bodies, point, settings.depths);
                    any |= depth > settings.slop;
                    slots.push(pair, Cone::NonNegative, &touch, [settings.slop - depth]);
                }
            }
            deep.fetch_or(any, Ordering::Relaxed);
        };
        let (impulses, counts) = ((&mut self.impulses, count), &mut self.counts);
        add_touches(&mut assembler, impulses, counts, group.edges, shared, |_| 1, write);
        needed | deep.into_inner()
    }
}

/// Errors of joints smaller than this, m or rad, are left alone.
const NEGLIGIBLE: f64 = 1e-13;
