//! Markers of points: a shape of its own for each of seven series, so that colour is not needed to tell them apart.

use std::fmt::Write;

use super::svg::pixel;

/// The path of the marker of a series around a place.
pub(super) fn marker(style: usize, x: f64, y: f64) -> String {
    let r = 4.2;
    let polygon = |corners: &[(f64, f64)]| {
        let mut path = String::new();
        for (k, (a, b)) in corners.iter().enumerate() {
            let _ = write!(
                path,
                "{}{} {}",
                if k == 0 { 'M' } else { 'L' },
                pixel(x + r * a),
                pixel(y + r * b)
            );
        }
        path + "z"
    };
    match style % 7 {
        0 => format!(
            "M{} {}a{r} {r} 0 1 0 {} 0a{r} {r} 0 1 0 -{} 0z",
            pixel(x - r),
            pixel(y),
            2.0 * r,
            2.0 * r
        ),
        1 => polygon(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
        2 => polygon(&[(0.0, -1.1), (1.1, 0.9), (-1.1, 0.9)]),
        3 => polygon(&[(0.0, -1.2), (1.2, 0.0), (0.0, 1.2), (-1.2, 0.0)]),
        4 => polygon(&[(0.0, 1.1), (1.1, -0.9), (-1.1, -0.9)]),
        5 => polygon(&[
            (-0.4, -1.1),
            (0.4, -1.1),
            (0.4, -0.4),
            (1.1, -0.4),
            (1.1, 0.4),
            (0.4, 0.4),
            (0.4, 1.1),
            (-0.4, 1.1),
            (-0.4, 0.4),
            (-1.1, 0.4),
            (-1.1, -0.4),
            (-0.4, -0.4),
        ]),
        _ => polygon(&[
            (-1.1, 0.0),
            (-0.5, -1.0),
            (0.5, -1.0),
            (1.1, 0.0),
            (0.5, 1.0),
            (-0.5, 1.0),
        ]),
    }
}
