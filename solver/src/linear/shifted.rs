//! Systems `(C + E A) x = b` with block-diagonal C and E, the one kind that Newton, interior-point and penalty methods
//! need.
//!
//! On rigid bodies, with `A = H Hᵀ + Σ` and more rows than the bodies have freedoms, the matrix is never formed. With
//! `S = (C + EΣ)⁻¹ E` and `y = Hᵀx`,
//!
//! ```text
//! (1 + Hᵀ S H) y = Hᵀ (C + EΣ)⁻¹ b,      x = (C + EΣ)⁻¹ (b − E H y)
//! ```
//!
//! is a system in six unknowns a body whose graph is that of the contacts: its fill is a small fraction of what the graph
//! of rows that share a body gives. An explicit matrix is taken as it stands. Either way the graph is analysed once, and
//! a solution is refined until its residual is down to rounding.

use super::dense::invert;
use super::gmres::{Gmres, gmres};
use super::multifrontal::SparseLu;
use crate::choices;
use crate::delassus::{BlockMatrix, Delassus, RigidBodies};
use crate::error::SolveError;
use crate::problem::{Operator, Problem, with_operator};
use crate::vector::{dot, largest};

choices! {
    /// How linear systems are solved.
    pub enum LinearSolver {
        /// Sparse LU.
        Direct = "direct",
        /// Restarted GMRES, matrix-free.
        Krylov = "krylov",
    }
}

/// A solver of `(C + E A) x = b`, for one problem and many C and E.
#[derive(Debug)]
pub struct Shifted<'a> {
    problem: &'a Problem,
    c: Vec<f64>,
    e: Vec<f64>,
    state: Vec<f64>,
    residual: Vec<f64>,
    correction: Vec<f64>,
    method: Method,
}

#[derive(Debug)]
enum Method {
    Bodies(Bodies),
    Rows(Rows),
    Krylov { options: Gmres, inverses: Vec<f64> },
}

/// How often a solution is refined at most; each time the error shrinks by the rounding times the condition number.
const REFINEMENTS: usize = 3;

impl<'a> Shifted<'a> {
    /// Analyses the problem's graph. The problem must be valid.
    pub fn new(problem: &'a Problem, solver: LinearSolver, krylov: &Gmres) -> Result<Self, SolveError> {
        let method = match (solver, &problem.operator) {
            (LinearSolver::Krylov, _) => Method::Krylov {
                options: krylov.clone(),
                inverses: vec![0.0; problem.block_diagonal_len()],
            },
            (LinearSolver::Direct, Operator::RigidBodies(bodies)) => Method::Bodies(Bodies::new(problem, bodies)?),
            (LinearSolver::Direct, Operator::Matrix(matrix)) => Method::Rows(Rows::new(problem, matrix)?),
        };
        Ok(Self {
            problem,
            c: Vec::new(),
            e: Vec::new(),
            state: vec![0.0; problem.operator.as_delassus().state_len()],
            residual: vec![0.0; problem.rows()],
            correction: vec![0.0; problem.rows()],
            method,
        })
    }

    /// Numbers the factors hold: their memory in units of eight bytes.
    pub fn factor_len(&self) -> usize {
        match &self.method {
            Method::Bodies(bodies) => bodies.lu.factor_len(),
            Method::Rows(rows) => rows.lu.factor_len(),
            Method::Krylov { .. } => 0,
        }
    }

    /// Takes new C and E, each the numbers of its diagonal blocks one after the other, row-major.
    pub fn factor(&mut self, c: &[f64], e: &[f64]) -> Result<(), SolveError> {
        self.c.clear();
        self.c.extend_from_slice(c);
        self.e.clear();
        self.e.extend_from_slice(e);
        match (&mut self.method, &self.problem.operator) {
            (Method::Bodies(method), Operator::RigidBodies(bodies)) => method.factor(self.problem, bodies, c, e),
            (Method::Rows(method), Operator::Matrix(matrix)) => method.factor(self.problem, matrix, c, e),
            (Method::Krylov { inverses, .. }, operator) => {
                with_operator!(operator, operator => block_inverses(self.problem, operator, c, e, inverses));
                Ok(())
            }
            _ => unreachable!("the method was chosen by the operator"),
        }
    }

