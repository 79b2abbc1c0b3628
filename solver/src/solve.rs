//! The interface of a solver, and what it reports.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::SolveError;
use crate::problem::Problem;
use crate::residual;
use crate::spec::Configure;

/// A method for complementarity problems.
///
/// It takes a problem and starting impulses and improves them in place. It never prints, never panics on data, and
/// knows nothing of time or bodies.
pub trait Solver: Configure + Send + Sync {
    /// Solves `problem`, starting from `impulses` and leaving the result there.
    fn solve(&self, problem: &Problem, impulses: &mut [f64], context: &mut Context) -> Result<Convergence, SolveError>;

    /// The same, and then `M⁻¹ Jᵀ λ` of the impulses found: what they do to the bodies, six numbers each, into `change`.
    /// Methods that know it by then need not work it out again.
    fn solve_with_change(
        &self,
        problem: &Problem,
        impulses: &mut [f64],
        change: &mut Vec<f64>,
        context: &mut Context,
    ) -> Result<Convergence, SolveError> {
        let report = self.solve(problem, impulses, context)?;
        problem.velocity_change(impulses, change);
        Ok(report)
    }

    /// Whether `context`, with which `problem` was last solved, still has its contacts in a form that
    /// [`solve_normals`](Self::solve_normals) takes. That may have been done by another solver of the same kind.
    fn holds_normals(&self, _problem: &Problem, _context: &Context) -> bool {
        false
    }

    /// Solves `A_n λ + b ≥ 0 ⟂ λ ≥ 0` for the normals of a problem of contact points, from zero and with other biases, one a block; what the
    /// impulses do to the bodies goes into `change`. Only if [`holds_normals`](Self::holds_normals) says so.
    fn solve_normals(
        &self,
        _problem: &Problem,
        _bias: &[f64],
        _change: &mut Vec<f64>,
        _context: &mut Context,
    ) -> Option<Convergence> {
        None
    }
}

/// How a solve ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Status {
    /// The solver's own stopping test was met.
    Converged,
    /// It did all the iterations it was allowed. For a solver set to a fixed count this is the normal end.
    #[default]
    IterationLimit,
    /// It was asked to stop; the impulses are those of the last whole iteration.
    Cancelled,
    /// Its time was up.
    TimeLimit,
    /// It can't get any further: no step it knows makes the impulses better.
    Stalled,
    /// A pivoting method met an unbounded ray: it has found no solution, and for some classes of problems there is none.
    Ray,
}

impl Status {
    /// As tables and files show it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::IterationLimit => "iteration-limit",
            Self::Cancelled => "cancelled",
            Self::TimeLimit => "time-limit",
            Self::Stalled => "stalled",
            Self::Ray => "ray-termination",
        }
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// What happened in a solve.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Convergence {
    /// How it ended.
    pub status: Status,
    /// Iterations done.
    pub iterations: usize,
    /// Rows updated, the measure of work that does not depend on the machine.
    pub row_updates: u64,
    /// Natural residual at the end, m/s, if it was asked for.
    pub residual: Option<f64>,
    /// Natural residual at the start and after every iteration, if it was asked for. A method that works on another
    /// formulation, such as the friction pyramid, records the residual of that; `residual` is always that of the problem
    /// it was given.
    pub history: Vec<f64>,
}

impl Convergence {
    /// Sets the residual, if it was asked for, to that of the problem a method was given, after it has worked on another.
    /// The history stays that of the other, or if there is none gets this.
    pub(crate) fn measure(&mut self, problem: &Problem, impulses: &[f64], context: &mut Context) {
        if context.measure == Measure::Nothing {
            return;
        }
        let mut velocities = context.take(problem.rows());
        let mut state = context.take(problem.operator.as_delassus().state_len());
        problem.velocities_with(impulses, &mut state, &mut velocities);
        let found = residual::natural(problem, impulses, &velocities);
        context.give([velocities, state]);
        self.residual = Some(found);
        if self.history.is_empty() && context.measure == Measure::EveryIteration {
            self.history.push(found);
        }
    }
}

/// How much to measure. Measuring costs about a sweep each time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Measure {
    /// Nothing; the solve does nothing but solve.
    #[default]
    Nothing,
    /// The residual at the end.
    Final,
    /// The residual at the start and after every iteration.
    EveryIteration,
}

/// What the caller wants of a solve, and memory that outlives it so that the next one allocates nothing.
#[derive(Debug, Default)]
pub struct Context {
    /// How much to measure.
    pub measure: Measure,
    /// Mixed into the seed of randomised methods, so that each step and group draws its own numbers.
    pub stream: u64,
    /// When set to true from elsewhere, solvers stop after the iteration under way.
    pub cancel: Option<Arc<AtomicBool>>,
    numbers: Vec<Vec<f64>>,
    indices: Vec<Vec<u32>>,
    others: Vec<Box<dyn Any + Send + Sync>>,
}

impl Context {
    /// Whether the solve should stop.
    pub fn cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// A vector of zeros to work in; hand it back with [`give`](Self::give).
    pub fn take(&mut self, len: usize) -> Vec<f64> {
        let mut vector = self.numbers.pop().unwrap_or_default();
        vector.clear();
        vector.resize(len, 0.0);
        vector
    }

    /// Hands vectors back. They are listed in the order they were taken in, and the last taken go back first, so that in
    /// the next solve every vector meets the size it had.
    pub fn give<const N: usize>(&mut self, vectors: [Vec<f64>; N]) {
        self.numbers.extend(vectors.into_iter().rev());
    }

    /// An empty vector of indices; hand it back with [`give_indices`](Self::give_indices).
    pub fn take_indices(&mut self) -> Vec<u32> {
        let mut vector = self.indices.pop().unwrap_or_default();
        vector.clear();
        vector
    }

    /// What a method kept of a type of its own, as it was [kept](Self::keep), or else a new one. What it makes of it must not
    /// depend on what is in it but for speed: the same input gives the same bits.
    pub fn recall<T: Any + Default + Send + Sync>(&mut self) -> Box<T> {
        let found = self.others.iter().position(|kept| kept.is::<T>());
        let kept = found.and_then(|index| self.others.swap_remove(index).downcast().ok());
        kept.unwrap_or_default()
    }

    /// A look at what is kept.
    pub fn kept<T: Any>(&self) -> Option<&T> {
        self.others.iter().find_map(|kept| kept.downcast_ref())
    }

    /// Keeps something for the next solve.
    pub fn keep<T: Any + Send + Sync>(&mut self, kept: Box<T>) {
        self.others.push(kept);
    }

    /// Hands a vector of indices back.
    pub fn give_indices(&mut self, vector: Vec<u32>) {
        self.indices.push(vector);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_come_back_in_the_order_they_were_taken_and_empty_of_what_they_held() {
        let mut context = Context::default();
        let (mut long, short) = (context.take(100), context.take(3));
        long.fill(7.0);
        context.give([long, short]);
        let (long, short) = (context.take(90), context.take(3));
        assert_eq!(long, [0.0; 90]);
        assert!(long.capacity() >= 100 && short.capacity() < 100);
    }

    #[test]
    fn what_was_kept_comes_back_by_its_type() {
        let mut context = Context::default();
        context.keep(Box::new(7_u8));
        context.keep(Box::new(String::from("kept")));
        assert_eq!(*context.recall::<u8>(), 7);
        assert_eq!(*context.recall::<u8>(), 0);
        assert_eq!(*context.recall::<String>(), "kept");
    }
}
