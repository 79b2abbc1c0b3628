//! What `-v` tells of a run: scene and method with all options at its beginning, steps that took far longer than the others,
//! a summary every few steps (`-vv`) or of every step (`-vvv`), and why it ended.

use std::fmt;
use std::time::Duration;

use drystone_dynamics::{StepReport, World};
use tracing::{debug, info, trace, warn};

use crate::logs::target::RUN;
use crate::plan::{Configured, Plan};
use crate::quantity::{number, quantity};
use crate::summary::{Status, Summary};

/// Summaries of a whole run at `-vv`.
const SUMMARIES: u64 = 20;
/// A step that takes so many times the mean of those before it is slow,
const SLOW: u32 = 10;
/// if it takes at least this long: below, it is the machine that was busy.
const WORTH_TELLING: Duration = Duration::from_millis(5);
/// The first steps make room for what later ones use again.
const WARM_UP: u32 = 10;

/// The log of one run.
#[derive(Debug)]
pub struct RunLog {
    every: u64,
    steps: u32,
    time: Duration,
}

impl RunLog {
    /// Tells what is about to be run.
    pub fn begin(plan: &Plan, world: &World) -> Self {
        info!(
            target: RUN,
            bodies = world.bodies().len(),
            joints = world.joints().len(),
            "scene {} built",
            plan.scene.given
        );
        info!(
            target: RUN,
            steps = plan.steps,
            dt = plan.dt,
            record = plan.record.name(),
            "method {} / {}",
            Spelled(&plan.method.stepper),
            Spelled(&plan.method.solver)
        );
        Self {
            every: (plan.steps / SUMMARIES).max(1),
            steps: 0,
            time: Duration::ZERO,
        }
    }

    /// Tells of a step, if it is one of those.
    pub fn step(&mut self, report: &StepReport) {
        let took = report.timings.step;
        if self.steps >= WARM_UP && took >= WORTH_TELLING && took > self.time / self.steps * SLOW {
            info!(
                target: RUN,
                step = report.step,
                contacts = report.contacts,
                mean = %quantity((self.time / self.steps).as_secs_f64(), "s"),
                "slow step: {}",
                quantity(took.as_secs_f64(), "s")
            );
        }
        self.steps = self.steps.saturating_add(1);
        self.time += took;
        macro_rules! summary {
            ($level:ident) => {
                $level!(
                    target: RUN,
                    step = report.step,
                    time = %quantity(report.time, "s"),
                    contacts = report.contacts,
                    groups = report.groups,
                    sleeping = report.sleeping,
                    iterations = report.iterations,
                    residual = report.residual.map(|residual| display(number(residual))),
                    penetration = %quantity(report.penetration_max, "m"),
                    took = %quantity(took.as_secs_f64(), "s"),
                    "step"
                )
            };
        }
        if report.step.is_multiple_of(self.every) {
            summary!(debug);
        } else {
            summary!(trace);
        }
    }

    /// Tells how it ended.
    pub fn end(&self, summary: &Summary) {
        let why = summary.message.as_deref().unwrap_or("all steps are done");
        match summary.status {
            Status::Failed => warn!(target: RUN, steps = summary.steps, time = summary.time, "failed: {why}"),
            status => info!(
                target: RUN,
                steps = summary.steps,
                time = summary.time,
                seconds = summary.seconds,
                "{}: {why}",
                status.name()
            ),
        }
    }
}

/// `pgs:iterations=10,…` with every option; made only if it is written.
struct Spelled<'a>(&'a Configured);

impl fmt::Display for Spelled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.name)?;
        for (k, (key, value)) in self.0.options.iter().enumerate() {
            write!(f, "{}{key}={value}", if k == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}
