//! The course of a number over a run in constant memory, drawn as a line of block characters.
//!
//! Values are gathered into bins by their maximum, so that a short peak stays visible; when the bins are used up,
//! neighbours are merged and each bin then stands for twice as many steps.

/// Bins a trace is kept in at most; at least half as many are in use once there are enough values.
const CAPACITY: usize = 64;

/// Drawn for a number that does not change.
const FLAT: char = '─';

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A number over time.
#[derive(Debug, Clone)]
pub struct Trace {
    bins: Vec<f64>,
    values_per_bin: usize,
    in_last_bin: usize,
}

impl Default for Trace {
    fn default() -> Self {
        Self {
            bins: Vec::new(),
            values_per_bin: 1,
            in_last_bin: 1,
        }
    }
}

impl Trace {
    /// Adds the next value.
    pub fn push(&mut self, value: f64) {
        if self.in_last_bin < self.values_per_bin {
            self.in_last_bin += 1;
            if let Some(last) = self.bins.last_mut() {
                *last = last.max(value);
            }
            return;
        }
        if self.bins.len() == CAPACITY {
            self.bins = self.bins.chunks(2).map(largest).collect();
            self.values_per_bin *= 2;
        }
        self.bins.push(value);
        self.in_last_bin = 1;
    }

    /// At most `width` blocks, the lowest for the smallest value, the full one for the largest.
    pub fn sparkline(&self, width: usize) -> String {
        if self.bins.is_empty() || width == 0 {
            return String::new();
        }
        let columns: Vec<f64> = (0..width.min(self.bins.len()))
            .map(|column| {
                let edge = |column: usize| column * self.bins.len() / width.min(self.bins.len());
                largest(&self.bins[edge(column)..edge(column + 1)])
            })
            .collect();
        let finite = columns.iter().copied().filter(|value| value.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        columns.iter().map(|&value| block(value, low, high)).collect()
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

fn block(value: f64, low: f64, high: f64) -> char {
    if !value.is_finite() {
        return '!';
    }
    // Rounding errors about a constant are not worth drawing.
    if high - low <= 1e-9 * high.abs().max(low.abs()) {
        return FLAT;
    }
    let level = (value - low) / (high - low) * (BLOCKS.len() - 1) as f64;
    BLOCKS[(level.round() as usize).min(BLOCKS.len() - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rise_is_drawn_as_one() {
        let mut trace = Trace::default();
        (0..8).for_each(|value| trace.push(f64::from(value)));
        assert_eq!(trace.sparkline(8), "▁▂▃▄▅▆▇█");
    }

    #[test]
    fn peaks_survive_merging_and_memory_stays_bounded() {
        let mut trace = Trace::default();
        (0..10_000).for_each(|step| trace.push(if step == 7_000 { 1.0 } else { 0.0 }));
        assert!(trace.bins.len() <= CAPACITY);
        let line = trace.sparkline(20);
        assert_eq!(line.chars().count(), 20);
        assert_eq!(line.chars().filter(|&block| block == '█').count(), 1);
    }

    #[test]
    fn constants_and_nothing_are_flat_and_infinities_are_marked() {
        assert_eq!(Trace::default().sparkline(10), "");
        let mut trace = Trace::default();
        trace.push(3.0);
        trace.push(3.0);
        assert_eq!(trace.sparkline(10), "──");
        trace.push(f64::INFINITY);
        assert_eq!(trace.sparkline(10), "──!");
    }
}
