//! Carries a plan out: steps the simulation, measures every step, and streams the results into a run directory.
//!
//! However a run ends, what it has so far is given its place: finished, interrupted and failed runs all leave a
//! complete directory behind, and the manifest tells them apart.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use drystone_dynamics::{Event, Simulation, StepReport, World};

use crate::Environment;
use crate::cli::Record;
use crate::convergence_csv::ConvergenceCsv;
use crate::error::{Error, Exit};
use crate::events::break_cause;
use crate::events_csv::EventsCsv;
use crate::group_sizes_csv::GroupSizesCsv;
use crate::interrupt::Interrupt;
use crate::manifest::{MANIFEST_JSON, Manifest, SCENE_TOML};
use crate::memory;
use crate::metrics::{Observation, Value, metrics};
use crate::panics;
use crate::plan::Plan;
use crate::problems::dump::Dumper;
use crate::run_log::RunLog;
use crate::steps_csv::StepsCsv;
use crate::summary::{BrokenJoint, SUMMARY_JSON, Status, Summary};
use crate::trajectory::recorder::TrajectoryRecorder;
use crate::watch::Display;
use crate::whole_file::{write_json, write_text};

/// What came of a run.
#[derive(Debug)]
pub struct Outcome {
    /// It in numbers, with its status.
    pub summary: Summary,
    /// Where its results are.
    pub directory: PathBuf,
}

impl Outcome {
    /// The exit code of a program that did just this run.
    pub fn exit(&self) -> Exit {
        match self.summary.status {
            Status::Finished => Exit::Done,
            Status::Interrupted => Exit::Interrupted,
            Status::Failed => Exit::Failed,
        }
    }
}

/// Told of every step: what the step did, and the values of all metrics in their order. It may end the run, which is then
/// finished, by giving a reason.
pub type Observer<'a> = dyn FnMut(&StepReport, &[Value]) -> ControlFlow<String> + 'a;

/// Scene and method, as a run is called while it goes on.
pub fn label(plan: &Plan) -> String {
    format!("{} with {}", plan.scene.given, plan.method.given)
}

/// Runs a plan into a directory that is ready for it. Failures are part of the outcome.
pub fn execute(plan: &Plan, directory: &Path, environment: &Environment) -> Outcome {
    let display = Display::bar(plan, environment.output.quiet);
    execute_showing(plan, directory, environment, display)
}

/// The same with what it shows meanwhile.
pub fn execute_showing(plan: &Plan, directory: &Path, environment: &Environment, mut display: Display) -> Outcome {
    let summary = observe(plan, Some(directory), environment, &mut |report, values| {
        display.step(report, values);
        ControlFlow::Continue(())
    });
    display.finish();
    Outcome {
        summary,
        directory: directory.to_owned(),
    }
}

/// Runs a plan and tells an observer of every step. Without a directory nothing is written.
pub fn observe(
    plan: &Plan,
    directory: Option<&Path>,
    environment: &Environment,
    observer: &mut Observer<'_>,
) -> Summary {
    let started = SystemTime::now();
    let clock = Instant::now();
    let world = plan.scene.world.clone();
    let mut summary = Summary::begin(&plan.scene.given, &plan.method.given, total_energy(&world));

    let mut log = RunLog::begin(plan, &world);
    let result = simulate(
        plan,
        world,
        directory,
        environment,
        &mut summary,
        &mut |report, values| {
            log.step(report);
            observer(report, values)
        },
    );
    summary.seconds = clock.elapsed().as_secs_f64();
    summary.peak_memory_bytes = memory::peak();
    conclude(&mut summary, plan, result);
    log.end(&summary);

    let Some(directory) = directory else { return summary };
    let written = write_json(directory, SUMMARY_JSON, &summary).and_then(|()| {
        let manifest = Manifest::new(plan, &summary, &environment.command_line, environment.threads, started);
        write_json(directory, MANIFEST_JSON, &manifest)
    });
    if written.is_err() {
        conclude(&mut summary, plan, written.map(|()| Status::Failed));
    }
    summary
}

/// Enters how a run ended; what failed first stays.
fn conclude(summary: &mut Summary, plan: &Plan, result: Result<Status, Error>) {
    if summary.status == Status::Failed {
        return;
    }
    match result {
        Ok(status) => {
            summary.status = status;
            if status == Status::Interrupted {
                summary.message = Some(format!("interrupted after {} of {} steps", summary.steps, plan.steps));
            }
        }
        Err(error) => {
            summary.status = Status::Failed;
            summary.message = Some(error.to_string());
        }
    }
}

fn simulate(
    plan: &Plan,
    world: World,
    directory: Option<&Path>,
    environment: &Environment,
    summary: &mut Summary,
    observer: &mut Observer<'_>,
) -> Result<Status, Error> {
    if let Some(directory) = directory {
        write_text(directory, SCENE_TOML, &plan.scene.toml)?;
    }
    let mut simulation = Simulation::new(world, plan.method.make()?, plan.dt)?;
    simulation.set_measure(plan.record.measure());

    if plan.dump_every.is_some() {
        simulation.keep_starts();
    }
    let mut recorder = Recorder::create(directory, plan, &simulation)?;
    let result = advance(
        &mut simulation,
        plan.steps,
        &mut recorder,
        summary,
        observer,
        &environment.interrupt,
    );
    // The files are given their names whatever happened; a failure of the steps is the more telling one.
    let last = match &result {
        Ok(_) => recorder.last_frame(&simulation),
        // A step that failed has left the world somewhere on its way.
        Err(_) => Ok(()),
    };
    let finished = recorder.finish().and(last);
    let status = result?;
    finished?;
    Ok(status)
}

