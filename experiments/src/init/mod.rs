//! `drystone init`: a folder with a scene, an experiment and a page of what to do with them, all three with comments, to
//! start from.
//!
//! Files that are there are not overwritten unless `--force` is given, and then only these three.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::Environment;
use crate::cli::{InitArguments, Template};
use crate::error::{Error, Exit};
use crate::whole_file::write_text;

const SCENE: &str = "scene.toml";
const EXPERIMENT: &str = "experiment.toml";
const README: &str = "README.md";

const BOXES: &str = include_str!("boxes.toml");
const JOINTS: &str = include_str!("joints.toml");
const EXPERIMENT_TEXT: &str = include_str!("experiment.toml");
const README_TEXT: &str = include_str!("readme.md");

/// Runs the command.
pub fn init(arguments: &InitArguments, environment: &Environment) -> Result<Exit, Error> {
    let folder = &arguments.folder;
    let files = files(arguments)?;
    check(folder, &files, environment.global.force)?;
    let cannot = |error| Error::Directory(format!("cannot make folder '{}': {error}", folder.display()));
    fs::create_dir_all(folder).map_err(cannot)?;
    for (name, text) in &files {
        write_text(folder, name, text)?;
    }
    let path = |name: &str| folder.join(name).display().to_string();
    let next = [
        format!("drystone run {} --watch", shell_word(&path(SCENE))),
        format!("drystone sweep {}", shell_word(&path(EXPERIMENT))),
    ];
    let names: Vec<String> = files.iter().map(|(name, _)| path(name)).collect();
    environment.output.machine_readable(&json!({
        "directory": folder.display().to_string(),
        "files": names,
        "next": next,
    }));
    environment.output.show(&format!(
        "{}: {SCENE}, {EXPERIMENT} and {README} are there. Next:\n\n  {}\n\n{} says more.\n",
        folder.display(),
        next.join("\n  "),
        path(README),
    ));
    Ok(Exit::Done)
}

/// The names and texts of the files.
fn files(arguments: &InitArguments) -> Result<[(&'static str, String); 3], Error> {
    let name = project_name(&arguments.folder);
    let fill = |text: &str| text.replace("{{name}}", &name);
    let scene = match (&arguments.from, arguments.template) {
        (Some(given), _) => from_catalogue(given)?,
        (None, Template::Boxes) => fill(BOXES),
        (None, Template::Joints) => fill(JOINTS),
    };
    Ok([
        (SCENE, scene),
        (EXPERIMENT, fill(EXPERIMENT_TEXT)),
        (README, fill(README_TEXT)),
    ])
}

/// The last part of the path, without what would have to be quoted in the files.
fn project_name(folder: &Path) -> String {
    let absolute = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let name = absolute.file_name().unwrap_or_default().to_string_lossy();
    let kept: String = name
        .chars()
        .filter(|letter| !"\"\\`<>".contains(*letter) && !letter.is_control())
        .collect();
    if kept.is_empty() { "scene".to_owned() } else { kept }
}

/// A scene of the catalogue as a file, with a word on where it comes from.
fn from_catalogue(given: &str) -> Result<String, Error> {
    let scene = drystone_scenes::load(given)?;
    let toml = scene.to_toml()?;
    let given = given.replace(['\n', '\r'], " ");
    Ok(format!(
        "# The scene `{given}` with its parameters worked out. Change what you like: docs/scene-format.md has all keys.\n\n{toml}"
    ))
}

fn check(folder: &Path, files: &[(&str, String)], force: bool) -> Result<(), Error> {
    if folder.exists() && !folder.is_dir() {
        return Err(Error::Directory(format!(
            "'{}' is a file; choose another name for the folder",
            folder.display()
        )));
    }
    let there = files
        .iter()
        .map(|(name, _)| folder.join(name))
        .find(|path| path.exists());
    match there {
        Some(path) if !force => Err(Error::Directory(format!(
            "'{}' is there already; choose another name, or use --force to overwrite {SCENE}, {EXPERIMENT} and {README} in that folder",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// A path as it has to be typed.
fn shell_word(path: &str) -> String {
    let harmless = |letter: char| letter.is_alphanumeric() || "/._-+,=".contains(letter);
    if path.chars().all(harmless) {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_fit_for_the_files_and_paths_for_the_shell() {
        assert_eq!(project_name(Path::new("some/\"where\"")), "where");
        assert_eq!(project_name(Path::new("/")), "scene");
        assert_eq!(shell_word("a/b.toml"), "a/b.toml");
        assert_eq!(shell_word("my scene's"), "'my scene'\\''s'");
    }
}
