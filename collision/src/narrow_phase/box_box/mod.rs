//! Two boxes: a separating-axis test, then contact points by one of two methods.
//!
//! `pair` holds the relative pose, `separating_axis` the test both methods share; `edge_edge` and
//! `face_face` the geometry of their two cases; `improved` and `old` are the methods themselves.

mod edge_edge;
mod face_face;
pub(super) mod improved;
pub(super) mod old;
mod pair;
mod separating_axis;
