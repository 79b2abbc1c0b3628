//! Every conversion is checked on the other side: the converted problem is solved, its solution taken back, and the
//! law of the original tested by code that knows nothing of the conversion. Tiny problems are solved by trying all
//! complementary bases.

mod common;
#[path = "common/enumeration.rs"]
mod enumeration;

use drystone_solver::formulation::{BoxLcp, Lcp, Pyramid, Schur, relaxed};
use drystone_solver::{BlockMatrix, Cone, Problem, Residuals};
use enumeration::{bounds, solve_box, solve_lcp};
use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Rounding of small dense solves.
const ROUNDING: f64 = 1e-9;

/// `B Bᵀ` with so many columns; positive definite if there are at least as many as rows.
fn gram(rng: &mut Pcg64, n: usize, columns: usize) -> DMatrix<f64> {
    let b = DMatrix::from_fn(n, columns, |_, _| rng.random_range(-1.0..1.0));
    &b * b.transpose()
}

fn vector(rng: &mut Pcg64, n: usize) -> Vec<f64> {
    (0..n).map(|_| rng.random_range(-1.0..1.0)).collect()
}

fn problem(matrix: &DMatrix<f64>, bias: &[f64], blocks: &[(usize, Cone)]) -> Problem {
    let sizes: Vec<usize> = blocks.iter().map(|block| block.0).collect();
    let cones: Vec<Cone> = blocks.iter().map(|block| block.1).collect();
    let matrix = BlockMatrix::from_dense(matrix, &sizes).unwrap();
    Problem::from_matrix(matrix, bias.to_vec(), &cones).unwrap()
}

fn velocities(problem: &Problem, impulses: &[f64]) -> Vec<f64> {
    let mut w = vec![0.0; problem.rows()];
    problem.velocities(impulses, &mut w);
    w
}

