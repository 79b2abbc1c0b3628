//! From arguments to a plan that can be carried out. Everything a user can get wrong is found here, before anything is
//! written.

use std::sync::Arc;

use drystone_dynamics::{Method, World, steppers};
use drystone_scenes::{Scene, catalogue};
use drystone_solver::spec::{OptionInfo, Spec};

use crate::cli::{EventRows, Record, SimulationArguments};
use crate::error::Error;
use crate::seed::{seed_method, seed_scene};
use crate::trajectory::schedule::FrameRate;

/// The method where neither the command line nor the scene names one: of all solvers it leaves the least in the time that ten
/// plain sweeps take, as the section on accuracy for the time of `docs/performance.md` shows.
pub const DEFAULT_METHOD: &str = "pgs:order=coloured,iterations=20";

/// More steps than this are taken for a mistake in the time step or the duration.
const MAX_STEPS: f64 = 1e12;

/// A scene that has been read, checked and built.
#[derive(Debug)]
pub struct PreparedScene {
    /// As it was given.
    pub given: String,
    /// With its parameters worked out.
    pub scene: Scene,
    /// The parameters with their values, defaults included; none for a file.
    pub parameters: Vec<(String, String)>,
    /// The scene as it is written to the run directory.
    pub toml: String,
    /// The world at time zero.
    pub world: World,
}

impl PreparedScene {
    /// Reads a file, or looks in the catalogue.
    pub fn load(given: &str, seed: Option<u64>) -> Result<Self, Error> {
        let scene = drystone_scenes::load(&seed_scene(given, seed))?;
        Self::of(given, seed, scene)
    }

    /// A scene that was loaded from `given`, now or earlier.
    pub fn of(given: &str, seed: Option<u64>, scene: Scene) -> Result<Self, Error> {
        let world = scene.build()?;
        // Of a file it is a mistake, and a run of nothing would hide it.
        if world.bodies().is_empty() {
            return Err(Error::Input(format!(
                "scene '{given}' has no bodies; add a [[body]], or begin with one of 'drystone init'"
            )));
        }
        Ok(Self {
            given: given.to_owned(),
            parameters: parameters(&seed_scene(given, seed)),
            toml: scene.to_toml()?,
            world,
            scene,
        })
    }
}

/// Whether a scene is made by the program, and not read from a file.
pub fn is_from_catalogue(given: &str) -> bool {
    let spec = given.parse::<Spec>();
    spec.is_ok_and(|spec| catalogue().iter().any(|entry| entry.name == spec.name))
}

/// The parameters of a catalogue scene: the defaults, and over them what was given.
fn parameters(text: &str) -> Vec<(String, String)> {
    let Ok(spec) = text.parse::<Spec>() else {
        return Vec::new();
    };
    let Some(entry) = catalogue().iter().find(|entry| entry.name == spec.name) else {
        return Vec::new();
    };
    let value = |parameter: &OptionInfo| {
        let given = spec.options.iter().find(|(key, _)| *key == parameter.key);
        let value = given.map_or(&parameter.default, |(_, value)| value);
        (parameter.key.clone(), value.clone())
    };
    entry.parameters.iter().map(value).collect()
}

/// A stepper or solver with the values of all its options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configured {
    /// Its name.
    pub name: String,
    /// Keys and values, defaults included.
    pub options: Vec<(String, String)>,
}

impl Configured {
    fn new(text: &str, options: Vec<OptionInfo>) -> Self {
        let name = text.split(':').next().unwrap_or_default().trim();
        Self {
            name: name.to_owned(),
            options: options.into_iter().map(|option| (option.key, option.default)).collect(),
        }
    }
}

/// A method that has been read and checked.
#[derive(Debug, Clone)]
pub struct PreparedMethod {
    /// As it was given.
    pub given: String,
    /// With the seed.
    text: String,
    /// How a step is taken.
    pub stepper: Configured,
    /// How its problems are solved.
    pub solver: Configured,
}

impl PreparedMethod {
    /// Reads `[stepper[:options]/]solver[:options]`. `context` begins the message of an error.
    pub fn parse(given: &str, seed: Option<u64>, context: &str) -> Result<Self, Error> {
        let text = seed_method(given, seed);
        let method = Method::parse(&text).map_err(|source| Error::Method {
            context: context.to_owned(),
            source,
        })?;
        let (stepper, solver) = text.split_once('/').unwrap_or((steppers()[0].name, &text));
        Ok(Self {
            given: given.to_owned(),
            stepper: Configured::new(stepper, method.stepper.options()),
            solver: Configured::new(solver, method.solver.options()),
            text,
        })
    }

