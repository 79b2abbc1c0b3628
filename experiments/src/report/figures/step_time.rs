//! Where the time of a step goes: its parts on top of each other over the run, and the whole as the clock saw it.

use super::over_time::{sentence, spoken};
use super::with_unit;
use crate::metrics::Metric;
use crate::plot::thin::thinned;
use crate::plot::{Axis, Chart, Layer, Shape};
use crate::quantity::Scale;
use crate::report::html::slug;
use crate::report::run_data::Steps;

/// The metric that the parts of a step's time are parts of.
pub(super) const WHOLE_STEP: &str = "step_us";

/// The chart of some parts.
pub(super) fn stacked(title: &str, steps: &Steps, parts: &[&Metric]) -> Chart {
    let whole = steps.metric(WHOLE_STEP);
    // The steps to show: those where the whole is largest or smallest among its neighbours.
    let indexed: Vec<(f64, f64)> = whole.iter().enumerate().map(|(k, value)| (k as f64, *value)).collect();
    let shown: Vec<usize> = thinned(&indexed).iter().map(|point| point.0 as usize).collect();
    let time = steps.metric("time");
    let scale = Scale::fitting("µs", shown.iter().map(|&k| whole[k]));
    let mut floor = vec![0.0; shown.len()];
    let mut layers = Vec::new();
    let mut add = |label: String, style: usize, value: &dyn Fn(usize, f64) -> f64| {
        let mut area = Vec::new();
        for (at, &k) in shown.iter().enumerate() {
            let height = value(k, floor[at]);
            let top = floor[at] + if height.is_finite() { height.max(0.0) } else { 0.0 };
            area.push([time[k], floor[at] * scale.factor, top * scale.factor]);
            floor[at] = top;
        }
        layers.push(Layer {
            label,
            style,
            shape: Shape::Area(area),
        });
    };
    for (style, metric) in parts.iter().enumerate() {
        add(spoken(metric.name), style, &|k, _| steps.metric(metric.name)[k]);
    }
    add("rest".into(), parts.len(), &|k, below| whole[k] - below);
    layers.push(Layer {
        label: "whole step by the clock".into(),
        style: 5,
        shape: Shape::Line(shown.iter().map(|&k| (time[k], whole[k] * scale.factor)).collect()),
    });
    let mut caption: Vec<String> = parts.iter().map(|metric| sentence(metric)).collect();
    caption.push(
        "Rest is what is left of the whole step. Groups are solved side by side and their times summed, so that parts can \
         exceed the whole."
            .into(),
    );
    Chart {
        name: slug(title),
        title: title.to_owned(),
        caption: caption.join(" "),
        x: Axis::linear("simulated time, s"),
        y: Axis::linear(with_unit("time", scale.unit)),
        layers,
        over_time: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::find;

    #[test]
    fn parts_of_a_step_are_stacked_up_to_the_whole() {
        let steps = Steps::new(1, |column| {
            Ok(Some(vec![match column {
                "time" => 0.01,
                "collision_us" => 10.0,
                "assembly_us" => 20.0,
                "solve_us" => 30.0,
                "step_us" => 100.0,
                _ => 0.0,
            }]))
        })
        .unwrap();
        let parts = ["collision_us", "assembly_us", "solve_us"].map(|name| find(name).unwrap());
        let chart = stacked("Time per step", &steps, &parts);
        let areas: Vec<[f64; 3]> = chart
            .layers
            .iter()
            .filter_map(|layer| match &layer.shape {
                Shape::Area(points) => Some(points[0]),
                _ => None,
            })
            .collect();
        let expected = [
            [0.01, 0.0, 10.0],
            [0.01, 10.0, 30.0],
            [0.01, 30.0, 60.0],
            [0.01, 60.0, 100.0],
        ];
        assert_eq!(areas, expected);
    }
}
