//! `drystone run --dump-problems`: the problems of a run, and that solving them again gives what the run had.

mod common;

use std::path::Path;

use common::{Workshop, files_in};
use drystone_experiments::problems::{self, Kind, StoredProblem};
use drystone_solver::{Context, registry};

fn solve(stored: &StoredProblem, solver: &str) -> Vec<f64> {
    let problem = stored.to_problem().unwrap();
    let mut impulses = stored.guess().unwrap().to_vec();
    let solver = registry::solver(&solver.parse().unwrap()).unwrap();
    solver.solve(&problem, &mut impulses, &mut Context::default()).unwrap();
    impulses
}

/// The solves are the same but for the rounding in J = H L⁻¹, which a few sweeps do not magnify: eight digits are left.
fn assert_same_impulses(path: &Path, solver: &str) -> StoredProblem {
    let stored = problems::read(path).unwrap_or_else(|error| panic!("{error}"));
    let found = solve(&stored, solver);
    let expected = &stored.solution.as_ref().unwrap().r;
    let scale = expected
        .iter()
        .fold(0.0_f64, |largest, impulse| largest.max(impulse.abs()));
    assert!(scale > 0.0, "{}", path.display());
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (found - expected).abs() <= 1e-8 * scale,
            "{}: {found} {expected}",
            path.display()
        );
    }
    stored
}

#[test]
fn dumped_problems_solved_again_give_the_impulses_of_the_run() {
    let workshop = Workshop::new();
    let solver = "pgs:iterations=15";
    workshop.run(
        &format!("run wall:rows=2,columns=3 --steps 12 --solver {solver} --dump-problems every=5 --out out"),
        0,
    );
    let folder = workshop.path("out/problems");
    let expected =
        [5, 10].map(|step| ["hdf5", "json"].map(|extension| format!("step-{step:06}-group-0000.{extension}")));
    assert_eq!(files_in(&folder), expected.concat());
    for name in expected.concat() {
        let stored = assert_same_impulses(&folder.join(&name), solver);
        assert_eq!(
            stored.content.kind(),
            if name.ends_with("json") {
                Kind::Native
            } else {
                Kind::Global
            }
        );
        // Warm started from the step before, and not from the result.
        let guess = stored.guess().unwrap();
        assert!(guess.iter().any(|impulse| *impulse != 0.0), "{name}");
        assert_ne!(guess, stored.solution.as_ref().unwrap().r, "{name}");
        assert!(
            stored
                .info
                .title
                .contains("wall:rows=2,columns=3 with pgs:iterations=15"),
            "{}",
            stored.info.title
        );
    }
    // Both files hold the same problem.
    let problem = |name: &str| problems::read(folder.join(name)).unwrap().to_problem().unwrap();
    let (one, other) = (problem(&expected[0][0]), problem(&expected[0][1]));
    assert_eq!(one.blocks, other.blocks);
    let (a, b) = (
        one.assembled().unwrap().to_dense(),
        other.assembled().unwrap().to_dense(),
    );
    assert!((&a - &b).amax() <= 1e-12 * a.amax());
}

#[test]
fn compliance_makes_the_problem_local_and_no_friction_json_only() {
    let workshop = Workshop::new();
    let soft =
        "run wall:rows=1,columns=2 --steps 3 --solver semi-implicit:cfm=1e-6/pgs --dump-problems every=3 --out soft";
    workshop.run(soft, 0);
    for name in files_in(&workshop.path("soft/problems")) {
        let stored = assert_same_impulses(&workshop.path("soft/problems").join(&name), "pgs");
        assert_eq!(
            stored.content.kind(),
            if name.ends_with("json") {
                Kind::Native
            } else {
                Kind::Local
            }
        );
    }
    let scene = r#"
dt = 0.01
duration = 1.0
[[material]]
name = "default"
friction = 0.0
[[body]]
name = "ground"
kind = "fixed"
shape.box.size = [10.0, 10.0, 1.0]
position = [0.0, 0.0, -0.5]
[[body]]
name = "ball"
mass = 1.0
shape.sphere.radius = 0.5
position = [0.0, 0.0, 0.5]
"#;
    workshop.write("ice.toml", scene);
    workshop.run(
        "run ice.toml --steps 2 --solver pgs --dump-problems every=2 --out ice",
        0,
    );
    assert_eq!(
        files_in(&workshop.path("ice/problems")),
        ["step-000002-group-0000.json"]
    );
    let stored = assert_same_impulses(&workshop.path("ice/problems/step-000002-group-0000.json"), "pgs");
    assert!(
        stored.info.math_info.contains("no friction contact"),
        "{}",
        stored.info.math_info
    );
}

#[test]
fn force_removes_old_problems_and_nothing_else() {
    let workshop = Workshop::new();
    workshop.run(
        "run wall:rows=1,columns=2 --steps 4 --dump-problems every=2 --out out",
        0,
    );
    workshop.write("out/problems/notes.txt", "mine");
    workshop.run("run wall:rows=1,columns=2 --steps 4 --out out --force", 0);
    assert_eq!(files_in(&workshop.path("out/problems")), ["notes.txt"]);
    workshop.run(
        "run wall:rows=1,columns=2 --steps 4 --dump-problems every=4 --out out --force",
        0,
    );
    assert_eq!(files_in(&workshop.path("out/problems")).len(), 3);
}
