//! Modified proportioning with reduced gradient projections (Dostál 2009; for discs and cones Dostál and Kučera 2010).
//!
//! Conjugate gradients on what is free, as long as what is at its bounds is content. With t fixed and below 2/‖HA‖,
//! `ν = (λ − P(λ − t H g))/t` splits into the part φ̃ of the free rows and the part β of those at a bound, and
//!
//! - if `‖β‖² ≤ Γ² φ̃·φ` (the bounds are proportional) a step of conjugate gradients is made on the free rows; if it leaves
//!   the set it is projected, and where that raises the energy a projected gradient step is made instead;
//! - else a projected gradient step, which also lets rows leave their bounds.
//!
//! The energy of the frozen problem never rises, and the rate has a bound by the condition of A alone. Strong where many
//! rows stick and few slip; every change of the active rows drops the conjugate directions. A contact on its cone's edge
//! counts as at a bound with all its rows.

use super::{GradientOptions, Model, Staggering, check};
use crate::cone::{Cone, length};
use crate::delassus::Delassus;
use crate::error::SolveError;
use crate::monitor::Monitor;
use crate::options;
use crate::problem::{Problem, with_operator};
use crate::solve::{Context, Convergence, Solver};
use crate::vector::{self, add, dot};

options! {
    /// Modified proportioning with reduced gradient projections.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ReducedGradientProjection {
        /// Γ: how much larger the part at the bounds may be than the free part before it is attended to.
        pub proportion: f64 = 1.0,
        flatten pub gradient: GradientOptions = GradientOptions {
            staggering: Staggering::Tresca,
            ..GradientOptions::default()
        },
    }
    validate(options) {
        if options.proportion <= 0.0 {
            return Err(format!("proportion must be above 0, not {}", options.proportion));
        }
        Ok(())
    }
}

impl Solver for ReducedGradientProjection {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        with_operator!(&problem.operator, operator => self.descend(problem, operator, impulses, context))
    }
}

impl ReducedGradientProjection {
    fn descend<D: Delassus>(
        &self,
        problem: &Problem,
        operator: &D,
        x: &mut [f64],
        context: &mut Context,
    ) -> Result<Convergence, SolveError> {
        check(problem, x)?;
        let mut monitor = Monitor::start(problem, &self.gradient.limits, x, context)?;
        let mut model = Model::new(problem, operator, &self.gradient, context);
        let rows = problem.rows();
        let (mut w, mut g, mut free) = (context.take(rows), context.take(rows), context.take(rows));
        let (mut p, mut product, mut next) = (context.take(rows), context.take(rows), context.take(rows));
        let mut w_next = context.take(rows);
        let mut step = 1.0 / largest_eigenvalue(&mut model, &mut p, &mut product);
        monitor.add_work(POWER_STEPS as u64 * rows as u64);
        model.velocities(x, &mut w);
        model.freeze(x, &w);
        model.project(x);
        model.velocities(x, &mut w);
        // Whether p is conjugate to the steps before.
        let mut conjugate = false;

        while monitor.goes_on_at(x, &w, context) {
            if model.follow(x, &w, monitor.residual()) {
                model.project(x);
                model.velocities(x, &mut w);
                conjugate = false;
            }
            model.gradient(&w, &mut g);
            mark_free(&model, x, &mut free);
            model.projected_step(step, x, &g, &mut next);
            let (mut chopped, mut reduced) = (0.0, 0.0);
            for row in 0..rows {
                let nu = (x[row] - next[row]) / step;
                chopped += (1.0 - free[row]) * nu * nu / model.metric[row];
                reduced += free[row] * nu * g[row];
            }
            let mut moved = false;
            if chopped <= self.proportion * self.proportion * reduced && reduced > 0.0 {
                if !conjugate {
                    for row in 0..rows {
                        p[row] = free[row] * model.metric[row] * g[row];
                    }
                }
                model.multiply(&p, &mut product);
                let curvature = dot(&p, &product);
                let length = dot(&g, &p) / curvature;
                // Joints that contradict each other leave a direction without curvature, and no end to go to along it.
                if length.is_finite() && length > 0.0 && curvature > FLAT * model.weighted(&p, &p) {
                    for row in 0..rows {
                        next[row] = x[row] - length * p[row];
                    }
                    w_next.copy_from_slice(&next);
                    model.project(&mut w_next);
                    // Rows at a bound have not moved, but may round on being projected again.
                    if (0..rows).all(|row| free[row] == 0.0 || w_next[row] == next[row]) {
                        x.copy_from_slice(&next);
                        add(&mut w, -length, &product);
                        model.gradient(&w, &mut g);
                        for row in 0..rows {
                            next[row] = free[row] * model.metric[row] * g[row];
                        }
                        let beta = dot(&next, &product) / curvature;
                        for row in 0..rows {
                            p[row] = next[row] - beta * p[row];
                        }
                        (moved, conjugate) = (true, true);
                    } else {
                        next.copy_from_slice(&w_next);
                        model.velocities(&next, &mut w_next);
                        monitor.add_work(rows as u64);
                        if energy_change(&g, x, &next, &w, &w_next) < 0.0 {
                            x.copy_from_slice(&next);
                            w.copy_from_slice(&w_next);
                            (moved, conjugate) = (true, false);
                        }
                    }
                }
            }
            if !moved {
                conjugate = false;
                model.projected_step(step, x, &g, &mut next);
                model.velocities(&next, &mut w_next);
                let (mut curvature, mut square) = (0.0, 0.0);
                for row in 0..rows {
                    let change = next[row] - x[row];
                    curvature += change * (w_next[row] - w[row]);
                    square += change * change / model.metric[row];
                }
                // Else the energy could have risen: the estimate of the largest eigenvalue was too small.
                if step * curvature > 2.0 * square {
                    step *= 0.5;
                    continue;
                }
                x.copy_from_slice(&next);
                w.copy_from_slice(&w_next);
            }
        }
        context.give([w, g, free, p, product, next, w_next]);
        model.release(context);
        Ok(monitor.finish(x, context))
    }
}

