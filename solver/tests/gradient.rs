//! What the gradient methods owe their callers: the solutions of independent methods, the laws of all cones, fewer
//! iterations than Gauss–Seidel on stacks, the same iterates for every operator, and the same bits every time.

mod common;

use common::{Sample, distance, largest, solver, stack};
use drystone_solver::registry::SolverEntry;
use drystone_solver::{
    BlockMatrix, Cone, Context, Convergence, Measure, Problem, Residuals, SolveError, Status, registry,
};
use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn solvers() -> impl Iterator<Item = &'static SolverEntry> {
    registry::solvers()
        .into_iter()
        .filter(|entry| entry.takes.family == "gradient")
}

/// Every method with every choice of how it meets friction and scales.
fn variants() -> Vec<String> {
    let mut all = Vec::new();
    for entry in solvers() {
        let has = |key: &str| entry.options().iter().any(|option| option.key == key);
        for scaling in [true, false] {
            if !has("scaling") && !scaling {
                continue;
            }
            let scaled = if has("scaling") {
                format!("scaling={scaling},")
            } else {
                String::new()
            };
            if has("staggering") {
                for kind in ["de-saxce", "tresca"] {
                    all.push(format!("{}:{scaled}staggering={kind},", entry.name));
                }
            } else if has("granularity") {
                for kind in ["rows", "blocks"] {
                    all.push(format!("{}:{scaled}granularity={kind},", entry.name));
                }
            } else {
                all.push(format!("{}:{scaled}", entry.name));
            }
        }
    }
    assert!(all.len() >= 18, "{all:?}");
    all
}

fn solve(spec: &str, problem: &Problem, start: &[f64], context: &mut Context) -> (Vec<f64>, Convergence) {
    let mut impulses = start.to_vec();
    match solver(spec).solve(problem, &mut impulses, context) {
        Ok(report) => (impulses, report),
        Err(error) => panic!("{spec}: {error}"),
    }
}

fn random_start(problem: &Problem) -> Vec<f64> {
    let mut rng = Pcg64::seed_from_u64(43);
    (0..problem.rows()).map(|_| rng.random_range(-1.0..1.0)).collect()
}

/// A dominant sample with every cone: its contacts in space by Coulomb's law, relaxed, and some of its hinges made
/// contacts that resist rolling.
fn of_all_cones(seed: u64) -> Problem {
    let mut sample = Sample::random(seed, 7, 18, true).dominant();
    for (index, constraint) in sample.constraints.iter_mut().enumerate() {
        constraint.cone = match constraint.cone {
            Cone::Friction { coefficient } if index % 2 == 0 => Cone::SecondOrder { coefficient },
            Cone::Free if index % 10 == 1 => Cone::Rolling {
                friction: 0.5,
                rolling: 0.2,
            },
            cone => cone,
        };
    }
    sample.problem()
}

/// Conditions are some tens: a few hundred iterations of the slowest leave less than the tolerance.
#[test]
fn every_variant_solves_dominant_problems_of_all_cones() {
    for seed in 0..4 {
        let problem = of_all_cones(seed);
        for problem in [problem.explicit().unwrap(), problem] {
            for spec in variants() {
                let full = format!("{spec}tolerance=1e-10,iterations=2000");
                let (impulses, report) = solve(&full, &problem, &random_start(&problem), &mut Context::default());
                assert_eq!(report.status, Status::Converged, "{full}: {report:?}");
                let natural = Residuals::of(&problem, &impulses).natural;
                assert!(natural <= 1e-10 * (1.0 + 1e-3), "{full}: {natural}");
            }
        }
    }
}

/// Bounds only: the one solution, by an independent method that is exact on small problems.
#[test]
fn boxed_problems_end_at_the_solution_of_gauss_seidel() {
    let mut rng = Pcg64::seed_from_u64(18);
    for trial in 0..20 {
        let n = 3 + trial % 8;
        let g = DMatrix::<f64>::from_fn(n, n, |_, _| rng.random_range(-1.0..1.0));
        let a = &g * g.transpose() + DMatrix::identity(n, n) * 0.3;
        let b = DVector::from_fn(n, |_, _| rng.random_range(-1.0..1.0));
        let cone = if trial % 2 == 0 {
            Cone::NonNegative
        } else {
            Cone::Interval {
                lower: -0.3,
                upper: 0.4,
            }
        };
        let matrix = BlockMatrix::from_dense(&a, &vec![1; n]).unwrap();
        let problem = Problem::from_matrix(matrix, b.as_slice().to_vec(), &vec![cone; n]).unwrap();
        let zero = vec![0.0; n];
        let expected = solve("pgs:iterations=5000", &problem, &zero, &mut Context::default()).0;
        for spec in variants() {
            let full = format!("{spec}tolerance=1e-12,iterations=5000");
            let (ours, report) = solve(&full, &problem, &zero, &mut Context::default());
            assert_eq!(report.status, Status::Converged, "{full}");
            // Conditions up to some tens.
            assert!(
                distance(&ours, &expected) < 1e-10,
                "{full}: {}",
                distance(&ours, &expected)
            );
        }
    }
}

