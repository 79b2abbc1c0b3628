//! The last stage: error correction by projection, in a first-order world (dissertation §4.16 and (6.78)).
//!
//! Bodies are moved until no contact penetrates, `A λ − d ≥ 0 ⟂ λ ≥ 0` on normal rows, and joints hold, `A λ + Φ = 0` on
//! all of theirs (4.211); then `s ← s + S M⁻¹ Jᵀ λ` ((6.78) prints `lcp(A, d)`; the sign is −d). In a first-order world,
//! force makes velocity; nothing of it is left when the push ends, so unlike stabilisation it adds no kinetic energy.
//!
//! The contacts are those found at the beginning of the step. Their depths can be taken as they were found, as the
//! dissertation does, or brought up to date to first order, `d − h J_n u⁺`, which is what they are after the bodies have
//! moved. The errors of joints are asked for where the bodies are after their move.

use std::time::{Duration, Instant};

use drystone_contact_graph::{Edge, Group};
use drystone_solver::{Cone, Measure, Row, Solver, choices};
use nalgebra::Vector3;

use super::groups::{GroupTask, Shared};
use super::{AdvanceWith, BodyState, Pipeline};
use crate::body::OrientationUpdate;
use crate::constraint::{Constraint, MAX_BLOCK, NO_ROW, Placement, Side, point_jacobian, position_row, rate};
use crate::error::StepError;
use crate::integrate::{Velocity, advance};
use crate::world::World;

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
    pub(crate) h: f64,
    pub(crate) depths: Depths,
    /// Penetration that is left alone, m.
    pub(crate) slop: f64,
    /// Which velocities the bodies were moved with.
    pub(crate) moved_with: AdvanceWith,
}

impl Pipeline {
    /// Moves the bodies of each group to where contacts and joints are satisfied; velocities stay as they are.
    pub(crate) fn project(&mut self, solver: &dyn Solver, settings: &ProjectionSettings) -> Result<(), StepError> {
        let mut tasks = std::mem::take(&mut self.projections);
        // Residuals speak of velocities; those of the projection would be lengths.
        self.for_each_group(&mut tasks, Measure::Nothing, |task, group, shared| {
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
        for task in &mut self.projections[..self.groups.len()] {
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
        self.move_apart();
        Ok(())
    }

    fn move_apart(&mut self) {
        let bodies = self.world.bodies_mut();
        for (group, task) in self.groups.iter().zip(&self.projections) {
            if task.outcome.is_none() {
                continue;
            }
            for (&body, change) in group.bodies.iter().zip(task.change.chunks_exact(6).skip(1)) {
                let body = &mut bodies[body as usize];
                let displacement = Velocity {
                    linear: Vector3::new(change[0], change[1], change[2]),
                    angular: Vector3::new(change[3], change[4], change[5]),
                };
                body.pose = advance(&body.pose, &displacement, OrientationUpdate::Finite, 1.0);
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
        let mut assembler = self.problem.assemble();
        for &body in group.bodies {
            assembler.add_body(states[body as usize].inverse);
        }
        let moved = |body: usize| moved_with(world, states, body, settings.moved_with);
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
            let (velocity_a, velocity_b) = (moved(a), moved(b));
            let centres = [a, b].map(|body| states[body].side.pose.translation.vector);
            for point in &payload.points {
                let arms = centres.map(|centre| point.position.coords - centre);
                let jacobian = point_jacobian(&point.normal, &arms[0], &arms[1]);
                let depth = match settings.depths {
                    Depths::Detected => point.depth,
                    Depths::Updated => point.depth - settings.h * rate(&jacobian, &velocity_a, &velocity_b),
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

/// The velocity a body was moved with.
fn moved_with(world: &World, states: &[BodyState], body: usize, with: AdvanceWith) -> Velocity {
    let (it, state) = (&world.bodies()[body], &states[body]);
    match with {
        _ if !it.is_dynamic() => state.side.free,
        AdvanceWith::Old => state.side.before,
        AdvanceWith::New => Velocity {
            linear: it.linear_velocity,
            angular: it.angular_velocity,
        },
    }
}
