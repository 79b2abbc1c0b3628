//! Threads on processors of their own, and whether these are near each other.
//!
//! Some systems let two busy threads share one processor for seconds while another rests, most of all on virtual machines. What threads
//! gain is then the system's doing and not ours, so each is bound to a processor. A host may still move a virtual machine's
//! processors about, to cores that share a cache or to cores that don't, where everything that goes from one to the other takes several times
//! as long. That can't be prevented, but it can be seen: by the time that it takes to read what another thread has just written.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

/// Makes so many threads the ones that everything is shared out to, each bound to a processor if there are enough.
pub fn occupy(threads: usize) -> Result<(), rayon::ThreadPoolBuildError> {
    let processors = core_affinity::get_core_ids().unwrap_or_default();
    let bind = move |thread: usize| {
        if let Some(&processor) = processors.get(thread).filter(|_| threads <= processors.len()) {
            // Where that is refused, the system sees to it as it can.
            core_affinity::set_for_current(processor);
        }
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.start_handler(bind).build_global()
}

/// A cache line.
#[derive(Default)]
#[repr(align(64))]
struct Line(AtomicU64);

/// Lines that are handed over: 2 MiB, more than a core keeps for itself.
const LINES: usize = 1 << 15;

/// How often they are handed over and back.
const ROUNDS: usize = 12;

/// What another has written may take so many times as long to read as what one has written oneself, if a cache is shared.
const NEAR: f64 = 1.9;

/// Whether two threads of the pool are on processors that share a cache; true if there is only one.
#[must_use]
pub fn are_near() -> bool {
    if rayon::current_num_threads() < 2 {
        return true;
    }
    let lines: Vec<Line> = (0..LINES).map(|_| Line::default()).collect();
    let pass = || {
        let clock = Instant::now();
        for Line(number) in &lines {
            number.store(number.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
        clock.elapsed().as_secs_f64()
    };
    let middle = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    let own = middle((0..ROUNDS).map(|_| pass()).collect());
    let turn = AtomicUsize::new(0);
    let take_turns = |first: usize| {
        let turns = (first..2 * ROUNDS).step_by(2);
        let times = turns.map(|mine| {
            while turn.load(Ordering::Acquire) != mine {
                std::hint::spin_loop();
            }
            let time = pass();
            turn.store(mine + 1, Ordering::Release);
            time
        });
        middle(times.collect())
    };
    let (a, b) = rayon::join(|| take_turns(0), || take_turns(1));
    a.max(b) < NEAR * own
}
