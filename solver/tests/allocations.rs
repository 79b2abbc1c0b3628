//! A sweep touches memory, not the allocator: once a context has seen a problem, solving it again allocates nothing.

mod common;

use common::mechanisms::{Mechanism, Shape};
use common::{Sample, solver};
use drystone_solver::{Context, Measure};

#[test]
fn a_second_solve_with_the_same_context_allocates_nothing() {
    let problem = Sample::random(1, 8, 20, true).dominant().problem();
    let explicit = problem.explicit().unwrap();
    for name in ["pgs", "psor", "jacobi", "mass-splitting", "nsgs"] {
        for kind in ["granularity=rows,", "granularity=blocks,", "stop=residual,"] {
            let kind = if name == "nsgs" {
                kind.trim_start_matches("granularity=rows,")
            } else {
                kind
            };
            if name == "nsgs" && kind.starts_with("granularity") {
                continue;
            }
            for order in ["forward", "random", "slowest"] {
                for measure in [Measure::Nothing, Measure::Final] {
                    for problem in [&problem, &explicit] {
                        let spec = format!("{name}:{kind}order={order},tolerance=1e-30");
                        let solver = solver(&spec);
                        let mut context = Context::default();
                        context.measure = measure;
                        let mut impulses = vec![0.0; problem.rows()];
                        let mut count = |impulses: &mut [f64]| {
                            allocation_counter::measure(|| {
                                let report = solver.solve(problem, impulses, &mut context).unwrap();
                                assert_eq!(report.iterations, 10);
                            })
                            .count_total
                        };
                        // The first solve has to get its memory, which also shows that the counter counts.
                        assert!(count(&mut impulses) > 0, "{spec}");
                        impulses.fill(0.0);
                        assert_eq!(count(&mut impulses), 0, "{spec} {measure:?}");
                    }
                }
            }
        }
    }
}

/// A context goes from group to group of a step: after it has seen the largest, none of them makes it allocate.
#[test]
fn smaller_problems_fit_into_the_memory_of_larger_ones() {
    let problems = [20, 5, 12].map(|constraints| Sample::random(2, 8, constraints, true).dominant().problem());
    for name in ["pgs", "psor", "jacobi", "mass-splitting", "nsgs"] {
        let solver = solver(name);
        let mut context = Context::default();
        let mut impulses = vec![0.0; problems[0].rows()];
        solver.solve(&problems[0], &mut impulses, &mut context).unwrap();
        for problem in &problems {
            let impulses = &mut impulses[..problem.rows()];
            impulses.fill(0.0);
            let count = allocation_counter::measure(|| {
                solver.solve(problem, impulses, &mut context).unwrap();
            });
            assert_eq!(count.count_total, 0, "{name}, {} rows", problem.rows());
        }
    }
}

/// Mechanisms without contacts, in a simulation: the pattern of the joints is analysed once, and from then on the direct
/// solve allocates nothing, redundant joints or not, measured or not.
#[test]
fn joints_solved_directly_allocate_nothing_after_the_first_step() {
    let redundant = Mechanism::door(&[-0.8, 0.0, 0.8], 0.0);
    let chain = Mechanism::new(Shape::Chain, 40).hinges().problem();
    let ring = Mechanism::new(Shape::Ring, 12).problem();
    for problem in [redundant, chain, ring] {
        for measure in [Measure::Nothing, Measure::Final] {
            let solver = solver("hybrid");
            let mut context = Context::default();
            context.measure = measure;
            let mut impulses = vec![0.0; problem.rows()];
            let mut count = || {
                allocation_counter::measure(|| {
                    solver.solve(&problem, &mut impulses, &mut context).unwrap();
                })
                .count_total
            };
            assert!(count() > 0);
            assert_eq!(count(), 0, "{} rows, {measure:?}", problem.rows());
        }
    }
}
