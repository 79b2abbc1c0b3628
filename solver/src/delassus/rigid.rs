//! Rigid bodies, matrix-free: A is never formed (dissertation §6.1.5, (6.70)–(6.74), figure 6.10 corrected).
//!
//! A row i of J has 12 numbers on two bodies; `B_i = M⁻¹ J_iᵀ` has the same sparsity. With `V = M⁻¹ Jᵀ λ` kept per body,
//! `(Aλ)_i = J_i·V + σ_i λ_i`, and a change δ of λ_i adds `δ B_i` to V on the two bodies.
//!
//! Memory: J_i and B_i lie side by side (192 bytes a row, so a contact streams nine cache lines), V is six numbers a
//! body. Body 0 is the immovable one: everything fixed or scripted shares it, its `B` is zero and so its V stays zero.
//! That spares the sweep every branch on "is there a second body".

use std::ops::Range;

use nalgebra::Matrix3;

use super::Delassus;
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
}

/// A row of J beside the column of `M⁻¹ Jᵀ` that answers to it.
#[derive(Debug, Clone, Copy)]
struct RigidRow {
    jacobian: [f64; 12],
    response: [f64; 12],
}

/// `J M⁻¹ Jᵀ + Σ` on rigid bodies.
#[derive(Debug, Clone)]
pub struct RigidBodies {
    bodies: Vec<InverseMass>,
    rows: Vec<RigidRow>,
    pairs: Vec<[u32; 2]>,
    compliance: Vec<f64>,
    diagonal: Vec<f64>,
}

impl Default for RigidBodies {
    fn default() -> Self {
        Self::new()
    }
}

impl RigidBodies {
    /// The body that everything fixed or scripted shares.
    pub const IMMOVABLE: u32 = 0;

    /// No rows, and no bodies but the immovable one.
    pub fn new() -> Self {
        Self {
            bodies: vec![InverseMass::ZERO],
            rows: Vec::new(),
            pairs: Vec::new(),
            compliance: Vec::new(),
            diagonal: Vec::new(),
        }
    }

    /// Forgets all rows and bodies but keeps the memory.
    pub fn clear(&mut self) {
        self.bodies.truncate(1);
        self.rows.clear();
        self.pairs.clear();
        self.compliance.clear();
        self.diagonal.clear();
    }

    /// Adds a body and returns its index.
    pub fn add_body(&mut self, inverse: InverseMass) -> u32 {
        self.bodies.push(inverse);
        (self.bodies.len() - 1) as u32
    }

    /// Adds a row on two different bodies (or one body and [`IMMOVABLE`](Self::IMMOVABLE)).
    #[inline]
    pub fn add_row(&mut self, pair: [u32; 2], jacobian: &[f64; 12], compliance: f64) {
        let mut response = [0.0; 12];
        for (side, &body) in pair.iter().enumerate() {
            let inverse = &self.bodies[body as usize];
            let at = 6 * side;
            let angular = [jacobian[at + 3], jacobian[at + 4], jacobian[at + 5]];
            for k in 0..3 {
                response[at + k] = inverse.mass * jacobian[at + k];
                // Symmetric, so columns, which lie together, serve as rows.
                let column = inverse.inertia.column(k);
                response[at + 3 + k] = column[0] * angular[0] + column[1] * angular[1] + column[2] * angular[2];
            }
        }
        self.diagonal.push(dot(jacobian, &response) + compliance);
        self.rows.push(RigidRow {
            jacobian: *jacobian,
            response,
        });
        self.pairs.push(pair);
        self.compliance.push(compliance);
    }

    /// Number of bodies, the immovable one included.
    pub fn body_count(&self) -> usize {
        self.bodies.len()
    }

    /// The two bodies of a row.
    pub fn pair(&self, row: usize) -> [u32; 2] {
        self.pairs[row]
    }

    /// The 12 numbers of a row of J.
    pub fn jacobian(&self, row: usize) -> &[f64; 12] {
        &self.rows[row].jacobian
    }

    /// The matching 12 numbers of `M⁻¹ Jᵀ`.
    pub fn response(&self, row: usize) -> &[f64; 12] {
        &self.rows[row].response
    }