fn length(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// By how much rows between bounds miss their law, from its three cases.
fn box_error(problem: &Problem, impulses: &[f64]) -> f64 {
    let w = velocities(problem, impulses);
    let mut worst = 0.0_f64;
    for (row, (lower, upper)) in bounds(problem).into_iter().enumerate() {
        let (x, w) = (impulses[row], w[row]);
        worst = worst.max(lower - x).max(x - upper);
        if x > lower + ROUNDING {
            worst = worst.max(w);
        }
        if x < upper - ROUNDING {
            worst = worst.max(-w);
        }
    }
    worst
}

/// By how much a contact misses Coulomb's law on the polygon with corners `μ λ_n d_j`: a normal impulse only where there is
/// no gap opening, friction inside the polygon, and doing the most work against the slip that the polygon allows.
fn pyramid_error(mu: f64, facets: usize, impulse: &[f64], velocity: &[f64]) -> f64 {
    let (n, w_n) = (impulse[0], velocity[0]);
    let normal = (-n).max(-w_n).max((n * w_n).abs());
    let corner = |j: usize| {
        let angle = std::f64::consts::TAU * j as f64 / facets as f64;
        match impulse.len() {
            2 => vec![if j == 0 { 1.0 } else { -1.0 }],
            _ => vec![angle.cos(), angle.sin()],
        }
    };
    let facets = if impulse.len() == 2 { 2 } else { facets };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (t, w_t) = (&impulse[1..], &velocity[1..]);
    // Inside: no further out along the normal of a side than the side is.
    let inside = (0..facets).fold(0.0_f64, |worst, j| {
        let (a, b) = (corner(j), corner((j + 1) % facets));
        let outward: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
        if t.len() == 1 {
            return worst.max(t[0].abs() - mu * n);
        }
        worst.max(dot(t, &outward) / dot(&a, &outward) - mu * n)
    });
    let least_power = (0..facets).map(|j| mu * n * dot(&corner(j), w_t)).fold(0.0, f64::min);
    normal.max(inside).max((dot(t, w_t) - least_power).abs())
}

#[test]
fn a_pyramids_solution_obeys_the_polygonal_law() {
    let mut rng = Pcg64::seed_from_u64(11);
    let (mut sticks, mut slips, mut parts) = (0, 0, 0);
    for case in 0..60 {
        let mu = rng.random_range(0.1..1.2);
        let planar = case % 3 == 0;
        let contacts = if planar { 2 } else { 1 };
        let rows = if planar { 2 } else { 3 };
        let facets = [4, 6, 8][case % 3];
        // One more row, which is not a contact, goes along unchanged.
        let n = contacts * rows + 1;
        let a = gram(&mut rng, n, n + 1);
        let b = vector(&mut rng, n);
        let mut blocks = vec![(rows, Cone::Friction { coefficient: mu }); contacts];
        blocks.push((1, Cone::NonNegative));
        let original = problem(&a, &b, &blocks);
        let pyramid = Pyramid::new(&original, facets).unwrap();
        let dense = pyramid.problem.assembled().unwrap().to_dense();
        let z = solve_lcp(&dense, &DVector::from_column_slice(&pyramid.problem.bias)).expect("it has a solution");
        let mut impulses = vec![0.0; n];
        pyramid.impulses(z.as_slice(), &mut impulses);
        let w = velocities(&original, &impulses);
        for k in 0..contacts {
            let rows = rows * k..rows * (k + 1);
            let error = pyramid_error(mu, facets, &impulses[rows.clone()], &w[rows.clone()]);
            assert!(error < ROUNDING, "case {case}: {error}");
            let slip = length(&w[rows.start + 1..rows.end]);
            match (impulses[rows.start] > 1e-6, slip > 1e-6) {
                (false, _) => parts += 1,
                (true, true) => slips += 1,
                (true, false) => sticks += 1,
            }
        }
        let last = n - 1;
        assert!(impulses[last] >= 0.0 && w[last] > -ROUNDING && (impulses[last] * w[last]).abs() < ROUNDING);
    }
    assert!(
        sticks > 5 && slips > 5 && parts > 5,
        "{sticks} stick, {slips} slip, {parts} part"
    );
}

#[test]
fn impulses_survive_the_way_to_the_pyramid_and_back() {
    let mut rng = Pcg64::seed_from_u64(12);
    let cones = [
        (3, Cone::Friction { coefficient: 0.7 }),
        (2, Cone::Friction { coefficient: 0.4 }),
        (
            5,
            Cone::Rolling {
                friction: 0.5,
                rolling: 0.1,
            },
        ),
        (3, Cone::SecondOrder { coefficient: 0.6 }),
        (2, Cone::SecondOrder { coefficient: 0.6 }),
        (2, Cone::Free),
    ];
    let n = 17;
    let original = problem(&gram(&mut rng, n, n), &vector(&mut rng, n), &cones);
    for facets in [4, 6, 8, 12] {
        let pyramid = Pyramid::new(&original, facets).unwrap();
        for _ in 0..50 {
            let mut impulses = vector(&mut rng, n);
            for block in &original.blocks {
                // Inside the polygon, which lies inside the cone.
                block.cone.project(&mut impulses[block.rows()]);
                if block.cone.is_contact() {
                    impulses[block.rows()][1..].iter_mut().for_each(|t| *t *= 0.7);
                }
            }
            let unknowns = pyramid.start(&impulses);
            for (row, (lower, _)) in bounds(&pyramid.problem).into_iter().enumerate() {
                assert!(
                    unknowns[row] >= lower,
                    "facets {facets}: unknown {row} is {}",
                    unknowns[row]
                );
            }
            let mut back = vec![0.0; n];
            pyramid.impulses(&unknowns, &mut back);
            assert!(common::distance(&impulses, &back) < 1e-14, "{impulses:?} {back:?}");
        }
    }
    for facets in [0, 2, 3, 5, 7] {
        assert!(Pyramid::new(&original, facets).is_err());
    }
}

/// Friction is on the polygon's rim, and slip is not opposite to it, but off by no more than half the angle between two
/// directions.
#[test]
fn the_pyramid_tends_to_the_cone() {
    let (mu, normal) = (0.3, 2.0);
    let a = DMatrix::from_diagonal_element(3, 3, 0.5);
    for facets in [4, 6, 8, 12] {
        for step in 0..12 {
            let angle = 0.05 + std::f64::consts::TAU * step as f64 / 12.0;
            let bias = [-1.0, angle.cos(), angle.sin()];
            let original = problem(&a, &bias, &[(3, Cone::Friction { coefficient: mu })]);
            let pyramid = Pyramid::new(&original, facets).unwrap();
            let dense = pyramid.problem.assembled().unwrap().to_dense();
            let z = solve_lcp(&dense, &DVector::from_column_slice(&pyramid.problem.bias)).unwrap();
            let mut impulses = vec![0.0; 3];
            pyramid.impulses(z.as_slice(), &mut impulses);
            // w_n = 0: 0.5 λ_n = 1.
            assert!((impulses[0] - normal).abs() < ROUNDING);
            let friction = length(&impulses[1..]);
            let half = std::f64::consts::PI / facets as f64;
            let (least, most) = (mu * normal * half.cos(), mu * normal);
            assert!(
                friction > least - ROUNDING && friction < most + ROUNDING,
                "{facets} facets: {friction}"
            );
            let w = velocities(&original, &impulses);
            let cosine = -(impulses[1] * w[1] + impulses[2] * w[2]) / (friction * length(&w[1..]));
            let turn = cosine.clamp(-1.0, 1.0).acos();
            assert!(turn < half + 1e-6, "{facets} facets, slip at {angle}: turned by {turn}");
        }
    }
}

/// A rolling contact pressed down, pushed and turned: closed form, row by row, as the matrix is diagonal.
#[test]
fn rolling_has_a_second_fan_with_a_limit_of_its_own() {
    let a = DMatrix::from_diagonal_element(5, 5, 0.5);
    let cone = Cone::Rolling {
        friction: 0.5,
        rolling: 0.1,
    };
    // λ_n = 2: friction up to 1 stops a slip of up to 0.5; rolling resistance up to 0.2 stops 0.1.
    for (slip, roll, expected) in [
        (0.4, 0.05, [2.0, -0.8, 0.0, -0.1, 0.0]),
        (2.0, 0.05, [2.0, -1.0, 0.0, -0.1, 0.0]),
        (0.4, 1.0, [2.0, -0.8, 0.0, -0.2, 0.0]),
        (2.0, 1.0, [2.0, -1.0, 0.0, -0.2, 0.0]),
    ] {
        let original = problem(&a, &[-1.0, slip, 0.0, roll, 0.0], &[(5, cone)]);
        let pyramid = Pyramid::new(&original, 4).unwrap();
        let dense = pyramid.problem.assembled().unwrap().to_dense();
        let z = solve_lcp(&dense, &DVector::from_column_slice(&pyramid.problem.bias)).unwrap();
        let mut impulses = vec![0.0; 5];
        pyramid.impulses(z.as_slice(), &mut impulses);
        assert!(common::distance(&impulses, &expected) < ROUNDING, "{impulses:?}");
        // Slip along the axes is exact on the pyramid: Coulomb's law itself holds.
        assert!(Residuals::of(&original, &impulses).natural < ROUNDING);
    }
}

/// The rays of the relaxation make a symmetric problem, whose solution minimises ½λᵀAλ + bᵀλ over the polygonal cone:
/// no other point of that cone is better.
#[test]
fn the_relaxations_rays_minimise_over_the_polygonal_cone() {
    let mut rng = Pcg64::seed_from_u64(13);
    for _ in 0..20 {
        let mu: f64 = rng.random_range(0.2..1.0);
        let a = gram(&mut rng, 3, 4);
        let b = vector(&mut rng, 3);
        let original = problem(&a, &b, &[(3, Cone::SecondOrder { coefficient: mu })]);
        let pyramid = Pyramid::new(&original, 6).unwrap();
        let dense = pyramid.problem.assembled().unwrap().to_dense();
        assert!((&dense - dense.transpose()).amax() < 1e-14);
        let z = solve_lcp(&dense, &DVector::from_column_slice(&pyramid.problem.bias)).unwrap();
        let mut impulses = vec![0.0; 3];
        pyramid.impulses(z.as_slice(), &mut impulses);
        let energy = |x: &[f64]| {
            let x = DVector::from_column_slice(x);
            0.5 * x.dot(&(&a * &x)) + x.dot(&DVector::from_column_slice(&b))
        };
        let least = energy(&impulses);
        for _ in 0..200 {
            // A random point of the cone spanned by (1, μ d_j), made without the code under test.
            let mut point = [0.0; 3];
            for j in 0..6 {
                let weight: f64 = rng.random_range(0.0_f64..1.5).powi(4);
                let angle = std::f64::consts::TAU * j as f64 / 6.0;
                point[0] += weight;
                point[1] += weight * mu * angle.cos();
                point[2] += weight * mu * angle.sin();
            }
            assert!(energy(&point) >= least - ROUNDING);
        }
    }
}

#[test]
fn box_friction_at_its_own_limits_is_a_plain_box_problem() {
    let mut rng = Pcg64::seed_from_u64(14);
    let mut slips = 0;
    for _ in 0..40 {
        let mu = rng.random_range(0.1..0.8);
        let share = [1.0, std::f64::consts::FRAC_1_SQRT_2][rng.random_range(0..2)];
        let motor = Cone::Interval {
            lower: -0.2,
            upper: 0.3,
        };
        let a = gram(&mut rng, 5, 7);
        let b = vector(&mut rng, 5);
        let original = problem(
            &a,
            &b,
            &[(3, Cone::Friction { coefficient: mu }), (1, motor), (1, Cone::Free)],
        );
        let boxes = BoxLcp::new(&original, share).unwrap();
        // The same law with fans in the place of limits has a solution by enumeration…
        let fans = Pyramid::boxes(&original, share).unwrap();
        let Some(z) = solve_box(&fans.problem) else {
            panic!("no solution")
        };
        let mut impulses = vec![0.0; 5];
        fans.impulses(z.as_slice(), &mut impulses);
        // …and with the limits held at that solution's it solves the plain box problem, for every row.
        let plain = boxes.at(&impulses).unwrap();
        assert!(box_error(&plain, &impulses) < ROUNDING);
        let limit = share * mu * impulses[0];
        assert_eq!(boxes.bounds(1, &impulses), (-limit, limit));
        assert_eq!(boxes.bounds(3, &impulses), (-0.2, 0.3));
        slips += usize::from(limit > 1e-6 && (impulses[1].abs() - limit).abs() < ROUNDING);
    }
    assert!(slips > 5, "only {slips} slip");
}

/// Rows of every kind, mixed: the standard form's solutions are those of the box problem.
#[test]
fn the_standard_form_has_the_solutions_of_the_box_problem() {
    let mut rng = Pcg64::seed_from_u64(15);
    for case in 0..80 {
        let kinds = [
            Cone::Free,
            Cone::NonNegative,
            Cone::Interval {
                lower: f64::NEG_INFINITY,
                upper: 0.1,
            },
            Cone::Interval {
                lower: -0.3,
                upper: 0.2,
            },
            Cone::Interval {
                lower: 0.25,
                upper: 0.25,
            },
            Cone::Interval {
                lower: -0.4,
                upper: f64::INFINITY,
            },
            Cone::Interval {
                lower: f64::NEG_INFINITY,
                upper: f64::INFINITY,
            },
        ];
        let blocks: Vec<(usize, Cone)> = (0..6).map(|_| (1, kinds[rng.random_range(0..kinds.len())])).collect();
        let mut a = gram(&mut rng, 6, 7);
        if case % 2 == 1 {
            // A skew part keeps it positive definite.
            let skew = DMatrix::from_fn(6, 6, |_, _| rng.random_range(-0.5..0.5));
            a += &skew - skew.transpose();
        }
        let original = problem(&a, &vector(&mut rng, 6), &blocks);
        let expected = solve_box(&original).unwrap();
        let lcp = Lcp::new(&original).unwrap();
        let z = solve_lcp(&DMatrix::from(&lcp.matrix), &DVector::from_column_slice(&lcp.bias)).unwrap();
        let mut impulses = vec![0.0; 6];
        lcp.impulses(z.as_slice(), &mut impulses);
        // Positive definite: there is only one.
        assert!(
            common::distance(&impulses, expected.as_slice()) < ROUNDING,
            "case {case}"
        );
        assert!(box_error(&original, &impulses) < ROUNDING);
        let back = lcp.start(&original, &impulses);
        assert!(
            common::distance(&back, z.as_slice()) < ROUNDING,
            "case {case}: {back:?} {z}"
        );
    }
}

/// A Lagrange multiplier: a free row with nothing on the diagonal, which can't be eliminated by itself.
#[test]
fn free_rows_without_a_diagonal_are_split() {
    // min ½‖x‖² − 2x₁ − x₂, x ≥ 0, x₁ + x₂ = 1: x = (1, 0), the multiplier 1.
    let a = DMatrix::from_row_slice(3, 3, &[1.0, 0.0, 1.0, 0.0, 1.0, 1.0, -1.0, -1.0, 0.0]);
    let original = problem(
        &a,
        &[-2.0, -1.0, 1.0],
        &[(1, Cone::NonNegative), (1, Cone::NonNegative), (1, Cone::Free)],
    );
    assert!(Schur::new(&original).is_err());
    let lcp = Lcp::new(&original).unwrap();
    assert_eq!(lcp.len(), 4);
    let z = solve_lcp(&DMatrix::from(&lcp.matrix), &DVector::from_column_slice(&lcp.bias)).unwrap();
    let mut impulses = vec![0.0; 3];
    lcp.impulses(z.as_slice(), &mut impulses);
    assert!(common::distance(&impulses, &[1.0, 0.0, 1.0]) < ROUNDING, "{impulses:?}");
}

/// Joints and limits on random bodies: after elimination the limits are solved by many sweeps, and then the joints' rows
/// stand still. The same joints again with the pattern kept give the same result.
#[test]
fn eliminated_joints_stand_still() {
    for seed in 0..6 {
        let mut sample = common::Sample::random(seed, 6, 9, seed % 2 == 0);
        for constraint in &mut sample.constraints {
            if constraint.cone.is_contact() {
                constraint.cone = Cone::NonNegative;
            }
            for row in &mut constraint.rows {
                row.compliance += 0.05;
            }
        }
        let original = sample.problem();
        let first = Schur::new(&original).unwrap();
        assert!(first.problem.blocks.iter().all(|block| block.cone != Cone::Free));
        let kept = common::solved("pgs:iterations=20000,tolerance=1e-15", &first.problem);
        let mut impulses = vec![0.0; original.rows()];
        first.impulses(&kept, &mut impulses);
        assert!(box_error(&original, &impulses) < 1e-8, "seed {seed}");
        assert_eq!(first.start(&impulses), kept);
        let again = first.renew(&original).unwrap();
        let mut repeated = vec![0.0; original.rows()];
        again.impulses(&kept, &mut repeated);
        assert_eq!(impulses, repeated);
    }
}

/// Two joints where one would do, and four: A_ff is singular, the impulses not unique, the velocities zero all the same.
#[test]
fn redundant_joints_are_eliminated_too() {
    let mut rng = Pcg64::seed_from_u64(17);
    for copies in [2, 4] {
        // J M⁻¹ Jᵀ of the same three rows again and again, beside two rows λ ≥ 0.
        let base = DMatrix::from_fn(5, 6, |_, _| rng.random_range(-1.0..1.0_f64));
        let n = 3 * copies + 2;
        let j = DMatrix::from_fn(n, 6, |row, column| {
            let row = if row < 3 * copies {
                row % 3
            } else {
                row - 3 * copies + 3
            };
            base[(row, column)]
        });
        let a = &j * j.transpose();
        // Consistent: b = J u.
        let b = &j * DVector::from_fn(6, |_, _| rng.random_range(-1.0..1.0));
        let mut blocks = vec![(3, Cone::Free); copies];
        blocks.extend([(1, Cone::NonNegative); 2]);
        let original = problem(&a, b.as_slice(), &blocks);
        let schur = Schur::new(&original).unwrap();
        let kept = solve_box(&schur.problem).unwrap();
        let mut impulses = vec![0.0; n];
        schur.impulses(kept.as_slice(), &mut impulses);
        assert!(box_error(&original, &impulses) < ROUNDING);
        assert!(common::largest(impulses.iter().copied()) < 1e3, "{impulses:?}");
    }
}

/// The same joint twice, asked for two different velocities: nothing can meet both, but the impulses stay of the size that
/// either alone would take, and what is missed is the difference.
#[test]
fn joints_that_contradict_each_other_do_not_blow_up() {
    let a = DMatrix::from_element(2, 2, 0.5);
    let original = problem(&a, &[-1.0, -1.2], &[(1, Cone::Free), (1, Cone::Free)]);
    let mut impulses = vec![0.0; 2];
    Schur::new(&original).unwrap().impulses(&[], &mut impulses);
    // Either alone takes 2 or 2.4 N·s.
    assert!(common::largest(impulses.iter().copied()) < 5.0, "{impulses:?}");
    let w = velocities(&original, &impulses);
    assert!(common::largest(w.iter().copied()) < 0.2 + ROUNDING, "{w:?}");
}

/// Joints seen from a turning body: A is not symmetric, and goes through LU.
#[test]
fn joints_with_a_matrix_that_is_not_symmetric_are_eliminated() {
    let mut rng = Pcg64::seed_from_u64(18);
    for _ in 0..10 {
        let skew = DMatrix::from_fn(6, 6, |_, _| rng.random_range(-0.3..0.3));
        let a = gram(&mut rng, 6, 8) + &skew - skew.transpose();
        let b = vector(&mut rng, 6);
        let original = problem(&a, &b, &[(3, Cone::Free), (2, Cone::NonNegative), (1, Cone::Free)]);
        let schur = Schur::new(&original).unwrap();
        let kept = solve_box(&schur.problem).unwrap();
        let mut impulses = vec![0.0; 6];
        schur.impulses(kept.as_slice(), &mut impulses);
        assert!(box_error(&original, &impulses) < ROUNDING);
    }
}

/// A block of 2 kg pressed at 1 m/s onto the ground with a tangential velocity: where it sticks, both laws agree; where
/// it slips, the relaxed one lifts off with w_n = μ‖w_t‖.
#[test]
fn the_relaxation_differs_only_where_something_slips() {
    let mu = 0.4;
    let a = DMatrix::from_diagonal_element(3, 3, 0.5);
    let exact = "pgs:iterations=5000,tolerance=1e-15";
    for (slip, sticks) in [([0.1, 0.2], true), ([0.9, 0.4], false)] {
        let coulomb = problem(
            &a,
            &[-1.0, slip[0], slip[1]],
            &[(3, Cone::Friction { coefficient: mu })],
        );
        let relaxed = relaxed(&coulomb).unwrap();
        let hard = common::solved(exact, &coulomb);
        // Projected gradient on the convex program, written out here: the relaxed law's own definition.
        let mut soft = [0.0; 3];
        for _ in 0..500 {
            let w = velocities(&relaxed, &soft);
            for (x, w) in soft.iter_mut().zip(w) {
                *x -= w;
            }
            relaxed.blocks[0].cone.project(&mut soft);
        }
        assert!(Residuals::of(&relaxed, &soft).natural < ROUNDING);
        let w = velocities(&relaxed, &soft);
        let w_t = length(&w[1..]);
        if sticks {
            assert!(common::distance(&hard, &soft) < ROUNDING);
            assert!(w_t < ROUNDING);
        } else {
            assert!(w_t > 0.1);
            assert!(
                (w[0] - mu * w_t).abs() < ROUNDING,
                "w_n = {}, μ‖w_t‖ = {}",
                w[0],
                mu * w_t
            );
            assert!(velocities(&coulomb, &hard)[0].abs() < ROUNDING);
        }
    }
    let rolling = Cone::Rolling {
        friction: 0.1,
        rolling: 0.1,
    };
    assert!(relaxed(&problem(&DMatrix::identity(5, 5), &[0.0; 5], &[(5, rolling)])).is_err());
}
