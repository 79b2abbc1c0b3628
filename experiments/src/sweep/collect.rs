//! `drystone sweep --collect`: joins the directories of shards into one that looks as if the sweep had never been split.
//!
//! The parts need not be complete, and what is missing is told by shard and number. The joined directory has a journal of
//! its own, so that `--resume` can make up for what is missing. Scenes are not needed: all is in the parts.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::Value;

use super::answer::{Report, Reports, every_one_failed, named, processors};
use super::columns::{Column, columns};
use super::directory::{Claimed, Existing, check_directory, claim_directory};
use super::file::{Experiment, Source};
use super::identity::Identity;
use super::inputs::{directories, pages};
use super::manifest::{About, PartRecord, missing};
use super::missing::words;
use super::page::{Origin, Page};
use super::parquet_file::write_parquet;
use super::parts::{Group, Part, groups};
use super::results::write_csv;
use super::work::Finished;
use super::write_rest;
use crate::Environment;
use crate::cli::SweepArguments;
use crate::error::{Error, Exit};
use crate::run_directory::file_name;
use crate::summary::Status;

/// Parts of one sweep, checked and put together.
struct Joined {
    identity: Identity,
    experiment: Experiment,
    columns: Vec<Column>,
    finished: Vec<Finished>,
    parts: Vec<Part>,
}

/// Runs the command.
pub fn collect(arguments: &SweepArguments, environment: &Environment) -> Result<Exit, Error> {
    let groups = groups(&arguments.collect)?;
    let stems: Vec<String> = groups.iter().map(Group::stem).collect();
    let several = groups.iter().any(Group::is_in_folder);
    let all: Vec<Joined> = groups.into_iter().map(join).collect::<Result<_, _>>()?;
    let pages = pages(arguments.markdown.as_deref(), &stems)?;
    let existing = match environment.global.force {
        true => Existing::Overwrite,
        false => Existing::Refuse,
    };
    let asked = directories(arguments.out.as_deref(), &stems, several)?;
    for (joined, directory) in all.iter().zip(&asked) {
        if let Some(directory) = directory {
            joined.check_apart(directory)?;
            check_directory(directory, &joined.identity, existing)?;
        }
    }
    let mut exit = Exit::Done;
    let mut reports = Vec::new();
    for ((joined, asked), page) in all.iter().zip(&asked).zip(&pages) {
        let stem = format!("sweep-{}", file_name(&joined.experiment.title));
        let text = &joined.experiment.source.text;
        let claimed = claim_directory(asked.as_deref(), &stem, &joined.identity, text, existing)?;
        let directory = claimed.path.clone();
        if arguments.parquet {
            write_parquet(&directory, &joined.experiment, &joined.columns, &joined.finished)?;
        }
        if joined.write(claimed, page.as_deref(), environment)? != Exit::Done {
            exit = Exit::Failed;
        }
        reports.push((joined, directory));
    }
    let experiments = reports.iter().map(|(joined, directory)| Report {
        title: &joined.experiment.title,
        directory: directory.display().to_string(),
        shard: None,
        planned_runs: joined.identity.runs,
        resumed_runs: 0,
        missing_runs: joined.missing(),
        rows: named(&joined.finished, &joined.columns),
    });
    let experiments = experiments.collect();
    environment.output.machine_readable(&Reports {
        experiments,
        claims: None,
    });
    Ok(exit)
}

/// Puts the parts of one sweep together.
fn join(group: Group) -> Result<Joined, Error> {
    let mut parts = group.parts;
    let first = &parts[0];
    let experiment = Experiment::parse(Source {
        path: PathBuf::from(&first.identity.given),
        text: first.text.clone(),
    })?;
    let columns = columns(&experiment);
    if !columns.iter().map(|column| &column.name).eq(&first.identity.columns) {
        return Err(Error::Input(format!(
            "the columns of '{}' are not those of this version of drystone; collect with version {}",
            first.directory.display(),
            first.identity.version
        )));
    }
    let identity = Identity {
        shard: None,
        ..first.identity.clone()
    };
    // Every run with the part it is from, in the order of runs.
    let mut all: Vec<(usize, Finished)> = Vec::new();
    for (k, part) in parts.iter_mut().enumerate() {
        part.runs = part.contents.finished.len();
        all.extend(part.contents.finished.drain(..).map(|finished| (k, finished)));
    }
    let is_interrupted = |finished: &Finished| finished.row.status == Status::Interrupted;
    all.sort_by_key(|(_, finished)| (finished.row.run.run, is_interrupted(finished)));
    let mut finished: Vec<(usize, Finished)> = Vec::with_capacity(all.len());
    for (k, run) in all {
        match finished.last() {
            // An interrupted run gives way to one that came to its end elsewhere.
            Some((_, last)) if last.row.run.run == run.row.run.run && is_interrupted(&run) => {}
            Some((other, last)) if last.row.run.run == run.row.run.run => {
                return Err(Error::Input(format!(
                    "run {} is both in '{}' and in '{}'",
                    run.row.run.run,
                    parts[*other].directory.display(),
                    parts[k].directory.display()
                )));
            }
            _ => finished.push((k, run)),
        }
    }
    for (k, run) in &finished {
        if !run.row.directory.is_empty() {
            parts[*k].kept.push(run.row.directory.clone());
        }
    }
    Ok(Joined {
        identity,
        experiment,
        columns,
        finished: finished.into_iter().map(|(_, finished)| finished).collect(),
        parts,
    })
}

