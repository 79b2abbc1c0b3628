//! How often there was how much: contacts over the steps, sizes of groups over the groups of all steps.

use super::Shown;
use crate::plot::{Axis, Chart, Layer, Shape};

/// So many bars can be told apart.
const MOST_BINS: usize = 40;

/// The histograms of some runs of one scene.
pub fn charts(runs: &[Shown<'_>]) -> Vec<Chart> {
    let contacts = |shown: &Shown<'_>| {
        let values = shown.run.steps.metric("contacts").iter();
        values
            .filter(|value| value.is_finite())
            .map(|value| (*value, 1.0))
            .collect()
    };
    let sizes = |shown: &Shown<'_>| shown.run.group_sizes.clone().unwrap_or_default();
    let charts = [
        chart(
            "contacts-histogram",
            "Contacts in a step",
            "contact points",
            "steps",
            runs,
            contacts,
        ),
        chart(
            "group-sizes",
            "Sizes of groups",
            "bodies in a group",
            "groups",
            runs,
            sizes,
        ),
    ];
    charts.into_iter().flatten().filter(Chart::has_data).collect()
}

fn chart(
    name: &str,
    title: &str,
    what: &str,
    counted: &str,
    runs: &[Shown<'_>],
    values: impl Fn(&Shown<'_>) -> Vec<(f64, f64)>,
) -> Option<Chart> {
    let all: Vec<Vec<(f64, f64)>> = runs.iter().map(values).collect();
    let edges = edges(all.iter().flatten().map(|value| value.0))?;
    let shape = |bins: Vec<[f64; 3]>| match runs.len() {
        1 => Shape::Bars(bins),
        // Bars of several runs would hide each other: their outlines don't.
        _ => Shape::Steps(outline(&bins)),
    };
    let layers = runs.iter().zip(&all).map(|(shown, values)| Layer {
        label: shown.label.clone(),
        style: shown.style,
        shape: shape(bins(&edges, values)),
    });
    Some(Chart {
        name: name.to_owned(),
        title: title.to_owned(),
        caption: match counted {
            "steps" => "How many steps of the run had so many contact points.".to_owned(),
            _ => {
                "How many groups of so many bodies there were, counted in every step. A group is a problem of its own."
                    .to_owned()
            }
        },
        x: Axis {
            range: Some((edges[0], edges[edges.len() - 1])),
            ..Axis::whole(what)
        },
        y: Axis::whole(counted),
        layers: layers.collect(),
        over_time: false,
    })
}

/// The edges of bins for whole numbers: each holds equally many of them.
fn edges(values: impl Iterator<Item = f64>) -> Option<Vec<f64>> {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |ends, value| {
        (ends.0.min(value), ends.1.max(value))
    });
    if low > high {
        return None;
    }
    let width = ((high - low + 1.0) / MOST_BINS as f64).ceil().max(1.0);
    let count = ((high - low + 1.0) / width).ceil() as usize;
    Some((0..=count).map(|k| low - 0.5 + width * k as f64).collect())
}

/// From, to, and how much there is in each.
fn bins(edges: &[f64], values: &[(f64, f64)]) -> Vec<[f64; 3]> {
    let mut bins: Vec<[f64; 3]> = edges.windows(2).map(|pair| [pair[0], pair[1], 0.0]).collect();
    for (value, weight) in values {
        let width = edges[1] - edges[0];
        let index = ((value - edges[0]) / width).floor() as usize;
        if let Some(bin) = bins.get_mut(index) {
            bin[2] += weight;
        }
    }
    bins
}

/// Up from zero, along the bars, and down to it again.
fn outline(bins: &[[f64; 3]]) -> Vec<(f64, f64)> {
    let start = bins.first().map(|bin| (bin[0], 0.0));
    let end = bins.last().map(|bin| (bin[1], 0.0));
    let tops = bins.iter().map(|bin| (bin[0], bin[2]));
    start.into_iter().chain(tops).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_in_one_bin() {
        let values: Vec<(f64, f64)> = (3..=1000).map(|k| (f64::from(k), 1.0)).collect();
        let edges = edges(values.iter().map(|value| value.0)).unwrap();
        assert!(edges.len() <= MOST_BINS + 1);
        let bins = bins(&edges, &values);
        assert_eq!(bins.iter().map(|bin| bin[2]).sum::<f64>(), 998.0);
        assert!(bins[..bins.len() - 1].iter().all(|bin| bin[2] == bins[0][2]));
    }

    #[test]
    fn one_value_is_one_bar() {
        assert_eq!(edges([7.0].into_iter()), Some(vec![6.5, 7.5]));
        assert_eq!(edges([].into_iter()), None);
        // Its height is to be seen also where it is an outline.
        assert_eq!(outline(&[[6.5, 7.5, 3.0]]), [(6.5, 0.0), (6.5, 3.0), (7.5, 0.0)]);
    }
}
