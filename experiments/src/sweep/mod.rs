//! `drystone sweep`: experiment files. A file names scenes and methods with options that may be lists; every combination is
//! run, and statistics of the runs, straight lines through their steps and times of events become columns of one table.
//!
//! [`mod@file`] reads an experiment, [`mod@product`] makes and checks its runs, [`work`] carries them out, [`measures`] and
//! [`fit`] turn steps into numbers, [`mod@columns`] and [`results`] put them into `results.csv`, [`tables`] and [`page`] show
//! them. Equal sweeps give equal rows, but for columns that measure the machine.
//!
//! Long sweeps are looked after by [`journal`], from which a killed one goes on, [`identity`] and [`directory`], which see to
//! it that it is the same one, [`shard`], which splits it over machines, and [`mod@collect`], which joins the parts.

mod answer;
pub mod collect;
pub mod columns;
pub mod condition;
pub mod course;
mod declared;
pub mod directory;
pub mod estimate;
mod exact;
pub mod file;
pub mod fit;
pub mod identity;
mod inputs;
pub mod journal;
mod judged;
pub mod list;
pub mod manifest;
pub mod measures;
mod missing;
pub mod overview;
pub mod page;
pub mod parquet_file;
mod parts;
pub mod plots;
pub mod product;
mod range;
mod rarely;
pub mod results;
mod seeds;
pub mod settings;
pub mod shard;
pub mod stop;
pub mod subject;
pub mod tables;
pub mod work;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use drystone_dynamics::{Method, Simulation};

use crate::Environment;
use crate::cli::SweepArguments;
use crate::error::{Error, Exit};
use crate::manifest::MANIFEST_JSON;
use crate::memory;
use crate::plan::DEFAULT_METHOD;
use crate::progress::aside;
use crate::run_directory::file_name;
use crate::solve::parent;
use crate::whole_file::write_json;
use answer::{Report, Reports, every_one_failed, named, numbers};
use columns::{Column, columns};
use directory::{Claimed, Existing, check_directory, claim_directory};
use file::Experiment;
use identity::Identity;
pub(crate) use inputs::experiments_in;
use inputs::{are_several, directories, experiment_files, inside, pages};
use judged::{check_claims_are_there, claims_of, judge, parent_directory};
use manifest::{About, Launch, Manifest, missing};
use overview::{Overview, Planned, Share};
use page::{Origin, Page, REPORT};
use parquet_file::write_parquet;
use product::{Run, SceneFiles, product};
use shard::Shard;
use work::{Finished, Work};

/// An experiment and its runs, checked.
#[derive(Debug)]
pub struct Prepared {
    /// What was read.
    pub experiment: Experiment,
    /// Its runs; of a sweep that is split those of the shard.
    pub runs: Vec<Run>,
    /// How many runs the whole sweep has.
    pub whole: usize,
    /// The part of the sweep.
    pub shard: Option<Shard>,
    /// The hash of its scenes.
    pub scenes_blake3: String,
    /// Those that were read from files.
    pub files: SceneFiles,
    /// Its columns.
    pub columns: Vec<Column>,
}

impl Prepared {
    fn read(path: &Path, seed: Option<u64>, shard: Option<Shard>) -> Result<Self, Error> {
        let experiment = Experiment::read(path)?;
        let product = product(&experiment, seed)?;
        let whole = product.runs.len();
        let is_here = |run: &Run| shard.is_none_or(|shard| shard.has(run.run));
        Ok(Self {
            runs: product.runs.into_iter().filter(is_here).collect(),
            whole,
            shard,
            scenes_blake3: product.scenes_blake3,
            files: product.files,
            columns: columns(&experiment),
            experiment,
        })
    }

    /// The name of a new directory for it.
    fn directory_stem(&self) -> String {
        let title = file_name(&self.experiment.title);
        match self.shard {
            None => format!("sweep-{title}"),
            Some(shard) => format!("sweep-{title}-shard-{}-of-{}", shard.number, shard.count),
        }
    }
}

