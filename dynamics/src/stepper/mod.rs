//! Time stepping: the order in which the stages of the pipeline are called, one file a scheme.
//!
//! | scheme | what | where |
//! |---|---|---|
//! | [`FixedStep`] | one detection, one solve, one move, one projection | (6.75), (6.76) |
//! | [`ShockStep`] | a solve of whole groups, then a sweep over layers | figures 6.56 and 6.60 |
//! | [`SmallSteps`] | one detection, several solves and moves | Macklin et al. 2019 |
//! | [`BacktrackingStep`] | shorter steps where a whole one would penetrate | §4.12 |

mod backtracking;
mod fixed;
mod shock;
mod small_steps;

use drystone_collision::{AllPairs, BoxBoxMethod, BroadPhase, Grid, NeighbourList, SweepAndPrune, Tree};
use drystone_solver::spec::{Configure, OptionInfo, Spec, SpecError};
use drystone_solver::{Solver, choices, options, registry};

use crate::constraint::RowSettings;
use crate::error::StepError;
use crate::integrate::Gyroscopic;
use crate::pipeline::{Depths, Forces, GraphOptions, Pipeline, ProjectionSettings};

pub use backtracking::BacktrackingStep;
pub use fixed::FixedStep;
pub use shock::{CycleChoice, FallingChoice, HeightChoice, ShockOptions, ShockStep};
pub use small_steps::{SmallStepOptions, SmallSteps};

/// A way to take one step.
pub trait Stepper: Configure + Send {
    /// Advances the pipeline's world by h seconds.
    fn step(&mut self, pipeline: &mut Pipeline, solver: &dyn Solver, h: f64) -> Result<(), StepError>;
}

/// Steppers are told things through the field that holds their options.
macro_rules! configured_by_options {
    ($($stepper:ty),*) => {$(
        impl Configure for $stepper {
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
    )*};
}

configured_by_options!(FixedStep, ShockStep, SmallSteps, BacktrackingStep);

choices! {
    /// How pairs that may touch are found.
    pub enum BroadPhaseChoice {
        /// Pairs that are nearly near, kept while nothing moves far; where everything does, the grid.
        NeighbourList = "neighbour-list",
        /// Rows of a grid, made anew in each step.
        Grid = "grid",
        /// A tree of boxes that follows the bodies, with the pairs it found.
        Tree = "tree",
        /// Sorted intervals, kept from step to step.
        SweepAndPrune = "sweep-and-prune",
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
    /// What every stepper can be told.
    #[derive(Debug, Clone, PartialEq)]
    pub struct StepOptions {
        /// Error reduction: which part of a penetration or a joint's error is corrected by velocity in one step, 0 to 1.
        pub erp: f64 = 0.0,
        /// Constraint force mixing K, 0 or more, m/(N s): softens contacts along their normals, and joints. Projection still
        /// takes away what they give.
        pub cfm: f64 = 0.0,
        /// Solver that projects penetration and joint errors away after the move, or none. Options in brackets.
        pub projection: Spec = coloured(),
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
        pub broad_phase: BroadPhaseChoice = BroadPhaseChoice::NeighbourList,
        /// How contact points between boxes are generated.
        pub box_box: BoxBoxChoice = BoxBoxChoice::Improved,
        flatten pub graph: GraphOptions,
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

/// Gauss–Seidel by colours, many contacts at once. In small groups every sweep counts: what lifts the lower bodies should reach the
/// upper ones, if they are numbered like that.
fn coloured() -> Spec {
    let options = [("order", "coloured"), ("forward-below", "256")];
    Spec {
        name: "pgs".into(),
        options: options.map(|(key, value)| (key.into(), value.into())).into(),
    }
}

impl StepOptions {
    /// The solver of the projection.
    fn projector(&self) -> Result<Option<Box<dyn Solver>>, SpecError> {
        if self.projection.name == "none" {
            return Ok(None);
        }
        let mut spec = self.projection.clone();
        let is_told = spec.options.iter().any(|(key, _)| key == "iterations");
        let takes_iterations = |spec: &Spec| {
            let options = registry::solver(spec).map(|solver| solver.options());
            options.is_ok_and(|options| options.iter().any(|option| option.key == "iterations"))
        };
        if !is_told && takes_iterations(&spec) {
            let iterations = self.projection_iterations.to_string();
            spec.options.push(("iterations".into(), iterations));
        }
        registry::solver(&spec).map(Some)
    }

    /// Rows for velocities that act over a step, from forces that act over a time h.
    fn rows(&self, h: f64, step: f64) -> RowSettings {
        RowSettings {
            h,
            step,
            erp: self.erp,
            cfm: self.cfm,
            restitution_threshold: self.restitution_threshold,
            moved: false,
        }
    }

    /// External forces over a time h.
    fn forces(&self, h: f64) -> Forces {
        Forces {
            gyroscopic: self.gyroscopic,
            h,
        }
    }

    /// How far ahead contacts are seen in a step of h seconds.
    fn horizon(&self, h: f64) -> f64 {
        if self.speculative { h } else { 0.0 }
    }

    fn projection(&self) -> ProjectionSettings {
        ProjectionSettings {
            depths: self.depths,
            slop: self.slop,
        }
    }
}

/// What is made from the options when the first step is taken.
struct Prepared {
    projector: Option<Box<dyn Solver>>,
}

impl Prepared {
    /// Sets the pipeline up as the options say, the first time; later gives back what was made then.
    fn once<'a>(
        prepared: &'a mut Option<Self>,
        options: &StepOptions,
        pipeline: &mut Pipeline,
    ) -> Result<&'a Self, StepError> {
        match prepared {
            Some(prepared) => Ok(prepared),
            None => Ok(prepared.insert(Self::new(options, pipeline)?)),
        }
    }

    fn new(options: &StepOptions, pipeline: &mut Pipeline) -> Result<Self, StepError> {
        pipeline.narrow_phase.envelope = options.envelope;
        pipeline.narrow_phase.box_box = match options.box_box {
            BoxBoxChoice::Improved => BoxBoxMethod::Improved,
            BoxBoxChoice::Old => BoxBoxMethod::Old,
        };
        pipeline.broad_phase = match options.broad_phase {
            BroadPhaseChoice::NeighbourList => Box::new(NeighbourList::default()) as Box<dyn BroadPhase>,
            BroadPhaseChoice::Grid => Box::new(Grid::default()),
            BroadPhaseChoice::Tree => Box::new(Tree::default()),
            BroadPhaseChoice::SweepAndPrune => Box::new(SweepAndPrune::default()),
            BroadPhaseChoice::AllPairs => Box::new(AllPairs),
        };
        pipeline.options = options.graph;
        let projector = options.projector().map_err(|source| StepError::Options {
            message: source.to_string(),
        })?;
        Ok(Self { projector })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_need_others_say_so() {
        let message = |spec: &str| {
            let spec: Spec = spec.parse().unwrap();
            spec.apply_to(&mut StepOptions::default()).unwrap_err().to_string()
        };
        assert!(message("x:subgroups=true").contains("subgroups=true needs sleep=true"));
        assert!(message("x:sleep=true,fixation=true").contains("fixation=true needs subgroups=true"));
        assert!(message("x:projection=pgs(order=sideways)").contains("projection: "));
        assert!(message("x:sleep-steps=0").contains("sleep-steps must be 1 or more"));
        assert!(message("x:damping=-1").contains("damping must be 0 or more"));
    }
}
