//! What [`Solver`](crate::Solver) promises besides solutions: limits, cancelling, records, errors, and the same bits.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use nalgebra::Vector3;

use super::super::findings::{Findings, Refusal, distance, not_applicable};
use super::super::problems::{Kinds, Known, Matrix, Stack, Tangle};
use super::super::subject::{Law, Subject};
use super::super::{Demand, Trial};
use super::kinds_for;
use crate::error::SolveError;
use crate::problem::Problem;
use crate::residual::Residuals;
use crate::solve::{Context, Convergence, Measure, Solver, Status};

/// Rounding of a residual that is computed a second time in another order: relative, and in m/s.
const ROUNDING: (f64, f64) = (1e-6, 1e-12);

pub(super) static TRIALS: &[Trial] = &[
    Trial {
        name: "warm-start",
        claim: "a start at a solution stays there",
        demand: Demand::Everyone,
        run: warm_start,
    },
    Trial {
        name: "iteration-limit",
        claim: "iterations=1 is one iteration at most",
        demand: Demand::Everyone,
        run: iteration_limit,
    },
    Trial {
        name: "time-limit",
        claim: "when time is up the iteration under way is the last",
        demand: Demand::Everyone,
        run: time_limit,
    },
    Trial {
        name: "cancel",
        claim: "with the flag set there is no iteration, and the status says so",
        demand: Demand::Everyone,
        run: cancel,
    },
    Trial {
        name: "records",
        claim: "residuals at the start and after every iteration, or none; measuring changes no bit",
        demand: Demand::Everyone,
        run: records,
    },
    Trial {
        name: "honesty",
        claim: "it never says converged with a residual above its tolerance",
        demand: Demand::Everyone,
        run: honesty,
    },
    Trial {
        name: "bad-numbers",
        claim: "NaN and ∞ in b or in the start are errors that name the block; impulses stay as they were",
        demand: Demand::Everyone,
        run: bad_numbers,
    },
    Trial {
        name: "bad-start",
        claim: "a start of the wrong length is an error",
        demand: Demand::Everyone,
        run: bad_start,
    },
    Trial {
        name: "same-bits",
        claim: "the same bits again, and from a context that has seen other problems",
        demand: Demand::Everyone,
        run: same_bits,
    },
];

/// An easy problem of every kind of block that the solver takes.
fn problem(subject: &Subject, seed: u64, bodies: usize, constraints: usize) -> Result<Problem, Refusal> {
    let tangle = Tangle::random(seed, bodies, constraints, kinds_for(subject)).dominant()?;
    Ok(tangle.problem())
}

/// Impulses of size one, most of them outside of their sets.
fn anywhere(problem: &Problem) -> Vec<f64> {
    (0..problem.rows()).map(|row| (1.7 * row as f64 + 1.0).sin()).collect()
}

fn finite(findings: &mut Findings, impulses: &[f64]) {
    findings.expect(impulses.iter().all(|x| x.is_finite()), || {
        "the impulses are not finite".into()
    });
}

/// A solve that must not be refused.
fn run(
    findings: &mut Findings,
    solver: &dyn Solver,
    problem: &Problem,
    start: &[f64],
    context: &mut Context,
) -> Option<(Vec<f64>, Convergence)> {
    let mut impulses = start.to_vec();
    match solver.solve(problem, &mut impulses, context) {
        Ok(report) => {
            finite(findings, &impulses);
            Some((impulses, report))
        }
        Err(error) => {
            findings.expect(false, || error.to_string());
            None
        }
    }
}

fn warm_start(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    let easy = problem(subject, 20, 5, 12)?;
    let rows = Known::rows(21, 20, Matrix::Definite, false)?.problem;
    for problem in [easy, rows] {
        let Some(first) = findings.solve(subject, &problem, "from zero")? else {
            continue;
        };
        match subject.judge(&problem, &first.impulses) {
            Ok(again) => {
                let tolerance = subject.tolerance();
                findings.bound("residual of the second solve", again.residual, tolerance);
                // Definite problems: a solution is nearly as close as its residual is small.
                let moved = distance(&first.impulses, &again.impulses);
                findings.bound("impulses moved by", moved, 100.0 * tolerance);
            }
            Err(error) => findings.expect(false, || error.to_string()),
        }
    }
    Ok(())
}

