//! Threads that stay at hand while a step is taken.
//!
//! A step has some twenty passes that threads share, many of them shorter than a tenth of a millisecond, and between them what one
//! thread does alone. A thread that finds nothing to do soon goes to sleep, and to wake it takes as long as such a pass, on virtual
//! machines longer. So while a step is under way some threads stay awake and look for work again and again.
//!
//! None of them stays for long if there is none, so nobody waits for ever: not for a thread that has nothing to do in a step that takes
//! very long, and not where steps of several simulations share a pool and their threads wait for each other.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::Yield;

/// How often a thread looks for work in vain before it goes: about a millisecond.
const PATIENCE: usize = 4096;

/// How long it rests between two looks, so that it is not in the way of those who have work.
const REST: usize = 8;

/// Does some work in the pool while so many of its threads stay at hand.
pub(crate) fn with_threads_at_hand<R: Send>(count: usize, work: impl FnOnce() -> R + Send) -> R {
    let done = AtomicBool::new(false);
    let attended = || {
        let _end = End(&done);
        work()
    };
    rayon::join(attended, || attend(count, &done)).0
}

/// Tells those at hand that they may go, also if the work panics.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

fn attend(count: usize, done: &AtomicBool) {
    if count > 1 {
        rayon::join(|| stay(done), || attend(count - 1, done));
    } else if count == 1 {
        stay(done);
    }
}

fn stay(done: &AtomicBool) {
    let mut looks = 0;
    while looks < PATIENCE && !done.load(Ordering::Acquire) {
        if rayon::yield_now() == Some(Yield::Executed) {
            looks = 0;
        } else {
            looks += 1;
            (0..REST).for_each(|_| std::hint::spin_loop());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    fn pool(threads: usize) -> rayon::ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
    }

    /// Whatever there is to share, from whichever thread it is asked, all of it is done and nobody is waited for.
    #[test]
    fn work_is_done_whoever_is_at_hand() {
        let sum = |count| with_threads_at_hand(count, || (0..1000_u32).into_par_iter().with_max_len(1).sum::<u32>());
        for threads in [1, 2, 5] {
            let pool = pool(threads);
            for count in [0, 1, 2, 7] {
                assert_eq!(pool.install(|| sum(count)), 499_500);
            }
            // Many at a time, with fewer threads than would stay.
            let sums = pool.install(|| (0..50).into_par_iter().map(|_| sum(3)).collect::<Vec<_>>());
            assert_eq!(sums, [499_500; 50]);
        }
    }

    #[test]
    fn a_panic_lets_them_go() {
        let caught =
            pool(3).install(|| catch_unwind(AssertUnwindSafe(|| with_threads_at_hand(2, || panic!("on purpose")))));
        assert!(caught.is_err());
    }
}
