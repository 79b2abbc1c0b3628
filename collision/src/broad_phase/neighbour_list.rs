//! A list of neighbours on top of the grid.
//!
//! Lists are made by a [`Grid`] of the fat boxes (`candidates` says what these are and when they are made). The grid stays
//! as it was then, and those that have escaped since, the strays, are kept beside it: a box that has just escaped is
//! looked up in the grid's rows and compared with all strays, of which there are few.

use super::candidates::{Candidates, Index};
use super::{BroadPhase, Grid};
use crate::aabb::Aabb;

/// The broad phase for very many bodies of which most move little from step to step.
///
/// What is at rest costs one test a pair; what moves is looked up again when it has moved by a twentieth of its size, and
/// where everything moves it is a [`Grid`]. Boxes may be of any sizes, and infinite, and their number may change.
#[derive(Clone, Debug, Default)]
pub struct NeighbourList {
    candidates: Candidates<GridWithStrays>,
}

impl BroadPhase for NeighbourList {
    fn name(&self) -> &'static str {
        "neighbour-list"
    }

    fn pairs(&mut self, aabbs: &[Aabb], movable: &[bool], out: &mut Vec<(u32, u32)>) {
        self.candidates.pairs(aabbs, movable, out);
    }
}

#[derive(Clone, Debug, Default)]
struct GridWithStrays {
    grid: Grid,
    strays: Vec<u32>,
    is_stray: Vec<bool>,
}

impl Index for GridWithStrays {
    fn all_pairs(&mut self, aabbs: &[Aabb], movable: &[bool], out: &mut Vec<(u32, u32)>) {
        self.grid.pairs(aabbs, movable, out);
    }

    fn build(&mut self, fat: &[Aabb], movable: &[bool], out: &mut Vec<(u32, u32)>) {
        self.strays.clear();
        // Lists are made anew before more escape.
        self.strays.reserve(fat.len());
        self.is_stray.clear();
        self.is_stray.resize(fat.len(), false);
        self.grid.pairs(fat, movable, out);
    }

    fn replace(&mut self, body: u32, _: &[Aabb]) {
        let is_stray = &mut self.is_stray[body as usize];
        if !*is_stray {
            *is_stray = true;
            self.strays.push(body);
        }
    }

    fn visit(&self, aabb: &Aabb, fat: &[Aabb], each: &mut dyn FnMut(u32)) {
        let strays = self.strays.iter();
        strays
            .filter(|&&body| aabb.overlaps(&fat[body as usize]))
            .for_each(|&body| each(body));
        self.grid.visit(aabb, &mut |body| {
            if !self.is_stray[body as usize] {
                each(body);
            }
        });
    }
}
