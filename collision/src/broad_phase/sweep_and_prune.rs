//! Sweep and prune along one axis (Baraff 1992; Cohen et al. 1995).
//!
//! Boxes are kept sorted by where they begin along the axis. A box can only overlap those that
//! begin before it ends, so one pass over the order finds all pairs. Bodies move little in a
//! step, so last step's order is nearly right and an insertion sort repairs it in about linear
//! time. The axis is the one along which the centres spread most; it is kept until another
//! spreads twice as much, because a change of axis costs a full sort.

use super::sorting::{PairSorter, repair};
use super::{BroadPhase, is_movable};
use crate::aabb::Aabb;

/// How many times the current axis's variance another must reach to take over.
const AXIS_CHANGE_FACTOR: f64 = 2.0;

/// The broad phase for many bodies that move little from step to step.
///
/// Infinite boxes are welcome: one costs a test against each other body, no more. The number of
/// bodies may change between calls.
#[derive(Clone, Debug, Default)]
pub struct SweepAndPrune {
    axis: usize,
    intervals: Vec<Interval>,
    cross_sections: Vec<CrossSection>,
    sorter: PairSorter,
}

/// A box across the sweep axis, stored in sweep order: the sweep then reads memory in sequence,
/// which is worth several times the cost of copying.
#[derive(Clone, Copy, Debug)]
struct CrossSection {
    min: [f64; 2],
    max: [f64; 2],
}

impl CrossSection {
    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        // All four comparisons without a branch between them: their outcome is a coin's.
        (self.min[0] <= other.max[0])
            & (other.min[0] <= self.max[0])
            & (self.min[1] <= other.max[1])
            & (other.min[1] <= self.max[1])
    }
}

#[derive(Clone, Copy, Debug)]
struct Interval {
    min: f64,
    max: f64,
    body: u32,
    movable: bool,
}

impl Interval {
    /// Equal beginnings are ordered by body, so the order is unique and the method deterministic.
    #[inline]
    fn precedes(&self, other: &Self) -> bool {
        self.key_order(other).is_lt()
    }

    fn key_order(&self, other: &Self) -> std::cmp::Ordering {
        self.min.total_cmp(&other.min).then(self.body.cmp(&other.body))
    }
}

impl BroadPhase for SweepAndPrune {
    fn name(&self) -> &'static str {
        "sweep-and-prune"
    }

    fn pairs(&mut self, aabbs: &[Aabb], movable: &[bool], out: &mut Vec<(u32, u32)>) {
        out.clear();
        let axis = choose_axis(aabbs, self.axis);
        let order_is_stale = axis != self.axis || self.intervals.len() != aabbs.len();
        self.axis = axis;
        if self.intervals.len() != aabbs.len() {
            self.intervals.clear();
            self.intervals.extend((0..aabbs.len() as u32).map(|body| Interval {
                min: 0.0,
                max: 0.0,
                body,
                movable: true,
            }));
        }
        for interval in &mut self.intervals {
            let body = interval.body as usize;
            interval.min = aabbs[body].min[axis];
            interval.max = aabbs[body].max[axis];
            interval.movable = is_movable(movable, body);
        }
        if order_is_stale || !repair(&mut self.intervals, Interval::precedes) {
            self.intervals.sort_unstable_by(Interval::key_order);
        }
        let (first, second) = ((axis + 1) % 3, (axis + 2) % 3);
        self.cross_sections.clear();
        self.cross_sections.extend(self.intervals.iter().map(|interval| {
            let Aabb { min, max } = &aabbs[interval.body as usize];
            CrossSection {
                min: [min[first], min[second]],
                max: [max[first], max[second]],
            }
        }));
        self.sweep(out);
        self.sorter.sort(aabbs.len(), out);
    }
}

impl SweepAndPrune {
    fn sweep(&self, out: &mut Vec<(u32, u32)>) {
        for (place, first) in self.intervals.iter().enumerate() {
            let section = &self.cross_sections[place];
            let later = self.intervals[place + 1..]
                .iter()
                .zip(&self.cross_sections[place + 1..]);
            for (second, other) in later {
                if second.min > first.max {
                    break;
                }
                // The comparisons along the axis are for NaN, which sorts anywhere.
                if section.overlaps(other)
                    && second.min <= first.max
                    && first.min <= second.max
                    && (first.movable || second.movable)
                {
                    out.push((first.body.min(second.body), first.body.max(second.body)));
                }
            }
        }
    }
}

/// The axis along which the centres of the bounded boxes vary most, with a bias to the current.
fn choose_axis(aabbs: &[Aabb], current: usize) -> usize {
    let mut count = 0.0;
    let mut sum = [0.0; 3];
    let mut sum_of_squares = [0.0; 3];
    for aabb in aabbs {
        let twice_centre = aabb.min + aabb.max;
        if twice_centre.iter().all(|coordinate| coordinate.is_finite()) {
            count += 1.0;
            for axis in 0..3 {
                sum[axis] += twice_centre[axis];
                sum_of_squares[axis] += twice_centre[axis] * twice_centre[axis];
            }
        }
    }
    let variance = |axis: usize| sum_of_squares[axis] - sum[axis] * sum[axis] / f64::max(count, 1.0);
    let mut best = current;
    for axis in 0..3 {
        let factor = if best == current { AXIS_CHANGE_FACTOR } else { 1.0 };
        if variance(axis) > factor * variance(best) {
            best = axis;
        }
    }
    best
}
