//! `--shard K/N`: a sweep split over machines that know nothing of each other.
//!
//! Run i (from 0) belongs to shard s(i) mod N, with s(i) the sum of the digits of i in base N: the Thue–Morse sequence and
//! its generalisation to N symbols (Allouche and Shallit, "The ubiquitous Prouhet–Thue–Morse sequence", 1999). Of N
//! neighbours beginning at a multiple of N each shard has one, so sizes differ by one at most and a costly scene is spread
//! over all. Unlike dealing in turn, no shard gets the same method over and over when the methods are N, or a power of
//! it: the sequence has no period.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// One of several parts of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    /// Which, from 1.
    pub number: usize,
    /// Of how many.
    pub count: usize,
}

impl Shard {
    /// Whether a run, counted from 1, belongs to it.
    pub fn has(&self, run: usize) -> bool {
        shard_of(run, self.count) == self.number
    }
}

/// The shard, from 1, that a run belongs to; runs are counted from 1, too.
pub fn shard_of(run: usize, count: usize) -> usize {
    // Base 1 has no digits; one shard has everything.
    if count < 2 {
        return 1;
    }
    let mut rest = run.saturating_sub(1);
    let mut sum = 0;
    while rest > 0 {
        sum = (sum + rest % count) % count;
        rest /= count;
    }
    sum + 1
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let whole = |text: &str| text.trim().parse::<usize>().ok();
        let parts = text
            .split_once('/')
            .map(|(number, count)| (whole(number), whole(count)));
        match parts {
            Some((Some(number), Some(count))) if (1..=count).contains(&number) => Ok(Self { number, count }),
            _ => Err("it must be K/N, part K of N, with K from 1 to N".into()),
        }
    }
}

impl Serialize for Shard {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Shard {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs_of(number: usize, count: usize, runs: usize) -> Vec<usize> {
        let shard = Shard { number, count };
        (1..=runs).filter(|&run| shard.has(run)).collect()
    }

    /// For every number of runs and shards: each run is in one shard, and sizes differ by one at most.
    #[test]
    fn shards_are_disjoint_complete_and_even() {
        for runs in 0..200 {
            for count in 1..=40 {
                let mut all = Vec::new();
                let mut sizes = Vec::new();
                for number in 1..=count {
                    let part = runs_of(number, count, runs);
                    sizes.push(part.len());
                    all.extend(part);
                }
                all.sort_unstable();
                assert_eq!(all, (1..=runs).collect::<Vec<_>>(), "{runs} runs, {count} shards");
                let spread = sizes.iter().max().unwrap() - sizes.iter().min().unwrap();
                assert!(spread <= 1, "{runs} runs, {count} shards: {sizes:?}");
            }
        }
    }

    /// Scenes whose cost grows a hundredfold, with as many methods as there are shards, or their square, the last of which
    /// is ten times as costly as the first. No shard has more than 10 % above its share; in turns one would have 80 %.
    #[test]
    fn costly_scenes_and_methods_are_spread() {
        for count in [2, 3, 4] {
            for methods in [count, count * count] {
                let (scenes, seeds) = (10, 12);
                let mut loads = vec![0.0; count];
                let mut in_turn = loads.clone();
                let runs = scenes * methods * seeds;
                for index in 0..runs {
                    // Methods vary faster than seeds here: the harder case.
                    let (scene, method) = (index / (methods * seeds), index % methods);
                    let cost = (1.0 + 11.0 * scene as f64) * (1.0 + 9.0 * method as f64 / (methods - 1) as f64);
                    loads[shard_of(index + 1, count) - 1] += cost;
                    in_turn[index % count] += cost;
                }
                let share = loads.iter().sum::<f64>() / count as f64;
                let worst = |loads: &[f64]| loads.iter().copied().fold(0.0, f64::max) / share;
                assert!(worst(&loads) < 1.1, "{count} shards, {methods} methods: {loads:?}");
                if methods == count {
                    assert!(worst(&in_turn) > 1.4, "the example is too easy: {in_turn:?}");
                }
            }
        }
    }

    #[test]
    fn the_first_two_shards_are_the_sequence_of_thue_and_morse() {
        let found: Vec<usize> = (1..=16).map(|run| shard_of(run, 2) - 1).collect();
        assert_eq!(found, [0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0]);
    }

    #[test]
    fn a_shard_is_typed_with_a_slash() {
        let shard: Shard = "2/3".parse().unwrap();
        assert_eq!((shard.number, shard.count, shard.to_string()), (2, 3, "2/3".into()));
        for wrong in ["0/3", "4/3", "2", "a/b", "1/0", "-1/2", ""] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
