//! Contact points as constraints: the frame of a contact, its rows, and its memory from step to step.
//!
//! Rows of a contact, dissertation §4.9 and (4.95): `(−d | −(r_a × d) | d | r_b × d)` for d the normal and two tangents,
//! so that the row's velocity is that of B against A along d. A contact asks for `J_n u⁺ ≥ target`, where
//!
//! - a gap g gives −g/h: it may close by the end of the step and no further (speculative contact, (4.23) and (4.45));
//! - a depth d gives erp·d/h: stabilisation (4.113)–(4.115);
//! - an impact gives −e J_n u: Newton's law.

use drystone_collision::{ContactPoint, FeatureId};
use drystone_contact_graph::ImpulseCache;
use drystone_solver::Row;
use nalgebra::Vector3;

use crate::integrate::Velocity;
use crate::material::ContactLaw;

/// All contact points of a pair of bodies, kept on their edge of the contact graph.
#[derive(Debug, Clone, Default)]
pub(crate) struct Manifold {
    /// The points found in this step.
    pub(crate) points: Vec<ContactPoint>,
    /// The impulse at each point, world frame, as it acts on body B; the start of the next solve.
    pub(crate) impulses: Vec<Vector3<f64>>,
    /// Last step's impulses by feature. They are kept in the world frame: tangents may turn from step to step.
    memory: ImpulseCache<FeatureId>,
}

impl Manifold {
    /// Remembers the impulses of the points by their features and forgets the points.
    pub(crate) fn begin(&mut self) {
        let Self {
            points,
            impulses,
            memory,
        } = self;
        let pairs = points.iter().zip(impulses.iter());
        memory.store(pairs.map(|(point, impulse)| (point.feature, (*impulse).into())));
        points.clear();
        impulses.clear();
    }

    /// Gives every new point the impulse its features had.
    pub(crate) fn recall(&mut self) {
        let Self {
            points,
            impulses,
            memory,
        } = self;
        impulses.extend(
            points
                .iter()
                .map(|point| memory.get(&point.feature).map_or(Vector3::zeros(), Vector3::from)),
        );
    }
}

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

/// How contacts become rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContactSettings {
    pub(crate) h: f64,
    /// Error reduction parameter: which part of the depth one step corrects by velocity.
    pub(crate) erp: f64,
    /// Constraint force mixing K of (4.235); K/h goes on the diagonal of the normal row.
    pub(crate) cfm: f64,
    /// Approach speeds below this don't bounce.
    pub(crate) restitution_threshold: f64,
}

/// One body as a contact sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Side {
    pub(crate) centre: Vector3<f64>,
    /// Velocity at the beginning of the step.
    pub(crate) before: Velocity,
    /// Velocity after the step if there were no contacts.
    pub(crate) free: Velocity,
}

/// The Jacobian of a direction at a point.
#[inline]
pub(crate) fn jacobian(direction: &Vector3<f64>, arm_a: &Vector3<f64>, arm_b: &Vector3<f64>) -> [f64; 12] {
    let (a, b) = (arm_a.cross(direction), arm_b.cross(direction));
    let d = direction;
    [
        -d.x, -d.y, -d.z, -a.x, -a.y, -a.z, //
        d.x, d.y, d.z, b.x, b.y, b.z,
    ]
}

/// The velocity of B against A at a contact.
#[inline]
pub(crate) fn relative_velocity(
    a: &Velocity,
    b: &Velocity,
    arm_a: &Vector3<f64>,
    arm_b: &Vector3<f64>,
) -> Vector3<f64> {
    b.linear + b.angular.cross(arm_b) - a.linear - a.angular.cross(arm_a)
}

impl ContactSettings {
    /// The normal row and the two tangential rows of a contact point.
    #[inline]
    pub(crate) fn rows(
        &self,
        point: &ContactPoint,
        frame: &[Vector3<f64>; 3],
        law: ContactLaw,
        a: &Side,
        b: &Side,
    ) -> [Row; 3] {
        let arm_a = point.position.coords - a.centre;
        let arm_b = point.position.coords - b.centre;
        let free = relative_velocity(&a.free, &b.free, &arm_a, &arm_b);
        let before = relative_velocity(&a.before, &b.before, &arm_a, &arm_b).dot(&frame[0]);
        let target = self.normal_target(point.depth, law.restitution, before, free.dot(&frame[0]));
        std::array::from_fn(|k| Row {
            jacobian: jacobian(&frame[k], &arm_a, &arm_b),
            bias: free.dot(&frame[k]) - if k == 0 { target } else { 0.0 },
            // Soft tangents would let a block creep down its slope.
            compliance: if k == 0 { self.cfm / self.h } else { 0.0 },
        })
    }

    /// The smallest normal velocity allowed at the end of the step.
    #[inline]
    fn normal_target(&self, depth: f64, restitution: f64, before: f64, free: f64) -> f64 {
        let correction = if depth > 0.0 {
            self.erp * depth / self.h
        } else {
            depth / self.h
        };
        // A contact with a gap bounces only in the step in which it would close. The bounce is then early by less than
        // one step, but has its full approach speed; letting the gap close first would leave only the rest of it.
        let closes = free < depth / self.h || depth >= 0.0;
        if restitution > 0.0 && before < -self.restitution_threshold && closes {
            correction.max(-restitution * before)
        } else {
            correction
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

    const SETTINGS: ContactSettings = ContactSettings {
        h: 0.01,
        erp: 0.5,
        cfm: 0.0,
        restitution_threshold: 0.1,
    };

    #[test]
    fn targets_follow_gap_depth_and_impact() {
        let target = |depth, e, before, free| SETTINGS.normal_target(depth, e, before, free);
        // 1 cm of gap may close in one step, and not bounce when it will not.
        assert!((target(-0.01, 1.0, -0.5, -0.5) + 1.0).abs() < 1e-15);
        // It bounces when it will.
        assert_eq!(target(-0.01, 0.5, -2.0, -2.1), 1.0);
        // Half of 1 mm in one step.
        assert!((target(0.001, 0.0, -1.0, -1.0) - 0.05).abs() < 1e-15);
        // The stronger of bounce and correction.
        assert_eq!(target(0.001, 0.5, -2.0, -2.1), 1.0);
        // Slow contacts rest.
        assert_eq!(target(0.0, 0.5, -0.05, -0.1), 0.0);
    }

    #[test]
    fn impulses_are_found_again_by_feature_and_forgotten_with_it() {
        use nalgebra::Point3;
        let point = |id: u64, x: f64| ContactPoint {
            position: Point3::new(x, 0.0, 0.0),
            normal: Vector3::z_axis(),
            depth: 0.0,
            feature: FeatureId(id),
        };
        let mut manifold = Manifold {
            points: vec![point(1, 0.0), point(2, 1.0)],
            impulses: vec![Vector3::x(), Vector3::y()],
            ..Manifold::default()
        };
        manifold.begin();
        manifold.points = vec![point(2, 1.1), point(3, 2.0)];
        manifold.recall();
        assert_eq!(manifold.impulses, [Vector3::y(), Vector3::zeros()]);
    }
}
