//! A solver's problems written out, from a program or step by step from a run.
//!
//! Our JSON holds every problem. FCLIB holds friction alone: on rigid bodies without compliance in global form, with
//! `f = 0` and the whole bias in w (`q = Hᵀ M⁻¹ f + w`), everything else in local form with W. With either go the
//! impulses that the solve began with, as the guess, and what it ended at, as `solution`: how good that is depends on the
//! solver.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use drystone_dynamics::Simulation;
use drystone_solver::{Cone, Operator, Problem, RigidBodies};
use nalgebra::Matrix3;

use super::*;
use crate::whole_file::partial_name;

/// Where in a run directory the problems are.
pub const PROBLEMS: &str = "problems";

/// A problem in FCLIB's terms, or why it has none.
pub fn fclib_content(problem: &Problem) -> Result<Content, String> {
    let Some(first) = problem.blocks.first() else {
        return Err("there is no contact".into());
    };
    let dimension = first.len as usize;
    let mut mu = Vec::with_capacity(problem.blocks.len());
    let mut mu_r = Vec::new();
    for (index, block) in problem.blocks.iter().enumerate() {
        if block.len as usize != dimension {
            return Err(format!(
                "block {index} has {} rows, the first {dimension}: FCLIB has one number for all",
                block.len
            ));
        }
        match block.cone {
            Cone::Friction { coefficient } => mu.push(coefficient),
            Cone::Rolling { friction, rolling } => {
                mu.push(friction);
                mu_r.push(rolling);
            }
            _ => return Err(format!("block {index} is no friction contact: FCLIB has nothing else")),
        }
    }
    let mu_r = (dimension == 5).then_some(mu_r);
    if let Operator::RigidBodies(bodies) = &problem.operator
        && let Some((m, h)) = masses_and_directions(bodies, problem.rows())
    {
        return Ok(Content::Global(Global {
            dimension,
            f: vec![0.0; m.rows],
            m,
            h,
            equality: None,
            w: problem.bias.clone(),
            mu,
            mu_r,
        }));
    }
    let matrix = problem.assembled().map_err(|error| error.to_string())?;
    let rows = problem.rows();
    Ok(Content::Local(Local {
        dimension,
        w: Matrix::from_triplets(rows, rows, matrix.triplets()).compressed_rows(),
        q: problem.bias.clone(),
        mu,
        mu_r,
    }))
}

/// M and H; nothing where a row is compliant or a body has no finite mass, which they can't express.
fn masses_and_directions(bodies: &RigidBodies, rows: usize) -> Option<(Matrix, Matrix)> {
    let count = bodies.body_count() - 1;
    let mut masses = Vec::new();
    for body in 0..count {
        let inverse = bodies.inverse_mass(body as u32 + 1);
        let mass = 1.0 / inverse.mass;
        let inertia = inverse
            .inertia
            .try_inverse()
            .filter(|inertia| inertia.iter().all(|x| x.is_finite()))?;
        if !mass.is_finite() {
            return None;
        }
        let inertia: Matrix3<f64> = 0.5 * (inertia + inertia.transpose());
        masses.extend((0..3).map(|k| (6 * body + k, 6 * body + k, mass)));
        let place = |k: usize| (6 * body + 3 + k / 3, 6 * body + 3 + k % 3, inertia[(k / 3, k % 3)]);
        masses.extend((0..9).map(place));
    }
    let mut directions = Vec::new();
    for row in 0..rows {
        if bodies.compliance(row) != 0.0 {
            return None;
        }
        let jacobian = bodies.jacobian(row);
        for (side, body) in bodies.pair(row).into_iter().enumerate() {
            if body != RigidBodies::IMMOVABLE {
                let first = 6 * (body as usize - 1);
                directions.extend((0..6).map(|k| (first + k, row, jacobian[6 * side + k])));
            }
        }
    }
    let size = 6 * count;
    let stored = |entries: Vec<(usize, usize, f64)>| entries.into_iter().filter(|entry| entry.2 != 0.0);
    let m = Matrix::from_triplets(size, size, stored(masses));
    Some((m, Matrix::from_triplets(size, rows, stored(directions))))
}

/// What became of a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dumped {
    /// The JSON file.
    pub json: PathBuf,
    /// The FCLIB file, or why there is none.
    pub fclib: Result<PathBuf, String>,
}

