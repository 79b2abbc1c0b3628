//! The alternating direction method of multipliers for contact: a linear solve, a projection, again.
//!
//! With De Saxcé's shift s held still, the law is the optimality of `min ½λᵀAλ + (b + s)ᵀλ` over K. ADMM splits it into
//! x, which knows A but not K, and z, which knows K but not A, tied together by a penalty ρD:
//!
//! ```text
//! z = P_K(v),   y = ρD (z − v)                            y → w̃, which is in K* by construction
//! (A + ρD) x = ρD (2z − v) − b − s(y)                     s = μ‖y_t‖ along the normal
//! v ← v + α (x − z)                                       α: over-relaxation
//! ```
//!
//! written in the one variable `v = z − y/(ρD)` of Douglas and Rachford, so that the method is a map of v and can be
//! accelerated as one. The shift of Acary, Cadoux, Lemaréchal and Malick (2011) follows in every iteration, as in
//! Carpentier, Le Lidec and Montaut (2024); for the relaxed cone it is zero and the problem convex. D is the mean diagonal
//! of each block: a scalar a block, so that projections stay what they are, and a scaling of the whole, so that masses in
//! grams and in tons take the same iterations. Joints have nothing to be projected on: their share of the penalty is the
//! small proximal term that keeps the system regular where A is not.
//!
//! Use it for ordered structures and mechanisms, redundant and with large mass ratios, where sweeps crawl: the matrix is
//! factorised once a penalty and an iteration is one back substitution. For loose heaps at low accuracy sweeps are
//! cheaper. On Coulomb's cone convergence is the rule, not a theorem.

use super::acceleration::{Acceleration, Accelerator};
use super::penalty::{Balance, Imbalance, Penalty};
use crate::cone::Cone;
use crate::error::SolveError;
use crate::linear::{Gmres, LinearSolver, Shifted};
use crate::monitor::{Limits, Monitor};
use crate::options;
use crate::problem::{Block, Problem};
use crate::solve::{Context, Convergence, Solver};

options! {
    /// The alternating direction method of multipliers.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Admm {
        /// Over-relaxation α between 0 and 2; 1 is the plain method.
        pub relaxation: f64 = 1.6,
        /// How the penalty is chosen: as given, by balancing primal and dual residuals, or from the spectrum of A and then
        /// in steps of that.
        pub penalty: Penalty = Penalty::ResidualBalancing,
        /// Penalty at the start, relative to the diagonal of A.
        pub rho: f64 = 0.03,
        /// Iterations before the first look at the penalty; doubled with every change, so that it settles.
        pub adapt_after: usize = 100,
        /// Change of the penalty by at least this factor, or not at all: a change costs a factorisation.
        pub refactor: f64 = 3.0,
        /// Penalty on joints, relative to the diagonal of A; for spectral penalties also the smallest eigenvalue that counts.
        pub proximal: f64 = 1e-6,
        /// Acceleration of the iteration.
        pub acceleration: Acceleration = Acceleration::Anderson,
        /// For Anderson's acceleration: how many steps are remembered.
        pub memory: usize = 10,
        /// How linear systems are solved.
        pub linear: LinearSolver = LinearSolver::Direct,
        flatten pub limits: Limits = Limits::of(1000),
    }
    validate(admm) {
        if !(admm.relaxation > 0.0 && admm.relaxation < 2.0) {
            return Err("relaxation must be between 0 and 2".into());
        }
        if admm.rho <= 0.0 || admm.proximal <= 0.0 {
            return Err("rho and proximal must be positive".into());
        }
        if admm.adapt_after == 0 || admm.memory == 0 {
            return Err("adapt-after and memory must be 1 or more".into());
        }
        if admm.refactor < 1.0 {
            return Err("refactor must be 1 or more".into());
        }
        Ok(())
    }
}