fn iteration_limit(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    if !subject.has("iterations") {
        return Err(not_applicable("it has no option iterations"));
    }
    for limit in [1, 3] {
        let text = limit.to_string();
        let solver = subject.made(&[("iterations", &text), ("tolerance", "0")]);
        let problem = problem(subject, 22, 5, 12)?;
        let start = anywhere(&problem);
        let Some((_, report)) = run(findings, solver.as_ref(), &problem, &start, &mut Context::default()) else {
            continue;
        };
        findings.expect(report.iterations <= limit, || {
            format!("{} iterations where {limit} were allowed", report.iterations)
        });
        findings.expect(
            matches!(
                report.status,
                Status::IterationLimit | Status::Converged | Status::Stalled
            ),
            || format!("it ends with {}", report.status),
        );
    }
    Ok(())
}

fn time_limit(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    if !subject.has("time-limit") {
        return Err(not_applicable("it has no option time-limit"));
    }
    let options = [("time-limit", "1e-9"), ("iterations", "1000000000"), ("tolerance", "0")];
    let problem = problem(subject, 23, 5, 12)?;
    let start = anywhere(&problem);
    let solver = subject.made(&options);
    if let Some((_, report)) = run(findings, solver.as_ref(), &problem, &start, &mut Context::default()) {
        findings.expect(report.iterations <= 1, || {
            format!("{} iterations after the time was up", report.iterations)
        });
        findings.expect(report.status == Status::TimeLimit, || {
            format!("it ends with {}", report.status)
        });
    }
    Ok(())
}

fn cancel(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    let problem = problem(subject, 24, 5, 12)?;
    let start = anywhere(&problem);
    let mut context = Context::default();
    context.cancel = Some(Arc::new(AtomicBool::new(true)));
    let solver = subject.made(&[]);
    if let Some((_, report)) = run(findings, solver.as_ref(), &problem, &start, &mut context) {
        findings.expect(report.status == Status::Cancelled, || {
            format!("it ends with {}", report.status)
        });
        findings.expect(report.iterations == 0, || format!("{} iterations", report.iterations));
    }
    Ok(())
}

fn records(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    let solver = subject.made(&[("iterations", "7"), ("tolerance", "1e-4")]);
    for problem in [problem(subject, 25, 5, 12)?, problem(subject, 26, 2, 4)?.explicit()?] {
        let start = anywhere(&problem);
        let mut measured = |measure: Measure| {
            let mut context = Context::default();
            context.measure = measure;
            run(findings, solver.as_ref(), &problem, &start, &mut context)
        };
        let (Some((plain, silent)), Some((last, end)), Some((all, every))) = (
            measured(Measure::Nothing),
            measured(Measure::Final),
            measured(Measure::EveryIteration),
        ) else {
            return Ok(());
        };
        findings.expect(silent.history.is_empty() && silent.residual.is_none(), || {
            "something was recorded that nobody asked for".into()
        });
        findings.expect(end.history.is_empty(), || "a history, asked for the end only".into());
        findings.expect(every.history.len() == every.iterations + 1, || {
            format!("{} residuals for {} iterations", every.history.len(), every.iterations)
        });
        findings.expect(bits(&plain) == bits(&last) && bits(&plain) == bits(&all), || {
            "measuring changes the result".into()
        });
        let natural = Residuals::of(&problem, &plain).natural;
        for report in [&end, &every] {
            let told = report.residual.unwrap_or(f64::NAN);
            let allowed = ROUNDING.0 * natural + ROUNDING.1;
            findings.expect((told - natural).abs() <= allowed, || {
                format!("it tells a residual of {told:.6e}, and leaves {natural:.6e}")
            });
        }
    }
    Ok(())
}

