//! ADMM and the staggered fixed point: closed forms, other solvers, and the claim that units do not matter.

mod common;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use common::{Sample, distance, largest, point_row, solved, solver};
use drystone_solver::{
    BlockMatrix, Cone, Context, Convergence, InverseMass, Measure, Problem, Residuals, RigidBodies, Row, Status,
};
use nalgebra::{DMatrix, Matrix3, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Every variant that has a code path of its own.
const ADMM: [&str; 7] = [
    "admm:tolerance=1e-13",
    "admm:tolerance=1e-13,penalty=fixed",
    "admm:tolerance=1e-13,penalty=spectral",
    "admm:tolerance=1e-13,acceleration=none",
    "admm:tolerance=1e-13,acceleration=nesterov",
    "admm:tolerance=1e-13,relaxation=1",
    "admm:tolerance=1e-13,linear=krylov",
];
const STAGGERED: [&str; 4] = [
    "staggered:tolerance=1e-13",
    "staggered:tolerance=1e-13,scheme=alternating",
    "staggered:tolerance=1e-13,inner=spectral-gradient",
    "staggered:tolerance=1e-13,aitken=true,relaxation=0.7",
];

fn run(spec: &str, problem: &Problem) -> (Vec<f64>, Convergence) {
    let mut impulses = vec![0.0; problem.rows()];
    let mut context = Context::default();
    context.measure = Measure::Final;
    let report = solver(spec).solve(problem, &mut impulses, &mut context).unwrap();
    (impulses, report)
}

fn velocities(problem: &Problem, impulses: &[f64]) -> Vec<f64> {
    let mut velocities = vec![0.0; problem.rows()];
    problem.velocities(impulses, &mut velocities);
    velocities
}

/// A ball of mass m and radius r on the ground, the velocity of its lowest point given: `A = diag(1/m, k, k)`,
/// `k = 1/m + r²/I = 7/(2m)`.
fn ball(mass: f64, velocity: Vector3<f64>, cone: Cone) -> Problem {
    let radius = 0.5;
    let mut problem = Problem::default();
    let mut assembler = problem.assemble();
    let body = assembler.add_body(InverseMass {
        mass: 1.0 / mass,
        inertia: Matrix3::identity() / (0.4 * mass * radius * radius),
    });
    let arms = [Vector3::zeros(), Vector3::new(0.0, 0.0, -radius)];
    let rows = [Vector3::z(), Vector3::x(), Vector3::y()].map(|d| Row {
        jacobian: point_row(&d, &arms),
        bias: d.dot(&velocity),
        compliance: 0.0,
    });
    assembler.add_block([RigidBodies::IMMOVABLE, body], cone, &rows);
    problem
}

#[test]
fn a_ball_sticks_slips_or_parts_as_in_the_closed_form() {
    let mut rng = Pcg64::seed_from_u64(5);
    let mut seen = [0; 3];
    for _ in 0..40 {
        let mass: f64 = rng.random_range(0.5..3.0);
        let mu: f64 = rng.random_range(0.05..0.8);
        let velocity = Vector3::new(
            rng.random_range(-1.0..1.0),
            rng.random_range(-1.0..1.0),
            rng.random_range(-1.0..0.3),
        );
        let sliding = velocity.xy();
        let stiffness = 3.5 / mass;
        let normal = (-mass * velocity.z).max(0.0);
        let tangential = if normal == 0.0 {
            seen[0] += 1;
            0.0 * sliding
        } else if sliding.norm() / stiffness <= mu * normal {
            seen[1] += 1;
            -sliding / stiffness
        } else {
            seen[2] += 1;
            -mu * normal * sliding.normalize()
        };
        let expected = [normal, tangential.x, tangential.y];
        let problem = ball(mass, velocity, Cone::Friction { coefficient: mu });
        for spec in ADMM.iter().chain(&STAGGERED) {
            let found = solved(spec, &problem);
            // The residual's tolerance times the mass, with a margin.
            assert!(
                distance(&found, &expected) < 1e-11,
                "{spec}: {found:?} for {expected:?}"
            );
        }
    }
    assert!(seen.iter().all(|&count| count > 3), "{seen:?}");
}

/// In the convex relaxation what slips also parts, `w_n = μ‖w_t‖`: with the ball's A that gives
/// `λ_n (1/m + μ² k) = v_n + μ v_t` for a ball that comes down at v_n and slides at v_t.
#[test]
fn the_relaxed_cone_lifts_what_slides_and_the_exact_one_does_not() {
    let (mass, mu, down, slide) = (2.0, 0.3, 1.0, 3.0);
    let velocity = Vector3::new(0.6 * slide, 0.8 * slide, -down);
    let k = 3.5 / mass;
    let lifted = (down + mu * slide) / (1.0 / mass + mu * mu * k);
    for spec in ADMM {
        let relaxed = solved(spec, &ball(mass, velocity, Cone::SecondOrder { coefficient: mu }));
        let expected = [lifted, -0.6 * mu * lifted, -0.8 * mu * lifted];
        assert!(distance(&relaxed, &expected) < 1e-11, "{spec}: {relaxed:?}");
        let exact = solved(spec, &ball(mass, velocity, Cone::Friction { coefficient: mu }));
        assert!((exact[0] - mass * down).abs() < 1e-11, "{spec}: {exact:?}");
    }
}

/// Boxes of side 1 on top of each other, four contacts each, that have fallen for a step and drift sideways: 12 rows for
/// 6 freedoms a box, so that the impulses are not unique.
fn stack(masses: &[f64], fall: f64, drift: f64, cone: Cone) -> Problem {
    let mut problem = Problem::default();
    let mut assembler = problem.assemble();
    for (index, &mass) in masses.iter().enumerate() {
        let body = assembler.add_body(InverseMass {
            mass: 1.0 / mass,
            inertia: Matrix3::identity() * (6.0 / mass),
        });
        let below = if index == 0 { RigidBodies::IMMOVABLE } else { body - 1 };
        for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)] {
            let arms = [Vector3::new(x, y, 0.5), Vector3::new(x, y, -0.5)];
            let speed = if index == 0 {
                Vector3::new(drift, 0.0, -fall)
            } else {
                Vector3::zeros()
            };
            let rows = [Vector3::z(), Vector3::x(), Vector3::y()].map(|d| Row {
                jacobian: point_row(&d, &arms),
                bias: d.dot(&speed),
                compliance: 0.0,
            });
            assembler.add_block([below, body], cone, &rows);
        }
    }
    problem
}