/// Runs the command.
pub fn sweep(arguments: &SweepArguments, environment: &Environment) -> Result<Exit, Error> {
    if !arguments.collect.is_empty() {
        return collect::collect(arguments, environment);
    }
    let existing = existing(arguments, environment)?;
    let seed = environment.global.seed;
    let prepare = |path: &PathBuf| Prepared::read(path, seed, arguments.shard);
    let claims = claims_of(&arguments.experiments)?;
    check_claims_are_there(arguments, claims.as_ref())?;
    let files = experiment_files(&arguments.experiments, &arguments.only)?;
    let all: Vec<Prepared> = files.iter().map(prepare).collect::<Result<_, _>>()?;
    if arguments.list {
        list::list(&all, environment);
        return Ok(Exit::Done);
    }
    let memory_at_first = own_memory();
    let stems: Vec<String> = all.iter().map(|prepared| prepared.experiment.stem()).collect();
    let pages = pages(arguments.markdown.as_deref(), &stems)?;
    let claims = claims.as_ref();
    let parent = claims.map(|claims| parent_directory(arguments, claims, environment));
    let parent = parent.transpose()?;
    let asked = match &parent {
        Some(parent) => inside(parent, &stems)?,
        None => directories(arguments.out.as_deref(), &stems, are_several(&arguments.experiments))?,
    };
    let claimed = claim_all(arguments, &all, &asked, existing, environment)?;

    let overview = overview(&all, &claimed, arguments.jobs, environment);
    let mut reports = Vec::new();
    let mut exit = Exit::Done;
    let run_all = || -> Result<(), Error> {
        for (k, ((prepared, claimed), page)) in all.iter().zip(claimed).zip(&pages).enumerate() {
            if environment.interrupt.requested() {
                exit = Exit::Interrupted;
                break;
            }
            let directory = claimed.path.clone();
            let work = Work {
                experiment: &prepared.experiment,
                runs: &prepared.runs,
                files: &prepared.files,
                whole: prepared.whole,
                shard: prepared.shard,
                columns: &prepared.columns,
                directory: &directory,
                jobs: arguments.jobs,
                keep_runs: arguments.keep_runs,
                memory_at_first,
                environment,
            };
            let resumed = claimed.kept.len();
            let share = overview.experiment(k);
            let (results, ended) = one(&work, claimed, share, page.as_deref(), arguments.parquet)?;
            if ended != Exit::Done {
                exit = ended;
            }
            reports.push((prepared, directory, resumed, results));
        }
        Ok(())
    };
    let ran = run_all();
    // The line goes away before anything is said, mistakes included.
    overview.finish();
    ran?;
    // Part of the runs tells little about a claim; whoever collects the parts can judge.
    let judged = match claims.zip(parent.as_deref()) {
        Some((claims, parent)) if arguments.shard.is_none() => {
            Some(judge(claims, parent, arguments, environment, &mut exit)?)
        }
        _ => None,
    };
    let several = are_several(&arguments.experiments);
    let together = parent.as_ref().or(arguments.out.as_ref().filter(|_| several));
    let together = together.filter(|_| !reports.is_empty());
    let page = together.map(|together| crate::report::write(together)).transpose();
    let experiments = reports.iter().map(|(prepared, directory, resumed, results)| Report {
        title: &prepared.experiment.title,
        directory: directory.display().to_string(),
        shard: prepared.shard,
        planned_runs: prepared.runs.len(),
        resumed_runs: *resumed,
        missing_runs: missing(&numbers(&prepared.runs), results),
        rows: named(results, &prepared.columns),
    });
    let experiments = experiments.collect();
    environment.output.machine_readable(&Reports {
        experiments,
        claims: judged,
    });
    // Whoever asked for the answer has it even if there is no page.
    page.map(|_| exit)
}

/// One line for all experiments.
fn overview(all: &[Prepared], claimed: &[Claimed], jobs: usize, environment: &Environment) -> Overview {
    let planned = all.iter().zip(claimed).map(|(prepared, claimed)| Planned {
        title: &prepared.experiment.title,
        runs: &prepared.runs,
        kept: &claimed.kept,
    });
    Overview::new(&planned.collect::<Vec<_>>(), jobs, environment.output.quiet)
}

/// What happens to a directory that is there already.
fn existing(arguments: &SweepArguments, environment: &Environment) -> Result<Existing, Error> {
    match (arguments.resume, environment.global.force) {
        (true, true) => Err(Error::Input(
            "--resume goes on with what is there, --force removes it; give one of them".into(),
        )),
        (true, false) => Ok(Existing::Resume {
            retry_failed: arguments.retry_failed,
        }),
        (false, true) => Ok(Existing::Overwrite),
        (false, false) => Ok(Existing::Refuse),
    }
}

