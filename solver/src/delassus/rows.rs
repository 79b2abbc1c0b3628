//! Rows on rigid bodies as [`RigidBodies`](super::RigidBodies) keeps them: `H = J L` with `M⁻¹ = L Lᵀ`, 12 numbers a row, and the
//! products of which sweeps are made.

use std::ops::Range;

use nalgebra::Matrix3;
use wide::f64x2;

/// The inverse of a body's mass and of its inertia in the world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InverseMass {
    /// 1/m, 1/kg.
    pub mass: f64,
    /// I⁻¹ in the world frame, 1/(kg·m²).
    pub inertia: Matrix3<f64>,
}

impl InverseMass {
    /// Of a body that nothing moves.
    pub const ZERO: Self = Self {
        mass: 0.0,
        inertia: Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };

    /// L with `L Lᵀ = M⁻¹`.
    #[inline(always)]
    fn factor(&self) -> Factor {
        Factor {
            linear: self.mass.sqrt(),
            angular: lower_factor(&self.inertia),
        }
    }
}

/// L of one body: a number, and a lower triangle (l00, l10, l20, l11, l21, l22).
#[derive(Debug, Clone, Copy)]
pub(super) struct Factor {
    pub(super) linear: f64,
    pub(super) angular: [f64; 6],
}

impl Factor {
    /// `J L` of six numbers of a row.
    #[inline(always)]
    fn times(&self, j: &[f64]) -> [f64; 6] {
        let (linear, l) = (self.linear, &self.angular);
        [
            linear * j[0],
            linear * j[1],
            linear * j[2],
            l[0] * j[3] + l[1] * j[4] + l[2] * j[5],
            l[3] * j[4] + l[4] * j[5],
            l[5] * j[5],
        ]
    }
}

/// Cholesky's factor of a symmetric positive semidefinite matrix; a direction that can't turn has a zero column.
#[inline(always)]
fn lower_factor(a: &Matrix3<f64>) -> [f64; 6] {
    let ratio = |x: f64, pivot: f64| if pivot == 0.0 { 0.0 } else { x / pivot };
    let l00 = a[(0, 0)].sqrt();
    let (l10, l20) = (ratio(a[(1, 0)], l00), ratio(a[(2, 0)], l00));
    // Rounding may leave less than nothing of a pivot; a NaN must stay one.
    let left = |x: f64| if x < 0.0 { 0.0 } else { x.sqrt() };
    let l11 = left(a[(1, 1)] - l10 * l10);
    let l21 = ratio(a[(2, 1)] - l20 * l10, l11);
    let l22 = left(a[(2, 2)] - l20 * l20 - l21 * l21);
    [l00, l10, l20, l11, l21, l22]
}

/// H, whose rows they are, Σ and the diagonal of A.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows {
    /// L of the bodies that rows may be on.
    pub(super) factors: Vec<Factor>,
    /// H, `[linear a, angular a, linear b, angular b]`.
    pub(super) scaled: Vec<[f64; 12]>,
    pub(super) pairs: Vec<[u32; 2]>,
    pub(super) compliance: Vec<f64>,
    pub(super) diagonal: Vec<f64>,
}

impl Rows {
    pub(super) fn clear(&mut self) {
        self.factors.clear();
        self.scaled.clear();
        self.pairs.clear();
        self.compliance.clear();
        self.diagonal.clear();
    }

    /// Takes over some rows of others.
    pub(super) fn extend(&mut self, others: &Self, rows: Range<usize>) {
        self.scaled.extend_from_slice(&others.scaled[rows.clone()]);
        self.pairs.extend_from_slice(&others.pairs[rows.clone()]);
        self.compliance.extend_from_slice(&others.compliance[rows.clone()]);
        self.diagonal.extend_from_slice(&others.diagonal[rows]);
    }

    /// The 12 numbers of a row.
    #[inline(always)]
    pub(crate) fn numbers(&self, row: usize) -> &[f64; 12] {
        &self.scaled[row]
    }

