//! Matrix splitting: methods that update one block at a time with the rest held still.
//!
//! All are instances of Murty's projected scheme (dissertation (6.55)): `λ ← P(λ − ω E (Aλ + b + K(λ⁺ − λ)))`. With K = 0
//! it is Jacobi, with K the strict lower triangle Gauss–Seidel, with ω ≠ 1 successive over-relaxation. For symmetric
//! positive definite A and fixed bounds Gauss–Seidel and 0 < ω < 2 converge; friction limits that follow the normal
//! impulse are outside that theorem.
//!
//! - `jacobi`, `gauss_seidel`, `sor`: projection, all blocks at once or one after the other;
//! - `exact_gauss_seidel`: every contact solved to rounding when it is visited;
//! - `mass_splitting`: Jacobi that cannot overshoot, since every contact has its own share of its bodies.
//!
//! **Redundant joints.** A is then singular, A n = 0 for impulses n that move nothing; velocities are unique, impulses are not.
//! On free rows a sweep is `λ ← λ − B⁻¹ (Aλ + b)`, with `B = D/ω` for Jacobi and `B = D/ω + L` for Gauss–Seidel and SOR (D the
//! diagonal of A, L what is below it in the order of the sweep). If b is consistent they converge (Keller 1965), and since
//! every change lies in B⁻¹ times the range of A, from zero they end where `n·Bλ = 0` for all such n:
//!
//! - Jacobi at the smallest impulses in the norm of D, as the direct solution does: an even share;
//! - Gauss–Seidel and SOR at others, that depend on the order: of two equal rows the first carries all;
//! - whole blocks (`granularity=blocks`, `nsgs`) take the pseudo-inverse of a singular block, so that rows of one joint share
//!   evenly among themselves.
//!
//! If joints contradict each other, velocities still come to rest at a compromise, Jacobi's at the one with the least
//! `Σ w_r²/A_rr`, while impulses grow by the same amount every sweep. No stopping test is met then. (`tests/redundancy.rs`
//! checks all of this.)
//!
//! What they share is here: the options, the update of a block by projection (`local`) or exactly (`one_contact`), the
//! order of blocks (`order`) and the stopping test (`stop`). Each method is one file.

mod coloured;
mod equality;
mod exact_gauss_seidel;
mod gauss_seidel;
mod jacobi;
mod local;
mod mass_splitting;
mod mechanism;
pub mod one_contact;
mod order;
mod sor;
mod stop;

pub use coloured::{SweepWork, bytes_per_contact};
pub use exact_gauss_seidel::ExactGaussSeidel;
pub use gauss_seidel::GaussSeidel;
pub(crate) use gauss_seidel::Sweep;
pub use jacobi::Jacobi;
pub use local::{Friction, Granularity};
pub use mass_splitting::MassSplitting;
pub use order::Order;
pub use sor::SuccessiveOverRelaxation;
pub use stop::Stop;

use std::time::Instant;

use crate::cone::at_least;
use crate::delassus::Delassus;
use crate::error::SolveError;
use crate::monitor::{self, Criterion};
use crate::problem::Problem;
use crate::registry::{Accuracy, Class, Entry, FrictionLaw, MatrixKind, SolverEntry};
use crate::solve::{Context, Convergence, Measure, Status};
use crate::{choices, options};

const CLASS: Class = Class {
    family: "splitting",
    friction: FrictionLaw::Coulomb,
    matrix: MatrixKind::PositiveDiagonal,
    accuracy: Accuracy::Iterative,
};

/// The splitting methods, in the order they are listed.
pub(crate) static ENTRIES: &[SolverEntry] = &[
    Entry {
        name: "pgs",
        summary: "projected Gauss–Seidel",
        takes: CLASS,
        reference: "Erleben 2005, §6.1.5–6.1.7",
        make: || Box::new(GaussSeidel::default()),
    },
    Entry {
        name: "psor",
        summary: "projected successive over-relaxation",
        takes: CLASS,
        reference: "Erleben 2005, §6.1.4",
        make: || Box::new(SuccessiveOverRelaxation::default()),
    },
    Entry {
        name: "jacobi",
        summary: "projected Jacobi with relaxation",
        takes: CLASS,
        reference: "Erleben 2005, §6.1.1 and (6.55)",
        make: || Box::new(Jacobi::default()),
    },
    Entry {
        name: "nsgs",
        summary: "Gauss–Seidel with exact solves of every contact",
        takes: CLASS,
        reference: "Jourdan, Alart and Jean 1998; Bonnefon and Daviet 2011",
        make: || Box::new(ExactGaussSeidel::default()),
    },
    Entry {
        name: "mass-splitting",
        summary: "Jacobi on bodies split among their contacts",
        takes: CLASS,
        reference: "Tonge, Benevolenski and Voroshilov 2012",
        make: || Box::new(MassSplitting::default()),
    },
];

