//! The life of edges: the first stage of the pipeline (§5.2, Fig 5.3), where the pairs of the broad
//! phase are matched with the edges of the last step.
//!
//! The dissertation keeps an edge until its bodies are far apart, to lose no event. Here an edge stays for one step
//! after its pair was last reported, marked as vanished, which loses none either. A pair that comes back later gets a
//! new edge with a fresh payload: impulses older than one step are a poor guess.

use petgraph::graph::NodeIndex;

use crate::{ContactGraph, Edge, EdgeState, GraphError};

impl<N, E> ContactGraph<N, E> {
    /// [`update_with`](Self::update_with), new edges getting the payload's default.
    pub fn update(&mut self, pairs: &[(u32, u32)]) -> Result<(), GraphError>
    where
        E: Default,
    {
        self.update_with(pairs, |_, _| E::default())
    }

    /// Takes the pairs of the broad phase, sorted, distinct, the smaller index first in each.
    ///
    /// Edges of pairs known from the last update become persistent and keep their payload; unknown pairs get a new
    /// edge with a payload from `create`; edges whose pair is missing become vanished, and those that were so already
    /// are dropped. Afterwards the active edge at position `i` belongs to `pairs[i]`.
    ///
    /// The cost is one comparison of the two lists when nothing changed, else linear in the edges behind the first
    /// change plus the rebuilt topology. On an error the graph is as it was.
    pub fn update_with(&mut self, pairs: &[(u32, u32)], create: impl FnMut(u32, u32) -> E) -> Result<(), GraphError> {
        // The stored pairs were checked when they came, so equal ones need no check.
        let unchanged = self.pairs == pairs;
        if !unchanged {
            self.check_pairs(pairs)?;
        }
        self.vanished.clear();
        for edge in &mut self.edges {
            edge.state = EdgeState::Persistent;
        }
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
        let (mut old, mut new) = (&self.pairs[kept..], &pairs[kept..]);
        while let Some(&(a, b)) = new.first() {
            let lost = old.iter().take_while(|pair| **pair < (a, b)).count();
            self.vanished.extend(old_edges.by_ref().take(lost));
            old = &old[lost..];

            let same = common_start(old, new);
            self.edges.extend(old_edges.by_ref().take(same));
            old = &old[same..];
            new = &new[same..];

            if same == 0 {
                let (state, payload) = (EdgeState::New, create(a, b));
                self.edges.push(Edge { a, b, state, payload });
                new = &new[1..];
            }
        }
        self.vanished.extend(old_edges);
        for edge in &mut self.vanished {
            edge.state = EdgeState::Vanished;
        }
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
    fn rebuild_topology(&mut self) {
        self.topology.clear_edges();
        for (position, &(a, b)) in self.pairs.iter().enumerate().rev() {
            let (a, b) = (NodeIndex::new(a as usize), NodeIndex::new(b as usize));
            self.topology.add_edge(a, b, position as u32);
        }
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
        [
            (graph.pairs.as_ptr() as usize, graph.pairs.capacity()),
            (graph.edges.as_ptr() as usize, graph.edges.capacity()),
            (graph.vanished.as_ptr() as usize, graph.vanished.capacity()),
            (graph.moving.as_ptr() as usize, graph.moving.capacity()),
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
            graph.add_node(NodeKind::Dynamic, ());
        }
        let chain: Vec<_> = (0..49).map(|i| (i, i + 1)).collect();
        let skips: Vec<_> = (0..48).map(|i| (i, i + 2)).collect();
        for pairs in [&chain, &skips, &chain, &skips] {
            graph.update(pairs).unwrap();
        }
        let before = storage(&graph);
        let no_payload = |_, _| unreachable!("no pair is new");
        graph.update_with(&skips, no_payload).unwrap();
        assert_eq!(storage(&graph), before);
        for pairs in [&chain, &skips, &skips, &chain] {
            graph.update(pairs).unwrap();
            assert_eq!(storage(&graph), before);
        }
    }

    /// Overwriting the public fields of edges must not corrupt the graph's own record.
    #[test]
    fn edges_are_matched_by_the_graphs_own_pairs() {
        let mut graph = Graph::new();
        for _ in 0..4 {
            graph.add_node(NodeKind::Dynamic, ());
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
