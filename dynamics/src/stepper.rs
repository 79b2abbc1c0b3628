//! Time stepping with a fixed step: one detection, one solve, one move, one projection.
//!
//! Semi-implicit, (6.76): `λ = lcp(A, b)`, `u⁺ = u + M⁻¹Jᵀλ + h M⁻¹ f_ext`, `s⁺ = s + h S u⁺` (printed without S).
//! Classical, (6.75): the same, but `s⁺ = s + h S u`: bodies move before contacts are heard, so stacks sink into each
//! other. It is here for comparison.

use drystone_collision::{AllPairs, BoxBoxMethod, BroadPhase, Grid, SweepAndPrune};
use drystone_solver::spec::{Configure, OptionInfo, Spec, SpecError};
use drystone_solver::{Solver, choices, options, registry};

use crate::constraint::RowSettings;
use crate::error::StepError;
use crate::integrate::Gyroscopic;
use crate::pipeline::{AdvanceWith, Depths, Pipeline, ProjectionSettings};

/// A way to take one step.
pub trait Stepper: Configure + Send {
    /// Advances the pipeline's world by h seconds.
    fn step(&mut self, pipeline: &mut Pipeline, solver: &dyn Solver, h: f64) -> Result<(), StepError>;
}

choices! {
    /// How pairs that may touch are found.
    pub enum BroadPhaseChoice {
        /// Sorted intervals, kept from step to step.
        SweepAndPrune = "sweep-and-prune",
        /// Rows of a grid; for thousands of bodies.
        Grid = "grid",
        /// Every pair.
        AllPairs = "all-pairs",
    }
}

choices! {
    /// How contact points between boxes are generated.
    pub enum BoxBoxChoice {
        /// With the repairs of §6.3.
        Improved = "improved",
        /// Without them.
        Old = "old",
    }
}

options! {
    /// What a fixed-step stepper can be told.
    #[derive(Debug, Clone, PartialEq)]
    pub struct StepOptions {
        /// Error reduction: which part of a penetration or a joint's error is corrected by velocity in one step, 0 to 1.
        pub erp: f64 = 0.0,
        /// Constraint force mixing K, 0 or more, m/(N s): softens contacts along their normals, and joints. Projection still
        /// takes away what they give.
        pub cfm: f64 = 0.0,
        /// Solver that projects penetration and joint errors away after the move, or none. Options in brackets.
        pub projection: String = "pgs".into(),
        /// Its number of iterations, if it is told one.
        pub projection_iterations: usize = 5,
        /// Which depths are projected: detected at the beginning of the step, or updated to first order.
        pub depths: Depths = Depths::Updated,
        /// Penetration that projection leaves alone, m.
        pub slop: f64 = 0.0,
        /// Bodies closer than this have contact points, m.
        pub envelope: f64 = 0.01,
        /// Bodies that could meet within the step have contact points too, however far apart.
        pub speculative: bool = true,
        /// Contacts that approach more slowly than this do not bounce, m/s.
        pub restitution_threshold: f64 = 0.1,
        /// How the gyroscopic term is integrated.
        pub gyroscopic: Gyroscopic = Gyroscopic::Midpoint,
        /// How pairs that may touch are found.
        pub broad_phase: BroadPhaseChoice = BroadPhaseChoice::SweepAndPrune,
        /// How contact points between boxes are generated.
        pub box_box: BoxBoxChoice = BoxBoxChoice::Improved,
    }
    validate(options) {
        if !(0.0..=1.0).contains(&options.erp) {
            return Err(format!("erp must be from 0 to 1, not {}", options.erp));
        }
        for (name, value) in [
            ("cfm", options.cfm),
            ("slop", options.slop),
            ("envelope", options.envelope),
            ("restitution-threshold", options.restitution_threshold),
        ] {
            if value < 0.0 {
                return Err(format!("{name} must be 0 or more, not {value}"));
            }
        }
        options.projector().map_err(|error| format!("projection: {error}"))?;
        Ok(())
    }
}

impl StepOptions {
    /// The solver of the projection.
    fn projector(&self) -> Result<Option<Box<dyn Solver>>, SpecError> {
        if self.projection == "none" {
            return Ok(None);
        }
        let mut spec = Spec::named(&self.projection);
        let takes_iterations = |spec: &Spec| {
            let options = registry::solver(spec).map(|solver| solver.options());
            options.is_ok_and(|options| options.iter().any(|option| option.key == "iterations"))
        };
        if takes_iterations(&spec) {
            let iterations = self.projection_iterations.to_string();
            spec.options.push(("iterations".into(), iterations));
        }
        registry::solver(&spec).map(Some)
    }

    fn rows(&self, h: f64) -> RowSettings {
        RowSettings {
            h,
            erp: self.erp,
            cfm: self.cfm,
            restitution_threshold: self.restitution_threshold,
        }
    }
}

/// The fixed-step scheme in its two variants.
pub struct FixedStep {
    /// Its options; change them before the first step.
    pub options: StepOptions,
    advance_with: AdvanceWith,
    prepared: Option<Prepared>,
}

/// What is made from the options when the first step is taken.
struct Prepared {
    projector: Option<Box<dyn Solver>>,
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

    /// Sets the collision pipeline up as the options say.
    fn prepare(&self, pipeline: &mut Pipeline) -> Result<Prepared, StepError> {
        let options = &self.options;
        pipeline.narrow_phase.envelope = options.envelope;
        pipeline.narrow_phase.box_box = match options.box_box {
            BoxBoxChoice::Improved => BoxBoxMethod::Improved,
            BoxBoxChoice::Old => BoxBoxMethod::Old,
        };
        pipeline.broad_phase = match options.broad_phase {
            BroadPhaseChoice::SweepAndPrune => Box::new(SweepAndPrune::default()) as Box<dyn BroadPhase>,
            BroadPhaseChoice::Grid => Box::new(Grid::default()),
            BroadPhaseChoice::AllPairs => Box::new(AllPairs),
        };
        let projector = options.projector().map_err(|source| StepError::Options {
            message: source.to_string(),
        })?;
        Ok(Prepared { projector })
    }
}

impl Stepper for FixedStep {
    fn step(&mut self, pipeline: &mut Pipeline, solver: &dyn Solver, h: f64) -> Result<(), StepError> {
        let prepared = match self.prepared.take() {
            Some(prepared) => prepared,
            None => self.prepare(pipeline)?,
        };
        let prepared = self.prepared.insert(prepared);
        let horizon = if self.options.speculative { h } else { 0.0 };
        pipeline.detect(horizon)?;
        pipeline.apply_forces(self.options.gyroscopic, h);
        pipeline.solve_constraints(solver, &self.options.rows(h), horizon)?;
        pipeline.advance(self.advance_with, h);
        if let Some(projector) = &prepared.projector {
            let settings = ProjectionSettings {
                h,
                depths: self.options.depths,
                slop: self.options.slop,
                moved_with: self.advance_with,
            };
            pipeline.project(projector.as_ref(), &settings)?;
        }
        Ok(())
    }
}

impl Configure for FixedStep {
    fn options(&self) -> Vec<OptionInfo> {
        self.options.options()
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), SpecError> {
        self.options.set(key, value)
    }

    fn validate(&self) -> Result<(), String> {
        self.options.validate()
    }
}
