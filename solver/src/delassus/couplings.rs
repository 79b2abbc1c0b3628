//! Which blocks of a problem act on which: the pattern of A in blocks, of either operator.
//!
//! Two blocks on rigid bodies meet in A only where they share a body that moves.

use super::rigid::RigidBodies;
use crate::problem::{Operator, Problem};

/// For every block the blocks that it meets in A, itself among them, ascending.
#[derive(Debug, Default)]
pub(crate) struct Couplings {
    starts: Vec<u32>,
    columns: Vec<u32>,
    body_starts: Vec<u32>,
    blocks_of_body: Vec<u32>,
}

impl Couplings {
    /// Reads the pattern of a valid problem, in the memory of the last one.
    pub(crate) fn read(&mut self, problem: &Problem) {
        self.starts.clear();
        self.columns.clear();
        self.starts.push(0);
        match &problem.operator {
            Operator::Matrix(matrix) => {
                for block in 0..matrix.block_count() {
                    self.columns.extend_from_slice(matrix.stored_columns(block));
                    self.starts.push(self.columns.len() as u32);
                }
            }
            Operator::RigidBodies(bodies) => {
                self.sort_by_body(problem, bodies);
                for (index, block) in problem.blocks.iter().enumerate() {
                    let first = self.columns.len();
                    let [a, b] = bodies.pair(block.first as usize).map(|body| self.body_span(body));
                    merge(&self.blocks_of_body[a], &self.blocks_of_body[b], &mut self.columns);
                    if self.columns.len() == first {
                        // On nothing that moves.
                        self.columns.push(index as u32);
                    }
                    self.starts.push(self.columns.len() as u32);
                }
            }
        }
    }

    /// The blocks that a block meets.
    pub(crate) fn of(&self, block: usize) -> &[u32] {
        &self.columns[self.starts[block] as usize..self.starts[block + 1] as usize]
    }

    /// The blocks on every moving body, ascending.
    fn sort_by_body(&mut self, problem: &Problem, bodies: &RigidBodies) {
        let pairs = || {
            let blocks = problem.blocks.iter().enumerate();
            blocks.flat_map(|(index, block)| bodies.pair(block.first as usize).map(|body| (body, index as u32)))
        };
        let moving = |(body, _): &(u32, u32)| *body != RigidBodies::IMMOVABLE;
        self.body_starts.clear();
        self.body_starts.resize(bodies.body_count() + 2, 0);
        for (body, _) in pairs().filter(moving) {
            self.body_starts[body as usize + 2] += 1;
        }
        for body in 2..self.body_starts.len() {
            self.body_starts[body] += self.body_starts[body - 1];
        }
        self.blocks_of_body.clear();
        self.blocks_of_body
            .resize(self.body_starts.last().copied().unwrap_or(0) as usize, 0);
        for (body, index) in pairs().filter(moving) {
            let place = &mut self.body_starts[body as usize + 1];
            self.blocks_of_body[*place as usize] = index;
            *place += 1;
        }
    }

    fn body_span(&self, body: u32) -> std::ops::Range<usize> {
        self.body_starts[body as usize] as usize..self.body_starts[body as usize + 1] as usize
    }
}

/// Two ascending lists as one, without repetitions.
fn merge<'a>(mut a: &'a [u32], mut b: &'a [u32], out: &mut Vec<u32>) {
    loop {
        let next = match (a.first(), b.first()) {
            (Some(&x), Some(&y)) => x.min(y),
            (Some(&x), None) | (None, Some(&x)) => x,
            (None, None) => return,
        };
        for list in [&mut a, &mut b] {
            if list.first() == Some(&next) {
                *list = &list[1..];
            }
        }
        out.push(next);
    }
}
