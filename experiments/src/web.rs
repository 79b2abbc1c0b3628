//! Bundles JavaScript modules into the text of one script, so that a page opened from disk needs no other file.
//!
//! Modules are read as text when the program is built. Since a page without a server cannot import, the modules are put one after
//! another in the order of a list, a module behind those it imports, without their `import` lines and `export` words. All
//! of them then share one scope: names at the top of modules must be different, which a test sees to.

/// A module: its file's name, and its text.
#[derive(Debug, Clone, Copy)]
pub struct Module {
    /// As other modules import it, without `./`.
    pub name: &'static str,
    /// What it says.
    pub text: &'static str,
}

/// The text of one script with all modules in their order. `import` statements must be on one line and `export` stand at
/// the beginning of a line.
pub fn bundle(modules: &[Module]) -> String {
    let mut script = String::new();
    for module in modules {
        script.push_str(&format!("// ── {}\n", module.name));
        for line in module.text.lines().filter(|line| !line.starts_with("import ")) {
            script.push_str(line.strip_prefix("export ").unwrap_or(line));
            script.push('\n');
        }
    }
    script
}

/// The names that a module declares at its top: classes, functions and constants.
pub fn declared_names(module: &Module) -> impl Iterator<Item = &'static str> {
    let lines = module.text.lines();
    lines.filter_map(|line| declared_name(line.strip_prefix("export ").unwrap_or(line)))
}

/// Those among them that other modules may import.
pub fn exported_names(module: &Module) -> impl Iterator<Item = &'static str> {
    let lines = module.text.lines();
    lines.filter_map(|line| declared_name(line.strip_prefix("export ")?))
}

fn declared_name(line: &'static str) -> Option<&'static str> {
    let line = line.strip_prefix("async ").unwrap_or(line);
    let rest = ["class ", "function ", "const ", "let "]
        .iter()
        .find_map(|word| line.strip_prefix(word))?;
    rest.split(|character: char| !(character.is_alphanumeric() || character == '_' || character == '$'))
        .next()
        .filter(|name| !name.is_empty())
}

/// The modules that a module imports, by their files' names.
pub fn imported_modules(module: &Module) -> impl Iterator<Item = &'static str> {
    module.text.lines().filter_map(|line| {
        let (_, from) = line.strip_prefix("import ")?.split_once(" from './")?;
        from.strip_suffix("';")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Module = Module {
        name: "first.js",
        text: "// First.\nexport const ONE = 1;\nexport async function later() {\n  const inside = 2;\n}\n",
    };
    const SECOND: Module = Module {
        name: "second.js",
        text: "import { ONE } from './first.js';\nexport class Thing {}\nlet two = ONE;\n",
    };

    #[test]
    fn imports_and_exports_are_gone_and_all_else_is_there() {
        let script = bundle(&[FIRST, SECOND]);
        assert_eq!(
            script,
            "// ── first.js\n// First.\nconst ONE = 1;\nasync function later() {\n  const inside = 2;\n}\n\
             // ── second.js\nclass Thing {}\nlet two = ONE;\n"
        );
    }

    #[test]
    fn names_and_imports_are_found() {
        assert_eq!(declared_names(&FIRST).collect::<Vec<_>>(), ["ONE", "later"]);
        assert_eq!(declared_names(&SECOND).collect::<Vec<_>>(), ["Thing", "two"]);
        assert_eq!(exported_names(&SECOND).collect::<Vec<_>>(), ["Thing"]);
        assert_eq!(imported_modules(&SECOND).collect::<Vec<_>>(), ["first.js"]);
    }
}
