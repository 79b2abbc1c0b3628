//! What the program tells about itself while it works: `-v` for what it does, `-vv` for every few steps, `-vvv` for every
//! step; or `DRYSTONE_LOG`, such as `debug` or `drystone::sweep=debug,drystone::run=info`.
//!
//! Lines go to stderr, above progress bars and the panel of `--watch`. Unless they are asked for nothing is installed, and
//! then a line that is not written costs one comparison and formats nothing. None is in an inner loop.

use std::fmt;
use std::io::{self, Write};
use std::time::Instant;

use drystone_solver::spec::nearest;
use tracing::Level;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;
use tracing_subscriber::layer::SubscriberExt;

use crate::error::Error;
use crate::progress::aside;

/// The variable that says what to log if the command line does not.
pub const VARIABLE: &str = "DRYSTONE_LOG";

/// Where lines come from, so that they can be filtered.
pub mod target {
    /// The program: threads, directories, files.
    pub const PROGRAM: &str = "drystone";
    /// One run: scene, method, steps, how it ended.
    pub const RUN: &str = "drystone::run";
    /// Sweeps: their runs.
    pub const SWEEP: &str = "drystone::sweep";
    /// Stored problems and their solves.
    pub const SOLVE: &str = "drystone::solve";
}

const TARGETS: [&str; 4] = [target::PROGRAM, target::RUN, target::SWEEP, target::SOLVE];
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Begins to log as `-v` was given so many times, or as the variable says.
pub fn install(verbose: u8, colours: bool) -> Result<(), Error> {
    let variable = std::env::var(VARIABLE).unwrap_or_default();
    let targets = match (verbose, variable.trim()) {
        (0, "") => return Ok(()),
        (0, filter) => read(filter)?,
        (1, _) => Targets::new().with_default(Level::INFO),
        (2, _) => Targets::new().with_default(Level::DEBUG),
        (3.., _) => Targets::new().with_default(Level::TRACE),
    };
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(Lines)
        .with_ansi(colours)
        .with_timer(Elapsed(Instant::now()));
    let subscriber = tracing_subscriber::registry().with(targets).with(lines);
    // A program that calls the library's `main` may have a log of its own; then that one gets the lines.
    let _ = tracing::subscriber::set_global_default(subscriber);
    Ok(())
}

/// Reads `level` or `target=level`, several of them with commas.
fn read(filter: &str) -> Result<Targets, Error> {
    let mut targets = Targets::new();
    for part in filter.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        match part.split_once('=') {
            None => targets = targets.with_default(level(part)?),
            Some((name, text)) => {
                let name = name.trim();
                if !TARGETS.contains(&name) {
                    return Err(unknown("part of the program", name, &TARGETS));
                }
                targets = targets.with_target(name, level(text.trim())?);
            }
        }
    }
    Ok(targets)
}

fn level(text: &str) -> Result<LevelFilter, Error> {
    let known = LEVELS.contains(&text.to_ascii_lowercase().as_str());
    let level = text.parse().ok().filter(|_| known);
    level.ok_or_else(|| unknown("level", text, &LEVELS))
}

fn unknown(what: &str, text: &str, known: &[&str]) -> Error {
    let advice = match nearest(text, known.iter().copied()) {
        Some(near) => format!("did you mean '{near}'?"),
        None => format!("it is one of {}", known.join(", ")),
    };
    Error::Input(format!("{VARIABLE}: unknown {what} '{text}'; {advice}"))
}

/// Seconds since the program began.
struct Elapsed(Instant);

impl FormatTime for Elapsed {
    fn format_time(&self, line: &mut Writer<'_>) -> fmt::Result {
        write!(line, "{:8.3} s", self.0.elapsed().as_secs_f64())
    }
}

/// Whole lines on stderr, written while bars and panels are out of the way.
struct Lines;

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Line;

    fn make_writer(&'a self) -> Line {
        Line(Vec::new())
    }
}

/// A line under way; it is written when it is dropped.
struct Line(Vec<u8>);

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if !self.0.is_empty() {
            aside(|| {
                let _ = io::stderr().lock().write_all(&self.0);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_levels_and_targets() {
        let filter = read("warn, drystone::sweep=debug").unwrap();
        assert!(filter.would_enable(target::SWEEP, &Level::DEBUG));
        assert!(!filter.would_enable(target::RUN, &Level::INFO));
        assert!(filter.would_enable(target::RUN, &Level::WARN));
    }

    #[test]
    fn misspellings_are_answered_with_the_nearest() {
        let message = |filter: &str| read(filter).unwrap_err().to_string();
        assert!(message("debgu").contains("did you mean 'debug'?"));
        assert!(message("drystone::sweeps=info").contains("did you mean 'drystone::sweep'?"));
        assert!(message("drystone::sweep=7").contains("level '7'"));
    }
}
