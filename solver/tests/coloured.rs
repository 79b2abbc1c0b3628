//! The coloured sweep over contact points: eight at a time it does what it does row by row, and on any number of threads the
//! same to the last bit.

mod common;
#[path = "common/piles.rs"]
mod piles;

use common::{distance, solved, solver};
use drystone_solver::{Cone, Context, Convergence, Measure, Problem, residual};
use piles::Pile;

const FRICTION: Cone = Cone::Friction { coefficient: 0.4 };

/// Both do the same updates in the same order, with sums in another order: rounding of numbers of size one, which a sweep does
/// not enlarge much. The largest seen was 3e-14.
const ROUNDING: f64 = 1e-12;

/// Heaps of balls with one contact a pair, a stack with four, in which every second pair may be smooth.
fn problems() -> Vec<Problem> {
    let heap = Pile::heap(3, 6, 5);
    let stack = Pile::stack(&[1.0, 3.0, 0.5, 2.0, 4.0, 1.0, 1.0, 2.0, 0.7, 1.0, 1.0]);
    let mixed = |contact: usize| {
        if contact.is_multiple_of(3) {
            Cone::NonNegative
        } else {
            FRICTION
        }
    };
    vec![
        heap.touches(|_| FRICTION),
        heap.touches(|_| Cone::NonNegative),
        heap.touches(mixed),
        stack.touches(|_| FRICTION),
        stack.touches(|contact| mixed(contact / 4)),
    ]
}

#[test]
fn touches_are_rows_in_fewer_numbers() {
    let heap = Pile::heap(5, 3, 3);
    for cone in [FRICTION, Cone::NonNegative] {
        let (touches, rows) = (heap.touches(|_| cone), heap.problem(cone));
        touches.validate().unwrap();
        let impulses: Vec<f64> = (0..rows.rows()).map(|row| (row % 7) as f64 * 0.1).collect();
        let velocities = |problem: &Problem| {
            let mut velocities = vec![0.0; problem.rows()];
            problem.velocities(&impulses, &mut velocities);
            velocities
        };
        assert!(distance(&velocities(&touches), &velocities(&rows)) < 1e-13);
    }
}

#[test]
fn eight_at_a_time_do_what_one_does() {
    for (index, problem) in problems().iter().enumerate() {
        for method in ["pgs:", "psor:relaxation=1.2,", "pgs:stretch=20,", "pgs:stretch=0,"] {
            let mut last = vec![0.0; problem.rows()];
            for iterations in [1, 2, 3, 5, 10, 30] {
                let spec = |kernel: &str| format!("{method}order=coloured,iterations={iterations},kernel={kernel}");
                let (wide, scalar) = (solved(&spec("wide"), problem), solved(&spec("scalar"), problem));
                let difference = distance(&wide, &scalar);
                assert!(
                    difference < ROUNDING,
                    "problem {index}, {}: {difference:e}",
                    spec("wide")
                );
                // The first sweeps are not yet the solution, so they are worth comparing.
                assert!(iterations > 3 || distance(&wide, &last) > 1e-3);
                last = wide;
            }
        }
    }
}

fn run(spec: &str, problem: &Problem, start: &[f64], measure: Measure) -> (Vec<f64>, Vec<f64>, Convergence) {
    let mut context = Context::default();
    context.measure = measure;
    let (mut impulses, mut change) = (start.to_vec(), Vec::new());
    let report = solver(spec).solve_with_change(problem, &mut impulses, &mut change, &mut context);
    (impulses, change, report.unwrap())
}

/// Threads own domains where there are enough contacts and nobody looks in between; otherwise, or where colours are not
/// divided into stretches, they share colours.
#[test]
fn threads_change_no_bit() {
    let heap = Pile::heap(9, 16, 10);
    let cone = |contact: usize| {
        if contact.is_multiple_of(5) {
            Cone::NonNegative
        } else {
            FRICTION
        }
    };
    let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    for problem in [heap.touches(|_| FRICTION), heap.touches(cone)] {
        assert!(problem.blocks.len() > 4096, "enough for domains");
        let start: Vec<f64> = (0..problem.rows())
            .map(|row| if row % 3 == 0 { 0.05 } else { 0.001 })
            .collect();
        for spec in ["pgs:order=coloured", "pgs:order=coloured,stretch=0"] {
            let on = |threads: usize, measure: Measure| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| run(spec, &problem, &start, measure))
            };
            let (impulses, change, report) = on(1, Measure::EveryIteration);
            assert!(report.history.last() < report.history.first());
            for threads in [1, 2, 3, 4, 7] {
                for measure in [Measure::EveryIteration, Measure::Nothing] {
                    let (others, other_change, other_report) = on(threads, measure);
                    assert_eq!(bits(&impulses), bits(&others), "{spec} on {threads} threads");
                    assert_eq!(bits(&change), bits(&other_change), "{spec} on {threads} threads");
                    if measure == Measure::EveryIteration {
                        assert_eq!(report, other_report);
                    }
                }
            }
        }
    }
}