    /// Solves for one right-hand side. Returns the largest residual left, relative to the right-hand side.
    pub fn solve(&mut self, b: &[f64], x: &mut [f64]) -> f64 {
        if let Method::Krylov { options, inverses } = &self.method {
            let (problem, c, e, state) = (self.problem, &self.c, &self.e, &mut self.state);
            x.fill(0.0);
            return gmres(
                options,
                b,
                x,
                |x, y| apply(problem, c, e, x, state, y),
                |x| {
                    block_multiply_in_place(problem, inverses, x);
                },
            );
        }
        let size = largest(b);
        if size == 0.0 {
            x.fill(0.0);
            return 0.0;
        }
        self.divide(b, x);
        let mut left = f64::INFINITY;
        for _ in 0..REFINEMENTS {
            apply(self.problem, &self.c, &self.e, x, &mut self.state, &mut self.correction);
            for k in 0..b.len() {
                self.residual[k] = b[k] - self.correction[k];
            }
            let before = left;
            left = largest(&self.residual) / size;
            // Rounding, or as good as it gets.
            if left < 1e-15 || left >= 0.5 * before || left.is_nan() {
                break;
            }
            let residual = std::mem::take(&mut self.residual);
            let mut correction = std::mem::take(&mut self.correction);
            self.divide(&residual, &mut correction);
            x.iter_mut().zip(&correction).for_each(|(x, d)| *x += d);
            (self.residual, self.correction) = (residual, correction);
        }
        left
    }

    fn divide(&mut self, b: &[f64], x: &mut [f64]) {
        match (&mut self.method, &self.problem.operator) {
            (Method::Bodies(method), Operator::RigidBodies(bodies)) => {
                method.solve(self.problem, bodies, &self.e, b, x);
            }
            (Method::Rows(method), _) => {
                x.copy_from_slice(b);
                method.lu.solve(x);
            }
            _ => unreachable!("the method was chosen by the operator"),
        }
    }
}

/// `y = (C + E A) x`.
fn apply(problem: &Problem, c: &[f64], e: &[f64], x: &[f64], state: &mut [f64], y: &mut [f64]) {
    with_operator!(&problem.operator, operator => {
        operator.load(x, state);
        let mut at = 0;
        let mut product = [0.0; MOST];
        let mut long = Vec::new();
        for block in &problem.blocks {
            let rows = block.rows();
            let n = rows.len();
            let product = if n <= MOST {
                &mut product[..n]
            } else {
                long.resize(n, 0.0);
                &mut long[..n]
            };
            operator.block_product(rows.clone(), x, state, product);
            let (c, e) = (&c[at..at + n * n], &e[at..at + n * n]);
            let x = &x[rows.clone()];
            for (i, y) in y[rows].iter_mut().enumerate() {
                *y = dot(&c[n * i..n * (i + 1)], x) + dot(&e[n * i..n * (i + 1)], product);
            }
            at += n * n;
        }
    });
}

/// Blocks up to this many rows are worked on without allocating.
const MOST: usize = 16;

/// The method on rigid bodies.
#[derive(Debug)]
struct Bodies {
    lu: SparseLu,
    /// For every block, where in the values its four products go: (a, a), (a, b), (b, a), (b, b).
    targets: Vec<[usize; 4]>,
    values: Vec<f64>,
    /// `(C + EΣ)⁻¹` of every block.
    inverses: Vec<f64>,
    /// S of every block.
    couplings: Vec<f64>,
    velocities: Vec<f64>,
}

/// The target of what an immovable body would get.
const NOWHERE: usize = usize::MAX;

