//! The life of edges (§5.2 stage 1, Fig 5.3) over hand-made and random sequences of pairs.

use std::collections::{BTreeMap, BTreeSet};

use drystone_contact_graph::{Change, ContactGraph, Edge, GraphError, Nearness, NodeKind};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn bodies<E>(count: u32) -> ContactGraph<(), E> {
    let mut graph = ContactGraph::new();
    for i in 0..count {
        assert_eq!(graph.add_node(NodeKind::Rigid, ()), i);
    }
    graph
}

fn summary<E: Copy>(edges: &[Edge<E>]) -> Vec<(u32, u32, Change, E)> {
    let row = |edge: &Edge<E>| Some((edge.a, edge.b, edge.proximity()?, edge.payload));
    edges.iter().filter_map(row).collect()
}

#[test]
fn an_edge_is_new_then_persistent_then_vanished_then_gone() {
    use Change::{New, Persistent, Vanishing};
    let mut graph = bodies(5);
    let mut births = 0;
    let mut step = |graph: &mut ContactGraph<(), i32>, pairs: &[(u32, u32)]| {
        let create = |_, _| {
            births += 1;
            births
        };
        graph.settle();
        graph.update_with(pairs, create, |_| true).unwrap();
        (summary(graph.active_edges()), summary(graph.dormant_edges()))
    };

    // The payload is the number of births so far: a kept one shows that the edge is the same.
    let (active, vanished) = step(&mut graph, &[(0, 1), (1, 2)]);
    assert_eq!(active, [(0, 1, New, 1), (1, 2, New, 2)]);
    assert_eq!(vanished, []);

    // New pairs before, between and behind the known ones.
    let (active, vanished) = step(&mut graph, &[(0, 1), (0, 3), (1, 2), (2, 4)]);
    assert_eq!(
        active,
        [
            (0, 1, Persistent, 1),
            (0, 3, New, 3),
            (1, 2, Persistent, 2),
            (2, 4, New, 4)
        ]
    );
    assert_eq!(vanished, []);

    // The first and the last go.
    let (active, vanished) = step(&mut graph, &[(0, 3), (1, 2)]);
    assert_eq!(active, [(0, 3, Persistent, 3), (1, 2, Persistent, 2)]);
    assert_eq!(vanished, [(0, 1, Vanishing, 1), (2, 4, Vanishing, 4)]);
    assert!(graph.find(0, 1).is_none());

    // One of them comes back at once: a new edge. The other is gone.
    let (active, vanished) = step(&mut graph, &[(0, 1), (0, 3), (1, 2)]);
    assert_eq!(active, [(0, 1, New, 5), (0, 3, Persistent, 3), (1, 2, Persistent, 2)]);
    assert_eq!(vanished, []);

    // Everything goes, then nothing is left of it, also when the pairs don't change.
    let (active, vanished) = step(&mut graph, &[]);
    assert_eq!(active, []);
    assert_eq!(
        vanished,
        [(0, 1, Vanishing, 5), (0, 3, Vanishing, 3), (1, 2, Vanishing, 2)]
    );
    let (active, vanished) = step(&mut graph, &[]);
    assert_eq!((active, vanished), (vec![], vec![]));
}

#[test]
fn dormant_edges_go_when_the_rest_persists() {
    let mut graph: ContactGraph<(), u8> = bodies(3);
    graph.update(&[(0, 1), (1, 2)]).unwrap();
    graph.settle();
    graph.update(&[(1, 2)]).unwrap();
    assert_eq!(graph.dormant_edges().len(), 1);
    graph.settle();
    graph.update(&[(1, 2)]).unwrap();
    assert!(graph.dormant_edges().is_empty());
}

