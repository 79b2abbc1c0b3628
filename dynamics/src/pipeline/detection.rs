//! The first stage of a step: who touches whom, where, and which bodies form groups, by contacts and by joints. Inside it
//! is the pipeline of dissertation §5.2 around the broad and the narrow phase:
//!
//! 1. edges of the contact graph for the pairs that the broad phase reports, and no longer for others;
//! 2. pairs that rules forbid or that have nothing to do with each other are dropped, and pairs that have not moved
//!    against each other need no narrow phase;
//! 3. and 4. narrow phase and contact points, which are one here; for a trigger, whether a body is in it;
//! 5. groups (`grouping.rs`).

use std::time::Instant;

use drystone_collision::{Aabb, NarrowPhase, Shape, overlaps};
use drystone_contact_graph::{Edge, EdgeKind, Nearness, NodeKind};
use nalgebra::Vector3;
use rayon::prelude::*;

use super::Pipeline;
use super::options::{GraphOptions, ObsoleteEdges};
use crate::body::Body;
use crate::contact::Manifold;
use crate::error::StepError;

/// Below this many pairs, sharing the narrow phase out to threads costs more than it saves.
const PARALLEL_PAIRS: usize = 256;

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
        } else {
            self.find(horizon, h)?;
        }
        self.count();
        self.report.timings.collision += started.elapsed();
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
        self.find_reaches(horizon);
        self.find_pairs();
        self.update_edges()?;
        self.note_poses(h);
        self.find_contacts();
        self.form_groups();
        Ok(())
    }

    /// How far each body's surface can get: half the envelope, so that two bodies share the whole of it, and its motion
    /// over the horizon.
    fn find_reaches(&mut self, horizon: f64) {
        let margin = 0.5 * self.narrow_phase.envelope;
        self.reaches.clear();
        self.reaches.extend(self.world.bodies().iter().map(|body| {
            let turning = match body.shape {
                Shape::Cuboid(_) | Shape::Compound(_) => body.angular_velocity.norm() * body.shape.bounding_radius(),
                // A ball's surface does not move when it turns; a half-space has no radius.
                Shape::Sphere(_) | Shape::HalfSpace(_) => 0.0,
            };
            margin + horizon * (body.linear_velocity.norm() + turning)
        }));
    }

    fn find_pairs(&mut self) {
        self.find_boxes();
        self.broad_phase.pairs(&self.aabbs, &self.movable, &mut self.pairs);
        self.drop_pairs_without_edges();
        if self.sleepers.asleep() > 0 {
            self.keep_quiet_pairs();
        }
    }

    /// Boxes of all bodies, and who may have come to touch somebody new.
    fn find_boxes(&mut self) {
        let bodies = self.world.bodies();
        self.movable.clear();
        self.movable.resize(bodies.len(), false);
        self.aabbs.resize(bodies.len(), NOWHERE);
        for (index, body) in bodies.iter().enumerate() {
            let is_changed = self.known.is_changed(index as u32);
            if self.sleepers.is_asleep(index as u32) && !is_changed {
                continue;
            }
            self.movable[index] = match self.graph.node_kind(index as u32) {
                _ if is_changed => true,
                // What is scripted may meet what is asleep.
                Some(NodeKind::Scripted) => self.sleepers.asleep() > 0,
                Some(kind) => kind.is_movable() || kind == NodeKind::Trigger,
                None => false,
            };
            self.aabbs[index] = if body.passive {
                NOWHERE
            } else {
                body.shape.aabb(&body.pose).loosened(self.reaches[index])
            };
        }
    }

    /// Pairs between which Table 5.2 has no edge, that a joint keeps apart, or that a rule forbids.
    fn drop_pairs_without_edges(&mut self) {
        let (graph, joints, filter) = (&self.graph, &self.joints, &self.world.filter);
        let unfiltered = filter.is_trivial();
        self.pairs.retain(|&(a, b)| {
            graph.edge_kind(a, b).is_some() && !joints.is_apart(&(a, b)) && (unfiltered || filter.allows(a, b))
        });
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
        let (aabbs, rule) = (&self.aabbs, self.options.obsolete_edges);
        let is_obsolete = |edge: &Edge<Manifold>| match rule {
            ObsoleteEdges::AtOnce => true,
            ObsoleteEdges::Distant => is_distant(&aabbs[edge.a as usize], &aabbs[edge.b as usize]),
        };
        let updated = self
            .graph
            .update_with(&self.pairs, |_, _| Manifold::default(), is_obsolete);
        updated.map_err(|error| StepError::Graph {
            step: self.report.step,
            message: error.to_string(),
        })
    }

    fn find_contacts(&mut self) {
        let (bodies, reaches) = (self.world.bodies(), &self.reaches);
        let (sleepers, options, box_box) = (&self.sleepers, &self.options, self.narrow_phase.box_box);
        let (known, step) = (&self.known, self.report.step);
        let is_still = |index: u32| {
            let body = &bodies[index as usize];
            let rests = sleepers.is_asleep(index) || !body.is_dynamic();
            rests && body.kind.motion().is_none() && !known.is_changed(index)
        };
        let find = |edge: &mut Edge<Manifold>| {
            let (a, b) = (&bodies[edge.a as usize], &bodies[edge.b as usize]);
            if is_trigger(a) || is_trigger(b) {
                edge.set_touching(overlaps(&a.shape, &a.pose, &b.shape, &b.pose));
                return;
            }
            if is_still(edge.a) && is_still(edge.b) {
                return;
            }
            let narrow_phase = NarrowPhase {
                box_box,
                envelope: reaches[edge.a as usize] + reaches[edge.b as usize],
            };
            // A pair that comes back is a new one: impulses older than a step are a poor guess. Those of this step's own
            // earlier detections are not.
            if edge.before == Nearness::Far && edge.payload.found_in != step {
                edge.payload.forget();
            }
            edge.payload.found_in = step;
            edge.payload.find(&narrow_phase, a, b, options);
            let touches = |depth: f64| depth >= -options.touch_distance;
            edge.set_touching(edge.payload.points.iter().any(|point| touches(point.depth)));
        };
        let edges = self.graph.active_edges_mut();
        if edges.len() < PARALLEL_PAIRS || rayon::current_num_threads() == 1 {
            edges.iter_mut().for_each(find);
        } else {
            edges.par_iter_mut().with_min_len(PARALLEL_PAIRS / 4).for_each(find);
        }
    }

    /// Whether any two bodies penetrate deeper than a tolerance where they are now. It stops at the first pair that does
    /// (the short circuit of stage 3), asks only pairs that can collide, and changes nothing that a step remembers.
    pub(crate) fn penetrates(&mut self, tolerance: f64) -> bool {
        let started = Instant::now();
        self.reaches.clear();
        self.reaches.resize(self.world.bodies().len(), 0.0);
        self.find_boxes();
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
        let report = &mut self.report;
        let (mut deepest, mut sum, mut penetrating) = (0.0_f64, 0.0, 0_usize);
        report.contacts = 0;
        for edge in self.graph.active_edges() {
            report.contacts += edge.payload.points.len();
            for point in edge.payload.points.iter().filter(|point| point.depth > 0.0) {
                deepest = deepest.max(point.depth);
                sum += point.depth;
                penetrating += 1;
            }
        }
        report.penetration_max = deepest;
        report.penetration_mean = if penetrating > 0 { sum / penetrating as f64 } else { 0.0 };
        report.groups = self.groups.len();
        report.largest_group = self.groups.largest();
    }
}

