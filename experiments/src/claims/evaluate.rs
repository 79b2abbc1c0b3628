//! From rows to verdicts: the number of a check, and what becomes of a claim that has several.
//!
//! Rows of runs that did not come to their end give no values. A number that is not there fails a check, since what was
//! claimed did not happen; rows that are not there leave it undecided.

use super::check::{Check, Quantity, Statistic};
use super::file::{Basis, Claim, Claims};
use super::report::{ClaimsReport, Counts, Judged, JudgedCheck, Verdict};
use super::results::{Results, StoredRow};
use super::selection::{Filter, Selection};
use crate::sweep::fit::line;
use crate::sweep::measures::median;

/// A number made of rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Measured {
    /// It, which may be NaN.
    Number(f64),
    /// No row has a value.
    Nothing,
    /// There are not all rows: why.
    NotRun(String),
}

/// Judges all claims by the results there are.
pub fn evaluate(claims: &Claims, results: &Results) -> ClaimsReport {
    let judged: Vec<Judged> = claims
        .claims
        .iter()
        .map(|claim| judged(claim, results, claims.tree.is_some()))
        .collect();
    ClaimsReport {
        paper: claims.paper.clone(),
        folder: claims.folder.display().to_string(),
        counts: Counts::of(judged.iter().map(|claim| claim.verdict)),
        claims: judged,
    }
}

fn judged(claim: &Claim, results: &Results, has_tree: bool) -> Judged {
    let mut checks = Vec::new();
    let (verdict, reason) = match &claim.basis {
        Basis::Checks(all) => {
            checks.extend(all.iter().map(|check| judged_check(check, results)));
            let verdicts: Vec<Verdict> = checks.iter().map(|check: &JudgedCheck| check.verdict).collect();
            (Verdict::of_all(&verdicts), None)
        }
        Basis::Tests if has_tree => (Verdict::Tested, None),
        Basis::Tests => {
            let reason = "the source tree is not here, so its tests can't be looked up";
            (Verdict::NotRun, Some(reason.to_owned()))
        }
        Basis::NotReproducible { reason } => (Verdict::NotReproducible, Some(reason.clone())),
        Basis::Open { needs } => (Verdict::Open, Some(needs.clone())),
    };
    Judged {
        id: claim.id.clone(),
        place: claim.place.clone(),
        says: claim.says.clone(),
        published: claim.published.clone(),
        verdict,
        checks,
        tests: claim.tests.clone(),
        reason,
        explains: claim.explains.clone(),
    }
}

fn judged_check(check: &Check, results: &Results) -> JudgedCheck {
    let rows = match results.of.get(&check.experiment) {
        Some(Ok(rows)) => Ok(rows.as_slice()),
        Some(Err(reason)) => Err(reason.clone()),
        None => Err(format!("{} was not run", check.experiment)),
    };
    let (measured, unfinished) = match rows {
        Ok(rows) => (measure(check, rows), unfinished(check, rows)),
        Err(reason) => (Measured::NotRun(reason), 0),
    };
    let verdict = match &measured {
        Measured::Number(number) if check.relation.holds(*number) => Verdict::Pass,
        Measured::Number(_) => Verdict::Fail,
        // What the machine does not tell (memory, with several runs at once) was not measured.
        Measured::Nothing if check.of.column.of_machine => Verdict::NotRun,
        Measured::Nothing => Verdict::Fail,
        Measured::NotRun(_) => Verdict::NotRun,
    };
    JudgedCheck::new(check, measured, verdict, unfinished)
}

fn unfinished(check: &Check, rows: &[StoredRow]) -> usize {
    let quantities = std::iter::once(&check.of).chain(&check.over);
    let of = |quantity: &Quantity| {
        let selected = rows.iter().filter(|row| quantity.selection.has(row));
        selected.filter(|row| !row.is_finished).count()
    };
    quantities.map(of).sum()
}

/// The number of a check.
pub fn measure(check: &Check, rows: &[StoredRow]) -> Measured {
    let of = match selected(&check.of, rows) {
        Ok(rows) => rows,
        Err(reason) => return Measured::NotRun(reason),
    };
    let Some(over) = &check.over else {
        return number(statistic(check, &check.of, &of));
    };
    let below = match selected(over, rows) {
        Ok(rows) => rows,
        Err(reason) => return Measured::NotRun(reason),
    };
    if check.pairwise {
        return number(pairs(check, over, &of, &below));
    }
    let (above, below) = (statistic(check, &check.of, &of), statistic(check, over, &below));
    number(above.zip(below).map(|(above, below)| above / below))
}