/// The same rules, written naively over maps, on random sequences.
#[test]
fn edges_follow_a_naive_model() {
    let mut random = Pcg64::seed_from_u64(1);
    for _ in 0..50 {
        let count = random.random_range(2..12);
        let mut graph = bodies(count);
        let mut model: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let mut births = 0;
        for _ in 0..30 {
            let mut pairs: BTreeSet<(u32, u32)> = model.keys().copied().collect();
            for _ in 0..random.random_range(0..4) {
                let (a, b) = (random.random_range(0..count), random.random_range(0..count));
                if a != b && !pairs.remove(&(a.min(b), a.max(b))) {
                    pairs.insert((a.min(b), a.max(b)));
                }
            }
            let pairs: Vec<_> = pairs.into_iter().collect();

            let mut graph_births = births;
            let mut expected = Vec::new();
            let mut next = BTreeMap::new();
            for &pair in &pairs {
                let (state, payload) = match model.get(&pair) {
                    Some(&payload) => (Change::Persistent, payload),
                    None => {
                        births += 1;
                        (Change::New, births)
                    }
                };
                next.insert(pair, payload);
                expected.push((pair.0, pair.1, state, payload));
            }
            let lost = model.iter().filter(|(pair, _)| !next.contains_key(pair));
            let lost: Vec<_> = lost
                .map(|(&(a, b), &payload)| (a, b, Change::Vanishing, payload))
                .collect();

            let create = |_, _| {
                graph_births += 1;
                graph_births
            };
            graph.settle();
            graph.update_with(&pairs, create, |_| true).unwrap();
            assert_eq!(summary(graph.active_edges()), expected);
            assert_eq!(summary(graph.dormant_edges()), lost);
            assert_eq!(graph.pairs(), pairs);
            check_look_ups(&graph, count);
            model = next;
        }
    }
}

/// Search and neighbours against a scan of all pairs.
fn check_look_ups(graph: &ContactGraph<(), u32>, count: u32) {
    for a in 0..count {
        let mut expected = Vec::new();
        for other in (a + 1..count).chain(0..a) {
            let pair = (a.min(other), a.max(other));
            let position = graph.pairs().iter().position(|&known| known == pair);
            assert_eq!(graph.position(a, other), position.map(|p| p as u32));
            let edge = position.map(|p| &graph.active_edges()[p]);
            assert_eq!(graph.find(a, other), edge);
            assert_eq!(edge.map(|edge| (edge.a, edge.b)), position.map(|_| pair));
            expected.extend(position.map(|p| (other, p as u32)));
        }
        assert_eq!(graph.neighbours(a).collect::<Vec<_>>(), expected);
    }
    assert_eq!(graph.topology().edge_count(), graph.pairs().len());
}

/// A step that is taken back: the pair comes, goes and comes again before anything is told.
#[test]
fn what_is_not_told_did_not_happen() {
    let mut graph: ContactGraph<(), u8> = bodies(3);
    graph.update(&[(0, 1)]).unwrap();
    graph.find_mut(0, 1).unwrap().set_touching(true);
    graph.settle();

    // Tried: they part, and others meet.
    graph.update(&[(1, 2)]).unwrap();
    graph.find_mut(1, 2).unwrap().set_touching(true);
    assert_eq!(graph.find(1, 2).unwrap().touch(), Some(Change::New));
    assert_eq!(graph.dormant_edges()[0].touch(), Some(Change::Vanishing));

    // Tried again, with a shorter step: nothing of the kind.
    graph.update(&[(0, 1)]).unwrap();
    graph.find_mut(0, 1).unwrap().set_touching(true);
    assert_eq!(graph.find(0, 1).unwrap().touch(), Some(Change::Persistent));
    let told = graph
        .dormant_edges()
        .iter()
        .filter_map(|edge| edge.touch().or(edge.proximity()));
    assert_eq!(told.count(), 0);
}

/// The obsolete-edge heuristic: a dormant edge keeps its memory until it is let go, and never goes before its end has
/// been told.
#[test]
fn dormant_edges_keep_their_memory_until_they_are_obsolete() {
    let mut graph: ContactGraph<(), u8> = bodies(4);
    let update = |graph: &mut ContactGraph<(), u8>, pairs: &[(u32, u32)], obsolete: bool| {
        graph.update_with(pairs, |_, _| 0, |_| obsolete).unwrap();
    };
    update(&mut graph, &[(0, 1), (0, 3), (2, 3)], true);
    for edge in graph.active_edges_mut() {
        edge.payload = 7;
    }
    graph.settle();
    update(&mut graph, &[(0, 2)], false);
    graph.settle();
    update(&mut graph, &[(0, 2)], false);
    assert_eq!(graph.dormant_edges().len(), 3);
    // Back in the middle of the others: new, but not without memory.
    update(&mut graph, &[(0, 2), (0, 3)], false);
    let back = graph.find(0, 3).unwrap();
    assert_eq!(
        (back.payload, back.proximity(), back.now),
        (7, Some(Change::New), Nearness::Near)
    );
    let left: Vec<_> = graph.dormant_edges().iter().map(|edge| (edge.a, edge.b)).collect();
    assert_eq!(left, [(0, 1), (2, 3)]);
    // It goes again: it can't be let go before that is told.
    graph.settle();
    update(&mut graph, &[], true);
    let left: Vec<_> = graph.dormant_edges().iter().map(|edge| (edge.a, edge.b)).collect();
    assert_eq!(left, [(0, 2), (0, 3)]);
    graph.settle();
    update(&mut graph, &[], true);
    assert!(graph.dormant_edges().is_empty());
}

