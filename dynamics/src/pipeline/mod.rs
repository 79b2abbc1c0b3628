//! The stages of a step, for steppers to call: detect, solve, advance, project.
//!
//! ```text
//! detect   poses ─► broad phase ─► edges of the contact graph ─► narrow phase ─► groups; joints are links of the graph
//! solve    groups, in parallel: rows ─► Problem ─► solver ─► impulses ─► velocities
//! advance  velocities ─► poses
//! project  groups, in parallel: what is left of the errors ─► poses
//! ```
//!
//! Each stage leaves its result in the pipeline and none calls another, so a stepper may repeat them. Groups share no
//! body that moves: they are solved on as many threads as there are, each in memory of its own, and their results are
//! put together in the order of the groups, so the bits do not depend on the number of threads. All memory is kept from
//! step to step.

mod detection;
mod groups;
mod joints;
mod projection;

use std::time::Instant;

use drystone_collision::{Aabb, BroadPhase, ContactPoint, NarrowPhase, SweepAndPrune};
use drystone_contact_graph::{ContactGraph, Edge, Groups, NodeKind};
use drystone_solver::{InverseMass, Measure, Problem};
use nalgebra::{Matrix3, Vector3};

use crate::body::{Body, BodyKind};
use crate::constraint::Side;
use crate::contact::Manifold;
use crate::error::StepError;
use crate::event::Event;
use crate::integrate::{Gyroscopic, Velocity, advance, free_velocity, velocity_between};
use crate::report::StepReport;
use crate::world::World;

use groups::GroupTask;
use joints::JointMemory;
pub use joints::Reaction;
pub use projection::Depths;
pub(crate) use projection::ProjectionSettings;

/// Which velocities move the bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AdvanceWith {
    /// Those at the beginning of the step.
    Old,
    /// Those the solver found.
    New,
}

/// What the stages of one step need to know of a body.
#[derive(Debug, Clone, Copy)]
struct BodyState {
    inverse: InverseMass,
    /// Where it was at the beginning of the step, when contacts were found, and how it moves.
    side: Side,
    /// Index among the bodies of its group's problem.
    local: u32,
}

/// A world with everything that has to be remembered between the stages of a step and from step to step.
pub struct Pipeline {
    world: World,
    /// The world's time before the first step.
    start: f64,
    /// How much solvers measure.
    pub(crate) measure: Measure,
    /// Whether the impulses that solves begin with are kept.
    pub(crate) keep_starts: bool,
    pub(crate) broad_phase: Box<dyn BroadPhase>,
    pub(crate) narrow_phase: NarrowPhase,
    /// How far each body's surface can get.
    reaches: Vec<f64>,
    aabbs: Vec<Aabb>,
    movable: Vec<bool>,
    pairs: Vec<(u32, u32)>,
    graph: ContactGraph<(), Manifold>,
    groups: Groups,
    joints: JointMemory,
    /// What happened in the last step.
    events: Vec<Event>,
    states: Vec<BodyState>,
    /// The velocity problems of the groups.
    tasks: Vec<GroupTask>,
    /// Their projection problems.
    projections: Vec<GroupTask>,
    report: StepReport,
    started: Instant,
}

impl std::fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pipeline")
            .field("world", &self.world)
            .finish_non_exhaustive()
    }
}

impl Pipeline {
    pub(crate) fn new(world: World) -> Self {
        let mut graph = ContactGraph::new();
        for body in world.bodies() {
            let kind = match body.kind {
                BodyKind::Dynamic => NodeKind::Dynamic,
                BodyKind::Fixed => NodeKind::Fixed,
                BodyKind::Scripted(_) => NodeKind::Scripted,
            };
            graph.add_node(kind, ());
        }
        Self {
            movable: world.bodies().iter().map(Body::is_dynamic).collect(),
            start: world.time,
            world,
            measure: Measure::Nothing,
            keep_starts: false,
            broad_phase: Box::new(SweepAndPrune::default()),
            narrow_phase: NarrowPhase::default(),
            reaches: Vec::new(),
            aabbs: Vec::new(),
            pairs: Vec::new(),
            graph,
            groups: Groups::default(),
            joints: JointMemory::default(),
            events: Vec::new(),
            states: Vec::new(),
            tasks: Vec::new(),
            projections: Vec::new(),
            report: StepReport::default(),
            started: Instant::now(),
        }
    }

    /// The world.
    pub fn world(&self) -> &World {
        &self.world
    }

    pub(crate) fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    pub(crate) fn report(&self) -> &StepReport {
        &self.report
    }

    /// Every contact point found in the last step, with its two bodies and the impulse on the second, world frame, N·s.
    pub fn contacts(&self) -> impl Iterator<Item = (u32, u32, &ContactPoint, &Vector3<f64>)> {
        self.graph.active_edges().iter().flat_map(|Edge { a, b, payload, .. }| {
            let points = payload.points.iter().zip(&payload.impulses);
            points.map(|(point, impulse)| (*a, *b, point, impulse))
        })
    }