/// Sweeps over what no cache holds go through in one passage, or in some that follow each other; to the bit as one by one, and but for
/// rounding as by rows.
#[test]
fn passages_change_no_bit() {
    let heap = Pile::heap(5, 16, 46);
    let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    for (cone, iterations) in [(FRICTION, 10), (FRICTION, 3), (Cone::NonNegative, 7)] {
        let problem = heap.touches(|_| cone);
        assert!(problem.blocks.len() > 40_000, "more than enough for a passage");
        let start: Vec<f64> = (0..problem.rows()).map(|row| 0.01 * (row % 3) as f64).collect();
        let spec = format!("pgs:order=coloured,iterations={iterations}");
        let (impulses, change, _) = run(&spec, &problem, &start, Measure::EveryIteration);
        for threads in [1, 2, 3, 20] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (others, other_change, _) = pool.install(|| run(&spec, &problem, &start, Measure::Nothing));
            assert_eq!(bits(&impulses), bits(&others), "{spec} on {threads} threads");
            assert_eq!(bits(&change), bits(&other_change), "{spec} on {threads} threads");
        }
        let (by_rows, ..) = run(&format!("{spec},kernel=scalar"), &problem, &start, Measure::Nothing);
        assert!(distance(&impulses, &by_rows) < ROUNDING);
    }
}

/// In problems that are divided into domains, too, the wide sweep does what the one by rows does.
#[test]
fn domains_are_swept_in_the_order_of_the_reference() {
    let problem = Pile::heap(9, 16, 10).touches(|_| FRICTION);
    let [wide, scalar, undivided] = ["", ",kernel=scalar", ",stretch=0"]
        .map(|options| solved(&format!("pgs:order=coloured,iterations=4{options}"), &problem));
    assert!(distance(&wide, &scalar) < ROUNDING);
    assert!(
        distance(&wide, &undivided) > 1e-3,
        "another order, so there was something to compare"
    );
}

/// The normals of contacts that lie ready are solved to the bit as the same problem without friction is from the beginning.
#[test]
fn what_is_left_of_a_solve_serves_for_the_normals_alone() {
    let piles = [Pile::heap(9, 16, 10), Pile::heap(3, 6, 5), Pile::heap(5, 16, 46)];
    let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    for (pile, cone) in piles
        .iter()
        .flat_map(|pile| [(pile, FRICTION), (pile, Cone::NonNegative)])
    {
        let (problem, mut alone) = (pile.touches(|_| cone), pile.touches(|_| Cone::NonNegative));
        let depth = |block: usize| 0.01 * ((block % 11) as f64 - 3.0);
        let bias: Vec<f64> = (0..problem.blocks.len()).map(|block| -depth(block)).collect();
        alone.bias.clone_from(&bias);
        let (_, expected, _) = run(
            "pgs:order=coloured,iterations=5",
            &alone,
            &vec![0.0; bias.len()],
            Measure::Nothing,
        );
        assert!(expected.iter().any(|x| x.abs() > 1e-3));

        let (first, second) = (solver("pgs:order=coloured"), solver("pgs:order=coloured,iterations=5"));
        let mut context = Context::default();
        let (mut impulses, mut change) = (vec![0.0; problem.rows()], Vec::new());
        assert!(!second.holds_normals(&problem, &context), "nothing was solved yet");
        first.solve(&problem, &mut impulses, &mut context).unwrap();
        for other in [
            "pgs",
            "pgs:order=coloured,stretch=64",
            "psor:order=coloured",
            "pgs:order=coloured,tolerance=1e-9",
            "pgs:order=coloured,forward-below=1000000",
            "lemke",
        ] {
            assert!(
                !solver(other).holds_normals(&problem, &context),
                "{other} has another way"
            );
        }
        assert!(!second.holds_normals(&alone, &context), "another problem");
        assert!(second.holds_normals(&problem, &context));
        let report = second
            .solve_normals(&problem, &bias, &mut change, &mut context)
            .unwrap();
        assert_eq!(report.iterations, 5);
        assert_eq!(bits(&change), bits(&expected));
        assert!(
            !second.holds_normals(&problem, &context),
            "impulses have been overwritten"
        );
        // And the memory is good for the next solve.
        let mut again = vec![0.0; problem.rows()];
        first.solve(&problem, &mut again, &mut context).unwrap();
        assert_eq!(bits(&again), bits(&impulses));
    }
}

/// `M⁻¹Jᵀλ`, once summed up as the sweeps went and once from the impulses at the end.
#[test]
fn the_velocities_are_those_of_the_impulses() {
    for problem in problems() {
        let start = vec![0.02; problem.rows()];
        let (impulses, change, _) = run("pgs:order=coloured,warm-start=0.8", &problem, &start, Measure::Nothing);
        let mut expected = Vec::new();
        problem.velocity_change(&impulses, &mut expected);
        assert!(distance(&change, &expected) < ROUNDING);
        assert_eq!(change[..6], [0.0; 6], "what is immovable");
    }
}

