//! Measures every solver once and prints the tables of `docs/laboratory.md`:
//! `cargo run --release -p drystone-benches --example laboratory-page [sizes|wall|growth]`.
//!
//! Times are the shortest of three, where one does not take seconds. A solver that does not finish within the limit is not
//! tried on larger problems of the same series; one that would take far too long at the growth it has shown so far isn't
//! either. Memory is the peak of a process that does nothing but capture the problem and solve it.

#![allow(clippy::print_stdout, reason = "it prints a page")]

use std::process::Command;

use drystone::solver::linear::{Gmres, LinearSolver, Shifted};
use drystone::solver::registry::{self, Accuracy, SolverEntry};
use drystone::solver::{Criterion, Problem};
use drystone_benches::{SERIES, Series, captured, use_one_thread};
use drystone_experiments::interrupt::Interrupt;
use drystone_experiments::machine::Machine;
use drystone_experiments::solve::limits::{Limits, PreparedSolver};
use drystone_experiments::solve::trial::{Settings, Status, Trial, attempt};

/// Natural residual that exact methods work to, m/s.
const TOLERANCE: f64 = 1e-6;
/// Iterations of the others.
const ITERATIONS: usize = 100;
/// Seconds for a solve in the tables of sizes and growth.
const PATIENCE: f64 = 10.0;
/// Seconds for a solve of the large wall.
const LONG_PATIENCE: f64 = 120.0;
/// Boxes in the stacks of the table of growth.
const STACKS: [usize; 5] = [10, 32, 100, 316, 1000];

fn main() {
    use_one_thread();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["child", solver] => child(solver),
        ["sizes"] => sizes(),
        ["wall"] => wall(),
        ["growth"] => growth(),
        _ => {
            let machine = Machine::here();
            let processor = machine.processor.unwrap_or_default();
            println!("Measured on {processor}, {} cores, one thread.", machine.cores);
            sizes();
            wall();
            growth();
        }
    }
}

/// One solver on one problem; none if it refuses it.
fn solve(entry: &SolverEntry, problem: &Problem, patience: f64) -> Result<Trial, String> {
    let limits = Limits {
        tolerance: TOLERANCE,
        criterion: Criterion::Natural,
        time_limit: patience,
        iterations: (entry.takes.accuracy == Accuracy::Iterative).then_some(ITERATIONS),
    };
    let limits = match entry.takes.accuracy {
        Accuracy::Exact => limits,
        Accuracy::Iterative => Limits {
            tolerance: 0.0,
            ..limits
        },
    };
    let solver = PreparedSolver::new(entry.name, &limits, None).map_err(|error| error.to_string())?;
    let run = |repeat| {
        let settings = Settings {
            limits,
            repeat,
            record: false,
            interrupt: &Interrupt::default(),
        };
        attempt(&solver, problem, &vec![0.0; problem.rows()], &settings).map_err(|(_, message)| message)
    };
    let mut trial = run(1)?;
    if trial.seconds[0] < 2.0 {
        trial.seconds.extend(run(2)?.seconds);
        trial.seconds.sort_by(f64::total_cmp);
    }
    Ok(trial)
}

/// Whether it came to an end of its own.
fn finished(entry: &SolverEntry, trial: &Trial) -> bool {
    match trial.status {
        // A pyramid that is solved is not Coulomb's law.
        Status::Converged | Status::NotConverged => true,
        Status::IterationLimit => entry.takes.accuracy == Accuracy::Iterative,
        _ => false,
    }
}

/// A row of trials on problems that grow, up to where it makes no sense.
fn climb<'a>(entry: &SolverEntry, problems: &'a [Problem], patience: f64) -> Vec<(&'a Problem, Result<Trial, String>)> {
    let mut row: Vec<(&Problem, Result<Trial, String>)> = Vec::new();
    let mut known: Vec<(f64, f64)> = Vec::new();
    for problem in problems {
        let contacts = problem.blocks.len() as f64;
        if let [.., (n, t), (m, s)] = known[..] {
            let growth = (s / t).ln() / (m / n).ln();
            // Below milliseconds the growth says nothing.
            if s > 1e-3 && s * (contacts / m).powf(growth) > 3.0 * patience {
                break;
            }
        }
        let trial = solve(entry, problem, patience);
        let done = trial.as_ref().is_ok_and(|trial| finished(entry, trial));
        if let Ok(trial) = &trial {
            known.push((contacts, trial.seconds[0]));
        }
        row.push((problem, trial));
        if !done {
            break;
        }
    }
    row
}

fn sizes() {
    for (title, accuracy) in [
        (format!("Exact methods, to {TOLERANCE:e} m/s"), Accuracy::Exact),
        (
            format!("Iterative methods, {ITERATIONS} iterations"),
            Accuracy::Iterative,
        ),
    ] {
        for series in SERIES {
            let problems: Vec<Problem> = series.problems().collect();
            println!("\n### {title}: `{}`\n", series.name);
            let contacts = problems.iter().map(|problem| problem.blocks.len());
            let heads: Vec<String> = contacts.map(|n| format!("{n} contacts")).collect();
            println!(
                "| solver | {} |\n|---{}|",
                heads.join(" | "),
                "|---".repeat(heads.len())
            );
            for entry in registry::solvers() {
                if entry.takes.accuracy != accuracy {
                    continue;
                }
                let row = climb(entry, &problems, PATIENCE);
                let mut cells: Vec<String> = row.iter().map(|(_, trial)| cell(entry, trial)).collect();
                cells.resize(problems.len(), "–".into());
                println!("| `{}` | {} |", entry.name, cells.join(" | "));
            }
        }
    }
}