/// Takes the steps.
fn advance(
    simulation: &mut Simulation,
    steps: u64,
    recorder: &mut Recorder,
    summary: &mut Summary,
    observer: &mut Observer<'_>,
    interrupt: &Interrupt,
) -> Result<Status, Error> {
    while summary.steps < steps {
        if interrupt.requested() {
            return Ok(Status::Interrupted);
        }
        // A solver that panics ends its own run and nothing else; what it left behind is not looked at.
        let stepped = panics::caught(|| simulation.step())?;
        if let Err(error) = stepped {
            // The problem that failed is the one to look at. What went wrong in writing it matters less.
            let _ = recorder.problems(simulation, true);
            return Err(error.into());
        }
        recorder.problems(simulation, false)?;
        let observation = Observation {
            world: simulation.world(),
            report: simulation.report(),
        };
        let values = recorder.step(&observation)?;
        summary.add(observation.report.time, total_energy(observation.world), values);
        let flow = observer(observation.report, values);
        recorder.events(simulation, summary)?;
        recorder.look(simulation)?;
        summary.broken_joints.extend(broken_joints(simulation));
        if let ControlFlow::Break(reason) = flow {
            summary.stopped_by = Some(reason);
            break;
        }
    }
    Ok(Status::Finished)
}

/// The joints that broke in the last step.
fn broken_joints(simulation: &Simulation) -> impl Iterator<Item = BrokenJoint> {
    let (world, time) = (simulation.world(), simulation.report().time);
    simulation.events().filter_map(move |event| match event {
        Event::JointBroke { joint, cause } => {
            let (cause, value) = break_cause(cause);
            let joint = world.joints()[joint].name.clone();
            Some(BrokenJoint {
                joint,
                time,
                cause,
                value,
            })
        }
        _ => None,
    })
}

fn total_energy(world: &World) -> f64 {
    world.kinetic_energy() + world.potential_energy()
}

/// What is kept of every step: its values, and the files that grow during a run, if any are wanted.
struct Recorder {
    steps: Option<StepsCsv>,
    convergence: Option<ConvergenceCsv>,
    events: Option<EventsCsv>,
    dumper: Option<Dumper>,
    group_sizes: Option<GroupSizesCsv>,
    trajectory: Option<TrajectoryRecorder>,
    values: Vec<Value>,
}

impl Recorder {
    fn create(directory: Option<&Path>, plan: &Plan, simulation: &Simulation) -> Result<Self, Error> {
        let values = Vec::with_capacity(metrics().len());
        let Some(directory) = directory else {
            return Ok(Self {
                steps: None,
                convergence: None,
                events: None,
                dumper: None,
                group_sizes: None,
                trajectory: None,
                values,
            });
        };
        let label = label(plan);
        let dumper = plan.dump_every.map(|every| Dumper::create(directory, every, &label));
        Ok(Self {
            steps: Some(StepsCsv::create(directory)?),
            convergence: match plan.record {
                Record::None => None,
                Record::Every | Record::Final => Some(ConvergenceCsv::create(directory)?),
            },
            events: plan.events.map(|rows| EventsCsv::create(directory, rows)).transpose()?,
            dumper: dumper.transpose()?,
            group_sizes: Some(GroupSizesCsv::create(directory)?),
            trajectory: TrajectoryRecorder::create(directory, plan, simulation)?,
            values,
        })
    }

    /// Writes a step and returns its values in the order of the metrics.
    fn step(&mut self, observation: &Observation<'_>) -> Result<&[Value], Error> {
        self.values.clear();
        self.values
            .extend(metrics().iter().map(|metric| metric.value(observation)));
        if let Some(steps) = &mut self.steps {
            steps.row(&self.values)?;
        }
        if let Some(convergence) = &mut self.convergence {
            convergence.step(observation.report)?;
        }
        Ok(&self.values)
    }

    /// Writes the events of the last step, if they are to be written, and counts them.
    fn events(&mut self, simulation: &Simulation, summary: &mut Summary) -> Result<(), Error> {
        match &mut self.events {
            Some(events) => events.step(simulation, &mut summary.event_counts),
            None => Ok(()),
        }
    }

    /// Writes the problems of the last step, if they are to be written; those of a step that failed are.
    fn problems(&self, simulation: &Simulation, failed: bool) -> Result<(), Error> {
        match &self.dumper {
            Some(dumper) if failed || dumper.is_due(simulation.report().step) => dumper.step(simulation),
            _ => Ok(()),
        }
    }

    /// Looks at the state after a step: its groups are counted, and it is put into the trajectory if it is a frame of it.
    fn look(&mut self, simulation: &Simulation) -> Result<(), Error> {
        if let Some(group_sizes) = &mut self.group_sizes {
            group_sizes.step(simulation.pipeline().groups());
        }
        match &mut self.trajectory {
            Some(trajectory) => trajectory.step(simulation),
            None => Ok(()),
        }
    }

    /// Puts the last state into the trajectory.
    fn last_frame(&mut self, simulation: &Simulation) -> Result<(), Error> {
        match &mut self.trajectory {
            Some(trajectory) => trajectory.last(simulation),
            None => Ok(()),
        }
    }

    fn finish(self) -> Result<(), Error> {
        let convergence = self.convergence.map_or(Ok(()), ConvergenceCsv::finish);
        let events = self.events.map_or(Ok(()), EventsCsv::finish);
        let steps = self.steps.map_or(Ok(()), StepsCsv::finish);
        let group_sizes = self.group_sizes.map_or(Ok(()), GroupSizesCsv::finish);
        let trajectory = self.trajectory.map_or(Ok(()), TrajectoryRecorder::finish);
        steps.and(convergence).and(events).and(group_sizes).and(trajectory)
    }
}
