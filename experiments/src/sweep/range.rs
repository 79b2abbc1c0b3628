//! Ranges of numbers in experiment files: `{ from = 1, to = 10, step = 1 }`, or `{ from = 1e-3, to = 1, count = 4, scale =
//! "log" }`, equally spaced or with equal ratios. They stand wherever a list of numbers may.
//!
//! Values are rounded to twelve digits, so that the third tenth is 0.3 and a row can be found by its parameters.

use serde::Deserialize;

/// More values than this are taken for a mistake.
const MOST: usize = 1_000_000;

/// How values lie between the ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Spacing {
    #[default]
    Linear,
    Log,
}

/// A range as it is written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Range {
    from: f64,
    to: f64,
    step: Option<f64>,
    count: Option<usize>,
    scale: Option<Spacing>,
}

impl Range {
    /// Its values in order, or what is wrong with it.
    pub(super) fn values(&self) -> Result<Vec<f64>, String> {
        if ![self.from, self.to].into_iter().all(f64::is_finite) {
            return Err("the ends of a range must be finite".into());
        }
        match (self.step, self.count) {
            (Some(_), Some(_)) => Err("give step or count, not both".into()),
            (None, None) => Err("a range needs 'step' or 'count'".into()),
            (Some(_), None) if self.scale == Some(Spacing::Log) => Err("scale = \"log\" goes with 'count'".into()),
            (Some(step), None) => self.stepped(step),
            (None, Some(count)) => self.counted(count),
        }
    }

    fn stepped(&self, step: f64) -> Result<Vec<f64>, String> {
        let steps = (self.to - self.from) / step;
        if steps.is_nan() || step == 0.0 || steps < 0.0 {
            return Err(format!("steps of {step} do not lead from {} to {}", self.from, self.to));
        }
        // The end belongs to it, also where rounding has it a little out of reach.
        let steps = (steps + 1e-9).floor();
        if steps >= MOST as f64 {
            return Err(format!("a range has at most {MOST} values"));
        }
        Ok((0..=steps as usize)
            .map(|k| rounded(self.from + k as f64 * step))
            .collect())
    }

    fn counted(&self, count: usize) -> Result<Vec<f64>, String> {
        let (from, to) = (self.from, self.to);
        if !(2..=MOST).contains(&count) {
            return Err(format!(
                "'count' must be from 2 to {MOST}; a single value needs no range"
            ));
        }
        let is_log = self.scale == Some(Spacing::Log);
        if is_log && !(from > 0.0 && to > 0.0) {
            return Err("the ends of a range with scale = \"log\" must be positive".into());
        }
        let between = |k: usize| {
            let share = k as f64 / (count - 1) as f64;
            match is_log {
                true => (from.ln() + share * (to.ln() - from.ln())).exp(),
                false => from + share * (to - from),
            }
        };
        let value = |k: usize| match k {
            0 => from,
            last if last == count - 1 => to,
            k => rounded(between(k)),
        };
        Ok((0..count).map(value).collect())
    }
}

/// To twelve digits; whole numbers need no rounding.
fn rounded(value: f64) -> f64 {
    if value.fract() == 0.0 {
        return value;
    }
    format!("{value:.11e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Result<Vec<f64>, String> {
        toml::from_str::<Range>(text)
            .map_err(|error| error.to_string())?
            .values()
    }

    #[test]
    fn steps_end_at_the_end_and_tenths_are_tenths() {
        assert_eq!(values("from = 1\nto = 4\nstep = 1").unwrap(), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(values("from = 0\nto = 0.3\nstep = 0.1").unwrap(), [0.0, 0.1, 0.2, 0.3]);
        assert_eq!(values("from = 5\nto = 0\nstep = -2").unwrap(), [5.0, 3.0, 1.0]);
        assert_eq!(values("from = 2\nto = 2\nstep = 1").unwrap(), [2.0]);
    }

    #[test]
    fn counts_are_spread_evenly_or_by_ratios() {
        assert_eq!(
            values("from = 1\nto = 2\ncount = 5").unwrap(),
            [1.0, 1.25, 1.5, 1.75, 2.0]
        );
        let log = "from = 1e-3\nto = 1\ncount = 4\nscale = \"log\"";
        assert_eq!(values(log).unwrap(), [0.001, 0.01, 0.1, 1.0]);
    }

    #[test]
    fn ranges_that_lead_nowhere_say_why() {
        for (text, fragment) in [
            ("from = 1\nto = 4", "'step' or 'count'"),
            ("from = 1\nto = 4\nstep = 1\ncount = 2", "not both"),
            ("from = 1\nto = 4\nstep = -1", "do not lead"),
            ("from = 1\nto = 4\nstep = 0", "do not lead"),
            ("from = 1\nto = 1\nstep = 0", "do not lead"),
            ("from = 1\nto = inf\nstep = 1", "finite"),
            ("from = 1\nto = 4\nstep = nan", "do not lead"),
            ("from = 0\nto = 1\nstep = 1e-9", "at most"),
            ("from = 1\nto = 4\ncount = 1", "from 2"),
            ("from = 0\nto = 4\ncount = 3\nscale = \"log\"", "positive"),
            ("from = 1\nto = 4\nstep = 1\nscale = \"log\"", "goes with"),
            ("from = 1\nto = 4\nsteps = 1", "unknown field"),
        ] {
            let found = values(text).unwrap_err();
            assert!(found.contains(fragment), "{text}: {found}");
        }
    }
}
