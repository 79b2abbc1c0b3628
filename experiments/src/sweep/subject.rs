//! A scene or a method of an experiment file: what it is called, its spec, and its options with the values they take.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::file::Source;
use super::settings::Setting;
use crate::error::Error;

/// A table of options, each a value or a list of values.
pub(super) type RawOptions = BTreeMap<String, Spanned<toml::Value>>;

/// A `[[scene]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawScene {
    name: Option<Spanned<String>>,
    spec: Spanned<String>,
    #[serde(default)]
    parameters: RawOptions,
}

/// A `[[method]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawMethod {
    name: Option<Spanned<String>>,
    spec: Spanned<String>,
    #[serde(default)]
    stepper: RawOptions,
    #[serde(default)]
    solver: RawOptions,
}

/// A scene or a method with the options it is run with.
#[derive(Debug)]
pub struct Subject {
    /// What tables call it.
    pub label: String,
    /// As it could stand on the command line.
    pub spec: Spanned<String>,
    /// Parameters of a scene, or options of a method's solver.
    pub options: Vec<Setting>,
    /// Options of a method's stepper.
    pub stepper: Vec<Setting>,
}

impl RawScene {
    pub(super) fn check(self, source: &Source) -> Result<Subject, Error> {
        let options = Setting::read(self.parameters, source)?;
        Ok(subject(self.name, self.spec, options, Vec::new()))
    }
}

impl RawMethod {
    pub(super) fn check(self, source: &Source) -> Result<Subject, Error> {
        let stepper = Setting::read(self.stepper, source)?;
        let solver = Setting::read(self.solver, source)?;
        Ok(subject(self.name, self.spec, solver, stepper))
    }
}

fn subject(
    name: Option<Spanned<String>>,
    spec: Spanned<String>,
    options: Vec<Setting>,
    stepper: Vec<Setting>,
) -> Subject {
    Subject {
        label: name.map_or_else(|| spec.get_ref().clone(), Spanned::into_inner),
        spec,
        options,
        stepper,
    }
}

/// Rows of tables are told apart by labels.
pub(super) fn distinct(source: &Source, what: &str, subjects: &[Subject]) -> Result<(), Error> {
    for (k, subject) in subjects.iter().enumerate() {
        if subjects[..k].iter().any(|other| other.label == subject.label) {
            let message = format!("two {what} are called '{}'; give them names", subject.label);
            return Err(source.error(subject.spec.span(), message));
        }
    }
    match subjects.is_empty() {
        true => Err(source.error(0..0, format!("there are no {what}"))),
        false => Ok(()),
    }
}
