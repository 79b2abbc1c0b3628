//! The first stage of a step: who touches whom, where, and which bodies form groups, by contacts and by joints. Inside it
//! is the pipeline of dissertation §5.2 around the broad and the narrow phase:
//!
//! 1. edges of the contact graph for the pairs that the broad phase reports, and no longer for others;
//! 2. pairs that rules forbid or that have nothing to do with each other are dropped, and pairs that have not moved
//!    against each other need no narrow phase;
//! 3. and 4. narrow phase and contact points, which are one here; for a trigger, whether a body is in it;
//! 5. groups (`grouping.rs`).

use std::time::Instant;

use drystone_collision::{Aabb, NarrowPhase, overlaps};
use drystone_contact_graph::{ContactGraph, Edge, EdgeKind, GraphError, Nearness};
use drystone_solver::hint::{FAR, fetch};
use rayon::prelude::*;

use super::Pipeline;
use super::grouping::form_whole_groups;
use super::motion::{Forces, Surroundings, for_each_body};
use super::options::{GraphOptions, ObsoleteEdges};
use super::share::{PARALLEL_BODIES, PARALLEL_PAIRS, is_shared};
use crate::body::Body;
use crate::error::StepError;
use crate::manifold::{Manifold, Scratch, reduce_to_deepest};

/// Pairs are looked at in pieces of this many, each with memory and a tally of its own. Sums are taken by pieces, and
/// so are the same however many threads there are.
const PIECE: usize = PARALLEL_PAIRS / 2;

/// Pairs are filtered in pieces of this many.
const FILTER_PIECE: usize = 4096;

/// Edges between the one that is looked at and the one that is asked for, and the one whose second body is.
const AHEAD: usize = 6;
const BODIES_AHEAD: usize = 3;

/// What the narrow phase needs for a piece of the pairs, and what it found there.
#[derive(Debug, Default)]
pub(super) struct Finder {
    scratch: Scratch,
    tally: Tally,
}

/// Contact points counted.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    points: usize,
    penetrating: usize,
    deepest: f64,
    /// Of the depths of those that penetrate.
    sum: f64,
}

impl Tally {
    #[inline]
    fn add(&mut self, depth: f64) {
        self.points += 1;
        if depth > 0.0 {
            self.penetrating += 1;
            self.deepest = self.deepest.max(depth);
            self.sum += depth;
        }
    }
}

impl Pipeline {
    /// Finds all contact points at the present poses, matches them with those of the last call, and forms groups. `h` is
    /// the time that the bodies will move with the velocities to be found, 0 if they won't.
    ///
    /// Bodies have contact points while they are closer than the envelope, and also if they could meet within a time
    /// `horizon` at their present speeds: a gap is then closed exactly by the solver, instead of being found as a
    /// penetration in the next step, or never.
    pub(crate) fn detect(&mut self, horizon: f64, h: f64) -> Result<(), StepError> {
        let started = Instant::now();
        if self.is_all_quiet() {
            self.active.clear();
            self.settle_edges();
        } else {
            self.find(horizon, h)?;
        }
        self.count();
        self.report.timings.collision += started.elapsed();
        Ok(())
    }

    /// The same, and then applies forces. Where nobody sleeps this is done together: bodies are gone through once, or by threads that
    /// else have nothing to do.
    pub(crate) fn detect_and_push(&mut self, horizon: f64, h: f64, forces: Forces) -> Result<(), StepError> {
        if self.sleepers.asleep() > 0 || self.options.subgroups {
            self.detect(horizon, h)?;
            self.apply_forces(forces);
            return Ok(());
        }
        let started = Instant::now();
        let is_shared = is_shared(self.world.bodies().len(), PARALLEL_BODIES);
        if is_shared {
            self.find_beside_pushing(horizon, h, forces)?;
        } else {
            self.find_alone(horizon)?;
        }
        self.count();
        self.report.timings.collision += started.elapsed();
        if !is_shared {
            self.note_poses_and_push(h, forces);
        }
        Ok(())
    }

    // Not a part of its caller, so that it can be found in profiles.
    #[inline(never)]
    fn find_alone(&mut self, horizon: f64) -> Result<(), StepError> {
        self.find_near(horizon);
        self.update_edges()?;
        self.find_contacts();
        self.form_groups();
        Ok(())
    }

