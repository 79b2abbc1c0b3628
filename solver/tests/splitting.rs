//! What every splitting method in the registry owes its callers beyond the suite for all solvers, with every combination
//! of its options. A method that is entered there is tested here without another line.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use common::{Sample, distance, largest, solver};
use drystone_solver::registry::SolverEntry;
use drystone_solver::{
    BlockMatrix, Cone, Context, Convergence, Measure, Operator, Problem, Residuals, SolveError, Status, registry,
};
use nalgebra::DMatrix;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn solvers() -> impl Iterator<Item = &'static SolverEntry> {
    registry::solvers()
        .into_iter()
        .filter(|entry| entry.takes.family == "splitting")
}

/// Every combination of the options of a solver that change how it works, as `key=value` lists.
fn variants(entry: &SolverEntry) -> Vec<String> {
    let mut all = vec![String::new()];
    for option in entry.options() {
        let values: Vec<String> = match option.key.as_str() {
            "granularity" | "friction" | "order" => option.expects.split(" | ").map(str::to_owned).collect(),
            "warm-start" => vec!["0".into(), "1".into()],
            _ => continue,
        };
        let with = |known: &String| {
            values
                .iter()
                .map(|value| format!("{known}{}={value},", option.key))
                .collect()
        };
        all = all.iter().flat_map::<Vec<String>, _>(with).collect();
    }
    all
}

/// Every solver in every variant, with further options.
fn all_specs(further: &str) -> Vec<String> {
    solvers()
        .flat_map(|entry| {
            variants(entry)
                .into_iter()
                .map(|variant| format!("{}:{variant}{further}", entry.name))
        })
        .collect()
}

/// Diagonally dominant problems of every cone, with and without an explicit matrix: every method converges on them.
fn problems() -> Vec<Problem> {
    (0..3)
        .flat_map(|seed| {
            let problem = Sample::random(seed, 7, 15, true).dominant().problem();
            [problem.explicit().unwrap(), problem]
        })
        .collect()
}

/// Impulses of size one, most of them outside of their cones.
fn random_start(problem: &Problem) -> Vec<f64> {
    let mut rng = Pcg64::seed_from_u64(41);
    (0..problem.rows()).map(|_| rng.random_range(-1.0..1.0)).collect()
}

fn solve(spec: &str, problem: &Problem, start: &[f64], context: &mut Context) -> (Vec<f64>, Convergence) {
    let mut impulses = start.to_vec();
    match solver(spec).solve(problem, &mut impulses, context) {
        Ok(report) => (impulses, report),
        Err(error) => panic!("{spec}: {error}"),
    }
}

/// How much of μ λ_n a tangent may have in a box model; none for the cone.
fn box_share(spec: &str) -> Option<f64> {
    if spec.contains("friction=scaled-box") {
        Some(std::f64::consts::FRAC_1_SQRT_2)
    } else if spec.contains("friction=box") {
        Some(1.0)
    } else {
        None
    }
}

/// The bounds of every row, those of tangents from the normal impulse as it is; `None` for tangents in a disc.
fn bounds(problem: &Problem, impulses: &[f64], share: Option<f64>) -> Vec<Option<(f64, f64)>> {
    let mut bounds = Vec::new();
    for block in &problem.blocks {
        for k in 0..block.len as usize {
            bounds.push(match block.cone {
                Cone::Free => Some((f64::NEG_INFINITY, f64::INFINITY)),
                Cone::NonNegative => Some((0.0, f64::INFINITY)),
                Cone::Interval { lower, upper } => Some((lower, upper)),
                Cone::Friction { .. } if k == 0 => Some((0.0, f64::INFINITY)),
                Cone::Friction { coefficient } => share.map(|share| {
                    let limit = share * coefficient * impulses[block.first as usize];
                    (-limit, limit)
                }),
                Cone::Rolling { .. } | Cone::SecondOrder { .. } => unreachable!("not among the samples"),
            });
        }
    }
    bounds
}

