//! Every statistic and relation on rows made by hand, from the text of a claim to its verdict.

use std::path::Path;

use super::super::file::Claims;
use super::super::regression::Tree;
use super::super::report::{ClaimsReport, Verdict};
use super::super::results::{Results, StoredRow};
use super::evaluate;
use crate::sweep::file::{Experiment, Source};

const EXPERIMENT: &str = r#"title = "a"
[[scene]]
name = "stack"
spec = "box-stack"
parameters = { count = [2, 4, 8] }
[[method]]
name = "fast"
spec = "pgs"
solver = { iterations = [10, 20] }
[[method]]
name = "slow"
spec = "semi-implicit/pgs"
stepper = { erp = 0.2 }
solver = { iterations = [10, 20] }
[[measure]]
name = "energy"
metric = "kinetic_energy"
[[measure]]
name = "speed"
metric = "step_us"
[[event-time]]
name = "asleep"
metric = "sleeping"
at-least = 1
"#;

fn source(path: &str, text: &str) -> Source {
    Source {
        path: path.into(),
        text: text.to_owned(),
    }
}

/// The claim X with a check of these lines.
fn claims(lines: &str) -> Claims {
    let experiment = Experiment::parse(source("folder/e.toml", EXPERIMENT)).unwrap();
    let text = format!(
        "paper = \"p\"\n[[claim]]\nid = \"X\"\nwhere = \"§1\"\nsays = \"s\"\npublished = \"v\"\n[[claim.check]]\n\
         experiment = \"e\"\nbecause = \"b\"\n{lines}\n"
    );
    let parsed = Claims::parse(
        source("claims.toml", &text),
        Path::new("folder"),
        vec![experiment],
        None,
    );
    parsed.unwrap_or_else(|error| panic!("{lines}: {error}"))
}

fn row(method: &str, count: u32, iterations: u32, energy: Option<f64>) -> StoredRow {
    let pair = |key: &str, value: String| (key.to_owned(), value);
    let mut row = StoredRow {
        scene: "stack".into(),
        parameters: [pair("count", count.to_string())].into(),
        method: method.into(),
        solver: [pair("iterations", iterations.to_string())].into(),
        repetition: "1".into(),
        is_finished: true,
        ..StoredRow::default()
    };
    if method == "slow" {
        row.stepper.insert("erp".into(), "0.2".into());
    }
    row.values.extend(energy.map(|energy| ("energy".to_owned(), energy)));
    row
}

/// `fast` has 3 count², a little more with 20 iterations; `slow` has twice that of `fast`.
fn rows() -> Vec<StoredRow> {
    let mut rows = Vec::new();
    for (method, factor) in [("fast", 1.0), ("slow", 2.0)] {
        for count in [2_u32, 4, 8] {
            for iterations in [10_u32, 20] {
                let energy = factor * (3.0 * f64::from(count * count) + f64::from(iterations - 10));
                rows.push(row(method, count, iterations, Some(energy)));
            }
        }
    }
    rows
}

fn judge(lines: &str, rows: Vec<StoredRow>) -> ClaimsReport {
    let mut results = Results::default();
    results.of.insert("e".into(), Ok(rows));
    evaluate(&claims(lines), &results)
}

fn verdict(lines: &str, rows: Vec<StoredRow>) -> (Verdict, String) {
    let report = judge(lines, rows);
    (report.claims[0].verdict, report.claims[0].measured())
}

#[test]
fn each_statistic_has_its_number() {
    let fast = "column = \"energy\"\nmethod = \"fast\"\nsolver = { iterations = 10 }\n";
    for (statistic, expected) in [
        ("", 48.0),
        ("statistic = \"median\"", 48.0),
        ("statistic = \"mean\"", 84.0),
        ("statistic = \"min\"", 12.0),
        ("statistic = \"max\"", 192.0),
        ("statistic = \"spread\"", 16.0),
        ("statistic = \"count\"", 3.0),
        ("statistic = \"fraction\"", 1.0),
        ("statistic = \"exponent\"\nalong = \"count\"", 2.0),
        // Through (2, 12), (4, 48), (8, 192): S_xy = 1680/3, S_xx = 56/3.
        ("statistic = \"slope\"\nalong = \"count\"", 30.857_142_857_142_858),
        // Against itself, a column.
        ("statistic = \"slope\"\nalong = \"energy\"", 1.0),
    ] {
        let equals = |value: f64| format!("{fast}{statistic}\nequals = {value:?}\ntolerance = 1e-9");
        assert_eq!(verdict(&equals(expected), rows()).0, Verdict::Pass, "{statistic}");
        assert_eq!(
            verdict(&equals(expected + 1e-3), rows()).0,
            Verdict::Fail,
            "{statistic}"
        );
    }
}

