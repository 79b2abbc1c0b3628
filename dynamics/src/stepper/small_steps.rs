//! Small steps (Macklin et al. 2019): contacts are found once, and the step is then taken in n parts with a few sweeps each.
//!
//! The error that k sweeps leave in a stack is what gravity adds in the time between two solves, and how far it moves the bodies
//! grows with the square of that time. So ten sweeps do more good as five times two on a fifth of the step than at once: bodies
//! hardly move where they should rest. Every part starts from the impulses of the one before; gaps are brought up to date to first order,
//! `g + J_n Δs` with the way Δs that the bodies have gone, and joints are asked where the bodies are. What is left of
//! penetrations and joint errors is projected away once, at the end.
//!
//! Use it for stacks and machines that have to stand or move quietly. Normals and arms are those of the beginning: what turns fast
//! within a step needs shorter ones.

use drystone_solver::{Solver, options};

use super::{Prepared, StepOptions, Stepper};
use crate::constraint::RowSettings;
use crate::error::StepError;
use crate::pipeline::{AdvanceWith, Pipeline};

options! {
    /// What small steps can be told.
    #[derive(Debug, Clone, PartialEq)]
    pub struct SmallStepOptions {
        /// In how many parts a step is taken.
        pub parts: usize = 5,
        flatten pub step: StepOptions,
    }
    validate(options) {
        if options.parts == 0 {
            return Err("parts must be 1 or more".into());
        }
        Ok(())
    }
}

/// One detection, several solves and moves, one projection.
#[derive(Default)]
pub struct SmallSteps {
    /// Its options; change them before the first step.
    pub options: SmallStepOptions,
    prepared: Option<Prepared>,
}

impl Stepper for SmallSteps {
    fn step(&mut self, pipeline: &mut Pipeline, solver: &dyn Solver, h: f64) -> Result<(), StepError> {
        let SmallStepOptions { parts, step: options } = &self.options;
        let prepared = Prepared::once(&mut self.prepared, options, pipeline)?;
        let horizon = options.horizon(h);
        pipeline.detect(horizon, h)?;
        let part = h / *parts as f64;
        for done in 0..*parts {
            let rows = RowSettings {
                moved: done > 0,
                ..options.rows(part, part)
            };
            pipeline.apply_forces(options.forces(part));
            pipeline.solve_constraints(solver, &rows, options.horizon(part))?;
            pipeline.advance(AdvanceWith::New, part, (done + 1) as f64 * part);
        }
        if let Some(projector) = &prepared.projector {
            pipeline.project(projector.as_ref(), &options.projection())?;
        }
        Ok(())
    }
}
