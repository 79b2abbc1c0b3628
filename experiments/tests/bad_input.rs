//! Wrong input: one clear line on stderr, exit code 2, and nothing written.

mod common;

use common::Workshop;

const SMALL: &str = "run wall:rows=2,columns=2 --steps 2";

/// Runs a wrong command; its message must hold all the fragments.
fn refused(workshop: &Workshop, line: &str, fragments: &[&str]) {
    let before = workshop.listing();
    let (stdout, stderr) = workshop.run(line, 2);
    assert_eq!(stdout, "", "{line}");
    assert_eq!(stderr.lines().count(), 1, "{line}: {stderr}");
    assert!(stderr.starts_with("error: "), "{line}: {stderr}");
    for fragment in fragments {
        assert!(stderr.contains(fragment), "{line}: '{fragment}' is not in: {stderr}");
    }
    assert_eq!(workshop.listing(), before, "{line} wrote something");
}

#[test]
fn unknown_names_are_answered_with_the_nearest_known_one() {
    let workshop = Workshop::new();
    for (line, fragments) in [
        ("run wal", ["scene 'wal'", "did you mean 'wall'?"]),
        ("run wall:rosw=3", ["'rosw'", "did you mean 'rows'?"]),
        ("run wall --solver pqs", ["solver 'pqs'", "did you mean 'pgs'?"]),
        (
            "run wall --solver clasical/pgs",
            ["stepper 'clasical'", "did you mean 'classical'?"],
        ),
        (
            "run wall --solver pgs:iteration=3",
            ["'iteration'", "did you mean 'iterations'?"],
        ),
        (
            "run wall --solver semi-implicit:erq=0.1/pgs",
            ["'erq'", "did you mean 'erp'?"],
        ),
        (
            "compare wall --solver pgs --solver jacobu",
            ["solver 'jacobu'", "did you mean 'jacobi'?"],
        ),
        (
            "compare wall towr --solver pgs",
            ["scene 'towr'", "did you mean 'tower'?"],
        ),
        ("run wall --record evry", ["evry", "every"]),
        ("run wall --stpes 3", ["--stpes", "--steps"]),
        ("list solver", ["solver", "solvers"]),
        ("rnu wall", ["rnu", "'run'"]),
    ] {
        refused(&workshop, line, &fragments);
    }
}

/// A file that was saved too early, or has lost its bodies, is no scene to run.
#[test]
fn a_scene_without_bodies_is_refused() {
    let workshop = Workshop::new();
    workshop.write("empty.toml", "");
    workshop.write("bare.toml", "dt = 0.01\n[[material]]\nname = \"ice\"\n");
    workshop.write(
        "experiment.toml",
        "title = \"A\"\n[[scene]]\nspec = \"empty.toml\"\n[[method]]\nspec = \"pgs\"\n",
    );
    for (line, place) in [
        ("run empty.toml", "scene 'empty.toml'"),
        ("run bare.toml", "scene 'bare.toml'"),
        ("compare empty.toml --solver pgs", "scene 'empty.toml'"),
        ("sweep experiment.toml", "experiment.toml:3:8: "),
    ] {
        refused(&workshop, line, &["has no bodies; add a [[body]]", place]);
    }
}

#[test]
fn errors_say_what_to_do() {
    let workshop = Workshop::new();
    workshop.write("ramp.toml", "[[body]]\nmass = 1.0\nshape.sphere.radius = 1.0\n");
    workshop.write(
        "study.toml",
        "title = \"x\"\n[[scene]]\nspec = \"wall\"\n[[method]]\nspec = \"pgs\"\n",
    );
    for (line, fragment) in [
        ("run", "'drystone run --help' has examples"),
        ("compare wall", "'drystone compare --help'"),
        ("run wall --frob", "'drystone run --help'"),
        ("--frob", "'drystone --help'"),
        ("run qqqqqq", "'drystone list scenes'"),
        ("run wall --solver qqqqqq", "'drystone list solvers'"),
        ("run wall --solver qqqqqq/pgs", "'drystone list steppers'"),
        ("run wall --solver classical", "'classical/pgs'"),
        ("run wall --solver pgs/jacobi", "it is a solver"),
        ("run wall:rows", "key=value"),
        ("run rmap.toml", "did you mean 'ramp.toml'?"),
        ("run other/ramp.toml", "'drystone init NAME'"),
        ("run study.toml", "'drystone sweep study.toml'"),
        ("sweep ramp.toml", "'drystone run ramp.toml'"),
        ("sweep wall", "'drystone run wall'"),
        ("sweep stduy.toml", "did you mean 'study.toml'?"),
        ("sweep study.toml --markdown nowhere/a.md", "make it first"),
        ("run wall --duration 1e9 --dt 1e-9", "a longer time step"),
        ("run wall --out ramp.toml", "--out"),
        ("list scenes --markdown", "list metrics"),
    ] {
        refused(&workshop, line, &[fragment]);
    }
}