fn honesty(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    if !subject.stops_on_residual() {
        return Err(not_applicable("its tolerance is not for the common residual"));
    }
    let mut problems = vec![
        Known::rows(27, 20, Matrix::Definite, false)?.problem,
        Known::rows(28, 20, Matrix::Semidefinite, true)?.problem,
    ];
    // On a pyramid or a box the tolerance is for unknowns that nobody else sees.
    match subject.law {
        Law::Coulomb => {
            problems.push(Tangle::random(29, 5, 12, Kinds::Friction).problem());
            // A heavy tower on light cubes, which nobody has solved after an iteration or three.
            let masses: Vec<f64> = (0..10).map(|level| 4_f64.powi(level)).collect();
            problems.push(Stack::new(&masses, Vector3::new(0.02, 0.0, -0.1), 0.5).problem);
        }
        Law::Relaxed => problems.push(Tangle::random(29, 5, 12, Kinds::Relaxed).problem()),
        Law::Pyramid { .. } | Law::Box { .. } | Law::None => {}
    }
    for problem in &problems {
        for tolerance in [1e-1, 1e-3, 1e-6, 1e-11] {
            for iterations in ["1", "3", "1000"] {
                let solver = subject.stopping_at(tolerance, &[("iterations", iterations)]);
                let start = anywhere(problem);
                let Some((impulses, report)) = run(findings, solver.as_ref(), problem, &start, &mut Context::default())
                else {
                    continue;
                };
                let natural = Residuals::of(problem, &impulses).natural;
                let allowed = (1.0 + ROUNDING.0) * tolerance + ROUNDING.1;
                findings.expect(report.status != Status::Converged || natural <= allowed, || {
                    format!("converged, it says, at {natural:.1e} with a tolerance of {tolerance:.0e}")
                });
            }
        }
    }
    Ok(())
}

fn bad_numbers(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    let easy = problem(subject, 30, 5, 12)?;
    let explicit = easy.explicit()?;
    let solver = subject.made(&[]);
    for good in [&easy, &explicit] {
        let start = anywhere(good);
        let row = good.blocks[2].first as usize;
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut problem = good.clone();
            problem.bias[row] = bad;
            refused(findings, solver.as_ref(), &problem, &start, bad, "bias");
            let mut start = start.clone();
            start[row] = bad;
            refused(findings, solver.as_ref(), good, &start, bad, "start");
        }
    }
    Ok(())
}

fn refused(findings: &mut Findings, solver: &dyn Solver, problem: &Problem, start: &[f64], bad: f64, place: &str) {
    let mut impulses = start.to_vec();
    let end = solver.solve(problem, &mut impulses, &mut Context::default());
    findings.expect(matches!(end, Err(SolveError::NotFinite { block: 2, .. })), || {
        let answer = match end {
            Ok(report) => report.status.to_string(),
            Err(error) => error.to_string(),
        };
        format!("{bad} in the {place} of block 2 is answered with: {answer}")
    });
    findings.expect(bits(&impulses) == bits(start), || {
        format!("{bad} in the {place}: the impulses were changed")
    });
}

fn bad_start(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    let problem = problem(subject, 31, 5, 12)?;
    let solver = subject.made(&[]);
    for rows in [0, problem.rows() - 1, problem.rows() + 1] {
        let mut impulses = vec![0.0; rows];
        let end = solver.solve(&problem, &mut impulses, &mut Context::default());
        findings.expect(end.is_err(), || {
            format!("{rows} impulses for {} rows were accepted", problem.rows())
        });
    }
    Ok(())
}

fn same_bits(subject: &Subject, findings: &mut Findings) -> Result<(), Refusal> {
    let solver = subject.made(&[]);
    let first = problem(subject, 32, 5, 12)?;
    let larger = problem(subject, 33, 8, 20)?;
    let smaller = problem(subject, 34, 2, 4)?.explicit()?;
    let mut shared = Context::default();
    for problem in [&first, &larger, &smaller, &first] {
        let start = anywhere(problem);
        let fresh = run(findings, solver.as_ref(), problem, &start, &mut Context::default());
        let again = run(findings, solver.as_ref(), problem, &start, &mut Context::default());
        let later = run(findings, solver.as_ref(), problem, &start, &mut shared);
        if let (Some(fresh), Some(again), Some(later)) = (fresh, again, later) {
            findings.expect(bits(&fresh.0) == bits(&again.0) && fresh.1 == again.1, || {
                "a second solve gives other bits".into()
            });
            findings.expect(bits(&fresh.0) == bits(&later.0) && fresh.1 == later.1, || {
                "a context that was used before gives other bits".into()
            });
        }
    }
    Ok(())
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}
