//! Papers: a folder with claims, from the sweep to the page, and the folders of this repository.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{ROCKET, Workshop, files_in};
use drystone_experiments::claims::Claims;
use drystone_experiments::claims::overview::Overview;
use drystone_experiments::sweep::product::product;
use serde_json::Value;

/// A ball falls for a second from rest: in semi-implicit steps it has v = −g t and then E = ½ m g² t² = 96.2361 J.
const FALL: &str = r#"
dt = 0.01
duration = 1.0

[[body]]
mass = 2.0
shape.sphere.radius = 0.5
"#;

const FALLING: &str = r#"title = "Falling"
[[scene]]
name = "ball"
spec = "scenes/fall.toml"
[[method]]
name = "sweeps"
spec = "semi-implicit/pgs"
solver = { iterations = [1, 2] }
[[measure]]
name = "energy at the end"
metric = "kinetic_energy"
statistic = "last"
[[event-time]]
name = "fast"
metric = "kinetic_energy"
at-least = 1000.0
"#;

const FLYING: &str = r#"title = "Flying"
[[scene]]
name = "rocket"
spec = "scenes/rocket.toml"
[[method]]
spec = "pgs"
[[measure]]
name = "energy"
metric = "kinetic_energy"
"#;

/// One claim of each verdict but "not run", which `--only` makes.
const CLAIMS: &str = r#"paper = "N. Body, *Things fall*, 1687"

[[claim]]
id = "falls"
where = "§1"
says = "What falls for a second has half the mass times the square of its speed."
published = "96.2 J"
[[claim.check]]
experiment = "falling"
column = "energy at the end"
equals = 96.2361
relative-tolerance = 1e-12
because = "A closed form, to rounding."
[[claim.check]]
experiment = "falling"
column = "energy at the end"
solver = { iterations = 1 }
over = { solver = { iterations = 2 } }
equals = 1
because = "There is nothing to solve."

[[claim]]
id = "faster"
where = "§2"
says = "It becomes faster than that."
published = "1 kJ | soon"
explains = "It has not the time."
[[claim.check]]
experiment = "falling"
column = "fast"
at-most = 1.0
because = "Within the run."

[[claim]]
id = "flies"
where = "§3"
says = "Rockets arrive."
published = "all of them"
[[claim.check]]
experiment = "flying"
column = "energy"
statistic = "fraction"
equals = 1
because = "All of them."

[[claim]]
id = "apple"
where = "§4"
says = "It began with an apple."
published = "an apple"
status = "not-reproducible"
reason = "The tree is gone."

[[claim]]
id = "moon"
where = "§5"
says = "The moon falls too."
published = "60 earth radii away"
status = "open"
needs = "Gravity that gets weaker."
"#;

/// Scenes have a folder of their own: every other *.toml of a paper is an experiment.
fn paper() -> Workshop {
    let workshop = Workshop::new();
    fs::create_dir_all(workshop.path("paper/scenes")).unwrap();
    for (name, text) in [
        ("scenes/fall.toml", FALL),
        ("scenes/rocket.toml", ROCKET),
        ("claims.toml", CLAIMS),
        ("falling.toml", FALLING),
        ("flying.toml", FLYING),
    ] {
        workshop.write(&format!("paper/{name}"), text);
    }
    workshop
}

fn verdicts(report: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let claims = report["claims"].as_array().unwrap();
    claims
        .iter()
        .map(|claim| (text(&claim["id"]), text(&claim["verdict"])))
        .collect()
}

fn expected(of: [&str; 5]) -> Vec<(String, String)> {
    let ids = ["falls", "faster", "flies", "apple", "moon"];
    ids.into_iter()
        .zip(of)
        .map(|(id, verdict)| (id.into(), verdict.into()))
        .collect()
}

