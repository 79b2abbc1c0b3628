//! What an experiment measures of a run: statistics of metrics, straight lines through steps, and times of events.
//!
//! All of them see the values of `steps.csv`; steps without a value do not count.

use super::condition::Condition;
use super::course::{Course, Window};
use super::fit::{Line, line};
use crate::metrics::metrics;

/// How the values of many steps become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Statistic {
    /// The arithmetic mean.
    #[default]
    Mean,
    /// The middle value, or the mean of the two in the middle.
    Median,
    /// The largest.
    Max,
    /// The smallest.
    Min,
    /// That of the first step.
    First,
    /// That of the last step.
    Last,
    /// All added up.
    Sum,
    /// The slope of a straight line against another metric.
    Slope,
}

/// A column of the results: a statistic of a metric.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// The name of the column.
    pub name: String,
    /// The metric, by its place in the list of all.
    pub metric: usize,
    /// Divided, step by step, by this one; steps in which it is zero do not count.
    pub per: Option<usize>,
    /// How steps become one number.
    pub statistic: Statistic,
    /// What a slope is against.
    pub against: Option<usize>,
    /// Which steps count.
    pub window: Window,
}

impl Measure {
    /// Its value for a run; none if no step counts.
    pub fn value(&self, course: &Course) -> Option<f64> {
        let steps = self.window.steps(course);
        let at = |metric: usize, step: usize| course.of(metric).get(step).copied().flatten();
        let value = |step: usize| {
            let value = at(self.metric, step)?;
            match self.per {
                None => Some(value),
                Some(per) => at(per, step).filter(|&per| per != 0.0).map(|per| value / per),
            }
        };
        if let (Statistic::Slope, Some(against)) = (self.statistic, self.against) {
            let points: Vec<(f64, f64)> = steps
                .filter_map(|step| Some((at(against, step)?, value(step)?)))
                .collect();
            return line(&points).map(|line| line.slope);
        }
        self.statistic.of(steps.filter_map(value).collect())
    }

    /// The metrics it needs.
    pub fn metrics(&self) -> impl Iterator<Item = usize> + use<> {
        [Some(self.metric), self.per, self.against].into_iter().flatten()
    }

    /// What stands behind the unit of its metric.
    pub fn suffix(&self) -> String {
        let by =
            |metric: Option<usize>| metric.map_or(String::new(), |metric| format!(" / {}", metrics()[metric].name));
        by(self.per) + &by(self.against)
    }
}

impl Statistic {
    /// Those that need nothing but a metric.
    pub const SIMPLE: [Self; 7] = [
        Self::Mean,
        Self::Median,
        Self::Max,
        Self::Min,
        Self::First,
        Self::Last,
        Self::Sum,
    ];

    /// As it is written in a file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Median => "median",
            Self::Max => "max",
            Self::Min => "min",
            Self::First => "first",
            Self::Last => "last",
            Self::Sum => "sum",
            Self::Slope => "slope",
        }
    }

    /// Of values in the order of steps; a NaN is never hidden. A slope needs more than values.
    fn of(self, values: Vec<f64>) -> Option<f64> {
        let pick = |better: fn(f64, f64) -> bool| {
            let keep = |a: f64, b: f64| if better(b, a) || b.is_nan() { b } else { a };
            values.iter().copied().reduce(keep)
        };
        match self {
            Self::Mean => (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64),
            Self::Median => median(values),
            Self::Max => pick(|a, b| a > b),
            Self::Min => pick(|a, b| a < b),
            Self::First => values.first().copied(),
            Self::Last => values.last().copied(),
            Self::Sum => (!values.is_empty()).then(|| values.iter().sum()),
            Self::Slope => None,
        }
    }
}

/// The middle value, or the mean of the two in the middle.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(values[middle]),
        _ => Some(0.5 * (values[middle - 1] + values[middle])),
    }
}

/// A straight line through the steps of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// Its name.
    pub name: String,
    /// The metric along x.
    pub x: usize,
    /// The metric along y.
    pub y: usize,
    /// Subtracted from y.
    pub minus: Option<usize>,
    /// Which steps count.
    pub window: Window,
}

impl Fit {
    /// The points of a run.
    pub fn points(&self, course: &Course) -> Vec<(f64, f64)> {
        let at = |metric: usize, step: usize| course.of(metric).get(step).copied().flatten();
        let point = |step: usize| {
            let minus = self.minus.map_or(Some(0.0), |metric| at(metric, step))?;
            Some((at(self.x, step)?, at(self.y, step)? - minus))
        };
        self.window.steps(course).filter_map(point).collect()
    }

    /// The line of a run.
    pub fn line(&self, course: &Course) -> Option<Line> {
        line(&self.points(course))
    }

