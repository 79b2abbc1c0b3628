//! `drystone report`: one page from the files of a directory, whatever they hold.

mod common;

use std::collections::HashSet;
use std::fmt::Write;
use std::fs;

use common::{HEADER, ROCKET, Workshop, files_in};

/// The names of the plots on a page.
fn plots(page: &str) -> Vec<String> {
    let names = page.split("data-plot=\"").skip(1);
    names
        .filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()))
        .collect()
}

/// What must be true of every page: nothing is loaded, ids are unique, plots have their files, scripts are ours.
fn check_page(workshop: &Workshop, directory: &str) -> String {
    let page = workshop.read(&format!("{directory}/report.html"));
    assert!(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
    assert!(page.ends_with("</html>\n"));
    let without_namespace = page.replace("http://www.w3.org/2000/svg", "");
    for address in ["http://", "https://", "//cdn", "src=\"/", "@import", "url("] {
        assert!(!without_namespace.contains(address), "{address}");
    }
    let mut ids = HashSet::new();
    for id in page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(ids.insert(id.to_owned()), "two elements have the id '{id}'");
    }
    for target in page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(ids.contains(target), "nothing has the id '{target}'");
    }
    let data = page.split("<script type=\"application/json\">").skip(1);
    for json in data.filter_map(|rest| rest.split("</script>").next()) {
        let data: serde_json::Value = serde_json::from_str(json).unwrap();
        assert!(!data["layers"].as_array().unwrap().is_empty());
    }
    let names = plots(&page);
    let files: Vec<String> = match names.is_empty() {
        true => Vec::new(),
        false => files_in(&workshop.path(&format!("{directory}/plots"))),
    };
    for name in &names {
        assert!(files.contains(&format!("{name}.svg")), "{name}: {files:?}");
        let svg = workshop.read(&format!("{directory}/plots/{name}.svg"));
        assert!(
            svg.starts_with("<svg xmlns=") && svg.contains("<style>") && svg.contains("<title>"),
            "{name}"
        );
    }
    assert_eq!(page.matches("class=\"download\"").count(), names.len());
    page
}

#[test]
fn a_run_ends_with_its_report_and_report_makes_the_same_bytes_again() {
    let workshop = Workshop::new();
    workshop.run(
        "run box-stack:count=4 --solver pgs:iterations=30 --steps 20 --out out",
        0,
    );
    let first = check_page(&workshop, "out");
    fs::remove_file(workshop.path("out/report.html")).unwrap();
    fs::remove_dir_all(workshop.path("out/plots")).unwrap();
    let (stdout, stderr) = workshop.run("report out", 0);
    assert_eq!(stderr, "");
    assert!(stdout.starts_with("report in out/report.html ("), "{stdout}");
    assert!(check_page(&workshop, "out") == first, "the bytes differ");
    for text in [
        "box-stack:count=4 with pgs:iterations=30",
        "id=\"methods\"",
        "$",
        "pgs:iterations=30 --steps 20",
        "<dt>Machine</dt>",
        "<dt>iterations</dt><dd>30</dd>",
    ] {
        assert!(first.contains(text), "'{text}' is not on the page");
    }
    let names = plots(&first);
    for name in [
        "residual-iteration",
        "residual-time",
        "penetration",
        "energy",
        "time-per-step",
        "contacts-histogram",
    ] {
        assert!(names.contains(&name.to_owned()), "{name}: {names:?}");
    }
    assert!(first.contains("total energy"), "energies are added up");
}

#[test]
fn a_comparison_overlays_methods_with_the_same_look_everywhere() {
    let workshop = Workshop::new();
    let line = "compare box-stack:count=4 --solver pgs:iterations=2 --solver pgs:iterations=200 --steps 20 --out out";
    workshop.run(line, 0);
    let page = check_page(&workshop, "out");
    let names = plots(&page);
    for name in [
        "work-precision",
        "work-penetration",
        "performance-profile",
        "total-energy",
        "penetration-max",
        "step-us",
    ] {
        assert!(names.contains(&name.to_owned()), "{name}: {names:?}");
    }
    // In legends and tables the second method has the second colour, wherever it is.
    for (method, class) in [("pgs:iterations=2", "s0"), ("pgs:iterations=200", "s1")] {
        let legends = page
            .split("<li><button")
            .filter(|entry| entry.contains(&format!("class=\"name\">{method}</span>")));
        let mut seen = 0;
        for legend in legends {
            assert!(
                legend.contains(&format!("<span class=\"{class}\">")),
                "{method}: {legend}"
            );
            seen += 1;
        }
        assert!(seen >= 8, "{method} is in {seen} legends");
        let dot = format!("<span class=\"dot {class}\" aria-hidden=\"true\"></span>{method}</th>");
        assert!(page.contains(&dot), "{method}");
    }
    assert!(page.contains("class=\"number best\"") && page.contains("(best)"));
    assert!(page.contains("Pareto front"));
}

