//! `manifest.json`: what was run, in enough detail to run it again. It is written when all results are,
//! before the page that is made of them, so the results of a run directory with a manifest are complete.

use std::time::{Duration, SystemTime};

use serde::{Serialize, Serializer};

use crate::cli::EventRows;
use crate::clock::rfc3339;
use crate::machine::Machine;
use crate::plan::{Configured, Plan};
use crate::seed::GENERATOR;
use crate::summary::{Status, Summary};
use crate::trajectory::schedule::FrameRate;

/// The file's name.
pub const MANIFEST_JSON: &str = "manifest.json";
/// The name of the copy of the scene beside it.
pub const SCENE_TOML: &str = "scene.toml";

/// The manifest of a run that has ended, one way or another.
#[derive(Debug, Serialize)]
pub struct Manifest<'a> {
    /// `drystone`.
    pub program: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The command line.
    pub command: &'a [String],
    /// What was simulated.
    pub scene: SceneRecord<'a>,
    /// How.
    pub method: MethodRecord<'a>,
    /// Time step, s.
    pub dt: f64,
    /// Steps that were to be taken.
    pub planned_steps: u64,
    /// Steps that were taken.
    pub steps: u64,
    /// Which residuals were measured.
    pub record: &'static str,
    /// Which events were written down, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<&'static str>,
    /// Frames per simulated second in the trajectory, or `none`.
    pub trajectory: FrameRate,
    /// The seed given for everything; without one, the seeds are those in the parameters and options.
    pub seed: Option<u64>,
    /// The generator the seeds are for.
    pub generator: &'static str,
    /// Threads that shared the work.
    pub threads: usize,
    /// The machine.
    pub machine: Machine,
    /// When it began, RFC 3339.
    pub started: String,
    /// When it ended.
    pub finished: String,
    /// How it ended.
    pub status: Status,
    /// Why, unless it finished.
    pub message: Option<&'a str>,
    /// The stop rule that ended it before its last step, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<&'a str>,
}

/// The scene of a run.
#[derive(Debug, Serialize)]
pub struct SceneRecord<'a> {
    /// As it was given.
    pub given: &'a str,
    /// Its name.
    pub name: &'a str,
    /// The parameters of a catalogue scene, defaults included.
    #[serde(serialize_with = "as_map")]
    pub parameters: &'a [(String, String)],
    /// The copy in the run directory.
    pub file: &'static str,
    /// The BLAKE3 hash of that copy.
    pub blake3: String,
}

/// The method of a run.
#[derive(Debug, Serialize)]
pub struct MethodRecord<'a> {
    /// As it was given.
    pub given: &'a str,
    /// The stepper, with the values of all options.
    pub stepper: ConfiguredRecord<'a>,
    /// The solver, with the values of all options.
    pub solver: ConfiguredRecord<'a>,
}

/// A stepper or a solver.
#[derive(Debug, Serialize)]
pub struct ConfiguredRecord<'a> {
    /// Its name.
    pub name: &'a str,
    /// Keys and values.
    #[serde(serialize_with = "as_map")]
    pub options: &'a [(String, String)],
}

impl<'a> Manifest<'a> {
    /// Describes a run that has just ended.
    pub fn new(
        plan: &'a Plan,
        summary: &'a Summary,
        command: &'a [String],
        threads: usize,
        started: SystemTime,
    ) -> Self {
        let ended = started + Duration::try_from_secs_f64(summary.seconds).unwrap_or_default();
        Self {
            program: "drystone",
            version: env!("CARGO_PKG_VERSION"),
            command,
            scene: SceneRecord {
                given: &plan.scene.given,
                name: &plan.scene.scene.name,
                parameters: &plan.scene.parameters,
                file: SCENE_TOML,
                blake3: blake3::hash(plan.scene.toml.as_bytes()).to_hex().to_string(),
            },
            method: MethodRecord {
                given: &plan.method.given,
                stepper: configured(&plan.method.stepper),
                solver: configured(&plan.method.solver),
            },
            dt: plan.dt,
            planned_steps: plan.steps,
            steps: summary.steps,
            record: plan.record.name(),
            events: plan.events.map(EventRows::name),
            trajectory: plan.trajectory,
            seed: plan.seed,
            generator: GENERATOR,
            threads,
            machine: Machine::here(),
            started: rfc3339(started),
            finished: rfc3339(ended),
            status: summary.status,
            message: summary.message.as_deref(),
            stopped_by: summary.stopped_by.as_deref(),
        }
    }
}

fn configured(thing: &Configured) -> ConfiguredRecord<'_> {
    ConfiguredRecord {
        name: &thing.name,
        options: &thing.options,
    }
}

fn as_map<S: Serializer>(pairs: &[(String, String)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(key, value)| (key, value)))
}
