//! The one line that shows how far a sweep is: a bar over all steps, how many runs are done, failed or were kept from
//! before, and about how long the rest will take. Of several experiments it is one line for all of them, which names the one
//! that is under way.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::HumanDuration;

use super::estimate::Estimate;
use super::product::Run;
use super::rarely::Rarely;
use super::results::Row;
use super::work::Finished;
use crate::progress::Progress;
use crate::summary::Status;

/// A run tells of its steps at most this often; a step may take microseconds.
const INTERVAL: Duration = Duration::from_millis(200);
/// The line is made anew at most this often: the estimate looks at every scene with every method.
const BETWEEN_LINES: Duration = Duration::from_millis(60);

/// An experiment about to begin, or to go on.
#[derive(Debug, Clone, Copy)]
pub struct Planned<'a> {
    /// What it is called.
    pub title: &'a str,
    /// Its runs.
    pub runs: &'a [Run],
    /// What an earlier launch made of them.
    pub kept: &'a [Finished],
}

/// How far a sweep is. Runs that go on at the same time tell it of their steps.
#[derive(Debug)]
pub struct Overview {
    progress: Progress,
    titles: Vec<String>,
    counts: Mutex<Counts>,
}

#[derive(Debug)]
struct Counts {
    shown: Rarely,
    estimate: Estimate,
    planned: usize,
    latest: usize,
    finished: usize,
    failed: usize,
    resumed: usize,
}

impl Overview {
    /// Of experiments that are swept one after another, so many runs at once.
    pub fn new(experiments: &[Planned<'_>], jobs: usize, quiet: bool) -> Self {
        let runs = || experiments.iter().flat_map(|planned| planned.runs);
        let steps = runs().fold(0_u64, |sum, run| sum.saturating_add(run.steps));
        let mut counts = Counts {
            shown: Rarely::at_least(BETWEEN_LINES),
            estimate: Estimate::new(experiments.iter().map(|planned| planned.runs), jobs),
            planned: runs().count(),
            latest: 0,
            finished: 0,
            failed: 0,
            resumed: experiments.iter().map(|planned| planned.kept.len()).sum(),
        };
        let progress = Progress::overall("", steps, quiet);
        for (experiment, planned) in experiments.iter().enumerate() {
            for Finished { row, seconds, .. } in planned.kept {
                counts.count(row.status);
                counts.estimate.advance(experiment, &row.run, row.run.steps, *seconds);
                progress.advance_by(row.run.steps);
            }
        }
        Self {
            progress,
            titles: experiments.iter().map(|planned| planned.title.to_owned()).collect(),
            counts: Mutex::new(counts),
        }
    }

    /// The experiment with this number, from 0, is next.
    pub fn experiment(&self, number: usize) -> Share<'_> {
        self.progress.rename(&self.label(number));
        Share {
            overview: self,
            experiment: number,
        }
    }

    /// `Tower (2 of 5)`; alone it is `Tower`.
    fn label(&self, number: usize) -> String {
        let title = self.titles.get(number).map_or("", String::as_str);
        match self.titles.len() {
            0 | 1 => title.to_owned(),
            count => format!("{title} ({} of {count})", number + 1),
        }
    }

    fn change(&self, change: impl FnOnce(&mut Counts)) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut counts);
        if self.progress.is_visible() && counts.shown.is_due() {
            let begun = Instant::now();
            self.progress.message(&counts.text());
            counts.shown.done(begun);
        }
    }

    /// Takes the line away.
    pub fn finish(self) {
        self.progress.finish();
    }
}

/// What the runs of one experiment tell.
#[derive(Debug, Clone, Copy)]
pub struct Share<'a> {
    overview: &'a Overview,
    experiment: usize,
}

impl<'a> Share<'a> {
    /// A run begins.
    pub fn begin(self, run: &Run) {
        self.overview.change(|counts| counts.latest = run.run);
    }

    /// A run has ended, and has told of all its steps.
    pub fn end(self, row: &Row) {
        let (experiment, spared) = (self.experiment, row.run.steps.saturating_sub(row.steps));
        self.overview.progress.advance_by(spared);
        self.overview.change(|counts| {
            counts.count(row.status);
            match row.status {
                Status::Finished => counts.estimate.advance(experiment, &row.run, spared, 0.0),
                Status::Failed | Status::Interrupted => counts.estimate.give_up(experiment, &row.run, spared),
            }
        });
    }

