//! Passes over the edges of a group, with the contact points that each has: counting them, filling in what belongs to them, and reading it
//! back. Long lists of edges are cut into stretches, which threads share.

use drystone_contact_graph::Edge;
use drystone_solver::hint::{FAR, fetch};
use drystone_solver::{Assembler, Block, TouchSlots};
use rayon::prelude::*;

use super::task::Shared;
use crate::manifold::Manifold;

/// Edges between the one that is worked on and the one that is asked for, and the one whose second body is: its first one is mostly
/// that of the edge before.
const AHEAD: usize = 8;
const BODIES_AHEAD: usize = 4;

/// Edges of a group that are assembled by one thread.
const STRETCH: usize = 256;

/// What a stretch of edges comes to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Count {
    touches: usize,
    rows: usize,
}

impl Count {
    fn sum(counts: &[Self]) -> Self {
        let sum = |of: fn(&Self) -> usize| counts.iter().map(of).sum();
        Self {
            touches: sum(|count| count.touches),
            rows: sum(|count| count.rows),
        }
    }
}

/// Adds the contact points of edges: `rows_of` says how many rows those between two bodies have, `write` fills in the points of
/// some edges and all the impulses that they start from, which come after so many others. Long lists are shared out to threads.
pub(super) fn add_touches(
    assembler: &mut Assembler<'_>,
    (impulses, before): (&mut Vec<f64>, usize),
    counts: &mut Vec<Count>,
    edges: &[u32],
    shared: Shared<'_>,
    rows_of: impl Fn([usize; 2]) -> usize + Sync,
    write: impl Fn(&[u32], TouchSlots<'_>, &mut [f64]) + Sync,
) {
    let count = |edges: &[u32]| {
        let mut count = Count::default();
        for &edge in edges {
            let touches = shared.point_counts[edge as usize] as usize;
            let (a, b) = shared.pairs[edge as usize];
            count.touches += touches;
            count.rows += touches * rows_of([a as usize, b as usize]);
        }
        count
    };
    counts.clear();
    let alone = edges.len() < 2 * STRETCH || rayon::current_num_threads() == 1;
    if alone {
        counts.push(count(edges));
    } else {
        counts.resize(edges.len().div_ceil(STRETCH), Count::default());
        let stretches = counts.par_iter_mut().zip(edges.par_chunks(STRETCH));
        stretches.for_each(|(slot, edges)| *slot = count(edges));
    }
    let all = Count::sum(counts);
    impulses.resize(before + all.rows, 0.0);
    let slots = assembler.add_touches(all.touches, all.rows);
    fill(
        counts,
        edges,
        (slots, &mut impulses[before..]),
        &|edges, (slots, impulses)| {
            write(edges, slots, impulses);
        },
    );
}

/// Room for what is written of the points of some edges.
pub(super) trait Room: Send {
    /// The room of the first so many, and of the others.
    fn split(self, at: Count) -> (Self, Self)
    where
        Self: Sized;
}

/// For points, and the impulses of their rows.
impl Room for (TouchSlots<'_>, &mut [f64]) {
    fn split(self, at: Count) -> (Self, Self) {
        let (slots, later_slots) = self.0.split_at(at.touches, at.rows);
        let (impulses, later_impulses) = self.1.split_at_mut(at.rows);
        ((slots, impulses), (later_slots, later_impulses))
    }
}

/// For a number a point.
impl Room for &mut [f64] {
    fn split(self, at: Count) -> (Self, Self) {
        self.split_at_mut(at.touches)
    }
}

/// Hands stretches of edges with their room to some work, which threads share.
pub(super) fn fill<R: Room>(counts: &[Count], edges: &[u32], room: R, write: &(impl Fn(&[u32], R) + Sync)) {
    if counts.len() < 2 {
        return write(edges, room);
    }
    let half = counts.len() / 2;
    let (counts, later_counts) = counts.split_at(half);
    let (edges, later_edges) = edges.split_at(half * STRETCH);
    let (room, later_room) = room.split(Count::sum(counts));
    rayon::join(
        || fill(counts, edges, room, write),
        || fill(later_counts, later_edges, later_room, write),
    );
}

/// Hands every edge of a group with the blocks of its points to some work; the largest of what it returns, or zero. `positions` are those of the edges in a list that
/// begins at `first`; `counts` are those of their stretches, or empty.
pub(super) fn for_each_edge(
    counts: &[Count],
    positions: &[u32],
    first: u32,
    edges: &mut [Edge<Manifold>],
    blocks: &[Block],
    work: &(impl Fn(&mut Edge<Manifold>, &[Block]) -> f64 + Sync),
) -> f64 {
    if counts.len() < 2 {
        let mut largest: f64 = 0.0;
        let mut rest = blocks;
        let is_far = edges.len() >= FAR;
        for (place, &position) in positions.iter().enumerate() {
            if is_far && let Some(&later) = positions.get(place + AHEAD) {
                fetch(&edges[(later - first) as usize]);
            }
            let edge = &mut edges[(position - first) as usize];
            let (own, later) = rest.split_at(edge.payload.len());
            largest = largest.max(work(edge, own));
            rest = later;
        }
        return largest;
    }
    let half = counts.len() / 2;
    let (counts, later_counts) = counts.split_at(half);
    let (positions, later_positions) = positions.split_at(half * STRETCH);
    let (blocks, later_blocks) = blocks.split_at(Count::sum(counts).touches);
    let middle = later_positions[0];
    let (edges, later_edges) = edges.split_at_mut((middle - first) as usize);
    let (x, y) = rayon::join(
        || for_each_edge(counts, positions, first, edges, blocks, work),
        || for_each_edge(later_counts, later_positions, middle, later_edges, later_blocks, work),
    );
    x.max(y)
}

impl Shared<'_> {
    /// Asks for edges that come soon, and for what they need.
    #[inline(always)]
    pub(super) fn ask_ahead(&self, edges: &[u32]) {
        if self.edges.len() < FAR {
            return;
        }
        if let Some(&edge) = edges.get(AHEAD) {
            fetch(&self.edges[edge as usize]);
        }
        if let Some(&edge) = edges.get(BODIES_AHEAD) {
            fetch(&self.states[self.edges[edge as usize].b as usize]);
        }
    }
}