    /// Edges and groups are one thread's work, so that others had better have some.
    fn find_beside_pushing(&mut self, horizon: f64, h: f64, forces: Forces) -> Result<(), StepError> {
        self.find_near(horizon);
        self.make_room_for_states();
        let (time, surroundings) = (self.world.time, Surroundings::new(&self.world, &self.options));
        let is_unsettled = self.unsettled;
        let Self {
            graph,
            states,
            world,
            pairs,
            aabbs,
            options,
            ..
        } = self;
        let (updated, ()) = rayon::join(
            || update_edges(graph, pairs, aabbs, options, is_unsettled),
            || for_each_body(world.bodies_mut(), states, |_, body, state| state.note(body, time, h)),
        );
        updated.map_err(|error| refused(self.report.step, &error))?;
        self.find_contacts();
        let Self {
            graph,
            ties,
            options,
            groups,
            states,
            world,
            ..
        } = self;
        rayon::join(
            || form_whole_groups(graph, ties, options, groups),
            || {
                for_each_body(world.bodies_mut(), states, |_, body, state| {
                    forces.push(&surroundings, false, body, state);
                });
            },
        );
        self.wake_whole_groups();
        Ok(())
    }

    /// Finds all contact points once more, where bodies are at the end of the step, for errors to be corrected.
    pub(crate) fn detect_again(&mut self) -> Result<(), StepError> {
        let started = Instant::now();
        if !self.is_all_quiet() {
            self.find(0.0, 0.0)?;
        }
        self.report.timings.collision += started.elapsed();
        Ok(())
    }

    fn find(&mut self, horizon: f64, h: f64) -> Result<(), StepError> {
        self.find_near(horizon);
        self.update_edges()?;
        self.find_contacts();
        // Who wakes is seen by how bodies move.
        self.note_poses(h);
        self.form_groups();
        Ok(())
    }

    /// Finds the pairs that may touch.
    fn find_near(&mut self, horizon: f64) {
        self.detections += 1;
        self.looks += 1;
        self.find_boxes(0.5 * self.narrow_phase.envelope, horizon);
        self.broad_phase.pairs(&self.aabbs, &self.movable, &mut self.pairs);
        self.drop_pairs_without_edges();
        if self.sleepers.asleep() > 0 {
            self.keep_quiet_pairs();
        }
    }

    /// Drops pairs between which Table 5.2 has no edge, that a joint keeps apart, that a rule forbids, or that are further
    /// apart than they reach: boxes of balls overlap at their corners, and every edge is memory.
    fn drop_pairs_without_edges(&mut self) {
        let (graph, joints, filter) = (&self.graph, &self.joints, &self.world.filter);
        let (outlines, unfiltered) = (&self.outlines, filter.is_trivial());
        let is_free = |a: u32, b: u32| !joints.is_apart(&(a, b)) && (unfiltered || filter.allows(a, b));
        let has_edge = |&(a, b): &(u32, u32)| {
            let [of_a, of_b] = [a, b].map(|body| &outlines[body as usize]);
            // Between two that move there always is one.
            let kind = (of_a.is_movable & of_b.is_movable) || graph.edge_kind(a, b).is_some();
            !of_a.is_clear_of(of_b) & (kind && is_free(a, b))
        };
        if !is_shared(self.pairs.len(), 2 * FILTER_PIECE) {
            let count = gather(&mut self.pairs, has_edge);
            self.pairs.truncate(count);
            return;
        }
        let pieces = self.pairs.par_chunks_mut(FILTER_PIECE);
        self.kept_pairs.resize(pieces.len(), 0);
        let work = pieces.zip(&mut self.kept_pairs);
        work.for_each(|(pairs, kept)| *kept = gather(pairs, has_edge));
        let mut count = 0;
        for (piece, &kept) in self.kept_pairs.iter().enumerate() {
            let start = piece * FILTER_PIECE;
            self.pairs.copy_within(start..start + kept, count);
            count += kept;
        }
        self.pairs.truncate(count);
    }

    /// Pairs of which neither can have moved are not reported, and are what they were.
    fn keep_quiet_pairs(&mut self) {
        let asleep = |body: u32| self.sleepers.is_asleep(body);
        let (movable, filter, joints) = (&self.movable, &self.world.filter, &self.joints);
        let quiet = self.graph.pairs().iter().copied().filter(|&(a, b)| {
            (asleep(a) || asleep(b))
                && !movable[a as usize]
                && !movable[b as usize]
                && filter.allows(a, b)
                && !joints.is_apart(&(a, b))
        });
        // Two sorted lists without a pair in common.
        self.quiet_pairs.clear();
        let mut reported = self.pairs.iter().copied().peekable();
        for pair in quiet {
            while let Some(earlier) = reported.next_if(|other| *other < pair) {
                self.quiet_pairs.push(earlier);
            }
            self.quiet_pairs.push(pair);
        }
        self.quiet_pairs.extend(reported);
        std::mem::swap(&mut self.pairs, &mut self.quiet_pairs);
    }

