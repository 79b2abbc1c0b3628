//! The life of edges: the first stage of the pipeline (§5.2, Fig 5.3), where the pairs of the broad phase are matched
//! with the edges there are.
//!
//! An edge whose pair is no longer reported is *dormant*. It stays at least until its end has been told ([`settle`]
//! does that), so that no event is lost; after that it goes when it is obsolete. The dissertation's heuristic lets go of it when
//! the two are far apart, which keeps the memory of pairs that come and go and still prevents O(n²) edges; the caller
//! decides, because the graph knows no distances.
//!
//! [`settle`]: ContactGraph::settle

use crate::{ContactGraph, Edge, GraphError, Nearness};

impl<N, E> ContactGraph<N, E> {
    /// What is now is from now on what was before: the events of what happened so far have been told.
    pub fn settle(&mut self) {
        self.edges.iter_mut().for_each(Edge::settle);
        self.settle_dormant();
    }

    /// The part of [`settle`](Self::settle) that is about dormant edges, for who settles the
    /// [active ones](Self::active_edges_mut), which are many, on several threads, or with
    /// [`settle_and_update_with`](Self::settle_and_update_with).
    pub fn settle_dormant(&mut self) {
        self.dormant.iter_mut().for_each(Edge::settle);
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
    /// change. Payloads pass through their default on the way, so that should be cheap. On an error the graph is as it was.
    pub fn update_with(
        &mut self,
        pairs: &[(u32, u32)],
        create: impl FnMut(u32, u32) -> E,
        is_obsolete: impl FnMut(&Edge<E>) -> bool,
    ) -> Result<(), GraphError>
    where
        E: Default,
    {
        self.change(pairs, create, is_obsolete, Told::Settled)
    }

    /// The same for edges of which only the [dormant ones](Self::settle_dormant) have been settled. The caller settles the active
    /// ones in a pass over them that it takes anyway, by one [`Edge::renew`] each, which is due before anybody asks how near
    /// nodes are or were: until then `now` is what was before, [`Nearness::Far`] for edges that have come. Edges that become
    /// dormant are settled here.
    pub fn settle_and_update_with(
        &mut self,
        pairs: &[(u32, u32)],
        create: impl FnMut(u32, u32) -> E,
        is_obsolete: impl FnMut(&Edge<E>) -> bool,
    ) -> Result<(), GraphError>
    where
        E: Default,
    {
        self.change(pairs, create, is_obsolete, Told::Renewed)
    }

    fn change(
        &mut self,
        pairs: &[(u32, u32)],
        create: impl FnMut(u32, u32) -> E,
        mut is_obsolete: impl FnMut(&Edge<E>) -> bool,
        active: Told,
    ) -> Result<(), GraphError>
    where
        E: Default,
    {
        // The stored pairs were checked when they came, so equal ones need no check.
        let unchanged = self.pairs == pairs;
        if !unchanged {
            self.check_pairs(pairs)?;
        }
        let told = |edge: &Edge<E>| edge.before == Nearness::Far;
        self.dormant.retain(|edge| !(told(edge) && is_obsolete(edge)));
        if !unchanged {
            self.merge(pairs, create, active);
        }
        Ok(())
    }

    /// Makes the edges those of the new pairs, in their order and in place. Payloads can be large and edges many, so each
    /// moves once, and only if more have come than gone before it, or the other way round.
    fn merge(&mut self, pairs: &[(u32, u32)], create: impl FnMut(u32, u32) -> E, active: Told)
    where
        E: Default,
    {
        let kept = common_start(&self.pairs, pairs);
        self.take_out(kept, pairs, active);
        self.move_runs(pairs.len());
        self.fill_gaps(kept, pairs, create, active);
        let mut resting = self.resting.drain(..).peekable();
        for edge in self.leaving.drain(..) {
            while let Some(earlier) = resting.next_if(|other| (other.a, other.b) < (edge.a, edge.b)) {
                self.dormant.push(earlier);
            }
            self.dormant.push(edge);
        }
        self.dormant.extend(resting);
        self.pairs.truncate(kept);
        reserve(&mut self.pairs, pairs.len());
        self.pairs.extend_from_slice(&pairs[kept..]);
        self.topology.take();
    }

    /// Takes out the edges whose pair is missing, leaving ones that are nobody's, and notes where runs of the others go.
    fn take_out(&mut self, kept: usize, pairs: &[(u32, u32)], active: Told)
    where
        E: Default,
    {
        self.runs.clear();
        let (mut from, mut to) = (kept, kept);
        while from < self.pairs.len() {
            let pair = self.pairs[from];
            to += pairs[to..].iter().take_while(|new| **new < pair).count();
            let length = common_start(&self.pairs[from..], &pairs[to..]);
            if length == 0 {
                let mut edge = std::mem::replace(&mut self.edges[from], nobodys());
                // The graph's own record: the edge's could have been overwritten.
                (edge.a, edge.b) = pair;
                if active == Told::Renewed {
                    edge.settle();
                }
                edge.now = Nearness::Far;
                self.leaving.push(edge);
                from += 1;
            } else {
                self.runs.push(Run { from, to, length });
                (from, to) = (from + length, to + length);
            }
        }
    }

    /// Moves runs of edges to where they go, and makes the list as long as it shall be. Runs keep their order, so one that
    /// moves up can only be in the way of a later one that moves up too: those are moved from the front, and the
    /// others from the back.
    fn move_runs(&mut self, count: usize)
    where
        E: Default,
    {
        if count > self.edges.len() {
            reserve(&mut self.edges, count);
            self.edges.resize_with(count, nobodys);
        }
        // What lies between a run and its place is nobody's, in whatever order.
        for &Run { from, to, length } in self.runs.iter().filter(|run| run.to < run.from) {
            self.edges[to..from + length].rotate_left(from - to);
        }
        for &Run { from, to, length } in self.runs.iter().rev().filter(|run| run.to > run.from) {
            self.edges[from..to + length].rotate_right(to - from);
        }
        self.edges.truncate(count);
    }

    /// Gives the pairs that were not there their edges, dormant ones or new ones.
    fn fill_gaps(&mut self, kept: usize, pairs: &[(u32, u32)], mut create: impl FnMut(u32, u32) -> E, active: Told) {
        let now = match active {
            Told::Settled => Nearness::Near,
            Told::Renewed => Nearness::Far,
        };
        let mut was_there = is_among(&self.pairs[kept..]);
        let mut dormant = self.dormant.drain(..).peekable();
        for (edge, &(a, b)) in self.edges[kept..].iter_mut().zip(&pairs[kept..]) {
            if was_there((a, b)) {
                continue;
            }
            while let Some(earlier) = dormant.next_if(|edge| (edge.a, edge.b) < (a, b)) {
                self.resting.push(earlier);
            }
            let back = dormant.next_if(|edge| (edge.a, edge.b) == (a, b));
            *edge = back.unwrap_or_else(|| Edge::new(a, b, create(a, b)));
            edge.now = now;
        }
        self.resting.extend(dormant);
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
}

/// How active edges are told what they were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    /// They have been settled.
    Settled,
    /// They will be renewed.
    Renewed,
}

/// Edges that stay together, and where they go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    from: usize,
    to: usize,
    length: usize,
}

