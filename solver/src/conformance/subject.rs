//! A solver under examination: made afresh with chosen options, run, and judged by the law it claims to solve.

use super::{EXACT, ITERATIONS, ITERATIVE};
use crate::error::SolveError;
use crate::formulation::{BoxLcp, Pyramid, relaxed};
use crate::problem::Problem;
use crate::registry::{Accuracy, Class, FrictionLaw, SolverEntry};
use crate::residual;
use crate::solve::{Context, Convergence, Solver};
use crate::spec::{OptionInfo, Spec, SpecError};

/// The law of friction that a result is held against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Law {
    /// Coulomb's.
    Coulomb,
    /// The convex relaxation.
    Relaxed,
    /// The pyramid.
    Pyramid {
        /// Its number of facets.
        facets: usize,
    },
    /// Each tangent within ± `share` · μ λ_n.
    Box {
        /// 1 around the disc, 1/√2 inside it.
        share: f64,
    },
    /// Friction is not taken.
    None,
}

impl Law {
    /// The law of a class, with what the solver's options `friction` and `facets` say about it, if it has them.
    pub fn of(class: &Class, options: &[OptionInfo]) -> Self {
        let value = |key: &str| {
            let found = options.iter().find(|option| option.key == key);
            found.map(|option| option.default.as_str())
        };
        let facets = value("facets").and_then(|text| text.parse().ok()).unwrap_or(8);
        match (value("friction"), class.friction) {
            (Some("box"), _) => Self::Box { share: 1.0 },
            (Some("scaled-box"), _) => Self::Box {
                share: std::f64::consts::FRAC_1_SQRT_2,
            },
            (Some("pyramid"), _) => Self::Pyramid { facets },
            (Some("cone"), _) | (_, FrictionLaw::Coulomb) => Self::Coulomb,
            (_, FrictionLaw::Relaxed) => Self::Relaxed,
            (_, FrictionLaw::Pyramid) => Self::Pyramid { facets },
            (_, FrictionLaw::Box) => Self::Box { share: 1.0 },
            (_, FrictionLaw::None) => Self::None,
        }
    }

    /// The natural residual of impulses with this law in the place of Coulomb's, m/s.
    ///
    /// The pyramid's other unknowns follow from the impulses ([`Pyramid::start`]): of all shares β with the same λ_t it
    /// takes those with the least sum, and they solve the pyramid if any do.
    pub fn residual(&self, problem: &Problem, impulses: &[f64]) -> Result<f64, SolveError> {
        let natural = |problem: &Problem, impulses: &[f64]| {
            let mut velocities = vec![0.0; problem.rows()];
            problem.velocities(impulses, &mut velocities);
            residual::natural(problem, impulses, &velocities)
        };
        if !problem.blocks.iter().any(|block| block.cone.is_contact()) {
            return Ok(natural(problem, impulses));
        }
        match *self {
            Self::Coulomb | Self::None => Ok(natural(problem, impulses)),
            Self::Relaxed => Ok(natural(&relaxed(problem)?, impulses)),
            Self::Pyramid { facets } => {
                let pyramid = Pyramid::new(problem, facets)?;
                Ok(natural(&pyramid.problem, &pyramid.start(impulses)))
            }
            Self::Box { share } => Ok(natural(&BoxLcp::new(problem, share)?.at(impulses)?, impulses)),
        }
    }
}

/// What a solver made of a problem, and how good that is.
#[derive(Debug, Clone)]
pub struct Judgement {
    /// The impulses it returned.
    pub impulses: Vec<f64>,
    /// `w = Aλ + b` of them.
    pub velocities: Vec<f64>,
    /// What it says of itself.
    pub report: Convergence,
    /// The natural residual by the solver's own law, m/s.
    pub residual: f64,
}

/// A solver with options, what it claims, and how it is run.
#[derive(Debug)]
pub struct Subject {
    /// Its name, with the options it was given.
    pub name: String,
    /// What it claims to be.
    pub class: Class,
    /// The law that it is judged by.
    pub law: Law,
    spec: Spec,
    make: fn() -> Box<dyn Solver>,
}

