//! `drystone compare`: a row a method, failures included.

mod common;

use common::{ROCKET, Workshop, column, files_in, read_csv};

#[test]
fn every_scene_runs_with_every_method() {
    let workshop = Workshop::new();
    let line = "compare wall:rows=2,columns=2 box-stack:count=3 --solver pgs --solver pgs:iterations=40 \
                --solver classical/jacobi --steps 10 --out out";
    let (stdout, stderr) = workshop.run(line, 0);
    assert_eq!(stderr, "");
    assert_eq!(stdout.matches("iterations  ").count(), 2, "a table a scene:\n{stdout}");
    for text in [
        "wall:rows=2,columns=2: 5 bodies, 10 steps of 10 ms",
        "box-stack:count=3: 4 bodies",
        "results in out",
    ] {
        assert!(stdout.contains(text), "'{text}' is not in:\n{stdout}");
    }
    for method in ["pgs ", "pgs:iterations=40 ", "classical/jacobi "] {
        let rows = stdout.lines().filter(|line| line.trim_start().starts_with(method));
        assert_eq!(
            rows.filter(|line| line.ends_with("finished")).count(),
            2,
            "{method}:\n{stdout}"
        );
    }

    let (header, rows) = read_csv(&workshop.path("out/comparison.csv"));
    assert_eq!(header[..3], ["scene", "method", "status"]);
    assert_eq!(rows.len(), 6);
    let directory = header.iter().position(|name| name == "directory").unwrap();
    for row in &rows {
        assert_eq!(row[2], "finished");
        let run = workshop.path("out").join(&row[directory]);
        assert!(files_in(&run).contains(&"manifest.json".to_owned()));
        assert_eq!(column(&run.join("steps.csv"), "step").len(), 10);
    }
}

#[test]
fn the_best_value_is_marked() {
    let workshop = Workshop::new();
    let line = "compare box-stack:count=4 --solver pgs:iterations=2 --solver pgs:iterations=200 --steps 20";
    let (stdout, _) = workshop.run(line, 0);
    let row = |method: &str| stdout.lines().find(|line| line.contains(method)).unwrap().to_owned();
    assert!(row("iterations=2 ").contains("2*"), "{stdout}");
    // Forty times the work must buy something.
    assert!(row("iterations=200 ").contains('*'), "{stdout}");
}

#[test]
fn a_method_that_fails_is_a_row_and_the_others_go_on() {
    let workshop = Workshop::new();
    workshop.write("rocket.toml", ROCKET);
    let line = "compare rocket.toml --solver semi-implicit/pgs --solver classical/pgs --steps 3 --out out";
    let (stdout, _) = workshop.run(line, 1);
    let row = |method: &str| stdout.lines().find(|line| line.contains(method)).unwrap().to_owned();
    assert!(
        row("semi-implicit/pgs").contains("failed: the simulation diverged at step 3"),
        "{stdout}"
    );
    assert!(row("classical/pgs").ends_with("finished"), "{stdout}");

    let (_, rows) = read_csv(&workshop.path("out/comparison.csv"));
    assert_eq!((rows[0][2].as_str(), rows[1][2].as_str()), ("failed", "finished"));
    assert!(rows[0][3].contains("'rocket'"));
    assert_eq!(
        workshop.json("out/rocket.toml-semi-implicit-pgs/manifest.json")["status"],
        "failed"
    );
}

#[test]
fn all_methods_get_the_same_seed() {
    let workshop = Workshop::new();
    let line = "compare sphere-pile:count=5 --solver pgs:order=random --solver pgs:order=random --steps 5 --seed 3 --json \
                --out out";
    let (stdout, _) = workshop.run(line, 0);
    let comparison: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let runs = comparison["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2);
    assert_ne!(runs[0]["directory"], runs[1]["directory"]);
    assert_eq!(runs[0]["energy"], runs[1]["energy"]);
    let directory = runs[1]["directory"].as_str().unwrap();
    assert_eq!(workshop.json(&format!("{directory}/manifest.json"))["seed"], 3);
}
