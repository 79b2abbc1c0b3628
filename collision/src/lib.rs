//! Shapes, mass properties, broad and narrow phases, contact points.
//!
//! This crate answers one question: where do bodies touch, in which direction, and how deep? It
//! knows nothing of velocities, forces or solvers. The road of one query is
//!
//! ```text
//! shapes + poses ─► Aabb ─► BroadPhase::pairs ─► NarrowPhase::contacts ─► ContactPoint
//! ```
//!
//! SI units, right-handed frames, `f64`. A contact's normal points from A to B and a positive
//! depth is a penetration. Output vectors are passed in, so a running simulation allocates
//! nothing once they have grown.
//!
//! A unit cube resting flush on another touches it at its four corners:
//!
//! ```
//! use drystone_collision::{Cuboid, NarrowPhase, Shape};
//! use nalgebra::{Isometry3, Vector3};
//!
//! let cube = Shape::Cuboid(Cuboid { half_extents: Vector3::repeat(0.5) });
//! let lower = Isometry3::identity();
//! let upper = Isometry3::translation(0.0, 0.0, 1.0);
//!
//! let mut contacts = Vec::new();
//! NarrowPhase::default().contacts(&cube, &lower, &cube, &upper, &mut contacts);
//!
//! assert_eq!(contacts.len(), 4);
//! for contact in &contacts {
//!     assert_eq!(contact.normal.into_inner(), Vector3::z());
//!     assert_eq!(contact.depth, 0.0);
//! }
//! ```
//!
//! The broad phase only sees boxes aligned with the axes, and which bodies can move:
//!
//! ```
//! use drystone_collision::{BroadPhase, HalfSpace, Shape, Sphere, SweepAndPrune};
//! use nalgebra::{Isometry3, Vector3};
//!
//! let ground = Shape::HalfSpace(HalfSpace { normal: Vector3::z_axis() });
//! let ball = Shape::Sphere(Sphere { radius: 0.1 });
//! let aabbs = [
//!     ground.aabb(&Isometry3::identity()),
//!     ball.aabb(&Isometry3::translation(0.0, 0.0, 0.1)), // touches the ground
//!     ball.aabb(&Isometry3::translation(0.0, 0.0, 5.0)), // far above it
//! ];
//!
//! let mut pairs = Vec::new();
//! SweepAndPrune::default().pairs(&aabbs, &[false, true, true], &mut pairs);
//! assert_eq!(pairs, [(0, 1)]);
//! ```

mod aabb;
mod broad_phase;
mod compound;
mod contact;
mod mass;
mod narrow_phase;
mod shape;

pub use aabb::Aabb;
pub use broad_phase::{AllPairs, BroadPhase, Grid, NeighbourList, SweepAndPrune, Tree};
pub use compound::{Centred, Compound, Part};
pub use contact::{ContactPoint, Feature, FeatureId};
pub use mass::MassProperties;
pub use narrow_phase::{BoxBoxMethod, NarrowPhase, overlaps};
pub use shape::{Cuboid, HalfSpace, Shape, ShapeError, Sphere};
