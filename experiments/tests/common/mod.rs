//! What the tests of the program share: a folder to run it in, and readers for what it leaves there.
#![allow(dead_code, reason = "each test uses the part it needs")]

pub(crate) mod documents;

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

pub(crate) const HEADER: &str = "step,time,bodies,sleeping,contacts,rows,groups,largest_group,layers,iterations,residual,\
    penetration_max,penetration_mean,joint_error_max,friction_violation,kinetic_energy,potential_energy,\
    momentum_x,momentum_y,momentum_z,collision_us,assembly_us,solve_us,step_us,\
    joint_angle_error_max,limit_violation_max,joints_off,row_updates";

/// Overflows in the third step of one second: v = 3, 6, 9 · 10³⁰⁷ m/s and x = 3, 9, 18 · 10³⁰⁷ m. Where old velocities
/// move the bodies, x lags one step behind and is still finite then.
pub(crate) const ROCKET: &str = r#"
dt = 1.0
duration = 10.0

[[body]]
name = "rocket"
mass = 1.0
force = [3e307, 0.0, 0.0]
shape.sphere.radius = 0.5
"#;

/// A folder of its own for a test.
pub(crate) struct Workshop {
    folder: TempDir,
}

impl Workshop {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// The program, to be run in this folder.
    pub(crate) fn drystone(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_drystone"));
        command.current_dir(self.folder.path()).args(line.split_whitespace());
        command
    }

    /// Runs the program, which must exit with `code`, and returns stdout and stderr.
    pub(crate) fn run(&self, line: &str, code: i32) -> (String, String) {
        let output = self.drystone(line).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "drystone {line}\n{stdout}\n{stderr}");
        (stdout, stderr)
    }

    /// Everything in the folder, in order.
    pub(crate) fn listing(&self) -> Vec<String> {
        let mut found = Vec::new();
        collect(self.folder.path(), &mut found);
        found.sort();
        found
    }
}

fn collect(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        found.push(path.display().to_string());
        if path.is_dir() {
            collect(&path, found);
        }
    }
}

/// The names of the files in a directory, in order.
pub(crate) fn files_in(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// A CSV file: its header and its rows, which must all be as long as the header.
pub(crate) fn read_csv(path: &Path) -> (Vec<String>, Vec<Vec<String>>) {
    let mut reader = csv::ReaderBuilder::new().flexible(false).from_path(path).unwrap();
    let owned = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect::<Vec<_>>();
    let header = owned(reader.headers().unwrap());
    let rows = reader.records().map(|record| owned(&record.unwrap())).collect();
    (header, rows)
}

/// A column of a CSV file as numbers.
pub(crate) fn column(path: &Path, name: &str) -> Vec<f64> {
    let (header, rows) = read_csv(path);
    let index = header.iter().position(|column| column == name).unwrap();
    rows.iter().map(|row| row[index].parse().unwrap()).collect()
}

/// The collection of stored problems, if it is here.
#[allow(clippy::print_stderr, reason = "a test that tests less must say so")]
pub(crate) fn collection() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let candidates = match std::env::var_os("DRYSTONE_DATA") {
        Some(folder) => vec![PathBuf::from(folder)],
        None => vec![here.join("../../shared/data"), here.join("../../../shared/data")],
    };
    let found = candidates
        .into_iter()
        .find(|folder| folder.join("MANIFEST.csv").exists());
    if found.is_none() {
        eprintln!("no collection of problems here; set DRYSTONE_DATA to test with one");
    }
    found
}

/// The problems of our own, with references beside them.
pub(crate) fn own_problems() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/problems")
}

/// The results of a sweep, header first, without the columns that measure the machine.
pub(crate) fn physics(workshop: &Workshop, directory: &str) -> Vec<Vec<String>> {
    let manifest = workshop.json(&format!("{directory}/manifest.json"));
    let (header, mut rows) = read_csv(&workshop.path(directory).join("results.csv"));
    let columns = manifest["columns"].as_array().unwrap();
    let is_of_machine = |name: &str| {
        let is_it = |column: &Value| column["name"] == name && column["of_machine"] == true;
        columns.iter().any(is_it)
    };
    let kept: Vec<usize> = (0..header.len()).filter(|&k| !is_of_machine(&header[k])).collect();
    rows.insert(0, header);
    let keep = |row: &Vec<String>| kept.iter().map(|&k| row[k].clone()).collect();
    rows.iter().map(keep).collect()
}
