//! The columns of `results.csv`: which run it was and how it ended, the standard measures of every sweep, and those that the
//! experiment asks for. Declared once for the file, the tables and the manifest.
//!
//! The standard measures are those that `drystone compare` shows, and memory. Memory per contact is what the run raised
//! the program's peak to, above what the program needs for itself, over the largest number of contacts. It is there only
//! where it can be known: on Linux, with one run at a time, for runs that took more than all before them; repetitions
//! and smaller scenes use again what the allocator kept. Bodies and the reading of the scene are in it too, so it means
//! something for large scenes; where sizes ascend, differences of `peak_memory_bytes` say more.

use serde::Serialize;

use super::course::Course;
use super::file::Experiment;
use crate::comparison::{self, Place as Shown};
use crate::metrics::metrics;
use crate::summary::{Statistics, Summary};

/// The columns before the measures.
pub const FIXED: [&str; 13] = [
    "run",
    "scene",
    "parameters",
    "method",
    "options",
    "seed",
    "repetition",
    "status",
    "message",
    "directory",
    "steps",
    "time",
    "stopped_by",
];

const PEAK_MEMORY: &str = "peak_memory_bytes";
const MEMORY_PER_CONTACT: &str = "memory_per_contact_bytes";

/// Where a column appears besides the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Nowhere.
    File,
    /// In the table.
    Table,
    /// In the table, unless it is empty or zero everywhere.
    TableIfAny,
    /// In the table of its fit: slope, intercept, R².
    Fit(usize),
}

/// A measured column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Column {
    /// Its name in the file.
    pub name: String,
    /// Its heading in tables, without the unit.
    #[serde(skip)]
    pub heading: String,
    /// The unit of the metric it is made of; empty for counts.
    #[serde(skip)]
    pub base_unit: &'static str,
    /// What the unit is divided by: ` / contacts`.
    #[serde(skip)]
    pub per: String,
    /// The unit in the file.
    pub unit: String,
    /// Whether it measures the machine, so that it differs between equal runs.
    pub of_machine: bool,
    /// Where it appears.
    #[serde(skip)]
    pub place: Place,
}

impl Column {
    fn new(place: Place, name: impl Into<String>, base_unit: &'static str, per: String, of_machine: bool) -> Self {
        let name = name.into();
        Self {
            heading: name.clone(),
            unit: format!("{base_unit}{per}").trim_start().to_owned(),
            name,
            base_unit,
            per,
            of_machine,
            place,
        }
    }
}

/// The measured columns of an experiment, in their order.
pub fn columns(experiment: &Experiment) -> Vec<Column> {
    let mut columns = standard();
    for measure in &experiment.measures {
        let (unit, per) = (metrics()[measure.metric].unit, measure.suffix());
        let of_machine = measure.metrics().any(is_time_taken);
        columns.push(Column::new(Place::Table, &measure.name, unit, per, of_machine));
    }
    for (k, fit) in experiment.fits.iter().enumerate() {
        let (unit, of_machine) = (metrics()[fit.y].unit, fit.metrics().any(is_time_taken));
        let per = [format!(" / {}", metrics()[fit.x].name), String::new(), String::new()];
        for ((name, per), unit) in fit_names(&fit.name).into_iter().zip(per).zip([unit, unit, ""]) {
            columns.push(Column::new(Place::Fit(k), name, unit, per, of_machine));
        }
    }
    for event in &experiment.events {
        let of_machine = is_time_taken(event.metric);
        columns.push(Column::new(Place::Table, &event.name, "s", String::new(), of_machine));
    }
    columns
}

fn is_time_taken(metric: usize) -> bool {
    metrics()[metric].is_time_taken()
}

/// The columns of a fit.
pub fn fit_names(name: &str) -> [String; 3] {
    ["slope", "intercept", "r2"].map(|what| format!("{name} {what}"))
}

/// Those that every sweep has.
fn standard() -> Vec<Column> {
    let of = |measure: &comparison::Measure| {
        let place = match measure.place {
            Shown::RankedIfAny => Place::TableIfAny,
            _ => Place::Table,
        };
        let of_machine = measure.unit == "µs";
        let mut column = Column::new(place, &measure.name, measure.unit, String::new(), of_machine);
        column.heading = measure.heading.join(" ");
        column
    };
    let mut columns: Vec<Column> = comparison::in_table().map(of).collect();
    columns.push(Column::new(Place::File, PEAK_MEMORY, "B", String::new(), true));
    let mut memory = Column::new(Place::TableIfAny, MEMORY_PER_CONTACT, "B", String::new(), true);
    memory.heading = "memory per contact".into();
    columns.push(memory);
    columns
}

/// The names that an experiment can't use for its own.
pub fn reserved() -> Vec<String> {
    let fixed = FIXED.into_iter().map(str::to_owned);
    fixed.chain(standard().into_iter().map(|column| column.name)).collect()
}

/// The values of a run in the order of the columns. `memory` is what the run took, in bytes, where that is known.
pub fn values(experiment: &Experiment, summary: &Summary, course: &Course, memory: Option<u64>) -> Vec<Option<f64>> {
    let mut values: Vec<Option<f64>> = comparison::in_table().map(|measure| (measure.value)(summary)).collect();
    values.push(summary.peak_memory_bytes.map(|bytes| bytes as f64));
    let contacts = summary.metric("contacts").and_then(Statistics::max);
    let contacts = contacts.filter(|&contacts| contacts > 0.0);
    values.push(memory.zip(contacts).map(|(bytes, contacts)| bytes as f64 / contacts));
    values.extend(experiment.measures.iter().map(|measure| measure.value(course)));
    for fit in &experiment.fits {
        let line = fit.line(course);
        values.push(line.map(|line| line.slope));
        values.push(line.map(|line| line.intercept));
        values.push(line.and_then(|line| line.r_squared));
    }
    values.extend(experiment.events.iter().map(|event| event.time(course)));
    values
}

/// The metrics that have to be kept for those values.
pub fn needed_metrics(experiment: &Experiment) -> Vec<usize> {
    let measures = experiment.measures.iter().flat_map(|measure| measure.metrics());
    let fits = experiment.fits.iter().flat_map(|fit| fit.metrics());
    let events = experiment.events.iter().map(|event| event.metric);
    measures.chain(fits).chain(events).collect()
}
