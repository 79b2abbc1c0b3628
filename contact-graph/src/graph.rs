//! The graph itself: nodes, access to edges and neighbours, links and static edges. How edges come and go is in
//! `update.rs`, how nodes do in `edit.rs`, how bodies are grouped in `groups.rs`; why each structure is there, on the
//! crate's front page.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use petgraph::graph::{NodeIndex, UnGraph};
use petgraph::visit::EdgeRef;

use crate::update::Run;
use crate::{Edge, EdgeKind, GraphError, Node, NodeKind};

/// Nodes and the pairs of them near each other, with memory. See the [crate's front page](crate) for an example.
///
/// Nodes are numbered from 0 in the order they were added; removing some closes the gaps
/// ([`renumber`](Self::renumber)).
#[derive(Clone, Debug)]
pub struct ContactGraph<N, E> {
    pub(crate) nodes: Vec<Node<N>>,
    /// The active edges for petgraph, drawn when somebody asks; edge weights are positions in `edges`.
    pub(crate) topology: OnceLock<UnGraph<(), u32>>,
    /// The pairs of the last update, parallel to `edges`: what search and merge read, eight bytes a pair whatever the
    /// payload's size.
    pub(crate) pairs: Vec<(u32, u32)>,
    pub(crate) edges: Vec<Edge<E>>,
    /// Edges whose pair is no longer reported, in the order of their pairs.
    pub(crate) dormant: Vec<Edge<E>>,
    /// Edges that are about to be dormant, and those that stay so; empty between updates.
    pub(crate) leaving: Vec<Edge<E>>,
    pub(crate) resting: Vec<Edge<E>>,
    /// Where edges go in an update.
    pub(crate) runs: Vec<Run>,
    pub(crate) links: Vec<(u32, u32)>,
    pub(crate) fixtures: Vec<(u32, u32)>,
    /// A number for nodes, links and static edges as they are, which no other graph has but copies, and graphs that are as empty as
    /// this was made.
    pub(crate) structure: u64,
}

impl<N, E> Default for ContactGraph<N, E> {
    fn default() -> Self {
        ContactGraph {
            nodes: Vec::new(),
            topology: OnceLock::new(),
            pairs: Vec::new(),
            edges: Vec::new(),
            dormant: Vec::new(),
            leaving: Vec::new(),
            resting: Vec::new(),
            runs: Vec::new(),
            links: Vec::new(),
            fixtures: Vec::new(),
            structure: 0,
        }
    }
}

impl<N, E> ContactGraph<N, E> {
    /// An empty graph.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a node and returns its index. There is room for 2³² − 2 of them.
    pub fn add_node(&mut self, kind: NodeKind, payload: N) -> u32 {
        self.note_structure();
        self.topology.take();
        self.nodes.push(Node { kind, payload });
        self.nodes.len() as u32 - 1
    }

