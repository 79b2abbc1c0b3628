//! The page of a solve: solvers over all problems, every problem with every solver, the performance profile, and residuals
//! against time.

use std::path::Path;

use serde_json::Value as Json;

use super::facts;
use super::figures::profile;
use super::figures::residuals::captured;
use super::html::{facts as fact_list, folded};
use super::page::Page;
use super::run_data::read_json;
use super::solve_data::{Attempt, curves, read};
use super::solve_tables::{problem_table, solver_table};
use crate::convergence_csv::CONVERGENCE_CSV;
use crate::error::Error;
use crate::manifest::MANIFEST_JSON;
use crate::plot::{Axis, Chart, Layer, Shape};
use crate::solve::plots::{exact, problem_count};
use crate::solve::rows::PROBLEMS_CSV;

/// Times below this are equal, s.
const RESOLUTION: f64 = 1e-6;

/// The page of a directory.
pub fn page(directory: &Path) -> Result<Page, Error> {
    let manifest = read_json(&directory.join(MANIFEST_JSON))?;
    let attempts = read(&directory.join(PROBLEMS_CSV))?;
    let (unreadable, attempts): (Vec<Attempt>, Vec<Attempt>) =
        attempts.into_iter().partition(|attempt| attempt.status == "unreadable");
    let solvers = distinct(attempts.iter().map(|attempt| attempt.solver.as_str()));
    let problems = distinct(attempts.iter().map(|attempt| attempt.problem.as_str()));
    let by_e = manifest["criterion"].as_str() != Some("natural");
    let tolerance = manifest["tolerance"].as_f64().unwrap_or(f64::NAN);
    let solved_is = format!(
        "solved is {} of {} or less, computed from problem and impulses",
        if by_e {
            "a relative error e"
        } else {
            "a natural residual in m/s"
        },
        exact(tolerance)
    );
    let mut page = Page::new(
        "Stored problems",
        format!(
            "{} with {}",
            problem_count(problems.len()),
            counted(solvers.len(), "solver")
        ),
        format!(
            "<p class=\"state\">{}</p>\n",
            facts::badge(manifest["status"].as_str().unwrap_or("failed"))
        ),
    );
    let mut lines: Vec<String> = unreadable.iter().map(|attempt| attempt.message.clone()).collect();
    lines.extend(attempts.iter().filter(|attempt| attempt.is_failure()).map(|attempt| {
        let (solver, problem, status, message) = (&attempt.solver, &attempt.problem, &attempt.status, &attempt.message);
        format!("{solver} on {problem} {status}: {message}")
    }));
    page.section("warnings", "What went wrong", facts::warnings(&lines));
    page.section(
        "results",
        "Solvers",
        solver_table(&solvers, &problems, &attempts).render(),
    );

    let costs: Vec<Vec<Option<f64>>> = solvers
        .iter()
        .map(|solver| {
            problems
                .iter()
                .map(|problem| find(&attempts, problem, solver).and_then(Attempt::cost))
                .collect()
        })
        .collect();
    let named: Vec<(String, usize)> = solvers
        .iter()
        .enumerate()
        .map(|(k, solver)| (solver.clone(), k))
        .collect();
    let words = format!(
        "Problems are the {} of this directory; {solved_is}.",
        problem_count(problems.len())
    );
    let mut charts: Vec<Chart> = profile::chart(&named, &costs, RESOLUTION, &words).into_iter().collect();
    charts.extend(scatter(&solvers, &attempts, by_e, &solved_is));
    let mut content = page.figures(charts);
    let curves = curves(&directory.join(CONVERGENCE_CSV), &solvers)?;
    if let [(problem, curves)] = curves.as_slice() {
        content.push_str(&page.figures(captured(curves, "", &format!("that of {problem}"))));
    } else {
        for (problem, curves) in &curves {
            let mut charts = captured(curves, "", &format!("that of {problem}"));
            charts
                .iter_mut()
                .for_each(|chart| chart.title = format!("{problem}: {}", chart.title));
            content.push_str(&folded(&format!("Convergence on {problem}"), &page.figures(charts)));
        }
    }
    if curves.is_empty() {
        content.push_str("<p class=\"note\">How residuals fell was not recorded; solve with --record.</p>\n");
    }
    page.section("plots", "Plots", content);
    page.section(
        "problems",
        "Problems",
        problem_table(&attempts, &problems, &solvers).render(),
    );
    page.section("run", "What was run", what_was_run(&manifest));
    Ok(page)
}

fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut known: Vec<String> = Vec::new();
    for name in names {
        if !known.iter().any(|other| other == name) {
            known.push(name.to_owned());
        }
    }
    known
}

fn find<'a>(attempts: &'a [Attempt], problem: &str, solver: &str) -> Option<&'a Attempt> {
    attempts
        .iter()
        .find(|attempt| attempt.problem == problem && attempt.solver == solver)
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn scatter(solvers: &[String], attempts: &[Attempt], by_e: bool, solved_is: &str) -> Option<Chart> {
    let layers = solvers.iter().enumerate().map(|(style, solver)| {
        let of_solver = attempts.iter().filter(|attempt| attempt.solver == *solver);
        let points = of_solver.map(|attempt| (attempt.seconds, if by_e { attempt.relative } else { attempt.natural }));
        Layer {
            label: solver.clone(),
            style,
            shape: Shape::Points(
                points
                    .filter(|point| point.0.is_finite() && point.1.is_finite())
                    .collect(),
            ),
        }
    });
    let chart = Chart {
        name: "work-precision".into(),
        title: "Residual left against time taken".into(),
        caption: format!("A point for each problem and solver; {solved_is}. Left and below is better."),
        x: Axis::log("time, s"),
        y: Axis::log(if by_e {
            "relative error e"
        } else {
            "natural residual, m/s"
        }),
        layers: layers.collect(),
        over_time: false,
    };
    chart.has_data().then_some(chart)
}

fn what_was_run(manifest: &Json) -> String {
    let mut content = facts::command(manifest);
    let mut pairs = Vec::new();
    for (key, name) in [
        ("tolerance", "Tolerance"),
        ("criterion", "Criterion"),
        ("time_limit", "Time limit, s"),
        ("iterations", "Iterations"),
        ("repeat", "Repetitions"),
        ("warm_start", "Warm start"),
    ] {
        let value = match key {
            "tolerance" => manifest[key].as_f64().map(exact),
            _ => facts::text(&manifest[key]),
        };
        pairs.extend(value.map(|value| (name.to_owned(), value)));
    }
    pairs.extend(facts::circumstances(manifest));
    content.push_str(&fact_list(&pairs));
    for solver in manifest["solvers"].as_array().into_iter().flatten() {
        let given = facts::text(&solver["given"]).unwrap_or_default();
        content.push_str(&folded(
            &format!("Solver {given}"),
            &fact_list(&facts::pairs_of(&solver["options"])),
        ));
    }
    let files: Vec<(String, String)> = manifest["problems"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|file| {
            let hash = facts::text(&file["blake3"]).unwrap_or_else(|| "could not be read".to_owned());
            (facts::text(&file["file"]).unwrap_or_default(), hash)
        })
        .collect();
    content + &folded("Files and their BLAKE3 hashes", &fact_list(&files))
}