impl Bodies {
    fn new(problem: &Problem, bodies: &RigidBodies) -> Result<Self, SolveError> {
        let moving = bodies.body_count() - 1;
        let mut pairs: Vec<[u32; 2]> = problem
            .blocks
            .iter()
            .map(|block| bodies.pair(block.first as usize))
            .filter(|pair| pair.iter().all(|&body| body != RigidBodies::IMMOVABLE))
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut entries: Vec<(u32, u32)> = (0..moving as u32).map(|k| (k, k)).collect();
        for &[a, b] in &pairs {
            entries.extend([(a - 1, b - 1), (b - 1, a - 1)]);
        }
        let diagonal = |body: u32| {
            if body == RigidBodies::IMMOVABLE {
                NOWHERE
            } else {
                36 * (body as usize - 1)
            }
        };
        let targets = problem
            .blocks
            .iter()
            .map(|block| {
                let [a, b] = bodies.pair(block.first as usize);
                match pairs.binary_search(&[a.min(b), a.max(b)]) {
                    Ok(pair) => {
                        let (forward, back) = (36 * (moving + 2 * pair), 36 * (moving + 2 * pair + 1));
                        let (ab, ba) = if a < b { (forward, back) } else { (back, forward) };
                        [diagonal(a), ab, ba, diagonal(b)]
                    }
                    Err(_) => [diagonal(a), NOWHERE, NOWHERE, diagonal(b)],
                }
            })
            .collect();
        Ok(Self {
            lu: SparseLu::new(&vec![6; moving], &entries)?,
            targets,
            values: vec![0.0; 36 * entries.len()],
            inverses: vec![0.0; problem.block_diagonal_len()],
            couplings: vec![0.0; problem.block_diagonal_len()],
            velocities: vec![0.0; 6 * (moving + 1)],
        })
    }

    fn factor(&mut self, problem: &Problem, bodies: &RigidBodies, c: &[f64], e: &[f64]) -> Result<(), SolveError> {
        self.values.fill(0.0);
        for diagonal in self.values[..36 * (bodies.body_count() - 1)].chunks_exact_mut(36) {
            (0..6).for_each(|k| diagonal[7 * k] = 1.0);
        }
        let mut at = 0;
        let mut scaled = Vec::new();
        for (block, targets) in problem.blocks.iter().zip(&self.targets) {
            let n = block.len as usize;
            let (c, e) = (&c[at..at + n * n], &e[at..at + n * n]);
            let inverse = &mut self.inverses[at..at + n * n];
            for i in 0..n {
                for j in 0..n {
                    let compliance = bodies.compliance(block.first as usize + j);
                    inverse[n * i + j] = c[n * i + j] + e[n * i + j] * compliance;
                }
            }
            if !invert(n, inverse) {
                return Err(SolveError::Factorisation);
            }
            let coupling = &mut self.couplings[at..at + n * n];
            multiply(n, inverse, e, coupling);
            at += n * n;
            if coupling.iter().all(|&s| s == 0.0) {
                continue;
            }
            // S H, then Hᵀ (S H) on the two bodies.
            scaled.clear();
            scaled.resize(12 * n, 0.0);
            for i in 0..n {
                for j in 0..n {
                    let s = coupling[n * i + j];
                    let row = bodies.scaled_row(block.first as usize + j);
                    for k in 0..12 {
                        scaled[12 * i + k] += s * row[k];
                    }
                }
            }
            for (quarter, &target) in targets.iter().enumerate() {
                if target == NOWHERE {
                    continue;
                }
                let (left, right) = (6 * (quarter / 2), 6 * (quarter % 2));
                let target = &mut self.values[target..target + 36];
                for r in 0..n {
                    let row = bodies.scaled_row(block.first as usize + r);
                    let scaled = &scaled[12 * r + right..12 * r + right + 6];
                    for i in 0..6 {
                        let h = row[left + i];
                        for j in 0..6 {
                            target[6 * i + j] += h * scaled[j];
                        }
                    }
                }
            }
        }
        self.lu.factor(&self.values)
    }

    fn solve(&mut self, problem: &Problem, bodies: &RigidBodies, e: &[f64], b: &[f64], x: &mut [f64]) {
        x.copy_from_slice(b);
        block_multiply_in_place(problem, &self.inverses, x);
        bodies.load(x, &mut self.velocities);
        self.lu.solve(&mut self.velocities[6..]);
        // x = (C + EΣ)⁻¹ (b − E H y): the difference first, since both terms are large where C is small.
        let mut at = 0;
        for block in &problem.blocks {
            let n = block.len as usize;
            let rows = block.rows();
            let [first, second] = bodies.pair(rows.start);
            let velocity = |row: usize| {
                let h = bodies.scaled_row(row);
                dot(&h[..6], &self.velocities[6 * first as usize..][..6])
                    + dot(&h[6..], &self.velocities[6 * second as usize..][..6])
            };
            let e = &e[at..at + n * n];
            let x = &mut x[rows.clone()];
            x.copy_from_slice(&b[rows.clone()]);
            for j in 0..n {
                let velocity = velocity(rows.start + j);
                for i in 0..n {
                    x[i] -= e[n * i + j] * velocity;
                }
            }
            at += n * n;
        }
        block_multiply_in_place(problem, &self.inverses, x);
    }
}

