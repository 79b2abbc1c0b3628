//! The command line: what can be typed, its help, and the one line that answers a mistake.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use drystone_solver::spec::{OptionValue, nearest};
use drystone_solver::{Criterion, Measure};

use crate::help::{COMPARE_HELP, CONFORMANCE_HELP, LIST_HELP, PROGRAM_HELP, RUN_HELP, SOLVE_HELP, SWEEP_HELP};

/// A laboratory for multibody contact solvers: run scenes, compare methods, measure the physics
#[derive(Debug, Parser)]
#[command(name = "drystone", version, max_term_width = 110, after_help = PROGRAM_HELP)]
pub struct Arguments {
    /// Options of all commands.
    #[command(flatten)]
    pub global: GlobalArguments,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Options that every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options of all commands")]
pub struct GlobalArguments {
    /// Threads that share the work [default: one a core]; results do not depend on it
    #[arg(long, value_name = "N", global = true, value_parser = thread_count, allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Seed for scenes and solvers that have a `seed` option and are not given one
    #[arg(long, value_name = "N", global = true, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Print errors only
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Print results as JSON instead of tables
    #[arg(long, global = true)]
    pub json: bool,
    /// Overwrite the results in an existing directory
    #[arg(long, global = true)]
    pub force: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run one scene with one method and write a run directory
    #[command(after_help = RUN_HELP)]
    Run(RunArguments),
    /// Run scenes with several methods, and rank the methods in a table
    #[command(after_help = COMPARE_HELP)]
    Compare(CompareArguments),
    /// Run experiment files: scenes with methods over lists of options, measured into one table
    #[command(after_help = SWEEP_HELP)]
    Sweep(SweepArguments),
    /// Solve stored complementarity problems with several solvers, and rank the solvers
    #[command(after_help = SOLVE_HELP)]
    Solve(SolveArguments),
    /// Run solvers through the suite that every solver must pass
    #[command(after_help = CONFORMANCE_HELP)]
    Conformance(ConformanceArguments),
    /// List what there is, with options and defaults
    #[command(after_help = LIST_HELP)]
    List(ListArguments),
}

/// Arguments of `run`.
#[derive(Debug, Clone, Args)]
pub struct RunArguments {
    /// A scene file, or a catalogue name with parameters: `wall`, `wall:rows=4,columns=6`
    pub scene: String,
    /// The method, `[stepper[:options]/]solver[:options]` [default: the scene's own, or `pgs`]
    #[arg(long, value_name = "SPEC")]
    pub solver: Option<String>,
    /// Write the complementarity problems of every N-th step to `problems/` in the run directory, with the impulses that
    /// their solves began with and ended at
    #[arg(long, value_name = "every=N", value_parser = every)]
    pub dump_problems: Option<u64>,
    /// How long, how finely, and where to.
    #[command(flatten)]
    pub simulation: SimulationArguments,
}

/// Arguments of `compare`.
#[derive(Debug, Clone, Args)]
pub struct CompareArguments {
    /// Scene files, or catalogue names with parameters
    #[arg(required = true, value_name = "SCENE")]
    pub scenes: Vec<String>,
    /// A method, `[stepper[:options]/]solver[:options]`; once for each
    #[arg(long = "solver", value_name = "SPEC", required = true)]
    pub solvers: Vec<String>,
    /// Hand one step's problems to all solvers, and plot how their residuals fall
    #[arg(long)]
    pub plot: bool,
    /// The step whose problems are captured, simulated with the first method [default: the last]
    #[arg(long, value_name = "N", requires = "plot", value_parser = step_count, allow_negative_numbers = true)]
    pub capture_step: Option<u64>,
    /// Iterations on the captured problems, for solvers whose spec does not say how many
    #[arg(long, value_name = "N", requires = "plot", default_value_t = 1000, value_parser = iteration_count,
          allow_negative_numbers = true)]
    pub capture_iterations: usize,
    /// How long, how finely, and where to.
    #[command(flatten)]
    pub simulation: SimulationArguments,
}