/// The law of a boxed row, apart from the solvers' own residual: between its bounds w = 0, at the lower one w ≥ 0, at
/// the upper one w ≤ 0. `tolerance` is for velocities and for what counts as being at a bound.
fn assert_box_law(problem: &Problem, impulses: &[f64], share: f64, tolerance: f64, spec: &str) {
    let mut velocities = vec![0.0; problem.rows()];
    problem.velocities(impulses, &mut velocities);
    for (row, bound) in bounds(problem, impulses, Some(share)).into_iter().enumerate() {
        let (lower, upper) = bound.expect("all rows have bounds in a box model");
        let (x, w) = (impulses[row], velocities[row]);
        let (at_lower, at_upper) = (x <= lower + tolerance, x >= upper - tolerance);
        assert!(
            at_lower || w < tolerance,
            "{spec}: row {row}: {lower} < {x}, yet {w} > 0"
        );
        assert!(
            at_upper || w > -tolerance,
            "{spec}: row {row}: {x} < {upper}, yet {w} < 0"
        );
    }
}

/// 600 sweeps that shrink the error by a tenth or more each leave rounding, far below the bound.
#[test]
fn every_variant_solves_diagonally_dominant_problems() {
    let problems = problems();
    for spec in all_specs("iterations=600") {
        for problem in &problems {
            let (impulses, _) = solve(&spec, problem, &random_start(problem), &mut Context::default());
            match box_share(&spec) {
                Some(share) => assert_box_law(problem, &impulses, share, 1e-9, &spec),
                None => {
                    let natural = Residuals::of(problem, &impulses).natural;
                    assert!(natural < 1e-9, "{spec}: {natural}");
                }
            }
        }
    }
}

/// The problems above are worth solving: each of the laws' cases occurs among their solutions.
#[test]
fn the_test_problems_have_rows_in_every_case() {
    let (mut free, mut parted, mut lower, mut upper, mut stuck, mut slipping) = (0, 0, 0, 0, 0, 0);
    for problem in problems() {
        let (x, _) = solve(
            "pgs:friction=cone,iterations=500",
            &problem,
            &random_start(&problem),
            &mut Context::default(),
        );
        for block in &problem.blocks {
            let x = &x[block.rows()];
            match block.cone {
                Cone::Free => free += 1,
                Cone::NonNegative => parted += usize::from(x[0] == 0.0),
                Cone::Interval { lower: l, upper: u } => {
                    lower += usize::from(x[0] == l);
                    upper += usize::from(x[0] == u);
                }
                Cone::Friction { coefficient } if x[0] > 0.0 && coefficient > 0.0 => {
                    let share = x[1].hypot(x[2]) / (coefficient * x[0]);
                    stuck += usize::from(share < 0.999);
                    slipping += usize::from(share > 0.999_999);
                }
                Cone::Friction { .. } | Cone::Rolling { .. } | Cone::SecondOrder { .. } => {}
            }
        }
    }
    for (case, count) in [free, parted, lower, upper, stuck, slipping].into_iter().enumerate() {
        assert!(count > 1, "case {case}: {count}");
    }
}

/// From the first sweep on, wherever it started. Bounds hold to the last bit; the radius of a disc to its rounding.
#[test]
fn impulses_stay_in_their_cones_after_every_iteration() {
    for iterations in [1, 2, 3, 5, 8, 13, 21] {
        for spec in all_specs(&format!("iterations={iterations}")) {
            for problem in &problems() {
                let (impulses, _) = solve(&spec, problem, &random_start(problem), &mut Context::default());
                for (row, bound) in bounds(problem, &impulses, box_share(&spec)).into_iter().enumerate() {
                    let Some((lower, upper)) = bound else { continue };
                    let x = impulses[row];
                    // A limit is a product of three factors, which may be taken in another order.
                    let slack = 4.0 * f64::EPSILON * if upper.is_finite() { upper.abs() } else { 0.0 };
                    assert!(
                        x >= lower - slack && x <= upper + slack,
                        "{spec}: row {row}: {lower} {x} {upper}"
                    );
                }
                if box_share(&spec).is_none() {
                    let violation = Residuals::of(problem, &impulses).cone_violation;
                    assert!(
                        violation < 4.0 * f64::EPSILON * largest(impulses),
                        "{spec}: {violation}"
                    );
                }
            }
        }
    }
}

