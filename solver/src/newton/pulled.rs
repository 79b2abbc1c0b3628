//! The proximal problem as a problem of its own, so that other methods can work on it: `A + τS` and `b − τSλ̄`.

use crate::problem::{Operator, Problem};

/// A copy of a problem that is pulled towards a point.
#[derive(Debug)]
pub(super) struct Pulled {
    /// The copy.
    pub(super) problem: Problem,
    strength: f64,
}

impl Pulled {
    pub(super) fn new(original: &Problem) -> Self {
        Self {
            problem: original.clone(),
            strength: 0.0,
        }
    }

    /// Makes the copy the proximal problem of `original` at a centre, with τ and the blocks' scales.
    pub(super) fn pull(&mut self, original: &Problem, scales: &[f64], centre: &[f64], strength: f64) {
        for (index, (block, scale)) in original.blocks.iter().zip(scales).enumerate() {
            for row in block.rows() {
                self.problem.bias[row] = original.bias[row] - strength * scale * centre[row];
            }
            match (&mut self.problem.operator, &original.operator) {
                (Operator::RigidBodies(copy), Operator::RigidBodies(bodies)) => {
                    for row in block.rows() {
                        copy.set_compliance(row, bodies.compliance(row) + strength * scale);
                    }
                }
                (Operator::Matrix(copy), _) => copy.add_to_diagonal(index, (strength - self.strength) * scale),
                (Operator::RigidBodies(_), Operator::Matrix(_)) => unreachable!("a copy has its original's operator"),
            }
        }
        self.strength = strength;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BlockMatrix, Cone};
    use nalgebra::DMatrix;

    /// Velocities of the copy are those of the original plus τS(λ − λ̄), also after being pulled elsewhere before.
    #[test]
    fn the_pull_is_added_to_the_velocities() {
        let a = DMatrix::from_row_slice(3, 3, &[2.0, 0.3, 0.1, 0.2, 3.0, 0.0, 0.1, 0.0, 4.0]);
        let matrix = BlockMatrix::from_dense(&a, &[1, 2]).unwrap();
        let original = Problem::from_matrix(matrix, vec![0.1, -0.2, 0.3], &[Cone::Free; 2]).unwrap();
        let scales = [2.0, 3.5];
        let (centre, impulses) = ([0.5, -1.0, 2.0], [1.0, 2.0, -3.0]);
        let mut pulled = Pulled::new(&original);
        pulled.pull(&original, &scales, &[9.0; 3], 7.0);
        pulled.pull(&original, &scales, &centre, 0.25);
        let (mut expected, mut found) = ([0.0; 3], [0.0; 3]);
        original.velocities(&impulses, &mut expected);
        for k in 0..3 {
            expected[k] += 0.25 * scales[usize::from(k > 0)] * (impulses[k] - centre[k]);
        }
        pulled.problem.velocities(&impulses, &mut found);
        for k in 0..3 {
            // Adding and taking off a pull of 7 rounds at 1e-15 of it.
            assert!((expected[k] - found[k]).abs() < 1e-13);
        }
    }
}
