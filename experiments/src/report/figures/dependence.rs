//! How a measure depends on a number that a sweep varied: a parameter of the scene, or an option of the method. A line joins the
//! combinations that are alike in everything else.

use crate::plot::{Axis, Chart, Layer, Shape};

/// A combination: what it is called by key and value, and its measures.
#[derive(Debug, Clone, PartialEq)]
pub struct Varied {
    /// Scene and method by name.
    pub names: String,
    /// `count=4`, `iterations=20`: keys and values, in the order of the file.
    pub settings: Vec<(String, String)>,
    /// A value for each measure.
    pub values: Vec<Option<f64>>,
}

/// A measure: its name in the chart's name, its label, and its title.
#[derive(Debug, Clone, Copy)]
pub struct Measured<'a> {
    /// For the chart's name.
    pub name: &'a str,
    /// In the title.
    pub title: &'a str,
    /// The label of the axis.
    pub label: &'a str,
}

/// So many values of a number make a line.
const LEAST_VALUES: usize = 3;

/// `iterations=5,order=random` as keys and values.
pub fn settings(text: &str) -> Vec<(String, String)> {
    // A comma that no key follows belongs to the value before it.
    let mut pairs: Vec<(String, String)> = Vec::new();
    for part in text.split([',', ' ']).filter(|part| !part.is_empty()) {
        match (part.split_once('='), pairs.last_mut()) {
            (Some((key, value)), _) => pairs.push((key.to_owned(), value.to_owned())),
            (None, Some(last)) => last.1 = format!("{},{part}", last.1),
            (None, None) => {}
        }
    }
    pairs
}

/// The charts: one for each number that has at least three values, and each measure.
pub fn charts(combinations: &[Varied], measures: &[Measured<'_>]) -> Vec<Chart> {
    let mut charts = Vec::new();
    for key in keys(combinations) {
        for (k, measure) in measures.iter().enumerate() {
            charts.extend(chart(combinations, &key, k, measure));
        }
    }
    charts
}

fn value_of(combination: &Varied, key: &str) -> Option<f64> {
    let (_, value) = combination.settings.iter().find(|(known, _)| known == key)?;
    value.parse().ok().filter(|value: &f64| value.is_finite())
}

/// The keys with enough different numbers.
fn keys(combinations: &[Varied]) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    for (key, _) in combinations.iter().flat_map(|combination| &combination.settings) {
        if !keys.contains(key) {
            keys.push(key.clone());
        }
    }
    keys.retain(|key| {
        let mut values: Vec<f64> = combinations
            .iter()
            .filter_map(|combination| value_of(combination, key))
            .collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values.len() >= LEAST_VALUES
    });
    keys
}

/// What a combination is called without a key.
fn rest(combination: &Varied, key: &str) -> String {
    let others = combination.settings.iter().filter(|(known, _)| known != key);
    let others: Vec<String> = others.map(|(key, value)| format!("{key}={value}")).collect();
    format!("{} {}", combination.names, others.join(" "))
        .trim_end()
        .to_owned()
}

fn chart(combinations: &[Varied], key: &str, measure: usize, words: &Measured<'_>) -> Option<Chart> {
    let mut lines: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for combination in combinations {
        let Some(point) = value_of(combination, key).zip(combination.values.get(measure).copied().flatten()) else {
            continue;
        };
        let label = rest(combination, key);
        match lines.iter_mut().find(|(known, _)| *known == label) {
            Some((_, points)) => points.push(point),
            None => lines.push((label, vec![point])),
        }
    }
    lines.retain(|(_, points)| points.len() >= LEAST_VALUES);
    let all = || lines.iter().flat_map(|(_, points)| points);
    let is_wide = |values: &dyn Fn(&(f64, f64)) -> f64| {
        let (low, high) = all().map(values).fold((f64::INFINITY, 0.0_f64), |ends, value| {
            (ends.0.min(value), ends.1.max(value))
        });
        low > 0.0 && high / low > 20.0
    };
    let axis = |label: &str, wide: bool| if wide { Axis::log(label) } else { Axis::linear(label) };
    let (x, y) = (
        axis(key, is_wide(&|point| point.0)),
        axis(words.label, is_wide(&|point| point.1)),
    );
    let layers = lines.into_iter().enumerate().map(|(style, (label, mut points))| {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Layer {
            label,
            style,
            shape: Shape::Line(points),
        }
    });
    let chart = Chart {
        name: format!("{}-by-{}", words.name, crate::report::html::slug(key)),
        title: format!("{} by {key}", words.title),
        caption: format!(
            "Medians over seeds and repetitions; a line joins combinations that differ in {key} alone. Lines are numbered anew \
             here: their colours are not those of single combinations."
        ),
        x,
        y,
        layers: layers.collect(),
        over_time: false,
    };
    (!chart.layers.is_empty() && chart.has_data()).then_some(chart)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESIDUAL: Measured<'_> = Measured {
        name: "residual",
        title: "Residual",
        label: "m/s",
    };

    fn varied(names: &str, text: &str, value: f64) -> Varied {
        Varied {
            names: names.into(),
            settings: settings(text),
            values: vec![Some(value)],
        }
    }

    #[test]
    fn lines_join_what_differs_in_one_number() {
        let mut all = Vec::new();
        for order in ["random", "forward"] {
            for (k, iterations) in [80, 5, 20].into_iter().enumerate() {
                all.push(varied(
                    "wall, pgs",
                    &format!("iterations={iterations},order={order}"),
                    k as f64,
                ));
            }
        }
        all.push(varied("wall, jacobi", "iterations=5", 1.0));
        let charts = charts(&all, &[RESIDUAL]);
        assert_eq!(charts.len(), 1, "an order is no number");
        assert_eq!(charts[0].name, "residual-by-iterations");
        let labels: Vec<&str> = charts[0].layers.iter().map(|layer| layer.label.as_str()).collect();
        assert_eq!(labels, ["wall, pgs order=random", "wall, pgs order=forward"]);
        let expected = Shape::Line(vec![(5.0, 1.0), (20.0, 2.0), (80.0, 0.0)]);
        assert_eq!(charts[0].layers[0].shape, expected);
    }

    #[test]
    fn two_values_are_no_dependence() {
        let all = [varied("a", "n=1", 1.0), varied("a", "n=2", 1.0)];
        assert!(charts(&all, &[RESIDUAL]).is_empty());
    }

    #[test]
    fn values_may_have_commas() {
        let pairs = settings("size=1,2,3,friction=0.5");
        assert_eq!(pairs[0], ("size".to_owned(), "1,2,3".to_owned()));
        assert_eq!(pairs[1].1, "0.5");
    }
}
