//! Which rows of an experiment's results a check is about: those of a scene and a method, with these parameters and options
//! of the tables in the experiment file. What is left out may be anything.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::{Spanned, Value};

use super::check::unknown;
use super::results::StoredRow;
use crate::error::Error;
use crate::sweep::file::{Experiment, Source};
use crate::sweep::settings::{Setting, typed};
use crate::sweep::subject::Subject;

/// A table of options with one value each.
pub(super) type RawFilter = BTreeMap<Spanned<String>, Spanned<Value>>;

/// Options by key, with values as they are typed in specs.
pub type Filter = BTreeMap<String, String>;

/// Rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// The scene's label.
    pub scene: Option<String>,
    /// The method's label.
    pub method: Option<String>,
    /// Parameters of the scene.
    pub parameters: Filter,
    /// Options of the stepper.
    pub stepper: Filter,
    /// Options of the solver.
    pub solver: Filter,
    /// How many runs of the experiment these are.
    pub runs: usize,
}

impl Selection {
    /// Whether a row is one of them.
    pub fn has(&self, row: &StoredRow) -> bool {
        let names = |wanted: &Option<String>, name: &str| wanted.as_deref().is_none_or(|wanted| wanted == name);
        names(&self.scene, &row.scene)
            && names(&self.method, &row.method)
            && is_part(&self.parameters, &row.parameters)
            && is_part(&self.stepper, &row.stepper)
            && is_part(&self.solver, &row.solver)
    }

    /// Whether it names nothing.
    pub fn is_everything(&self) -> bool {
        let (scene, method) = (self.scene.is_none(), self.method.is_none());
        scene && method && self.parameters.is_empty() && self.stepper.is_empty() && self.solver.is_empty()
    }

    /// These rows with what `over` names in the place of their own. Another scene or method has options of its own.
    pub fn changed_by(&self, over: &Self) -> Self {
        let merged = |own: &Filter, other: &Filter, is_kept: bool| {
            let mut merged = if is_kept { own.clone() } else { Filter::new() };
            merged.extend(other.iter().map(|(key, value)| (key.clone(), value.clone())));
            merged
        };
        let (keeps_scene, keeps_method) = (over.scene.is_none(), over.method.is_none());
        Self {
            scene: over.scene.clone().or_else(|| self.scene.clone()),
            method: over.method.clone().or_else(|| self.method.clone()),
            parameters: merged(&self.parameters, &over.parameters, keeps_scene),
            stepper: merged(&self.stepper, &over.stepper, keeps_method),
            solver: merged(&self.solver, &over.solver, keeps_method),
            runs: 0,
        }
    }

    /// How many runs of an experiment it has.
    pub fn planned(&self, experiment: &Experiment) -> usize {
        let choices = |settings: &[Setting], filter: &Filter| -> usize {
            let known = filter
                .keys()
                .all(|key| settings.iter().any(|setting| setting.key == *key));
            let counts = settings.iter().map(|setting| match filter.get(&setting.key) {
                Some(value) => setting.values.iter().filter(|other| *other == value).count(),
                None => setting.values.len(),
            });
            if known { counts.product() } else { 0 }
        };
        let named = |wanted: &Option<String>, subject: &&Subject| {
            wanted.as_deref().is_none_or(|wanted| wanted == subject.label)
        };
        let scenes = experiment.scenes.iter().filter(|scene| named(&self.scene, scene));
        let scenes: usize = scenes.map(|scene| choices(&scene.options, &self.parameters)).sum();
        let methods = experiment.methods.iter().filter(|method| named(&self.method, method));
        let methods = methods.map(|method| {
            choices(&method.stepper, &self.stepper).saturating_mul(choices(&method.options, &self.solver))
        });
        let repetitions = usize::try_from(experiment.repetitions).unwrap_or(usize::MAX);
        [methods.sum(), experiment.seeds.len().max(1), repetitions]
            .into_iter()
            .fold(scenes, usize::saturating_mul)
    }

    /// With the number of its runs.
    pub(super) fn counted(self, experiment: &Experiment) -> Self {
        let runs = self.planned(experiment);
        Self { runs, ..self }
    }

