//! The events of the last step. Those of edges are read off the edges when they are asked for: with thousands of pairs
//! that persist, a list would cost more than it is worth.

use drystone_contact_graph::{Edge, EdgeKind, NodeKind};
use rayon::prelude::*;

use super::Pipeline;
use super::share::{PARALLEL_PAIRS, is_shared};
use crate::event::Event;
use crate::manifold::Manifold;

impl Pipeline {
    /// What happened in the last step: first what befell bodies, joints and timers, in the order it did, then triggers,
    /// touches and proximity by pair.
    pub fn events(&self) -> impl Iterator<Item = Event> {
        let edges = self.graph.active_edges().iter().chain(self.graph.dormant_edges());
        let of_edges = edges.flat_map(|edge| self.events_of(edge).into_iter().flatten());
        self.events.iter().copied().chain(of_edges)
    }

    fn events_of(&self, edge: &Edge<Manifold>) -> [Option<Event>; 2] {
        let bodies = [edge.a as usize, edge.b as usize];
        let proximity = edge.proximity().map(|change| Event::Proximity { bodies, change });
        let touch = edge.touch().map(|change| {
            if self.graph.edge_kind(edge.a, edge.b) == Some(EdgeKind::Geometrical) {
                let first = self.graph.node_kind(edge.a) == Some(NodeKind::Trigger);
                let [trigger, body] = if first { bodies } else { [bodies[1], bodies[0]] };
                Event::Trigger { trigger, body, change }
            } else {
                Event::Touch { bodies, change }
            }
        });
        [touch, proximity]
    }

    /// What active edges are is from now on what they were, if that has not been said: their events have been told.
    pub(super) fn settle_edges(&mut self) {
        if std::mem::take(&mut self.unsettled) {
            self.for_each_edge(Edge::settle);
        }
    }

    /// Notes who pushed each other in a part of the step that will not be taken back.
    pub(super) fn note_pushes(&mut self) {
        let (step, trial) = (self.report.step, self.trial);
        self.for_each_edge(|edge| edge.payload.pushed.keep(trial, step));
    }

    /// Bodies that pushed each other have touched, however far apart they were when the step began: one that bounces may
    /// never be near at the beginning of a step. Edges know when their impulses are stored, and forget when contacts are looked for
    /// once more.
    pub(super) fn tell_pushes(&mut self) {
        if self.looks < 2 {
            return;
        }
        let (step, trial) = (self.report.step, self.trial);
        self.for_each_edge(|edge| {
            if edge.payload.pushed.is_in(trial, step) {
                edge.payload.pushed.keep(trial, step);
                edge.set_touching(true);
            }
        });
    }

    fn for_each_edge(&mut self, work: impl Fn(&mut Edge<Manifold>) + Send + Sync) {
        let edges = self.graph.active_edges_mut();
        if is_shared(edges.len(), 32 * PARALLEL_PAIRS) {
            edges.par_iter_mut().with_min_len(4 * PARALLEL_PAIRS).for_each(work);
        } else {
            edges.iter_mut().for_each(work);
        }
    }

    /// Notes the ticks of all timers within a step.
    pub(super) fn tell_ticks(&mut self, after: f64, until: f64) {
        for (timer, it) in self.world.timers().iter().enumerate() {
            let ticks = it.ticks(after, until);
            self.events.extend(ticks.map(|time| Event::Tick { timer, time }));
        }
    }

    /// Events speak of bodies by index. Those noted before bodies were renumbered are about this very step's beginning.
    pub(super) fn renumber_events(&mut self, stays: &[bool]) {
        let new_index = |body: usize| stays[body].then(|| stays[..body].iter().filter(|stay| **stay).count());
        self.events.retain_mut(|event| match event {
            Event::Awake { body, .. } | Event::Asleep { body } => new_index(*body).map(|now| *body = now).is_some(),
            _ => true,
        });
    }
}
