//! The command line: what can be typed, its help, and the one line that answers a mistake. One file has the arguments of one
//! command.

mod claims;
mod compare;
mod conformance;
mod help;
mod init;
mod list;
mod report;
mod run;
mod shell;
mod simulation;
mod solve;
mod sweep;
mod values;
mod view;

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgAction, Args, CommandFactory, Parser, Subcommand, ValueEnum};
use drystone_solver::spec::nearest;

pub use claims::ClaimsArguments;
pub use compare::CompareArguments;
pub use conformance::ConformanceArguments;
pub use init::{InitArguments, Template};
pub use list::{ListArguments, Listed};
pub use report::ReportArguments;
pub use run::RunArguments;
pub use shell::{CompletionsArguments, ManArguments};
pub use simulation::{EventRows, Record, SimulationArguments};
pub use solve::SolveArguments;
pub use sweep::SweepArguments;
pub use view::ViewArguments;

use help::{
    CLAIMS_HELP, COMPARE_HELP, COMPLETIONS_HELP, CONFORMANCE_HELP, INIT_HELP, LIST_HELP, MAN_HELP, PROGRAM_HELP,
    REPORT_HELP, RUN_HELP, SOLVE_HELP, SWEEP_HELP, VIEW_HELP,
};
use values::thread_count;

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
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Tell more on stderr: -v what is done, -vv every few steps, -vvv every step; the variable DRYSTONE_LOG does the same
    #[arg(long, short, global = true, action = ArgAction::Count)]
    pub verbose: u8,
    /// Colours: on terminals unless NO_COLOR is set, always, or never
    #[arg(long, value_name = "WHEN", global = true, value_enum, default_value_t)]
    pub color: ColorChoice,
    /// Print results as JSON instead of tables; errors are then objects with `error` and `exit_code` on stderr
    #[arg(long, global = true)]
    pub json: bool,
    /// Overwrite the results in an existing directory
    #[arg(long, global = true)]
    pub force: bool,
}

/// When there are colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On terminals, unless NO_COLOR is set
    #[default]
    Auto,
    /// Also in files and pipes
    Always,
    /// Nowhere
    Never,
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
    /// Judge the claims of papers by results that are there, or count what decides them
    #[command(after_help = CLAIMS_HELP)]
    Claims(ClaimsArguments),
    /// Solve stored complementarity problems with several solvers, and rank the solvers
    #[command(after_help = SOLVE_HELP)]
    Solve(SolveArguments),
    /// Make the report of a directory again: one HTML file with tables, plots and a replay
    #[command(after_help = REPORT_HELP)]
    Report(ReportArguments),
    /// Open the report of a directory in the browser
    #[command(after_help = VIEW_HELP)]
    View(ViewArguments),
    /// Run solvers through the suite that every solver must pass
    #[command(after_help = CONFORMANCE_HELP)]
    Conformance(ConformanceArguments),
    /// List what there is, with options and defaults
    #[command(after_help = LIST_HELP)]
    List(ListArguments),
    /// Write a folder with a scene and an experiment to start from
    #[command(after_help = INIT_HELP)]
    Init(InitArguments),
    /// Print a script that makes a shell complete commands, options and names
    #[command(after_help = COMPLETIONS_HELP)]
    Completions(CompletionsArguments),
    /// Print the manual page, or write a page for every command
    #[command(after_help = MAN_HELP)]
    Man(ManArguments),
}

/// What became of the arguments.
#[derive(Debug)]
pub enum Parsed {
    /// Something to do.
    Command(Box<Arguments>),
    /// Help, to print.
    Text(String),
    /// The version is wanted.
    Version(String),
    /// A mistake, in one line.
    Wrong(String),
}

/// Reads the arguments, the program's name first.
pub fn parse(arguments: Vec<OsString>) -> Parsed {
    let command = command_of(&arguments);
    match Arguments::try_parse_from(arguments) {
        Ok(arguments) => Parsed::Command(Box::new(arguments)),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp => Parsed::Text(error.render().ansi().to_string()),
            ErrorKind::DisplayVersion => Parsed::Version(error.render().to_string()),
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Parsed::Wrong(missing_command()),
            ErrorKind::InvalidSubcommand => Parsed::Wrong(unknown_command(&error)),
            _ => Parsed::Wrong(one_line(&error.render().to_string()) + &see_help(&error, command.as_deref())),
        },
    }
}

/// The command that was named, if any was.
fn command_of(arguments: &[OsString]) -> Option<String> {
    let program = Arguments::command();
    let mut texts = arguments.iter().skip(1).filter_map(|argument| argument.to_str());
    let named = texts.find(|text| program.find_subcommand(text).is_some());
    named.map(str::to_owned)
}

/// Where to look, unless the answer already says what would be right.
fn see_help(error: &clap::Error, command: Option<&str>) -> String {
    let says_more = [
        ContextKind::SuggestedArg,
        ContextKind::SuggestedValue,
        ContextKind::ValidValue,
    ];
    let unclear = matches!(
        error.kind(),
        ErrorKind::MissingRequiredArgument | ErrorKind::UnknownArgument | ErrorKind::InvalidValue
    );
    if !unclear || says_more.iter().any(|&kind| error.get(kind).is_some()) {
        return String::new();
    }
    match command {
        Some(command) => format!("; 'drystone {command} --help' has examples"),
        None => "; 'drystone --help' has examples".to_owned(),
    }
}

fn missing_command() -> String {
    let program = Arguments::command();
    let commands: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
    format!(
        "a command is missing: one of {}; 'drystone --help' explains them",
        commands.join(", ")
    )
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
        let examples = help::ALL
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
            ("drystone run wall --trajectory 0", "`none`"),
            ("drystone run wall --trajectory -5", "positive"),
            ("drystone run wall --stpes 5", "--steps"),
            ("drystone rnu wall", "'run'"),
            ("drystone list scnes", "scenes"),
            ("drystone compare wall", "--solver"),
            ("drystone compare wall --solver pgs --capture-step 3", "--plot"),
            ("drystone sweep", "<EXPERIMENT>"),
            ("drystone sweep a.toml --jobs 0", "1 or more"),
            ("drystone sweep a.toml --resume", "--out"),
            ("drystone sweep a.toml --shard 3/2", "K from 1 to N"),
            ("drystone sweep a.toml --collect b", "cannot be used with"),
            ("drystone swep a.toml", "'sweep'"),
            ("drystone claims", "<FOLDER>"),
            ("drystone claims a --check", "--results"),
            ("drystone clams a", "'claims'"),
            ("drystone solve", "<PROBLEM>"),
            ("drystone solve a.dat --tolerance 0", "positive"),
            ("drystone solve a.dat --criterion relativ", "relative"),
            ("drystone solve a.dat --time-limit -1", "positive"),
            ("drystone solve a.dat --iterations 0", "1 or more"),
            ("drystone solve a.dat --solver pgs --all-solvers", "cannot be used with"),
            ("drystone sovle a.dat", "'solve'"),
            ("drystone completions", "<SHELL>"),
            ("drystone completions bsh", "'bash'"),
            ("drystone init", "<NAME>"),
            ("drystone init a --template box", "'boxes'"),
            ("drystone init a --template boxes --from wall", "cannot be used with"),
            ("drystone run wall --watch -q", "cannot be used with"),
            ("drystone run wall -v -q", "cannot be used with"),
            ("drystone run wall --color blue", "always"),
            ("drystone report", "<DIR>"),
            ("drystone reprot a", "'report'"),
            ("drystone view", "<DIR|FILE>"),
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
