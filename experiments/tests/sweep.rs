//! `drystone sweep`: experiment files, from the list of their runs to the page.

mod common;

use common::{ROCKET, Workshop, column, files_in, physics, read_csv};
use serde_json::Value;

/// Two scenes with two and one choices of parameters, two methods with two and one of options.
const PRODUCT: &str = r#"title = "Small things"
description = "Boxes and *balls*."
steps = 12
seeds = [5, 3]
repetitions = 2

[[scene]]
name = "stack"
spec = "box-stack"
parameters = { density = 20, count = [3, 2] }

[[scene]]
spec = "sphere-pile:count=4"

[[method]]
name = "sweeps"
spec = "semi-implicit/pgs:order=random"
stepper = { projection-iterations = [2, 1] }
solver = { iterations = 7 }

[[method]]
spec = "jacobi"

[[measure]]
name = "fall"
metric = "potential_energy"
statistic = "slope"
against = "time"

[[measure]]
name = "speed"
metric = "step_us"
per = "bodies"

[[fit]]
name = "time is linear"
x = "step"
y = "time"

[[event-time]]
name = "touching"
metric = "contacts"
at-least = 4
"#;

/// Free fall from rest without anything to fall on, in semi-implicit steps.
const FALL: &str = r#"
dt = 0.01
duration = 1.0

[[body]]
mass = 2.0
shape.sphere.radius = 0.5
"#;

/// A column of texts.
fn texts(workshop: &Workshop, file: &str, name: &str) -> Vec<String> {
    let (header, rows) = read_csv(&workshop.path(file));
    let at = header.iter().position(|column| column == name).unwrap();
    rows.into_iter().map(|row| row[at].clone()).collect()
}

#[test]
fn runs_are_the_product_in_the_order_of_the_file() {
    let workshop = Workshop::new();
    workshop.write("small.toml", PRODUCT);
    let before = workshop.listing();
    let (stdout, _) = workshop.run("sweep small.toml --list --json", 0);
    let listed: Value = serde_json::from_str(&stdout).unwrap();
    let runs = listed[0]["runs"].as_array().unwrap();
    // (2 + 1) choices of scenes, (2 + 1) of methods, 2 seeds, 2 repetitions.
    assert_eq!(runs.len(), 3 * 3 * 2 * 2);
    let mut expected = Vec::new();
    for scene in [
        "box-stack:density=20,count=3",
        "box-stack:density=20,count=2",
        "sphere-pile:count=4",
    ] {
        for method in [
            "semi-implicit:projection-iterations=2/pgs:order=random,iterations=7",
            "semi-implicit:projection-iterations=1/pgs:order=random,iterations=7",
            "jacobi",
        ] {
            for seed in [5, 3] {
                expected.extend([1, 2].map(|repetition| (scene, method, seed, repetition)));
            }
        }
    }
    for ((number, run), (scene, method, seed, repetition)) in (1..).zip(runs).zip(expected) {
        assert_eq!(run["run"], number);
        assert_eq!(
            (&run["scene_spec"], &run["method_spec"]),
            (&scene.into(), &method.into())
        );
        assert_eq!((&run["seed"], &run["repetition"]), (&seed.into(), &repetition.into()));
        assert_eq!(run["steps"], 12);
    }
    let (stdout, _) = workshop.run("sweep small.toml --list", 0);
    assert!(
        stdout.contains("Small things: 36 runs of 2 scenes, 2 methods, 2 seeds, 2 repetitions"),
        "{stdout}"
    );
    assert_eq!(stdout.lines().count(), 36 + 3);
    assert_eq!(workshop.listing(), before, "--list wrote something");
}

/// What the help shows can be copied and run.
#[test]
fn the_file_in_the_help_is_an_experiment() {
    let workshop = Workshop::new();
    let (help, _) = workshop.run("sweep --help", 0);
    let lines = help.lines().skip_while(|line| !line.starts_with("  title = "));
    let lines = lines.take_while(|line| line.is_empty() || line.starts_with("  "));
    let file: Vec<&str> = lines.collect();
    workshop.write("x.toml", &file.join("\n"));
    let (stdout, _) = workshop.run("sweep x.toml --list", 0);
    assert!(
        stdout.contains(": 24 runs of 1 scene, 1 method, 2 seeds, 3 repetitions"),
        "{stdout}"
    );
}

