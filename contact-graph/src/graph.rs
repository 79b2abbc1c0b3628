//! The graph itself: bodies, access to edges and neighbours, links. How edges come and go is in `update.rs`, how bodies
//! are grouped in `groups.rs`; why each structure is there, on the crate's front page.

use petgraph::graph::{NodeIndex, UnGraph};
use petgraph::visit::EdgeRef;

use crate::{Edge, GraphError, Node, NodeKind};

/// Bodies and the pairs of them near each other, with memory. See the [crate's front page](crate) for an example.
///
/// Bodies are numbered from 0 in the order they were added and are never removed.
#[derive(Clone, Debug)]
pub struct ContactGraph<N, E> {
    /// Nodes with their payloads; edge weights are positions in `edges`.
    pub(crate) topology: UnGraph<Node<N>, u32>,
    /// The pairs of the last update, parallel to `edges`: what search and merge read, eight bytes a pair whatever the
    /// payload's size.
    pub(crate) pairs: Vec<(u32, u32)>,
    pub(crate) edges: Vec<Edge<E>>,
    pub(crate) vanished: Vec<Edge<E>>,
    /// Edges on their way to a new position; empty between updates.
    pub(crate) moving: Vec<Edge<E>>,
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
        let node = self.node_mut(body).ok_or(GraphError::BodyOutOfRange { body, count })?;
        node.kind = kind;
        Ok(())
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

    /// Whether the pair at a position of some list joins two bodies that exist.
    pub(crate) fn check_bodies(&self, position: usize, a: u32, b: u32) -> Result<(), GraphError> {
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
}