    /// Those of all rows.
    pub(crate) fn all_numbers(&self) -> &[[f64; 12]] {
        &self.scaled
    }

    /// The bodies of all rows.
    pub(crate) fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// The diagonal of A.
    pub(crate) fn diagonals(&self) -> &[f64] {
        &self.diagonal
    }

    /// The row's compliance.
    pub(crate) fn compliance(&self, row: usize) -> f64 {
        self.compliance[row]
    }

    /// v on a row's two bodies.
    #[inline(always)]
    pub(crate) fn gather(&self, row: usize, state: &[f64]) -> [f64x2; 6] {
        let [a, b] = self.pairs[row];
        let (a, b) = (&state[6 * a as usize..][..6], &state[6 * b as usize..][..6]);
        [
            pair_at(a, 0),
            pair_at(a, 1),
            pair_at(a, 2),
            pair_at(b, 0),
            pair_at(b, 1),
            pair_at(b, 2),
        ]
    }

    /// Adds `Hᵀδ` of a block to v on its two bodies. The sum over the rows is taken first: v is what others wait for.
    #[inline(always)]
    pub(crate) fn add_impulses<const N: usize>(&self, first: usize, change: &[f64; N], v: &mut [f64x2; 6]) {
        let rows = &self.scaled[first..first + N];
        let change = change.map(f64x2::splat);
        for (k, v) in v.iter_mut().enumerate() {
            let mut sum = change[0] * pair_at(&rows[0], k);
            for r in 1..N {
                sum += change[r] * pair_at(&rows[r], k);
            }
            *v += sum;
        }
    }

    /// Makes v the state of the two bodies of a row.
    #[inline(always)]
    pub(crate) fn put_back(&self, row: usize, v: &[f64x2; 6], state: &mut [f64]) {
        let [a, b] = self.pairs[row];
        for (body, v) in [(a, [v[0], v[1], v[2]]), (b, [v[3], v[4], v[5]])] {
            let [v0, v1, v2] = [v[0].to_array(), v[1].to_array(), v[2].to_array()];
            state[6 * body as usize..][..6].copy_from_slice(&[v0[0], v0[1], v1[0], v1[1], v2[0], v2[1]]);
        }
    }

    /// Knows the factors of all bodies there are.
    #[inline]
    pub(super) fn factor(&mut self, inverses: &[InverseMass]) {
        if self.factors.len() < inverses.len() {
            let new = &inverses[self.factors.len()..];
            self.factors.extend(new.iter().map(InverseMass::factor));
        }
    }

    /// L of two bodies.
    #[inline]
    pub(super) fn factors_of(&self, pair: [u32; 2]) -> [Factor; 2] {
        [self.factors[pair[0] as usize], self.factors[pair[1] as usize]]
    }

    /// Adds a row on a pair of bodies, given their L.
    #[inline(always)]
    pub(super) fn push(&mut self, pair: [u32; 2], factors: &[Factor; 2], jacobian: &[f64; 12], compliance: f64) {
        let row = scale([&factors[0], &factors[1]], jacobian);
        self.diagonal.push(square(&row) + compliance);
        self.scaled.push(row);
        self.pairs.push(pair);
        self.compliance.push(compliance);
    }
}

/// Rows that are being added on one pair of bodies, whose L is at hand.
#[derive(Debug)]
pub(crate) struct RowsOnPair<'a> {
    pub(super) pair: [u32; 2],
    pub(super) factors: [Factor; 2],
    pub(super) rows: &'a mut Rows,
    pub(super) count: &'a mut usize,
}

impl RowsOnPair<'_> {
    #[inline(always)]
    pub(crate) fn push(&mut self, jacobian: &[f64; 12], compliance: f64) {
        self.rows.push(self.pair, &self.factors, jacobian, compliance);
        *self.count += 1;
    }
}

/// H of a row.
#[inline(always)]
pub(super) fn scale([a, b]: [&Factor; 2], jacobian: &[f64; 12]) -> [f64; 12] {
    let (a, b) = (a.times(&jacobian[..6]), b.times(&jacobian[6..]));
    [a[0], a[1], a[2], a[3], a[4], a[5], b[0], b[1], b[2], b[3], b[4], b[5]]
}

