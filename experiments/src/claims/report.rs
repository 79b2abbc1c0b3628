//! What became of the claims of a paper: a plain value that pages, terminals and programs are given alike.

use serde::{Deserialize, Serialize};

use super::check::Check;
use super::evaluate::Measured;
use super::relation::Relation;
use crate::quantity::{Scale, count, number, precise};

/// What becomes of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Every check of it holds.
    Pass,
    /// A check does not.
    Fail,
    /// Tests of the regression suite hold it; they are there, and were not run here.
    Tested,
    /// It can't be reproduced.
    NotReproducible,
    /// Something is missing here.
    Open,
    /// Rows are missing.
    NotRun,
}

impl Verdict {
    /// All, in the order they are counted in.
    pub const ALL: [Self; 6] = [
        Self::Pass,
        Self::Fail,
        Self::Tested,
        Self::NotReproducible,
        Self::Open,
        Self::NotRun,
    ];

    /// In a word or two.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Tested => "tested",
            Self::NotReproducible => "not reproducible",
            Self::Open => "open",
            Self::NotRun => "not run",
        }
    }

    /// Of a claim with these checks: one that fails is enough, and one that was not run leaves it undecided.
    pub fn of_all(checks: &[Self]) -> Self {
        let any = |verdict: Self| checks.contains(&verdict);
        if any(Self::Fail) {
            Self::Fail
        } else if any(Self::NotRun) || checks.is_empty() {
            Self::NotRun
        } else {
            Self::Pass
        }
    }
}

/// How many claims there are of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// [`Verdict::Pass`].
    pub pass: usize,
    /// [`Verdict::Fail`].
    pub fail: usize,
    /// [`Verdict::Tested`].
    pub tested: usize,
    /// [`Verdict::NotReproducible`].
    pub not_reproducible: usize,
    /// [`Verdict::Open`].
    pub open: usize,
    /// [`Verdict::NotRun`].
    pub not_run: usize,
}

impl Counts {
    /// Counts verdicts.
    pub fn of(verdicts: impl Iterator<Item = Verdict>) -> Self {
        let mut counts = Self::default();
        for verdict in verdicts {
            *match verdict {
                Verdict::Pass => &mut counts.pass,
                Verdict::Fail => &mut counts.fail,
                Verdict::Tested => &mut counts.tested,
                Verdict::NotReproducible => &mut counts.not_reproducible,
                Verdict::Open => &mut counts.open,
                Verdict::NotRun => &mut counts.not_run,
            } += 1;
        }
        counts
    }

    /// How many of a kind.
    pub fn number(&self, verdict: Verdict) -> usize {
        match verdict {
            Verdict::Pass => self.pass,
            Verdict::Fail => self.fail,
            Verdict::Tested => self.tested,
            Verdict::NotReproducible => self.not_reproducible,
            Verdict::Open => self.open,
            Verdict::NotRun => self.not_run,
        }
    }

    /// `12 pass, 1 fail, 3 open`.
    pub fn shown(&self) -> String {
        let some = Verdict::ALL.into_iter().filter(|verdict| self.number(*verdict) > 0);
        let some = some.map(|verdict| format!("{} {}", self.number(verdict), verdict.name()));
        some.collect::<Vec<_>>().join(", ")
    }
}

/// The claims of a paper, judged.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ClaimsReport {
    /// Author, title, place and year.
    pub paper: String,
    /// The folder of the claims.
    pub folder: String,
    /// How many of each kind.
    pub counts: Counts,
    /// In the order of the file.
    pub claims: Vec<Judged>,
}

impl ClaimsReport {
    /// Claims that fail without an explanation: what `--check-claims` is about.
    pub fn unexplained(&self) -> impl Iterator<Item = &Judged> {
        let fails = |claim: &&Judged| claim.verdict == Verdict::Fail && claim.explains.is_none();
        self.claims.iter().filter(fails)
    }
}

/// A claim, judged.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Judged {
    /// Its short name.
    pub id: String,
    /// Where the paper says it.
    #[serde(rename = "where")]
    pub place: String,
    /// What it says, in our own words.
    pub says: String,
    /// The published value.
    pub published: String,
    /// What became of it.
    pub verdict: Verdict,
    /// Its checks.
    pub checks: Vec<JudgedCheck>,
    /// Tests of the regression suite that hold it.
    pub tests: Vec<String>,
    /// Why there is no number: it can't be reproduced, something is missing, or there is no source tree.
    pub reason: Option<String>,
    /// Why we find something else, where we do.
    pub explains: Option<String>,
}

impl Judged {
    /// What was measured, in short.
    pub fn measured(&self) -> String {
        let shown: Vec<&str> = self.checks.iter().map(|check| check.shown.as_str()).collect();
        match self.verdict {
            Verdict::Tested => "held by tests".to_owned(),
            Verdict::NotReproducible | Verdict::Open => "–".to_owned(),
            _ if shown.is_empty() => "–".to_owned(),
            _ => shown.join("; "),
        }
    }

    /// Whether there is an explanation for a difference that is not there (any more).
    pub fn explains_nothing(&self) -> bool {
        self.verdict == Verdict::Pass && self.explains.is_some()
    }
}

/// A check, judged.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct JudgedCheck {
    /// The experiment's file, without `.toml`.
    pub experiment: String,
    /// The column of its results.
    pub column: String,
    /// What was measured, in words: statistic, column, rows, and what it was divided by.
    pub of: String,
    /// The number in the unit of the file, if there is one and it is finite.
    pub measured: Option<f64>,
    /// Its unit; empty for ratios and counts.
    pub unit: String,
    /// The number as people write it, or that there is none.
    pub shown: String,
    /// What it must be, as people write it.
    pub wanted: String,
    /// Why that.
    pub because: String,
    /// What became of it.
    pub verdict: Verdict,
    /// Why there is no number, or how many runs did not come to their end.
    pub note: Option<String>,
}

