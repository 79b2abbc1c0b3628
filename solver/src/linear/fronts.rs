//! Dense work on one front of a sparse `L D Lᵀ`: elimination of its own columns, and substitution with them.
//!
//! A front is a square of n numbers a side, column-major, of which the lower triangle counts; its first p columns are its own. What
//! elimination leaves of these is one column of L each, with one over the pivot on the diagonal.
//!
//! The joints of a chain make thousands of fronts of three or six rows, where a loop's beginning and end cost more than what
//! is between them. So there is one copy of every loop, inlined, and [`for_size`] compiles it once more for each usual size:
//! with the number of rows a constant, nothing of the loop is left. All copies do the same operations in the same order.

use std::ops::Range;

use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, MatMut, MatRef, Par};

/// Fronts larger than twice this are eliminated so many columns at a time, the rest brought up to date by matrix products.
pub(super) const PANEL: usize = 48;

/// Fronts up to this many rows are of a size that has code of its own, if they are of ball joints, hinges or fixed joints.
pub(super) const SMALL: usize = 18;

/// Does something with a front's number of own rows and of those it reaches: as constants where they are those of one, two or three
/// joints that meet.
macro_rules! for_size {
    ($size:expr, $own:ident, $reached:ident => $work:expr) => {{
        macro_rules! fixed {
            ($p:literal, $r:literal) => {{
                let ($own, $reached) = ($p, $r);
                $work
            }};
        }
        match $size {
            (3, 0) => fixed!(3, 0),
            (3, 3) => fixed!(3, 3),
            (3, 6) => fixed!(3, 6),
            (6, 0) => fixed!(6, 0),
            (6, 3) => fixed!(6, 3),
            (6, 6) => fixed!(6, 6),
            (5, 0) => fixed!(5, 0),
            (5, 5) => fixed!(5, 5),
            (5, 10) => fixed!(5, 10),
            ($own, $reached) => $work,
        }
    }};
}
pub(super) use for_size;

/// Eliminates the first `own` columns of a front with `reached` more. Pivots are measured by `scale`: one that is not
/// above `least` times its measure is put to the measure. Returns the smallest pivot so measured.
#[inline(always)]
pub(super) fn eliminate(
    front: &mut [f64],
    (own, reached): (usize, usize),
    scale: &[f64],
    least: f64,
    panel: &mut Vec<f64>,
) -> f64 {
    let n = own + reached;
    if n > 2 * PANEL {
        return eliminate_by_panels(&mut front[..n * n], own, n, (scale, least), panel);
    }
    eliminate_columns(&mut front[..n * n], n, 0..own, n, (&scale[..own], least))
}

#[cold]
fn eliminate_by_panels(
    front: &mut [f64],
    own: usize,
    n: usize,
    (scale, least): (&[f64], f64),
    panel: &mut Vec<f64>,
) -> f64 {
    let mut smallest = f64::INFINITY;
    for start in (0..own).step_by(PANEL) {
        let end = (start + PANEL).min(own);
        let found = eliminate_columns(front, n, start..end, end, (scale, least));
        smallest = smaller(smallest, found);
        if end < n {
            update_far(front, n, start..end, panel);
        }
    }
    smallest
}

/// Eliminates some columns; those up to `near` are brought up to date.
#[inline(always)]
fn eliminate_columns(
    front: &mut [f64],
    n: usize,
    columns: Range<usize>,
    near: usize,
    (scale, least): (&[f64], f64),
) -> f64 {
    let mut smallest = f64::INFINITY;
    for k in columns {
        let (before, behind) = front.split_at_mut((k + 1) * n);
        let column = &mut before[k * n..];
        let pivot = column[k];
        smallest = smaller(smallest, pivot / scale[k]);
        let inverse = if pivot > least * scale[k] { pivot } else { scale[k] }.recip();
        for j in k + 1..near {
            let target = &mut behind[(j - k - 1) * n..][..n];
            let factor = column[j] * inverse;
            // Blocks that do not meet are common in large fronts; in small ones asking costs more than it saves.
            if n <= SMALL || factor != 0.0 {
                for i in j..n {
                    target[i] -= factor * column[i];
                }
            }
        }
        for entry in &mut column[k + 1..n] {
            *entry *= inverse;
        }
        column[k] = inverse;
    }
    smallest
}

