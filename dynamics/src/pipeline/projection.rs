//! The last stage: error correction by projection, in a first-order world (dissertation §4.16 and (6.78)).
//!
//! Bodies are moved until no contact penetrates, `A λ − d ≥ 0 ⟂ λ ≥ 0` on normal rows, and joints hold, `A λ + Φ = 0` on
//! all of theirs (4.211); then `s ← s + S M⁻¹ Jᵀ λ` ((6.78) prints `lcp(A, d)`; the sign is −d). In a first-order world,
//! force makes velocity; nothing of it is left when the push ends, so unlike stabilisation it adds no kinetic energy.
//!
//! The contacts are those found at the beginning of the step. Their depths can be taken as they were found, as the
//! dissertation does, or brought up to date to first order, `d − J_n Δs` with the way Δs that the bodies have gone since,
//! by their velocities and by the projection of lower layers. The errors of joints are asked for where the bodies are.

use std::time::{Duration, Instant};

use drystone_contact_graph::{Edge, Group};
use drystone_solver::{Cone, Measure, Row, Solver, choices};
use nalgebra::Vector3;

use super::Pipeline;
use super::batch::Batch;
use super::layers::Layer;
use super::task::{GroupTask, Shared};
use crate::body::OrientationUpdate;
use crate::constraint::{Constraint, MAX_BLOCK, NO_ROW, Placement, Side, point_jacobian, position_row, rate};
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
        let result = self.project_batch(batch, solver, settings);
        (self.groups, self.active) = (groups, active);
        result
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
        self.move_apart(batch);
        Ok(())
    }

    fn move_apart(&mut self, batch: Batch<'_>) {
        let bodies = self.world.bodies_mut();
        for (part, task) in batch.iter().zip(&self.projections) {
            if task.outcome.is_none() {
                continue;
            }
            for (&body, change) in part.bodies.iter().zip(task.change.chunks_exact(6).skip(1)) {
                let (body, state) = (&mut bodies[body as usize], &mut self.states[body as usize]);
                let displacement = Velocity {
                    linear: Vector3::new(change[0], change[1], change[2]),
                    angular: Vector3::new(change[3], change[4], change[5]),
                };
                body.pose = advance(&body.pose, &displacement, OrientationUpdate::Finite, 1.0);
                state.displacement.add_scaled(1.0, &displacement);
            }
        }
    }
}

impl GroupTask {
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
                let mut made = [NO_ROW; MAX_BLOCK];
                let mut used = 0;
                let mut cone = Cone::Free;
                for (k, row) in rows.iter().enumerate() {
                    if let Some((its_cone, row)) = position_row(law, k, row, 0.0) {
                        needed |= match its_cone {
                            Cone::Free => row.bias.abs() > NEGLIGIBLE,
                            _ => row.bias < -NEGLIGIBLE,
                        };
                        (cone, made[used]) = (its_cone, row);
                        used += 1;
                    }
                }
                if used > 0 {
                    assembler.add_block([states[a].local, states[b].local], cone, &made[..used]);
                    count += used;
                }
            });
        }
        for &edge in group.edges {
            let Edge { a, b, payload, .. } = &edges[edge as usize];
            let (a, b) = (*a as usize, *b as usize);
            let pair = [states[a].local, states[b].local];
            let (moved_a, moved_b) = (&states[a].displacement, &states[b].displacement);
            let centres = [a, b].map(|body| states[body].side.pose.translation.vector);
            for point in &payload.points {
                let arms = centres.map(|centre| point.position.coords - centre);
                let jacobian = point_jacobian(&point.normal, &arms[0], &arms[1]);
                let depth = match settings.depths {
                    Depths::Detected => point.depth,
                    Depths::Updated => point.depth - rate(&jacobian, moved_a, moved_b),
                };
                needed |= depth > settings.slop;
                let row = Row {
                    jacobian,
                    bias: settings.slop - depth,
                    compliance: 0.0,
                };
                assembler.add_block(pair, Cone::NonNegative, &[row]);
                count += 1;
            }
        }
        self.impulses.clear();
        self.impulses.resize(count, 0.0);
        needed
    }
}

/// Errors of joints smaller than this, m or rad, are left alone.
const NEGLIGIBLE: f64 = 1e-13;
