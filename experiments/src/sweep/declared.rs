//! `metrics`, `[[measure]]`, `[[fit]]`, `[[event-time]]` and `[[stop]]` as they are written in an experiment file, and their
//! checks.

use std::ops::Range;

use drystone_solver::spec::nearest;
use serde::Deserialize;
use toml::Spanned;

use super::condition::Condition;
use super::course::Window;
use super::file::Source;
use super::measures::{EventTime, Fit, Measure, Statistic};
use super::stop::{StopRule, TIME_LIMIT};
use crate::error::Error;
use crate::metrics::metrics;

/// A `[[measure]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawMeasure {
    pub(super) name: Spanned<String>,
    metric: Spanned<String>,
    per: Option<Spanned<String>>,
    statistic: Option<Spanned<Statistic>>,
    against: Option<Spanned<String>>,
    from: Option<Spanned<f64>>,
    to: Option<Spanned<f64>>,
}

impl RawMeasure {
    pub(super) fn check(&self, source: &Source) -> Result<Measure, Error> {
        let statistic = self
            .statistic
            .as_ref()
            .map_or(Statistic::Mean, |known| *known.get_ref());
        match (&self.against, &self.statistic) {
            (None, Some(given)) if statistic == Statistic::Slope => {
                let message = "a slope needs 'against', the metric along x";
                return Err(source.error(given.span(), message));
            }
            (Some(against), _) if statistic != Statistic::Slope => {
                return Err(source.error(against.span(), "'against' belongs to statistic = \"slope\""));
            }
            _ => {}
        }
        Ok(Measure {
            name: self.name.get_ref().clone(),
            metric: metric(source, &self.metric)?,
            per: optional(source, &self.per)?,
            statistic,
            against: optional(source, &self.against)?,
            window: window(source, &self.from, &self.to)?,
        })
    }
}

/// A `[[fit]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawFit {
    pub(super) name: Spanned<String>,
    x: Spanned<String>,
    y: Spanned<String>,
    minus: Option<Spanned<String>>,
    from: Option<Spanned<f64>>,
    to: Option<Spanned<f64>>,
}

impl RawFit {
    pub(super) fn check(&self, source: &Source) -> Result<Fit, Error> {
        Ok(Fit {
            name: self.name.get_ref().clone(),
            x: metric(source, &self.x)?,
            y: metric(source, &self.y)?,
            minus: optional(source, &self.minus)?,
            window: window(source, &self.from, &self.to)?,
        })
    }
}

/// An `[[event-time]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawEventTime {
    pub(super) name: Spanned<String>,
    metric: Spanned<String>,
    at_least: Option<f64>,
    at_most: Option<f64>,
    #[serde(default)]
    first: bool,
}

impl RawEventTime {
    pub(super) fn check(&self, source: &Source) -> Result<EventTime, Error> {
        Ok(EventTime {
            name: self.name.get_ref().clone(),
            metric: metric(source, &self.metric)?,
            condition: condition(source, &self.name, self.at_least, self.at_most)?,
            first: self.first,
        })
    }
}

/// A `[[stop]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawStop {
    name: Spanned<String>,
    metric: Spanned<String>,
    at_least: Option<f64>,
    at_most: Option<f64>,
    #[serde(rename = "for")]
    hold: Option<Spanned<f64>>,
    after: Option<Spanned<f64>>,
}

impl RawStop {
    /// Checks all rules of a file.
    pub(super) fn check_all(rules: &[Self], source: &Source) -> Result<Vec<StopRule>, Error> {
        let names = rules.iter().map(|rule| (rule.name.get_ref().clone(), rule.name.span()));
        for (name, span) in names.clone() {
            if name == TIME_LIMIT {
                return Err(source.error(
                    span,
                    format!("'{name}' is what runs say that were stopped by the clock"),
                ));
            }
        }
        check_names(source, names, &[])?;
        rules.iter().map(|rule| rule.check(source)).collect()
    }

    fn check(&self, source: &Source) -> Result<StopRule, Error> {
        let seconds = |key: &str, value: &Option<Spanned<f64>>| match value {
            Some(value) if !(value.get_ref().is_finite() && *value.get_ref() >= 0.0) => {
                let message = format!("'{key}' must be finite and not negative, not {}", value.get_ref());
                Err(source.error(value.span(), message))
            }
            value => Ok(value.as_ref().map_or(0.0, |value| *value.get_ref())),
        };
        Ok(StopRule {
            name: self.name.get_ref().clone(),
            metric: metric(source, &self.metric)?,
            condition: condition(source, &self.name, self.at_least, self.at_most)?,
            hold: seconds("for", &self.hold)?,
            after: seconds("after", &self.after)?,
        })
    }
}