/// The smaller of two; a NaN is as small as can be.
#[inline(always)]
fn smaller(a: f64, b: f64) -> f64 {
    if b.is_nan() {
        f64::NEG_INFINITY
    } else if b < a {
        b
    } else {
        a
    }
}

/// Takes the columns of a panel off all that are behind it: `F ← F − L D Lᵀ`, the lower triangle.
fn update_far(front: &mut [f64], n: usize, columns: Range<usize>, panel: &mut Vec<f64>) {
    let (width, rest) = (columns.len(), n - columns.end);
    // L D, row after row of its transpose.
    panel.clear();
    panel.resize(width * rest, 0.0);
    for (k, target) in columns.clone().zip(panel.chunks_exact_mut(rest)) {
        let column = &front[k * n..(k + 1) * n];
        let pivot = column[k].recip();
        target
            .iter_mut()
            .zip(&column[columns.end..])
            .for_each(|(t, l)| *t = l * pivot);
    }
    let (before, behind) = front.split_at_mut(columns.end * n);
    let lower = MatRef::from_column_major_slice(&before[columns.start * n..], n, width).subrows(columns.end, rest);
    let scaled = MatRef::from_column_major_slice(panel, rest, width);
    let target = MatMut::from_column_major_slice_mut(behind, n, rest).subrows_mut(columns.end, rest);
    matmul(
        target,
        BlockStructure::TriangularLower,
        Accum::Add,
        lower,
        BlockStructure::Rectangular,
        scaled.transpose(),
        BlockStructure::Rectangular,
        -1.0,
        Par::Seq,
    );
}

/// Goes through `L y = b` with the columns of a front: `own` becomes y, and what the other rows get goes into `rest`, which is zero
/// before.
#[inline(always)]
pub(super) fn forward<const K: usize>(columns: &[f64], own: &mut [[f64; K]], rest: &mut [[f64; K]]) {
    let (p, n) = (own.len(), own.len() + rest.len());
    for k in 0..p {
        let column = &columns[k * n..(k + 1) * n];
        let value = own[k];
        for j in k + 1..p {
            subtract(&mut own[j], column[j], &value);
        }
        for j in p..n {
            subtract(&mut rest[j - p], column[j], &value);
        }
    }
}

/// Goes through `Lᵀ x = D⁻¹ y` with the columns of a front, given x on the other rows.
#[inline(always)]
pub(super) fn backward<const K: usize>(columns: &[f64], own: &mut [[f64; K]], rest: &[[f64; K]]) {
    let (p, n) = (own.len(), own.len() + rest.len());
    for k in (0..p).rev() {
        let column = &columns[k * n..(k + 1) * n];
        let mut value = own[k].map(|y| y * column[k]);
        // From the nearest row on: where a ridge alone tells rows apart, what is nearest cancels best.
        for j in k + 1..p {
            subtract(&mut value, column[j], &own[j]);
        }
        for j in p..n {
            subtract(&mut value, column[j], &rest[j - p]);
        }
        own[k] = value;
    }
}

/// `x += y`, all columns.
#[inline(always)]
pub(super) fn add<const K: usize>(x: &mut [f64; K], y: &[f64; K]) {
    for (x, y) in x.iter_mut().zip(y) {
        *x += y;
    }
}

