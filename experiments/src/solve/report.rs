//! What `drystone solve` shows on a terminal: a line for each problem and solver, and a line of totals a solver.

use super::rows::Row;
use super::trial::Status;
use crate::quantity::{count, number, quantity};
use crate::table::{Align, Table};
use crate::tone::Tone;

/// A solver over all problems.
#[derive(Debug, Clone, PartialEq)]
pub struct Total {
    /// The solver as it was typed.
    pub solver: String,
    /// Problems it was given.
    pub tried: usize,
    /// Problems it solved.
    pub solved: usize,
    /// Problems it solved faster than every other.
    pub fastest: usize,
    /// The median time of those it solved, s.
    pub median: Option<f64>,
}

/// The totals, in the order of the solvers. `problems` has the rows of each problem, a solver a row.
pub fn totals(solvers: &[String], problems: &[Vec<Row>]) -> Vec<Total> {
    let total = |(index, solver): (usize, &String)| {
        let rows: Vec<&Row> = problems.iter().filter_map(|rows| rows.get(index)).collect();
        let mut times: Vec<f64> = rows.iter().filter_map(|row| row.cost()).collect();
        times.sort_by(f64::total_cmp);
        Total {
            solver: solver.clone(),
            tried: rows.len(),
            solved: times.len(),
            fastest: problems.iter().filter(|rows| fastest(rows) == Some(index)).count(),
            median: times.get(times.len() / 2).copied(),
        }
    };
    solvers.iter().enumerate().map(total).collect()
}

/// The index of the row that solved its problem in the shortest time.
pub fn fastest(rows: &[Row]) -> Option<usize> {
    let solved = rows
        .iter()
        .enumerate()
        .filter_map(|(index, row)| Some((index, row.cost()?)));
    solved.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| index)
}

/// The row to show if there is room for one: the fastest that solved the problem, or the one that came nearest.
pub fn best(rows: &[Row]) -> Option<&Row> {
    let error = |row: &Row| row.relative.unwrap_or(f64::INFINITY);
    match fastest(rows) {
        Some(index) => rows.get(index),
        None => rows.iter().min_by(|a, b| error(a).total_cmp(&error(b))),
    }
}

/// The table of all rows.
pub fn table(rows: &[&Row]) -> String {
    let with_reference = rows.iter().any(|row| row.velocity_error.is_some());
    let mut aligns = vec![Align::Left, Align::Right, Align::Right, Align::Left];
    aligns.extend([Align::Right; 4]);
    let mut headings = vec![
        "problem",
        "contacts",
        "rows",
        "solver",
        "iterations",
        "e",
        "natural",
        "time",
    ];
    let mut units = vec!["", "", "", "", "", "", "m/s", ""];
    if with_reference {
        aligns.push(Align::Right);
        headings.push("velocity error");
        units.push("");
    }
    aligns.push(Align::Left);
    headings.push("status");
    let mut table = Table::new(aligns);
    table.heading(headings);
    table.heading(units);
    let mut last = "";
    for row in rows {
        let whole = |value: Option<usize>| value.map_or("-".to_owned(), |value| count(value as f64));
        let shown = |value: Option<f64>| value.map_or("-".to_owned(), number);
        let mut cells = if row.file == last {
            vec![String::new(); 3]
        } else {
            vec![row.problem.clone(), whole(row.contacts), whole(row.rows)]
        };
        last = &row.file;
        cells.extend([
            row.solver.clone(),
            whole(row.iterations),
            shown(row.relative),
            shown(row.natural),
        ]);
        cells.push(row.seconds.map_or("-".to_owned(), |seconds| quantity(seconds, "s")));
        if with_reference {
            cells.push(shown(row.velocity_error));
        }
        let tone = match row.status {
            Status::Converged => Tone::Good,
            _ => Tone::Bad,
        };
        cells.push(tone.paint(&status(row)));
        table.row(cells);
    }
    table.render()
}

/// The status in words.
pub fn status(row: &Row) -> String {
    let words = match row.status {
        Status::Converged => "converged".to_owned(),
        Status::NotConverged => "not converged".to_owned(),
        Status::IterationLimit | Status::TimeLimit | Status::Stalled | Status::RayTermination => {
            format!("not converged, {}", row.status.name())
        }
        other => other.name().to_owned(),
    };
    if row.message.is_empty() {
        words
    } else {
        format!("{words}: {}", row.message)
    }
}

/// The totals as a table.
pub fn totals_table(totals: &[Total]) -> String {
    let mut table = Table::new([Align::Left, Align::Right, Align::Right, Align::Right]);
    table.heading(["solver", "converged", "fastest", "median time"]);
    for total in totals {
        table.row([
            total.solver.clone(),
            format!("{} of {}", total.solved, total.tried),
            total.fastest.to_string(),
            total.median.map_or("-".to_owned(), |median| quantity(median, "s")),
        ]);
    }
    table.render()
}
