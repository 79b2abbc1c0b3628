//! Heights as longest paths over the relation "rests on", which may have rings:
//!
//! ```text
//! height(b) = max(floor(b), 1 + max height(body that b rests on)),   1 if there is none.
//! ```
//!
//! One depth-first walk from bodies to those below serves both treatments of rings. It leaves a body after all bodies
//! below it, so their heights are known by then. Cutting rings: a body below that isn't known yet is still on the
//! path, so it closes a ring and is passed over. Condensing them: Tarjan's algorithm (1972) finds the strongly
//! connected components, and leaves each after all components below it. The walk keeps its path in an array: a tower
//! of a million bodies must not exhaust the stack.

use super::{Bodies, StackLayers, above};
use crate::flat_lists::FlatLists;

/// Memory of the walk.
#[derive(Clone, Debug, Default)]
pub(super) struct Walk {
    /// When a body was entered, counted from 1; 0 before. Tarjan's low link once the body is left.
    mark: Vec<u32>,
    /// The bodies being visited, each with how many of those below have been looked at.
    path: Vec<(u32, u32)>,
    /// Bodies that have been left, whose component isn't complete.
    open: Vec<u32>,
}

impl Walk {
    /// Heights with rings cut open. `heights` must be 0 for all bodies but floating ones.
    pub(super) fn cut(&mut self, bodies: &Bodies<'_>, below: &FlatLists, heights: &mut [u32]) {
        self.begin(bodies.len());
        self.all(bodies, below, heights, |_, body, heights| {
            heights[body as usize] = rise_above(bodies, below, heights, body);
        });
    }

    /// Heights with one for each strongly connected component. `heights` must be 0 for all bodies but floating ones.
    pub(super) fn condensed(&mut self, bodies: &Bodies<'_>, below: &FlatLists, heights: &mut [u32]) {
        self.begin(bodies.len());
        self.all(bodies, below, heights, |walk, body, heights| {
            let entered = walk.mark[body as usize];
            // Bodies with a height are in components that are complete.
            let unfinished = below.list(body as usize).iter().filter(|&&b| heights[b as usize] == 0);
            let low = unfinished.map(|&b| walk.mark[b as usize]).fold(entered, u32::min);
            walk.mark[body as usize] = low;
            walk.open.push(body);
            if low == entered {
                // The rest of the component was entered later. What was open before has marks below this one.
                let first = walk.open.iter().rposition(|&b| walk.mark[b as usize] < entered);
                let component = first.map_or(0, |position| position + 1);
                // Members have no height yet and so don't count as below one another.
                let members = walk.open[component..].iter();
                let height = members
                    .map(|&b| rise_above(bodies, below, heights, b))
                    .fold(1, u32::max);
                for member in walk.open.drain(component..) {
                    heights[member as usize] = height;
                }
            }
        });
    }

    fn begin(&mut self, bodies: usize) {
        self.mark.clear();
        self.mark.resize(bodies, 0);
        self.path.clear();
        self.path.reserve(bodies);
        self.open.clear();
        self.open.reserve(bodies);
    }

    /// Walks from each body that is neither ground nor floating, in the order of their indices, and calls `leave` for
    /// each body after those below it.
    fn all(
        &mut self,
        bodies: &Bodies<'_>,
        below: &FlatLists,
        heights: &mut [u32],
        mut leave: impl FnMut(&mut Self, u32, &mut [u32]),
    ) {
        let mut entered = 0;
        for (root, &ground) in (0..).zip(bodies.is_ground) {
            if ground || heights[root as usize] == StackLayers::FLOATING || self.mark[root as usize] != 0 {
                continue;
            }
            let mut enter = Some(root);
            loop {
                if let Some(body) = enter.take() {
                    entered += 1;
                    self.mark[body as usize] = entered;
                    self.path.push((body, 0));
                }
                let Some((body, looked_at)) = self.path.last_mut() else {
                    break;
                };
                let body = *body;
                if let Some(&next) = below.list(body as usize).get(*looked_at as usize) {
                    *looked_at += 1;
                    enter = (self.mark[next as usize] == 0).then_some(next);
                } else {
                    self.path.pop();
                    leave(self, body, heights);
                }
            }
        }
    }
}

/// The height of a body from the known heights of those below; the others have 0 and don't count.
fn rise_above(bodies: &Bodies<'_>, below: &FlatLists, heights: &[u32], body: u32) -> u32 {
    let highest = below.list(body as usize).iter().map(|&b| heights[b as usize]).max();
    above(highest.unwrap_or(0)).max(bodies.floor(body))
}
