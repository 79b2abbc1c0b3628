//! Contact groups (§5.2.5): sets of bodies that can feel each other through contacts, and so the parts of the contact
//! problem that can be solved one by one or in parallel.
//!
//! They are the connected components over touching edges and links, with fixed and scripted bodies as insulators:
//! such a body may be touched by many groups and joins none. The dissertation colours edges in a recursive traversal
//! (Figs 5.7, 5.8). Union–find over the flat edge list gives the same sets, needs no stack, and reads memory in order.
//!
//! The same machinery makes finer parts ([`ContactGraph::partition`]): an edge may belong to the part of one of its ends
//! alone, which takes the other end as it is. So sleepy bodies bound subgroups (§5.6), and a layer takes the one below it
//! for ground (§6.4).

use crate::flat_lists::FlatLists;
use crate::union_find::DisjointBodies;
use crate::{ContactGraph, Edge, EdgeKind};

/// Whose an edge is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// It joins its ends.
    Both,
    /// It is its first end's; the second one stays outside.
    First,
    /// It is its second end's; the first one stays outside.
    Second,
    /// It is nobody's.
    Neither,
}

/// An edge or a link, as [`ContactGraph::partition`] asks of it.
#[derive(Debug)]
pub struct Tie<'a, E> {
    /// The first end.
    pub a: u32,
    /// The second end.
    pub b: u32,
    /// The edge; none for a link.
    pub edge: Option<&'a Edge<E>>,
}

/// One contact group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group<'a> {
    /// The movable bodies, sorted.
    pub bodies: &'a [u32],
    /// Positions of its touching edges among the active edges, sorted. An edge to an insulator is in the group of its
    /// dynamic end.
    pub edges: &'a [u32],
    /// Positions of its links among [`ContactGraph::links`], sorted.
    pub links: &'a [u32],
}

/// The contact groups, ordered by their smallest body. Keep one and reuse it: its memory is reused too.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// Movable bodies that have neither a touching edge nor a link, sorted. They are in no group.
    pub free: Vec<u32>,
    count: usize,
    largest: usize,
    bodies: FlatLists,
    edges: FlatLists,
    links: FlatLists,
    /// The group of each body, or `NONE`.
    group_of: Vec<u32>,
    /// The structure of the graph that these groups follow from by itself, if no edge touched.
    bare: Option<u64>,
    // What follows is only used while the groups are formed.
    sets: DisjointBodies,
    /// Touching edges and links in some group: a body of that group, and the position.
    grouped_edges: Vec<(u32, u32)>,
    grouped_links: Vec<(u32, u32)>,
}

const NONE: u32 = u32::MAX;
/// In `group_of` while groups are formed: in some group, its number not yet known.
const SOME: u32 = u32::MAX - 1;

impl Groups {
    /// How many groups there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is no group.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The group with this number.
    #[must_use]
    pub fn get(&self, group: usize) -> Option<Group<'_>> {
        (group < self.count).then(|| self.at(group))
    }

    /// All groups in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Group<'_>> {
        (0..self.count).map(|group| self.at(group))
    }

    fn at(&self, group: usize) -> Group<'_> {
        Group {
            bodies: self.bodies.list(group),
            edges: self.edges.list(group),
            links: self.links.list(group),
        }
    }

    /// Makes all groups one: what a solver gets that knows nothing of groups.
    pub fn unite(&mut self) {
        self.bare = None;
        for group in self.group_of.iter_mut().filter(|group| **group != NONE) {
            *group = 0;
        }
        self.count = self.count.min(1);
        self.grouped_edges.sort_unstable_by_key(|&(_, position)| position);
        self.grouped_links.sort_unstable_by_key(|&(_, position)| position);
        self.fill();
    }

    /// The number of bodies in the largest group, 0 without groups.
    #[must_use]
    pub fn largest(&self) -> usize {
        self.largest
    }

    /// The group a body is in: none for insulators, free bodies, and bodies that aren't there.
    #[must_use]
    pub fn group_of(&self, body: u32) -> Option<usize> {
        let group = *self.group_of.get(body as usize)?;
        (group != NONE).then_some(group as usize)
    }
}

/// Equal groups; scratch memory from forming them doesn't count.
impl PartialEq for Groups {
    fn eq(&self, other: &Self) -> bool {
        self.free == other.free
            && self.bodies == other.bodies
            && self.edges == other.edges
            && self.links == other.links
            && self.group_of == other.group_of
    }
}

impl Eq for Groups {}

