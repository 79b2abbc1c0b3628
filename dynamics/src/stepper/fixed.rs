//! Time stepping with a fixed step: one detection, one solve, one move, one projection.
//!
//! Semi-implicit, (6.76): `λ = lcp(A, b)`, `u⁺ = u + M⁻¹Jᵀλ + h M⁻¹ f_ext`, `s⁺ = s + h S u⁺` (printed without S).
//! Classical, (6.75): the same, but `s⁺ = s + h S u`: bodies move before contacts are heard, so stacks sink into each
//! other. It is here for comparison.

use drystone_solver::Solver;

use super::{Prepared, StepOptions, Stepper};
use crate::error::StepError;
use crate::pipeline::{AdvanceWith, Pipeline};

/// The fixed-step scheme in its two variants.
pub struct FixedStep {
    /// Its options; change them before the first step.
    pub options: StepOptions,
    advance_with: AdvanceWith,
    prepared: Option<Prepared>,
}

impl FixedStep {
    /// (6.76): new velocities move the bodies.
    pub fn semi_implicit() -> Self {
        Self::new(AdvanceWith::New)
    }

    /// (6.75): old velocities move the bodies.
    pub fn classical() -> Self {
        Self::new(AdvanceWith::Old)
    }

    fn new(advance_with: AdvanceWith) -> Self {
        Self {
            options: StepOptions::default(),
            advance_with,
            prepared: None,
        }
    }
}

impl Stepper for FixedStep {
    fn step(&mut self, pipeline: &mut Pipeline, solver: &dyn Solver, h: f64) -> Result<(), StepError> {
        let options = &self.options;
        let prepared = Prepared::once(&mut self.prepared, options, pipeline)?;
        let horizon = options.horizon(h);
        pipeline.detect_and_push(horizon, h, options.forces(h))?;
        pipeline.solve_constraints(solver, &options.rows(h, h), horizon)?;
        pipeline.advance(self.advance_with, h, h);
        if let Some(projector) = &prepared.projector {
            pipeline.project(projector.as_ref(), &options.projection())?;
        }
        Ok(())
    }
}
