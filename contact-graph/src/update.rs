//! The life of edges: the first stage of the pipeline (§5.2, Fig 5.3), where the pairs of the broad phase are matched
//! with the edges there are.
//!
//! An edge whose pair is no longer reported is *dormant*. It stays at least until its end has been told ([`settle`]
//! does that), so that no event is lost; after that it goes when it is obsolete. The dissertation's heuristic lets go of it when
//! the two are far apart, which keeps the memory of pairs that come and go and still prevents O(n²) edges; the caller
//! decides, because the graph knows no distances.
//!
//! [`settle`]: ContactGraph::settle

use std::iter::Peekable;

use petgraph::graph::NodeIndex;

use crate::{ContactGraph, Edge, GraphError, Nearness};

impl<N, E> ContactGraph<N, E> {
    /// What is now is from now on what was before: the events of what happened so far have been told.
    pub fn settle(&mut self) {
        for edge in self.edges.iter_mut().chain(&mut self.dormant) {
            edge.before = edge.now;
        }
    }

    /// [`update_with`](Self::update_with), new edges getting the payload's default and dormant ones going as soon as
    /// their end has been told.
    pub fn update(&mut self, pairs: &[(u32, u32)]) -> Result<(), GraphError>
    where
        E: Default,
    {
        self.update_with(pairs, |_, _| E::default(), |_| true)
    }

    /// Takes the pairs of the broad phase, sorted, distinct, the smaller index first in each.
    ///
    /// Edges of pairs known from the last update keep their payload and how near the two are; unknown pairs get an edge,
    /// a dormant one if there is one, else a new one with a payload from `create`; edges whose pair is missing become
    /// dormant. Dormant edges whose end has been told go if they are obsolete. Afterwards the active edge at position `i`
    /// belongs to `pairs[i]`.
    ///
    /// The cost is one comparison of the two lists when nothing changed, else linear in the edges behind the first
    /// change plus the rebuilt topology. On an error the graph is as it was.
    pub fn update_with(
        &mut self,
        pairs: &[(u32, u32)],
        create: impl FnMut(u32, u32) -> E,
        mut is_obsolete: impl FnMut(&Edge<E>) -> bool,
    ) -> Result<(), GraphError> {
        // The stored pairs were checked when they came, so equal ones need no check.
        let unchanged = self.pairs == pairs;
        if !unchanged {
            self.check_pairs(pairs)?;
        }
        let told = |edge: &Edge<E>| edge.before == Nearness::Far;
        self.dormant.retain(|edge| !(told(edge) && is_obsolete(edge)));
        if !unchanged {
            self.merge(pairs, create);
            self.rebuild_topology();
        }
        Ok(())
    }

    /// Merges two sorted lists: the edges there are, and the pairs there shall be. Edges before the first change stay
    /// where they are and the others move in runs, because payloads can be large.
    fn merge(&mut self, pairs: &[(u32, u32)], mut create: impl FnMut(u32, u32) -> E) {
        let kept = common_start(&self.pairs, pairs);
        self.moving.extend(self.edges.drain(kept..));
        let mut old_edges = self.moving.drain(..);
        self.resting.append(&mut self.dormant);
        let mut resting = self.resting.drain(..).peekable();
        let (mut old, mut new) = (&self.pairs[kept..], &pairs[kept..]);
        while let Some(&(a, b)) = new.first() {
            let (lost, rest) = old.split_at(old.iter().take_while(|pair| **pair < (a, b)).count());
            old = rest;
            let leaving = lost.iter().zip(&mut old_edges);
            retire(&mut self.dormant, &mut resting, leaving, Some((a, b)));

            let same = common_start(old, new);
            self.edges.extend(old_edges.by_ref().take(same));
            old = &old[same..];
            new = &new[same..];

            if same == 0 {
                let back = resting.next_if(|edge| (edge.a, edge.b) == (a, b));
                let mut edge = back.unwrap_or_else(|| Edge {
                    a,
                    b,
                    before: Nearness::Far,
                    now: Nearness::Near,
                    payload: create(a, b),
                });
                edge.now = Nearness::Near;
                self.edges.push(edge);
                new = &new[1..];
            }
        }
        retire(&mut self.dormant, &mut resting, old.iter().zip(old_edges), None);
        self.pairs.truncate(kept);
        self.pairs.extend_from_slice(&pairs[kept..]);
    }

