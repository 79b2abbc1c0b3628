//! How residuals fall: against iterations and against time, over the steps of runs or on captured problems.

use super::Shown;
use crate::plot::thin::{thinned, thinned_indices};
use crate::plot::{Axis, Chart, Layer, Shape};
use crate::report::convergence::StepHistory;

/// Beyond so many iterations, ten Newton steps among sweeps would be a line along the axis.
const LINEAR_ITERATIONS: f64 = 50.0;

/// A curve of a captured problem: iteration, seconds, residual.
#[derive(Debug, Clone, PartialEq)]
pub struct Captured {
    /// The solver as it was typed.
    pub label: String,
    /// Its look.
    pub style: usize,
    /// (iteration, seconds, residual).
    pub points: Vec<[f64; 3]>,
}

/// Both charts of runs whose residuals were measured: bands over steps where every iteration was, clouds of steps where
/// only the last one was.
pub fn over_steps(runs: &[Shown<'_>]) -> Vec<Chart> {
    let measured = || {
        runs.iter()
            .filter_map(|shown| Some((shown, shown.run.histories.as_ref()?)))
    };
    let curves = measured().any(|(_, histories)| histories.has_curves());
    let (mut by_iteration, mut by_time) = (Vec::new(), Vec::new());
    for (shown, histories) in measured() {
        let solve_us = shown.run.steps.metric("solve_us");
        let layer = |shape: Shape| Layer {
            label: shown.label.clone(),
            style: shown.style,
            shape,
        };
        if histories.has_curves() {
            by_iteration.push(layer(Shape::Band(histories.against_iterations())));
            by_time.push(layer(Shape::Band(histories.against_time(solve_us))));
        } else {
            let time = |step: &StepHistory| {
                let index = usize::try_from(step.step).ok()?.checked_sub(1)?;
                solve_us.get(index).copied()
            };
            let steps: Vec<&StepHistory> = thinned_indices(histories.steps.len())
                .into_iter()
                .map(|k| &histories.steps[k])
                .collect();
            let last = |step: &StepHistory| step.residuals.last().copied();
            let clouds = steps
                .iter()
                .filter_map(|step| Some((step.iterations as f64, last(step)?)));
            by_iteration.push(layer(Shape::Points(clouds.collect())));
            let clouds = steps.iter().filter_map(|step| Some((time(step)?, last(step)?)));
            by_time.push(layer(Shape::Points(clouds.collect())));
        }
    }
    let caption = if curves {
        "The line is the median over steps, the band holds four fifths of them. The residual of a step is that of its worst group; \
         one that has ended stays where it ended."
    } else {
        "A point for each step: what was left when the solve ended. For curves, run with --record every, or compare with --plot."
    };
    let time = if curves {
        "The time of a step's solve is spread evenly over its iterations; measuring the residuals is part of it."
    } else {
        "The time of the solve, projection included."
    };
    pair(
        caption,
        time,
        by_iteration,
        by_time,
        "time of the solve, µs",
        ["residual-iteration", "residual-time"],
    )
}

/// Both charts of problems that all solvers were given: `ending` ends their titles, `problems` says in the caption which they
/// were.
pub fn captured(curves: &[Captured], ending: &str, problems: &str) -> Vec<Chart> {
    let layer = |curve: &Captured, place: fn(&[f64; 3]) -> f64| {
        let points: Vec<(f64, f64)> = curve.points.iter().map(|point| (place(point), point[2])).collect();
        Layer {
            label: curve.label.clone(),
            style: curve.style,
            shape: Shape::Line(thinned(&points)),
        }
    };
    let caption = format!("Every solver on the same problems, {problems}, from the same start.");
    let time = "The time is that of a solve that measures nothing, spread evenly over its iterations.";
    let mut charts = pair(
        &caption,
        time,
        curves.iter().map(|curve| layer(curve, |point| point[0])).collect(),
        curves
            .iter()
            .map(|curve| layer(curve, |point| 1e6 * point[1]))
            .collect(),
        "time, µs",
        ["captured-iteration", "captured-time"],
    );
    charts.iter_mut().for_each(|chart| chart.title.push_str(ending));
    charts
}

fn pair(
    caption: &str,
    time_caption: &str,
    by_iteration: Vec<Layer>,
    by_time: Vec<Layer>,
    time_label: &str,
    [iteration_name, time_name]: [&str; 2],
) -> Vec<Chart> {
    let longest = by_iteration.iter().flat_map(last_place).fold(0.0, f64::max);
    let x = if longest > LINEAR_ITERATIONS {
        Axis {
            range: Some((1.0, longest)),
            ..Axis::log("iteration")
        }
    } else {
        Axis::whole("iteration")
    };
    let chart = |name: &str, title: &str, caption: String, x: Axis, layers: Vec<Layer>| Chart {
        name: name.to_owned(),
        title: title.to_owned(),
        caption,
        x,
        y: Axis::log("natural residual, m/s"),
        layers,
        over_time: false,
    };
    // A logarithm has no place for the start.
    let from_one = |layers: Vec<Layer>, log: bool| match log {
        true => layers.into_iter().map(without_start).collect(),
        false => layers,
    };
    let charts = [
        chart(
            iteration_name,
            "Residual against iterations",
            caption.to_owned(),
            x,
            from_one(by_iteration, longest > LINEAR_ITERATIONS),
        ),
        chart(
            time_name,
            "Residual against time",
            format!("{caption} {time_caption}"),
            Axis::log(time_label),
            from_one(by_time, true),
        ),
    ];
    charts.into_iter().filter(Chart::has_data).collect()
}

fn last_place(layer: &Layer) -> Option<f64> {
    match &layer.shape {
        Shape::Band(points) => points.last().map(|point| point[0]),
        Shape::Points(points) => points.iter().map(|point| point.0).reduce(f64::max),
        Shape::Line(points) => points.last().map(|point| point.0),
        _ => None,
    }
}

fn without_start(mut layer: Layer) -> Layer {
    match &mut layer.shape {
        Shape::Band(points) => points.retain(|point| point[0] > 0.0),
        Shape::Points(points) | Shape::Line(points) => points.retain(|point| point.0 > 0.0),
        _ => {}
    }
    layer
}
