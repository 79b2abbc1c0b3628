//! The system every solver gets: find impulses λ with
//!
//! ```text
//! w = A λ + b,   λ ∈ K,   w ∈ K*,   λ·w = 0,        A = J M⁻¹ Jᵀ + Σ
//! ```
//!
//! (dissertation (4.221), with `b = J(u + h M⁻¹ f_ext) − target`). Rows come in blocks: a contact is a block of three,
//! a hinge of five, a limit of one. The operator A is behind [`Delassus`]; a problem from rigid bodies
//! never forms it, a stored problem brings it as a sparse block matrix.

use std::ops::Range;

use crate::assembler::Assembler;
use crate::cone::Cone;
use crate::delassus::{BlockMatrix, Delassus, RigidBodies};
use crate::error::SolveError;
use crate::vector;

/// Consecutive rows that share one cone, and for rigid bodies one pair of bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// Index of its first row.
    pub first: u32,
    /// Number of rows.
    pub len: u32,
    /// Where its impulses may lie.
    pub cone: Cone,
}

impl Block {
    /// None at all, which no problem should have.
    pub(crate) const EMPTY: Self = Self {
        first: 0,
        len: 0,
        cone: Cone::NonNegative,
    };

    /// The indices of its rows.
    #[inline]
    pub fn rows(&self) -> Range<usize> {
        self.first as usize..self.first as usize + self.len as usize
    }

    /// [`Cone::discs`] with the rows counted in the problem.
    pub(crate) fn discs(&self) -> impl Iterator<Item = (f64, Range<usize>)> {
        let first = self.first as usize;
        let discs = self.cone.discs(self.len as usize);
        discs.map(move |(mu, rows)| (mu, first + rows.start..first + rows.end))
    }

    /// s: the mean diagonal entry of A on these rows, 1/kg, which makes impulses into velocities of like size; 1 where
    /// there is nothing on the diagonal (auxiliary variables).
    pub(crate) fn scale(&self, operator: &(impl Delassus + ?Sized)) -> f64 {
        let mean = self.rows().map(|row| operator.diagonal(row)).sum::<f64>() / f64::from(self.len);
        // A NaN must stay one.
        if mean <= 0.0 { 1.0 } else { mean }
    }
}

/// One row on two bodies, as a constraint writes it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// `[J_lin a, J_ang a, J_lin b, J_ang b]`: the row's velocity is its product with `[v_a, ω_a, v_b, ω_b]`.
    pub jacobian: [f64; 12],
    /// The row's entry of b.
    pub bias: f64,
    /// The row's entry of Σ, 0 or more: constraint force mixing, K/h of (4.239).
    pub compliance: f64,
}

/// The Delassus operator A in one of its forms.
#[derive(Debug, Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one to a problem, and the large one is the usual one"
)]
pub enum Operator {
    /// `J M⁻¹ Jᵀ + Σ`, matrix-free.
    RigidBodies(RigidBodies),
    /// An explicit sparse block matrix.
    Matrix(BlockMatrix),
}

impl Operator {
    /// The operator as a trait object, for everything that is not an inner loop.
    pub fn as_delassus(&self) -> &dyn Delassus {
        match self {
            Self::RigidBodies(operator) => operator,
            Self::Matrix(operator) => operator,
        }
    }
}

/// Runs an expression with the concrete operator, so that inner loops are compiled for each of them.
macro_rules! with_operator {
    ($operator:expr, $name:ident => $body:expr) => {
        match $operator {
            $crate::problem::Operator::RigidBodies($name) => $body,
            $crate::problem::Operator::Matrix($name) => $body,
        }
    };
}
pub(crate) use with_operator;

/// A velocity-level complementarity problem.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The blocks, in the order of their rows, without gaps.
    pub blocks: Vec<Block>,
    /// b, one entry a row.
    pub bias: Vec<f64>,
    /// A.
    pub operator: Operator,
}

impl Default for Problem {
    fn default() -> Self {
        Self {
            blocks: Vec::new(),
            bias: Vec::new(),
            operator: Operator::RigidBodies(RigidBodies::new()),
        }
    }
}