#[test]
fn a_folder_with_claims_is_run_and_judged() {
    let workshop = paper();
    fs::create_dir(workshop.path("pages")).unwrap();
    // Every run of `flying` fails, which is the exit code of any sweep.
    let (stdout, _) = workshop.run("sweep paper --out out --markdown pages", 1);
    let report = workshop.json("out/claims.json");
    let all = ["pass", "fail", "fail", "not-reproducible", "open"];
    assert_eq!(verdicts(&report), expected(all));
    assert_eq!(report["counts"]["fail"], 2);
    let energy = report["claims"][0]["checks"][0]["measured"].as_f64().unwrap();
    assert!((energy - 96.2361).abs() < 1e-10, "{energy}");
    assert_eq!(report["claims"][1]["checks"][0]["measured"], Value::Null);
    assert_eq!(
        report["claims"][2]["checks"][0]["note"],
        "1 of the runs did not come to their end"
    );
    for line in [
        "1 pass, 2 fail, 1 not reproducible, 1 open",
        "faster fails: It has not the time.",
        "flies fails: not explained",
    ] {
        assert!(stdout.contains(line), "'{line}' is not in:\n{stdout}");
    }
    let page = workshop.read("out/claims.md");
    for text in [
        "| falls | §1 | 96.2 J | 96.2 J; 1 | pass |",
        "| faster | §2 | 1 kJ \\| soon | no value | fail |",
        "why we find something else: It has not the time.",
        "why not: The tree is gone.",
        "missing here: Gravity that gets weaker.",
        "`drystone sweep paper --out out --markdown pages`",
    ] {
        assert!(page.contains(text), "'{text}' is not in:\n{page}");
    }
    assert_eq!(workshop.read("pages/claims.md"), page);
    assert_eq!(
        files_in(&workshop.path("out")),
        ["claims.json", "claims.md", "falling", "flying", "report.html"]
    );

    // The same again from what is there.
    fs::remove_file(workshop.path("out/claims.json")).unwrap();
    let (stdout, _) = workshop.run("claims paper --results out --json", 0);
    let again: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(again, report);
    assert_eq!(workshop.json("out/claims.json"), report);
    // Only what is not explained is a failure, and only if that is asked.
    let (_, stderr) = workshop.run("claims paper --results out --check --quiet", 1);
    assert_eq!(stderr, "error: claims that fail without an explanation: flies\n");
}

#[test]
fn what_is_left_out_is_not_run() {
    let workshop = paper();
    fs::create_dir(workshop.path("pages")).unwrap();
    let line = "sweep paper --only falling --out out --markdown pages --check-claims --json";
    let (stdout, _) = workshop.run(line, 0);
    let some = ["pass", "fail", "not-run", "not-reproducible", "open"];
    let found: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(verdicts(&found["claims"]), expected(some));
    assert_eq!(found["experiments"][0]["directory"], "out/falling");
    // A page that says little does not replace one that may say more.
    assert_eq!(files_in(&workshop.path("pages")), ["falling.md"]);

    // The rest comes into the same directory, and all is judged.
    workshop.run("sweep paper --only flying --out out --quiet --check-claims", 1);
    let all = ["pass", "fail", "fail", "not-reproducible", "open"];
    assert_eq!(verdicts(&workshop.json("out/claims.json")), expected(all));

    // Results of another experiment than the present one are none.
    let text = workshop.read("paper/falling.toml");
    workshop.write("paper/falling.toml", &text.replace("\"Falling\"", "\"Words\""));
    workshop.run("claims paper --results out --quiet", 0);
    assert_eq!(verdicts(&workshop.json("out/claims.json")), expected(all));
    workshop.write("paper/falling.toml", &format!("steps = 3\n{text}"));
    workshop.run("claims paper --results out --quiet", 0);
    let stale = ["not-run", "not-run", "fail", "not-reproducible", "open"];
    let report = workshop.json("out/claims.json");
    assert_eq!(verdicts(&report), expected(stale));
    assert_eq!(
        report["claims"][0]["checks"][0]["note"],
        "the results are of another version of falling.toml"
    );
}

#[test]
fn without_a_directory_all_goes_into_a_new_one() {
    let workshop = paper();
    workshop.run("sweep paper --only falling --quiet", 0);
    assert_eq!(
        files_in(&workshop.path("runs/sweep-paper-1")),
        ["claims.json", "claims.md", "falling", "report.html"]
    );
    let (stdout, _) = workshop.run("claims paper", 0);
    let numbers: Vec<&str> = stdout.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(numbers, ["paper", "5", "3", "0", "1", "1"]);
}

