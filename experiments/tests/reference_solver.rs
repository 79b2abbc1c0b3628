//! The reference solver on stored problems of rigid bodies: stacks of 50, masses of 1 to 10⁴, a tower of 696 contacts,
//! heaps. FCLIB's relative error e has to be 1e-8 at most, as the program computes it from problem and impulses.

mod common;

use std::path::Path;

use common::{Workshop, collection, own_problems, read_csv};

/// Problems on which our velocities agree with the reference's. That is how they were chosen: that their motion is unique is
/// not proven. The one left out is solved as well, and moves differently.
const AGREEING: [&str; 9] = [
    "mj-boxstack-N10-s11-t0.50-nc40",
    "mj-boxstack-N50-s12-t1.00-nc200",
    "mj-heavytop-N10-s14-t0.01-nc40",
    "mj-heavytop-N6-s13-t0.01-nc24",
    "mj-kapla-N20-s19-t0.30-nc696",
    "sic-boxstack-s2-N40-k00080-nc160",
    "sic-capsules-s1-N50-k00060-nc12",
    "sic-heavytop-s1-N6-k00020-nc24",
    "sic-spheres-s1-N60-k00060-nc16",
];

/// Solves folders of problems, and returns name, status, e and velocity error of each.
fn solve(folders: &[&Path], references: &Path, tolerance: &str) -> Vec<[String; 4]> {
    let workshop = Workshop::new();
    let mut command = workshop.drystone("solve --solver proximal --time-limit 60 --quiet --out out");
    command.args(folders).arg("--reference").arg(references);
    command.args(["--tolerance", tolerance]).assert().success();
    let (header, rows) = read_csv(&workshop.path("out/problems.csv"));
    let columns = ["problem", "status", "relative", "velocity_error"];
    let columns = columns.map(|name| header.iter().position(|column| column == name).unwrap());
    rows.iter()
        .map(|row| columns.map(|column| row[column].clone()))
        .collect()
}

/// Those that agreed with another program when this was written must go on doing so. Velocities differ by what both leave, some
/// 1e-8, times the condition of A, which masses of 10⁴ and tall stacks make large.
#[test]
fn our_own_problems_are_solved_and_move_as_references_do() {
    let own = own_problems();
    let rows = solve(&[&own], &own, "1e-8");
    let mut compared = 0;
    for [problem, status, e, velocity_error] in &rows {
        assert_eq!(status, "converged", "{problem}: e = {e}");
        if AGREEING.contains(&problem.as_str()) {
            assert!(
                velocity_error.parse::<f64>().unwrap() < 1e-6,
                "{problem}: {velocity_error}"
            );
            compared += 1;
        }
    }
    assert_eq!(compared, AGREEING.len());
}

/// Two digits more are within reach of stacks and masses of 10⁴.
#[test]
fn ordered_structures_are_solved_to_1e_10() {
    let own = own_problems();
    let stacks = ["mj-boxstack-N50-s12-t1.00-nc200", "mj-heavytop-N10-s14-t0.01-nc40"];
    let files = stacks.map(|name| own.join(format!("{name}.hdf5")));
    let rows = solve(&[&files[0], &files[1]], &own, "1e-10");
    for [problem, status, e, _] in &rows {
        assert_eq!(status, "converged", "{problem}: e = {e}");
    }
    assert_eq!(rows.len(), 2);
}

/// Every friction problem of the collection but for the largest heaps, which take their time.
#[test]
fn the_collections_friction_problems_are_solved() {
    let Some(folder) = collection() else { return };
    let folders = ["fc2d", "fc3d", "gfc2d", "gfc3d", "rolling"].map(|name| folder.join(name));
    let rows = solve(
        &folders.each_ref().map(|path| path.as_path()),
        &folder.join("reference"),
        "1e-8",
    );
    for [problem, status, e, _] in &rows {
        assert_eq!(status, "converged", "{problem}: e = {e}");
    }
    assert!(rows.len() >= 55);
}
