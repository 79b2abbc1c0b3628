//! How long a sweep will still take: for every scene with every method the steps that are left, times what a step of it
//! has taken so far. What has not been run yet is taken to be like the same scene with other methods, and that like the
//! average of all. Experiments that are swept one after another are estimated together.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use super::product::Run;

/// Steps and what they took.
#[derive(Debug, Clone, Copy, Default)]
struct Measured {
    steps: u64,
    seconds: f64,
}

impl Measured {
    fn add(&mut self, steps: u64, seconds: f64) {
        self.steps += steps;
        self.seconds += seconds;
    }

    fn rate(&self) -> Option<f64> {
        (self.steps > 0).then(|| self.seconds / self.steps as f64)
    }
}

#[derive(Debug, Clone, Copy)]
struct Combination {
    scene: usize,
    left: u64,
    measured: Measured,
}

/// The steps of a sweep that are left, and how fast they go.
#[derive(Debug)]
pub struct Estimate {
    /// By experiment, and number in it.
    combinations: BTreeMap<(usize, usize), Combination>,
    scenes: Vec<Measured>,
    all: Measured,
    jobs: usize,
}

impl Estimate {
    /// Of the runs of experiments, all still to be made.
    pub fn new<'a>(experiments: impl IntoIterator<Item = &'a [Run]>, jobs: usize) -> Self {
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut combinations: BTreeMap<(usize, usize), Combination> = BTreeMap::new();
        let experiments = experiments.into_iter().enumerate();
        let runs = experiments.flat_map(|(experiment, runs)| runs.iter().map(move |run| (experiment, run)));
        for (experiment, run) in runs {
            let fresh = places.len();
            let scene = *places.entry(&run.scene_spec).or_insert(fresh);
            let combination = combinations
                .entry((experiment, run.combination))
                .or_insert(Combination {
                    scene,
                    left: 0,
                    measured: Measured::default(),
                });
            combination.left = combination.left.saturating_add(run.steps);
        }
        Self {
            scenes: vec![Measured::default(); places.len()],
            combinations,
            all: Measured::default(),
            jobs: jobs.max(1),
        }
    }

    /// So many steps of a run of an experiment are done and took so long.
    pub fn advance(&mut self, experiment: usize, run: &Run, steps: u64, seconds: f64) {
        let Some(combination) = self.combinations.get_mut(&(experiment, run.combination)) else {
            return;
        };
        combination.left = combination.left.saturating_sub(steps);
        combination.measured.add(steps, seconds);
        self.scenes[combination.scene].add(steps, seconds);
        self.all.add(steps, seconds);
    }

    /// So many steps of a run will not be made: it failed.
    pub fn give_up(&mut self, experiment: usize, run: &Run, steps: u64) {
        if let Some(combination) = self.combinations.get_mut(&(experiment, run.combination)) {
            combination.left = combination.left.saturating_sub(steps);
        }
    }

    /// The time that is left; none before anything was measured.
    pub fn left(&self) -> Option<Duration> {
        let rate = |combination: &Combination| {
            let rate = combination.measured.rate();
            rate.or_else(|| self.scenes[combination.scene].rate())
                .or_else(|| self.all.rate())
        };
        let seconds: Option<f64> = self
            .combinations
            .values()
            .filter(|combination| combination.left > 0)
            .map(|combination| Some(combination.left as f64 * rate(combination)?))
            .sum();
        Duration::try_from_secs_f64(seconds? / self.jobs as f64).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::super::work::tests::finished;
    use super::*;
    use crate::summary::Status;

    fn run(combination: usize, scene: &str, steps: u64) -> Run {
        let mut run = finished(1, Status::Finished).row.run;
        (run.combination, run.scene_spec, run.steps) = (combination, scene.into(), steps);
        run
    }

    /// Two scenes with two methods, two runs of 100 steps each. Numbers are exact in binary.
    #[test]
    fn what_is_left_is_weighed_with_what_is_known_of_it() {
        let runs: Vec<Run> = (0..8)
            .map(|k| run(k / 2, if k < 4 { "small" } else { "large" }, 100))
            .collect();
        let mut estimate = Estimate::new([&runs[..]], 1);
        assert_eq!(estimate.left(), None);
        // 1/4 s a step: all else is taken to be like it.
        estimate.advance(0, &runs[0], 100, 25.0);
        assert_eq!(estimate.left(), Some(Duration::from_secs(175)));
        // 2 s a step of the large scene: its other method is taken to be as slow, that of the small scene is not.
        estimate.advance(0, &runs[4], 100, 200.0);
        assert_eq!(estimate.left(), Some(Duration::from_secs(25 + 50 + 200 + 400)));
        // Halfway through a run; then it fails.
        estimate.advance(0, &runs[2], 50, 100.0);
        assert_eq!(estimate.left(), Some(Duration::from_secs(25 + 300 + 600)));
        estimate.give_up(0, &runs[2], 50);
        assert_eq!(estimate.left(), Some(Duration::from_secs(25 + 200 + 600)));
        estimate.jobs = 2;
        assert_eq!(estimate.left(), Some(Duration::from_millis(412_500)));
    }

    /// Combinations of two experiments have the same numbers, and are not the same.
    #[test]
    fn experiments_are_estimated_together() {
        let first = [run(0, "a", 100)];
        let second = [run(0, "b", 100), run(1, "a", 100)];
        let mut estimate = Estimate::new([&first[..], &second[..]], 1);
        // 1/4 s a step: what was not run is taken to be like it.
        estimate.advance(0, &first[0], 100, 25.0);
        assert_eq!(estimate.left(), Some(Duration::from_secs(50)));
        // 2 s a step of the other scene, halfway.
        estimate.advance(1, &second[0], 50, 100.0);
        assert_eq!(estimate.left(), Some(Duration::from_secs(100 + 25)));
    }

    /// A run that a rule stopped is done, and others like it will be as quick.
    #[test]
    fn steps_that_a_rule_spared_took_no_time() {
        let runs = [run(0, "a", 100), run(0, "a", 100)];
        let mut estimate = Estimate::new([&runs[..]], 1);
        estimate.advance(0, &runs[0], 10, 1.0);
        estimate.advance(0, &runs[0], 90, 0.0);
        assert_eq!(estimate.left(), Some(Duration::from_secs(1)));
    }
}