#[test]
fn options_out_of_range_are_refused() {
    for entry in solvers() {
        for option in entry.options() {
            let bad: &[&str] = match option.key.as_str() {
                "iterations" | "reorder-every" | "check-every" => &["0", "-1", "1.5", "many"],
                "min-iterations" => &["1000000", "-1"],
                "tolerance" | "warm-start" | "time-limit" => &["-1", "NaN", "inf"],
                "relaxation" => &["0", "-1", "2", "NaN"],
                "granularity" | "friction" | "order" | "stop" | "criterion" => &["", "sideways"],
                _ => continue,
            };
            for value in bad {
                let spec = format!("{}:{}={value}", entry.name, option.key);
                assert!(registry::solver(&spec.parse().unwrap()).is_err(), "{spec}");
            }
        }
        assert!(registry::solver(&format!("{}:sweeps=3", entry.name).parse().unwrap()).is_err());
    }
}

#[test]
fn a_tolerance_ends_the_solve_early_and_a_fixed_count_does_not() {
    let problem = &problems()[0];
    for stop in ["absolute", "relative"] {
        for spec in all_specs(&format!("stop={stop},iterations=800")) {
            let start = random_start(problem);
            let (solution, report) = solve(&spec, problem, &start, &mut Context::default());
            assert_eq!(
                (report.status, report.iterations),
                (Status::IterationLimit, 800),
                "{spec}"
            );
            let tight = format!("{spec},tolerance=1e-10");
            let (stopped, report) = solve(&tight, problem, &start, &mut Context::default());
            assert_eq!(report.status, Status::Converged, "{tight}");
            assert!((2..800).contains(&report.iterations), "{tight}: {}", report.iterations);
            assert_eq!(report.row_updates, (report.iterations * problem.rows()) as u64);
            // A sweep that changes less than 1e-10 and shrinks errors by a twentieth leaves less than twenty times that.
            assert!(
                distance(&stopped, &solution) < 2e-9,
                "{tight}: {}",
                distance(&stopped, &solution)
            );
            // At the solution already, but not allowed to stop before the seventh sweep.
            if spec.contains("warm-start=1") {
                let (_, report) = solve(
                    &format!("{tight},min-iterations=7"),
                    problem,
                    &solution,
                    &mut Context::default(),
                );
                assert_eq!((report.status, report.iterations), (Status::Converged, 7), "{tight}");
            }
        }
    }
}

/// The residual that ends the solve is the common one, measured from scratch here, and it was not met before.
#[test]
fn the_common_residual_can_be_the_stopping_test() {
    for problem in &problems()[..2] {
        for entry in solvers() {
            for criterion in ["natural", "relative"] {
                for every in [1, 4] {
                    let spec = format!(
                        "{}:stop=residual,criterion={criterion},check-every={every},tolerance=1e-6,iterations=800",
                        entry.name
                    );
                    let measured = |impulses: &[f64]| {
                        let residuals = Residuals::of(problem, impulses);
                        match criterion {
                            "natural" => residuals.natural,
                            _ => residuals.relative,
                        }
                    };
                    let start = random_start(problem);
                    let (impulses, report) = solve(&spec, problem, &start, &mut Context::default());
                    assert_eq!(report.status, Status::Converged, "{spec}");
                    // The state of the sweeps carries their rounding, far below the tolerance.
                    assert!(measured(&impulses) < 1e-6 * (1.0 + 1e-6), "{spec}");
                    assert!(report.iterations > every && report.iterations % every == 0, "{spec}");
                    let fewer = format!("{}:iterations={}", entry.name, report.iterations - every);
                    let (impulses, _) = solve(&fewer, problem, &start, &mut Context::default());
                    assert!(measured(&impulses) > 1e-6, "{spec}");
                }
            }
        }
    }
}

