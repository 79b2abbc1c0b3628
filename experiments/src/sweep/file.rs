//! An experiment file: the TOML that `drystone sweep` runs, read and checked, with every mistake at its line.
//!
//! The file names scenes and methods, each with options that may be lists, and what is measured of every run. What can be
//! wrong with the form (syntax, unknown keys, types) is told by the TOML reader and put into the words of scene files;
//! what can be wrong with the meaning is checked here and, for scenes and methods, in [`product`](mod@super::product).

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use drystone_scenes::{LocatedError, toml_message};
use serde::Deserialize;
use toml::Spanned;

use super::columns;
use super::declared::{RawEventTime, RawFit, RawMeasure, RawStop, check_names, shorthand};
use super::measures::{EventTime, Fit, Measure};
use super::seeds::read_seeds;
use super::stop::StopRule;
use super::subject::{RawMethod, RawScene, Subject, distinct};
use crate::advice::missing_experiment;
use crate::cli::Record;
use crate::error::Error;
use crate::trajectory::schedule::FrameRate;

/// The file as it is written. Places in the text are kept where a check may need them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Raw {
    title: Spanned<String>,
    #[serde(default)]
    description: String,
    duration: Option<Spanned<f64>>,
    steps: Option<Spanned<u64>>,
    dt: Option<Spanned<f64>>,
    repetitions: Option<Spanned<u64>>,
    seeds: Option<Spanned<toml::Value>>,
    record: Option<Record>,
    time_limit: Option<Spanned<f64>>,
    #[serde(default)]
    metrics: Vec<Spanned<String>>,
    trajectory: Option<FrameRate>,
    scene: Vec<RawScene>,
    method: Vec<RawMethod>,
    #[serde(default)]
    measure: Vec<RawMeasure>,
    #[serde(default)]
    fit: Vec<RawFit>,
    #[serde(default)]
    event_time: Vec<RawEventTime>,
    #[serde(default)]
    stop: Vec<RawStop>,
}

/// The text of the file, for places in it.
#[derive(Debug)]
pub struct Source {
    /// Where it was read.
    pub path: PathBuf,
    /// What it says.
    pub text: String,
}

impl Source {
    /// A mistake at a place.
    pub fn error(&self, span: Range<usize>, message: impl Into<String>) -> Error {
        let name = self.path.display().to_string();
        Error::from(Box::new(LocatedError::new(&name, &self.text, span, message.into())))
    }
}

/// An experiment that has been read. Its scenes and methods are checked when its runs are made.
#[derive(Debug)]
pub struct Experiment {
    /// The text.
    pub source: Source,
    /// What it is called.
    pub title: String,
    /// What it is about, in Markdown; may be empty.
    pub description: String,
    /// Simulated time, s, if the scenes' own is not wanted.
    pub duration: Option<Spanned<f64>>,
    /// Steps, likewise.
    pub steps: Option<u64>,
    /// Time step, s, likewise.
    pub dt: Option<Spanned<f64>>,
    /// Runs with the same everything.
    pub repetitions: u64,
    /// Seeds; empty if none are given.
    pub seeds: Vec<u64>,
    /// Which residuals are measured.
    pub record: Record,
    /// Frames per simulated second of the trajectories of runs that are kept.
    pub trajectory: FrameRate,
    /// What is simulated.
    pub scenes: Vec<Subject>,
    /// How.
    pub methods: Vec<Subject>,
    /// Columns of its own.
    pub measures: Vec<Measure>,
    /// Straight lines.
    pub fits: Vec<Fit>,
    /// Times of events.
    pub events: Vec<EventTime>,
    /// What ends a run before its last step.
    pub stops: Vec<StopRule>,
    /// Seconds on the wall after which a run is ended, if it is limited.
    pub time_limit: Option<f64>,
}

