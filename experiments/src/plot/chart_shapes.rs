//! The shapes of charts as SVG: lines with their gaps, bands, areas, bars, markers, and short pieces of them for legends.

use super::axis::Layout;
use super::chart::{Layer, Shape};
use super::marker::marker;
use super::palette::dash;
use super::svg::{Svg, pixel};

/// Draws a layer along the axes.
pub(super) fn draw_layer(svg: &mut Svg, layer: &Layer, x: &Layout, y: &Layout) {
    let place = |a: f64, b: f64| match b.is_finite() {
        true => Some((x.place(a)?, y.place(b)?)),
        false => None,
    };
    let all = |points: &[(f64, f64)]| points.iter().map(|&(a, b)| place(a, b)).collect::<Vec<_>>();
    match &layer.shape {
        Shape::Line(points) => {
            draw_line(svg, "line", dash(layer.style), &all(points));
            // A value between two gaps, and a run of one step, is a point.
            draw_lonely(svg, layer.style, &all(points));
        }
        Shape::Steps(points) => {
            let mut pixels = all(points);
            if let (Some(Some(last)), Some(end)) = (pixels.last().copied(), x.place(x.high())) {
                pixels.push(Some((end, last.1)));
            }
            draw_line(svg, "line", dash(layer.style), &stairs(&pixels));
        }
        Shape::Front(points) => draw_line(svg, "front", "", &stairs(&all(points))),
        Shape::Points(points) => {
            for (a, b) in all(points).into_iter().flatten() {
                svg.empty("path", &[("class", "mark"), ("d", &marker(layer.style, a, b))]);
            }
        }
        Shape::Band(points) => {
            let edge = |k: usize| points.iter().map(|point| (point[0], point[k])).collect::<Vec<_>>();
            draw_between(svg, "band", &all(&edge(1)), &all(&edge(3)));
            draw_line(svg, "line", dash(layer.style), &all(&edge(2)));
            draw_lonely(svg, layer.style, &all(&edge(2)));
        }
        Shape::Area(points) => {
            let edge = |k: usize| points.iter().map(|point| (point[0], point[k])).collect::<Vec<_>>();
            draw_between(svg, "area", &all(&edge(1)), &all(&edge(2)));
        }
        Shape::Bars(bars) => {
            for bar in bars.iter().filter(|bar| bar[2] > 0.0) {
                let (Some((left, foot)), Some((right, head))) = (place(bar[0], 0.0), place(bar[1], bar[2])) else {
                    continue;
                };
                let path = format!(
                    "M{} {}V{}H{}V{}z",
                    pixel(left),
                    pixel(foot),
                    pixel(head),
                    pixel(right),
                    pixel(foot)
                );
                svg.empty("path", &[("class", "bar"), ("d", &path)]);
            }
        }
    }
}

type Places = [Option<(f64, f64)>];

fn draw_line(svg: &mut Svg, name: &str, dashes: &str, pixels: &Places) {
    let mut path = String::new();
    let mut pen_is_down = false;
    for place in pixels {
        if let Some((a, b)) = place {
            path.push_str(&format!(
                "{}{} {}",
                if pen_is_down { 'L' } else { 'M' },
                pixel(*a),
                pixel(*b)
            ));
        }
        pen_is_down = place.is_some();
    }
    if !path.is_empty() {
        svg.empty("path", &[("class", name), ("d", &path), ("stroke-dasharray", dashes)]);
    }
}

/// Markers where a line has no length.
fn draw_lonely(svg: &mut Svg, style: usize, pixels: &Places) {
    for (k, place) in pixels.iter().enumerate() {
        let has = |k: Option<usize>| k.and_then(|k| pixels.get(k)).is_some_and(Option::is_some);
        if let Some((a, b)) = place
            && !has(k.checked_sub(1))
            && !has(Some(k + 1))
        {
            svg.empty("path", &[("class", "mark"), ("d", &marker(style, *a, *b))]);
        }
    }
}

/// What lies between two lines that have their gaps at the same places.
fn draw_between(svg: &mut Svg, name: &str, lower: &Places, upper: &Places) {
    let both: Vec<Option<_>> = lower.iter().zip(upper).map(|(low, high)| low.zip(*high)).collect();
    let mut path = String::new();
    for piece in both.split(Option::is_none).filter(|piece| piece.len() > 1) {
        let there = piece.iter().flatten().map(|pair| pair.0);
        let back = piece.iter().rev().flatten().map(|pair| pair.1);
        for (k, (a, b)) in there.chain(back).enumerate() {
            path.push_str(&format!("{}{} {}", if k == 0 { 'M' } else { 'L' }, pixel(a), pixel(b)));
        }
        path.push('z');
    }
    if !path.is_empty() {
        svg.empty("path", &[("class", name), ("d", &path)]);
    }
}

/// The corners of a staircase.
fn stairs(pixels: &Places) -> Vec<Option<(f64, f64)>> {
    let mut corners: Vec<Option<(f64, f64)>> = pixels.first().copied().into_iter().collect();
    for pair in pixels.windows(2) {
        if let [Some(before), Some(after)] = pair {
            corners.push(Some((after.0, before.1)));
        }
        corners.push(pair[1]);
    }
    corners
}

/// A short piece of a layer, as legends have it.
pub(super) fn draw_swatch(svg: &mut Svg, layer: &Layer, x: f64, y: f64) {
    let line = format!("M{} {}h30", pixel(x), pixel(y));
    let block = format!("M{} {}h30v10h-30z", pixel(x), pixel(y - 5.0));
    match layer.shape {
        Shape::Line(_) | Shape::Steps(_) => {
            svg.empty(
                "path",
                &[("class", "line"), ("d", &line), ("stroke-dasharray", dash(layer.style))],
            );
        }
        Shape::Band(_) => {
            svg.empty("path", &[("class", "band"), ("d", &block)]);
            svg.empty(
                "path",
                &[("class", "line"), ("d", &line), ("stroke-dasharray", dash(layer.style))],
            );
        }
        Shape::Points(_) => {
            svg.empty("path", &[("class", "mark"), ("d", &marker(layer.style, x + 15.0, y))]);
        }
        Shape::Area(_) => svg.empty("path", &[("class", "area"), ("d", &block)]),
        Shape::Bars(_) => svg.empty("path", &[("class", "bar"), ("d", &block)]),
        Shape::Front(_) => svg.empty("path", &[("class", "front"), ("d", &line)]),
    }
}
