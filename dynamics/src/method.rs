//! Methods by name: a stepper and a solver, `[stepper[:options]/]solver[:options]`.

use std::fmt;

use drystone_solver::Solver;
use drystone_solver::registry::{self, Entry};
use drystone_solver::spec::{Spec, SpecError};

use crate::stepper::{BacktrackingStep, FixedStep, ShockStep, SmallSteps, Stepper};

/// A stepper of the registry.
pub type StepperEntry = Entry<dyn Stepper>;

const ANY: &str = "any scene";

static STEPPERS: &[StepperEntry] = &[
    Entry {
        name: "semi-implicit",
        summary: "new velocities move the bodies",
        takes: ANY,
        reference: "Erleben 2005, (6.76)",
        make: || Box::new(FixedStep::semi_implicit()),
    },
    Entry {
        name: "classical",
        summary: "old velocities move the bodies; for comparison, stacks sink into each other",
        takes: ANY,
        reference: "Erleben 2005, (6.75)",
        make: || Box::new(FixedStep::classical()),
    },
    Entry {
        name: "shock-propagation",
        summary: "whole groups for a part of the step, then layer by layer from the ground up: stacks stand with few sweeps",
        takes: ANY,
        reference: "Erleben 2005, figure 6.56",
        make: || Box::new(ShockStep::published()),
    },
    Entry {
        name: "modified-shock-propagation",
        summary: "the same with a second query and projection at the end, against rippling",
        takes: ANY,
        reference: "Erleben 2005, figure 6.60",
        make: || Box::new(ShockStep::modified()),
    },
    Entry {
        name: "small-steps",
        summary: "contacts are found once, and the step is taken in parts: what rests hardly moves",
        takes: ANY,
        reference: "Macklin et al. 2019",
        make: || Box::new(SmallSteps::default()),
    },
    Entry {
        name: "backtracking",
        summary: "steps are taken back and halved where bodies would penetrate",
        takes: ANY,
        reference: "Erleben 2005, section 4.12",
        make: || Box::new(BacktrackingStep::default()),
    },
];

/// All steppers; the first one is taken where none is named.
pub fn steppers() -> &'static [StepperEntry] {
    STEPPERS
}

/// A stepper and a solver, ready to use.
pub struct Method {
    /// The text it was made from, as it was given.
    pub text: String,
    /// How a step is taken.
    pub stepper: Box<dyn Stepper>,
    /// How its complementarity problems are solved.
    pub solver: Box<dyn Solver>,
}

impl Method {
    /// Reads `[stepper[:options]/]solver[:options]`.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let (stepper, solver) = match text.split_once('/') {
            Some((stepper, solver)) => (stepper.parse()?, solver.parse()?),
            None => (Spec::named(STEPPERS[0].name), text.parse()?),
        };
        Ok(Self {
            text: text.to_owned(),
            stepper: registry::make("stepper", STEPPERS, &stepper)?,
            solver: registry::solver(&solver)?,
        })
    }
}

impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Method").field(&self.text).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_is_a_solver_or_a_stepper_and_a_solver() {
        Method::parse("pgs").unwrap();
        Method::parse("pgs:iterations=100").unwrap();
        Method::parse("classical/psor:relaxation=1.1").unwrap();
        Method::parse("semi-implicit:erp=0.2,projection=none/pgs").unwrap();
    }

    #[test]
    fn mistakes_name_the_nearest_thing() {
        let message = |text: &str| Method::parse(text).unwrap_err().to_string();
        assert_eq!(message("pqs"), "unknown solver 'pqs'; did you mean 'pgs'?");
        assert_eq!(
            message("clasical/pgs"),
            "unknown stepper 'clasical'; did you mean 'classical'?"
        );
        assert!(message("semi-implicit:erq=1/pgs").contains("did you mean 'erp'?"));
        assert!(message("semi-implicit:erp=2/pgs").contains("erp"));
    }
}
