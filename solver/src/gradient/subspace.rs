//! Projected Gauss–Seidel with subspace minimisation (Silcowitz-Hansen, Niebe and Erleben 2010).
//!
//! Gauss–Seidel is quick to find which rows are at their bounds and slow to find the values of the others; for given
//! bounds those are a linear system. So the two take turns: a few sweeps, then conjugate gradients for
//!
//! ```text
//! P A P δ = −P w̃
//! ```
//!
//! where P keeps the free rows, drops those at a bound, and of a contact that slips keeps the part along its edge of the
//! cone, `y = (1, μ λ_t/‖λ_t‖)`: there the impulse may grow but not turn. w̃ is De Saxcé's velocity, so that `y·w̃ = 0`
//! says w_n = 0 as Coulomb's law does.
//!
//! The step is cut back to the cones, in full or by halves, and is taken unless it raises the residual too much (`rise`);
//! the best point seen is the result. An iteration is both together, so compare its work, not its count. Best for structures that mostly stick, as
//! walls and arches do; where the set of slipping contacts keeps changing the linear solves are for nothing.

use super::{check, fill_metric};
use crate::cone::{Cone, length};
use crate::delassus::Delassus;
use crate::error::SolveError;
use crate::monitor::{Limits, Monitor};
use crate::options;
use crate::problem::{Problem, with_operator};
use crate::solve::{Context, Convergence, Solver};
use crate::splitting::{Granularity, ProjectionOptions, Sweep};
use crate::vector::{add, dot};

options! {
    /// Projected Gauss–Seidel with subspace minimisation.
    #[derive(Debug, Clone, PartialEq)]
    pub struct SubspaceMinimisation {
        /// Sweeps an iteration.
        pub sweeps: usize = 10,
        /// Conjugate gradient steps an iteration, at most.
        pub linear_iterations: usize = 20,
        /// The linear system is solved until its residual has fallen by this factor.
        pub linear_tolerance: f64 = 1e-4,
        /// A linear step is taken if it raises the residual by no more than this factor: what is left of it is mostly local,
        /// and the sweeps after it are good at that. 1 takes only what is better at once.
        pub rise: f64 = 100.0,
        /// What a sweep solves at once: scalar rows, or the rows of a contact or joint together.
        pub granularity: Granularity = Granularity::Rows,
        flatten pub limits: Limits = Limits { tolerance: 1e-8, ..Limits::default() },
    }
    validate(options) {
        if options.sweeps == 0 {
            return Err("sweeps must be 1 or more".into());
        }
        if options.linear_tolerance < 0.0 || options.rise < 0.0 {
            return Err("linear-tolerance and rise must be 0 or more".into());
        }
        Ok(())
    }
}

/// Iterations without a better residual after which rises are no longer allowed.
const PATIENCE: usize = 30;

impl Solver for SubspaceMinimisation {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        with_operator!(&problem.operator, operator => self.alternate(problem, operator, impulses, context))
    }
}

impl SubspaceMinimisation {
    fn alternate<D: Delassus>(
        &self,
        problem: &Problem,
        operator: &D,
        x: &mut [f64],
        context: &mut Context,
    ) -> Result<Convergence, SolveError> {
        check(problem, x)?;
        let mut monitor = Monitor::start(problem, &self.limits, x, context)?;
        let options = ProjectionOptions {
            granularity: self.granularity,
            ..ProjectionOptions::default()
        };
        let mut sweep = Sweep::prepare(&options, 1.0, problem, operator, context);
        let rows = problem.rows();
        let (mut w, mut state) = (context.take(rows), context.take(operator.state_len()));
        let (mut trial, mut w_trial) = (context.take(rows), context.take(rows));
        let mut linear = Linear::new(problem, operator, context);
        operator.load(x, &mut state);
        problem.velocities_at(operator, x, &state, &mut w);
        let (mut count, mut best, mut age) = (0, f64::INFINITY, 0);

        while monitor.goes_on_at(x, &w, context) {
            for _ in 0..self.sweeps {
                sweep.run(count, x, &mut state);
                count += 1;
            }
            problem.velocities_at(operator, x, &state, &mut w);
            let products = linear.solve(self, x, &w);
            monitor.add_work((self.sweeps - 1 + products) as u64 * rows as u64);
            let residual = self.limits.residual(problem, x, &w);
            // Where rises lead nowhere for a while they are not allowed until there is progress again.
            age = if monitor.residual() < best { 0 } else { age + 1 };
            best = best.min(monitor.residual());
            let limit = residual * if age < PATIENCE { self.rise } else { 1.0 };
            let mut share = 1.0;
            for _ in 0..3 {
                trial.copy_from_slice(x);
                add(&mut trial, share, &linear.change);
                problem
                    .blocks
                    .iter()
                    .for_each(|block| block.cone.project(&mut trial[block.rows()]));
                operator.load(&trial, &mut state);
                problem.velocities_at(operator, &trial, &state, &mut w_trial);
                monitor.add_work(rows as u64);
                if self.limits.residual(problem, &trial, &w_trial) < limit {
                    x.copy_from_slice(&trial);
                    w.copy_from_slice(&w_trial);
                    break;
                }
                share *= 0.5;
            }
            operator.load(x, &mut state);
        }
        linear.release(context);
        context.give([w, state, trial, w_trial]);
        sweep.release(context);
        Ok(monitor.finish(x, context))
    }
}