impl Experiment {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
        Self::parse(Source {
            path: path.to_owned(),
            text,
        })
    }

    /// Reads a text.
    pub fn parse(source: Source) -> Result<Self, Error> {
        let raw: Raw = toml::from_str(&source.text)
            .map_err(|error| source.error(error.span().unwrap_or(0..0), toml_message(error.message())))?;
        raw.check(&source)?;
        let seeds = raw.seeds.as_ref().map(|seeds| read_seeds(&source, seeds));
        let simple = raw.metrics.iter().map(|text| shorthand(&source, text));
        let mut measures = simple.collect::<Result<Vec<_>, _>>()?;
        let shorthands = measures.iter().zip(&raw.metrics);
        let shorthands = shorthands.map(|(measure, text)| (measure.name.clone(), text.span()));
        check_names(&source, shorthands.chain(raw.names()), &columns::reserved())?;
        let scenes = raw.scene.into_iter().map(|scene| scene.check(&source));
        let scenes = scenes.collect::<Result<Vec<_>, _>>()?;
        let methods = raw.method.into_iter().map(|method| method.check(&source));
        let methods = methods.collect::<Result<Vec<_>, _>>()?;
        distinct(&source, "scenes", &scenes)?;
        distinct(&source, "methods", &methods)?;
        for raw in &raw.measure {
            measures.push(raw.check(&source)?);
        }
        let fits = raw.fit.iter().map(|raw| raw.check(&source));
        let events = raw.event_time.iter().map(|raw| raw.check(&source));
        Ok(Self {
            title: raw.title.into_inner(),
            description: raw.description.trim().to_owned(),
            duration: raw.duration,
            steps: raw.steps.map(Spanned::into_inner),
            dt: raw.dt,
            repetitions: raw.repetitions.map_or(1, Spanned::into_inner),
            seeds: seeds.transpose()?.unwrap_or_default(),
            record: raw.record.unwrap_or(Record::Final),
            trajectory: raw.trajectory.unwrap_or(FrameRate::None),
            scenes,
            methods,
            measures,
            fits: fits.collect::<Result<_, _>>()?,
            events: events.collect::<Result<_, _>>()?,
            stops: RawStop::check_all(&raw.stop, &source)?,
            time_limit: raw.time_limit.map(Spanned::into_inner),
            source,
        })
    }

    /// The file's name without folder and extension.
    pub fn stem(&self) -> String {
        let stem = self.source.path.file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    }
}

impl Raw {
    /// The names of columns and fits, with their places.
    fn names(&self) -> impl Iterator<Item = (String, Range<usize>)> {
        let of = |name: &Spanned<String>| (name.get_ref().clone(), name.span());
        let measures = self.measure.iter().map(move |raw| of(&raw.name));
        let events = self.event_time.iter().map(move |raw| of(&raw.name));
        let fits = self.fit.iter().flat_map(move |raw| {
            let (name, span) = of(&raw.name);
            let columns = columns::fit_names(&name).into_iter();
            columns.chain([name]).map(move |name| (name, span.clone()))
        });
        measures.chain(events).chain(fits)
    }

    fn check(&self, source: &Source) -> Result<(), Error> {
        if self.title.get_ref().trim().is_empty() {
            return Err(source.error(self.title.span(), "the title is empty"));
        }
        for (key, value) in [
            ("duration", &self.duration),
            ("dt", &self.dt),
            ("time-limit", &self.time_limit),
        ] {
            if let Some(value) = value
                && !(value.get_ref().is_finite() && *value.get_ref() > 0.0)
            {
                let message = format!("{key} must be positive and finite, not {}", value.get_ref());
                return Err(source.error(value.span(), message));
            }
        }
        for (key, value) in [("steps", &self.steps), ("repetitions", &self.repetitions)] {
            if let Some(value) = value
                && *value.get_ref() == 0
            {
                return Err(source.error(value.span(), format!("{key} must be 1 or more")));
            }
        }
        if let (Some(_), Some(steps)) = (&self.duration, &self.steps) {
            return Err(source.error(steps.span(), "give duration or steps, not both"));
        }
        Ok(())
    }
}

