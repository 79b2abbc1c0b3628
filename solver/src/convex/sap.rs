//! The semi-analytic primal method (Castro, Permenter and Han 2022): Newton on an unconstrained convex problem in the
//! velocities, with contact impulses in closed form.
//!
//! With a regularisation R, one number a row, the paper minimises over the velocities v of bodies of mass M
//!
//! ```text
//! ½ ‖v − v*‖²_M + Σ ℓ(w),    w = J v,    ℓ(w) = ½ ‖λ(w)‖²_R,    λ(w) = P_K(−R⁻¹ w) in the norm of R
//! ```
//!
//! Its dual is `min ½ λᵀ(A + R)λ + bᵀλ, λ ∈ K` with `A = J M⁻¹ Jᵀ` and `b = J v*`: our problem with the friction cones relaxed
//! and a compliance R. Since M(v − v*) = Jᵀλ in the solution, we look for v among `v* + M⁻¹Jᵀξ`, so that w = Aξ + b, and the
//! same lines serve bodies and explicit matrices; compliance that the rows already have is in A. Newton's equation is
//!
//! ```text
//! (1 + G A) dξ = λ(w) − ξ,    G = −∂λ/∂w ⪰ 0
//! ```
//!
//! which on bodies is the paper's `M + JᵀGJ` (see [`linear`](crate::linear)). The function is convex and its slope along a
//! direction costs no product with A, so the line search is exact and the method converges from anywhere.
//!
//! R is the paper's: `β²/4π²` of the diagonal for normals (with β = 1 a contact as stiff as a step can resolve) and σ for
//! tangents. Without `continuation` that compliant problem is what is solved, to `tolerance`. With it, by default since
//! solvers are compared on the problem as it is given, λ(w) is taken about the last solution, `P_K(λ̄ − R⁻¹w)`, and R shrinks:
//! the proximal-point method, which ends in the relaxed problem without R; there R is the same for all rows. Where R can't
//! shrink any more, since redundant contacts make every problem hard, momentum takes over. Use it where contacts are
//! compliant anyway and speed counts; slip at speed parts, as in every relaxation.

use std::f64::consts::PI;

use crate::cone::{Cone, length};
use crate::error::SolveError;
use crate::formulation::on_relaxed;
use crate::linear::{Gmres, LinearSolver, Shifted};
use crate::monitor::{Limits, Monitor};
use crate::newton::pace::Momentum;
use crate::options;
use crate::problem::{Block, Problem};
use crate::residual;
use crate::solve::{Context, Convergence, Solver, Status};

options! {
    /// The semi-analytic primal method.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Sap {
        /// β: how much softer than a time step can resolve a normal is.
        pub near_rigid: f64 = 1.0,
        /// σ: regularisation of the tangents, relative to the diagonal of A.
        pub tangential: f64 = 1e-3,
        /// Whether the regularisation is driven to zero.
        pub continuation: bool = true,
        /// How Newton's systems are solved.
        pub linear: LinearSolver = LinearSolver::Direct,
        flatten pub krylov: Gmres,
        flatten pub limits: Limits = Limits::of(1000),
    }
    validate(options) {
        if options.near_rigid <= 0.0 || options.tangential <= 0.0 {
            return Err("near-rigid and tangential must be above 0".into());
        }
        Ok(())
    }
}

/// R relative to the diagonal in the first proximal problem, its factor from one to the next, and the smallest.
const FIRST: f64 = 1.0;
const SHRINK: f64 = 0.1;
const SMALLEST: f64 = 1e-9;

/// A proximal problem is solved when its residual is this part of that of the problem.
const INNER: f64 = 0.1;

/// Newton steps at most for one proximal problem, and how many are few.
const STEPS: usize = 30;
const FEW: usize = 8;

/// A residual that may be rounding, m/s.
const ROUNDING: f64 = 1e-9;

impl Solver for Sap {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        on_relaxed(problem, impulses, context, |relaxed, impulses, context| {
            self.minimise(relaxed, impulses, context)
        })
    }
}

