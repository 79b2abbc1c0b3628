//! Carries the runs of an experiment out, one after another or several at once. Every run is in the journal the moment it
//! ends, so that a later failure, Ctrl-C or the end of the program loses nothing; `results.csv` follows at a bounded cost.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use tracing::{info, warn};

use super::columns::{Column, needed_metrics, values};
use super::course::Course;
use super::exact;
use super::file::Experiment;
use super::journal::Journal;
use super::overview::Share;
use super::product::{Run, SceneFiles};
use super::rarely::Rarely;
use super::results::{Row, write_csv};
use super::shard::Shard;
use super::stop::Watch;
use crate::Environment;
use crate::error::Error;
use crate::execute::observe;
use crate::logs::target::SWEEP;
use crate::memory;
use crate::panics;
use crate::run_directory::{file_name, prepare_inside};
use crate::summary::{Status, Summary};

/// A picture has room for about as many points of a run.
const MOST_POINTS: usize = 400;
/// `results.csv` is not written more often than this; of many thousand runs it is a long file.
const OFTEN: Duration = Duration::from_secs(1);

/// The points of every fit.
pub type Points = Vec<Vec<(f64, f64)>>;

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    /// Its row.
    pub row: Row,
    /// The points of every fit, if the run is the first of its combination.
    #[serde(with = "exact::points")]
    pub points: Points,
    /// How long it took by the clock on the wall, s.
    pub seconds: f64,
}

/// An experiment about to be run.
#[derive(Debug)]
pub struct Work<'a> {
    /// What was read.
    pub experiment: &'a Experiment,
    /// Its runs; of a sweep that is split those of the shard.
    pub runs: &'a [Run],
    /// The scenes that were read from files.
    pub files: &'a SceneFiles,
    /// How many runs the whole sweep has.
    pub whole: usize,
    /// The part of the sweep.
    pub shard: Option<Shard>,
    /// Its columns.
    pub columns: &'a [Column],
    /// Where results go.
    pub directory: &'a Path,
    /// Runs at once.
    pub jobs: usize,
    /// Whether every run gets a run directory.
    pub keep_runs: bool,
    /// What the program needs for itself, bytes.
    pub memory_at_first: Option<u64>,
    /// The rest.
    pub environment: &'a Environment,
}

/// What workers share.
struct Shared<'a> {
    journal: &'a mut Journal,
    /// What came of each run that has ended, in the order of the runs.
    ended: Vec<Option<Finished>>,
    /// When `results.csv` was written last.
    written: Rarely,
}