    fn update_edges(&mut self) -> Result<(), StepError> {
        let updated = update_edges(&mut self.graph, &self.pairs, &self.aabbs, &self.options, self.unsettled);
        updated.map_err(|error| refused(self.report.step, &error))
    }

    fn find_contacts(&mut self) {
        let (bodies, outlines) = (self.world.bodies(), &self.outlines);
        let (options, box_box) = (&self.options, self.narrow_phase.box_box);
        let step = self.report.step;
        // The first look in a step ends what is told of the last one.
        let is_unsettled = std::mem::take(&mut self.unsettled);
        let see = |edge: &mut Edge<Manifold>, touching: bool| {
            if is_unsettled {
                edge.renew(touching);
            } else {
                edge.set_touching(touching);
            }
        };
        let find = |edge: &mut Edge<Manifold>, scratch: &mut Scratch| {
            let [of_a, of_b] = [edge.a, edge.b].map(|body| &outlines[body as usize]);
            let ends = || [edge.a, edge.b].map(|body| &bodies[body as usize]);
            if of_a.is_trigger || of_b.is_trigger {
                let [a, b] = ends();
                see(edge, overlaps(&a.shape, &a.pose, &b.shape, &b.pose));
                return;
            }
            if of_a.is_still && of_b.is_still {
                see(edge, edge.is_touching());
                return;
            }
            // A pair that comes back is a new one: impulses older than a step are a poor guess. Those of this step's own
            // earlier detections are not.
            let before = if is_unsettled { edge.now } else { edge.before };
            if edge.payload.is_first_search(step) && before == Nearness::Far {
                edge.payload.forget();
            }
            let narrow_phase = NarrowPhase {
                box_box,
                envelope: of_a.reach + of_b.reach,
            };
            let [a, b] = ends();
            edge.payload.find(&narrow_phase, a, b, options, scratch);
            let touches = |depth: f64| depth >= -options.touch_distance;
            let touching = edge.payload.points().any(|point| touches(point.depth));
            see(edge, touching);
        };
        type Piece<'a> = (
            ((&'a mut [Edge<Manifold>], &'a mut [bool]), &'a mut [u32]),
            &'a mut Finder,
        );
        let is_far = self.graph.pairs().len() >= FAR;
        let work = |(((edges, ties), counts), finder): Piece<'_>| {
            finder.tally = Tally::default();
            for (place, (ties, count)) in ties.iter_mut().zip(counts).enumerate() {
                if is_far && let Some(later) = edges.get(place + AHEAD) {
                    fetch(later);
                }
                if is_far && let Some(later) = edges.get(place + BODIES_AHEAD) {
                    // The first one is mostly that of the edge before.
                    let body = &bodies[later.b as usize];
                    fetch(&body.pose);
                    fetch(&body.shape);
                    fetch(&outlines[later.b as usize]);
                }
                let edge = &mut edges[place];
                find(edge, &mut finder.scratch);
                *ties = !edge.payload.is_empty();
                *count = edge.payload.len() as u32;
                edge.payload.points().for_each(|point| finder.tally.add(point.depth));
            }
        };
        let edges = self.graph.active_edges_mut();
        self.finders.resize_with(edges.len().div_ceil(PIECE), Finder::default);
        self.ties.resize(edges.len(), false);
        self.point_counts.resize(edges.len(), 0);
        if is_shared(edges.len(), PARALLEL_PAIRS) {
            let pieces = edges.par_chunks_mut(PIECE).zip(self.ties.par_chunks_mut(PIECE));
            let pieces = pieces.zip(self.point_counts.par_chunks_mut(PIECE));
            pieces.zip(&mut self.finders).for_each(work);
        } else {
            let pieces = edges.chunks_mut(PIECE).zip(self.ties.chunks_mut(PIECE));
            let pieces = pieces.zip(self.point_counts.chunks_mut(PIECE));
            pieces.zip(&mut self.finders).for_each(work);
        }
    }

    /// Whether any two bodies penetrate deeper than a tolerance where they are now. It stops at the first pair that does
    /// (the short circuit of stage 3), asks only pairs that can collide, and changes nothing that a step remembers.
    pub(crate) fn penetrates(&mut self, tolerance: f64) -> bool {
        let started = Instant::now();
        self.find_boxes(0.0, 0.0);
        self.broad_phase.pairs(&self.aabbs, &self.movable, &mut self.pairs);
        self.drop_pairs_without_edges();
        let bodies = self.world.bodies();
        let narrow_phase = NarrowPhase {
            box_box: self.narrow_phase.box_box,
            envelope: 0.0,
        };
        let mut points = std::mem::take(&mut self.trial_points);
        let found = self.pairs.iter().any(|&(a, b)| {
            if self.graph.edge_kind(a, b) != Some(EdgeKind::Physical) {
                return false;
            }
            let (a, b) = (&bodies[a as usize], &bodies[b as usize]);
            points.clear();
            narrow_phase.contacts(&a.shape, &a.pose, &b.shape, &b.pose, &mut points);
            points.iter().any(|point| point.depth > tolerance)
        });
        self.trial_points = points;
        self.report.timings.collision += started.elapsed();
        found
    }

    fn count(&mut self) {
        let mut all = Tally::default();
        for Finder { tally, .. } in &self.finders {
            all.points += tally.points;
            all.penetrating += tally.penetrating;
            all.deepest = all.deepest.max(tally.deepest);
            all.sum += tally.sum;
        }
        let report = &mut self.report;
        report.contacts = all.points;
        report.penetration_max = all.deepest;
        report.penetration_mean = all.sum / f64::max(all.penetrating as f64, 1.0);
        report.groups = self.groups.len();
        report.largest_group = self.groups.largest();
    }
}

