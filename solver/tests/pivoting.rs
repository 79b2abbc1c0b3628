//! Pivoting methods against enumeration of all complementary bases, against each other, and against published pivot counts.

mod common;
#[path = "common/enumeration.rs"]
mod enumeration;

use common::solver;
use drystone_solver::formulation::Pyramid;
use drystone_solver::{
    BlockMatrix, Cone, Context, Convergence, InverseMass, Measure, Problem, Residuals, RigidBodies, Row, Status,
};
use enumeration::{all_lcp_solutions, bounds, solve_box};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// All of the family; Dantzig's with its default box friction.
const METHODS: [&str; 4] = ["lemke", "dantzig", "murty", "block-pivoting"];

fn problem(matrix: &DMatrix<f64>, bias: &[f64], cones: &[Cone]) -> Problem {
    let matrix = BlockMatrix::from_dense(matrix, &vec![1; bias.len()]).unwrap();
    Problem::from_matrix(matrix, bias.to_vec(), cones).unwrap()
}

fn lcp(matrix: &DMatrix<f64>, bias: &[f64]) -> Problem {
    problem(matrix, bias, &vec![Cone::NonNegative; bias.len()])
}

fn solve_from(spec: &str, problem: &Problem, impulses: &mut [f64], measure: Measure) -> Convergence {
    let mut context = Context::default();
    context.measure = measure;
    solver(spec)
        .solve(problem, impulses, &mut context)
        .unwrap_or_else(|error| panic!("{spec}: {error}"))
}

fn solve(spec: &str, problem: &Problem) -> (Vec<f64>, Convergence) {
    let mut impulses = vec![0.0; problem.rows()];
    let report = solve_from(spec, problem, &mut impulses, Measure::Final);
    (impulses, report)
}

fn gram(rng: &mut Pcg64, n: usize, columns: usize) -> DMatrix<f64> {
    let b = DMatrix::from_fn(n, columns, |_, _| rng.random_range(-1.0..1.0));
    &b * b.transpose()
}

fn vector(rng: &mut Pcg64, n: usize) -> Vec<f64> {
    (0..n).map(|_| rng.random_range(-1.0..1.0)).collect()
}

/// The law of rows between bounds from its three cases, apart from the library's residual.
fn box_error(problem: &Problem, impulses: &[f64]) -> f64 {
    let mut w = vec![0.0; problem.rows()];
    problem.velocities(impulses, &mut w);
    let mut worst = 0.0_f64;
    for (row, (lower, upper)) in bounds(problem).into_iter().enumerate() {
        let x = impulses[row];
        worst = worst.max(lower - x).max(x - upper);
        if x > lower + 1e-9 {
            worst = worst.max(w[row]);
        }
        if x < upper - 1e-9 {
            worst = worst.max(-w[row]);
        }
    }
    worst
}

/// Murty's matrix: ones on the diagonal, twos on one side of it, q = −1. It is a P-matrix.
fn murty_matrix(n: usize) -> DMatrix<f64> {
    DMatrix::from_fn(n, n, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Greater => 2.0,
        std::cmp::Ordering::Equal => 1.0,
        std::cmp::Ordering::Less => 0.0,
    })
}

#[test]
fn random_definite_problems_agree_with_enumeration() {
    let mut rng = Pcg64::seed_from_u64(21);
    for case in 0..60 {
        let n = rng.random_range(1..9);
        let mut a = gram(&mut rng, n, n + 1);
        if case % 2 == 1 {
            // A skew part keeps it positive definite.
            let skew = DMatrix::from_fn(n, n, |_, _| rng.random_range(-1.0..1.0));
            a += &skew - skew.transpose();
        }
        let b = vector(&mut rng, n);
        let cones: Vec<Cone> = (0..n)
            .map(|_| match rng.random_range(0..5) {
                0 => Cone::Free,
                1 => Cone::Interval {
                    lower: -0.2,
                    upper: 0.3,
                },
                2 => Cone::Interval {
                    lower: f64::NEG_INFINITY,
                    upper: 0.1,
                },
                _ => Cone::NonNegative,
            })
            .collect();
        let problem = problem(&a, &b, &cones);
        let expected = solve_box(&problem).expect("definite problems have a solution");
        for method in METHODS {
            let (impulses, report) = solve(method, &problem);
            assert_eq!(report.status, Status::Converged, "{method}, case {case}: {report:?}");
            assert!(
                common::distance(&impulses, expected.as_slice()) < 1e-7,
                "{method}, case {case}: {impulses:?} {expected}"
            );
        }
    }
}