impl Subject {
    /// A registered solver with its default options.
    pub fn of(entry: &SolverEntry) -> Self {
        Self {
            name: entry.name.to_owned(),
            class: entry.takes,
            law: Law::of(&entry.takes, &entry.options()),
            spec: Spec::named(entry.name),
            make: entry.make,
        }
    }

    /// A registered solver with the options of a spec.
    pub fn with_options(entry: &SolverEntry, spec: &Spec) -> Result<Self, SpecError> {
        let mut solver = (entry.make)();
        spec.apply_to(solver.as_mut())?;
        Ok(Self {
            name: spec.to_string(),
            law: Law::of(&entry.takes, &solver.options()),
            spec: spec.clone(),
            ..Self::of(entry)
        })
    }

    /// The natural residual that it must come down to, m/s.
    pub fn tolerance(&self) -> f64 {
        match self.class.accuracy {
            Accuracy::Exact => EXACT,
            Accuracy::Iterative => ITERATIVE,
        }
    }

    /// Runs it with all patience: an exact method as it is, an iterative one with [`ITERATIONS`] iterations, stopping at
    /// a hundredth of the residual that is asked of it.
    pub fn judge(&self, problem: &Problem, start: &[f64]) -> Result<Judgement, SolveError> {
        self.judge_within(ITERATIONS, problem, start)
    }

    /// The same with another number of iterations for iterative methods.
    pub fn judge_within(&self, iterations: usize, problem: &Problem, start: &[f64]) -> Result<Judgement, SolveError> {
        let iterations = iterations.to_string();
        let solver = match self.class.accuracy {
            Accuracy::Exact => self.made(&[]),
            Accuracy::Iterative => self.stopping_at(0.01 * ITERATIVE, &[("iterations", &iterations)]),
        };
        let mut impulses = start.to_vec();
        let mut context = Context::default();
        let report = solver.solve(problem, &mut impulses, &mut context)?;
        let mut velocities = vec![0.0; problem.rows()];
        problem.velocities(&impulses, &mut velocities);
        Ok(Judgement {
            residual: self.law.residual(problem, &impulses)?,
            impulses,
            velocities,
            report,
        })
    }

    /// Whether it has an option.
    pub(super) fn has(&self, key: &str) -> bool {
        (self.make)().options().iter().any(|option| option.key == key)
    }

    /// It, with those of the options that it has and takes. What its spec says stays.
    pub(super) fn made(&self, options: &[(&str, &str)]) -> Box<dyn Solver> {
        let mut taken = self.spec.clone();
        for &(key, value) in options {
            let mut more = taken.clone();
            let typed = more.options.iter().any(|(known, _)| known == key);
            more.options.push((key.to_owned(), value.to_owned()));
            if !typed && more.apply_to((self.make)().as_mut()).is_ok() {
                taken = more;
            }
        }
        let mut solver = (self.make)();
        // All of it was taken above, one by one.
        let _ = taken.apply_to(solver.as_mut());
        solver
    }

    /// Whether its tolerance is for the common residual: sweeps may stop on other things.
    pub(super) fn stops_on_residual(&self) -> bool {
        let takes_residual = || {
            let mut spec = self.spec.clone();
            spec.options.retain(|(key, _)| key != "stop");
            spec.options.push(("stop".into(), "residual".into()));
            spec.apply_to((self.make)().as_mut()).is_ok()
        };
        self.has("tolerance") && self.has("criterion") && (!self.has("stop") || takes_residual())
    }

    /// It, with a tolerance on the natural residual if it has one, and other options.
    pub(super) fn stopping_at(&self, tolerance: f64, options: &[(&str, &str)]) -> Box<dyn Solver> {
        let mut all = options.to_vec();
        let tolerance = tolerance.to_string();
        if self.stops_on_residual() {
            all.extend([
                ("stop", "residual"),
                ("criterion", "natural"),
                ("tolerance", &tolerance),
            ]);
        }
        self.made(&all)
    }
}
