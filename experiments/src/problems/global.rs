//! Global problems: matrix-free on rigid bodies where M and H are theirs, with `W = Hᵀ M⁻¹ H` for everything else.
//!
//! M is that of rigid bodies if it is made of 6×6 blocks `diag(m I₃, J)` with J symmetric and positive definite, and no
//! contact has entries on more than two of them; the frame of the angular velocities does not matter. Gyroscopic terms on
//! the left-hand side (an unsymmetric J), meshes, and bodies in the plane are left to W.

use drystone_solver::{Cone, InverseMass, Problem, RigidBodies, Row};
use nalgebra::{Matrix3, Vector3, Vector6};

use super::convert::{contact_cones, explicit};
use super::mass::{FactorisedMass, Reduced};
use super::*;

/// Most rows of a joint.
const LARGEST_JOINT: usize = 6;

/// What is asymmetric by less than this, relative to the largest entry, is so by rounding.
const ROUNDING: f64 = 1e-13;

impl Global {
    /// Matrix-free if it can be, else with an explicit matrix.
    pub fn to_problem(&self) -> Result<Problem, ConvertError> {
        match self.rigid()? {
            Some(problem) => Ok(problem),
            None => self.assembled(),
        }
    }

    /// With `W = Hᵀ M⁻¹ H` as an explicit sparse matrix, whatever M is.
    pub fn assembled(&self) -> Result<Problem, ConvertError> {
        let columns = self.columns();
        let Reduced { matrix, forces } = FactorisedMass::new(&self.m)?.reduce(&columns, &self.f)?;
        let bias: Vec<f64> = forces
            .iter()
            .zip(self.offsets())
            .map(|(force, offset)| force + offset)
            .collect();
        let mut blocks = contact_cones(self.dimension, &self.mu, self.mu_r.as_deref());
        blocks.extend(
            self.equality
                .iter()
                .flat_map(|equality| vec![(1, Cone::Free); equality.b.len()]),
        );
        explicit(&matrix, &bias, blocks)
    }

    /// Matrix-free on rigid bodies; nothing if M and H are not theirs.
    pub fn rigid(&self) -> Result<Option<Problem>, ConvertError> {
        let Some(masses) = rigid_masses(&self.m) else {
            return Ok(None);
        };
        let columns = self.columns();
        let mut blocks = Vec::new();
        let mut next = 0;
        for (size, cone) in contact_cones(self.dimension, &self.mu, self.mu_r.as_deref()) {
            let Some(pair) = bodies_of(&columns[next..next + size]) else {
                return Ok(None);
            };
            blocks.push((next..next + size, pair, cone));
            next += size;
        }
        while next < columns.len() {
            let Some(pair) = bodies_of(&columns[next..=next]) else {
                return Ok(None);
            };
            match blocks.last_mut() {
                Some((rows, last, Cone::Free)) if *last == pair && rows.len() < LARGEST_JOINT => rows.end += 1,
                _ => blocks.push((next..next + 1, pair, Cone::Free)),
            }
            next += 1;
        }

        let offsets: Vec<f64> = self.offsets().collect();
        let mut problem = Problem::default();
        let mut assembler = problem.assemble();
        let free: Vec<Vector6<f64>> = masses
            .iter()
            .zip(self.f.chunks_exact(6))
            .map(|(inverse, f)| {
                assembler.add_body(*inverse);
                let linear = inverse.mass * Vector3::new(f[0], f[1], f[2]);
                let angular = inverse.inertia * Vector3::new(f[3], f[4], f[5]);
                Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
            })
            .collect();
        for (rows, pair, cone) in blocks {
            let rows: Vec<Row> = rows
                .map(|row| on_pair(&columns[row], pair, &free, offsets[row]))
                .collect();
            assembler.add_block(pair, cone, &rows);
        }
        problem.validate()?;
        Ok(Some(problem))
    }

    /// The columns of H, then those of G, as (degree of freedom, value).
    fn columns(&self) -> Vec<Vec<(usize, f64)>> {
        let g = self.equality.as_ref().map(|equality| &equality.g);
        let mut columns = vec![Vec::new(); self.h.columns + g.map_or(0, |g| g.columns)];
        for (freedom, column, value) in self.h.entries() {
            columns[column].push((freedom, value));
        }
        for (freedom, column, value) in g.into_iter().flat_map(|g| g.entries()) {
            columns[self.h.columns + column].push((freedom, value));
        }
        columns
    }

    /// w, then b.
    fn offsets(&self) -> impl Iterator<Item = f64> {
        self.w
            .iter()
            .chain(self.equality.iter().flat_map(|equality| &equality.b))
            .copied()
    }
}

/// The row of a column of H on its two bodies.
fn on_pair(column: &[(usize, f64)], pair: [u32; 2], free: &[Vector6<f64>], offset: f64) -> Row {
    let mut row = Row {
        jacobian: [0.0; 12],
        bias: offset,
        compliance: 0.0,
    };
    for &(freedom, value) in column.iter().filter(|(_, value)| *value != 0.0) {
        let body = freedom / 6;
        let side = usize::from(pair[1] as usize == body + 1);
        row.jacobian[6 * side + freedom % 6] += value;
        row.bias += value * free[body][freedom % 6];
    }
    row
}

/// The two bodies that some columns of H act on, as the solver counts them; nothing if there are more.
fn bodies_of(columns: &[Vec<(usize, f64)>]) -> Option<[u32; 2]> {
    let mut pair = [RigidBodies::IMMOVABLE; 2];
    for &(freedom, value) in columns.iter().flatten() {
        let body = u32::try_from(freedom / 6 + 1).ok()?;
        if value == 0.0 || pair.contains(&body) {
            continue;
        }
        let free = pair.iter().rposition(|&taken| taken == RigidBodies::IMMOVABLE)?;
        pair[free] = body;
    }
    pair.sort_unstable();
    Some(pair)
}

/// The inverse masses of the bodies that M is made of; nothing if it is not.
fn rigid_masses(m: &Matrix) -> Option<Vec<InverseMass>> {
    if !m.rows.is_multiple_of(6) {
        return None;
    }
    let mut blocks = vec![[[0.0; 6]; 6]; m.rows / 6];
    for (row, column, value) in m.entries() {
        if row / 6 == column / 6 {
            blocks[row / 6][row % 6][column % 6] += value;
        } else if value != 0.0 {
            return None;
        }
    }
    blocks.iter().map(rigid_mass).collect()
}

fn rigid_mass(block: &[[f64; 6]; 6]) -> Option<InverseMass> {
    let mass = block[0][0];
    let is_linear = |i: usize, j: usize| block[i][j] == if i == j { mass } else { 0.0 };
    let linear = (0..3).all(|i| (0..3).all(|j| is_linear(i, j)));
    let coupled = (0..3).any(|i| (3..6).any(|j| block[i][j] != 0.0 || block[j][i] != 0.0));
    let inertia = Matrix3::from_fn(|i, j| block[i + 3][j + 3]);
    let asymmetry = (inertia - inertia.transpose()).amax();
    if !linear || coupled || mass <= 0.0 || asymmetry > ROUNDING * inertia.amax() {
        return None;
    }
    let inverse = (0.5 * (inertia + inertia.transpose())).cholesky()?.inverse();
    Some(InverseMass {
        mass: 1.0 / mass,
        inertia: 0.5 * (inverse + inverse.transpose()),
    })
}
