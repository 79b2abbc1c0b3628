//! A problem as our solvers see it, in plain numbers: what [`json`](super::json) writes.

use drystone_solver::{BlockMatrix, Cone, InverseMass, Operator, Problem, Row};
use nalgebra::Matrix3;
use serde::{Deserialize, Serialize};

use super::Matrix;
use super::check::vector;
use super::error::{ConvertError, Mismatch};

/// A problem as our solvers see it.
#[derive(Debug, Clone, PartialEq)]
pub struct NativeProblem {
    /// The blocks, in the order of their rows.
    pub blocks: Vec<NativeBlock>,
    /// b, one a row.
    pub bias: Vec<f64>,
    /// A.
    pub operator: NativeOperator,
}

/// Rows that share a cone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NativeBlock {
    /// How many.
    pub rows: u32,
    /// Where their impulses lie.
    pub cone: NativeCone,
}

/// [`Cone`], as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum NativeCone {
    /// [`Cone::Free`].
    Free,
    /// [`Cone::NonNegative`].
    NonNegative,
    /// [`Cone::Interval`].
    Interval {
        /// Lower bound; none is −∞.
        lower: Option<f64>,
        /// Upper bound; none is ∞.
        upper: Option<f64>,
    },
    /// [`Cone::Friction`].
    Friction {
        /// Coulomb's μ.
        coefficient: f64,
    },
    /// [`Cone::Rolling`].
    Rolling {
        /// Coulomb's μ.
        friction: f64,
        /// μ_r.
        rolling: f64,
    },
    /// [`Cone::SecondOrder`].
    SecondOrder {
        /// μ.
        coefficient: f64,
    },
}

/// [`Operator`], as it is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum NativeOperator {
    /// Rows on pairs of rigid bodies.
    RigidBodies {
        /// The bodies from 1 on.
        bodies: Vec<NativeBody>,
        /// The rows.
        rows: Vec<NativeRow>,
    },
    /// A sparse matrix of dense blocks.
    Matrix {
        /// The blocks that are not zero.
        entries: Vec<NativeEntry>,
    },
}

/// The inverse mass and inertia of a body.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NativeBody {
    /// 1/m.
    pub inverse_mass: f64,
    /// I⁻¹, row by row.
    pub inverse_inertia: [f64; 9],
}

/// A row on two bodies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NativeRow {
    /// The bodies; 0 is the immovable one.
    pub pair: [u32; 2],
    /// `[J_lin a, J_ang a, J_lin b, J_ang b]`.
    pub jacobian: [f64; 12],
    /// The row's entry of Σ.
    pub compliance: f64,
}

/// A dense block of a matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NativeEntry {
    /// Block row.
    pub row: u32,
    /// Block column.
    pub column: u32,
    /// The numbers, row by row.
    pub values: Vec<f64>,
}

impl NativeProblem {
    /// A solver's problem as it is written.
    pub fn of(problem: &Problem) -> Self {
        let blocks = problem.blocks.iter().map(|block| NativeBlock {
            rows: block.len,
            cone: block.cone.into(),
        });
        let operator = match &problem.operator {
            Operator::RigidBodies(rigid) => NativeOperator::RigidBodies {
                bodies: (1..rigid.body_count())
                    .map(|body| rigid.inverse_mass(body as u32).into())
                    .collect(),
                rows: (0..problem.rows())
                    .map(|row| NativeRow {
                        pair: rigid.pair(row),
                        jacobian: rigid.jacobian(row),
                        compliance: rigid.compliance(row),
                    })
                    .collect(),
            },
            Operator::Matrix(matrix) => NativeOperator::Matrix {
                entries: entries(matrix),
            },
        };
        Self {
            blocks: blocks.collect(),
            bias: problem.bias.clone(),
            operator,
        }
    }

