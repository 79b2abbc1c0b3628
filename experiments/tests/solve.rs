//! `drystone solve`: stored problems with every solver, broken files among good ones.

mod common;

use common::{Workshop, column, files_in, read_csv};
use serde_json::Value;

const COLUMNS: &str = "problem,file,kind,contacts,rows,solver,status,iterations,relative,natural,fischer_burmeister,gap,\
    cone_violation,seconds,message,seconds_median,velocity_error,reference_relative";

/// A contact with W = 2·1, q = (−1, 0, 0) and μ = 0.5: r = (1/2, 0, 0) and u = 0.
const RESTING: &str = "3 1 0 3 3 3 3 2 0 0 0 2 0 0 0 2 -1 0 0 0.5";
/// The same pushed sideways by 1 m/s: the tangent slips with r_t = μ r_n = 1/4 and u_t = 1 − 2/4.
const SLIPPING: &str = "3 1 0 3 3 3 3 2 0 0 0 2 0 0 0 2 -1 -1 0 0.5";

fn workshop() -> Workshop {
    let workshop = Workshop::new();
    std::fs::create_dir(workshop.path("problems")).unwrap();
    workshop.write("problems/resting.dat", RESTING);
    workshop.write("problems/slipping.dat", SLIPPING);
    workshop
}

fn cells(workshop: &Workshop, file: &str, name: &str) -> Vec<String> {
    let (header, rows) = read_csv(&workshop.path(file));
    let index = header.iter().position(|column| column == name).unwrap();
    rows.into_iter().map(|row| row[index].clone()).collect()
}

