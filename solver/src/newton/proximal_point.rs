//! The proximal-point method around nonsmooth Newton: the laboratory's reference solver (Rockafellar 1976; for friction
//! Acary, Bremond and Huber 2018).
//!
//! Redundant contacts make A singular and Newton's method on the problem itself unreliable. So a sequence of better ones
//! is solved: each has the velocities `Aλ + b + τS(λ − λ̄)`, S the blocks' scales and λ̄ the last solution. The added term
//! makes the matrix regular and the solution unique, Newton converges in a few steps from λ̄, and where λ stops moving the
//! term has vanished: the solution is that of the problem itself. τ falls as long as Newton copes, so that the last
//! steps converge as fast as the accuracy of the linear solves allows, and rises when it does not; where it can't fall far,
//! as in walls, whose contacts are many more than are needed, momentum makes up for it (see `pace`).
//!
//! Full Newton steps are by far the best: a line search that insists on descent keeps Newton from passing through worse
//! points to the right set of contacts (a wall of 2356 contacts takes 0.15 s without, 2.6 s with it). Loose heaps with much
//! friction sometimes make full steps cycle; there the careful way takes over for a while: a non-monotone line search, and
//! between the steps some sweeps of Gauss–Seidel, which mend locally what Newton got wrong locally.
//!
//! Coulomb's law is not monotone, so nothing promises that the proximal points converge. In packed heaps of a thousand bodies
//! they do wander from one point that is nearly a solution to the next before they find one.
//!
//! Non-smooth conjugate gradients give the start: on heaps a good guess of what sticks and what slips saves most of the
//! proximal steps.
//!
//! On rigid bodies Newton's systems live in the space of bodies (see [`linear`](crate::linear)): heaps of
//! thousands of contacts fit into megabytes.

use super::functions::RowFunction;
use super::pace::{Momentum, Pace};
use super::pulled::Pulled;
use super::search::{LineSearch, Newton, NewtonOptions};
use super::{improve, sweeps};
use crate::error::SolveError;
use crate::gradient::NonsmoothConjugateGradient;
use crate::monitor::{Limits, Monitor};
use crate::options;
use crate::problem::Problem;
use crate::solve::{Context, Convergence, Solver, Status};

options! {
    /// The proximal-point method around nonsmooth Newton.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ProximalPoint {
        /// τ at the start, relative to the diagonal of A.
        pub strength: f64 = 0.1,
        /// The smallest τ, relative to the diagonal of A.
        pub weakest: f64 = 1e-9,
        /// Newton steps at most for each proximal problem, the careful way.
        pub steps: usize = 20,
        /// The same for full steps.
        pub full_steps: usize = 40,
        /// A proximal problem is solved when its equations have shrunk by this factor.
        pub shrink: f64 = 0.01,
        /// Iterations of nonlinear conjugate gradients before the first step.
        pub start: usize = 200,
        /// Sweeps after each step of the careful way.
        pub mending_sweeps: usize = 30,
        flatten pub newton: NewtonOptions = NewtonOptions {
            line_search: LineSearch::None,
            regularisation: 0.0,
            ..NewtonOptions::default()
        },
        flatten pub limits: Limits = Limits::of(1000),
    }
    validate(options) {
        if options.strength <= 0.0 || options.weakest <= 0.0 || options.weakest > options.strength {
            return Err("strength and weakest must be above 0, and strength the larger".into());
        }
        if options.steps == 0 || options.full_steps == 0 {
            return Err("steps and full-steps must be 1 or more".into());
        }
        if options.shrink <= 0.0 || options.shrink >= 1.0 {
            return Err("shrink must be above 0 and below 1".into());
        }
        Ok(())
    }
}

/// τ beyond which there is no point in going on: the impulses hardly move.
const STRONGEST: f64 = 1e6;
/// Proximal steps without progress after which there is no hope: rounding is all that is left, or the law has no solution
/// near enough. Heaps do wander for hundreds of steps from one point that is nearly a solution to the next.
const STANDSTILL: usize = 400;
/// Full steps after which the equations must be better than they were.
const PROBATION: usize = 10;
/// The careful way is not tried as often after failing so many times in a row: only after every so many failures.
const CAREFUL_FAILURES: usize = 2;
const CAREFUL_EVERY: usize = 2;

impl Solver for ProximalPoint {
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError> {
        problem.validate_start(impulses)?;
        let mut monitor = Monitor::start(problem, &self.limits, impulses, context)?;
        let mut velocities = context.take(problem.rows());
        problem.velocities(impulses, &mut velocities);
        let goes_on = monitor.goes_on_at(impulses, &velocities, context);
        context.give([velocities]);
        if goes_on {
            self.iterate(problem, &mut monitor, impulses, context)?;
        }
        Ok(monitor.finish(impulses, context))
    }
}

