//! Methods by name: a stepper and a solver, `[stepper[:options]/]solver[:options]`.

use std::fmt;

use drystone_solver::Solver;
use drystone_solver::registry;
use drystone_solver::spec::{OptionInfo, Spec, SpecError, nearest};

use crate::stepper::{FixedStep, Stepper};

/// A stepper as it is listed for people.
#[derive(Clone, Copy)]
pub struct StepperEntry {
    /// The name in specs.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    make: fn() -> Box<dyn Stepper>,
}

impl StepperEntry {
    /// A stepper with default options.
    pub fn make(&self) -> Box<dyn Stepper> {
        (self.make)()
    }

    /// Its options with their defaults.
    pub fn options(&self) -> Vec<OptionInfo> {
        self.make().options()
    }
}

impl fmt::Debug for StepperEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StepperEntry")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

static STEPPERS: &[StepperEntry] = &[
    StepperEntry {
        name: "semi-implicit",
        summary: "new velocities move the bodies",
        reference: "Erleben 2005, (6.76)",
        make: || Box::new(FixedStep::semi_implicit()),
    },
    StepperEntry {
        name: "classical",
        summary: "old velocities move the bodies; for comparison, stacks sink into each other",
        reference: "Erleben 2005, (6.75)",
        make: || Box::new(FixedStep::classical()),
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
            stepper: make_stepper(&stepper)?,
            solver: registry::solver(&solver)?,
        })
    }
}

impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Method").field(&self.text).finish()
    }
}

fn make_stepper(spec: &Spec) -> Result<Box<dyn Stepper>, SpecError> {
    let entry = STEPPERS
        .iter()
        .find(|entry| entry.name == spec.name)
        .ok_or_else(|| SpecError::UnknownName {
            kind: "stepper",
            name: spec.name.clone(),
            nearest: nearest(&spec.name, STEPPERS.iter().map(|entry| entry.name)).map(str::to_owned),
        })?;
    let mut stepper = entry.make();
    spec.apply_to(stepper.as_mut())?;
    Ok(stepper)
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
