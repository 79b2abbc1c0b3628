//! When a splitting method stops (dissertation §6.1.2): after a fixed count, or when a sweep changed little.
//!
//! The change is measured in the ∞-norm, absolute or relative to the impulses. A slowly converging method changes
//! little at every sweep while it is still far from the solution (as the harmonic series does), so this test says when
//! to stop, not how good the result is; that is the residual's office.

use crate::choices;

choices! {
    /// What the tolerance is compared with.
    pub enum Stop {
        /// Largest change of an impulse in a sweep, N·s.
        Absolute = "absolute",
        /// That change divided by the largest impulse.
        Relative = "relative",
    }
}

/// What one sweep did.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Progress {
    /// Largest |Δλ|.
    pub(super) change: f64,
    /// Largest |λ| after the change.
    pub(super) size: f64,
}

impl Progress {
    #[inline(always)]
    pub(super) fn note(&mut self, change: f64, impulse: f64) {
        self.change = self.change.max(change.abs());
        self.size = self.size.max(impulse.abs());
    }

    /// Whether the sweep changed little enough.
    pub(super) fn below(&self, tolerance: f64, stop: Stop) -> bool {
        match stop {
            Stop::Absolute => self.change < tolerance,
            // All zero and staying so is as converged as can be.
            Stop::Relative => self.change == 0.0 || self.change < tolerance * self.size,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_and_relative_tests_differ_by_the_size_of_the_impulses() {
        let mut progress = Progress::default();
        progress.note(-0.01, 100.0);
        progress.note(0.001, -3.0);
        assert!(!progress.below(0.005, Stop::Absolute));
        assert!(progress.below(0.005, Stop::Relative));
        assert!(Progress::default().below(1e-9, Stop::Relative));
    }
}
