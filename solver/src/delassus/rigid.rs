//! Rigid bodies, matrix-free: A is never formed (dissertation §6.1.5, (6.70)–(6.74), figure 6.10 corrected).
//!
//! A row i of J has 12 numbers on two bodies. The dissertation keeps beside it the column `M⁻¹J_iᵀ`, which has the same
//! sparsity, and `V = M⁻¹Jᵀλ` per body. We factor the masses instead: with `M⁻¹ = L Lᵀ` and `H = J L`,
//!
//! ```text
//! A = H Hᵀ + Σ,    v = Hᵀλ,    (Aλ)_i = H_i·v + σ_i λ_i,    a change δ of λ_i adds δ H_i to v
//! ```
//!
//! so that one set of 12 numbers serves for reading and for writing, and a sweep, which is bound by memory, streams half
//! as much. The velocities are `V = L v`, once, when the solve is over.
//!
//! Contact points are kept as they are given, a frame and two arms: 12 numbers instead of 36. The sweep over many contacts
//! at once (`splitting/coloured`) reads these; for everybody else they are written out as rows the first time that a row is
//! asked for.
//!
//! Body 0 is the immovable one: everything fixed or scripted shares it, its H is zero and so its v stays zero. That
//! spares the sweep every branch on "is there a second body".
//!
//! Speed: neighbours in a sweep mostly share a body, so that each waits for the v its forerunner wrote; what counts is
//! the length of that chain, not the number of operations. Hence sums in several lanes, and v carried through an update
//! in registers. The pairs of numbers are spelled out because the compiler, left alone, pairs up the rows of a block
//! instead and spends its time on shuffling them.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use nalgebra::Matrix3;
use wide::f64x2;

use super::Delassus;
use super::touch::Placed;
use crate::problem::Block;

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
struct Factor {
    linear: f64,
    angular: [f64; 6],
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
    factors: Vec<Factor>,
    /// H, `[linear a, angular a, linear b, angular b]`.
    scaled: Vec<[f64; 12]>,
    pairs: Vec<[u32; 2]>,
    compliance: Vec<f64>,
    diagonal: Vec<f64>,
}

impl Rows {
    fn clear(&mut self) {
        self.factors.clear();
        self.scaled.clear();
        self.pairs.clear();
        self.compliance.clear();
        self.diagonal.clear();
    }