#[test]
fn each_relation_passes_and_fails() {
    let one = "column = \"energy\"\nmethod = \"fast\"\nparameters = { count = 4 }\nsolver = { iterations = 20 }\n";
    for (pass, fail) in [
        ("equals = 58", "equals = 58.001"),
        ("equals = 50\ntolerance = 8", "equals = 50\ntolerance = 7.9"),
        (
            "equals = 50\nrelative-tolerance = 0.16",
            "equals = 50\nrelative-tolerance = 0.15",
        ),
        ("at-least = 58", "at-least = 58.1"),
        ("at-most = 58", "at-most = 57.9"),
        ("within = [57, 59]", "within = [59, 60]"),
    ] {
        assert_eq!(verdict(&format!("{one}{pass}"), rows()).0, Verdict::Pass, "{pass}");
        assert_eq!(verdict(&format!("{one}{fail}"), rows()).0, Verdict::Fail, "{fail}");
    }
}

#[test]
fn a_ratio_is_taken_of_statistics_or_row_by_row() {
    let over = "column = \"energy\"\nmethod = \"slow\"\nover = { method = \"fast\" }\n";
    // Medians of six values each.
    assert_eq!(verdict(&format!("{over}equals = 2"), rows()).0, Verdict::Pass);
    let mut skewed = rows();
    // Only the pair of 8 cubes with 20 iterations has another ratio, which the largest shows.
    *skewed.last_mut().unwrap().values.get_mut("energy").unwrap() = 2020.0;
    let pairwise = format!("{over}pairwise = true\n");
    assert_eq!(
        verdict(&format!("{pairwise}equals = 2"), skewed.clone()).0,
        Verdict::Pass
    );
    assert_eq!(
        verdict(&format!("{pairwise}statistic = \"max\"\nequals = 10"), skewed).0,
        Verdict::Pass
    );
    // Runs with another seed have partners of their own; here slow ones have three times as much.
    let mut seeded = rows();
    for row in rows() {
        let factor = if row.method == "slow" { 1.5 } else { 1.0 };
        let energy = row.values["energy"] * factor;
        let values = [("energy".to_owned(), energy)].into();
        let seed = "2".to_owned();
        seeded.push(StoredRow { seed, values, ..row });
    }
    for (statistic, expected) in [("min", 2), ("max", 3), ("count", 12)] {
        let lines = format!("{pairwise}statistic = \"{statistic}\"\nequals = {expected}\ntolerance = 1e-12");
        assert_eq!(verdict(&lines, seeded.clone()).0, Verdict::Pass, "{statistic}");
    }
    // Options that `over` does not name stay as they are, with the same method.
    let options = "column = \"energy\"\nmethod = \"fast\"\nparameters = { count = 2 }\nsolver = { iterations = 20 }\n\
                   over = { parameters = { count = 4 } }\n";
    let (_, measured) = verdict(&format!("{options}equals = 0"), rows());
    assert_eq!(measured, "0.379", "22 over 58");
}

