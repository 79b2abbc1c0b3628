//! Where contacts lie: manifolds of one colour side by side, eight to a *packet*.
//!
//! A packet's bodies are read once, its contacts updated one after the other with the velocities in registers, and its
//! bodies written once. Manifolds with fewer contacts than their neighbours are filled up. The layout depends on the
//! pairs of bodies alone and is kept while these stay the same.

use std::ops::Range;

use super::ahead;
use super::colouring::Colouring;
use super::lanes::WIDTH;
use super::wave::Tiles;
use crate::delassus::RigidBodies;

/// A lane that has no contact.
pub(super) const NONE: u32 = u32::MAX;

/// Eight pairs of bodies, and where their contacts are.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Packet {
    /// The bodies A and B of each lane; absent lanes have the immovable one.
    pub(super) bodies: [[u32; WIDTH]; 2],
    /// Its first contact.
    first: u32,
    /// How many the longest lane has.
    depth: u32,
    /// How many lanes there are.
    pub(super) present: u32,
}

impl Packet {
    /// The number of its first contact.
    pub(super) fn first_contact(&self) -> usize {
        self.first as usize
    }

    /// Its contacts, counted from those of another packet.
    pub(super) fn contacts(&self, from: &Self) -> Range<usize> {
        let first = (self.first - from.first) as usize;
        first..first + self.depth as usize
    }
}

/// The places of all contacts of a problem.
#[derive(Debug, Default)]
pub(super) struct Layout {
    colouring: Colouring,
    /// Colour by colour.
    packets: Vec<Packet>,
    /// Where the packets of each colour begin, and where the last ones end.
    starts: Vec<u32>,
    /// The block in each lane of each contact.
    pub(super) blocks: Vec<[u32; WIDTH]>,
    /// By block: its contact, and in it its lane.
    pub(super) places: Vec<(u32, u32)>,
    /// Where the packets of each domain begin, those of the seam, and where those end.
    sections: Vec<u32>,
    /// The packets of a problem that no cache holds, in pieces.
    pub(super) tiles: Tiles,
    /// Whether there are more contacts than the cache of one core holds.
    pub(super) is_far: bool,
}

impl Layout {
    /// Finds the places of the contact points of a problem that has no other rows.
    pub(super) fn find(&mut self, bodies: &RigidBodies, stretch: usize) {
        if !self.colouring.find(bodies, stretch) {
            return;
        }
        self.packets.clear();
        self.starts.clear();
        self.blocks.clear();
        self.places.clear();
        self.sections.clear();
        self.places.resize(bodies.touches().len(), (NONE, 0));
        for colour in 0..self.colouring.starts.len() - 1 {
            self.starts.push(self.packets.len() as u32);
            let bounds = [colour, colour + 1].map(|colour| self.colouring.starts[colour] as usize);
            for first in (bounds[0]..bounds[1]).step_by(WIDTH) {
                self.add_packet(first..bounds[1].min(first + WIDTH));
            }
        }
        self.starts.push(self.packets.len() as u32);
        let sections = self.colouring.sections.iter();
        self.sections
            .extend(sections.map(|&colour| self.starts[colour as usize]));
        self.starts.pop();
        // What has no colour comes one by one.
        let count = self.colouring.manifolds.len();
        for manifold in count - self.colouring.uncoloured()..count {
            self.starts.push(self.packets.len() as u32);
            self.add_packet(manifold..manifold + 1);
        }
        self.starts.push(self.packets.len() as u32);
        self.is_far = bodies.touches().len() >= ahead::FAR;
        self.tiles
            .find(&self.packets, bodies.body_count(), bodies.touches().len());
    }

    fn add_packet(&mut self, manifolds: Range<usize>) {
        let manifolds = &self.colouring.manifolds[manifolds];
        let depth = manifolds.iter().map(|manifold| manifold.len).max().unwrap_or(0);
        let first = self.blocks.len();
        let mut packet = Packet {
            first: first as u32,
            depth,
            present: manifolds.len() as u32,
            ..Packet::default()
        };
        self.blocks.resize(first + depth as usize, [NONE; WIDTH]);
        for (lane, manifold) in manifolds.iter().enumerate() {
            for (side, body) in manifold.pair.into_iter().enumerate() {
                packet.bodies[side][lane] = body;
            }
            for k in 0..manifold.len {
                let (contact, block) = (packet.first + k, manifold.first + k);
                self.blocks[contact as usize][lane] = block;
                self.places[block as usize] = (contact, lane as u32);
            }
        }
        self.packets.push(packet);
    }

    /// How many pairs of bodies there are.
    pub(super) fn pairs(&self) -> usize {
        self.colouring.pairs()
    }

    /// The packets of each domain.
    pub(super) fn domains(&self) -> impl Iterator<Item = &[Packet]> {
        let bounds = self.sections[..self.sections.len() - 1].windows(2);
        bounds.map(|bounds| &self.packets[bounds[0] as usize..bounds[1] as usize])
    }

    /// Those of the seam, and what has no colour.
    pub(super) fn seam(&self) -> &[Packet] {
        &self.packets[self.sections[self.sections.len() - 2] as usize..]
    }

    /// The packets of all colours.
    pub(super) fn packets(&self) -> &[Packet] {
        &self.packets
    }

    /// The packets of each colour.
    pub(super) fn colours(&self) -> impl Iterator<Item = &[Packet]> {
        let bounds = self.starts.windows(2);
        bounds.map(|bounds| &self.packets[bounds[0] as usize..bounds[1] as usize])
    }
}