/// `x −= factor · y`, all columns.
#[inline(always)]
fn subtract<const K: usize>(x: &mut [f64; K], factor: f64, y: &[f64; K]) {
    for (x, y) in x.iter_mut().zip(y) {
        *x -= factor * y;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    /// Sizes with code of their own, and others.
    const SIZES: [(usize, usize); 12] = [
        (3, 0),
        (3, 3),
        (3, 6),
        (6, 0),
        (6, 3),
        (6, 6),
        (5, 0),
        (5, 5),
        (5, 10),
        (4, 2),
        (1, 7),
        (9, 12),
    ];

    /// `G Gᵀ`, the lower triangle, with something else above it.
    fn definite(n: usize, rng: &mut Pcg64) -> Vec<f64> {
        let g: Vec<f64> = (0..n * (n + 2)).map(|_| rng.random_range(-1.0..1.0)).collect();
        let entry = |i: usize, j: usize| (0..n + 2).map(|k| g[k * n + i] * g[k * n + j]).sum();
        (0..n * n)
            .map(|at| {
                if at % n < at / n {
                    f64::NAN
                } else {
                    entry(at % n, at / n)
                }
            })
            .collect()
    }

    /// A size as a number that the compiler does not know.
    fn hidden(size: (usize, usize)) -> (usize, usize) {
        std::hint::black_box(size)
    }

    #[test]
    fn sizes_with_code_of_their_own_give_the_bits_of_the_general_code() {
        let mut rng = Pcg64::seed_from_u64(11);
        for size in SIZES {
            let (p, r) = hidden(size);
            let n = p + r;
            let mut front = definite(n, &mut rng);
            let mut reference = front.clone();
            let scale: Vec<f64> = (0..p).map(|k| front[k * n + k]).collect();
            let smallest = for_size!((p, r), p, r => eliminate(&mut front, (p, r), &scale, 0.0, &mut Vec::new()));
            let expected = eliminate_columns(&mut reference, n, 0..p, n, (&scale, 0.0));
            assert_eq!(smallest.to_bits(), expected.to_bits(), "{size:?}");
            let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&front), bits(&reference), "{size:?}");

            let right: Vec<[f64; 1]> = (0..n).map(|_| [rng.random_range(-1.0..1.0)]).collect();
            let (mut fixed, mut general) = (right.clone(), right.clone());
            for_size!((p, r), p, r => {
                let (own, rest) = fixed.split_at_mut(p);
                forward(&front[..p * (p + r)], own, &mut rest[..r]);
                backward(&front[..p * (p + r)], own, &rest[..r]);
            });
            let (own, rest) = general.split_at_mut(p);
            forward(&front[..n * p], own, rest);
            backward(&front[..n * p], own, rest);
            assert_eq!(fixed, general, "{size:?}");
        }
    }

    /// What is left of a matrix after some columns is its Schur complement.
    #[test]
    fn elimination_leaves_the_schur_complement() {
        let mut rng = Pcg64::seed_from_u64(12);
        for (p, r) in SIZES {
            let n = p + r;
            let mut front = definite(n, &mut rng);
            let full = nalgebra::DMatrix::from_fn(n, n, |i, j| front[i.min(j) * n + i.max(j)]);
            let (a, b) = (full.view((0, 0), (p, p)), full.view((p, 0), (r, p)));
            let inverse = a.into_owned().try_inverse().unwrap();
            let expected = full.view((p, p), (r, r)) - b * inverse * b.transpose();
            let scale: Vec<f64> = (0..p).map(|k| full[(k, k)]).collect();
            assert!(eliminate(&mut front, (p, r), &scale, 0.0, &mut Vec::new()) > 0.0);
            for j in 0..r {
                for i in j..r {
                    let found = front[(p + j) * n + p + i];
                    // Condition numbers are below a million.
                    assert!((found - expected[(i, j)]).abs() < 1e-9, "{p} {r}");
                }
            }
        }
    }

    /// A row that follows from others is taken out, and one that is not a number makes the smallest pivot less than any.
    #[test]
    fn pivots_are_measured_by_the_scale() {
        // The second row is twice the first, in units of its own.
        let mut front = vec![1.0, 2.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 9.0];
        let smallest = eliminate(&mut front, (3, 0), &[1.0, 4.0, 9.0], 1e-9, &mut Vec::new());
        assert_eq!(smallest, 0.0);
        assert_eq!(front[4], 0.25);
        front = vec![1.0, f64::NAN, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 9.0];
        assert_eq!(
            eliminate(&mut front, (3, 0), &[1.0; 3], 0.0, &mut Vec::new()),
            f64::NEG_INFINITY
        );
    }
}