options! {
    /// What all splitting methods can be told.
    #[derive(Debug, Clone, PartialEq)]
    pub struct SweepOptions {
        /// Sweeps at most.
        pub iterations: usize = 10,
        /// Sweeps before the stopping test may end the solve.
        pub min_iterations: usize = 1,
        /// Stop when what `stop` names is less than this; 0 does all iterations.
        pub tolerance: f64 = 0.0,
        /// What the tolerance is for: a sweep's largest change of an impulse (N·s), that change relative to the largest
        /// impulse, or the residual.
        pub stop: Stop = Stop::Absolute,
        /// With stop=residual: which residual, that of the worst block in m/s or the relative one over all rows.
        pub criterion: Criterion = Criterion::Natural,
        /// With stop=residual: measure it every so many sweeps. A measurement costs about half a sweep.
        pub check_every: usize = 1,
        /// Seconds at most; 0 for no limit. With a limit the result depends on the machine.
        pub time_limit: f64 = 0.0,
        /// The order of the blocks in a sweep.
        pub order: Order = Order::Forward,
        /// For coloured order: colour stretches of so many consecutive pairs of bodies each by itself; 0 for all at once. Shorter
        /// ones are nearer to the forward order.
        pub stretch: usize = 256,
        /// For coloured order: problems of fewer pairs than this go forward instead, slower and with more for each sweep.
        pub forward_below: usize = 0,
        /// For random and slowest order: reorder every so many sweeps.
        pub reorder_every: usize = 1,
        /// For random order: the seed.
        pub seed: u64 = 1,
        /// Factor on the impulses of the last step as a start; 0 starts cold.
        pub warm_start: f64 = 1.0,
    }
    validate(options) {
        if options.iterations == 0 {
            return Err("iterations must be 1 or more".into());
        }
        if options.min_iterations > options.iterations {
            return Err("min-iterations must not exceed iterations".into());
        }
        for (name, count) in [
            ("reorder-every", options.reorder_every),
            ("check-every", options.check_every),
        ] {
            if count == 0 {
                return Err(format!("{name} must be 1 or more"));
            }
        }
        for (name, value) in [
            ("tolerance", options.tolerance),
            ("time-limit", options.time_limit),
            ("warm-start", options.warm_start),
        ] {
            if value < 0.0 {
                return Err(format!("{name} must be 0 or more"));
            }
        }
        Ok(())
    }
}

options! {
    /// What methods that update a block by projection can be told beyond that.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ProjectionOptions {
        /// What is solved at once: scalar rows, or the rows of a contact or joint together.
        pub granularity: Granularity = Granularity::Rows,
        /// How the friction cone is represented.
        pub friction: Friction = Friction::Cone,
        /// With order=coloured: contacts side by side in the lanes of registers and on all threads, or one row after the other.
        /// Both do the same but for rounding. Other cones than Coulomb's, boxes and whole blocks are always done by rows.
        pub kernel: Kernel = Kernel::Wide,
        flatten pub sweeps: SweepOptions,
    }
}

choices! {
    /// How a coloured sweep is carried out.
    pub enum Kernel {
        /// Up to eight contacts at once.
        Wide = "wide",
        /// The reference: one row after the other.
        Scalar = "scalar",
    }
}

/// What a method does in the loop around its sweeps.
trait Pass {
    /// Makes ready to go on from these impulses.
    fn begin(&mut self, impulses: &mut [f64], state: &mut [f64]);

    /// One sweep, with its number from 0; returns the largest change of an impulse.
    fn sweep(&mut self, number: usize, impulses: &mut [f64], state: &mut [f64]) -> f64;

    /// So many sweeps with nobody looking in between.
    fn sweeps(&mut self, count: usize, impulses: &mut [f64], state: &mut [f64]) {
        for number in 0..count {
            self.sweep(number, impulses, state);
        }
    }

    /// Brings impulses up to date, and if it is asked for the operator's state, for somebody to look at.
    fn settle(&mut self, impulses: &mut [f64], state: Option<&mut [f64]>);
}

/// Sweeps that work on impulses and state themselves.
struct InPlace<'a, D, F> {
    operator: &'a D,
    warm_start: f64,
    sweep: F,
}