#[test]
fn mistakes_are_one_line_with_their_place_and_nothing_is_written() {
    for (old, new, fragments) in [
        (
            "id = \"falls\"",
            "di = \"falls\"",
            ["claims.toml:4:1: unknown key 'di'", "did you mean 'id'?"],
        ),
        (
            "published = \"96.2 J\"",
            "",
            ["claims.toml:3:1: ", "missing key 'published'"],
        ),
        (
            "id = \"faster\"",
            "id = \"falls\"",
            ["claims.toml:23:6: ", "two claims are called 'falls'"],
        ),
        (
            "says = \"Rockets arrive.\"",
            "says = \" \"",
            ["claims.toml:37:8: ", "'says' is empty"],
        ),
        (
            "experiment = \"falling\"",
            "experiment = \"faling\"",
            ["claims.toml:9:14: unknown experiment", "did you mean 'falling'?"],
        ),
        (
            "column = \"fast\"",
            "column = \"fats\"",
            [
                "claims.toml:30:10: falling has no column 'fats'",
                "did you mean 'fast'?",
            ],
        ),
        (
            "at-most = 1.0",
            "method = \"sweep\"\nat-most = 1.0",
            [
                "claims.toml:31:10: falling has no method 'sweep'",
                "did you mean 'sweeps'?",
            ],
        ),
        (
            "at-most = 1.0",
            "scene = \"bull\"\nat-most = 1.0",
            ["claims.toml:31:9: falling has no scene 'bull'", "did you mean 'ball'?"],
        ),
        (
            "at-most = 1.0",
            "solver = { iteration = 1 }\nat-most = 1.0",
            ["claims.toml:31:12: ", "did you mean 'iterations'?"],
        ),
        (
            "at-most = 1.0",
            "solver = { iterations = 3 }\nat-most = 1.0",
            ["claims.toml:31:25: ", "'iterations' is never 3 there; it is 1, 2"],
        ),
        (
            "at-most = 1.0",
            "statistic = \"medium\"\nat-most = 1.0",
            ["claims.toml:31:13: ", "did you mean 'median'?"],
        ),
        (
            "at-most = 1.0",
            "statistic = \"slope\"\nat-most = 1.0",
            ["claims.toml:31:13: ", "needs 'along'"],
        ),
        (
            "at-most = 1.0",
            "statistic = \"slope\"\nalong = \"iteration\"\nat-most = 1.0",
            ["claims.toml:32:9: ", "did you mean 'iterations'?"],
        ),
        ("at-most = 1.0", "", ["claims.toml:29:14: ", "needs one of 'equals'"]),
        (
            "at-most = 1.0",
            "at-most = 1.0\nequals = 1",
            ["claims.toml:31:11: ", "two bounds are 'within'"],
        ),
        (
            "at-most = 1.0",
            "within = [2, 1]",
            ["claims.toml:31:10: ", "[smallest, largest]"],
        ),
        (
            "at-most = 1.0",
            "at-most = nan",
            ["claims.toml:31:11: ", "can't be made with NaN"],
        ),
        (
            "at-most = 1.0",
            "at-most = 1.0\ntolerance = 1",
            ["claims.toml:32:13: ", "belongs to 'equals'"],
        ),
        (
            "because = \"Within the run.\"",
            "",
            ["claims.toml:28:1: ", "missing key 'because'"],
        ),
        (
            "at-most = 1.0",
            "pairwise = true\nat-most = 1.0",
            ["claims.toml:31:12: ", "needs 'over'"],
        ),
        (
            "over = { solver = { iterations = 2 } }",
            "over = {}",
            ["claims.toml:18:8: ", "nothing that differs"],
        ),
        (
            "status = \"open\"",
            "status = \"opn\"",
            ["claims.toml:59:10: ", "did you mean 'open'?"],
        ),
        (
            "needs = \"Gravity that gets weaker.\"",
            "",
            ["claims.toml:59:10: ", "'needs' is missing"],
        ),
        (
            "reason = \"The tree is gone.\"",
            "",
            ["claims.toml:51:10: ", "'reason' is missing"],
        ),
        (
            "status = \"open\"\n",
            "",
            ["claims.toml:59:9: ", "'needs' belongs to status"],
        ),
        (
            "status = \"open\"\nneeds = \"Gravity that gets weaker.\"",
            "",
            ["claims.toml:55:6: ", "nothing decides this claim"],
        ),
        (
            "status = \"open\"\nneeds = \"Gravity that gets weaker.\"",
            "tests = [\"a_moon_falls\"]",
            ["claims.toml:59:10: ", "'tests/file.rs::name'"],
        ),
        (
            "paper = \"N. Body, *Things fall*, 1687\"",
            "paper = \"",
            ["claims.toml:1:", ""],
        ),
    ] {
        assert!(CLAIMS.contains(old), "{old}");
        let workshop = paper();
        workshop.write("paper/claims.toml", &CLAIMS.replacen(old, new, 1));
        let before = workshop.listing();
        for line in ["sweep paper --out out", "sweep paper --list", "claims paper"] {
            let (stdout, stderr) = workshop.run(line, 2);
            assert_eq!((stdout.as_str(), stderr.lines().count()), ("", 1), "{new}: {stderr}");
            for fragment in fragments {
                assert!(stderr.contains(fragment), "{new}: '{fragment}' is not in: {stderr}");
            }
        }
        assert_eq!(workshop.listing(), before, "{new} wrote something");
    }
}