impl ProximalPoint {
    fn iterate(
        &self,
        problem: &Problem,
        monitor: &mut Monitor<'_>,
        impulses: &mut [f64],
        context: &mut Context,
    ) -> Result<(), SolveError> {
        if self.start > 0 {
            let method = NonsmoothConjugateGradient {
                limits: Limits {
                    iterations: self.start,
                    warm_start: 1.0,
                    ..self.limits.clone()
                },
                ..NonsmoothConjugateGradient::default()
            };
            improve(&method, problem, impulses, context);
            monitor.add_work((self.start * problem.rows()) as u64);
        }
        let mut inner = Inner::new(self, problem)?;
        let mut pace = Pace::new(self.strength, self.weakest);
        let mut momentum = Momentum::new(problem.rows());
        let mut velocities = context.take(problem.rows());
        inner.newton.velocities(impulses, &mut velocities);
        while monitor.goes_on_at(impulses, &velocities, context) {
            momentum.advance(impulses, monitor.residual());
            let left = inner.solve(pace.strength, &momentum.centre, impulses, monitor, context);
            if left < 0.5 {
                momentum.leave(impulses);
                impulses.copy_from_slice(&inner.impulses);
                inner.newton.velocities(impulses, &mut velocities);
            }
            if left <= self.shrink {
                pace.solved();
            } else {
                pace.failed();
                momentum.stop();
            }
            if pace.strength > STRONGEST || monitor.standstill() > STANDSTILL {
                monitor.stop(Status::Stalled);
                break;
            }
        }
        context.give([velocities]);
        Ok(())
    }
}

/// What solves the proximal problems.
struct Inner<'a> {
    options: &'a ProximalPoint,
    problem: &'a Problem,
    newton: Newton<'a>,
    pulled: Pulled,
    impulses: Vec<f64>,
    velocities: Vec<f64>,
    /// Whether steps are searched and mended, or taken whole: the way that worked last.
    careful: bool,
    /// How often full steps have failed, and the careful way since it last worked.
    failures: usize,
    careful_failures: usize,
}

impl<'a> Inner<'a> {
    fn new(options: &'a ProximalPoint, problem: &'a Problem) -> Result<Self, SolveError> {
        Ok(Self {
            options,
            problem,
            newton: Newton::new(problem, RowFunction::MinimumMap, &options.newton)?,
            pulled: Pulled::new(problem),
            impulses: vec![0.0; problem.rows()],
            velocities: vec![0.0; problem.rows()],
            careful: false,
            failures: 0,
            careful_failures: 0,
        })
    }

    /// Solves a proximal problem into `self.impulses`: in the way that worked last, about the centre, or else in the other
    /// way, about the plain centre. Returns by how much the equations have shrunk.
    fn solve(
        &mut self,
        strength: f64,
        centre: &[f64],
        plain_centre: &[f64],
        monitor: &mut Monitor<'_>,
        context: &mut Context,
    ) -> f64 {
        let enough = self.options.shrink;
        let left = self.attempt(strength, centre, monitor, context);
        if left <= enough {
            return left;
        }
        if !self.careful {
            self.failures += 1;
            if self.careful_failures >= CAREFUL_FAILURES && !self.failures.is_multiple_of(CAREFUL_EVERY) {
                return left;
            }
        }
        self.careful = !self.careful;
        let left = self.attempt(strength, plain_centre, monitor, context);
        if self.careful {
            self.careful_failures = if left > enough { self.careful_failures + 1 } else { 0 };
        }
        self.careful &= left <= enough;
        left
    }

    /// The same in one way.
    fn attempt(&mut self, strength: f64, centre: &[f64], monitor: &mut Monitor<'_>, context: &mut Context) -> f64 {
        let options = self.options;
        let most = if self.careful {
            self.pulled.pull(self.problem, &self.newton.scales, centre, strength);
            self.newton.line_search = LineSearch::NonMonotone;
            options.steps
        } else {
            self.newton.line_search = options.newton.line_search;
            options.full_steps
        };
        self.newton.pull_towards(centre, strength);
        self.impulses.copy_from_slice(centre);
        self.newton.velocities(&self.impulses, &mut self.velocities);
        let start = self.newton.norm(&self.impulses, &self.velocities);
        let (mut steps, mut left) = (0, start);
        while steps < most && left > options.shrink * start && !monitor.interrupted(context) {
            let Ok(step) = self.newton.step(&mut self.impulses, &mut self.velocities) else {
                return f64::INFINITY;
            };
            steps += 1;
            left = step.after;
            if self.careful && left > options.shrink * start {
                let pulled = &self.pulled.problem;
                sweeps(pulled, options.mending_sweeps, &mut self.impulses, context);
                self.newton.velocities(&self.impulses, &mut self.velocities);
                left = self.newton.norm(&self.impulses, &self.velocities);
            }
            if !self.careful && steps >= PROBATION && left > start {
                break;
            }
        }
        monitor.add_work((steps * centre.len()) as u64);
        if start > 0.0 { left / start } else { 0.0 }
    }
}
