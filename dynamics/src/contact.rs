//! Contact points as constraints: the frame of a contact and its rows. What is remembered of them is in `manifold.rs`.
//!
//! Rows of a contact, dissertation §4.9 and (4.95): `(−d | −(r_a × d) | d | r_b × d)` for d the normal and two tangents,
//! so that the row's velocity is that of B against A along d. What is asked of them is [`Law::Contact`].

use drystone_collision::ContactPoint;
use nalgebra::Vector3;

use crate::constraint::{Constraint, ConstraintRow, Law, Placement, Unit, point_jacobian};
use crate::material::ContactLaw;

/// An orthonormal right-handed frame (normal, tangent 1, tangent 2) that depends on the normal alone, without branches
/// (Duff et al., 2017).
#[inline]
pub(crate) fn contact_frame(n: &Vector3<f64>) -> [Vector3<f64>; 3] {
    let sign = 1.0_f64.copysign(n.z);
    let a = -1.0 / (sign + n.z);
    let b = n.x * n.y * a;
    [
        *n,
        Vector3::new(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x),
        Vector3::new(b, sign + n.y * n.y * a, -n.y),
    ]
}

/// A contact point as a constraint.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Contact<'a> {
    pub(crate) point: &'a ContactPoint,
    /// Of the point's normal.
    pub(crate) frame: &'a [Vector3<f64>; 3],
    pub(crate) law: ContactLaw,
}

impl Constraint for Contact<'_> {
    fn rows(&self) -> usize {
        3
    }

    /// Three rows; one where there is no friction.
    #[inline]
    fn write(&self, at: &Placement<'_>, block: &mut dyn FnMut(usize, Law, &[ConstraintRow])) {
        let ContactLaw { friction, restitution } = self.law;
        let arm_a = self.point.position.coords - at.a.pose.translation.vector;
        let arm_b = self.point.position.coords - at.b.pose.translation.vector;
        let jacobian = |k: usize| point_jacobian(&self.frame[k], &arm_a, &arm_b);
        let normal = ConstraintRow::of(-self.point.depth, jacobian(0), Unit::Length);
        if friction > 0.0 {
            let tangent = |k| ConstraintRow::rate(0.0, jacobian(k), Unit::Length);
            let law = Law::Contact { friction, restitution };
            block(0, law, &[normal, tangent(1), tangent(2)]);
        } else {
            block(0, Law::AtLeast { restitution }, &[normal]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    #[test]
    fn contact_frames_are_orthonormal_and_right_handed() {
        let mut rng = Pcg64::seed_from_u64(4);
        for _ in 0..10_000 {
            let n = Vector3::from_fn(|_, _| rng.random_range(-1.0..1.0)).normalize();
            let [_, t1, t2] = contact_frame(&n);
            // The construction is exact up to rounding in unit vectors.
            assert!((t1.norm() - 1.0).abs() < 1e-14);
            assert!(t1.dot(&n).abs() < 1e-14);
            assert!((n.cross(&t1) - t2).norm() < 1e-14);
        }
        // On level ground the tangents are the axes.
        let [_, t1, t2] = contact_frame(&Vector3::z());
        assert_eq!((t1, t2), (Vector3::x(), Vector3::y()));
    }
}