/// Conjugate gradients in the subspace, scaled by the diagonal.
struct Linear<'a> {
    problem: &'a Problem,
    metric: Vec<f64>,
    /// P, by row: 1 for free rows, 0 for those at a bound, and [`ALONG`] for the rows of an edge.
    kind: Vec<f64>,
    /// y of every contact that slips, divided by its length.
    edge: Vec<f64>,
    change: Vec<f64>,
    rest: Vec<f64>,
    p: Vec<f64>,
    product: Vec<f64>,
    state: Vec<f64>,
}

/// The kind of a row whose contact moves along its edge.
const ALONG: f64 = 2.0;

/// Curvature in units of the diagonal of A that is nothing but rounding.
const FLAT: f64 = 1e-12;

/// What is nearer to its edge than this, relatively, is on it.
const EDGE: f64 = 1.0 - 1e-9;

impl<'a> Linear<'a> {
    fn new(problem: &'a Problem, operator: &impl Delassus, context: &mut Context) -> Self {
        let rows = problem.rows();
        let mut metric = context.take(rows);
        fill_metric(problem, operator, true, &mut metric);
        Self {
            problem,
            metric,
            kind: context.take(rows),
            edge: context.take(rows),
            change: context.take(rows),
            rest: context.take(rows),
            p: context.take(rows),
            product: context.take(rows),
            state: context.take(operator.state_len()),
        }
    }

    fn release(self, context: &mut Context) {
        context.give([
            self.metric,
            self.kind,
            self.edge,
            self.change,
            self.rest,
            self.p,
            self.product,
            self.state,
        ]);
    }

    /// Solves for δ from 0, into `change`; returns the number of products with A.
    fn solve(&mut self, options: &SubspaceMinimisation, x: &[f64], w: &[f64]) -> usize {
        self.change.fill(0.0);
        for row in 0..x.len() {
            self.rest[row] = -w[row];
        }
        self.choose(x, w);
        project(self.problem, &self.kind, &self.edge, &mut self.rest);
        for row in 0..x.len() {
            self.p[row] = self.metric[row] * self.rest[row];
        }
        let mut square = dot(&self.rest, &self.p);
        let enough = options.linear_tolerance * options.linear_tolerance * square;
        for count in 0..options.linear_iterations {
            if square <= enough || square == 0.0 {
                return count;
            }
            self.problem.product(&self.p, &mut self.state, &mut self.product);
            project(self.problem, &self.kind, &self.edge, &mut self.product);
            let curvature = dot(&self.p, &self.product);
            let length = square / curvature;
            let flat: f64 = FLAT
                * (0..x.len())
                    .map(|row| self.p[row] * self.p[row] / self.metric[row])
                    .sum::<f64>();
            // Redundant rows leave directions without curvature.
            if !length.is_finite() || curvature <= flat {
                return count + 1;
            }
            add(&mut self.change, length, &self.p);
            add(&mut self.rest, -length, &self.product);
            let new: f64 = (0..x.len())
                .map(|row| self.metric[row] * self.rest[row] * self.rest[row])
                .sum();
            let beta = new / square;
            square = new;
            for row in 0..x.len() {
                self.p[row] = self.metric[row] * self.rest[row] + beta * self.p[row];
            }
        }
        options.linear_iterations
    }

    /// Sets P from what the sweeps left, and adds De Saxcé's shift to the right side.
    fn choose(&mut self, x: &[f64], w: &[f64]) {
        let mark = |inside: bool| if inside { 1.0 } else { 0.0 };
        for block in &self.problem.blocks {
            let rows = block.rows();
            let first = rows.start;
            match block.cone {
                Cone::Free => self.kind[rows].fill(1.0),
                Cone::NonNegative => rows.for_each(|row| self.kind[row] = mark(x[row] > 0.0)),
                Cone::Interval { lower, upper } => {
                    rows.for_each(|row| self.kind[row] = mark(x[row] > lower && x[row] < upper));
                }
                Cone::Friction { .. } | Cone::Rolling { .. } | Cone::SecondOrder { .. } => {
                    let normal = x[first];
                    self.kind[rows.clone()].fill(mark(normal > 0.0));
                    if normal <= 0.0 {
                        continue;
                    }
                    let relaxed = matches!(block.cone, Cone::SecondOrder { .. });
                    let mut square = 1.0;
                    for (mu, tangents) in block.discs() {
                        let size = length(&x[tangents.clone()]);
                        if size < EDGE * mu * normal {
                            continue;
                        }
                        self.kind[first] = ALONG;
                        self.kind[tangents.clone()].fill(ALONG);
                        square += mu * mu;
                        if !relaxed {
                            self.rest[first] -= mu * length(&w[tangents.clone()]);
                        }
                        // Without friction there is no direction, and none is needed.
                        let scale = if size > 0.0 { mu / size } else { 0.0 };
                        tangents.for_each(|row| self.edge[row] = scale * x[row]);
                    }
                    self.edge[first] = 1.0;
                    rows.for_each(|row| self.edge[row] /= square.sqrt());
                }
            }
        }
    }
}

/// `vector ← P vector`.
fn project(problem: &Problem, kind: &[f64], edge: &[f64], vector: &mut [f64]) {
    for block in &problem.blocks {
        let rows = block.rows();
        if kind[rows.start] == ALONG {
            let along: f64 = rows
                .clone()
                .filter(|&row| kind[row] == ALONG)
                .map(|row| edge[row] * vector[row])
                .sum();
            for row in rows {
                if kind[row] == ALONG {
                    vector[row] = along * edge[row];
                }
            }
        } else {
            rows.for_each(|row| vector[row] *= kind[row]);
        }
    }
}
