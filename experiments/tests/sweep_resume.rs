//! `drystone sweep --resume`: a sweep that was killed goes on where it was, and comes out as one that was not.

mod common;

use common::{ROCKET, Workshop, files_in, physics};
use serde_json::Value;

/// Twenty-four runs with a picture, some of which fail in their third step.
const EXPERIMENT: &str = r#"title = "Long"
steps = 60
seeds = { from = 1, to = 3, step = 1 }
repetitions = 2
metrics = ["max kinetic_energy"]

[[scene]]
name = "pile"
spec = "sphere-pile:count=8"

[[scene]]
spec = "./rocket.toml"

[[method]]
spec = "pgs:order=random"

[[method]]
spec = "jacobi"

[[fit]]
name = "time is linear"
x = "step"
y = "time"
"#;

fn workshop() -> Workshop {
    let workshop = Workshop::new();
    workshop.write("rocket.toml", ROCKET);
    workshop.write("long.toml", EXPERIMENT);
    workshop
}

/// The runs that have whole lines in the journal, in the order of lines, and whether each line is a launch's.
fn journal(workshop: &Workshop, directory: &str) -> Vec<Option<u64>> {
    let text = std::fs::read_to_string(workshop.path(directory).join("runs.jsonl")).unwrap_or_default();
    let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    let lines = whole.map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.map(|line| line["run"]["row"]["run"]["run"].as_u64()).collect()
}

fn runs(lines: &[Option<u64>]) -> Vec<u64> {
    lines.iter().flatten().copied().collect()
}

#[test]
fn the_same_sweep_alone_is_resumed_and_the_difference_is_told() {
    let workshop = workshop();
    workshop.run("sweep long.toml --out out --seed 4 --quiet", 0);
    let before = workshop.listing();
    let results = workshop.read("out/results.csv");
    let refused = |line: &str, fragment: &str| {
        let (stdout, stderr) = workshop.run(line, 2);
        assert_eq!((stdout.as_str(), stderr.lines().count()), ("", 1), "{line}: {stderr}");
        assert!(stderr.contains(fragment), "{line}: {stderr}");
    };
    refused("sweep long.toml --resume", "--out");
    refused("sweep long.toml --out out --retry-failed", "--resume");
    refused("sweep long.toml --out out --resume --force", "give one of them");
    refused(
        "sweep long.toml --out out --resume --shard 1/2",
        "--shard (none and 1/2)",
    );
    refused("sweep long.toml --out out --resume --keep-runs", "--keep-runs");
    refused("sweep long.toml --out . --resume", "no directory of a sweep");
    refused(
        "sweep long.toml --out long.toml --resume",
        "cannot write to 'long.toml'",
    );
    // The file has seeds of its own, so that of the command line plays no part.
    workshop.run("sweep long.toml --out out --resume --seed 5 --quiet", 0);

    workshop.write("long.toml", &EXPERIMENT.replace("steps = 60", "steps = 61"));
    refused("sweep long.toml --out out --resume", "the experiment file has changed");
    workshop.write("long.toml", EXPERIMENT);
    workshop.write("rocket.toml", &ROCKET.replace("mass = 1.0", "mass = 2.0"));
    refused(
        "sweep long.toml --out out --resume",
        "a scene that the experiment names",
    );
    workshop.write("rocket.toml", ROCKET);
    assert_eq!(
        workshop.read("out/results.csv"),
        results,
        "a refused sweep wrote something"
    );
    assert_eq!(workshop.listing(), before);

    let identity = workshop.read("out/sweep.json");
    let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    workshop.write("out/sweep.json", &identity.replace(&version, "\"version\": \"0.0.1\""));
    refused(
        "sweep long.toml --out out --resume",
        "the version of drystone (0.0.1 and ",
    );
    workshop.write(
        "out/sweep.json",
        &identity.replace("\"energy_drift\"", "\"energy_dirft\""),
    );
    refused("sweep long.toml --out out --resume", "the columns or runs");

    // Without seeds in the file that of the command line matters.
    let text = EXPERIMENT.replace("seeds = { from = 1, to = 3, step = 1 }", "");
    workshop.write("seedless.toml", &text);
    workshop.run("sweep seedless.toml --out seedless --seed 4 --quiet", 0);
    refused(
        "sweep seedless.toml --out seedless --seed 5 --resume",
        "--seed (4 and 5)",
    );
    refused("sweep seedless.toml --out seedless --resume", "--seed (4 and none)");
}

