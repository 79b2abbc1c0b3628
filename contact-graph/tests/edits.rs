//! Random sequences of edits: nodes of every kind come, go and change, pairs come and go, edges touch, links and static
//! edges are set anew. After every edit the graph must be what a naive model of maps says, and its groups those that
//! petgraph's connected components give.

use std::collections::{BTreeMap, BTreeSet};

use drystone_contact_graph::petgraph::algo::connected_components;
use drystone_contact_graph::petgraph::graph::UnGraph;
use drystone_contact_graph::petgraph::unionfind::UnionFind;
use drystone_contact_graph::petgraph::visit::EdgeRef;
use drystone_contact_graph::{
    Change, ContactGraph, Edge, EdgeKind, GraphError, Groups, Nearness, NodeCategory, NodeKind,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use Nearness::{Far, Near, Touching};

type Pair = (u32, u32);

/// Payloads are numbers that are given once, so a kept one shows that it is the same node or edge.
type Graph = ContactGraph<u32, u32>;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Memory {
    before: Nearness,
    now: Nearness,
    payload: u32,
}

/// The same graph as maps, without any thought for speed.
#[derive(Clone, Debug, Default)]
struct Model {
    nodes: Vec<(NodeKind, u32)>,
    active: BTreeMap<Pair, Memory>,
    dormant: BTreeMap<Pair, Memory>,
    links: Vec<Pair>,
    fixtures: Vec<Pair>,
    births: u32,
}

impl Model {
    fn birth(&mut self) -> u32 {
        self.births += 1;
        self.births
    }

    fn kind(&self, node: u32) -> NodeKind {
        self.nodes[node as usize].0
    }

    /// Table 5.2, by names.
    fn is_structural(&self, (a, b): Pair) -> bool {
        use NodeKind::{Composite, Link, Multibody, Rigid};
        let ends = [self.kind(a), self.kind(b)];
        [
            [Rigid, Composite],
            [Composite, Rigid],
            [Link, Multibody],
            [Multibody, Link],
        ]
        .contains(&ends)
    }

    fn is_logical(&self, (a, b): Pair) -> bool {
        let physical = |node| self.kind(node).category() == NodeCategory::Physical;
        let rule = |node| self.kind(node) == NodeKind::Rule;
        rule(a) && physical(b) || rule(b) && physical(a)
    }

    fn update(&mut self, pairs: &BTreeSet<Pair>, is_obsolete: impl Fn(u32) -> bool) {
        self.dormant
            .retain(|_, edge| edge.before != Far || !is_obsolete(edge.payload));
        let active = std::mem::take(&mut self.active);
        for &pair in pairs {
            let known = active.get(&pair).copied();
            let back = self.dormant.remove(&pair).map(|edge| Memory { now: Near, ..edge });
            assert!(
                known.is_none() || back.is_none(),
                "an edge is active or dormant, not both"
            );
            let edge = known.or(back).unwrap_or_else(|| Memory {
                before: Far,
                now: Near,
                payload: self.birth(),
            });
            self.active.insert(pair, edge);
        }
        for (pair, edge) in active {
            if !pairs.contains(&pair) {
                self.dormant.insert(pair, Memory { now: Far, ..edge });
            }
        }
    }

    fn settle(&mut self) {
        for edge in self.active.values_mut().chain(self.dormant.values_mut()) {
            edge.before = edge.now;
        }
    }

    fn remove(&mut self, keep: &[bool]) {
        let new_index =
            |node: u32| keep[node as usize].then(|| keep[..node as usize].iter().filter(|kept| **kept).count() as u32);
        let moved = |(a, b): Pair| Some((new_index(a)?, new_index(b)?));
        let edges = |edges: &BTreeMap<Pair, Memory>| {
            let stay = edges.iter().filter_map(|(&pair, &edge)| Some((moved(pair)?, edge)));
            stay.collect::<BTreeMap<_, _>>()
        };
        let list = |pairs: &[Pair]| pairs.iter().filter_map(|&pair| moved(pair)).collect::<Vec<_>>();
        self.active = edges(&self.active);
        self.dormant = edges(&self.dormant);
        self.links = list(&self.links);
        self.fixtures = list(&self.fixtures);
        let mut kept = keep.iter();
        self.nodes.retain(|_| *kept.next().expect("one for each node"));
    }

    /// Everything the graph says of itself, against the maps.
    fn check(&self, graph: &Graph) {
        let nodes: Vec<_> = graph.nodes().map(|node| (node.kind, node.payload)).collect();
        assert_eq!(nodes, self.nodes);
        assert_eq!(graph.node_count(), self.nodes.len());
        assert_eq!(graph.node(self.nodes.len() as u32), None);

        check_edges(graph.active_edges(), &self.active);
        check_edges(graph.dormant_edges(), &self.dormant);
        let pairs: Vec<Pair> = self.active.keys().copied().collect();
        assert_eq!(graph.pairs(), pairs);
        assert_eq!(graph.links(), self.links);
        let fixtures: Vec<_> = self
            .fixtures
            .iter()
            .filter_map(|&pair| match (self.is_structural(pair), self.is_logical(pair)) {
                (true, _) => Some((pair.0, pair.1, EdgeKind::Structural)),
                (_, true) => Some((pair.0, pair.1, EdgeKind::Logical)),
                _ => None,
            })
            .collect();
        assert_eq!(graph.static_edges().collect::<Vec<_>>(), fixtures);

        for a in 0..self.nodes.len() as u32 {
            let position = |b: u32| pairs.iter().position(|pair| *pair == (a.min(b), a.max(b)));
            let beside = |b: u32| Some((b, position(b)? as u32));
            let larger = (a + 1..self.nodes.len() as u32).filter_map(beside);
            let expected: Vec<_> = larger.chain((0..a).filter_map(beside)).collect();
            assert_eq!(graph.neighbours(a).collect::<Vec<_>>(), expected, "neighbours of {a}");
            for b in 0..self.nodes.len() as u32 {
                let found = graph.find(a, b).map(|edge| edge.payload);
                let known = self.active.get(&(a.min(b), a.max(b)));
                assert_eq!(found, known.map(|edge| edge.payload));
                assert_eq!(graph.position(a, b).map(|place| place as usize), position(b));
            }
        }
        let topology = graph.topology();
        let mut drawn: Vec<(u32, Pair)> = topology
            .edge_references()
            .map(|edge| {
                (
                    *edge.weight(),
                    (edge.source().index() as u32, edge.target().index() as u32),
                )
            })
            .collect();
        drawn.sort_unstable();
        assert_eq!(drawn, (0..).zip(pairs.iter().copied()).collect::<Vec<_>>());
        self.check_groups(graph);
    }

    /// Groups over touching edges, links and structural edges: petgraph counts the components of the graph without its
    /// insulators, and its union–find says who is in them.
    fn check_groups(&self, graph: &Graph) {
        let mut groups = Groups::default();
        graph.groups(Edge::is_touching, &mut groups);

        let touching = self.active.iter().filter(|(_, edge)| edge.now == Touching);
        let touching: Vec<Pair> = touching.map(|(&pair, _)| pair).collect();
        let structural = self.fixtures.iter().copied().filter(|&pair| self.is_structural(pair));
        let ties: Vec<Pair> = touching.iter().chain(&self.links).copied().chain(structural).collect();
        let passes = |node: u32| self.kind(node).is_movable() || self.kind(node).category() == NodeCategory::Container;
        let movable = |node: &u32| self.kind(*node).is_movable();

        let mut sets = UnionFind::new(self.nodes.len());
        let mut tied = BTreeSet::new();
        let mut drawing = UnGraph::<(), ()>::default();
        let places: Vec<_> = self.nodes.iter().map(|_| drawing.add_node(())).collect();
        for &(a, b) in &ties {
            tied.extend([a, b].into_iter().filter(|&node| passes(node)));
            if passes(a) && passes(b) {
                sets.union(a, b);
                drawing.add_edge(places[a as usize], places[b as usize], ());
            }
        }
        let of = |node: u32| {
            let same = tied
                .iter()
                .copied()
                .filter(|&other| sets.find(other) == sets.find(node));
            same.filter(movable).collect::<Vec<u32>>()
        };
        let mut expected: Vec<Vec<u32>> = tied.iter().map(|&node| of(node)).collect();
        expected.sort();
        expected.dedup();
        expected.retain(|bodies| !bodies.is_empty());
        // Two ways that must agree before either is believed: every node outside is a component of its own.
        let all: BTreeSet<_> = (0..self.nodes.len() as u32).map(|node| sets.find(node)).collect();
        assert_eq!(connected_components(&drawing), all.len());

        let mut found: Vec<Vec<u32>> = groups.iter().map(|group| group.bodies.to_vec()).collect();
        found.sort();
        assert_eq!(found, expected);
        let free: Vec<u32> = (0..self.nodes.len() as u32)
            .filter(|node| movable(node) && !tied.contains(node))
            .collect();
        assert_eq!(groups.free, free);
        assert_eq!(groups.largest(), expected.iter().map(Vec::len).max().unwrap_or(0));
        assert!(groups.iter().is_sorted_by_key(|group| group.bodies.to_vec()));

        for (number, group) in groups.iter().enumerate() {
            let inside = |(a, b): Pair| [a, b].iter().any(|end| group.bodies.contains(end));
            let edges: Vec<u32> = (0..)
                .zip(self.active.keys())
                .filter(|(_, pair)| touching.contains(pair) && inside(**pair))
                .map(|(position, _)| position)
                .collect();
            assert_eq!(group.edges, edges);
            let links = (0..).zip(&self.links).filter(|(_, pair)| inside(**pair));
            assert_eq!(group.links, links.map(|(position, _)| position).collect::<Vec<u32>>());
            assert!(group.bodies.iter().all(|&body| groups.group_of(body) == Some(number)));
        }
        let grouped = |node: u32| expected.iter().any(|bodies| bodies.contains(&node));
        for node in 0..self.nodes.len() as u32 + 1 {
            assert_eq!(groups.group_of(node).is_some(), grouped(node), "group of {node}");
        }
    }
}

fn check_edges(edges: &[Edge<u32>], expected: &BTreeMap<Pair, Memory>) {
    let change = |before: bool, now: bool| match (before, now) {
        (false, false) => None,
        (false, true) => Some(Change::New),
        (true, true) => Some(Change::Persistent),
        (true, false) => Some(Change::Vanishing),
    };
    assert_eq!(edges.len(), expected.len());
    for (edge, (&pair, memory)) in edges.iter().zip(expected) {
        assert_eq!((edge.a, edge.b), pair);
        assert_eq!(
            (edge.before, edge.now, edge.payload),
            (memory.before, memory.now, memory.payload)
        );
        assert_eq!(edge.proximity(), change(memory.before != Far, memory.now != Far));
        assert_eq!(edge.touch(), change(memory.before == Touching, memory.now == Touching));
    }
}

/// A graph with its model, edited together.
struct Pen {
    graph: Graph,
    model: Model,
    random: Pcg64,
}

impl Pen {
    fn node(&mut self) -> Option<u32> {
        let count = self.model.nodes.len() as u32;
        (count > 0).then(|| self.random.random_range(0..count))
    }

    /// Two different nodes, the smaller index first.
    fn pair(&mut self) -> Option<Pair> {
        let (a, b) = (self.node()?, self.node()?);
        (a != b).then_some((a.min(b), a.max(b)))
    }

    fn kind(&mut self) -> NodeKind {
        // Bodies are what most nodes are.
        if self.random.random_bool(0.5) {
            [NodeKind::Rigid, NodeKind::Link][self.random.random_range(0..2)]
        } else {
            NodeKind::ALL[self.random.random_range(0..NodeKind::ALL.len())]
        }
    }

    fn add(&mut self) {
        let (kind, payload) = (self.kind(), self.model.birth());
        let index = self.graph.add_node(kind, payload);
        assert_eq!(index as usize, self.model.nodes.len());
        self.model.nodes.push((kind, payload));
    }

    fn remove(&mut self) {
        let rate = [0.05, 0.3, 1.0][self.random.random_range(0..3)] * self.random.random_range(0.0..1.0);
        let keep: Vec<bool> = self
            .model
            .nodes
            .iter()
            .map(|_| !self.random.random_bool(rate))
            .collect();
        self.graph.renumber(|node| keep[node as usize]);
        self.model.remove(&keep);
    }

    fn change_kind(&mut self) {
        let kind = self.kind();
        if let Some(node) = self.node() {
            self.graph.set_node_kind(node, kind).unwrap();
            self.model.nodes[node as usize].0 = kind;
        }
        let count = self.model.nodes.len();
        let body = count as u32;
        let refused = GraphError::BodyOutOfRange { body, count };
        assert_eq!(self.graph.set_node_kind(body, kind), Err(refused));
    }

    fn update(&mut self) {
        let mut pairs: BTreeSet<Pair> = self.model.active.keys().copied().collect();
        for _ in 0..self.random.random_range(0..12) {
            if let Some(pair) = self.pair()
                && !pairs.remove(&pair)
            {
                pairs.insert(pair);
            }
        }
        // Never, at once, or some: all that the caller may say.
        let modulus = [0, 1, 2, 3][self.random.random_range(0..4)];
        let is_obsolete = |payload: u32| modulus > 0 && payload.is_multiple_of(modulus);
        if self.random.random_bool(0.7) {
            self.graph.settle();
            self.model.settle();
        }
        let list: Vec<Pair> = pairs.iter().copied().collect();
        let mut births = self.model.births;
        let create = |_, _| {
            births += 1;
            births
        };
        self.graph
            .update_with(&list, create, |edge| is_obsolete(edge.payload))
            .unwrap();
        self.model.update(&pairs, is_obsolete);
        assert_eq!(births, self.model.births, "each new edge gets one payload");
    }

    fn touch(&mut self) {
        for (edge, memory) in self
            .graph
            .active_edges_mut()
            .iter_mut()
            .zip(self.model.active.values_mut())
        {
            if self.random.random_bool(0.4) {
                let touching = self.random.random_bool(0.6);
                edge.set_touching(touching);
                memory.now = if touching { Touching } else { Near };
            }
        }
    }

    fn link(&mut self) {
        let count = self.random.random_range(0..5);
        let links: Vec<Pair> = (0..count).filter_map(|_| self.pair()).collect();
        let links: Vec<Pair> = links
            .into_iter()
            .map(|(a, b)| if a % 2 == 0 { (a, b) } else { (b, a) })
            .collect();
        self.graph.set_links(&links).unwrap();
        self.model.links = links;
    }

    fn fixture(&mut self) {
        let pairs: Vec<Pair> = (0..30).filter_map(|_| self.pair()).collect();
        let (good, bad): (Vec<Pair>, Vec<Pair>) = pairs
            .into_iter()
            .partition(|&pair| self.model.is_structural(pair) || self.model.is_logical(pair));
        self.graph.set_static_edges(&good).unwrap();
        self.model.fixtures = good;
        if let Some(&(a, b)) = bad.first() {
            let refused = GraphError::NotStatic { position: 0, a, b };
            assert_eq!(self.graph.set_static_edges(&[(a, b)]), Err(refused));
        }
    }

    /// What is refused leaves no trace; the check afterwards sees to that.
    fn refuse(&mut self) {
        let count = self.model.nodes.len() as u32;
        assert!(self.graph.set_links(&[(0, count)]).is_err());
        assert!(self.graph.set_links(&[(0, 0)]).is_err());
        assert!(self.graph.update(&[(count, count + 1)]).is_err());
        if let Some((a, b)) = self.pair() {
            assert!(self.graph.update(&[(b, a)]).is_err());
            assert!(self.graph.update(&[(a, b), (a, b)]).is_err());
        }
    }
}

#[test]
fn a_graph_is_what_its_edits_say() {
    let (mut dormant, mut groups, mut fixtures, mut kept) = (0, 0, 0, 0);
    for seed in 0..150 {
        let mut pen = Pen {
            graph: Graph::new(),
            model: Model::default(),
            random: Pcg64::seed_from_u64(seed),
        };
        for _ in 0..60 {
            match pen.random.random_range(0..100) {
                0..25 => pen.add(),
                25..30 => pen.remove(),
                30..37 => pen.change_kind(),
                37..65 => pen.update(),
                65..82 => pen.touch(),
                82..88 => pen.link(),
                88..94 => pen.fixture(),
                _ => pen.refuse(),
            }
            pen.model.check(&pen.graph);
            dormant = dormant.max(pen.model.dormant.len());
            fixtures = fixtures.max(pen.graph.static_edges().count());
            kept += pen.model.active.values().filter(|edge| edge.before == Touching).count();
            let mut found = Groups::default();
            pen.graph.groups(Edge::is_touching, &mut found);
            groups = groups.max(found.len());
        }
    }
    // The sequences went where they were meant to.
    assert!(
        dormant > 5 && groups > 2 && fixtures > 3 && kept > 1000,
        "{dormant} {groups} {fixtures} {kept}"
    );
}
