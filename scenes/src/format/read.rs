//! From a text to a scene, with every mistake at its line.
//!
//! Mistakes of form (syntax, unknown keys, wrong types) come with a place from the TOML reader; its messages are put
//! into this format's words. Mistakes of meaning come from the checks as a path of keys, which is then looked up in
//! the text.

use std::fs;
use std::ops::Range;
use std::path::Path;

use drystone_solver::spec::nearest;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::fault::{Fault, Step};
use super::scene::Scene;
use crate::error::{LocatedError, SceneError};

/// Reads and checks a scene file.
pub fn read_scene(path: impl AsRef<Path>) -> Result<Scene, SceneError> {
    let path = path.as_ref();
    let text = fs::read_to_string(path).map_err(|source| SceneError::File {
        path: path.display().to_string(),
        source,
    })?;
    parse_scene(&text, &path.display().to_string())
}

/// Reads and checks a scene from text; `source_name` is what errors call it. A scene without a name of its own gets
/// the source's, without folder and extension.
pub fn parse_scene(text: &str, source_name: &str) -> Result<Scene, SceneError> {
    let located = |span, message| SceneError::from(LocatedError::new(source_name, text, span, message));
    let mut scene: Scene = toml::from_str(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        located(span, toml_message(error.message()))
    })?;
    scene
        .check()
        .map_err(|fault| located(span_of(&fault, text), fault.message))?;
    if scene.name.is_empty() {
        let stem = Path::new(source_name).file_stem();
        scene.name = stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    }
    Ok(scene)
}

/// The bytes of the value a fault is about, or of the innermost thing around it that is in the text.
fn span_of(fault: &Fault, text: &str) -> Range<usize> {
    let Ok(root) = DeTable::parse(text) else {
        return 0..0;
    };
    let mut span = 0..0;
    let mut value: Option<&Spanned<DeValue<'_>>> = None;
    for step in &fault.path {
        let next = match (step, value) {
            (Step::Key(key), None) => root.get_ref().get(*key),
            (Step::Key(key), Some(value)) => value.get_ref().get(*key),
            (Step::Index(index), Some(value)) => value.get_ref().get(*index),
            (Step::Index(_), None) => None,
        };
        let Some(found) = next else { break };
        span = found.span();
        value = Some(found);
    }
    span
}

/// The TOML reader's message in one line and in this format's words, with the nearest key where one was misspelt.
pub fn toml_message(message: &str) -> String {
    let message = message.lines().map(str::trim).collect::<Vec<_>>().join(", ");
    if let Some(misspelt) = misspelt(&message) {
        return misspelt;
    }
    if message.starts_with("wanted exactly 1 element") {
        return "exactly one choice is expected here".into();
    }
    let message = message.replace("missing field", "missing key").replace('`', "'");
    match message.strip_suffix("expected f64") {
        Some(start) => format!("{start}expected a number"),
        None => ["usize", "u64"].iter().fold(message, |message, whole| {
            message.replace(&format!("expected {whole}"), "expected a whole number, 0 or more")
        }),
    }
}

/// The answer to an unknown key or choice.
fn misspelt(message: &str) -> Option<String> {
    let (what, name, known): (_, _, Vec<&str>) = if let Some(rest) = message.strip_prefix("unexpected keys in table: ")
    {
        // Inside a choice, the reader writes `unexpected keys in table: a, available keys: b, c`.
        let (unknown, known) = rest.split_once(", available keys: ")?;
        ("key", unknown.split(", ").next()?, known.split(", ").collect())
    } else {
        let (what, rest) = [("key", "unknown field `"), ("choice", "unknown variant `")]
            .iter()
            .find_map(|(what, prefix)| Some((*what, message.strip_prefix(prefix)?)))?;
        // What follows the name is "expected one of `a`, `b`": every second piece between backticks is a name.
        let (name, rest) = rest.split_once('`')?;
        (what, name, rest.split('`').skip(1).step_by(2).collect())
    };
    let advice = match nearest(name, known.iter().copied()) {
        Some(near) => format!("; did you mean '{near}'?"),
        None if known.is_empty() => String::new(),
        None => format!("; expected {}", known.join(", ")),
    };
    Some(format!("unknown {what} '{name}'{advice}"))
}