#[test]
fn captured_curves_are_on_the_page_of_their_comparison() {
    let workshop = Workshop::new();
    let line = "compare box-stack:count=3 --solver pgs --solver jacobi --steps 10 --plot --out out";
    workshop.run(line, 0);
    let page = check_page(&workshop, "out");
    let names = plots(&page);
    assert!(
        names.contains(&"captured-iteration".into()) && names.contains(&"captured-time".into()),
        "{names:?}"
    );
    assert!(page.contains("those of step 10"));
}

#[test]
fn several_scenes_are_groups_of_one_table() {
    let workshop = Workshop::new();
    let line = "compare box-stack:count=2 box-stack:count=3 --solver pgs --solver jacobi --steps 8 --out out";
    workshop.run(line, 0);
    let page = check_page(&workshop, "out");
    let table = page
        .split("<table id=\"methods\"")
        .nth(1)
        .unwrap()
        .split("</table>")
        .next()
        .unwrap();
    assert_eq!(table.matches("<tbody").count(), 2);
    assert!(page.contains("<option value=\"1\">box-stack:count=3</option>"));
    assert!(page.contains("of 2 scenes"), "the profile is over both scenes");
    assert!(plots(&page).contains(&"box-stack-count=3-total-energy".to_owned()));
}

#[test]
fn runs_are_shown_side_by_side() {
    let workshop = Workshop::new();
    workshop.run("run box-stack:count=3 --solver pgs --steps 6 --out a", 0);
    workshop.run("run box-stack:count=3 --solver pgs --steps 6 --dt 0.005 --out b", 0);
    let (_, stderr) = workshop.run("report a b", 2);
    assert!(stderr.contains("--out") && stderr.lines().count() == 1, "{stderr}");
    fs::create_dir(workshop.path("both")).unwrap();
    let (stdout, _) = workshop.run("report a b --out both/report.html --json", 0);
    let written: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        (&written["path"], &written["kind"]),
        (&"both/report.html".into(), &"runs".into())
    );
    let page = check_page(&workshop, "both");
    assert_eq!(written["plots"].as_array().unwrap().len(), plots(&page).len());
    // Equal methods are told apart by their directories.
    assert!(page.contains("pgs (a)") && page.contains("pgs (b)"));
}

#[test]
fn failed_runs_are_warned_of() {
    let workshop = Workshop::new();
    workshop.write("rocket.toml", ROCKET);
    workshop.run("run rocket.toml --solver semi-implicit/pgs --steps 5 --out run", 1);
    let page = check_page(&workshop, "run");
    assert!(page.contains("id=\"warnings\"") && page.contains("diverged at step 3"));
    assert!(page.contains("<span class=\"badge bad\">failed</span>"));
    let line = "compare rocket.toml --solver semi-implicit/pgs --solver classical/pgs --steps 3 --out both";
    workshop.run(line, 1);
    let page = check_page(&workshop, "both");
    assert!(page.contains("1 of 2 runs") && page.contains("rocket.toml with semi-implicit/pgs failed"));
}

const EXPERIMENT: &str = r#"
title = "Stacks & <em>sweeps</em>"
steps = 6
repetitions = 2

[[scene]]
spec = "box-stack"
parameters = { count = [2, 3] }

[[method]]
name = "sweeps"
spec = "pgs"
solver = { iterations = [5, 20, 50] }

[[fit]]
name = "linear"
x = "contacts"
y = "step_us"
"#;

#[test]
fn a_sweep_has_a_row_a_combination() {
    let workshop = Workshop::new();
    workshop.write("x.toml", EXPERIMENT);
    workshop.run("sweep x.toml --keep-runs --out out --quiet", 0);
    let page = check_page(&workshop, "out");
    assert!(page.contains("<h1>Stacks &amp; &lt;em&gt;sweeps&lt;/em&gt;</h1>"));
    let table = page
        .split("<table id=\"methods\"")
        .nth(1)
        .unwrap()
        .split("</table>")
        .next()
        .unwrap();
    assert_eq!(table.matches("<th scope=\"row\"").count(), 6);
    assert_eq!(table.matches("<tbody").count(), 2);
    assert!(table.contains("iterations=50") && table.contains("★"));
    assert!(page.contains("data:image/svg+xml;base64,"), "the picture of the fit");
    let names = plots(&page);
    for scene in ["box-stack-count=2", "box-stack-count=3"] {
        assert!(names.contains(&format!("{scene}-work-precision")), "{names:?}");
    }
    assert!(names.iter().any(|name| name.ends_with("-total-energy")), "{names:?}");
    assert!(names.contains(&"residual-by-iterations".to_owned()), "{names:?}");
    assert!(
        !names.contains(&"residual-by-count".to_owned()),
        "two values are no dependence"
    );

    workshop.run("sweep x.toml --out bare --quiet", 0);
    assert!(check_page(&workshop, "bare").contains("--keep-runs"));
}