/// Time, iterations and residual, and how it ended unless it was as it should be.
fn cell(entry: &SolverEntry, trial: &Result<Trial, String>) -> String {
    match trial {
        Err(message) => message.clone(),
        Ok(trial) => {
            let note = match (trial.status, finished(entry, trial)) {
                (_, true) => String::new(),
                (status, false) => format!(", {}", status.name()),
            };
            let (time, residual) = (duration(trial.seconds[0]), trial.residuals.natural);
            format!("{time}, {} it., {residual:.0e}{note}", trial.iterations)
        }
    }
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.0} µs", 1e6 * s),
        s if s < 1e-1 => format!("{:.1} ms", 1e3 * s),
        s if s < 1.0 => format!("{:.0} ms", 1e3 * s),
        s => format!("{s:.1} s"),
    }
}

/// The large wall.
fn large_wall() -> Problem {
    let Series { name, sizes, steps } = SERIES[0];
    captured(&format!("{name}:{}", sizes[2]), steps)
}

fn wall() {
    let problem = large_wall();
    let factors = Shifted::new(&problem, LinearSolver::Direct, &Gmres::default()).map(|system| system.factor_len());
    let megabytes = factors.unwrap_or(0) as f64 * 8e-6;
    let contacts = problem.blocks.len();
    println!("\n### Exact methods on the wall of {contacts} contacts, up to {LONG_PATIENCE} s each\n");
    println!("The factors of a Newton system of the problem itself take {megabytes:.1} MB.\n");
    println!("| solver | time | iterations | residual | ended | peak memory | of it solving |");
    println!("|---|---|---|---|---|---|---|");
    for entry in registry::solvers() {
        if entry.takes.accuracy != Accuracy::Exact {
            continue;
        }
        let program = std::env::current_exe().expect("a program");
        let output = Command::new(program).args(["child", entry.name]).output();
        let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        match text {
            Ok(text) if !text.is_empty() => println!("{}", text.trim_end()),
            _ => println!("| `{}` | – | – | – | killed: out of memory | – | – |", entry.name),
        }
    }
}

/// What the process for one solver prints: its row.
fn child(name: &str) {
    let entry = registry::solvers().into_iter().find(|entry| entry.name == name);
    let entry = entry.expect("a solver of the registry");
    let problem = large_wall();
    let before = peak_memory();
    match solve(entry, &problem, LONG_PATIENCE) {
        Err(message) => println!("| `{name}` | – | – | – | {message} | – | – |"),
        Ok(trial) => {
            let after = peak_memory();
            println!(
                "| `{name}` | {} | {} | {:.0e} | {} | {after:.0} MB | {:.0} MB |",
                duration(trial.seconds[0]),
                trial.iterations,
                trial.residuals.natural,
                trial.status.name(),
                after - before
            );
        }
    }
}

/// The most memory this process has had so far, MB.
fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(f64::NAN) * 1.024e-3
}

fn growth() {
    let problems = STACKS.map(|count| captured(&format!("box-stack:count={count}"), 10));
    println!("\n### Growth of exact methods on stacks\n");
    let heads: Vec<String> = problems.iter().map(|p| p.blocks.len().to_string()).collect();
    println!("| solver | {} contacts | exponent |", heads.join(" | "));
    println!("|---{}|---|", "|---".repeat(heads.len()));
    for entry in registry::solvers() {
        if entry.takes.accuracy != Accuracy::Exact {
            continue;
        }
        let row = climb(entry, &problems, PATIENCE);
        let points: Vec<(f64, f64)> = row
            .iter()
            .filter_map(|(problem, trial)| Some((problem, trial.as_ref().ok()?)))
            .filter(|(_, trial)| finished(entry, trial))
            .map(|(problem, trial)| ((problem.blocks.len() as f64).ln(), trial.seconds[0].ln()))
            .collect();
        let exponent = slope(&points).map_or("–".into(), |slope| format!("{slope:.2}"));
        let mut cells: Vec<String> = row
            .iter()
            .map(|(_, trial)| match trial {
                Ok(t) if finished(entry, t) => duration(t.seconds[0]),
                Ok(t) => format!(
                    "{} after {}, {:.0e}",
                    t.status.name(),
                    duration(t.seconds[0]),
                    t.residuals.natural
                ),
                Err(message) => message.clone(),
            })
            .collect();
        cells.resize(problems.len(), "–".into());
        println!("| `{}` | {} | {exponent} |", entry.name, cells.join(" | "));
    }
}

/// Of the line through points in the sense of least squares.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let n = points.len() as f64;
    let mean = points
        .iter()
        .fold((0.0, 0.0), |sum, p| (sum.0 + p.0 / n, sum.1 + p.1 / n));
    let covariance: f64 = points.iter().map(|p| (p.0 - mean.0) * (p.1 - mean.1)).sum();
    let variance: f64 = points.iter().map(|p| (p.0 - mean.0).powi(2)).sum();
    (points.len() >= 3).then(|| covariance / variance)
}