impl Sap {
    fn minimise(
        &self,
        problem: &Problem,
        impulses: &mut [f64],
        context: &mut Context,
    ) -> Result<Convergence, SolveError> {
        let mut monitor = Monitor::start(problem, &self.limits, impulses, context)?;
        let mut newton = Primal::new(self, problem, impulses)?;
        let (mut steps, mut before) = (0, f64::INFINITY);
        while monitor.goes_on_at(&newton.projected, &newton.projected_velocities, context) {
            let enough = if self.continuation {
                INNER * monitor.residual()
            } else {
                self.limits.tolerance
            };
            let left = newton.residual();
            let solved = steps > 0 && left <= enough;
            // After a full step that brings nothing, far down, only rounding is left.
            let exhausted = newton.length == 1.0 && left > 0.5 * before && left < ROUNDING;
            if (solved || exhausted) && !self.continuation {
                monitor.stop(if solved { Status::Converged } else { Status::Stalled });
                break;
            }
            before = left;
            if solved || exhausted || steps == STEPS {
                // What was easy can be made harder.
                newton.recentre(if steps <= FEW { SHRINK } else { 1.0 }, monitor.residual());
                (steps, before) = (0, f64::INFINITY);
            }
            newton.step()?;
            steps += 1;
        }
        let last = newton.projected;
        let report = monitor.finish(impulses, context);
        // With R the solution is not where the residual is least.
        if !self.continuation {
            impulses.copy_from_slice(&last);
        }
        Ok(report)
    }
}

/// The primal problem with its present point.
struct Primal<'a> {
    options: &'a Sap,
    problem: &'a Problem,
    system: Shifted<'a>,
    /// Mean diagonal entry of each block.
    scales: Vec<f64>,
    /// R of a proximal problem, relative to the diagonal.
    proximal: Option<f64>,
    /// λ̄.
    centre: Vec<f64>,
    momentum: Momentum,
    /// ξ.
    point: Vec<f64>,
    /// w = Aξ + b.
    velocities: Vec<f64>,
    /// λ(w).
    impulses: Vec<f64>,
    /// The point of K nearest to ξ. In the end all three are the same, but λ(w) has the rounding of w divided by R.
    projected: Vec<f64>,
    projected_velocities: Vec<f64>,
    /// G, and the ones of `1 + G A`, block after block.
    derivatives: Vec<f64>,
    ones: Vec<f64>,
    right: Vec<f64>,
    direction: Vec<f64>,
    /// A dξ.
    change: Vec<f64>,
    /// Of the last step.
    length: f64,
}

impl<'a> Primal<'a> {
    fn new(options: &'a Sap, problem: &'a Problem, start: &[f64]) -> Result<Self, SolveError> {
        let operator = problem.operator.as_delassus();
        let scale = |block: &Block| block.scale(operator);
        let n = problem.rows();
        let mut ones = vec![0.0; problem.block_diagonal_len()];
        let mut at = 0;
        for block in &problem.blocks {
            let n = block.len as usize;
            (0..n).for_each(|k| ones[at + k * (n + 1)] = 1.0);
            at += n * n;
        }
        let mut primal = Self {
            options,
            problem,
            system: Shifted::new(problem, options.linear, &options.krylov)?,
            scales: problem.blocks.iter().map(scale).collect(),
            proximal: options.continuation.then_some(FIRST),
            centre: if options.continuation {
                start.to_vec()
            } else {
                vec![0.0; n]
            },
            momentum: Momentum::new(n),
            point: start.to_vec(),
            velocities: vec![0.0; n],
            impulses: start.to_vec(),
            // The start is what is measured first.
            projected: start.to_vec(),
            projected_velocities: vec![0.0; n],
            derivatives: vec![0.0; ones.len()],
            ones,
            right: vec![0.0; n],
            direction: vec![0.0; n],
            change: vec![0.0; n],
            length: 0.0,
        };
        problem.velocities(&primal.point, &mut primal.velocities);
        primal.projected_velocities.copy_from_slice(&primal.velocities);
        Ok(primal)
    }

    /// The natural residual of the problem with R, m/s.
    fn residual(&mut self) -> f64 {
        for (block, &scale) in self.problem.blocks.iter().zip(&self.scales) {
            let weights = self.weights(scale);
            for (k, row) in block.rows().enumerate() {
                let weight = weights[usize::from(block.cone.is_contact() && k > 0)];
                self.right[row] = self.projected_velocities[row] + weight * (self.projected[row] - self.centre[row]);
            }
        }
        residual::natural(self.problem, &self.projected, &self.right)
    }

    /// R of a normal (or a row that is no contact's) and of a tangent.
    fn weights(&self, scale: f64) -> [f64; 2] {
        match self.proximal {
            Some(weight) => [weight * scale; 2],
            None => {
                let normal = self.options.near_rigid.powi(2) / (4.0 * PI * PI);
                [normal * scale, self.options.tangential * scale]
            }
        }
    }

