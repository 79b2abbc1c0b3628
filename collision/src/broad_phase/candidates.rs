//! Pairs that are kept from call to call: the part that the neighbour list and the tree share.
//!
//! Every box gets a *fat* box around it, and the pairs whose fat boxes overlap are the *candidates*. While all boxes stay
//! in their fat boxes every overlapping pair is a candidate, so a call only has to filter these by the boxes as they are
//! (Verlet 1967 for molecules, with the fat boxes of dynamic trees in the place of a cutoff). A box that has
//! escaped gets a new fat box; its candidates are dropped and looked up again in an [`Index`] of all fat boxes, which is
//! where the two methods differ. When many have escaped, everything is made anew.
//!
//! Where things fall, everything escapes within a few steps. If a list was short-lived and has few candidates, as along a
//! swinging chain, the next one gets fatter boxes. Else a list is not worth making, and the next calls ask the index about the
//! boxes as they are, twice as often each time that a list fails again.

use rayon::prelude::*;

use super::is_movable;
use crate::aabb::Aabb;

/// How far a fat box reaches beyond its box on each side, as a part of the box's longest side. More makes lists live
/// longer and filtering slower: candidates grow with the third power.
const SKIN: f64 = 0.05;

/// One box in so many may leave its fat box, all calls since the list was made counted, before it is made anew.
const STRAYS: usize = 8;

/// A list that does not live for so many calls was not worth making.
const WORTHWHILE: u32 = 4;

/// How often the skin may be doubled for lists to live longer, and up to how many candidates a box.
const MOST_DOUBLINGS: u32 = 4;
const SPARSE: usize = 4;

/// A list that has lived for so many calls does with half of a doubled skin.
const LONG: u32 = 64;

/// The most calls without a list before the next one is tried.
const LONGEST_PAUSE: u32 = 32;

/// Candidates are filtered in pieces of this many.
const PIECE: usize = 4096;

/// Fewer bodies than this are looked at on one thread.
const PARALLEL_BODIES: usize = 4096;

/// Which fat boxes overlap.
pub(super) trait Index {
    /// All pairs of overlapping boxes of which one is movable, sorted; nothing has to be remembered.
    fn all_pairs(&mut self, aabbs: &[Aabb], movable: &[bool], out: &mut Vec<(u32, u32)>);

    /// The same, of boxes that are to be remembered.
    fn build(&mut self, fat: &[Aabb], movable: &[bool], out: &mut Vec<(u32, u32)>) {
        self.all_pairs(fat, movable, out);
    }

    /// A body has another fat box.
    fn replace(&mut self, body: u32, fat: &[Aabb]);

    /// Visits every body whose fat box overlaps a box, once each; also others are allowed.
    fn visit(&self, aabb: &Aabb, fat: &[Aabb], each: &mut dyn FnMut(u32));
}

/// Fat boxes, candidates, and the memory to keep them up to date.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates<I> {
    index: I,
    fat: Vec<Aabb>,
    /// Who was movable when its candidates were looked up.
    listed: Vec<bool>,
    /// Candidates, sorted.
    pairs: Vec<(u32, u32)>,
    escaped: Vec<bool>,
    found: Vec<(u32, u32)>,
    merged: Vec<(u32, u32)>,
    /// What is left of each piece of the candidates.
    left: Vec<Vec<(u32, u32)>>,
    /// How often the skin has been doubled.
    doublings: u32,
    /// Whether there is a list.
    is_made: bool,
    /// Boxes that escaped since it was.
    strays: usize,
    /// Calls that the list has served.
    age: u32,
    /// Calls until a list is tried again, and how long the last pause was.
    wait: u32,
    pause: u32,
}

