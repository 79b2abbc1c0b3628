//! Timers (dissertation Table 5.1): clocks without a shape that tick once or again and again.

use crate::error::WorldError;

/// A clock that ticks.
#[derive(Debug, Clone, PartialEq)]
pub struct Timer {
    /// A name, unique among the timers of its world.
    pub name: String,
    /// When it ticks first, s.
    pub first: f64,
    /// The time from one tick to the next, s; `None` if it ticks only once.
    pub period: Option<f64>,
}

impl Timer {
    /// A timer that ticks once.
    pub fn once(name: impl Into<String>, at: f64) -> Self {
        Self {
            name: name.into(),
            first: at,
            period: None,
        }
    }

    /// A timer that ticks after each period.
    pub fn every(name: impl Into<String>, period: f64) -> Self {
        Self {
            name: name.into(),
            first: period,
            period: Some(period),
        }
    }

    pub(crate) fn validate(&self) -> Result<(), WorldError> {
        let invalid = |message: String| {
            Err(WorldError::InvalidTimer {
                name: self.name.clone(),
                message,
            })
        };
        if !self.first.is_finite() {
            return invalid(format!("its first tick must be at a finite time, not {}", self.first));
        }
        match self.period {
            Some(period) if !(period.is_finite() && period > 0.0) => {
                invalid(format!("its period must be positive and finite, not {period}"))
            }
            _ => Ok(()),
        }
    }

    /// The times of its ticks after one time and up to another. The n-th tick is at `first + n period`, however steps
    /// divide the time, so none is lost or told twice.
    pub fn ticks(&self, after: f64, until: f64) -> impl Iterator<Item = f64> + use<> {
        let (first, period) = (self.first, self.period);
        let at = move |n: f64| first + period.map_or(0.0, |period| n * period);
        // One too early rather than one too late, because of rounding.
        let begin = period.map_or(0.0, |period| ((after - first) / period).floor().max(0.0));
        let end = if period.is_some() { f64::INFINITY } else { 1.0 };
        std::iter::successors(Some(begin), |n| Some(n + 1.0))
            .take_while(move |&n| n < end && at(n) <= until)
            .map(at)
            .filter(move |&time| time > after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However a time is divided into steps, the ticks are those of the whole.
    #[test]
    fn ticks_do_not_depend_on_the_steps() {
        for timer in [
            Timer::every("a", 0.1),
            Timer::every("b", 0.003),
            Timer::once("c", 0.25),
            Timer::once("d", 2.0),
        ] {
            let whole: Vec<f64> = timer.ticks(0.0, 1.0).collect();
            for steps in [1, 7, 100, 333] {
                let at = |k: u32| f64::from(k) / f64::from(steps);
                let parts: Vec<f64> = (0..steps).flat_map(|k| timer.ticks(at(k), at(k + 1))).collect();
                assert_eq!(parts, whole, "{} in {steps} steps", timer.name);
            }
        }
        assert_eq!(Timer::every("a", 0.1).ticks(0.0, 1.0).count(), 10);
        assert_eq!(Timer::once("c", 0.25).ticks(0.0, 1.0).collect::<Vec<_>>(), [0.25]);
        assert_eq!(
            Timer {
                name: "e".into(),
                first: 0.5,
                period: Some(0.2)
            }
            .ticks(0.0, 1.0)
            .count(),
            3
        );
    }

    #[test]
    fn timers_that_never_end_a_tick_are_refused() {
        assert!(Timer::every("a", 0.0).validate().is_err());
        assert!(Timer::every("a", f64::NAN).validate().is_err());
        assert!(Timer::once("a", f64::INFINITY).validate().is_err());
        assert!(Timer::once("a", 1.0).validate().is_ok());
    }
}