/// The relaxed law is the minimum of the energy: no point of the cones near the result is lower.
#[test]
fn relaxed_friction_is_the_minimum_of_the_energy() {
    let mut rng = Pcg64::seed_from_u64(19);
    let mut sample = Sample::random(3, 6, 12, false);
    for constraint in &mut sample.constraints {
        if let Cone::Friction { coefficient } = constraint.cone {
            constraint.cone = Cone::SecondOrder { coefficient };
        }
        // So that the minimum is one point.
        constraint.rows.iter_mut().for_each(|row| row.compliance += 0.05);
    }
    let problem = sample.problem();
    let a = sample.dense();
    let b = DVector::from_column_slice(&problem.bias);
    let energy = |x: &[f64]| {
        let x = DVector::from_column_slice(x);
        0.5 * x.dot(&(&a * &x)) + x.dot(&b)
    };
    for spec in variants() {
        let full = format!("{spec}tolerance=1e-10,iterations=20000");
        let (impulses, report) = solve(&full, &problem, &vec![0.0; problem.rows()], &mut Context::default());
        assert_eq!(report.status, Status::Converged, "{full}: {report:?}");
        let lowest = energy(&impulses);
        for _ in 0..200 {
            let mut other: Vec<f64> = impulses
                .iter()
                .map(|x| x + 0.01 * rng.random_range(-1.0..1.0))
                .collect();
            for block in &problem.blocks {
                block.cone.project(&mut other[block.rows()]);
            }
            assert!(energy(&other) >= lowest - 1e-12, "{full}");
        }
    }
}

/// Stacks are what these methods are for. The work (updates of all rows, products with A among them) to a residual of
/// 1e-5 m/s, Gauss–Seidel's over theirs; the factors asked for are about half of those measured when this was written.
#[test]
fn stacks_take_far_less_work_than_gauss_seidel() {
    let at_rest = stack(&[1.0; 10], 0.5, 0.0);
    let sliding = stack(&[1.0; 10], 0.5, 0.3);
    let heavy_top = stack(&[1.0, 1.0, 1.0, 1.0, 100.0], 0.5, 0.1);
    let run = |spec: &str, problem: &Problem| {
        let (_, report) = solve(spec, problem, &vec![0.0; problem.rows()], &mut Context::default());
        assert_eq!(report.status, Status::Converged, "{spec}");
        report.row_updates as f64 / problem.rows() as f64
    };
    for (problem, factors) in [
        (
            &at_rest,
            [
                ("nncg", 18.0),
                ("pgs-sm", 7.0),
                ("apgd", 70.0),
                ("spg", 45.0),
                ("mprgp", 120.0),
            ],
        ),
        (
            &sliding,
            [
                ("nncg", 8.0),
                ("pgs-sm", 2.5),
                ("apgd", 10.0),
                ("spg", 1.2),
                ("mprgp", 15.0),
            ],
        ),
        (
            &heavy_top,
            [
                ("nncg", 3.0),
                ("pgs-sm", 1.5),
                ("apgd", 4.5),
                ("spg", 1.2),
                ("mprgp", 11.0),
            ],
        ),
    ] {
        let sweeps = run("pgs:stop=residual,tolerance=1e-5,iterations=100000", problem);
        for (name, factor) in factors {
            let work = run(&format!("{name}:tolerance=1e-5,iterations=100000"), problem);
            assert!(sweeps > factor * work, "{name}: {work} for {sweeps}");
        }
    }
}

/// MPRGP and the spectral method without memory never raise the energy of a problem in which nothing is frozen.
#[test]
fn monotone_methods_are_monotone() {
    let mut sample = Sample::random(5, 8, 20, true);
    for constraint in &mut sample.constraints {
        if let Cone::Friction { .. } = constraint.cone {
            constraint.cone = Cone::NonNegative;
        }
    }
    let problem = sample.problem();
    let a = sample.dense();
    let b = DVector::from_column_slice(&problem.bias);
    let mut start = random_start(&problem);
    for block in &problem.blocks {
        block.cone.project(&mut start[block.rows()]);
    }
    for spec in ["mprgp:", "spg:memory=1,"] {
        let mut last = f64::INFINITY;
        for iterations in 1..60 {
            // The result is the best point seen, and more iterations find no earlier one: so their energies are in order
            // if those of all points are.
            let full = format!("{spec}iterations={iterations},tolerance=0");
            let x = DVector::from_vec(solve(&full, &problem, &start, &mut Context::default()).0);
            let energy = 0.5 * x.dot(&(&a * &x)) + x.dot(&b);
            assert!(energy <= last + 1e-12, "{full}: {energy} {last}");
            last = energy;
        }
    }
}