/// Writes a problem to `<directory>/<name>.json` and, if FCLIB can hold it, to `<directory>/<name>.hdf5`. Where it can't,
/// the reason is returned, and is in the JSON as `math_info`.
pub fn write_problem(
    problem: &Problem,
    guess: &[f64],
    solution: Option<&[f64]>,
    info: Info,
    directory: &Path,
    name: &str,
) -> Result<Dumped, WriteError> {
    let state = |r: &[f64], u: Option<Vec<f64>>| State {
        r: r.to_vec(),
        u,
        ..State::default()
    };
    let solution = solution.map(|r| {
        let mut u = vec![0.0; r.len()];
        problem.velocities(r, &mut u);
        state(r, Some(u))
    });
    let mut stored = StoredProblem {
        info,
        solution,
        guesses: vec![state(guess, None)],
        ..StoredProblem::new(name, Content::Native(NativeProblem::of(problem)))
    };
    let fclib = fclib_content(problem);
    if let Err(reason) = &fclib {
        stored.info.math_info = format!("JSON only: {reason}");
    }
    let json = directory.join(format!("{name}.json"));
    write(&stored, &json)?;
    let fclib = match fclib {
        Ok(content) => {
            let path = directory.join(format!("{name}.hdf5"));
            let freedoms = match &content {
                Content::Global(global) => Some(global.m.rows),
                _ => None,
            };
            stored.content = content;
            // FCLIB expects all of r, u and in global form v of a guess.
            for state in stored.guesses.iter_mut().chain(&mut stored.solution) {
                if state.u.is_none() {
                    let mut u = vec![0.0; state.r.len()];
                    problem.velocities(&state.r, &mut u);
                    state.u = Some(u);
                }
                if let (Some(freedoms), Operator::RigidBodies(bodies)) = (freedoms, &problem.operator) {
                    let mut v = vec![0.0; freedoms + 6];
                    bodies.velocity_change(&state.r, &mut v);
                    state.v = Some(v.split_off(6));
                }
            }
            write(&stored, &path)?;
            Ok(path)
        }
        Err(reason) => Err(reason),
    };
    Ok(Dumped { json, fclib })
}

/// Writes the problems of a run out as it goes.
#[derive(Debug)]
pub struct Dumper {
    directory: PathBuf,
    every: u64,
    label: String,
}

impl Dumper {
    /// Into `problems/` in a run directory; `label` says what is run.
    pub fn create(directory: &Path, every: u64, label: &str) -> Result<Self, crate::Error> {
        let directory = directory.join(PROBLEMS);
        fs::create_dir_all(&directory).map_err(crate::Error::writing(&directory))?;
        Ok(Self {
            directory,
            every,
            label: label.to_owned(),
        })
    }

    /// Whether a step's problems are to be written.
    pub fn is_due(&self, step: u64) -> bool {
        step.is_multiple_of(self.every)
    }

    /// Writes the problems of the last step, one a group.
    pub fn step(&self, simulation: &Simulation) -> Result<(), crate::Error> {
        let step = simulation.report().step;
        let pipeline = simulation.pipeline();
        for (group, ((problem, impulses), start)) in pipeline.problems().zip(pipeline.starts()).enumerate() {
            if problem.blocks.is_empty() || start.len() != problem.rows() {
                continue;
            }
            let info = Info {
                title: format!("{}: step {step}, group {group}", self.label),
                description: format!(
                    "step {step} of {} s; impulses in N s, velocities in m/s",
                    simulation.dt()
                ),
                math_info: String::new(),
            };
            let solution = impulses.iter().all(|impulse| impulse.is_finite()).then_some(impulses);
            let name = format!("step-{step:06}-group-{group:04}");
            write_problem(problem, start, solution, info, &self.directory, &name).map_err(|error| match error {
                WriteError::File(error) => error,
                WriteError::Unsupported { path, reason } => crate::Error::writing(&path)(io::Error::other(reason)),
            })?;
        }
        Ok(())
    }
}

/// Removes the problems of an older run, and nothing else.
pub(crate) fn clear(run_directory: &Path) -> io::Result<()> {
    let directory = run_directory.join(PROBLEMS);
    let entries = match fs::read_dir(&directory) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        if is_ours(&name) {
            fs::remove_file(path)?;
        }
    }
    // What somebody else put there stays, and the folder with it.
    match fs::remove_dir(&directory) {
        Err(error) if error.kind() != ErrorKind::DirectoryNotEmpty => Err(error),
        _ => Ok(()),
    }
}

/// Whether a file is called as a dumped problem is, whole or not.
fn is_ours(name: &str) -> bool {
    let whole = |name: &str| {
        let stem = name.strip_suffix(".json").or_else(|| name.strip_suffix(".hdf5"));
        let parts = stem.and_then(|stem| stem.strip_prefix("step-")?.split_once("-group-"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        parts.is_some_and(|(step, group)| digits(step) && digits(group))
    };
    let aside = name.strip_prefix('.').and_then(|name| name.strip_suffix(".partial"));
    whole(name) || aside.is_some_and(|inner| whole(inner) && partial_name(inner) == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_dumped_problems_are_removed() {
        for (name, ours) in [
            ("step-000010-group-0000.json", true),
            ("step-000010-group-0000.hdf5", true),
            (".step-000010-group-0000.json.partial", true),
            ("step-000010-group-0000.txt", false),
            ("step-one-group-0000.json", false),
            ("notes.json", false),
        ] {
            assert_eq!(is_ours(name), ours, "{name}");
        }
    }
}
