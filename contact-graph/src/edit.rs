//! Removing nodes. What is left keeps its order, and so do the pairs: sorted lists stay sorted, and the memory of every
//! edge between nodes that stay is kept.

use crate::{ContactGraph, Edge};

impl<N, E> ContactGraph<N, E> {
    /// Removes the nodes for which `keep` is false and numbers the others anew in their order. Edges, links and static
    /// edges at removed nodes go without an event: there is nobody left to tell of.
    pub fn renumber(&mut self, mut keep: impl FnMut(u32) -> bool) {
        let mut next = 0;
        let new_index: Vec<Option<u32>> = (0..self.node_count() as u32)
            .map(|node| {
                keep(node).then(|| {
                    next += 1;
                    next - 1
                })
            })
            .collect();
        if next as usize == new_index.len() {
            return;
        }
        self.note_structure();
        let moved = |(a, b): (u32, u32)| Some((new_index[a as usize]?, new_index[b as usize]?));
        let move_pairs = |pairs: &mut Vec<(u32, u32)>| {
            pairs.retain_mut(|pair| moved(*pair).map(|now| *pair = now).is_some());
        };
        // Active edges are matched with the graph's own pairs, which nobody can overwrite.
        let mut pairs = self.pairs.iter();
        self.edges
            .retain_mut(|edge| match pairs.next().and_then(|&pair| moved(pair)) {
                Some((a, b)) => {
                    (edge.a, edge.b) = (a, b);
                    true
                }
                None => false,
            });
        let move_edge = |edge: &mut Edge<E>| {
            let known = (edge.a.max(edge.b) as usize) < new_index.len();
            match known.then(|| moved((edge.a, edge.b))).flatten() {
                Some((a, b)) => {
                    (edge.a, edge.b) = (a, b);
                    true
                }
                None => false,
            }
        };
        self.dormant.retain_mut(move_edge);
        move_pairs(&mut self.pairs);
        move_pairs(&mut self.links);
        move_pairs(&mut self.fixtures);
        let mut indices = new_index.iter();
        self.nodes.retain(|_| indices.next().is_some_and(Option::is_some));
        self.topology.take();
    }
}