#[test]
fn a_folder_of_sweeps_is_one_page() {
    let workshop = Workshop::new();
    fs::create_dir(workshop.path("all")).unwrap();
    workshop.write("all/first.toml", EXPERIMENT);
    workshop.write("all/second.toml", &EXPERIMENT.replace("Stacks", "Others"));
    workshop.run("sweep all --out out --quiet", 0);
    let page = check_page(&workshop, "out");
    assert!(page.contains("2 sweeps") && page.contains("Others &amp;") && page.contains("Stacks &amp;"));
    let (stdout, _) = workshop.run("report out --json", 0);
    let written: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(written["kind"], "sweeps");
}

#[test]
fn a_solve_has_its_solvers_and_problems() {
    let workshop = Workshop::new();
    let own = common::own_problems();
    let problems = [
        "mj-boxstack-N10-s11-t0.50-nc40.hdf5",
        "mj-heavytop-N6-s13-t0.01-nc24.hdf5",
    ]
    .map(|name| own.join(name));
    let line = format!(
        "solve {} {} --solver pgs:iterations=200 --solver jacobi:iterations=200 --record --criterion natural --tolerance 0.1 \
         --out out --quiet",
        problems[0].display(),
        problems[1].display()
    );
    workshop.run(&line, 0);
    let page = check_page(&workshop, "out");
    let names = plots(&page);
    for name in ["performance-profile", "work-precision", "captured-iteration"] {
        assert!(names.contains(&name.to_owned()), "{name}: {names:?}");
    }
    assert!(page.contains("id=\"methods\"") && page.contains("id=\"problem-table\""));
    assert!(page.contains("solved is"), "the profile says what counts");
}

#[test]
fn what_is_no_directory_with_results_is_refused_in_one_line() {
    let workshop = Workshop::new();
    fs::create_dir(workshop.path("empty")).unwrap();
    workshop.write("file.txt", "");
    workshop.run("run box-stack:count=2 --steps 2 --out run --quiet", 0);
    workshop.run("run box-stack:count=2 --steps 2 --out broken --quiet", 0);
    workshop.run("run box-stack:count=2 --steps 2 --out half --quiet", 0);
    fs::remove_file(workshop.path("half/manifest.json")).unwrap();
    fs::remove_file(workshop.path("half/report.html")).unwrap();
    let text = workshop.read("broken/steps.csv").replacen("\n2,", "\nmuch,", 1);
    workshop.write("broken/steps.csv", &text);
    fs::remove_file(workshop.path("broken/report.html")).unwrap();
    let before = workshop.listing();
    for (line, fragments) in [
        ("report nowhere", ["'nowhere'", "does not exist"]),
        ("report file.txt", ["'file.txt'", "is no directory"]),
        ("report empty", ["'empty'", "holds no results"]),
        ("report half", ["half/manifest.json", "cannot read"]),
        ("report broken", ["broken/steps.csv: line 3", "'much' in column 'step'"]),
        ("report run --out nowhere/x.html", ["nowhere/x.html", "no folder"]),
        ("report run empty --out x.html", ["'empty'", "holds no results"]),
    ] {
        let (_, stderr) = workshop.run(line, 2);
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        for fragment in fragments {
            assert!(stderr.contains(fragment), "{line}: {stderr}");
        }
        assert_eq!(workshop.listing(), before, "{line} wrote something");
    }
}

#[test]
fn names_from_files_are_harmless() {
    let workshop = Workshop::new();
    workshop.run("run box-stack:count=2 --steps 3 --out out --quiet", 0);
    let evil = "</script><script>alert(1)</script><img src=x onerror='a'>\\\"";
    for name in ["out/manifest.json", "out/summary.json"] {
        let text = workshop
            .read(name)
            .replace("box-stack:count=2", evil)
            .replace("\"pgs\"", &format!("\"{evil}\""));
        serde_json::from_str::<serde_json::Value>(&text).unwrap();
        workshop.write(name, &text);
    }
    workshop.run("report out", 0);
    let page = workshop.read("out/report.html");
    assert!(page.contains("&lt;script&gt;alert(1)"));
    // In the data of plots it stands in a string of JSON, where nothing can begin a tag.
    for text in ["<script>alert", "<img src=x"] {
        assert!(!page.contains(text), "{text}");
    }
}

