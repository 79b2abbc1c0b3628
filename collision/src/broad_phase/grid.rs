//! Boxes sorted into the rows of a grid, and swept along each row.
//!
//! Space is cut across y and z into square columns along x, the *rows*. A box belongs to the row of its smallest y and
//! z, and in a row boxes are ordered by their smallest x. With rows as wide as the largest box, boxes that overlap lie
//! in the same row or in neighbouring ones, so each box is compared with a short stretch of nine rows, whose beginnings
//! only ever move forward. Time is proportional to the number of boxes, and no hash is needed (cell lists as of
//! molecular dynamics: Hockney and Eastwood 1981; sorted instead of linked).
//!
//! So that a few large boxes do not make rows wide for all, boxes are divided into *levels* by their size, a factor of
//! four each, with the median size in the middle of one (a hierarchical grid: Ericson 2005, section 7.2). Each level
//! has rows as wide as its own largest box; a box looks up the rows of coarser levels that it reaches, or compares
//! itself with all of a level that holds only a few. Boxes without bounds are compared with everything.

use std::ops::Range;

use rayon::prelude::*;

use super::sorting::{PairSorter, repair};
use super::{BroadPhase, is_movable};
use crate::aabb::Aabb;

/// Levels finer and coarser than that of the median. Boxes beyond the last belong to it.
const MIDDLE: usize = 8;
const LEVELS: usize = 2 * MIDDLE + 1;

/// Bits of a row's place along y and z; places beyond are one row, which is slow, but not wrong.
const PLACE_BITS: u32 = 29;

/// Rows are wider than the largest box by this part, far above rounding of the largest place.
const MARGIN: f64 = 1e-5;

/// A level with no more boxes is compared box by box.
const FEW_BOXES: usize = 16;

/// About this many boxes are looked at for the median size.
const SAMPLES: usize = 255;

/// Boxes are compared in pieces of this many, which threads share.
const PIECE: usize = 1024;

/// The broad phase for very many bodies: time per body does not depend on their number.
///
/// Boxes may be of any sizes, and infinite; one that is infinite costs a test against each other body, no more. The
/// number of bodies may change between calls.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    /// The finite boxes, in the order of levels, rows, and smallest x. The order is kept from call to call.
    entries: Vec<Entry>,
    /// Their other sides in the same order: scans then read memory in sequence.
    sections: Vec<Section>,
    /// Bodies whose boxes are not finite.
    apart: Vec<u32>,
    levels: [Level; LEVELS],
    /// The smallest y and z, where rows begin.
    origin: [f64; 2],
    sizes: Vec<f64>,
    /// What was found in each piece of a level.
    found: Vec<Vec<(u32, u32)>>,
    sorter: PairSorter,
}

/// Which row a box belongs to, and from where to where it lies along it.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Level, place along z and place along y, from the highest bits down.
    row: u64,
    min: f64,
    max: f64,
    body: u32,
    movable: bool,
}

impl Entry {
    #[inline]
    fn precedes(&self, other: &Self) -> bool {
        self.key_order(other).is_lt()
    }

    /// Whether it is in an earlier row, or begins before a place in this one.
    #[inline]
    fn is_before(&self, row: u64, from: f64) -> bool {
        self.row < row || (self.row == row && self.min < from)
    }

    /// Equals are ordered by body, so that the order is unique.
    #[inline]
    fn key_order(&self, other: &Self) -> std::cmp::Ordering {
        let rows = self.row.cmp(&other.row);
        rows.then(self.min.total_cmp(&other.min))
            .then(self.body.cmp(&other.body))
    }
}

/// A box across its row.
#[derive(Clone, Copy, Debug)]
struct Section {
    min: [f64; 2],
    max: [f64; 2],
}

/// One size class.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    /// The largest side of its boxes, and the width of its rows.
    largest: f64,
    width: f64,
    /// Which entries are its own.
    start: usize,
    end: usize,
}

