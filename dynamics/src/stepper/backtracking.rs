//! Time stepping that takes a step back when it went too far (dissertation §4.12, the bisection of the retroactive schemes).
//!
//! A step is tried; if bodies then penetrate deeper than a tolerance it is taken back, and half of it is tried, until it is
//! good or as short as is allowed. What is left of the whole step follows in the same way. Whether bodies penetrate is
//! asked of one pair after the other and answered by the first that does.
//!
//! Events compare the ends of whole steps, so those of a trial that was taken back are never told.

use drystone_solver::{Solver, options};

use super::{Prepared, StepOptions, Stepper};
use crate::error::StepError;
use crate::pipeline::{AdvanceWith, Checkpoint, Pipeline};

options! {
    /// What the backtracking stepper can be told.
    #[derive(Debug, Clone, PartialEq)]
    pub struct BacktrackingOptions {
        /// Penetration that a step may end with, m.
        pub tolerance: f64 = 1e-3,
        /// How often a step may be halved.
        pub halvings: usize = 6,
        flatten pub step: StepOptions = StepOptions {
            // Contacts that are seen ahead leave nothing to take back.
            speculative: false,
            ..StepOptions::default()
        },
    }
    validate(options) {
        if options.tolerance < 0.0 {
            return Err(format!("tolerance must be 0 or more, not {}", options.tolerance));
        }
        if options.halvings > 30 {
            return Err(format!("halvings must be at most 30, not {}", options.halvings));
        }
        Ok(())
    }
}

/// Steps that are taken back and halved where they would penetrate.
#[derive(Default)]
pub struct BacktrackingStep {
    /// Its options; change them before the first step.
    pub options: BacktrackingOptions,
    prepared: Option<Prepared>,
    checkpoint: Checkpoint,
}

impl Stepper for BacktrackingStep {
    fn step(&mut self, pipeline: &mut Pipeline, solver: &dyn Solver, h: f64) -> Result<(), StepError> {
        let BacktrackingOptions {
            tolerance,
            halvings,
            step: options,
        } = &self.options;
        let prepared = Prepared::once(&mut self.prepared, options, pipeline)?;
        // In units of the shortest step, so that they add up to the whole exactly.
        let whole = 1_u64 << halvings;
        let unit = h / whole as f64;
        let (mut done, mut length) = (0, whole);
        while done < whole {
            length = length.min(whole - done);
            let part = length as f64 * unit;
            pipeline.save(&mut self.checkpoint);
            let horizon = options.horizon(part);
            pipeline.detect_and_push(horizon, part, options.forces(part))?;
            pipeline.solve_constraints(solver, &options.rows(part, part), horizon)?;
            pipeline.advance(AdvanceWith::New, part, part);
            if let Some(projector) = &prepared.projector {
                pipeline.project(projector.as_ref(), &options.projection())?;
            }
            if length > 1 && pipeline.penetrates(*tolerance) {
                pipeline.restore(&self.checkpoint);
                length /= 2;
                continue;
            }
            done += length;
            pipeline.pass(part);
            // The rest is tried at once; where that is too far, it is halved again.
            length = whole - done;
        }
        Ok(())
    }
}
