//! What makes the program pleasant: folders to start from, completions and manual pages, runs that can be watched, logs,
//! colours.

mod common;

use std::process::Command as Process;

use common::{Workshop, files_in, read_csv};

const SMALL: &str = "run box-stack:count=3 --steps 30";

#[test]
fn a_new_folder_runs_as_it_is() {
    for (name, how) in [
        ("boxes", ""),
        ("joints", "--template joints"),
        ("copy", "--from wall:rows=2,columns=2"),
    ] {
        let workshop = Workshop::new();
        let (stdout, stderr) = workshop.run(&format!("init {name} {how}"), 0);
        assert!(stdout.contains(&format!("drystone run {name}/scene.toml")), "{stdout}");
        assert_eq!(stderr, "");
        assert_eq!(
            files_in(&workshop.path(name)),
            ["README.md", "experiment.toml", "scene.toml"]
        );
        assert!(!workshop.read(&format!("{name}/README.md")).contains("{{"));
        workshop.run(&format!("run {name}/scene.toml --steps 20 --out run"), 0);
        assert_eq!(workshop.json("run/summary.json")["steps"], 20);
        workshop.run(&format!("sweep {name}/experiment.toml --out sweep"), 0);
        let (header, rows) = read_csv(&workshop.path("sweep/results.csv"));
        let status = header.iter().position(|column| column == "status").unwrap();
        assert_eq!(rows.len(), 4);
        assert!(rows.iter().all(|row| row[status] == "finished"), "{rows:?}");
    }
}

#[test]
fn a_folder_is_not_overwritten_unasked() {
    let workshop = Workshop::new();
    workshop.run("init mine", 0);
    workshop.write("mine/scene.toml", "changed");
    workshop.write("mine/diary.txt", "dear diary");
    let (_, stderr) = workshop.run("init mine", 2);
    assert!(
        stderr.contains("mine/scene.toml") && stderr.contains("--force"),
        "{stderr}"
    );
    assert_eq!(workshop.read("mine/scene.toml"), "changed");
    workshop.run("init mine --force", 0);
    assert!(workshop.read("mine/scene.toml").contains("[[body]]"));
    assert_eq!(workshop.read("mine/diary.txt"), "dear diary");

    workshop.write("a-file", "");
    let (_, stderr) = workshop.run("init a-file", 2);
    assert!(stderr.contains("'a-file' is a file"), "{stderr}");
    let (_, stderr) = workshop.run("init other --from wal", 2);
    assert!(stderr.contains("did you mean 'wall'?"), "{stderr}");
    assert!(!workshop.path("other").exists());
}