impl Joined {
    fn planned(&self) -> Vec<usize> {
        (1..=self.identity.runs).collect()
    }

    fn missing(&self) -> Vec<usize> {
        missing(&self.planned(), &self.finished)
    }

    /// Clearing a part to write what is joined of it would lose it.
    fn check_apart(&self, directory: &Path) -> Result<(), Error> {
        let Ok(real) = directory.canonicalize() else {
            return Ok(());
        };
        let same = |part: &&Part| part.directory.canonicalize().is_ok_and(|path| path == real);
        match self.parts.iter().find(same) {
            None => Ok(()),
            Some(_) => Err(Error::Input(format!(
                "'{}' is one of the parts; name another directory for the whole",
                directory.display()
            ))),
        }
    }

    /// Writes everything into a directory that is ready, and shows the tables.
    fn write(&self, mut claimed: Claimed, page: Option<&Path>, environment: &Environment) -> Result<Exit, Error> {
        let (directory, started) = (claimed.path.as_path(), SystemTime::now());
        let launches: Vec<Value> = self
            .parts
            .iter()
            .flat_map(|part| part.contents.launches.clone())
            .collect();
        for part in &self.parts {
            for name in &part.kept {
                copy_folder(&part.directory.join(name), &directory.join(name))?;
            }
        }
        claimed.journal.copy(&launches, &self.finished)?;
        write_csv(
            directory,
            &self.columns,
            self.finished.iter().map(|finished| &finished.row),
        )?;
        let missing = self.missing();
        let (exit, status) = if !missing.is_empty() {
            (Exit::Failed, "incomplete")
        } else if every_one_failed(&self.finished) {
            (Exit::Failed, "failed")
        } else {
            (Exit::Done, "finished")
        };
        let shown = Page {
            experiment: &self.experiment,
            columns: &self.columns,
            finished: &self.finished,
            planned: self.identity.runs,
            whole: self.identity.runs,
            command: &environment.command_line,
            origin: Origin::Collected {
                parts: self.parts.len(),
                processors: processors(&launches),
            },
        };
        let record = |part: &Part| PartRecord {
            directory: part.directory.display().to_string(),
            shard: part.identity.shard,
            runs: part.runs,
            launches: part.contents.launches.clone(),
        };
        let about = About {
            command: &environment.command_line,
            experiment: &self.experiment,
            columns: &self.columns,
            shard: None,
            whole: self.identity.runs,
            planned: self.planned(),
            results: &self.finished,
            resumed: 0,
            seed: self.identity.seed,
            jobs_and_threads: None,
            launches: &launches,
            parts: self.parts.iter().map(record).collect(),
            started,
            status,
        };
        write_rest(&shown, page, about, directory)?;
        let text = format!("{}\nresults in {}\n", shown.text(), directory.display());
        environment.output.show(&text);
        let shards: Vec<_> = self.parts.iter().filter_map(|part| part.identity.shard).collect();
        for line in words(&missing, &shards) {
            environment
                .output
                .complain(&format!("{}: {line}", self.experiment.title));
        }
        if status == "failed" {
            environment.output.complain("every run failed");
        }
        Ok(exit)
    }
}

/// Copies a run directory with all that is in it.
fn copy_folder(from: &Path, to: &Path) -> Result<(), Error> {
    let copy = || -> io::Result<()> {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            let target = to.join(entry.file_name());
            match entry.file_type()?.is_dir() {
                true => copy_folder(&entry.path(), &target).map_err(io::Error::other)?,
                false => drop(fs::copy(entry.path(), target)?),
            }
        }
        Ok(())
    };
    copy().map_err(Error::writing(to))
}
