//! `drystone conformance`: solvers through the suite that every solver must pass
//! ([`drystone_solver::conformance`]), as a table or as JSON.

use drystone_solver::conformance::{Case, Outcome, Report, check_spec};
use drystone_solver::registry;
use drystone_solver::spec::Spec;
use rayon::prelude::*;
use serde::Serialize;

use crate::Environment;
use crate::cli::ConformanceArguments;
use crate::error::{Error, Exit};
use crate::quantity::number;
use crate::table::{Align, Table};
use crate::tone::Tone;

/// Runs the command.
pub fn conformance(arguments: &ConformanceArguments, environment: &Environment) -> Result<Exit, Error> {
    let specs = specs(&arguments.solvers)?;
    let reports: Vec<Option<Report>> = specs
        .par_iter()
        .map(|spec| {
            let go = !environment.interrupt.requested();
            go.then(|| check_spec(spec).map_err(wrong)).transpose()
        })
        .collect::<Result<_, _>>()?;
    let reports: Vec<Report> = reports.into_iter().flatten().collect();
    environment
        .output
        .machine_readable(&reports.iter().map(Examined::of).collect::<Vec<_>>());
    environment.output.show(&text(&reports, arguments.details));
    Ok(if environment.interrupt.requested() {
        Exit::Interrupted
    } else if reports.iter().all(Report::passed) {
        Exit::Done
    } else {
        Exit::Failed
    })
}

/// What was asked for, checked before the first one runs; everything if nothing was.
fn specs(given: &[String]) -> Result<Vec<Spec>, Error> {
    if given.is_empty() {
        let all = registry::solvers().into_iter();
        return Ok(all.map(|entry| Spec::named(entry.name)).collect());
    }
    given
        .iter()
        .map(|text| {
            if let Some((stepper, solver)) = text.split_once('/') {
                return Err(Error::Input(format!(
                    "the suite has no steps: leave out '{stepper}/' and say '{solver}'"
                )));
            }
            let spec: Spec = text.parse().map_err(wrong)?;
            registry::solver(&spec).map_err(wrong)?;
            Ok(spec)
        })
        .collect()
}

fn wrong(source: drystone_solver::spec::SpecError) -> Error {
    Error::Method {
        context: String::new(),
        source,
    }
}

fn mark(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "✓",
        Outcome::Failed(_) => "✗",
        Outcome::Reported(_) => "·",
        Outcome::NotApplicable(_) => "–",
    }
}

fn painted_mark(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Passed => Tone::Good.paint(mark(outcome)),
        Outcome::Failed(_) => Tone::Bad.paint(mark(outcome)),
        Outcome::Reported(_) | Outcome::NotApplicable(_) => mark(outcome).to_owned(),
    }
}

fn text(reports: &[Report], details: bool) -> String {
    let mut text = String::new();
    if reports.len() > 1 {
        text.push_str(&matrix(reports));
        text.push('\n');
    }
    if reports.len() == 1 || details {
        for report in reports {
            text.push_str(&of_solver(report));
            text.push('\n');
        }
    } else {
        for report in reports {
            for case in report.failures() {
                text.push_str(&format!("{}: {case}\n", report.solver));
            }
        }
    }
    for report in reports {
        text.push_str(&format!("{}\n", verdict(report)));
    }
    if reports.len() > 1 {
        let passed = reports.iter().filter(|report| report.passed()).count();
        text.push_str(&format!("{passed} of {} solvers conform\n", reports.len()));
    }
    text
}

/// Cases against solvers, a mark each. Solvers have numbers, their names would be too wide.
fn matrix(reports: &[Report]) -> String {
    let mut text = String::new();
    for (index, report) in reports.iter().enumerate() {
        text.push_str(&format!("  {:>2} {} ({})\n", index + 1, report.solver, report.class));
    }
    text.push('\n');
    let mut columns = vec![Align::Left];
    columns.resize(reports.len() + 1, Align::Right);
    let mut table = Table::new(columns);
    let numbers = (1..=reports.len()).map(|number| number.to_string());
    table.heading(std::iter::once("case".to_owned()).chain(numbers));
    for (index, case) in reports[0].cases.iter().enumerate() {
        let marks = reports.iter().map(|report| painted_mark(&report.cases[index].outcome));
        table.row(std::iter::once(case.name.to_owned()).chain(marks));
    }
    text.push_str(&table.render());
    text
}

/// Every case with its numbers, and what there is to say.
fn of_solver(report: &Report) -> String {
    let mut table = Table::new([Align::Left, Align::Left, Align::Right, Align::Right, Align::Left]);
    table.heading(["", "case", "residual", "iterations", ""]);
    for case in &report.cases {
        let note = match &case.outcome {
            Outcome::Passed => case.claim.to_owned(),
            other => other.to_string(),
        };
        table.row([
            painted_mark(&case.outcome),
            case.name.to_owned(),
            case.residual.map(number).unwrap_or_default(),
            case.iterations
                .map(|iterations| iterations.to_string())
                .unwrap_or_default(),
            note,
        ]);
    }
    format!("{}: {}\n{}", report.solver, report.class, table.render())
}

/// One line: `pgs conforms: 30 passed, 5 not demanded, 3 not applicable`.
fn verdict(report: &Report) -> String {
    let count = |wanted: &str| report.cases.iter().filter(|case| mark(&case.outcome) == wanted).count();
    let verdict = if report.passed() {
        Tone::Good.paint("conforms")
    } else {
        Tone::Bad.paint("does not conform")
    };
    let mut parts = vec![format!("{} passed", count("✓"))];
    for (wanted, name) in [
        ("✗", "failed"),
        ("·", "missed but not demanded"),
        ("–", "not applicable"),
    ] {
        if count(wanted) > 0 {
            parts.push(format!("{} {name}", count(wanted)));
        }
    }
    format!("{} {verdict}: {}", report.solver, parts.join(", "))
}

/// A report, for programs.
#[derive(Debug, Serialize)]
struct Examined<'a> {
    solver: &'a str,
    class: String,
    conforms: bool,
    cases: Vec<ExaminedCase<'a>>,
}

#[derive(Debug, Serialize)]
struct ExaminedCase<'a> {
    name: &'a str,
    claim: &'a str,
    outcome: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    residual: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    iterations: Option<usize>,
}

impl<'a> Examined<'a> {
    fn of(report: &'a Report) -> Self {
        Self {
            solver: &report.solver,
            class: report.class.to_string(),
            conforms: report.passed(),
            cases: report.cases.iter().map(ExaminedCase::of).collect(),
        }
    }
}

impl<'a> ExaminedCase<'a> {
    fn of(case: &'a Case) -> Self {
        let (outcome, message) = match &case.outcome {
            Outcome::Passed => ("passed", ""),
            Outcome::Failed(message) => ("failed", message.as_str()),
            Outcome::Reported(message) => ("not-demanded", message.as_str()),
            Outcome::NotApplicable(message) => ("not-applicable", message.as_str()),
        };
        Self {
            name: case.name,
            claim: case.claim,
            outcome,
            message,
            residual: case.residual,
            iterations: case.iterations,
        }
    }
}
