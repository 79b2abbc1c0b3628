//! A chart of a report: layers of several kinds over two axes. One drawing serves the page, where colours follow the reader's
//! scheme and the legend is made of buttons, and a file by itself for a paper ([`super::chart_svg`]).

use serde::Serialize;

use super::axis::Layout;
use super::{Axis, Scale};

/// A chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Its name: that of its file, and what scripts find it by.
    pub name: String,
    /// The line above it.
    pub title: String,
    /// What is to be seen, in a sentence or two.
    pub caption: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn, in the order of the legend.
    pub layers: Vec<Layer>,
    /// Whether x is simulated time, s, so that a cursor can be shared with other charts and with the replay.
    pub over_time: bool,
}

/// One thing drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// Its name.
    pub label: String,
    /// Its look: a number for the colour, the dashes and the marker, the same all over a page.
    pub style: usize,
    /// What it is.
    pub shape: Shape,
}

/// What a layer is. Points are in the order of x; a y that is no number is a gap.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Straight lines through points.
    Line(Vec<(f64, f64)>),
    /// A staircase: the value holds until the next point, and after the last to the end of the axis.
    Steps(Vec<(f64, f64)>),
    /// Markers.
    Points(Vec<(f64, f64)>),
    /// A line with a band around it: x, lower end, middle, upper end.
    Band(Vec<[f64; 4]>),
    /// What lies between two values: x, lower, upper. Stacked parts of a whole.
    Area(Vec<[f64; 3]>),
    /// Bars: from x, to x, height.
    Bars(Vec<[f64; 3]>),
    /// A staircase through the points of a Pareto front: nobody's colour.
    Front(Vec<(f64, f64)>),
}

impl Shape {
    /// All values along x.
    fn xs(&self) -> Vec<f64> {
        match self {
            Self::Line(points) | Self::Steps(points) | Self::Points(points) | Self::Front(points) => {
                points.iter().map(|point| point.0).collect()
            }
            Self::Band(points) => points.iter().map(|point| point[0]).collect(),
            Self::Area(points) => points.iter().map(|point| point[0]).collect(),
            Self::Bars(bars) => bars.iter().flat_map(|bar| [bar[0], bar[1]]).collect(),
        }
    }

    /// All values along y.
    fn ys(&self) -> Vec<f64> {
        match self {
            Self::Line(points) | Self::Steps(points) | Self::Points(points) | Self::Front(points) => {
                points.iter().map(|point| point.1).collect()
            }
            Self::Band(points) => points.iter().flat_map(|point| point[1..].to_vec()).collect(),
            Self::Area(points) => points.iter().flat_map(|point| [point[1], point[2]]).collect(),
            Self::Bars(bars) => bars.iter().flat_map(|bar| [0.0, bar[2]]).collect(),
        }
    }
}

impl Chart {
    /// Whether anything is to be seen on it.
    pub fn has_data(&self) -> bool {
        let on_axis = |axis: &Axis, value: &f64| value.is_finite() && (axis.scale == Scale::Linear || *value >= 0.0);
        self.layers.iter().any(|layer| {
            layer.shape.ys().iter().any(|value| on_axis(&self.y, value))
                && layer.shape.xs().iter().any(|value| on_axis(&self.x, value))
        })
    }

    /// The axes along the pixels of a frame: left, right, bottom, top.
    pub(super) fn layouts(&self, [left, right, bottom, top]: [f64; 4]) -> (Layout, Layout) {
        let xs = self.layers.iter().flat_map(|layer| layer.shape.xs());
        let ys = self.layers.iter().flat_map(|layer| layer.shape.ys());
        let mut x = Layout::fit(&self.x, xs.clone(), left, right);
        if self.over_time && self.x.range.is_none() {
            // A run fills its axis to the end.
            let end = xs.filter(|value| value.is_finite()).fold(0.0, f64::max);
            if end > 0.0 {
                let axis = Axis {
                    range: Some((0.0, end)),
                    ..self.x.clone()
                };
                x = Layout::fit(&axis, std::iter::empty(), left, right);
            }
        }
        (x, Layout::fit(&self.y, ys, bottom, top))
    }

