//! Everything the program says: results on stdout, complaints on stderr.
//!
//! A closed pipe (`drystone list scenes | head -1`) is no error, so what can't be written is dropped.

use std::io::{self, IsTerminal, Write};

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};

use crate::error::Error;

/// Where results and complaints go.
#[derive(Debug, Clone, Copy, Default)]
pub struct Output {
    /// Errors only.
    pub quiet: bool,
    /// Results as JSON instead of tables.
    pub json: bool,
}

impl Output {
    /// Results: a line or several on stdout.
    pub fn say(&self, text: &str) {
        let mut stdout = io::stdout().lock();
        let _ = stdout.write_all(text.as_bytes());
        if !text.ends_with('\n') {
            let _ = stdout.write_all(b"\n");
        }
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
            Ok(text) => self.say(&text),
            Err(error) => self.complain(&format!("cannot write JSON: {error}")),
        }
    }

    /// One line `error: …` on stderr.
    pub fn complain(&self, message: &str) {
        let _ = writeln!(io::stderr().lock(), "error: {message}");
    }

    /// An error in one line; for a mistake in a scene or experiment file, its place in the text follows when somebody is looking.
    pub fn report(&self, error: &Error) {
        self.complain(&error.to_string());
        let diagnostic: &dyn Diagnostic = match error {
            Error::Scene(error) => error,
            Error::Located(error) => error.as_ref(),
            _ => return,
        };
        if io::stderr().is_terminal() && diagnostic.source_code().is_some() {
            let mut snippet = String::new();
            let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode());
            if handler.render_report(&mut snippet, diagnostic).is_ok() {
                let _ = writeln!(io::stderr().lock(), "{snippet}");
            }
        }
    }
}