/// Low rank and b in its range: solutions exist, but are not unique; only the law is asked for.
#[test]
fn random_semidefinite_problems_are_solved() {
    let mut rng = Pcg64::seed_from_u64(22);
    for case in 0..60 {
        let n: usize = rng.random_range(2..40);
        let rank = rng.random_range(1..=n.div_ceil(2));
        let j = DMatrix::from_fn(n, rank, |_, _| rng.random_range(-1.0..1.0));
        let a = &j * j.transpose();
        let b = &j * DVector::from_fn(rank, |_, _| rng.random_range(-1.0..1.0));
        let problem = lcp(&a, b.as_slice());
        for method in METHODS {
            let (impulses, report) = solve(method, &problem);
            assert_eq!(
                report.status,
                Status::Converged,
                "{method}, case {case}, {n} rows of rank {rank}: {report:?}"
            );
            assert!(box_error(&problem, &impulses) < 1e-8, "{method}, case {case}");
        }
    }
}

/// The published worst cases. Murty (1978): on his triangular matrix with q = −1 the least-index method goes through all
/// 2ⁿ choices of active rows, 2ⁿ − 1 pivots, and so it does on Fathi's (1979) symmetric positive definite product of
/// it with its transpose. Lemke's method with a covering vector of ones takes 2ⁿ pivots on Murty's, the one that brings z₀ in
/// among them. Which way the triangle lies decides: for the least index the twos are above, for Lemke's below.
#[test]
fn the_worst_cases_take_exactly_as_many_pivots_as_published() {
    for n in 1..=10 {
        let below = murty_matrix(n);
        let above = below.transpose();
        let fathi = &above * above.transpose();
        // The tolerance lets one proximal step do; the matrix of Murty has a singular symmetric part.
        for (name, method, matrix, pivots) in [
            ("Murty's", "murty:tolerance=1e-6", &above, (1 << n) - 1),
            ("Fathi's", "murty:tolerance=1e-6", &fathi, (1 << n) - 1),
            ("Murty's", "lemke", &below, 1 << n),
        ] {
            let problem = lcp(matrix, &vec![-1.0; n]);
            let (impulses, report) = solve(method, &problem);
            assert_eq!(report.status, Status::Converged, "{method} on {name}, n = {n}");
            assert_eq!(report.iterations, pivots, "{method} on {name}, n = {n}");
            let expected = solve_box(&problem).unwrap();
            assert!(
                common::distance(&impulses, expected.as_slice()) < 1e-5,
                "{method} on {name}, n = {n}"
            );
        }
        // Block pivoting does not fall for it.
        let (_, report) = solve("block-pivoting", &lcp(&fathi, &vec![-1.0; n]));
        assert_eq!(report.status, Status::Converged, "n = {n}");
        assert!(report.iterations <= 2 * n + 2, "n = {n}: {} pivots", report.iterations);
    }
}

/// Copositive matrices with solutions, by enumeration: Lemke's method finds one of them.
#[test]
fn lemke_solves_strictly_copositive_problems() {
    let mut rng = Pcg64::seed_from_u64(23);
    for case in 0..100 {
        let n = rng.random_range(2..8);
        // Entries that are not negative, and a positive diagonal.
        let a = DMatrix::from_fn(n, n, |i, j| rng.random_range(0.0..1.0) + f64::from(i == j) * 0.1);
        let b = vector(&mut rng, n);
        let problem = lcp(&a, &b);
        let known = all_lcp_solutions(&a, &DVector::from_column_slice(&b));
        let (impulses, report) = solve("lemke", &problem);
        assert_eq!(report.status, Status::Converged, "case {case}: {report:?}");
        let nearest = known
            .iter()
            .map(|x| common::distance(x.as_slice(), &impulses))
            .fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-8, "case {case}: not one of {} solutions", known.len());
    }
}

/// w = −z − 1 and w = −1 with a matrix of zeros: there is no solution, and nobody says that there is.
#[test]
fn an_infeasible_problem_ends_in_a_ray() {
    for a in [
        DMatrix::zeros(2, 2),
        DMatrix::from_row_slice(2, 2, &[0.0, -1.0, -1.0, 0.0]),
    ] {
        let problem = lcp(&a, &[-1.0, -1.0]);
        for method in METHODS {
            let (impulses, report) = solve(method, &problem);
            assert_eq!(report.status, Status::Ray, "{method}");
            assert!(
                report.residual.unwrap() > 0.5 && impulses.iter().all(|x| x.is_finite()),
                "{method}"
            );
        }
    }
}