#[test]
fn what_is_done_is_kept_and_a_new_or_empty_directory_is_begun_with() {
    let workshop = workshop();
    std::fs::create_dir(workshop.path("empty")).unwrap();
    let (_, stderr) = workshop.run("sweep long.toml --out empty --resume --jobs 2 --quiet", 0);
    assert_eq!(stderr, "");
    workshop.run("sweep long.toml --out new --resume --quiet", 0);
    assert_eq!(physics(&workshop, "new"), physics(&workshop, "empty"));
    // Who forgets the option is told of it.
    let (_, stderr) = workshop.run("sweep long.toml --out new", 2);
    assert!(
        stderr.contains("'new' holds this sweep already; use --resume"),
        "{stderr}"
    );
    // As if it had been killed before it wrote anything, with and without a torn line.
    std::fs::create_dir(workshop.path("early")).unwrap();
    workshop.write("early/runs.jsonl", "");
    workshop.write("early/.sweep.json.partial", "{");
    workshop.run("sweep long.toml --out early --resume --quiet", 0);
    assert_eq!(physics(&workshop, "early"), physics(&workshop, "new"));

    // 12 runs of the rocket fail; nothing is run again unless it is asked for.
    let text = workshop.read("new/runs.jsonl");
    let (stdout, _) = workshop.run("sweep long.toml --out new --resume", 0);
    assert!(stdout.contains("24 of 24 runs were there already"), "{stdout}");
    assert_eq!(runs(&journal(&workshop, "new")).len(), 24);
    assert!(
        workshop.read("new/runs.jsonl").starts_with(&text),
        "the journal lost lines"
    );
    let (stdout, _) = workshop.run("sweep long.toml --out new --resume --retry-failed --json", 0);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let report = &report["experiments"][0];
    assert_eq!(
        (&report["resumed_runs"], &report["planned_runs"]),
        (&12.into(), &24.into())
    );
    assert_eq!(report["missing_runs"], Value::Array(Vec::new()));
    let again = runs(&journal(&workshop, "new"));
    assert_eq!(again[24..], (13..=24).collect::<Vec<u64>>());
    assert_eq!(physics(&workshop, "new"), physics(&workshop, "empty"));
    let manifest = workshop.json("new/manifest.json");
    assert_eq!(manifest["launches"].as_array().unwrap().len(), 3);
    assert_eq!(
        (&manifest["resumed_runs"], &manifest["failed_runs"]),
        (&12.into(), &12.into())
    );
}

/// Interrupted runs are rows until they are run again; half a line at the end of the journal counts for nothing.
#[test]
fn interrupted_runs_and_torn_lines_are_run_again() {
    let workshop = workshop();
    workshop.run("sweep long.toml --out whole --quiet", 0);
    workshop.run("sweep long.toml --out out --quiet", 0);
    let text = workshop.read("out/runs.jsonl");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (kept, half) = (lines[..10].concat(), &lines[10][..lines[10].len() / 2]);
    // The ninth run was interrupted in its third step.
    let interrupted = lines[9]
        .replace("\"status\":\"finished\"", "\"status\":\"interrupted\"")
        .replace("\"steps\":60,\"time\"", "\"steps\":3,\"time\"");
    assert_ne!(interrupted, lines[9]);
    workshop.write("out/runs.jsonl", &format!("{kept}{interrupted}{half}"));
    for file in ["results.csv", "manifest.json", "report.md", "report-time-is-linear.svg"] {
        std::fs::remove_file(workshop.path("out").join(file)).unwrap();
    }
    workshop.run("sweep long.toml --out out --resume --quiet", 0);
    let after = runs(&journal(&workshop, "out"));
    assert_eq!(after[..10], [1, 2, 3, 4, 5, 6, 7, 8, 9, 9]);
    assert_eq!(after[10..], (9..=24).collect::<Vec<u64>>());
    assert_eq!(physics(&workshop, "out"), physics(&workshop, "whole"));
    // The points of runs that were kept are in the picture as well.
    let picture = "report-time-is-linear.svg";
    assert_eq!(
        workshop.read(&format!("out/{picture}")),
        workshop.read(&format!("whole/{picture}"))
    );

    // What can't have been written by us is not guessed at.
    workshop.write("out/runs.jsonl", &format!("{}nonsense\n{}", lines[0], lines[1]));
    let (_, stderr) = workshop.run("sweep long.toml --out out --resume", 2);
    assert!(stderr.contains("runs.jsonl:2: "), "{stderr}");
}

