//! Things that are done so rarely that they take a twentieth of the time at most, however long each of them takes.

use std::time::{Duration, Instant};

/// One part in so many of the time.
const SHARE: u32 = 20;

/// When something was done last, and how long it took.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rarely {
    last: Option<(Instant, Duration)>,
    /// It is not done more often than this.
    least: Duration,
}

impl Rarely {
    /// Something that is not done more often than this.
    pub(super) fn at_least(least: Duration) -> Self {
        Self { last: None, least }
    }

    /// Whether it may be done again; what was never done may.
    pub(super) fn is_due(&self) -> bool {
        let pause = |took: Duration| self.least.max(took.saturating_mul(SHARE));
        self.last.is_none_or(|(when, took)| when.elapsed() >= pause(took))
    }

    /// It was done just now, and begun then.
    pub(super) fn done(&mut self, begun: Instant) {
        self.last = Some((Instant::now(), begun.elapsed()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_long_is_done_rarely() {
        let mut thing = Rarely::default();
        assert!(thing.is_due());
        // It seems to have taken an hour.
        thing.last = Some((Instant::now(), Duration::from_secs(3600)));
        assert!(!thing.is_due());
        thing.last = Some((Instant::now(), Duration::ZERO));
        assert!(thing.is_due());
        thing.least = Duration::from_secs(3600);
        assert!(!thing.is_due());
        thing = Rarely::at_least(Duration::from_secs(3600));
        assert!(thing.is_due());
        thing.done(Instant::now());
        assert!(!thing.is_due());
    }
}
