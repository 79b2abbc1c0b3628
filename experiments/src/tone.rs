//! Colours by meaning: a text is painted where it is made, and [`Output`](crate::output::Output) takes the escape codes out
//! again where nobody would see colours (no terminal, `NO_COLOR`, `--color never`).
//!
//! So tables and messages need not know where they go, and there is one place that decides.

use std::ffi::OsString;
use std::io::IsTerminal;

use anstyle::{AnsiColor, Style};

use crate::cli::ColorChoice;

/// What a piece of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// The heading of a table.
    Heading,
    /// `error:`, and what failed.
    Bad,
    /// What passed.
    Good,
    /// The best value of a column.
    Best,
    /// What matters less.
    Faint,
}

impl Tone {
    fn style(self) -> Style {
        match self {
            Self::Heading => Style::new().bold(),
            Self::Bad => Style::new().bold().fg_color(Some(AnsiColor::Red.into())),
            Self::Good => Style::new().fg_color(Some(AnsiColor::Green.into())),
            Self::Best => Style::new().bold().fg_color(Some(AnsiColor::Green.into())),
            Self::Faint => Style::new().dimmed(),
        }
    }

    /// The text between the escape codes of its tone; nothing stays nothing.
    pub fn paint(self, text: &str) -> String {
        if text.is_empty() {
            return String::new();
        }
        let style = self.style();
        format!("{style}{text}{style:#}")
    }
}

/// The text without escape codes.
pub fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

/// How many columns of a terminal a text takes; all characters the program prints are one wide.
pub fn width(text: &str) -> usize {
    if text.contains('\u{1b}') {
        plain(text).chars().count()
    } else {
        text.chars().count()
    }
}

/// Where colours are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Colours {
    /// On stdout.
    pub stdout: bool,
    /// On stderr.
    pub stderr: bool,
}

impl Colours {
    /// Decides: what was asked for; else terminals have colours, unless `NO_COLOR` is set to anything or the terminal is
    /// a dumb one.
    pub fn decide(choice: ColorChoice) -> Self {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let unwanted = set("NO_COLOR") || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let on = |is_terminal: bool| match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => is_terminal && !unwanted,
        };
        Self {
            stdout: on(std::io::stdout().is_terminal()),
            stderr: on(std::io::stderr().is_terminal()),
        }
    }
}

/// The `--color` of a command line that could not be read, or that asks for help.
pub(crate) fn choice_in(arguments: &[OsString]) -> ColorChoice {
    let texts: Vec<_> = arguments.iter().map(|argument| argument.to_string_lossy()).collect();
    let given = texts.iter().enumerate().find_map(|(k, text)| match text.as_ref() {
        "--color" => texts.get(k + 1).map(|value| value.as_ref()),
        _ => text.strip_prefix("--color="),
    });
    match given {
        Some("always") => ColorChoice::Always,
        Some("never") => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn painted_text_is_as_wide_as_plain_text_and_reads_the_same() {
        let painted = Tone::Best.paint("µ 1.5");
        assert!(painted.contains('\u{1b}'));
        assert_eq!(plain(&painted), "µ 1.5");
        assert_eq!(width(&painted), 5);
        assert_eq!(Tone::Bad.paint(""), "");
    }

    #[test]
    fn the_choice_is_found_in_a_wrong_command_line() {
        let choice = |line: &str| choice_in(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert_eq!(choice("drystone rnu --color always"), ColorChoice::Always);
        assert_eq!(choice("drystone --color=never rnu"), ColorChoice::Never);
        assert_eq!(choice("drystone rnu --color"), ColorChoice::Auto);
    }
}