/// A run directory of so many steps, without simulating; `value` gives the cell of a column.
fn invented_run(workshop: &Workshop, name: &str, steps: usize, value: impl Fn(usize, &str) -> String) {
    workshop.run(&format!("run box-stack:count=2 --steps 1 --out {name} --quiet"), 0);
    let mut text = format!("{HEADER}\n");
    for step in 1..=steps {
        let cells: Vec<String> = HEADER.split(',').map(|column| value(step, column)).collect();
        let _ = writeln!(text, "{}", cells.join(","));
    }
    workshop.write(&format!("{name}/steps.csv"), &text);
}

#[test]
fn a_hundred_thousand_steps_are_a_small_page_with_their_spike() {
    let workshop = Workshop::new();
    invented_run(&workshop, "out", 100_000, |step, column| match column {
        "step" => step.to_string(),
        "time" => (0.01 * step as f64).to_string(),
        "penetration_max" if step == 54_321 => "76.54".to_owned(),
        "contacts" => (step % 17).to_string(),
        _ => (1.0 + (step as f64 * 0.37).sin().abs()).to_string(),
    });
    workshop.run("report out", 0);
    let page = check_page(&workshop, "out");
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    let penetration = page.split("data-plot=\"penetration\"").nth(1).unwrap();
    let data = penetration.split("<script").nth(1).unwrap();
    assert!(data.contains("[543.21,"), "the step with the spike is kept");
}

#[test]
fn missing_and_infinite_values_are_left_out() {
    let workshop = Workshop::new();
    invented_run(&workshop, "out", 30, |step, column| match (column, step % 3) {
        ("step" | "time", _) => step.to_string(),
        ("residual", _) => String::new(),
        ("kinetic_energy", 0) => "inf".to_owned(),
        ("kinetic_energy", 1) => "NaN".to_owned(),
        ("layers", _) => "0".to_owned(),
        _ => "2".to_owned(),
    });
    fs::remove_file(workshop.path("out/convergence.csv")).unwrap();
    workshop.run("report out", 0);
    let page = check_page(&workshop, "out");
    let names = plots(&page);
    assert!(
        !names.contains(&"residual".to_owned()) && !names.contains(&"layers".to_owned()),
        "{names:?}"
    );
    assert!(names.contains(&"energy".to_owned()));
    assert!(page.contains("infinite values are left out"));
    assert!(page.contains("No residuals were measured"));
}

#[test]
fn trajectories_are_embedded_where_there_are_any() {
    let workshop = Workshop::new();
    workshop.run("run box-stack:count=2 --steps 5 --out with --quiet", 0);
    let page = check_page(&workshop, "with");
    assert!(page.contains("<div id=\"replay\"></div>") && page.contains("mountReplay"));
    assert_eq!(page.matches("<script type=\"text/plain\" id=\"trajectory-").count(), 1);
    workshop.run(
        "run box-stack:count=2 --steps 5 --trajectory none --out without --quiet",
        0,
    );
    let page = check_page(&workshop, "without");
    assert!(!page.contains("id=\"replay\"") && !page.contains("mountReplay"));
    assert!(page.contains("No trajectory was recorded"));
}

#[test]
fn no_step_and_one_step_are_pages_too() {
    let workshop = Workshop::new();
    workshop.run("run box-stack:count=2 --steps 1 --out one --quiet", 0);
    let page = check_page(&workshop, "one");
    assert!(page.contains("1 step ·") && plots(&page).contains(&"energy".to_owned()));
    invented_run(&workshop, "none", 0, |_, _| String::new());
    let summary = workshop.read("none/summary.json").replace("\"finished\"", "\"failed\"");
    workshop.write("none/summary.json", &summary.replace("\"steps\": 1", "\"steps\": 0"));
    workshop.write("none/convergence.csv", "step,group,iteration,residual\n");
    workshop.run("report none", 0);
    assert!(check_page(&workshop, "none").contains("No step was taken"));
    fs::remove_file(workshop.path("none/steps.csv")).unwrap();
    workshop.run("report none", 0);
    assert!(check_page(&workshop, "none").contains("No step was taken"));
}