/// Ties wherever possible: q of zeros and equal numbers, repeated rows.
#[test]
fn degenerate_problems_do_not_cycle() {
    let mut rng = Pcg64::seed_from_u64(24);
    for case in 0..60 {
        let n: usize = rng.random_range(2..30);
        let rank = rng.random_range(1..=n);
        let j = DMatrix::from_fn(n, rank, |_, _| f64::from(rng.random_range(-1..=1)));
        let a = &j * j.transpose() + DMatrix::from_diagonal_element(n, n, f64::from(rng.random_range(0..2)));
        let b = &j * DVector::from_fn(rank, |_, _| f64::from(rng.random_range(-1..=1)));
        let problem = lcp(&a, b.as_slice());
        for method in METHODS {
            let (impulses, report) = solve(method, &problem);
            assert_eq!(
                report.status,
                Status::Converged,
                "{method}, case {case}, {n} rows of rank {rank}: {report:?}"
            );
            assert!(box_error(&problem, &impulses) < 1e-8, "{method}, case {case}");
        }
    }
}

/// Joints alone: one linear system.
#[test]
fn problems_of_joints_alone_are_linear_systems() {
    let mut rng = Pcg64::seed_from_u64(25);
    for n in [1, 5, 20] {
        let a = gram(&mut rng, n, n + 2);
        let b = vector(&mut rng, n);
        let expected = a.clone().lu().solve(&-DVector::from_column_slice(&b)).unwrap();
        let problem = problem(&a, &b, &vec![Cone::Free; n]);
        for method in METHODS {
            let (impulses, report) = solve(method, &problem);
            assert_eq!(report.status, Status::Converged, "{method}: {report:?}");
            assert!(common::distance(&impulses, expected.as_slice()) < 1e-7, "{method}");
        }
    }
}

#[test]
fn larger_random_problems_are_solved() {
    let mut rng = Pcg64::seed_from_u64(26);
    for n in [50, 100, 200] {
        for rank in [n / 3, n, n + 20] {
            let j = DMatrix::from_fn(n, rank, |_, _| rng.random_range(-1.0..1.0));
            let a = &j * j.transpose();
            let b = &j * DVector::from_fn(rank, |_, _| rng.random_range(-1.0..1.0));
            let motor = Cone::Interval {
                lower: -0.1,
                upper: 0.2,
            };
            let cones: Vec<Cone> = (0..n)
                .map(|k| [Cone::NonNegative, motor, Cone::NonNegative][k % 3])
                .collect();
            let problem = problem(&a, b.as_slice(), &cones);
            for method in METHODS {
                let (impulses, report) = solve(method, &problem);
                assert_eq!(report.status, Status::Converged, "{method}, {n} rows of rank {rank}");
                assert!(box_error(&problem, &impulses) < 1e-8, "{method}");
            }
        }
    }
}

/// Contacts on random bodies: the residual of each method's own formulation.
#[test]
fn contacts_on_random_bodies_are_solved() {
    for seed in 0..20 {
        let sample = common::Sample::random(seed, 5, 12, true);
        let problem = sample.problem();
        for method in METHODS
            .into_iter()
            .chain(["dantzig:friction=scaled-box", "dantzig:friction=pyramid"])
        {
            let (impulses, report) = solve(method, &problem);
            assert_eq!(report.status, Status::Converged, "{method}, seed {seed}: {report:?}");
            let formulation = match method {
                "dantzig" => Pyramid::boxes(&problem, 1.0).unwrap(),
                "dantzig:friction=scaled-box" => Pyramid::boxes(&problem, std::f64::consts::FRAC_1_SQRT_2).unwrap(),
                _ => Pyramid::new(&problem, 8).unwrap(),
            };
            let unknowns = formulation.start(&impulses);
            let residual = Residuals::of(&formulation.problem, &unknowns).natural;
            assert!(residual < 1e-8, "{method}, seed {seed}: {residual}");
        }
    }
}

