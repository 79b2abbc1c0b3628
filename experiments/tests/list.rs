//! `drystone list`: for people and as JSON, from the registries themselves.

mod common;

use common::{HEADER, Workshop};
use serde_json::Value;

fn names(what: &str) -> Vec<String> {
    let (stdout, _) = Workshop::new().run(&format!("list {what} --json"), 0);
    let entries: Vec<Value> = serde_json::from_str(&stdout).unwrap();
    entries
        .iter()
        .map(|entry| entry["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn everything_is_listed_in_both_forms() {
    for what in ["scenes", "solvers", "steppers", "metrics", "events"] {
        let (text, _) = Workshop::new().run(&format!("list {what}"), 0);
        let names = names(what);
        assert!(!names.is_empty());
        for name in names {
            assert!(
                text.lines().any(|line| line.trim_start().starts_with(&name)),
                "{name} is not in:\n{text}"
            );
        }
    }
}

#[test]
fn metrics_are_the_columns() {
    assert_eq!(names("metrics").join(","), HEADER);
}

#[test]
fn options_come_with_defaults_and_help() {
    let (stdout, _) = Workshop::new().run("list solvers --json", 0);
    let entries: Vec<Value> = serde_json::from_str(&stdout).unwrap();
    let pgs = entries.iter().find(|entry| entry["name"] == "pgs").unwrap();
    let options = pgs["options"].as_array().unwrap();
    let iterations = options.iter().find(|option| option["key"] == "iterations").unwrap();
    assert_eq!(iterations["default"], "10");
    assert!(!iterations["help"].as_str().unwrap().is_empty());
}

#[test]
fn every_catalogue_scene_runs() {
    let workshop = Workshop::new();
    for scene in names("scenes") {
        workshop.run(&format!("run {scene} --steps 2 --quiet --out {scene}"), 0);
    }
}

#[test]
fn help_and_version_are_no_errors() {
    let workshop = Workshop::new();
    for command in [
        "--help",
        "run --help",
        "compare --help",
        "sweep --help",
        "solve --help",
        "conformance --help",
        "list --help",
    ] {
        let (stdout, stderr) = workshop.run(command, 0);
        assert!(stdout.contains("Examples:"), "{command}: {stdout}");
        assert_eq!(stderr, "");
    }
    assert!(workshop.run("--version", 0).0.starts_with("drystone "));
}
