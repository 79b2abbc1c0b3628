//! The example of a solver of one's own: it builds outside the workspace, and every command knows its solver.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::documents::{blocks, pages};
use common::{Workshop, read_csv};

/// Builds the example with the libraries the tests were built with, and returns the program.
fn build() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let example = root.join("examples/own-solver");
    let profile = Path::new(env!("CARGO_BIN_EXE_drystone")).parent().unwrap();
    let target = profile.parent().unwrap();
    // The same versions and the same settings, so that little is compiled twice.
    fs::copy(root.join("Cargo.lock"), example.join("Cargo.lock")).unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["build", "--offline", "--quiet"])
        .current_dir(&example)
        .env("CARGO_TARGET_DIR", target)
        .env("CARGO_PROFILE_RELEASE_DEBUG", "line-tables-only");
    if profile.ends_with("release") {
        cargo.arg("--release");
    }
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    profile.join(format!("own-solver{}", std::env::consts::EXE_SUFFIX))
}

#[test]
fn a_solver_of_ones_own_is_like_all_others() {
    let program = build();
    let workshop = Workshop::new();
    let run = |line: &str| {
        let output = Command::new(&program)
            .args(line.split_whitespace())
            .current_dir(workshop.path(""))
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(
            output.status.success(),
            "{line}: {text}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        text
    };
    let listed = run("list solvers");
    assert!(
        listed.contains("richardson: projected Richardson iteration"),
        "{listed}"
    );
    assert!(listed.contains("damping=1") && listed.contains("pgs:"), "{listed}");

    let conforms = run("conformance --solver richardson");
    assert!(conforms.contains("richardson conforms"), "{conforms}");

    // u = 2 r − 1 along the normal, at rest along the tangents: r = 1/2.
    workshop.write("ball.dat", "3 1 0 3 3 3 3 2 0 0 0 2 0 0 0 2 -1 0 0 0.5");
    run("solve ball.dat --solver richardson --solver pgs --out solved");
    let (header, rows) = read_csv(&workshop.path("solved/problems.csv"));
    let at = |name: &str| header.iter().position(|column| column == name).unwrap();
    assert_eq!(rows[0][at("solver")], "richardson");
    assert_eq!(rows[0][at("status")], "converged");

    let text = run("run box-stack:count=2 --solver richardson:iterations=50 --steps 5 --out run");
    assert!(text.contains("with richardson:iterations=50: finished"), "{text}");
    let text = run("compare box-stack:count=2 --solver richardson --solver pgs --steps 5 --plot --out compared");
    assert!(text.contains("richardson"), "{text}");
    assert!(
        workshop
            .read("compared/convergence-iterations.svg")
            .contains("richardson")
    );

    // What the guide and the README tell readers to type in the folder of the example.
    let mut documented = 0;
    for block in pages().iter().flat_map(|page| blocks(page)) {
        if block.folder() != Some("examples/own-solver") {
            continue;
        }
        for (command, _) in block.commands() {
            if let Some(line) = command.strip_prefix("cargo run --release -- ") {
                run(line);
                documented += 1;
            }
        }
    }
    assert!(documented >= 5, "only {documented} commands were found");
}
