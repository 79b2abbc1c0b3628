//! The spectral projected gradient method (Birgin, Martínez and Raydan 2000).
//!
//! Steepest descent whose step length is taken from the curvature along the step before (Barzilai and Borwein 1988),
//!
//! ```text
//! d = P(λ − t H g) − λ,      λ⁺ = λ + a d,      t⁺ = ‖d‖²_{H⁻¹} / d·A d
//! ```
//!
//! With it the energy may rise for a while, and must be let: the line search only asks that it stays below the highest of
//! the last `memory` (Grippo, Lampariello and Lucidi 1986). As the energy is quadratic, one product `A d` gives it for all
//! a. Simple, with a residual that is a wild curve. Good on heaps and on whatever sticks; on stacks in which much slips it
//! is the slowest of the family, because every change of the discs spoils the curvature it has learnt.

use super::{GradientOptions, Model, Staggering, check};
use crate::delassus::Delassus;
use crate::error::SolveError;
use crate::monitor::Monitor;
use crate::options;
use crate::problem::{Problem, with_operator};
use crate::solve::{Context, Convergence, Solver};
use crate::vector::{add, dot};

/// The energy must fall by this share of what the slope promises.
const SUFFICIENT: f64 = 1e-4;

/// Velocities carried along by `w += a A d` are summed up anew after so many iterations.
const REFRESH: usize = 32;

options! {
    /// Spectral projected gradients.
    #[derive(Debug, Clone, PartialEq)]
    pub struct SpectralProjectedGradient {
        /// Among how many last energies the highest is the limit; 1 makes the descent monotone.
        pub memory: usize = 30,
        flatten pub gradient: GradientOptions = GradientOptions {
            staggering: Staggering::Tresca,
            inner_iterations: 20,
            ..GradientOptions::default()
        },
    }
    validate(options) {
        if options.memory == 0 {
            return Err("memory must be 1 or more".into());
        }
        Ok(())
    }
}

impl Solver for SpectralProjectedGradient {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        with_operator!(&problem.operator, operator => self.descend(problem, operator, impulses, context))
    }
}

impl SpectralProjectedGradient {
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
        let (mut w, mut g) = (context.take(rows), context.take(rows));
        let (mut d, mut product, mut energies) = (context.take(rows), context.take(rows), context.take(self.memory));
        model.velocities(x, &mut w);
        model.freeze(x, &w);
        model.project(x);
        model.velocities(x, &mut w);
        model.gradient(&w, &mut g);
        let mut step = model.first_step(&g, &mut d, &mut product);
        // Energies are counted from that at the start of the frozen problem: only differences matter.
        let (mut energy, mut count) = (0.0, 0);
        energies.fill(f64::NEG_INFINITY);

        while monitor.goes_on_at(x, &w, context) {
            let followed = model.follow(x, &w, monitor.residual());
            if followed {
                // The sets may be others now (Tresca). The energies before are left as limits, though they belong to what
                // was frozen then: a search that starts anew each time is a monotone one, and slow.
                model.project(x);
            }
            if followed || count % REFRESH == 0 {
                model.velocities(x, &mut w);
            }
            energies[count % self.memory] = energy;
            count += 1;
            model.gradient(&w, &mut g);
            model.projected_step(step, x, &g, &mut d);
            add(&mut d, -1.0, x);
            model.multiply(&d, &mut product);
            let (slope, curvature) = (dot(&g, &d), dot(&d, &product));
            let change = |a: f64| a * slope + 0.5 * a * a * curvature;
            let highest = energies.iter().fold(f64::NEG_INFINITY, |high, &e| high.max(e));
            let length = if energy + change(1.0) <= highest + SUFFICIENT * slope {
                1.0
            } else {
                // The minimum along d; it is between 0 and 1, since the energy at 1 was too high.
                (-slope / curvature).clamp(0.0, 1.0)
            };
            energy += change(length);
            add(x, length, &d);
            add(&mut w, length, &product);
            let spectral = model.weighted(&d, &d) / curvature;
            if spectral > 0.0 && spectral.is_finite() {
                step = spectral;
            }
        }
        context.give([w, g, d, product, energies]);
        model.release(context);
        Ok(monitor.finish(x, context))
    }
}
