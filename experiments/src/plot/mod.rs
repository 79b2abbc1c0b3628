//! Plots as single SVG files that need nothing else: readable on white and on dark, by people who do not see red from
//! green, and with twenty lines in one picture.
//!
//! Colours are those of [`palette`]; when they are used up, dashes tell lines of one colour apart. Every line carries a number that the legend explains, placed at its end or, where others end there
//! too, as near to it as there is room. Names and values appear under the pointer where a viewer shows titles.

mod axis;
pub mod chart;
mod chart_shapes;
pub mod chart_svg;
mod marker;
pub mod palette;
pub mod pareto;
mod profile;
mod svg;
pub mod thin;

pub use axis::{Axis, Scale};
pub use chart::{Chart, Layer, Shape};
pub use profile::{Profile, performance_profile};

use axis::Layout;
use palette::{COLOURS, DARK, DARK_PAGE, LIGHT, LIGHT_PAGE};
use svg::{Svg, pixel};

/// How the points of a series are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mark {
    /// Joined by straight lines.
    Line,
    /// Joined by steps: the value holds until the next point, and after the last one to the end of the axis.
    Steps,
    /// Each by itself.
    Points,
    /// Each by itself, with the straight line y = intercept + slope · x over them; for linear axes.
    Fit {
        /// How steep the line is.
        slope: f64,
        /// Where it is at x = 0.
        intercept: f64,
    },
}

/// One line or cloud of points.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name.
    pub label: String,
    /// How it is drawn.
    pub mark: Mark,
    /// The points, from left to right.
    pub points: Vec<(f64, f64)>,
}

/// A picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// The line above it.
    pub title: String,
    /// The second, smaller line: conditions, what counts.
    pub subtitle: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn, in the order of the legend.
    pub series: Vec<Series>,
}

const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 72.0;
const TOP: f64 = 56.0;
const BOTTOM: f64 = 52.0;
/// Height of a line of the legend.
const LINE: f64 = 19.0;
/// The legend shows this much of a name; the rest is under the pointer.
const LONGEST_LABEL: usize = 44;
/// The radius of the numbers on lines.
const TAG: f64 = 7.5;

const DASHES: [&str; 4] = ["", "7 3", "2 3", "9 3 2 3"];
const STYLE: &str = "\
text{font:12px system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif}\
.title{font-size:15px;font-weight:600}.small{font-size:9px}\
.paper{fill:#fff}.ink{fill:#222}.faint{fill:#555}.grid{stroke:#e3e3e3}.frame{stroke:#888;fill:none}\
.line{fill:none;stroke-width:1.8;stroke-linejoin:round}.mark{stroke-width:1.4;fill-opacity:.45}\
";
const DARK_STYLE: &str = ".paper{fill:#16181d}.ink{fill:#e8e8e8}.faint{fill:#aaa}.grid{stroke:#33363d}";

/// The style of a picture, with the colours of [`palette`] for both schemes.
fn style() -> String {
    let colours = |colours: [&str; COLOURS], page: &str| {
        let rules = colours.iter().enumerate();
        let rules: String = rules
            .map(|(k, colour)| format!(".c{k}{{stroke:{colour};fill:{colour}}}"))
            .collect();
        format!("{rules}path.line{{fill:none}}circle.tag{{fill:{page}}}")
    };
    let (light, dark) = (colours(LIGHT, LIGHT_PAGE), colours(DARK, DARK_PAGE));
    format!("{STYLE}{light}@media (prefers-color-scheme:dark){{{DARK_STYLE}{dark}}}")
}