fn friction(coefficient: f64) -> Cone {
    Cone::Friction { coefficient }
}

/// The ground carries the momentum of all that stands on it, each box that of those above, whatever the four contacts
/// of a box share.
#[test]
fn a_stack_is_carried_layer_by_layer() {
    let masses = [1.0, 2.0, 0.5, 3.0, 1.0, 1.5];
    let problem = stack(&masses, 0.1, 0.0, friction(0.5));
    for spec in ADMM
        .iter()
        .filter(|spec| !spec.contains("none") && !spec.contains("nesterov"))
    {
        let (impulses, report) = run(spec, &problem);
        // The fall is stopped to one part in a billion.
        assert!(report.residual.unwrap() < 1e-10, "{spec}: {report:?}");
        for layer in 0..masses.len() {
            let carried: f64 = (0..4).map(|contact| impulses[12 * layer + 3 * contact]).sum();
            let expected = 0.1 * masses[layer..].iter().sum::<f64>();
            assert!(
                (carried - expected).abs() < 1e-8,
                "{spec}, layer {layer}: {carried} for {expected}"
            );
        }
    }
}

/// Kilograms, grams or tons: the same iterations, the same velocities.
#[test]
fn the_unit_of_mass_does_not_matter() {
    let masses = [1.0, 2.0, 0.5, 3.0, 1.0];
    for spec in [
        "admm",
        "admm:penalty=fixed",
        "admm:penalty=spectral",
        "admm:acceleration=none,tolerance=1e-7",
    ] {
        let mut outcomes = [1e4, 1.0, 1e-4].map(|unit| {
            // W scales with one over the masses.
            let problem = stack(&masses.map(|mass| unit * mass), 0.1, 0.4, friction(0.3));
            let (impulses, report) = run(spec, &problem);
            assert_eq!(report.status, Status::Converged, "{spec}, {unit}");
            (report.iterations, velocities(&problem, &impulses))
        });
        outcomes.sort_by_key(|outcome| outcome.0);
        let [(least, slow), .., (most, fast)] = outcomes;
        // Equal in exact arithmetic; an iteration or two is rounding at the stopping test.
        assert!(most <= least + 3, "{spec}: {least} to {most} iterations");
        assert!(distance(&slow, &fast) < 1e-6, "{spec}");
    }
}