/// Arguments of `sweep`.
#[derive(Debug, Clone, Args)]
pub struct SweepArguments {
    /// Experiment files, or folders whose *.toml files are run in the order of their names
    #[arg(required = true, value_name = "EXPERIMENT")]
    pub experiments: Vec<PathBuf>,
    /// Print the runs without running them
    #[arg(long)]
    pub list: bool,
    /// Runs at a time; more than one makes times longer and leaves memory_per_contact_bytes empty
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = thread_count, allow_negative_numbers = true)]
    pub jobs: usize,
    /// Write a run directory for every run, inside that of the results
    #[arg(long)]
    pub keep_runs: bool,
    /// A page to write with the tables and pictures, besides report.md; for several experiments a folder
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// Directory for the results, for several experiments the one that theirs are made in [default: new ones in `runs/`]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Arguments of `solve`.
#[derive(Debug, Clone, Args)]
pub struct SolveArguments {
    /// Problem files (.hdf5 .dat .json .mtx), or folders that are searched for them
    #[arg(required = true, value_name = "PROBLEM")]
    pub problems: Vec<PathBuf>,
    /// A solver, `solver[:options]`; once for each [default: the laboratory's reference solver]
    #[arg(long = "solver", value_name = "SPEC")]
    pub solvers: Vec<String>,
    /// Every solver of `drystone list solvers`, with its own options
    #[arg(long, conflicts_with = "solvers")]
    pub all_solvers: bool,
    /// The residual that counts as solved
    #[arg(long, value_name = "T", default_value_t = 1e-8, value_parser = positive, allow_negative_numbers = true)]
    pub tolerance: f64,
    /// Which residual that is: relative (FCLIB's e, over all rows) or natural (of the worst block, m/s)
    #[arg(long, value_name = "WHICH", default_value = "relative", value_parser = criterion)]
    pub criterion: Criterion,
    /// Seconds for each solve
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = positive_seconds, allow_negative_numbers = true)]
    pub time_limit: f64,
    /// Iterations for each solve [default: 100000 for iterative methods, their own for others]
    #[arg(long, value_name = "N", value_parser = iteration_count, allow_negative_numbers = true)]
    pub iterations: Option<usize>,
    /// Problems solved at a time; more than one makes times longer
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = thread_count, allow_negative_numbers = true)]
    pub jobs: usize,
    /// How often each solve is timed; the shortest time counts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = thread_count, allow_negative_numbers = true)]
    pub repeat: usize,
    /// Solve once more with the residual measured after every iteration, for convergence.csv; with a single problem also
    /// for plots
    #[arg(long)]
    pub record: bool,
    /// Start from the guess that a file holds
    #[arg(long)]
    pub warm_start: bool,
    /// A folder of known velocities to compare with, `<file name>.csv` for each problem
    #[arg(long, value_name = "DIR")]
    pub reference: Option<PathBuf>,
    /// A page to write with the best solver for every problem, in Markdown
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// For that page: what another program reached, a CSV file with columns file, best_residual, best_solver
    #[arg(long, value_name = "FILE", requires = "markdown")]
    pub index: Option<PathBuf>,
    /// Directory for the results [default: a new one in `runs/`]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Arguments of `conformance`.
#[derive(Debug, Clone, Args)]
pub struct ConformanceArguments {
    /// A solver, `solver[:options]`; once for each [default: all of `drystone list solvers`]
    #[arg(long = "solver", value_name = "SPEC")]
    pub solvers: Vec<String>,
    /// Every case with its residual, also for several solvers
    #[arg(long)]
    pub details: bool,
}

