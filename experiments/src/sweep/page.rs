//! What a sweep says for people: the tables on the terminal, and the page `report.md` with its pictures, which `--markdown`
//! also writes elsewhere. Pages of documentation are made by this and never by hand.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

use super::columns::Column;
use super::file::Experiment;
use super::plots::{picture, picture_name};
use super::results::Row;
use super::shard::Shard;
use super::tables::{Combination, counted, fit_table, main_table, unfinished};
use super::work::Finished;
use crate::error::Error;
use crate::machine::Machine;
use crate::solve::markdown::shown;
use crate::whole_file::write_text;

/// The page in the directory of the sweep, without `.md`.
pub const REPORT: &str = "report";
/// The page in the directory of the sweep.
pub const REPORT_MD: &str = "report.md";

/// What is shown.
#[derive(Debug)]
pub struct Page<'a> {
    /// What was asked for.
    pub experiment: &'a Experiment,
    /// The columns.
    pub columns: &'a [Column],
    /// What came of the runs.
    pub finished: &'a [Finished],
    /// How many were planned here.
    pub planned: usize,
    /// How many the whole sweep has.
    pub whole: usize,
    /// The command that made it.
    pub command: &'a [String],
    /// Where it comes from.
    pub origin: Origin,
}

/// Where results come from.
#[derive(Debug)]
pub enum Origin {
    /// They were just made on this machine.
    Swept {
        /// The part of the sweep, if it is split.
        shard: Option<Shard>,
        /// Runs at once.
        jobs: usize,
        /// Threads that shared the work.
        threads: usize,
    },
    /// They were joined from directories.
    Collected {
        /// How many.
        parts: usize,
        /// The processors that the runs were made on.
        processors: Vec<String>,
    },
}

impl Page<'_> {
    fn rows(&self) -> Vec<&Row> {
        self.finished.iter().map(|finished| &finished.row).collect()
    }

    /// For a terminal.
    pub fn text(&self) -> String {
        let rows = self.rows();
        let combinations = Combination::all(&rows);
        let mut text = format!("{}: {}\n\n", self.experiment.title, self.counted());
        text.push_str(&main_table(self.columns, &combinations).text());
        for (k, fit) in self.experiment.fits.iter().enumerate() {
            let table = fit_table(k, self.columns, &combinations).text();
            let _ = write!(text, "\n{}\n\n{table}", fit.name);
        }
        let unfinished = self.unfinished(&rows);
        if !unfinished.is_empty() {
            let _ = write!(text, "\n{}\n", unfinished.join("\n"));
        }
        text
    }

    /// `12 runs of …`, and which of them these are.
    fn counted(&self) -> String {
        let counted = counted(self.experiment, self.whole);
        match self.origin {
            Origin::Swept { shard: Some(shard), .. } => format!("{counted}; shard {shard} has {}", self.planned),
            _ => counted,
        }
    }

    fn unfinished(&self, rows: &[&Row]) -> Vec<String> {
        let mut lines = unfinished(rows);
        let left = self.planned - rows.len();
        if left > 0 {
            lines.push(match self.origin {
                Origin::Swept { .. } => format!("interrupted with {left} of {} runs left", self.planned),
                Origin::Collected { .. } => format!("{left} of {} runs are missing", self.planned),
            });
        }
        lines
    }

    /// Writes the page `<stem>.md` and its pictures into a folder.
    pub fn write(&self, folder: &Path, stem: &str) -> Result<(), Error> {
        let rows = self.rows();
        let combinations = Combination::all(&rows);
        for (k, fit) in self.experiment.fits.iter().enumerate() {
            let picture = picture(self.experiment, k, self.columns, &combinations, self.finished);
            write_text(folder, &picture_name(stem, &fit.name), &picture)?;
        }
        write_text(
            folder,
            &format!("{stem}.md"),
            &self.markdown(stem, &rows, &combinations),
        )
    }

    fn markdown(&self, stem: &str, rows: &[&Row], combinations: &[Combination<'_>]) -> String {
        let experiment = self.experiment;
        let mut text = format!("# {}\n\n", experiment.title);
        if !experiment.description.is_empty() {
            let _ = write!(text, "{}\n\n", experiment.description);
        }
        let _ = write!(
            text,
            "Made by `{}` with drystone {} {}: {}. Where runs of a row differ, its \
             cells are the median and, in brackets, the smallest and the largest value.\n\n",
            shown(self.command),
            env!("CARGO_PKG_VERSION"),
            self.origin.words(),
            self.counted(),
        );
        text.push_str(&main_table(self.columns, combinations).markdown());
        let unfinished = self.unfinished(rows);
        if !unfinished.is_empty() {
            text.push('\n');
            for line in unfinished {
                let _ = writeln!(text, "- {line}");
            }
        }
        for (k, fit) in experiment.fits.iter().enumerate() {
            let table = fit_table(k, self.columns, combinations).markdown();
            let picture = picture_name(stem, &fit.name);
            let _ = write!(text, "\n## {}\n\n{table}\n![{}]({picture})\n", fit.name, fit.name);
        }
        // Four backticks: a description may have three.
        let _ = write!(
            text,
            "\n## The experiment\n\n````toml\n{}\n````\n",
            experiment.source.text.trim_end()
        );
        text
    }
}

impl Origin {
    /// `on a processor (linux), 2 threads, one run at a time`.
    fn words(&self) -> String {
        match self {
            Self::Swept { jobs, threads, .. } => {
                let machine = Machine::here();
                let processor = machine.processor.unwrap_or_else(|| machine.architecture.to_owned());
                let at_once = match jobs {
                    1 => "one run at a time".to_owned(),
                    jobs => format!("{jobs} runs at a time, which makes times longer"),
                };
                format!("on {processor} ({}), {threads} threads, {at_once}", machine.os)
            }
            Self::Collected { parts, processors } => {
                let several = if *parts == 1 { "" } else { "s" };
                format!("from {parts} part{several} made on {}", processors.join(" and "))
            }
        }
    }
}

/// Removes the pictures of an older report.
pub(crate) fn clear(directory: &Path) -> io::Result<()> {
    let prefix = format!("{REPORT}-");
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(&prefix) && name.ends_with(".svg") && entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
