//! The replay of trajectories in a browser: the viewer's script and style as text, for pages that are opened from disk.
//!
//! A page puts [`script`] into a `<script type="module">` and calls, in the same script,
//!
//! ```text
//! mountReplay(container, [{ label: "pgs", load: async () => bytes }, …])
//! ```
//!
//! with a function that brings the bytes of each run's `trajectory.bin`; it returns
//! `{ ready, frameCount, frame, seek(frame), play(), pause(), state(), … }`. [`style`] goes into a `<style>`. [`page`] is the
//! smallest page that does so.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::web::{Module, bundle};

macro_rules! modules {
    ($($name:literal),* $(,)?) => {
        [$(Module { name: $name, text: include_str!(concat!("../web/replay/", $name)) }),*]
    };
}

/// The viewer's modules, each behind those it imports.
pub const MODULES: [Module; 12] = modules![
    "math.js",
    "chunk.js",
    "trajectory.js",
    "bodies.js",
    "palette.js",
    "shapes.js",
    "shaders.js",
    "camera.js",
    "scene.js",
    "arrows.js",
    "view.js",
    "panel.js",
];

/// The module that has `mountReplay`.
const ENTRY: Module = Module {
    name: "replay.js",
    text: include_str!("../web/replay/replay.js"),
};

/// The viewer's script.
pub fn script() -> String {
    let mut modules = MODULES.to_vec();
    modules.push(ENTRY);
    bundle(&modules)
}

/// The viewer's style.
pub fn style() -> &'static str {
    include_str!("../web/replay/replay.css")
}

/// A page that replays trajectories, given by label and bytes, and does nothing else.
pub fn page(title: &str, runs: &[(&str, &[u8])]) -> String {
    let mut data = String::new();
    let mut list = String::new();
    for (index, (label, bytes)) in runs.iter().enumerate() {
        data.push_str(&format!(
            "<script type=\"text/plain\" id=\"trajectory-{index}\">{}</script>\n",
            STANDARD.encode(bytes)
        ));
        // A label in JSON is a label in JavaScript, but must not end the script.
        let label = serde_json::Value::from(*label).to_string().replace('<', "\\u003c");
        list.push_str(&format!(
            "  {{ label: {label}, load: () => embedded('trajectory-{index}') }},\n"
        ));
    }
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    let (style, script) = (style(), script());
    format!(
        r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
html, body {{ height: 100%; margin: 0; }}
#replay {{ box-sizing: border-box; height: 100%; padding: 0.75rem; }}
{style}
</style>
</head>
<body>
<main id="replay"></main>
{data}<script type="module">
{script}
async function embedded(id) {{
  const text = document.getElementById(id).textContent;
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}}
mountReplay(document.getElementById('replay'), [
{list}]);
</script>
</body>
</html>
"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::{declared_names, exported_names, imported_modules};
    use std::collections::HashSet;

    fn all() -> Vec<Module> {
        let mut modules = MODULES.to_vec();
        modules.push(ENTRY);
        modules
    }

    #[test]
    fn no_name_is_declared_twice() {
        let mut seen = HashSet::new();
        for module in all() {
            for name in declared_names(&module) {
                assert!(seen.insert(name), "{name} of {}", module.name);
            }
        }
        assert!(seen.contains("mountReplay") && seen.len() > 50);
    }

    #[test]
    fn modules_come_behind_those_they_import() {
        let mut before: HashSet<&str> = HashSet::new();
        for module in all() {
            for import in imported_modules(&module) {
                assert!(before.contains(import), "{} imports {import}", module.name);
            }
            before.insert(module.name);
        }
    }

    #[test]
    fn what_is_imported_is_exported() {
        let exported: HashSet<(&str, &str)> = all()
            .iter()
            .flat_map(|module| {
                exported_names(module)
                    .map(|name| (module.name, name))
                    .collect::<Vec<_>>()
            })
            .collect();
        for module in all() {
            for line in module.text.lines().filter(|line| line.starts_with("import ")) {
                let (names, from) = line.split_once(" from './").unwrap();
                let from = from.trim_end_matches("';");
                let names = names.trim_start_matches("import {").trim_end_matches('}');
                for name in names.split(',').map(str::trim) {
                    assert!(exported.contains(&(from, name)), "{}: {name} of {from}", module.name);
                }
            }
        }
    }

    #[test]
    fn the_page_stands_alone() {
        let page = page("a < b", &[("one </script>", b"bytes"), ("two", b"more")]);
        assert!(!page.contains("http://") && !page.contains("https://"));
        assert!(
            !page
                .lines()
                .any(|line| line.starts_with("import ") || line.starts_with("export "))
        );
        assert!(!page.contains("import(") && !page.contains("@import"));
        assert!(page.contains("Ynl0ZXM=") && page.contains("a &lt; b"));
        // Two of data, and the one that runs.
        assert_eq!(page.matches("</script>").count(), 3);
        assert!(!script().contains("</script"));
    }

    #[test]
    fn every_module_says_what_it_is() {
        for module in all() {
            assert!(module.text.starts_with("// "), "{}", module.name);
        }
    }
}