#[cfg(unix)]
#[test]
fn bash_completes_commands_options_and_names() {
    let workshop = Workshop::new();
    let (script, _) = workshop.run("completions bash", 0);
    workshop.write("complete.bash", &script);
    let bash = |line: &str| {
        let output = Process::new("bash")
            .args(["-c", line])
            .current_dir(workshop.path(""))
            .output();
        let output = output.unwrap();
        assert!(
            output.status.success(),
            "{line}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    bash("bash -n complete.bash");
    // What bash does when a tab is typed: the words so far, and the number of the one that is to be completed.
    let complete = |typed: &str| {
        let words: Vec<&str> = typed.split(' ').collect();
        let (last, before) = (words[words.len() - 1], words[words.len() - 2]);
        bash(&format!(
            "source complete.bash; COMP_WORDS=({typed}); COMP_CWORD={}; _drystone drystone '{last}' '{before}'; \
             echo ${{COMPREPLY[@]}}",
            words.len() - 1
        ))
    };
    assert_eq!(complete("drystone ru"), "run");
    assert_eq!(complete("drystone run wal"), "wall");
    assert_eq!(complete("drystone run wall --dura"), "--duration");
    assert_eq!(complete("drystone run wall --solver jaco"), "jacobi");
    assert_eq!(complete("drystone list metr"), "metrics");
}

#[test]
fn every_shell_has_a_script() {
    let workshop = Workshop::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (script, stderr) = workshop.run(&format!("completions {shell}"), 0);
        assert!(script.contains("conformance") && script.contains("wall"), "{shell}");
        assert_eq!(stderr, "");
    }
}

/// The names of all commands, as the help lists them.
fn commands(workshop: &Workshop) -> Vec<String> {
    let (help, _) = workshop.run("--help", 0);
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = listed.take_while(|line| line.starts_with("  "));
    // What is further in goes on from the line above.
    let names: Vec<String> = names
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect();
    assert!(names.len() >= 9, "{names:?}");
    names
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let workshop = Workshop::new();
    let (main, _) = workshop.run("man", 0);
    workshop.run("man pages", 0);
    assert_eq!(workshop.read("pages/drystone.1"), main);
    for command in commands(&workshop) {
        assert!(
            main.contains(&format!("drystone\\-{command}(1)")),
            "{command} is not in {main}"
        );
        let page = workshop.read(&format!("pages/drystone-{command}.1"));
        assert!(page.contains("Examples:"), "{command}: {page}");
    }
    // Where there is a `man`, it must take the page.
    let rendered = Process::new("man")
        .args(["-l", "pages/drystone-run.1"])
        .current_dir(workshop.path(""))
        .output();
    if let Ok(rendered) = rendered.map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        && !rendered.is_empty()
    {
        assert!(rendered.contains("--dump-problems"), "{rendered}");
    }
}

#[test]
fn every_command_has_help_with_examples() {
    let workshop = Workshop::new();
    for command in commands(&workshop) {
        for flag in ["--help", "-h"] {
            let (help, stderr) = workshop.run(&format!("{command} {flag}"), 0);
            let examples = help
                .lines()
                .filter(|line| line.starts_with(&format!("  drystone {command}")))
                .count();
            assert!(help.contains("Examples:") && examples >= 2, "{command}: {help}");
            assert_eq!(stderr, "");
        }
    }
}

#[test]
fn watching_changes_nothing_but_what_is_seen() {
    let workshop = Workshop::new();
    let (plain, silent) = workshop.run(&format!("{SMALL} --out plain"), 0);
    let (watched, stderr) = workshop.run(&format!("{SMALL} --out watched --watch"), 0);
    assert_eq!(silent, "");
    // No terminal: lines instead of a panel, and no escape codes.
    assert!(stderr.starts_with("step 1 of 30, "), "{stderr}");
    assert!(stderr.contains("contacts") && stderr.contains("left"), "{stderr}");
    assert!(!stderr.contains('\u{1b}'), "{stderr:?}");
    assert_eq!(plain.lines().count(), watched.lines().count());
    let physics = |directory: &str| {
        let (header, rows) = read_csv(&workshop.path(directory).join("steps.csv"));
        let clocks: Vec<bool> = header.iter().map(|name| name.ends_with("_us")).collect();
        let keep = |row: &Vec<String>| {
            row.iter()
                .zip(&clocks)
                .filter(|(_, clock)| !**clock)
                .map(|(cell, _)| cell.clone())
                .collect()
        };
        rows.iter().map(keep).collect::<Vec<Vec<String>>>()
    };
    assert_eq!(physics("plain"), physics("watched"));
    let (stdout, _) = workshop.run(&format!("{SMALL} --out json --watch --json"), 0);
    assert!(serde_json::from_str::<serde_json::Value>(&stdout).is_ok(), "{stdout}");
}

#[test]
fn logs_say_more_the_more_is_asked_for() {
    let workshop = Workshop::new();
    let log = |how: &str| workshop.run(&format!("{SMALL} --out out --force {how}"), 0).1;
    assert_eq!(log(""), "");
    let info = log("-v");
    for wanted in [
        "threads=",
        "scene box-stack:count=3 built bodies=4 joints=0",
        " / pgs:granularity=rows,friction=cone,kernel=wide,iterations=",
        "erp=",
        "results go here directory=out",
        "finished: all steps are done steps=30",
    ] {
        assert!(info.contains(wanted), "'{wanted}' is not in {info}");
    }
    assert!(!info.contains("DEBUG") && !info.contains('\u{1b}'), "{info}");
    let debug = log("-vv");
    assert!(debug.contains("DEBUG drystone::run: step step=15"), "{debug}");
    assert!(debug.contains("file written file=out/steps.csv"), "{debug}");
    assert!(!debug.contains("TRACE"), "{debug}");
    // A summary of some steps at debug, of the others at trace: together all.
    let trace = log("-vvv");
    assert_eq!(trace.matches("drystone::run: step step=").count(), 30, "{trace}");

    let failed = "run rocket.toml --out failed --force -v";
    workshop.write("rocket.toml", common::ROCKET);
    let (_, stderr) = workshop.run(failed, 1);
    assert!(stderr.contains("WARN drystone::run: failed:"), "{stderr}");
}

#[test]
fn the_variable_chooses_parts_of_the_program() {
    let workshop = Workshop::new();
    workshop.run("init mine", 0);
    let sweep = |filter: &str, code: i32| {
        let mut command = workshop.drystone("sweep mine/experiment.toml --out out --force");
        let output = command.env("DRYSTONE_LOG", filter).output().unwrap();
        assert_eq!(output.status.code(), Some(code));
        String::from_utf8(output.stderr).unwrap()
    };
    let log = sweep("drystone::sweep=info", 0);
    assert_eq!(log.matches("begins").count(), 4, "{log}");
    assert!(!log.contains("drystone::run"), "{log}");
    assert_eq!(sweep("off", 0), "");
    let log = sweep("inof", 2);
    assert_eq!(log, "error: DRYSTONE_LOG: unknown level 'inof'; did you mean 'info'?\n");
}

#[test]
fn colours_are_for_terminals_or_on_demand() {
    let workshop = Workshop::new();
    let compare = "compare box-stack:count=3 --solver pgs --solver jacobi --steps 20 --force --out out";
    let lines = [
        (format!("{SMALL} --force --out out"), 0),
        (compare.to_owned(), 0),
        ("list events".to_owned(), 0),
        ("list solvers".to_owned(), 0),
        ("conformance --solver pgs".to_owned(), 0),
        ("run wal".to_owned(), 2),
        ("rnu wall".to_owned(), 2),
        ("--help".to_owned(), 0),
    ];
    let escapes = |line: &str, code: i32| {
        let (stdout, stderr) = workshop.run(line, code);
        stdout.contains('\u{1b}') || stderr.contains('\u{1b}')
    };
    for (line, code) in lines {
        assert!(!escapes(&line, code), "{line}");
        assert!(!escapes(&format!("{line} --color never"), code), "{line}");
        assert!(escapes(&format!("{line} --color always"), code), "{line}");
        assert!(escapes(&format!("--color=always {line}"), code), "{line}");
    }
    // JSON is for programs: no colours in it, whatever was asked for.
    assert!(!escapes("list solvers --json --color always", 0));
    let painted = workshop.run(&format!("{compare} --color always"), 0).0;
    let plain = workshop.run(compare, 0).0;
    assert_eq!(painted.lines().count(), plain.lines().count());
    assert!(
        painted.contains("\u{1b}[1m\u{1b}[32m"),
        "no best value is marked: {painted:?}"
    );
}