/// The same for the page.
#[test]
fn the_file_in_the_documentation_is_an_experiment() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/sweeps.md");
    let page = std::fs::read_to_string(page).unwrap();
    let file = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let workshop = Workshop::new();
    workshop.write("x.toml", file);
    let (stdout, _) = workshop.run("sweep x.toml --list", 0);
    // 2 towers, 3 numbers of iterations, 5 seeds, 3 repetitions.
    assert!(
        stdout.contains(": 90 runs of 1 scene, 1 method, 5 seeds, 3 repetitions"),
        "{stdout}"
    );
    assert!(stdout.contains("pgs:iterations=100 "), "{stdout}");
}

#[test]
fn a_sweep_twice_and_with_two_jobs_gives_the_same_rows() {
    let workshop = Workshop::new();
    workshop.write("small.toml", PRODUCT);
    let (stdout, stderr) = workshop.run("sweep small.toml --out one", 0);
    assert_eq!(stderr, "");
    assert!(stdout.contains("results in one"), "{stdout}");
    workshop.run("sweep small.toml --out again --threads 1 --quiet", 0);
    workshop.run("sweep small.toml --out two --jobs 2 --quiet", 0);
    let reference = physics(&workshop, "one");
    let (kept, runs) = reference.split_first().unwrap();
    // The time of a step, memory twice, and the measure of times are of the machine.
    let (header, _) = read_csv(&workshop.path("one/results.csv"));
    assert_eq!(header.len() - kept.len(), 4);
    assert_eq!(runs.len(), 36);
    assert!(runs.iter().all(|run| run[7] == "finished"));
    assert_eq!(physics(&workshop, "again"), reference);
    assert_eq!(physics(&workshop, "two"), reference);
    // With several jobs nobody knows whose memory it was.
    let memory = |run: &str| texts(&workshop, &format!("{run}/results.csv"), "memory_per_contact_bytes");
    assert!(memory("two").iter().all(String::is_empty));
    // Repetitions are the same, seeds are not: balls start elsewhere.
    let of = |number: usize| &runs[number - 1][10..];
    assert_eq!(of(25), of(26));
    assert_ne!(of(25), of(27));

    assert_eq!(
        files_in(&workshop.path("one")),
        [
            "experiment.toml",
            "manifest.json",
            "plots",
            "report-time-is-linear.svg",
            "report.html",
            "report.md",
            "results.csv",
            "runs.jsonl",
            "sweep.json"
        ]
    );
    assert_eq!(workshop.read("one/experiment.toml"), PRODUCT);
    let manifest = workshop.json("one/manifest.json");
    assert_eq!(
        (&manifest["status"], &manifest["finished_runs"]),
        (&"finished".into(), &36.into())
    );
}

/// E_p = −m g² h² k(k+1)/2 after k semi-implicit steps, so its slope against time between the last two of n steps is
/// −m g² h n, and the kinetic energy ½ m (g h k)² first reaches 4 J in the step after √4/(g h) = 20.4. The sums lose a few
/// of 16 digits.
#[test]
fn measures_fits_and_events_of_free_fall_are_the_closed_forms() {
    let workshop = Workshop::new();
    std::fs::create_dir(workshop.path("inside")).unwrap();
    workshop.write("inside/fall.toml", FALL);
    // The scene is found beside the experiment.
    workshop.write(
        "inside/experiment.toml",
        r#"title = "Fall"
[[scene]]
spec = "./fall.toml"
[[method]]
spec = "pgs"
[[measure]]
name = "power"
metric = "potential_energy"
statistic = "slope"
against = "time"
from = 0.99
[[measure]]
name = "momentum"
metric = "momentum_z"
per = "time"
statistic = "median"
to = 0.5
[[fit]]
name = "momentum"
x = "time"
y = "momentum_z"
[[event-time]]
name = "fast"
metric = "kinetic_energy"
at-least = 4
[[event-time]]
name = "slow"
metric = "kinetic_energy"
at-most = 4
[[event-time]]
name = "slow at first"
metric = "kinetic_energy"
at-most = 4
first = true
"#,
    );
    let (_, stderr) = workshop.run("sweep inside/experiment.toml", 2);
    assert!(
        stderr.contains("experiment.toml:19:8: two things are called 'momentum'"),
        "{stderr}"
    );
    let text = workshop
        .read("inside/experiment.toml")
        .replacen("name = \"momentum\"", "name = \"force\"", 1);
    workshop.write("inside/experiment.toml", &text);
    workshop.run("sweep inside/experiment.toml --out out", 0);
    let (mass, g, h) = (2.0, 9.81, 0.01);
    let value = |name: &str| column(&workshop.path("out/results.csv"), name)[0];
    let close = |name: &str, expected: f64| {
        let found = value(name);
        assert!(
            (found - expected).abs() <= 1e-10 * expected.abs().max(1.0),
            "{name}: {found}, not {expected}"
        );
    };
    close("power", -mass * g * g * h * 100.0);
    close("force", -mass * g);
    close("momentum slope", -mass * g);
    close("momentum intercept", 0.0);
    close("momentum r2", 1.0);
    close("fast", 0.21);
    close("slow at first", 0.01);
    close(
        "energy_drift",
        0.5 * mass * (g * h * 100.0_f64).powi(2) - mass * g * g * h * h * 5050.0,
    );
    assert_eq!(texts(&workshop, "out/results.csv", "slow"), [""]);
}