impl<N, E> ContactGraph<N, E> {
    /// Forms the contact groups over the active edges for which `is_touching` holds (asked for each, in order),
    /// all links and all structural edges. Linear in bodies and edges. Allocates only when bodies, edges or links have
    /// become more than `out` has seen: which edges touch makes no difference.
    ///
    /// While nothing touches and the rest of the graph stays as it is, as with a mechanism in free motion, so do the groups in
    /// `out`, and edges are all that is looked at.
    pub fn groups(&self, mut is_touching: impl FnMut(&Edge<E>) -> bool, out: &mut Groups) {
        self.groups_where(|position| is_touching(&self.active_edges()[position]), out);
    }

    /// The same for who knows by the positions of active edges which of them touch, one `bool` each; those that are missing
    /// don't. No edge is looked at, which saves reading them all.
    pub fn groups_by(&self, touching: &[bool], out: &mut Groups) {
        self.groups_where(|position| touching.get(position) == Some(&true), out);
    }

    fn groups_where(&self, mut is_touching: impl FnMut(usize) -> bool, out: &mut Groups) {
        let edges = self.active_edges().len();
        if out.bare == Some(self.structure) && !(0..edges).any(&mut is_touching) {
            return;
        }
        let mut touched = false;
        self.divide(
            |position, tie| match tie.edge {
                None => Join::Both,
                Some(_) if is_touching(position) => {
                    touched = true;
                    Join::Both
                }
                Some(_) => Join::Neither,
            },
            self.static_edges(),
            out,
        );
        out.bare = (!touched).then_some(self.structure);
    }

