//! Timers as they are written in a scene: clocks without a shape that tick once or again and again (dissertation
//! Table 5.1).
//!
//! The n-th tick is at `first + n · period`; without `first` the first tick is one period after the beginning.

use std::collections::HashSet;

use drystone_dynamics::Timer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fault::{Fault, Step, positive};
use super::scene::Scene;

/// More ticks than this within the duration of a scene are taken for a mistake.
pub const MAX_TICKS: f64 = 1e6;

/// A clock that ticks.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TimerDescription {
    /// A unique name. The n-th timer of a scene is called `timer-n`, counted from 0, if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When it ticks first, s; after one period if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub first: Option<f64>,
    /// The time from one tick to the next, s; it ticks only once if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub period: Option<f64>,
}

impl TimerDescription {
    /// A timer that ticks once.
    pub fn once(name: impl Into<String>, at: f64) -> Self {
        Self {
            name: Some(name.into()),
            first: Some(at),
            period: None,
        }
    }

    /// A timer that ticks after each period.
    pub fn every(name: impl Into<String>, period: f64) -> Self {
        Self {
            name: Some(name.into()),
            first: None,
            period: Some(period),
        }
    }

    /// Its name, or the one made from its place among the scene's timers.
    pub fn name_or_index(&self, index: usize) -> String {
        self.name.clone().unwrap_or_else(|| format!("timer-{index}"))
    }

    /// The timer of the world; what was checked is taken for granted.
    pub(super) fn timer(&self, index: usize) -> Timer {
        Timer {
            name: self.name_or_index(index),
            first: self.first.or(self.period).unwrap_or(f64::NAN),
            period: self.period,
        }
    }

    fn check(&self, duration: f64) -> Result<(), Fault> {
        if self.name.as_ref().is_some_and(|name| name.trim().is_empty()) {
            return Err(Fault::at("name", "the name must not be empty"));
        }
        if self.first.is_none() && self.period.is_none() {
            return Err(Fault::here("a timer needs 'first', 'period' or both"));
        }
        self.first.map_or(Ok(()), |first| positive("first", first))?;
        let Some(period) = self.period else { return Ok(()) };
        positive("period", period)?;
        if duration / period > MAX_TICKS {
            let message = format!("it would tick more than {MAX_TICKS} times within the scene's duration");
            return Err(Fault::at("period", message));
        }
        Ok(())
    }
}

/// Checks all timers of a scene.
pub(super) fn check_timers(scene: &Scene) -> Result<(), Fault> {
    let mut names = HashSet::new();
    for (index, timer) in scene.timers.iter().enumerate() {
        let name = timer.name_or_index(index);
        let mut check = || {
            timer.check(scene.duration)?;
            if names.insert(name.clone()) {
                return Ok(());
            }
            let key = timer.name.as_ref().map(|_| Step::Key("name"));
            let taken = Fault::here("another timer has this name");
            Err(key.into_iter().fold(taken, Fault::within))
        };
        check().map_err(|fault| fault.within_element("timer", index, &format!("timer '{name}'")))?;
    }
    Ok(())
}
