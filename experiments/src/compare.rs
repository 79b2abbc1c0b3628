//! `drystone compare`: every scene with every method, a table a scene.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use crate::Environment;
use crate::capture;
use crate::cli::{CompareArguments, Record};
use crate::comparison;
use crate::error::{Error, Exit};
use crate::execute::{Outcome, execute};
use crate::plan::{Plan, PreparedMethod, PreparedScene};
use crate::quantity::quantity;
use crate::report;
use crate::run::WithDirectory;
use crate::run_directory::{file_name, prepare, prepare_inside};
use crate::summary::Status;

/// Runs the command.
pub fn compare(arguments: &CompareArguments, environment: &Environment) -> Result<Exit, Error> {
    let plans = plans(arguments, environment.global.seed)?;
    let stem = format!("compare-{}", file_name(&plans[0][0].scene.scene.name));
    let directory = prepare(arguments.simulation.out.as_deref(), &stem, environment.global.force)?;

    let (outcomes, exit) = run_all(&plans, &directory, environment)?;
    if arguments.plot && exit != Exit::Interrupted {
        environment
            .output
            .show(&capture::plot(arguments, &plans, &directory, environment)?);
    }
    if !outcomes.is_empty() {
        report::write(&directory)?;
    }
    environment
        .output
        .machine_readable(&Comparison::of(&directory, &outcomes));
    environment.output.show(&footer(arguments, &directory));
    Ok(exit)
}

/// A plan for every scene and method, by scene. All are checked before the first one runs.
fn plans(arguments: &CompareArguments, seed: Option<u64>) -> Result<Vec<Vec<Plan>>, Error> {
    for method in &arguments.solvers {
        PreparedMethod::parse(method, seed, "")?;
    }
    let of_scene = |scene: &String| {
        let scene = Arc::new(PreparedScene::load(scene, seed)?);
        let methods = arguments.solvers.iter();
        methods
            .map(|method| Plan::new(&scene, Some(method), &arguments.simulation, record(arguments), seed))
            .collect()
    };
    arguments.scenes.iter().map(of_scene).collect()
}

/// Runs all plans one after another, so that their times are not those of a crowded machine, and shows each scene's
/// table when it is complete. The file is brought up to date after every run: a later failure loses nothing.
fn run_all(plans: &[Vec<Plan>], directory: &Path, environment: &Environment) -> Result<(Vec<Outcome>, Exit), Error> {
    let mut outcomes: Vec<Outcome> = Vec::new();
    let mut names = Vec::new();
    for of_scene in plans {
        let first = outcomes.len();
        for plan in of_scene {
            if environment.interrupt.requested() {
                break;
            }
            let name = format!("{}-{}", file_name(&plan.scene.given), file_name(&plan.method.given));
            let inside = prepare_inside(directory, &name, &mut names)?;
            outcomes.push(execute(plan, &inside, environment));
            comparison::write_csv(directory, &outcomes)?;
        }
        if outcomes.len() > first {
            environment.output.show(&scene_table(&of_scene[0], &outcomes[first..]));
        }
    }
    let any = |status| outcomes.iter().any(|outcome| outcome.summary.status == status);
    let exit = if environment.interrupt.requested() {
        Exit::Interrupted
    } else if any(Status::Failed) {
        Exit::Failed
    } else {
        Exit::Done
    };
    Ok((outcomes, exit))
}

fn scene_table(plan: &Plan, outcomes: &[Outcome]) -> String {
    format!(
        "{}: {} bodies, {} steps of {}\n\n{}\n",
        plan.scene.given,
        plan.scene.world.bodies().len(),
        plan.steps,
        quantity(plan.dt, "s"),
        comparison::table(outcomes),
    )
}

/// Comparisons show times, so they measure no more than their tables need unless asked.
fn record(arguments: &CompareArguments) -> Record {
    arguments.simulation.record.unwrap_or(Record::Final)
}

fn footer(arguments: &CompareArguments, directory: &Path) -> String {
    let times = match record(arguments) {
        Record::Every => "; times include measuring the residual after every iteration, --record final avoids that",
        Record::Final | Record::None => "",
    };
    format!(
        "* the smallest of the methods that finished{times}\nresults in {}\n",
        directory.display()
    )
}

/// All of it, for programs.
#[derive(Debug, Serialize)]
struct Comparison<'a> {
    directory: String,
    runs: Vec<WithDirectory<'a>>,
}

impl<'a> Comparison<'a> {
    fn of(directory: &Path, outcomes: &'a [Outcome]) -> Self {
        Self {
            directory: directory.display().to_string(),
            runs: outcomes.iter().map(WithDirectory::of).collect(),
        }
    }
}
