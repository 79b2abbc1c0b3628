//! Complementarity problems, cones, residuals, and the solvers for them. This crate knows nothing of bodies' shapes,
//! of files or of time.
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

mod cone;
mod delassus;
mod error;
mod problem;
pub mod registry;
pub mod residual;
mod solve;
pub mod spec;
pub mod splitting;

pub use cone::Cone;
pub use delassus::{BlockMatrix, Delassus, InverseMass, RigidBodies};
pub use error::SolveError;
pub use problem::{Assembler, Block, Operator, Problem, Row};
pub use residual::Residuals;
pub use solve::{Context, Convergence, Measure, Solver, Status};
