//! Charts as SVG: for a page, and as files that need nothing else.
//!
//! Everything is drawn in `currentColor` inside groups with a class for the colour. A page gives the classes the colours of
//! its scheme; a file has its own style, which is light, as papers are.

use super::axis::Layout;
use super::chart::{Chart, Layer};
use super::chart_shapes::{draw_layer, draw_swatch};
use super::palette::{class, picture_rules};
use super::svg::{Svg, pixel};

const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 340.0;
/// The frame's left edge is between these, as the labels beside it need.
const LEFT: f64 = 74.0;
const FARTHEST_LEFT: f64 = 130.0;
const RIGHT: f64 = 588.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 292.0;
/// Room for the title above a picture by itself.
const TITLE: f64 = 40.0;
/// Height of a line of the legend of a picture by itself.
const LINE: f64 = 20.0;
/// So many labels of an axis fit a small window.
const FEW_LABELS: usize = 5;
/// So much of a name fits half the width.
const LONGEST_LABEL: usize = 42;

const PICTURE_STYLE: &str = "\
svg{background:#fff}text{font:12px system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;fill:#222}\
.heading{font-size:15px;font-weight:600}";
/// What pages and pictures draw alike.
const COMMON_STYLE: &str = "\
.grid{stroke:#e3e3e3}.frame{stroke:#888;fill:none}\
.line{fill:none;stroke:currentColor;stroke-width:1.8;stroke-linejoin:round}\
.band{fill:currentColor;fill-opacity:.16;stroke:none}\
.area{fill:currentColor;fill-opacity:.62;stroke:currentColor;stroke-width:.8}\
.bar{fill:currentColor;fill-opacity:.42;stroke:currentColor;stroke-width:1.2}\
.mark{fill:currentColor;fill-opacity:.5;stroke:currentColor;stroke-width:1.3}\
.front{fill:none;stroke:#777;stroke-width:1.4;stroke-dasharray:3 3}";

/// The style of a picture by itself; the page's script needs it for the pictures it hands out.
pub fn picture_style() -> String {
    format!("{PICTURE_STYLE}{COMMON_STYLE}{}", picture_rules())
}

/// A chart on a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Inline {
    /// The `<svg>` element.
    pub svg: String,
    /// The data behind it, as JSON.
    pub data: String,
}

impl Chart {
    /// For a page.
    pub fn inline(&self) -> Inline {
        let (x, y) = self.placed();
        let mut svg = Svg::default();
        let view = format!("0 0 {} {}", pixel(WIDTH), pixel(HEIGHT));
        let label = format!("{}. {}", self.title, self.caption);
        svg.open("svg", &[("viewBox", &view), ("role", "img"), ("aria-label", &label)]);
        self.draw(&mut svg, &x, &y);
        Inline {
            svg: svg.finish(),
            data: self.data(&x, &y),
        }
    }

    /// As a file by itself.
    pub fn picture(&self) -> String {
        let (x, y) = self.placed();
        let legend = self.layers.len().div_ceil(2) as f64 * LINE + 8.0;
        let (width, height) = (pixel(WIDTH), pixel(HEIGHT + TITLE + legend));
        let view = format!("0 {} {width} {height}", pixel(-TITLE));
        let mut svg = Svg::default();
        let attributes = [
            ("xmlns", "http://www.w3.org/2000/svg"),
            ("viewBox", view.as_str()),
            ("width", &width),
            ("height", &height),
            ("role", "img"),
        ];
        svg.open("svg", &attributes);
        svg.text("title", &[], &self.title);
        svg.text("desc", &[], &self.caption);
        svg.text("style", &[], &picture_style());
        let place = [("class", "heading"), ("x", "12"), ("y", "-16")];
        svg.text("text", &place, &self.title);
        self.draw(&mut svg, &x, &y);
        for (k, layer) in self.layers.iter().enumerate() {
            let at = (
                12.0 + (k % 2) as f64 * WIDTH / 2.0,
                HEIGHT + 10.0 + (k / 2) as f64 * LINE,
            );
            draw_legend(&mut svg, layer, at);
        }
        svg.finish()
    }

