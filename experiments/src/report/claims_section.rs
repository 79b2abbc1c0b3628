//! The claims of a paper at the head of its page: published against measured, what became of each, and why.

use std::fmt::Write;
use std::path::Path;

use super::html::{escape, folded};
use super::html_table::{Cell, Column, Group, HtmlTable, Row};
use super::run_data::read_json;
use crate::claims::CLAIMS_JSON;
use crate::claims::report::{ClaimsReport, Judged, JudgedCheck, Verdict};
use crate::error::Error;
use crate::run_directory::file_name;

/// The judged claims in a directory, if it has any.
pub(super) fn read(directory: &Path) -> Result<Option<ClaimsReport>, Error> {
    let path = directory.join(CLAIMS_JSON);
    if !path.is_file() {
        return Ok(None);
    }
    let cannot = |error| {
        Error::Input(format!(
            "cannot read '{}': {error}; judge the claims again",
            path.display()
        ))
    };
    serde_json::from_value(read_json(&path)?).map(Some).map_err(cannot)
}

/// Table and details.
pub(super) fn content(report: &ClaimsReport) -> String {
    let headings = ["claim", "what it says", "published", "measured", "verdict"];
    let table = HtmlTable {
        id: "claims-table".to_owned(),
        caption: format!("Published against measured: {}", report.counts.shown()),
        columns: headings.into_iter().map(Column::text).collect(),
        groups: vec![Group {
            label: String::new(),
            rows: report.claims.iter().map(row).collect(),
        }],
    };
    let mut content = table.render();
    content.push_str(
        "<p class=\"note\">Pass and fail come from the experiments on this page; tested claims are held by tests of the \
         regression suite, which were looked up but not run.</p>\n",
    );
    let details: String = report.claims.iter().map(details).collect();
    content.push_str(&folded("Every claim with its checks", &details));
    content
}

/// A verdict in a word, with a sign that needs no colour.
fn verdict(verdict: Verdict) -> String {
    let sign = match verdict {
        Verdict::Pass => '✓',
        Verdict::Fail => '✗',
        Verdict::Tested => '●',
        Verdict::NotReproducible => '∅',
        Verdict::Open => '○',
        Verdict::NotRun => '…',
    };
    format!("{sign} {}", verdict.name())
}

fn row(claim: &Judged) -> Row {
    let mut id = Cell::text(&claim.id);
    id.link = Some(format!("#{}", anchor(claim)));
    let says = format!("{} ({})", claim.says, claim.place);
    let verdict = match why(claim) {
        Some(why) => format!("{}: {why}", verdict(claim.verdict)),
        None => verdict(claim.verdict),
    };
    let texts = [says, claim.published.clone(), measured(claim), verdict];
    let cells = std::iter::once(id).chain(texts.into_iter().map(Cell::text));
    Row {
        cells: cells.collect(),
        style: None,
        failed: claim.verdict == Verdict::Fail,
    }
}

/// What was measured, and what it was to be.
fn measured(claim: &Judged) -> String {
    if claim.checks.is_empty() {
        return claim.measured();
    }
    let one = |check: &JudgedCheck| format!("{} (asked {})", check.shown, check.wanted);
    claim.checks.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// Why there is no pass, if it is known.
fn why(claim: &Judged) -> Option<&str> {
    match claim.verdict {
        Verdict::Fail => claim.explains.as_deref(),
        Verdict::Pass | Verdict::Tested => None,
        Verdict::NotReproducible | Verdict::Open | Verdict::NotRun => claim.reason.as_deref(),
    }
}

/// Where the details of a claim are on the page.
fn anchor(claim: &Judged) -> String {
    format!("claim-{}", file_name(&claim.id))
}

fn details(claim: &Judged) -> String {
    let mut text = format!(
        "<h3 id=\"{}\">{}: {}</h3>\n<p>{} ({})</p>\n<ul>\n<li>published: {}</li>\n",
        escape(&anchor(claim)),
        escape(&claim.id),
        verdict(claim.verdict),
        escape(&claim.says),
        escape(&claim.place),
        escape(&claim.published)
    );
    for check in &claim.checks {
        let note = check.note.as_ref().map_or(String::new(), |note| format!(" ({note})"));
        let _ = writeln!(
            text,
            "<li><code>{}</code>: {} is <strong>{}</strong>{}, asked {}: {}. {}</li>",
            escape(&check.experiment),
            escape(&check.of),
            escape(&check.shown),
            escape(&note),
            escape(&check.wanted),
            check.verdict.name(),
            escape(&check.because)
        );
    }
    for test in &claim.tests {
        let _ = writeln!(text, "<li>test: <code>{}</code></li>", escape(test));
    }
    let why = [
        ("", claim.reason.as_ref()),
        ("why we find something else: ", claim.explains.as_ref()),
    ];
    for (words, why) in why {
        if let Some(why) = why {
            let _ = writeln!(text, "<li>{words}{}</li>", escape(why));
        }
    }
    text + "</ul>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::report::Counts;

    #[test]
    fn every_claim_is_in_the_table_with_what_became_of_it_and_nothing_is_taken_for_html() {
        let claim = Judged {
            id: "X<1>".into(),
            place: "§1".into(),
            says: "a < b".into(),
            published: "5 & 6".into(),
            verdict: Verdict::Fail,
            checks: Vec::new(),
            tests: vec!["tests/a.rs::b".into()],
            reason: None,
            explains: Some("because".into()),
        };
        let report = ClaimsReport {
            paper: "P".into(),
            folder: "f".into(),
            counts: Counts::of([Verdict::Fail].into_iter()),
            claims: vec![claim],
        };
        let content = content(&report);
        for part in [
            "X&lt;1&gt;",
            "a &lt; b",
            "5 &amp; 6",
            "✗ fail",
            "1 fail",
            "✗ fail: because",
            "href=\"#claim-X-1\"",
            "id=\"claim-X-1\"",
            "tests/a.rs::b",
            "because",
        ] {
            assert!(content.contains(part), "{part}");
        }
        assert!(!content.contains("X<1>"));
    }
}
