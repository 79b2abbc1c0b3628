//! Joints first: the free rows f are eliminated, and only the others c are left to a solver.
//!
//! ```text
//! S = A_cc − A_cf A_ff⁻¹ A_fc,   b' = b_c − A_cf A_ff⁻¹ b_f,   λ_f = −A_ff⁻¹ (b_f + A_fc λ_c)
//! ```
//!
//! Worth it where joints are many and contacts few: what is left is small, contacts feel the whole mechanism at once, and
//! the joints' slow modes are gone. It fills in: S couples all contacts on bodies that joints connect, and each of its
//! columns costs a back substitution. The file `joints.rs` has the factorisation of A_ff and the rule for joints that are
//! redundant or contradict each other.

use super::joints::{Joints, Memory};
use crate::cone::Cone;
use crate::delassus::{BlockMatrix, Builder, Delassus};
use crate::error::SolveError;
use crate::monitor::Limits;
use crate::problem::{Block, Operator, Problem, with_operator};
use crate::vector::largest;

/// What A_ff⁻¹A_fc may leave undone where A_ff is not symmetric, beside the size of A_fc. More means that A_ff is singular
/// and the other rows need what it cannot give.
const CONSISTENCY: f64 = 1e-8;
/// What it need not be refined below: S gets an error of this size, beside the diagonal of A.
const ENOUGH: f64 = 1e-12;
/// What A_ff is regularised by if it is singular, relative to its diagonal. It does not change what is solved.
const REGULARISATION: f64 = 1e-9;
/// Entries of S this small, beside the diagonal of A, are nothing but rounding.
const ROUNDING: f64 = 1e-13;
/// Columns of S that are worked out at once.
const COLUMNS: usize = 8;

/// A problem without its free rows, and the way back.
#[derive(Debug)]
pub struct Schur {
    /// What is left: the other blocks, in their order, with an explicit matrix.
    pub problem: Problem,
    elimination: Elimination,
    original: Problem,
}

impl Schur {
    /// Eliminates the rows of all blocks that are [`Cone::Free`], or between infinite bounds. Fails where A_ff is singular
    /// in a way that the other rows feel, which no positive semidefinite A is.
    pub fn new(problem: &Problem) -> Result<Self, SolveError> {
        Self::with(problem, Elimination::default())
    }

    /// The same for a problem like the last one: if its joints have the same pattern, as in the next step of a simulation,
    /// the symbolic factorisation is used again.
    pub fn renew(self, problem: &Problem) -> Result<Self, SolveError> {
        Self::with(problem, self.elimination)
    }

    fn with(problem: &Problem, mut elimination: Elimination) -> Result<Self, SolveError> {
        problem.validate()?;
        elimination.eliminate(problem, REGULARISATION, 0.0)?;
        Ok(Self {
            problem: elimination.problem.clone(),
            elimination,
            original: problem.clone(),
        })
    }

    /// The impulses of the rows that are kept, for a warm start.
    pub fn start(&self, impulses: &[f64]) -> Vec<f64> {
        let mut kept = vec![0.0; self.problem.rows()];
        self.elimination.start(&self.original, impulses, &mut kept);
        kept
    }

    /// All impulses, from those of the rows that were kept. Returns what is left of the free rows' equations, relative to
    /// their right-hand side: more than rounding where they contradict each other.
    pub fn impulses(&self, solution: &[f64], out: &mut [f64]) -> f64 {
        let (mut memory, mut joints) = (Memory::default(), Vec::new());
        memory.fit(&self.original);
        self.elimination
            .way_back(&self.original, solution, out, &mut joints, &mut memory)
    }
}

/// The elimination itself, in memory that lasts from one problem to the next.
#[derive(Debug, Default)]
pub(crate) struct Elimination {
    /// What is left.
    pub(crate) problem: Problem,
    joints: Joints,
    /// Which free blocks act on which kept ones: (kept, free), by place.
    actions: Vec<(u32, u32)>,
    /// Which kept blocks are on which mechanisms: (kept, mechanism), and the other way round.
    touches: Vec<(u32, u32)>,
    touched: Vec<(u32, u32)>,
    columns: Vec<u32>,
    block: Vec<f64>,
    right: Vec<f64>,
    memory: Memory,
}

/// A column of S under way: its kept block and row within it.
type Slot = (usize, usize);