    /// What happened in the last step.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The contact groups of the last step.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// The complementarity problems that the last step solved, one a group, with the impulses that were found.
    pub fn problems(&self) -> impl Iterator<Item = (&Problem, &[f64])> {
        let tasks = self.tasks.iter().take(self.groups.len());
        tasks.map(|task| (&task.problem, task.impulses.as_slice()))
    }

    /// The impulses that the solves of [`problems`](Self::problems) began with; empty unless
    /// [`Simulation::keep_starts`](crate::Simulation::keep_starts) was called before the step.
    pub fn starts(&self) -> impl Iterator<Item = &[f64]> {
        let tasks = self.tasks.iter().take(self.groups.len());
        tasks.map(|task| task.start.as_slice())
    }

    pub(crate) fn begin_step(&mut self) {
        self.started = Instant::now();
        let mut convergence = std::mem::take(&mut self.report.convergence);
        convergence.clear();
        self.events.clear();
        self.report = StepReport {
            step: self.report.step + 1,
            convergence,
            ..StepReport::default()
        };
    }

    /// Closes the books of a step that lasted h seconds.
    pub(crate) fn end_step(&mut self, h: f64) -> Result<&StepReport, StepError> {
        // Counting steps instead of adding h keeps the clock free of drift. It may differ by a bit from what stages
        // added up, and scripted bodies are where their functions say at the time that the world shows.
        let time = self.start + self.report.step as f64 * h;
        self.world.time = time;
        self.report.time = time;
        for body in self.world.bodies_mut() {
            if let BodyKind::Scripted(motion) = &body.kind {
                body.pose = motion.pose(time);
            }
        }
        let finite = |body: &Body| {
            let numbers = body.linear_velocity.iter().chain(body.angular_velocity.iter());
            let pose = body
                .pose
                .translation
                .vector
                .iter()
                .chain(body.pose.rotation.coords.iter());
            numbers.chain(pose).all(|x| x.is_finite())
        };
        if let Some(body) = self.world.bodies().iter().find(|body| !finite(body)) {
            return Err(StepError::Diverged {
                step: self.report.step,
                time: self.report.time,
                body: body.name.clone(),
            });
        }
        self.inspect_joints(h);
        self.report.timings.step = self.started.elapsed();
        Ok(&self.report)
    }

    /// External forces over a time h: what the velocities would be without contacts and joints. Also the bodies' inverse masses.
    pub(crate) fn apply_forces(&mut self, gyroscopic: Gyroscopic, h: f64) {
        let World { ref gravity, time, .. } = self.world;
        self.states.clear();
        self.states.extend(self.world.bodies().iter().map(|body| {
            let before = Velocity {
                linear: body.linear_velocity,
                angular: body.angular_velocity,
            };
            match &body.kind {
                BodyKind::Dynamic => BodyState {
                    inverse: inverse_mass(body),
                    side: Side {
                        pose: body.pose,
                        before,
                        free: free_velocity(body, gravity, gyroscopic, h),
                    },
                    local: 0,
                },
                BodyKind::Fixed => BodyState::immovable(body, Velocity::default()),
                BodyKind::Scripted(motion) => {
                    BodyState::immovable(body, velocity_between(&body.pose, &motion.pose(time + h), h))
                }
            }
        }));
        // Until constraints say otherwise, this is where velocities end.
        for (body, state) in self.world.bodies_mut().iter_mut().zip(&self.states) {
            body.linear_velocity = state.side.free.linear;
            body.angular_velocity = state.side.free.angular;
        }
    }

    /// Moves the bodies for a time h.
    pub(crate) fn advance(&mut self, with: AdvanceWith, h: f64) {
        let time = self.world.time + h;
        for (body, state) in self.world.bodies_mut().iter_mut().zip(&self.states) {
            match &body.kind {
                BodyKind::Dynamic => {
                    let velocity = match with {
                        AdvanceWith::Old => state.side.before,
                        AdvanceWith::New => Velocity {
                            linear: body.linear_velocity,
                            angular: body.angular_velocity,
                        },
                    };
                    body.pose = advance(&body.pose, &velocity, body.orientation_update, h);
                }
                BodyKind::Fixed => {}
                BodyKind::Scripted(motion) => body.pose = motion.pose(time),
            }
        }
    }
}

impl BodyState {
    fn immovable(body: &Body, velocity: Velocity) -> Self {
        Self {
            inverse: InverseMass::ZERO,
            side: Side {
                pose: body.pose,
                before: velocity,
                free: velocity,
            },
            local: 0,
        }
    }
}

/// `R I⁻¹ Rᵀ`, built so that it is symmetric to the last bit.
fn inverse_mass(body: &Body) -> InverseMass {
    let rotation = body.pose.rotation.to_rotation_matrix().into_inner();
    let local = body.inertia.try_inverse().unwrap_or(Matrix3::repeat(f64::NAN));
    let inertia = rotation * local * rotation.transpose();
    InverseMass {
        mass: 1.0 / body.mass,
        inertia: 0.5 * (inertia + inertia.transpose()),
    }
}
