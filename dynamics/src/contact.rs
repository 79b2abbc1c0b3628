//! Contact points as constraints: the frame of a contact, its rows, and its memory from step to step.
//!
//! Rows of a contact, dissertation §4.9 and (4.95): `(−d | −(r_a × d) | d | r_b × d)` for d the normal and two tangents,
//! so that the row's velocity is that of B against A along d. What is asked of them is [`Law::Contact`].

use drystone_collision::ContactPoint;
use nalgebra::Vector3;

use crate::constraint::{Constraint, ConstraintRow, Law, Placement, Unit, point_jacobian};
use crate::contact_cache::ContactCache;
use crate::few::Few;
use crate::material::ContactLaw;

/// Which of a step's solves an impulse belongs to; each starts from what it found the step before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Whole groups at once.
    Whole = 0,
    /// Layer by layer.
    Layered = 1,
}

/// The impulses at a point by phase, world frame (tangents may turn from step to step), as they act on body B.
pub(crate) type PointImpulses = [Vector3<f64>; 2];

/// All contact points of a pair of bodies, kept on their edge of the contact graph.
#[derive(Debug, Clone, Default)]
pub(crate) struct Manifold {
    /// The points found in this step.
    pub(crate) points: Few<ContactPoint>,
    /// The impulses at each point; the start of the next solve.
    pub(crate) impulses: Few<PointImpulses>,
    /// The step in which they were last looked for.
    pub(crate) found_in: u64,
    /// The trial in which one of them last pushed.
    pub(crate) pushed_in: u64,
    /// The step of which a part that was not taken back had such a push.
    pub(crate) met_in: u64,
    /// Where the points were generated, if that is to be remembered.
    pub(crate) cache: Option<Box<ContactCache>>,
}

// Every pair that is near has one of these, touching or not, and every step reads them all.
const _: () = assert!(size_of::<Manifold>() <= 160);

/// Memory for finding points, which pairs share.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) points: Vec<ContactPoint>,
    impulses: Vec<PointImpulses>,
}

impl Manifold {
    /// Puts the points in the scratch memory in the place of those there are. Points made by the same features keep their
    /// impulses (dissertation §5.5): points come in another order each step, and some come and go. There are some four to eight,
    /// so a search runs through them all.
    #[inline]
    pub(crate) fn replace(&mut self, scratch: &mut Scratch) {
        let Scratch { points, impulses } = scratch;
        let same = self.points.len() == points.len()
            && self
                .points
                .iter()
                .zip(&*points)
                .all(|(old, new)| old.feature == new.feature);
        if same {
            self.points.copy_from_slice(points);
            return;
        }
        let old = || self.points.iter().zip(&self.impulses);
        impulses.clear();
        impulses.extend(points.iter().map(|point| {
            let found = old().find(|(old, _)| old.feature == point.feature);
            found.map_or_else(Default::default, |(_, impulses)| *impulses)
        }));
        self.points.assign(points);
        self.impulses.assign(impulses);
    }

    /// Forgets points and impulses, and keeps the memory they occupy.
    pub(crate) fn forget(&mut self) {
        self.points.clear();
        self.impulses.clear();
        if let Some(cache) = &mut self.cache {
            **cache = ContactCache::default();
        }
    }
}

/// Keeps only the deepest of some points, the first one of equals (§5.6 "reduction").
pub(crate) fn reduce_to_deepest(points: &mut Vec<ContactPoint>) {
    let deepest = points
        .iter()
        .copied()
        .reduce(|deepest, point| if point.depth > deepest.depth { point } else { deepest });
    points.clear();
    points.extend(deepest);
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
        use drystone_collision::FeatureId;
        use nalgebra::Point3;
        let point = |id: u64, x: f64| ContactPoint {
            position: Point3::new(x, 0.0, 0.0),
            normal: Vector3::z_axis(),
            depth: 0.0,
            feature: FeatureId(id),
        };
        let (x, y, zero) = (Vector3::x(), Vector3::y(), Vector3::zeros());
        let mut manifold = Manifold::default();
        let mut scratch = Scratch::default();
        let mut find = |manifold: &mut Manifold, points: &[ContactPoint]| {
            scratch.points.clear();
            scratch.points.extend_from_slice(points);
            manifold.replace(&mut scratch);
            assert_eq!(&*manifold.points, points);
        };
        find(&mut manifold, &[point(1, 0.0), point(2, 1.0)]);
        assert_eq!(*manifold.impulses, [[zero; 2]; 2]);
        manifold.impulses.copy_from_slice(&[[x, zero], [y, 2.0 * x]]);
        // They move, and stay the same points.
        find(&mut manifold, &[point(1, 0.1), point(2, 0.9)]);
        assert_eq!(*manifold.impulses, [[x, zero], [y, 2.0 * x]]);
        // One goes, one comes, one is somewhere else in the list.
        find(&mut manifold, &[point(3, 2.0), point(2, 1.1)]);
        assert_eq!(*manifold.impulses, [[zero, zero], [y, 2.0 * x]]);
        find(&mut manifold, &[point(2, 1.1)]);
        assert_eq!(*manifold.impulses, [[y, 2.0 * x]]);
        manifold.forget();
        find(&mut manifold, &[point(2, 1.1)]);
        assert_eq!(*manifold.impulses, [[zero, zero]]);
    }

    #[test]
    fn the_deepest_point_is_the_first_of_equals() {
        use drystone_collision::FeatureId;
        use nalgebra::Point3;
        let points = [0.1, 0.3, 0.3, 0.2]
            .into_iter()
            .zip(0..)
            .map(|(depth, id)| ContactPoint {
                position: Point3::origin(),
                normal: Vector3::z_axis(),
                depth,
                feature: FeatureId(id),
            });
        let mut points: Vec<_> = points.collect();
        reduce_to_deepest(&mut points);
        assert_eq!(points.iter().map(|point| point.feature.0).collect::<Vec<_>>(), [1]);
        points.clear();
        reduce_to_deepest(&mut points);
        assert!(points.is_empty());
    }
}
