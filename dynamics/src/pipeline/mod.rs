//! The stages of a step, for steppers to call: detect, solve, advance, project.
//!
//! ```text
//! detect   poses ─► broad phase ─► edges of the contact graph ─► rules and coherence ─► narrow phase ─► groups; who sleeps
//! solve    groups, in parallel: rows ─► Problem ─► solver ─► impulses ─► velocities
//! advance  velocities ─► poses
//! project  groups, in parallel: what is left of the errors ─► poses
//! ```
//!
//! Each stage leaves its result in the pipeline and none calls another, so a stepper may repeat them, or take them layer by
//! layer instead of group by group. Groups share no body that moves: they are solved on as many threads as there are, each
//! in memory of its own, and their results are put together in the order of the groups, so the bits do not depend on the
//! number of threads. All memory is kept from step to step.

mod batch;
mod checkpoint;
mod detection;
mod events;
mod grouping;
mod joints;
mod layers;
mod motion;
mod options;
mod outline;
mod projection;
mod share;
mod sleep;
mod stretches;
mod surroundings;
mod sync;
mod task;

use std::time::Instant;

use drystone_collision::{Aabb, BroadPhase, ContactPoint, NarrowPhase, SweepAndPrune};
use drystone_contact_graph::{ContactGraph, Edge, Groups, Sleepers};
use drystone_solver::{InverseMass, Measure, Problem};
use nalgebra::Vector3;
use rayon::prelude::*;

use crate::body::Body;
use crate::constraint::Side;
use crate::error::StepError;
use crate::event::Event;
use crate::integrate::Velocity;
use crate::manifold::Manifold;
use crate::report::StepReport;
use crate::world::World;

pub(crate) use checkpoint::Checkpoint;
use detection::Finder;
use joints::JointMemory;
pub use joints::Reaction;
pub(crate) use layers::LayerSettings;
use layers::Layering;
pub(crate) use motion::{AdvanceWith, Forces};
pub use options::{GraphOptions, ObsoleteEdges};
use outline::Outline;
pub use projection::Depths;
pub(crate) use projection::ProjectionSettings;
use share::{PARALLEL_BODIES, is_shared};
use sleep::Watched;
use sync::Known;
use task::GroupTask;

/// What the stages of one step need to know of a body.
#[derive(Debug, Clone, Copy)]
struct BodyState {
    inverse: InverseMass,
    /// Where it was when contacts were found, and how it moves.
    side: Side,
    /// How far it has moved since contacts were found, to first order.
    displacement: Velocity,
    /// Index among the bodies of the problem that is being made; 0 for a body that it does not move.
    local: u32,
}

/// A world with everything that has to be remembered between the stages of a step and from step to step.
pub struct Pipeline {
    world: World,
    /// Whether anybody may have changed the world since the last step looked at it.
    is_open: bool,
    /// The world's time before the first step.
    start: f64,
    /// How much solvers measure.
    pub(crate) measure: Measure,
    /// Whether the impulses that solves begin with are kept.
    pub(crate) keep_starts: bool,
    pub(crate) broad_phase: Box<dyn BroadPhase>,
    pub(crate) narrow_phase: NarrowPhase,
    /// Switches of the contact graph.
    pub(crate) options: GraphOptions,
    /// The bodies and joints that the memory below is about.
    known: Known,
    /// What detection knows of each body.
    outlines: Vec<Outline>,
    aabbs: Vec<Aabb>,
    movable: Vec<bool>,
    pairs: Vec<(u32, u32)>,
    quiet_pairs: Vec<(u32, u32)>,
    /// How many of each piece of the pairs are left.
    kept_pairs: Vec<usize>,
    trial_points: Vec<ContactPoint>,
    finders: Vec<Finder>,
    /// By active edge, whether it has contact points.
    ties: Vec<bool>,
    /// The same, how many.
    point_counts: Vec<u32>,
    graph: ContactGraph<(), Manifold>,
    groups: Groups,
    /// The groups that are awake.
    active: Vec<u32>,
    layering: Layering,
    joints: JointMemory,
    sleepers: Sleepers,
    /// What sleeping bodies looked like when they were last seen.
    watched: Vec<Watched>,
    /// What happened in the last step, but for what can be read off the edges.
    events: Vec<Event>,
    /// What was done by hand since: the next step tells of it.
    pending: Vec<Event>,
    states: Vec<BodyState>,
    /// The velocity problems of the groups.
    tasks: Vec<GroupTask>,
    /// Those of the parts of layers.
    layer_tasks: Vec<GroupTask>,
    /// Projection problems, of groups or of parts of layers.
    projections: Vec<GroupTask>,
    report: StepReport,
    started: Instant,
    /// The world's time when the step began.
    began: f64,
    /// Whether a part of the step has been taken for good.
    underway: bool,
    /// Counts steps, and what was tried within them.
    trial: u64,
    /// Counts how often contacts have been looked for.
    detections: u64,
    /// How often in this step.
    looks: u32,
    /// Whether the active edges still tell of the last step.
    unsettled: bool,
}

impl std::fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pipeline")
            .field("world", &self.world)
            .finish_non_exhaustive()
    }
}