    /// Divides the bodies as a rule says of every active edge and every link, asked once for each, in order. Insulators
    /// are in no part whatever the rule says; an edge that is an insulator's alone is nobody's. Structural edges play no
    /// part: they would join what the rule divides.
    pub fn partition(&self, mut rule: impl FnMut(Tie<'_, E>) -> Join, out: &mut Groups) {
        self.divide(|_, tie| rule(tie), std::iter::empty(), out);
    }

    fn divide(
        &self,
        mut rule: impl FnMut(usize, Tie<'_, E>) -> Join,
        static_edges: impl Iterator<Item = (u32, u32, EdgeKind)>,
        out: &mut Groups,
    ) {
        out.bare = None;
        out.reserve(self.node_count(), self.active_edges().len(), self.links().len());
        out.sets.reset(self.nodes().map(|node| node.kind.is_insulator()));
        out.group_of.resize(self.node_count(), NONE);
        let is_body = |node: u32| self.nodes[node as usize].kind.is_movable();

        for (position, (edge, &(a, b))) in (0_u32..).zip(self.active_edges().iter().zip(self.pairs())) {
            let edge = Some(edge);
            let join = rule(position as usize, Tie { a, b, edge });
            let body = out.join(a, b, join, is_body);
            out.grouped_edges.extend(body.map(|body| (body, position)));
        }
        for (position, &(a, b)) in (0_u32..).zip(self.links()) {
            let join = rule(position as usize, Tie { a, b, edge: None });
            let body = out.join(a, b, join, is_body);
            out.grouped_links.extend(body.map(|body| (body, position)));
        }
        for (a, b, kind) in static_edges {
            if kind == EdgeKind::Structural {
                out.join(a, b, Join::Both, is_body);
            }
        }
        out.number_groups(is_body);
        out.fill();
    }
}

impl Groups {
    /// Empties all lists and makes room for the most they can hold.
    fn reserve(&mut self, bodies: usize, edges: usize, links: usize) {
        self.free.clear();
        self.free.reserve(bodies);
        self.group_of.clear();
        self.grouped_edges.clear();
        self.grouped_edges.reserve(edges);
        self.grouped_links.clear();
        self.grouped_links.reserve(links);
        self.bodies.reserve(bodies, bodies);
        self.edges.reserve(bodies, edges);
        self.links.reserve(bodies, links);
    }

    /// Joins two nodes by an edge or a link and returns the body that stands for it: none if it is nobody's, and none
    /// between containers, or one and an insulator, which is no contact.
    fn join(&mut self, a: u32, b: u32, join: Join, is_body: impl Fn(u32) -> bool) -> Option<u32> {
        let [takes_a, takes_b] = match join {
            Join::Both => [true, true],
            Join::First => [true, false],
            Join::Second => [false, true],
            Join::Neither => return None,
        };
        let [joins_a, joins_b] = [
            takes_a && !self.sets.is_insulator(a),
            takes_b && !self.sets.is_insulator(b),
        ];
        if !joins_a && !joins_b {
            return None;
        }
        if joins_a && joins_b {
            self.sets.join(a, b);
        }
        // Insulators get the mark too; numbering takes it away again.
        if takes_a {
            self.group_of[a as usize] = SOME;
        }
        if takes_b {
            self.group_of[b as usize] = SOME;
        }
        if joins_a && is_body(a) {
            Some(a)
        } else {
            (joins_b && is_body(b)).then_some(b)
        }
    }

    /// A set's smallest body opens the group: it notes the number at the set's root, where the others look it up.
    /// Containers hold a group together and are not in it, though one may be the root.
    fn number_groups(&mut self, is_body: impl Fn(u32) -> bool) {
        self.count = 0;
        for body in (0..self.group_of.len() as u32).filter(|&node| is_body(node)) {
            let i = body as usize;
            if self.group_of[i] == NONE {
                self.free.push(body);
                continue;
            }
            let root = self.sets.smallest(body) as usize;
            if self.group_of[root] == SOME {
                self.group_of[root] = self.count as u32;
                self.count += 1;
            }
            self.group_of[i] = self.group_of[root];
        }
        for (node, group) in (0..).zip(&mut self.group_of) {
            if !is_body(node) {
                *group = NONE;
            }
        }
    }

    /// Bodies and positions arrive in rising order, and so each list is sorted.
    fn fill(&mut self) {
        let group_of = &self.group_of;
        let bodies = group_of.iter().copied().zip(0..).filter(|&(group, _)| group != NONE);
        self.bodies.fill(self.count, bodies);
        let with_group = |&(body, position): &(u32, u32)| (group_of[body as usize], position);
        self.edges.fill(self.count, self.grouped_edges.iter().map(with_group));
        self.links.fill(self.count, self.grouped_links.iter().map(with_group));
        self.largest = (0..self.count)
            .map(|group| self.bodies.list(group).len())
            .max()
            .unwrap_or(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NodeKind;

    /// What is kept while nothing touches is what would have been found anew.
    #[test]
    fn groups_follow_every_change_of_the_graph() {
        let mut graph: ContactGraph<(), ()> = ContactGraph::new();
        for _ in 0..6 {
            graph.add_node(NodeKind::Link, ());
        }
        graph.update(&[(0, 3), (4, 5)]).unwrap();
        graph.set_links(&[(0, 1), (1, 2)]).unwrap();
        let mut kept = Groups::default();
        let check = |graph: &ContactGraph<(), ()>, kept: &mut Groups| {
            for touching in [false, false, true, true, false] {
                let mut fresh = Groups::default();
                graph.groups(|edge| touching && edge.a == 0, &mut fresh);
                graph.groups(|edge| touching && edge.a == 0, kept);
                assert_eq!(*kept, fresh);
            }
        };
        check(&graph, &mut kept);
        graph.set_links(&[(0, 1), (3, 4)]).unwrap();
        check(&graph, &mut kept);
        graph.set_node_kind(1, NodeKind::Fixed).unwrap();
        check(&graph, &mut kept);
        graph.add_node(NodeKind::Rigid, ());
        check(&graph, &mut kept);
        let container = graph.add_node(NodeKind::Multibody, ());
        graph.set_static_edges(&[(2, container), (5, container)]).unwrap();
        check(&graph, &mut kept);
        kept.unite();
        check(&graph, &mut kept);
        graph.partition(|_| Join::Neither, &mut kept);
        check(&graph, &mut kept);
        graph.renumber(|node| node != 2);
        check(&graph, &mut kept);
    }

    #[test]
    fn storage_is_reused_after_warm_up() {
        let mut graph: ContactGraph<(), ()> = ContactGraph::new();
        for i in 0..40 {
            let kind = if i % 7 == 0 { NodeKind::Fixed } else { NodeKind::Rigid };
            graph.add_node(kind, ());
        }
        let pairs: Vec<_> = (0..39).map(|i| (i, i + 1)).collect();
        graph.update(&pairs).unwrap();
        graph.set_links(&[(3, 20), (5, 0)]).unwrap();
        let storage = |groups: &Groups| {
            let lists = [groups.bodies.storage(), groups.edges.storage(), groups.links.storage()];
            let scratch = [groups.grouped_edges.capacity(), groups.grouped_links.capacity()];
            (groups.free.capacity(), groups.group_of.capacity(), lists, scratch)
        };
        let mut groups = Groups::default();
        graph.groups(|_| false, &mut groups);
        let before = storage(&groups);
        for divisor in 1..10 {
            graph.groups(|edge| edge.a % divisor == 0, &mut groups);
            assert_eq!(storage(&groups), before);
        }
    }
}
