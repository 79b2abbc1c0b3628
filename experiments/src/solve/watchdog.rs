//! Stops a solve from outside when its time is up or somebody asked to stop, through the flag that every solver looks at
//! between iterations.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::interrupt::Interrupt;

/// How often it looks for Ctrl-C.
const INTERVAL: Duration = Duration::from_millis(20);

/// Watches one solve; dropped, it stops watching.
#[derive(Debug)]
pub struct Watchdog {
    cancel: Arc<AtomicBool>,
    late: Arc<AtomicBool>,
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    /// Watches from now on; the time is up after `seconds`.
    pub fn start(seconds: f64, interrupt: &Interrupt) -> Self {
        let (cancel, late) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (done, ended) = mpsc::channel::<()>();
        let (flag, late_flag, interrupt) = (Arc::clone(&cancel), Arc::clone(&late), interrupt.clone());
        let deadline = Instant::now() + Duration::from_secs_f64(seconds.clamp(0.0, 1e9));
        let thread = thread::spawn(move || {
            while !interrupt.requested() {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    late_flag.store(true, Ordering::Relaxed);
                    break;
                }
                if ended.recv_timeout(left.min(INTERVAL)) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
            flag.store(true, Ordering::Relaxed);
        });
        Self {
            cancel,
            late,
            done: Some(done),
            thread: Some(thread),
        }
    }

    /// The flag for [`Context::cancel`](drystone_solver::Context::cancel).
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancel)
    }

    /// Whether the time was up.
    pub fn was_late(&self) -> bool {
        self.late.load(Ordering::Relaxed)
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait_for(flag: &AtomicBool) {
        let start = Instant::now();
        while !flag.load(Ordering::Relaxed) {
            assert!(start.elapsed() < Duration::from_secs(10));
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn it_stops_what_is_late_and_what_is_interrupted() {
        let dog = Watchdog::start(0.01, &Interrupt::default());
        wait_for(&dog.flag());
        assert!(dog.was_late());

        let interrupt = Interrupt::default();
        let dog = Watchdog::start(60.0, &interrupt);
        interrupt.request();
        wait_for(&dog.flag());
        assert!(!dog.was_late());
    }

    #[test]
    fn it_leaves_alone_what_is_done() {
        let dog = Watchdog::start(60.0, &Interrupt::default());
        let flag = dog.flag();
        drop(dog);
        assert!(!flag.load(Ordering::Relaxed));
    }
}