/// The method on an explicit matrix.
#[derive(Debug)]
struct Rows {
    lu: SparseLu,
    values: Vec<f64>,
}

impl Rows {
    fn new(problem: &Problem, matrix: &BlockMatrix) -> Result<Self, SolveError> {
        let sizes: Vec<usize> = problem.blocks.iter().map(|block| block.len as usize).collect();
        let mut entries: Vec<(u32, u32)> = (0..sizes.len() as u32).map(|k| (k, k)).collect();
        for block in 0..sizes.len() {
            entries.extend(
                matrix
                    .stored_row(block)
                    .map(|(column, _)| (block as u32, column as u32)),
            );
        }
        let values = entries
            .iter()
            .map(|&(i, j)| sizes[i as usize] * sizes[j as usize])
            .sum();
        Ok(Self {
            lu: SparseLu::new(&sizes, &entries)?,
            values: Vec::with_capacity(values),
        })
    }

    fn factor(&mut self, problem: &Problem, matrix: &BlockMatrix, c: &[f64], e: &[f64]) -> Result<(), SolveError> {
        self.values.clear();
        self.values.extend_from_slice(c);
        let mut at = 0;
        for (index, block) in problem.blocks.iter().enumerate() {
            let n = block.len as usize;
            let e = &e[at..at + n * n];
            at += n * n;
            // Most contacts stick or are parted.
            if is_identity(n, e) {
                for (_, entry) in matrix.stored_row(index) {
                    self.values.extend_from_slice(entry);
                }
                continue;
            }
            for (_, entry) in matrix.stored_row(index) {
                let width = entry.len() / n;
                for i in 0..n {
                    let start = self.values.len();
                    self.values.resize(start + width, 0.0);
                    let target = &mut self.values[start..];
                    for (j, row) in entry.chunks_exact(width).enumerate() {
                        let factor = e[n * i + j];
                        if factor != 0.0 {
                            target.iter_mut().zip(row).for_each(|(t, a)| *t += factor * a);
                        }
                    }
                }
            }
        }
        self.lu.factor(&self.values)
    }
}

/// The inverses of the diagonal blocks of C + E A; the identity where there is none.
fn block_inverses(problem: &Problem, operator: &impl Delassus, c: &[f64], e: &[f64], inverses: &mut [f64]) {
    let mut at = 0;
    let mut diagonal = Vec::new();
    for block in &problem.blocks {
        let n = block.len as usize;
        diagonal.resize(n * n, 0.0);
        operator.diagonal_block(block.rows(), &mut diagonal);
        let inverse = &mut inverses[at..at + n * n];
        multiply(n, &e[at..at + n * n], &diagonal, inverse);
        inverse.iter_mut().zip(&c[at..at + n * n]).for_each(|(x, c)| *x += c);
        if !invert(n, inverse) {
            inverse.fill(0.0);
            (0..n).for_each(|k| inverse[(n + 1) * k] = 1.0);
        }
        at += n * n;
    }
}

/// Multiplies every block of x by its block of a block-diagonal matrix.
fn block_multiply_in_place(problem: &Problem, matrix: &[f64], x: &mut [f64]) {
    let mut at = 0;
    let mut short = [0.0; MOST];
    let mut long = Vec::new();
    for block in &problem.blocks {
        let n = block.len as usize;
        let x = &mut x[block.rows()];
        let copy = if n <= MOST {
            &mut short[..n]
        } else {
            long.resize(n, 0.0);
            &mut long[..n]
        };
        copy.copy_from_slice(x);
        for (i, x) in x.iter_mut().enumerate() {
            *x = dot(&matrix[at + n * i..at + n * (i + 1)], copy);
        }
        at += n * n;
    }
}

fn is_identity(n: usize, a: &[f64]) -> bool {
    let expected = |k: usize| if k.is_multiple_of(n + 1) { 1.0 } else { 0.0 };
    a.iter().enumerate().all(|(k, &a)| a == expected(k))
}

fn multiply(n: usize, a: &[f64], b: &[f64], out: &mut [f64]) {
    for i in 0..n {
        for j in 0..n {
            out[n * i + j] = (0..n).map(|k| a[n * i + k] * b[n * k + j]).sum();
        }
    }
}