impl Plot {
    /// The picture as the text of an SVG file.
    pub fn render(&self) -> String {
        let values = |pick: fn(&(f64, f64)) -> f64| {
            self.series
                .iter()
                .flat_map(move |series| series.points.iter().map(pick))
        };
        let x = Layout::fit(&self.x, values(|point| point.0), LEFT, LEFT + WIDTH);
        let y = Layout::fit(&self.y, values(|point| point.1), TOP + HEIGHT, TOP);
        let longest = self.series.iter().map(|series| series.label.chars().count()).max();
        let legend = 76.0 + 6.6 * longest.unwrap_or(0).min(LONGEST_LABEL) as f64;
        let width = LEFT + WIDTH + legend;
        let height = (TOP + HEIGHT + BOTTOM).max(TOP + LINE * self.series.len() as f64 + 20.0);

        let mut svg = Svg::default();
        let (w, h) = (pixel(width), pixel(height));
        svg.open(
            "svg",
            &[
                ("xmlns", "http://www.w3.org/2000/svg"),
                ("viewBox", &format!("0 0 {w} {h}")),
                ("width", &w),
                ("height", &h),
                ("role", "img"),
            ],
        );
        svg.text("title", &[], &self.title);
        svg.text("style", &[], &style());
        svg.empty("rect", &[("class", "paper"), ("width", &w), ("height", &h)]);
        self.draw_frame(&mut svg, &x, &y);
        let mut tags = Vec::new();
        for (index, series) in self.series.iter().enumerate() {
            draw_series(&mut svg, index, series, &x, &y, &mut tags);
        }
        for &(index, (at_x, at_y)) in &tags {
            draw_tag(&mut svg, index, at_x, at_y);
        }
        self.draw_legend(&mut svg);
        svg.finish()
    }

    fn draw_frame(&self, svg: &mut Svg, x: &Layout, y: &Layout) {
        let left = pixel(LEFT);
        svg.text(
            "text",
            &[("class", "ink title"), ("x", &left), ("y", "24")],
            &self.title,
        );
        svg.text("text", &[("class", "faint"), ("x", &left), ("y", "43")], &self.subtitle);
        let (bottom, right) = (TOP + HEIGHT, LEFT + WIDTH);
        for (at, text) in x.ticks() {
            let at = pixel(at);
            let line = [
                ("x1", at.as_str()),
                ("x2", &at),
                ("y1", &pixel(TOP)),
                ("y2", &pixel(bottom)),
                ("class", "grid"),
            ];
            svg.empty("line", &line);
            let place = [
                ("x", at.as_str()),
                ("y", &pixel(bottom + 17.0)),
                ("text-anchor", "middle"),
                ("class", "ink"),
            ];
            svg.text("text", &place, &text);
        }
        for (at, text) in y.ticks() {
            let (line_at, text_at) = (pixel(at), pixel(at + 4.0));
            let line = [
                ("x1", left.as_str()),
                ("x2", &pixel(right)),
                ("y1", &line_at),
                ("y2", &line_at),
                ("class", "grid"),
            ];
            svg.empty("line", &line);
            let place = [("x", pixel(LEFT - 7.0)), ("y", text_at)];
            let place = [
                ("x", place[0].1.as_str()),
                ("y", &place[1].1),
                ("text-anchor", "end"),
                ("class", "ink"),
            ];
            svg.text("text", &place, &text);
        }
        let frame = [
            ("x", left.as_str()),
            ("y", &pixel(TOP)),
            ("width", &pixel(WIDTH)),
            ("height", &pixel(HEIGHT)),
            ("class", "frame"),
        ];
        svg.empty("rect", &frame);
        let middle = pixel(LEFT + WIDTH / 2.0);
        let place = [
            ("x", middle.as_str()),
            ("y", &pixel(bottom + 38.0)),
            ("text-anchor", "middle"),
            ("class", "ink"),
        ];
        svg.text("text", &place, &self.x.label);
        let turn = format!("translate(18 {}) rotate(-90)", pixel(TOP + HEIGHT / 2.0));
        svg.text(
            "text",
            &[
                ("transform", turn.as_str()),
                ("text-anchor", "middle"),
                ("class", "ink"),
            ],
            &self.y.label,
        );
    }

    fn draw_legend(&self, svg: &mut Svg) {
        let from = LEFT + WIDTH + 14.0;
        for (index, series) in self.series.iter().enumerate() {
            let at = TOP + LINE * (index as f64 + 0.5);
            svg.open("g", &[]);
            svg.text("title", &[], &series.label);
            if !matches!(series.mark, Mark::Line | Mark::Steps) {
                draw_mark(svg, index, from + 28.0, at);
            }
            if series.mark != Mark::Points {
                let path = format!("M{} {}H{}", pixel(from + 16.0), pixel(at), pixel(from + 46.0));
                draw_path(svg, index, &path);
                draw_tag(svg, index, from + 6.0, at);
            }
            let mut label: String = series.label.chars().take(LONGEST_LABEL).collect();
            if label.len() < series.label.len() {
                label.push('…');
            }
            let place = [("x", pixel(from + 52.0)), ("y", pixel(at + 4.0))];
            let place = [("x", place[0].1.as_str()), ("y", &place[1].1), ("class", "ink")];
            svg.text("text", &place, &label);
            svg.close();
        }
    }
}

