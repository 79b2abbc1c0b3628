//! Interior-point methods and the primal method for the convex relaxation: solutions known in closed form or found by
//! trying all cases, problems that are hard for other methods, and what they owe their callers.

mod common;
#[path = "common/piles.rs"]
mod piles;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use common::{Sample, distance, random_vector, solver};
use drystone_solver::formulation::relaxed;
use drystone_solver::{
    BlockMatrix, Cone, Context, Convergence, InverseMass, Measure, Problem, Residuals, RigidBodies, Row, SolveError,
    Status,
};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use piles::{FALL, Pile};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

const ALL: [&str; 3] = ["interior-box", "interior-cone", "sap"];

/// The methods stop at 1e-10; what comes of that in an impulse or velocity depends on the condition, which is below a hundred
/// where this is used.
const CLOSE: f64 = 1e-8;

fn solve_from(spec: &str, problem: &Problem, start: &[f64]) -> (Vec<f64>, Convergence) {
    let mut impulses = start.to_vec();
    let mut context = Context::default();
    context.measure = Measure::EveryIteration;
    let report = solver(spec)
        .solve(problem, &mut impulses, &mut context)
        .unwrap_or_else(|error| panic!("{spec}: {error}"));
    (impulses, report)
}

/// Solved from zero, and converged.
fn solve(spec: &str, problem: &Problem) -> (Vec<f64>, Convergence) {
    let (impulses, report) = solve_from(spec, problem, &vec![0.0; problem.rows()]);
    assert_eq!(report.status, Status::Converged, "{spec}: {:?}", report.history);
    (impulses, report)
}

fn explicit(a: &DMatrix<f64>, b: &[f64], cones: &[Cone]) -> Problem {
    let matrix = BlockMatrix::from_dense(a, &vec![1; b.len()]).unwrap();
    Problem::from_matrix(matrix, b.to_vec(), cones).unwrap()
}

fn bounds(cone: Cone) -> (f64, f64) {
    match cone {
        Cone::NonNegative => (0.0, f64::INFINITY),
        Cone::Interval { lower, upper } => (lower, upper),
        _ => (f64::NEG_INFINITY, f64::INFINITY),
    }
}

/// The solution by trying, for every row, its lower bound, its upper bound and neither.
fn enumerated(a: &DMatrix<f64>, b: &[f64], cones: &[Cone]) -> Vec<f64> {
    let n = b.len();
    for case in 0..3_usize.pow(n as u32) {
        let place = |row: usize| case / 3_usize.pow(row as u32) % 3;
        let fixed = |row: usize| match (place(row), bounds(cones[row])) {
            (1, (lower, _)) => Some(lower),
            (2, (_, upper)) => Some(upper),
            _ => None,
        };
        if (0..n).any(|row| fixed(row).is_some_and(|value| !value.is_finite())) {
            continue;
        }
        let mut matrix = a.clone();
        let mut right = DVector::from_fn(n, |row, _| -b[row]);
        for row in 0..n {
            if let Some(value) = fixed(row) {
                matrix.row_mut(row).fill(0.0);
                matrix[(row, row)] = 1.0;
                right[row] = value;
            }
        }
        let Some(x) = matrix.lu().solve(&right) else { continue };
        let w = a * &x + DVector::from_column_slice(b);
        let good = (0..n).all(|row| {
            let (lower, upper) = bounds(cones[row]);
            match place(row) {
                0 => (lower - 1e-12..=upper + 1e-12).contains(&x[row]),
                1 => w[row] >= -1e-12,
                _ => w[row] <= 1e-12,
            }
        });
        if good {
            return x.as_slice().to_vec();
        }
    }
    panic!("no solution")
}