    /// For the steps of a run that begins now.
    pub fn pace(self, run: &'a Run) -> Pace<'a> {
        Pace {
            share: self,
            run,
            since: Instant::now(),
            steps: 0,
        }
    }
}

impl Counts {
    fn count(&mut self, status: Status) {
        match status {
            Status::Finished => self.finished += 1,
            Status::Failed => self.failed += 1,
            Status::Interrupted => {}
        }
    }

    /// `run 7, 5 of 40 done, 1 failed, 2 resumed, 3 minutes left`.
    fn text(&self) -> String {
        let done = self.finished + self.failed;
        let mut text = format!("run {}, {done} of {} done", self.latest, self.planned);
        for (count, what) in [(self.failed, "failed"), (self.resumed, "resumed")] {
            if count > 0 {
                text.push_str(&format!(", {count} {what}"));
            }
        }
        if let Some(left) = self.estimate.left() {
            text.push_str(&format!(", {} left", HumanDuration(left)));
        }
        text
    }
}

/// Gathers the steps of one run.
#[derive(Debug)]
pub struct Pace<'a> {
    share: Share<'a>,
    run: &'a Run,
    since: Instant,
    steps: u64,
}

impl Pace<'_> {
    /// A step is done.
    pub fn step(&mut self) {
        self.steps += 1;
        if self.since.elapsed() >= INTERVAL {
            self.tell();
        }
    }

    /// Hands over what it has gathered.
    pub fn tell(&mut self) {
        let (steps, seconds) = (self.steps, self.since.elapsed().as_secs_f64());
        let Share { overview, experiment } = self.share;
        overview.progress.advance_by(steps);
        overview.change(|counts| counts.estimate.advance(experiment, self.run, steps, seconds));
        (self.steps, self.since) = (0, Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::super::work::tests::finished;
    use super::*;

    #[test]
    fn the_line_counts_what_is_done_failed_and_resumed() {
        let run = finished(3, Status::Finished).row.run;
        let mut counts = Counts {
            shown: Rarely::default(),
            estimate: Estimate::new([&[run.clone(), run.clone()][..]], 1),
            planned: 2,
            latest: 3,
            finished: 0,
            failed: 0,
            resumed: 1,
        };
        assert_eq!(counts.text(), "run 3, 0 of 2 done, 1 resumed");
        counts.count(Status::Failed);
        counts.estimate.advance(0, &run, 100, 240.0);
        assert_eq!(counts.text(), "run 3, 1 of 2 done, 1 failed, 1 resumed, 4 minutes left");
    }

    /// A folder has one line: runs of all experiments are counted, and the time left is that of all.
    #[test]
    fn several_experiments_share_the_line() {
        let ended: Vec<Finished> = (1..=3).map(|number| finished(number, Status::Finished)).collect();
        let runs: Vec<Run> = ended.iter().map(|finished| finished.row.run.clone()).collect();
        let first = Planned {
            title: "First",
            runs: &runs[..1],
            kept: &[],
        };
        let second = Planned {
            title: "Second",
            runs: &runs,
            kept: &ended[..1],
        };
        let overview = Overview::new(&[first, second], 1, true);
        let share = overview.experiment(0);
        share.begin(&runs[0]);
        let text = || overview.counts.lock().unwrap().text();
        // A run took 1.5 s before; three are left.
        assert_eq!(text(), "run 1, 1 of 4 done, 1 resumed, 5 seconds left");
        let mut row = ended[0].row.clone();
        row.steps = row.run.steps;
        overview.change(|counts| counts.estimate.advance(0, &runs[0], 100, 240.0));
        share.end(&row);
        let share = overview.experiment(1);
        share.begin(&runs[1]);
        assert!(text().starts_with("run 2, 2 of 4 done, 1 resumed, "), "{}", text());
        assert_eq!(overview.label(1), "Second (2 of 2)");
        assert_eq!(Overview::new(&[first], 1, true).label(0), "First");
    }
}