#[test]
fn it_starts_stops_and_measures_as_the_reference_does() {
    for problem in problems() {
        let start: Vec<f64> = solved("pgs:iterations=3", &problem);
        for options in [
            "tolerance=1e-3",
            "tolerance=1e-3,stop=relative",
            "tolerance=1e-3,stop=residual",
            "warm-start=0.5",
        ] {
            for measure in [Measure::Nothing, Measure::Final, Measure::EveryIteration] {
                let of = |kernel: &str| {
                    let spec = format!("pgs:order=coloured,iterations=400,{options},kernel={kernel}");
                    run(&spec, &problem, &start, measure)
                };
                let ((impulses, _, wide), (expected, _, scalar)) = (of("wide"), of("scalar"));
                assert!(distance(&impulses, &expected) < ROUNDING, "{options}");
                assert_eq!(
                    (wide.status, wide.iterations),
                    (scalar.status, scalar.iterations),
                    "{options}"
                );
                assert_eq!(
                    (wide.history.len(), wide.row_updates),
                    (scalar.history.len(), scalar.row_updates)
                );
                let both = wide.residual.zip(scalar.residual);
                assert_eq!(both.is_some(), measure != Measure::Nothing);
                assert!(both.is_none_or(|(x, y)| (x - y).abs() < ROUNDING));
            }
        }
    }
}

/// Colours are only another order: the same problem is solved.
#[test]
fn in_the_end_the_problem_is_solved() {
    let problem = Pile::heap(2, 4, 3).touches(|_| FRICTION);
    let impulses = solved("pgs:order=coloured,iterations=30000", &problem);
    let mut velocities = vec![0.0; problem.rows()];
    problem.velocities(&impulses, &mut velocities);
    let left = residual::natural(&problem, &impulses, &velocities);
    assert!(left < 1e-9, "{left:e}");
}

#[test]
fn what_is_not_a_number_is_said_of_its_block() {
    let mut problem = Pile::heap(4, 3, 2).touches(|_| FRICTION);
    problem.bias[16] = f64::NAN;
    let mut impulses = vec![0.0; problem.rows()];
    let error = solver("pgs:order=coloured").solve(&problem, &mut impulses, &mut Context::default());
    assert!(error.unwrap_err().to_string().contains("block 5"));
    problem.bias[16] = 0.0;
    impulses[9] = f64::INFINITY;
    let error = solver("pgs:order=coloured").solve(&problem, &mut impulses, &mut Context::default());
    assert!(error.unwrap_err().to_string().contains("block 3"));
}

/// Where all sweeps go through memory together it is only found on the way; impulses stay, and the next solve is what it would have been.
#[test]
fn a_passage_that_finds_no_number_changes_nothing() {
    let whole = Pile::heap(5, 16, 46).touches(|_| FRICTION);
    assert!(whole.blocks.len() > 40_000, "more than enough for a passage");
    let mut broken = whole.clone();
    let last = broken.blocks.len() - 1;
    broken.bias[3 * last + 1] = f64::NAN;
    let (solver, mut context) = (solver("pgs:order=coloured,iterations=3"), Context::default());
    let start = vec![0.01; whole.rows()];
    let mut impulses = start.clone();
    let error = solver.solve(&broken, &mut impulses, &mut context).unwrap_err();
    assert!(error.to_string().contains(&format!("block {last}")), "{error}");
    assert_eq!(impulses, start);
    solver.solve(&whole, &mut impulses, &mut context).unwrap();
    let mut fresh = start;
    solver.solve(&whole, &mut fresh, &mut Context::default()).unwrap();
    assert_eq!(impulses, fresh);
    // From nothing as well, where there is nothing that bodies begin with.
    let mut cold = vec![0.0; whole.rows()];
    solver.solve(&whole, &mut cold, &mut context).unwrap();
    let nothing = vec![0.0; whole.rows()];
    let (watched, ..) = run(
        "pgs:order=coloured,iterations=3",
        &whole,
        &nothing,
        Measure::EveryIteration,
    );
    assert_eq!(cold, watched);
}

/// Also when pairs come and go, as long as the context has seen as many.
#[test]
fn a_second_solve_allocates_nothing() {
    let heap = Pile::heap(7, 5, 4);
    let larger = heap.touches(|_| FRICTION);
    let smaller = Pile::heap(8, 4, 4).touches(|_| FRICTION);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let (solver, mut context) = (solver("pgs:order=coloured"), Context::default());
        let mut count = |problem: &Problem| {
            let mut impulses = vec![0.0; problem.rows()];
            let count = allocation_counter::measure(|| {
                solver.solve(problem, &mut impulses, &mut context).unwrap();
            });
            count.count_total
        };
        assert!(count(&larger) > 0);
        for problem in [&larger, &smaller, &larger] {
            assert_eq!(count(problem), 0);
        }
    });
}
