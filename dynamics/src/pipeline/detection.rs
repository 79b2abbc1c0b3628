//! The first stage: who touches whom, where, and which bodies form groups, by contacts and by joints.

use std::time::Instant;

use drystone_collision::{NarrowPhase, Shape};
use drystone_contact_graph::Edge;
use rayon::prelude::*;

use super::Pipeline;
use crate::contact::Manifold;
use crate::error::StepError;

/// Below this many pairs, sharing the narrow phase out to threads costs more than it saves.
const PARALLEL_PAIRS: usize = 256;

impl Pipeline {
    /// Finds all contact points at the present poses, matches them with those of the last call, and forms groups.
    ///
    /// Bodies have contact points while they are closer than the envelope, and also if they could meet within a time
    /// `horizon` at their present speeds: a gap is then closed exactly by the solver, instead of being found as a
    /// penetration in the next step, or never.
    pub(crate) fn detect(&mut self, horizon: f64) -> Result<(), StepError> {
        let started = Instant::now();
        self.link_joints()?;
        self.find_reaches(horizon);
        self.find_pairs();
        self.graph.update(&self.pairs).map_err(|error| StepError::Graph {
            step: self.report.step,
            message: error.to_string(),
        })?;
        self.find_contacts();
        self.graph
            .groups(|edge| !edge.payload.points.is_empty(), &mut self.groups);
        self.count();
        self.report.timings.collision += started.elapsed();
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
        self.aabbs.clear();
        let bodies = self.world.bodies().iter().zip(&self.reaches);
        self.aabbs
            .extend(bodies.map(|(body, &reach)| body.shape.aabb(&body.pose).loosened(reach)));
        self.broad_phase.pairs(&self.aabbs, &self.movable, &mut self.pairs);
        if !self.world.joints().is_empty() {
            self.pairs.retain(|pair| !self.joints.is_apart(pair));
        }
    }

    fn find_contacts(&mut self) {
        let (bodies, reaches, box_box) = (self.world.bodies(), &self.reaches, self.narrow_phase.box_box);
        let find = |edge: &mut Edge<Manifold>| {
            let (a, b) = (edge.a as usize, edge.b as usize);
            let narrow_phase = NarrowPhase {
                box_box,
                envelope: reaches[a] + reaches[b],
            };
            let (a, b) = (&bodies[a], &bodies[b]);
            edge.payload.begin();
            narrow_phase.contacts(&a.shape, &a.pose, &b.shape, &b.pose, &mut edge.payload.points);
            edge.payload.recall();
        };
        let edges = self.graph.active_edges_mut();
        if edges.len() < PARALLEL_PAIRS || rayon::current_num_threads() == 1 {
            edges.iter_mut().for_each(find);
        } else {
            edges.par_iter_mut().with_min_len(PARALLEL_PAIRS / 4).for_each(find);
        }
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
