//! The tables of a solve: a row a solver, and a row for each problem and solver.

use super::html_table::{Cell, Column, Group, HtmlTable, Row};
use super::solve_data::Attempt;
use crate::quantity::{count, number, quantity};
use crate::solve::plots::problem_count;

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// A row a solver: how many it solved, how often it was the fastest, and its median time.
pub(super) fn solver_table(solvers: &[String], problems: &[String], attempts: &[Attempt]) -> HtmlTable {
    let of = |solver: &String| {
        attempts
            .iter()
            .filter(|attempt| attempt.solver == *solver)
            .collect::<Vec<_>>()
    };
    let fastest = |problem: &String| {
        let costs = attempts.iter().filter(|attempt| attempt.problem == *problem);
        costs
            .filter(|attempt| attempt.cost().is_some())
            .min_by(|a, b| a.seconds.total_cmp(&b.seconds))
    };
    let values: Vec<[Option<f64>; 4]> = solvers
        .iter()
        .map(|solver| {
            let costs: Vec<f64> = of(solver).iter().filter_map(|attempt| attempt.cost()).collect();
            let wins = problems
                .iter()
                .filter(|problem| fastest(problem).is_some_and(|attempt| attempt.solver == *solver));
            let errors = of(solver)
                .iter()
                .map(|attempt| attempt.relative)
                .filter(|error| error.is_finite())
                .collect();
            [
                Some(costs.len() as f64),
                Some(wins.count() as f64),
                median(costs),
                median(errors),
            ]
        })
        .collect();
    let best = |column: usize| {
        let all = values.iter().filter_map(|row| row[column]);
        if column < 2 {
            all.reduce(f64::max)
        } else {
            all.reduce(f64::min)
        }
    };
    let differ = |column: usize| values.iter().any(|row| row[column] != best(column));
    let rows = solvers.iter().zip(&values).enumerate().map(|(k, (solver, row))| {
        let shows: [&dyn Fn(f64) -> String; 4] = [&count, &count, &|value| quantity(value, "s"), &number];
        let mut cells = vec![Cell::text(solver)];
        cells.extend(row.iter().zip(shows).enumerate().map(|(column, (value, show))| {
            let best = solvers.len() > 1 && differ(column) && value.is_some() && *value == best(column);
            Cell::number(*value, show, best)
        }));
        Row {
            cells,
            style: Some(k),
            failed: false,
        }
    });
    HtmlTable {
        id: "methods".into(),
        caption: format!("Solvers over {}; sort by any column", problem_count(problems.len())),
        columns: vec![
            Column::text("solver"),
            Column::number("solved", ""),
            Column::number("fastest", ""),
            Column::number("median time of those solved", ""),
            Column::number("median relative error", ""),
        ],
        groups: vec![Group {
            label: String::new(),
            rows: rows.collect(),
        }],
    }
}

/// A row for each problem and solver.
pub(super) fn problem_table(attempts: &[Attempt], problems: &[String], solvers: &[String]) -> HtmlTable {
    let row = |attempt: &Attempt| {
        let style = solvers.iter().position(|solver| *solver == attempt.solver);
        let finite = |value: f64| Some(value).filter(|value| !value.is_nan());
        let fastest = attempts
            .iter()
            .filter(|other| other.problem == attempt.problem)
            .filter_map(Attempt::cost);
        let is_fastest = solvers.len() > 1 && attempt.cost().is_some() && attempt.cost() == fastest.reduce(f64::min);
        let status = match attempt.message.as_str() {
            "" => attempt.status.clone(),
            message => format!("{}: {message}", attempt.status),
        };
        Row {
            cells: vec![
                Cell::text(&attempt.solver),
                Cell::number(finite(attempt.contacts), count, false),
                Cell::number(finite(attempt.rows), count, false),
                Cell::number(finite(attempt.iterations), count, false),
                Cell::number(finite(attempt.relative), number, false),
                Cell::number(finite(attempt.natural), number, false),
                Cell::number(finite(attempt.seconds), |value| quantity(value, "s"), is_fastest),
                Cell::text(status),
            ],
            style,
            failed: attempt.is_failure(),
        }
    };
    let group = |problem: &String| Group {
        label: problem.clone(),
        rows: attempts
            .iter()
            .filter(|attempt| attempt.problem == *problem)
            .map(row)
            .collect(),
    };
    let mut columns = vec![Column::text("solver")];
    let numbers = [
        ("contacts", ""),
        ("rows", ""),
        ("iterations", ""),
        ("relative error e", ""),
        ("natural residual", "m/s"),
        ("time", ""),
    ];
    columns.extend(numbers.map(|(heading, unit)| Column::number(heading, unit)));
    columns.push(Column::text("status"));
    HtmlTable {
        id: "problem-table".into(),
        caption: "Every problem with every solver; the fastest that solved it is marked".into(),
        columns,
        groups: problems.iter().map(group).collect(),
    }
}
