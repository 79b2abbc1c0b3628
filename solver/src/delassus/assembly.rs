//! From rigid bodies to an explicit matrix: `A = J M⁻¹ Jᵀ + Σ` block by block.

use super::couplings::Couplings;
use super::matrix::{BlockMatrix, Builder, prefix_sums};
use super::{Delassus, RigidBodies};
use crate::error::SolveError;
use crate::problem::{Operator, Problem};

impl Problem {
    /// A as an explicit sparse block matrix with this problem's blocks.
    pub fn assembled(&self) -> Result<BlockMatrix, SolveError> {
        match &self.operator {
            Operator::Matrix(matrix) => Ok(matrix.clone()),
            Operator::RigidBodies(bodies) => {
                self.check_structure()?;
                self.assemble_matrix(bodies)
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

    fn assemble_matrix(&self, bodies: &RigidBodies) -> Result<BlockMatrix, SolveError> {
        let sizes: Vec<usize> = self.blocks.iter().map(|block| block.len as usize).collect();
        let mut couplings = Couplings::default();
        couplings.read(self);
        let mut builder = Builder::new(prefix_sums(&sizes));
        for (index, block) in self.blocks.iter().enumerate() {
            for &other in couplings.of(index) {
                let columns = self.blocks[other as usize].rows();
                builder.push(other, |values| {
                    let start = values.len();
                    values.resize(start + block.len as usize * columns.len(), 0.0);
                    bodies.block(block.rows(), columns, &mut values[start..]);
                });
            }
            builder.finish_row();
        }
        builder.finish()
    }
}