impl Work<'_> {
    /// Runs everything but what was kept from an earlier launch. The results are in the order of the runs, whatever order
    /// they ended in.
    pub fn run_all(
        &self,
        journal: &mut Journal,
        kept: Vec<Finished>,
        overview: Share<'_>,
    ) -> Result<Vec<Finished>, Error> {
        let mut ended: Vec<Option<Finished>> = self.runs.iter().map(|_| None).collect();
        for finished in kept {
            if let Ok(index) = self.runs.binary_search_by_key(&finished.row.run.run, |run| run.run) {
                ended[index] = Some(finished);
            }
        }
        let left: Vec<usize> = (0..ended.len()).filter(|&index| ended[index].is_none()).collect();
        let next = AtomicUsize::new(0);
        let shared = Mutex::new(Shared {
            journal,
            ended,
            written: Rarely::at_least(OFTEN),
        });
        let work = |environment: &Environment| {
            while !environment.interrupt.requested() {
                let Some(&index) = left.get(next.fetch_add(1, Ordering::Relaxed)) else {
                    break;
                };
                let finished = self.one(index, environment, overview);
                let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
                shared.journal.run(&finished)?;
                shared.ended[index] = Some(finished);
                if shared.written.is_due() {
                    let begun = Instant::now();
                    self.write_results(&shared.ended)?;
                    shared.written.done(begun);
                }
            }
            Ok(())
        };
        if self.jobs <= 1 {
            work(self.environment)?;
        } else {
            self.share(left.len(), work)?;
        }
        let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        shared.journal.synchronise()?;
        self.write_results(&shared.ended)?;
        Ok(shared.ended.into_iter().flatten().collect())
    }

    fn write_results(&self, ended: &[Option<Finished>]) -> Result<(), Error> {
        let rows = ended.iter().flatten().map(|finished| &finished.row);
        write_csv(self.directory, self.columns, rows)
    }

    /// Several workers, each with threads of its own, so that none takes part in another's steps while it waits.
    fn share(&self, runs: usize, work: impl Fn(&Environment) -> Result<(), Error> + Sync) -> Result<(), Error> {
        let threads = (self.environment.threads / self.jobs).max(1);
        let environment = Environment {
            threads,
            ..self.environment.clone()
        };
        let worker = || crate::thread_pool(Some(threads))?.install(|| work(&environment));
        let ends: Vec<Result<(), Error>> = thread::scope(|scope| {
            let workers: Vec<_> = (0..self.jobs.min(runs)).map(|_| scope.spawn(worker)).collect();
            let join = |worker: thread::ScopedJoinHandle<'_, _>| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            workers.into_iter().map(join).collect()
        });
        ends.into_iter().collect()
    }

    /// One run. Whatever goes wrong is in its row.
    fn one(&self, index: usize, environment: &Environment, overview: Share<'_>) -> Finished {
        let run = &self.runs[index];
        overview.begin(run);
        info!(target: SWEEP, run = run.run, steps = run.steps, "{} with {} begins", run.scene_spec, run.method_spec);
        let clock = Instant::now();
        let attempt = panics::caught(|| self.attempt(index, environment, overview)).flatten();
        let (row, points) = attempt.unwrap_or_else(|error| (Row::failed(run, &error), Vec::new()));
        overview.end(&row);
        match row.status {
            Status::Failed => warn!(target: SWEEP, run = run.run, "{}", row.message),
            status => info!(target: SWEEP, run = run.run, steps = row.steps, "{}", status.name()),
        }
        Finished {
            row,
            points,
            seconds: clock.elapsed().as_secs_f64(),
        }
    }

    fn attempt(&self, index: usize, environment: &Environment, overview: Share<'_>) -> Result<(Row, Points), Error> {
        let run = &self.runs[index];
        let peak_before = memory::peak();
        let plan = run.plan(self.experiment, self.files)?;
        let name = self.directory_name(run);
        let directory = match self.keep_runs {
            true => Some(prepare_inside(self.directory, &name, &mut Vec::new())?),
            false => None,
        };
        let mut course = Course::new(needed_metrics(self.experiment), plan.steps);
        let mut watch = Watch::start(&self.experiment.stops, self.experiment.time_limit);
        let mut pace = overview.pace(run);
        let summary = observe(&plan, directory.as_deref(), environment, &mut |_, values| {
            course.push(values);
            pace.step();
            match watch.step(values) {
                Some(rule) => ControlFlow::Break(rule.to_owned()),
                None => ControlFlow::Continue(()),
            }
        });
        pace.tell();
        let values = values(self.experiment, &summary, &course, self.memory(peak_before, &summary));
        // The first of its combination stands for it in pictures.
        let is_first = index == 0 || self.runs[index - 1].combination != run.combination;
        let points = match is_first {
            true => self
                .experiment
                .fits
                .iter()
                .map(|fit| thinned(fit.points(&course)))
                .collect(),
            false => Vec::new(),
        };
        let kept = directory.map_or_else(String::new, |_| name);
        Ok((Row::of(run, &summary, kept, values), points))
    }

    /// What a run took, where that can be known: several at once raise the peak together.
    fn memory(&self, peak_before: Option<u64>, summary: &Summary) -> Option<u64> {
        match self.jobs {
            1 => memory::growth(self.memory_at_first, peak_before, summary.peak_memory_bytes),
            _ => None,
        }
    }

    /// `run-07-tower-layers=20-shock`.
    fn directory_name(&self, run: &Run) -> String {
        let width = self.whole.to_string().len();
        let parts = [&run.scene, &run.varying_parameters, &run.method, &run.varying_options];
        let parts: Vec<&str> = parts
            .into_iter()
            .map(String::as_str)
            .filter(|part| !part.is_empty())
            .collect();
        file_name(&format!("run-{:0width$}-{}", run.run, parts.join("-")))
    }
}

/// Whether a run counts as done: interrupted ones never do, and failed ones may be tried again.
pub fn is_done(finished: &Finished, retry_failed: bool) -> bool {
    match finished.row.status {
        Status::Finished => true,
        Status::Interrupted => false,
        Status::Failed => !retry_failed,
    }
}

/// Every so many points, evenly over the run.
fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let stride = points.len().div_ceil(MOST_POINTS).max(1);
    points.into_iter().step_by(stride).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A run with this number and its end, for tests of what is done with such.
    pub(in super::super) fn finished(run: usize, status: Status) -> Finished {
        let run = Run {
            run,
            combination: run,
            scene: "wall".into(),
            parameters: String::new(),
            method: "pgs".into(),
            options: "iterations=3".into(),
            seed: Some(7),
            repetition: 1,
            scene_spec: "wall".into(),
            method_spec: "pgs:iterations=3".into(),
            dt: 0.01,
            steps: 100,
            varying_parameters: String::new(),
            varying_options: "iterations=3".into(),
        };
        Finished {
            row: Row {
                run,
                status,
                message: "a \"message\",\nin two lines".into(),
                directory: String::new(),
                steps: 90,
                time: 0.9,
                stopped_by: "at rest".into(),
                values: vec![Some(0.1), None, Some(f64::INFINITY)],
            },
            points: vec![vec![(1.0, 2.0)], Vec::new()],
            seconds: 1.5,
        }
    }

    #[test]
    fn interrupted_runs_are_repeated_and_failed_ones_if_asked() {
        let done = |status, retry| is_done(&finished(1, status), retry);
        assert!(done(Status::Finished, true) && done(Status::Finished, false));
        assert!(done(Status::Failed, false) && !done(Status::Failed, true));
        assert!(!done(Status::Interrupted, false) && !done(Status::Interrupted, true));
    }
}
