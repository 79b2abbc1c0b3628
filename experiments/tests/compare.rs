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

/// Two balls, the lower m₁ and the upper m₂: Gauss–Seidel shrinks the error by m₂/(m₁ + m₂) a sweep (figure 6.23). The
/// default ratio is 8000; the fit is over residuals that lose 1e-16 of it to rounding.
#[test]
fn a_captured_step_goes_to_every_solver_and_shows_the_rate() {
    let workshop = Workshop::new();
    let line = "compare two-balls --solver pgs:warm-start=0 --solver semi-implicit/jacobi --plot --capture-step 3 --steps 5 \
                --capture-iterations 200 --out out";
    let (stdout, _) = workshop.run(line, 0);
    assert!(stdout.contains("captured problems"), "{stdout}");
    let (header, rows) = read_csv(&workshop.path("out/captured.csv"));
    assert_eq!(header, ["scene", "solver", "iteration", "seconds", "residual"]);
    for method in ["pgs:warm-start=0", "semi-implicit/jacobi"] {
        assert_eq!(rows.iter().filter(|row| row[1] == method).count(), 201, "{method}");
        for picture in ["out/convergence-iterations.svg", "out/convergence-time.svg"] {
            assert!(workshop.read(picture).contains(method), "{picture}");
        }
    }
    let (header, rows) = read_csv(&workshop.path("out/rates.csv"));
    let rate = header.iter().position(|name| name == "rate").unwrap();
    let found: f64 = rows[0][rate].parse().unwrap();
    assert!((found - 8000.0 / 8001.0).abs() < 1e-9, "{found}");
    assert!(workshop.read("out/rates.md").contains("`two-balls`"));
}

/// A column of n equal balls is a tridiagonal chain on which Jacobi has the spectral radius cos(π/2n) and Gauss–Seidel its
/// square. From a cold start; the fit over some forty sweeps to rounding is good to a few 1e-4.
#[test]
fn the_rate_on_columns_of_balls_is_the_closed_form() {
    let workshop = Workshop::new();
    let line = "compare ball-grid:side=2 ball-grid:side=3 ball-grid:side=4 --solver pgs --steps 1 --plot --out out";
    workshop.run(line, 0);
    let found = column(&workshop.path("out/rates.csv"), "rate");
    for (side, rate) in [2.0, 3.0, 4.0].into_iter().zip(found) {
        let theory = (std::f64::consts::FRAC_PI_2 / side).cos().powi(2);
        assert!((rate - theory).abs() < 1e-3, "side {side}: {rate}, theory {theory}");
    }
}

/// The problem is the same for all, so is its residual before the first iteration of all that start from it.
#[test]
fn solvers_begin_with_the_same_residual() {
    let workshop = Workshop::new();
    let line = "compare box-stack:count=3 wall:rows=2,columns=2 --solver pgs --solver jacobi --plot --steps 8 \
                --capture-iterations 20 --out out";
    workshop.run(line, 0);
    let (_, rows) = read_csv(&workshop.path("out/captured.csv"));
    for scene in ["box-stack:count=3", "wall:rows=2,columns=2"] {
        let first: Vec<&String> = rows
            .iter()
            .filter(|row| row[0] == scene && row[2] == "0")
            .map(|row| &row[4])
            .collect();
        assert_eq!(first.len(), 2);
        assert_eq!(first[0], first[1], "{scene}");
        assert!(first[0].parse::<f64>().unwrap() > 0.0);
    }
    assert!(files_in(&workshop.path("out/box-stack-count=3-captured")).contains(&"convergence-time.svg".to_owned()));
}

#[test]
fn a_step_without_contacts_has_nothing_to_plot() {
    let workshop = Workshop::new();
    workshop.write("rocket.toml", ROCKET);
    let (_, stderr) = workshop.run("compare rocket.toml --solver pgs --steps 1 --plot --out out", 0);
    assert!(stderr.contains("no contacts"), "{stderr}");
    assert!(!workshop.path("out/convergence-time.svg").exists());
}
