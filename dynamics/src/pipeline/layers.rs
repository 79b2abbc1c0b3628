//! Stack layers, and the sweep over them (dissertation §6.4.1 and 6.4.2, figures 6.47 and 6.50–6.52).
//!
//! A layer has the bodies of one height and everything that ties them to each other and to what is lower. In the sweep
//! from the ground up a layer takes what is lower as immovable, with the velocities it has by then. So bodies of a layer
//! that don't touch each other don't feel each other: a layer falls into *cells*, which are worked on side by side like
//! groups. What is done to a layer is up to the stepper: any solver, any corrector.

use drystone_contact_graph::{Groups, Heights, Join, LayerRule, StackLayers, Support, Tie};
use nalgebra::Vector3;

use super::motion::AdvanceWith;
use super::{Pipeline, sync};
use crate::error::StepError;
use crate::manifold::Manifold;

/// How layers are made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LayerSettings {
    pub(crate) rule: LayerRule,
    /// Bodies that fall faster than this keep their height, m/s; infinite if none does.
    pub(crate) fall_speed: f64,
}

/// The layers of a step, and their cells.
#[derive(Debug, Default)]
pub(super) struct Layering {
    layers: StackLayers,
    pub(super) cells: Groups,
    /// Cells in the order of the sweep.
    pub(super) order: Vec<u32>,
    /// Where each layer begins in it; one more entry for the end.
    starts: Vec<usize>,
    supports: Vec<Support>,
    grounds: Vec<bool>,
    floors: Vec<u32>,
    /// The heights of the last step.
    heights: Vec<u32>,
}

impl Layering {
    /// Keeps the heights of the bodies that stay.
    pub(super) fn renumber(&mut self, stay: impl Fn(u32) -> bool) {
        sync::retain(&mut self.heights, stay);
    }
}

/// One layer of a sweep.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layer {
    first: usize,
    end: usize,
}

impl Layer {
    pub(super) fn cells(self) -> std::ops::Range<usize> {
        self.first..self.end
    }
}

impl Pipeline {
    /// How many contacts a body is above the ground, as the rule of the stepper counts: 0 for the ground, `None` for a
    /// body that touches nothing that does, or if the stepper has no layers.
    pub fn height(&self, body: usize) -> Option<u32> {
        self.layering.layers.height(body as u32)
    }

    /// Finds the heights of all bodies awake, and the cells of the layers.
    pub(crate) fn build_layers(&mut self, settings: &LayerSettings) {
        let up = -self.world.gravity.try_normalize(0.0).unwrap_or_default();
        let bodies = self.world.bodies();
        let sleepers = &self.sleepers;
        let Layering {
            layers,
            cells,
            order,
            starts,
            supports,
            grounds,
            floors,
            heights,
        } = &mut self.layering;

        grounds.clear();
        let is_ground = |(index, body): (u32, &crate::body::Body)| !body.is_dynamic() || sleepers.is_asleep(index);
        grounds.extend((0..).zip(bodies).map(is_ground));
        supports.clear();
        supports.extend(self.graph.active_edges().iter().filter_map(|edge| {
            let normals: Vector3<f64> = edge.payload.points().map(|point| point.normal.into_inner()).sum();
            let touches = !edge.payload.is_empty();
            touches.then(|| Support {
                a: edge.a,
                b: edge.b,
                rise: normals.try_normalize(0.0).map_or(0.0, |normal| normal.dot(&up)),
            })
        }));
        floors.clear();
        let falls = |body: &crate::body::Body| -body.linear_velocity.dot(&up) > settings.fall_speed;
        floors.extend(
            bodies
                .iter()
                .zip(heights.iter())
                .map(|(body, &height)| if falls(body) { height } else { 0 }),
        );
        let mut layer_rule = settings.rule;
        if up == Vector3::zeros() {
            // Without weight nothing rests on anything.
            layer_rule.heights = Heights::Distance;
        }
        layers.build(&layer_rule, grounds, supports, self.graph.links(), floors);
        heights.clear();
        heights.extend_from_slice(layers.heights());

        let rule = |tie: Tie<'_, Manifold>| {
            let (a, b) = (tie.a as usize, tie.b as usize);
            if tie.edge.is_some_and(|edge| edge.payload.is_empty()) || grounds[a] && grounds[b] {
                Join::Neither
            } else if heights[a] == heights[b] {
                Join::Both
            } else if heights[a] > heights[b] {
                Join::First
            } else {
                Join::Second
            }
        };
        self.graph.partition(rule, cells);
        let layer = |cell: u32| {
            let body = cells.get(cell as usize).and_then(|cell| cell.bodies.first());
            match body.map(|&body| heights[body as usize]) {
                // What floats has no ground to begin from.
                None | Some(StackLayers::FLOATING) => 0,
                Some(height) => height.saturating_sub(1),
            }
        };
        order.clear();
        order.extend(0..cells.len() as u32);
        order.sort_unstable_by_key(|&cell| (layer(cell), cell));
        starts.clear();
        starts.extend((0..order.len()).filter(|&k| k == 0 || layer(order[k]) != layer(order[k - 1])));
        starts.push(order.len());
        self.report.layers = starts.len() - 1;
    }

    /// Shock propagation of anything (figure 6.47): does some work on each layer from the ground up.
    pub(crate) fn for_each_layer(
        &mut self,
        mut work: impl FnMut(&mut Self, Layer) -> Result<(), StepError>,
    ) -> Result<(), StepError> {
        for layer in 1..self.layering.starts.len() {
            let (first, end) = (self.layering.starts[layer - 1], self.layering.starts[layer]);
            work(self, Layer { first, end })?;
        }
        Ok(())
    }

    /// Moves the bodies of a layer for a time h.
    pub(crate) fn advance_layer(&mut self, layer: Layer, h: f64) {
        let (cells, order) = (
            std::mem::take(&mut self.layering.cells),
            std::mem::take(&mut self.layering.order),
        );
        for &cell in &order[layer.cells()] {
            for &body in cells.get(cell as usize).map_or(&[][..], |cell| cell.bodies) {
                self.advance_body(body as usize, AdvanceWith::New, h, h);
            }
        }
        (self.layering.cells, self.layering.order) = (cells, order);
    }

    /// Moves the bodies that are in no layer for a time h; scripted ones to where they are at the end of the step.
    pub(crate) fn advance_others(&mut self, h: f64, elapsed: f64) {
        for body in 0..self.states.len() {
            if self.layering.cells.group_of(body as u32).is_none() {
                self.advance_body(body, AdvanceWith::New, h, elapsed);
            }
        }
    }
}