type Tags = Vec<(usize, (f64, f64))>;

fn draw_series(svg: &mut Svg, index: usize, series: &Series, x: &Layout, y: &Layout, tags: &mut Tags) {
    let place = |&(a, b): &(f64, f64)| Some((x.place(a)?, y.place(b)?));
    let mut pixels: Vec<(f64, f64)> = series.points.iter().filter_map(place).collect();
    svg.open("g", &[]);
    svg.text("title", &[], &series.label);
    match series.mark {
        Mark::Points => pixels.iter().for_each(|&(a, b)| draw_mark(svg, index, a, b)),
        Mark::Fit { slope, intercept } => {
            pixels.iter().for_each(|&(a, b)| draw_mark(svg, index, a, b));
            let line: Vec<(f64, f64)> = ends(&series.points)
                .iter()
                .filter_map(|&at| place(&(at, intercept + slope * at)))
                .collect();
            draw_line(svg, index, &line, tags);
        }
        Mark::Line | Mark::Steps => {
            if let (Mark::Steps, Some(&(_, last)), Some(end)) = (series.mark, pixels.last(), x.place(x.high())) {
                pixels.push((end, last));
            }
            if series.mark == Mark::Steps {
                pixels = corners(&pixels);
            }
            draw_line(svg, index, &thinned(&pixels), tags);
        }
    }
    svg.close();
}

/// A line through points, and the place of its number.
fn draw_line(svg: &mut Svg, index: usize, pixels: &[(f64, f64)], tags: &mut Tags) {
    let mut path = String::new();
    for (k, (a, b)) in pixels.iter().enumerate() {
        path.push_str(&format!(
            "{}{} {}",
            if k == 0 { 'M' } else { 'L' },
            pixel(*a),
            pixel(*b)
        ));
    }
    draw_path(svg, index, &path);
    if let Some(free) = free_place(pixels, tags) {
        tags.push((index, free));
    }
}

/// The smallest and the largest x of points.
fn ends(points: &[(f64, f64)]) -> [f64; 2] {
    points.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |ends, point| {
        [ends[0].min(point.0), ends[1].max(point.0)]
    })
}

/// The corners of a staircase.
fn corners(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut stairs: Vec<(f64, f64)> = points.first().copied().into_iter().collect();
    for pair in points.windows(2) {
        stairs.extend([(pair[1].0, pair[0].1), pair[1]]);
    }
    stairs
}

/// Without the points that fall on their neighbours: a history of a million iterations is a picture of some hundred
/// pixels.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for (k, &point) in points.iter().enumerate() {
        let far = |last: &(f64, f64)| (point.0 - last.0).abs().max((point.1 - last.1).abs()) >= 0.5;
        if k + 1 == points.len() || kept.last().is_none_or(far) {
            kept.push(point);
        }
    }
    kept
}

/// The place on a line nearest to its end where a number does not cover another one.
fn free_place(line: &[(f64, f64)], tags: &Tags) -> Option<(f64, f64)> {
    const STRIDE: f64 = 3.0;
    let is_free = |at: (f64, f64)| {
        tags.iter()
            .all(|(_, tag)| (at.0 - tag.0).hypot(at.1 - tag.1) >= 2.0 * TAG + 1.0)
    };
    for pair in line.windows(2).rev() {
        let (from, to) = (pair[1], pair[0]);
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        let strides = (length / STRIDE).ceil().max(1.0) as usize;
        for k in 0..strides {
            let share = k as f64 / strides as f64;
            let at = (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1));
            if is_free(at) {
                return Some(at);
            }
        }
    }
    line.last().copied()
}

fn colour(index: usize) -> String {
    format!("c{}", index % COLOURS)
}

fn draw_path(svg: &mut Svg, index: usize, path: &str) {
    let dash = DASHES[index / COLOURS % DASHES.len()];
    let class = format!("line {}", colour(index));
    svg.empty("path", &[("class", &class), ("d", path), ("stroke-dasharray", dash)]);
}

fn draw_tag(svg: &mut Svg, index: usize, x: f64, y: f64) {
    let (at_x, at_y, radius) = (pixel(x), pixel(y), pixel(TAG));
    let class = format!("{} tag", colour(index));
    svg.empty(
        "circle",
        &[("class", &class), ("cx", &at_x), ("cy", &at_y), ("r", &radius)],
    );
    let number = (index + 1).to_string();
    let place = [
        ("x", at_x.as_str()),
        ("y", &pixel(y + 3.2)),
        ("text-anchor", "middle"),
        ("class", "ink small"),
    ];
    svg.text("text", &place, &number);
}

