//! `drystone solve`: stored complementarity problems, each with every solver; tables, CSV, and a performance profile.
//!
//! Problems are read one at a time, and their rows are written as soon as they are there: a later failure, or Ctrl-C,
//! loses nothing. A file that can't be read and a solver that fails are rows like all others.

pub mod inputs;
pub mod limits;
pub mod manifest;
pub mod markdown;
pub mod measured;
pub mod plots;
pub mod reference;
pub mod report;
pub mod rows;
pub mod trial;
pub mod watchdog;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::SystemTime;

use drystone_solver::registry;
use serde::Serialize;

use crate::Environment;
use crate::cli::SolveArguments;
use crate::convergence_csv::CONVERGENCE_CSV;
use crate::curves::{self, Curve};
use crate::error::{Error, Exit};
use crate::logs::target::SOLVE;
use crate::manifest::MANIFEST_JSON;
use crate::progress::Progress;
use crate::run_directory::{file_name, prepare};
use crate::whole_file::{write_json, write_text};
use inputs::{Loaded, load, name_among};
use limits::{Limits, PreparedSolver};
use manifest::{Facts, FileRecord, Manifest};
use markdown::Page;
use reference::{Index, References};
use rows::Row;
use trial::{Settings, Status, attempt};

/// The solver where none is named, if the registry has it: the one that comes to 1e-8 on most problems.
const REFERENCE_SOLVER: &str = "proximal";
/// The one taken otherwise.
const FALLBACK_SOLVER: &str = "pgs:iterations=1000";

/// Runs the command.
pub fn solve(arguments: &SolveArguments, environment: &Environment) -> Result<Exit, Error> {
    let started = SystemTime::now();
    let plan = Plan::new(arguments, environment)?;
    let stem = arguments.problems.first().and_then(|path| path.file_stem());
    let stem = format!("solve-{}", file_name(&stem.unwrap_or_default().to_string_lossy()));
    let directory = prepare(arguments.out.as_deref(), &stem, environment.global.force)?;

    let all = run_all(&plan, &directory, environment)?;
    let results = Results::sort(all);
    let exit = results.exit(environment);
    write_files(&plan, &results, &directory, environment)?;
    let facts = Facts {
        command: &environment.command_line,
        problems: results.files.clone(),
        solvers: &plan.solvers,
        limits: &plan.limits,
        repeat: arguments.repeat,
        warm_start: arguments.warm_start,
        seed: environment.global.seed,
        jobs: arguments.jobs,
        threads: environment.threads,
        started,
        status: match exit {
            Exit::Done => "finished",
            Exit::Interrupted => "interrupted",
            Exit::Failed | Exit::Input => "failed",
        },
    };
    write_json(&directory, MANIFEST_JSON, &Manifest::new(facts))?;
    if directory.join(rows::PROBLEMS_CSV).is_file() {
        crate::report::write(&directory)?;
    }
    show(&plan, &results, &directory, environment);
    Ok(exit)
}

/// Everything a user can get wrong, checked before anything is written.
struct Plan<'a> {
    arguments: &'a SolveArguments,
    limits: Limits,
    solvers: Vec<PreparedSolver>,
    names: Vec<String>,
    files: Vec<PathBuf>,
    references: Option<References>,
    index: Option<Index>,
}

impl<'a> Plan<'a> {
    fn new(arguments: &'a SolveArguments, environment: &Environment) -> Result<Self, Error> {
        let limits = Limits {
            tolerance: arguments.tolerance,
            criterion: arguments.criterion,
            time_limit: arguments.time_limit,
            iterations: arguments.iterations,
        };
        let mut solvers = Vec::new();
        for given in named_solvers(arguments) {
            solvers.push(PreparedSolver::new(&given, &limits, environment.global.seed)?);
        }
        if let Some(path) = &arguments.markdown {
            checked_page(path)?;
        }
        Ok(Self {
            limits,
            names: solvers.iter().map(|solver| solver.given.clone()).collect(),
            solvers,
            files: inputs::find(&arguments.problems)?,
            references: arguments.reference.as_deref().map(References::open).transpose()?,
            index: arguments.index.as_deref().map(Index::open).transpose()?,
            arguments,
        })
    }
}