    /// The axes, with room for the longest label beside the vertical one.
    fn placed(&self) -> (Layout, Layout) {
        let (_, y) = self.layouts([LEFT, RIGHT, BOTTOM, TOP]);
        let longest = y.ticks().iter().map(|(_, text)| breadth(text)).fold(0.0, f64::max);
        let left = (30.0 + longest).clamp(LEFT, FARTHEST_LEFT);
        self.layouts([left, RIGHT, BOTTOM, TOP])
    }

    fn draw(&self, svg: &mut Svg, x: &Layout, y: &Layout) {
        draw_frame(svg, x, y);
        let (_, [left, right]) = x.ends();
        let middle = pixel((left + right) / 2.0);
        let place = [
            ("class", "label"),
            ("x", middle.as_str()),
            ("y", "330"),
            ("text-anchor", "middle"),
        ];
        svg.text("text", &place, &self.x.label);
        let turn = format!("translate(15 {}) rotate(-90)", pixel((TOP + BOTTOM) / 2.0));
        let place = [
            ("class", "label"),
            ("transform", turn.as_str()),
            ("text-anchor", "middle"),
        ];
        svg.text("text", &place, &self.y.label);
        for (k, layer) in self.layers.iter().enumerate() {
            let name = format!("layer {}", class(layer.style));
            svg.open("g", &[("class", &name), ("data-layer", &k.to_string())]);
            draw_layer(svg, layer, x, y);
            svg.close();
        }
    }
}

/// How broad a tick's label is at most, which is in small windows, where letters are largest.
fn breadth(text: &str) -> f64 {
    let of = |character: char| match character {
        '.' | '-' => 6.0,
        character if character.is_ascii() => 12.2,
        // An exponent.
        _ => 7.0,
    };
    text.chars().map(of).sum()
}

fn draw_frame(svg: &mut Svg, x: &Layout, y: &Layout) {
    let (_, [from, to]) = x.ends();
    let (left, right, top, bottom) = (pixel(from), pixel(to), pixel(TOP), pixel(BOTTOM));
    // Of many labels every other one may be left out where letters are large.
    let name = |k: usize, count: usize| match k % 2 == 1 && count > FEW_LABELS {
        true => "tick odd",
        false => "tick",
    };
    let (along, beside) = (x.ticks(), y.ticks());
    let counts = (along.len(), beside.len());
    for (k, (at, text)) in along.into_iter().enumerate() {
        let at = pixel(at);
        let line = [
            ("class", "grid"),
            ("x1", at.as_str()),
            ("x2", &at),
            ("y1", &top),
            ("y2", &bottom),
        ];
        svg.empty("line", &line);
        let below = pixel(BOTTOM + 18.0);
        let place = [
            ("class", name(k, counts.0)),
            ("x", at.as_str()),
            ("y", &below),
            ("text-anchor", "middle"),
        ];
        svg.text("text", &place, &text);
    }
    for (k, (at, text)) in beside.into_iter().enumerate() {
        let (line_at, text_at, beside) = (pixel(at), pixel(at + 4.0), pixel(from - 6.0));
        let line = [
            ("class", "grid"),
            ("x1", left.as_str()),
            ("x2", &right),
            ("y1", &line_at),
            ("y2", &line_at),
        ];
        svg.empty("line", &line);
        let place = [
            ("class", name(k, counts.1)),
            ("x", beside.as_str()),
            ("y", &text_at),
            ("text-anchor", "end"),
        ];
        svg.text("text", &place, &text);
    }
    let size = (pixel(to - from), pixel(BOTTOM - TOP));
    let frame = [
        ("class", "frame"),
        ("x", left.as_str()),
        ("y", &top),
        ("width", &size.0),
        ("height", &size.1),
    ];
    svg.empty("rect", &frame);
}

/// A short piece of a layer beside its name.
fn draw_legend(svg: &mut Svg, layer: &Layer, (x, y): (f64, f64)) {
    svg.open("g", &[("class", &class(layer.style))]);
    draw_swatch(svg, layer, x, y);
    let mut label: String = layer.label.chars().take(LONGEST_LABEL).collect();
    if label.len() < layer.label.len() {
        label.push('…');
    }
    let place = (pixel(x + 36.0), pixel(y + 4.0));
    svg.text("text", &[("x", &place.0), ("y", &place.1)], &label);
    svg.close();
}

