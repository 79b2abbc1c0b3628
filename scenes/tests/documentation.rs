//! The page about the format is true: its examples are scenes, and it leaves out no key and no catalogue scene.

use std::collections::BTreeSet;

use drystone_scenes::{catalogue, load, parse_scene, schema};

const PAGE: &str = include_str!("../../docs/scene-format.md");

fn examples() -> Vec<&'static str> {
    let blocks = PAGE.split("```toml\n").skip(1);
    blocks.map(|block| block.split("```").next().unwrap()).collect()
}

#[test]
fn its_examples_are_scenes() {
    assert!(examples().len() >= 2);
    for example in examples() {
        let scene = parse_scene(example, "scene-format.md").unwrap();
        scene.build().unwrap();
        let written = scene.to_toml().unwrap();
        assert_eq!(parse_scene(&written, "written.toml").unwrap(), scene);
    }
}

/// The names of all keys, and the values of choices that are plain strings.
fn names(value: &serde_json::Value, found: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Object(map) => {
            if let Some(serde_json::Value::Object(properties)) = map.get("properties") {
                found.extend(properties.keys().cloned());
            }
            found.extend(map.get("const").and_then(|value| value.as_str()).map(str::to_owned));
            map.values().for_each(|value| names(value, found));
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| names(item, found)),
        _ => {}
    }
}

#[test]
fn it_documents_every_key_and_choice() {
    let mut found = BTreeSet::new();
    names(&schema(), &mut found);
    assert!(found.contains("linear-velocity") && found.contains("geometric-maximum") && found.contains("box"));
    for name in found {
        let quoted = [
            format!("`{name}`"),
            format!("`\"{name}\"`"),
            format!(".{name}`"),
            format!(".{name}."),
        ];
        assert!(
            quoted.iter().any(|text| PAGE.contains(text)),
            "'{name}' is not documented"
        );
    }
}

#[test]
fn it_lists_every_catalogue_scene_with_its_parameters() {
    for entry in catalogue() {
        let row = PAGE
            .lines()
            .find(|line| line.starts_with(&format!("| `{}` |", entry.name)));
        let row = row.unwrap_or_else(|| panic!("'{}' is not listed", entry.name));
        for parameter in &entry.parameters {
            let text = format!("`{}={}`", parameter.key, parameter.default);
            assert!(row.contains(&text), "{}: {text} is not listed", entry.name);
        }
    }
}

#[test]
fn the_loads_it_shows_work() {
    for text in [
        "wall",
        "wall:rows=10,columns=20",
        "tower:layers=40,width=1,height=1,restitution=0.1",
    ] {
        assert!(PAGE.contains(text), "{text}");
        load(text).unwrap();
    }
}
