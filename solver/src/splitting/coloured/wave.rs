//! Many sweeps in one passage, for problems that no cache holds.
//!
//! A sweep over a million contacts reads them all from memory, and the next one reads them again. But a contact hears only of its
//! neighbours: it may be swept for the second time as soon as all that share a body with it have been swept for the first. So the
//! contacts are cut into *tiles*, in the order of the sweep, and if no body is in two tiles that are more than R apart,
//!
//! ```text
//! step t:  tile t in round 0, tile t − (R+1) in round 1, tile t − 2(R+1) in round 2, …
//! ```
//!
//! does to each contact what round after round does, in the same order as far as anybody can tell, and so to the last bit. What the
//! rounds of a *band* have in hand at a time, its rounds times R + 1 tiles, fits into a cache, and memory is read once a band. (Time skewing: Wolf and Lam 1991;
//! Wonnacott 2000. For Gauss–Seidel: Douglas et al. 2000.)
//!
//! Threads take bands one after the other, and each follows the one before it at a distance of R tiles. Nobody waits for a band that has
//! not been taken by a running thread.
//!
//! Contacts are brought to their places in the first round, so that they need not be read again for the next.
//!
//! It needs contacts that are listed so that neighbours are near each other; where they are not, R is large, and the sweeps go one by one.

use std::array;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::contact::Contacts;
use super::contacts_of;
use super::layout::Packet;
use super::team::{self, Count};
use crate::delassus::RigidBodies;

/// Problems of fewer contact points stay near enough to the processor from sweep to sweep.
pub(super) const ENOUGH: usize = 40_000;

/// Bytes of contacts that a band may have in hand. Caches that all cores share have 20 MB and more these days.
const WINDOW: usize = 12 << 20;

/// Tiles at most. What a tile begins with has not been asked for ahead, so they should not be small.
const MOST: usize = 512;

/// Places for contacts side by side that a tile has at least.
const LEAST: usize = 64;

/// Threads that follow each other at most.
const MOST_THREADS: usize = 15;

/// A passage pays from so many rounds on.
const ROUNDS: usize = 2;

/// Packets, cut into pieces whose bodies are not far from each other.
#[derive(Debug, Default)]
pub(super) struct Tiles {
    /// Where the packets of each tile begin, and where the last ones end; nothing if the problem is not one for this.
    starts: Vec<u32>,
    /// How far two tiles with a body in common are apart at most.
    reach: usize,
    /// Places for contacts that a tile has at most.
    places: usize,
    /// The first tile of each body.
    first: Vec<u32>,
}

impl Tiles {
    /// Cuts the packets of a problem with so many bodies and contacts.
    pub(super) fn find(&mut self, packets: &[Packet], bodies: usize, contacts: usize) {
        self.starts.clear();
        if contacts < ENOUGH {
            return;
        }
        let least = contacts_of(packets).div_ceil(MOST - 1).max(LEAST);
        self.places = 0;
        self.reach = 0;
        self.first.clear();
        self.first.resize(bodies, u32::MAX);
        let mut start = 0;
        while start < packets.len() {
            let tile = self.starts.len();
            self.starts.push(start as u32);
            let from = &packets[start];
            let len = packets[start..].partition_point(|packet| packet.contacts(from).end < least);
            let end = packets.len().min(start + len + 1);
            self.places = self.places.max(contacts_of(&packets[start..end]));
            let touched = packets[start..end]
                .iter()
                .flat_map(|packet| packet.bodies.as_flattened());
            for &body in touched.filter(|&&body| body != RigidBodies::IMMOVABLE) {
                let first = &mut self.first[body as usize];
                *first = (*first).min(tile as u32);
                self.reach = self.reach.max(tile - *first as usize);
            }
            start = end;
        }
        self.starts.push(packets.len() as u32);
    }

    fn count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// How many of so many rounds make a band for threads to share, if that is more than one.
    pub(super) fn band<C>(&self, rounds: usize, threads: usize) -> Option<usize> {
        if self.count() == 0 || rounds < ROUNDS {
            return None;
        }
        let of_one = (self.reach + 1) * self.places * size_of::<C>();
        let fitting = (WINDOW / of_one).min(rounds.div_ceil(threads.min(MOST_THREADS)));
        // All bands nearly as wide as each other.
        (fitting >= ROUNDS).then(|| rounds.div_ceil(rounds.div_ceil(fitting)))
    }
}

/// Does so many rounds of work on all contacts, in bands of some.
pub(super) fn run<C: Contacts>(
    tiles: &Tiles,
    packets: &[Packet],
    contacts: &mut [C],
    threads: usize,
    (rounds, band): (usize, usize),
    work: &(impl Fn(usize, &[Packet], &mut [C]) + Sync),
) {
    let count = tiles.count();
    let packets_of = |tile: usize| &packets[tiles.starts[tile] as usize..tiles.starts[tile + 1] as usize];
    let mut rest = contacts;
    let parts: [Mutex<&mut [C]>; MOST] = array::from_fn(|tile| {
        let len = if tile < count { contacts_of(packets_of(tile)) } else { 0 };
        let (own, later) = std::mem::take(&mut rest).split_at_mut(len);
        rest = later;
        Mutex::new(own)
    });
    let apart = tiles.reach + 1;
    let taken = Count::default();
    // How far bands have come; a slot is used again when the band before has long been through.
    let through: [Count; MOST_THREADS + 1] = array::from_fn(|_| Count::default());
    let slot = |number: usize| &through[number % through.len()];
    let passage = |number: usize, rounds: Range<usize>| {
        let lag = (rounds.len() - 1) * apart;
        for step in 0..count + lag {
            if number > 0 && step < count {
                slot(number - 1).wait((number - 1) * count + (step + apart).min(count));
            }
            for (round, tile) in rounds.clone().zip((0..=step).rev().step_by(apart)) {
                if tile < count {
                    let mut contacts = parts[tile].lock().unwrap_or_else(PoisonError::into_inner);
                    work(round, packets_of(tile), &mut contacts);
                }
            }
            if step >= lag {
                slot(number).set(number * count + step - lag + 1);
            }
        }
    };
    let bands = rounds.div_ceil(band);
    team::call(0..threads.min(bands).min(MOST_THREADS), &|_| {
        loop {
            let number = taken.take();
            if number >= bands {
                break;
            }
            passage(number, number * band..rounds.min((number + 1) * band));
        }
    });
}