    fn check_pairs(&self, pairs: &[(u32, u32)]) -> Result<(), GraphError> {
        let mut last = None;
        for (position, &(a, b)) in pairs.iter().enumerate() {
            self.check_bodies(position, a, b)?;
            if a > b {
                return Err(GraphError::ReversedPair {
                    position,
                    first: a,
                    second: b,
                });
            }
            if last >= Some((a, b)) {
                return Err(GraphError::UnsortedPairs { position });
            }
            last = Some((a, b));
        }
        Ok(())
    }

    /// petgraph puts a new edge at the head of its nodes' lists; adding from the back gives neighbours in rising order.
    pub(crate) fn rebuild_topology(&mut self) {
        self.topology.clear_edges();
        for (position, &(a, b)) in self.pairs.iter().enumerate().rev() {
            let (a, b) = (NodeIndex::new(a as usize), NodeIndex::new(b as usize));
            self.topology.add_edge(a, b, position as u32);
        }
    }
}

/// Puts edges that leave among the dormant ones, in the order of their pairs, up to a pair.
fn retire<'a, E>(
    dormant: &mut Vec<Edge<E>>,
    resting: &mut Peekable<impl Iterator<Item = Edge<E>>>,
    leaving: impl Iterator<Item = (&'a (u32, u32), Edge<E>)>,
    end: Option<(u32, u32)>,
) {
    for (&(a, b), edge) in leaving {
        while let Some(earlier) = resting.next_if(|other| (other.a, other.b) < (a, b)) {
            dormant.push(earlier);
        }
        let now = Nearness::Far;
        dormant.push(Edge { a, b, now, ..edge });
    }
    while let Some(earlier) = resting.next_if(|other| end.is_none_or(|end| (other.a, other.b) < end)) {
        dormant.push(earlier);
    }
}

fn common_start(old: &[(u32, u32)], new: &[(u32, u32)]) -> usize {
    let pairs = old.iter().zip(new);
    pairs.take_while(|(old, new)| old == new).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NodeKind;

    type Graph = ContactGraph<(), Vec<u8>>;

    fn storage(graph: &Graph) -> [(usize, usize); 5] {
        let of = |edges: &Vec<Edge<Vec<u8>>>| (edges.as_ptr() as usize, edges.capacity());
        [
            (graph.pairs.as_ptr() as usize, graph.pairs.capacity()),
            of(&graph.edges),
            of(&graph.dormant),
            of(&graph.moving),
            (
                graph.topology.raw_edges().as_ptr() as usize,
                graph.topology.capacity().1,
            ),
        ]
    }

    /// With unchanged pairs nothing may move or grow, and even alternating pairs reach a steady size.
    #[test]
    fn storage_is_reused_after_warm_up() {
        let mut graph = Graph::new();
        for _ in 0..50 {
            graph.add_node(NodeKind::Rigid, ());
        }
        let chain: Vec<_> = (0..49).map(|i| (i, i + 1)).collect();
        let skips: Vec<_> = (0..48).map(|i| (i, i + 2)).collect();
        let step = |graph: &mut Graph, pairs| {
            graph.settle();
            graph.update(pairs).unwrap();
        };
        for pairs in [&chain, &skips, &chain, &skips] {
            step(&mut graph, pairs);
        }
        let before = storage(&graph);
        let no_payload = |_, _| unreachable!("no pair is new");
        graph.update_with(&skips, no_payload, |_| true).unwrap();
        assert_eq!(storage(&graph), before);
        for pairs in [&chain, &skips, &skips, &chain] {
            step(&mut graph, pairs);
            assert_eq!(storage(&graph), before);
        }
    }

    /// Overwriting the public fields of edges must not corrupt the graph's own record.
    #[test]
    fn edges_are_matched_by_the_graphs_own_pairs() {
        let mut graph = Graph::new();
        for _ in 0..4 {
            graph.add_node(NodeKind::Rigid, ());
        }
        graph.update(&[(0, 1), (1, 2), (2, 3)]).unwrap();
        graph.active_edges_mut()[1].a = 1_000_000;
        graph.active_edges_mut()[1].payload.push(7);
        graph.update(&[(0, 2), (1, 2), (2, 3)]).unwrap();
        assert_eq!(graph.find(1, 2).unwrap().payload, [7]);
        let mut groups = crate::Groups::default();
        graph.groups(|_| true, &mut groups);
        assert_eq!(groups.get(0).unwrap().bodies, [0, 1, 2, 3]);
    }
}