/// Every kind of block, none of it easy: more constraints than Gauss–Seidel likes, little compliance.
#[test]
fn tangles_of_every_kind_of_block_are_solved() {
    for seed in 0..12 {
        let problem = Sample::random(seed, 12, 14, seed % 2 == 0).problem();
        let explicit = problem.explicit().unwrap();
        for spec in ["admm:iterations=3000", "admm:iterations=3000,penalty=spectral"] {
            for problem in [&problem, &explicit] {
                let (impulses, report) = run(spec, problem);
                let found = Residuals::of(problem, &impulses);
                assert!(found.natural < 1e-9, "{spec}, seed {seed}: {found:?} {report:?}");
                assert!(found.cone_violation < 1e-12, "{spec}, seed {seed}: {found:?}");
            }
        }
    }
}

/// Diagonally dominant, so that the solution is unique and long Gauss–Seidel finds it to rounding.
#[test]
fn they_agree_with_long_gauss_seidel() {
    for seed in 20..28 {
        let problem = Sample::random(seed, 8, 24, seed % 2 == 0).dominant().problem();
        let reference = solved("pgs:iterations=20000", &problem);
        assert!(Residuals::of(&problem, &reference).natural < 1e-12);
        for spec in ADMM.iter().chain(&STAGGERED) {
            let found = solved(spec, &problem);
            let difference = distance(&velocities(&problem, &found), &velocities(&problem, &reference));
            assert!(difference < 1e-9, "{spec}, seed {seed}: {difference}");
        }
    }
}