#[test]
fn a_run_that_fails_is_a_row_and_only_all_of_them_an_error() {
    let workshop = Workshop::new();
    workshop.write("rocket.toml", ROCKET);
    let experiment =
        |methods: &str| format!("title = \"Rocket\"\nsteps = 3\n[[scene]]\nspec = \"rocket.toml\"\n{methods}");
    let fails = "[[method]]\nspec = \"semi-implicit/pgs\"\n";
    let works = "[[method]]\nspec = \"classical/pgs\"\n";
    workshop.write("experiment.toml", &experiment(&format!("{fails}{works}")));
    let (stdout, _) = workshop.run("sweep experiment.toml --out out", 0);
    assert!(stdout.contains("failed: the simulation diverged at step 3"), "{stdout}");
    assert!(stdout.contains("0 of 1"), "{stdout}");
    assert_eq!(texts(&workshop, "out/results.csv", "status"), ["failed", "finished"]);
    assert!(texts(&workshop, "out/results.csv", "message")[0].contains("'rocket'"));
    assert_eq!(column(&workshop.path("out/results.csv"), "steps"), [2.0, 3.0]);
    assert!(workshop.read("out/report.md").contains("diverged at step 3"));

    workshop.write("experiment.toml", &experiment(fails));
    let (_, stderr) = workshop.run("sweep experiment.toml --out all", 1);
    assert_eq!(stderr, "error: every run failed\n");
    assert_eq!(workshop.json("all/manifest.json")["status"], "failed");
}

