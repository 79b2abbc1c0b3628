//! A run in a few numbers: `summary.json`, the table of a run, the rows of a comparison.

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::events::EVENT_KINDS;
use crate::events_csv::EventCounts;
use crate::metrics::{Metric, Role, Value, metrics};
use crate::trace::Trace;

/// The file's name.
pub const SUMMARY_JSON: &str = "summary.json";

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// All steps were taken, or a stop rule ended it.
    Finished,
    /// Somebody stopped it.
    Interrupted,
    /// A step failed, or a result could not be written.
    Failed,
}

impl Status {
    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
        }
    }
}

/// One metric over the steps of a run; steps without a value do not count.
#[derive(Debug, Clone)]
pub struct Statistics {
    /// What was measured.
    pub metric: &'static Metric,
    /// Its course.
    pub trace: Trace,
    values: u64,
    sum: f64,
    max: f64,
    last: f64,
}

impl Statistics {
    fn of(metric: &'static Metric) -> Self {
        Self {
            metric,
            trace: Trace::default(),
            values: 0,
            sum: 0.0,
            max: f64::NEG_INFINITY,
            last: 0.0,
        }
    }

    fn add(&mut self, value: Value) {
        let Some(number) = value.number() else { return };
        self.values += 1;
        self.sum += number;
        // Not `f64::max`: it would hide a NaN.
        if number > self.max || number.is_nan() {
            self.max = number;
        }
        self.last = number;
        self.trace.push(number);
    }

    /// The mean over the steps.
    pub fn mean(&self) -> Option<f64> {
        (self.values > 0).then(|| self.sum / self.values as f64)
    }

    /// The largest value.
    pub fn max(&self) -> Option<f64> {
        (self.values > 0).then_some(self.max)
    }

    /// The value of the last step.
    pub fn last(&self) -> Option<f64> {
        (self.values > 0).then_some(self.last)
    }
}

impl Serialize for Statistics {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("unit", self.metric.unit)?;
        map.serialize_entry("mean", &self.mean())?;
        map.serialize_entry("max", &self.max())?;
        map.serialize_entry("last", &self.last())?;
        map.end()
    }
}

/// Kinetic plus potential energy over a run, J.
///
/// A loss can be right (friction, inelastic impacts); a gain without a motor or a moving support is an error of the
/// method.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Energy {
    /// Before the first step.
    pub start: f64,
    /// After the last step.
    pub end: f64,
    /// End minus start.
    pub drift: f64,
    /// The most it ever was above the start, 0 if it never was.
    pub gain: f64,
}

impl Energy {
    /// The energy before the first step.
    pub fn starting_at(energy: f64) -> Self {
        Self {
            start: energy,
            end: energy,
            drift: 0.0,
            gain: 0.0,
        }
    }

    fn advance(&mut self, energy: f64) {
        self.end = energy;
        self.drift = energy - self.start;
        if self.drift > self.gain || self.drift.is_nan() {
            self.gain = self.drift;
        }
    }
}

/// A joint that broke.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct BrokenJoint {
    /// Its name.
    pub joint: String,
    /// When, s.
    pub time: f64,
    /// Of what: "force", "torque" or "distance".
    pub cause: &'static str,
    /// How much it was, N, N·m or m.
    pub value: f64,
}

impl BrokenJoint {
    /// Of what, in a number and its unit.
    pub fn unit(&self) -> &'static str {
        match self.cause {
            "force" => "N",
            "torque" => "N·m",
            _ => "m",
        }
    }
}

