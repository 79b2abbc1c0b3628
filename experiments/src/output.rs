//! Everything the program says: results on stdout, complaints on stderr.
//!
//! Texts come painted ([`Tone`]) and lose their escape codes here where there are to be none. With `--json`, stdout has
//! one JSON value and nothing else, and a complaint is a JSON object in a line of its own on stderr.
//!
//! A closed pipe (`drystone list scenes | head -1`) is no error, so what can't be written is dropped.

use std::io::{self, IsTerminal, Write};

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use serde_json::json;

use crate::advice::with_advice;
use crate::error::{Error, Exit};
use crate::progress::aside;
use crate::tone::{Colours, Tone, plain};

/// Where results and complaints go.
#[derive(Debug, Clone, Copy, Default)]
pub struct Output {
    /// Errors only.
    pub quiet: bool,
    /// Results as JSON instead of tables.
    pub json: bool,
    /// Where there are colours.
    pub colours: Colours,
}

impl Output {
    /// Results: a line or several on stdout.
    pub fn say(&self, text: &str) {
        let text = if self.colours.stdout {
            text.to_owned()
        } else {
            plain(text)
        };
        self.say_bytes(text.as_bytes());
        if !text.ends_with('\n') {
            self.say_bytes(b"\n");
        }
    }

    /// A file on stdout, just as it is.
    pub fn say_bytes(&self, bytes: &[u8]) {
        let mut stdout = io::stdout().lock();
        let _ = stdout.write_all(bytes);
        let _ = stdout.flush();
    }

    /// Results for people, unless they want quiet or JSON.
    pub fn show(&self, text: &str) {
        if !self.quiet && !self.json {
            self.say(text);
        }
    }

    /// Results for programs, if they were asked for.
    pub fn machine_readable(&self, value: &impl serde::Serialize) {
        if !self.json {
            return;
        }
        match serde_json::to_string_pretty(value) {
            Ok(text) => self.say_bytes((text + "\n").as_bytes()),
            Err(error) => self.complain(&format!("cannot write JSON: {error}")),
        }
    }

    /// Something failed: one line `error: …` on stderr, or `{"error": …, "exit_code": 1}`.
    pub fn complain(&self, message: &str) {
        self.error(message, Exit::Failed);
    }

    /// Something that was given is wrong: the same with exit code 2.
    pub fn refuse(&self, message: &str) {
        self.error(message, Exit::Input);
    }

    fn error(&self, message: &str, exit: Exit) {
        let line = if self.json {
            json!({ "error": message, "exit_code": exit.code() }).to_string()
        } else {
            format!("{} {message}", Tone::Bad.paint("error:"))
        };
        self.write_stderr(&line);
    }

    fn write_stderr(&self, line: &str) {
        let line = if self.colours.stderr {
            line.to_owned()
        } else {
            plain(line)
        };
        aside(|| {
            let _ = writeln!(io::stderr().lock(), "{line}");
        });
    }

    /// An error in one line; for a mistake in a scene or experiment file, its place in the text follows when somebody is looking.
    pub fn report(&self, error: &Error) {
        self.error(&with_advice(error), error.exit());
        let diagnostic: &dyn Diagnostic = match error {
            Error::Scene(error) => error,
            Error::Located(error) => error.as_ref(),
            _ => return,
        };
        if !self.json && io::stderr().is_terminal() && diagnostic.source_code().is_some() {
            let mut snippet = String::new();
            let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode());
            if handler.render_report(&mut snippet, diagnostic).is_ok() {
                self.write_stderr(&snippet);
            }
        }
    }
}
