//! The graph and the life of its edges: the first stage of the pipeline (§5.2, Fig 5.3), where the pairs of the broad
//! phase are matched with the edges of the last step.
//!
//! The dissertation keeps an edge until its bodies are far apart, to lose no event. Here an edge stays for one step
//! after its pair was last reported, marked as vanished, which loses none either. A pair that comes back later gets a
//! new edge with a fresh payload: impulses older than one step are a poor guess.

use petgraph::graph::{NodeIndex, UnGraph};
use petgraph::visit::EdgeRef;

use crate::{Edge, EdgeState, GraphError, Node, NodeKind};

/// Bodies and the pairs of them near each other, with memory. See the [crate's front page](crate) for an example.
///
/// Bodies are numbered from 0 in the order they were added and are never removed.
#[derive(Clone, Debug)]
pub struct ContactGraph<N, E> {
    /// Nodes with their payloads; edge weights are positions in `edges`.
    topology: UnGraph<Node<N>, u32>,
    /// The pairs of the last update, parallel to `edges`: what search and merge read, eight bytes a pair whatever the
    /// payload's size.
    pairs: Vec<(u32, u32)>,
    edges: Vec<Edge<E>>,
    vanished: Vec<Edge<E>>,
    /// Edges on their way to a new position; empty between updates.
    moving: Vec<Edge<E>>,
    links: Vec<(u32, u32)>,
}

impl<N, E> Default for ContactGraph<N, E> {
    fn default() -> Self {
        ContactGraph {
            topology: UnGraph::default(),
            pairs: Vec::new(),
            edges: Vec::new(),
            vanished: Vec::new(),
            moving: Vec::new(),
            links: Vec::new(),
        }
    }
}

impl<N, E> ContactGraph<N, E> {
    /// An empty graph.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a body and returns its index. There is room for 2³² − 2 of them.
    pub fn add_node(&mut self, kind: NodeKind, payload: N) -> u32 {
        self.topology.add_node(Node { kind, payload }).index() as u32
    }