impl Solver for Admm {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        let mut monitor = Monitor::start(problem, &self.limits, impulses, context)?;
        let mut iteration = None;
        while monitor.goes_on(impulses, context) {
            let iteration = match &mut iteration {
                Some(iteration) => iteration,
                none => none.insert(Iteration::new(self, problem, impulses)?),
            };
            iteration.step(impulses)?;
        }
        Ok(monitor.finish(impulses, context))
    }
}

/// The state of the method.
struct Iteration<'a> {
    options: &'a Admm,
    problem: &'a Problem,
    system: Shifted<'a>,
    balance: Balance,
    accelerator: Accelerator,
    /// D, a number a row.
    scales: Vec<f64>,
    /// ρD, a number a row; for joints the proximal term.
    penalties: Vec<f64>,
    v: Vec<f64>,
    z: Vec<f64>,
    x: Vec<f64>,
    image: Vec<f64>,
    right: Vec<f64>,
    /// Iterations until the next look at the penalty, and between two looks.
    until_look: usize,
    interval: usize,
}

impl<'a> Iteration<'a> {
    fn new(options: &'a Admm, problem: &'a Problem, impulses: &[f64]) -> Result<Self, SolveError> {
        let rows = problem.rows();
        let scales = scales(problem);
        let mut iteration = Self {
            options,
            problem,
            system: Shifted::new(problem, options.linear, &Gmres::default())?,
            balance: Balance::new(options.penalty, options.rho, options.proximal, problem, &scales),
            accelerator: Accelerator::new(options.acceleration, options.memory),
            scales,
            penalties: vec![0.0; rows],
            v: impulses.to_vec(),
            z: vec![0.0; rows],
            x: vec![0.0; rows],
            image: vec![0.0; rows],
            right: vec![0.0; rows],
            until_look: options.adapt_after,
            interval: options.adapt_after,
        };
        iteration.factor()?;
        // A warm start brings its dual with it: w̃ of w = Aλ + b.
        if impulses.iter().any(|&x| x != 0.0) {
            let velocities = &mut iteration.right;
            problem.velocities(impulses, velocities);
            for block in problem.blocks.iter().filter(|block| block.cone != Cone::Free) {
                velocities[block.first as usize] += block.cone.de_saxce(&velocities[block.rows()]);
                for row in block.rows() {
                    iteration.v[row] -= velocities[row] / iteration.penalties[row];
                }
            }
        }
        project(problem, &iteration.v, &mut iteration.z);
        Ok(iteration)
    }

    /// Makes penalties and factors those of the present ρ.
    fn factor(&mut self) -> Result<(), SolveError> {
        let numbers = self.problem.block_diagonal_len();
        let (mut penalty, mut unit) = (vec![0.0; numbers], vec![0.0; numbers]);
        let mut at = 0;
        for block in &self.problem.blocks {
            let n = block.len as usize;
            let rho = if block.cone == Cone::Free {
                self.options.proximal
            } else {
                self.balance.rho
            };
            for (k, row) in block.rows().enumerate() {
                self.penalties[row] = rho * self.scales[row];
                penalty[at + (n + 1) * k] = self.penalties[row];
                unit[at + (n + 1) * k] = 1.0;
            }
            at += n * n;
        }
        self.system.factor(&penalty, &unit)
    }

    /// One application of the map; leaves the new z in `impulses`.
    fn step(&mut self, impulses: &mut [f64]) -> Result<(), SolveError> {
        let Self {
            problem,
            penalties,
            v,
            z,
            x,
            image,
            right,
            ..
        } = self;
        for row in 0..problem.rows() {
            right[row] = penalties[row] * (2.0 * z[row] - v[row]) - problem.bias[row];
        }
        for block in &problem.blocks {
            right[block.first as usize] -= shift(block, penalties, z, v);
        }
        self.system.solve(right, x);
        for block in &problem.blocks {
            // A joint's z is whatever x was: there is nothing to step beyond.
            let relaxation = if block.cone == Cone::Free {
                1.0
            } else {
                self.options.relaxation
            };
            for row in block.rows() {
                image[row] = v[row] + relaxation * (x[row] - z[row]);
            }
        }
        self.until_look -= 1;
        let imbalance = (self.until_look == 0).then(|| self.imbalance());
        self.accelerator.advance(&self.scales, &mut self.v, &self.image);
        project(self.problem, &self.v, &mut self.z);
        if let Some(imbalance) = imbalance {
            self.adapt(imbalance)?;
            self.until_look = self.interval;
        }
        impulses.copy_from_slice(&self.z);
        Ok(())
    }