    /// Begins the next proximal problem, about the solution of the last.
    fn recentre(&mut self, shrink: f64, residual: f64) {
        self.proximal = self.proximal.map(|weight| (shrink * weight).max(SMALLEST));
        // A weaker pull goes far by itself.
        if shrink < 1.0 {
            self.momentum.stop();
        }
        self.momentum.advance(&self.projected, residual);
        self.momentum.leave(&self.projected);
        self.centre.copy_from_slice(&self.momentum.centre);
        self.point.copy_from_slice(&self.projected);
        self.velocities.copy_from_slice(&self.projected_velocities);
    }

    /// One step of Newton's method with an exact line search.
    fn step(&mut self) -> Result<(), SolveError> {
        self.respond(0.0, true);
        for k in 0..self.right.len() {
            self.right[k] = self.impulses[k] - self.point[k];
        }
        self.system.factor(&self.ones, &self.derivatives)?;
        self.system.solve(&self.right, &mut self.direction);
        if !self.direction.iter().all(|x| x.is_finite()) {
            return Err(SolveError::Factorisation);
        }
        self.problem
            .operator
            .as_delassus()
            .apply(&self.direction, &mut self.change);
        let length = self.search();
        self.length = length;
        for k in 0..self.point.len() {
            self.point[k] += length * self.direction[k];
        }
        // Velocities that were only ever added to would drift from Aξ + b.
        self.problem.velocities(&self.point, &mut self.velocities);
        self.projected.copy_from_slice(&self.point);
        for block in &self.problem.blocks {
            block.cone.project(&mut self.projected[block.rows()]);
        }
        self.problem.velocities(&self.projected, &mut self.projected_velocities);
        Ok(())
    }

    /// The minimiser along the direction: Newton on the slope, kept between points where it is negative and positive.
    fn search(&mut self) -> f64 {
        let (first, _) = self.slope(0.0);
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut length = 1.0;
        // Rounding can make the slope of a tiny step point the wrong way; the full step is then as good as any.
        if first >= 0.0 {
            return length;
        }
        for _ in 0..40 {
            let (slope, curvature) = self.slope(length);
            if slope.abs() <= 1e-3 * first.abs() {
                break;
            }
            if slope < 0.0 {
                low = length
            } else {
                high = length
            }
            let newton = length - slope / curvature;
            length = if newton > low && newton < high {
                newton
            } else if high.is_finite() {
                0.5 * (low + high)
            } else {
                2.0 * length
            };
        }
        length
    }

    /// First and second derivative of the function along the direction: `dξᵀA (ξ + α dξ − λ)` and
    /// `dξᵀA dξ + dξᵀA G A dξ`.
    fn slope(&mut self, length: f64) -> (f64, f64) {
        self.respond(length, true);
        let (mut slope, mut curvature) = (0.0, 0.0);
        let mut at = 0;
        for block in &self.problem.blocks {
            let n = block.len as usize;
            let rows = block.rows();
            let change = &self.change[rows.clone()];
            for (i, row) in rows.enumerate() {
                let along = self.point[row] + length * self.direction[row];
                slope += change[i] * (along - self.impulses[row]);
                let turned: f64 = (0..n).map(|j| self.derivatives[at + n * i + j] * change[j]).sum();
                curvature += change[i] * (self.direction[row] + turned);
            }
            at += n * n;
        }
        (slope, curvature)
    }

    /// λ(w) at a part of the step, and if asked for G.
    fn respond(&mut self, length: f64, with_derivatives: bool) {
        let mut at = 0;
        for (block, &scale) in self.problem.blocks.iter().zip(&self.scales) {
            let rows = block.rows();
            let n = rows.len();
            let [normal, tangent] = self.weights(scale);
            for k in rows.clone() {
                let w = self.velocities[k] + length * self.change[k];
                let r = if block.cone.is_contact() && k > rows.start {
                    tangent
                } else {
                    normal
                };
                self.impulses[k] = self.centre[k] - w / r;
            }
            let derivative = with_derivatives.then_some(&mut self.derivatives[at..at + n * n]);
            respond(block.cone, [normal, tangent], &mut self.impulses[rows], derivative);
            at += n * n;
        }
    }
}

/// `P_K(z)` in the norm of R, in place, and its derivative by z times R⁻¹.
fn respond(cone: Cone, [normal, tangent]: [f64; 2], z: &mut [f64], derivative: Option<&mut [f64]>) {
    let n = z.len();
    let Cone::SecondOrder { coefficient } = cone else {
        if let Some(derivative) = derivative {
            derivative.fill(0.0);
            for k in 0..n {
                let mut projected = [z[k]];
                cone.project(&mut projected);
                if projected[0] == z[k] {
                    derivative[k * (n + 1)] = 1.0 / normal;
                }
            }
        }
        cone.project(z);
        return;
    };
    // With R^½λ for λ the norm is the plain one, and the cone has another opening.
    let roots = [normal.sqrt(), tangent.sqrt()];
    let root = |k: usize| roots[k.min(1)];
    let mu = coefficient * roots[1] / roots[0];
    (0..n).for_each(|k| z[k] *= root(k));
    if let Some(derivative) = derivative {
        projection_derivative(mu, z, derivative);
        for i in 0..n {
            for j in 0..n {
                derivative[n * i + j] /= root(i) * root(j);
            }
        }
    }
    Cone::SecondOrder { coefficient: mu }.project(z);
    (0..n).for_each(|k| z[k] /= root(k));
}

