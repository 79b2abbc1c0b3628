//! Commands and files in pages of Markdown, so that tests can do what a reader would.
//!
//! A block of code begins with three backticks and words: its language, and what is to be known of it.
//!
//! - `sh`: every line is a command; `console`: the lines that begin with `$ ` are, the others are what they print;
//! - `exit=N`: the commands end with this code instead of 0;
//! - `file=NAME`: the text is to be saved under this name;
//! - `dir=FOLDER`, or `cd FOLDER` as the first command: they are for the program in that folder, which has a test of its own;
//! - `from=project`: they are run in the root of the project instead of a folder of their own.

use std::fs;
use std::path::{Path, PathBuf};

/// A block of code.
#[derive(Debug)]
pub(crate) struct Block {
    /// Its place, for messages.
    pub(crate) place: String,
    words: Vec<String>,
    lines: Vec<String>,
}

impl Block {
    /// Whether it has this word.
    pub(crate) fn is(&self, word: &str) -> bool {
        self.words.iter().any(|known| known == word)
    }

    /// The value of a word `key=value`.
    pub(crate) fn value(&self, key: &str) -> Option<&str> {
        let values = self.words.iter().filter_map(|word| word.split_once('='));
        values.filter(|(known, _)| *known == key).map(|(_, value)| value).next()
    }

    /// The folder that its commands are for, if it is not the reader's own.
    pub(crate) fn folder(&self) -> Option<&str> {
        let entered = self.lines.first().and_then(|line| line.strip_prefix("cd "));
        self.value("dir").or(entered)
    }

    /// Its text.
    pub(crate) fn text(&self) -> String {
        self.lines.join("\n") + "\n"
    }

    /// Its commands, each with the lines that it is said to print.
    pub(crate) fn commands(&self) -> Vec<(String, Vec<String>)> {
        let mut commands: Vec<(String, Vec<String>)> = Vec::new();
        for line in &self.lines {
            if self.is("sh") {
                let command = line.split(" # ").next().unwrap_or_default().trim();
                if !command.is_empty() && !command.starts_with('#') {
                    commands.push((command.to_owned(), Vec::new()));
                }
            } else if self.is("console") {
                match (line.strip_prefix("$ "), commands.last_mut()) {
                    (Some(command), _) => commands.push((command.to_owned(), Vec::new())),
                    (None, Some((_, printed))) => printed.push(line.clone()),
                    (None, None) => panic!("{}: a line before the first command", self.place),
                }
            }
        }
        commands
    }
}

/// The root of the project.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The chapters of the guide, and the README of the project.
pub(crate) fn pages() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("docs/guide")).unwrap();
    let mut pages: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    pages.push(root().join("README.md"));
    pages.sort();
    pages
}

/// The blocks of a page.
pub(crate) fn blocks(page: &Path) -> Vec<Block> {
    let text = fs::read_to_string(page).unwrap();
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    for (number, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), open) {
            (Some(words), false) => blocks.push(Block {
                place: format!("{}:{}", page.display(), number + 1),
                words: words.split_whitespace().map(str::to_owned).collect(),
                lines: Vec::new(),
            }),
            (None, true) => {
                if let Some(block) = blocks.last_mut() {
                    block.lines.push(line.to_owned());
                }
            }
            _ => {}
        }
        if line.starts_with("```") {
            open = !open;
        }
    }
    assert!(!open, "{}: a block is not closed", page.display());
    blocks
}
