//! Rows of one block that each have bounds of their own: a boxed linear complementarity problem of a few rows.
//!
//! If `−D⁻¹q` is within the bounds, that is it. If not, a few sweeps of Gauss–Seidel guess which rows are at a bound, and
//! the others are solved for together. While that does not fit, the first row that is out of its bounds, or whose
//! velocity has the wrong sign, changes its case (Murty's least index rule, 1974; with two bounds Júdice and Pires 1992).

use super::OneContact;
use crate::cone::between;
use crate::linear::dense;
use crate::vector::{dot, largest};

/// The cases of a row, kept among the other numbers.
const LOWER: f64 = -1.0;
const FREE: f64 = 0.0;
const UPPER: f64 = 1.0;

/// Into `new`; `scratch` as [`scratch_len`](super::scratch_len) says.
pub(super) fn solve(
    contact: &OneContact<'_>,
    (lower, upper): (f64, f64),
    velocity: &[f64],
    impulse: &[f64],
    new: &mut [f64],
    scratch: &mut [f64],
) {
    let (n, d) = (new.len(), contact.matrix);
    if n == 1 {
        new[0] = between(lower, upper, impulse[0] - velocity[0] / d[0]);
        return;
    }
    if contact.sticks(velocity, impulse, new) && new.iter().all(|x| (lower..=upper).contains(x)) {
        return;
    }
    let (system, rest) = scratch.split_at_mut(n * n);
    let (bias, rest) = rest.split_at_mut(n);
    let (trial, rest) = rest.split_at_mut(n);
    let case = &mut rest[..n];
    for r in 0..n {
        bias[r] = velocity[r] - dot(&d[n * r..n * (r + 1)], impulse);
        new[r] = between(lower, upper, impulse[r]);
    }
    sweeps(4, d, (lower, upper), bias, new);
    for r in 0..n {
        case[r] = if new[r] <= lower {
            LOWER
        } else if new[r] >= upper {
            UPPER
        } else {
            FREE
        };
    }
    // Each turn changes one case; for a matrix whose principal minors are positive none comes twice.
    for _ in 0..3_usize.pow(n.min(6) as u32) {
        for r in 0..n {
            let row = &mut system[n * r..n * (r + 1)];
            if case[r] == FREE {
                row.copy_from_slice(&d[n * r..n * (r + 1)]);
                trial[r] = -bias[r];
            } else {
                row.fill(0.0);
                row[r] = 1.0;
                trial[r] = if case[r] == LOWER { lower } else { upper };
            }
        }
        if !dense::solve(n, system, trial) {
            break;
        }
        let wrong = (0..n).find_map(|r| {
            let w = dot(&d[n * r..n * (r + 1)], trial) + bias[r];
            match case[r] {
                FREE if trial[r] < lower => Some((r, LOWER)),
                FREE if trial[r] > upper => Some((r, UPPER)),
                // A row whose bounds are one point takes either sign.
                LOWER if w < 0.0 && lower < upper => Some((r, FREE)),
                UPPER if w > 0.0 && lower < upper => Some((r, FREE)),
                _ => None,
            }
        });
        match wrong {
            Some((r, right)) => case[r] = right,
            // Without an inverse elimination may have divided by rounding.
            None if contact.inverse[0].is_nan() && !holds(d, bias, trial, case) => break,
            None => return new.copy_from_slice(trial),
        }
    }
    // Redundant rows, or a matrix outside of the theorem.
    sweeps(100, d, (lower, upper), bias, new);
}

/// Whether rows off their bounds have no velocity, compared with what they had without impulses.
fn holds(d: &[f64], bias: &[f64], trial: &[f64], case: &[f64]) -> bool {
    let n = trial.len();
    let size = largest(bias);
    (0..n).all(|r| case[r] != FREE || (dot(&d[n * r..n * (r + 1)], trial) + bias[r]).abs() <= 1e-9 * size)
}

/// Projected Gauss–Seidel on the block's rows.
fn sweeps(count: usize, d: &[f64], (lower, upper): (f64, f64), bias: &[f64], new: &mut [f64]) {
    let n = new.len();
    for _ in 0..count {
        for r in 0..n {
            let row = &d[n * r..n * (r + 1)];
            new[r] = between(lower, upper, new[r] - (dot(row, new) + bias[r]) / row[r]);
        }
    }
}
