//! The scripts in `examples/cluster`: they split a small sweep, are cut off, go on, and join the shards.
#![cfg(unix)]

mod common;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::{Workshop, column};

const EXPERIMENT: &str = "title = \"Tiny\"\nsteps = 4\nseeds = [1, 2, 3]\n[[scene]]\nspec = \"box-stack:count=2\"\n\
    [[method]]\nspec = \"pgs\"\n[[method]]\nspec = \"jacobi\"\n";

fn script(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    root.join("examples/cluster").join(name)
}

fn workshop() -> Workshop {
    let workshop = Workshop::new();
    workshop.write("tiny.toml", EXPERIMENT);
    workshop
}

/// Runs a script in the folder, with the program of these tests.
fn run(workshop: &Workshop, name: &str, line: &str, more: &[(&str, &str)]) -> Output {
    let mut command = Command::new(script(name));
    command
        .args(line.split_whitespace())
        .current_dir(workshop.path(""))
        .env("DRYSTONE", env!("CARGO_BIN_EXE_drystone"))
        .env("SWEEP_OUT", "out");
    for (key, value) in more {
        command.env(key, value);
    }
    command.output().unwrap()
}

fn succeeds(output: &Output) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
}

fn check_joined(workshop: &Workshop) {
    let runs = column(&workshop.path("out/joined/results.csv"), "run");
    assert_eq!(runs, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let manifest = workshop.json("out/joined/manifest.json");
    assert_eq!(manifest["status"], "finished");
    assert_eq!(manifest["parts"].as_array().unwrap().len(), 3);
}

/// GNU parallel itself where it is installed; the same lines by the shell where it is not.
#[test]
fn the_example_of_gnu_parallel_splits_and_joins() {
    let workshop = workshop();
    succeeds(&run(&workshop, "gnu-parallel.sh", "tiny.toml 3", &[]));
    check_joined(&workshop);
    // Started again, it has nothing to do but to join.
    let before = workshop.read("out/shard-1/results.csv");
    succeeds(&run(&workshop, "gnu-parallel.sh", "tiny.toml 3", &[]));
    assert_eq!(workshop.read("out/shard-1/results.csv"), before);
    check_joined(&workshop);
    assert_eq!(
        run(&workshop, "gnu-parallel.sh", "tiny.toml", &[]).status.code(),
        Some(2)
    );
}

/// A stand-in for `drystone` that fails on one shard. The others are run and joined, and the end tells of it. The name of
/// the experiment has a blank and a quote.
#[test]
fn a_shard_that_fails_stops_no_other() {
    let workshop = Workshop::new();
    workshop.write("my boxes' sweep.toml", EXPERIMENT);
    let program = env!("CARGO_BIN_EXE_drystone");
    workshop.write(
        "half",
        &format!(
            "#!/bin/sh\ncase \"$*\" in *'--shard 1/3'*) echo 'no power' >&2; exit 1;; esac\nexec '{program}' \"$@\"\n"
        ),
    );
    std::fs::set_permissions(workshop.path("half"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let half = workshop.path("half").display().to_string();
    let mut command = Command::new(script("gnu-parallel.sh"));
    command
        .args(["my boxes' sweep.toml", "3"])
        .current_dir(workshop.path(""))
        .env("DRYSTONE", &half)
        .env("SWEEP_OUT", "out");
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    for said in ["no power", "shard 1/3 is missing", "some shards failed"] {
        assert!(text.contains(said), "{text}");
    }
    let manifest = workshop.json("out/joined/manifest.json");
    assert_eq!(manifest["parts"].as_array().unwrap().len(), 2);
    // With power again it comes to its end.
    command.env("DRYSTONE", program);
    succeeds(&command.output().unwrap());
    check_joined(&workshop);
}

#[test]
fn the_tasks_of_the_slurm_array_are_shards() {
    let workshop = workshop();
    let task = |number: &str| {
        run(
            &workshop,
            "slurm-array.sh",
            "shard tiny.toml 3",
            &[("SLURM_ARRAY_TASK_ID", number)],
        )
    };
    for number in ["3", "1"] {
        succeeds(&task(number));
    }
    // The second has not run: the job that joins says so.
    let output = run(&workshop, "slurm-array.sh", "collect", &[]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("shard 2/3 is missing"), "{text}");
    succeeds(&task("2"));
    succeeds(&run(&workshop, "slurm-array.sh", "collect", &[]));
    check_joined(&workshop);
    assert_eq!(run(&workshop, "slurm-array.sh", "", &[]).status.code(), Some(2));
}

/// A stand-in for `sbatch` that notes what it is told and answers with a number, as Slurm does with `--parsable`.
#[test]
fn the_array_is_submitted_with_a_job_that_waits_for_it() {
    let workshop = workshop();
    std::fs::create_dir(workshop.path("bin")).unwrap();
    workshop.write(
        "bin/sbatch",
        "#!/bin/sh\necho \"$@\" >> sbatch.log\necho '42;cluster'\n",
    );
    std::fs::set_permissions(workshop.path("bin/sbatch"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", workshop.path("bin").display(), std::env::var("PATH").unwrap());
    succeeds(&run(
        &workshop,
        "slurm-array.sh",
        "submit tiny.toml 3",
        &[("PATH", &path)],
    ));
    let log = workshop.read("sbatch.log");
    let lines: Vec<&str> = log.lines().collect();
    assert!(
        lines[0].starts_with("--parsable --array=1-3 ") && lines[0].ends_with("slurm-array.sh shard tiny.toml 3"),
        "{log}"
    );
    assert!(
        lines[1].starts_with("--dependency=afterany:42 ") && lines[1].ends_with("slurm-array.sh collect"),
        "{log}"
    );
}