/// The same by itself, for the legend of a page.
pub fn swatch(layer: &Layer) -> String {
    let mut svg = Svg::default();
    svg.open(
        "svg",
        &[("class", "swatch"), ("viewBox", "0 0 30 12"), ("aria-hidden", "true")],
    );
    draw_swatch(&mut svg, layer, 0.0, 6.0);
    svg.finish()
}

/// The style that pages add for drawings.
pub fn page_style() -> &'static str {
    COMMON_STYLE
}

#[cfg(test)]
mod tests {
    use super::super::tests::check_xml;
    use super::super::{Axis, Shape};
    use super::*;

    fn chart(shapes: Vec<Shape>) -> Chart {
        Chart {
            name: "test".into(),
            title: "a < b & c".into(),
            caption: "\"quoted\"".into(),
            x: Axis::linear("time, s"),
            y: Axis::log("residual, m/s"),
            layers: shapes
                .into_iter()
                .enumerate()
                .map(|(k, shape)| Layer {
                    label: format!("<method {k}>"),
                    style: k,
                    shape,
                })
                .collect(),
            over_time: true,
        }
    }

    fn every_shape(values: [f64; 3]) -> Vec<Shape> {
        let points: Vec<(f64, f64)> = (0..3).map(|k| (k as f64, values[k])).collect();
        vec![
            Shape::Line(points.clone()),
            Shape::Steps(points.clone()),
            Shape::Points(points.clone()),
            Shape::Front(points.clone()),
            Shape::Band(points.iter().map(|p| [p.0, 0.5 * p.1, p.1, 2.0 * p.1]).collect()),
            Shape::Area(points.iter().map(|p| [p.0, 0.0, p.1]).collect()),
            Shape::Bars(points.iter().map(|p| [p.0, p.0 + 1.0, p.1]).collect()),
        ]
    }

    #[test]
    fn every_shape_is_well_formed_whatever_its_values() {
        for values in [
            [1.0, 2.0, 3.0],
            [f64::NAN, f64::INFINITY, 0.0],
            [f64::NAN; 3],
            [-1.0, 0.0, 1e300],
        ] {
            let chart = chart(every_shape(values));
            let inline = chart.inline();
            for text in [chart.picture(), inline.svg] {
                check_xml(&text);
                assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
            }
            let data: serde_json::Value = serde_json::from_str(&inline.data).unwrap();
            assert_eq!(data["layers"].as_array().unwrap().len(), 7);
        }
    }

    #[test]
    fn a_gap_is_not_bridged() {
        let points = vec![(0.0, 1.0), (1.0, 2.0), (2.0, f64::NAN), (3.0, 2.0), (4.0, 1.0)];
        let svg = chart(vec![Shape::Line(points)]).inline().svg;
        let path = svg
            .split("class=\"line\" d=\"")
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap();
        assert_eq!(path.matches('M').count(), 2, "{path}");
    }

    #[test]
    fn long_labels_push_the_frame_aside() {
        let left = |values: [f64; 2]| {
            let chart = chart(vec![Shape::Line(vec![(0.0, values[0]), (1.0, values[1])])]);
            chart.placed().0.ends().1[0]
        };
        assert_eq!(left([1e-6, 1.0]), LEFT);
        assert!(left([2.1e-4, 6e-4]) >= LEFT + 15.0);
    }

    #[test]
    fn one_point_is_seen() {
        let svg = chart(vec![Shape::Line(vec![(1.0, 1.0)])]).inline().svg;
        assert!(svg.contains("class=\"mark\""));
    }

    #[test]
    fn nothing_to_see_is_known() {
        assert!(!chart(vec![]).has_data());
        assert!(!chart(vec![Shape::Line(vec![(0.0, f64::NAN)])]).has_data());
        assert!(chart(vec![Shape::Line(vec![(0.0, 1.0)])]).has_data());
    }
}