    /// As a solver's problem.
    pub fn to_problem(&self) -> Result<Problem, ConvertError> {
        let sizes = self.blocks.iter().map(|block| block.rows as usize);
        match &self.operator {
            NativeOperator::RigidBodies { bodies, rows } => {
                let mut problem = Problem::default();
                let mut assembler = problem.assemble();
                for body in bodies {
                    assembler.add_body(InverseMass::from(*body));
                }
                let mut next = 0;
                for (block, size) in self.blocks.iter().zip(sizes) {
                    let span = next..next + size;
                    next = span.end;
                    let (Some(rows), Some(bias)) = (rows.get(span.clone()), self.bias.get(span)) else {
                        return Err(ConvertError::Shape("the blocks have more rows than there are".into()));
                    };
                    let pair = rows.first().map_or([0, 0], |row| row.pair);
                    if rows
                        .iter()
                        .any(|row| row.pair != pair || row.pair.iter().any(|&k| k as usize > bodies.len()))
                    {
                        return Err(ConvertError::Shape(
                            "the rows of a block are not on one pair of bodies".into(),
                        ));
                    }
                    let rows: Vec<Row> = rows
                        .iter()
                        .zip(bias)
                        .map(|(row, &bias)| Row {
                            jacobian: row.jacobian,
                            bias,
                            compliance: row.compliance,
                        })
                        .collect();
                    assembler.add_block(pair, block.cone.into(), &rows);
                }
                problem.validate()?;
                Ok(problem)
            }
            NativeOperator::Matrix { entries } => {
                let sizes: Vec<usize> = sizes.collect();
                let mut starts = vec![0];
                starts.extend(sizes.iter().scan(0, |sum, size| {
                    *sum += size;
                    Some(*sum)
                }));
                let n = self.bias.len();
                let places = entries.iter().flat_map(|entry| {
                    let width = sizes[entry.column as usize].max(1);
                    let (top, left) = (starts[entry.row as usize], starts[entry.column as usize]);
                    let place = move |(k, &value): (usize, &f64)| (top + k / width, left + k % width, value);
                    entry.values.iter().enumerate().map(place)
                });
                let matrix = BlockMatrix::from_csr(&Matrix::from_triplets(n, n, places).to_csr(), &sizes)?;
                let cones: Vec<Cone> = self.blocks.iter().map(|block| block.cone.into()).collect();
                Ok(Problem::from_matrix(matrix, self.bias.clone(), &cones)?)
            }
        }
    }

    /// Checks what reading the fields one by one does not; returns the number of rows.
    pub(super) fn check(&self) -> Result<usize, Mismatch> {
        let total: u64 = self.blocks.iter().map(|block| u64::from(block.rows)).sum();
        if total != self.bias.len() as u64 {
            return Err(Mismatch::entry(
                "bias",
                format!("{total} numbers"),
                self.bias.len().to_string(),
            ));
        }
        vector("bias", &self.bias, self.bias.len())?;
        for (index, block) in self.blocks.iter().enumerate() {
            let wrong = |found: String| Mismatch::entry(&format!("blocks[{index}]"), "a valid cone", found);
            let cone = Cone::from(block.cone);
            cone.check(block.rows as usize).map_err(wrong)?;
        }
        match &self.operator {
            NativeOperator::RigidBodies { bodies, rows } => {
                if rows.len() != self.bias.len() {
                    let found = rows.len().to_string();
                    return Err(Mismatch::entry("rows", format!("{} rows", self.bias.len()), found));
                }
                for (index, row) in rows.iter().enumerate() {
                    let wrong =
                        |expected: &str, found: String| Mismatch::entry(&format!("rows[{index}]"), expected, found);
                    if row.pair.iter().any(|&body| body as usize > bodies.len()) {
                        let expected = format!("bodies up to {}", bodies.len());
                        return Err(wrong(&expected, format!("{:?}", row.pair)));
                    }
                    let finite = row.jacobian.iter().chain([&row.compliance]).all(|x| x.is_finite());
                    if !finite || row.compliance < 0.0 {
                        return Err(wrong("finite numbers, and a compliance of 0 or more", "others".into()));
                    }
                }
                let finite = |body: &NativeBody| {
                    body.inverse_mass >= 0.0
                        && [body.inverse_mass]
                            .iter()
                            .chain(&body.inverse_inertia)
                            .all(|x| x.is_finite())
                };
                if let Some(index) = bodies.iter().position(|body| !finite(body)) {
                    let name = format!("bodies[{index}]");
                    return Err(Mismatch::entry(
                        &name,
                        "finite numbers, and a mass of 0 or more",
                        "others",
                    ));
                }
            }
            NativeOperator::Matrix { entries } => {
                let size = |block: u32| self.blocks.get(block as usize).map(|block| block.rows as usize);
                for (index, entry) in entries.iter().enumerate() {
                    let name = format!("entries[{index}]");
                    let (Some(height), Some(width)) = (size(entry.row), size(entry.column)) else {
                        let expected = format!("one of {}² places", self.blocks.len());
                        return Err(Mismatch::entry(
                            &name,
                            expected,
                            format!("({}, {})", entry.row, entry.column),
                        ));
                    };
                    vector(&name, &entry.values, height * width)?;
                }
            }
        }
        Ok(self.bias.len())
    }
}

