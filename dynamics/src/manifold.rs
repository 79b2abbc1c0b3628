//! What a pair of bodies has on its edge of the contact graph: contact points, their impulses from step to step, and when they last
//! pushed.
//!
//! Points made by the same features keep their impulses (dissertation §5.5), which the next solve starts from. Edges are what a large step
//! reads most of, so what every method needs lies together, and the rest aside.

use drystone_collision::ContactPoint;
use drystone_contact_graph::Edge;
use nalgebra::Vector3;

use crate::body::Body;
use crate::contact_cache::ContactCache;
use crate::few::Few;

/// Which of a step's solves an impulse belongs to; each starts from what it found the step before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Whole groups at once.
    Whole = 0,
    /// Layer by layer.
    Layered = 1,
}

/// A contact point, and the impulse there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct KnownPoint {
    pub(crate) point: ContactPoint,
    /// Of the solves of whole groups, world frame (tangents may turn from step to step), as it acts on body B.
    impulse: Vector3<f64>,
}

/// All contact points of a pair of bodies, kept on their edge of the contact graph.
#[derive(Debug, Clone, Default)]
pub(crate) struct Manifold {
    /// The points found in this step, each with the impulse that the next solve starts from.
    points: Few<KnownPoint>,
    /// What only some methods ask for.
    aside: Option<Box<Aside>>,
    /// The step in which they were last looked for, its lower half.
    found_in: u32,
    /// When one of them last pushed.
    pub(crate) pushed: Pushed,
}

// Every pair that is near has one of these, touching or not, and every step goes through them several times.
const _: () = assert!(size_of::<Edge<Manifold>>() <= 128);

/// What lies outside of the manifold.
#[derive(Debug, Clone, Default)]
struct Aside {
    /// The impulses of solves by layers, a point each, or none at all.
    layered: Vec<Vector3<f64>>,
    /// Where the points were generated, if that is to be remembered.
    cache: Option<ContactCache>,
}

/// When a pair last pushed: in a trial of a step, or in a part of a step that was not taken back.
///
/// Four bytes, so that numbers come round after some thousand million steps; a pair that did not push in all that time could then
/// be told of once too often.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Pushed(u32);

impl Pushed {
    /// Set if the number is that of a step.
    const KEPT: u32 = 1 << 31;

    fn in_trial(trial: u64) -> Self {
        Self(trial as u32 & !Self::KEPT)
    }

    fn in_step(step: u64) -> Self {
        Self(step as u32 | Self::KEPT)
    }

    /// It pushes now. What is known of an earlier part of the step stays.
    #[inline]
    pub(crate) fn note(&mut self, trial: u64, step: u64) {
        if *self != Self::in_step(step) {
            *self = Self::in_trial(trial);
        }
    }

    /// The trial will not be taken back.
    pub(crate) fn keep(&mut self, trial: u64, step: u64) {
        if *self == Self::in_trial(trial) {
            *self = Self::in_step(step);
        }
    }

    /// Whether it pushed in this step, of which this is the last trial.
    pub(crate) fn is_in(self, trial: u64, step: u64) -> bool {
        self == Self::in_trial(trial) || self == Self::in_step(step)
    }
}

/// Memory for finding points, which pairs share.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) points: Vec<ContactPoint>,
    known: Vec<KnownPoint>,
    layered: Vec<Vector3<f64>>,
}

impl Manifold {
    /// Its contact points.
    #[inline]
    pub(crate) fn points(&self) -> impl ExactSizeIterator<Item = &ContactPoint> + Clone {
        self.points.iter().map(|known| &known.point)
    }

    /// How many there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there is none.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The points with their impulses in solves of a phase.
    #[inline]
    pub(crate) fn impulses(&self, phase: Phase) -> impl Iterator<Item = (&ContactPoint, Vector3<f64>)> {
        let layered = match phase {
            Phase::Whole => &[],
            Phase::Layered => self.layered(),
        };
        (0..).zip(&self.points).map(move |(k, known): (usize, _)| {
            let impulse = match phase {
                Phase::Whole => known.impulse,
                Phase::Layered => layered.get(k).copied().unwrap_or_default(),
            };
            (&known.point, impulse)
        })
    }

    /// The points with the whole of their impulses.
    pub(crate) fn loads(&self) -> impl Iterator<Item = (&ContactPoint, Vector3<f64>)> {
        let layered = self.impulses(Phase::Layered);
        let both = self.points.iter().zip(layered);
        both.map(|(known, (point, layered))| (point, known.impulse + layered))
    }

    /// Puts the impulses of a phase in the place of those there are, as `find` says for each point.
    #[inline]
    pub(crate) fn store(&mut self, phase: Phase, mut find: impl FnMut(usize, &ContactPoint) -> Vector3<f64>) {
        match phase {
            Phase::Whole => {
                for (k, known) in (0..).zip(&mut self.points) {
                    known.impulse = find(k, &known.point);
                }
            }
            Phase::Layered => {
                let layered = &mut self.aside.get_or_insert_default().layered;
                layered.resize(self.points.len(), Vector3::zeros());
                for ((k, known), impulse) in (0..).zip(&self.points).zip(layered) {
                    *impulse = find(k, &known.point);
                }
            }
        }
    }

    /// The impulses of solves by layers; none if there was no such solve.
    fn layered(&self) -> &[Vector3<f64>] {
        self.aside.as_ref().map_or(&[], |aside| &aside.layered)
    }

