//! The `drystone` program as a library: scenes are run with methods, measured, and written to run directories.
//!
//! From the outside in: [`cli`] reads the command line; [`plan`] turns it into a checked plan, before anything is
//! written; [`execute`] carries a plan out, step by step, into a run directory; [`run`], [`compare`], [`sweep`],
//! [`mod@claims`], [`solve`], [`mod@report`], [`view`], [`conformance`] and [`list`] are the commands. [`metrics`] declares what is measured, once, for the CSV writer, the summaries and the
//! lists; [`problems`] reads stored problems; [`plot`] draws.
//!
//! Exit codes are in [`Exit`]. Input that is wrong is answered with one line on stderr, and nothing is written.
//!
//! A program of one's own that registers a solver and calls [`main`] is `drystone` with one solver more:
//! `examples/own-solver` is such a program.

pub mod advice;
pub mod capture;
pub mod claims;
pub mod cli;
pub mod clock;
pub mod compare;
pub mod comparison;
pub mod conformance;
pub mod convergence_csv;
pub mod curves;
pub mod error;
pub mod events;
pub mod events_csv;
pub mod execute;
pub mod group_sizes_csv;
pub mod init;
pub mod interrupt;
pub mod list;
pub mod logs;
pub mod machine;
pub mod manifest;
pub mod memory;
pub mod metrics;
pub mod output;
pub mod panics;
pub mod plan;
pub mod plot;
pub mod problems;
pub mod progress;
pub mod quantity;
pub mod replay;
pub mod report;
pub mod run;
pub mod run_directory;
pub mod run_log;
pub mod seed;
pub mod shell;
pub mod solve;
pub mod steps_csv;
pub mod summary;
pub mod sweep;
pub mod table;
pub mod tone;
pub mod trace;
pub mod trajectory;
pub mod view;
pub mod watch;
pub mod web;
pub mod whole_file;

use std::ffi::OsString;
use std::process::ExitCode;

pub use error::{Error, Exit};

use cli::{Arguments, Command, Parsed};
use interrupt::Interrupt;
use output::Output;
use tone::Colours;

/// What every command gets besides its own arguments.
#[derive(Debug, Clone)]
pub struct Environment {
    /// Where its words go.
    pub output: Output,
    /// Whether somebody asked it to stop.
    pub interrupt: Interrupt,
    /// The options all commands share.
    pub global: cli::GlobalArguments,
    /// The command line as it was given, for the manifest.
    pub command_line: Vec<String>,
    /// Threads that share the work.
    pub threads: usize,
}

/// The whole program: reads the arguments (the first is the program's own name), does what they say, and returns the
/// exit code.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let raw: Vec<OsString> = arguments.into_iter().collect();
    let command_line = raw.iter().map(|text| text.to_string_lossy().into_owned()).collect();
    // Help and mistakes are told before the arguments could be read.
    let output = Output {
        quiet: false,
        json: raw.iter().any(|argument| argument == "--json"),
        colours: Colours::decide(tone::choice_in(&raw)),
    };
    let exit = match cli::parse(raw) {
        Parsed::Command(arguments) => dispatch(*arguments, command_line),
        Parsed::Text(text) => {
            output.say(&text);
            Exit::Done
        }
        Parsed::Version(text) => {
            let version = serde_json::json!({ "name": "drystone", "version": env!("CARGO_PKG_VERSION") });
            output.show(&text);
            output.machine_readable(&version);
            Exit::Done
        }
        Parsed::Wrong(line) => {
            output.refuse(&line);
            Exit::Input
        }
    };
    exit.into()
}

fn dispatch(arguments: Arguments, command_line: Vec<String>) -> Exit {
    let Arguments { global, command } = arguments;
    let output = Output {
        quiet: global.quiet,
        json: global.json,
        colours: Colours::decide(global.color),
    };
    let logs = logs::install(global.verbose, output.colours.stderr);
    let result = logs.and_then(|()| Interrupt::install()).and_then(|interrupt| {
        let pool = thread_pool(global.threads)?;
        let environment = Environment {
            output,
            interrupt,
            global,
            command_line,
            threads: pool.current_num_threads(),
        };
        tracing::info!(
            target: logs::target::PROGRAM,
            threads = environment.threads,
            "drystone {}",
            env!("CARGO_PKG_VERSION")
        );
        pool.install(|| match command {
            Command::Run(arguments) => run::run(&arguments, &environment),
            Command::Compare(arguments) => compare::compare(&arguments, &environment),
            Command::Solve(arguments) => solve::solve(&arguments, &environment),
            Command::Sweep(arguments) => sweep::sweep(&arguments, &environment),
            Command::Claims(arguments) => claims::claims(&arguments, &environment),
            Command::Conformance(arguments) => conformance::conformance(&arguments, &environment),
            Command::Report(arguments) => report::report(&arguments, &environment),
            Command::View(arguments) => view::view(&arguments, &environment),
            Command::List(arguments) => list::list(&arguments, &environment),
            Command::Init(arguments) => init::init(&arguments, &environment),
            Command::Completions(arguments) => shell::completions(&arguments, &environment),
            Command::Man(arguments) => shell::man(&arguments, &environment),
        })
    });
    result.unwrap_or_else(|error| {
        output.report(&error);
        error.exit()
    })
}

/// A pool of the given number of threads; one a core if none is given.
fn thread_pool(threads: Option<usize>) -> Result<rayon::ThreadPool, Error> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build()
        .map_err(|error| Error::Input(format!("cannot start the threads: {error}")))
}
