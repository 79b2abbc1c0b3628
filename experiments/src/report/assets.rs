//! Styles and scripts of pages: files of `experiments/web/report`, in the program as text.

use super::replay_section::Replay;
use crate::plot::{chart_svg, palette};

/// Nothing is loaded from anywhere.
pub(super) const SECURITY_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:";

const STYLE: &str = include_str!("../../web/report/report.css");
const SCRIPTS: [&str; 3] = [
    include_str!("../../web/report/tables.js"),
    include_str!("../../web/report/plots.js"),
    include_str!("../../web/report/cursor.js"),
];

/// All rules of a page.
pub(super) fn style(replay: &Replay) -> String {
    format!(
        "{}{}\n{STYLE}{}",
        palette::page_rules(),
        chart_svg::page_style(),
        replay.style()
    )
}

/// All scripts of a page, at its end.
pub(super) fn scripts(replay: &Replay) -> String {
    let mut text = format!(
        "<script type=\"text/plain\" id=\"picture-style\">{}</script>\n",
        chart_svg::picture_style()
    );
    for script in SCRIPTS {
        text.push_str(&format!("<script>\n{script}</script>\n"));
    }
    text + &replay.scripts()
}