impl Level {
    fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    /// The place of a coordinate across the rows, from 1 so that there is one before.
    #[inline]
    fn place(&self, from_origin: f64) -> u64 {
        let most = (1 << PLACE_BITS) - 2;
        // Not `clamp` on floats: a cast of what is too large gives the largest integer.
        ((from_origin / self.width) as u64).saturating_add(1).min(most)
    }
}

#[inline]
fn row(level: usize, z: u64, y: u64) -> u64 {
    (((level as u64) << PLACE_BITS) | z) << PLACE_BITS | y
}

impl BroadPhase for Grid {
    fn name(&self) -> &'static str {
        "grid"
    }

    fn pairs(&mut self, aabbs: &[Aabb], movable: &[bool], out: &mut Vec<(u32, u32)>) {
        out.clear();
        self.enter(aabbs, movable);
        self.order(aabbs);
        for level in 0..LEVELS {
            self.within_in_pieces(level, out);
            for coarser in level + 1..LEVELS {
                self.between(level, coarser, out);
            }
        }
        self.with_everything(aabbs, movable, out);
        self.sorter.sort(aabbs.len(), out);
    }
}

impl Grid {
    /// Visits the bodies whose boxes, as they were in the last call, may overlap a box, each once.
    pub(super) fn visit(&self, aabb: &Aabb, each: &mut dyn FnMut(u32)) {
        self.apart.iter().for_each(|&body| each(body));
        for (index, level) in self.levels.iter().enumerate() {
            let range = level.range();
            // A box that reaches this one begins at most one row before it, and not after its end.
            let rows = |axis: usize| {
                let (min, max) = (aabb.min[axis + 1], aabb.max[axis + 1]);
                let first = level.place(min - self.origin[axis]) - 1;
                (first, level.place(max - self.origin[axis]).max(first))
            };
            let ((first_y, last_y), (first_z, last_z)) = (rows(0), rows(1));
            let count = (last_y - first_y + 1).saturating_mul(last_z - first_z + 1);
            if range.len() <= FEW_BOXES || count > range.len() as u64 {
                self.entries[range].iter().for_each(|entry| each(entry.body));
                continue;
            }
            let from = aabb.min.x - level.largest * (1.0 + MARGIN);
            for z in first_z..=last_z {
                for y in first_y..=last_y {
                    let row = row(index, z, y);
                    let before = self.entries[range.clone()].partition_point(|entry| entry.is_before(row, from));
                    self.entries[range.start + before..range.end]
                        .iter()
                        .take_while(|entry| entry.row == row && entry.min <= aabb.max.x)
                        .for_each(|entry| each(entry.body));
                }
            }
        }
    }

    /// Gives every finite box its row, in the order of the last call where there are as many.
    fn enter(&mut self, aabbs: &[Aabb], movable: &[bool]) {
        self.apart.clear();
        let mut origin = [f64::INFINITY; 2];
        let mut finite = 0;
        for (body, aabb) in aabbs.iter().enumerate() {
            if is_finite(aabb) {
                origin = [origin[0].min(aabb.min.y), origin[1].min(aabb.min.z)];
                finite += 1;
            } else if !aabb.min.iter().chain(aabb.max.iter()).any(|side| side.is_nan()) {
                self.apart.push(body as u32);
            }
        }
        // As many finite boxes as entries may still be others.
        let known = |entry: &Entry| aabbs.get(entry.body as usize).is_some_and(is_finite);
        if self.entries.len() != finite || !self.entries.iter().all(known) {
            let bodies = (0..).zip(aabbs).filter(|(_, aabb)| is_finite(aabb));
            self.entries.clear();
            self.entries.extend(bodies.map(|(body, _)| Entry {
                row: 0,
                min: 0.0,
                max: 0.0,
                body,
                movable: true,
            }));
        }
        let median = self.median_size(aabbs);
        self.levels = [Level::default(); LEVELS];
        for entry in &mut self.entries {
            let size = size(&aabbs[entry.body as usize]);
            let index = level_of(size, median);
            // For now only which level; the width of its rows is not known yet.
            entry.row = index as u64;
            let level = &mut self.levels[index];
            level.largest = level.largest.max(size);
            level.end += 1;
        }
        let mut start = 0;
        for level in &mut self.levels {
            // A width of zero would make places of 0/0.
            level.width = f64::max(level.largest * (1.0 + MARGIN), f64::MIN_POSITIVE);
            (level.start, level.end) = (start, start + level.end);
            start = level.end;
        }
        for entry in &mut self.entries {
            let Aabb { min, max } = &aabbs[entry.body as usize];
            let level = &self.levels[entry.row as usize];
            let (y, z) = (level.place(min.y - origin[0]), level.place(min.z - origin[1]));
            entry.row = row(entry.row as usize, z, y);
            (entry.min, entry.max) = (min.x, max.x);
            entry.movable = is_movable(movable, entry.body as usize);
        }
        self.origin = origin;
    }