#[test]
fn calls_that_make_no_sense_are_answered() {
    let workshop = paper();
    fs::create_dir(workshop.path("empty")).unwrap();
    for (line, fragment) in [
        (
            "sweep paper --only fallin",
            "--only: there is no experiment 'fallin'; did you mean 'falling'?",
        ),
        ("sweep paper paper/falling.toml", "sweep it by itself"),
        ("claims missing", "cannot read claims 'missing/claims.toml'"),
        ("claims empty", "cannot read claims"),
        ("claims paper --results nowhere", "there is no directory 'nowhere'"),
        ("claims paper paper --results empty", "name one folder"),
        (
            "claims paper --results empty --markdown no/where.md",
            "there is no folder 'no'",
        ),
    ] {
        let before = workshop.listing();
        let (_, stderr) = workshop.run(line, 2);
        assert!(
            stderr.contains(fragment) && stderr.lines().count() == 1,
            "{line}: {stderr}"
        );
        assert_eq!(workshop.listing(), before, "{line} wrote something");
    }
    fs::create_dir_all(workshop.path("out/falling")).unwrap();
    workshop.write("out/falling/results.csv", "scene,method\nball\n");
    workshop.write("out/falling/experiment.toml", &workshop.read("paper/falling.toml"));
    let (_, stderr) = workshop.run("claims paper --results out", 2);
    assert!(stderr.contains("out/falling/results.csv:2"), "{stderr}");
}

/// The page for users has a claim of an experiment that is there.
#[test]
fn the_claim_in_the_documentation_is_one() {
    let page = fs::read_to_string(papers().join("../docs/papers.md")).unwrap();
    let (_, rest) = page.split_once("```toml\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let workshop = Workshop::new();
    fs::create_dir(workshop.path("paper")).unwrap();
    workshop.write("paper/claims.toml", example);
    let experiment = fs::read_to_string(papers().join("erleben-2005/04-rippling.toml")).unwrap();
    workshop.write("paper/04-rippling.toml", &experiment);
    let (stdout, _) = workshop.run("claims paper --json", 0);
    let counted: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        (&counted[0]["claims"], &counted[0]["by_experiments"]),
        (&1.into(), &1.into())
    );
}

fn papers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../papers")
}

/// The folders of papers, by name.
fn folders() -> Vec<PathBuf> {
    let entries = fs::read_dir(papers()).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// Reading them checks all names of experiments, columns, methods, options and tests.
#[test]
fn the_papers_of_this_repository_are_whole() {
    let folders = folders();
    assert!(folders.len() >= 5, "{folders:?}");
    for folder in folders {
        let claims = Claims::read(&folder).unwrap_or_else(|error| panic!("{error}"));
        assert!(claims.tree.is_some());
        let readme = fs::read_to_string(folder.join("README.md")).unwrap();
        for experiment in &claims.experiments {
            let made = product(experiment, None).unwrap_or_else(|error| panic!("{error}"));
            assert!(!made.runs.is_empty());
            let stem = experiment.stem();
            assert!(
                readme.contains(&stem),
                "{stem} is not in {}",
                folder.join("README.md").display()
            );
        }
        // Every experiment is there for a claim.
        for experiment in &claims.experiments {
            let stem = experiment.stem();
            let is_named = claims.claims.iter().any(|claim| match &claim.basis {
                drystone_experiments::claims::file::Basis::Checks(checks) => {
                    checks.iter().any(|check| check.experiment == stem)
                }
                _ => false,
            });
            assert!(is_named, "no claim needs {stem} of {}", folder.display());
        }
    }
}

#[test]
fn the_overview_of_papers_has_the_numbers_of_their_claims() {
    let overview = fs::read_to_string(papers().join("README.md")).unwrap();
    for folder in folders() {
        let numbers = Overview::of(&Claims::read(&folder).unwrap());
        let name = &numbers.folder;
        let row = format!("| [`{name}`]({name}/README.md) | ");
        let line = overview.lines().find(|line| line.starts_with(&row));
        let line = line.unwrap_or_else(|| panic!("papers/README.md has no row '{row}'"));
        let found: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let expected = numbers.numbers().map(|number| number.to_string());
        assert_eq!(found[found.len() - 5..], expected, "{name}");
    }
}