    /// In a few words: `wall, published, weight=0`.
    pub fn shown(&self) -> String {
        let options = [&self.parameters, &self.stepper, &self.solver];
        let options = options
            .into_iter()
            .flatten()
            .map(|(key, value)| format!("{key}={value}"));
        let names = [self.scene.clone(), self.method.clone()].into_iter().flatten();
        names.chain(options).collect::<Vec<_>>().join(", ")
    }
}

fn is_part(filter: &Filter, options: &Filter) -> bool {
    filter.iter().all(|(key, value)| options.get(key) == Some(value))
}

/// As it is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct RawSelection<'a> {
    pub(super) scene: Option<&'a Spanned<String>>,
    pub(super) method: Option<&'a Spanned<String>>,
    pub(super) parameters: &'a RawFilter,
    pub(super) stepper: &'a RawFilter,
    pub(super) solver: &'a RawFilter,
}

impl RawSelection<'_> {
    /// Checks every name against the experiment. `place` is where the check begins.
    pub(super) fn check(
        self,
        source: &Source,
        experiment: &Experiment,
        place: Range<usize>,
    ) -> Result<Selection, Error> {
        let scenes = subjects(source, "scene", self.scene, &experiment.scenes, experiment)?;
        let methods = subjects(source, "method", self.method, &experiment.methods, experiment)?;
        let of = |subjects: &[&Subject], pick: fn(&Subject) -> &Vec<Setting>| -> Vec<Setting> {
            subjects.iter().flat_map(|subject| pick(subject).clone()).collect()
        };
        let known = [
            ("parameter", of(&scenes, |subject| &subject.options)),
            ("stepper's option", of(&methods, |subject| &subject.stepper)),
            ("solver's option", of(&methods, |subject| &subject.options)),
        ];
        let [parameters, stepper, solver] = [self.parameters, self.stepper, self.solver];
        let label = |name: Option<&Spanned<String>>| name.map(|name| name.get_ref().clone());
        let filter = |raw, known: &(&str, Vec<Setting>)| filter(source, raw, known.0, &known.1, experiment);
        let selection = Selection {
            scene: label(self.scene),
            method: label(self.method),
            parameters: filter(parameters, &known[0])?,
            stepper: filter(stepper, &known[1])?,
            solver: filter(solver, &known[2])?,
            runs: 0,
        }
        .counted(experiment);
        match selection.runs {
            0 => Err(source.error(place, format!("no run of {} is this one", experiment.stem()))),
            _ => Ok(selection),
        }
    }
}

/// The scenes or methods of a name, or all.
fn subjects<'a>(
    source: &Source,
    what: &str,
    name: Option<&Spanned<String>>,
    subjects: &'a [Subject],
    experiment: &Experiment,
) -> Result<Vec<&'a Subject>, Error> {
    let Some(name) = name else {
        return Ok(subjects.iter().collect());
    };
    match subjects.iter().find(|subject| subject.label == *name.get_ref()) {
        Some(found) => Ok(vec![found]),
        None => {
            let known: Vec<String> = subjects.iter().map(|subject| subject.label.clone()).collect();
            Err(unknown(source, name, what, &known, experiment))
        }
    }
}

fn filter(
    source: &Source,
    raw: &RawFilter,
    what: &str,
    known: &[Setting],
    experiment: &Experiment,
) -> Result<Filter, Error> {
    let mut filter = Filter::new();
    for (key, value) in raw {
        let same: Vec<&Setting> = known.iter().filter(|setting| setting.key == *key.get_ref()).collect();
        if same.is_empty() {
            let keys: Vec<String> = known.iter().map(|setting| setting.key.clone()).collect();
            return Err(unknown(source, key, what, &keys, experiment));
        }
        let values: Vec<&str> = same
            .iter()
            .flat_map(|setting| &setting.values)
            .map(String::as_str)
            .collect();
        let text = typed(value.get_ref()).filter(|text| values.contains(&text.as_str()));
        let Some(text) = text else {
            let message = format!(
                "'{}' is never {} there; it is {}",
                key.get_ref(),
                value.get_ref(),
                values.join(", ")
            );
            return Err(source.error(value.span(), message));
        };
        filter.insert(key.get_ref().clone(), text);
    }
    Ok(filter)
}
