//! `drystone run`: what a run directory holds, and that its files agree with each other.

mod common;

use common::{HEADER, Workshop, column, files_in, read_csv};

const SMALL: &str = "run wall:rows=2,columns=3 --steps 25 --solver pgs:iterations=7";

#[test]
fn a_run_leaves_a_complete_directory() {
    let workshop = Workshop::new();
    let (stdout, stderr) = workshop.run(&format!("{SMALL} --out out"), 0);
    assert!(
        stdout.contains("wall:rows=2,columns=3 with pgs:iterations=7"),
        "{stdout}"
    );
    assert!(
        stdout.contains("penetration max") && stdout.ends_with("results in out\n"),
        "{stdout}"
    );
    assert_eq!(stderr, "");
    let expected = [
        "convergence.csv",
        "group_sizes.csv",
        "manifest.json",
        "plots",
        "report.html",
        "scene.toml",
        "steps.csv",
        "summary.json",
        "trajectory.bin",
    ];
    assert_eq!(files_in(&workshop.path("out")), expected);

    // Every brick is counted once a step, in whatever group it was.
    let sizes = column(&workshop.path("out/group_sizes.csv"), "size");
    let counts = column(&workshop.path("out/group_sizes.csv"), "count");
    assert_eq!(
        sizes.iter().zip(&counts).map(|(size, count)| size * count).sum::<f64>(),
        6.0 * 25.0
    );
    assert!(sizes.is_sorted());

    assert_eq!(workshop.read("out/steps.csv").lines().next(), Some(HEADER));
    let steps = column(&workshop.path("out/steps.csv"), "step");
    assert_eq!(steps, (1..=25).map(f64::from).collect::<Vec<_>>());
    assert!(
        column(&workshop.path("out/steps.csv"), "bodies")
            .iter()
            .all(|&bodies| bodies == 7.0)
    );
    assert!(
        column(&workshop.path("out/steps.csv"), "contacts")
            .iter()
            .all(|&contacts| contacts > 0.0)
    );
}

#[test]
fn the_manifest_says_what_was_run() {
    let workshop = Workshop::new();
    workshop.run(&format!("{SMALL} --out out --seed 5 --threads 2 --dt 0.005"), 0);
    let manifest = workshop.json("out/manifest.json");
    assert_eq!(manifest["status"], "finished");
    assert_eq!(manifest["command"][1], "run");
    assert_eq!(
        (&manifest["steps"], &manifest["planned_steps"]),
        (&25.into(), &25.into())
    );
    assert_eq!(manifest["dt"], 0.005);
    assert_eq!(manifest["seed"], 5);
    assert_eq!(manifest["threads"], 2);
    assert_eq!(manifest["scene"]["parameters"]["rows"], "2");
    assert_eq!(manifest["scene"]["parameters"]["friction"], "0.25");
    assert_eq!(manifest["method"]["given"], "pgs:iterations=7");
    assert_eq!(manifest["method"]["stepper"]["name"], "semi-implicit");
    assert_eq!(manifest["method"]["solver"]["options"]["iterations"], "7");
    assert_eq!(manifest["method"]["solver"]["options"]["seed"], "5");
    assert!(manifest["started"].as_str().unwrap().ends_with('Z'));
    let hash = blake3::hash(workshop.read("out/scene.toml").as_bytes());
    assert_eq!(manifest["scene"]["blake3"], hash.to_hex().as_str());
}

#[test]
fn the_copy_of_the_scene_runs_the_same() {
    let workshop = Workshop::new();
    workshop.run(&format!("{SMALL} --out first"), 0);
    workshop.run(
        "run first/scene.toml --steps 25 --solver pgs:iterations=7 --out second",
        0,
    );
    for metric in [
        "contacts",
        "residual",
        "kinetic_energy",
        "momentum_x",
        "penetration_max",
    ] {
        let of = |run: &str| column(&workshop.path(run).join("steps.csv"), metric);
        assert_eq!(of("first"), of("second"), "{metric}");
    }
    assert_eq!(workshop.read("first/scene.toml"), workshop.read("second/scene.toml"));
}

#[test]
fn the_summary_agrees_with_the_steps() {
    let workshop = Workshop::new();
    let (stdout, _) = workshop.run(&format!("{SMALL} --out out --json"), 0);
    let summary = workshop.json("out/summary.json");
    let printed: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(printed["directory"], "out");
    assert_eq!(printed["metrics"], summary["metrics"]);

    let steps = workshop.path("out/steps.csv");
    let (header, _) = read_csv(&steps);
    for name in header.iter().filter(|name| !["step", "time"].contains(&name.as_str())) {
        let values = column(&steps, name);
        let statistics = &summary["metrics"][name];
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        same(statistics["mean"].as_f64(), Some(mean), name);
        same(
            statistics["max"].as_f64(),
            values.iter().copied().reduce(f64::max),
            name,
        );
        same(statistics["last"].as_f64(), values.last().copied(), name);
    }
    let last = |name: &str| *column(&steps, name).last().unwrap();
    let energy = &summary["energy"];
    same(
        energy["end"].as_f64(),
        Some(last("kinetic_energy") + last("potential_energy")),
        "energy",
    );
    let of = |name: &str| energy[name].as_f64().unwrap();
    assert!((of("drift") - (of("end") - of("start"))).abs() <= 1e-12 * of("start").abs());
    assert!(of("gain") >= of("drift").max(0.0));
}

/// Equal up to what reading JSON and adding in another order may change.
fn same(reported: Option<f64>, expected: Option<f64>, name: &str) {
    let (reported, expected) = (reported.unwrap(), expected.unwrap());
    assert!(
        (reported - expected).abs() <= 1e-12 * expected.abs(),
        "{name}: {reported} {expected}"
    );
}