/// The product of a row with itself.
#[inline(always)]
pub(super) fn square(row: &[f64; 12]) -> f64 {
    product(row, row)
}

/// The product of two rows of one block.
#[inline(always)]
pub(crate) fn product(a: &[f64; 12], b: &[f64; 12]) -> f64 {
    dot(&pairs(a), &pairs(b))
}

/// The `k`-th pair of numbers.
#[inline(always)]
pub(super) fn pair_at(numbers: &[f64], k: usize) -> f64x2 {
    f64x2::new([numbers[2 * k], numbers[2 * k + 1]])
}

/// Twelve numbers as six pairs.
#[inline(always)]
pub(super) fn pairs(numbers: &[f64; 12]) -> [f64x2; 6] {
    // Spelled out: what `from_fn` calls is not always inlined.
    [
        pair_at(numbers, 0),
        pair_at(numbers, 1),
        pair_at(numbers, 2),
        pair_at(numbers, 3),
        pair_at(numbers, 4),
        pair_at(numbers, 5),
    ]
}

/// The numbers of a row on one of its two bodies.
#[inline(always)]
pub(super) fn six(row: &[f64; 12], side: usize) -> [f64x2; 3] {
    let half = &row[6 * side..][..6];
    [pair_at(half, 0), pair_at(half, 1), pair_at(half, 2)]
}

/// Six products, summed in two lanes.
#[inline(always)]
pub(super) fn dot_six(a: &[f64x2; 3], b: &[f64x2; 3]) -> f64 {
    let [even, odd] = (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]).to_array();
    even + odd
}

/// Writes the products of the rows of a block with each other, row-major, given those with themselves.
#[inline(always)]
pub(super) fn write_products(rows: &[[f64; 12]], diagonal: &[f64], out: &mut [f64]) {
    let n = rows.len();
    let (diagonal, out) = (&diagonal[..n], &mut out[..n * n]);
    for i in 0..n {
        for j in 0..i {
            let entry = dot(&pairs(&rows[i]), &pairs(&rows[j]));
            out[n * i + j] = entry;
            out[n * j + i] = entry;
        }
        out[n * i + i] = diagonal[i];
    }
}

/// Adds the products of some rows on one of their bodies with others on one of theirs, row-major.
#[inline(always)]
pub(super) fn add_products(rows: &[[f64; 12]], columns: &[[f64; 12]], sides: [usize; 2], out: &mut [f64]) {
    for (row, out) in rows.iter().zip(out.chunks_exact_mut(columns.len())) {
        let row = six(row, sides[0]);
        for (column, out) in columns.iter().zip(out) {
            *out += dot_six(&row, &six(column, sides[1]));
        }
    }
}

/// Twelve products, summed in four lanes: a chain of four additions instead of twelve.
#[inline(always)]
pub(super) fn dot(a: &[f64x2; 6], b: &[f64x2; 6]) -> f64 {
    let product = |k: usize| a[k] * b[k];
    let sum = (product(0) + product(2) + product(4)) + (product(1) + product(3) + product(5));
    let [even, odd] = sum.to_array();
    even + odd
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_times_its_transpose_is_the_matrix() {
        let g = Matrix3::new(1.0, 0.2, -0.3, 0.5, 2.0, 0.1, 0.0, -0.7, 0.9);
        // Full rank, rank one, and nothing.
        for a in [
            g * g.transpose(),
            g.column(0) * g.column(0).transpose(),
            Matrix3::zeros(),
        ] {
            let [l00, l10, l20, l11, l21, l22] = lower_factor(&a);
            let l = Matrix3::new(l00, 0.0, 0.0, l10, l11, 0.0, l20, l21, l22);
            assert!((l * l.transpose() - a).norm() < 1e-14);
        }
        // What is not a number stays so and is found by the checks of the problem.
        assert!(lower_factor(&Matrix3::repeat(f64::NAN)).iter().all(|x| x.is_nan()));
    }
}
