//! `drystone sweep`: experiment files. A file names scenes and methods with options that may be lists; every combination is
//! run, and statistics of the runs, straight lines through their steps and times of events become columns of one table.
//!
//! [`mod@file`] reads an experiment, [`product`] makes and checks its runs, [`work`] carries them out, [`measures`] and [`fit`]
//! turn steps into numbers, [`mod@columns`] and [`results`] put them into `results.csv`, [`tables`] and [`page`] show them. Equal
//! sweeps give equal rows, but for columns that measure the machine.

pub mod columns;
pub mod course;
mod declared;
pub mod file;
pub mod fit;
pub mod list;
pub mod manifest;
pub mod measures;
pub mod page;
pub mod plots;
pub mod product;
pub mod results;
pub mod settings;
pub mod subject;
pub mod tables;
pub mod work;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use drystone_dynamics::{Method, Simulation};
use serde::Serialize;

use crate::Environment;
use crate::cli::SweepArguments;
use crate::error::{Error, Exit};
use crate::manifest::MANIFEST_JSON;
use crate::memory;
use crate::plan::DEFAULT_METHOD;
use crate::run_directory::{file_name, prepare};
use crate::solve::{checked_page, parent};
use crate::summary::Status;
use crate::whole_file::{write_json, write_text};
use columns::{Column, columns};
use file::Experiment;
use manifest::{EXPERIMENT_TOML, Manifest};
use page::{Page, REPORT};
use product::{Run, runs};
use results::Named;
use work::{Finished, Work};

/// An experiment and its runs, checked.
#[derive(Debug)]
pub struct Prepared {
    /// What was read.
    pub experiment: Experiment,
    /// Its runs.
    pub runs: Vec<Run>,
    /// Its columns.
    pub columns: Vec<Column>,
}

/// Runs the command.
pub fn sweep(arguments: &SweepArguments, environment: &Environment) -> Result<Exit, Error> {
    let memory_at_first = own_memory();
    let mut all = Vec::new();
    for path in experiment_files(&arguments.experiments)? {
        let experiment = Experiment::read(&path)?;
        all.push(Prepared {
            runs: runs(&experiment, environment.global.seed)?,
            columns: columns(&experiment),
            experiment,
        });
    }
    if arguments.list {
        list::list(&all, environment);
        return Ok(Exit::Done);
    }
    let pages = pages(arguments, &all)?;
    let directories = directories(arguments, &all, environment)?;

    let mut reports = Vec::new();
    let mut exit = Exit::Done;
    for ((prepared, directory), page) in all.iter().zip(&directories).zip(&pages) {
        if environment.interrupt.requested() {
            exit = Exit::Interrupted;
            break;
        }
        let work = Work {
            experiment: &prepared.experiment,
            runs: &prepared.runs,
            columns: &prepared.columns,
            directory,
            jobs: arguments.jobs,
            keep_runs: arguments.keep_runs,
            memory_at_first,
            environment,
        };
        let (results, ended) = one(&work, page.as_deref())?;
        if ended != Exit::Done {
            exit = ended;
        }
        reports.push((prepared, directory, results));
    }
    let reports = reports.iter().map(|(prepared, directory, results)| Report {
        title: &prepared.experiment.title,
        directory: directory.display().to_string(),
        rows: results
            .iter()
            .map(|finished| Named::of(&finished.row, &prepared.columns))
            .collect(),
    });
    let experiments = reports.collect();
    environment.output.machine_readable(&Reports { experiments });
    Ok(exit)
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
fn one(work: &Work<'_>, page_path: Option<&Path>) -> Result<(Vec<Finished>, Exit), Error> {
    let (environment, directory) = (work.environment, work.directory);
    let started = SystemTime::now();
    write_text(directory, EXPERIMENT_TOML, &work.experiment.source.text)?;
    let results = work.run_all()?;
    let page = Page {
        experiment: work.experiment,
        columns: work.columns,
        finished: &results,
        planned: work.runs.len(),
        command: &environment.command_line,
        jobs: work.jobs,
        threads: environment.threads,
    };
    page.write(directory, REPORT)?;
    if let Some(path) = page_path {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        page.write(parent(path), &stem)?;
    }
    let (exit, status) = if environment.interrupt.requested() {
        (Exit::Interrupted, "interrupted")
    } else if results.iter().all(|finished| finished.row.status == Status::Failed) {
        (Exit::Failed, "failed")
    } else {
        (Exit::Done, "finished")
    };
    let manifest = Manifest::new(work, &results, status, started);
    write_json(directory, MANIFEST_JSON, &manifest)?;
    let shown = format!("{}\nresults in {}\n", page.text(), directory.display());
    environment.output.show(&shown);
    if exit == Exit::Failed {
        environment.output.complain("every run failed");
    }
    Ok((results, exit))
}

/// The experiments of a sweep, for programs.
#[derive(Debug, Serialize)]
struct Reports<'a> {
    experiments: Vec<Report<'a>>,
}

