//! Threads that go through many sweeps together.
//!
//! Each thread has domains that it takes first in every sweep, so that what it wrote is still in its cache; what nobody has taken it
//! does too. When all domains are done, one of the threads does the seam. They wait for each other by looking, not by sleeping:
//! a sweep takes microseconds, and so does waking up.
//!
//! Nobody waits for work that has not begun, so a thread that comes late, or never, delays no one.

use std::array;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::colouring::MOST_DOMAINS;
use super::contact::Contacts;
use super::contacts_of;
use super::layout::{Layout, Packet};

/// Looks so often at what another thread has done before it lets the system run somebody else.
const PATIENCE: usize = 4000;

/// The seam comes after all domains.
const PARTS: usize = MOST_DOMAINS + 1;

/// A count that threads watch, on cache lines of its own.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Count(AtomicUsize);

impl Count {
    /// The next number, which nobody else gets.
    pub(super) fn take(&self) -> usize {
        self.0.fetch_add(1, Ordering::Relaxed)
    }

    /// Sets it, when what it counts is done.
    pub(super) fn set(&self, count: usize) {
        self.0.store(count, Ordering::Release);
    }

    /// Raises it from one number to the next; false if it is another one.
    fn raise(&self, from: usize) -> bool {
        let raised = self
            .0
            .compare_exchange(from, from + 1, Ordering::Relaxed, Ordering::Relaxed);
        raised.is_ok()
    }

    /// Waits until it is as large as that.
    pub(super) fn wait(&self, for_it: usize) {
        let mut looks = 0;
        while self.0.load(Ordering::Acquire) < for_it {
            looks += 1;
            if looks > PATIENCE {
                std::thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
    }
}

/// Does so many rounds of work on all contacts, domain by domain and then the seam.
pub(super) fn run<C: Contacts>(
    layout: &Layout,
    contacts: &mut [C],
    threads: usize,
    rounds: usize,
    work: &(impl Fn(usize, &[Packet], &mut [C]) + Sync),
) {
    let mut packets: [&[Packet]; PARTS] = [&[]; PARTS];
    let mut domains = 0;
    for domain in layout.domains() {
        packets[domains] = domain;
        domains += 1;
    }
    packets[domains] = layout.seam();
    let mut rest = contacts;
    let parts: [Mutex<&mut [C]>; PARTS] = array::from_fn(|part| {
        let (own, later) = std::mem::take(&mut rest).split_at_mut(contacts_of(packets[part]));
        rest = later;
        Mutex::new(own)
    });
    // In how many rounds each part has been taken by somebody; how many domains are done in all rounds, and seams.
    let taken: [Count; PARTS] = array::from_fn(|_| Count::default());
    let [done, seams] = [Count::default(), Count::default()];
    let take = |part: usize, round: usize, when_done: &Count| {
        if taken[part].raise(round) {
            let mut contacts = parts[part].lock().unwrap_or_else(PoisonError::into_inner);
            work(round, packets[part], &mut contacts);
            when_done.0.fetch_add(1, Ordering::Release);
        }
    };
    let member = |home: usize| {
        for round in 0..rounds {
            for domain in (home..domains).chain(0..home) {
                take(domain, round, &done);
            }
            done.wait((round + 1) * domains);
            take(domains, round, &seams);
            seams.wait(round + 1);
        }
    };
    let size = threads.min(domains);
    call(0..size, &|number| member(number * domains / size));
}

/// Calls all members of a team, at once if threads are free.
pub(super) fn call(members: Range<usize>, member: &(impl Fn(usize) + Sync)) {
    if members.len() < 2 {
        return member(members.start);
    }
    let middle = members.start + members.len() / 2;
    rayon::join(
        || call(members.start..middle, member),
        || call(middle..members.end, member),
    );
}
