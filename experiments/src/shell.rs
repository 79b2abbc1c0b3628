//! `drystone completions` and `drystone man`: what shells and `man` want to know of the program, made from the same
//! declarations that read the command line.
//!
//! Scripts complete commands, options and their values, and the names of scenes and methods that this very program has: a
//! program with a solver of its own completes that too. With `--json` a script or page is a string in an object.

use std::fs;
use std::io::Write;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Command, CommandFactory};
use drystone_dynamics::steppers;
use drystone_scenes::catalogue;
use drystone_solver::registry;
use serde_json::{Value, json};

use crate::Environment;
use crate::cli::{Arguments, CompletionsArguments, ManArguments};
use crate::error::{Error, Exit};
use crate::whole_file::WholeFile;

/// The program's name in scripts and pages.
const PROGRAM: &str = "drystone";

/// Prints a completion script.
pub fn completions(arguments: &CompletionsArguments, environment: &Environment) -> Result<Exit, Error> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut with_names(), PROGRAM, &mut script);
    let shell = arguments.shell.to_string();
    print(
        &script,
        |script| json!({ "shell": shell, "script": script }),
        environment,
    );
    Ok(Exit::Done)
}

/// A text as it is, or the object that programs are given.
fn print(text: &[u8], object: impl FnOnce(&str) -> Value, environment: &Environment) {
    if environment.output.json {
        let text = String::from_utf8_lossy(text);
        environment.output.machine_readable(&object(&text));
    } else {
        environment.output.say_bytes(text);
    }
}

/// The command line with the names that can be completed. It is not the one that reads arguments: that one also takes
/// files and names with options.
fn with_names() -> Command {
    let value = |name: &str, summary: &str| PossibleValue::new(name.to_owned()).help(summary.to_owned());
    let scenes = PossibleValuesParser::new(catalogue().iter().map(|scene| value(scene.name, scene.summary)));
    let solvers: Vec<PossibleValue> = registry::solvers()
        .iter()
        .map(|solver| value(solver.name, solver.summary))
        .collect();
    // A stepper comes before a solver: `classical/`.
    let before = steppers()
        .iter()
        .map(|stepper| value(&format!("{}/", stepper.name), stepper.summary));
    let methods = PossibleValuesParser::new(solvers.iter().cloned().chain(before));
    let solvers = PossibleValuesParser::new(solvers);
    Arguments::command()
        .mut_subcommand("run", |command| {
            command
                .mut_arg("scene", |scene| scene.value_parser(scenes.clone()))
                .mut_arg("solver", |solver| solver.value_parser(methods.clone()))
        })
        .mut_subcommand("compare", |command| {
            command
                .mut_arg("scenes", |scene| scene.value_parser(scenes.clone()))
                .mut_arg("solvers", |solver| solver.value_parser(methods))
        })
        .mut_subcommand("init", |command| {
            command.mut_arg("from", |scene| scene.value_parser(scenes))
        })
        .mut_subcommand("solve", |command| {
            command.mut_arg("solvers", |solver| solver.value_parser(solvers.clone()))
        })
        .mut_subcommand("conformance", |command| {
            command.mut_arg("solvers", |solver| solver.value_parser(solvers))
        })
}

/// Prints the main page, or writes all pages to a folder.
pub fn man(arguments: &ManArguments, environment: &Environment) -> Result<Exit, Error> {
    let mut program = Arguments::command().disable_help_subcommand(true);
    program.build();
    let Some(directory) = &arguments.directory else {
        print(&page(program)?, |page| json!({ "page": page }), environment);
        return Ok(Exit::Done);
    };
    let cannot = |error| {
        Error::Directory(format!(
            "cannot write to '{}': {error}; choose another folder",
            directory.display()
        ))
    };
    fs::create_dir_all(directory).map_err(cannot)?;
    let commands: Vec<Command> = program.get_subcommands().cloned().collect();
    let mut files = Vec::new();
    for command in std::iter::once(program).chain(commands) {
        let name = match command.get_name() {
            PROGRAM => format!("{PROGRAM}.1"),
            command => format!("{PROGRAM}-{command}.1"),
        };
        let mut file = WholeFile::create(directory, &name)?;
        file.write_all(&page(command)?)
            .map_err(Error::writing(&directory.join(&name)))?;
        file.finish()?;
        files.push(directory.join(name).display().to_string());
    }
    environment.output.machine_readable(&json!({ "files": files }));
    environment.output.show(&format!(
        "{} pages in {}; read one with `man -l {}`\n",
        files.len(),
        directory.display(),
        files[0]
    ));
    Ok(Exit::Done)
}

/// The page of a command, which is called `drystone-run` there. What the help adds, examples first, is kept line by line.
fn page(command: Command) -> Result<Vec<u8>, Error> {
    let name = command.get_display_name().unwrap_or(PROGRAM).to_owned();
    let more = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let has_commands = command.has_subcommands();
    let page = clap_mangen::Man::new(command.name(name).version(env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    let result = (|| {
        page.render_title(&mut text)?;
        page.render_name_section(&mut text)?;
        page.render_synopsis_section(&mut text)?;
        page.render_description_section(&mut text)?;
        page.render_options_section(&mut text)?;
        if has_commands {
            page.render_subcommands_section(&mut text)?;
        }
        write!(text, ".SH EXAMPLES AND MORE\n.nf\n{}.fi\n", verbatim(&more))?;
        page.render_version_section(&mut text)
    })();
    result.map_err(|error| Error::Input(format!("cannot make the page: {error}")))?;
    Ok(text)
}

/// Text as `man` shows it letter by letter.
fn verbatim(text: &str) -> String {
    let escape = |line: &str| {
        let line = line.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
        // A dot at the beginning would be a command.
        let guard = if line.starts_with('.') { "\\&" } else { "" };
        format!("{guard}{line}\n")
    };
    text.lines().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known_values(command: &str, argument: &str) -> Vec<String> {
        let program = with_names();
        let command = program.find_subcommand(command).unwrap();
        let argument = command
            .get_arguments()
            .find(|known| known.get_id() == argument)
            .unwrap();
        let values = argument.get_possible_values();
        values.iter().map(|value| value.get_name().to_owned()).collect()
    }

    #[test]
    fn text_is_shown_as_it_is() {
        assert_eq!(verbatim(".a -b\n  it's \\"), "\\&.a \\-b\n  it\\(aqs \\e\n");
    }

    #[test]
    fn names_of_scenes_and_solvers_can_be_completed() {
        let has = |command: &str, argument: &str, name: &str| known_values(command, argument).iter().any(|v| v == name);
        assert!(has("run", "scene", "wall"));
        assert!(has("run", "solver", "pgs") && has("run", "solver", "classical/"));
        assert!(has("compare", "solvers", "jacobi") && has("compare", "scenes", "tower"));
        assert!(has("solve", "solvers", "lemke") && !has("solve", "solvers", "classical/"));
    }
}
