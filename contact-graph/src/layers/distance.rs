//! The published heights (Figs 6.50, 6.51), with floors: over all neighbours, joined by a contact or a joint,
//!
//! ```text
//! height(b) = max(floor(b), 1 + min height(neighbour)),   0 for ground.
//! ```
//!
//! This is Dijkstra's search with a lower bound at each body. Bodies leave the queue from low to high, so the first
//! neighbour to leave is the lowest, and the height of a body is final when it is first seen: each body is queued
//! once. Without floors heights are seen in order too and a plain list serves as the queue (breadth-first search);
//! only bodies that their floor holds up go through a heap.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Bodies, StackLayers, above};
use crate::flat_lists::FlatLists;

/// Memory of the search.
#[derive(Clone, Debug, Default)]
pub(super) struct Distances {
    neighbours: FlatLists,
    /// Bodies in the order they were seen, which is the order of their heights.
    queue: Vec<u32>,
    /// Bodies held up by their floors: (height, body).
    held: BinaryHeap<Reverse<(u32, u32)>>,
}

impl Distances {
    /// Writes the height of each body.
    pub(super) fn find(&mut self, bodies: &Bodies<'_>, heights: &mut Vec<u32>) {
        self.list_neighbours(bodies);
        heights.clear();
        heights.resize(bodies.len(), StackLayers::FLOATING);
        self.queue.clear();
        self.queue.reserve(bodies.len());
        self.held.clear();
        self.held.reserve(bodies.len());
        for (body, _) in (0..).zip(bodies.is_ground).filter(|&(_, &ground)| ground) {
            heights[body as usize] = 0;
            self.queue.push(body);
        }
        let mut next = 0;
        while let Some(body) = self.lowest(&mut next, heights) {
            let least = above(heights[body as usize]);
            for &neighbour in self.neighbours.list(body as usize) {
                if heights[neighbour as usize] != StackLayers::FLOATING {
                    continue;
                }
                let height = least.max(bodies.floor(neighbour));
                heights[neighbour as usize] = height;
                if height == least {
                    self.queue.push(neighbour);
                } else {
                    self.held.push(Reverse((height, neighbour)));
                }
            }
        }
    }

    fn list_neighbours(&mut self, bodies: &Bodies<'_>) {
        let touching = bodies.supports.iter().map(|support| (support.a, support.b));
        let pairs = touching.chain(bodies.links.iter().copied());
        let pairs = pairs.filter(|&(a, b)| bodies.counts(a, b));
        let most = 2 * (bodies.supports.len() + bodies.links.len());
        self.neighbours.reserve(bodies.len(), most);
        self.neighbours
            .fill(bodies.len(), pairs.flat_map(|(a, b)| [(a, b), (b, a)]));
    }

    /// Takes the lowest body out of the two queues.
    fn lowest(&mut self, next: &mut usize, heights: &[u32]) -> Option<u32> {
        let queued = self.queue.get(*next).copied();
        if let Some(&Reverse((height, body))) = self.held.peek()
            && queued.is_none_or(|first| height < heights[first as usize])
        {
            self.held.pop();
            return Some(body);
        }
        *next += 1;
        queued
    }
}
