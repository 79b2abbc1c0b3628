//! In which order a sweep visits the blocks (dissertation §6.1.2, §6.1.4: SOR-LCP-2 and SOR-LCP-4).
//!
//! Blocks are permuted whole. Inside a contact the normal always comes before its tangents, whose limits depend on it.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

use super::SweepOptions;
use super::coloured::Colouring;
use crate::choices;
use crate::problem::{Operator, Problem};
use crate::solve::Context;

choices! {
    /// The order of the blocks in a sweep.
    pub enum Order {
        /// As they stand in the problem.
        Forward = "forward",
        /// The other way round.
        Backward = "backward",
        /// Forward and backward in turn: two sweeps make one symmetric iteration.
        Symmetric = "symmetric",
        /// A random permutation, drawn anew every few sweeps.
        Random = "random",
        /// Those that changed most in the last sweep first.
        Slowest = "slowest",
        /// By colours: contact points of one colour share no body and can be done at once. Problems with joints and explicit
        /// matrices gain nothing from it, and go forward.
        Coloured = "coloured",
    }
}

/// The sequence of orders of one solve.
pub(super) struct Sequence {
    kind: Order,
    every: usize,
    rng: Pcg64,
}

impl Sequence {
    pub(super) fn new(kind: Order, every: usize, seed: u64, stream: u64) -> Self {
        Self {
            kind,
            every: every.max(1),
            // Distinct streams of steps and groups must not give overlapping seeds: an odd multiplier is a bijection.
            rng: Pcg64::seed_from_u64(seed ^ stream.wrapping_mul(0x9E37_79B9_7F4A_7C15)),
        }
    }

    /// The order of the first sweep before it is prepared, from memory of the context.
    pub(super) fn start(&self, problem: &Problem, options: &SweepOptions, context: &mut Context) -> Vec<u32> {
        let mut order = context.take_indices();
        match &problem.operator {
            Operator::RigidBodies(bodies) if self.kind == Order::Coloured && bodies.are_touches(&problem.blocks) => {
                let mut colouring = context.recall::<Colouring>();
                colouring.find(bodies, options.stretch);
                if colouring.pairs() < options.forward_below {
                    order.extend(0..problem.blocks.len() as u32);
                } else {
                    order.extend(colouring.order());
                }
                context.keep(colouring);
            }
            _ => order.extend(0..problem.blocks.len() as u32),
        }
        order
    }

    /// Whether the changes of the blocks have to be kept.
    pub(super) fn needs_changes(&self) -> bool {
        self.kind == Order::Slowest
    }

    /// Prepares the order of sweep `sweep` (from 0) in place; `changes` are those of the sweep before, by block.
    pub(super) fn advance(&mut self, sweep: usize, order: &mut [u32], changes: &[f64]) {
        match self.kind {
            Order::Forward | Order::Coloured => {}
            Order::Backward if sweep == 0 => order.reverse(),
            Order::Backward => {}
            Order::Symmetric if sweep > 0 => order.reverse(),
            Order::Symmetric => {}
            Order::Random if sweep.is_multiple_of(self.every) => order.shuffle(&mut self.rng),
            Order::Random => {}
            Order::Slowest if sweep > 0 && sweep.is_multiple_of(self.every) => order.sort_unstable_by(|&a, &b| {
                // Ties by index: the same input gives the same bits.
                changes[b as usize].total_cmp(&changes[a as usize]).then(a.cmp(&b))
            }),
            Order::Slowest => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn orders(kind: Order, every: usize, sweeps: usize) -> Vec<Vec<u32>> {
        let mut order: Vec<u32> = (0..6).collect();
        let changes = [1.0, 5.0, 1.0, 7.0, 0.0, 2.0];
        let mut sequence = Sequence::new(kind, every, 3, 1);
        (0..sweeps)
            .map(|sweep| {
                sequence.advance(sweep, &mut order, &changes);
                order.clone()
            })
            .collect()
    }

    #[test]
    fn fixed_orders_are_what_their_names_say() {
        let up: Vec<u32> = (0..6).collect();
        let down: Vec<u32> = (0..6).rev().collect();
        assert_eq!(orders(Order::Forward, 1, 3), [up.clone(), up.clone(), up.clone()]);
        assert_eq!(
            orders(Order::Backward, 1, 3),
            [down.clone(), down.clone(), down.clone()]
        );
        assert_eq!(orders(Order::Symmetric, 1, 3), [up.clone(), down, up]);
    }

    #[test]
    fn random_orders_are_permutations_that_change_every_kth_sweep_and_repeat_with_the_seed() {
        let all = orders(Order::Random, 3, 9);
        for order in &all {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..6).collect::<Vec<_>>());
        }
        assert_eq!(all[0], all[2]);
        assert_ne!(all[2], all[3]);
        assert_eq!(all, orders(Order::Random, 3, 9));
    }

    #[test]
    fn slowest_first_sorts_by_the_last_change() {
        assert_eq!(orders(Order::Slowest, 1, 2)[1], [3, 1, 5, 0, 2, 4]);
    }
}