/// A run in a few numbers.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Summary {
    /// The scene as it was given.
    pub scene: String,
    /// The method as it was given.
    pub method: String,
    /// How it ended.
    pub status: Status,
    /// Why, unless it finished.
    pub message: Option<String>,
    /// The stop rule that ended it, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<String>,
    /// Steps done.
    pub steps: u64,
    /// Simulated time, s.
    pub time: f64,
    /// Time the whole run took by the clock on the wall, writing included, s.
    pub seconds: f64,
    /// The most memory that the whole program had had by the end of the run, bytes, where the system tells it.
    pub peak_memory_bytes: Option<u64>,
    /// What happened to the energy.
    pub energy: Energy,
    /// The joints that broke, in the order they did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub broken_joints: Vec<BrokenJoint>,
    /// The rows of events.csv of each kind, in the order of [`EVENT_KINDS`].
    #[serde(rename = "events", skip_serializing_if = "no_events", serialize_with = "by_kind")]
    pub event_counts: EventCounts,
    /// Every metric that is not an index.
    #[serde(serialize_with = "by_name")]
    pub metrics: Vec<Statistics>,
}

impl Summary {
    /// The summary of a run of no steps, so far.
    pub fn begin(scene: &str, method: &str, energy: f64) -> Self {
        Self {
            scene: scene.to_owned(),
            method: method.to_owned(),
            status: Status::Finished,
            message: None,
            stopped_by: None,
            steps: 0,
            time: 0.0,
            seconds: 0.0,
            peak_memory_bytes: None,
            energy: Energy::starting_at(energy),
            broken_joints: Vec::new(),
            event_counts: EventCounts::default(),
            metrics: metrics()
                .iter()
                .filter(|metric| metric.role != Role::Index)
                .map(Statistics::of)
                .collect(),
        }
    }

    /// Adds a step: the values in the order of the metrics, and the total energy.
    pub fn add(&mut self, time: f64, energy: f64, values: &[Value]) {
        self.steps += 1;
        self.time = time;
        self.energy.advance(energy);
        let recorded = metrics()
            .iter()
            .zip(values)
            .filter(|(metric, _)| metric.role != Role::Index);
        for (statistics, (_, &value)) in self.metrics.iter_mut().zip(recorded) {
            statistics.add(value);
        }
    }

    /// The kinds of events in events.csv and how many rows there are of each; those there are none of are left out.
    pub fn events(&self) -> impl Iterator<Item = (&'static str, u64)> {
        kinds(&self.event_counts)
    }

    /// The statistics of a metric.
    pub fn metric(&self, name: &str) -> Option<&Statistics> {
        self.metrics.iter().find(|statistics| statistics.metric.name == name)
    }
}

fn kinds(counts: &EventCounts) -> impl Iterator<Item = (&'static str, u64)> {
    let counted = EVENT_KINDS.iter().zip(counts);
    counted.filter_map(|(kind, &count)| (count > 0).then_some((kind.name, count)))
}

fn no_events(counts: &EventCounts) -> bool {
    *counts == EventCounts::default()
}

fn by_kind<S: Serializer>(counts: &EventCounts, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(kinds(counts))
}

fn by_name<S: Serializer>(metrics: &[Statistics], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(metrics.iter().map(|statistics| (statistics.metric.name, statistics)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_count_only_measured_steps_and_do_not_hide_nan() {
        let mut statistics = Statistics::of(&metrics()[10]);
        assert_eq!((statistics.mean(), statistics.max()), (None, None));
        for value in [
            Value::Number(1.0),
            Value::Missing,
            Value::Number(3.0),
            Value::Number(2.0),
        ] {
            statistics.add(value);
        }
        assert_eq!(statistics.mean(), Some(2.0));
        assert_eq!(statistics.max(), Some(3.0));
        assert_eq!(statistics.last(), Some(2.0));
        statistics.add(Value::Number(f64::NAN));
        assert!(statistics.max().is_some_and(f64::is_nan));
    }

    #[test]
    fn energy_drift_is_signed_and_gain_is_the_highest_rise() {
        let mut energy = Energy::starting_at(10.0);
        for value in [12.0, 9.0, 8.0] {
            energy.advance(value);
        }
        assert_eq!((energy.drift, energy.gain), (-2.0, 2.0));
    }
}
