//! A solver that panics is a failed row, and the sweep goes on without a word on stderr.

mod common;

use std::env;
use std::ffi::OsString;
use std::process::{Command, ExitCode};

use common::{Workshop, read_csv};
use drystone_solver::registry::{self, Accuracy, Class, Entry, FrictionLaw, MatrixKind};
use drystone_solver::{Context, Convergence, Limits, Problem, SolveError, Solver, options};

const LINE: &str = "DRYSTONE_TEST_LINE";

options! {
    /// Panics, in two lines, whatever it is given.
    pub struct Touchy {
        flatten pub limits: Limits = Limits::of(10),
    }
}

impl Solver for Touchy {
    fn solve(&self, problem: &Problem, _: &mut [f64], _: &mut Context) -> Result<Convergence, SolveError> {
        assert_eq!(problem.rows(), usize::MAX, "I can't\nbear this");
        unreachable!()
    }
}

/// Not a test: the program with one solver more, in a process of its own. It ends that process.
#[test]
fn the_program_itself() {
    let Some(line) = env::var_os(LINE) else { return };
    let takes = Class {
        family: "mine",
        friction: FrictionLaw::Coulomb,
        matrix: MatrixKind::Symmetric,
        accuracy: Accuracy::Iterative,
    };
    registry::register(Entry {
        name: "touchy",
        summary: "panics",
        takes,
        reference: "none",
        make: || Box::new(Touchy::default()),
    })
    .unwrap();
    let line = line.into_string().unwrap();
    let arguments = std::iter::once("drystone").chain(line.split_whitespace());
    let exit = drystone_experiments::main(arguments.map(OsString::from));
    std::process::exit(if exit == ExitCode::SUCCESS { 0 } else { 1 });
}

/// Runs the program with the solver that panics: exit code and stderr.
fn run(workshop: &Workshop, line: &str) -> (Option<i32>, String) {
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", "the_program_itself", "--nocapture"])
        .env(LINE, line)
        .env_remove("RUST_BACKTRACE")
        .current_dir(workshop.path(""))
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

const EXPERIMENT: &str = "title = \"Touchy\"\nsteps = 3\nrepetitions = 2\n[[scene]]\nspec = \"box-stack:count=2\"\n\
    [[method]]\nspec = \"touchy\"\n[[method]]\nspec = \"pgs\"\n";

#[test]
fn a_panic_is_a_failed_row_with_its_message_and_place() {
    let workshop = Workshop::new();
    workshop.write("x.toml", EXPERIMENT);
    for (directory, jobs) in [("one", 1), ("two", 2)] {
        let line = format!("sweep x.toml --out {directory} --jobs {jobs} --keep-runs --quiet");
        assert_eq!(run(&workshop, &line), (Some(0), String::new()));
        let (header, rows) = read_csv(&workshop.path(directory).join("results.csv"));
        let at = |name: &str| header.iter().position(|column| column == name).unwrap();
        let status: Vec<&str> = rows.iter().map(|row| row[at("status")].as_str()).collect();
        assert_eq!(status, ["failed", "failed", "finished", "finished"]);
        let message = &rows[0][at("message")];
        assert!(
            message.starts_with("the run panicked: ") && message.contains("I can't bear this"),
            "{message}"
        );
        assert!(message.contains("sweep_panics.rs:"), "{message}");
        // Its directory is whole, and says the same.
        let kept = &rows[0][at("directory")];
        let manifest = workshop.json(&format!("{directory}/{kept}/manifest.json"));
        assert_eq!(
            (&manifest["status"], &manifest["message"]),
            (&"failed".into(), &message.as_str().into())
        );
    }
}

#[test]
fn a_single_run_that_panics_is_one_line() {
    let workshop = Workshop::new();
    let (code, stderr) = run(
        &workshop,
        "run box-stack:count=2 --solver touchy --steps 3 --out out --quiet",
    );
    assert_eq!((code, stderr.lines().count()), (Some(1), 1), "{stderr}");
    assert!(stderr.starts_with("error: the run panicked: "), "{stderr}");
}
