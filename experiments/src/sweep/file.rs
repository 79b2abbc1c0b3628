//! An experiment file: the TOML that `drystone sweep` runs, read and checked, with every mistake at its line.
//!
//! The file names scenes and methods, each with options that may be lists, and what is measured of every run. What can be
//! wrong with the form (syntax, unknown keys, types) is told by the TOML reader and put into the words of scene files;
//! what can be wrong with the meaning is checked here and, for scenes and methods, in [`product`](super::product).

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use drystone_scenes::{LocatedError, toml_message};
use serde::Deserialize;
use toml::Spanned;

use super::columns;
use super::declared::{RawEventTime, RawFit, RawMeasure, check_names};
use super::measures::{EventTime, Fit, Measure};
use super::subject::{RawMethod, RawScene, Subject, distinct};
use crate::cli::Record;
use crate::error::Error;

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
    seeds: Option<Spanned<Vec<u64>>>,
    record: Option<Record>,
    scene: Vec<RawScene>,
    method: Vec<RawMethod>,
    #[serde(default)]
    measure: Vec<RawMeasure>,
    #[serde(default)]
    fit: Vec<RawFit>,
    #[serde(default)]
    event_time: Vec<RawEventTime>,
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
}

impl Experiment {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = fs::read_to_string(path)
            .map_err(|error| Error::Input(format!("cannot read experiment '{}': {error}", path.display())))?;
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
        check_names(&source, raw.names(), &columns::reserved())?;
        let scenes = raw.scene.into_iter().map(|scene| scene.check(&source));
        let scenes = scenes.collect::<Result<Vec<_>, _>>()?;
        let methods = raw.method.into_iter().map(|method| method.check(&source));
        let methods = methods.collect::<Result<Vec<_>, _>>()?;
        distinct(&source, "scenes", &scenes)?;
        distinct(&source, "methods", &methods)?;
        let measures = raw.measure.iter().map(|raw| raw.check(&source));
        let fits = raw.fit.iter().map(|raw| raw.check(&source));
        let events = raw.event_time.iter().map(|raw| raw.check(&source));
        Ok(Self {
            title: raw.title.into_inner(),
            description: raw.description.trim().to_owned(),
            duration: raw.duration,
            steps: raw.steps.map(Spanned::into_inner),
            dt: raw.dt,
            repetitions: raw.repetitions.map_or(1, Spanned::into_inner),
            seeds: raw.seeds.map(Spanned::into_inner).unwrap_or_default(),
            record: raw.record.unwrap_or(Record::Final),
            scenes,
            methods,
            measures: measures.collect::<Result<_, _>>()?,
            fits: fits.collect::<Result<_, _>>()?,
            events: events.collect::<Result<_, _>>()?,
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
        for (key, value) in [("duration", &self.duration), ("dt", &self.dt)] {
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
        let Some(seeds) = &self.seeds else { return Ok(()) };
        let (span, seeds) = (seeds.span(), seeds.get_ref());
        if seeds.is_empty() {
            return Err(source.error(
                span,
                "seeds is an empty list; leave it out for the seeds of scenes and solvers",
            ));
        }
        match seeds.iter().enumerate().find(|(k, seed)| seeds[..*k].contains(seed)) {
            Some((_, seed)) => Err(source.error(span, format!("seed {seed} is there twice; repetitions do that"))),
            None => Ok(()),
        }
    }
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