/// A file that can't be read, with what to do about it.
fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    let advice = missing_experiment(&path.display().to_string(), error.kind());
    let advice = advice.map_or_else(String::new, |advice| format!("; {advice}"));
    Error::Input(format!("cannot read experiment '{}': {error}{advice}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Experiment, Error> {
        Experiment::parse(Source {
            path: "x.toml".into(),
            text: text.to_owned(),
        })
    }

    const REST: &str = "[[scene]]\nspec = \"wall\"\n[[method]]\nspec = \"pgs\"\n";

    #[test]
    fn what_is_left_out_has_a_default() {
        let experiment = read(&format!("title = \"a\"\n{REST}")).unwrap();
        assert_eq!((experiment.repetitions, experiment.record), (1, Record::Final));
        assert!(experiment.seeds.is_empty() && experiment.measures.is_empty());
        assert_eq!(experiment.scenes[0].label, "wall");
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        for (text, message) in [
            (
                "title = \"a\"\nrepetitons = 2\n",
                "x.toml:2:1: unknown key 'repetitons'; did you mean 'repetitions'?",
            ),
            ("title = \"\"\n", "x.toml:1:9: the title is empty"),
            (
                "title = \"a\"\n\ndt = -1\n",
                "x.toml:3:6: dt must be positive and finite, not -1",
            ),
            ("title = \"a\"\nsteps = 0\n", "x.toml:2:9: steps must be 1 or more"),
            (
                "title = \"a\"\nsteps = 3\nduration = 1\n",
                "x.toml:2:9: give duration or steps, not both",
            ),
            ("title = \"a\"\nseeds = []\n", "x.toml:2:9: seeds is an empty list"),
            (
                "title = \"a\"\nseeds = [1, 2, 1]\n",
                "x.toml:2:9: seed 1 is there twice",
            ),
            (
                "title = \"a\"\nrecord = \"finl\"\n",
                "unknown choice 'finl'; did you mean 'final'?",
            ),
            (
                "title = \"a\"\nseeds = [1, -2]\n",
                "x.toml:2:9: seeds must be a list of whole numbers, 0 or more, or a range of them",
            ),
            (
                "title = \"a\"\nseeds = { from = 1, to = 2, step = 0.5 }\n",
                "x.toml:2:9: seeds must be whole numbers, 0 or more, not 1.5",
            ),
            (
                "title = \"a\"\ntime-limit = 0\n",
                "x.toml:2:14: time-limit must be positive",
            ),
            (
                "title = \"a\"\nmetrics = [\"kinetic_energi\"]\n",
                "x.toml:2:12: unknown metric 'kinetic_energi'; did you mean 'kinetic_energy'?",
            ),
            (
                "title = \"a\"\nmetrics = [\"mas residual\"]\n",
                "x.toml:2:12: unknown statistic 'mas'; did you mean 'max'?",
            ),
            (
                "title = \"a\"\nmetrics = [\"residual\", \"mean residual\"]\n",
                "x.toml:2:24: two things are called 'mean residual'",
            ),
            (
                "title = \"a\"\n[[stop]]\nname = \"rest\"\nmetric = \"kinetic_energy\"\n",
                "x.toml:3:8: 'rest': it needs 'at-least' or 'at-most'",
            ),
            (
                "title = \"a\"\n[[stop]]\nname = \"time limit\"\nmetric = \"time\"\nat-least = 1\n",
                "x.toml:3:8: 'time limit' is what runs say",
            ),
            (
                "title = \"a\"\n[[stop]]\nname = \"r\"\nmetric = \"time\"\nat-least = 1\nfor = -1\n",
                "x.toml:6:7: 'for' must be finite and not negative, not -1",
            ),
            (
                "title = \"a\"\ntrajectory = -5\n",
                "x.toml:2:14: trajectory must be a positive, finite number or \"none\", not -5",
            ),
            (
                "title = \"a\"\ntrajectory = \"some\"\n",
                "trajectory must be a positive, finite number or \"none\", not \"some\"",
            ),
            ("", "missing key 'title'"),
        ] {
            let found = read(&format!("{text}{REST}")).unwrap_err().to_string();
            assert!(found.contains(message), "{text}: {found}");
        }
        let twice = read(&format!("title = \"a\"\n{REST}[[method]]\nspec = \"pgs\"\n")).unwrap_err();
        assert_eq!(
            twice.to_string(),
            "x.toml:7:8: two methods are called 'pgs'; give them names"
        );
    }
}
