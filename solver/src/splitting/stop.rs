//! When a splitting method stops (dissertation §6.1.2): after a fixed count, or when a sweep changed little.
//!
//! The change is measured in the ∞-norm, absolute or relative to the impulses. A slowly converging method changes
//! little at every sweep while it is still far from the solution (as the harmonic series does), so this test says when
//! to stop, not how good the result is; that is the residual's office, which can be the stopping test for the price of
//! measuring it.

use crate::choices;
use crate::vector;

choices! {
    /// What the tolerance is compared with.
    pub enum Stop {
        /// Largest change of an impulse in a sweep, N·s.
        Absolute = "absolute",
        /// That change divided by the largest impulse.
        Relative = "relative",
        /// The common residual, as the option `criterion` names it.
        Residual = "residual",
    }
}

impl Stop {
    /// Whether a sweep whose largest change was `change` ends the solve. Impulses that have grown beyond all numbers
    /// never do.
    pub(super) fn met(self, tolerance: f64, change: f64, impulses: &[f64]) -> bool {
        let size = vector::largest(impulses);
        let small = match self {
            Self::Absolute => change < tolerance,
            // All zero and staying so is as converged as can be.
            Self::Relative => change == 0.0 || change < tolerance * size,
            // Says nothing about changes: the loop around the sweeps measures it.
            Self::Residual => false,
        };
        small && impulses.iter().all(|x| x.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_and_relative_tests_differ_by_the_size_of_the_impulses() {
        let impulses = [100.0, -3.0];
        assert!(!Stop::Absolute.met(0.005, 0.01, &impulses));
        assert!(Stop::Relative.met(0.005, 0.01, &impulses));
        assert!(!Stop::Relative.met(0.005, 0.6, &impulses));
        assert!(Stop::Relative.met(1e-9, 0.0, &[0.0; 2]));
    }

    #[test]
    fn what_is_not_finite_has_not_converged() {
        for stop in [Stop::Absolute, Stop::Relative] {
            assert!(!stop.met(1.0, 0.0, &[1.0, f64::NAN]));
            assert!(!stop.met(1.0, f64::NAN, &[1.0]));
            assert!(!stop.met(1.0, 0.0, &[f64::INFINITY]));
        }
    }
}