#[test]
fn payloads_can_be_shared_out_to_threads() {
    let mut graph: ContactGraph<(), u32> = bodies(100);
    let pairs: Vec<_> = (0..99).map(|i| (i, i + 1)).collect();
    graph.update(&pairs).unwrap();
    std::thread::scope(|scope| {
        for part in graph.active_edges_mut().chunks_mut(10) {
            scope.spawn(|| {
                for edge in part {
                    edge.payload = edge.a + edge.b;
                }
            });
        }
    });
    for edge in graph.active_edges() {
        assert_eq!(edge.payload, 2 * edge.a + 1);
    }
}

#[test]
fn bad_pairs_are_refused_and_change_nothing() {
    let mut graph: ContactGraph<(), u8> = bodies(4);
    graph.update(&[(0, 1), (1, 2)]).unwrap();
    graph.settle();
    graph.update(&[(0, 1)]).unwrap();
    graph.find_mut(0, 1).unwrap().payload = 9;
    let (active, vanished) = (summary(graph.active_edges()), summary(graph.dormant_edges()));

    let out_of_range = GraphError::BodyOutOfRange { body: 4, count: 4 };
    let reversed = GraphError::ReversedPair {
        position: 1,
        first: 2,
        second: 1,
    };
    let unsorted = GraphError::UnsortedPairs { position: 1 };
    let cases: [(&[(u32, u32)], GraphError); 6] = [
        (&[(0, 1), (3, 4)], out_of_range),
        (&[(4, 1)], out_of_range),
        (&[(0, 1), (2, 2)], GraphError::SelfPair { position: 1, body: 2 }),
        (&[(0, 1), (2, 1)], reversed),
        (&[(1, 2), (0, 3)], unsorted),
        (&[(1, 2), (1, 2)], unsorted),
    ];
    for (pairs, error) in cases {
        assert_eq!(graph.update(pairs), Err(error));
        assert_eq!(summary(graph.active_edges()), active);
        assert_eq!(summary(graph.dormant_edges()), vanished);
        assert!(!error.to_string().is_empty());
    }
    assert_eq!(reversed.to_string(), "pair 1 is (2, 1): the smaller index comes first");
}

#[test]
fn bad_bodies_and_links_are_refused_and_change_nothing() {
    let mut graph: ContactGraph<&str, u8> = ContactGraph::new();
    graph.add_node(NodeKind::Rigid, "brick");
    graph.add_node(NodeKind::Fixed, "ground");
    let missing = GraphError::BodyOutOfRange { body: 2, count: 2 };
    assert_eq!(graph.set_node_kind(2, NodeKind::Fixed), Err(missing));
    assert_eq!(graph.node_kind(2), None);
    assert_eq!(graph.neighbours(2).count(), 0);
    assert_eq!(graph.neighbours(u32::MAX).count(), 0);
    assert!(graph.find(0, 2).is_none() && graph.find(0, 0).is_none());

    graph.set_links(&[(1, 0), (0, 1)]).unwrap();
    assert_eq!(graph.set_links(&[(0, 2)]), Err(missing));
    let itself = GraphError::SelfPair { position: 1, body: 1 };
    assert_eq!(graph.set_links(&[(0, 1), (1, 1)]), Err(itself));
    assert_eq!(graph.links(), [(1, 0), (0, 1)]);

    graph.set_node_kind(1, NodeKind::Scripted).unwrap();
    graph.node_mut(0).unwrap().payload = "stone";
    let nodes: Vec<_> = graph.nodes().map(|node| (node.kind, node.payload)).collect();
    assert_eq!(nodes, [(NodeKind::Rigid, "stone"), (NodeKind::Scripted, "ground")]);
}
