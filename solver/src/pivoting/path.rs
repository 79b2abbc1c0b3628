//! The path of Lemke's method: complementary pivots from a complementary basis until z₀ leaves.

use super::basis::{Basis, Variable};

/// Directions smaller than this, beside their largest entry, do not count in the ratio test of the scaled problem.
const PIVOT: f64 = 1e-10;
/// Ratios this near, beside their size, are a tie.
const TIE: f64 = 1e-11;

/// How a path ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Solved,
    Ray,
    Singular,
    /// So many pivots that rounding must have made it go round in a circle.
    TooLong,
    Interrupted,
}

/// Follows the path of complementary pivots from a complementary basis. `goes_on` is asked after every pivot but the last.
pub(super) fn follow(basis: &mut Basis<'_>, q: &[f64], mut goes_on: impl FnMut(&Basis<'_>, &[f64]) -> bool) -> End {
    let n = basis.len();
    let artificial = 2 * n;
    let origin: Vec<Variable> = (0..n).map(|place| basis.basic(place)).collect();
    let mut values = basis.values(q);
    // Also false for a NaN.
    if values.iter().all(|&x| x >= 0.0) {
        return End::Solved;
    }
    let mut entering = artificial;
    let mut direction = vec![0.0; n];
    basis.column(entering, &mut direction);
    basis.solve(&mut direction);
    // z₀ comes in as large as it must be; of equals the last is lexicographically least.
    let need = |place: usize| values[place] / direction[place];
    let mut place = (0..n).fold(0, |worst, place| if need(place) >= need(worst) { place } else { worst });
    for _ in 0..pivots_at_most(n) {
        let step = values[place] / direction[place];
        if !step.is_finite() {
            return End::Singular;
        }
        for (x, d) in values.iter_mut().zip(&direction) {
            *x -= step * d;
        }
        values[place] = step;
        let leaving = basis.basic(place);
        basis.replace(place, entering, std::mem::replace(&mut direction, vec![0.0; n]));
        if leaving == artificial {
            return End::Solved;
        }
        if !goes_on(basis, &values) {
            return End::Interrupted;
        }
        entering = if leaving < n { leaving + n } else { leaving - n };
        if basis.is_worn() && !renew(basis, q, &mut values) {
            return End::Singular;
        }
        loop {
            basis.column(entering, &mut direction);
            basis.solve(&mut direction);
            match leaving_place(basis, &values, &direction, &origin) {
                Some(found) => {
                    place = found;
                    break;
                }
                None if basis.is_fresh() => return End::Ray,
                // A ray is believed only to a fresh factorisation.
                None if !renew(basis, q, &mut values) => return End::Singular,
                None => {}
            }
        }
    }
    End::TooLong
}

/// Far more than any path takes but those made to be long, which are not of many rows.
fn pivots_at_most(rows: usize) -> usize {
    10 * rows + 2000
}

fn renew(basis: &mut Basis<'_>, q: &[f64], values: &mut Vec<f64>) -> bool {
    let regular = basis.factorise();
    *values = basis.values(q);
    regular
}

/// The lexicographic ratio test: the position that limits the entering variable first, z₀ before all others.
fn leaving_place(basis: &Basis<'_>, values: &[f64], direction: &[f64], origin: &[Variable]) -> Option<usize> {
    let n = basis.len();
    let largest = direction.iter().fold(0.0, |largest: f64, d| largest.max(d.abs()));
    let mut ties: Vec<usize> = (0..n).filter(|&i| direction[i] > PIVOT * largest).collect();
    let ratio = |i: usize| values[i].max(0.0) / direction[i];
    let least = ties.iter().map(|&i| ratio(i)).fold(f64::INFINITY, f64::min);
    ties.retain(|&i| ratio(i) <= least + TIE * (1.0 + least));
    if let Some(&place) = ties.iter().find(|&&i| basis.basic(i) == 2 * n) {
        return Some(place);
    }
    let mut column = vec![0.0; n];
    for &variable in origin {
        if ties.len() <= 1 {
            break;
        }
        match basis.position(variable) {
            // Its column is a unit vector: all but that one are zero and less.
            Some(place) => ties.retain(|&i| i != place),
            None => {
                basis.column(variable, &mut column);
                basis.solve(&mut column);
                let ratio = |i: usize| column[i] / direction[i];
                let least = ties.iter().map(|&i| ratio(i)).fold(f64::INFINITY, f64::min);
                ties.retain(|&i| ratio(i) <= least + TIE * (1.0 + least.abs()));
            }
        }
    }
    ties.into_iter().next()
}
