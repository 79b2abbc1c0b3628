//! Groups (dissertation §5.2.5), and who wakes because of whom.
//!
//! A group with somebody awake in it is awake as a whole. With subgroups (§5.6) sleepy bodies act as fixed ones when
//! groups are formed: an edge between two of them is nobody's, an edge to one that is awake belongs to the latter's group,
//! which takes the sleepy one as a body without weight at its border, or with fixation as one that can't move.

use drystone_contact_graph::{Change, ContactGraph, Groups, Join, Tie};
use nalgebra::Vector3;

use super::Pipeline;
use super::options::GraphOptions;
use crate::event::WakeCause;
use crate::manifold::Manifold;

/// Forms groups of all bodies that touch or are jointed. `ties` says of each edge whether it has contact points.
pub(super) fn form_whole_groups(
    graph: &ContactGraph<(), Manifold>,
    ties: &[bool],
    options: &GraphOptions,
    groups: &mut Groups,
) {
    graph.groups_by(ties, groups);
    if !options.groups {
        groups.unite();
    }
}

impl Pipeline {
    /// Forms the groups of bodies that touch or are jointed, and finds those that are awake.
    pub(super) fn form_groups(&mut self) {
        if self.sleepers.asleep() > 0 {
            self.wake_beside_what_moves();
        }
        if self.options.subgroups {
            if self.sleepers.asleep() > 0 {
                self.wake_the_deserted();
                self.wake_along_joints();
                if self.options.fixation {
                    self.wake_the_disturbed();
                }
            }
            self.form_subgroups();
        } else {
            form_whole_groups(&self.graph, &self.ties, &self.options, &mut self.groups);
            self.wake_whole_groups();
        }
    }

    /// Wakes the groups that have somebody awake in them.
    pub(super) fn wake_whole_groups(&mut self) {
        let groups = std::mem::take(&mut self.groups);
        self.active.clear();
        if self.sleepers.asleep() == 0 {
            self.active.extend(0..groups.len() as u32);
        } else {
            for (index, group) in (0..).zip(groups.iter()) {
                if group.bodies.iter().any(|&body| !self.sleepers.is_asleep(body)) {
                    for &body in group.bodies {
                        self.wake_body(body, WakeCause::Contact);
                    }
                    self.active.push(index);
                }
            }
        }
        self.groups = groups;
    }

    fn form_subgroups(&mut self) {
        let sleepers = &self.sleepers;
        let rule = |tie: Tie<'_, Manifold>| {
            if tie.edge.is_some_and(|edge| edge.payload.is_empty()) {
                return Join::Neither;
            }
            match (sleepers.is_asleep(tie.a), sleepers.is_asleep(tie.b)) {
                (false, false) => Join::Both,
                (false, true) => Join::First,
                (true, false) => Join::Second,
                (true, true) => Join::Neither,
            }
        };
        self.graph.partition(rule, &mut self.groups);
        self.active.clear();
        self.active.extend(0..self.groups.len() as u32);
    }

    /// Bodies asleep that something scripted moves against, or pulls at by a joint, or that a fixed body was put at.
    fn wake_beside_what_moves(&mut self) {
        for edge in 0..self.graph.pairs().len() {
            if !self.graph.active_edges()[edge].payload.is_empty() {
                self.wake_if_carried(self.graph.pairs()[edge], WakeCause::Contact);
            }
        }
        for link in 0..self.graph.links().len() {
            self.wake_if_carried(self.graph.links()[link], WakeCause::Joint);
        }
    }

    fn wake_if_carried(&mut self, (a, b): (u32, u32), cause: WakeCause) {
        for (moving, beside) in [(a, b), (b, a)] {
            let free = &self.states[moving as usize].side.free;
            let moves = free.linear != Vector3::zeros() || free.angular != Vector3::zeros();
            let it = &self.world.bodies()[moving as usize];
            if moves && it.kind.motion().is_some() || !it.is_dynamic() && self.known.is_changed(moving) {
                self.wake_body(beside, cause);
            }
        }
    }

    /// Bodies asleep that something awake has left. In whole groups they would have been awake with it.
    fn wake_the_deserted(&mut self) {
        let (active, dormant) = (self.graph.active_edges().len(), self.graph.dormant_edges().len());
        for place in 0..active + dormant {
            let edge = match place.checked_sub(active) {
                None => &self.graph.active_edges()[place],
                Some(place) => &self.graph.dormant_edges()[place],
            };
            if edge.touch() == Some(Change::Vanishing) {
                for body in [edge.a, edge.b] {
                    self.wake_body(body, WakeCause::Contact);
                }
            }
        }
    }

    /// A joint with one end awake wakes the other, and so on along the mechanism.
    fn wake_along_joints(&mut self) {
        let mut again = true;
        while again {
            again = false;
            for link in 0..self.graph.links().len() {
                let (a, b) = self.graph.links()[link];
                for (awake, asleep) in [(a, b), (b, a)] {
                    let is_awake = self.world.bodies()[awake as usize].is_dynamic() && !self.sleepers.is_asleep(awake);
                    if is_awake && self.sleepers.is_asleep(asleep) {
                        self.wake_body(asleep, WakeCause::Joint);
                        again = true;
                    }
                }
            }
        }
    }

    /// Fixed sleepy bodies can't be pushed, so it is what touches them that wakes them: something that moves against them
    /// with more energy than rest has.
    fn wake_the_disturbed(&mut self) {
        let limit = (2.0 * self.options.sleep_energy).sqrt();
        for edge in 0..self.graph.pairs().len() {
            let (a, b) = self.graph.pairs()[edge];
            let bodies = self.world.bodies();
            let (it, other) = (&bodies[a as usize], &bodies[b as usize]);
            let disturbed = self.sleepers.is_asleep(a) != self.sleepers.is_asleep(b)
                && self.graph.active_edges()[edge].payload.points().any(|point| {
                    let approach = it.velocity_at(&point.position) - other.velocity_at(&point.position);
                    // One that will meet it only later, or that it has left behind, does not count.
                    point.depth >= -self.options.touch_distance && approach.norm() > limit
                });
            if disturbed {
                for body in [a, b] {
                    self.wake_body(body, WakeCause::Contact);
                }
            }
        }
    }
}