/// Elements are balanced and attributes quoted.
fn check_xml(text: &str) {
    let mut open = Vec::new();
    for tag in text.split('<').skip(1) {
        let tag = tag.split('>').next().unwrap();
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split_whitespace().next().unwrap());
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn every_problem_meets_every_solver() {
    let workshop = workshop();
    let line = "solve problems --solver pgs:iterations=200 --solver jacobi --repeat 3 --iterations 500 --out out";
    let (stdout, stderr) = workshop.run(line, 0);
    assert_eq!(stderr, "");
    for text in [
        "resting",
        "slipping",
        "pgs:iterations=200",
        "2 of 2",
        "converged",
        "results in out",
    ] {
        assert!(stdout.contains(text), "'{text}' is not in:\n{stdout}");
    }
    let (header, rows) = read_csv(&workshop.path("out/problems.csv"));
    assert_eq!(header.join(","), COLUMNS);
    assert_eq!(rows.len(), 4);
    assert_eq!(cells(&workshop, "out/problems.csv", "status"), ["converged"; 4]);
    assert_eq!(cells(&workshop, "out/problems.csv", "contacts"), ["1"; 4]);
    assert_eq!(
        cells(&workshop, "out/problems.csv", "solver"),
        ["pgs:iterations=200", "jacobi", "pgs:iterations=200", "jacobi"]
    );
    assert!(
        column(&workshop.path("out/problems.csv"), "relative")
            .iter()
            .all(|&e| e <= 1e-8)
    );
    let (shortest, median) = (
        column(&workshop.path("out/problems.csv"), "seconds"),
        column(&workshop.path("out/problems.csv"), "seconds_median"),
    );
    assert!(shortest.iter().zip(&median).all(|(a, b)| a <= b && *a > 0.0));

    assert_eq!(
        files_in(&workshop.path("out")),
        [
            "manifest.json",
            "plots",
            "problems.csv",
            "profile.svg",
            "report.html",
            "residual-time.svg"
        ]
    );
    for picture in ["out/profile.svg", "out/residual-time.svg"] {
        let text = workshop.read(picture);
        check_xml(&text);
        assert!(text.contains("pgs:iterations=200") && text.contains("jacobi"));
    }
    let manifest = workshop.json("out/manifest.json");
    assert_eq!(manifest["status"], "finished");
    assert_eq!(manifest["solvers"][0]["options"]["iterations"], "200");
    assert_eq!(manifest["solvers"][1]["options"]["iterations"], "500");
    assert_eq!(
        manifest["problems"][0]["blake3"],
        blake3::hash(RESTING.as_bytes()).to_hex().to_string()
    );
}

#[test]
fn a_problem_in_two_formats_is_two_problems() {
    let workshop = Workshop::new();
    workshop.run(
        "run box-stack:count=2 --steps 2 --dump-problems every=2 --out run --quiet",
        0,
    );
    let line = "solve run/problems --solver nsgs --solver proximal --record --out out --quiet";
    workshop.run(line, 0);
    let names: Vec<String> = ["hdf5", "json"]
        .map(|format| format!("step-000002-group-0000.{format}"))
        .to_vec();
    let twice = names.iter().flat_map(|name| [name.clone(), name.clone()]);
    assert_eq!(
        cells(&workshop, "out/problems.csv", "problem"),
        twice.collect::<Vec<_>>()
    );
    let report = workshop.read("out/report.html");
    assert!(report.contains("2 problems with 2 solvers"));
    for name in names {
        assert!(report.contains(&format!("Convergence on {name}")), "{name}");
    }
}

#[test]
fn broken_files_are_lines_and_the_rest_go_on() {
    let workshop = workshop();
    workshop.write("problems/cut.dat", &RESTING[..20]);
    workshop.write("problems/prose.json", "{ \"format\": ");
    workshop.write("problems/empty.hdf5", "");
    let (stdout, stderr) = workshop.run("solve problems --solver pgs --iterations 100 --out out", 2);
    assert_eq!(stderr.lines().count(), 3, "{stderr}");
    for name in ["cut.dat", "prose.json", "empty.hdf5"] {
        let line = stderr.lines().find(|line| line.contains(name)).unwrap();
        assert!(line.starts_with("error: "), "{line}");
    }
    assert!(stdout.contains("3 problems could not be read"), "{stdout}");
    let status = cells(&workshop, "out/problems.csv", "status");
    assert_eq!(status.iter().filter(|status| *status == "unreadable").count(), 3);
    assert_eq!(status.iter().filter(|status| *status == "converged").count(), 2);
    assert_eq!(workshop.json("out/manifest.json")["status"], "failed");
}

#[test]
fn mistakes_in_the_call_are_one_line_and_nothing_is_written() {
    let workshop = workshop();
    std::fs::create_dir(workshop.path("nothing")).unwrap();
    for (line, fragment) in [
        ("solve problems --solver pqs", "did you mean 'pgs'?"),
        ("solve problems --solver pgs:iteration=3", "did you mean 'iterations'?"),
        ("solve problems --solver classical/pgs", "say 'pgs'"),
        ("solve problems/missing.dat", "missing.dat"),
        ("solve nothing", "there is no problem"),
        ("solve problems --reference nowhere", "nowhere"),
        ("solve problems --markdown nowhere/page.md", "nowhere"),
        ("solve problems --markdown page.md --index nowhere.csv", "nowhere.csv"),
        ("solve problems --tolerance -1", "positive"),
    ] {
        let before = workshop.listing();
        let (stdout, stderr) = workshop.run(line, 2);
        assert_eq!(stdout, "", "{line}");
        assert_eq!(stderr.lines().count(), 1, "{line}: {stderr}");
        assert!(stderr.contains(fragment), "{line}: {stderr}");
        assert_eq!(workshop.listing(), before, "{line} wrote something");
    }
}

#[test]
fn who_does_not_converge_is_told_so_and_has_not_solved() {
    let workshop = workshop();
    let line = "solve problems/slipping.dat --solver jacobi:iterations=1,relaxation=0.3 --out out --json";
    let (stdout, _) = workshop.run(line, 0);
    let found: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(found["rows"][0]["status"], "iteration-limit");
    assert!(found["rows"][0]["relative"].as_f64().unwrap() > 1e-3);
    let page = "solve problems --solver jacobi:iterations=1,relaxation=0.3 --markdown page.md --out other";
    let (stdout, _) = workshop.run(page, 0);
    assert!(stdout.contains("not converged, iteration-limit"), "{stdout}");
    assert!(stdout.contains("0 of 2"), "{stdout}");
    assert!(
        workshop
            .read("page.md")
            .contains("**0 of 2 problems solved by at least one solver.**")
    );
}

/// A solver that stops by its own test claims what the residual does not confirm.
#[test]
fn a_claim_of_convergence_is_checked() {
    let workshop = workshop();
    let line = "solve problems/slipping.dat --solver jacobi:relaxation=0.1,stop=absolute,tolerance=0.03 --out out";
    workshop.run(line, 0);
    assert_eq!(cells(&workshop, "out/problems.csv", "status"), ["not-converged"]);
    let message = &cells(&workshop, "out/problems.csv", "message")[0];
    assert!(message.contains("a test of its own"), "{message}");
}

/// W with nothing on the diagonal of its first row.
#[test]
fn a_solver_that_refuses_is_a_row_and_the_exit_code_says_so() {
    let workshop = workshop();
    workshop.write("problems/singular.dat", "3 1 0 3 3 3 3 0 0 0 0 2 0 0 0 2 -1 0 0 0.5");
    workshop.run("solve problems --solver pgs --iterations 100 --out out", 1);
    assert_eq!(
        cells(&workshop, "out/problems.csv", "status"),
        ["converged", "failed", "converged"]
    );
    assert!(cells(&workshop, "out/problems.csv", "message")[1].contains("singular"));
}

#[test]
fn velocities_are_compared_with_a_reference() {
    let workshop = workshop();
    std::fs::create_dir(workshop.path("known")).unwrap();
    // The closed form above, the tangential velocity wrong by 0.1 of the largest free velocity, 1 m/s.
    workshop.write("known/slipping.dat.csv", "rn,rt1,rt2,un,ut1,ut2\n0.5,0.25,0,0,-0.4,0\n");
    let line = "solve problems --solver pgs --iterations 200 --reference known --out out";
    let (stdout, _) = workshop.run(line, 0);
    assert!(stdout.contains("velocity error"), "{stdout}");
    let errors = cells(&workshop, "out/problems.csv", "velocity_error");
    assert_eq!(errors[0], "");
    assert!((errors[1].parse::<f64>().unwrap() - 0.1).abs() < 1e-7, "{errors:?}");
    // Its impulses are those of the closed form.
    let references = cells(&workshop, "out/problems.csv", "reference_relative");
    assert_eq!(references[0], "");
    assert!(references[1].parse::<f64>().unwrap() < 1e-12, "{references:?}");
}

/// Both solve the problem, as far as their residuals tell, and they move differently: the page says so.
#[test]
fn another_solution_than_the_reference_is_marked() {
    let workshop = workshop();
    std::fs::create_dir(workshop.path("known")).unwrap();
    workshop.write("known/slipping.dat.csv", "rn,rt1,rt2,un,ut1,ut2\n0.5,0.25,0,0,-0.4,0\n");
    let line = "solve problems --solver pgs --iterations 200 --reference known --markdown page.md --out out";
    workshop.run(line, 0);
    let page = workshop.read("page.md");
    let row = |name: &str| page.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(
        row("| slipping").contains('‡') && !row("| resting").contains('‡'),
        "{page}"
    );
    assert!(page.contains("several solutions"), "{page}");
}

#[test]
fn a_page_names_the_best_solver_and_what_another_program_reached() {
    let workshop = workshop();
    workshop.write(
        "index.csv",
        "file,best_residual,best_solver,NSGS_seconds\nfc3d/resting.dat,3e-9,NSGS,0.002\n",
    );
    let line = "solve problems --solver pgs --iterations 200 --markdown page.md --index index.csv --out out";
    workshop.run(line, 0);
    let page = workshop.read("page.md");
    assert!(
        page.contains("**2 of 2 problems solved by at least one solver.**"),
        "{page}"
    );
    let row = page.lines().find(|line| line.starts_with("| resting")).unwrap();
    assert!(
        row.contains("`pgs`") && row.contains("3.0e-9") && row.contains("NSGS") && row.contains("2 ms"),
        "{row}"
    );
}

#[test]
fn recorded_curves_are_written_and_drawn() {
    let workshop = workshop();
    let line =
        "solve problems/slipping.dat --solver jacobi:relaxation=0.5 --solver pgs --iterations 40 --record --out out";
    workshop.run(line, 0);
    let (header, rows) = read_csv(&workshop.path("out/convergence.csv"));
    assert_eq!(header, ["problem", "solver", "iteration", "seconds", "residual"]);
    assert!(rows.len() > 10);
    for picture in ["out/convergence-iterations.svg", "out/convergence-time.svg"] {
        let text = workshop.read(picture);
        check_xml(&text);
        assert!(text.contains("jacobi:relaxation=0.5") && text.contains("slipping"));
    }
}

#[test]
fn jobs_change_nothing_but_the_time() {
    let workshop = workshop();
    for (jobs, out) in [(1, "one"), (3, "three")] {
        workshop.run(
            &format!("solve problems --solver pgs --iterations 50 --jobs {jobs} --out {out}"),
            0,
        );
    }
    for name in ["problem", "solver", "iterations", "relative", "natural", "gap"] {
        assert_eq!(
            cells(&workshop, "one/problems.csv", name),
            cells(&workshop, "three/problems.csv", name)
        );
    }
}

#[test]
fn a_warm_start_is_used_only_if_asked_for() {
    let workshop = workshop();
    workshop.write(
        "guess.json",
        r#"{"format": "drystone-problem", "version": 1, "blocks": [{"rows": 1, "cone": "non-negative"}],
            "bias": [-1.0], "operator": {"matrix": {"entries": [{"row": 0, "column": 0, "values": [2.0]}]}},
            "guesses": [{"r": [0.5]}]}"#,
    );
    let line = "solve guess.json --solver jacobi:iterations=1,relaxation=0.5";
    workshop.run(&format!("{line} --out cold"), 0);
    workshop.run(&format!("{line} --warm-start --out warm"), 0);
    assert_eq!(cells(&workshop, "cold/problems.csv", "status"), ["iteration-limit"]);
    assert_eq!(cells(&workshop, "warm/problems.csv", "status"), ["converged"]);
}
