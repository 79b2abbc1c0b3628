//! `[[measure]]`, `[[fit]]` and `[[event-time]]` as they are written in an experiment file, and their checks.

use std::ops::Range;

use drystone_solver::spec::nearest;
use serde::Deserialize;
use toml::Spanned;

use super::course::Window;
use super::file::Source;
use super::measures::{EventTime, Fit, Measure, Statistic};
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
        let fault = match (self.at_least, self.at_most) {
            (None, None) => Some("an event needs 'at-least' or 'at-most'"),
            (Some(least), Some(most)) if least > most => Some("no value is both at least and at most these"),
            (least, most) if [least, most].into_iter().flatten().any(f64::is_nan) => Some("nothing compares with NaN"),
            _ => None,
        };
        if let Some(message) = fault {
            return Err(source.error(self.name.span(), message));
        }
        Ok(EventTime {
            name: self.name.get_ref().clone(),
            metric: metric(source, &self.metric)?,
            at_least: self.at_least,
            at_most: self.at_most,
            first: self.first,
        })
    }
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
    let text = name.get_ref();
    if let Some(found) = metrics().iter().position(|metric| metric.name == text) {
        return Ok(found);
    }
    let advice = match nearest(text, metrics().iter().map(|metric| metric.name)) {
        Some(near) => format!("did you mean '{near}'?"),
        None => "'drystone list metrics' shows all".to_owned(),
    };
    Err(source.error(name.span(), format!("unknown metric '{text}'; {advice}")))
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