/// A box of 1 kg on four contacts, 12 rows for 6 degrees of freedom, falls onto the ground with a push: what the contacts do
/// together is unique, what each of them does is not.
fn box_on_plane(mass: f64, velocity: [f64; 3], mu: f64) -> Problem {
    let mut problem = Problem::default();
    let mut assembler = problem.assemble();
    let body = assembler.add_body(InverseMass {
        mass: 1.0 / mass,
        inertia: Matrix3::from_diagonal_element(6.0 / mass),
    });
    for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
        let arm = Vector3::new(x, y, -0.5);
        let rows: Vec<Row> = [Vector3::z(), Vector3::x(), Vector3::y()]
            .iter()
            .map(|direction| Row {
                jacobian: common::point_row(direction, &[Vector3::zeros(), arm]),
                bias: direction.dot(&Vector3::from(velocity)),
                compliance: 0.0,
            })
            .collect();
        let cone = Cone::Friction { coefficient: mu };
        assembler.add_block([RigidBodies::IMMOVABLE, body], cone, &rows);
    }
    problem
}

#[test]
fn redundant_contacts_of_a_box_on_a_plane() {
    let mu = 0.5;
    for mass in [1.0, 1e-3, 1e6] {
        // Pushed along x, which is a direction of every pyramid and box: Coulomb's law in closed form.
        for (push, expected) in [(0.2, 0.2), (2.0, 0.5)] {
            let problem = box_on_plane(mass, [push, 0.0, -1.0], mu);
            for method in METHODS {
                let (impulses, report) = solve(method, &problem);
                assert_eq!(report.status, Status::Converged, "{method}: {report:?}");
                let sum = |axis: usize| (0..4).map(|k| impulses[3 * k + axis]).sum::<f64>();
                assert!((sum(0) - mass).abs() < 1e-8 * mass, "{method}: {}", sum(0));
                assert!((sum(1) + expected * mass).abs() < 1e-8 * mass, "{method}: {}", sum(1));
                assert!(sum(2).abs() < 1e-8 * mass, "{method}: {}", sum(2));
                // Slip along an axis is exact on the pyramid: the problem's own law holds. A box lets a contact that
                // sticks push more than its disc along the diagonal, so for that only the sums are Coulomb's.
                if method != "dantzig" {
                    assert!(report.residual.unwrap() < 1e-8, "{method}: {:?}", report.residual);
                }
            }
        }
    }
}

/// Where A is definite, and friction weak enough for it, the solution on the pyramid is unique: all methods give the same
/// contact forces.
#[test]
fn methods_agree_on_the_pyramid() {
    for seed in 0..10 {
        let problem = common::Sample::random(100 + seed, 6, 8, false).dominant().problem();
        let (lemke, _) = solve("lemke", &problem);
        for method in ["murty", "block-pivoting", "dantzig:friction=pyramid"] {
            let (impulses, _) = solve(method, &problem);
            assert!(common::distance(&lemke, &impulses) < 1e-7, "{method}, seed {seed}");
        }
    }
}

/// Stick, slip and separation of a ball, in closed form, for each method's own friction.
#[test]
fn a_single_contact_sticks_slips_and_parts() {
    let a = DMatrix::from_diagonal_element(3, 3, 0.25);
    let cone = Cone::Friction { coefficient: 0.5 };
    for (bias, expected) in [
        ([-1.0, 0.3, 0.0], [4.0, -1.2, 0.0]),
        ([-1.0, 3.0, 0.0], [4.0, -2.0, 0.0]),
        ([-1.0, 0.0, -3.0], [4.0, 0.0, 2.0]),
        ([1.0, 3.0, 0.0], [0.0; 3]),
        ([0.0, 0.0, 0.0], [0.0; 3]),
    ] {
        let matrix = BlockMatrix::from_dense(&a, &[3]).unwrap();
        let problem = Problem::from_matrix(matrix, bias.to_vec(), &[cone]).unwrap();
        for method in METHODS {
            let (impulses, report) = solve(method, &problem);
            assert_eq!(report.status, Status::Converged, "{method}, {bias:?}");
            assert!(
                common::distance(&impulses, &expected) < 1e-9,
                "{method}, {bias:?}: {impulses:?}"
            );
        }
    }
}