/// The stored blocks of a matrix.
fn entries(matrix: &BlockMatrix) -> Vec<NativeEntry> {
    let mut block_of = Vec::new();
    for block in 0..matrix.block_count() {
        block_of.extend(matrix.block_rows(block).map(|_| block as u32));
    }
    let mut entries: Vec<NativeEntry> = Vec::new();
    // The numbers come block by block, each row by row.
    for (row, column, value) in matrix.triplets() {
        let (row, column) = (block_of[row], block_of[column]);
        match entries.last_mut() {
            Some(entry) if (entry.row, entry.column) == (row, column) => entry.values.push(value),
            _ => entries.push(NativeEntry {
                row,
                column,
                values: vec![value],
            }),
        }
    }
    entries
}

impl From<Cone> for NativeCone {
    fn from(cone: Cone) -> Self {
        let bound = |bound: f64| bound.is_finite().then_some(bound);
        match cone {
            Cone::Free => Self::Free,
            Cone::NonNegative => Self::NonNegative,
            Cone::Interval { lower, upper } => Self::Interval {
                lower: bound(lower),
                upper: bound(upper),
            },
            Cone::Friction { coefficient } => Self::Friction { coefficient },
            Cone::Rolling { friction, rolling } => Self::Rolling { friction, rolling },
            Cone::SecondOrder { coefficient } => Self::SecondOrder { coefficient },
        }
    }
}

impl From<NativeCone> for Cone {
    fn from(cone: NativeCone) -> Self {
        match cone {
            NativeCone::Free => Self::Free,
            NativeCone::NonNegative => Self::NonNegative,
            NativeCone::Interval { lower, upper } => Self::Interval {
                lower: lower.unwrap_or(f64::NEG_INFINITY),
                upper: upper.unwrap_or(f64::INFINITY),
            },
            NativeCone::Friction { coefficient } => Self::Friction { coefficient },
            NativeCone::Rolling { friction, rolling } => Self::Rolling { friction, rolling },
            NativeCone::SecondOrder { coefficient } => Self::SecondOrder { coefficient },
        }
    }
}

impl From<InverseMass> for NativeBody {
    fn from(inverse: InverseMass) -> Self {
        Self {
            inverse_mass: inverse.mass,
            inverse_inertia: std::array::from_fn(|k| inverse.inertia[(k / 3, k % 3)]),
        }
    }
}

impl From<NativeBody> for InverseMass {
    fn from(body: NativeBody) -> Self {
        Self {
            mass: body.inverse_mass,
            inertia: Matrix3::from_row_slice(&body.inverse_inertia),
        }
    }
}
