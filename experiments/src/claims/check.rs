//! `[[claim.check]]`: a number made of the results of an experiment, and what it must be.
//!
//! A [`Selection`] picks rows, a [`Statistic`] makes one number of a column of them, `over` divides it by the same of other
//! rows, and a [`Relation`] judges it. A ratio stays within one experiment, so that clocks are compared within one run only.

use drystone_solver::spec::nearest;
use serde::Deserialize;
use toml::Spanned;

use super::file::filled;
use super::relation::{RawRelation, Relation};
use super::selection::{RawSelection, Selection};
use crate::error::Error;
use crate::sweep::columns::{Column, columns};
use crate::sweep::file::{Experiment, Source};

/// How the values of many rows become one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Statistic {
    /// The middle value.
    #[default]
    Median,
    /// The arithmetic mean.
    Mean,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// The largest over the smallest.
    Spread,
    /// How many rows have a value.
    Count,
    /// The share of rows that have a value.
    Fraction,
    /// The slope of a straight line against `along`.
    Slope,
    /// The p of a law `along`^p: the slope through logarithms.
    Exponent,
}

impl Statistic {
    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Median => "median",
            Self::Mean => "mean",
            Self::Min => "smallest",
            Self::Max => "largest",
            Self::Spread => "spread",
            Self::Count => "count",
            Self::Fraction => "fraction",
            Self::Slope => "slope",
            Self::Exponent => "exponent",
        }
    }

    /// Whether the number has the unit of the column.
    pub fn keeps_unit(self) -> bool {
        matches!(self, Self::Median | Self::Mean | Self::Min | Self::Max)
    }

    fn is_line(self) -> bool {
        matches!(self, Self::Slope | Self::Exponent)
    }
}

/// What a line of the file says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawCheck {
    experiment: Spanned<String>,
    column: Spanned<String>,
    scene: Option<Spanned<String>>,
    method: Option<Spanned<String>>,
    #[serde(default)]
    parameters: super::selection::RawFilter,
    #[serde(default)]
    stepper: super::selection::RawFilter,
    #[serde(default)]
    solver: super::selection::RawFilter,
    statistic: Option<Spanned<Statistic>>,
    along: Option<Spanned<String>>,
    over: Option<Spanned<RawOver>>,
    pairwise: Option<Spanned<bool>>,
    equals: Option<Spanned<f64>>,
    tolerance: Option<Spanned<f64>>,
    relative_tolerance: Option<Spanned<f64>>,
    at_least: Option<Spanned<f64>>,
    at_most: Option<Spanned<f64>>,
    within: Option<Spanned<Vec<f64>>>,
    because: Spanned<String>,
}

/// What is divided by: rows that differ from those of the check in what is named here.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawOver {
    column: Option<Spanned<String>>,
    scene: Option<Spanned<String>>,
    method: Option<Spanned<String>>,
    #[serde(default)]
    parameters: super::selection::RawFilter,
    #[serde(default)]
    stepper: super::selection::RawFilter,
    #[serde(default)]
    solver: super::selection::RawFilter,
}

/// A column of some rows.
#[derive(Debug, Clone)]
pub struct Quantity {
    /// The rows.
    pub selection: Selection,
    /// The column.
    pub column: Column,
}

/// A check.
#[derive(Debug, Clone)]
pub struct Check {
    /// The experiment's file, without `.toml`.
    pub experiment: String,
    /// What is measured.
    pub of: Quantity,
    /// What it is divided by.
    pub over: Option<Quantity>,
    /// Whether row is divided by row before the statistic is taken, not one statistic by the other.
    pub pairwise: bool,
    /// What `over` names, for pairs: everything else must agree.
    pub differs: Selection,
    /// How many rows become one number.
    pub statistic: Statistic,
    /// What a slope or an exponent is against: a parameter, an option or a column.
    pub along: Option<String>,
    /// What the number must be.
    pub relation: Relation,
    /// Why that, and why no tighter or looser.
    pub because: String,
}

impl RawCheck {
    pub(super) fn check(&self, source: &Source, experiments: &[Experiment]) -> Result<Check, Error> {
        let experiment = found_experiment(source, &self.experiment, experiments)?;
        let raw = RawSelection {
            scene: self.scene.as_ref(),
            method: self.method.as_ref(),
            parameters: &self.parameters,
            stepper: &self.stepper,
            solver: &self.solver,
        };
        let selection = raw.check(source, experiment, self.experiment.span())?;
        let statistic = self
            .statistic
            .as_ref()
            .map(|given| *given.get_ref())
            .unwrap_or_default();
        self.check_line(source, experiment, statistic)?;
        let (over, differs) = self.over(source, experiment, &selection)?;
        let pairwise = self.pairwise.as_ref().is_some_and(|given| *given.get_ref());
        if let (Some(given), true, None) = (&self.pairwise, pairwise, &over) {
            return Err(source.error(given.span(), "'pairwise' needs 'over', what rows are divided by"));
        }
        let relation = RawRelation {
            equals: self.equals.as_ref(),
            tolerance: self.tolerance.as_ref(),
            relative_tolerance: self.relative_tolerance.as_ref(),
            at_least: self.at_least.as_ref(),
            at_most: self.at_most.as_ref(),
            within: self.within.as_ref(),
        };
        Ok(Check {
            experiment: self.experiment.get_ref().clone(),
            of: Quantity {
                column: found_column(source, &self.column, experiment)?,
                selection,
            },
            over,
            pairwise,
            differs,
            statistic,
            along: self.along.as_ref().map(|along| along.get_ref().clone()),
            relation: relation.check(source, self.experiment.span())?,
            because: filled(source, "because", &self.because)?,
        })
    }

