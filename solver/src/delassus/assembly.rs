//! From rigid bodies to an explicit matrix: `A = J M⁻¹ Jᵀ + Σ` block by block.
//!
//! Two blocks meet in A only where they share a body that moves; entry (l, k) is the sum over the shared bodies of
//! `J_l M⁻¹ J_kᵀ = H_l H_kᵀ`, which for contact normals is the closed form (4.28) of the dissertation.

use super::matrix::{BlockMatrix, Builder, prefix_sums};
use super::rigid::RigidBodies;
use crate::error::SolveError;
use crate::problem::{Operator, Problem};

impl Problem {
    /// A as an explicit sparse block matrix with this problem's blocks.
    pub fn assembled(&self) -> Result<BlockMatrix, SolveError> {
        match &self.operator {
            Operator::Matrix(matrix) => Ok(matrix.clone()),
            Operator::RigidBodies(bodies) => {
                self.check_structure()?;
                let sizes: Vec<usize> = self.blocks.iter().map(|block| block.len as usize).collect();
                assemble(bodies, &sizes)
            }
        }
    }

    /// The same problem with A as an explicit matrix.
    pub fn explicit(&self) -> Result<Self, SolveError> {
        Ok(Self {
            blocks: self.blocks.clone(),
            bias: self.bias.clone(),
            operator: Operator::Matrix(self.assembled()?),
        })
    }
}

fn assemble(bodies: &RigidBodies, sizes: &[usize]) -> Result<BlockMatrix, SolveError> {
    let starts = prefix_sums(sizes);
    let blocks_of_body = blocks_of_body(bodies, &starts);
    let mut builder = Builder::new(starts);
    let mut columns: Vec<u32> = Vec::new();
    for block in 0..sizes.len() {
        let rows = builder.block_rows(block);
        columns.clear();
        columns.push(block as u32);
        for body in moving(bodies.pair(rows.start)) {
            columns.extend_from_slice(&blocks_of_body[body as usize]);
        }
        columns.sort_unstable();
        columns.dedup();
        for &column in &columns {
            let span = builder.block_rows(column as usize);
            builder.push(column, |values| {
                for row in rows.clone() {
                    for other in span.clone() {
                        let mut entry = shared_product(bodies, row, other);
                        if row == other {
                            entry += bodies.compliance(row);
                        }
                        values.push(entry);
                    }
                }
            });
        }
        builder.finish_row();
    }
    builder.finish()
}

/// `H_row · H_other` over the bodies they share.
fn shared_product(bodies: &RigidBodies, row: usize, other: usize) -> f64 {
    let (row_numbers, other_numbers) = (bodies.scaled_row(row), bodies.scaled_row(other));
    let mut sum = 0.0;
    for (side, body) in bodies.pair(row).into_iter().enumerate() {
        for (other_side, other_body) in bodies.pair(other).into_iter().enumerate() {
            if body == other_body && body != RigidBodies::IMMOVABLE {
                for k in 0..6 {
                    sum += row_numbers[6 * side + k] * other_numbers[6 * other_side + k];
                }
            }
        }
    }
    sum
}

fn blocks_of_body(bodies: &RigidBodies, starts: &[u32]) -> Vec<Vec<u32>> {
    let mut lists = vec![Vec::new(); bodies.body_count()];
    for (block, &first) in starts[..starts.len() - 1].iter().enumerate() {
        for body in moving(bodies.pair(first as usize)) {
            lists[body as usize].push(block as u32);
        }
    }
    lists
}

fn moving(pair: [u32; 2]) -> impl Iterator<Item = u32> {
    pair.into_iter().filter(|&body| body != RigidBodies::IMMOVABLE)
}