#[cfg(unix)]
mod killed {
    use super::*;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    const PATIENCE: Duration = Duration::from_secs(120);

    fn start(workshop: &Workshop, line: &str) -> Child {
        Command::new(env!("CARGO_BIN_EXE_drystone"))
            .args(line.split_whitespace())
            .current_dir(workshop.path(""))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// Waits until the journal has more runs than before, or the program has ended.
    fn wait_for_runs(workshop: &Workshop, child: &mut Child, more_than: usize) -> bool {
        let begun = Instant::now();
        loop {
            if runs(&journal(workshop, "out")).len() > more_than {
                return true;
            }
            if child.try_wait().unwrap().is_some() {
                return false;
            }
            assert!(begun.elapsed() < PATIENCE, "no run has ended");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// `Child::kill` is SIGKILL: the program has no say in it.
    #[test]
    fn a_sweep_killed_many_times_repeats_nothing_and_comes_out_the_same() {
        let workshop = workshop();
        let text = EXPERIMENT
            .replace("steps = 60", "steps = 150")
            .replace("count=8", "count=30");
        workshop.write("long.toml", &text);
        workshop.run("sweep long.toml --out whole --keep-runs --quiet", 0);
        let line = "sweep long.toml --out out --keep-runs --jobs 2 --resume --quiet";
        let mut kills = 0;
        let mut before = Vec::new();
        loop {
            let mut child = start(&workshop, line);
            let went_on = wait_for_runs(&workshop, &mut child, before.len());
            child.kill().unwrap();
            child.wait().unwrap();
            let after = runs(&journal(&workshop, "out"));
            assert_eq!(after[..before.len()], before, "the journal lost runs");
            let mut once = after.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!(once.len(), after.len(), "a run that had ended was run again: {after:?}");
            before = after;
            if !went_on || before.len() >= 20 {
                break;
            }
            kills += 1;
        }
        assert!(kills >= 3, "killed {kills} times only");
        workshop.run(line, 0);
        let all = runs(&journal(&workshop, "out"));
        assert_eq!(all.len(), 24, "{all:?}");
        assert_eq!(physics(&workshop, "out"), physics(&workshop, "whole"));
        // Also the directories of runs that were cut off are whole.
        assert_eq!(files_in(&workshop.path("out")), files_in(&workshop.path("whole")));
        for run in files_in(&workshop.path("out")) {
            if run.starts_with("run-") {
                assert_eq!(
                    files_in(&workshop.path("out").join(&run)),
                    files_in(&workshop.path("whole").join(&run))
                );
            }
        }
    }

    #[test]
    fn a_directory_belongs_to_one_program_at_a_time_and_to_none_after_it_was_killed() {
        let workshop = workshop();
        workshop.write("long.toml", &EXPERIMENT.replace("steps = 60", "steps = 1000000"));
        let mut child = start(&workshop, "sweep long.toml --out out --quiet");
        let begun = Instant::now();
        while journal(&workshop, "out").is_empty() {
            assert!(begun.elapsed() < PATIENCE, "the sweep does not begin");
            std::thread::sleep(Duration::from_millis(5));
        }
        let before = workshop.listing();
        for option in ["--resume", "--force"] {
            let (_, stderr) = workshop.run(&format!("sweep long.toml --out out {option}"), 2);
            let owner = format!("in use by process {}", child.id());
            assert!(stderr.contains(&owner), "{option}: {stderr}");
        }
        assert_eq!(workshop.listing(), before, "a refused sweep wrote something");
        child.kill().unwrap();
        child.wait().unwrap();
        workshop.write("short.toml", EXPERIMENT);
        workshop.run("sweep short.toml --out out --force --quiet", 0);
        assert_eq!(workshop.json("out/manifest.json")["status"], "finished");
    }
}