impl Elimination {
    /// Eliminates the free rows of a valid problem. `regularisation` is for redundant ones; where joints leave a row nothing to
    /// move, rounding is all that is left of its diagonal in S, and it is made `floor` times that of A.
    pub(crate) fn eliminate(&mut self, problem: &Problem, regularisation: f64, floor: f64) -> Result<(), SolveError> {
        self.joints.renew(problem, regularisation)?;
        self.memory.fit(problem);
        self.read_actions(problem);
        let matrix = self.begin(problem);
        let matrix = self.fill(problem, matrix, floor)?.checked()?;
        self.problem.operator = Operator::Matrix(matrix);
        self.reduce_bias(problem);
        self.problem.blocks.clear();
        let mut first = 0;
        for &block in &self.joints.kept {
            let Block { len, cone, .. } = problem.blocks[block as usize];
            self.problem.blocks.push(Block { first, len, cone });
            first += len;
        }
        Ok(())
    }

    /// The kept rows' part of all impulses.
    pub(crate) fn start(&self, problem: &Problem, impulses: &[f64], kept: &mut [f64]) {
        let mut at = 0;
        for &block in &self.joints.kept {
            let rows = problem.blocks[block as usize].rows();
            kept[at..at + rows.len()].copy_from_slice(&impulses[rows.clone()]);
            at += rows.len();
        }
    }

    /// All impulses from those of the kept rows, in memory of its own. See [`Schur::impulses`].
    pub(crate) fn impulses(&mut self, problem: &Problem, solution: &[f64], out: &mut [f64]) -> f64 {
        let (mut memory, mut right) = (std::mem::take(&mut self.memory), std::mem::take(&mut self.right));
        let left = self.way_back(problem, solution, out, &mut right, &mut memory);
        (self.memory, self.right) = (memory, right);
        left
    }

    /// Forgets the impulses last found.
    pub(crate) fn forget_solution(&mut self) {
        self.memory.holds_solution = false;
    }

    /// What the impulses last found do to the bodies, `M⁻¹ Jᵀ λ`, if that is at hand: where there is nothing but joints.
    pub(crate) fn velocity_change(&self, problem: &Problem, change: &mut Vec<f64>) -> bool {
        match &problem.operator {
            Operator::RigidBodies(bodies) if self.joints.kept.is_empty() && self.memory.holds_solution => {
                change.clone_from(&self.memory.state);
                bodies.make_velocities(change);
                true
            }
            _ => false,
        }
    }

    /// The residual of a problem that was eliminated here, of the limits' criterion.
    pub(crate) fn residual(&mut self, problem: &Problem, impulses: &[f64], limits: &Limits) -> f64 {
        let Memory { full, state, .. } = &mut self.memory;
        problem.velocities_with(impulses, state, full);
        let found = limits.residual(problem, impulses, full);
        full.fill(0.0);
        found
    }

    /// See [`Schur::impulses`]. The memory fits the problem.
    fn way_back(
        &self,
        problem: &Problem,
        solution: &[f64],
        out: &mut [f64],
        joints: &mut Vec<f64>,
        memory: &mut Memory,
    ) -> f64 {
        joints.clear();
        if self.joints.kept.is_empty() {
            joints.extend(problem.bias.iter().map(|b| -b));
            return self.solve_joints(problem, out, joints, memory);
        }
        memory.fit(problem);
        let mut at = 0;
        for &block in &self.joints.kept {
            let rows = problem.blocks[block as usize].rows();
            memory.full[rows.clone()].copy_from_slice(&solution[at..at + rows.len()]);
            at += rows.len();
        }
        out.copy_from_slice(&memory.full);
        with_operator!(&problem.operator, operator => {
            operator.load(&memory.full, &mut memory.state);
            for &block in &self.joints.free {
                let rows = problem.blocks[block as usize].rows();
                let product = &mut memory.product[..rows.len()];
                operator.block_product(rows.clone(), &memory.full, &memory.state, product);
                joints.extend(product.iter().zip(&problem.bias[rows]).map(|(w, b)| -(w + b)));
            }
        });
        memory.full.fill(0.0);
        self.solve_joints(problem, out, joints, memory)
    }

    /// Solves for the joints' impulses, given the right-hand side. Returns what is left of it, relative to its size.
    fn solve_joints(&self, problem: &Problem, out: &mut [f64], joints: &mut [f64], memory: &mut Memory) -> f64 {
        let size = largest(joints);
        let left = self.joints.solve_by_rule(problem, joints, memory);
        self.joints.scatter(problem, joints, out);
        if size > 0.0 { left / size } else { 0.0 }
    }

