//! The narrow phase: the contact points of one pair of shapes.
//!
//! Each pair of kinds has one routine, written for one order of the kinds; the other order is
//! computed by exchanging A and B and turning the result around. Pairs of one kind are first
//! brought into a canonical order by [`order::comes_first`], so that exchanging the arguments
//! flips the normals and exchanges the halves of the feature ids, and changes no other bit: same
//! positions, same depths, same sequence. (Two shapes equal in size *and* pose have no order; for
//! them both calls are the same call.)
//!
//! A compound's contacts are those of its parts; `compound` says which pairs are looked at. `overlap` answers yes or no.

mod box_box;
mod compound;
mod half_space;
mod order;
mod overlap;
mod sphere;

use nalgebra::Isometry3;

use crate::contact::ContactPoint;
use crate::shape::Shape;

pub use overlap::overlaps;

/// How contact points between two boxes are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoxBoxMethod {
    /// The method of Erleben's dissertation, section 6.3: no flicker, no redundant points, no
    /// missing corners.
    #[default]
    Improved,
    /// The method it repairs, kept for comparison with all its known failures.
    Old,
}

/// The settings of the narrow phase, and its one operation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NarrowPhase {
    /// Method for pairs of boxes.
    pub box_box: BoxBoxMethod,
    /// Width in metres of the collision envelope: points with a gap up to this are reported too,
    /// with negative depth. Default 0, with which surfaces that just touch may or may not be
    /// reported, as rounding falls; a simulation wants a small positive one.
    pub envelope: f64,
}

impl NarrowPhase {
    /// Appends the contact points of A and B to `out`, normals from A to B.
    ///
    /// At most one point if a sphere takes part, 8 for two boxes or a box and a half-space, none
    /// for two half-spaces, and so many for each pair of parts of a compound. (The old box–box method repeats points
    /// and may report more than 8.)
    pub fn contacts(
        &self,
        shape_a: &Shape,
        pose_a: &Isometry3<f64>,
        shape_b: &Shape,
        pose_b: &Isometry3<f64>,
        out: &mut Vec<ContactPoint>,
    ) {
        use Shape::{Compound, Cuboid, HalfSpace, Sphere};
        let envelope = self.envelope;
        match (shape_a, shape_b) {
            (Cuboid(a), Cuboid(b)) => {
                let generate = match self.box_box {
                    BoxBoxMethod::Improved => box_box::improved::contacts,
                    BoxBoxMethod::Old => box_box::old::contacts,
                };
                if order::comes_first(&a.half_extents, pose_a, &b.half_extents, pose_b) {
                    generate(a, pose_a, b, pose_b, envelope, out);
                } else {
                    turned_around(out, |out| generate(b, pose_b, a, pose_a, envelope, out));
                }
            }
            (Sphere(a), Sphere(b)) => {
                let size = |radius| nalgebra::Vector3::repeat(radius);
                if order::comes_first(&size(a.radius), pose_a, &size(b.radius), pose_b) {
                    sphere::sphere_sphere(a, pose_a, b, pose_b, envelope, out);
                } else {
                    turned_around(out, |out| {
                        sphere::sphere_sphere(b, pose_b, a, pose_a, envelope, out);
                    });
                }
            }
            (Cuboid(a), Sphere(b)) => sphere::box_sphere(a, pose_a, b, pose_b, envelope, out),
            (HalfSpace(a), Sphere(b)) => {
                half_space::half_space_sphere(a, pose_a, b, pose_b, envelope, out);
            }
            (HalfSpace(a), Cuboid(b)) => {
                half_space::half_space_box(a, pose_a, b, pose_b, envelope, out);
            }
            (Compound(_), _) | (_, Compound(_)) => compound::contacts(self, shape_a, pose_a, shape_b, pose_b, out),
            (Sphere(_), Cuboid(_)) | (Sphere(_) | Cuboid(_), HalfSpace(_)) => {
                turned_around(out, |out| self.contacts(shape_b, pose_b, shape_a, pose_a, out));
            }
            (HalfSpace(_), HalfSpace(_)) => {}
        }
    }
}

/// Runs `generate` and exchanges A and B in the points it appended.
fn turned_around(out: &mut Vec<ContactPoint>, generate: impl FnOnce(&mut Vec<ContactPoint>)) {
    let start = out.len();
    generate(out);
    for contact in &mut out[start..] {
        *contact = contact.swapped();
    }
}
