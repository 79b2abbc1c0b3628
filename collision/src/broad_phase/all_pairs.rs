//! Every box against every other, n(n−1)/2 tests: the reference for all other methods, and the
//! fastest one for a handful of bodies.

use super::{BroadPhase, is_movable};
use crate::aabb::Aabb;

/// The exhaustive broad phase.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllPairs;

impl BroadPhase for AllPairs {
    fn name(&self) -> &'static str {
        "all-pairs"
    }

    fn pairs(&mut self, aabbs: &[Aabb], movable: &[bool], out: &mut Vec<(u32, u32)>) {
        out.clear();
        for a in 0..aabbs.len() {
            for b in a + 1..aabbs.len() {
                if (is_movable(movable, a) || is_movable(movable, b)) && aabbs[a].overlaps(&aabbs[b]) {
                    out.push((a as u32, b as u32));
                }
            }
        }
    }
}