    /// How many nodes there are.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// All nodes by index.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = &Node<N>> {
        self.nodes.iter()
    }

    /// The node with this index.
    #[must_use]
    pub fn node(&self, body: u32) -> Option<&Node<N>> {
        self.nodes.get(body as usize)
    }

    /// The node with this index, to change its kind or payload.
    pub fn node_mut(&mut self, body: u32) -> Option<&mut Node<N>> {
        self.note_structure();
        self.nodes.get_mut(body as usize)
    }

    /// The kind of a node.
    #[must_use]
    pub fn node_kind(&self, body: u32) -> Option<NodeKind> {
        self.node(body).map(|node| node.kind)
    }

    /// Changes the kind of a node. Its edges stay; the next groups see the new kind.
    pub fn set_node_kind(&mut self, body: u32, kind: NodeKind) -> Result<(), GraphError> {
        let count = self.node_count();
        let node = self.node_mut(body).ok_or(GraphError::BodyOutOfRange { body, count })?;
        node.kind = kind;
        Ok(())
    }

    /// Edges of the pairs of the last update, in their order.
    #[must_use]
    pub fn active_edges(&self) -> &[Edge<E>] {
        &self.edges
    }

    /// Edges of the pairs of the last update, in their order, to fill their payloads. A slice, so that threads can
    /// share it out.
    pub fn active_edges_mut(&mut self) -> &mut [Edge<E>] {
        &mut self.edges
    }

    /// Edges whose pair was reported once and is no longer, in the order of their pairs.
    #[must_use]
    pub fn dormant_edges(&self) -> &[Edge<E>] {
        &self.dormant
    }

    /// What an edge is, by the kinds of its ends.
    #[must_use]
    pub fn edge_kind(&self, a: u32, b: u32) -> Option<EdgeKind> {
        EdgeKind::between(self.node_kind(a)?, self.node_kind(b)?)
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
    /// those with a smaller one, each in rising order. None for a body that isn't there. Asks [`topology`](Self::topology).
    pub fn neighbours(&self, body: u32) -> impl Iterator<Item = (u32, u32)> {
        let edges = self.topology().edges(NodeIndex::new(body as usize));
        edges.map(|edge| (edge.target().index() as u32, *edge.weight()))
    }

    /// The active edges as a petgraph graph: nodes by body index, edge weights the positions of edges. The first call after
    /// a change of pairs or nodes draws it, in time and memory linear in both.
    #[must_use]
    pub fn topology(&self) -> &UnGraph<(), u32> {
        self.topology.get_or_init(|| {
            let mut topology = UnGraph::with_capacity(self.nodes.len(), self.pairs.len());
            self.nodes.iter().for_each(|_| {
                topology.add_node(());
            });
            // petgraph puts a new edge at the head of its nodes' lists; adding from the back gives neighbours in rising
            // order.
            for (position, &(a, b)) in self.pairs.iter().enumerate().rev() {
                let (a, b) = (NodeIndex::new(a as usize), NodeIndex::new(b as usize));
                topology.add_edge(a, b, position as u32);
            }
            topology
        })
    }

    /// Sets the pairs of bodies that belong together whether they touch or not: those with a joint between them. They
    /// join groups (§5.2.5). Any order, and a pair may be there twice; a later call replaces them all. On an error the
    /// graph is as it was.
    pub fn set_links(&mut self, links: &[(u32, u32)]) -> Result<(), GraphError> {
        for (position, &(a, b)) in links.iter().enumerate() {
            self.check_bodies(position, a, b)?;
        }
        if self.links != links {
            self.note_structure();
            self.links.clear();
            self.links.extend_from_slice(links);
        }
        Ok(())
    }

    /// The links last set.
    #[must_use]
    pub fn links(&self) -> &[(u32, u32)] {
        &self.links
    }

    /// Sets the static edges of Table 5.2: logical ones between rules and bodies, structural ones between bodies and the
    /// containers they are part of, which join groups. A later call replaces them all. On an error the graph is as it was.
    pub fn set_static_edges(&mut self, pairs: &[(u32, u32)]) -> Result<(), GraphError> {
        for (position, &(a, b)) in pairs.iter().enumerate() {
            self.check_bodies(position, a, b)?;
            if !self.edge_kind(a, b).is_some_and(EdgeKind::is_static) {
                return Err(GraphError::NotStatic { position, a, b });
            }
        }
        self.note_structure();
        self.fixtures.clear();
        self.fixtures.extend_from_slice(pairs);
        Ok(())
    }

    /// Notes that nodes, links or static edges are no longer what they were.
    pub(crate) fn note_structure(&mut self) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        self.structure = NEXT.fetch_add(1, Ordering::Relaxed);
    }

    /// The static edges, each with its kind, in the order they were set. An edge whose end has changed its kind since, so
    /// that nothing is between the two any more, is left out.
    pub fn static_edges(&self) -> impl Iterator<Item = (u32, u32, EdgeKind)> {
        let kind = |&(a, b): &(u32, u32)| Some((a, b, self.edge_kind(a, b)?));
        self.fixtures
            .iter()
            .filter_map(kind)
            .filter(|(_, _, kind)| kind.is_static())
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
