//! `drystone conformance`: marks and numbers for people, JSON for programs, and an exit code for scripts.

mod common;

use common::Workshop;
use serde_json::Value;

#[test]
fn one_solver_is_shown_in_full() {
    let (text, _) = Workshop::new().run("conformance --solver proximal", 0);
    for fragment in ["✓  stack-10", "proximal conforms: ", "newton, exact"] {
        assert!(text.contains(fragment), "{fragment} is not in:\n{text}");
    }
}

#[test]
fn several_are_a_table_and_options_count() {
    let (text, _) = Workshop::new().run("conformance --solver lemke:facets=4 --solver murty", 0);
    let row = text
        .lines()
        .find(|line| line.trim_start().starts_with("contact-slips "))
        .unwrap();
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["contact-slips", "✓", "✓"]);
    assert!(
        text.contains("lemke:facets=4 conforms") && text.contains("2 of 2 solvers conform"),
        "{text}"
    );
}

/// A tolerance of 1e-3 is not exact, and says so.
#[test]
fn who_fails_is_told_with_numbers_and_the_exit_code() {
    let (text, _) = Workshop::new().run("conformance --solver proximal:tolerance=1e-3,start=0 --json", 1);
    let reports: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(reports[0]["conforms"], false);
    let cases = reports[0]["cases"].as_array().unwrap();
    let failed: Vec<&Value> = cases.iter().filter(|case| case["outcome"] == "failed").collect();
    assert!(!failed.is_empty());
    for case in failed {
        assert!(!case["message"].as_str().unwrap().is_empty());
    }
}

#[test]
fn mistakes_are_one_line() {
    let workshop = Workshop::new();
    for (line, fragment) in [
        ("conformance --solver porximal", "did you mean 'proximal'"),
        ("conformance --solver pgs:iteratons=3", "iterations"),
        ("conformance --solver classical/pgs", "say 'pgs'"),
    ] {
        let (_, stderr) = workshop.run(line, 2);
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(stderr.contains(fragment), "{stderr}");
    }
}
