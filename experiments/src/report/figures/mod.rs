//! The charts of a report, a file an idea. Each takes runs with the looks they have all over the page.

pub mod dependence;
pub mod histogram;
pub mod over_time;
pub mod profile;
pub mod residuals;
mod step_time;
pub mod trade_off;

use super::run_data::RunData;

/// A run as it is shown: with a name, and a look that is the same in all charts.
#[derive(Debug, Clone)]
pub struct Shown<'a> {
    /// The run.
    pub run: &'a RunData,
    /// Its name in legends.
    pub label: String,
    /// Its colour, dashes and marker.
    pub style: usize,
}

/// A name with its unit, as axes show it.
pub(super) fn with_unit(name: &str, unit: &str) -> String {
    if unit.is_empty() {
        name.to_owned()
    } else {
        format!("{name}, {unit}")
    }
}
