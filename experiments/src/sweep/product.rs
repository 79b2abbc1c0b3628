//! The runs of an experiment: the product of scenes, their parameters, methods, their options, seeds and repetitions, in
//! that order, the last one varying fastest. Making the list checks everything that a run could stumble over at its start.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use drystone_dynamics::steppers;
use drystone_scenes::{Scene, SceneError};
use drystone_solver::spec::SpecError;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::file::{Experiment, Source};
use super::settings::{Choice, Setting};
use super::subject::Subject;
use crate::advice::with_advice;
use crate::cli::SimulationArguments;
use crate::error::Error;
use crate::plan::{Plan, PreparedMethod, PreparedScene, is_from_catalogue};

/// More runs than this are taken for a mistake.
const MAX_RUNS: usize = 1_000_000;

/// One run of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// From 1.
    pub run: usize,
    /// Which scene with which method it is, seeds and repetitions aside; from 0.
    pub combination: usize,
    /// The scene's label.
    pub scene: String,
    /// The parameters it was given in the file.
    pub parameters: String,
    /// The method's label.
    pub method: String,
    /// The options it was given in the file: those of the solver, or `stepper's/solver's`.
    pub options: String,
    /// The seed for everything random, if one was given.
    pub seed: Option<u64>,
    /// From 1.
    pub repetition: u64,
    /// The scene as it could be typed.
    pub scene_spec: String,
    /// The method as it could be typed.
    pub method_spec: String,
    /// Time step, s.
    pub dt: f64,
    /// Steps to take.
    pub steps: u64,
    /// The parameters that vary, for tables.
    pub varying_parameters: String,
    /// The options that vary, for tables.
    pub varying_options: String,
}

impl Run {
    /// Makes it ready to go.
    pub fn plan(&self, experiment: &Experiment, files: &SceneFiles) -> Result<Plan, Error> {
        let scene = match files.get(&self.scene_spec) {
            Some(scene) => PreparedScene::of(&self.scene_spec, self.seed, scene.clone())?,
            None => PreparedScene::load(&self.scene_spec, self.seed)?,
        };
        let scene = Arc::new(scene);
        let (record, simulation) = (experiment.record, simulation(experiment));
        Plan::new(&scene, Some(&self.method_spec), &simulation, record, self.seed)
    }
}

/// The scenes that were read from files, by their specs. All runs have the file as it was when they were listed: one that is
/// edited while a sweep goes on changes nothing.
pub type SceneFiles = BTreeMap<String, Scene>;

/// The runs of an experiment, and what their scenes were when they were listed.
#[derive(Debug)]
pub struct Product {
    /// All runs in order.
    pub runs: Vec<Run>,
    /// The BLAKE3 hash of all scenes: a scene file may change while the experiment that names it stays the same.
    pub scenes_blake3: String,
    /// The scenes that were read from files.
    pub files: SceneFiles,
}

/// How long and how finely, as the command line would say it.
fn simulation(experiment: &Experiment) -> SimulationArguments {
    SimulationArguments {
        steps: experiment.steps,
        duration: experiment.duration.as_ref().map(|duration| *duration.get_ref()),
        dt: experiment.dt.as_ref().map(|dt| *dt.get_ref()),
        out: None,
        events: None,
        record: None,
        trajectory: experiment.trajectory,
    }
}

/// A method with one choice of its options.
struct ChosenMethod<'a> {
    subject: &'a Subject,
    spec: String,
    options: String,
    varying: String,
}

