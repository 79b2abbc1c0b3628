//! Contact groups (§5.2.5): a worked example, and random graphs against two independent ways to find components.

use drystone_contact_graph::petgraph::algo::connected_components;
use drystone_contact_graph::petgraph::graph::UnGraph;
use drystone_contact_graph::{ContactGraph, Group, Groups, Join, NodeKind};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use NodeKind::{Fixed, Rigid, Scripted};

/// The payload says whether the edge touches.
type Graph = ContactGraph<(), bool>;

fn graph_of(kinds: &[NodeKind]) -> Graph {
    let mut graph = Graph::new();
    for &kind in kinds {
        graph.add_node(kind, ());
    }
    graph
}

fn groups_of(graph: &Graph) -> Groups {
    let mut groups = Groups::default();
    graph.groups(|edge| edge.payload, &mut groups);
    groups
}

fn group<'a>(bodies: &'a [u32], edges: &'a [u32]) -> Group<'a> {
    Group {
        bodies,
        edges,
        links: &[],
    }
}

/// Four groups in the spirit of Figs 5.2 and 5.9: a floor under three of them, a wall beside two, a moving belt
/// under two, and every insulator shared.
///
/// ```text
///   5 ── 1   wall 3 ── 6 ── 9      4   10 (near 9 only)
///    \  /      |       |          |
///   floor 0 ── 2    belt 7 ────── 8
/// ```
#[test]
fn four_groups_share_insulators() {
    let mut kinds = [Rigid; 11];
    (kinds[0], kinds[3], kinds[7]) = (Fixed, Fixed, Scripted);
    let mut graph = graph_of(&kinds);
    let pairs = [
        (0, 1), // A
        (0, 2), // B
        (0, 3), // floor and wall: nobody's
        (0, 5), // A
        (0, 7), // floor and belt: nobody's
        (1, 5), // A
        (2, 3), // B
        (3, 6), // D
        (4, 8), // C
        (6, 7), // D
        (6, 9), // D
        (7, 8), // C
        (9, 10),
    ];
    let touching = |a, b| (a, b) != (9, 10);
    graph.update_with(&pairs, touching, |_| true).unwrap();
    let groups = groups_of(&graph);
    let expected = [
        group(&[1, 5], &[0, 3, 5]),
        group(&[2], &[1, 6]),
        group(&[4, 8], &[8, 11]),
        group(&[6, 9], &[7, 9, 10]),
    ];
    assert_eq!(groups.iter().collect::<Vec<_>>(), expected);
    assert_eq!(groups.iter().len(), 4);
    assert_eq!(groups.free, [10]);
    assert_eq!(groups.largest(), 2);
    assert_eq!(groups.get(4), None);
    assert_eq!(groups.group_of(8), Some(2));
    for body in [0, 3, 7, 10, 11] {
        assert_eq!(groups.group_of(body), None);
    }

    // Without its mass made infinite the floor would join A and B, and itself the belt's edge.
    graph.set_node_kind(0, Rigid).unwrap();
    let groups = groups_of(&graph);
    assert_eq!(groups.len(), 3);
    let joined = group(&[0, 1, 2, 5], &[0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(groups.get(0), Some(joined));
}

#[test]
fn an_empty_graph_and_one_of_insulators_have_no_groups() {
    let mut groups = groups_of(&Graph::new());
    assert!(groups.is_empty() && groups.free.is_empty());
    assert_eq!((groups.largest(), groups.get(0)), (0, None));

    let mut graph = graph_of(&[Fixed, Scripted, Fixed]);
    graph
        .update_with(&[(0, 1), (0, 2), (1, 2)], |_, _| true, |_| true)
        .unwrap();
    graph.set_links(&[(1, 2)]).unwrap();
    graph.groups(|_| true, &mut groups);
    assert!(groups.is_empty() && groups.free.is_empty());
}

/// A joint holds two bodies together that don't touch; to an insulator it joins nothing but is still solved for.
#[test]
fn links_join_groups() {
    let mut graph = graph_of(&[Fixed, Rigid, Rigid, Rigid, Rigid, Rigid, Fixed]);
    graph
        .update_with(&[(0, 1), (0, 3), (2, 3)], |_, _| true, |_| true)
        .unwrap();
    graph.set_links(&[(4, 0), (3, 1), (6, 0), (1, 3), (6, 4)]).unwrap();
    let groups = groups_of(&graph);
    let expected = [
        Group {
            bodies: &[1, 2, 3],
            edges: &[0, 1, 2],
            links: &[1, 3],
        },
        Group {
            bodies: &[4],
            edges: &[],
            links: &[0, 4],
        },
    ];
    assert_eq!(groups.iter().collect::<Vec<_>>(), expected);
    assert_eq!(groups.free, [5]);
}

/// A chain long enough to overflow a recursive traversal, given in the order worst for a naive union–find.
#[test]
fn a_chain_of_half_a_million_bodies_is_one_group() {
    let count = 500_000;
    let mut graph = graph_of(&vec![Rigid; count as usize]);
    let pairs: Vec<_> = (0..count - 1).map(|i| (i, i + 1)).collect();
    graph.update_with(&pairs, |_, _| false, |_| true).unwrap();
    let links: Vec<_> = pairs.iter().rev().copied().collect();
    graph.set_links(&links).unwrap();
    let groups = groups_of(&graph);
    assert_eq!((groups.len(), groups.largest()), (1, count as usize));
    assert_eq!(groups.get(0).unwrap().links.len(), links.len());
}

struct Case {
    kinds: Vec<NodeKind>,
    pairs: Vec<(u32, u32)>,
    touching: Vec<bool>,
    links: Vec<(u32, u32)>,
}

impl Case {
    /// From sparse to dense and from no insulators to many.
    fn random(random: &mut Pcg64) -> Case {
        let count = random.random_range(1..40u32);
        let insulators = random.random_range(0.0..0.5);
        let density = random.random_range(0.0..4.0) / f64::from(count);
        let kind = |random: &mut Pcg64| match random.random_bool(insulators) {
            false => Rigid,
            true if random.random_bool(0.5) => Fixed,
            true => Scripted,
        };
        let kinds = (0..count).map(|_| kind(random)).collect();
        let all = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
        let pairs: Vec<_> = all.filter(|_| random.random_bool(density.min(1.0))).collect();
        let touching = pairs.iter().map(|_| random.random_bool(0.7)).collect();
        let mut links = Vec::new();
        for _ in 0..random.random_range(0..4) {
            let (a, b) = (random.random_range(0..count), random.random_range(0..count));
            if a != b {
                links.push((a, b));
            }
        }
        Case {
            kinds,
            pairs,
            touching,
            links,
        }
    }

    fn is_dynamic(&self, body: u32) -> bool {
        self.kinds[body as usize] == Rigid
    }

    /// Touching edges, then links, with their positions.
    fn joining(&self) -> impl Iterator<Item = (u32, u32)> {
        let touching = self.pairs.iter().zip(&self.touching).filter(|(_, touching)| **touching);
        touching.map(|(pair, _)| *pair).chain(self.links.iter().copied())
    }

    /// The smallest body each dynamic body is connected with, by handing labels on until nothing changes.
    fn labels(&self) -> Vec<u32> {
        let mut label: Vec<u32> = (0..self.kinds.len() as u32).collect();
        loop {
            let mut changed = false;
            for (a, b) in self
                .joining()
                .filter(|&(a, b)| self.is_dynamic(a) && self.is_dynamic(b))
            {
                let smallest = label[a as usize].min(label[b as usize]);
                for end in [a, b] {
                    changed |= label[end as usize] != smallest;
                    label[end as usize] = smallest;
                }
            }
            if !changed {
                return label;
            }
        }
    }

    fn graph(&self) -> Graph {
        let mut graph = graph_of(&self.kinds);
        graph.update(&self.pairs).unwrap();
        self.finish(&mut graph);
        graph
    }

    fn finish(&self, graph: &mut Graph) {
        for (edge, &touching) in graph.active_edges_mut().iter_mut().zip(&self.touching) {
            edge.payload = touching;
        }
        graph.set_links(&self.links).unwrap();
    }
}

#[test]
fn groups_equal_naive_label_propagation() {
    let mut random = Pcg64::seed_from_u64(2);
    let mut groups = Groups::default();
    let mut most = 0;
    for _ in 0..500 {
        let case = Case::random(&mut random);
        case.graph().groups(|edge| edge.payload, &mut groups);
        let label = case.labels();

        let dynamic = (0..case.kinds.len() as u32).filter(|&body| case.is_dynamic(body));
        let in_group = |body: u32| case.joining().any(|(a, b)| a == body || b == body);
        let (grouped, free): (Vec<u32>, Vec<u32>) = dynamic.partition(|&body| in_group(body));
        assert_eq!(groups.free, free);

        let mut roots: Vec<u32> = grouped.iter().map(|&body| label[body as usize]).collect();
        roots.sort_unstable();
        roots.dedup();
        assert_eq!(groups.len(), roots.len());
        most = most.max(groups.len());
        for (group, &root) in groups.iter().zip(&roots) {
            let of_root = |body: u32| case.is_dynamic(body) && label[body as usize] == root;
            let bodies: Vec<u32> = grouped.iter().copied().filter(|&body| of_root(body)).collect();
            assert_eq!(group.bodies, bodies);
            assert_eq!(group.bodies[0], root);
            let here = |&(a, b): &(u32, u32)| of_root(a) || of_root(b);
            let edges = (0..case.pairs.len()).filter(|&i| case.touching[i] && here(&case.pairs[i]));
            assert_eq!(group.edges, edges.map(|i| i as u32).collect::<Vec<_>>());
            let links = (0..case.links.len()).filter(|&i| here(&case.links[i]));
            assert_eq!(group.links, links.map(|i| i as u32).collect::<Vec<_>>());
        }
        assert_eq!(
            groups.largest(),
            groups.iter().map(|g| g.bodies.len()).max().unwrap_or(0)
        );
    }
    assert!(most >= 5, "the cases must have several groups to tell apart");
}

/// Groups and free bodies together are the components that remain when the insulators are deleted.
#[test]
fn groups_equal_petgraph_components_without_insulators() {
    let mut random = Pcg64::seed_from_u64(3);
    for _ in 0..300 {
        let case = Case::random(&mut random);
        let groups = groups_of(&case.graph());
        let mut without: UnGraph<u32, ()> = UnGraph::default();
        let nodes: Vec<_> = (0..case.kinds.len() as u32)
            .map(|body| case.is_dynamic(body).then(|| without.add_node(body)))
            .collect();
        for (a, b) in case.joining() {
            if let (Some(a), Some(b)) = (nodes[a as usize], nodes[b as usize]) {
                without.add_edge(a, b, ());
            }
        }
        let components = connected_components(&without);
        assert_eq!(groups.len() + groups.free.len(), components);
    }
}

/// The law groups are for: every touching edge with a dynamic end is solved exactly once, no two groups share a
/// dynamic body, and no insulator is anybody's body.
#[test]
fn every_touching_edge_with_a_dynamic_end_is_in_exactly_one_group() {
    let mut random = Pcg64::seed_from_u64(4);
    for _ in 0..300 {
        let case = Case::random(&mut random);
        let groups = groups_of(&case.graph());
        let mut times = vec![0; case.pairs.len()];
        let mut owner = vec![None; case.kinds.len()];
        for (number, group) in groups.iter().enumerate() {
            for &edge in group.edges {
                times[edge as usize] += 1;
                let (a, b) = case.pairs[edge as usize];
                for end in [a, b].into_iter().filter(|&end| case.is_dynamic(end)) {
                    assert!(group.bodies.binary_search(&end).is_ok());
                }
            }
            for &body in group.bodies {
                assert!(case.is_dynamic(body));
                assert_eq!(owner[body as usize].replace(number), None);
            }
        }
        for (i, &(a, b)) in case.pairs.iter().enumerate() {
            let belongs = case.touching[i] && (case.is_dynamic(a) || case.is_dynamic(b));
            assert_eq!(times[i], usize::from(belongs));
        }
        for (body, owner) in (0..).zip(owner) {
            assert_eq!(groups.group_of(body), owner);
        }
    }
}

/// However the graph came to its present pairs, groups and neighbours are the same.
#[test]
fn history_leaves_no_trace() {
    let mut random = Pcg64::seed_from_u64(5);
    let mut reused = Groups::default();
    for _ in 0..200 {
        let case = Case::random(&mut random);
        let direct = case.graph();

        let mut wandering = graph_of(&vec![Fixed; case.kinds.len()]);
        for _ in 0..5 {
            let count = case.kinds.len() as u32;
            let all = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
            let some: Vec<_> = all.filter(|_| random.random_bool(0.2)).collect();
            wandering.update_with(&some, |_, _| true, |_| true).unwrap();
            wandering.groups(|edge| edge.payload, &mut reused);
        }
        wandering.update(&case.pairs).unwrap();
        for (body, &kind) in (0..).zip(&case.kinds) {
            wandering.set_node_kind(body, kind).unwrap();
        }
        case.finish(&mut wandering);
        wandering.groups(|edge| edge.payload, &mut reused);

        assert_eq!(reused, groups_of(&direct));
        for body in 0..case.kinds.len() as u32 {
            assert!(wandering.neighbours(body).eq(direct.neighbours(body)));
        }
    }
}

/// A mechanism is one group by its container, but a rule that divides it divides it.
#[test]
fn containers_do_not_join_what_a_rule_divides() {
    let mut graph = graph_of(&[NodeKind::Link, NodeKind::Link, NodeKind::Link, NodeKind::Multibody]);
    graph.set_links(&[(0, 1), (1, 2)]).unwrap();
    graph.set_static_edges(&[(0, 3), (1, 3), (2, 3)]).unwrap();
    assert_eq!(groups_of(&graph).get(0).unwrap().bodies, [0, 1, 2]);
    let mut parts = Groups::default();
    // Link (0, 1) is the first body's, link (1, 2) is nobody's.
    graph.partition(|tie| if tie.a == 0 { Join::First } else { Join::Neither }, &mut parts);
    assert_eq!((parts.len(), parts.get(0).unwrap().bodies), (1, [0].as_slice()));
    assert_eq!(parts.free, [1, 2]);
}