#[test]
fn values_out_of_range_are_named() {
    let workshop = Workshop::new();
    for (line, fragment) in [
        ("run wall --dt 0", "--dt"),
        ("run wall --dt -0.01", "positive"),
        ("run wall --dt NaN", "positive"),
        ("run wall --dt soon", "positive"),
        ("run wall --steps 0", "1 or more"),
        ("run wall --steps -3", "1 or more"),
        ("run wall --steps 2.5", "1 or more"),
        ("run wall --duration 0", "positive"),
        ("run wall --duration inf", "positive"),
        ("run wall --duration 1e9 --dt 1e-9", "steps"),
        ("run wall --steps 3 --duration 1", "cannot be used with"),
        ("run wall --threads 0", "1 or more"),
        ("run wall --seed -1", "--seed"),
        ("run wall --solver pgs:iterations=0", "iterations must be 1 or more"),
        ("run wall --solver pgs:tolerance=NaN", "a finite number"),
        ("run wall:rows=-1", "rows"),
        ("run wall:density=0", "density"),
        ("run", "<SCENE>"),
        ("compare wall", "--solver"),
        ("", "command"),
    ] {
        refused(&workshop, line, &[fragment]);
    }
}

#[test]
fn mistakes_in_a_scene_file_are_told_with_their_line() {
    let body = "[[body]]\nname = \"ball\"\nshape.sphere.radius = 1.0\n";
    for (text, fragments) in [
        (format!("{body}mass = -1.0\n"), ["scene.toml:4:", "mass"]),
        (format!("{body}mass = 0.0\n"), ["scene.toml:4:", "mass"]),
        (format!("{body}mass = nan\n"), ["scene.toml:4:", "mass"]),
        (
            format!("{body}mass = 1.0\nposition = [0.0, nan, 0.0]\n"),
            ["scene.toml:5:", "position"],
        ),
        (
            format!("{body}mass = 1.0\nmaterail = \"ice\"\n"),
            ["scene.toml:5:", "did you mean 'material'?"],
        ),
        (
            format!("{body}mass = 1.0\n{body}mass = 1.0\n"),
            ["scene.toml:", "'ball'"],
        ),
        (format!("dt = -1.0\n{body}mass = 1.0\n"), ["scene.toml:1:", "dt"]),
        ("[[body]\n".to_owned(), ["scene.toml:1:", ""]),
    ] {
        let workshop = Workshop::new();
        workshop.write("scene.toml", &text);
        refused(&workshop, "run scene.toml --steps 2", &fragments);
    }
}

#[test]
fn the_solver_of_a_scene_is_checked_like_any_other() {
    let workshop = Workshop::new();
    let body = "[[body]]\nmass = 1.0\nshape.sphere.radius = 1.0\n";
    workshop.write("scene.toml", &format!("solver = \"pqs\"\n{body}"));
    refused(
        &workshop,
        "run scene.toml --steps 2",
        &["scene.toml", "did you mean 'pgs'?"],
    );
    workshop.run("run scene.toml --steps 2 --solver pgs --quiet", 0);
}

#[test]
fn files_and_directories_that_cannot_be_used() {
    let workshop = Workshop::new();
    workshop.write("a-file", "");
    refused(&workshop, "run missing.toml", &["missing.toml"]);
    refused(&workshop, &format!("{SMALL} --out a-file"), &["a-file"]);
    refused(&workshop, &format!("{SMALL} --out a-file/inside"), &["a-file/inside"]);
    refused(
        &workshop,
        "compare wall --solver pgs --out a-file/inside",
        &["a-file/inside"],
    );
}

#[cfg(unix)]
#[test]
fn a_directory_without_permission_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let workshop = Workshop::new();
    let locked = workshop.path("locked");
    std::fs::create_dir(&locked).unwrap();
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o555)).unwrap();
    // Whoever may do anything, may write there too, and then there is nothing to test.
    if std::fs::write(locked.join("probe"), "").is_ok() {
        return;
    }
    refused(&workshop, &format!("{SMALL} --out locked"), &["locked", "denied"]);
    refused(
        &workshop,
        &format!("{SMALL} --out locked/inside"),
        &["locked/inside", "denied"],
    );
}

#[test]
fn results_are_never_overwritten_unasked() {
    let workshop = Workshop::new();
    workshop.run(&format!("{SMALL} --out out --quiet"), 0);
    let before = workshop.read("out/steps.csv");
    refused(
        &workshop,
        &format!("{SMALL} --out out"),
        &["'out' is not empty", "--force"],
    );
    refused(
        &workshop,
        "compare wall --solver pgs --out out",
        &["'out' is not empty", "--force"],
    );
    assert_eq!(workshop.read("out/steps.csv"), before);
}
