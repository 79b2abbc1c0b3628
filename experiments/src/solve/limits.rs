//! The same limits for every solver that takes them: they are added to its spec, unless the spec already says so.
//!
//! A solver need not have these options. One without `time-limit` is stopped from outside, and whatever a solver makes
//! of its tolerance, what counts is the residual of what it returns.

use drystone_solver::registry::{self, Accuracy, FrictionLaw};
use drystone_solver::spec::{OptionValue, Spec};
use drystone_solver::{Criterion, Solver};

use crate::error::Error;
use crate::seed::seed_method;

/// Iterations where neither the call nor the spec says how many, for methods that come nearer with every one: their own
/// defaults are meant for steps of a simulation.
pub const PATIENCE: usize = 100_000;

/// What is asked of every solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The residual that counts as solved.
    pub tolerance: f64,
    /// Of which measure.
    pub criterion: Criterion,
    /// Seconds at most.
    pub time_limit: f64,
    /// Iterations at most.
    pub iterations: Option<usize>,
}

/// A solver as it was typed, and with the limits.
#[derive(Debug, Clone)]
pub struct PreparedSolver {
    /// As it was typed.
    pub given: String,
    /// With the limits.
    pub spec: Spec,
    /// The values of all options.
    pub options: Vec<(String, String)>,
    /// How it meets friction.
    pub friction: FrictionLaw,
    /// Whether it keeps the time limit itself.
    pub keeps_time: bool,
}

impl PreparedSolver {
    /// Reads a spec and adds the limits to it.
    pub fn new(given: &str, limits: &Limits, seed: Option<u64>) -> Result<Self, Error> {
        let wrong = |source| Error::Method {
            context: String::new(),
            source,
        };
        if let Some((stepper, solver)) = given.split_once('/') {
            return Err(Error::Input(format!(
                "stored problems have no steps: leave out '{stepper}/' and say '{solver}'"
            )));
        }
        let mut spec: Spec = seed_method(given, seed).parse().map_err(wrong)?;
        let own = registry::solver(&spec).map_err(wrong)?;
        let entry = registry::solvers().into_iter().find(|entry| entry.name == spec.name);
        let class = entry.map(|entry| entry.takes);
        let iterative = class.is_some_and(|class| class.accuracy == Accuracy::Iterative);
        add_limits(&mut spec, own.as_ref(), limits, iterative);
        let solver = registry::solver(&spec).map_err(wrong)?;
        let options = solver.options().into_iter().map(|option| (option.key, option.default));
        Ok(Self {
            given: given.to_owned(),
            options: options.collect(),
            friction: class.map_or(FrictionLaw::Coulomb, |class| class.friction),
            keeps_time: spec.options.iter().any(|(key, _)| key == "time-limit"),
            spec,
        })
    }

    /// The solver itself; each thread needs one of its own.
    pub fn make(&self) -> Result<Box<dyn Solver>, Error> {
        registry::solver(&self.spec).map_err(|source| Error::Method {
            context: String::new(),
            source,
        })
    }
}

fn add_limits(spec: &mut Spec, solver: &dyn Solver, limits: &Limits, iterative: bool) {
    let known: Vec<String> = solver.options().into_iter().map(|option| option.key).collect();
    let typed: Vec<String> = spec.options.iter().map(|(key, _)| key.clone()).collect();
    let stop = spec.options.iter().find(|(key, _)| key == "stop");
    let named = stop.map(|(_, value)| value == "residual");
    let mut add = |key: &str, value: String| {
        if !known.iter().any(|other| other == key) || typed.iter().any(|other| other == key) {
            return false;
        }
        let mut more = spec.clone();
        more.options.push((key.to_owned(), value));
        // A value that this solver does not take is left out.
        let taken = registry::solver(&more).is_ok();
        if taken {
            *spec = more;
        }
        taken
    };
    // Sweeps can stop on other things than a residual, for which the tolerance would mean nothing.
    let has_choice = known.iter().any(|key| key == "stop");
    let stops_on_residual = named.unwrap_or_else(|| add("stop", "residual".into()) || !has_choice);
    if stops_on_residual {
        add("criterion", limits.criterion.show());
        add("tolerance", limits.tolerance.show());
    }
    add("time-limit", limits.time_limit.show());
    if let Some(iterations) = limits.iterations.or(iterative.then_some(PATIENCE)) {
        add("iterations", iterations.show());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        tolerance: 1e-8,
        criterion: Criterion::Relative,
        time_limit: 60.0,
        iterations: None,
    };

    fn value(solver: &PreparedSolver, key: &str) -> Option<String> {
        let found = solver.options.iter().find(|(other, _)| other == key);
        found.map(|(_, value)| value.clone())
    }

    #[test]
    fn every_solver_takes_the_limits_it_has_options_for() {
        for entry in registry::solvers() {
            let solver = PreparedSolver::new(entry.name, &LIMITS, None).unwrap();
            let has = |key: &str| entry.options().iter().any(|option| option.key == key);
            if has("time-limit") {
                assert_eq!(value(&solver, "time-limit").as_deref(), Some("60"), "{}", entry.name);
            }
            if has("criterion") {
                assert_eq!(
                    value(&solver, "criterion").as_deref(),
                    Some("relative"),
                    "{}",
                    entry.name
                );
                assert_eq!(value(&solver, "tolerance"), Some(1e-8.show()), "{}", entry.name);
            }
        }
    }

    #[test]
    fn what_was_typed_stays() {
        let limits = Limits {
            iterations: Some(50),
            ..LIMITS
        };
        let solver = PreparedSolver::new("pgs:iterations=7", &limits, None).unwrap();
        assert_eq!(value(&solver, "iterations").as_deref(), Some("7"));
        let solver = PreparedSolver::new("pgs", &limits, Some(3)).unwrap();
        assert_eq!(value(&solver, "iterations").as_deref(), Some("50"));
        assert_eq!(value(&solver, "seed").as_deref(), Some("3"));
        assert_eq!(solver.given, "pgs");
    }

    #[test]
    fn sweeps_are_given_patience() {
        let solver = PreparedSolver::new("pgs", &LIMITS, None).unwrap();
        assert_eq!(value(&solver, "iterations"), Some(PATIENCE.show()));
    }

    #[test]
    fn steppers_have_no_place_here() {
        let message = PreparedSolver::new("classical/pgs", &LIMITS, None)
            .unwrap_err()
            .to_string();
        assert!(message.contains("say 'pgs'"), "{message}");
    }
}