/// Bounds of every kind, with one row whose bounds are the same.
fn mixed_cones(n: usize) -> Vec<Cone> {
    let interval = |lower, upper| Cone::Interval { lower, upper };
    let kinds = [
        Cone::NonNegative,
        interval(-0.2, 0.3),
        Cone::Free,
        interval(f64::NEG_INFINITY, 0.1),
        interval(0.05, 0.05),
        interval(-0.1, f64::INFINITY),
        interval(f64::NEG_INFINITY, f64::INFINITY),
    ];
    (0..n).map(|row| kinds[row % kinds.len()]).collect()
}

#[test]
fn all_kinds_of_bounds_agree_with_enumeration_also_without_symmetry() {
    let mut rng = Pcg64::seed_from_u64(1);
    for round in 0..30 {
        let n = 7;
        let g = DMatrix::from_fn(n, n, |_, _| rng.random_range(-1.0..1.0));
        let mut a = &g * g.transpose() + DMatrix::identity(n, n) * 0.3;
        let symmetric = round % 2 == 0;
        if !symmetric {
            // A skew part leaves xᵀAx as it is.
            let k = DMatrix::<f64>::from_fn(n, n, |_, _| rng.random_range(-1.0..1.0));
            a += &k - k.transpose();
        }
        let b: Vec<f64> = (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
        let cones = mixed_cones(n);
        let expected = enumerated(&a, &b, &cones);
        for name in ALL.iter().filter(|name| symmetric || **name != "sap") {
            let (found, _) = solve(name, &explicit(&a, &b, &cones));
            assert!(
                distance(&found, &expected) < CLOSE,
                "{name}: {found:?} for {expected:?}"
            );
        }
    }
}

/// Where λ and w vanish together a path inside the cones approaches the solution only like the root of its parameter.
#[test]
fn degenerate_rows_are_solved_to_full_accuracy() {
    let a = DMatrix::from_row_slice(3, 3, &[2.0, 1.0, 0.5, 1.0, 2.0, 0.5, 0.5, 0.5, 1.0]);
    // λ = (1, 0, 0) with w = 0 everywhere.
    let b: Vec<f64> = a.column(0).iter().map(|x| -x).collect();
    for name in ALL {
        let (found, _) = solve(name, &explicit(&a, &b, &[Cone::NonNegative; 3]));
        assert!(distance(&found, &[1.0, 0.0, 0.0]) < CLOSE, "{name}: {found:?}");
        // Nothing to do at all.
        let (found, _) = solve(name, &explicit(&a, &[0.0; 3], &[Cone::NonNegative; 3]));
        assert!(distance(&found, &[0.0; 3]) < CLOSE, "{name}: {found:?}");
    }
}

/// The same joint written three times: the impulses' sum is determined, each of them is not.
#[test]
fn joints_may_be_redundant() {
    let mut problem = Problem::default();
    let mut assembler = problem.assemble();
    let body = assembler.add_body(InverseMass {
        mass: 0.5,
        inertia: Matrix3::identity(),
    });
    for _ in 0..3 {
        let rows: Vec<Row> = (0..3)
            .map(|axis| {
                let mut jacobian = [0.0; 12];
                jacobian[6 + axis] = 1.0;
                Row {
                    jacobian,
                    bias: axis as f64 - 1.0,
                    compliance: 0.0,
                }
            })
            .collect();
        assembler.add_block([RigidBodies::IMMOVABLE, body], Cone::Free, &rows);
    }
    for name in ALL {
        let (found, report) = solve(name, &problem);
        for axis in 0..3 {
            let sum: f64 = (0..3).map(|joint| found[3 * joint + axis]).sum();
            // m Δv.
            assert!((sum - 2.0 * (1.0 - axis as f64)).abs() < CLOSE, "{name}: {found:?}");
        }
        assert!(report.iterations < 15, "{name}: {}", report.iterations);
    }
}

/// A ball on the ground as in `coulomb.rs`: `A = diag(1/m, k, …)`, in space or in the plane.
fn ball(normal: f64, tangents: f64, velocity: &[f64], cone: Cone) -> Problem {
    let n = velocity.len();
    let a = DMatrix::from_fn(n, n, |i, j| match (i == j, i) {
        (false, _) => 0.0,
        (true, 0) => normal,
        (true, _) => tangents,
    });
    let matrix = BlockMatrix::from_dense(&a, &[n]).unwrap();
    Problem::from_matrix(matrix, velocity.to_vec(), &[cone]).unwrap()
}

/// Coulomb's law: the normal stops the ball, friction stops the sliding if it can, and else pushes with all it has. Relaxed,
/// what slides minimises `½ a n² + ½ k t² − v_n n − v_t t` on the mantle `t = μ n`: `n = (v_n + μ v_t)/(a + k μ²)`.
#[test]
fn one_contact_sticks_slips_and_parts_as_the_closed_forms_say() {
    let mut rng = Pcg64::seed_from_u64(2);
    let mut seen = [0; 3];
    for round in 0..120 {
        let (a, k): (f64, f64) = (rng.random_range(0.3..2.0), rng.random_range(0.5..4.0));
        let mu: f64 = rng.random_range(0.1..0.9);
        let mut velocity = random_vector(&mut rng).as_slice().to_vec();
        if round % 3 == 0 {
            velocity.truncate(2);
        }
        let slide = velocity[1..].iter().map(|v| v * v).sum::<f64>().sqrt();
        let parts = velocity[0] >= 0.0;
        let mut expected = [vec![0.0; velocity.len()], vec![0.0; velocity.len()]];
        if !parts {
            let sticks = slide / k <= -mu * velocity[0] / a;
            seen[usize::from(sticks)] += 1;
            let push = |normal: f64, tangent: f64| {
                let mut impulse: Vec<f64> = velocity.iter().map(|v| -tangent * v / slide).collect();
                impulse[0] = normal;
                impulse
            };
            let normal = -velocity[0] / a;
            let relaxed = (mu * slide - velocity[0]) / (a + k * mu * mu);
            expected = match sticks {
                true => [push(normal, slide / k), push(normal, slide / k)],
                false => [push(normal, mu * normal), push(relaxed, mu * relaxed)],
            };
        } else if velocity[0] < mu * slide {
            // The relaxation would have friction act at a distance here: not what is tested.
            continue;
        } else {
            seen[2] += 1;
        }
        let coulomb = ball(a, k, &velocity, Cone::Friction { coefficient: mu });
        let convex = relaxed(&coulomb).unwrap();
        for (name, problem, expected) in [
            ("interior-cone", &coulomb, &expected[0]),
            ("interior-cone", &convex, &expected[1]),
            ("sap", &coulomb, &expected[1]),
        ] {
            let (found, _) = solve(name, problem);
            assert!(distance(&found, expected) < CLOSE, "{name}: {found:?} for {expected:?}");
        }
    }
    assert!(seen.iter().all(|&count| count > 8), "{seen:?}");
}

/// Along one of its directions the pyramid is as strong as the cone.
#[test]
fn the_pyramid_is_exact_along_its_directions() {
    let (a, k, mu) = (0.5, 2.0, 0.4);
    for angle in [0.0_f64, 45.0, 180.0, 270.0] {
        let (s, c) = angle.to_radians().sin_cos();
        let problem = ball(a, k, &[-1.0, 3.0 * c, 3.0 * s], Cone::Friction { coefficient: mu });
        let (found, _) = solve("interior-box:facets=8", &problem);
        let expected = [2.0, -2.0 * mu * c, -2.0 * mu * s];
        assert!(distance(&found, &expected) < CLOSE, "{found:?} for {expected:?}");
    }
}

fn sum_of_normals(impulses: &[f64], contacts: std::ops::Range<usize>) -> f64 {
    contacts.map(|contact| impulses[3 * contact]).sum()
}

const FRICTION: Cone = Cone::Friction { coefficient: 0.5 };

/// Four contacts where three would do: between cubes k and k − 1 they carry all that is above, `Σ m g h`. The bound on
/// iterations is the methods' promise: they hardly feel the height of the stack.
#[test]
fn contacts_of_a_stack_carry_what_is_above_them() {
    for height in [1, 5, 20, 60] {
        let problem = Pile::stack(&vec![2.0; height]).problem(FRICTION);
        for name in ALL {
            let (found, report) = solve(name, &problem);
            assert!(report.iterations < 40, "{name}, {height} cubes: {}", report.iterations);
            for below in 0..height {
                let load = 2.0 * FALL * (height - below) as f64;
                let carried = sum_of_normals(&found, 4 * below..4 * below + 4);
                // An error in velocity of 1e-10 grows with the square of the height, by the condition of A.
                assert!((carried / load - 1.0).abs() < 1e-6, "{name}: {carried} for {load}");
            }
        }
    }
}

/// A gram under a ton: Gauss–Seidel would take millions of sweeps.
#[test]
fn a_light_cube_carries_one_a_million_times_heavier() {
    let problem = Pile::stack(&[1e-3, 1e3]).problem(FRICTION);
    for name in ALL {
        let (found, report) = solve(name, &problem);
        assert!(report.iterations < 60, "{name}: {}", report.iterations);
        // The residual is a velocity of the light cube; on the scale of the heavy one's it is a millionth of that.
        let carried = sum_of_normals(&found, 0..4);
        assert!((carried / (1000.001 * FALL) - 1.0).abs() < 1e-3, "{name}: {carried}");
        assert!(Residuals::of(&problem, &found).natural < 1e-8, "{name}");
    }
}

/// Heaps eight times as large take about as many iterations. Friction is low enough for Coulomb's law to be nearly monotone.
#[test]
fn iterations_hardly_grow_with_the_size_of_a_heap() {
    for (name, cone) in [
        ("interior-box", Cone::NonNegative),
        ("interior-cone", Cone::Friction { coefficient: 0.2 }),
        ("interior-cone", Cone::SecondOrder { coefficient: 0.5 }),
    ] {
        for side in [2, 3, 4, 5] {
            let problem = Pile::heap(5, side, side).problem(cone);
            let (found, report) = solve(name, &problem);
            assert!(report.iterations < 40, "{name}, {side}: {}", report.iterations);
            assert!(Residuals::of(&problem, &found).natural <= 1e-10);
        }
    }
}

/// Strong friction in a packed heap, where no theory helps, and the fixed point of the relaxation does not contract.
#[test]
fn packed_heaps_with_strong_friction_are_solved() {
    for seed in 0..3 {
        let problem = Pile::heap(seed, 3, 3).problem(Cone::Friction { coefficient: 0.8 });
        let (found, _) = solve("interior-cone", &problem);
        assert!(Residuals::of(&problem, &found).natural <= 1e-10);
    }
}

/// The path alone, without Newton's help at the end: all of a stack, the relaxation, and Coulomb's law in slip where friction
/// is moderate, as far as the root of rounding.
#[test]
fn the_path_arrives_by_itself() {
    let alone = "interior-cone:crossover=false";
    let (_, report) = solve(alone, &Pile::stack(&[1.0; 20]).problem(FRICTION));
    assert!(report.iterations < 40, "{}", report.iterations);
    for seed in 0..3 {
        let heap = Pile::heap(seed, 3, 3).problem(Cone::SecondOrder { coefficient: 0.5 });
        solve(&format!("{alone},tolerance=1e-8,iterations=60"), &heap);
        let heap = Pile::heap(seed, 3, 3).problem(Cone::Friction { coefficient: 0.2 });
        solve(&format!("{alone},tolerance=1e-7,iterations=60"), &heap);
        let smooth = Pile::heap(seed, 4, 4).problem(Cone::NonNegative);
        solve("interior-box:crossover=false,iterations=40", &smooth);
    }
}

/// The two forms of the operator have one solution: velocities agree.
#[test]
fn bodies_and_explicit_matrices_have_the_same_velocities() {
    for seed in 0..4 {
        let problem = Sample::random(seed, 9, 20, true).problem();
        let matrix = problem.explicit().unwrap();
        for name in ["interior-cone", "sap"] {
            let velocities = |problem: &Problem| {
                let (impulses, _) = solve(name, problem);
                let mut velocities = vec![0.0; impulses.len()];
                problem.velocities(&impulses, &mut velocities);
                velocities
            };
            assert!(
                distance(&velocities(&problem), &velocities(&matrix)) < 1e-7,
                "{name} {seed}"
            );
        }
    }
}

/// What the primal method solves without continuation: the dual with `β²/4π²` of the diagonal added for normals and σ of it
/// for tangents, here as compliance of the rows, by another method.
#[test]
fn the_primal_problem_is_the_dual_one_with_compliance() {
    let (beta, sigma): (f64, f64) = (2.0, 0.05);
    let problem = Sample::random(6, 8, 18, false).problem();
    let mut a = problem.assembled().unwrap().to_dense();
    for block in &problem.blocks {
        let rows = block.rows();
        let scale = rows.clone().map(|row| a[(row, row)]).sum::<f64>() / rows.len() as f64;
        for row in rows.clone() {
            let tangent = block.cone.is_contact() && row > rows.start;
            let share = if tangent {
                sigma
            } else {
                (beta / (2.0 * std::f64::consts::PI)).powi(2)
            };
            a[(row, row)] += share * scale;
        }
    }
    let sizes: Vec<usize> = problem.blocks.iter().map(|block| block.len as usize).collect();
    let cones: Vec<Cone> = relaxed(&problem)
        .unwrap()
        .blocks
        .iter()
        .map(|block| block.cone)
        .collect();
    let compliant = Problem::from_matrix(
        BlockMatrix::from_dense(&a, &sizes).unwrap(),
        problem.bias.clone(),
        &cones,
    )
    .unwrap();
    let (expected, _) = solve("interior-cone", &compliant);
    let (found, _) = solve(
        &format!("sap:continuation=false,near-rigid={beta},tangential={sigma}"),
        &problem,
    );
    assert!(distance(&found, &expected) < CLOSE, "{}", distance(&found, &expected));
}

#[test]
fn rolling_friction_is_refused_by_name() {
    let cone = Cone::Rolling {
        friction: 0.5,
        rolling: 0.1,
    };
    let problem = ball(1.0, 1.0, &[-1.0, 0.0, 0.0, 0.0, 0.0], cone);
    for name in ["interior-cone", "sap"] {
        let refused = solver(name).solve(&problem, &mut [0.0; 5], &mut Context::default());
        assert!(
            matches!(refused, Err(SolveError::Unsupported { .. })),
            "{name}: {refused:?}"
        );
    }
    // The pyramid has a second fan of directions for it.
    solve("interior-box", &problem);
}

#[test]
fn limits_of_iterations_and_time_and_the_cancel_flag_are_kept() {
    let problem = Pile::heap(1, 3, 3).problem(FRICTION);
    let zero = vec![0.0; problem.rows()];
    for name in ALL {
        let (_, report) = solve_from(&format!("{name}:iterations=3"), &problem, &zero);
        assert_eq!(
            (report.status, report.iterations),
            (Status::IterationLimit, 3),
            "{name}"
        );
        assert_eq!(report.history.len(), 4, "{name}");
        let (_, report) = solve_from(&format!("{name}:time-limit=1e-9"), &problem, &zero);
        assert_eq!(report.status, Status::TimeLimit, "{name}");
        let mut context = Context::default();
        context.cancel = Some(Arc::new(AtomicBool::new(true)));
        let report = solver(name).solve(&problem, &mut zero.clone(), &mut context).unwrap();
        assert_eq!((report.status, report.iterations), (Status::Cancelled, 0), "{name}");
    }
}

/// A solution needs no iteration, a start near one helps or at least does no harm, and a bad one is not made worse.
#[test]
fn a_start_is_used_if_it_helps() {
    let problem = Pile::heap(4, 3, 3).problem(Cone::Friction { coefficient: 0.2 });
    let mut rng = Pcg64::seed_from_u64(3);
    for name in ["interior-cone", "sap"] {
        let measured = relaxed(&problem).unwrap();
        let given = if name == "sap" { &measured } else { &problem };
        let (solution, cold) = solve(name, given);
        let (_, again) = solve_from(name, given, &solution);
        assert_eq!((again.status, again.iterations), (Status::Converged, 0), "{name}");
        let near: Vec<f64> = solution
            .iter()
            .map(|x| x + 1e-4 * rng.random_range(-1.0..1.0))
            .collect();
        let (_, warm) = solve_from(name, given, &near);
        assert_eq!(warm.status, Status::Converged);
        assert!(
            warm.iterations <= cold.iterations,
            "{name}: {} {}",
            warm.iterations,
            cold.iterations
        );
        let far: Vec<f64> = solution.iter().map(|_| rng.random_range(-9.0..9.0)).collect();
        let (_, bad) = solve_from(name, given, &far);
        assert_eq!(bad.status, Status::Converged);
        let (few, _) = solve_from(&format!("{name}:iterations=1"), given, &near);
        let residual = |x: &[f64]| Residuals::of(given, x).natural;
        assert!(residual(&few) <= residual(&near), "{name}");
    }
}

#[test]
fn the_same_problem_gives_the_same_bits() {
    let problem = Pile::heap(2, 3, 2).problem(Cone::Friction { coefficient: 0.8 });
    for name in ALL {
        let mut context = Context::default();
        let mut run = || {
            let mut impulses = vec![0.0; problem.rows()];
            solver(name).solve(&problem, &mut impulses, &mut context).unwrap();
            impulses.iter().map(|x| x.to_bits()).collect::<Vec<u64>>()
        };
        assert_eq!(run(), run(), "{name}");
    }
}

/// Large random problems with every kind of row, definite and singular, as the suite for all solvers has them.
#[test]
fn large_random_box_problems_are_solved() {
    for (seed, n, rank) in [(1, 60, 60), (2, 200, 200), (3, 200, 120), (4, 200, 40)] {
        let mut rng = Pcg64::seed_from_u64(seed);
        let g = DMatrix::from_fn(n, rank, |_, _| rng.random_range(-1.0..1.0));
        // From the range of A: else a singular problem need not have a solution.
        let b = &g * DVector::from_fn(rank, |_, _| rng.random_range(-1.0..1.0));
        let problem = explicit(&(&g * g.transpose()), b.as_slice(), &mixed_cones(n));
        for name in ALL {
            let (_, report) = solve(name, &problem);
            assert!(report.residual.unwrap() < 1e-8, "{name} {seed}");
            if name != "sap" {
                assert!(report.iterations < 40, "{name} {seed}: {}", report.iterations);
            }
        }
    }
}

/// A push along the ground, so that all contacts of all cubes slip or stick together.
#[test]
fn a_pushed_stack_slides_as_one() {
    let push = Vector3::new(0.3, 0.1, 0.0);
    let problem = Pile::stack(&[1.0; 3])
        .push(push)
        .problem(Cone::Friction { coefficient: 0.1 });
    let (found, _) = solve("interior-cone", &problem);
    // Friction on the ground is μ times the load, against the push.
    let mut force = [0.0; 2];
    for contact in 0..4 {
        (0..2).for_each(|k| force[k] += found[3 * contact + 1 + k]);
    }
    let size = force[0].hypot(force[1]);
    assert!((size - 0.1 * 3.0 * FALL).abs() < CLOSE, "{size}");
}