fn named_solvers(arguments: &SolveArguments) -> Vec<String> {
    if arguments.all_solvers {
        return registry::solvers().iter().map(|entry| entry.name.to_owned()).collect();
    }
    if !arguments.solvers.is_empty() {
        return arguments.solvers.clone();
    }
    let known = registry::solvers().iter().any(|entry| entry.name == REFERENCE_SOLVER);
    vec![if known { REFERENCE_SOLVER } else { FALLBACK_SOLVER }.to_owned()]
}

/// Refuses a page in a folder that is not there.
pub(crate) fn checked_page(path: &Path) -> Result<(), Error> {
    if parent(path).is_dir() {
        return Ok(());
    }
    let folder = parent(path).display().to_string();
    Err(Error::Input(format!(
        "cannot write '{}': there is no folder '{folder}'; make it first, or choose another",
        path.display()
    )))
}

/// The folder that a file is in.
pub(crate) fn parent(path: &Path) -> &Path {
    path.parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// What came of one file.
#[derive(Debug)]
struct OfFile {
    record: FileRecord,
    /// A row a solver, or a single one that says why not.
    rows: Vec<Row>,
    curves: Vec<Curve>,
}

/// Solves all problems, several at a time if asked to. The results are in the order of the files.
fn run_all(plan: &Plan<'_>, directory: &Path, environment: &Environment) -> Result<Vec<OfFile>, Error> {
    let next = AtomicUsize::new(0);
    let finished: Mutex<Vec<Option<OfFile>>> = Mutex::new(plan.files.iter().map(|_| None).collect());
    let progress = Progress::counting("problem", plan.files.len() as u64, environment.output.quiet);
    let work = || {
        while !environment.interrupt.requested() {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = plan.files.get(index) else { break };
            progress.message(&file.file_name().unwrap_or_default().to_string_lossy());
            let of_file = one_file(plan, file, environment);
            if let [row] = of_file.rows.as_slice()
                && row.status == Status::Unreadable
            {
                environment.output.refuse(&row.message);
            }
            let mut finished = lock(&finished);
            finished[index] = Some(of_file);
            rows::write_csv(directory, finished.iter().flatten().flat_map(|file| &file.rows))?;
            progress.advance();
        }
        Ok(())
    };
    if plan.arguments.jobs <= 1 {
        work()?;
    } else {
        // Threads of their own, not of the pool: a solver that shares its work with the pool must not be given another
        // problem while it waits, or its time would be that of both.
        let ends: Vec<Result<(), Error>> = thread::scope(|scope| {
            let workers: Vec<_> = (0..plan.arguments.jobs).map(|_| scope.spawn(work)).collect();
            let join = |worker: thread::ScopedJoinHandle<'_, _>| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            workers.into_iter().map(join).collect()
        });
        ends.into_iter().collect::<Result<(), Error>>()?;
    }
    progress.finish();
    let finished = finished.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(finished.into_iter().flatten().collect())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn one_file(plan: &Plan<'_>, file: &Path, environment: &Environment) -> OfFile {
    let mut of_file = OfFile {
        record: FileRecord {
            file: file.display().to_string(),
            blake3: None,
        },
        rows: Vec::new(),
        curves: Vec::new(),
    };
    let reference = plan
        .references
        .as_ref()
        .map_or(Ok(None), |references| references.of(file));
    let (loaded, reference) = match load(file).and_then(|loaded| Ok((loaded, reference?))) {
        Ok(both) => both,
        Err(message) => {
            of_file.rows.push(Row::unreadable(file, message));
            return of_file;
        }
    };
    of_file.record.blake3 = Some(loaded.blake3.clone());
    let start = start(plan, &loaded);
    let settings = Settings {
        limits: plan.limits,
        repeat: plan.arguments.repeat,
        record: plan.arguments.record,
        interrupt: &environment.interrupt,
    };
    let name = name_among(&plan.files, file, &loaded.name);
    let mut blank = Row::of_problem(&name, file, loaded.kind, &loaded.problem);
    blank.reference_relative = reference
        .as_ref()
        .and_then(|reference| reference.residual(&loaded.problem));
    for solver in &plan.solvers {
        if environment.interrupt.requested() {
            break;
        }
        let outcome = attempt(solver, &loaded.problem, &start, &settings);
        match &outcome {
            Ok(trial) => tracing::info!(
                target: SOLVE,
                problem = %name,
                solver = %solver.given,
                status = trial.status.name(),
                iterations = trial.iterations,
                natural = trial.residuals.natural,
                seconds = trial.seconds.first().copied().unwrap_or(0.0),
                "solved"
            ),
            Err((status, message)) => tracing::warn!(
                target: SOLVE,
                problem = %name,
                solver = %solver.given,
                status = status.name(),
                "{message}"
            ),
        }
        let mut row = blank.with(&solver.given, outcome.as_ref().map_err(Clone::clone));
        if let Ok(trial) = outcome {
            row.velocity_error = reference
                .as_ref()
                .and_then(|reference| reference.velocity_error(&loaded.problem, &trial.velocities));
            if plan.arguments.record {
                of_file.curves.push(Curve {
                    problem: name.clone(),
                    solver: solver.given.clone(),
                    seconds: trial.seconds.first().copied().unwrap_or(0.0),
                    residuals: trial.history,
                });
            }
        }
        of_file.rows.push(row);
    }
    of_file
}

fn start(plan: &Plan<'_>, loaded: &Loaded) -> Vec<f64> {
    let guess = loaded.guess.as_ref().filter(|_| plan.arguments.warm_start);
    guess.cloned().unwrap_or_else(|| vec![0.0; loaded.problem.rows()])
}

/// What came of all files, those that could not be read apart.
#[derive(Debug, Default)]
struct Results {
    files: Vec<FileRecord>,
    problems: Vec<Vec<Row>>,
    unreadable: Vec<Row>,
    curves: Vec<Curve>,
}

impl Results {
    fn sort(all: Vec<OfFile>) -> Self {
        let mut results = Self::default();
        for of_file in all {
            results.files.push(of_file.record);
            results.curves.extend(of_file.curves);
            if of_file.rows.iter().any(|row| row.status == Status::Unreadable) {
                results.unreadable.extend(of_file.rows);
            } else {
                results.problems.push(of_file.rows);
            }
        }
        results
    }

    fn exit(&self, environment: &Environment) -> Exit {
        let failed = || self.problems.iter().flatten().any(|row| row.status.is_failure());
        if environment.interrupt.requested() {
            Exit::Interrupted
        } else if !self.unreadable.is_empty() {
            Exit::Input
        } else if failed() {
            Exit::Failed
        } else {
            Exit::Done
        }
    }
}

fn write_files(plan: &Plan<'_>, results: &Results, directory: &Path, environment: &Environment) -> Result<(), Error> {
    plots::write(directory, &plan.names, &results.problems, &plan.limits)?;
    if plan.arguments.record {
        curves::write_csv(directory, CONVERGENCE_CSV, "problem", &results.curves)?;
        if let [rows] = results.problems.as_slice()
            && let Some(row) = rows.first()
        {
            let size = format!("{} rows", row.rows.unwrap_or(0));
            curves::write_plots(directory, &row.problem, &size, &results.curves)?;
        }
    }
    if let Some(path) = &plan.arguments.markdown {
        let page = Page {
            command: &environment.command_line,
            limits: &plan.limits,
            totals: &report::totals(&plan.names, &results.problems),
            problems: &results.problems,
            unreadable: &results.unreadable,
            index: plan.index.as_ref(),
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        write_text(parent(path), &name, &page.render())?;
    }
    Ok(())
}

/// All of it, for programs.
#[derive(Debug, Serialize)]
struct Solved<'a> {
    directory: String,
    rows: Vec<&'a Row>,
}

fn show(plan: &Plan<'_>, results: &Results, directory: &Path, environment: &Environment) {
    let rows: Vec<&Row> = results.problems.iter().flatten().collect();
    environment.output.machine_readable(&Solved {
        directory: directory.display().to_string(),
        rows: rows.iter().copied().chain(&results.unreadable).collect(),
    });
    let mut text = String::new();
    if !rows.is_empty() {
        text.push_str(&report::table(&rows));
        text.push('\n');
    }
    if results.problems.len() > 1 {
        text.push_str(&report::totals_table(&report::totals(&plan.names, &results.problems)));
        text.push('\n');
    }
    if !results.unreadable.is_empty() {
        text.push_str(&format!(
            "{} could not be read\n",
            plots::problem_count(results.unreadable.len())
        ));
    }
    let left = plan.files.len() - results.files.len();
    if left > 0 {
        text.push_str(&format!("interrupted with {} left\n", plots::problem_count(left)));
    }
    text.push_str(&format!("results in {}\n", directory.display()));
    environment.output.show(&text);
}