    /// Whether this is the first time in a step that its points are looked for.
    #[inline]
    pub(crate) fn is_first_search(&mut self, step: u64) -> bool {
        std::mem::replace(&mut self.found_in, step as u32) != step as u32
    }

    /// Where the points were generated, if that was noted.
    #[inline]
    pub(crate) fn cache(&self) -> Option<&ContactCache> {
        self.aside.as_ref()?.cache.as_ref()
    }

    /// The same, to note it.
    pub(crate) fn cache_mut(&mut self) -> &mut ContactCache {
        self.aside.get_or_insert_default().cache.get_or_insert_default()
    }

    /// Brings the points to where the bodies are now, if where they were generated is known.
    pub(crate) fn carry_points(&mut self, a: &Body, b: &Body) {
        if let Some(cache) = self.aside.as_ref().and_then(|aside| aside.cache.as_ref()) {
            cache.carry(a, b, self.points.iter_mut().map(|known| &mut known.point));
        }
    }

    /// Puts the points in the scratch memory in the place of those there are. Points made by the same features keep their
    /// impulses (dissertation §5.5): points come in another order each step, and some come and go. There are some four to eight,
    /// so a search runs through them all.
    #[inline]
    pub(crate) fn replace(&mut self, scratch: &mut Scratch) {
        let Scratch { points, known, layered } = scratch;
        let same = self.points.len() == points.len()
            && self
                .points
                .iter()
                .zip(&*points)
                .all(|(old, new)| old.point.feature == new.feature);
        if same {
            for (old, new) in self.points.iter_mut().zip(points) {
                old.point = *new;
            }
            return;
        }
        let place_of = |new: &ContactPoint| self.points().position(|old| old.feature == new.feature);
        known.clear();
        known.extend(points.iter().map(|&point| KnownPoint {
            point,
            impulse: place_of(&point).map_or_else(Vector3::zeros, |place| self.points[place].impulse),
        }));
        let old = self.layered();
        if !old.is_empty() {
            let impulse_of = |new: &ContactPoint| old.get(place_of(new)?).copied();
            layered.clear();
            layered.extend(points.iter().map(|point| impulse_of(point).unwrap_or_default()));
            if let Some(aside) = &mut self.aside {
                aside.layered.clone_from(layered);
            }
        }
        self.points.assign(known);
    }

    /// Forgets points and impulses, and keeps the memory they occupy.
    pub(crate) fn forget(&mut self) {
        self.points.clear();
        if let Some(Aside { layered, cache }) = self.aside.as_deref_mut() {
            layered.clear();
            *cache = None;
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

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_collision::FeatureId;
    use nalgebra::Point3;

    #[test]
    fn impulses_are_found_again_by_feature_and_forgotten_with_it() {
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
            assert!(manifold.points().eq(points));
        };
        let both = |manifold: &Manifold| -> Vec<[Vector3<f64>; 2]> {
            let [whole, layered] =
                [Phase::Whole, Phase::Layered].map(|phase| manifold.impulses(phase).map(|(_, it)| it));
            whole.zip(layered).map(|(whole, layered)| [whole, layered]).collect()
        };
        find(&mut manifold, &[point(1, 0.0), point(2, 1.0)]);
        assert_eq!(both(&manifold), [[zero; 2]; 2]);
        manifold.store(Phase::Whole, |k, _| [x, y][k]);
        assert_eq!(both(&manifold), [[x, zero], [y, zero]]);
        manifold.store(Phase::Layered, |k, _| [zero, 2.0 * x][k]);
        assert_eq!(both(&manifold), [[x, zero], [y, 2.0 * x]]);
        assert!(manifold.loads().map(|(_, load)| load).eq([x, y + 2.0 * x]));
        // They move, and stay the same points.
        find(&mut manifold, &[point(1, 0.1), point(2, 0.9)]);
        assert_eq!(both(&manifold), [[x, zero], [y, 2.0 * x]]);
        // One goes, one comes, one is somewhere else in the list.
        find(&mut manifold, &[point(3, 2.0), point(2, 1.1)]);
        assert_eq!(both(&manifold), [[zero, zero], [y, 2.0 * x]]);
        find(&mut manifold, &[point(2, 1.1)]);
        assert_eq!(both(&manifold), [[y, 2.0 * x]]);
        manifold.forget();
        find(&mut manifold, &[point(2, 1.1)]);
        assert_eq!(both(&manifold), [[zero, zero]]);
    }

    /// Of a step in parts a pair is told if it pushed in the last trial, or in a part that was kept, whatever came later.
    #[test]
    fn pushes_of_trials_that_were_taken_back_are_forgotten() {
        let told = |pushes_in: &[u64], kept: &[u64]| {
            let mut pushed = Pushed::default();
            for trial in 11..=14 {
                if pushes_in.contains(&trial) {
                    pushed.note(trial, 5);
                }
                if kept.contains(&trial) {
                    pushed.keep(trial, 5);
                }
            }
            assert!(!pushed.is_in(15, 6), "the next step");
            pushed.is_in(14, 5)
        };
        assert!(!told(&[], &[11, 12, 13, 14]));
        assert!(told(&[14], &[]));
        assert!(told(&[12], &[12]));
        assert!(!told(&[12], &[13]));
        assert!(told(&[12, 13], &[12]), "13 was taken back, 12 was not");
        assert!(!told(&[12, 13], &[]));
    }

    #[test]
    fn the_deepest_point_is_the_first_of_equals() {
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