    /// The median of the largest sides, of boxes spread evenly over the bodies.
    fn median_size(&mut self, aabbs: &[Aabb]) -> f64 {
        let step = self.entries.len() / SAMPLES + 1;
        self.sizes.clear();
        let samples = self.entries.iter().step_by(step);
        self.sizes
            .extend(samples.map(|entry| size(&aabbs[entry.body as usize])));
        if self.sizes.is_empty() {
            return 1.0;
        }
        let middle = self.sizes.len() / 2;
        *self.sizes.select_nth_unstable_by(middle, f64::total_cmp).1
    }

    fn order(&mut self, aabbs: &[Aabb]) {
        if !repair(&mut self.entries, Entry::precedes) {
            self.entries.sort_unstable_by(Entry::key_order);
        }
        self.sections.clear();
        self.sections.extend(self.entries.iter().map(|entry| {
            let Aabb { min, max } = &aabbs[entry.body as usize];
            Section {
                min: [min.y, min.z],
                max: [max.y, max.z],
            }
        }));
    }

    /// Pairs of boxes of one level, shared out to threads if there are many.
    fn within_in_pieces(&mut self, level: usize, out: &mut Vec<(u32, u32)>) {
        let Level { start, end, .. } = self.levels[level];
        if end - start < 2 * PIECE || rayon::current_num_threads() == 1 {
            self.within(level, start..end, out);
            return;
        }
        let mut found = std::mem::take(&mut self.found);
        let pieces = (end - start).div_ceil(PIECE);
        found.resize_with(pieces.max(found.len()), Vec::new);
        found[..pieces].par_iter_mut().enumerate().for_each(|(piece, found)| {
            found.clear();
            let first = start + piece * PIECE;
            self.within(level, first..end.min(first + PIECE), found);
        });
        found[..pieces].iter().for_each(|found| out.extend_from_slice(found));
        self.found = found;
    }

    /// Pairs of some boxes of one level and those behind them.
    fn within(&self, level: usize, places: Range<usize>, out: &mut Vec<(u32, u32)>) {
        let Level {
            largest, start, end, ..
        } = self.levels[level];
        // The rows after a box's own, of the eight around it; those before see it from their side.
        let offsets = [1, (1 << PLACE_BITS) - 1, 1 << PLACE_BITS, (1 << PLACE_BITS) + 1];
        // No box that reaches one begins before this. Largest sides may be rounded, and so may this.
        let from = |place: usize| self.entries[place].min - largest * (1.0 + MARGIN);
        let mut starts = [start; 4];
        if places.start > start {
            let (row, from) = (self.entries[places.start].row, from(places.start));
            starts = offsets.map(|offset| {
                let level = &self.entries[start..end];
                start + level.partition_point(|entry| entry.is_before(row + offset, from))
            });
        }
        for place in places {
            let (row, from) = (self.entries[place].row, from(place));
            self.scan(place, place + 1, end, row, out);
            for (start, offset) in starts.iter_mut().zip(offsets) {
                while *start < end && self.entries[*start].is_before(row + offset, from) {
                    *start += 1;
                }
                self.scan(place, *start, end, row + offset, out);
            }
        }
    }

