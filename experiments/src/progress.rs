//! A progress bar on stderr, for runs somebody is watching.

use std::io::{self, IsTerminal};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use drystone_dynamics::StepReport;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::watch::panel;

/// All bars there are, so that a line can be written between them and the text above.
static BARS: LazyLock<MultiProgress> = LazyLock::new(|| MultiProgress::with_draw_target(ProgressDrawTarget::stderr()));

/// Writes to the terminal while bars and the panel of `--watch` are out of the way. Never from inside itself.
pub fn aside<T>(write: impl FnOnce() -> T) -> T {
    panel::aside(|| BARS.suspend(write))
}

/// The bar's text is made anew at most this often; a step may take microseconds.
const INTERVAL: Duration = Duration::from_millis(60);

/// Shows how far a run is.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    last: Option<Instant>,
}

impl Progress {
    /// A bar for a number of steps; invisible if quiet is wanted or stderr is no terminal.
    pub fn new(label: &str, steps: u64, quiet: bool) -> Self {
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::hidden());
        let bar = if quiet || !io::stderr().is_terminal() {
            bar
        } else {
            BARS.add(bar)
        };
        let template = "{prefix}  {bar:24} step {pos}/{len}  {msg}  {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("━╸─"));
        }
        bar.set_prefix(label.to_owned());
        Self { bar, last: None }
    }

    /// Tells it of a finished step.
    pub fn step(&mut self, report: &StepReport) {
        if self.bar.is_hidden() || self.last.is_some_and(|last| last.elapsed() < INTERVAL) {
            return;
        }
        self.last = Some(Instant::now());
        self.bar
            .set_message(format!("t = {:.2} s  {} contacts", report.time, report.contacts));
        self.bar.set_position(report.step);
    }

    /// A bar for a number of things that are not steps.
    pub fn counting(what: &str, count: u64, quiet: bool) -> Self {
        let progress = Self::new(what, count, quiet);
        if let Ok(style) = ProgressStyle::with_template("{prefix}  {bar:24} {pos}/{len}  {msg}  {elapsed}") {
            progress.bar.set_style(style.progress_chars("━╸─"));
        }
        progress
    }

    /// A bar for the steps of many runs; how long they will take is left to who knows them.
    pub fn overall(label: &str, steps: u64, quiet: bool) -> Self {
        let progress = Self::new(label, steps, quiet);
        if let Ok(style) = ProgressStyle::with_template("{prefix}  {bar:24} {msg}  {elapsed}") {
            progress.bar.set_style(style.progress_chars("━╸─"));
        }
        progress
    }

    /// Says of what it is from now on.
    pub fn rename(&self, label: &str) {
        self.bar.set_prefix(label.to_owned());
    }

    /// Whether anybody sees it.
    pub fn is_visible(&self) -> bool {
        !self.bar.is_hidden()
    }

    /// Says what is under way.
    pub fn message(&self, text: &str) {
        self.bar.set_message(text.to_owned());
    }

    /// Tells it that one thing is done.
    pub fn advance(&self) {
        self.bar.inc(1);
    }

    /// Tells it that so many things are done.
    pub fn advance_by(&self, count: u64) {
        self.bar.inc(count);
    }

    /// Takes the bar away.
    pub fn finish(self) {
        self.bar.finish_and_clear();
        BARS.remove(&self.bar);
    }
}
