//! What can be wrong with a scene, told in one line, with the place where one is known.
//!
//! The plain text of an error is `file:line:column: what is wrong`, which editors and terminals turn into links; the
//! same error is a [`miette::Diagnostic`], from which the program can show the offending line itself.

use drystone_solver::spec::SpecError;
use miette::{Diagnostic, NamedSource, SourceSpan};
use thiserror::Error;

/// A scene that can't be read, found or built.
#[derive(Debug, Error, Diagnostic)]
pub enum SceneError {
    /// The file could not be read.
    #[error("cannot read scene '{path}': {source}")]
    File {
        /// The path as given.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// Something is wrong at a place in a text.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Located(Box<LocatedError>),
    /// Something is wrong with a scene that does not come from a text.
    #[error("scene '{scene}', {place}: {message}")]
    Invalid {
        /// The scene's name.
        scene: String,
        /// Where in the scene, as a path of keys: `body[3].mass`.
        place: String,
        /// What is wrong.
        message: String,
    },
    /// A catalogue name or one of its parameters is wrong.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The scene can't be written as TOML.
    #[error("cannot write scene '{scene}': {message}")]
    Write {
        /// The scene's name.
        scene: String,
        /// Why.
        message: String,
    },
}

/// A mistake at a place in the text of a scene, or of another TOML file of ours.
#[derive(Debug, Clone, PartialEq, Eq, Error, Diagnostic)]
#[error("{file}:{line}:{column}: {message}")]
pub struct LocatedError {
    /// The name of the text: usually its path.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong, in one line.
    pub message: String,
    /// The text, for showing the place.
    #[source_code]
    pub source_code: NamedSource<String>,
    /// The bytes it is about.
    #[label("here")]
    pub span: SourceSpan,
}

impl LocatedError {
    /// Points at a range of bytes in a text. A range outside of the text is cut to its end.
    pub fn new(file: &str, text: &str, span: std::ops::Range<usize>, message: String) -> Self {
        let start = floor_char_boundary(text, span.start);
        let end = floor_char_boundary(text, span.end).max(start);
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message,
            source_code: NamedSource::new(file, text.to_owned()).with_language("TOML"),
            span: (start, end - start).into(),
        }
    }
}

impl From<LocatedError> for SceneError {
    fn from(error: LocatedError) -> Self {
        Self::Located(Box::new(error))
    }
}

fn floor_char_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_in_characters() {
        let text = "a\n§ = 2\n";
        let place = |at| {
            let error = LocatedError::new("x.toml", text, at..at + 1, "wrong".into());
            (error.line, error.column)
        };
        assert_eq!(place(0), (1, 1));
        assert_eq!(place(2), (2, 1));
        // The section sign is two bytes and one character; an offset inside it is moved to its start.
        assert_eq!(place(3), (2, 1));
        assert_eq!(place(5), (2, 3));
        assert_eq!(place(1000), (3, 1));
        let error = LocatedError::new("x.toml", text, 5..6, "wrong".into());
        assert_eq!(error.to_string(), "x.toml:2:3: wrong");
    }
}