/// Contacts in the plane and contacts that resist rolling, on random positive definite matrices.
#[test]
fn planar_and_rolling_contacts_are_solved() {
    let mut rng = Pcg64::seed_from_u64(31);
    for round in 0..10 {
        let planar = round % 2 == 0;
        let (size, count) = if planar { (2, 12) } else { (5, 6) };
        let n = size * count;
        let g = DMatrix::<f64>::from_fn(n, n, |_, _| rng.random_range(-1.0..1.0));
        let a = &g * g.transpose() / n as f64 + DMatrix::identity(n, n) * 0.2;
        let bias = (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
        let cone = if planar {
            friction(0.4)
        } else {
            Cone::Rolling {
                friction: 0.4,
                rolling: 0.1,
            }
        };
        let matrix = BlockMatrix::from_dense(&a, &vec![size; count]).unwrap();
        let problem = Problem::from_matrix(matrix, bias, &vec![cone; count]).unwrap();
        for spec in ["admm:tolerance=1e-11", "staggered:tolerance=1e-11"] {
            let (impulses, report) = run(spec, &problem);
            let found = Residuals::of(&problem, &impulses);
            assert!(found.natural < 1e-10, "{spec}, round {round}: {found:?} {report:?}");
            assert!(found.friction_violation < 1e-9, "{spec}, round {round}: {found:?}");
        }
    }
}

/// A thousand kilograms on a stack of ones: Gauss–Seidel's error shrinks by 1000/1001 a sweep, ADMM's matrix knows.
#[test]
fn a_heavy_box_on_light_ones_is_carried() {
    let problem = stack(&[1.0, 1.0, 1.0, 1000.0], 0.1, 0.0, friction(0.5));
    let (impulses, report) = run("admm", &problem);
    assert_eq!(report.status, Status::Converged);
    let on_ground: f64 = (0..4).map(|contact| impulses[3 * contact]).sum();
    assert!((on_ground - 100.3).abs() < 1e-6, "{on_ground}");
    let sweeps = solved("pgs:iterations=1000", &problem);
    assert!(Residuals::of(&problem, &sweeps).natural > 1e-3);
}

/// The shift is what makes friction Coulomb's: a stack that slides does not lift.
#[test]
fn a_sliding_stack_stays_down() {
    let masses = [1.0; 4];
    let exact = stack(&masses, 0.05, 2.0, friction(0.2));
    let lift = |problem: &Problem, spec: &str| {
        let impulses = solved(spec, problem);
        let velocities = velocities(problem, &impulses);
        (0..4).map(|contact| velocities[3 * contact]).sum::<f64>() / 4.0
    };
    assert!(lift(&exact, "admm").abs() < 1e-8);
    assert!(lift(&exact, "staggered:inner-iterations=1000").abs() < 1e-8);
    let relaxed = stack(&masses, 0.05, 2.0, Cone::SecondOrder { coefficient: 0.2 });
    assert!(lift(&relaxed, "admm") > 0.1);
}

/// A first penalty a thousand times too large: held fixed it is hopeless, balanced it is left behind. A change keeps
/// impulses and dual velocities, so that the residual goes on from where it was.
#[test]
fn a_bad_first_penalty_is_corrected_without_a_jump() {
    let problem = stack(&[1.0, 2.0, 0.5, 3.0, 1.0], 0.1, 0.4, friction(0.3));
    let history = |further: &str| {
        let spec = format!("admm:rho=30,adapt-after=20,acceleration=none,iterations=1000,{further}");
        let mut context = Context::default();
        context.measure = Measure::EveryIteration;
        let mut impulses = vec![0.0; problem.rows()];
        let report = solver(&spec).solve(&problem, &mut impulses, &mut context).unwrap();
        report.history
    };
    let last = |history: &[f64]| history.last().copied().unwrap_or(f64::NAN);
    let fixed = history("penalty=fixed");
    let adapted = history("penalty=residual-balancing");
    assert!(
        last(&adapted) < 0.1 * last(&fixed),
        "{} {}",
        last(&adapted),
        last(&fixed)
    );
    let jump = adapted.windows(2).map(|pair| pair[1] / pair[0]).fold(0.0, f64::max);
    assert!(jump < 3.0, "{jump}");
}

#[test]
fn a_warm_start_saves_iterations_and_a_solution_needs_none() {
    let problem = stack(&[1.0, 2.0, 0.5, 3.0, 1.0], 0.1, 0.4, friction(0.3));
    for spec in ["admm:tolerance=1e-9", "staggered:tolerance=1e-9,iterations=5000"] {
        let (solution, cold) = run(spec, &problem);
        assert_eq!(cold.status, Status::Converged, "{spec}");
        let from = |start: &[f64]| {
            let mut impulses = start.to_vec();
            let report = solver(spec)
                .solve(&problem, &mut impulses, &mut Context::default())
                .unwrap();
            (report.iterations, impulses)
        };
        let (none, same) = from(&solution);
        assert_eq!((none, same), (0, solution.clone()), "{spec}");
        let near: Vec<f64> = solution.iter().map(|x| 1.0001 * x).collect();
        assert!(
            from(&near).0 < cold.iterations,
            "{spec}: {} {}",
            from(&near).0,
            cold.iterations
        );
    }
}

#[test]
fn the_same_input_gives_the_same_bits_whatever_was_solved_before() {
    let problem = stack(&[1.0, 2.0, 0.5], 0.1, 0.4, friction(0.3));
    let other = Sample::random(3, 5, 8, true).problem();
    for spec in [
        "admm:iterations=60",
        "admm:iterations=60,acceleration=nesterov",
        "staggered:iterations=9",
    ] {
        let fresh = solved(spec, &problem);
        let mut context = Context::default();
        solver(spec)
            .solve(&other, &mut vec![0.0; other.rows()], &mut context)
            .unwrap();
        let mut again = vec![0.0; problem.rows()];
        solver(spec).solve(&problem, &mut again, &mut context).unwrap();
        assert_eq!(fresh, again, "{spec}");
    }
}

#[test]
fn limits_and_the_cancel_flag_are_kept() {
    let problem = stack(&[1.0; 30], 0.1, 0.4, friction(0.3));
    for name in ["admm", "staggered"] {
        let (_, report) = run(&format!("{name}:iterations=4,tolerance=0"), &problem);
        assert_eq!(
            (report.status, report.iterations),
            (Status::IterationLimit, 4),
            "{name}"
        );
        let (_, report) = run(
            &format!("{name}:iterations=100000,tolerance=0,time-limit=0.02"),
            &problem,
        );
        assert_eq!(report.status, Status::TimeLimit, "{name}");
        let mut context = Context::default();
        context.cancel = Some(Arc::new(AtomicBool::new(true)));
        let mut impulses = vec![0.0; problem.rows()];
        let report = solver(name).solve(&problem, &mut impulses, &mut context).unwrap();
        assert_eq!((report.status, report.iterations), (Status::Cancelled, 0), "{name}");
        assert_eq!(largest(impulses), 0.0);
    }
}

#[test]
fn options_out_of_range_are_refused() {
    for spec in [
        "admm:relaxation=2",
        "admm:rho=0",
        "admm:proximal=0",
        "admm:memory=0",
        "admm:adapt-after=0",
        "admm:refactor=0.5",
        "staggered:inexactness=1",
        "staggered:relaxation=0",
        "staggered:inner-iterations=0",
    ] {
        assert!(
            drystone_solver::registry::solver(&spec.parse().unwrap()).is_err(),
            "{spec}"
        );
    }
}
