//! What is done to the packets of a colour, compiled for every instruction set: bodies are read, contact after contact is worked
//! on with the velocities in registers, and bodies are written.

use pulp::{Simd, WithSimd};

use super::ahead::Ahead;
use super::bodies::{Bodies, Side};
use super::contact::Contacts;
use super::lanes::{Lanes, WIDTH};
use super::layout::Packet;

/// Finds the step lengths of a packet.
pub(super) struct Prepare<'a, C> {
    pub(super) packet: &'a Packet,
    pub(super) contacts: &'a mut [C],
    pub(super) bodies: &'a Bodies,
    pub(super) relaxation: f64,
}

impl<C: Contacts> WithSimd for Prepare<'_, C> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for part in parts::<S>(self.packet) {
            let sides = gather(simd, self.bodies, self.packet, part);
            for contact in &mut *self.contacts {
                contact.find_steps(simd, part, &sides, self.relaxation);
            }
        }
    }
}

/// Gives bodies the velocities of the impulses at hand.
pub(super) struct Start<'a, C> {
    pub(super) packets: &'a [Packet],
    pub(super) contacts: &'a [C],
    pub(super) bodies: &'a Bodies,
    /// Whether they are to be asked for ahead.
    pub(super) is_far: bool,
}

impl<C: Contacts> WithSimd for Start<'_, C> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let mut ahead = Ahead::new(self.packets, self.is_far);
        for packet in self.packets {
            ahead.ask::<C, false>(packet, self.contacts, self.bodies);
            let contacts = &self.contacts[packet.contacts(&self.packets[0])];
            for part in parts::<S>(packet) {
                let mut sides = gather(simd, self.bodies, packet, part);
                for contact in contacts {
                    contact.start(simd, part, &mut sides);
                }
                scatter(simd, &sides, self.bodies, packet, part);
            }
        }
    }
}

/// Solves contact after contact, or their normals alone; the largest change of an impulse.
pub(super) struct Relax<'a, C, const NORMALS: bool> {
    pub(super) packets: &'a [Packet],
    pub(super) contacts: &'a mut [C],
    pub(super) bodies: &'a Bodies,
    /// Whether they are to be asked for ahead.
    pub(super) is_far: bool,
}

impl<C: Contacts, const NORMALS: bool> WithSimd for Relax<'_, C, NORMALS> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let mut largest = Lanes::splat(simd, 0.0);
        let mut ahead = Ahead::new(self.packets, self.is_far);
        for packet in self.packets {
            ahead.ask::<C, NORMALS>(packet, self.contacts, self.bodies);
            let contacts = &mut self.contacts[packet.contacts(&self.packets[0])];
            for part in parts::<S>(packet) {
                let mut sides = gather(simd, self.bodies, packet, part);
                for contact in &mut *contacts {
                    largest = if NORMALS {
                        contact.normal().relax(simd, part, &mut sides, largest)
                    } else {
                        contact.relax(simd, part, &mut sides, largest)
                    };
                }
                scatter(simd, &sides, self.bodies, packet, part);
            }
        }
        largest.largest()
    }
}

/// The stretches of lanes that a packet has something in.
#[inline(always)]
fn parts<S: Simd>(packet: &Packet) -> std::ops::Range<usize> {
    const {
        assert!(
            WIDTH.is_multiple_of(S::F64_LANES),
            "registers hold 1, 2, 4 or 8 numbers"
        )
    };
    0..(packet.present as usize).div_ceil(S::F64_LANES)
}

#[inline(always)]
#[expect(unsafe_code, reason = "threads write to different bodies of one list")]
fn gather<S: Simd>(simd: S, bodies: &Bodies, packet: &Packet, part: usize) -> [Side<S>; 2] {
    // SAFETY: no two packets of a colour have a body in common but the immovable one, to which nobody writes, nor have two domains,
    // nor a domain and the seam while one of them is worked on, nor two tiles that bands work on at a time. That is what `Colouring` and
    // `Tiles` are for, and threads share out whole packets.
    unsafe {
        [
            Side::gather(simd, bodies, &packet.bodies[0], part),
            Side::gather(simd, bodies, &packet.bodies[1], part),
        ]
    }
}

#[inline(always)]
#[expect(unsafe_code, reason = "threads write to different bodies of one list")]
fn scatter<S: Simd>(simd: S, sides: &[Side<S>; 2], bodies: &Bodies, packet: &Packet, part: usize) {
    // SAFETY: as for reading.
    unsafe {
        sides[0].scatter(simd, bodies, &packet.bodies[0], part);
        sides[1].scatter(simd, bodies, &packet.bodies[1], part);
    }
}