/// Blocks stacked with masses from 1 kg at the bottom to 10⁶ kg on top: contact k carries all that is above it.
#[test]
fn a_heavy_stack_is_solved() {
    let masses: Vec<f64> = (0..7).map(|k| 10.0_f64.powi(k)).collect();
    let n = masses.len();
    // Normal rows only: contact k pushes body k up and body k − 1 down.
    let a = DMatrix::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 => 1.0 / masses[i] + if i > 0 { 1.0 / masses[i - 1] } else { 0.0 },
        1 => -1.0 / masses[i.min(j)],
        _ => 0.0,
    });
    let fall = 0.01;
    let mut b = vec![0.0; n];
    b[0] = -fall;
    let problem = lcp(&a, &b);
    for method in METHODS {
        let (impulses, report) = solve(method, &problem);
        assert_eq!(report.status, Status::Converged, "{method}: {report:?}");
        for k in 0..n {
            let carried: f64 = fall * masses[k..].iter().sum::<f64>();
            assert!(
                (impulses[k] / carried - 1.0).abs() < 1e-6,
                "{method}: {} of {carried}",
                impulses[k]
            );
        }
    }
}

/// From the solution of a problem the next one like it takes a pivot or two.
#[test]
fn a_warm_start_saves_pivots() {
    let mut rng = Pcg64::seed_from_u64(27);
    let n = 60;
    let a = gram(&mut rng, n, n + 10);
    let b = vector(&mut rng, n);
    let problem = lcp(&a, &b);
    for method in ["lemke", "murty", "block-pivoting"] {
        let (mut impulses, cold) = solve(method, &problem);
        let mut next = problem.clone();
        next.bias.iter_mut().for_each(|b| *b *= 1.001);
        let warm = solve_from(method, &next, &mut impulses, Measure::Final);
        assert_eq!(warm.status, Status::Converged, "{method}");
        assert!(
            warm.iterations <= 2 && cold.iterations > 2,
            "{method}: {} after {}",
            warm.iterations,
            cold.iterations
        );
    }
}

#[test]
fn the_record_has_the_start_and_every_pivot() {
    let mut rng = Pcg64::seed_from_u64(28);
    let problem = lcp(&gram(&mut rng, 30, 35), &vector(&mut rng, 30));
    for method in METHODS {
        let mut impulses = vec![0.0; 30];
        let report = solve_from(method, &problem, &mut impulses, Measure::EveryIteration);
        assert_eq!(report.history.len(), report.iterations + 1, "{method}");
        assert_eq!(
            report.history[0],
            Residuals::of(&problem, &[0.0; 30]).natural,
            "{method}"
        );
        assert_eq!(report.history.last().copied(), report.residual, "{method}");
        // Measuring may end a solve before its last polish, but changes nothing beyond the tolerance.
        assert!(
            common::distance(&solve(method, &problem).0, &impulses) < 1e-9,
            "{method}"
        );
    }
}

#[test]
fn limits_and_the_cancel_flag_end_a_solve() {
    let problem = lcp(&murty_matrix(12), &[-1.0; 12]);
    let (_, report) = solve("lemke:iterations=5", &problem);
    assert_eq!((report.status, report.iterations), (Status::IterationLimit, 5));
    let upwards = lcp(&murty_matrix(12).transpose(), &[-1.0; 12]);
    let (_, report) = solve("murty:iterations=5", &upwards);
    assert_eq!((report.status, report.iterations), (Status::IterationLimit, 5));
    for method in METHODS {
        let mut context = Context::default();
        context.cancel = Some(std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true)));
        let mut impulses = vec![0.0; 12];
        let report = solver(method).solve(&problem, &mut impulses, &mut context).unwrap();
        assert_eq!(report.status, Status::Cancelled, "{method}");
        let (_, report) = solve(&format!("{method}:time-limit=1e-12"), &problem);
        assert_eq!(report.status, Status::TimeLimit, "{method}");
    }
}

#[test]
fn wrong_input_is_refused() {
    let problem = lcp(&DMatrix::identity(2, 2), &[-1.0, 1.0]);
    for method in METHODS {
        for mut start in [vec![0.0; 3], vec![0.0, f64::NAN]] {
            assert!(
                solver(method)
                    .solve(&problem, &mut start, &mut Context::default())
                    .is_err(),
                "{method}"
            );
        }
    }
    for spec in [
        "lemke:facets=5",
        "murty:facets=2",
        "block-pivoting:facets=7",
        "dantzig:facets=3",
    ] {
        assert!(
            drystone_solver::registry::solver(&spec.parse().unwrap()).is_err(),
            "{spec}"
        );
    }
}