impl<D: Delassus, F: FnMut(usize, &mut [f64], &mut [f64]) -> f64> Pass for InPlace<'_, D, F> {
    fn begin(&mut self, impulses: &mut [f64], state: &mut [f64]) {
        impulses.iter_mut().for_each(|x| *x *= self.warm_start);
        self.operator.load(impulses, state);
    }

    #[inline(always)]
    fn sweep(&mut self, number: usize, impulses: &mut [f64], state: &mut [f64]) -> f64 {
        (self.sweep)(number, impulses, state)
    }

    fn settle(&mut self, _: &mut [f64], _: Option<&mut [f64]>) {}
}

impl SweepOptions {
    /// Whether all sweeps are done whatever comes out.
    fn is_undisturbed(&self) -> bool {
        self.tolerance == 0.0 && self.time_limit == 0.0
    }

    /// The loop around the sweeps: warm start, stopping, cancelling, measuring. `sweep` gets its number, the impulses
    /// and the operator's state, does one sweep and returns the largest change of an impulse.
    fn iterate<D: Delassus>(
        &self,
        problem: &Problem,
        operator: &D,
        impulses: &mut [f64],
        context: &mut Context,
        sweep: impl FnMut(usize, &mut [f64], &mut [f64]) -> f64,
    ) -> Convergence {
        let mut pass = InPlace {
            operator,
            warm_start: self.warm_start,
            sweep,
        };
        self.iterate_pass(problem, operator, impulses, context, &mut pass)
    }

    /// The same around a pass that may keep its impulses elsewhere.
    fn iterate_pass<D: Delassus>(
        &self,
        problem: &Problem,
        operator: &D,
        impulses: &mut [f64],
        context: &mut Context,
        pass: &mut impl Pass,
    ) -> Convergence {
        let mut memory = context.take(operator.state_len());
        let state = memory.as_mut_slice();
        pass.begin(impulses, state);
        let mut report = Convergence::default();
        let every = context.measure == Measure::EveryIteration;
        let by_residual = self.stop == Stop::Residual && self.tolerance > 0.0;
        let deadline = monitor::deadline(self.time_limit);
        let measures = by_residual || context.measure != Measure::Nothing;
        let mut velocities = context.take(if measures { problem.rows() } else { 0 });
        let mut measure = |criterion: Criterion, impulses: &[f64], state: &[f64]| {
            problem.velocities_at(operator, impulses, state, &mut velocities);
            criterion.residual(problem, impulses, &velocities)
        };
        if every {
            pass.settle(impulses, Some(state));
            report.history.push(measure(Criterion::Natural, impulses, state));
        }
        if !every && self.is_undisturbed() && context.cancel.is_none() {
            pass.sweeps(self.iterations, impulses, state);
            report.iterations = self.iterations;
        }
        while report.iterations < self.iterations {
            if context.cancelled() {
                report.status = Status::Cancelled;
                break;
            }
            let change = pass.sweep(report.iterations, impulses, state);
            report.iterations += 1;
            if every || by_residual {
                pass.settle(impulses, Some(state));
            } else if self.tolerance > 0.0 {
                pass.settle(impulses, None);
            }
            if every {
                report.history.push(measure(Criterion::Natural, impulses, state));
            }
            if report.iterations >= self.min_iterations
                && self.tolerance > 0.0
                && if by_residual {
                    report.iterations.is_multiple_of(self.check_every)
                        && measure(self.criterion, impulses, state) <= self.tolerance
                } else {
                    self.stop.met(self.tolerance, change, impulses)
                }
            {
                report.status = Status::Converged;
                break;
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                report.status = Status::TimeLimit;
                break;
            }
        }
        pass.settle(impulses, (context.measure == Measure::Final).then_some(state));
        report.row_updates = report.iterations as u64 * problem.rows() as u64;
        report.residual = match context.measure {
            Measure::Nothing => None,
            Measure::Final => Some(measure(Criterion::Natural, impulses, state)),
            Measure::EveryIteration => report.history.last().copied(),
        };
        context.give([memory, velocities]);
        report
    }
}

/// Makes the new impulses of a block the present ones, leaves in their place what they changed by, and returns the
/// largest of these changes.
#[inline(always)]
fn take_over(impulse: &mut [f64], new: &mut [f64]) -> f64 {
    let mut largest = 0.0;
    for (impulse, new) in impulse.iter_mut().zip(new) {
        let change = *new - *impulse;
        *impulse = *new;
        *new = change;
        largest = at_least(largest, change.abs());
    }
    largest
}

/// Refuses what no splitting method can start from: these methods divide by the diagonal.
fn check(problem: &Problem, impulses: &[f64]) -> Result<(), SolveError> {
    problem.validate_start(impulses)?;
    problem.check_diagonal()
}