#[derive(Debug, Serialize)]
struct Report<'a> {
    title: &'a str,
    directory: String,
    rows: Vec<Named<'a>>,
}

/// The files that were named, and those in folders that were named, by name.
fn experiment_files(given: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for path in given {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let cannot = |error| Error::Input(format!("cannot read folder '{}': {error}", path.display()));
        let mut inside = Vec::new();
        for entry in fs::read_dir(path).map_err(cannot)? {
            let file = entry.map_err(cannot)?.path();
            if file.is_file() && file.extension().is_some_and(|extension| extension == "toml") {
                inside.push(file);
            }
        }
        if inside.is_empty() {
            let message = format!("there are no experiments (*.toml) in folder '{}'", path.display());
            return Err(Error::Input(message));
        }
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}

/// Where the pages go besides the directories: a file, or a folder for several experiments.
fn pages(arguments: &SweepArguments, all: &[Prepared]) -> Result<Vec<Option<PathBuf>>, Error> {
    let Some(path) = &arguments.markdown else {
        return Ok(all.iter().map(|_| None).collect());
    };
    if path.is_dir() {
        distinct_stems(all)?;
        let page = |prepared: &Prepared| Some(path.join(prepared.experiment.stem() + ".md"));
        return Ok(all.iter().map(page).collect());
    }
    if all.len() > 1 {
        let message = format!(
            "--markdown must name a folder for several experiments; '{}' is none",
            path.display()
        );
        return Err(Error::Input(message));
    }
    if path.extension().is_none_or(|extension| extension != "md") {
        let message = format!(
            "--markdown must name a folder or a file that ends in .md, not '{}'",
            path.display()
        );
        return Err(Error::Input(message));
    }
    checked_page(path)?;
    Ok(vec![Some(path.clone())])
}

/// A directory for each experiment; those of several are inside the one that was named.
fn directories(arguments: &SweepArguments, all: &[Prepared], environment: &Environment) -> Result<Vec<PathBuf>, Error> {
    if arguments.out.is_some() && all.len() > 1 {
        distinct_stems(all)?;
    }
    let directory = |prepared: &Prepared| {
        let out = match (&arguments.out, all.len()) {
            (Some(out), 2..) => Some(out.join(prepared.experiment.stem())),
            (out, _) => out.clone(),
        };
        let stem = format!("sweep-{}", file_name(&prepared.experiment.title));
        prepare(out.as_deref(), &stem, environment.global.force)
    };
    all.iter().map(directory).collect()
}

/// Results are named after files.
fn distinct_stems(all: &[Prepared]) -> Result<(), Error> {
    for (k, prepared) in all.iter().enumerate() {
        let stem = prepared.experiment.stem();
        if all[..k].iter().any(|other| other.experiment.stem() == stem) {
            return Err(Error::Input(format!(
                "two experiments are called '{stem}.toml'; sweep them apart"
            )));
        }
    }
    Ok(())
}