impl Problem {
    /// A problem with an explicit matrix. The blocks of `matrix` and the cones must agree.
    pub fn from_matrix(matrix: BlockMatrix, bias: Vec<f64>, cones: &[Cone]) -> Result<Self, SolveError> {
        let malformed = |message: String| Err(SolveError::Malformed(message));
        if bias.len() != matrix.rows() {
            return malformed(format!("{} rows but {} biases", matrix.rows(), bias.len()));
        }
        if cones.len() != matrix.block_count() {
            return malformed(format!("{} blocks but {} cones", matrix.block_count(), cones.len()));
        }
        let blocks = cones
            .iter()
            .enumerate()
            .map(|(index, &cone)| {
                let rows = matrix.block_rows(index);
                Block {
                    first: rows.start as u32,
                    len: rows.len() as u32,
                    cone,
                }
            })
            .collect();
        let problem = Self {
            blocks,
            bias,
            operator: Operator::Matrix(matrix),
        };
        problem.validate()?;
        Ok(problem)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.bias.len()
    }

    /// Empties the problem, keeping its memory, and returns what fills it with rows on rigid bodies.
    pub fn assemble(&mut self) -> Assembler<'_> {
        self.blocks.clear();
        self.bias.clear();
        self.assemble_over()
    }

    /// The same for a problem of nothing but contact points, for which [`Assembler::add_touches`] makes room once, also if there are
    /// none: what was here before is overwritten and not wiped out first, which in large problems is a pass over memory less.
    /// Room that is not filled keeps what was there.
    pub fn assemble_over(&mut self) -> Assembler<'_> {
        if !matches!(self.operator, Operator::RigidBodies(_)) {
            self.operator = Operator::RigidBodies(RigidBodies::new());
        }
        let Operator::RigidBodies(bodies) = &mut self.operator else {
            unreachable!("set just above")
        };
        bodies.clear();
        Assembler {
            blocks: &mut self.blocks,
            bias: &mut self.bias,
            bodies,
            is_begun: false,
        }
    }

    /// `w = Aλ + b`. Allocates on rigid bodies; for checks and measurements.
    pub fn velocities(&self, impulses: &[f64], velocities: &mut [f64]) {
        self.operator.as_delassus().apply(impulses, velocities);
        vector::add(velocities, 1.0, &self.bias);
    }

    /// `M⁻¹ Jᵀ λ`: what impulses do to the velocities, `[v, ω]` a body, the immovable one first. Nothing where there are no bodies.
    pub fn velocity_change(&self, impulses: &[f64], change: &mut Vec<f64>) {
        change.clear();
        if let Operator::RigidBodies(bodies) = &self.operator {
            change.resize(6 * bodies.body_count(), 0.0);
            bodies.velocity_change(impulses, change);
        }
    }

    /// The same with memory for the operator's state, which then belongs to these impulses.
    pub(crate) fn velocities_with(&self, impulses: &[f64], state: &mut [f64], velocities: &mut [f64]) {
        with_operator!(&self.operator, operator => {
            operator.load(impulses, state);
            self.velocities_at(operator, impulses, state, velocities);
        });
    }

    /// The same from a state that already belongs to these impulses.
    pub(crate) fn velocities_at(
        &self,
        operator: &impl Delassus,
        impulses: &[f64],
        state: &[f64],
        velocities: &mut [f64],
    ) {
        for block in &self.blocks {
            let rows = block.rows();
            operator.block_product(rows.clone(), impulses, state, &mut velocities[rows.clone()]);
            for row in rows {
                velocities[row] += self.bias[row];
            }
        }
    }

    /// `y = A x`, with memory for the operator's state, which then belongs to x.
    pub(crate) fn product(&self, x: &[f64], state: &mut [f64], y: &mut [f64]) {
        with_operator!(&self.operator, operator => {
            operator.load(x, state);
            for block in &self.blocks {
                operator.block_product(block.rows(), x, state, &mut y[block.rows()]);
            }
        });
    }

    /// Checks that blocks cover the rows and fit the operator, cones fit their blocks, and all numbers are finite.
    /// Solvers call it first.
    pub fn validate(&self) -> Result<(), SolveError> {
        self.check_structure()?;
        with_operator!(&self.operator, operator => self.check_numbers(operator))
    }

    /// Refuses a problem that is malformed, and a start that is not finite or does not fit it: what every solver does
    /// first.
    pub fn validate_start(&self, impulses: &[f64]) -> Result<(), SolveError> {
        self.validate()?;
        if impulses.len() != self.rows() {
            return Err(SolveError::Malformed(format!(
                "{} impulses for {} rows",
                impulses.len(),
                self.rows()
            )));
        }
        if vector::are_finite(impulses) {
            return Ok(());
        }
        match self
            .blocks
            .iter()
            .position(|block| !impulses[block.rows()].iter().all(|x| x.is_finite()))
        {
            Some(block) => Err(SolveError::NotFinite {
                block,
                what: "starting impulses",
            }),
            None => Ok(()),
        }
    }

    /// Checks that blocks cover the rows and fit the operator, and cones fit their blocks.
    pub(crate) fn check_structure(&self) -> Result<(), SolveError> {
        let malformed = |message: String| Err(SolveError::Malformed(message));
        let mut next = 0;
        for (index, block) in self.blocks.iter().enumerate() {
            if block.first as usize != next {
                return malformed(format!("block {index} begins at row {}, expected {next}", block.first));
            }
            if block.len == 0 {
                return malformed(format!("block {index} has no rows"));
            }
            if let Err(message) = block.cone.check(block.len as usize) {
                return malformed(format!("block {index}: {message}"));
            }
            next = block.rows().end;
        }
        let rows = self.operator.as_delassus().rows();
        if next != self.bias.len() || next != rows {
            return malformed(format!(
                "blocks have {next} rows, the bias {}, the operator {rows}",
                self.bias.len(),
            ));
        }
        match &self.operator {
            Operator::Matrix(matrix) if matrix.block_count() != self.blocks.len() => malformed(format!(
                "{} blocks but {} in the matrix",
                self.blocks.len(),
                matrix.block_count()
            )),
            Operator::Matrix(matrix) => match (0..self.blocks.len()).find(|&k| !matrix.has_block(k, &self.blocks[k])) {
                Some(index) => malformed(format!("block {index} has other rows in the matrix")),
                None => Ok(()),
            },
            Operator::RigidBodies(bodies) if bodies.are_touches(&self.blocks) => Ok(()),
            Operator::RigidBodies(bodies) => match self.blocks.iter().position(|block| !bodies.is_one_pair(block)) {
                Some(index) => malformed(format!("block {index} is not on one pair of different bodies")),
                None => Ok(()),
            },
        }
    }

    fn check_numbers(&self, operator: &impl Delassus) -> Result<(), SolveError> {
        // Mostly nothing is wrong, and it need not be found out where.
        if let Some(bodies) = operator.as_bodies()
            && vector::are_finite(&self.bias)
            && vector::are_finite(bodies.all_rows().diagonals())
        {
            return Ok(());
        }
        for (index, block) in self.blocks.iter().enumerate() {
            let not_finite = |what| Err(SolveError::NotFinite { block: index, what });
            for row in block.rows() {
                if !self.bias[row].is_finite() {
                    return not_finite("bias");
                }
                // A number that is not finite anywhere in a row on rigid bodies is not finite in J·B either; explicit
                // matrices are checked when they are built.
                if !operator.diagonal(row).is_finite() {
                    return not_finite("rows");
                }
            }
        }
        Ok(())
    }

    /// Checks that every diagonal entry of A is positive, for methods that divide by them.
    pub(crate) fn check_diagonal(&self) -> Result<(), SolveError> {
        with_operator!(&self.operator, operator => {
            let of_bodies = operator.as_bodies().map(|bodies| bodies.all_rows().diagonals());
            if of_bodies.is_some_and(|diagonal| diagonal.iter().all(|&entry| entry > 0.0)) {
                return Ok(());
            }
            for (index, block) in self.blocks.iter().enumerate() {
                if let Some(row) = block.rows().position(|row| operator.diagonal(row) <= 0.0) {
                    return Err(SolveError::Singular { block: index, row });
                }
            }
            Ok(())
        })
    }

    /// The sum of squares of the blocks' sizes: how many numbers a block-diagonal matrix has.
    pub(crate) fn block_diagonal_len(&self) -> usize {
        self.blocks.iter().map(|block| (block.len as usize).pow(2)).sum()
    }
}
