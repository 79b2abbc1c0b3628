//! One argument for every scene: a file, or a catalogue name with parameters.

use std::path::Path;

use drystone_solver::spec::Spec;

use crate::catalogue::{catalogue, find_scene};
use crate::error::SceneError;
use crate::format::{Scene, read_scene};

/// Loads `wall:rows=10,columns=20` from the catalogue, or `my/scene.toml` from a file.
///
/// A text that ends in `.toml` or holds a path separator is a file. A catalogue name wins over a file of the same
/// name, so that a stray file can't change what a known name means; write `./wall` to mean the file.
pub fn load(text: &str) -> Result<Scene, SceneError> {
    if text.ends_with(".toml") || text.contains(std::path::is_separator) {
        return read_scene(text);
    }
    let spec: Spec = text.parse()?;
    if !catalogue().iter().any(|entry| entry.name == spec.name) && Path::new(text).is_file() {
        return read_scene(text);
    }
    Ok(find_scene(&spec)?)
}