#[test]
fn residuals_are_recorded_as_asked() {
    let workshop = Workshop::new();
    for record in ["every", "final", "none"] {
        workshop.run(&format!("{SMALL} --out {record} --record {record}"), 0);
    }
    let per_step = |run: &str| {
        let steps = column(&workshop.path(run).join("convergence.csv"), "step");
        steps.iter().filter(|&&step| step == 3.0).count()
    };
    // One group: the start and seven iterations.
    assert_eq!(per_step("every"), 8);
    assert_eq!(per_step("final"), 1);
    assert!(!workshop.path("none/convergence.csv").exists());

    let residual = |run: &str| column(&workshop.path(run).join("steps.csv"), "residual");
    assert_eq!(residual("every"), residual("final"));
    let (header, rows) = read_csv(&workshop.path("none/steps.csv"));
    let index = header.iter().position(|name| name == "residual").unwrap();
    assert!(rows.iter().all(|row| row[index].is_empty()));
    assert!(workshop.json("none/summary.json")["metrics"]["residual"]["mean"].is_null());
}

#[test]
fn without_a_directory_a_new_one_is_made() {
    let workshop = Workshop::new();
    workshop.run(SMALL, 0);
    let (stdout, _) = workshop.run(SMALL, 0);
    assert!(stdout.ends_with("results in runs/wall-pgs-2\n"), "{stdout}");
    assert_eq!(files_in(&workshop.path("runs")), ["wall-pgs-1", "wall-pgs-2"]);
    workshop.run("run wall:rows=2,columns=2 --steps 2 --solver classical/psor --quiet", 0);
    assert!(workshop.path("runs/wall-classical-psor-1").is_dir());
}

#[test]
fn force_replaces_results_and_leaves_other_files_alone() {
    let workshop = Workshop::new();
    workshop.run(&format!("{SMALL} --out out"), 0);
    workshop.write("out/notes.txt", "mine");
    workshop.run("run wall:rows=2,columns=2 --steps 3 --record none --out out --force", 0);
    assert_eq!(column(&workshop.path("out/steps.csv"), "step").len(), 3);
    assert!(
        !workshop.path("out/convergence.csv").exists(),
        "a file of the old run stayed"
    );
    assert_eq!(workshop.read("out/notes.txt"), "mine");
}

#[test]
fn an_empty_directory_needs_no_force() {
    let workshop = Workshop::new();
    std::fs::create_dir(workshop.path("out")).unwrap();
    workshop.run(&format!("{SMALL} --out out"), 0);
}

#[test]
fn duration_and_steps_mean_the_same() {
    let workshop = Workshop::new();
    workshop.run("run wall:rows=2,columns=2 --duration 0.07 --dt 0.01 --out out", 0);
    assert_eq!(column(&workshop.path("out/steps.csv"), "step").len(), 7);
    assert_eq!(column(&workshop.path("out/steps.csv"), "time").last(), Some(&0.07));
}

#[test]
fn quiet_is_quiet() {
    let workshop = Workshop::new();
    let (stdout, stderr) = workshop.run(&format!("{SMALL} --quiet"), 0);
    assert_eq!((stdout.as_str(), stderr.as_str()), ("", ""));
}

/// On two balls Gauss–Seidel's error, and with it the residual, shrinks by m₂/(m₁ + m₂) a sweep, whatever the start.
#[test]
fn convergence_csv_shows_the_rate_of_two_balls() {
    let workshop = Workshop::new();
    for ratio in [8000.0, 99.0] {
        let scene = format!("two-balls:ratio={ratio}");
        let method = "pgs:iterations=200,warm-start=0";
        workshop.run(&format!("run {scene} --solver {method} --steps 1 --out out --force"), 0);
        let residuals = column(&workshop.path("out/convergence.csv"), "residual");
        assert_eq!(residuals.len(), 201);
        // The first sweep leaves the start behind.
        for pair in residuals[1..].windows(2) {
            assert!((pair[1] / pair[0] - ratio / (1.0 + ratio)).abs() < 1e-6, "{pair:?}");
        }
    }
}

/// A kilogram on a hook that carries 9 N, and another on one that carries 10 N.
#[test]
fn joints_that_break_are_named() {
    let weight = |name: &str, x: f64, force: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmass = 1\nshape.sphere.radius = 0.1\nposition = [{x}, 0, 0]\n\
             [[joint]]\nname = \"{name}-hook\"\nbodies = [\"ceiling\", \"{name}\"]\ntype = \"ball\"\n\
             anchor = [{x}, 0, 0]\nbreak = {{ force = {force} }}\n"
        )
    };
    let ceiling = "[[body]]\nname = \"ceiling\"\nkind = \"fixed\"\nshape.box.size = [9, 1, 1]\nposition = [0, 0, 9]\n";
    let workshop = Workshop::new();
    let text = format!("{ceiling}{}{}", weight("light", 1.0, 10.0), weight("heavy", 2.0, 9.0));
    workshop.write("hooks.toml", &text);
    let (stdout, _) = workshop.run("run hooks.toml --steps 5 --out out", 0);
    assert!(
        stdout.contains("joint 'heavy-hook' broke at 10 ms of 9.81 N"),
        "{stdout}"
    );
    assert!(!stdout.contains("light-hook"), "{stdout}");
    let summary = workshop.json("out/summary.json");
    assert_eq!(summary["broken_joints"].as_array().unwrap().len(), 1);
    assert_eq!(summary["broken_joints"][0]["joint"], "heavy-hook");
    assert_eq!(summary["broken_joints"][0]["cause"], "force");
    assert_eq!(column(&workshop.path("out/steps.csv"), "joints_off"), [1.0; 5]);
}