/// A directory for each experiment, all checked before the first is touched.
fn claim_all(
    arguments: &SweepArguments,
    all: &[Prepared],
    asked: &[Option<PathBuf>],
    existing: Existing,
    environment: &Environment,
) -> Result<Vec<Claimed>, Error> {
    let identity = |prepared| Identity::new(prepared, environment.global.seed, arguments.keep_runs);
    let identities: Vec<Identity> = all.iter().map(identity).collect();
    for (directory, identity) in asked.iter().zip(&identities) {
        if let Some(directory) = directory {
            check_directory(directory, identity, existing)?;
        }
    }
    let claim = |((prepared, directory), identity): ((&Prepared, &Option<_>), &Identity)| {
        let text = &prepared.experiment.source.text;
        let stem = prepared.directory_stem();
        claim_directory(directory.as_deref(), &stem, identity, text, existing)
    };
    all.iter().zip(asked).zip(&identities).map(claim).collect()
}

/// What the program needs for itself, bytes: its resident memory after a few steps of next to nothing.
fn own_memory() -> Option<u64> {
    let scene = drystone_scenes::load("box-stack:count=1").ok()?;
    let mut simulation = Simulation::new(scene.build().ok()?, Method::parse(DEFAULT_METHOD).ok()?, scene.dt).ok()?;
    for _ in 0..3 {
        simulation.step().ok()?;
    }
    memory::resident()
}

/// Runs one experiment, writes its files and shows its tables.
fn one(
    work: &Work<'_>,
    claimed: Claimed,
    overview: Share<'_>,
    page_path: Option<&Path>,
    parquet: bool,
) -> Result<(Vec<Finished>, Exit), Error> {
    let Claimed {
        mut journal,
        kept,
        mut launches,
        ..
    } = claimed;
    let environment = work.environment;
    let started = SystemTime::now();
    let resumed = kept.len();
    let launch = Launch::new(work, resumed);
    journal.launch(&launch)?;
    launches.extend(serde_json::to_value(&launch));
    let results = work.run_all(&mut journal, kept, overview)?;
    if parquet {
        write_parquet(work.directory, work.experiment, work.columns, &results)?;
    }
    let (exit, status) = if environment.interrupt.requested() {
        (Exit::Interrupted, "interrupted")
    } else if every_one_failed(&results) {
        (Exit::Failed, "failed")
    } else {
        (Exit::Done, "finished")
    };
    let page = Page {
        experiment: work.experiment,
        columns: work.columns,
        finished: &results,
        planned: work.runs.len(),
        whole: work.whole,
        command: &environment.command_line,
        origin: Origin::Swept {
            shard: work.shard,
            jobs: work.jobs,
            threads: environment.threads,
        },
    };
    let about = About {
        command: &environment.command_line,
        experiment: work.experiment,
        columns: work.columns,
        shard: work.shard,
        whole: work.whole,
        planned: numbers(work.runs),
        results: &results,
        resumed,
        seed: environment.global.seed,
        jobs_and_threads: Some((work.jobs, environment.threads)),
        launches: &launches,
        parts: Vec::new(),
        started,
        status,
    };
    write_rest(&page, page_path, about, work.directory)?;
    let mut shown = page.text();
    if resumed > 0 {
        shown.push_str(&format!("\n{resumed} of {} runs were there already", work.runs.len()));
    }
    shown.push_str(&format!("\nresults in {}\n", work.directory.display()));
    aside(|| environment.output.show(&shown));
    if exit == Exit::Failed {
        environment.output.complain("every run failed");
    }
    Ok((results, exit))
}

/// What follows the results: tables, the manifest, and the page that is made of both.
fn write_rest(page: &Page<'_>, page_path: Option<&Path>, about: About<'_>, directory: &Path) -> Result<(), Error> {
    page.write(directory, REPORT)?;
    if let Some(path) = page_path {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        page.write(parent(path), &stem)?;
    }
    let any = !about.results.is_empty();
    write_json(directory, MANIFEST_JSON, &Manifest::new(about))?;
    if any {
        crate::report::write(directory)?;
    }
    Ok(())
}
