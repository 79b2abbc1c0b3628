//! The first stage: who touches whom, where, and which bodies form groups.

use std::time::Instant;

use drystone_contact_graph::Edge;
use rayon::prelude::*;

use super::Pipeline;
use crate::contact::Manifold;
use crate::error::StepError;

/// Below this many pairs, sharing the narrow phase out to threads costs more than it saves.
const PARALLEL_PAIRS: usize = 256;

impl Pipeline {
    /// Finds all contact points at the present poses, matches them with those of the last call, and forms groups.
    pub(crate) fn detect(&mut self) -> Result<(), StepError> {
        let started = Instant::now();
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

    fn find_pairs(&mut self) {
        // Each box grows by half the envelope, so that two overlap when the gap is up to the whole of it.
        let margin = 0.5 * self.narrow_phase.envelope;
        self.aabbs.clear();
        self.aabbs.extend(
            self.world
                .bodies()
                .iter()
                .map(|body| body.shape.aabb(&body.pose).loosened(margin)),
        );
        self.broad_phase.pairs(&self.aabbs, &self.movable, &mut self.pairs);
    }

    fn find_contacts(&mut self) {
        let (bodies, narrow_phase) = (self.world.bodies(), self.narrow_phase);
        let find = |edge: &mut Edge<Manifold>| {
            let (a, b) = (&bodies[edge.a as usize], &bodies[edge.b as usize]);
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