/// An edge that keeps a place.
fn nobodys<E: Default>() -> Edge<E> {
    Edge::new(u32::MAX, u32::MAX, E::default())
}

/// Whether pairs, asked for in their order, are in a sorted list.
fn is_among(list: &[(u32, u32)]) -> impl FnMut((u32, u32)) -> bool {
    let mut list = list.iter().peekable();
    move |pair| {
        while list.next_if(|other| **other < pair).is_some() {}
        list.next_if(|other| **other == pair).is_some()
    }
}

/// Makes room for a number of items and an eighth more: doubling would waste most where there is most.
fn reserve<T>(list: &mut Vec<T>, count: usize) {
    if count > list.capacity() {
        list.reserve_exact(count + count / 8 - list.len());
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

    fn storage(graph: &Graph) -> [(usize, usize); 6] {
        let of = |edges: &Vec<Edge<Vec<u8>>>| (edges.as_ptr() as usize, edges.capacity());
        [
            (graph.pairs.as_ptr() as usize, graph.pairs.capacity()),
            of(&graph.edges),
            of(&graph.dormant),
            of(&graph.leaving),
            of(&graph.resting),
            (graph.runs.as_ptr() as usize, graph.runs.capacity()),
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

    /// Settled on the way, edges and their events are what they are when they are settled before, whoever comes and goes.
    #[test]
    fn settling_on_the_way_is_settling_before() {
        let mut graphs = [Graph::new(), Graph::new()];
        for graph in &mut graphs {
            for _ in 0..12 {
                graph.add_node(NodeKind::Rigid, ());
            }
        }
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            seed >> 33
        };
        let all: Vec<(u32, u32)> = (0..12).flat_map(|a| (a + 1..12).map(move |b| (a, b))).collect();
        let mut seen = 0;
        for step in 0..200 {
            let chance = 2 + step % 3;
            let pairs: Vec<_> = all.iter().copied().filter(|_| random() % 4 < chance).collect();
            let touching: Vec<bool> = pairs.iter().map(|_| random() % 2 == 0).collect();
            let [before, on_the_way] = &mut graphs;
            let keep = |edge: &Edge<Vec<u8>>| edge.a % 3 != edge.b % 3;
            let create = |a: u32, b: u32| vec![a as u8, b as u8];
            before.settle();
            before.update_with(&pairs, create, keep).unwrap();
            let edges = before.active_edges_mut().iter_mut();
            edges
                .zip(&touching)
                .for_each(|(edge, touching)| edge.set_touching(*touching));
            on_the_way.settle_dormant();
            on_the_way.settle_and_update_with(&pairs, create, keep).unwrap();
            let edges = on_the_way.active_edges_mut().iter_mut();
            edges.zip(&touching).for_each(|(edge, touching)| edge.renew(*touching));
            assert_eq!(before.active_edges(), on_the_way.active_edges());
            assert_eq!(before.dormant_edges(), on_the_way.dormant_edges());
            let changes = before.active_edges().iter().chain(before.dormant_edges());
            seen += changes
                .filter(|edge| edge.proximity().is_some_and(|change| change.is_change()))
                .count();
        }
        assert!(seen > 1000, "pairs came and went: {seen}");
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