/// A point; its shape changes when the colours are used up.
fn draw_mark(svg: &mut Svg, index: usize, x: f64, y: f64) {
    let r = 3.6;
    let class = format!("mark {}", colour(index));
    let path = match index / COLOURS % 4 {
        0 => format!(
            "M{} {}a{r} {r} 0 1 0 {} 0a{r} {r} 0 1 0 -{} 0z",
            pixel(x - r),
            pixel(y),
            2.0 * r,
            2.0 * r
        ),
        1 => format!(
            "M{} {}h{}v{}h-{}z",
            pixel(x - r),
            pixel(y - r),
            2.0 * r,
            2.0 * r,
            2.0 * r
        ),
        2 => format!("M{} {}l{r} {}h-{}z", pixel(x), pixel(y - r), 1.8 * r, 2.0 * r),
        _ => format!("M{} {}l{r} {r}l-{r} {r}l-{r} -{r}z", pixel(x), pixel(y - r)),
    };
    svg.empty("path", &[("class", &class), ("d", &path)]);
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn plot(count: usize, mark: Mark) -> Plot {
        let series = (0..count).map(|k| Series {
            label: format!("solver-{k}:relaxation=<{k}>"),
            mark,
            points: (0..200)
                .map(|i| (f64::from(i), (-0.01 * (k + 1) as f64 * f64::from(i)).exp()))
                .collect(),
        });
        Plot {
            title: "residual & iterations".into(),
            subtitle: "a test".into(),
            x: Axis::linear("iteration"),
            y: Axis::log("residual, m/s"),
            series: series.collect(),
        }
    }

    /// Elements are balanced, attributes quoted, and nothing but entities follows an ampersand.
    pub(super) fn check_xml(text: &str) {
        let mut open = Vec::new();
        let mut rest = text;
        while let Some(start) = rest.find('<') {
            assert!(!rest[..start].contains('>'), "a stray '>'");
            let end = rest[start..].find('>').expect("a tag ends") + start;
            let tag = &rest[start + 1..end];
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
            assert!(!tag.contains('<'), "{tag}");
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name.to_owned()));
            } else if !tag.ends_with('/') {
                open.push(tag.split_whitespace().next().unwrap_or_default().to_owned());
            }
            rest = &rest[end + 1..];
        }
        assert!(open.is_empty(), "{open:?}");
        for part in text.split('&').skip(1) {
            let entity = part.split(';').next().unwrap_or_default();
            assert!(["amp", "lt", "gt", "quot"].contains(&entity), "&{entity}");
        }
    }

    #[test]
    fn plots_are_well_formed_and_hold_every_name() {
        let fit = Mark::Fit {
            slope: -1e-3,
            intercept: 0.5,
        };
        for mark in [Mark::Line, Mark::Steps, Mark::Points, fit] {
            for count in [0, 1, 20, 40] {
                let text = plot(count, mark).render();
                check_xml(&text);
                for k in 0..count {
                    assert!(text.contains(&format!("solver-{k}:relaxation=&lt;{k}&gt;")));
                }
            }
        }
    }

    #[test]
    fn numbers_on_lines_do_not_cover_each_other() {
        let line: Vec<(f64, f64)> = (0..100).map(|i| (f64::from(i) * 5.0, 100.0)).collect();
        let mut tags = Tags::new();
        for index in 0..20 {
            let place = free_place(&line, &tags).unwrap();
            tags.push((index, place));
        }
        for (k, (_, a)) in tags.iter().enumerate() {
            for (_, b) in &tags[..k] {
                assert!((a.0 - b.0).hypot(a.1 - b.1) >= 2.0 * TAG, "{a:?} {b:?}");
            }
        }
        assert_eq!(tags[0].1, (495.0, 100.0));
    }

    #[test]
    fn values_that_are_no_numbers_are_left_out() {
        let mut plot = plot(1, Mark::Line);
        plot.series[0].points = vec![(0.0, 1.0), (1.0, f64::NAN), (2.0, f64::INFINITY), (3.0, 0.0)];
        let text = plot.render();
        check_xml(&text);
        assert!(!text.contains("NaN") && !text.contains("inf"));
    }
}
