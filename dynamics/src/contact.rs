//! Contact points as constraints: the frame of a contact, its rows, and its memory from step to step.
//!
//! Rows of a contact, dissertation §4.9 and (4.95): `(−d | −(r_a × d) | d | r_b × d)` for d the normal and two tangents,
//! so that the row's velocity is that of B against A along d. What is asked of them is [`Law::Contact`].

use drystone_collision::{ContactPoint, FeatureId};
use drystone_contact_graph::ImpulseCache;
use nalgebra::Vector3;

use crate::constraint::{Constraint, ConstraintRow, Law, Placement, Unit, point_jacobian};
use crate::contact_cache::ContactCache;
use crate::material::ContactLaw;

/// Which of a step's solves an impulse belongs to; each starts from what it found the step before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Whole groups at once.
    Whole = 0,
    /// Layer by layer.
    Layered = 1,
}

/// All contact points of a pair of bodies, kept on their edge of the contact graph.
#[derive(Debug, Clone, Default)]
pub(crate) struct Manifold {
    /// The points found in this step.
    pub(crate) points: Vec<ContactPoint>,
    /// The impulses at each point by phase, world frame, as they act on body B; the start of the next solve.
    pub(crate) impulses: Vec<[Vector3<f64>; 2]>,
    /// Last step's impulses by feature. They are kept in the world frame: tangents may turn from step to step.
    memory: ImpulseCache<FeatureId, 6>,
    /// The step in which they were last looked for.
    pub(crate) found_in: u64,
    /// The trial in which one of them last pushed.
    pub(crate) pushed_in: u64,
    /// The step of which a part that was not taken back had such a push.
    pub(crate) met_in: u64,
    /// Where the points were generated, if that is to be remembered.
    pub(crate) cache: Option<Box<ContactCache>>,
}

impl Manifold {
    /// Remembers the impulses of the points by their features and forgets the points.
    pub(crate) fn begin(&mut self) {
        let Self {
            points,
            impulses,
            memory,
            ..
        } = self;
        let pairs = points.iter().zip(impulses.iter());
        memory.store(pairs.map(|(point, [whole, layered])| {
            let numbers = [whole.x, whole.y, whole.z, layered.x, layered.y, layered.z];
            (point.feature, numbers)
        }));
        points.clear();
        impulses.clear();
    }

    /// Gives every new point the impulses its features had.
    pub(crate) fn recall(&mut self) {
        let Self {
            points,
            impulses,
            memory,
            ..
        } = self;
        impulses.extend(points.iter().map(|point| {
            let [a, b, c, d, e, f] = memory.get(&point.feature).unwrap_or_default();
            [Vector3::new(a, b, c), Vector3::new(d, e, f)]
        }));
    }

    /// Keeps only the deepest point, the first one of equals (§5.6 "reduction").
    pub(crate) fn reduce_to_deepest(&mut self) {
        let deepest = self
            .points
            .iter()
            .copied()
            .reduce(|deepest, point| if point.depth > deepest.depth { point } else { deepest });
        if let Some(deepest) = deepest {
            self.points.clear();
            self.points.push(deepest);
        }
    }

    /// Forgets everything but the memory it occupies.
    pub(crate) fn forget(&mut self) {
        self.points.clear();
        self.impulses.clear();
        self.memory.clear();
        if let Some(cache) = &mut self.cache {
            **cache = ContactCache::default();
        }
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

    #[test]
    fn impulses_are_found_again_by_feature_and_forgotten_with_it() {
        use nalgebra::Point3;
        let point = |id: u64, x: f64| ContactPoint {
            position: Point3::new(x, 0.0, 0.0),
            normal: Vector3::z_axis(),
            depth: 0.0,
            feature: FeatureId(id),
        };
        let (x, y, zero) = (Vector3::x(), Vector3::y(), Vector3::zeros());
        let mut manifold = Manifold {
            points: vec![point(1, 0.0), point(2, 1.0)],
            impulses: vec![[x, zero], [y, 2.0 * x]],
            ..Manifold::default()
        };
        manifold.begin();
        manifold.points = vec![point(2, 1.1), point(3, 2.0)];
        manifold.recall();
        assert_eq!(manifold.impulses, [[y, 2.0 * x], [zero, zero]]);
        manifold.forget();
        manifold.begin();
        manifold.points = vec![point(2, 1.1)];
        manifold.recall();
        assert_eq!(manifold.impulses, [[zero, zero]]);
    }
}