    /// The data for the page's scripts.
    pub(super) fn data(&self, x: &Layout, y: &Layout) -> String {
        let (of_x, of_y) = (digits(&self.x, x), digits(&self.y, y));
        let all = [of_x, of_y, of_y, of_y];
        let layers = self.layers.iter().map(|layer| DataLayer {
            label: &layer.label,
            kind: match layer.shape {
                Shape::Line(_) => "line",
                Shape::Steps(_) => "steps",
                Shape::Points(_) => "points",
                Shape::Band(_) => "band",
                Shape::Area(_) => "area",
                Shape::Bars(_) => "bars",
                Shape::Front(_) => "front",
            },
            values: match &layer.shape {
                Shape::Line(points) | Shape::Steps(points) | Shape::Points(points) | Shape::Front(points) => {
                    points.iter().map(|point| numbers(&[point.0, point.1], &all)).collect()
                }
                Shape::Band(points) => points.iter().map(|point| numbers(point, &all)).collect(),
                Shape::Area(points) => points.iter().map(|point| numbers(point, &all)).collect(),
                Shape::Bars(points) => points.iter().map(|point| numbers(point, &[of_x, of_x, of_y])).collect(),
            },
        });
        let data = Data {
            x: DataAxis::of(&self.x, x),
            y: DataAxis::of(&self.y, y),
            over_time: self.over_time,
            layers: layers.collect(),
        };
        // Plain numbers and strings always have a JSON text.
        serde_json::to_string(&data).unwrap_or_default()
    }
}

#[derive(Serialize)]
struct Data<'a> {
    x: DataAxis<'a>,
    y: DataAxis<'a>,
    over_time: bool,
    layers: Vec<DataLayer<'a>>,
}

/// Where an axis lies: the ends (after the logarithm, if there is one) and their pixels.
#[derive(Serialize)]
struct DataAxis<'a> {
    label: &'a str,
    log: bool,
    ends: [f64; 2],
    pixels: [f64; 2],
}

impl<'a> DataAxis<'a> {
    fn of(axis: &'a Axis, layout: &Layout) -> Self {
        let (ends, pixels) = layout.ends();
        Self {
            label: &axis.label,
            log: axis.scale == Scale::Log,
            ends,
            pixels,
        }
    }
}

#[derive(Serialize)]
struct DataLayer<'a> {
    label: &'a str,
    kind: &'static str,
    values: Vec<Vec<Option<f64>>>,
}

/// As many digits as a reader of the axis can make use of, and at least five: of values that differ by little from each other,
/// the first ones say nothing. What is no number is null.
fn digits(axis: &Axis, layout: &Layout) -> usize {
    let ([low, high], _) = layout.ends();
    match axis.scale {
        Scale::Log => 4,
        Scale::Linear => {
            let size = low.abs().max(high.abs());
            let lost = (size / (high - low)).log10().max(0.0).ceil();
            4 + (lost as usize).min(10)
        }
    }
}

fn numbers(values: &[f64], digits: &[usize]) -> Vec<Option<f64>> {
    let short = |(value, digits): (&f64, &usize)| match value.is_finite() {
        true => format!("{value:.digits$e}").parse().ok(),
        false => None,
    };
    values.iter().zip(digits).map(short).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_differences_of_large_values_are_kept() {
        let chart = |values: [f64; 2]| Chart {
            name: String::new(),
            title: String::new(),
            caption: String::new(),
            x: Axis::linear(""),
            y: Axis::linear(""),
            layers: vec![Layer {
                label: String::new(),
                style: 0,
                shape: Shape::Line(vec![(0.0, values[0]), (1.0, values[1])]),
            }],
            over_time: false,
        };
        let data = |values| chart(values).inline().data;
        assert!(data([3.924_001_234, 3.924_009_876]).contains("3.924001234"));
        assert!(data([0.0, 0.123_456_789]).contains("[1.0,0.12346]"));
    }
}