/// What `run` and `compare` share.
#[derive(Debug, Clone, Args)]
pub struct SimulationArguments {
    /// Number of steps [default: as many as the scene's duration needs]
    #[arg(long, value_name = "N", conflicts_with = "duration", value_parser = step_count, allow_negative_numbers = true)]
    pub steps: Option<u64>,
    /// Simulated time in seconds [default: the scene's]
    #[arg(long, value_name = "S", value_parser = positive_seconds, allow_negative_numbers = true)]
    pub duration: Option<f64>,
    /// Time step in seconds [default: the scene's]
    #[arg(long, value_name = "H", value_parser = positive_seconds, allow_negative_numbers = true)]
    pub dt: Option<f64>,
    /// Directory for the results [default: a new one in `runs/`]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Which residuals to measure and write to convergence.csv. Measuring one costs about as much as one sweep of
    /// Gauss–Seidel, and that time is part of `solve_us` and `step_us`: take `final` where times matter
    /// [default: `every` for one run, `final` for comparisons]
    #[arg(long, value_name = "WHICH", value_enum)]
    pub record: Option<Record>,
    /// Write what happened (touches, triggers, ticks of timers, sleep, broken joints) to events.csv: `changes`, which is
    /// the default, or `all` [default: no such file]
    #[arg(long, value_name = "WHICH", value_enum, num_args = 0..=1, require_equals = true,
          default_missing_value = "changes")]
    pub events: Option<EventRows>,
}

/// Which events are written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EventRows {
    /// What began, ended or happened
    Changes,
    /// Also, in every step, who still is near, touches or is inside
    All,
}

impl EventRows {
    /// As it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Changes => "changes",
            Self::All => "all",
        }
    }
}

/// Which residuals are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Record {
    /// At the start of every solve and after each of its iterations
    Every,
    /// At the end of every solve
    Final,
    /// None; there is no convergence.csv, and the residual column stays empty
    None,
}

impl Record {
    /// What solvers are told.
    pub fn measure(self) -> Measure {
        match self {
            Self::Every => Measure::EveryIteration,
            Self::Final => Measure::Final,
            Self::None => Measure::Nothing,
        }
    }

    /// As it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Every => "every",
            Self::Final => "final",
            Self::None => "none",
        }
    }
}

/// Arguments of `list`.
#[derive(Debug, Clone, Args)]
pub struct ListArguments {
    /// What to list
    #[arg(value_enum)]
    pub what: Listed,
}

/// What can be listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Listed {
    /// Catalogue scenes and their parameters
    Scenes,
    /// Solvers and their options
    Solvers,
    /// Steppers and their options
    Steppers,
    /// Joints and what limits and motors can sit on
    Joints,
    /// What is measured: the columns of steps.csv
    Metrics,
    /// What can happen: the rows of events.csv
    Events,
}

/// What became of the arguments.
#[derive(Debug)]
pub enum Parsed {
    /// Something to do.
    Command(Box<Arguments>),
    /// Help or the version, to print.
    Text(String),
    /// A mistake, in one line.
    Wrong(String),
}

/// Reads the arguments, the program's name first.
pub fn parse(arguments: Vec<OsString>) -> Parsed {
    match Arguments::try_parse_from(arguments) {
        Ok(arguments) => Parsed::Command(Box::new(arguments)),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Parsed::Text(error.render().to_string()),
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Parsed::Wrong(
                "a command is missing: run, compare, sweep, solve, conformance or list; 'drystone --help' explains them"
                    .into(),
            ),
            ErrorKind::InvalidSubcommand => Parsed::Wrong(unknown_command(&error)),
            _ => Parsed::Wrong(one_line(&error.render().to_string())),
        },
    }
}

/// The argument parser knows fewer misspellings than [`nearest`] does.
fn unknown_command(error: &clap::Error) -> String {
    let name = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(name)) => name.as_str(),
        _ => "",
    };
    let program = Arguments::command();
    let advice = match nearest(name, program.get_subcommands().map(clap::Command::get_name)) {
        Some(near) => format!("did you mean '{near}'?"),
        None => "'drystone --help' lists the commands".to_owned(),
    };
    format!("unknown command '{name}'; {advice}")
}

/// The argument parser's answer spans several lines and repeats the usage; its gist fits one.
fn one_line(rendered: &str) -> String {
    let mut line = String::new();
    let gist = rendered
        .lines()
        .map(str::trim)
        .take_while(|part| !part.starts_with("Usage:") && !part.starts_with("For more information"))
        .filter(|part| !part.is_empty());
    for part in gist {
        let part = part.strip_prefix("error: ").unwrap_or(part);
        if !line.is_empty() {
            line.push_str(if line.ends_with(':') { " " } else { "; " });
        }
        line.push_str(part);
    }
    line
}

