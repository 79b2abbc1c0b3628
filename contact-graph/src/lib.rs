//! Who touches whom: the contact graph of K. Erleben, *Stable, Robust, and Versatile Multibody Dynamics
//! Animation* (2004), chapter 5.
//!
//! Bodies are nodes, pairs reported by the broad phase are edges. An edge lives as long as its pair is reported, and
//! so it can remember things from one step to the next: contact points, impulses for a warm start. The graph doesn't
//! know what these are; the payloads of nodes and edges are type parameters.
//!
//! | what | where | in the dissertation |
//! |---|---|---|
//! | kinds of nodes and edges | [`NodeKind`], [`EdgeKind`] | §5.1, Tables 5.1 and 5.2 |
//! | the life of edges | [`ContactGraph::update_with`] | §5.2 stage 1, Fig 5.3 |
//! | which pairs may collide | [`CollisionFilter`] | stage 2, Fig 5.4; Gravitas §3.4.3 |
//! | contact groups | [`ContactGraph::groups`] | stage 5, §5.2.5 |
//! | events | [`Edge::proximity`], [`Edge::touch`], [`ContactGraph::settle`] | §5.3 |
//! | subgroups, and the parts of a layer | [`ContactGraph::partition`] | §5.6, §6.4 |
//! | stack heights and layers | [`StackLayers`] | §6.4.2 |
//! | sleep | [`Sleepers`] | §6.5 |
//!
//! # Why each structure is there
//!
//! - **Active edges**, one `Vec` in the order of the sorted pairs. Position `i` belongs to the `i`-th reported pair,
//!   access is O(1), and the slice splits into disjoint mutable parts for a parallel narrow phase. Most pairs persist,
//!   so an update merges two sorted lists and needs no hashing: the dissertation's hash tables (§5.1) answer the same
//!   question, and a binary search replaces their look-up.
//! - **Dormant edges**, a second `Vec`: edges whose pair was reported once and is no longer. They stay until their end
//!   has been told, and then as long as the caller wants to keep their memory.
//! - **Topology**, a petgraph undirected graph with edge positions as weights: neighbours, and any petgraph algorithm.
//!   It is drawn when it is asked for and only then: no step needs it, and it would take as long as the update itself.
//! - **Groups**, flat arrays filled by union–find over the active edges, reused from step to step.
//!
//! A step in which no pair appears or vanishes allocates nothing. Nothing is hashed, so results depend only on the
//! inputs.
//!
//! # Example
//!
//! Two towers on one ground don't feel each other: the ground is fixed and insulates them.
//!
//! ```
//! use drystone_contact_graph::{Change, ContactGraph, Groups, NodeKind};
//!
//! # fn main() -> Result<(), drystone_contact_graph::GraphError> {
//! let mut graph: ContactGraph<(), Vec<f64>> = ContactGraph::new();
//! let ground = graph.add_node(NodeKind::Fixed, ());
//! let bodies: Vec<u32> = (0..4).map(|_| graph.add_node(NodeKind::Rigid, ())).collect();
//! assert_eq!((ground, bodies.as_slice()), (0, [1, 2, 3, 4].as_slice()));
//!
//! // What the broad phase found, sorted. Body 4 is near body 3.
//! let pairs = [(0, 1), (0, 3), (1, 2), (3, 4)];
//! graph.update(&pairs)?;
//! for edge in graph.active_edges_mut() {
//!     // The narrow phase fills the payload; here only depths. Bodies 3 and 4 don't touch.
//!     edge.payload = if (edge.a, edge.b) == (3, 4) { vec![] } else { vec![0.001] };
//!     edge.set_touching(!edge.payload.is_empty());
//! }
//!
//! let mut groups = Groups::default();
//! graph.groups(|edge| edge.is_touching(), &mut groups);
//! assert_eq!(groups.len(), 2);
//! let first = groups.get(0).unwrap();
//! assert_eq!((first.bodies, first.edges), ([1, 2].as_slice(), [0, 2].as_slice()));
//! assert_eq!(groups.free, [4]);
//!
//! // What was seen so far has been told. Next step: body 2 has left body 1.
//! graph.settle();
//! graph.update(&[(0, 1), (0, 3), (3, 4)])?;
//! assert_eq!(graph.find(0, 1).unwrap().touch(), Some(Change::Persistent));
//! let lost = &graph.dormant_edges()[0];
//! assert_eq!((lost.touch(), lost.payload.as_slice()), (Some(Change::Vanishing), [0.001].as_slice()));
//! # Ok(())
//! # }
//! ```

mod edge;
mod edit;
mod error;
mod filter;
mod flat_lists;
mod graph;
mod groups;
mod layers;
mod node;
mod sleep;
mod union_find;
mod update;

pub use edge::{Change, Edge, EdgeKind, Nearness};
pub use error::GraphError;
pub use filter::{CollisionFilter, FilterError, FilterScope};
pub use graph::ContactGraph;
pub use groups::{Group, Groups, Join, Tie};
pub use layers::{Cycles, Heights, LayerRule, StackLayers, Support};
pub use node::{Node, NodeCategory, NodeKind};
/// The version of petgraph behind [`ContactGraph::topology`].
pub use petgraph;
pub use sleep::{SleepRule, Sleepers};