    /// Takes over some rows of others.
    fn extend(&mut self, others: &Self, rows: Range<usize>) {
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
    fn factor(&mut self, inverses: &[InverseMass]) {
        if self.factors.len() < inverses.len() {
            let new = &inverses[self.factors.len()..];
            self.factors.extend(new.iter().map(InverseMass::factor));
        }
    }

    /// L of two bodies.
    #[inline]
    fn factors_of(&self, pair: [u32; 2]) -> [Factor; 2] {
        [self.factors[pair[0] as usize], self.factors[pair[1] as usize]]
    }

    /// Adds a row on a pair of bodies, given their L.
    #[inline(always)]
    fn push(&mut self, pair: [u32; 2], factors: &[Factor; 2], jacobian: &[f64; 12], compliance: f64) {
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
    pair: [u32; 2],
    factors: [Factor; 2],
    rows: &'a mut Rows,
    count: &'a mut usize,
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
fn scale([a, b]: [&Factor; 2], jacobian: &[f64; 12]) -> [f64; 12] {
    let (a, b) = (a.times(&jacobian[..6]), b.times(&jacobian[6..]));
    [a[0], a[1], a[2], a[3], a[4], a[5], b[0], b[1], b[2], b[3], b[4], b[5]]
}

/// The product of a row with itself.
#[inline(always)]
fn square(row: &[f64; 12]) -> f64 {
    product(row, row)
}

/// The product of two rows of one block.
#[inline(always)]
pub(crate) fn product(a: &[f64; 12], b: &[f64; 12]) -> f64 {
    dot(&pairs(a), &pairs(b))
}

/// `H Hᵀ + Σ` on rigid bodies.
#[derive(Debug)]
pub struct RigidBodies {
    inverses: Vec<InverseMass>,
    /// The rows that were given as such. While there is no touch they are all.
    given: Rows,
    /// The touches, in the order of their rows; those beyond `placed` are left over from before.
    touches: Vec<Placed>,
    /// How many touches there are, and how many rows.
    placed: usize,
    count: usize,
    /// Whether a row was made soft after it was added.
    softened: bool,
    /// A number that no others have but copies.
    revision: u64,
    /// All rows, written out when they are first asked for; not used while there is no touch.
    written: OnceLock<Rows>,
    /// Memory for that.
    spare: Mutex<Rows>,
}

impl Clone for RigidBodies {
    fn clone(&self) -> Self {
        Self {
            inverses: self.inverses.clone(),
            given: self.given.clone(),
            touches: self.touches().to_vec(),
            placed: self.placed,
            count: self.count,
            softened: self.softened,
            revision: self.revision,
            written: self.written.clone(),
            spare: Mutex::default(),
        }
    }
}

fn next_revision() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Default for RigidBodies {
    fn default() -> Self {
        Self::new()
    }
}

impl RigidBodies {
    /// The body that everything fixed or scripted shares.
    pub const IMMOVABLE: u32 = 0;

    /// Tells this problem's rows from those that were here before.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// No rows, and no bodies but the immovable one.
    pub fn new() -> Self {
        Self {
            inverses: vec![InverseMass::ZERO],
            given: Rows::default(),
            touches: Vec::new(),
            placed: 0,
            count: 0,
            softened: false,
            revision: next_revision(),
            written: OnceLock::new(),
            spare: Mutex::default(),
        }
    }

    /// Forgets all rows and bodies but keeps the memory.
    pub fn clear(&mut self) {
        self.revision = next_revision();
        self.inverses.truncate(1);
        self.given.clear();
        self.placed = 0;
        self.count = 0;
        self.softened = false;
        self.unwrite();
    }

    /// Takes back what was written out of the touches.
    fn unwrite(&mut self) {
        if self.written.get().is_none() {
            return;
        }
        if let Some(mut rows) = self.written.take() {
            rows.clear();
            *self.spare.get_mut().unwrap_or_else(PoisonError::into_inner) = rows;
        }
    }

    /// All rows.
    #[inline(always)]
    fn all(&self) -> &Rows {
        if self.placed == 0 {
            &self.given
        } else {
            self.written.get_or_init(|| self.write_out())
        }
    }

    #[cold]
    fn write_out(&self) -> Rows {
        let mut rows = std::mem::take(&mut *self.spare.lock().unwrap_or_else(PoisonError::into_inner));
        rows.factor(&self.inverses);
        let mut given = 0;
        let mut copy_until = |rows: &mut Rows, row: usize| {
            let next = given + row - rows.scaled.len();
            rows.extend(&self.given, given..next);
            given = next;
        };
        for placed in self.touches() {
            copy_until(&mut rows, placed.first as usize);
            let factors = rows.factors_of(placed.pair);
            for direction in &placed.touch.directions()[..placed.rows as usize] {
                let jacobian = placed.touch.jacobian(direction);
                rows.push(placed.pair, &factors, &jacobian, 0.0);
            }
        }
        copy_until(&mut rows, self.count);
        rows
    }

    /// Adds a body and returns its index.
    pub fn add_body(&mut self, inverse: InverseMass) -> u32 {
        self.inverses.push(inverse);
        (self.inverses.len() - 1) as u32
    }

    /// Adds a row on two different bodies (or one body and [`IMMOVABLE`](Self::IMMOVABLE)).
    #[inline]
    pub fn add_row(&mut self, pair: [u32; 2], jacobian: &[f64; 12], compliance: f64) {
        self.rows_on(pair).push(jacobian, compliance);
    }

    /// Makes ready for rows on a pair of bodies.
    #[inline]
    pub(crate) fn rows_on(&mut self, pair: [u32; 2]) -> RowsOnPair<'_> {
        self.unwrite();
        self.given.factor(&self.inverses);
        RowsOnPair {
            pair,
            factors: self.given.factors_of(pair),
            rows: &mut self.given,
            count: &mut self.count,
        }
    }

    /// Adds several rows on a pair of bodies.
    #[inline]
    pub(crate) fn add_rows<const N: usize>(&mut self, pair: [u32; 2], jacobians: &[[f64; 12]; N], compliance: f64) {
        self.unwrite();
        self.given.factor(&self.inverses);
        let Rows {
            factors,
            scaled,
            pairs,
            compliance: compliances,
            diagonal,
        } = &mut self.given;
        // Not copied: their numbers have often just been written, and copies of such would wait for it.
        let factors = pair.map(|body| &factors[body as usize]);
        for jacobian in jacobians {
            let row = scale(factors, jacobian);
            diagonal.push(square(&row) + compliance);
            scaled.push(row);
        }
        pairs.extend_from_slice(&[pair; N]);
        compliances.extend_from_slice(&[compliance; N]);
        self.count += N;
    }

    /// Makes room for touches that have so many rows together, and returns them to be filled in.
    pub(crate) fn add_touches(&mut self, touches: usize, rows: usize) -> &mut [Placed] {
        self.unwrite();
        let first = self.placed;
        self.placed += touches;
        self.count += rows;
        if self.touches.len() < self.placed {
            self.touches.resize(self.placed, Placed::NOWHERE);
        }
        &mut self.touches[first..self.placed]
    }

    /// The contact points that were given as such, in the order of their rows.
    pub(crate) fn touches(&self) -> &[Placed] {
        &self.touches[..self.placed]
    }

    /// Whether any row gives way.
    pub(crate) fn is_compliant(&self) -> bool {
        self.softened || self.given.compliance.iter().any(|&compliance| compliance != 0.0)
    }

    /// Number of bodies, the immovable one included.
    pub fn body_count(&self) -> usize {
        self.inverses.len()
    }

    /// The two bodies of a row.
    pub fn pair(&self, row: usize) -> [u32; 2] {
        self.all().pairs[row]
    }

    /// The 12 numbers of a row of `H = J L`; `A_lk` is the product of two such rows over the bodies they share.
    pub fn scaled_row(&self, row: usize) -> &[f64; 12] {
        &self.all().scaled[row]
    }

    /// Those of all bodies, the immovable one first.
    pub(crate) fn inverse_masses(&self) -> &[InverseMass] {
        &self.inverses
    }

    /// `M⁻¹ = L Lᵀ` of a body.
    pub fn inverse_mass(&self, body: u32) -> InverseMass {
        self.inverses[body as usize]
    }

    /// The 12 numbers of a row of J, `H L⁻¹`: as they were given but for rounding, and zero where they act on what can't
    /// move.
    pub fn jacobian(&self, row: usize) -> [f64; 12] {
        let ratio = |x: f64, pivot: f64| if pivot == 0.0 { 0.0 } else { x / pivot };
        let mut jacobian = [0.0; 12];
        let all = self.all();
        for (side, &body) in all.pairs[row].iter().enumerate() {
            let Factor { linear, angular: l } = &all.factors[body as usize];
            let h = &all.scaled[row][6 * side..6 * side + 6];
            let j = &mut jacobian[6 * side..6 * side + 6];
            for k in 0..3 {
                j[k] = ratio(h[k], *linear);
            }
            j[5] = ratio(h[5], l[5]);
            j[4] = ratio(h[4] - l[4] * j[5], l[3]);
            j[3] = ratio(h[3] - l[1] * j[4] - l[2] * j[5], l[0]);
        }
        jacobian
    }

    /// All rows, for loops that ask for many.
    pub(crate) fn all_rows(&self) -> &Rows {
        self.all()
    }

    /// The row's compliance.
    pub fn compliance(&self, row: usize) -> f64 {
        self.all().compliance[row]
    }

    /// Gives a row another compliance.
    pub(crate) fn set_compliance(&mut self, row: usize, compliance: f64) {
        self.all();
        let rows = self.written.get_mut().unwrap_or(&mut self.given);
        rows.diagonal[row] += compliance - rows.compliance[row];
        rows.compliance[row] = compliance;
        self.softened |= compliance != 0.0;
    }

    /// `M⁻¹ Jᵀ λ`: what the impulses do to the velocities, `[v, ω]` a body, six numbers each.
    pub fn velocity_change(&self, impulses: &[f64], change: &mut [f64]) {
        self.load(impulses, change);
        self.make_velocities(change);
    }

    /// Takes `A x` off y where all rows come in blocks of three, as those of ball joints; the state becomes that of x.
    pub(crate) fn take_off_threes(&self, x: &[f64], state: &mut [f64], y: &mut [f64]) {
        state.fill(0.0);
        let all = self.all();
        let (rows, _) = all.scaled.as_chunks::<3>();
        let (pairs_of, _) = all.pairs.as_chunks::<3>();
        let (compliance, _) = all.compliance.as_chunks::<3>();
        let (state, _) = state.as_chunks_mut::<6>();
        let (x, _) = x.as_chunks::<3>();
        let (y, _) = y.as_chunks_mut::<3>();
        for ((rows, pair), x) in rows.iter().zip(pairs_of).zip(x) {
            for (side, body) in pair[0].into_iter().enumerate() {
                let body = &mut state[body as usize];
                for (k, entry) in body.iter_mut().enumerate() {
                    let k = 6 * side + k;
                    // The sum over the rows is taken first: the body is what others wait for.
                    *entry += x[0] * rows[0][k] + x[1] * rows[1][k] + x[2] * rows[2][k];
                }
            }
        }
        for ((((rows, pair), compliance), x), y) in rows.iter().zip(pairs_of).zip(compliance).zip(x).zip(y) {
            let [a, b] = pair[0];
            let (a, b) = (&state[a as usize], &state[b as usize]);
            let v = [
                pair_at(a, 0),
                pair_at(a, 1),
                pair_at(a, 2),
                pair_at(b, 0),
                pair_at(b, 1),
                pair_at(b, 2),
            ];
            for k in 0..3 {
                y[k] -= dot(&pairs(&rows[k]), &v) + compliance[k] * x[k];
            }
        }
    }

    /// Turns the state that belongs to impulses, `v = Hᵀλ`, into what they do to the velocities, `L v`.
    pub(crate) fn make_velocities(&self, change: &mut [f64]) {
        // A body without a factor has no row, and its change is zero.
        for (v, Factor { linear, angular: l }) in change.chunks_exact_mut(6).zip(&self.all().factors) {
            let (x, y, z) = (v[3], v[4], v[5]);
            v[0] *= linear;
            v[1] *= linear;
            v[2] *= linear;
            v[3] = l[0] * x;
            v[4] = l[1] * x + l[3] * y;
            v[5] = l[2] * x + l[4] * y + l[5] * z;
        }
    }

    /// Whether all rows of a block are on the same two bodies, and these are two, as the incremental products require.
    pub(crate) fn is_one_pair(&self, block: &Block) -> bool {
        let pairs = &self.all().pairs[block.rows()];
        let [a, b] = pairs[0];
        (a != b || a == Self::IMMOVABLE) && pairs.iter().all(|pair| *pair == [a, b])
    }

    /// Writes the block of three rows and three others, if their bodies are one that they share and two that they don't, as at the joints
    /// of a chain. False if they are not.
    #[inline]
    fn three_by_three(&self, first: usize, second: usize, out: &mut [f64]) -> bool {
        let Rows { scaled, pairs, .. } = self.all();
        let meets = |side: usize, other: usize| {
            let body = pairs[first][side];
            body == pairs[second][other] && body != Self::IMMOVABLE
        };
        let sides = match [meets(0, 0), meets(0, 1), meets(1, 0), meets(1, 1)] {
            [true, false, false, false] => [0, 0],
            [false, true, false, false] => [0, 1],
            [false, false, true, false] => [1, 0],
            [false, false, false, true] => [1, 1],
            _ => return false,
        };
        let (Some(rows), Some(columns), Some(out)) = (
            scaled[first..].first_chunk::<3>(),
            scaled[second..].first_chunk::<3>(),
            out.first_chunk_mut::<9>(),
        ) else {
            return false;
        };
        let columns = [
            six(&columns[0], sides[1]),
            six(&columns[1], sides[1]),
            six(&columns[2], sides[1]),
        ];
        for (row, out) in rows.iter().zip(out.as_chunks_mut::<3>().0) {
            let row = six(row, sides[0]);
            *out = [
                dot_six(&row, &columns[0]),
                dot_six(&row, &columns[1]),
                dot_six(&row, &columns[2]),
            ];
        }
        true
    }

    /// Whether blocks are one touch each, and none has a body push itself.
    pub(crate) fn are_touches(&self, blocks: &[Block]) -> bool {
        let fits = |(block, placed): (&Block, &Placed)| {
            let [a, b] = placed.pair;
            (block.first, block.len) == (placed.first, placed.rows) && (a != b || a == Self::IMMOVABLE)
        };
        blocks.len() == self.placed && blocks.iter().zip(self.touches()).all(fits)
    }
}

impl Delassus for RigidBodies {
    fn rows(&self) -> usize {
        self.count
    }

    fn state_len(&self) -> usize {
        6 * self.inverses.len()
    }

    fn load(&self, impulses: &[f64], state: &mut [f64]) {
        state.fill(0.0);
        let Rows { pairs, .. } = self.all();
        let mut row = 0;
        while row < impulses.len() {
            // Rows on the same bodies go together, three at a time, so that these are read and written once.
            let len = match pairs[row..] {
                [a, b, c, ..] if a == b && a == c && row + 3 <= impulses.len() => 3,
                _ => 1,
            };
            let own = &impulses[row..row + len];
            if own.iter().any(|&impulse| impulse != 0.0) {
                match own.first_chunk::<3>() {
                    Some(own) => self.block_changed(row..row + 3, own, state),
                    None => self.block_changed(row..row + 1, &[own[0]], state),
                }
            }
            row += len;
        }
    }

    #[inline(always)]
    fn block_product(&self, rows: Range<usize>, impulses: &[f64], state: &[f64], out: &mut [f64]) {
        // All rows of a block are on the same two bodies.
        let all = self.all();
        let v = all.gather(rows.start, state);
        let data = &all.scaled[rows.clone()];
        let compliance = &all.compliance[rows.clone()];
        let impulses = &impulses[rows];
        for k in 0..out.len() {
            out[k] = dot(&pairs(&data[k]), &v) + compliance[k] * impulses[k];
        }
    }

    #[inline(always)]
    fn block_changed(&self, rows: Range<usize>, delta: &[f64], state: &mut [f64]) {
        let all = self.all();
        let mut v = all.gather(rows.start, state);
        for (row, &delta) in all.scaled[rows.clone()].iter().zip(delta) {
            let delta = f64x2::splat(delta);
            for (k, v) in v.iter_mut().enumerate() {
                *v += delta * pair_at(row, k);
            }
        }
        all.put_back(rows.start, &v, state);
    }

    fn as_bodies(&self) -> Option<&RigidBodies> {
        Some(self)
    }

    fn diagonal(&self, row: usize) -> f64 {
        self.all().diagonal[row]
    }

    fn diagonal_block(&self, rows: Range<usize>, out: &mut [f64]) {
        let Rows { scaled, diagonal, .. } = self.all();
        let (scaled, diagonal) = (&scaled[rows.clone()], &diagonal[rows]);
        match scaled.first_chunk::<3>() {
            Some(three) if scaled.len() == 3 => write_products(three, diagonal, out),
            _ => write_products(scaled, diagonal, out),
        }
    }

    /// Entry (l, k) is the sum over the shared bodies of `J_l M⁻¹ J_kᵀ = H_l H_kᵀ`, which for contact normals is the
    /// closed form (4.28) of the dissertation.
    fn block(&self, rows: Range<usize>, columns: Range<usize>, out: &mut [f64]) {
        let width = columns.len();
        let is_small = rows.len() == 3 && width == 3 && rows.start != columns.start;
        if is_small && self.three_by_three(rows.start, columns.start, out) {
            return;
        }
        out.fill(0.0);
        let (Some(first), Some(second)) = (rows.clone().next(), columns.clone().next()) else {
            return;
        };
        let Rows { scaled, pairs, .. } = self.all();
        let (heads, sides) = (&scaled[rows.clone()], &scaled[columns.clone()]);
        // All rows of a block are on the same two bodies.
        for (side, body) in pairs[first].into_iter().enumerate() {
            for (other_side, other_body) in pairs[second].into_iter().enumerate() {
                if body != other_body || body == Self::IMMOVABLE {
                    continue;
                }
                // Ball joints are by far the most common.
                match (heads.first_chunk::<3>(), sides.first_chunk::<3>()) {
                    (Some(heads), Some(sides)) if out.len() == 9 && width == 3 => {
                        add_products(heads, sides, [side, other_side], out);
                    }
                    _ => add_products(heads, sides, [side, other_side], out),
                }
            }
        }
        if first == second {
            for (k, row) in rows.enumerate() {
                out[(width + 1) * k] += self.compliance(row);
            }
        }
    }

    fn apply(&self, x: &[f64], y: &mut [f64]) {
        let mut state = vec![0.0; self.state_len()];
        self.load(x, &mut state);
        for row in 0..self.count {
            self.block_product(row..row + 1, x, &state, &mut y[row..row + 1]);
        }
    }
}

/// The `k`-th pair of numbers.
#[inline(always)]
fn pair_at(numbers: &[f64], k: usize) -> f64x2 {
    f64x2::new([numbers[2 * k], numbers[2 * k + 1]])
}

/// Twelve numbers as six pairs.
#[inline(always)]
fn pairs(numbers: &[f64; 12]) -> [f64x2; 6] {
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
fn six(row: &[f64; 12], side: usize) -> [f64x2; 3] {
    let half = &row[6 * side..][..6];
    [pair_at(half, 0), pair_at(half, 1), pair_at(half, 2)]
}

/// Six products, summed in two lanes.
#[inline(always)]
fn dot_six(a: &[f64x2; 3], b: &[f64x2; 3]) -> f64 {
    let [even, odd] = (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]).to_array();
    even + odd
}

/// Writes the products of the rows of a block with each other, row-major, given those with themselves.
#[inline(always)]
fn write_products(rows: &[[f64; 12]], diagonal: &[f64], out: &mut [f64]) {
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
fn add_products(rows: &[[f64; 12]], columns: &[[f64; 12]], sides: [usize; 2], out: &mut [f64]) {
    for (row, out) in rows.iter().zip(out.chunks_exact_mut(columns.len())) {
        let row = six(row, sides[0]);
        for (column, out) in columns.iter().zip(out) {
            *out += dot_six(&row, &six(column, sides[1]));
        }
    }
}

/// Twelve products, summed in four lanes: a chain of four additions instead of twelve.
#[inline(always)]
fn dot(a: &[f64x2; 6], b: &[f64x2; 6]) -> f64 {
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