/// As for the splitting methods: both operators do the same operations on `(Aλ)`, which they sum up in different ways.
#[test]
fn explicit_and_matrix_free_operators_give_the_same_iterates() {
    for seed in 0..3 {
        let problem = of_all_cones(seed);
        let explicit = problem.explicit().unwrap();
        for spec in variants() {
            for iterations in [1, 2, 3, 5, 8, 13] {
                let full = format!("{spec}iterations={iterations},tolerance=0");
                let start = random_start(&problem);
                let free = solve(&full, &problem, &start, &mut Context::default()).0;
                let matrix = solve(&full, &explicit, &start, &mut Context::default()).0;
                // Step lengths are quotients of sums, so that rounding is enlarged more than by a sweep.
                assert!(distance(&free, &matrix) < 1e-9, "{full}: {}", distance(&free, &matrix));
                assert!(largest(free) > 0.1);
            }
        }
    }
}

/// The same input gives the same bits, with a fresh context and with one that has seen other problems and sizes.
#[test]
fn results_repeat_to_the_bit_and_contexts_carry_nothing_over() {
    let bits = |impulses: &[f64]| impulses.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let problems = [
        of_all_cones(50),
        stack(&[1.0; 6], 0.4, 0.2),
        of_all_cones(51).explicit().unwrap(),
    ];
    let mut shared = Context::default();
    for spec in variants() {
        let full = format!("{spec}iterations=12");
        for problem in [&problems[0], &problems[1], &problems[2], &problems[0]] {
            let fresh = solve(&full, problem, &random_start(problem), &mut Context::default());
            let again = solve(&full, problem, &random_start(problem), &mut shared);
            assert_eq!(bits(&fresh.0), bits(&again.0), "{full}");
            assert_eq!(fresh.1, again.1, "{full}");
        }
    }
}

#[test]
fn iterations_allocate_nothing_once_a_context_has_seen_the_problem() {
    let problem = of_all_cones(2);
    for problem in [problem.explicit().unwrap(), problem] {
        for spec in variants() {
            let solver = solver(&format!("{spec}tolerance=0,iterations=15"));
            let mut context = Context::default();
            context.measure = Measure::Final;
            let mut impulses = vec![0.0; problem.rows()];
            let mut count = |impulses: &mut [f64]| {
                allocation_counter::measure(|| {
                    solver.solve(&problem, impulses, &mut context).unwrap();
                })
                .count_total
            };
            assert!(count(&mut impulses) > 0);
            impulses.fill(0.0);
            assert_eq!(count(&mut impulses), 0, "{spec}");
        }
    }
}

#[test]
fn residuals_are_measured_as_often_as_asked_and_the_best_is_kept() {
    let problem = stack(&[1.0; 5], 0.5, 0.3);
    for spec in variants() {
        let full = format!("{spec}iterations=40,tolerance=0");
        let mut context = Context::default();
        context.measure = Measure::EveryIteration;
        let start = random_start(&problem);
        let (impulses, report) = solve(&full, &problem, &start, &mut context);
        assert_eq!((report.iterations, report.history.len()), (40, 41), "{full}");
        let best = report.history.iter().copied().fold(f64::INFINITY, f64::min);
        let natural = Residuals::of(&problem, &impulses).natural;
        assert_eq!(report.residual, Some(natural), "{full}");
        // The velocities of the iterations carry the rounding of some dozen updates.
        assert!((natural - best).abs() < 1e-12, "{full}: {natural} {best}");
        let (plain, _) = solve(&full, &problem, &start, &mut Context::default());
        assert_eq!(plain, impulses, "{full}: measuring must not change the result");
    }
}

#[test]
fn problems_without_rows_and_bad_ones_are_answered() {
    let sample = Sample::random(60, 5, 8, true).dominant();
    let mut bad = sample.problem();
    bad.bias[3] = f64::NAN;
    let mut zero = sample.clone();
    zero.constraints[2].rows[0].jacobian = [0.0; 12];
    zero.constraints[2].rows[0].compliance = 0.0;
    for entry in solvers() {
        let solver = (entry.make)();
        let report = solver
            .solve(&Problem::default(), &mut [], &mut Context::default())
            .unwrap();
        assert_eq!(
            (report.status, report.iterations),
            (Status::Converged, 0),
            "{}",
            entry.name
        );
        let mut start = vec![0.0; bad.rows()];
        let error = solver.solve(&bad, &mut start, &mut Context::default()).unwrap_err();
        assert!(matches!(error, SolveError::NotFinite { .. }), "{}", entry.name);
        let error = solver
            .solve(&zero.problem(), &mut start, &mut Context::default())
            .unwrap_err();
        assert_eq!(error, SolveError::Singular { block: 2, row: 0 }, "{}", entry.name);
        for option in [
            "inner-iterations=0",
            "memory=0",
            "growth=0.5",
            "proportion=0",
            "sweeps=0",
            "linear-tolerance=-1",
        ] {
            let key = option.split('=').next().unwrap();
            if entry.options().iter().any(|known| known.key == key) {
                let spec = format!("{}:{option}", entry.name);
                assert!(registry::solver(&spec.parse().unwrap()).is_err(), "{spec}");
            }
        }
    }
}
