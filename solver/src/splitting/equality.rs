//! Blocks of equality rows on rigid bodies, prepared so that their update is a product in and a product out.
//!
//! With nothing to project onto, the update of a block ([`LocalBlocks::update`]) is linear in the bodies' state v,
//!
//! ```text
//! δ = −E⁻¹ (H v + b) = −(G v + c),    G = E⁻¹ H,   c = E⁻¹ b,    v ← v + Hᵀ δ
//! ```
//!
//! with E the lower triangle of the block's D over its step lengths where rows are done one after the other, D/ω where they are
//! done together. G and c are made once a solve. In a sweep along a chain each joint waits for the v that its forerunner wrote, and
//! what is left between reading v and writing it is two short sums instead of a row after the other. Up to rounding the
//! impulses are those of the update by rows.
//!
//! Rows that give way (Σ) depend on their impulse as well and are left to the update by rows.

use wide::f64x2;

use super::local::LocalBlocks;
use crate::cone::{Cone, at_least};
use crate::delassus::{Delassus, RigidBodies, Rows};
use crate::problem::{Block, Problem};
use crate::solve::Context;

/// A block that is not prepared.
const NOWHERE: u32 = u32::MAX;

/// Numbers a row: G, and c.
const WIDTH: usize = 13;

/// The blocks of a problem that are prepared.
pub(super) struct Equalities<'a> {
    rows: Option<&'a Rows>,
    /// By block, where its numbers begin.
    places: Vec<u32>,
    /// Of each block G, row after row, and then c.
    numbers: Vec<f64>,
}

impl<'a> Equalities<'a> {
    /// Prepares what can be of a problem whose diagonal blocks are known.
    pub(super) fn prepare(
        problem: &Problem,
        operator: &'a impl Delassus,
        local: &LocalBlocks,
        context: &mut Context,
    ) -> Self {
        let all = operator.as_bodies().map(RigidBodies::all_rows);
        let mut places = context.take_indices();
        let mut total = 0;
        if let Some(all) = all {
            for block in &problem.blocks {
                let takes = is_taken(block) && block.rows().all(|row| all.compliance(row) == 0.0);
                places.push(if takes { total as u32 } else { NOWHERE });
                total += if takes { WIDTH * block.len as usize } else { 0 };
            }
        }
        if total == 0 {
            // Nobody has to look.
            places.clear();
        }
        let mut numbers = context.take(total);
        if let Some(all) = all {
            for (index, &place) in places.iter().enumerate().filter(|(_, place)| **place != NOWHERE) {
                let block = &problem.blocks[index];
                let target = &mut numbers[place as usize..];
                match block.len {
                    3 => prepare::<3>(all, &problem.bias, local, (index, block), target),
                    5 => prepare::<5>(all, &problem.bias, local, (index, block), target),
                    _ => prepare::<6>(all, &problem.bias, local, (index, block), target),
                }
            }
        }
        Self {
            rows: all,
            places,
            numbers,
        }
    }

    /// Returns the memory.
    pub(super) fn release(self, context: &mut Context) {
        context.give([self.numbers]);
        context.give_indices(self.places);
    }

    /// Updates a block, if it is prepared; returns the largest change of an impulse.
    #[inline(always)]
    pub(super) fn update(&self, index: usize, block: &Block, impulses: &mut [f64], state: &mut [f64]) -> Option<f64> {
        let place = *self.places.get(index)?;
        if place == NOWHERE {
            return None;
        }
        let (all, numbers) = (self.rows?, &self.numbers[place as usize..]);
        let first = block.first as usize;
        match block.len {
            3 => Some(update::<3>(all, numbers, first, impulses, state)),
            5 => Some(update::<5>(all, numbers, first, impulses, state)),
            6 => Some(update::<6>(all, numbers, first, impulses, state)),
            _ => None,
        }
    }
}

/// Whether a block is of a kind that is prepared: a ball joint, a hinge or slider, a fixed joint.
fn is_taken(block: &Block) -> bool {
    block.cone == Cone::Free && matches!(block.len, 3 | 5 | 6)
}

/// Works out G and c of a block.
#[inline(always)]
fn prepare<const N: usize>(
    all: &Rows,
    bias: &[f64],
    local: &LocalBlocks,
    (index, block): (usize, &Block),
    numbers: &mut [f64],
) {
    let first = block.first as usize;
    // A row with its bias beside it.
    let mut rows: [[f64; WIDTH]; N] = std::array::from_fn(|k| {
        let mut row = [bias[first + k]; WIDTH];
        row[..12].copy_from_slice(all.numbers(first + k));
        row
    });
    local.divide(index, &mut rows);
    let (products, biases) = numbers[..WIDTH * N].split_at_mut(12 * N);
    for (k, row) in rows.iter().enumerate() {
        products[12 * k..12 * (k + 1)].copy_from_slice(&row[..12]);
        biases[k] = row[12];
    }
}

#[inline(always)]
fn update<const N: usize>(all: &Rows, numbers: &[f64], first: usize, impulses: &mut [f64], state: &mut [f64]) -> f64 {
    let (rows, biases) = numbers[..WIDTH * N].split_at(12 * N);
    let (rows, _) = rows.as_chunks::<12>();
    let mut v = all.gather(first, state);
    let change: [f64; N] = std::array::from_fn(|k| {
        let product = |pair: usize| f64x2::new([rows[k][2 * pair], rows[k][2 * pair + 1]]) * v[pair];
        // Of the two bodies it is mostly the first whose state has just been written; what is known of the second is summed meanwhile.
        let second = (product(3) + f64x2::new([biases[k], 0.0])) + (product(4) + product(5));
        let [even, odd] = ((product(0) + product(1)) + product(2) + second).to_array();
        -(even + odd)
    });
    let mut largest = 0.0;
    for (impulse, change) in impulses[first..first + N].iter_mut().zip(&change) {
        *impulse += change;
        largest = at_least(largest, change.abs());
    }
    all.add_impulses(first, &change, &mut v);
    all.put_back(first, &v, state);
    largest
}