impl Pipeline {
    pub(crate) fn new(mut world: World) -> Self {
        world.shrink();
        Self {
            start: world.time,
            world,
            is_open: true,
            measure: Measure::Nothing,
            keep_starts: false,
            broad_phase: Box::new(SweepAndPrune::default()),
            narrow_phase: NarrowPhase::default(),
            options: GraphOptions::default(),
            known: Known::default(),
            outlines: Vec::new(),
            aabbs: Vec::new(),
            movable: Vec::new(),
            pairs: Vec::new(),
            quiet_pairs: Vec::new(),
            kept_pairs: Vec::new(),
            trial_points: Vec::new(),
            finders: Vec::new(),
            ties: Vec::new(),
            point_counts: Vec::new(),
            graph: ContactGraph::new(),
            groups: Groups::default(),
            active: Vec::new(),
            layering: Layering::default(),
            joints: JointMemory::default(),
            sleepers: Sleepers::default(),
            watched: Vec::new(),
            events: Vec::new(),
            pending: Vec::new(),
            states: Vec::new(),
            tasks: Vec::new(),
            layer_tasks: Vec::new(),
            projections: Vec::new(),
            report: StepReport::default(),
            started: Instant::now(),
            began: 0.0,
            underway: false,
            trial: 0,
            detections: 0,
            looks: 0,
            unsettled: false,
        }
    }

    /// The world.
    pub fn world(&self) -> &World {
        &self.world
    }

    pub(crate) fn world_mut(&mut self) -> &mut World {
        self.is_open = true;
        &mut self.world
    }

    pub(crate) fn report(&self) -> &StepReport {
        &self.report
    }

    /// Every contact point found in the last step, with its two bodies and the impulse on the second, world frame, N·s.
    ///
    /// Steppers that sweep layers hold a layer up without telling those below, so there the impulses are what each layer took
    /// to stand, and not the load of what is above.
    pub fn contacts(&self) -> impl Iterator<Item = (u32, u32, &ContactPoint, Vector3<f64>)> {
        self.graph
            .active_edges()
            .iter()
            .flat_map(|Edge { a, b, payload, .. }| payload.loads().map(|(point, impulse)| (*a, *b, point, impulse)))
    }

    /// The contact groups of the last step, those that sleep among them.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// Whether a body is asleep.
    pub fn is_asleep(&self, body: usize) -> bool {
        self.sleepers.is_asleep(body as u32)
    }

    /// The contact graph of the last step: bodies by index, then one node for each mechanism, rule and timer.
    pub fn graph(&self) -> &ContactGraph<(), impl Sized + use<>> {
        &self.graph
    }

    /// The complementarity problems that the last step solved, one for each group that is awake, with the impulses that
    /// were found.
    pub fn problems(&self) -> impl Iterator<Item = (&Problem, &[f64])> {
        let tasks = self.tasks.iter().take(self.active.len());
        tasks.map(|task| (&task.problem, task.impulses.as_slice()))
    }

    /// The impulses that the solves of [`problems`](Self::problems) began with; empty unless
    /// [`Simulation::keep_starts`](crate::Simulation::keep_starts) was called before the step.
    pub fn starts(&self) -> impl Iterator<Item = &[f64]> {
        let tasks = self.tasks.iter().take(self.active.len());
        tasks.map(|task| task.start.as_slice())
    }

    pub(crate) fn begin_step(&mut self) -> Result<(), StepError> {
        self.started = Instant::now();
        self.began = self.world.time;
        self.underway = false;
        self.trial += 1;
        let mut convergence = std::mem::take(&mut self.report.convergence);
        convergence.clear();
        self.events.clear();
        self.events.append(&mut self.pending);
        self.report = StepReport {
            step: self.report.step + 1,
            convergence,
            ..StepReport::default()
        };
        self.looks = 0;
        // The active ones are settled when they are looked at anyway.
        self.graph.settle_dormant();
        self.unsettled = true;
        self.follow_the_world()
    }

    /// Closes the books of a step that lasted h seconds.
    pub(crate) fn end_step(&mut self, h: f64) -> Result<(), StepError> {
        // Counting steps instead of adding h keeps the clock free of drift. It may differ by a bit from what stages
        // added up, and scripted bodies are where their functions say at the time that the world shows.
        let time = self.start + self.report.step as f64 * h;
        self.world.time = time;
        self.report.time = time;
        // Whether it is anywhere, put to where it is if it has a script.
        let is_somewhere = |body: &mut Body| {
            if let Some(motion) = body.kind.motion().filter(|_| !body.passive) {
                body.pose = motion.pose(time);
            }
            is_finite(body)
        };
        let bodies = self.world.bodies_mut();
        let all_finite = if is_shared(bodies.len(), PARALLEL_BODIES) {
            let pieces = bodies.par_iter_mut().with_min_len(PARALLEL_BODIES / 4);
            pieces.map(is_somewhere).reduce(|| true, |x, y| x & y)
        } else {
            bodies.iter_mut().map(is_somewhere).fold(true, |x, y| x & y)
        };
        if let Some(body) = bodies.iter().find(|body| !all_finite && !is_finite(body)) {
            return Err(StepError::Diverged {
                step: self.report.step,
                time: self.report.time,
                body: body.name.clone(),
            });
        }
        self.inspect_joints(h);
        self.tell_pushes();
        self.tell_ticks(self.began, time);
        self.put_to_rest(h);
        self.known.forget_changes();
        self.report.sleeping = self.sleepers.asleep();
        self.report.timings.step = self.started.elapsed();
        Ok(())
    }
}

/// Whether a body is anywhere, and has a velocity.
fn is_finite(body: &Body) -> bool {
    let Body {
        linear_velocity,
        angular_velocity,
        pose,
        ..
    } = body;
    let [velocity, place] = [
        linear_velocity + angular_velocity,
        pose.translation.vector + pose.rotation.imag(),
    ];
    // Nothing that is not finite has a finite sum; what overflows is looked at number by number.
    let sum = velocity.sum() + place.sum() + pose.rotation.w;
    sum.is_finite() || {
        let velocities = linear_velocity.iter().chain(angular_velocity.iter());
        let pose = pose.translation.vector.iter().chain(pose.rotation.coords.iter());
        velocities.chain(pose).all(|number| number.is_finite())
    }
}
