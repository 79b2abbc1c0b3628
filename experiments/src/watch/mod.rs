//! `drystone run --watch`: what a run does, while it does it.
//!
//! [`state`] keeps the few numbers that are shown, [`lines`] turns them into text for a terminal of any size, [`panel`] draws
//! the text in place. Without a terminal, stderr gets a line now and then instead. Results and their files are the same
//! with and without.

pub mod lines;
pub mod panel;
pub mod state;

use std::time::{Duration, Instant};

use drystone_dynamics::StepReport;

use crate::execute::label;
use crate::metrics::Value;
use crate::plan::Plan;
use crate::progress::{Progress, aside};
use state::State;

/// At most ten pictures a second.
const REDRAW: Duration = Duration::from_millis(100);
/// Without a terminal, a line about as often as somebody would look.
const LINE: Duration = Duration::from_secs(2);

/// How a run is shown while it goes on.
#[derive(Debug)]
pub enum Display {
    /// As a bar.
    Bar(Progress),
    /// As a panel, or as lines where there is no terminal.
    Watch(Box<Watch>),
}

impl Display {
    /// A bar.
    pub fn bar(plan: &Plan, quiet: bool) -> Self {
        Self::Bar(Progress::new(&label(plan), plan.steps, quiet))
    }

    /// A panel.
    pub fn watch(plan: &Plan) -> Self {
        Self::Watch(Box::new(Watch::new(plan)))
    }

    /// Tells it of a finished step.
    pub fn step(&mut self, report: &StepReport, values: &[Value]) {
        match self {
            Self::Bar(progress) => progress.step(report),
            Self::Watch(watch) => watch.step(report, values),
        }
    }

    /// Takes it away.
    pub fn finish(self) {
        match self {
            Self::Bar(progress) => progress.finish(),
            Self::Watch(watch) => drop(watch),
        }
    }
}

/// A run that is watched.
#[derive(Debug)]
pub struct Watch {
    state: State,
    panel: Option<panel::Panel>,
    started: Instant,
    shown: Option<Instant>,
}

impl Watch {
    fn new(plan: &Plan) -> Self {
        Self {
            state: State::new(label(plan), plan.steps, plan.dt),
            panel: panel::Panel::open(),
            started: Instant::now(),
            shown: None,
        }
    }

    fn step(&mut self, report: &StepReport, values: &[Value]) {
        self.state.step(report, values);
        let interval = if self.panel.is_some() { REDRAW } else { LINE };
        if self.shown.is_some_and(|shown| shown.elapsed() < interval) {
            return;
        }
        self.shown = Some(Instant::now());
        self.state.elapsed = self.started.elapsed();
        match &mut self.panel {
            Some(panel) => panel.draw(|width, height| lines::lines(&self.state, width, height)),
            None => aside(|| panel::plain_line(&lines::one_line(&self.state))),
        }
    }
}
