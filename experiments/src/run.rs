//! `drystone run`: one scene, one method, one run directory, one table.

use std::sync::Arc;

use serde::Serialize;

use crate::Environment;
use crate::cli::{Record, RunArguments};
use crate::error::{Error, Exit};
use crate::execute::{Outcome, execute_showing};
use crate::metrics::Role;
use crate::plan::{Plan, PreparedScene};
use crate::quantity::{Scale, count, quantity};
use crate::report;
use crate::run_directory::{file_name, prepare};
use crate::summary::{Statistics, Status, Summary};
use crate::table::{Align, Table};
use crate::tone::Tone;
use crate::watch::Display;

/// Characters of a sparkline: the table fits 80 columns.
const SPARKLINE: usize = 22;

/// Runs the command.
pub fn run(arguments: &RunArguments, environment: &Environment) -> Result<Exit, Error> {
    let scene = Arc::new(PreparedScene::load(&arguments.scene, environment.global.seed)?);
    let mut plan = Plan::new(
        &scene,
        arguments.solver.as_deref(),
        &arguments.simulation,
        arguments.simulation.record.unwrap_or(Record::Every),
        environment.global.seed,
    )?;
    plan.dump_every = arguments.dump_problems;
    let stem = format!(
        "{}-{}",
        file_name(&scene.scene.name),
        file_name(&plan.method.short_name())
    );
    let directory = prepare(arguments.simulation.out.as_deref(), &stem, environment.global.force)?;

    let display = if arguments.watch {
        Display::watch(&plan)
    } else {
        Display::bar(&plan, environment.output.quiet)
    };
    let outcome = execute_showing(&plan, &directory, environment, display);
    environment.output.show(&render(&plan, &outcome));
    environment.output.machine_readable(&WithDirectory::of(&outcome));
    let page = report::write(&directory);
    if outcome.summary.status == Status::Failed {
        // Where nothing could be written there is no page either; why the run failed says more.
        environment
            .output
            .complain(outcome.summary.message.as_deref().unwrap_or("the run failed"));
    } else {
        page?;
    }
    Ok(outcome.exit())
}

/// A summary and where the rest is, for programs.
#[derive(Debug, Serialize)]
pub(crate) struct WithDirectory<'a> {
    directory: String,
    #[serde(flatten)]
    summary: &'a Summary,
}

impl<'a> WithDirectory<'a> {
    pub(crate) fn of(outcome: &'a Outcome) -> Self {
        Self {
            directory: outcome.directory.display().to_string(),
            summary: &outcome.summary,
        }
    }
}

/// The table of a run, for people.
fn render(plan: &Plan, outcome: &Outcome) -> String {
    let summary = &outcome.summary;
    let steps = match summary.status {
        Status::Finished => summary.steps.to_string(),
        Status::Interrupted | Status::Failed => format!("{} of {}", summary.steps, plan.steps),
    };
    let mut text = format!(
        "{} with {}: {}, {steps} steps of {}, {} simulated in {}\n\n",
        summary.scene,
        summary.method,
        painted(summary.status),
        quantity(plan.dt, "s"),
        quantity(summary.time, "s"),
        quantity(summary.seconds, "s"),
    );
    if summary.steps > 0 {
        text.push_str(&headlines(summary));
        text.push_str(&format!("\n  energy {}\n", energy(summary)));
        for broken in &summary.broken_joints {
            text.push_str(&format!(
                "  joint '{}' broke at {} of {}\n",
                broken.joint,
                quantity(broken.time, "s"),
                quantity(broken.value, broken.unit()),
            ));
        }
        let events: Vec<String> = summary
            .events()
            .map(|(kind, count)| format!("{kind} {count}"))
            .collect();
        if !events.is_empty() {
            text.push_str(&format!("  events: {}\n", events.join(", ")));
        }
        text.push('\n');
    }
    text.push_str(&format!("results in {}\n", outcome.directory.display()));
    text
}

/// How it ended, in its colour.
fn painted(status: Status) -> String {
    let tone = match status {
        Status::Finished => Tone::Good,
        Status::Interrupted | Status::Failed => Tone::Bad,
    };
    tone.paint(status.name())
}

fn headlines(summary: &Summary) -> String {
    let mut table = Table::new([
        Align::Left,
        Align::Right,
        Align::Right,
        Align::Right,
        Align::Left,
        Align::Left,
    ]);
    table.heading(["", "mean", "max", "last", "", "over time"]);
    let shown = summary
        .metrics
        .iter()
        .filter(|statistics| match statistics.metric.role {
            Role::Index | Role::Recorded => false,
            Role::Headline => true,
            Role::HeadlineIfAny => statistics.max().is_some_and(|max| max != 0.0),
        });
    for statistics in shown {
        table.row(headline(statistics));
    }
    table.render()
}

fn headline(statistics: &Statistics) -> [String; 6] {
    let metric = statistics.metric;
    let values = [statistics.mean(), statistics.max(), statistics.last()];
    let scale = Scale::fitting(metric.unit, values.into_iter().flatten());
    let show = |value: Option<f64>| match value {
        None => "-".to_owned(),
        Some(value) if metric.unit.is_empty() => count(value),
        Some(value) => scale.show(value),
    };
    let [mean, max, last] = values.map(show);
    let label = match metric.name {
        "step_us" => "time per step".to_owned(),
        name => name.replace('_', " "),
    };
    [
        label,
        mean,
        max,
        last,
        scale.unit.to_owned(),
        statistics.trace.sparkline(SPARKLINE),
    ]
}

/// `12.3 J → 10.1 J (drift -2.20 J, gain 0 J)`.
fn energy(summary: &Summary) -> String {
    let energy = summary.energy;
    let scale = Scale::fitting("J", [energy.start, energy.end]);
    format!(
        "{} → {} {}: drift {}, highest gain {}",
        scale.show(energy.start),
        scale.show(energy.end),
        scale.unit,
        quantity(energy.drift, "J"),
        quantity(energy.gain, "J"),
    )
}
