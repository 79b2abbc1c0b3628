//! A few lines at the bottom of a terminal that are drawn anew in place, on stderr.
//!
//! A picture is one write: the cursor goes up to the first line, each line is overwritten and only what is left of it erased,
//! so that nothing flickers. The cursor is hidden meanwhile, and shown again however the run ends: when the panel is
//! dropped, also by an error or a panic, and by a second Ctrl-C ([`restore`]).

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use console::Term;

const HIDE_CURSOR: &str = "\u{1b}[?25l";
const SHOW_CURSOR: &str = "\u{1b}[?25h";
const ERASE_REST_OF_LINE: &str = "\u{1b}[K";
const ERASE_BELOW: &str = "\u{1b}[J";
/// Terminals that know it show nothing until the picture is complete; others ignore it.
const BEGIN_PICTURE: &str = "\u{1b}[?2026h";
const END_PICTURE: &str = "\u{1b}[?2026l";

/// Lines of the panel that are on the terminal now, above the cursor.
static DRAWN: Mutex<usize> = Mutex::new(0);
static CURSOR_HIDDEN: AtomicBool = AtomicBool::new(false);

/// A panel on stderr.
#[derive(Debug)]
pub struct Panel {
    terminal: Term,
}

impl Panel {
    /// Begins one, if stderr is a terminal that can be drawn on.
    pub fn open() -> Option<Self> {
        let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb" || term.is_empty());
        if dumb || !io::stderr().is_terminal() {
            return None;
        }
        CURSOR_HIDDEN.store(true, Ordering::SeqCst);
        write(HIDE_CURSOR);
        Some(Self {
            terminal: Term::stderr(),
        })
    }

    /// Draws the lines that `lines` makes for the present width and height, in place of the last.
    pub fn draw(&mut self, lines: impl FnOnce(usize, usize) -> Vec<String>) {
        let (height, width) = self.terminal.size_checked().unwrap_or((24, 80));
        // The last column and the last line stay free: writing there would wrap and scroll.
        let lines = lines(
            usize::from(width).saturating_sub(1),
            usize::from(height).saturating_sub(1),
        );
        let mut drawn = DRAWN.lock().unwrap_or_else(PoisonError::into_inner);
        write(&picture(*drawn, &lines));
        *drawn = lines.len();
    }
}

impl Drop for Panel {
    fn drop(&mut self) {
        aside(|| ());
        restore();
    }
}

/// The text that replaces `before` lines above the cursor by new ones.
fn picture(before: usize, lines: &[String]) -> String {
    let mut text = String::from(BEGIN_PICTURE);
    text.push_str(&up(before));
    for line in lines {
        let _ = write!(text, "{line}{ERASE_REST_OF_LINE}\r\n");
    }
    text.push_str(ERASE_BELOW);
    text.push_str(END_PICTURE);
    text
}

fn up(lines: usize) -> String {
    match lines {
        0 => "\r".to_owned(),
        lines => format!("\r\u{1b}[{lines}A"),
    }
}

/// Erases the panel, lets something be written, and leaves it to the next picture to draw the panel below that.
pub fn aside<T>(other: impl FnOnce() -> T) -> T {
    let mut drawn = DRAWN.lock().unwrap_or_else(PoisonError::into_inner);
    if *drawn > 0 {
        write(&format!("{}{ERASE_BELOW}", up(*drawn)));
        *drawn = 0;
    }
    other()
}

/// Shows the cursor again if it was hidden.
pub fn restore() {
    if CURSOR_HIDDEN.swap(false, Ordering::SeqCst) {
        write(SHOW_CURSOR);
    }
}

/// A line where there is no terminal.
pub(super) fn plain_line(line: &str) {
    write(&format!("{line}\n"));
}

fn write(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes());
    let _ = stderr.flush();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_goes_back_over_the_last_one_and_erases_what_is_left() {
        let first = picture(0, &["a".into(), "b".into()]);
        assert!(!first.contains('A'), "{first:?}");
        let second = picture(2, &["c".into()]);
        assert!(second.contains("\r\u{1b}[2Ac\u{1b}[K\r\n\u{1b}[J"), "{second:?}");
    }
}