    fn read_actions(&mut self, problem: &Problem) {
        let joints = &self.joints;
        self.actions.clear();
        self.touches.clear();
        if joints.kept.is_empty() {
            return;
        }
        for (node, &block) in joints.free.iter().enumerate() {
            for &other in joints.couplings.of(block as usize) {
                if !joints.is_free(other) {
                    self.actions.push((joints.place[other as usize], node as u32));
                }
            }
        }
        self.actions.sort_unstable();
        let by_column = self.actions.iter().copied();
        self.touches
            .extend(by_column.map(|(kept, node)| (kept, joints.mechanism[node as usize])));
        if let Operator::Matrix(_) = problem.operator {
            // Its pattern need not be symmetric.
            for (kept, &block) in joints.kept.iter().enumerate() {
                for &other in joints.couplings.of(block as usize) {
                    if joints.is_free(other) {
                        let node = joints.place[other as usize];
                        self.touches.push((kept as u32, joints.mechanism[node as usize]));
                    }
                }
            }
        }
        self.touches.sort_unstable();
        self.touches.dedup();
        self.touched.clear();
        self.touched
            .extend(self.touches.iter().map(|&(kept, mechanism)| (mechanism, kept)));
        self.touched.sort_unstable();
    }

    /// S with all its blocks, those of A_cc in them: blocks meet if they met before, or are on the same mechanism.
    fn begin(&mut self, problem: &Problem) -> BlockMatrix {
        let joints = &self.joints;
        let old = std::mem::replace(&mut self.problem.operator, Operator::Matrix(BlockMatrix::default()));
        let memory = match old {
            Operator::Matrix(matrix) => matrix,
            Operator::RigidBodies(_) => BlockMatrix::default(),
        };
        let size = |block: &u32| problem.blocks[*block as usize].len as usize;
        let mut builder = Builder::reusing(memory, joints.kept.iter().map(size));
        for (kept, &block) in joints.kept.iter().enumerate() {
            self.columns.clear();
            for &other in joints.couplings.of(block as usize) {
                if !joints.is_free(other) {
                    self.columns.push(joints.place[other as usize]);
                }
            }
            self.columns.push(kept as u32);
            for &(_, mechanism) in group(&self.touches, kept as u32) {
                let others = group(&self.touched, mechanism);
                self.columns.extend(others.iter().map(|&(_, other)| other));
            }
            self.columns.sort_unstable();
            self.columns.dedup();
            let rows = problem.blocks[block as usize].rows();
            for &column in &self.columns {
                let columns = problem.blocks[joints.kept[column as usize] as usize].rows();
                builder.push(column, |values| {
                    let start = values.len();
                    values.resize(start + rows.len() * columns.len(), 0.0);
                    with_operator!(&problem.operator, operator => {
                        operator.block(rows.clone(), columns, &mut values[start..]);
                    });
                });
            }
            builder.finish_row();
        }
        builder.pattern()
    }

    /// Takes `A_cf A_ff⁻¹ A_fc` off, some columns at a time.
    fn fill(&mut self, problem: &Problem, mut matrix: BlockMatrix, floor: f64) -> Result<BlockMatrix, SolveError> {
        let mut slots: [Slot; COLUMNS] = [(0, 0); COLUMNS];
        let mut used = 0;
        for kept in 0..self.joints.kept.len() {
            if group(&self.actions, kept as u32).is_empty() {
                continue;
            }
            for column in 0..matrix.block_rows(kept).len() {
                slots[used] = (kept, column);
                used += 1;
                if used == COLUMNS {
                    self.take_off(problem, &mut matrix, &slots)?;
                    used = 0;
                }
            }
        }
        if used > 0 {
            self.take_off(problem, &mut matrix, &slots[..used])?;
        }
        self.clean(problem, &mut matrix, floor);
        Ok(matrix)
    }