/// The derivative of the projection onto `‖t‖ ≤ μ n`, symmetric and positive semidefinite: one inside, nothing in the polar
/// cone, and on the mantle that of `n' = (n + μ‖t‖)/(1 + μ²)`, `t' = μ n' t/‖t‖`.
fn projection_derivative(mu: f64, z: &[f64], out: &mut [f64]) {
    let n = z.len();
    let size = length(&z[1..]);
    out.fill(0.0);
    if z[0] >= 0.0 && size <= mu * z[0] {
        (0..n).for_each(|k| out[k * (n + 1)] = 1.0);
    } else if mu * size > -z[0] {
        let share = 1.0 / (1.0 + mu * mu);
        let turn = mu * (z[0] + mu * size) * share / size;
        let unit = |k: usize| z[k] / size;
        out[0] = share;
        for i in 1..n {
            out[i] = mu * share * unit(i);
            out[n * i] = out[i];
            for j in 1..n {
                let identity = if i == j { turn } else { 0.0 };
                out[n * i + j] = identity + (mu * mu * share - turn) * unit(i) * unit(j);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    /// Against central differences, away from the kinks.
    #[test]
    fn derivatives_are_those_of_the_response() {
        let mut rng = Pcg64::seed_from_u64(4);
        let weights = [0.3, 0.02];
        let cones = [
            (Cone::SecondOrder { coefficient: 0.6 }, 3),
            (Cone::SecondOrder { coefficient: 0.6 }, 2),
            (Cone::SecondOrder { coefficient: 0.0 }, 3),
            (Cone::NonNegative, 2),
            (
                Cone::Interval {
                    lower: -0.2,
                    upper: 0.4,
                },
                2,
            ),
            (Cone::Free, 2),
        ];
        for round in 0..2000 {
            let (cone, n) = cones[round % cones.len()];
            let z: Vec<f64> = (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
            let mut derivative = vec![0.0; n * n];
            respond(cone, weights, &mut z.clone(), Some(&mut derivative));
            let h = 1e-6;
            for j in 0..n {
                let at = |step: f64| {
                    let mut z = z.clone();
                    z[j] += step;
                    respond(cone, weights, &mut z, None);
                    z
                };
                let (before, after, here) = (at(-h), at(h), at(0.0));
                for i in 0..n {
                    let (left, right) = ((here[i] - before[i]) / h, (after[i] - here[i]) / h);
                    // Where the two sides differ there is a kink in between.
                    if (left - right).abs() > 1e-3 {
                        continue;
                    }
                    let weight = weights[if cone.is_contact() { j.min(1) } else { 0 }];
                    let found = derivative[n * i + j] * weight;
                    // Differences have an error of h² and rounding over h.
                    assert!((found - 0.5 * (left + right)).abs() < 1e-4, "{cone:?} {z:?} {i} {j}");
                }
            }
        }
    }

    /// The nearest point in the norm of R: `(z − p)ᵀR(y − p) ≤ 0` for all y in the cone.
    #[test]
    fn the_response_is_the_nearest_point_in_the_norm_of_the_regularisation() {
        let mut rng = Pcg64::seed_from_u64(5);
        let weights = [0.3, 0.02];
        let mu = 0.6;
        for _ in 0..2000 {
            let z: [f64; 3] = std::array::from_fn(|_| rng.random_range(-1.0..1.0));
            let mut p = z;
            respond(Cone::SecondOrder { coefficient: mu }, weights, &mut p, None);
            assert!(length(&p[1..]) <= mu * p[0] + 1e-14);
            for k in 0..64 {
                let (s, c) = (f64::from(k) * 0.1).sin_cos();
                for size in [0.0, 1.0, 3.0] {
                    let y = [size, size * mu * c, size * mu * s];
                    let product: f64 = (0..3).map(|k| weights[k.min(1)] * (z[k] - p[k]) * (y[k] - p[k])).sum();
                    assert!(product < 1e-14);
                }
            }
        }
    }
}