#[test]
fn mistakes_are_one_line_with_the_place_and_nothing_is_written() {
    let good = "title = \"a\"\n[[scene]]\nspec = \"wall\"\n[[method]]\nspec = \"pgs\"\n";
    for (old, new, fragments) in [
        (
            "title",
            "titel",
            ["x.toml:1:1: unknown key 'titel'", "did you mean 'title'?"],
        ),
        ("\"wall\"", "\"wal\"", ["x.toml:3:8: ", "did you mean 'wall'?"]),
        (
            "\"pgs\"",
            "\"pqs\"",
            ["x.toml:5:8: unknown solver 'pqs'", "did you mean 'pgs'?"],
        ),
        // Nothing is near, so the list is named; what is known elsewhere is put in its place.
        (
            "\"pgs\"",
            "\"zzzzzz\"",
            ["x.toml:5:8: unknown solver 'zzzzzz'", "'drystone list solvers'"],
        ),
        (
            "\"pgs\"",
            "\"semi-implicit\"",
            ["x.toml:5:8: ", "as in 'semi-implicit/pgs'"],
        ),
        ("\"wall\"", "\"zzzzzz\"", ["x.toml:3:8: ", "'drystone list scenes'"]),
        (
            "\"pgs\"",
            "\"clasical/pgs\"",
            ["x.toml:5:8: unknown stepper", "did you mean 'classical'?"],
        ),
        (
            "[[method]]",
            "parameters = { rosw = 3 }\n[[method]]",
            ["x.toml:4:23: ", "did you mean 'rows'?"],
        ),
        (
            "[[method]]",
            "parameters = { rows = [2, 0.5] }\n[[method]]",
            ["x.toml:4:23: ", "cannot be '0.5'"],
        ),
        (
            "[[method]]",
            "parameters = { rows = [] }\n[[method]]",
            ["x.toml:4:23: ", "empty list"],
        ),
        ("\"wall\"", "\"./wall.toml\"", ["x.toml:3:8: ", "cannot read scene"]),
        (
            "\"pgs\"\n",
            "\"pgs\"\nsolver = { iteration = 3 }\n",
            ["x.toml:6:24: ", "did you mean 'iterations'?"],
        ),
        (
            "\"pgs\"\n",
            "\"pgs\"\nstepper = { erq = 0 }\n",
            ["x.toml:6:19: ", "did you mean 'erp'?"],
        ),
        ("\"pgs\"\n", "\"pgs\"\nstepper = { erp = 2 }\n", ["x.toml:5:8: ", "erp"]),
        (
            "[[scene]]",
            "duration = 1e9\ndt = 1e-9\n[[scene]]",
            ["x.toml:2:12: ", "steps"],
        ),
        (
            "[[scene]]",
            "repetitions = 0\n[[scene]]",
            ["x.toml:2:15: ", "1 or more"],
        ),
        (
            "[[scene]]",
            "repetitions = 9999999\n[[scene]]",
            ["x.toml:1:1: ", "9999999 runs"],
        ),
        (
            "\"pgs\"\n",
            "\"pgs\"\n[[measure]]\nname = \"b\"\nmetric = \"contcts\"\n",
            ["x.toml:8:10: unknown metric 'contcts'", "did you mean 'contacts'?"],
        ),
        (
            "\"pgs\"\n",
            "\"pgs\"\n[[measure]]\nname = \"steps\"\nmetric = \"contacts\"\n",
            ["x.toml:7:8: ", "'steps'"],
        ),
        (
            "\"pgs\"\n",
            "\"pgs\"\n[[measure]]\nname = \"b\"\nmetric = \"time\"\nstatistic = \"slope\"\n",
            ["x.toml:9:13: ", "'against'"],
        ),
        (
            "\"pgs\"\n",
            "\"pgs\"\n[[measure]]\nname = \"b\"\nmetric = \"time\"\nstatistic = \"medium\"\n",
            ["x.toml:9:13: ", "did you mean 'median'?"],
        ),
        (
            "\"pgs\"\n",
            "\"pgs\"\n[[fit]]\nname = \"b\"\nx = \"time\"\n",
            ["x.toml:6:", "missing key 'y'"],
        ),
        (
            "\"pgs\"\n",
            "\"pgs\"\n[[event-time]]\nname = \"b\"\nmetric = \"time\"\n",
            ["x.toml:7:8: ", "'at-least'"],
        ),
        ("\"pgs\"\n", "\"pgs\n", ["x.toml:5:", ""]),
    ] {
        let workshop = Workshop::new();
        workshop.write("x.toml", &good.replacen(old, new, 1));
        let before = workshop.listing();
        let (stdout, stderr) = workshop.run("sweep x.toml --out out", 2);
        assert_eq!((stdout.as_str(), stderr.lines().count()), ("", 1), "{new}: {stderr}");
        for fragment in fragments {
            assert!(stderr.contains(fragment), "{new}: '{fragment}' is not in: {stderr}");
        }
        assert_eq!(workshop.listing(), before, "{new} wrote something");
    }
    let workshop = Workshop::new();
    for (line, fragment) in [
        ("sweep missing.toml", "cannot read experiment 'missing.toml'"),
        ("sweep .", "no experiments"),
    ] {
        let (_, stderr) = workshop.run(line, 2);
        assert!(stderr.contains(fragment), "{stderr}");
    }
}

