//! One block by itself: the exact solver against the law, written out here once more, and against closed forms.

mod common;

use common::{largest, random_rotation};
use drystone_solver::Cone;
use drystone_solver::splitting::one_contact::solve;
use nalgebra::{DMatrix, DVector, Matrix3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// The natural map divided by the size of the numbers it is made of is a rounding of some dozens of operations.
const ROUNDING: f64 = 1e-13;

/// A positive definite matrix with a condition of up to 1e4, the normal's share of it anywhere, times a size.
fn random_matrix(rng: &mut Pcg64, n: usize, size: f64, skew: f64) -> DMatrix<f64> {
    let g = DMatrix::<f64>::from_fn(n, n, |_, _| rng.random_range(-1.0..1.0));
    let turn = g.qr().q();
    let values = DVector::from_fn(n, |_, _| 10.0_f64.powf(rng.random_range(-2.0..2.0)));
    let symmetric = &turn * DMatrix::from_diagonal(&values) * turn.transpose();
    let mut d = 0.5 * (&symmetric + symmetric.transpose());
    // An antisymmetric part leaves x·Dx as it is, so D stays positive definite.
    for i in 0..n {
        for j in 0..i {
            let extra = skew * rng.random_range(-1.0..1.0) * (d[(i, i)] * d[(j, j)]).sqrt();
            d[(i, j)] += extra;
            d[(j, i)] -= extra;
        }
    }
    d * size
}

/// By how much impulse and velocity miss `λ = P(λ − ũ/s)`, relative to the numbers that make up the velocity.
fn miss(cone: Cone, d: &DMatrix<f64>, q: &DVector<f64>, x: &[f64]) -> f64 {
    let n = x.len();
    let scale = d.trace() / n as f64;
    let impulse = DVector::from_column_slice(x);
    let u = d * &impulse + q;
    let mut target: Vec<f64> = (0..n).map(|k| x[k] - u[k] / scale).collect();
    let slip = |range: std::ops::Range<usize>| range.map(|k| u[k] * u[k]).sum::<f64>().sqrt();
    target[0] -= match cone {
        Cone::Friction { coefficient } => coefficient * slip(1..n),
        Cone::Rolling { friction, rolling } => friction * slip(1..3) + rolling * slip(3..5),
        _ => 0.0,
    } / scale;
    cone.project(&mut target);
    let map = scale * largest(x.iter().zip(&target).map(|(x, p)| x - p));
    map / (d.norm() * impulse.norm() + q.norm())
}

fn row_major(d: &DMatrix<f64>) -> Vec<f64> {
    d.transpose().as_slice().to_vec()
}

fn random_bias(rng: &mut Pcg64, n: usize) -> DVector<f64> {
    DVector::from_fn(n, |_, _| rng.random_range(-1.0..1.0_f64))
}

fn size(rng: &mut Pcg64) -> f64 {
    10.0_f64.powf(rng.random_range(-6.0..6.0))
}

/// Thousands of contacts of every kind, from cold and from warm starts; all three cases of the law occur often.
#[test]
fn coulombs_law_holds_to_rounding() {
    let mut rng = Pcg64::seed_from_u64(5);
    for n in [2, 3] {
        let (mut parted, mut stuck, mut slipping) = (0, 0, 0);
        for round in 0..20_000 {
            let scale = size(&mut rng);
            let skew = if round % 4 == 0 { 0.1 } else { 0.0 };
            let d = random_matrix(&mut rng, n, scale, skew);
            let q = random_bias(&mut rng, n);
            let mu = if round % 10 == 0 {
                0.0
            } else {
                rng.random_range(0.0..2.0)
            };
            let cone = Cone::Friction { coefficient: mu };
            let mut x = vec![0.0; n];
            if round % 3 == 0 {
                x.iter_mut().for_each(|x| *x = rng.random_range(-1.0..1.0) / scale);
            }
            solve(cone, &row_major(&d), q.as_slice(), &mut x);
            let miss = miss(cone, &d, &q, &x);
            assert!(miss < ROUNDING, "round {round}, μ {mu}: {miss:e} {d} {q} {x:?}");
            let tangent = x[1..].iter().map(|t| t * t).sum::<f64>().sqrt();
            match x[0] {
                0.0 => parted += 1,
                normal if tangent < 0.999 * mu * normal => stuck += 1,
                _ => slipping += 1,
            }
        }
        assert!(
            parted > 2000 && stuck > 2000 && slipping > 2000,
            "{parted} {stuck} {slipping}"
        );
    }
}

/// A Delassus block that is a multiple of the identity on the tangents and does not couple the normal: closed form.
#[test]
fn isotropic_contacts_have_a_closed_form() {
    let mut rng = Pcg64::seed_from_u64(6);
    for _ in 0..5000 {
        let (a, k, mu) = (size(&mut rng), size(&mut rng), rng.random_range(0.01..2.0));
        let q = random_bias(&mut rng, 3);
        let mut x = [0.0; 3];
        let cone = Cone::Friction { coefficient: mu };
        solve(cone, &[a, 0.0, 0.0, 0.0, k, 0.0, 0.0, 0.0, k], q.as_slice(), &mut x);
        let normal = (-q[0] / a).max(0.0);
        let slip = q[1].hypot(q[2]);
        let tangent = (slip / k).min(mu * normal);
        let expected = [normal, -tangent * q[1] / slip, -tangent * q[2] / slip];
        for (x, e) in x.iter().zip(expected) {
            // Some dozen roundings of numbers of the impulse's size.
            assert!((x - e).abs() <= 1e-14 * (normal + tangent), "{x} {e}");
        }
    }
}

/// Inside the cone the solution is that of the linear system, and it does not depend on the start.
#[test]
fn sticking_contacts_solve_the_linear_system() {
    let mut rng = Pcg64::seed_from_u64(7);
    for _ in 0..2000 {
        let turn = random_rotation(&mut rng).into_inner();
        let values = nalgebra::Vector3::from_fn(|_, _| rng.random_range(0.5..2.0));
        let d = turn * Matrix3::from_diagonal(&values) * turn.transpose();
        let d = DMatrix::from_column_slice(3, 3, d.as_slice());
        let inside = DVector::from_vec(vec![1.0, rng.random_range(-0.3..0.3), rng.random_range(-0.3..0.3)]);
        let q = -(&d * &inside);
        for start in [[0.0; 3], [3.0, -1.0, 2.0]] {
            let mut x = start;
            solve(
                Cone::Friction { coefficient: 0.5 },
                &row_major(&d),
                q.as_slice(),
                &mut x,
            );
            // Conditions are up to 4; stronger coupling could let the contact part as well.
            assert!((DVector::from_column_slice(&x) - &inside).norm() < 1e-14);
        }
    }
}

/// What slips must do so to the same end from whatever guess: for moderate friction the solution is one.
#[test]
fn the_start_does_not_show_in_the_result() {
    let mut rng = Pcg64::seed_from_u64(8);
    for _ in 0..2000 {
        let turn = random_rotation(&mut rng).into_inner();
        let values = nalgebra::Vector3::from_fn(|_, _| rng.random_range(0.5..2.0));
        let d = turn * Matrix3::from_diagonal(&values) * turn.transpose();
        let q = random_bias(&mut rng, 3);
        let results: Vec<[f64; 3]> = [[0.0; 3], [1.0, 0.2, 0.1], [0.5, -0.1, 0.1], [2.0, 0.0, -3.0]]
            .into_iter()
            .map(|mut x| {
                solve(
                    Cone::Friction { coefficient: 0.4 },
                    d.transpose().as_slice(),
                    q.as_slice(),
                    &mut x,
                );
                x
            })
            .collect();
        for other in &results[1..] {
            // Conditions below some tens.
            assert!(largest(other.iter().zip(&results[0]).map(|(a, b)| a - b)) < 1e-13);
        }
    }
}

/// Redundant rows, as of two contacts in one, leave D singular; the law can be met all the same.
#[test]
fn singular_blocks_are_solved_where_they_can_be() {
    let mut rng = Pcg64::seed_from_u64(9);
    for round in 0..2000 {
        // Rank two: normal and tangents of a body that turns about two axes only.
        let h = DMatrix::<f64>::from_fn(3, 2, |_, _| rng.random_range(-1.0..1.0));
        let d = &h * h.transpose();
        let q = &h * DVector::from_fn(2, |_, _| rng.random_range(-1.0..1.0));
        let cone = Cone::Friction { coefficient: 0.6 };
        let mut x = [0.0; 3];
        solve(cone, &row_major(&d), q.as_slice(), &mut x);
        let miss = miss(cone, &d, &q, &x);
        // Impulses along the null space may be large; the miss is relative to them.
        assert!(miss < 1e-12, "round {round}: {miss:e} {d} {q} {x:?}");
    }
}

/// Against the minimum of the energy over a fine fan of the cone's edge, for the relaxed law, which is convex.
#[test]
fn the_relaxed_law_holds_to_rounding_and_minimises_the_energy() {
    let mut rng = Pcg64::seed_from_u64(10);
    for n in [2, 3] {
        let mut edge = 0;
        for round in 0..10_000 {
            let scale = size(&mut rng);
            let skew = if round % 4 == 0 { 0.1 } else { 0.0 };
            let d = random_matrix(&mut rng, n, scale, skew);
            let q = random_bias(&mut rng, n);
            let mu = if round % 10 == 0 {
                0.0
            } else {
                rng.random_range(0.0..2.0)
            };
            let cone = Cone::SecondOrder { coefficient: mu };
            let mut x = vec![0.0; n];
            solve(cone, &row_major(&d), q.as_slice(), &mut x);
            let miss = miss(cone, &d, &q, &x);
            assert!(miss < ROUNDING, "round {round}, μ {mu}: {miss:e} {d} {q} {x:?}");
            if skew > 0.0 {
                continue;
            }
            let energy = |x: &DVector<f64>| 0.5 * x.dot(&(&d * x)) + x.dot(&q);
            let ours = energy(&DVector::from_column_slice(&x));
            for k in 0..32 {
                let (sin, cos) = (f64::from(k) * 0.2).sin_cos();
                let y = DVector::from_fn(n, |row, _| [1.0, mu * cos, mu * sin][row]);
                let r = (-q.dot(&y) / y.dot(&(&d * &y))).max(0.0);
                let there = energy(&(y * r));
                assert!(ours <= there + 1e-12 * there.abs(), "round {round}: {ours} {there}");
            }
            edge += usize::from(
                mu > 0.0 && x[0] > 0.0 && mu * x[0] - x[1].hypot(x[n - 1] * f64::from(n == 3)) < 1e-9 * x[0],
            );
        }
        assert!(edge > 2000, "{edge}");
    }
}

#[test]
fn rolling_contacts_obey_both_discs() {
    let mut rng = Pcg64::seed_from_u64(11);
    let mut both = 0;
    for round in 0..5000 {
        let scale = size(&mut rng);
        let d = random_matrix(&mut rng, 5, scale, 0.0);
        let q = random_bias(&mut rng, 5);
        let (friction, rolling) = (rng.random_range(0.0..1.0), rng.random_range(0.0..0.5));
        let cone = Cone::Rolling { friction, rolling };
        let mut x = vec![0.0; 5];
        solve(cone, &row_major(&d), q.as_slice(), &mut x);
        let miss = miss(cone, &d, &q, &x);
        assert!(miss < ROUNDING, "round {round}: {miss:e} {cone:?} {d} {q} {x:?}");
        let full = |mu: f64, k: usize| x[k].hypot(x[k + 1]) > 0.999_999 * mu * x[0];
        both += usize::from(x[0] > 0.0 && full(friction, 1) && full(rolling, 3));
    }
    assert!(both > 500, "{both}");
}

/// Bounded rows against trying every case of every row.
#[test]
fn bounded_rows_end_at_the_enumerated_solution() {
    let mut rng = Pcg64::seed_from_u64(12);
    for round in 0..2000 {
        let n = 1 + round % 4;
        let d = random_matrix(&mut rng, n, 1.0, 0.0);
        let q = random_bias(&mut rng, n);
        let (lower, upper) = [(0.0, f64::INFINITY), (-0.3, 0.4), (f64::NEG_INFINITY, 0.1)][round % 3];
        let mut x = vec![0.0; n];
        let cone = if upper == f64::INFINITY {
            Cone::NonNegative
        } else {
            Cone::Interval { lower, upper }
        };
        solve(cone, &row_major(&d), q.as_slice(), &mut x);
        let miss = miss(cone, &d, &q, &x);
        assert!(miss < ROUNDING, "round {round}: {miss:e}");
        let expected = enumerate(&d, &q, lower, upper);
        // Conditions up to 1e4 times rounding.
        assert!(largest(x.iter().zip(expected.iter()).map(|(a, b)| a - b)) < 1e-9 * (1.0 + expected.norm()));
    }
}

fn enumerate(d: &DMatrix<f64>, q: &DVector<f64>, lower: f64, upper: f64) -> DVector<f64> {
    let n = q.len();
    for code in 0..3_usize.pow(n as u32) {
        let case = |row: usize| code / 3_usize.pow(row as u32) % 3;
        if (0..n).any(|row| (case(row) == 1 && lower.is_infinite()) || (case(row) == 2 && upper.is_infinite())) {
            continue;
        }
        let (mut system, mut right) = (d.clone(), -q);
        for row in (0..n).filter(|&row| case(row) > 0) {
            system.row_mut(row).fill(0.0);
            system[(row, row)] = 1.0;
            right[row] = if case(row) == 1 { lower } else { upper };
        }
        let x = system.lu().solve(&right).unwrap();
        let w = d * &x + q;
        let holds = (0..n).all(|row| match case(row) {
            0 => x[row] >= lower && x[row] <= upper,
            1 => w[row] >= 0.0,
            _ => w[row] <= 0.0,
        });
        if holds {
            return x;
        }
    }
    panic!("a positive definite problem has a solution")
}

/// D that is not positive definite may leave the law without a solution; then the result is no worse than the start.
#[test]
fn hopeless_blocks_are_not_made_worse() {
    let mut rng = Pcg64::seed_from_u64(13);
    let mut failed = 0;
    for _ in 0..3000 {
        let mut d = DMatrix::from_fn(3, 3, |_, _| rng.random_range(-1.0..1.0_f64));
        (0..3).for_each(|k| d[(k, k)] = d[(k, k)].abs() + 0.01);
        let q = random_bias(&mut rng, 3);
        let cone = Cone::Friction { coefficient: 1.5 };
        let mut start = [0.0; 3].map(|_: f64| rng.random_range(-1.0..1.0));
        cone.project(&mut start);
        let mut x = start;
        solve(cone, &row_major(&d), q.as_slice(), &mut x);
        let natural = |x: &[f64]| miss(cone, &d, &q, x) * (d.norm() * DVector::from_column_slice(x).norm() + q.norm());
        assert!(x.iter().all(|x| x.is_finite()));
        // Two norms of the map, the largest entry here and the length there, differ by up to √3.
        let rounding = 1e-13 * (d.norm() * DVector::from_column_slice(&x).norm() + q.norm());
        assert!(
            natural(&x) <= 1.74 * natural(&start) + rounding,
            "{d} {q} {start:?} {x:?}: {} {}",
            natural(&x),
            natural(&start)
        );
        failed += usize::from(natural(&x) > 1e-9);
    }
    assert!(failed > 0, "the matrices are not hopeless enough");
}
