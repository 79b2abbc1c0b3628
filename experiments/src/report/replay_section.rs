//! The replay on a page: trajectories embedded as text, and the place where they are shown. A page without trajectories has
//! neither.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::html::escape;
use crate::error::Error;
use crate::quantity::count;
use crate::replay;

/// A page embeds so many bytes of trajectories unless it is told to take all.
const MOST_BYTES: u64 = 60_000_000;

/// Mounts the viewer and shares its time with the plots.
const LINK: &str = include_str!("../../web/report/replay_link.js");

/// A trajectory that may be embedded.
#[derive(Debug, Clone)]
pub struct Recording {
    /// What it is called.
    pub label: String,
    /// Its file.
    pub path: PathBuf,
}

/// The trajectories of a page.
#[derive(Debug, Clone, Default)]
pub struct Replay {
    embedded: Vec<(String, String)>,
    left_out: Vec<String>,
}

impl Replay {
    /// Reads trajectories, in their order, as long as there is room.
    pub fn embed(recordings: Vec<Recording>, all: bool) -> Result<Self, Error> {
        let mut replay = Self::default();
        let mut room = if all { u64::MAX } else { MOST_BYTES };
        for recording in recordings {
            let cannot = |error| Error::Input(format!("cannot read '{}': {error}", recording.path.display()));
            let size = fs::metadata(&recording.path).map_err(cannot)?.len();
            if size > room {
                replay.left_out.push(recording.label);
                continue;
            }
            room -= size;
            let bytes = fs::read(&recording.path).map_err(cannot)?;
            replay.embedded.push((recording.label, STANDARD.encode(&bytes)));
        }
        Ok(replay)
    }

    /// The section: where the replay is shown, and what was left out.
    pub fn content(&self) -> String {
        let mut text = String::new();
        if !self.embedded.is_empty() {
            text.push_str(
                "<div id=\"replay\"></div>\n<noscript><p class=\"note\">The replay needs scripts.</p></noscript>\n",
            );
        }
        if !self.left_out.is_empty() {
            let _ = writeln!(
                text,
                "<p class=\"note\">Left out, for they would make the page larger than {} MB: {}. To embed them too, make the \
                 report with --all-trajectories.</p>",
                count(MOST_BYTES as f64 / 1e6),
                escape(&self.left_out.join("; "))
            );
        }
        text
    }

    /// The viewer's rules, if there is anything to view.
    pub(super) fn style(&self) -> &'static str {
        match self.embedded.is_empty() {
            true => "",
            false => replay::style(),
        }
    }

    /// The trajectories, the viewer, and what links it to the plots.
    pub(super) fn scripts(&self) -> String {
        if self.embedded.is_empty() {
            return String::new();
        }
        let mut text = String::new();
        for (k, (label, bytes)) in self.embedded.iter().enumerate() {
            let label = escape(label);
            let _ = writeln!(
                text,
                "<script type=\"text/plain\" id=\"trajectory-{k}\" data-label=\"{label}\">{bytes}</script>"
            );
        }
        let _ = write!(text, "<script type=\"module\">\n{}{LINK}</script>\n", replay::script());
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recordings(folder: &std::path::Path, sizes: &[u64]) -> Vec<Recording> {
        let recording = |(k, &size): (usize, &u64)| {
            let path = folder.join(format!("{k}.bin"));
            // A file of that length without its bytes.
            fs::File::create(&path).unwrap().set_len(size).unwrap();
            Recording {
                label: format!("<run {k}>"),
                path,
            }
        };
        sizes.iter().enumerate().map(recording).collect()
    }

    #[test]
    fn what_would_make_the_page_too_large_is_left_out_and_named() {
        let folder = tempfile::tempdir().unwrap();
        let replay = Replay::embed(recordings(folder.path(), &[1000, MOST_BYTES, 2000]), false).unwrap();
        assert_eq!((replay.embedded.len(), replay.left_out.len()), (2, 1));
        let content = replay.content();
        assert!(
            content.contains("&lt;run 1&gt;") && content.contains("--all-trajectories"),
            "{content}"
        );
        assert!(content.contains("id=\"replay\""));
        let scripts = replay.scripts();
        assert!(scripts.contains("id=\"trajectory-1\" data-label=\"&lt;run 2&gt;\""));
        assert!(scripts.contains("mountReplay"));
    }

    #[test]
    fn without_trajectories_there_is_nothing() {
        let replay = Replay::embed(Vec::new(), false).unwrap();
        assert_eq!(
            (replay.content(), replay.scripts(), replay.style()),
            (String::new(), String::new(), "")
        );
    }
}