/// All runs in order. `seed` is for experiments that have no seeds of their own.
pub fn product(experiment: &Experiment, seed: Option<u64>) -> Result<Product, Error> {
    let source = &experiment.source;
    let seeds: Vec<Option<u64>> = match experiment.seeds.as_slice() {
        [] => vec![seed],
        seeds => seeds.iter().copied().map(Some).collect(),
    };
    check_count(experiment, seeds.len())?;
    let methods = methods(experiment, &seeds)?;
    let simulation = simulation(experiment);
    let mut runs = Vec::new();
    let mut combination = 0;
    let mut hasher = blake3::Hasher::new();
    let mut files = SceneFiles::new();
    for subject in &experiment.scenes {
        let spec = located_scene(source, subject)?;
        for parameters in Choice::product(&subject.options) {
            let scene_spec = parameters.added_to(&spec);
            let load = |seed: &Option<u64>| match PreparedScene::load(&scene_spec, *seed) {
                Ok(scene) => Ok(Arc::new(scene)),
                Err(error) => Err(at_scene(source, subject, error)),
            };
            let scenes: Vec<Arc<PreparedScene>> = seeds.iter().map(load).collect::<Result<_, _>>()?;
            for scene in &scenes {
                hasher.update(blake3::hash(scene.toml.as_bytes()).as_bytes());
            }
            if let (Some(scene), false) = (scenes.first(), is_from_catalogue(&scene_spec)) {
                files.insert(scene_spec.clone(), scene.scene.clone());
            }
            for method in &methods {
                for (scene, &seed) in scenes.iter().zip(&seeds) {
                    let plan = Plan::new(scene, Some(&method.spec), &simulation, experiment.record, seed);
                    let plan = plan.map_err(|error| at_time(experiment, subject, &error))?;
                    for repetition in 1..=experiment.repetitions {
                        runs.push(Run {
                            run: runs.len() + 1,
                            combination,
                            scene: subject.label.clone(),
                            parameters: parameters.all.clone(),
                            method: method.subject.label.clone(),
                            options: method.options.clone(),
                            seed,
                            repetition,
                            scene_spec: scene_spec.clone(),
                            method_spec: method.spec.clone(),
                            dt: plan.dt,
                            steps: plan.steps,
                            varying_parameters: parameters.varying.clone(),
                            varying_options: method.varying.clone(),
                        });
                    }
                }
                combination += 1;
            }
        }
    }
    Ok(Product {
        runs,
        scenes_blake3: hasher.finalize().to_hex().to_string(),
        files,
    })
}

fn check_count(experiment: &Experiment, seeds: usize) -> Result<(), Error> {
    let of = |subject: &Subject| Choice::count(&subject.options).saturating_mul(Choice::count(&subject.stepper));
    let total = |subjects: &[Subject]| subjects.iter().map(of).fold(0, usize::saturating_add);
    let repetitions = usize::try_from(experiment.repetitions).unwrap_or(usize::MAX);
    let count = [
        total(&experiment.scenes),
        total(&experiment.methods),
        seeds,
        repetitions,
    ];
    match count.into_iter().fold(1, usize::saturating_mul) {
        count if count > MAX_RUNS => {
            let message = format!("these would be {count} runs; at most {MAX_RUNS} are allowed");
            Err(experiment.source.error(0..0, message))
        }
        _ => Ok(()),
    }
}

/// Every method with every choice of its options, checked.
fn methods<'a>(experiment: &'a Experiment, seeds: &[Option<u64>]) -> Result<Vec<ChosenMethod<'a>>, Error> {
    let mut chosen = Vec::new();
    for subject in &experiment.methods {
        let given = subject.spec.get_ref();
        let (stepper, solver) = match given.split_once('/') {
            Some((stepper, solver)) => (Some(stepper), solver),
            None => (None, given.as_str()),
        };
        for of_stepper in Choice::product(&subject.stepper) {
            let stepper = match (stepper, of_stepper.all.is_empty()) {
                (None, true) => String::new(),
                (None, false) => format!("{}/", of_stepper.added_to(steppers()[0].name)),
                (Some(stepper), _) => format!("{}/", of_stepper.added_to(stepper)),
            };
            for of_solver in Choice::product(&subject.options) {
                let spec = format!("{stepper}{}", of_solver.added_to(solver));
                for &seed in seeds {
                    PreparedMethod::parse(&spec, seed, "")
                        .map_err(|error| at_method(&experiment.source, subject, error))?;
                }
                chosen.push(ChosenMethod {
                    subject,
                    spec,
                    options: joined(&of_stepper.all, &of_solver.all),
                    varying: joined(&of_stepper.varying, &of_solver.varying),
                });
            }
        }
    }
    Ok(chosen)
}

