//! What to do about an error, where its message only says what is wrong: the list that has the right names, the file that was
//! probably meant, the command that takes such a file.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use drystone_dynamics::steppers;
use drystone_scenes::{LocatedError, SceneError, catalogue};
use drystone_solver::registry;
use drystone_solver::spec::{SpecError, nearest};

use crate::error::Error;

/// The error in one line, with what to do about it.
pub fn with_advice(error: &Error) -> String {
    match advice(error) {
        Some(advice) => format!("{error}; {advice}"),
        None => error.to_string(),
    }
}

fn advice(error: &Error) -> Option<String> {
    match error {
        Error::Method { source, .. } => of_spec(source),
        Error::Scene(SceneError::Spec(source)) => of_spec(source),
        Error::Scene(SceneError::File { path, source }) => missing_file(path, source.kind()),
        Error::Scene(SceneError::Located(error)) => other_kind(error, "scene"),
        Error::Located(error) => other_kind(error, "experiment"),
        _ => None,
    }
}

/// A name or a spec.
fn of_spec(error: &SpecError) -> Option<String> {
    let is_solver = |name: &str| registry::solvers().iter().any(|solver| solver.name == name);
    let is_stepper = |name: &str| steppers().iter().any(|stepper| stepper.name == name);
    match error {
        SpecError::UnknownName { kind, name, nearest } => match *kind {
            "solver" if is_stepper(name) => Some(format!("it is a stepper: say '{name}/' before a solver, as in '{name}/pgs'")),
            "stepper" if is_solver(name) => Some(format!("it is a solver: say it after the stepper, as in '{}/{name}'", steppers()[0].name)),
            _ if nearest.is_some() => None,
            "scene" => Some("'drystone list scenes' has them all; a scene file ends in .toml".into()),
            "solver" | "stepper" => Some(format!("'drystone list {kind}s' has them all")),
            _ => None,
        },
        SpecError::Syntax { text, .. } if text.trim().is_empty() => Some(
            "a scene is a file or a name of 'drystone list scenes', a method is [stepper[:options]/]solver[:options], such as 'pgs:iterations=50'"
                .into(),
        ),
        SpecError::Syntax { .. } => Some("options are written name:key=value,key=value, as in 'pgs:iterations=50'".into()),
        _ => None,
    }
}

/// A file that can't be read: the one beside it with nearly the same name, or how to come by one.
pub(crate) fn missing_file(path: &str, kind: ErrorKind) -> Option<String> {
    match kind {
        ErrorKind::NotFound => Some(match neighbour(path) {
            Some(near) => format!("did you mean '{near}'?"),
            None => "'drystone init NAME' writes a scene and an experiment to start from".into(),
        }),
        ErrorKind::IsADirectory => Some("name the file in it".into()),
        _ => None,
    }
}

/// The TOML file in the same folder with the nearest name.
fn neighbour(path: &str) -> Option<String> {
    let path = Path::new(path);
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let entries = fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    names.sort();
    let near = nearest(path.file_name()?.to_str()?, names.iter().map(String::as_str))?;
    let near = folder.map_or_else(|| Path::new(near).to_owned(), |folder| folder.join(near));
    Some(near.display().to_string())
}

/// A file of the other kind: experiments have methods, scenes have bodies.
fn other_kind(error: &LocatedError, expected: &str) -> Option<String> {
    let table: toml::Table = error.source_code.inner().parse().ok()?;
    let file = &error.file;
    match expected {
        "scene" if table.contains_key("method") => {
            Some(format!("it is an experiment: 'drystone sweep {file}' runs it"))
        }
        "experiment" if table.contains_key("body") => Some(format!("it is a scene: 'drystone run {file}' runs it")),
        _ => None,
    }
}

/// An experiment that can't be read.
pub(crate) fn missing_experiment(path: &str, kind: ErrorKind) -> Option<String> {
    let name = path.split(':').next().unwrap_or_default();
    if catalogue().iter().any(|scene| scene.name == name) {
        return Some(format!("it is a scene: 'drystone run {path}' runs it"));
    }
    missing_file(path, kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{PreparedMethod, PreparedScene};

    #[test]
    fn names_in_the_wrong_place_are_put_right() {
        let message = |method: &str| with_advice(&PreparedMethod::parse(method, None, "").unwrap_err());
        assert!(
            message("semi-implicit").contains("'semi-implicit/pgs'"),
            "{}",
            message("semi-implicit")
        );
        assert!(
            message("pgs/jacobi").contains("it is a solver"),
            "{}",
            message("pgs/jacobi")
        );
        assert!(
            message("zzzzzz").contains("drystone list solvers"),
            "{}",
            message("zzzzzz")
        );
        assert!(message("").contains("pgs:iterations=50"), "{}", message(""));
        // Where there is a near one, that is enough.
        assert!(message("pqs").ends_with("did you mean 'pgs'?"), "{}", message("pqs"));
    }

    #[test]
    fn files_nearby_are_found() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("ramp.toml"), "").unwrap();
        let wrong = folder.path().join("rmap.toml").display().to_string();
        let error = PreparedScene::load(&wrong, None).unwrap_err();
        assert!(with_advice(&error).contains("ramp.toml'?"), "{}", with_advice(&error));
    }
}