#[test]
fn a_time_limit_ends_the_solve() {
    let problem = &problems()[1];
    for entry in solvers() {
        let spec = format!("{}:time-limit=0.01,iterations=1000000000000", entry.name);
        let (_, report) = solve(&spec, problem, &random_start(problem), &mut Context::default());
        assert_eq!(report.status, Status::TimeLimit, "{spec}");
        assert!(report.iterations > 1);
    }
}

/// A cold start does not look at what it is given, a warm one begins there.
#[test]
fn the_warm_start_scales_the_impulses_it_is_given() {
    let problem = &problems()[0];
    let start = random_start(problem);
    let scaled = |factor: f64| start.iter().map(|x| x * factor).collect::<Vec<_>>();
    for entry in solvers() {
        let run = |warm: &str, start: &[f64]| {
            let spec = format!("{}:iterations=2,warm-start={warm}", entry.name);
            solve(&spec, problem, start, &mut Context::default()).0
        };
        assert_eq!(run("0", &start), run("1", &scaled(0.0)));
        assert_eq!(run("0.5", &start), run("1", &scaled(0.5)));
        assert!(distance(&run("1", &start), &run("0", &start)) > 1e-3);
    }
}

#[test]
fn residuals_are_measured_as_often_as_asked() {
    for problem in &problems() {
        for spec in all_specs("iterations=12") {
            let mut context = Context::default();
            let start = random_start(problem);
            let (plain, report) = solve(&spec, problem, &start, &mut context);
            assert!(report.residual.is_none() && report.history.is_empty());
            context.measure = Measure::Final;
            let (measured, report) = solve(&spec, problem, &start, &mut context);
            assert_eq!(measured, plain, "{spec}: measuring must not change the result");
            assert!(report.history.is_empty());
            let last = report.residual.unwrap();
            context.measure = Measure::EveryIteration;
            let (measured, report) = solve(&spec, problem, &start, &mut context);
            assert_eq!(measured, plain, "{spec}");
            assert_eq!(report.history.len(), 13);
            assert_eq!(report.history.last().copied(), report.residual);
            assert_eq!(report.residual, Some(last));
            // The same residual from scratch; the velocities of the sweep carry the rounding of a dozen updates.
            let natural = Residuals::of(problem, &plain).natural;
            assert!((last - natural).abs() < 1e-13, "{spec}: {last} {natural}");
            if spec.contains("warm-start=1,") {
                let natural = Residuals::of(problem, &start).natural;
                assert!((report.history[0] - natural).abs() < 1e-13, "{spec}");
            }
        }
    }
}

/// The same input gives the same bits, with a fresh context and with one that has seen other problems and sizes.
#[test]
fn results_repeat_to_the_bit_and_contexts_carry_nothing_over() {
    let bits = |impulses: &[f64]| impulses.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let first = Sample::random(50, 7, 15, true).dominant().problem();
    let larger = Sample::random(51, 12, 40, true).dominant().problem();
    let smaller = Sample::random(52, 3, 4, true).dominant().problem().explicit().unwrap();
    let mut shared = Context::default();
    for spec in all_specs("iterations=9,tolerance=1e-3") {
        let fresh = |problem: &Problem| solve(&spec, problem, &random_start(problem), &mut Context::default());
        let (impulses, report) = fresh(&first);
        assert_eq!(bits(&fresh(&first).0), bits(&impulses), "{spec}");
        for problem in [&first, &larger, &smaller, &first] {
            let (again, _) = solve(&spec, problem, &random_start(problem), &mut shared);
            assert_eq!(bits(&again), bits(&fresh(problem).0), "{spec}");
        }
        assert_eq!(
            solve(&spec, &first, &random_start(&first), &mut shared).1,
            report,
            "{spec}"
        );
    }
}

