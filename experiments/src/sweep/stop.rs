//! Stop rules: a run is over when a metric has been within bounds for some simulated time, or when its time on the wall is
//! up. Such a run is finished, and its row names the rule.
//!
//! Rules on metrics of the physics stop equal runs at equal steps. The time limit, and rules on metrics that measure the
//! machine, do not: what a row has then depends on how fast the machine was. Both are looked at after every step, so a
//! single step is never cut short.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::condition::Condition;
use super::course::time_metric;
use crate::metrics::{Value, metrics};

/// What `stopped_by` says of a run whose time was up; no rule can be called so.
pub const TIME_LIMIT: &str = "time limit";

/// A `[[stop]]` of the experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct StopRule {
    /// What `stopped_by` says.
    pub name: String,
    /// What is watched, by its place in the list of all metrics.
    pub metric: usize,
    /// What it must be.
    pub condition: Condition,
    /// For how long it must be so without a break, simulated s.
    pub hold: f64,
    /// Steps that end before this do not count, s.
    pub after: f64,
}

/// A rule in a manifest.
#[derive(Debug, Serialize)]
pub struct StopRecord<'a> {
    name: &'a str,
    metric: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_least: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most: Option<f64>,
    #[serde(rename = "for")]
    hold: f64,
    after: f64,
    of_machine: bool,
}

impl<'a> From<&'a StopRule> for StopRecord<'a> {
    fn from(rule: &'a StopRule) -> Self {
        let metric = &metrics()[rule.metric];
        Self {
            name: &rule.name,
            metric: metric.name,
            at_least: rule.condition.at_least,
            at_most: rule.condition.at_most,
            hold: rule.hold,
            after: rule.after,
            of_machine: metric.is_time_taken(),
        }
    }
}

/// Watches one run.
#[derive(Debug)]
pub struct Watch<'a> {
    rules: &'a [StopRule],
    /// Since when each condition has held, s.
    since: Vec<Option<f64>>,
    deadline: Option<Instant>,
}

impl<'a> Watch<'a> {
    /// Of a run that begins now. The limit is in seconds on the wall.
    pub fn start(rules: &'a [StopRule], time_limit: Option<f64>) -> Self {
        // A limit longer than the clock can count is none.
        let deadline = time_limit
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            .and_then(|limit| Instant::now().checked_add(limit));
        Self {
            rules,
            since: vec![None; rules.len()],
            deadline,
        }
    }

    /// Told of a step, by the values of all metrics; returns the rule that ends the run. Of several the first of the file
    /// does, and any of them before the clock.
    pub fn step(&mut self, values: &[Value]) -> Option<&'a str> {
        let number = |metric: usize| values.get(metric).and_then(|value| value.number());
        let time = number(time_metric())?;
        let mut stopped = None;
        for (rule, since) in self.rules.iter().zip(&mut self.since) {
            // Times are sums of time steps, so ends are not missed for rounding.
            let slack = 1e-9 * time.abs().max(1.0);
            if time < rule.after - slack || !rule.condition.holds(number(rule.metric)) {
                *since = None;
                continue;
            }
            let begun = *since.get_or_insert(time);
            if time - begun >= rule.hold - slack {
                stopped = stopped.or(Some(rule.name.as_str()));
            }
        }
        let late = || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        stopped.or_else(|| late().then_some(TIME_LIMIT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTACTS: usize = 4;

    fn rule(name: &str, hold: f64, after: f64) -> StopRule {
        StopRule {
            name: name.into(),
            metric: CONTACTS,
            condition: Condition::new(Some(5.0), None).unwrap(),
            hold,
            after,
        }
    }

    /// Steps of 0.1 s with these numbers of contacts; the step that the run ends with, from 1, and why.
    fn ends(rules: &[StopRule], contacts: &[f64]) -> Option<(usize, String)> {
        let mut watch = Watch::start(rules, None);
        let mut time = 0.0;
        for (k, &count) in contacts.iter().enumerate() {
            time += 0.1;
            let mut values = vec![Value::Missing; metrics().len()];
            values[time_metric()] = Value::Number(time);
            values[CONTACTS] = Value::Number(count);
            if let Some(name) = watch.step(&values) {
                return Some((k + 1, name.to_owned()));
            }
        }
        None
    }

    #[test]
    fn a_condition_must_hold_without_a_break() {
        let contacts = [5.0, 6.0, 0.0, 5.0, 5.0, 5.0, 5.0, 5.0];
        assert_eq!(ends(&[rule("now", 0.0, 0.0)], &contacts), Some((1, "now".into())));
        // From the fourth step at 0.4 s to the seventh at 0.7 s, though three times 0.1 is not 0.3.
        assert_eq!(ends(&[rule("held", 0.3, 0.0)], &contacts), Some((7, "held".into())));
        assert_eq!(ends(&[rule("long", 0.5, 0.0)], &contacts), None);
        assert_eq!(ends(&[rule("late", 0.0, 0.6)], &contacts), Some((6, "late".into())));
        assert_eq!(ends(&[rule("later", 0.2, 0.6)], &contacts), Some((8, "later".into())));
    }

    #[test]
    fn of_several_rules_the_first_of_the_file_is_named() {
        let rules = [rule("long", 0.1, 0.0), rule("a", 0.0, 0.2), rule("b", 0.0, 0.2)];
        assert_eq!(ends(&rules, &[0.0, 9.0]), Some((2, "a".into())));
        assert_eq!(ends(&rules, &[9.0, 9.0]), Some((2, "long".into())));
    }

    #[test]
    fn the_clock_ends_what_no_rule_ends() {
        let mut values = vec![Value::Missing; metrics().len()];
        values[time_metric()] = Value::Number(0.1);
        assert_eq!(Watch::start(&[], Some(0.0)).step(&values), Some(TIME_LIMIT));
        assert_eq!(Watch::start(&[], Some(1e300)).step(&values), None);
        assert_eq!(Watch::start(&[], None).step(&values), None);
        let rules = [rule("rule", 0.0, 0.0)];
        values[CONTACTS] = Value::Number(9.0);
        assert_eq!(Watch::start(&rules, Some(0.0)).step(&values), Some("rule"));
    }
}