    /// How many bodies there are.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.topology.node_count()
    }

    /// All bodies by index.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = &Node<N>> {
        self.topology.raw_nodes().iter().map(|node| &node.weight)
    }

    /// The body with this index.
    #[must_use]
    pub fn node(&self, body: u32) -> Option<&Node<N>> {
        self.topology.node_weight(NodeIndex::new(body as usize))
    }

    /// The body with this index, to change its kind or payload.
    pub fn node_mut(&mut self, body: u32) -> Option<&mut Node<N>> {
        self.topology.node_weight_mut(NodeIndex::new(body as usize))
    }

    /// The kind of a body.
    #[must_use]
    pub fn node_kind(&self, body: u32) -> Option<NodeKind> {
        self.node(body).map(|node| node.kind)
    }

    /// Changes the kind of a body. Its edges stay; the next groups see the new kind.
    pub fn set_node_kind(&mut self, body: u32, kind: NodeKind) -> Result<(), GraphError> {
        let count = self.node_count();
        let node = self
            .node_mut(body)
            .ok_or(GraphError::BodyOutOfRange { body, count })?;
        node.kind = kind;
        Ok(())
    }

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
    pub fn update_with(
        &mut self,
        pairs: &[(u32, u32)],
        mut create: impl FnMut(u32, u32) -> E,
    ) -> Result<(), GraphError> {
        // The stored pairs were checked when they came, so equal ones need no check.
        if self.pairs == pairs {
            self.vanished.clear();
            for edge in &mut self.edges {
                edge.state = EdgeState::Persistent;
            }
            return Ok(());
        }
        self.check_pairs(pairs)?;
        self.vanished.clear();

        // Edges before the first change stay where they are; payloads can be large.
        let kept = self
            .pairs
            .iter()
            .zip(pairs)
            .take_while(|(old, new)| old == new)
            .count();
        for edge in &mut self.edges[..kept] {
            edge.state = EdgeState::Persistent;
        }
        self.moving.extend(self.edges.drain(kept..));
        let old_pairs = self.pairs[kept..].iter().copied();
        let mut old = old_pairs.zip(self.moving.drain(..)).peekable();
        for &pair in &pairs[kept..] {
            while let Some((_, edge)) = old.next_if(|(old_pair, _)| *old_pair < pair) {
                self.vanished.push(Edge {
                    state: EdgeState::Vanished,
                    ..edge
                });
            }
            let (a, b) = pair;
            self.edges
                .push(match old.next_if(|(old_pair, _)| *old_pair == pair) {
                    Some((_, edge)) => Edge {
                        state: EdgeState::Persistent,
                        ..edge
                    },
                    None => Edge {
                        a,
                        b,
                        state: EdgeState::New,
                        payload: create(a, b),
                    },
                });
        }
        self.vanished.extend(old.map(|(_, edge)| Edge {
            state: EdgeState::Vanished,
            ..edge
        }));

        self.pairs.truncate(kept);
        self.pairs.extend_from_slice(&pairs[kept..]);
        self.rebuild_topology();
        Ok(())
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

    fn check_bodies(&self, position: usize, a: u32, b: u32) -> Result<(), GraphError> {
        let count = self.node_count();
        let body = a.max(b);
        if body as usize >= count {
            return Err(GraphError::BodyOutOfRange { body, count });
        }
        if a == b {
            return Err(GraphError::SelfPair { position, body: a });
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

    /// New and persistent edges in the order of their pairs.
    #[must_use]
    pub fn active_edges(&self) -> &[Edge<E>] {
        &self.edges
    }

    /// New and persistent edges in the order of their pairs, to fill their payloads. A slice, so that threads can
    /// share it out.
    pub fn active_edges_mut(&mut self) -> &mut [Edge<E>] {
        &mut self.edges
    }

    /// Edges that lost their pair in the last update, in the order of their pairs.
    #[must_use]
    pub fn vanished_edges(&self) -> &[Edge<E>] {
        &self.vanished
    }

    /// The pairs of the last update: the `i`-th belongs to the active edge at position `i`.
    #[must_use]
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// The position of the active edge between two bodies, given in any order. Logarithmic in the number of edges.
    #[must_use]
    pub fn position(&self, a: u32, b: u32) -> Option<u32> {
        let found = self.pairs.binary_search(&(a.min(b), a.max(b)));
        found.ok().map(|position| position as u32)
    }

    /// The active edge between two bodies, given in any order.
    #[must_use]
    pub fn find(&self, a: u32, b: u32) -> Option<&Edge<E>> {
        self.edges.get(self.position(a, b)? as usize)
    }

    /// The active edge between two bodies, given in any order, to change its payload.
    pub fn find_mut(&mut self, a: u32, b: u32) -> Option<&mut Edge<E>> {
        let position = self.position(a, b)?;
        self.edges.get_mut(position as usize)
    }

    /// The bodies near a body, each with the position of the edge between them: first those with a larger index, then
    /// those with a smaller one, each in rising order. None for a body that isn't there.
    pub fn neighbours(&self, body: u32) -> impl Iterator<Item = (u32, u32)> {
        let edges = self.topology.edges(NodeIndex::new(body as usize));
        edges.map(|edge| (edge.target().index() as u32, *edge.weight()))
    }

    /// The active edges as a petgraph graph: nodes by body index, edge weights the positions of edges.
    #[must_use]
    pub fn topology(&self) -> &UnGraph<Node<N>, u32> {
        &self.topology
    }

    /// Sets the pairs of bodies that belong together whether they touch or not: those with a joint between them. They
    /// are the structural edges of Table 5.2 and join groups (§5.2.5). Any order, and a pair may be there twice; a
    /// later call replaces them all. On an error the graph is as it was.
    pub fn set_links(&mut self, links: &[(u32, u32)]) -> Result<(), GraphError> {
        for (position, &(a, b)) in links.iter().enumerate() {
            self.check_bodies(position, a, b)?;
        }
        self.links.clear();
        self.links.extend_from_slice(links);
        Ok(())
    }

    /// The links last set.
    #[must_use]
    pub fn links(&self) -> &[(u32, u32)] {
        &self.links
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
