//! Performance profiles on a page: of runs over their steps, or of costs that are known already.

use super::Shown;
use crate::plot::thin::thinned_indices;
use crate::plot::{Axis, Chart, Layer, Shape, performance_profile};
use crate::solve::plots::exact;

/// Times below this are equal, µs: a clock read twice differs by about as much.
const RESOLUTION_US: f64 = 1.0;

/// The chart of costs, `costs[solver][problem]`; who has none did not solve the problem. `problems` says in words what the
/// problems are and what counts as solved.
pub fn chart(
    methods: &[(String, usize)],
    costs: &[Vec<Option<f64>>],
    resolution: f64,
    problems: &str,
) -> Option<Chart> {
    let count = costs.first().map_or(0, Vec::len);
    if methods.len() < 2 || count == 0 || costs.iter().flatten().all(Option::is_none) {
        return None;
    }
    let profiles = performance_profile(costs, resolution);
    let reach = profiles
        .iter()
        .flat_map(|profile| &profile.points)
        .map(|point| point.0)
        .fold(1.0, f64::max);
    let layers = methods.iter().zip(profiles).map(|((label, style), profile)| Layer {
        label: label.clone(),
        style: *style,
        shape: Shape::Steps(short(profile.points)),
    });
    Some(Chart {
        name: "performance-profile".into(),
        title: "Performance profile".into(),
        caption: format!(
            "The share of problems that a method solves within τ times the time of the fastest (Dolan and Moré): on the left \
             how often it is the fastest, on the right how much it solves at all. {problems}"
        ),
        x: Axis {
            range: Some((1.0, (1.2 * reach).max(2.0))),
            ..Axis::log("τ, time relative to the fastest")
        },
        y: Axis {
            // Lines at 0 and 1 keep off the frame.
            range: Some((-0.03, 1.03)),
            ..Axis::linear("share of problems")
        },
        layers: layers.collect(),
        over_time: false,
    })
}

fn short(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    thinned_indices(points.len()).into_iter().map(|k| points[k]).collect()
}

/// The profile of runs: a problem is a step of a scene that has rows to solve. `scenes` are the runs of each scene, with the
/// same methods in the same order.
pub fn over_steps(scenes: &[Vec<Shown<'_>>]) -> Option<Chart> {
    let first = scenes.first()?;
    if scenes.iter().any(|scene| scene.len() != first.len()) {
        return None;
    }
    let tolerance = tolerance(scenes)?;
    let mut costs: Vec<Vec<Option<f64>>> = vec![Vec::new(); first.len()];
    for scene in scenes {
        let steps = scene.iter().map(|shown| shown.run.steps.len()).max().unwrap_or(0);
        for step in 0..steps {
            let at = |shown: &Shown<'_>, name: &str| shown.run.steps.metric(name).get(step).copied();
            if !scene
                .iter()
                .any(|shown| at(shown, "rows").is_some_and(|rows| rows > 0.0))
            {
                continue;
            }
            for (costs, shown) in costs.iter_mut().zip(scene) {
                let solved = at(shown, "residual").is_some_and(|residual| residual <= tolerance);
                costs.push(at(shown, "solve_us").filter(|_| solved));
            }
        }
    }
    let methods: Vec<(String, usize)> = first
        .iter()
        .map(|shown| (shown.run.method().to_owned(), shown.style))
        .collect();
    let count = costs.first().map_or(0, Vec::len);
    let problems = format!(
        "Problems are the {count} steps with contacts or joints{}; solved is a natural residual of {} m/s or less, the smallest \
         power of ten that half of all solves reach. Methods that drift apart do not solve quite the same problems.",
        if scenes.len() > 1 {
            format!(" of {} scenes", scenes.len())
        } else {
            String::new()
        },
        exact(tolerance),
    );
    chart(&methods, &costs, RESOLUTION_US, &problems)
}

/// The smallest power of ten that at least half of all measured residuals are within.
fn tolerance(scenes: &[Vec<Shown<'_>>]) -> Option<f64> {
    let runs = scenes.iter().flatten();
    let residuals = runs.flat_map(|shown| shown.run.steps.metric("residual").iter().copied());
    let mut residuals: Vec<f64> = residuals
        .filter(|residual| residual.is_finite() && *residual > 0.0)
        .collect();
    residuals.sort_by(f64::total_cmp);
    let median = residuals.get(residuals.len() / 2)?;
    let exponent = median.log10().ceil() as i32;
    // As it is written, not as a product of tens.
    format!("1e{exponent}").parse().ok()
}