impl JudgedCheck {
    pub(super) fn new(check: &Check, measured: Measured, verdict: Verdict, unfinished: usize) -> Self {
        let has_unit = check.statistic.keeps_unit() && check.over.is_none();
        let column = &check.of.column;
        let (base, per) = if has_unit {
            (column.base_unit, column.per.as_str())
        } else {
            ("", "")
        };
        let value = match measured {
            Measured::Number(value) => Some(value),
            _ => None,
        };
        let digits = value.map_or(FEW, |value| digits(value, check.relation, base));
        let show = |value: f64| shown(value, base, per, digits);
        let note = match &measured {
            Measured::NotRun(reason) => Some(reason.clone()),
            _ if unfinished > 0 => Some(format!("{unfinished} of the runs did not come to their end")),
            _ => None,
        };
        Self {
            experiment: check.experiment.clone(),
            column: column.name.clone(),
            of: described(check),
            measured: value.filter(|value| value.is_finite()),
            unit: if has_unit { column.unit.clone() } else { String::new() },
            shown: match &measured {
                Measured::Number(value) => show(*value),
                Measured::Nothing => "no value".to_owned(),
                Measured::NotRun(_) => "not run".to_owned(),
            },
            wanted: check.relation.shown(show),
            because: check.because.clone(),
            verdict,
            note,
        }
    }
}

/// The digits of a number that is far from where its verdict would change.
const FEW: usize = 3;
/// So many digits tell any two numbers apart.
const ALL: usize = 17;

/// The digits with which a reader comes to the same verdict as the program: 1.4996 is not at least 1.5, though both are 1.50.
fn digits(value: f64, relation: Relation, unit: &'static str) -> usize {
    let agrees = |digits: &usize| {
        let read = |value: f64| {
            let (text, scale) = text(value, unit, *digits);
            text.parse::<f64>().map_or(value, |number| number / scale.factor)
        };
        relation.map(read).holds(read(value)) == relation.holds(value)
    };
    (FEW..=ALL).find(agrees).unwrap_or(FEW)
}

/// A number in the unit that fits it; whole ones without digits behind the point.
fn text(value: f64, unit: &'static str, digits: usize) -> (String, Scale) {
    let scale = Scale::fitting(unit, [value]);
    let scaled = value * scale.factor;
    let whole = scaled.round();
    let is_whole = (scaled - whole).abs() <= 1e-12 * whole.abs() && whole.abs() < 1e7;
    let text = match digits {
        FEW if is_whole => count(whole),
        FEW => number(scaled),
        _ => precise(scaled, digits),
    };
    (text, scale)
}

/// A number with its unit.
fn shown(value: f64, unit: &'static str, per: &str, digits: usize) -> String {
    let (text, scale) = text(value, unit, digits);
    match (scale.unit, per) {
        ("", "") => text,
        _ if value.is_nan() => text,
        (unit, per) => format!("{text} {unit}{per}"),
    }
}

/// `median of 'asleep' (shock, weight=0)`, and what it is divided by.
fn described(check: &Check) -> String {
    let rows = |quantity: &super::check::Quantity| match quantity.selection.shown() {
        rows if rows.is_empty() => "all rows".to_owned(),
        rows => rows,
    };
    let along = check
        .along
        .as_ref()
        .map_or(String::new(), |along| format!(" along '{along}'"));
    let (statistic, column) = (check.statistic.name(), &check.of.column.name);
    let of = format!("{statistic} of '{column}'{along} ({})", rows(&check.of));
    let Some(over) = &check.over else { return of };
    let below = match over.column.name == *column {
        true => rows(over),
        false => format!("'{}' ({})", over.column.name, rows(over)),
    };
    let how = if check.pairwise {
        "over, run by run,"
    } else {
        "over that of"
    };
    format!("{of} {how} {below}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The measured number and what it must be, as a reader sees them.
    fn both(value: f64, relation: Relation, unit: &'static str) -> (String, String) {
        let digits = digits(value, relation, unit);
        let show = |value: f64| shown(value, unit, "", digits);
        (show(value), relation.shown(show))
    }

    #[test]
    fn a_number_that_fails_looks_as_if_it_did() {
        let equals = |value, tolerance| Relation::Equals { value, tolerance };
        for (value, relation, unit, number, wanted) in [
            (1.499_6, Relation::AtLeast(1.5), "", "1.4996", "≥ 1.5"),
            (1.5, Relation::AtLeast(1.5), "", "1.50", "≥ 1.50"),
            (1.500_4, Relation::AtLeast(1.5), "", "1.50", "≥ 1.50"),
            (1.2, Relation::AtLeast(1.5), "", "1.20", "≥ 1.50"),
            (0.002_000_01, Relation::AtMost(0.002), "m", "2.00001 mm", "≤ 2 mm"),
            (0.999_999_9e-3, Relation::AtLeast(1e-3), "m", "999.9999 µm", "≥ 1 mm"),
            (0.1 + 0.2, equals(0.3, 0.0), "", "0.30000000000000004", "= 0.3"),
            (5.501, equals(5.0, 0.5), "", "5.501", "= 5 ± 0.5"),
            (3.0, Relation::Within(1.0, 2.0), "", "3", "1 to 2"),
            (f64::INFINITY, Relation::AtMost(2.0), "", "∞", "≤ 2"),
        ] {
            assert_eq!(both(value, relation, unit), (number.into(), wanted.into()));
        }
    }
}