#[test]
fn a_folder_is_swept_in_the_order_of_names_into_directories_and_pages() {
    let workshop = Workshop::new();
    std::fs::create_dir(workshop.path("all")).unwrap();
    std::fs::create_dir(workshop.path("pages")).unwrap();
    let experiment = |title: &str| {
        format!(
            "title = \"{title}\"\ndescription = \"Says | who\"\nsteps = 2\n[[scene]]\nspec = \"two-balls\"\n\
             [[method]]\nspec = \"pgs\"\n[[fit]]\nname = \"a line\"\nx = \"time\"\ny = \"kinetic_energy\"\n"
        )
    };
    workshop.write("all/b.toml", &experiment("Second"));
    workshop.write("all/a.toml", &experiment("First"));
    workshop.write("all/notes.txt", "no experiment");
    let (stdout, _) = workshop.run("sweep all --out out --markdown pages --json", 0);
    let found: Value = serde_json::from_str(&stdout).unwrap();
    let titles: Vec<&Value> = found["experiments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["title"])
        .collect();
    assert_eq!(titles, ["First", "Second"]);
    assert_eq!(found["experiments"][1]["directory"], "out/b");
    assert_eq!(found["experiments"][1]["rows"][0]["status"], "finished");
    assert_eq!(
        files_in(&workshop.path("pages")),
        ["a-a-line.svg", "a.md", "b-a-line.svg", "b.md"]
    );
    let page = workshop.read("pages/b.md");
    for text in [
        "# Second",
        "Says | who",
        "`drystone sweep all --out out",
        "| two-balls | pgs | 1 |",
        "(b-a-line.svg)",
    ] {
        assert!(page.contains(text), "'{text}' is not in:\n{page}");
    }
    let (_, stderr) = workshop.run("sweep all --markdown page.md --out other", 2);
    assert!(stderr.contains("must name a folder"), "{stderr}");
    assert!(!workshop.path("other").exists());

    // One that is wrong keeps all from starting.
    workshop.write("all/c.toml", "title = \"Third\"\n");
    workshop.run("sweep all --out other", 2);
    assert!(!workshop.path("other").exists());
}

/// Of a folder the place of results does not depend on how many of its experiments are chosen; and one that is under way or
/// was killed takes neither the page nor the answer from the others.
#[test]
fn a_folder_keeps_its_layout_and_bears_an_experiment_without_a_manifest() {
    let workshop = Workshop::new();
    std::fs::create_dir(workshop.path("all")).unwrap();
    let experiment = |title: &str| {
        format!(
            "title = \"{title}\"\nsteps = 2\n[[scene]]\nspec = \"two-balls\"\n[[method]]\nspec = \"pgs\"\n[[measure]]\n\
             name = \"fall\"\nmetric = \"potential_energy\"\n"
        )
    };
    workshop.write("all/a.toml", &experiment("First"));
    workshop.write("all/b.toml", &experiment("Second"));
    workshop.run("sweep all --only b --out out --quiet", 0);
    assert!(workshop.path("out/b/manifest.json").exists());
    std::fs::remove_file(workshop.path("out/b/manifest.json")).unwrap();
    let (stdout, stderr) = workshop.run("sweep all --only a --out out --json", 0);
    let found: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(found["experiments"][0]["directory"], "out/a");
    assert_eq!(stderr, "");
    let page = workshop.read("out/report.html");
    for text in ["First", "Second", "under way or killed", "1 of 1 runs"] {
        assert!(page.contains(text), "'{text}' is not on the page");
    }
    // Its columns have their units.
    workshop.run("report out/b", 0);
    assert!(workshop.read("out/b/report.html").contains("fall"));
}

#[test]
fn claims_that_are_not_there_are_not_checked_in_silence() {
    let workshop = Workshop::new();
    workshop.write(
        "a.toml",
        "title = \"A\"\nsteps = 2\n[[scene]]\nspec = \"two-balls\"\n[[method]]\nspec = \"pgs\"\n",
    );
    let (_, stderr) = workshop.run("sweep a.toml --check-claims --out out", 2);
    assert!(stderr.contains("no claims (claims.toml) in 'a.toml'"), "{stderr}");
    assert!(!workshop.path("out").exists());
}

#[test]
fn runs_are_kept_where_asked_and_results_never_overwritten_unasked() {
    let workshop = Workshop::new();
    workshop.write(
        "x.toml",
        "title = \"A: b/c\"\nsteps = 4\n[[scene]]\nspec = \"wall:rows=2\"\nparameters = { columns = [2, 3] }\n\
         [[method]]\nspec = \"pgs\"\n[[fit]]\nname = \"old\"\nx = \"time\"\ny = \"contacts\"\n",
    );
    workshop.run("sweep x.toml --keep-runs --quiet", 0);
    let out = workshop.path("runs/sweep-A-b-c-1");
    let kept = texts(&workshop, "runs/sweep-A-b-c-1/results.csv", "directory");
    assert_eq!(
        kept,
        ["run-1-wall-rows=2-columns=2-pgs", "run-2-wall-rows=2-columns=3-pgs"]
    );
    for run in kept {
        // A kept run is one like any other, and its steps are those that were measured.
        assert_eq!(column(&out.join(&run).join("steps.csv"), "step").len(), 4);
        let summary = workshop.json(&format!("runs/sweep-A-b-c-1/{run}/summary.json"));
        assert_eq!(summary["steps"], 4);
        assert_eq!(summary["peak_memory_bytes"].is_u64(), cfg!(target_os = "linux"));
    }
    let line = "sweep x.toml --out runs/sweep-A-b-c-1";
    let (_, stderr) = workshop.run(line, 2);
    assert!(stderr.contains("--force"), "{stderr}");
    let text = workshop.read("x.toml").replace("old", "new");
    workshop.write("x.toml", &text);
    workshop.run(&format!("{line} --force --quiet"), 0);
    let files = files_in(&out);
    assert!(
        files.contains(&"report-new.svg".into()) && !files.contains(&"report-old.svg".into()),
        "{files:?}"
    );
}
