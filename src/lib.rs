//! Drystone: a laboratory for multibody contact.
//!
//! Bodies and contacts write one velocity-level complementarity system, any solver gets that same system, and what each
//! solver did to the physics is measured. This crate is the front door: it re-exports the parts.
//!
//! ```
//! use drystone::collision::{Cuboid, HalfSpace, Shape};
//! use drystone::dynamics::{Body, Method, Simulation, World};
//! use nalgebra::Vector3;
//!
//! let cube = Shape::Cuboid(Cuboid { half_extents: Vector3::repeat(0.5) });
//! let plane = Shape::HalfSpace(HalfSpace { normal: Vector3::z_axis() });
//! let mut world = World::new();
//! world.add(Body::fixed("ground", plane))?;
//! world.add(Body::dynamic("cube", cube, 10.0)?.at(Vector3::new(0.0, 0.0, 0.5)))?;
//!
//! let mut simulation = Simulation::new(world, Method::parse("pgs:iterations=100")?, 0.01)?;
//! for _ in 0..100 {
//!     simulation.step()?;
//! }
//! // A cube on the ground stays there, and the ground carries m g h in every step.
//! let carried: f64 = simulation.pipeline().contacts().map(|(_, _, _, impulse)| impulse.z).sum();
//! assert!((carried - 10.0 * 9.81 * 0.01).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! To run scenes from the command line, build the program: `cargo run --release -- run wall`.

pub use drystone_collision as collision;
pub use drystone_contact_graph as contact_graph;
pub use drystone_dynamics as dynamics;
pub use drystone_scenes as scenes;
pub use drystone_solver as solver;

/// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
