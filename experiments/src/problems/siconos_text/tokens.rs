//! A text as tokens that know their lines. Lines mean nothing in these files: some are written by hand, with blank lines.

use super::super::error::{Mismatch, Place};

/// The tokens, and how far they have been read.
#[derive(Debug, Clone)]
pub(super) struct Tokens<'a> {
    text: &'a str,
    tokens: &'a [Token<'a>],
    at: usize,
}

/// A token and its line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'a> {
    text: &'a str,
    line: usize,
}

/// Cuts a text at white space.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    text.lines()
        .enumerate()
        .flat_map(|(line, text)| text.split_whitespace().map(move |text| Token { text, line: line + 1 }))
        .collect()
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str, tokens: &'a [Token<'a>]) -> Self {
        Self { text, tokens, at: 0 }
    }

    /// How many have been read.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// The token `ahead` of the next one.
    pub(super) fn peek(&self, ahead: usize) -> Option<&'a str> {
        self.tokens.get(self.at + ahead).map(|token| token.text)
    }

    /// Whether `ahead` of the next token there is one on the same line.
    pub(super) fn same_line(&self, ahead: usize) -> bool {
        match (self.tokens.get(self.at), self.tokens.get(self.at + ahead)) {
            (Some(one), Some(other)) => one.line == other.line,
            _ => false,
        }
    }

    /// The text that is left, and its tokens.
    pub(super) fn rest(&self) -> (&'a str, impl Iterator<Item = &'a str>) {
        let left = &self.tokens[self.at..];
        let start = left.first().map_or(self.text.len(), |token| {
            // Tokens are slices of the text.
            token.text.as_ptr() as usize - self.text.as_ptr() as usize
        });
        (self.text[start..].trim_end(), left.iter().map(|token| token.text))
    }

    /// That something else was expected than what comes next.
    pub(super) fn mismatch(&self, expected: impl Into<String>) -> Mismatch {
        match self.tokens.get(self.at) {
            Some(token) => Mismatch {
                place: Place::Line(token.line),
                expected: expected.into(),
                found: format!("'{}'", shortened(token.text)),
            },
            None => Mismatch {
                place: Place::Line(self.tokens.last().map_or(1, |token| token.line)),
                expected: expected.into(),
                found: "the end of the file".into(),
            },
        }
    }

    pub(super) fn skip(&mut self) {
        self.at += 1;
    }

    /// Reads a token that means a value.
    pub(super) fn value<T>(&mut self, what: &str, parse: impl FnOnce(&'a str) -> Option<T>) -> Result<T, Mismatch> {
        let value = self.peek(0).and_then(parse).ok_or_else(|| self.mismatch(what))?;
        self.at += 1;
        Ok(value)
    }

    /// Reads a whole number, 0 or more.
    pub(super) fn count(&mut self, what: &str) -> Result<usize, Mismatch> {
        // Sizes beyond 32 bits are none that these files can hold, and products of two of them must not overflow.
        self.value(what, |text| text.parse::<u32>().ok().map(|count| count as usize))
    }

    /// Reads a whole number of which only one value is right.
    pub(super) fn exactly(&mut self, expected: usize, what: &str) -> Result<(), Mismatch> {
        let found = |text: &str| text.parse().ok().filter(|&found: &usize| found == expected);
        self.value(&format!("{what}, {expected}"), found).map(|_| ())
    }

    /// Reads a word.
    pub(super) fn word(&mut self, expected: &str) -> Result<(), Mismatch> {
        self.value(&format!("'{expected}'"), |text| (text == expected).then_some(()))
    }

    /// Reads a finite number.
    pub(super) fn number(&mut self, what: &str) -> Result<f64, Mismatch> {
        self.value(&format!("{what}, a finite number"), |text| {
            text.parse().ok().filter(|x: &f64| x.is_finite())
        })
    }

    /// Reads so many values. Nothing is allocated if the file is too short for them.
    pub(super) fn several<T>(
        &mut self,
        count: usize,
        what: &str,
        mut read: impl FnMut(&mut Self, &str) -> Result<T, Mismatch>,
    ) -> Result<Vec<T>, Mismatch> {
        let left = self.tokens.len() - self.at;
        if count > left {
            return Err(Mismatch {
                place: Place::Line(self.tokens.last().map_or(1, |token| token.line)),
                expected: format!("{count} values of {what}"),
                found: format!("the end of the file after {left}"),
            });
        }
        (0..count).map(|_| read(self, what)).collect()
    }

    pub(super) fn numbers(&mut self, count: usize, what: &str) -> Result<Vec<f64>, Mismatch> {
        self.several(count, what, Self::number)
    }

    pub(super) fn counts(&mut self, count: usize, what: &str) -> Result<Vec<usize>, Mismatch> {
        self.several(count, what, Self::count)
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