/// Random orders differ from stream to stream, so that the groups of a step do not all draw the same numbers.
#[test]
fn streams_draw_their_own_random_orders() {
    let problem = &problems()[1];
    // All blocks at once have no order.
    for entry in solvers().filter(|entry| !["jacobi", "mass-splitting"].contains(&entry.name)) {
        let run = |stream: u64, order: &str| {
            let mut context = Context::default();
            context.stream = stream;
            let spec = format!("{}:iterations=2,order={order}", entry.name);
            solve(&spec, problem, &random_start(problem), &mut context).0
        };
        assert_eq!(run(3, "random"), run(3, "random"));
        assert_ne!(run(3, "random"), run(4, "random"));
        assert_eq!(run(3, "forward"), run(4, "forward"));
    }
}

/// One wrong number or piece in block 2 of a good problem, and the error it must be answered with.
#[test]
fn bad_numbers_and_pieces_are_errors_naming_the_block() {
    let sample = Sample::random(60, 5, 8, true).dominant();
    let good = sample.problem();
    let row = good.blocks[2].first as usize;
    for name in solvers().map(|entry| entry.name) {
        let error = |problem: &Problem, start: &[f64]| {
            solver(name)
                .solve(problem, &mut start.to_vec(), &mut Context::default())
                .expect_err("a bad problem was accepted")
        };
        let start = vec![0.0; good.rows()];
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut problem = good.clone();
            problem.bias[row] = bad;
            assert_eq!(
                error(&problem, &start),
                SolveError::NotFinite { block: 2, what: "bias" }
            );

            for entry in 0..12 {
                let mut other = sample.clone();
                other.constraints[2].rows[0].jacobian[entry] = bad;
                assert_eq!(
                    error(&other.problem(), &start),
                    SolveError::NotFinite { block: 2, what: "rows" }
                );
            }

            let mut other = start.clone();
            other[row] = bad;
            let what = "starting impulses";
            assert_eq!(error(&good, &other), SolveError::NotFinite { block: 2, what });
            assert_eq!(
                error(&good.explicit().unwrap(), &other),
                SolveError::NotFinite { block: 2, what }
            );
        }

        let mut zero = sample.clone();
        zero.constraints[2].rows[0].jacobian = [0.0; 12];
        zero.constraints[2].rows[0].compliance = 0.0;
        assert_eq!(
            error(&zero.problem(), &start),
            SolveError::Singular { block: 2, row: 0 }
        );
        assert_eq!(
            error(&zero.problem().explicit().unwrap(), &start),
            SolveError::Singular { block: 2, row: 0 }
        );

        let malformed = |change: &dyn Fn(&mut Problem)| {
            let mut problem = good.clone();
            change(&mut problem);
            error(&problem, &start).to_string()
        };
        for change in [
            &(|problem: &mut Problem| problem.blocks[2].first += 1) as &dyn Fn(&mut Problem),
            &|problem| problem.blocks[2].first = u32::MAX,
            &|problem| problem.blocks[2].len = 0,
            &|problem| problem.blocks[2].cone = Cone::Friction { coefficient: 0.5 },
            &|problem| {
                problem.blocks[2].cone = Cone::Interval { lower: 1.0, upper: 0.0 };
            },
        ] {
            let message = malformed(change);
            assert!(
                message.starts_with("malformed") && message.contains("block 2"),
                "{name}: {message}"
            );
        }
        assert!(
            malformed(&|problem| problem.blocks[0].cone = Cone::Friction { coefficient: -0.5 }).contains("block 0")
        );
        assert!(malformed(&|problem| problem.blocks[3].len = u32::MAX).contains("block"));
        assert!(malformed(&|problem| problem.blocks.truncate(7)).contains("rows"));
        assert!(malformed(&|problem| problem.bias.truncate(10)).contains("rows"));
        // Two blocks in one: its rows are on other bodies than the first.
        let message = malformed(&|problem| {
            let next = problem.blocks.remove(2);
            problem.blocks[1].len += next.len;
        });
        assert!(message.contains("block 1"), "{message}");
        // An explicit matrix that is cut elsewhere.
        let message = malformed(&|problem| {
            let dense = DMatrix::identity(problem.rows(), problem.rows());
            let matrix = BlockMatrix::from_dense(&dense, &vec![1; problem.rows()]).unwrap();
            problem.operator = Operator::Matrix(matrix);
        });
        assert!(message.contains("block"), "{message}");
        // A start of the wrong length.
        let message = error(&good, &start[1..]).to_string();
        assert!(message.contains("impulses"), "{message}");
    }
}