impl Manifold {
    /// Finds the contact points of two bodies, or carries those along that there are, with their impulses.
    #[inline]
    fn find(&mut self, narrow_phase: &NarrowPhase, a: &Body, b: &Body, options: &GraphOptions, scratch: &mut Scratch) {
        let (envelope, tolerance) = (narrow_phase.envelope, options.cache_contacts);
        if let Some(cache) = self.cache()
            && cache.holds(a, b, envelope, tolerance)
        {
            self.carry_points(a, b);
            return;
        }
        let points = &mut scratch.points;
        points.clear();
        narrow_phase.contacts(&a.shape, &a.pose, &b.shape, &b.pose, points);
        if options.reduce > 0.0 && points.iter().any(|point| point.depth > options.reduce) {
            reduce_to_deepest(points);
        }
        if tolerance > 0.0 {
            self.cache_mut().store(a, b, envelope, points);
        }
        self.replace(scratch);
    }
}

/// Makes the edges of the graph those of the pairs.
fn update_edges(
    graph: &mut ContactGraph<(), Manifold>,
    pairs: &[(u32, u32)],
    aabbs: &[Aabb],
    options: &GraphOptions,
    is_unsettled: bool,
) -> Result<(), GraphError> {
    let is_obsolete = |edge: &Edge<Manifold>| match options.obsolete_edges {
        ObsoleteEdges::AtOnce => true,
        ObsoleteEdges::Distant => is_distant(&aabbs[edge.a as usize], &aabbs[edge.b as usize]),
    };
    let create = |_, _| Manifold::default();
    if is_unsettled {
        graph.settle_and_update_with(pairs, create, is_obsolete)
    } else {
        graph.update_with(pairs, create, is_obsolete)
    }
}

/// Something is wrong with pairs.
fn refused(step: u64, error: &GraphError) -> StepError {
    StepError::Graph {
        step,
        message: error.to_string(),
    }
}

/// Moves the pairs to be kept to the front, and returns how many there are. Whether one is kept is a coin's outcome, on which
/// nothing branches.
fn gather(pairs: &mut [(u32, u32)], is_kept: impl Fn(&(u32, u32)) -> bool) -> usize {
    let mut count = 0;
    for place in 0..pairs.len() {
        let pair = pairs[place];
        pairs[count] = pair;
        count += usize::from(is_kept(&pair));
    }
    count
}

/// The heuristic of §5.2: along some axis the gap between two boxes is at least twice the longest of all their sides.
/// Half-spaces are never far from anything.
fn is_distant(a: &Aabb, b: &Aabb) -> bool {
    let sides = (a.max - a.min).amax().max((b.max - b.min).amax());
    (0..3).any(|axis| {
        let gap = (a.min[axis] - b.max[axis]).max(b.min[axis] - a.max[axis]);
        gap >= 2.0 * sides
    })
}