    /// The method itself; each simulation needs one of its own.
    pub fn make(&self) -> Result<Method, Error> {
        Method::parse(&self.text).map_err(|source| Error::Method {
            context: String::new(),
            source,
        })
    }

    /// `stepper-solver`, or the solver alone with the default stepper: short enough for a directory's name.
    pub fn short_name(&self) -> String {
        if self.stepper.name == steppers()[0].name {
            self.solver.name.clone()
        } else {
            format!("{}-{}", self.stepper.name, self.solver.name)
        }
    }
}

/// One run, ready to go.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What.
    pub scene: Arc<PreparedScene>,
    /// How.
    pub method: PreparedMethod,
    /// Time step, s.
    pub dt: f64,
    /// Steps to take.
    pub steps: u64,
    /// Which residuals to measure.
    pub record: Record,
    /// Which events to write down, if any.
    pub events: Option<EventRows>,
    /// Frames of the trajectory.
    pub trajectory: FrameRate,
    /// The seed that was given for all.
    pub seed: Option<u64>,
    /// Problems are written out in every so many steps, if at all.
    pub dump_every: Option<u64>,
}

impl Plan {
    /// Puts scene, method and arguments together; without a method, the scene's own or the default is taken.
    pub fn new(
        scene: &Arc<PreparedScene>,
        method: Option<&str>,
        arguments: &SimulationArguments,
        record: Record,
        seed: Option<u64>,
    ) -> Result<Self, Error> {
        let method = match (method, &scene.scene.solver) {
            (Some(given), _) => PreparedMethod::parse(given, seed, "")?,
            (None, Some(own)) => PreparedMethod::parse(own, seed, &format!("the solver of scene '{}': ", scene.given))?,
            (None, None) => PreparedMethod::parse(DEFAULT_METHOD, seed, "")?,
        };
        let dt = arguments.dt.unwrap_or(scene.scene.dt);
        let steps = match arguments.steps {
            Some(steps) => steps,
            None => steps_for(arguments.duration.unwrap_or(scene.scene.duration), dt)?,
        };
        Ok(Self {
            scene: Arc::clone(scene),
            method,
            dt,
            steps,
            record,
            events: arguments.events,
            trajectory: arguments.trajectory,
            seed,
            dump_every: None,
        })
    }
}

/// The steps that cover a duration. A duration that is a whole number of steps but for rounding gets just those.
fn steps_for(duration: f64, dt: f64) -> Result<u64, Error> {
    let ratio = duration / dt;
    if ratio.is_nan() || ratio > MAX_STEPS {
        return Err(Error::Input(format!(
            "{duration} s in steps of {dt} s would be more than {MAX_STEPS:e} steps; take a longer time step or a shorter duration"
        )));
    }
    let nearest = ratio.round();
    let steps = if (ratio - nearest).abs() <= 1e-9 * nearest {
        nearest
    } else {
        ratio.ceil()
    };
    Ok((steps as u64).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_covered_by_whole_steps() {
        assert_eq!(steps_for(5.0, 0.01).unwrap(), 500);
        assert_eq!(steps_for(0.07, 0.01).unwrap(), 7);
        assert_eq!(steps_for(1.0, 0.3).unwrap(), 4);
        assert_eq!(steps_for(0.001, 0.01).unwrap(), 1);
        assert!(steps_for(1e300, 1e-300).is_err());
    }

    #[test]
    fn parameters_are_the_defaults_with_what_was_given_over_them() {
        let found = parameters("wall:rows=3");
        assert!(found.contains(&("rows".into(), "3".into())));
        assert!(found.iter().any(|(key, _)| key == "columns"));
        assert!(parameters("some/file.toml").is_empty());
    }

    #[test]
    fn a_method_is_described_with_every_option() {
        let method = PreparedMethod::parse("pgs:iterations=3", Some(9), "").unwrap();
        assert_eq!(method.short_name(), "pgs");
        assert!(method.solver.options.contains(&("iterations".into(), "3".into())));
        assert!(method.solver.options.contains(&("seed".into(), "9".into())));
        assert!(!method.stepper.options.is_empty());
        let method = PreparedMethod::parse("classical/pgs", None, "").unwrap();
        assert_eq!(method.short_name(), "classical-pgs");
    }
}
