//! Two boxes: a separating-axis test, then contact points by one of two methods.
//!
//! `pair` holds the relative pose and `separating_axis` the test, `edge_edge` and `face_face` the
//! geometry of the two cases: all this both methods share. `old` and `improved` are the methods
//! themselves; `face_manifold` makes the points of the improved one's face case.

mod edge_edge;
mod face_face;
mod face_manifold;
pub(super) mod improved;
pub(super) mod old;
mod pair;
mod separating_axis;