/// One of `metrics`: a metric, or a statistic and a metric, `max kinetic_energy`. The column is called so; without a
/// statistic it is the mean.
pub(super) fn shorthand(source: &Source, text: &Spanned<String>) -> Result<Measure, Error> {
    let words: Vec<&str> = text.get_ref().split_whitespace().collect();
    let (statistic, name) = match *words.as_slice() {
        [name] => (Statistic::Mean, name),
        [statistic, name] => {
            let named = |known: &&Statistic| known.name() == statistic;
            let Some(found) = Statistic::SIMPLE.iter().find(named) else {
                let known = || Statistic::SIMPLE.iter().map(|known| known.name());
                let advice = match nearest(statistic, known()) {
                    Some(near) => format!("did you mean '{near}'?"),
                    None => format!("it must be one of {}", known().collect::<Vec<_>>().join(", ")),
                };
                return Err(source.error(text.span(), format!("unknown statistic '{statistic}'; {advice}")));
            };
            (*found, name)
        }
        _ => {
            let message = "it must be a metric, or a statistic and a metric: \"max kinetic_energy\"";
            return Err(source.error(text.span(), message));
        }
    };
    Ok(Measure {
        name: format!("{} {name}", statistic.name()),
        metric: known_metric(source, name, text.span())?,
        per: None,
        statistic,
        against: None,
        window: Window::default(),
    })
}

fn condition(
    source: &Source,
    name: &Spanned<String>,
    at_least: Option<f64>,
    at_most: Option<f64>,
) -> Result<Condition, Error> {
    Condition::new(at_least, at_most).map_err(|fault| {
        let message = format!("'{}': {fault}", name.get_ref());
        source.error(name.span(), message)
    })
}

/// Refuses names that can't tell columns apart: empty ones, and those that are taken.
pub(super) fn check_names(
    source: &Source,
    names: impl Iterator<Item = (String, Range<usize>)>,
    standard: &[String],
) -> Result<(), Error> {
    let mut seen: Vec<String> = Vec::new();
    for (text, span) in names {
        let fault = if text.trim().is_empty() {
            "a name is empty".to_owned()
        } else if standard.contains(&text) {
            format!("'{text}' is a column that every sweep has")
        } else if seen.contains(&text) {
            format!("two things are called '{text}'")
        } else {
            seen.push(text);
            continue;
        };
        return Err(source.error(span, fault));
    }
    Ok(())
}

/// The place of a metric in the list of all.
fn metric(source: &Source, name: &Spanned<String>) -> Result<usize, Error> {
    known_metric(source, name.get_ref(), name.span())
}

fn known_metric(source: &Source, text: &str, span: Range<usize>) -> Result<usize, Error> {
    if let Some(found) = metrics().iter().position(|metric| metric.name == text) {
        return Ok(found);
    }
    let advice = match nearest(text, metrics().iter().map(|metric| metric.name)) {
        Some(near) => format!("did you mean '{near}'?"),
        None => "'drystone list metrics' shows all".to_owned(),
    };
    Err(source.error(span, format!("unknown metric '{text}'; {advice}")))
}

fn optional(source: &Source, name: &Option<Spanned<String>>) -> Result<Option<usize>, Error> {
    name.as_ref().map(|name| metric(source, name)).transpose()
}

fn window(source: &Source, from: &Option<Spanned<f64>>, to: &Option<Spanned<f64>>) -> Result<Window, Error> {
    for end in [from, to].into_iter().flatten() {
        if !end.get_ref().is_finite() {
            return Err(source.error(end.span(), "the ends of a window must be finite"));
        }
    }
    let value = |end: &Option<Spanned<f64>>| end.as_ref().map(|end| *end.get_ref());
    match (from, to) {
        (Some(from), Some(to)) if from.get_ref() >= to.get_ref() => {
            Err(source.error(to.span(), "the window ends before it begins"))
        }
        _ => Ok(Window {
            from: value(from),
            to: value(to),
        }),
    }
}