    /// The residuals of the plain step from z to `P(image)`, without joints.
    fn imbalance(&self) -> Imbalance {
        let mut next = self.image.clone();
        project(self.problem, &self.image, &mut next);
        let (mut primal, mut dual) = (0.0, 0.0);
        let (mut x_size, mut z_size, mut y_size, mut b_size) = (0.0_f64, 0.0, 0.0_f64, 0.0);
        for block in self.problem.blocks.iter().filter(|block| block.cone != Cone::Free) {
            for row in block.rows() {
                let (d, x, z) = (self.scales[row], self.x[row], self.z[row]);
                let y = self.penalties[row] * (z - self.v[row]);
                primal += d * (x - z).powi(2);
                dual += (self.penalties[row] * (next[row] - z)).powi(2) / d;
                x_size += d * x * x;
                z_size += d * z * z;
                y_size += y * y / d;
                b_size += self.problem.bias[row].powi(2) / d;
            }
        }
        Imbalance {
            primal: (primal / x_size.max(z_size)).sqrt(),
            dual: (dual / y_size.max(b_size)).sqrt(),
        }
    }

    /// Changes ρ if that is worth a factorisation. z and y stay, so `v = z − y/(ρD)` changes.
    fn adapt(&mut self, imbalance: Imbalance) -> Result<(), SolveError> {
        let proposal = self.balance.proposal(imbalance);
        let factor = proposal / self.balance.rho;
        if factor.max(1.0 / factor) < self.options.refactor || factor == 1.0 {
            return Ok(());
        }
        self.balance.rho = proposal;
        self.interval *= 2;
        for row in 0..self.v.len() {
            self.v[row] = self.z[row] + (self.v[row] - self.z[row]) / factor;
        }
        self.accelerator.reset();
        self.factor()
    }
}

/// z = P_K(v).
fn project(problem: &Problem, v: &[f64], z: &mut [f64]) {
    z.copy_from_slice(v);
    for block in &problem.blocks {
        block.cone.project(&mut z[block.rows()]);
    }
}

/// De Saxcé's s of the dual variable `y = ρD (z − v)`; it has the same tangents as w.
fn shift(block: &Block, penalties: &[f64], z: &[f64], v: &[f64]) -> f64 {
    if !block.cone.is_contact() {
        return 0.0;
    }
    let mut y = [0.0; 5];
    for (y, row) in y.iter_mut().zip(block.rows()) {
        *y = penalties[row] * (z[row] - v[row]);
    }
    block.cone.de_saxce(&y[..block.len as usize])
}

/// D: the mean diagonal entry of a block for each of its rows; where there is none, the mean of the whole.
fn scales(problem: &Problem) -> Vec<f64> {
    let operator = problem.operator.as_delassus();
    let rows = problem.rows();
    let mean = |rows: std::ops::Range<usize>| {
        let count = rows.len() as f64;
        rows.map(|row| operator.diagonal(row).abs()).sum::<f64>() / count
    };
    let whole = mean(0..rows);
    let fallback = if whole > 0.0 { whole } else { 1.0 };
    let mut scales = vec![fallback; rows];
    for block in &problem.blocks {
        let mean = mean(block.rows());
        if mean > 0.0 {
            scales[block.rows()].fill(mean);
        }
    }
    scales
}