    /// The row's compliance.
    pub fn compliance(&self, row: usize) -> f64 {
        self.compliance[row]
    }

    /// `M⁻¹ Jᵀ λ`: what the impulses do to the velocities, `[v, ω]` a body, six numbers each. This is the state of the
    /// incremental products.
    pub fn velocity_change(&self, impulses: &[f64], change: &mut [f64]) {
        self.load(impulses, change);
    }

    /// Whether all rows of a block are on the same two bodies, as the incremental products require.
    pub(crate) fn is_one_pair(&self, block: &Block) -> bool {
        let pairs = &self.pairs[block.rows()];
        pairs.iter().all(|pair| pair == &pairs[0])
    }

    /// The six numbers of each of a row's two bodies.
    #[inline(always)]
    fn gather(&self, row: usize, state: &[f64]) -> [f64; 12] {
        let [a, b] = self.pairs[row];
        let mut v = [0.0; 12];
        v[..6].copy_from_slice(&state[6 * a as usize..6 * a as usize + 6]);
        v[6..].copy_from_slice(&state[6 * b as usize..6 * b as usize + 6]);
        v
    }
}

impl Delassus for RigidBodies {
    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn state_len(&self) -> usize {
        6 * self.bodies.len()
    }

    fn load(&self, impulses: &[f64], state: &mut [f64]) {
        state.fill(0.0);
        for (row, &impulse) in impulses.iter().enumerate() {
            if impulse != 0.0 {
                self.block_changed(row..row + 1, &[impulse], state);
            }
        }
    }

    #[inline(always)]
    fn block_product(&self, rows: Range<usize>, impulses: &[f64], state: &[f64], out: &mut [f64]) {
        // All rows of a block are on the same two bodies.
        let v = self.gather(rows.start, state);
        let data = &self.rows[rows.clone()];
        let compliance = &self.compliance[rows.clone()];
        let impulses = &impulses[rows];
        for k in 0..out.len() {
            out[k] = dot(&data[k].jacobian, &v) + compliance[k] * impulses[k];
        }
    }

    #[inline(always)]
    fn block_changed(&self, rows: Range<usize>, delta: &[f64], state: &mut [f64]) {
        let [a, b] = self.pairs[rows.start];
        let (a, b) = (6 * a as usize, 6 * b as usize);
        let mut change = [0.0; 12];
        for (row, delta) in self.rows[rows].iter().zip(delta) {
            for k in 0..12 {
                change[k] += delta * row.response[k];
            }
        }
        for (v, change) in state[a..a + 6].iter_mut().zip(&change[..6]) {
            *v += change;
        }
        for (v, change) in state[b..b + 6].iter_mut().zip(&change[6..]) {
            *v += change;
        }
    }

    fn diagonal(&self, row: usize) -> f64 {
        self.diagonal[row]
    }

    fn diagonal_block(&self, rows: Range<usize>, out: &mut [f64]) {
        let n = rows.len();
        for (i, row) in rows.clone().enumerate() {
            for (j, column) in rows.clone().enumerate().take(i) {
                let entry = dot(&self.rows[row].jacobian, &self.rows[column].response);
                out[n * i + j] = entry;
                out[n * j + i] = entry;
            }
            out[n * i + i] = self.diagonal[row];
        }
    }

    fn apply(&self, x: &[f64], y: &mut [f64]) {
        let mut state = vec![0.0; self.state_len()];
        self.load(x, &mut state);
        for row in 0..self.rows.len() {
            self.block_product(row..row + 1, x, &state, &mut y[row..row + 1]);
        }
    }
}

/// Twelve products, summed in two halves so that a pair of lanes can work side by side.
#[inline(always)]
pub(super) fn dot(a: &[f64; 12], b: &[f64; 12]) -> f64 {
    let mut even = 0.0;
    let mut odd = 0.0;
    for k in 0..6 {
        even += a[2 * k] * b[2 * k];
        odd += a[2 * k + 1] * b[2 * k + 1];
    }
    even + odd
}