impl<I: Index> Candidates<I> {
    pub(super) fn pairs(&mut self, aabbs: &[Aabb], movable: &[bool], out: &mut Vec<(u32, u32)>) {
        if self.wait > 0 {
            self.wait -= 1;
            self.index.all_pairs(aabbs, movable, out);
            return;
        }
        let is_new = !self.is_made || self.fat.len() != aabbs.len();
        let escaped = if is_new { 0 } else { self.find_escaped(aabbs, movable) };
        self.strays += escaped;
        if is_new || STRAYS * self.strays > aabbs.len() {
            let is_sparse = self.pairs.len() <= SPARSE * aabbs.len();
            if is_new || self.age >= WORTHWHILE {
                self.doublings -= u32::from(self.doublings > 0 && self.age >= LONG);
            } else if is_sparse && self.doublings < MOST_DOUBLINGS {
                self.doublings += 1;
            } else {
                self.doublings *= u32::from(is_sparse);
                self.give_up();
                self.index.all_pairs(aabbs, movable, out);
                return;
            }
            self.make(aabbs, movable);
        } else {
            if escaped > 0 {
                self.look_up_escaped(aabbs, movable);
            }
            self.age += 1;
            if self.age == WORTHWHILE {
                self.pause = 0;
            }
        }
        self.filter(aabbs, movable, out);
    }

    /// Does without a list for a while, longer each time.
    fn give_up(&mut self) {
        self.pause = (2 * self.pause).clamp(WORTHWHILE, LONGEST_PAUSE);
        self.wait = self.pause;
        self.is_made = false;
    }

    /// How far fat boxes reach out, as a part of the longest side.
    fn skin(&self) -> f64 {
        SKIN * f64::from(1_u32 << self.doublings)
    }

    fn make(&mut self, aabbs: &[Aabb], movable: &[bool]) {
        self.fat.clear();
        let skin = self.skin();
        self.fat.extend(aabbs.iter().map(|aabb| fattened(aabb, skin)));
        self.listed.clear();
        self.listed
            .extend((0..aabbs.len()).map(|body| is_movable(movable, body)));
        self.escaped.clear();
        self.escaped.resize(aabbs.len(), false);
        self.index.build(&self.fat, &self.listed, &mut self.pairs);
        if self.doublings > 0 && self.pairs.len() > SPARSE * aabbs.len() {
            // It may have to be filtered for long.
            self.doublings = 0;
            self.make(aabbs, movable);
            return;
        }
        (self.is_made, self.strays, self.age) = (true, 0, 0);
    }

    /// Marks the boxes that are no longer in their fat boxes, or can move and could not, and counts them.
    fn find_escaped(&mut self, aabbs: &[Aabb], movable: &[bool]) -> usize {
        let (fat, listed) = (&self.fat, &self.listed);
        let least = least_fill(self.skin());
        let has_escaped =
            |body: usize| !holds(&fat[body], &aabbs[body], least) || (is_movable(movable, body) && !listed[body]);
        let escaped = &mut self.escaped;
        if aabbs.len() >= PARALLEL_BODIES && rayon::current_num_threads() > 1 {
            let all = escaped.par_iter_mut().with_min_len(PARALLEL_BODIES / 4).enumerate();
            all.for_each(|(body, escaped)| *escaped = has_escaped(body));
        } else {
            let all = escaped.iter_mut().enumerate();
            all.for_each(|(body, escaped)| *escaped = has_escaped(body));
        }
        escaped.iter().filter(|escaped| **escaped).count()
    }

    /// Gives those that have escaped new fat boxes and new candidates.
    fn look_up_escaped(&mut self, aabbs: &[Aabb], movable: &[bool]) {
        let skin = self.skin();
        let Self {
            index,
            fat,
            listed,
            escaped,
            found,
            ..
        } = self;
        let all = || {
            (0..)
                .zip(&*escaped)
                .filter(|(_, escaped)| **escaped)
                .map(|(body, _)| body)
        };
        for body in all() {
            let place = body as usize;
            fat[place] = fattened(&aabbs[place], skin);
            listed[place] = is_movable(movable, place);
            index.replace(body, fat);
        }
        found.clear();
        for body in all() {
            let place = body as usize;
            index.visit(&fat[place], fat, &mut |other| {
                let beside = other as usize;
                // Two that have both escaped find each other twice.
                let is_first = !escaped[beside] || body < other;
                if body != other && is_first && (listed[place] || listed[beside]) && fat[place].overlaps(&fat[beside]) {
                    found.push((body.min(other), body.max(other)));
                }
            });
        }
        found.sort_unstable();
        let stays = |&&(a, b): &&(u32, u32)| !escaped[a as usize] && !escaped[b as usize];
        let mut found = found.iter().copied().peekable();
        self.merged.clear();
        for &pair in self.pairs.iter().filter(stays) {
            while let Some(earlier) = found.next_if(|other| *other < pair) {
                self.merged.push(earlier);
            }
            self.merged.push(pair);
        }
        self.merged.extend(found);
        std::mem::swap(&mut self.pairs, &mut self.merged);
    }

