//! What measures need of a run, kept in memory: the values of a few metrics, step by step.

use std::ops::Range;

use crate::metrics::{Value, metrics};

/// The metrics that are kept, by their place in the list of all metrics, and their values.
#[derive(Debug, Clone, Default)]
pub struct Course {
    kept: Vec<(usize, Vec<Option<f64>>)>,
}

/// No more steps than this are made room for at once; a plan may ask for millions and be interrupted.
const MOST_AT_ONCE: u64 = 1 << 16;

impl Course {
    /// An empty course of these metrics and the time, with room for a number of steps.
    pub fn new(wanted: impl IntoIterator<Item = usize>, steps: u64) -> Self {
        let mut wanted: Vec<usize> = wanted.into_iter().chain([time_metric()]).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let room = steps.min(MOST_AT_ONCE) as usize;
        let kept = wanted.into_iter().map(|metric| (metric, Vec::with_capacity(room)));
        Self { kept: kept.collect() }
    }

    /// Adds a step: the values in the order of all metrics.
    pub fn push(&mut self, values: &[Value]) {
        for (metric, column) in &mut self.kept {
            column.push(values.get(*metric).and_then(|value| value.number()));
        }
    }

    /// The values of a metric, one a step; none of a metric that was not kept.
    pub fn of(&self, metric: usize) -> &[Option<f64>] {
        let found = self.kept.iter().find(|(kept, _)| *kept == metric);
        found.map_or(&[], |(_, column)| column)
    }

    /// The times at which the steps ended, s.
    pub fn times(&self) -> &[Option<f64>] {
        self.of(time_metric())
    }
}

/// The place of the simulated time among the metrics.
pub(super) fn time_metric() -> usize {
    metrics().iter().position(|metric| metric.name == "time").unwrap_or(0)
}

/// A span of simulated time; steps count that end within it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Window {
    /// From when on, s.
    pub from: Option<f64>,
    /// Up to when, s.
    pub to: Option<f64>,
}

impl Window {
    /// The steps within it. Times are sums of time steps, so ends are not missed for rounding.
    pub fn steps(&self, course: &Course) -> Range<usize> {
        let times = course.times();
        let before = |limit: f64, slack: f64| {
            let limit = limit + slack * 1e-9 * limit.abs().max(1.0);
            times.partition_point(|time| time.is_some_and(|time| time < limit))
        };
        let first = self.from.map_or(0, |from| before(from, -1.0));
        let end = self.to.map_or(times.len(), |to| before(to, 1.0));
        first..end.max(first)
    }
}

/// A course for tests: every step has a time and one value.
#[cfg(test)]
pub(super) fn example(metric: usize, values: &[(f64, Option<f64>)]) -> Course {
    let column = |pick: fn(&(f64, Option<f64>)) -> Option<f64>| values.iter().map(pick).collect();
    Course {
        kept: vec![
            (time_metric(), column(|step| Some(step.0))),
            (metric, column(|step| step.1)),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_wanted_is_kept() {
        let mut course = Course::new([4, 10, 4], 3);
        let values: Vec<Value> = (0..metrics().len() as u64).map(Value::Count).collect();
        course.push(&values);
        assert_eq!(course.of(4), [Some(4.0)]);
        assert_eq!(course.times(), [Some(1.0)]);
        assert!(course.of(5).is_empty());
    }

    #[test]
    fn the_ends_of_a_window_belong_to_it() {
        // Sums of 0.1 that miss 0.3 and 0.6 by rounding.
        let mut time = 0.0;
        let steps: Vec<(f64, Option<f64>)> = (0..10)
            .map(|_| {
                time += 0.1;
                (time, None)
            })
            .collect();
        let course = example(4, &steps);
        let window = |from, to| Window { from, to }.steps(&course);
        assert_eq!(window(None, None), 0..10);
        assert_eq!(window(Some(0.3), Some(0.6)), 2..6);
        assert_eq!(window(Some(0.8), None), 7..10);
        assert_eq!(window(Some(5.0), None), 10..10);
    }
}