    fn take_off(&mut self, problem: &Problem, matrix: &mut BlockMatrix, slots: &[Slot]) -> Result<(), SolveError> {
        let joints = &self.joints;
        let (right, memory) = (&mut self.right, &mut self.memory);
        right.clear();
        let rows = joints.rows();
        right.resize(COLUMNS * rows, 0.0);
        let mut sizes = [0.0; COLUMNS];
        for (k, &(kept, column)) in slots.iter().enumerate() {
            let columns = problem.blocks[joints.kept[kept] as usize].rows();
            for &(_, node) in group(&self.actions, kept as u32) {
                let block = problem.blocks[joints.free[node as usize] as usize].rows();
                let width = columns.len();
                self.block.resize(block.len() * width, 0.0);
                with_operator!(&problem.operator, operator => operator.block(block, columns.clone(), &mut self.block));
                let numbers = self.block[column..].iter().step_by(width);
                let target = right[k * rows + joints.starts[node as usize]..].iter_mut();
                for (target, &number) in target.zip(numbers) {
                    *target = number;
                    sizes[k] = f64::max(sizes[k], number.abs());
                }
            }
        }
        let left = joints.solve::<COLUMNS>(problem, right, ENOUGH, memory);
        for (k, &(kept, column)) in slots.iter().enumerate() {
            // In a positive semidefinite matrix the joints' range holds all that the others ask of them. What is left there
            // belongs to rows that are redundant but for joint errors, with eigenvalues below the ridge: that much
            // they give way, S stays positive semidefinite, and the final residual tells.
            let is_left = joints.is_general() && left[k] > CONSISTENCY * sizes[k];
            if left[k].is_nan() || is_left {
                return Err(SolveError::Unsupported {
                    method: "the elimination of free rows",
                    what: "a singular matrix among them that the other rows depend on".into(),
                });
            }
            joints.scatter(problem, &right[k * rows..(k + 1) * rows], &mut memory.full);
            with_operator!(&problem.operator, operator => {
                operator.load(&memory.full, &mut memory.state);
                self.columns.clear();
                self.columns.extend_from_slice(matrix.stored_columns(kept));
                for &other in &self.columns {
                    let rows = problem.blocks[joints.kept[other as usize] as usize].rows();
                    let product = &mut memory.product[..rows.len()];
                    operator.block_product(rows, &memory.full, &memory.state, product);
                    let width = matrix.block_rows(kept).len();
                    let Some(block) = matrix.stored_mut(other as usize, kept) else {
                        continue;
                    };
                    for (entry, product) in block[column..].iter_mut().step_by(width).zip(product) {
                        *entry -= *product;
                    }
                }
            });
        }
        memory.full.fill(0.0);
        Ok(())
    }

    /// Rows that follow from the free ones cancel down to rounding, which must not be taken for a matrix, nor be divided by.
    fn clean(&mut self, problem: &Problem, matrix: &mut BlockMatrix, floor: f64) {
        let joints = &self.joints;
        let operator = problem.operator.as_delassus();
        for (kept, &block) in joints.kept.iter().enumerate() {
            let rows = problem.blocks[block as usize].rows();
            self.columns.clear();
            self.columns.extend_from_slice(matrix.stored_columns(kept));
            for &other in &self.columns {
                let columns = problem.blocks[joints.kept[other as usize] as usize].rows();
                let Some(entries) = matrix.stored_mut(kept, other as usize) else {
                    continue;
                };
                for (row, entries) in rows.clone().zip(entries.chunks_exact_mut(columns.len())) {
                    let diagonal = operator.diagonal(row);
                    for (column, entry) in columns.clone().zip(entries) {
                        if entry.abs() <= ROUNDING * (diagonal * operator.diagonal(column)).abs().sqrt() {
                            *entry = 0.0;
                        }
                        if row == column && *entry < floor * diagonal {
                            *entry = floor * diagonal;
                        }
                    }
                }
            }
        }
    }

    fn reduce_bias(&mut self, problem: &Problem) {
        let joints = &self.joints;
        let (right, memory) = (&mut self.right, &mut self.memory);
        self.problem.bias.clear();
        for &block in &joints.kept {
            let rows = problem.blocks[block as usize].rows();
            self.problem.bias.extend_from_slice(&problem.bias[rows]);
        }
        if self.actions.is_empty() {
            return;
        }
        right.clear();
        for &block in &joints.free {
            right.extend_from_slice(&problem.bias[problem.blocks[block as usize].rows()]);
        }
        // Joints that contradict each other leave a residual here; the final one tells.
        joints.solve_by_rule(problem, right, memory);
        joints.scatter(problem, right, &mut memory.full);
        with_operator!(&problem.operator, operator => {
            operator.load(&memory.full, &mut memory.state);
            let mut at = 0;
            for &block in &joints.kept {
                let rows = problem.blocks[block as usize].rows();
                let product = &mut memory.product[..rows.len()];
                operator.block_product(rows.clone(), &memory.full, &memory.state, product);
                for (b, product) in self.problem.bias[at..at + rows.len()].iter_mut().zip(product) {
                    *b -= *product;
                }
                at += rows.len();
            }
        });
        memory.full.fill(0.0);
    }
}

/// Those of sorted pairs that begin with this number.
fn group(pairs: &[(u32, u32)], first: u32) -> &[(u32, u32)] {
    let start = pairs.partition_point(|pair| pair.0 < first);
    let len = pairs[start..].partition_point(|pair| pair.0 == first);
    &pairs[start..start + len]
}

/// Whether a block's rows are without bounds.
pub(crate) fn is_free(block: &Block) -> bool {
    matches!(
        block.cone,
        Cone::Free
            | Cone::Interval {
                lower: f64::NEG_INFINITY,
                upper: f64::INFINITY
            }
    )
}