#[test]
fn nan_and_nothing_fail_and_missing_rows_are_not_run() {
    let fast = "column = \"energy\"\nmethod = \"fast\"\n";
    let with = |energy: Option<f64>| {
        let mut rows = rows();
        rows[0] = row("fast", 2, 10, energy);
        rows
    };
    let wide = format!("{fast}within = [-1e9, 1e9]");
    assert_eq!(verdict(&wide, with(Some(f64::NAN))), (Verdict::Fail, "NaN".into()));
    // A row without a value does not count where others have one.
    assert_eq!(verdict(&wide, with(None)).0, Verdict::Pass);
    let count = format!("{fast}statistic = \"count\"\nequals = 5");
    assert_eq!(verdict(&count, with(None)).0, Verdict::Pass);
    // Nothing at all fails, for what was to happen did not.
    let asleep = "column = \"asleep\"\nmethod = \"fast\"\nat-most = 1e9";
    assert_eq!(verdict(asleep, rows()), (Verdict::Fail, "no value".into()));
    let never = "column = \"asleep\"\nmethod = \"fast\"\nstatistic = \"count\"\nequals = 0";
    assert_eq!(verdict(never, rows()).0, Verdict::Pass);
    // But for what the machine did not tell.
    assert_eq!(verdict("column = \"speed\"\nat-most = 1", rows()).0, Verdict::NotRun);
    // Rows that are missing leave it undecided, also below a ratio.
    let mut some = rows();
    some.pop();
    assert_eq!(verdict(&wide, some.clone()).0, Verdict::Pass);
    let slow = "column = \"energy\"\nmethod = \"slow\"\nat-least = 0";
    assert_eq!(verdict(slow, some.clone()).0, Verdict::NotRun);
    let ratio = format!("{fast}over = {{ method = \"slow\" }}\nat-least = 0");
    assert_eq!(verdict(&ratio, some.clone()).0, Verdict::NotRun);
    let report = judge(slow, some);
    assert_eq!(
        report.claims[0].checks[0].note.as_deref(),
        Some("5 of 6 runs are there")
    );
    assert_eq!(report.counts.shown(), "1 not run");
}

#[test]
fn runs_that_did_not_finish_have_no_values_and_are_told() {
    let mut rows = rows();
    rows[0].is_finished = false;
    let report = judge(
        "column = \"energy\"\nmethod = \"fast\"\nstatistic = \"fraction\"\nat-least = 0.9",
        rows,
    );
    let check = &report.claims[0].checks[0];
    assert_eq!(check.verdict, Verdict::Fail);
    assert_eq!(check.measured, Some(5.0 / 6.0));
    assert_eq!(check.note.as_deref(), Some("1 of the runs did not come to their end"));
}

#[test]
fn numbers_have_the_unit_of_their_column_and_ratios_none() {
    let fast = "column = \"energy\"\nmethod = \"fast\"\nparameters = { count = 2 }\nsolver = { iterations = 10 }\n";
    let report = judge(&format!("{fast}equals = 12"), rows());
    let check = &report.claims[0].checks[0];
    assert_eq!((check.shown.as_str(), check.wanted.as_str()), ("12 J", "= 12 J"));
    assert_eq!(check.of, "median of 'energy' (fast, count=2, iterations=10)");
    let report = judge(&format!("{fast}over = {{ method = \"slow\" }}\nat-most = 1"), rows());
    assert_eq!(report.claims[0].checks[0].unit, "");
    assert_eq!(
        report.claims[0].checks[0].of,
        "median of 'energy' (fast, count=2, iterations=10) over that of slow, count=2"
    );
}

#[test]
fn one_failing_check_is_enough_and_a_missing_one_leaves_it_open() {
    for (verdicts, expected) in [
        ([Verdict::Pass, Verdict::Pass], Verdict::Pass),
        ([Verdict::Pass, Verdict::NotRun], Verdict::NotRun),
        ([Verdict::NotRun, Verdict::Fail], Verdict::Fail),
    ] {
        assert_eq!(Verdict::of_all(&verdicts), expected);
    }
    assert_eq!(Verdict::of_all(&[]), Verdict::NotRun);
}

#[test]
fn tests_count_only_where_the_source_tree_is() {
    let text = "paper = \"p\"\n[[claim]]\nid = \"X\"\nwhere = \"§1\"\nsays = \"s\"\npublished = \"v\"\n\
                tests = [\"tests/shock_propagation.rs::a_wall_stands\"]\n";
    let verdict = |tree: Option<Tree>| {
        let claims = Claims::parse(source("claims.toml", text), Path::new("."), Vec::new(), tree).unwrap();
        evaluate(&claims, &Results::default()).claims[0].verdict
    };
    assert_eq!(verdict(None), Verdict::NotRun);
    let here = Tree::around(Path::new(env!("CARGO_MANIFEST_DIR")));
    assert_eq!(verdict(here), Verdict::Tested);
}