    /// Pairs of a box of one level and a box of a coarser one.
    fn between(&self, level: usize, coarser: usize, out: &mut Vec<(u32, u32)>) {
        let origin = self.origin;
        let coarse = &self.levels[coarser];
        let range = coarse.range();
        if range.len() <= FEW_BOXES {
            for place in self.levels[level].range() {
                range.clone().for_each(|other| self.test(place, other, out));
            }
            return;
        }
        for place in self.levels[level].range() {
            let Section { min, max } = self.sections[place];
            // A coarse box that reaches this one begins at most one row before it, and not after its end.
            let places = |axis: usize| {
                let before = coarse.place(min[axis] - origin[axis]) - 1;
                before..=coarse.place(max[axis] - origin[axis])
            };
            let from = self.entries[place].min - coarse.largest * (1.0 + MARGIN);
            for z in places(1) {
                for y in places(0) {
                    let row = row(coarser, z, y);
                    let before = self.entries[range.clone()].partition_point(|entry| entry.is_before(row, from));
                    self.scan(place, range.start + before, range.end, row, out);
                }
            }
        }
    }

    /// Tests a box against those of a row from a place on, up to the last that begins before it ends.
    #[inline]
    fn scan(&self, place: usize, from: usize, end: usize, row: u64, out: &mut Vec<(u32, u32)>) {
        let until = self.entries[place].max;
        for other in from..end {
            let entry = &self.entries[other];
            if entry.row != row || entry.min > until {
                break;
            }
            self.test(place, other, out);
        }
    }

    #[inline]
    fn test(&self, place: usize, other: usize, out: &mut Vec<(u32, u32)>) {
        let (a, b) = (&self.entries[place], &self.entries[other]);
        let (s, t) = (&self.sections[place], &self.sections[other]);
        // All comparisons without a branch between them: their outcome is a coin's.
        let overlap = (a.min <= b.max)
            & (b.min <= a.max)
            & (s.min[0] <= t.max[0])
            & (t.min[0] <= s.max[0])
            & (s.min[1] <= t.max[1])
            & (t.min[1] <= s.max[1])
            & (a.movable | b.movable);
        if overlap {
            out.push((a.body.min(b.body), a.body.max(b.body)));
        }
    }

    /// Pairs with a box that has no bounds.
    fn with_everything(&self, aabbs: &[Aabb], movable: &[bool], out: &mut Vec<(u32, u32)>) {
        for (index, &body) in self.apart.iter().enumerate() {
            let aabb = &aabbs[body as usize];
            let is_body_movable = is_movable(movable, body as usize);
            let finite = self.entries.iter().map(|entry| entry.body);
            for other in finite.chain(self.apart[index + 1..].iter().copied()) {
                if aabb.overlaps(&aabbs[other as usize]) && (is_body_movable || is_movable(movable, other as usize)) {
                    out.push((body.min(other), body.max(other)));
                }
            }
        }
    }
}

/// Whether all sides of a box are where they can be counted from each other. A NaN is nowhere.
fn is_finite(aabb: &Aabb) -> bool {
    (aabb.max - aabb.min).iter().all(|side| side.is_finite())
}

/// The largest side of a box; a box that is inside out has none.
fn size(aabb: &Aabb) -> f64 {
    (aabb.max - aabb.min).max().max(0.0)
}

/// From half to twice the median is the middle level; each further one spans a factor of four.
#[inline]
fn level_of(size: f64, median: f64) -> usize {
    if size > 0.5 * median && size <= 2.0 * median {
        return MIDDLE;
    }
    let fourfold = 0.5 * (size / (2.0 * median)).log2();
    // What has no logarithm may go to any level.
    (fourfold.ceil() + MIDDLE as f64).min((LEVELS - 1) as f64) as usize
}
