//! The guide and the README do what they say: their commands are run, in order, in a folder for each page, and what they are
//! said to print is compared as far as it does not depend on the machine.
//!
//! `common/documents.rs` says how blocks of code are read. What builds or tests the project itself is not run here.

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::documents::{Block, blocks, pages, root};
use common::{Workshop, own_problems};

/// Commands of the project's own tools, which need minutes or run this very test.
const NOT_RUN: [&str; 4] = ["cargo test", "cargo bench", "cargo build", "cd "];

/// Every other command begins with one of these.
const KNOWN: [&str; 6] = ["drystone ", "ls ", "cat ", "head ", "sed ", "cargo run --release -- "];

#[cfg(unix)]
#[test]
fn every_command_of_the_guide_does_what_it_says() {
    let mut run = 0;
    for page in pages() {
        let workshop = Workshop::new();
        prepare(&workshop, &page);
        for block in blocks(&page) {
            if let Some(name) = block.value("file") {
                workshop.write(name, &block.text());
            }
            if block.folder().is_some() {
                continue;
            }
            for (command, printed) in block.commands() {
                if NOT_RUN.iter().any(|start| command.starts_with(start)) {
                    continue;
                }
                follow(&workshop, &block, &command, &printed);
                run += 1;
            }
        }
    }
    assert!(run >= 40, "only {run} commands were found");
}

/// What the README takes for granted.
fn prepare(workshop: &Workshop, page: &Path) {
    if page.ends_with("docs/guide/README.md") || !page.ends_with("README.md") {
        return;
    }
    fs::create_dir(workshop.path("problems")).unwrap();
    for file in fs::read_dir(own_problems()).unwrap() {
        let file = file.unwrap();
        if file.file_type().unwrap().is_file() {
            fs::copy(file.path(), workshop.path("problems").join(file.file_name())).unwrap();
        }
    }
    workshop.run("init example", 0);
    for name in ["scene.toml", "experiment.toml"] {
        fs::rename(workshop.path("example").join(name), workshop.path(name)).unwrap();
    }
}

fn follow(workshop: &Workshop, block: &Block, command: &str, printed: &[String]) {
    let known = KNOWN.iter().any(|start| command.starts_with(start));
    assert!(known, "{}: what is '{command}'?", block.place);
    // The program of the workspace under its own name.
    let command = command.replacen("cargo run --release -- ", "drystone ", 1);
    let program = Path::new(env!("CARGO_BIN_EXE_drystone")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let folder = match block.value("from") {
        Some("project") => root(),
        _ => workshop.path(""),
    };
    let output = Command::new("sh")
        .args(["-c", &command])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", program.display()))
        .env("BROWSER", "true")
        .env_remove("DRYSTONE_LOG")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    let expected = block.value("exit").map_or(0, |code| code.parse().unwrap());
    assert_eq!(
        output.status.code(),
        Some(expected),
        "{}: {command}\n{text}",
        block.place
    );
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let lines: Vec<Vec<String>> = text.lines().map(words).collect();
    for line in printed.iter().filter(|line| is_fixed(line)) {
        assert!(
            lines.contains(&words(line)),
            "{}: '{line}' is not in\n{text}",
            block.place
        );
    }
    // What was run with which method, for how long, depends on nothing; how long it took does.
    for (run, _) in printed.iter().filter_map(|line| line.split_once(" simulated in ")) {
        assert!(text.contains(run), "{}: '{run}' is not in\n{text}", block.place);
    }
}

/// Numbers depend on the machine, on rounding and on what was run before, and so do units. Words don't.
fn is_fixed(line: &str) -> bool {
    let has_word = line
        .split(|letter: char| !letter.is_alphabetic())
        .any(|word| word.chars().count() >= 5);
    has_word && !line.contains('…') && !line.contains(|letter: char| letter.is_ascii_digit())
}

#[test]
fn links_between_pages_lead_somewhere() {
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for link in links.filter(|link| !link.starts_with("http") && !link.starts_with('#')) {
            let file = link.split('#').next().unwrap_or_default();
            let target = page.parent().unwrap().join(file);
            assert!(target.exists(), "{}: there is no {link}", page.display());
        }
    }
}