fn number(value: Option<f64>) -> Measured {
    value.map_or(Measured::Nothing, Measured::Number)
}

/// The rows of a quantity, if all are there.
fn selected<'a>(quantity: &Quantity, rows: &'a [StoredRow]) -> Result<Vec<&'a StoredRow>, String> {
    let selection = &quantity.selection;
    let found: Vec<&StoredRow> = rows.iter().filter(|row| selection.has(row)).collect();
    match (found.len(), selection.runs) {
        (found_count, runs) if found_count >= runs => Ok(found),
        (found_count, runs) => Err(format!("{found_count} of {runs} runs are there")),
    }
}

/// The value of a row, if its run came to its end.
fn value(quantity: &Quantity, row: &StoredRow) -> Option<f64> {
    let value = row.values.get(&quantity.column.name).copied();
    value.filter(|_| row.is_finished)
}

fn statistic(check: &Check, quantity: &Quantity, rows: &[&StoredRow]) -> Option<f64> {
    let points: Vec<(Option<f64>, f64)> = rows
        .iter()
        .filter_map(|row| {
            let along = check.along.as_deref().and_then(|name| row.number(name));
            Some((along, value(quantity, row)?))
        })
        .collect();
    of_points(check.statistic, &points, rows.len())
}

/// Row by row: each is divided by the one that differs from it in nothing but what `over` names. A row without a partner, or
/// with several, has no ratio.
fn pairs(check: &Check, over: &Quantity, above: &[&StoredRow], below: &[&StoredRow]) -> Option<f64> {
    let mut points = Vec::new();
    for row in above {
        let mut partners = below.iter().filter(|other| are_partners(&check.differs, row, other));
        let (Some(other), None) = (partners.next(), partners.next()) else {
            continue;
        };
        let ratio = value(&check.of, row).zip(value(over, other));
        let along = check.along.as_deref().and_then(|name| row.number(name));
        points.extend(ratio.map(|(above, below)| (along, above / below)));
    }
    of_points(check.statistic, &points, above.len())
}

/// Whether two rows agree in everything that is not named. Another method may have options that the first does not know.
fn are_partners(named: &Selection, row: &StoredRow, other: &StoredRow) -> bool {
    let agree = |own: &Filter, others: &Filter, named: &Filter| {
        let mut common = own.iter().filter(|(key, _)| !named.contains_key(*key));
        common.all(|(key, value)| others.get(key).is_none_or(|other| other == value))
    };
    (named.scene.is_some() || row.scene == other.scene)
        && (named.method.is_some() || row.method == other.method)
        && agree(&row.parameters, &other.parameters, &named.parameters)
        && agree(&row.stepper, &other.stepper, &named.stepper)
        && agree(&row.solver, &other.solver, &named.solver)
        && (&row.seed, &row.repetition) == (&other.seed, &other.repetition)
}

/// A NaN among the values is never hidden.
fn of_points(statistic: Statistic, points: &[(Option<f64>, f64)], rows: usize) -> Option<f64> {
    let count = points.len() as f64;
    match statistic {
        Statistic::Count => return Some(count),
        Statistic::Fraction => return (rows > 0).then(|| count / rows as f64),
        _ if points.is_empty() => return None,
        _ if points.iter().any(|(_, value)| value.is_nan()) => return Some(f64::NAN),
        _ => {}
    }
    let values = || points.iter().map(|(_, value)| *value);
    let (least, most) = (
        values().fold(f64::INFINITY, f64::min),
        values().fold(f64::NEG_INFINITY, f64::max),
    );
    let through = |change: fn(f64) -> f64| {
        let points = points
            .iter()
            .map(|(along, value)| Some((change((*along)?), change(*value))));
        line(&points.collect::<Option<Vec<_>>>()?).map(|line| line.slope)
    };
    match statistic {
        Statistic::Median => median(values().collect()),
        Statistic::Mean => Some(values().sum::<f64>() / count),
        Statistic::Min => Some(least),
        Statistic::Max => Some(most),
        Statistic::Spread => Some(most / least),
        Statistic::Slope => through(|number| number),
        Statistic::Exponent => through(f64::ln),
        Statistic::Count | Statistic::Fraction => None,
    }
}

#[cfg(test)]
#[path = "evaluate_tests.rs"]
mod tests;
