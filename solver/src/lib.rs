//! Complementarity problems, cones, residuals, and the solvers for them. This crate knows nothing of bodies' shapes,
//! of files or of time.
//!
//! A [`Problem`] is blocks with cones, b, and A behind [`Delassus`]. A [`Solver`] is made by name from the [`registry`] and
//! improves impulses in place; [`Residuals`] say what it is worth. The families, one folder each, one file a method:
//!
//! | family | idea |
//! |---|---|
//! | [`splitting`] | one block at a time: Jacobi, Gauss–Seidel, over-relaxation |
//! | [`gradient`] | descent on the energy, with projections |
//! | [`pivoting`] | the right set of active rows, then exact |
//! | [`newton`] | roots of equations that are equivalent to complementarity |
//! | [`interior`] | a path through the inside of the cones |
//! | [`operator_splitting`] | easy parts in turn: ADMM, staggered friction |
//! | [`convex`] | the relaxed law as a convex problem in velocities |
//! | [`hybrid`] | joints directly, contacts by any other |
//!
//! What they share: [`formulation`] turns one kind of problem into another, [`linear`] has the sparse systems, [`Monitor`]
//! the loop around iterations.
//!
//! ```
//! use drystone_solver::{Cone, Context, InverseMass, Problem, Residuals, RigidBodies, Row, registry};
//!
//! // A ball of 4 kg reaches the ground at 3 m/s: one row, along the normal.
//! let mut problem = Problem::default();
//! let mut assembler = problem.assemble();
//! let ball = assembler.add_body(InverseMass { mass: 0.25, ..InverseMass::ZERO });
//! let mut jacobian = [0.0; 12];
//! jacobian[8] = 1.0;
//! let row = Row { jacobian, bias: -3.0, compliance: 0.0 };
//! assembler.add_block([RigidBodies::IMMOVABLE, ball], Cone::NonNegative, &[row]);
//!
//! let solver = registry::solver(&"pgs:iterations=1".parse()?)?;
//! let mut impulses = vec![0.0];
//! solver.solve(&problem, &mut impulses, &mut Context::default())?;
//! assert_eq!(impulses, [12.0]); // m v
//! assert_eq!(Residuals::of(&problem, &impulses).natural, 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod assembler;
mod cone;
pub mod conformance;
pub mod convex;
mod delassus;
mod error;
pub mod formulation;
pub mod gradient;
pub mod hint;
pub mod hybrid;
pub mod interior;
pub mod linear;
mod monitor;
pub mod newton;
pub mod operator_splitting;
pub mod pivoting;
mod problem;
pub mod registry;
pub mod residual;
mod solve;
pub mod spec;
pub mod splitting;
mod vector;

pub use assembler::{Assembler, BlockRows, TouchSlots};
pub use cone::Cone;
pub use delassus::{BlockMatrix, Delassus, InverseMass, RigidBodies, Touch};
pub use error::SolveError;
pub use monitor::{Criterion, Limits, Monitor};
pub use problem::{Block, Operator, Problem, Row};
pub use residual::Residuals;
pub use solve::{Context, Convergence, Measure, Solver, Status};