    /// The metrics it needs.
    pub fn metrics(&self) -> impl Iterator<Item = usize> + use<> {
        [Some(self.x), Some(self.y), self.minus].into_iter().flatten()
    }
}

/// When something happened.
#[derive(Debug, Clone, PartialEq)]
pub struct EventTime {
    /// The name of the column.
    pub name: String,
    /// What is watched.
    pub metric: usize,
    /// What it must be.
    pub condition: Condition,
    /// The first time it is so, whatever comes later; otherwise it must stay so to the end.
    pub first: bool,
}

impl EventTime {
    /// The time at the end of the step in which it happened, s. A step without a value does not fulfil the condition.
    pub fn time(&self, course: &Course) -> Option<f64> {
        let holds = |value: &Option<f64>| self.condition.holds(*value);
        let values = course.of(self.metric);
        let step = if self.first {
            values.iter().position(holds)?
        } else {
            values
                .iter()
                .rposition(|value| !holds(value))
                .map_or(0, |last| last + 1)
        };
        course.times().get(step).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::super::course::example;
    use super::*;

    const CONTACTS: usize = 4;

    fn course(values: &[Option<f64>]) -> Course {
        let steps = values
            .iter()
            .zip(1_u32..)
            .map(|(value, step)| (f64::from(step), *value));
        example(CONTACTS, &steps.collect::<Vec<_>>())
    }

    fn measure(statistic: Statistic) -> Measure {
        Measure {
            name: "m".into(),
            metric: CONTACTS,
            per: None,
            statistic,
            against: None,
            window: Window::default(),
        }
    }

    #[test]
    fn statistics_of_known_values() {
        let course = course(&[Some(4.0), None, Some(1.0), Some(2.0), Some(9.0)]);
        for (statistic, expected) in [
            (Statistic::Mean, 4.0),
            (Statistic::Median, 3.0),
            (Statistic::Max, 9.0),
            (Statistic::Min, 1.0),
            (Statistic::First, 4.0),
            (Statistic::Last, 9.0),
            (Statistic::Sum, 16.0),
        ] {
            assert_eq!(measure(statistic).value(&course), Some(expected), "{statistic:?}");
        }
        assert_eq!(Statistic::Max.of(vec![1.0, f64::NAN, 2.0]).map(f64::is_nan), Some(true));
        assert_eq!(Statistic::Mean.of(Vec::new()), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
    }

    #[test]
    fn a_quotient_is_taken_step_by_step_and_a_slope_against_another_metric() {
        let course = course(&[Some(3.0), Some(5.0), Some(0.0), Some(9.0)]);
        let time = 1;
        let mut per = measure(Statistic::Sum);
        per.per = Some(time);
        assert_eq!(per.value(&course), Some(3.0 + 2.5 + 9.0 / 4.0));
        // The other way round the third step has nothing to divide by.
        per.metric = time;
        per.per = Some(CONTACTS);
        assert_eq!(per.value(&course), Some(1.0 / 3.0 + 2.0 / 5.0 + 4.0 / 9.0));
        let mut slope = measure(Statistic::Slope);
        slope.against = Some(time);
        slope.window.to = Some(2.0);
        assert_eq!(slope.value(&course), Some(2.0));
    }

    #[test]
    fn an_event_must_last_unless_its_first_time_is_wanted() {
        let course = course(&[Some(0.0), Some(5.0), Some(2.0), Some(5.0), Some(6.0)]);
        let mut event = EventTime {
            name: "e".into(),
            metric: CONTACTS,
            condition: Condition::new(Some(5.0), None).unwrap(),
            first: false,
        };
        assert_eq!(event.time(&course), Some(4.0));
        event.first = true;
        assert_eq!(event.time(&course), Some(2.0));
        event.condition.at_most = Some(4.0);
        assert_eq!(event.time(&course), None);
        // It does not last to the end.
        event = EventTime {
            condition: Condition::new(None, Some(5.0)).unwrap(),
            first: false,
            ..event
        };
        assert_eq!(event.time(&course), None);
        event.condition.at_most = Some(6.0);
        assert_eq!(event.time(&course), Some(1.0));
    }

    #[test]
    fn a_fit_subtracts_what_it_is_told_to() {
        let course = course(&[Some(3.0), Some(5.0), None, Some(9.0)]);
        let fit = Fit {
            name: "f".into(),
            x: 1,
            y: CONTACTS,
            minus: Some(1),
            window: Window::default(),
        };
        assert_eq!(fit.points(&course), [(1.0, 2.0), (2.0, 3.0), (4.0, 5.0)]);
        let line = fit.line(&course).unwrap();
        assert!((line.slope - 1.0).abs() < 1e-15 && (line.intercept - 1.0).abs() < 1e-15);
    }
}