/// An error leaves neither the context nor the impulses in a state that shows later.
#[test]
fn a_solve_after_an_error_is_as_good_as_any() {
    let good = &problems()[1];
    let mut bad = good.clone();
    bad.bias[0] = f64::NAN;
    for entry in solvers() {
        let mut context = Context::default();
        let start = random_start(good);
        let mut untouched = start.clone();
        assert!((entry.make)().solve(&bad, &mut untouched, &mut context).is_err());
        assert_eq!(untouched, start);
        let (after, _) = solve(entry.name, good, &start, &mut context);
        assert_eq!(after, solve(entry.name, good, &start, &mut Context::default()).0);
    }
}

#[test]
fn a_cancel_flag_stops_the_solve() {
    let problem = &problems()[1];
    for entry in solvers() {
        let flag = Arc::new(AtomicBool::new(true));
        let mut context = Context::default();
        context.cancel = Some(flag.clone());
        let (_, report) = solve(entry.name, problem, &random_start(problem), &mut context);
        assert_eq!((report.status, report.iterations), (Status::Cancelled, 0));

        // From another thread, in the midst of a solve that would take hours.
        flag.store(false, Ordering::Relaxed);
        let report = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(30));
                flag.store(true, Ordering::Relaxed);
            });
            let spec = format!("{}:iterations=1000000000000", entry.name);
            solve(&spec, problem, &random_start(problem), &mut context).1
        });
        assert_eq!(report.status, Status::Cancelled);
        assert!(report.iterations > 1);

        flag.store(false, Ordering::Relaxed);
        let (_, report) = solve(entry.name, problem, &random_start(problem), &mut context);
        assert_eq!(report.status, Status::IterationLimit);
    }
}

#[test]
fn a_problem_without_rows_is_solved() {
    let none = BlockMatrix::from_dense(&DMatrix::zeros(0, 0), &[]).unwrap();
    let explicit = Problem::from_matrix(none, Vec::new(), &[]).unwrap();
    for problem in [Problem::default(), explicit] {
        for spec in all_specs("iterations=5,tolerance=1e-6") {
            let mut context = Context::default();
            context.measure = Measure::EveryIteration;
            let (impulses, report) = solve(&spec, &problem, &[], &mut context);
            assert!(impulses.is_empty());
            assert_eq!(
                (report.status, report.residual),
                (Status::Converged, Some(0.0)),
                "{spec}"
            );
        }
    }
}

/// Divergence is no success: Jacobi without relaxation on three equal rows doubles its error every sweep, until numbers
/// end. It must say neither "converged" nor that nothing is left to do.
#[test]
fn what_has_blown_up_is_not_called_converged() {
    let matrix = BlockMatrix::from_dense(&DMatrix::from_element(3, 3, 1.0), &[1, 1, 1]).unwrap();
    let problem = Problem::from_matrix(matrix, vec![-1.0; 3], &[Cone::Free; 3]).unwrap();
    let mut context = Context::default();
    context.measure = Measure::Final;
    for stop in ["absolute", "relative"] {
        let spec = format!("jacobi:relaxation=1,iterations=3000,tolerance=1e-6,stop={stop}");
        let (impulses, report) = solve(&spec, &problem, &[0.0; 3], &mut context);
        assert!(impulses.iter().all(|x| !x.is_finite()), "{impulses:?}");
        assert_eq!(report.status, Status::IterationLimit);
        assert!(!report.residual.unwrap().is_finite());
    }
}
