//! Memory that is asked for before it is needed.
//!
//! The update of a contact waits for its bodies and numbers, and a processor looks only one or two packets ahead. Where they come
//! from the caches that cores share, or from memory, that is most of a sweep's time. So while one packet is worked on, what the
//! packets some contacts later need is fetched. What is near anyway would only be delayed by it.

use super::bodies::Bodies;
use super::contact::Contacts;
use super::layout::Packet;
use crate::hint::fetch;

/// Problems of fewer contact points are near: they fit into the cache of one core, or nearly.
pub(super) const FAR: usize = 24_000;

/// Places for contacts side by side that lie between what is worked on and what is asked for.
const DISTANCE: usize = 4;

/// What has been asked for of some packets.
pub(super) struct Ahead<'a> {
    packets: &'a [Packet],
    /// The first packet that has not been asked for; none are if this is their end.
    next: usize,
}

impl<'a> Ahead<'a> {
    /// Nothing yet, or nothing ever if the packets are near.
    #[inline(always)]
    pub(super) fn new(packets: &'a [Packet], are_far: bool) -> Self {
        let next = if are_far { 0 } else { packets.len() };
        Self { packets, next }
    }

    /// Asks for what comes after a packet: contacts, or what they have along their normals, and bodies.
    #[inline(always)]
    pub(super) fn ask<C: Contacts, const NORMALS: bool>(&mut self, now: &Packet, contacts: &[C], bodies: &Bodies) {
        let until = now.first_contact() + DISTANCE;
        while let Some(next) = self.packets.get(self.next).filter(|next| next.first_contact() <= until) {
            for contact in &contacts[next.contacts(&self.packets[0])] {
                if NORMALS {
                    fetch(contact.along_normal());
                } else {
                    fetch(contact);
                }
            }
            for &body in next.bodies.as_flattened() {
                fetch(bodies.get(body));
            }
            self.next += 1;
        }
    }
}

impl Ahead<'_> {
    /// Asks for places of contacts that are going to be written, and lets `ask` see to what is written there.
    #[inline(always)]
    pub(super) fn ask_for_sources<C>(&mut self, now: &Packet, contacts: &[C], ask: impl Fn(usize)) {
        let until = now.first_contact() + DISTANCE;
        while let Some(next) = self.packets.get(self.next).filter(|next| next.first_contact() <= until) {
            for place in next.contacts(&self.packets[0]) {
                fetch(&contacts[place]);
                ask(place);
            }
            self.next += 1;
        }
    }
}
