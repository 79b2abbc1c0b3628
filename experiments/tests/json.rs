//! `--json`: one JSON value on stdout and nothing else there, whatever the command; errors as objects on stderr.

mod common;

use std::collections::BTreeSet;

use clap::CommandFactory;
use common::{ROCKET, Workshop, own_problems};
use drystone_experiments::cli::Arguments;
use serde_json::Value;

const EXPERIMENT: &str = "title = \"Tiny\"\nsteps = 2\n[[scene]]\nspec = \"two-balls\"\n[[method]]\nspec = \"pgs\"\n";

/// A paper with one claim.
const CLAIMS: &str = r#"
paper = "A. Author, A title, 2005"

[[claim]]
id = "X1"
where = "§1"
says = "Something."
published = "1"
status = "open"
needs = "somebody who does it"
"#;

fn value(workshop: &Workshop, line: &str, code: i32) -> (Value, String) {
    let (stdout, stderr) = workshop.run(line, code);
    let value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{line}: {error}\n{stdout}"));
    (value, stderr)
}

#[test]
fn every_command_prints_one_value() {
    let workshop = Workshop::new();
    workshop.run("init mine", 0);
    std::fs::create_dir(workshop.path("paper")).unwrap();
    workshop.write("paper/tiny.toml", EXPERIMENT);
    workshop.write("paper/claims.toml", CLAIMS);
    let problems = own_problems();
    let problems = problems.display();
    let lines = [
        ("run box-stack:count=2 --steps 5 --out run", "summary"),
        (
            "compare box-stack:count=2 --steps 5 --solver pgs --solver jacobi",
            "runs",
        ),
        (
            "compare box-stack:count=2 --steps 5 --solver pgs --solver jacobi --plot",
            "runs",
        ),
        ("sweep mine/experiment.toml", "experiments"),
        ("sweep mine/experiment.toml --list", ""),
        ("sweep paper --out results", "experiments"),
        ("claims paper", ""),
        ("claims paper --results results", "counts"),
        ("report run", "path"),
        ("view run --no-open", "path"),
        (&format!("solve {problems} --solver pgs --time-limit 1"), "rows"),
        ("conformance --solver pgs", ""),
        ("list scenes", ""),
        ("list solvers", ""),
        ("list steppers", ""),
        ("list joints", ""),
        ("list metrics", ""),
        ("list events", ""),
        ("init other", "files"),
        ("man pages", "files"),
        ("man", "page"),
        ("completions bash", "script"),
        ("--version", "version"),
    ];
    // A new command can't be forgotten here.
    let program = Arguments::command();
    let commands: BTreeSet<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
    let first_words: BTreeSet<&str> = lines.iter().filter_map(|(line, _)| line.split(' ').next()).collect();
    let forgotten: Vec<_> = commands.difference(&first_words).collect();
    assert!(forgotten.is_empty(), "{forgotten:?}");
    for (line, key) in lines {
        let (value, stderr) = value(&workshop, &format!("{line} --json"), 0);
        match key {
            "" => assert!(
                value.as_array().is_some_and(|entries| !entries.is_empty()),
                "{line}: {value}"
            ),
            "summary" => assert_eq!(value["status"], "finished", "{line}"),
            key => assert!(!value[key].is_null(), "{line}: {value}"),
        }
        assert_eq!(stderr, "", "{line}");
    }
}

#[test]
fn mistakes_are_objects_on_stderr() {
    let workshop = Workshop::new();
    workshop.write("scene.toml", "[[body]]\nmas = 3\n");
    for (line, fragment) in [
        ("run wal", "did you mean 'wall'?"),
        ("run wall --solver pqs", "did you mean 'pgs'?"),
        ("run scene.toml", "scene.toml:"),
        ("rnu wall", "did you mean 'run'?"),
        ("run wall --steps 0", "1 or more"),
        ("sweep nothing.toml", "nothing.toml"),
        ("solve nothing.dat", "nothing.dat"),
        ("conformance --solver pqs", "pgs"),
        ("init scene.toml", "is a file"),
    ] {
        let (stdout, stderr) = workshop.run(&format!("{line} --json"), 2);
        assert_eq!(stdout, "", "{line}");
        let error: Value = serde_json::from_str(&stderr).unwrap_or_else(|error| panic!("{line}: {error}\n{stderr}"));
        assert_eq!(error["exit_code"], 2, "{line}");
        assert!(error["error"].as_str().unwrap().contains(fragment), "{line}: {stderr}");
    }
}

#[test]
fn a_run_that_fails_has_results_and_an_error() {
    let workshop = Workshop::new();
    workshop.write("rocket.toml", ROCKET);
    let (value, stderr) = value(&workshop, "run rocket.toml --json", 1);
    assert_eq!(value["status"], "failed");
    let error: Value = serde_json::from_str(&stderr).unwrap();
    assert_eq!(error["exit_code"], 1);
    assert_eq!(error["error"], value["message"]);
}
