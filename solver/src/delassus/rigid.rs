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

use wide::f64x2;

use super::Delassus;
use super::rows::{
    Factor, InverseMass, Rows, RowsOnPair, add_products, dot, dot_six, pair_at, pairs, scale, six, square,
    write_products,
};
use super::touch::Placed;
use crate::problem::Block;

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
