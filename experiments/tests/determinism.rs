//! The same command gives the same bits, whatever the number of threads; only the times differ.

mod common;

use common::{Workshop, read_csv};

/// A run's steps without the columns that measure the machine, and its residuals.
fn physics(workshop: &Workshop, run: &str) -> (Vec<Vec<String>>, String) {
    let (header, rows) = read_csv(&workshop.path(run).join("steps.csv"));
    let kept: Vec<usize> = (0..header.len())
        .filter(|&column| !header[column].ends_with("_us"))
        .collect();
    assert_eq!(header.len() - kept.len(), 4);
    let rows = rows
        .iter()
        .map(|row| kept.iter().map(|&column| row[column].clone()).collect())
        .collect();
    (rows, workshop.read(&format!("{run}/convergence.csv")))
}

#[test]
fn the_number_of_threads_changes_nothing() {
    // Many small groups, then one heap; blocks in random order.
    let scene = "run sphere-pile:count=60 --solver pgs:order=random --duration 1.5 --seed 11 --quiet";
    let workshop = Workshop::new();
    for (run, threads) in [("one", 1), ("again", 1), ("two", 2), ("four", 4)] {
        workshop.run(&format!("{scene} --threads {threads} --out {run}"), 0);
    }
    let reference = physics(&workshop, "one");
    let groups = reference.0.iter().map(|row| row[6].parse::<usize>().unwrap()).max();
    assert!(groups > Some(4), "the scene must have groups to share: {groups:?}");
    for run in ["again", "two", "four"] {
        assert!(physics(&workshop, run) == reference, "{run}");
    }
}

#[test]
fn the_seed_decides_what_is_random() {
    let workshop = Workshop::new();
    for (run, scene, seed) in [
        ("a", "sphere-pile:count=5", "--seed 1"),
        ("b", "sphere-pile:count=5", "--seed 2"),
        ("c", "sphere-pile:count=5,seed=1", "--seed 2"),
    ] {
        workshop.run(&format!("run {scene} --steps 2 {seed} --quiet --out {run}"), 0);
    }
    let bodies = |run: &str| workshop.read(&format!("{run}/scene.toml"));
    assert_ne!(bodies("a"), bodies("b"));
    // A seed given by hand wins.
    assert_eq!(bodies("a"), bodies("c"));
    assert_eq!(workshop.json("c/manifest.json")["scene"]["parameters"]["seed"], "1");
}
