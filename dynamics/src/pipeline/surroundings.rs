//! Changes of what bodies touch: shapes, the places of fixed bodies, materials, and the rules of who may touch whom.
//!
//! Nothing of this is told; it is compared before each step with what it was. What lies asleep against such a change is
//! woken, and contacts that were made with another shape are forgotten.

use drystone_collision::Shape;
use nalgebra::Isometry3;

use super::Pipeline;
use crate::body::Body;
use crate::event::WakeCause;

/// What a body looks like to those that touch it.
#[derive(Debug, Clone)]
pub(super) struct Look {
    shape: Shape,
    material: usize,
    /// Where it is; only of interest while nothing moves it.
    pose: Isometry3<f64>,
}

impl Look {
    pub(super) fn of(body: &Body) -> Self {
        Self {
            shape: body.shape.clone(),
            material: body.material,
            pose: body.pose,
        }
    }

    /// Whether a body has another shape.
    fn is_reshaped(&self, it: &Body) -> bool {
        it.shape != self.shape
    }

    /// Whether a body looks different, or stands and stood elsewhere.
    fn differs(&self, it: &Body) -> bool {
        let stands = !it.is_dynamic() && it.kind.motion().is_none();
        self.is_reshaped(it) || it.material != self.material || (stands && it.pose != self.pose)
    }
}

impl Pipeline {
    /// Bodies of another shape or material, and fixed ones that were put elsewhere.
    pub(super) fn follow_looks(&mut self) {
        let looks = &self.known.looks;
        if !self.any_body(|(index, it)| looks[index].differs(it)) {
            return;
        }
        for index in 0..self.world.bodies().len() {
            let (it, look) = (&self.world.bodies()[index], &self.known.looks[index]);
            if !look.differs(it) {
                continue;
            }
            let reshaped = look.is_reshaped(it);
            self.known.looks[index] = Look::of(it);
            self.known.note_change(index);
            let body = index as u32;
            self.wake_body(body, WakeCause::Force);
            self.wake_neighbours(body);
            if reshaped {
                let edges = self.graph.active_edges_mut().iter_mut();
                let its = edges.filter(|edge| edge.a == body || edge.b == body);
                its.for_each(|edge| edge.payload.forget());
            }
        }
    }

    /// Pairs of materials with another law.
    pub(super) fn follow_materials(&mut self) {
        if self.known.materials == self.world.materials {
            return;
        }
        let before = std::mem::replace(&mut self.known.materials, self.world.materials.clone());
        if self.sleepers.asleep() == 0 {
            return;
        }
        self.known.note_edit();
        for edge in 0..self.graph.pairs().len() {
            let (a, b) = self.graph.pairs()[edge];
            if self.graph.active_edges()[edge].payload.is_empty() {
                continue;
            }
            let [of_a, of_b] = [a, b].map(|body| self.world.bodies()[body as usize].material);
            let count = before.names().len();
            let same = of_a < count && of_b < count && before.pair(of_a, of_b) == self.known.materials.pair(of_a, of_b);
            if !same {
                [a, b]
                    .into_iter()
                    .for_each(|body| self.wake_body(body, WakeCause::Contact));
            }
        }
    }

    /// Rules that came or went: pairs asleep that may touch and might not, or the other way round, are woken where they
    /// are near each other. Returns whether there are any.
    pub(super) fn follow_filter(&mut self) -> bool {
        if self.known.filter == self.world.filter {
            return false;
        }
        let before = std::mem::replace(&mut self.known.filter, self.world.filter.clone());
        if self.sleepers.asleep() > 0 && self.aabbs.len() == self.world.bodies().len() {
            let all = vec![true; self.aabbs.len()];
            let mut pairs = std::mem::take(&mut self.pairs);
            self.broad_phase.pairs(&self.aabbs, &all, &mut pairs);
            for &(a, b) in &pairs {
                if before.allows(a, b) != self.known.filter.allows(a, b) {
                    [a, b]
                        .into_iter()
                        .for_each(|body| self.wake_body(body, WakeCause::Contact));
                }
            }
            self.pairs = pairs;
        }
        true
    }
}