    /// Slopes and exponents are against something, and nothing else is.
    fn check_line(&self, source: &Source, experiment: &Experiment, statistic: Statistic) -> Result<(), Error> {
        match (&self.along, &self.statistic) {
            (None, Some(given)) if statistic.is_line() => {
                let message = format!("a statistic \"{}\" needs 'along', what it is against", statistic.name());
                Err(source.error(given.span(), message))
            }
            (Some(along), _) if !statistic.is_line() => {
                let message = "'along' belongs to statistic = \"slope\" or \"exponent\"";
                Err(source.error(along.span(), message))
            }
            (Some(along), _) => {
                let known = keys_and_columns(experiment);
                match known.contains(along.get_ref()) {
                    true => Ok(()),
                    false => Err(unknown(
                        source,
                        along,
                        "parameter, option or column",
                        &known,
                        experiment,
                    )),
                }
            }
            _ => Ok(()),
        }
    }

    fn over(
        &self,
        source: &Source,
        experiment: &Experiment,
        selection: &Selection,
    ) -> Result<(Option<Quantity>, Selection), Error> {
        let Some(over) = &self.over else {
            return Ok((None, Selection::default()));
        };
        let raw = over.get_ref();
        let differs = RawSelection {
            scene: raw.scene.as_ref(),
            method: raw.method.as_ref(),
            parameters: &raw.parameters,
            stepper: &raw.stepper,
            solver: &raw.solver,
        };
        let differs = differs.check(source, experiment, over.span())?;
        let column = raw.column.as_ref().unwrap_or(&self.column);
        if differs.is_everything() && raw.column.is_none() {
            return Err(source.error(over.span(), "'over' names nothing that differs from the check"));
        }
        let selection = selection.changed_by(&differs);
        if selection.planned(experiment) == 0 {
            return Err(source.error(over.span(), format!("no run of {} is this one", experiment.stem())));
        }
        let quantity = Quantity {
            selection: selection.counted(experiment),
            column: found_column(source, column, experiment)?,
        };
        Ok((Some(quantity), differs))
    }
}

/// The experiment of a name.
fn found_experiment<'a>(
    source: &Source,
    name: &Spanned<String>,
    experiments: &'a [Experiment],
) -> Result<&'a Experiment, Error> {
    let text = name.get_ref();
    if let Some(found) = experiments.iter().find(|experiment| experiment.stem() == *text) {
        return Ok(found);
    }
    let stems: Vec<String> = experiments.iter().map(Experiment::stem).collect();
    let advice = match nearest(text, stems.iter().map(String::as_str)) {
        Some(near) => format!("did you mean '{near}'?"),
        None => format!("the folder has {}", stems.join(", ")),
    };
    Err(source.error(name.span(), format!("unknown experiment '{text}'; {advice}")))
}

/// A measured column of the results.
fn found_column(source: &Source, name: &Spanned<String>, experiment: &Experiment) -> Result<Column, Error> {
    let columns = columns(experiment);
    if let Some(found) = columns.iter().find(|column| column.name == *name.get_ref()) {
        return Ok(found.clone());
    }
    let known: Vec<String> = columns.into_iter().map(|column| column.name).collect();
    Err(unknown(source, name, "column", &known, experiment))
}

/// What a line can be against.
fn keys_and_columns(experiment: &Experiment) -> Vec<String> {
    let subjects = experiment.scenes.iter().chain(&experiment.methods);
    let keys = subjects.flat_map(|subject| subject.options.iter().chain(&subject.stepper));
    let columns = columns(experiment).into_iter().map(|column| column.name);
    keys.map(|setting| setting.key.clone()).chain(columns).collect()
}

/// The answer to a name that the experiment does not have.
pub(super) fn unknown(
    source: &Source,
    name: &Spanned<String>,
    what: &str,
    known: &[String],
    experiment: &Experiment,
) -> Error {
    let text = name.get_ref();
    let advice = match nearest(text, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean '{near}'?"),
        None if known.is_empty() => "it has none".to_owned(),
        None => format!("it has {}", known.join(", ")),
    };
    let message = format!("{} has no {what} '{text}'; {advice}", experiment.stem());
    source.error(name.span(), message)
}
