//! How judged claims are shown: a table on the terminal, and the page `claims.md`, published against measured.

use std::fmt::Write;

use super::report::{ClaimsReport, Judged, JudgedCheck, Verdict};
use crate::solve::markdown::{cell, shown};
use crate::table::{Align, Table};

/// Cells of the terminal's table are cut to this many characters; the page has all of it.
const WIDEST: usize = 48;

/// For a terminal.
pub fn text(report: &ClaimsReport) -> String {
    let mut table = Table::new([Align::Left; 4]);
    table.row(["claim", "published", "measured", "verdict"]);
    for claim in &report.claims {
        table.row([
            claim.id.clone(),
            cut(&claim.published),
            cut(&claim.measured()),
            claim.verdict.name().to_owned(),
        ]);
    }
    let mut text = format!(
        "Claims of {}: {}\n\n{}",
        report.paper,
        report.counts.shown(),
        table.render()
    );
    let failing = report.claims.iter().filter(|claim| claim.verdict == Verdict::Fail);
    for claim in failing {
        let why = claim.explains.as_deref().unwrap_or("not explained");
        let _ = write!(text, "\n{} fails: {why}\n", claim.id);
    }
    for claim in report.claims.iter().filter(|claim| claim.explains_nothing()) {
        let _ = write!(
            text,
            "\n{} passes, but claims.toml explains why it should not\n",
            claim.id
        );
    }
    text
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(WIDEST) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// The page. `command` made it.
pub fn markdown(report: &ClaimsReport, command: &[String]) -> String {
    let mut text = format!(
        "# Claims: published against measured\n\n{}\n\nMade by `{}` with drystone {}: {}.\n\n\
         *Pass* and *fail* come from the experiments of this folder; *tested* claims are held by tests of the regression \
         suite, which were looked up but not run here.\n\n\
         | claim | where | published | measured | verdict |\n|---|---|---|---|---|\n",
        report.paper,
        shown(command),
        env!("CARGO_PKG_VERSION"),
        report.counts.shown(),
    );
    for claim in &report.claims {
        let cells = [
            claim.id.as_str(),
            &claim.place,
            &claim.published,
            &claim.measured(),
            claim.verdict.name(),
        ];
        let cells: Vec<String> = cells.into_iter().map(cell).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    for claim in &report.claims {
        one(&mut text, claim);
    }
    text
}

fn one(text: &mut String, claim: &Judged) {
    let (id, verdict) = (&claim.id, claim.verdict.name());
    let _ = write!(text, "\n## {id}: {verdict}\n\n{} ({})\n\n", claim.says, claim.place);
    let _ = writeln!(text, "- published: {}", claim.published);
    for check in &claim.checks {
        let _ = writeln!(text, "- {}", check_line(check));
    }
    for test in &claim.tests {
        let _ = writeln!(text, "- test: `{test}`");
    }
    if let Some(reason) = &claim.reason {
        let what = match claim.verdict {
            Verdict::Open => "missing here",
            Verdict::NotRun => "not run",
            _ => "why not",
        };
        let _ = writeln!(text, "- {what}: {reason}");
    }
    if let Some(explains) = &claim.explains {
        let what = match claim.explains_nothing() {
            true => "passes, though this was given as the reason why it should not",
            false => "why we find something else",
        };
        let _ = writeln!(text, "- {what}: {explains}");
    }
}

fn check_line(check: &JudgedCheck) -> String {
    let note = check.note.as_ref().map_or(String::new(), |note| format!(" ({note})"));
    format!(
        "`{}`: {} is **{}**{note}, asked {}: {}. {}",
        check.experiment,
        check.of,
        check.shown,
        check.wanted,
        check.verdict.name(),
        check.because
    )
}
