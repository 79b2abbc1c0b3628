//! Velocity-based shock propagation (dissertation §6.4.3 and 6.4.5).
//!
//! Figure 6.56, with a weight f from 0 to 1:
//! ```text
//! detect at t
//! dynamics(f h)                                    whole groups: what is below feels what is above
//! for each layer from the ground up, what is lower held fixed:
//!     dynamics((1 − f) h), error correction
//! ```
//! Figure 6.60 detects once more at t + h and corrects errors in whole groups, which spreads what is left of them.
//!
//! `dynamics(k)` is (6.76) with forces over a time k. Where a gap may close it is the velocity over the whole step that
//! counts, in both parts, so that `f h u₁ + (1 − f) h u₂` closes it and no more; and impacts of this step are met in the
//! first part, with everybody's momentum, for every f. With f = 0 that is all it does, and bodies at rest feel no weight: a
//! see-saw stays as it is. With f = 1 the sweep has nothing to do but to correct errors, and an exact solver leaves
//! few.

use drystone_contact_graph::{Cycles, Heights, LayerRule};
use drystone_solver::spec::Spec;
use drystone_solver::{Solver, choices, options};

use super::{Prepared, StepOptions, Stepper};
use crate::error::StepError;
use crate::pipeline::{AdvanceWith, LayerSettings, Pipeline};

choices! {
    /// What a stack height is.
    pub enum HeightChoice {
        /// One above the highest body it rests on, by the direction of gravity.
        Gravity = "gravity",
        /// The fewest contacts to a fixed body: the published rule.
        Distance = "distance",
    }
}

choices! {
    /// What is done where bodies carry each other in a circle, or the order of heights contradicts who carries whom.
    pub enum CycleChoice {
        /// They share a layer.
        Condense = "condense",
        /// Nothing: the published rule.
        Ignore = "ignore",
    }
}

choices! {
    /// What height a body has that falls past others.
    pub enum FallingChoice {
        /// At least the one it had.
        Keep = "keep",
        /// The one that what it touches gives it: the published rule.
        Drop = "drop",
    }
}

options! {
    /// What a stepper with shock propagation can be told.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ShockOptions {
        /// Part of the step that whole groups are solved with, f, 0 to 1; the rest is solved layer by layer.
        pub weight: f64 = 0.01,
        /// What a stack height is.
        pub heights: HeightChoice = HeightChoice::Gravity,
        /// What is done about circles of bodies that carry each other.
        pub cycles: CycleChoice = CycleChoice::Condense,
        /// What height falling bodies have.
        pub falling: FallingChoice = FallingChoice::Keep,
        /// Contacts whose normals rise less than this (the sine of their slope) are level: neither body is on the other.
        pub level: f64 = 0.05,
        flatten pub step: StepOptions = StepOptions {
            // A layer is a thin problem: its own order does better than colours, which have little to do at once.
            projection: Spec::named("pgs"),
            ..StepOptions::default()
        },
    }
    validate(options) {
        for (name, value) in [("weight", options.weight), ("level", options.level)] {
            if !(0.0..=1.0).contains(&value) {
                return Err(format!("{name} must be from 0 to 1, not {value}"));
            }
        }
        Ok(())
    }
}

/// A body falls if it is faster than free fall makes it in so many steps.
const FALL_STEPS: f64 = 5.0;

impl ShockOptions {
    fn layers(&self, gravity: f64, h: f64) -> LayerSettings {
        LayerSettings {
            rule: LayerRule {
                heights: match self.heights {
                    HeightChoice::Gravity => Heights::Gravity,
                    HeightChoice::Distance => Heights::Distance,
                },
                cycles: match self.cycles {
                    CycleChoice::Condense => Cycles::Condense,
                    CycleChoice::Ignore => Cycles::Ignore,
                },
                level: self.level,
            },
            fall_speed: match self.falling {
                FallingChoice::Keep => FALL_STEPS * gravity * h,
                FallingChoice::Drop => f64::INFINITY,
            },
        }
    }
}

/// Shock propagation in its two variants.
pub struct ShockStep {
    /// Its options; change them before the first step.
    pub options: ShockOptions,
    /// Whether errors are looked for and corrected once more at the end of the step.
    second_query: bool,
    prepared: Option<Prepared>,
}

impl ShockStep {
    /// Figure 6.56.
    pub fn published() -> Self {
        Self::new(false)
    }

    /// Figure 6.60: with a second query.
    pub fn modified() -> Self {
        Self::new(true)
    }

    fn new(second_query: bool) -> Self {
        Self {
            options: ShockOptions::default(),
            second_query,
            prepared: None,
        }
    }
}

impl Stepper for ShockStep {
    fn step(&mut self, pipeline: &mut Pipeline, solver: &dyn Solver, h: f64) -> Result<(), StepError> {
        let ShockOptions {
            weight, step: options, ..
        } = &self.options;
        let prepared = Prepared::once(&mut self.prepared, options, pipeline)?;
        let projector = prepared.projector.as_deref();
        let (horizon, projection) = (options.horizon(h), options.projection());
        let (whole, layered) = (weight * h, (1.0 - weight) * h);

        pipeline.detect_and_push(horizon, h, options.forces(whole))?;
        pipeline.solve_constraints(solver, &options.rows(whole, h), horizon)?;
        if whole > 0.0 {
            pipeline.advance(AdvanceWith::New, whole, whole);
        }

        pipeline.build_layers(&self.options.layers(pipeline.world().gravity.norm(), h));
        pipeline.apply_forces(options.forces(layered));
        pipeline.advance_others(layered, h);
        let rows = options.rows(layered, h);
        pipeline.for_each_layer(|pipeline, layer| {
            pipeline.solve_layer(layer, solver, &rows, horizon)?;
            pipeline.advance_layer(layer, layered);
            projector.map_or(Ok(()), |projector| {
                pipeline.project_layer(layer, projector, &projection)
            })
        })?;

        if let (true, Some(projector)) = (self.second_query, projector) {
            pipeline.detect_again()?;
            pipeline.project(projector, &projection)?;
        }
        Ok(())
    }
}
