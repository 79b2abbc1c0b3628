//! Metrics over the run. Which metrics are drawn, and which share a chart, is declared with them in [`crate::metrics`]: one that
//! is added there with a chart is drawn here.
//!
//! A single run has a chart for each of the declared ones, with a line a metric. Of several runs there is a chart for each
//! metric, with a line a run. Energies are added up; the parts of a step's time are stacked. What is zero all the time is left
//! out.

use super::step_time::{WHOLE_STEP, stacked};
use super::{Shown, with_unit};
use crate::metrics::{Metric, Role, metrics};
use crate::plot::thin::thinned;
use crate::plot::{Axis, Chart, Layer, Shape};
use crate::quantity::Scale;
use crate::report::html::slug;
use crate::report::run_data::Steps;

/// From so many powers of ten on, a logarithm shows more than it hides.
const DECADES: f64 = 1.5;

/// A chart, and whether it is among the first that a reader wants to see.
#[derive(Debug, Clone)]
pub struct OverTime {
    /// The chart.
    pub chart: Chart,
    /// Whether one of its metrics is a headline.
    pub headline: bool,
}

/// All charts of some runs of one scene.
pub fn charts(runs: &[Shown<'_>]) -> Vec<OverTime> {
    let found = match runs {
        [run] => of_one(&run.run.steps),
        runs => of_several(runs),
    };
    found.into_iter().filter(|found| found.chart.has_data()).collect()
}

/// A line to be: name, look, times and values.
struct Course {
    label: String,
    style: usize,
    points: Vec<(f64, f64)>,
}

fn course(steps: &Steps, label: &str, style: usize, values: &[f64]) -> Course {
    Course {
        label: label.to_owned(),
        style,
        points: steps
            .metric("time")
            .iter()
            .copied()
            .zip(values.iter().copied())
            .collect(),
    }
}

fn is_any(values: &[f64]) -> bool {
    values.iter().any(|value| *value != 0.0 && !value.is_nan())
}

fn is_headline(metric: &Metric) -> bool {
    matches!(metric.role, Role::Headline | Role::HeadlineIfAny)
}

fn of_one(steps: &Steps) -> Vec<OverTime> {
    let mut titles: Vec<&str> = Vec::new();
    for metric in metrics().iter().filter(|metric| !metric.chart.is_empty()) {
        if !titles.contains(&metric.chart) {
            titles.push(metric.chart);
        }
    }
    let of_title = |title: &str| {
        let shown: Vec<&Metric> = metrics()
            .iter()
            .filter(|metric| metric.chart == title && is_any(steps.metric(metric.name)))
            .collect();
        let first = shown.first()?;
        let headline = shown.iter().any(|metric| is_headline(metric));
        let stack: Vec<&Metric> = shown
            .iter()
            .copied()
            .filter(|metric| metric.name != WHOLE_STEP)
            .collect();
        if first.is_time_taken() && stack.len() < shown.len() && !stack.is_empty() {
            return Some(OverTime {
                chart: stacked(title, steps, &stack),
                headline,
            });
        }
        let mut courses: Vec<Course> = shown
            .iter()
            .enumerate()
            .map(|(k, metric)| course(steps, &spoken(metric.name), k, steps.metric(metric.name)))
            .collect();
        let mut meanings: Vec<String> = shown.iter().map(|metric| sentence(metric)).collect();
        if shown.len() > 1 && shown.iter().all(|metric| metric.name.ends_with("_energy")) {
            courses.push(course(steps, "total energy", shown.len(), &total_energy(steps)));
            meanings.push("Total energy is their sum.".into());
        }
        Some(OverTime {
            chart: chart(&slug(title), title, &meanings.join(" "), title, first.unit, courses),
            headline,
        })
    };
    titles.into_iter().filter_map(of_title).collect()
}

fn of_several(runs: &[Shown<'_>]) -> Vec<OverTime> {
    let mut found = Vec::new();
    for metric in metrics().iter().filter(|metric| !metric.chart.is_empty()) {
        if !runs.iter().any(|shown| is_any(shown.run.steps.metric(metric.name))) {
            continue;
        }
        let courses = runs.iter().map(|shown| {
            let steps = &shown.run.steps;
            course(steps, &shown.label, shown.style, steps.metric(metric.name))
        });
        let name = spoken(metric.name);
        found.push(OverTime {
            chart: chart(
                &slug(metric.name),
                &capitalised(&name),
                &sentence(metric),
                &name,
                metric.unit,
                courses.collect(),
            ),
            headline: is_headline(metric),
        });
        if metric.name == "potential_energy" {
            let totals = runs.iter().map(|shown| {
                let steps = &shown.run.steps;
                course(steps, &shown.label, shown.style, &total_energy(steps))
            });
            let caption = "Kinetic plus potential energy. Friction and inelastic impacts take energy away; a gain without a motor or \
                           a moving support is an error of the method.";
            found.push(OverTime {
                chart: chart(
                    "total-energy",
                    "Total energy",
                    caption,
                    "total energy",
                    "J",
                    totals.collect(),
                ),
                headline: true,
            });
        }
    }
    found
}

fn total_energy(steps: &Steps) -> Vec<f64> {
    let (kinetic, potential) = (steps.metric("kinetic_energy"), steps.metric("potential_energy"));
    kinetic
        .iter()
        .zip(potential)
        .map(|(kinetic, potential)| kinetic + potential)
        .collect()
}

/// `joint error max`; times of parts without their unit.
pub(super) fn spoken(name: &str) -> String {
    match name {
        WHOLE_STEP => "time per step".to_owned(),
        name => match name.strip_suffix("_us") {
            Some(part) => format!("{part} time"),
            None => name.replace('_', " "),
        },
    }
}

/// A text with its first letter large.
pub fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// What a metric is, as a sentence.
pub(super) fn sentence(metric: &Metric) -> String {
    format!("{}: {}.", capitalised(&spoken(metric.name)), metric.meaning)
}

/// Lines over time, on the axis that suits their values.
fn chart(
    name: &str,
    title: &str,
    meaning: &str,
    quantity: &str,
    unit: &'static str,
    mut courses: Vec<Course>,
) -> Chart {
    let values = || {
        courses
            .iter()
            .flat_map(|course| course.points.iter().map(|point| point.1))
    };
    let odd = values().filter(|value| value.is_infinite()).count();
    let log = wants_logarithm(unit, values());
    let mut caption = meaning.to_owned();
    let y = if log {
        if values().any(|value| value == 0.0) {
            caption.push_str(" Zeros lie on the lower edge.");
        }
        Axis::log(with_unit(quantity, unit))
    } else {
        let scale = Scale::fitting(unit, values());
        for course in &mut courses {
            course.points.iter_mut().for_each(|point| point.1 *= scale.factor);
        }
        match unit {
            "" => Axis::whole(quantity),
            _ => Axis::linear(with_unit(quantity, scale.unit)),
        }
    };
    if odd > 0 {
        caption.push_str(&format!(" {odd} infinite values are left out."));
    }
    let layers = courses.into_iter().map(|course| Layer {
        label: course.label,
        style: course.style,
        shape: Shape::Line(thinned(&course.points)),
    });
    Chart {
        name: name.to_owned(),
        title: title.to_owned(),
        caption,
        x: Axis::linear("simulated time, s"),
        y,
        layers: layers.collect(),
        over_time: true,
    }
}

/// Counts, times and energies are compared by differences; errors by their powers of ten.
fn wants_logarithm(unit: &str, values: impl Iterator<Item = f64>) -> bool {
    if matches!(unit, "" | "J" | "µs") {
        return false;
    }
    let mut sizes: Vec<f64> = Vec::new();
    for value in values.filter(|value| value.is_finite()) {
        if value < 0.0 {
            return false;
        }
        if value > 0.0 {
            sizes.push(value);
        }
    }
    sizes.sort_by(f64::total_cmp);
    let low = sizes.get(sizes.len() / 20).copied();
    low.zip(sizes.last().copied())
        .is_some_and(|(low, high)| high / low >= 10_f64.powf(DECADES))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Scale as AxisScale;

    fn is_logarithmic(chart: &Chart) -> bool {
        chart.y.scale == AxisScale::Log
    }

    /// Ten steps in which one metric has values and the others are zero.
    fn steps_with(name: &str, values: impl Fn(usize) -> f64) -> Steps {
        Steps::new(10, |column| {
            Ok(Some(match column {
                "time" => (1..=10).map(|k| 0.01 * f64::from(k)).collect(),
                column if column == name => (0..10).map(&values).collect(),
                _ => vec![0.0; 10],
            }))
        })
        .unwrap()
    }

    #[test]
    fn every_metric_with_a_chart_is_drawn_if_it_has_any_value() {
        let charted: Vec<&Metric> = metrics().iter().filter(|metric| !metric.chart.is_empty()).collect();
        assert!(charted.len() > 20);
        for metric in charted {
            let charts = of_one(&steps_with(metric.name, |k| 1.0 + k as f64));
            let titles: Vec<&str> = charts.iter().map(|found| found.chart.title.as_str()).collect();
            assert_eq!(titles, [metric.chart], "{}", metric.name);
            assert!(charts[0].chart.has_data(), "{}", metric.name);
            let label = spoken(metric.name);
            let layers = &charts[0].chart.layers;
            assert!(layers.iter().any(|layer| layer.label == label), "{label}: {layers:?}");
        }
        assert!(of_one(&steps_with("", |_| 0.0)).is_empty());
    }

    #[test]
    fn errors_over_many_powers_of_ten_have_a_logarithmic_axis() {
        let residual = of_one(&steps_with("residual", |k| 10_f64.powi(-(k as i32))));
        assert!(is_logarithmic(&residual[0].chart));
        let contacts = of_one(&steps_with("contacts", |k| 10_f64.powi(k as i32)));
        assert!(!is_logarithmic(&contacts[0].chart));
    }
}