/// By how much the energy at `next` is higher than at x: `g·δ + ½ δ·Aδ`.
fn energy_change(g: &[f64], x: &[f64], next: &[f64], w: &[f64], w_next: &[f64]) -> f64 {
    (0..x.len())
        .map(|row| (next[row] - x[row]) * (g[row] + 0.5 * (w_next[row] - w[row])))
        .sum()
}

/// Curvature in units of the diagonal of A that is nothing but rounding.
const FLAT: f64 = 1e-12;

/// What is nearer to its edge than this, relatively, is on it.
const EDGE: f64 = 1.0 - 1e-9;

/// 1 for rows that are off their bounds, 0 for others.
fn mark_free<D: Delassus>(model: &Model<'_, D>, x: &[f64], free: &mut [f64]) {
    for block in &model.problem.blocks {
        let rows = block.rows();
        let first = rows.start;
        let mark = |inside: bool| if inside { 1.0 } else { 0.0 };
        match block.cone {
            Cone::Free => free[rows].fill(1.0),
            Cone::NonNegative => rows.for_each(|row| free[row] = mark(x[row] > 0.0)),
            Cone::Interval { lower, upper } => {
                rows.for_each(|row| free[row] = mark(x[row] > lower && x[row] < upper));
            }
            Cone::SecondOrder { coefficient } => {
                let inside = length(&x[first + 1..rows.end]) < EDGE * coefficient * x[first];
                free[rows].fill(mark(inside));
            }
            Cone::Friction { .. } | Cone::Rolling { .. } => match model.options.staggering {
                Staggering::DeSaxce => {
                    let inside = block
                        .discs()
                        .all(|(mu, tangents)| length(&x[tangents]) < EDGE * mu * x[first]);
                    free[rows].fill(mark(inside));
                }
                Staggering::Tresca => {
                    free[first] = mark(x[first] > 0.0);
                    for (_, tangents) in block.discs() {
                        let inside = length(&x[tangents.clone()]) < EDGE * model.frozen[tangents.start];
                        free[tangents].fill(mark(inside));
                    }
                }
            },
        }
    }
}

const POWER_STEPS: usize = 12;

/// The largest eigenvalue of HA by power iteration, with a margin for what that leaves.
fn largest_eigenvalue<D: Delassus>(model: &mut Model<'_, D>, p: &mut [f64], product: &mut [f64]) -> f64 {
    // Any start will do that is not orthogonal to the first eigenvector; this one has no symmetry to be so by.
    for (row, p) in p.iter_mut().enumerate() {
        *p = 1.0 + 0.5 * (row as f64 * 1.618).sin();
    }
    let mut value = 1.0;
    for _ in 0..POWER_STEPS {
        model.multiply(p, product);
        value = dot(p, product) / model.weighted(p, p);
        let largest = vector::largest(product);
        if largest == 0.0 {
            return 1.0;
        }
        for row in 0..p.len() {
            p[row] = model.metric[row] * product[row] / largest;
        }
    }
    if value > 0.0 { 1.2 * value } else { 1.0 }
}
