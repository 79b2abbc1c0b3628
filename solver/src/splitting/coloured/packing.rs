//! How contacts come to their places: geometry, friction, biases and first impulses from the problem, and step lengths from the masses.

use super::ahead::Ahead;
use super::contact::Contacts;
use super::kernels::Prepare;
use super::lanes::WIDTH;
use super::layout::{NONE, Packet};
use super::{Team, contact_of};
use crate::cone::Cone;
use crate::delassus::{Placed, RigidBodies};
use crate::hint::fetch;
use crate::problem::{Block, Problem};

// What packing some contacts tells of them: of several answers the largest counts.
/// Some impulse is not zero.
pub(super) const WARM: f64 = 1.0;
/// Something is not a number, not a contact, or can't move.
pub(super) const IRREGULAR: f64 = 2.0;

/// Brings contacts and step lengths to their places.
#[derive(Clone, Copy)]
pub(super) struct Packing<'a> {
    pub(super) team: Team<'a>,
    pub(super) problem: &'a Problem,
    pub(super) operator: &'a RigidBodies,
    pub(super) relaxation: f64,
    /// What part of the impulses contacts start from.
    pub(super) factor: f64,
}

impl Packing<'_> {
    /// Packs some contacts, and tells how they are.
    pub(super) fn pack<C: Contacts>(&self, impulses: &[f64], packets: &[Packet], contacts: &mut [C]) -> f64 {
        let Team {
            arch, layout, bodies, ..
        } = self.team;
        let problem = self.problem;
        let touches = self.operator.touches();
        let origin = contact_of(packets);
        let (mut irregular, mut warm) = (false, false);
        let mut ahead = Ahead::new(packets, layout.is_far);
        for packet in packets {
            let range = packet.contacts(&packets[0]);
            ahead.ask_for_sources(packet, contacts, |place| {
                let blocks = layout.blocks[origin + place].iter();
                for &block in blocks.filter(|block| **block != NONE) {
                    let found = &problem.blocks[block as usize];
                    fetch(found);
                    fetch(&touches[block as usize]);
                    fetch(&problem.bias[found.first as usize]);
                    fetch(&impulses[found.first as usize]);
                }
            });
            let sources = &layout.blocks[origin + range.start..origin + range.end];
            for (contact, blocks) in contacts[range.clone()].iter_mut().zip(sources) {
                if blocks.contains(&NONE) {
                    *contact = C::default();
                }
                for (lane, &block) in blocks.iter().enumerate().filter(|(_, block)| **block != NONE) {
                    let (found, placed) = (&problem.blocks[block as usize], &touches[block as usize]);
                    let Some(friction) = friction_of(found, placed) else {
                        irregular = true;
                        continue;
                    };
                    let (bias, start) = (&problem.bias[found.rows()], &impulses[found.rows()]);
                    warm |= start.iter().any(|&impulse| impulse != 0.0);
                    contact.set(lane, &placed.touch, friction, bias, start, self.factor);
                }
            }
            let prepare = Prepare {
                packet,
                contacts: &mut contacts[range.clone()],
                bodies,
                relaxation: self.relaxation,
            };
            arch.dispatch(prepare);
            for (contact, blocks) in contacts[range].iter().zip(sources) {
                let present = (0..WIDTH).filter(|&lane| blocks[lane] != NONE);
                irregular |= !present.fold(true, |regular, lane| regular & contact.is_regular(lane));
            }
        }
        if irregular {
            IRREGULAR
        } else if warm {
            WARM
        } else {
            0.0
        }
    }
}

/// The friction of a block that is a touch between two bodies; none if it is something else.
#[inline]
fn friction_of(block: &Block, placed: &Placed) -> Option<f64> {
    let [a, b] = placed.pair;
    let fits = (block.first, block.len) == (placed.first, placed.rows) && (a != b || a == RigidBodies::IMMOVABLE);
    match block.cone {
        Cone::Friction { coefficient } if fits && block.len == 3 && coefficient >= 0.0 => Some(coefficient),
        Cone::NonNegative if fits && block.len == 1 => Some(0.0),
        _ => None,
    }
}