impl Manifold {
    /// Finds the contact points of two bodies, or carries those along that there are, with their impulses.
    fn find(&mut self, narrow_phase: &NarrowPhase, a: &Body, b: &Body, options: &GraphOptions) {
        let (envelope, tolerance) = (narrow_phase.envelope, options.cache_contacts);
        if let Some(cache) = &self.cache
            && cache.holds(a, b, envelope, tolerance)
        {
            cache.carry(a, b, &mut self.points);
            return;
        }
        self.begin();
        narrow_phase.contacts(&a.shape, &a.pose, &b.shape, &b.pose, &mut self.points);
        if options.reduce > 0.0 && self.points.iter().any(|point| point.depth > options.reduce) {
            self.reduce_to_deepest();
        }
        self.recall();
        if tolerance > 0.0 {
            let cache = self.cache.get_or_insert_default();
            cache.store(a, b, envelope, &self.points);
        }
    }
}

/// The box of a body that is nowhere: it overlaps nothing.
const NOWHERE: Aabb = Aabb {
    min: Vector3::new(f64::NAN, f64::NAN, f64::NAN),
    max: Vector3::new(f64::NAN, f64::NAN, f64::NAN),
};

fn is_trigger(body: &Body) -> bool {
    matches!(body.kind, crate::body::BodyKind::Trigger(_))
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
