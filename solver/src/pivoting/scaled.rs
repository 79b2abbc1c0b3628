//! A linear complementarity problem with ones on the diagonal, so that tolerances need no units.

use nalgebra_sparse::{CooMatrix, CscMatrix};

use crate::formulation::Lcp;

/// The problem with ones on the diagonal, `S M S` and `S q / ‖S q‖`.
pub(super) struct Scaled {
    pub(super) matrix: CscMatrix<f64>,
    pub(super) bias: Vec<f64>,
    pub(super) scale: Vec<f64>,
    size: f64,
}

impl Scaled {
    pub(super) fn new(lcp: &Lcp) -> Self {
        let mut matrix = lcp.matrix.clone();
        let scale = scales(&matrix);
        for (column, mut entries) in matrix.col_iter_mut().enumerate() {
            let (rows, values) = entries.rows_and_values_mut();
            for (&row, value) in rows.iter().zip(values) {
                *value *= scale[row] * scale[column];
            }
        }
        let mut bias: Vec<f64> = lcp.bias.iter().zip(&scale).map(|(q, s)| q * s).collect();
        let size = bias.iter().fold(0.0, |size: f64, q| size.max(q.abs()));
        let size = if size > 0.0 { size } else { 1.0 };
        bias.iter_mut().for_each(|q| *q /= size);
        Self {
            matrix,
            bias,
            scale,
            size,
        }
    }

    /// Which z a start suggests to be basic: those that outweigh their w.
    pub(super) fn active(&self, start: &[f64]) -> Vec<bool> {
        let z: Vec<f64> = start
            .iter()
            .zip(&self.scale)
            .map(|(z, s)| z / (s * self.size))
            .collect();
        let mut w = self.bias.clone();
        for (column, entries) in self.matrix.col_iter().enumerate() {
            for (&row, &value) in entries.row_indices().iter().zip(entries.values()) {
                w[row] += value * z[column];
            }
        }
        z.iter().zip(&w).map(|(&z, &w)| z > 0.0 && z > w).collect()
    }

    /// z of the problem itself, from that of the scaled one.
    pub(super) fn solution(&self, z: &[f64]) -> Vec<f64> {
        z.iter()
            .zip(&self.scale)
            .map(|(z, scale)| z * scale * self.size)
            .collect()
    }

    /// `M + εI`.
    pub(super) fn shifted(&self, epsilon: f64) -> CscMatrix<f64> {
        let mut triplets = CooMatrix::from(&self.matrix);
        (0..self.bias.len()).for_each(|k| triplets.push(k, k, epsilon));
        CscMatrix::from(&triplets)
    }
}

/// s_i = 1/√M_ii; rows with nothing on the diagonal are made as large as their largest entry.
fn scales(matrix: &CscMatrix<f64>) -> Vec<f64> {
    let n = matrix.ncols();
    let mut scale = vec![0.0; n];
    for (row, column, &value) in matrix.triplet_iter() {
        if row == column && value > 0.0 {
            scale[row] = value.sqrt().recip();
        }
    }
    let known = scale.clone();
    let mut largest = vec![0.0_f64; n];
    for (row, column, value) in matrix.triplet_iter() {
        for (this, other) in [(row, column), (column, row)] {
            if known[this] == 0.0 {
                let other = if known[other] == 0.0 { 1.0 } else { known[other] };
                largest[this] = largest[this].max(value.abs() * other);
            }
        }
    }
    for (scale, largest) in scale.iter_mut().zip(largest) {
        if *scale == 0.0 {
            *scale = if largest > 0.0 { largest.recip() } else { 1.0 };
        }
    }
    scale
}