fn step_count(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(steps) if steps > 0 => Ok(steps),
        _ => Err("the number of steps must be a whole number, 1 or more".into()),
    }
}

fn every(text: &str) -> Result<u64, String> {
    match text.strip_prefix("every=").map(str::parse) {
        Some(Ok(steps)) if steps > 0 => Ok(steps),
        _ => Err("it must be `every=N`, with N a whole number, 1 or more".into()),
    }
}

fn iteration_count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(iterations) if iterations > 0 => Ok(iterations),
        _ => Err("the number of iterations must be a whole number, 1 or more".into()),
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("it must be a positive, finite number".into()),
    }
}

fn criterion(text: &str) -> Result<Criterion, String> {
    Criterion::read(text).ok_or_else(|| format!("it must be one of {}", Criterion::expects()))
}

fn thread_count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads) if threads > 0 => Ok(threads),
        _ => Err("it must be a whole number, 1 or more".into()),
    }
}

fn positive_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds.is_finite() => Ok(seconds),
        _ => Err("it must be a positive, finite number of seconds".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_line(line: &str) -> Parsed {
        parse(line.split_whitespace().map(OsString::from).collect())
    }

    #[test]
    fn the_declaration_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_example_in_the_help_parses() {
        let examples = [
            PROGRAM_HELP,
            RUN_HELP,
            COMPARE_HELP,
            SWEEP_HELP,
            SOLVE_HELP,
            CONFORMANCE_HELP,
            LIST_HELP,
        ]
        .into_iter()
        .flat_map(str::lines)
        .map(str::trim)
        .filter(|line| line.starts_with("drystone "));
        let mut seen = 0;
        for example in examples {
            assert!(matches!(parse_line(example), Parsed::Command(_)), "{example}");
            seen += 1;
        }
        assert!(seen >= 10);
    }

    #[test]
    fn mistakes_are_one_line() {
        for (line, fragment) in [
            ("drystone run", "<SCENE>"),
            ("drystone run wall --steps 0", "1 or more"),
            ("drystone run wall --steps -5", "1 or more"),
            ("drystone run wall --dt -0.1", "positive"),
            ("drystone run wall --dt NaN", "positive"),
            ("drystone run wall --duration inf", "positive"),
            ("drystone run wall --steps 5 --duration 1", "cannot be used with"),
            ("drystone run wall --threads 0", "1 or more"),
            ("drystone run wall --dump-problems 5", "every=N"),
            ("drystone run wall --dump-problems every=0", "1 or more"),
            ("drystone run wall --events=some", "changes"),
            ("drystone run wall --stpes 5", "--steps"),
            ("drystone rnu wall", "'run'"),
            ("drystone list scnes", "scenes"),
            ("drystone compare wall", "--solver"),
            ("drystone compare wall --solver pgs --capture-step 3", "--plot"),
            ("drystone sweep", "<EXPERIMENT>"),
            ("drystone sweep a.toml --jobs 0", "1 or more"),
            ("drystone swep a.toml", "'sweep'"),
            ("drystone solve", "<PROBLEM>"),
            ("drystone solve a.dat --tolerance 0", "positive"),
            ("drystone solve a.dat --criterion relativ", "relative"),
            ("drystone solve a.dat --time-limit -1", "positive"),
            ("drystone solve a.dat --iterations 0", "1 or more"),
            ("drystone solve a.dat --solver pgs --all-solvers", "cannot be used with"),
            ("drystone sovle a.dat", "'solve'"),
            ("drystone", "command"),
        ] {
            let Parsed::Wrong(message) = parse_line(line) else {
                panic!("{line} was accepted");
            };
            assert!(message.contains(fragment), "{line}: {message}");
            assert!(!message.contains('\n') && !message.is_empty(), "{line}: {message}");
        }
    }
}
