//! What was run: the section that every report begins with, from manifests.

use serde_json::Value as Json;

use super::html::{escape, facts, folded};
use crate::quantity::{count, quantity};
use crate::solve::markdown::shown;

/// Where, when and with which program.
pub fn circumstances(manifest: &Json) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let mut add = |name: &str, value: Option<String>| pairs.extend(value.map(|value| (name.to_owned(), value)));
    add(
        "Program",
        manifest["version"]
            .as_str()
            .map(|version| format!("drystone {version}")),
    );
    add("Machine", machine(&manifest["machine"]));
    add("Threads", text(&manifest["threads"]));
    add("Runs at a time", text(&manifest["jobs"]).filter(|jobs| jobs != "1"));
    add(
        "Seed",
        text(&manifest["seed"]).or_else(|| Some("those of parameters and options".into())),
    );
    add("Random numbers", text(&manifest["generator"]));
    add("Begun", text(&manifest["started"]));
    add("Ended", text(&manifest["finished"]));
    pairs
}

/// The command to type again.
pub fn command(manifest: &Json) -> String {
    let words: Vec<String> = manifest["command"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(text)
        .collect();
    if words.is_empty() {
        return String::new();
    }
    format!(
        "<p class=\"command\"><span class=\"unseen\">Command to repeat it: </span><code>{}</code></p>\n",
        escape(&shown(&words))
    )
}

/// Scene and method of a run with all parameters and options, folded.
pub fn scene_and_method(manifest: &Json) -> String {
    let mut content = String::new();
    let scene = &manifest["scene"];
    let mut pairs = vec![("Name".to_owned(), text(&scene["name"]).unwrap_or_default())];
    pairs.extend(pairs_of(&scene["parameters"]));
    pairs.extend(text(&scene["blake3"]).map(|hash| ("BLAKE3 of scene.toml".to_owned(), hash)));
    content.push_str(&folded(
        &format!("Scene {}", text(&scene["given"]).unwrap_or_default()),
        &facts(&pairs),
    ));
    content.push_str(&method(&manifest["method"]));
    content
}

/// A method with all options, folded.
pub fn method(method: &Json) -> String {
    let mut content = String::new();
    for part in ["stepper", "solver"] {
        let name = text(&method[part]["name"]).unwrap_or_default();
        content.push_str(&format!(
            "<h4>{} {}</h4>\n{}",
            part_name(part),
            escape(&name),
            facts(&pairs_of(&method[part]["options"]))
        ));
    }
    folded(
        &format!("Method {}", text(&method["given"]).unwrap_or_default()),
        &content,
    )
}

fn part_name(part: &str) -> &'static str {
    if part == "stepper" { "Stepper" } else { "Solver" }
}

/// How much was simulated.
pub fn extent(manifest: &Json, seconds: Option<f64>) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    if let (Some(steps), Some(planned)) = (manifest["steps"].as_u64(), manifest["planned_steps"].as_u64()) {
        let steps = if steps == planned {
            steps.to_string()
        } else {
            format!("{steps} of {planned}")
        };
        pairs.push(("Steps".to_owned(), steps));
    }
    pairs.extend(
        manifest["dt"]
            .as_f64()
            .map(|dt| ("Time step".to_owned(), quantity(dt, "s"))),
    );
    pairs.extend(seconds.map(|seconds| ("Took".to_owned(), quantity(seconds, "s"))));
    pairs.extend(text(&manifest["record"]).map(|record| ("Residuals measured".to_owned(), record)));
    pairs
}

/// The entries of an object.
pub fn pairs_of(object: &Json) -> Vec<(String, String)> {
    let entries = object.as_object().into_iter().flatten();
    entries
        .filter_map(|(key, value)| Some((key.clone(), text(value)?)))
        .collect()
}

fn machine(machine: &Json) -> Option<String> {
    let processor = text(&machine["processor"]).or_else(|| text(&machine["architecture"]))?;
    let cores = machine["cores"]
        .as_u64()
        .map_or_else(String::new, |cores| format!(", {cores} cores"));
    Some(format!(
        "{processor}{cores}, {}",
        text(&machine["os"]).unwrap_or_default()
    ))
}

/// A value as text; nothing for null.
pub fn text(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.as_f64().map_or_else(|| number.to_string(), count)),
        Json::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// A mark for how something ended: a word, and a look.
pub fn badge(status: &str) -> String {
    let look = match status {
        "finished" => "good",
        "interrupted" => "halted",
        _ => "bad",
    };
    format!("<span class=\"badge {look}\">{}</span>", escape(status))
}

/// What went wrong, as a list that is not overlooked.
pub fn warnings(lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let mut content = String::from("<div class=\"warnings\" role=\"note\">\n<ul>\n");
    for line in lines {
        content.push_str(&format!("<li>{}</li>\n", escape(line)));
    }
    content + "</ul>\n</div>\n"
}