/// `stepper's/solver's`, as in a method's spec.
fn joined(stepper: &str, solver: &str) -> String {
    match stepper {
        "" => solver.to_owned(),
        _ => format!("{stepper}/{solver}"),
    }
}

/// The scene's spec; a file is looked for from the folder of the experiment, so that it runs from anywhere.
fn located_scene(source: &Source, subject: &Subject) -> Result<String, Error> {
    let given = subject.spec.get_ref();
    if !given.ends_with(".toml") && !given.contains(std::path::is_separator) {
        return Ok(given.clone());
    }
    if let Some(first) = subject.options.first() {
        return Err(source.error(first.span.clone(), "a scene file has no parameters"));
    }
    let folder = source.path.parent().unwrap_or(Path::new(""));
    Ok(folder.join(given).display().to_string())
}

fn at_scene(source: &Source, subject: &Subject, error: Error) -> Error {
    match &error {
        // A mistake in a scene file has a place of its own.
        Error::Scene(SceneError::Located(_)) => error,
        Error::Scene(SceneError::Spec(fault)) => source.error(place(subject, fault), with_advice(&error)),
        _ => source.error(subject.spec.span(), with_advice(&error)),
    }
}

fn at_method(source: &Source, subject: &Subject, error: Error) -> Error {
    match &error {
        Error::Method { source: fault, .. } => source.error(place(subject, fault), with_advice(&error)),
        _ => source.error(subject.spec.span(), with_advice(&error)),
    }
}

/// What is wrong with a plan of a good scene and a good method is its time.
fn at_time(experiment: &Experiment, subject: &Subject, error: &Error) -> Error {
    let time = [&experiment.duration, &experiment.dt].into_iter().flatten().next();
    let span = time.map_or(subject.spec.span(), Spanned::span);
    experiment.source.error(span, error.to_string())
}

/// Where the option that is wrong is set, or else the spec.
fn place(subject: &Subject, fault: &SpecError) -> Range<usize> {
    let (SpecError::UnknownOption { owner, key, .. } | SpecError::BadValue { owner, key, .. }) = fault else {
        return subject.spec.span();
    };
    let named = |name: &str| name.split(':').next().unwrap_or_default().trim() == owner;
    let is_of_solver = named(subject.spec.get_ref().rsplit('/').next().unwrap_or_default());
    let (first, second) = match is_of_solver {
        true => (&subject.options, &subject.stepper),
        false => (&subject.stepper, &subject.options),
    };
    // Specs accept underscores for hyphens, and name the key with hyphens.
    let is_it = |setting: &&Setting| setting.key.replace('_', "-") == *key;
    let found = first.iter().chain(second).find(is_it);
    found.map_or(subject.spec.span(), |setting| setting.span.clone())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const BALL: &str = "[[body]]\nmass = 1.0\nshape.sphere.radius = 0.5\n";

    #[test]
    fn a_scene_file_that_is_edited_during_the_sweep_changes_no_run() {
        let folder = tempfile::tempdir().unwrap();
        let scene = folder.path().join("ball.toml");
        fs::write(&scene, BALL).unwrap();
        let experiment = "title = \"A\"\nsteps = 2\nseeds = [1, 2]\n[[scene]]\nspec = \"ball.toml\"\n[[scene]]\n\
                          spec = \"two-balls\"\n[[method]]\nspec = \"pgs\"\n";
        let experiment = Experiment::parse(Source {
            path: folder.path().join("experiment.toml"),
            text: experiment.into(),
        })
        .unwrap();
        let product = product(&experiment, None).unwrap();
        assert_eq!(product.files.len(), 1);
        let worlds = || -> Vec<String> {
            let plan = |run: &Run| run.plan(&experiment, &product.files).unwrap().scene.toml.clone();
            product.runs.iter().map(plan).collect()
        };
        let before = worlds();
        fs::write(&scene, BALL.replace("0.5", "0.25")).unwrap();
        assert_eq!(worlds(), before);
        fs::remove_file(&scene).unwrap();
        assert_eq!(worlds(), before);
    }
}
