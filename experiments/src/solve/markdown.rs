//! The results of `drystone solve` as a page of documentation: totals, and the best solver for every problem beside what
//! another program reached.

use std::fmt::Write;
use std::path::Path;

use super::limits::Limits;
use super::plots::{exact, measure_name, problem_count};
use super::reference::Index;
use super::report::{Total, best, status};
use super::rows::Row;
use super::trial::Status;
use crate::machine::Machine;
use crate::quantity::quantity;

/// What the page says besides the rows.
#[derive(Debug)]
pub struct Page<'a> {
    /// The command that made it.
    pub command: &'a [String],
    /// What counted as solved.
    pub limits: &'a Limits,
    /// A line a solver.
    pub totals: &'a [Total],
    /// The rows of each problem.
    pub problems: &'a [Vec<Row>],
    /// Files that could not be read.
    pub unreadable: &'a [Row],
    /// What another program reached.
    pub index: Option<&'a Index>,
}

impl Page<'_> {
    /// The text of the page.
    pub fn render(&self) -> String {
        let mut text = String::from("# Who solves which stored problem\n\n");
        let machine = Machine::here();
        let processor = machine.processor.unwrap_or_else(|| machine.architecture.to_owned());
        let solved = self
            .problems
            .iter()
            .filter(|rows| rows.iter().any(|row| row.status == Status::Converged));
        let _ = writeln!(
            text,
            "Made by `{}` on {processor}. Solved means {} ≤ {}, computed from problem and impulses, within {} a solve.\n",
            shown(self.command),
            match self.limits.criterion {
                drystone_solver::Criterion::Relative => "FCLIB's relative error e",
                drystone_solver::Criterion::Natural => "a natural residual in m/s",
            },
            exact(self.limits.tolerance),
            quantity(self.limits.time_limit, "s"),
        );
        let _ = writeln!(
            text,
            "**{} of {} solved by at least one solver.**\n",
            solved.count(),
            problem_count(self.problems.len())
        );
        text.push_str("## Solvers\n\n| solver | solved | fastest | median time |\n|---|---:|---:|---:|\n");
        for total in self.totals {
            let median = total.median.map_or("–".to_owned(), |median| quantity(median, "s"));
            let (solver, solved, tried) = (cell(&total.solver), total.solved, total.tried);
            let _ = writeln!(
                text,
                "| `{solver}` | {solved} of {tried} | {} | {median} |",
                total.fastest
            );
        }
        text.push_str("\n## Problems\n\nThe fastest solver that solved it, or the one that came nearest.\n\n");
        self.problem_table(&mut text);
        let tolerance = self.limits.tolerance;
        if self
            .problems
            .iter()
            .filter_map(|rows| best(rows))
            .any(|row| row.is_another_solution(tolerance))
        {
            text.push_str(
                "\n‡ Both this and the reference solve the problem, and they move differently: Coulomb's law has several \
                 solutions here.\n",
            );
        }
        if !self.unreadable.is_empty() {
            text.push_str("\n## Not read\n\n");
            for row in self.unreadable {
                let _ = writeln!(text, "- {}", row.message);
            }
        }
        text
    }

    fn problem_table(&self, text: &mut String) {
        let with_reference = self.problems.iter().flatten().any(|row| row.velocity_error.is_some());
        let mut headings = vec!["problem", "kind", "contacts", "rows", "solved by", "best solver"];
        let mut aligns = vec!["---", "---", "---:", "---:", "---:", "---"];
        for (heading, shown) in [
            ("iterations", true),
            (measure_name(self.limits.criterion), true),
            ("time", true),
            ("velocity error", with_reference),
            ("reference's e", with_reference),
            ("other program's e", self.index.is_some()),
            ("its time", self.index.is_some()),
        ] {
            if shown {
                headings.push(heading);
                aligns.push("---:");
            }
        }
        if self.index.is_some() {
            headings.push("its solver");
            aligns.push("---");
        }
        let _ = writeln!(text, "| {} |\n|{}|", headings.join(" | "), aligns.join("|"));
        for rows in self.problems {
            if let Some(best) = best(rows) {
                let cells = self.problem_row(rows, best, with_reference);
                let _ = writeln!(text, "| {} |", cells.join(" | "));
            }
        }
    }

    fn problem_row(&self, rows: &[Row], best: &Row, with_reference: bool) -> Vec<String> {
        let dash = || "–".to_owned();
        let whole = |value: Option<usize>| value.map_or_else(dash, |value| value.to_string());
        let short = |value: Option<f64>| value.map_or_else(dash, |value| format!("{value:.1e}"));
        let seconds = |value: Option<f64>| value.map_or_else(dash, |value| quantity(value, "s"));
        let solved = rows.iter().filter(|row| row.status == Status::Converged).count();
        let solver = match best.status {
            Status::Converged => format!("`{}`", cell(&best.solver)),
            _ => format!("`{}` ({})", cell(&best.solver), cell(&status(best))),
        };
        let measure = match self.limits.criterion {
            drystone_solver::Criterion::Relative => best.relative,
            drystone_solver::Criterion::Natural => best.natural,
        };
        let mut cells = vec![
            cell(&best.problem),
            best.kind.to_owned(),
            whole(best.contacts),
            whole(best.rows),
            format!("{solved} of {}", rows.len()),
            solver,
            whole(best.iterations),
            short(measure),
            seconds(best.seconds),
        ];
        if with_reference {
            let several = if best.is_another_solution(self.limits.tolerance) {
                " ‡"
            } else {
                ""
            };
            cells.push(short(best.velocity_error) + several);
            cells.push(short(best.reference_relative));
        }
        if let Some(index) = self.index {
            let known = index.get(&best.file);
            cells.push(short(known.map(|known| known.residual)));
            cells.push(seconds(known.and_then(|known| known.seconds)));
            cells.push(known.map_or_else(dash, |known| cell(&known.solver)));
        }
        cells
    }
}

/// The command without the path of the program.
pub(crate) fn shown(command: &[String]) -> String {
    let program = command
        .first()
        .map(|program| Path::new(program).file_stem().unwrap_or_default());
    let program = program.unwrap_or_default().to_string_lossy().into_owned();
    let words: Vec<&str> = std::iter::once(program.as_str())
        .chain(command.iter().skip(1).map(String::as_str))
        .collect();
    words.join(" ")
}

/// Text in a cell.
pub(crate) fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
