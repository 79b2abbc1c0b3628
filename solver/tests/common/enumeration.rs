//! The slow and certain way: all complementary bases of a tiny problem, one after the other.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "every test file compiles its own copy and uses a part of it"
)]

use drystone_solver::{Cone, Problem};
use nalgebra::{DMatrix, DVector};

/// What rounding may take from a sign.
const SIGN: f64 = 1e-10;

/// The bounds of every row of a problem without contact cones.
pub fn bounds(problem: &Problem) -> Vec<(f64, f64)> {
    let mut bounds = Vec::new();
    for block in &problem.blocks {
        let pair = match block.cone {
            Cone::Free => (f64::NEG_INFINITY, f64::INFINITY),
            Cone::NonNegative => (0.0, f64::INFINITY),
            Cone::Interval { lower, upper } => (lower, upper),
            other => panic!("{other:?} has no bounds"),
        };
        bounds.extend(std::iter::repeat_n(pair, block.len as usize));
    }
    bounds
}

/// All solutions of `w = Mz + q`, `z ≥ 0`, `w ≥ 0`, `z·w = 0` that belong to a regular basis, in the order of the bases.
pub fn all_lcp_solutions(m: &DMatrix<f64>, q: &DVector<f64>) -> Vec<DVector<f64>> {
    let bounds = vec![(0.0, f64::INFINITY); q.len()];
    all_box_solutions(m, q, &bounds)
}

/// The first of them.
pub fn solve_lcp(m: &DMatrix<f64>, q: &DVector<f64>) -> Option<DVector<f64>> {
    all_lcp_solutions(m, q).into_iter().next()
}

/// The first solution of a problem of rows between bounds.
pub fn solve_box(problem: &Problem) -> Option<DVector<f64>> {
    let matrix = problem.assembled().unwrap().to_dense();
    let bias = DVector::from_column_slice(&problem.bias);
    all_box_solutions(&matrix, &bias, &bounds(problem)).into_iter().next()
}

/// Every way to put each row at its lower bound, at its upper one, or between with `w = 0`.
pub fn all_box_solutions(m: &DMatrix<f64>, q: &DVector<f64>, bounds: &[(f64, f64)]) -> Vec<DVector<f64>> {
    let n = q.len();
    let states: Vec<Vec<Option<f64>>> = bounds
        .iter()
        .map(|&(lower, upper)| {
            let mut states = vec![None];
            states.extend([lower, upper].into_iter().filter(|bound| bound.is_finite()).map(Some));
            states
        })
        .collect();
    let count: usize = states.iter().map(Vec::len).product();
    assert!(count <= 3_000_000, "too many bases to try: {count}");
    let mut found: Vec<DVector<f64>> = Vec::new();
    for mut number in 0..count {
        let mut x = DVector::zeros(n);
        let mut inside = Vec::new();
        for (row, states) in states.iter().enumerate() {
            match states[number % states.len()] {
                Some(bound) => x[row] = bound,
                None => inside.push(row),
            }
            number /= states.len();
        }
        let right = -(m * &x + q).select_rows(&inside);
        let basis = m.select_rows(&inside).select_columns(&inside);
        if !inside.is_empty() {
            let Some(solution) = basis.clone().lu().solve(&right) else {
                continue;
            };
            if (basis * &solution - &right).amax() > 1e-9 * (1.0 + right.amax()) || solution.amax() > 1e9 {
                continue;
            }
            for (&row, &value) in inside.iter().zip(solution.iter()) {
                x[row] = value;
            }
        }
        let w = m * &x + q;
        let lawful = (0..n).all(|row| {
            let (lower, upper) = bounds[row];
            let at_bound = !inside.contains(&row);
            x[row] >= lower - SIGN
                && x[row] <= upper + SIGN
                && (!at_bound
                    || lower == upper
                    || (x[row] == lower && w[row] >= -SIGN)
                    || (x[row] == upper && w[row] <= SIGN))
        });
        if lawful && !found.iter().any(|known| (known - &x).amax() < 1e-7) {
            found.push(x);
        }
    }
    found
}
