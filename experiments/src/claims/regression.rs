//! Tests of the regression suite that hold a claim. A sweep does not run them, but it looks whether they are there: a claim
//! must not lean on a test that was renamed or removed.

use std::fs;
use std::path::{Path, PathBuf};

use drystone_solver::spec::nearest;

/// The source tree that a folder of claims lies in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    root: PathBuf,
}

impl Tree {
    /// The nearest folder above that holds a workspace.
    pub fn around(folder: &Path) -> Option<Self> {
        let start = fs::canonicalize(folder).ok()?;
        let holds_workspace = |folder: &&Path| {
            let manifest = fs::read_to_string(folder.join("Cargo.toml"));
            manifest.is_ok_and(|text| text.lines().any(|line| line.trim() == "[workspace]"))
        };
        let root = start.ancestors().find(holds_workspace)?;
        Some(Self { root: root.to_owned() })
    }

    /// What is wrong with the form of `tests/file.rs::name`, if anything is.
    pub fn misspelt(test: &str) -> Option<String> {
        match test.split_once("::") {
            Some((file, name)) if file.ends_with(".rs") && !name.is_empty() => None,
            _ => Some(format!("a test is written 'tests/file.rs::name', not '{test}'")),
        }
    }

    /// Why there is no such test, if there is none.
    pub fn fault(&self, test: &str) -> Option<String> {
        if let Some(fault) = Self::misspelt(test) {
            return Some(fault);
        }
        let (file, name) = test.split_once("::")?;
        let Ok(text) = fs::read_to_string(self.root.join(file)) else {
            let root = self.root.display();
            return Some(format!("there is no file '{file}' in '{root}'"));
        };
        let tests = tests_in(&text);
        if tests.contains(&name) {
            return None;
        }
        let advice = nearest(name, tests.iter().copied()).map(|near| format!("; did you mean '{near}'?"));
        Some(format!(
            "there is no test '{name}' in {file}{}",
            advice.unwrap_or_default()
        ))
    }
}

/// The names of functions under `#[test]`, whatever other attributes stand between.
fn tests_in(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut is_marked = false;
    for line in text.lines().map(str::trim) {
        if line == "#[test]" {
            is_marked = true;
        } else if let Some(rest) = line.strip_prefix("fn ")
            && is_marked
        {
            names.extend(rest.split(['(', '<']).next());
            is_marked = false;
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> Tree {
        Tree::around(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap()
    }

    #[test]
    fn tests_are_found_and_helpers_are_not() {
        let text =
            "fn helper() {}\n#[test]\n#[ignore]\nfn a_law() {\n}\n    #[test]\n    fn another() {}\nfn last() {}\n";
        assert_eq!(tests_in(text), ["a_law", "another"]);
    }

    #[test]
    fn a_test_must_be_there() {
        assert_eq!(tree().fault("tests/shock_propagation.rs::a_wall_stands"), None);
        let renamed = tree().fault("tests/shock_propagation.rs::a_wal_stands").unwrap();
        assert!(renamed.ends_with("did you mean 'a_wall_stands'?"), "{renamed}");
        let elsewhere = tree().fault("tests/shock.rs::a_wall_stands").unwrap();
        assert!(
            elsewhere.starts_with("there is no file 'tests/shock.rs'"),
            "{elsewhere}"
        );
        for wrong in [
            "a_wall_stands",
            "tests/shock_propagation.rs",
            "tests/a.rs::",
            "tests/a::b",
        ] {
            assert!(tree().fault(wrong).unwrap().starts_with("a test is written"), "{wrong}");
        }
    }

    #[test]
    fn outside_a_workspace_there_is_no_tree() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Tree::around(folder.path()), None);
        assert_eq!(Tree::around(&folder.path().join("missing")), None);
    }
}
