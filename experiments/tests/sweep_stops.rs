//! Stop rules, the time limit, ranges and named metrics of experiment files.

mod common;

use common::{Workshop, column, read_csv};
use serde_json::Value;

/// A ball in free fall: v = g h k after k semi-implicit steps, so that E_k = ½ m v² first reaches 4 J with m = 2 kg in the
/// step after √4/(g h) = 20.4.
const FALL: &str = r#"
dt = 0.01
duration = 1.0

[[body]]
mass = 2.0
shape.sphere.radius = 0.5
"#;

fn experiment(rules: &str) -> String {
    format!(
        "title = \"Fall\"\nmetrics = [\"last kinetic_energy\", \"potential_energy\"]\n{rules}\n\
         [[scene]]\nspec = \"./fall.toml\"\n[[method]]\nspec = \"pgs\"\nsolver = {{ iterations = {{ from = 2, to = 6, step = 2 }} }}\n"
    )
}

fn texts(workshop: &Workshop, name: &str) -> Vec<String> {
    let (header, rows) = read_csv(&workshop.path("out/results.csv"));
    let at = header.iter().position(|column| column == name).unwrap();
    rows.into_iter().map(|row| row[at].clone()).collect()
}

fn sweep(rules: &str) -> (Workshop, String) {
    let workshop = Workshop::new();
    workshop.write("fall.toml", FALL);
    workshop.write("x.toml", &experiment(rules));
    let (stdout, _) = workshop.run("sweep x.toml --out out --keep-runs", 0);
    (workshop, stdout)
}

const FAST: &str = "[[stop]]\nname = \"fast\"\nmetric = \"kinetic_energy\"\nat-least = 4\n";

#[test]
fn a_rule_ends_a_run_in_the_step_that_fulfils_it() {
    let (workshop, stdout) = sweep(FAST);
    assert_eq!(texts(&workshop, "status"), ["finished"; 3]);
    assert_eq!(texts(&workshop, "stopped_by"), ["fast"; 3]);
    assert_eq!(texts(&workshop, "message"), [""; 3]);
    assert_eq!(column(&workshop.path("out/results.csv"), "steps"), [21.0; 3]);
    assert_eq!(
        texts(&workshop, "options"),
        ["iterations=2", "iterations=4", "iterations=6"]
    );
    // The metrics that were named are columns, of the steps up to then.
    let energy = column(&workshop.path("out/results.csv"), "last kinetic_energy")[0];
    assert!((energy - (9.81 * 0.01 * 21.0_f64).powi(2)).abs() < 1e-12, "{energy}");
    assert!(column(&workshop.path("out/results.csv"), "mean potential_energy")[0] < 0.0);
    assert!(stdout.contains("stopped by") && stdout.contains("fast"), "{stdout}");

    let run = format!("out/{}", texts(&workshop, "directory")[0]);
    let manifest = workshop.json(&format!("{run}/manifest.json"));
    assert_eq!(
        (&manifest["steps"], &manifest["planned_steps"]),
        (&21.into(), &100.into())
    );
    assert_eq!(
        (&manifest["status"], &manifest["stopped_by"]),
        (&"finished".into(), &"fast".into())
    );
    assert_eq!(column(&workshop.path(&run).join("steps.csv"), "step").len(), 21);
    let manifest = workshop.json("out/manifest.json");
    assert_eq!(
        (&manifest["stopped_runs"], &manifest["time_limited_runs"]),
        (&3.into(), &0.into())
    );
    assert_eq!(manifest["stop"][0]["name"], "fast");
    assert_eq!(manifest["stop"][0]["of_machine"], false);
}

#[test]
fn a_condition_must_last_and_may_be_waited_for() {
    // From the 21st step at 0.21 s for 0.5 s, to the 71st.
    let (workshop, _) = sweep(&format!("{FAST}for = 0.5\n"));
    assert_eq!(column(&workshop.path("out/results.csv"), "steps"), [71.0; 3]);
    let (workshop, _) = sweep(&format!("{FAST}after = 0.6\n"));
    assert_eq!(column(&workshop.path("out/results.csv"), "steps"), [60.0; 3]);
    // Never: the run goes to its end.
    let (workshop, stdout) = sweep(&format!("{FAST}for = 5\n"));
    assert_eq!(column(&workshop.path("out/results.csv"), "steps"), [100.0; 3]);
    assert_eq!(texts(&workshop, "stopped_by"), [""; 3]);
    assert!(!stdout.contains("stopped by"), "{stdout}");
    // The second of the file is the first to be fulfilled.
    let slow = "[[stop]]\nname = \"slow\"\nmetric = \"kinetic_energy\"\nat-most = 1\nafter = 0.05\n";
    let (workshop, _) = sweep(&format!("{FAST}{slow}"));
    assert_eq!(texts(&workshop, "stopped_by"), ["slow"; 3]);
    assert_eq!(column(&workshop.path("out/results.csv"), "steps"), [5.0; 3]);
}

/// A million seconds of simulation would take longer than a test; however slow the machine, one step is taken.
#[test]
fn the_clock_ends_a_run_and_its_row_says_so() {
    let workshop = Workshop::new();
    workshop.write("fall.toml", FALL);
    let text = experiment("time-limit = 0.05\nsteps = 100000000").replace("{ from = 2, to = 6, step = 2 }", "2");
    workshop.write("x.toml", &text);
    let (stdout, _) = workshop.run("sweep x.toml --out out --json", 0);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let row = &report["experiments"][0]["rows"][0];
    assert_eq!(
        (&row["status"], &row["stopped_by"]),
        (&"finished".into(), &"time limit".into())
    );
    assert!((1..100_000_000).contains(&row["steps"].as_u64().unwrap()));
    let manifest = workshop.json("out/manifest.json");
    assert_eq!(
        (&manifest["time_limited_runs"], &manifest["time_limit"]),
        (&1.into(), &0.05.into())
    );
    assert!(workshop.read("out/report.md").contains("| time limit |"));
}