    /// The candidates whose boxes overlap.
    fn filter(&mut self, aabbs: &[Aabb], movable: &[bool], out: &mut Vec<(u32, u32)>) {
        if self.pairs.len() < 2 * PIECE || rayon::current_num_threads() == 1 {
            overlapping(&self.pairs, aabbs, movable, out);
            return;
        }
        let pieces = self.pairs.len().div_ceil(PIECE);
        self.left.resize_with(pieces.max(self.left.len()), Vec::new);
        let left = &mut self.left[..pieces];
        let work = self.pairs.par_chunks(PIECE).zip(&mut *left);
        work.for_each(|(pairs, left)| overlapping(pairs, aabbs, movable, left));
        out.clear();
        left.iter().for_each(|left| out.extend_from_slice(left));
    }
}

/// Those of some pairs whose boxes overlap.
fn overlapping(pairs: &[(u32, u32)], aabbs: &[Aabb], movable: &[bool], out: &mut Vec<(u32, u32)>) {
    out.resize(pairs.len(), (0, 0));
    let mut count = 0;
    for &(a, b) in pairs {
        let (place, beside) = (a as usize, b as usize);
        // Written whether it overlaps or not, and kept if it does: the outcome is a coin's, and a branch would miss.
        out[count] = (a, b);
        let moves = is_movable(movable, place) | is_movable(movable, beside);
        count += usize::from(moves & overlaps(&aabbs[place], &aabbs[beside]));
    }
    out.truncate(count);
}

/// [`Aabb::overlaps`] without branches.
#[inline]
pub(super) fn overlaps(a: &Aabb, b: &Aabb) -> bool {
    (a.min.x <= b.max.x)
        & (b.min.x <= a.max.x)
        & (a.min.y <= b.max.y)
        & (b.min.y <= a.max.y)
        & (a.min.z <= b.max.z)
        & (b.min.z <= a.max.z)
}

fn fattened(aabb: &Aabb, skin: f64) -> Aabb {
    aabb.loosened(skin * longest_side(aabb))
}

fn longest_side(aabb: &Aabb) -> f64 {
    let sides = aabb.max - aabb.min;
    // Half-spaces have sides without end; what moves them moves all of them.
    sides
        .iter()
        .filter(|side| side.is_finite())
        .fold(0.0, |longest: f64, &side| longest.max(side))
}

/// The part of a fat box's sides that those of its box must be.
fn least_fill(skin: f64) -> f64 {
    (1.0 - 6.0 * SKIN) * ((1.0 + 6.0 * SKIN) / (1.0 + 6.0 * skin))
}

/// Whether a fat box still does for a box: it holds it, and is not far too large. One with a NaN overlaps nothing and is
/// at home anywhere.
#[inline]
fn holds(fat: &Aabb, aabb: &Aabb, least: f64) -> bool {
    let inside = (fat.min.x <= aabb.min.x)
        & (fat.min.y <= aabb.min.y)
        & (fat.min.z <= aabb.min.z)
        & (aabb.max.x <= fat.max.x)
        & (aabb.max.y <= fat.max.y)
        & (aabb.max.z <= fat.max.z);
    let sides = |aabb: &Aabb| (aabb.max - aabb.min).sum();
    // A body that was fast had a box as long as its way.
    let fits = inside && least * sides(fat) <= sides(aabb);
    fits || !(sides(aabb).is_finite()) && (inside || is_nan(aabb))
}

fn is_nan(aabb: &Aabb) -> bool {
    aabb.min.iter().chain(aabb.max.iter()).any(|side| side.is_nan())
}
