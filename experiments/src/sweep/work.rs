//! Carries the runs of an experiment out, one after another or several at once, and brings `results.csv` up to date after
//! each: a later failure, or Ctrl-C, loses nothing.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::columns::{Column, needed_metrics, values};
use super::course::Course;
use super::file::Experiment;
use super::product::Run;
use super::results::{Row, write_csv};
use crate::Environment;
use crate::error::Error;
use crate::execute::observe;
use crate::memory;
use crate::progress::Progress;
use crate::run_directory::{file_name, prepare_inside};

/// A picture has room for about as many points of a run.
const MOST_POINTS: usize = 400;

/// What came of a run.
#[derive(Debug)]
pub struct Finished {
    /// Its row.
    pub row: Row,
    /// The points of every fit, if the run is the first of its combination.
    pub points: Vec<Vec<(f64, f64)>>,
}

/// An experiment about to be run.
#[derive(Debug)]
pub struct Work<'a> {
    /// What was read.
    pub experiment: &'a Experiment,
    /// Its runs.
    pub runs: &'a [Run],
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

impl Work<'_> {
    /// Runs everything. The results are in the order of the runs, whatever order they ended in.
    pub fn run_all(&self) -> Result<Vec<Finished>, Error> {
        let steps = self.runs.iter().fold(0_u64, |sum, run| sum.saturating_add(run.steps));
        let progress = Progress::overall(&self.experiment.title, steps, self.environment.output.quiet);
        let next = AtomicUsize::new(0);
        let finished: Mutex<Vec<Option<Finished>>> = Mutex::new(self.runs.iter().map(|_| None).collect());
        let work = |environment: &Environment| {
            while !environment.interrupt.requested() {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(run) = self.runs.get(index) else { break };
                let result = self.one(run, environment, &progress);
                let mut finished = finished.lock().unwrap_or_else(PoisonError::into_inner);
                finished[index] = Some(result);
                let rows = finished.iter().flatten().map(|finished| &finished.row);
                write_csv(self.directory, self.columns, rows)?;
            }
            Ok(())
        };
        if self.jobs <= 1 {
            work(self.environment)?;
        } else {
            self.share(work)?;
        }
        progress.finish();
        let finished = finished.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(finished.into_iter().flatten().collect())
    }

    /// Several workers, each with threads of its own, so that none takes part in another's steps while it waits.
    fn share(&self, work: impl Fn(&Environment) -> Result<(), Error> + Sync) -> Result<(), Error> {
        let threads = (self.environment.threads / self.jobs).max(1);
        let environment = Environment {
            threads,
            ..self.environment.clone()
        };
        let worker = || crate::thread_pool(Some(threads))?.install(|| work(&environment));
        let ends: Vec<Result<(), Error>> = thread::scope(|scope| {
            let workers: Vec<_> = (0..self.jobs.min(self.runs.len()))
                .map(|_| scope.spawn(worker))
                .collect();
            let join = |worker: thread::ScopedJoinHandle<'_, _>| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            workers.into_iter().map(join).collect()
        });
        ends.into_iter().collect()
    }

    /// One run. Whatever goes wrong is in its row.
    fn one(&self, run: &Run, environment: &Environment, progress: &Progress) -> Finished {
        progress.message(&format!("run {} of {}", run.run, self.runs.len()));
        let attempt = self.attempt(run, environment, progress);
        let taken = attempt.as_ref().map_or(0, |finished| finished.row.steps);
        progress.advance_by(run.steps.saturating_sub(taken));
        attempt.unwrap_or_else(|error| Finished {
            row: Row::failed(run, &error),
            points: Vec::new(),
        })
    }

    fn attempt(&self, run: &Run, environment: &Environment, progress: &Progress) -> Result<Finished, Error> {
        let peak_before = memory::peak();
        let plan = run.plan(self.experiment)?;
        let name = self.directory_name(run);
        let directory = match self.keep_runs {
            true => Some(prepare_inside(self.directory, &name, &mut Vec::new())?),
            false => None,
        };
        let mut course = Course::new(needed_metrics(self.experiment), plan.steps);
        let summary = observe(&plan, directory.as_deref(), environment, &mut |_, values| {
            course.push(values);
            progress.advance_by(1);
        });
        // Several runs at once raise the peak together.
        let memory = match self.jobs {
            1 => memory::growth(self.memory_at_first, peak_before, summary.peak_memory_bytes),
            _ => None,
        };
        let values = values(self.experiment, &summary, &course, memory);
        let points = match run.is_first(self.runs) {
            true => self
                .experiment
                .fits
                .iter()
                .map(|fit| thinned(fit.points(&course)))
                .collect(),
            false => Vec::new(),
        };
        let kept = directory.map_or_else(String::new, |_| name);
        Ok(Finished {
            row: Row::of(run, &summary, kept, values),
            points,
        })
    }

    /// `run-07-tower-layers=20-shock`.
    fn directory_name(&self, run: &Run) -> String {
        let width = self.runs.len().to_string().len();
        let parts = [&run.scene, &run.varying_parameters, &run.method, &run.varying_options];
        let parts: Vec<&str> = parts
            .into_iter()
            .map(String::as_str)
            .filter(|part| !part.is_empty())
            .collect();
        file_name(&format!("run-{:0width$}-{}", run.run, parts.join("-")))
    }
}

/// Every so many points, evenly over the run.
fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let stride = points.len().div_ceil(MOST_POINTS).max(1);
    points.into_iter().step_by(stride).collect()
}
