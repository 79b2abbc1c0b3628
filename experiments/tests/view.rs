//! `drystone view`: the report is there, and the browser gets it.

mod common;

use std::fs;

use common::Workshop;
use serde_json::Value;

fn view(workshop: &Workshop, line: &str) -> Value {
    let (stdout, _) = workshop.run(line, 0);
    serde_json::from_str(&stdout).unwrap()
}

#[test]
fn a_report_is_made_when_it_is_missing_or_old() {
    let workshop = Workshop::new();
    workshop.run("run box-stack:count=2 --steps 3 --out out --quiet", 0);
    let line = "view out --no-open --json";
    let current = view(&workshop, line);
    assert_eq!(
        (&current["built"], &current["path"]),
        (&false.into(), &"out/report.html".into())
    );
    assert_eq!((&current["opened"], &current["kind"]), (&false.into(), &"run".into()));
    assert!(!current["plots"].as_array().unwrap().is_empty());

    fs::remove_file(workshop.path("out/report.html")).unwrap();
    assert_eq!(view(&workshop, line)["built"], true);

    // Older than the results by an hour.
    let file = fs::File::options()
        .write(true)
        .open(workshop.path("out/report.html"))
        .unwrap();
    file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(3600))
        .unwrap();
    assert_eq!(view(&workshop, line)["built"], true);
    assert_eq!(view(&workshop, line)["built"], false);

    let (stdout, _) = workshop.run("view out/report.html --no-open", 0);
    assert_eq!(stdout, "out/report.html\n");
}

#[cfg(unix)]
mod browsers {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn script(workshop: &Workshop, name: &str, text: &str) -> String {
        workshop.write(name, text);
        let path = workshop.path(name);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    }

    #[test]
    fn the_browser_that_was_asked_for_gets_the_whole_path() {
        let workshop = Workshop::new();
        workshop.run("run box-stack:count=2 --steps 3 --out out --quiet", 0);
        let told = workshop.path("told.txt");
        let browser = script(
            &workshop,
            "browser",
            &format!("#!/bin/sh\necho \"$1\" > '{}'\n", told.display()),
        );
        let output = workshop.drystone("view out").env("BROWSER", browser).output().unwrap();
        assert!(output.status.success());
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "out/report.html\n");
        let expected = workshop.path("out/report.html").canonicalize().unwrap();
        assert_eq!(workshop.read("told.txt").trim(), expected.display().to_string());
    }

    #[test]
    fn the_next_browser_of_a_list_is_tried() {
        let workshop = Workshop::new();
        workshop.run("run box-stack:count=2 --steps 3 --out out --quiet", 0);
        let told = workshop.path("told.txt");
        let broken = script(&workshop, "broken", "#!/bin/sh\nexit 3\n");
        let works = script(
            &workshop,
            "works",
            &format!("#!/bin/sh\necho \"$1\" > '{}'\n", told.display()),
        );
        let list = format!("{broken}:{works} --page %s");
        let output = workshop.drystone("view out").env("BROWSER", list).output().unwrap();
        assert!(output.status.success());
        assert_eq!(workshop.read("told.txt"), "--page\n");
    }

    #[test]
    fn no_browser_is_said_in_one_line_and_the_path_is_printed_all_the_same() {
        let workshop = Workshop::new();
        workshop.run("run box-stack:count=2 --steps 3 --out out --quiet", 0);
        let mut command = workshop.drystone("view out");
        let output = command
            .env("BROWSER", "/no/such/browser")
            .env("PATH", "/nowhere")
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "out/report.html\n");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(
            stderr.contains("out/report.html") && stderr.contains("BROWSER"),
            "{stderr}"
        );
    }
}

#[test]
fn what_is_no_report_is_refused() {
    let workshop = Workshop::new();
    workshop.write("notes.txt", "");
    for (line, fragment) in [
        ("view notes.txt", ".html"),
        ("view nowhere", "does not exist"),
        ("view .", "holds no results"),
    ] {
        let (_, stderr) = workshop.run(line, 2);
        assert!(
            stderr.contains(fragment) && stderr.lines().count() == 1,
            "{line}: {stderr}"
        );
    }
}
