//! `drystone list`: what there is, with options and defaults, for people or as JSON.

use drystone_dynamics::{joint_kinds, steppers};
use drystone_scenes::catalogue;
use drystone_solver::registry;
use drystone_solver::spec::OptionInfo;
use serde::Serialize;

use crate::Environment;
use crate::cli::{ListArguments, Listed};
use crate::error::{Error, Exit};
use crate::events::EVENT_KINDS;
use crate::metrics::{metrics, page};
use crate::quantity::quantity;
use crate::table::{Align, Table};
use crate::tone::Tone;

/// Runs the command.
pub fn list(arguments: &ListArguments, environment: &Environment) -> Result<Exit, Error> {
    if arguments.markdown {
        return markdown(arguments.what, environment);
    }
    let entries = match arguments.what {
        Listed::Scenes => scenes(),
        Listed::Solvers => solvers(),
        Listed::Steppers => all_steppers(),
        Listed::Joints => joints(),
        Listed::Metrics => all_metrics(),
        Listed::Events => events(),
    };
    if environment.output.json {
        environment.output.machine_readable(&entries);
    } else if arguments.what == Listed::Metrics {
        environment.output.say(&columns(&entries));
    } else if arguments.what == Listed::Events {
        environment.output.say(&event_table());
    } else {
        environment.output.say(&descriptions(&entries));
    }
    Ok(Exit::Done)
}

/// The page of metrics.
fn markdown(what: Listed, environment: &Environment) -> Result<Exit, Error> {
    if what != Listed::Metrics || environment.output.json {
        return Err(Error::Input(
            "--markdown is for `drystone list metrics` without --json; leave it out".into(),
        ));
    }
    environment.output.say(&page::page());
    Ok(Exit::Done)
}

/// One thing that can be named.
#[derive(Debug, Default, Serialize)]
struct Entry {
    name: String,
    summary: String,
    /// Whatever else fits one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    details: String,
    /// Of a metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'static str>,
    /// Of a metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    formula: Option<&'static str>,
    /// Of a kind of event.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<[&'static str; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<Vec<ListedOption>>,
}

/// An option or parameter.
#[derive(Debug, Serialize)]
struct ListedOption {
    key: String,
    default: String,
    expects: String,
    help: String,
}

impl From<OptionInfo> for ListedOption {
    fn from(option: OptionInfo) -> Self {
        Self {
            key: option.key,
            default: option.default,
            expects: option.expects,
            help: option.help,
        }
    }
}

fn listed(options: Vec<OptionInfo>) -> Option<Vec<ListedOption>> {
    Some(options.into_iter().map(ListedOption::from).collect())
}

fn scenes() -> Vec<Entry> {
    let entries = catalogue().iter().map(|scene| Entry {
        name: scene.name.to_owned(),
        summary: scene.summary.to_owned(),
        details: format!(
            "{} bodies, {} in steps of {}",
            scene.bodies,
            quantity(scene.duration, "s"),
            quantity(scene.dt, "s")
        ),
        options: listed(scene.parameters.clone()),
        ..Entry::default()
    });
    entries.collect()
}

fn solvers() -> Vec<Entry> {
    let entries = registry::solvers().into_iter().map(|solver| Entry {
        name: solver.name.to_owned(),
        summary: solver.summary.to_owned(),
        details: format!("{}; {}", solver.reference, solver.takes),
        options: listed(solver.options()),
        ..Entry::default()
    });
    entries.collect()
}

fn all_steppers() -> Vec<Entry> {
    let entries = steppers().iter().map(|stepper| Entry {
        name: stepper.name.to_owned(),
        summary: stepper.summary.to_owned(),
        details: stepper.reference.to_owned(),
        options: listed(stepper.options()),
        ..Entry::default()
    });
    entries.collect()
}

fn joints() -> Vec<Entry> {
    let entries = joint_kinds().iter().map(|kind| {
        let model = kind.example();
        let rows = match model.rows() {
            1 => "1 row".to_owned(),
            rows => format!("{rows} rows"),
        };
        let coordinates = match model.coordinates() {
            [] => String::new(),
            names => format!("; limits and motors on {}", names.join(", ")),
        };
        Entry {
            name: kind.name.to_owned(),
            summary: kind.summary.to_owned(),
            details: format!("{rows}{coordinates}; {}", kind.reference),
            ..Entry::default()
        }
    });
    entries.collect()
}

fn all_metrics() -> Vec<Entry> {
    let entries = metrics().iter().map(|metric| Entry {
        name: metric.name.to_owned(),
        summary: metric.meaning.to_owned(),
        unit: Some(metric.unit),
        formula: Some(metric.formula),
        ..Entry::default()
    });
    entries.collect()
}

fn events() -> Vec<Entry> {
    let entries = EVENT_KINDS.iter().map(|kind| Entry {
        name: kind.name.to_owned(),
        summary: kind.meaning.to_owned(),
        details: kind.detail.to_owned(),
        changes: kind.changes,
        ..Entry::default()
    });
    entries.collect()
}

/// One line for each kind of event.
fn event_table() -> String {
    let mut table = Table::new([Align::Left; 4]);
    table.heading(["event", "change", "meaning", "detail"]);
    for kind in &EVENT_KINDS {
        let changes = kind.changes.map_or("-".to_owned(), |changes| changes.join(" "));
        let detail = if kind.detail.is_empty() { "-" } else { kind.detail };
        table.row([kind.name, &changes, kind.meaning, detail]);
    }
    table.render()
}

/// A paragraph for each entry, with a line for each option.
fn descriptions(entries: &[Entry]) -> String {
    let mut text = String::new();
    for entry in entries {
        let name = Tone::Heading.paint(&entry.name);
        text.push_str(&format!("{name}: {}\n  {}\n", entry.summary, entry.details));
        let mut table = Table::new([Align::Left, Align::Left]);
        for option in entry.options.iter().flatten() {
            let setting = format!("  {}={}", option.key, option.default);
            // A default shows what kind of number it is; only choices need to be spelled out.
            let choices = if option.expects.contains('|') {
                format!(" [{}]", option.expects)
            } else {
                String::new()
            };
            table.row([setting, format!("{}{choices}", option.help)]);
        }
        text.push_str(&table.render());
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text
}

/// One line for each metric.
fn columns(entries: &[Entry]) -> String {
    let mut table = Table::new([Align::Left, Align::Left, Align::Left]);
    for entry in entries {
        let unit = entry.unit.filter(|unit| !unit.is_empty()).unwrap_or("-");
        table.row([entry.name.as_str(), unit, entry.summary.as_str()]);
    }
    table.render()
}
