//! The colours of series, for light and for dark pages.
//!
//! They are those of Okabe and Ito ("Color universal design", 2008) where these have a contrast of at least 3 : 1 with
//! the page, which WCAG 2.1 (criterion 1.4.11) asks of graphics. Their orange, yellow and sky blue are too faint on
//! white, and on white violet and black stand in. The tests compute the contrasts, and the distances of any two colours as
//! they are and as people without one kind of cone see them, by the matrices of Machado, Oliveira and Fernandes ("A
//! physiologically-based model for simulation of color vision deficiency", 2009, severity 1). Colours alone tell nothing
//! apart in our plots: dashes, markers and names do it too.

use std::fmt::Write;

/// How many colours there are.
pub const COLOURS: usize = 6;
/// On a light page.
pub const LIGHT: [&str; COLOURS] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#4a1d96", "#111111"];
/// On a dark page, in the same order.
pub const DARK: [&str; COLOURS] = ["#56b4e9", "#d55e00", "#009e73", "#cc79a7", "#f0e442", "#f5f5f5"];
/// The light page.
pub const LIGHT_PAGE: &str = "#ffffff";
/// The dark page.
pub const DARK_PAGE: &str = "#16181d";

/// Dashes. Five dashes and six colours have no divisor in common, so that thirty series look different.
pub(super) const DASHES: [&str; 5] = ["", "8 3", "2 2.5", "10 3 2 3", "5 2 1.5 2 1.5 2"];

/// The colour of a series, as a class: `s0` to `s5`.
pub fn class(style: usize) -> String {
    format!("s{}", style % COLOURS)
}

/// The dashes of a series; empty for a solid line.
pub fn dash(style: usize) -> &'static str {
    DASHES[style % DASHES.len()]
}

/// Style sheet rules that give the classes their colours; on a page these change with the scheme.
pub fn page_rules() -> String {
    let variables = |colours: [&str; COLOURS], page: &str| {
        let mut text = format!("--page:{page};");
        for (k, colour) in colours.iter().enumerate() {
            let _ = write!(text, "--series-{k}:{colour};");
        }
        text
    };
    let mut text = format!(
        ":root{{{}}}\n@media (prefers-color-scheme:dark){{:root{{{}}}}}\n@media print{{:root{{{}}}}}\n",
        variables(LIGHT, LIGHT_PAGE),
        variables(DARK, DARK_PAGE),
        variables(LIGHT, LIGHT_PAGE)
    );
    for k in 0..COLOURS {
        let _ = writeln!(text, ".s{k}{{color:var(--series-{k})}}");
    }
    text
}

/// The same for a picture by itself, which is light.
pub(super) fn picture_rules() -> String {
    let rules = LIGHT
        .iter()
        .enumerate()
        .map(|(k, colour)| format!(".s{k}{{color:{colour}}}"));
    rules.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Matrix3, Vector3};

    fn linear(colour: &str) -> Vector3<f64> {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        Vector3::new(channel(1), channel(3), channel(5))
    }

    /// WCAG 2.1: (L₁ + 0.05) / (L₂ + 0.05).
    fn contrast(a: &str, b: &str) -> f64 {
        let luminance = |colour| linear(colour).dot(&Vector3::new(0.2126, 0.7152, 0.0722));
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Ottosson's Oklab, in which equal distances look about equally far apart; 0.02 is just noticed.
    fn oklab(linear: Vector3<f64>) -> Vector3<f64> {
        let cones = Matrix3::new(
            0.412_221_470_8,
            0.536_332_536_3,
            0.051_445_992_9,
            0.211_903_498_2,
            0.680_699_545_1,
            0.107_396_956_6,
            0.088_302_461_9,
            0.281_718_837_6,
            0.629_978_700_5,
        );
        let lab = Matrix3::new(
            0.210_454_255_3,
            0.793_617_785_0,
            -0.004_072_046_8,
            1.977_998_495_1,
            -2.428_592_205_0,
            0.450_593_709_9,
            0.025_904_037_1,
            0.782_771_766_2,
            -0.808_675_766_0,
        );
        lab * (cones * linear.map(|value| value.clamp(0.0, 1.0))).map(f64::cbrt)
    }

    /// Normal sight, and without the cones for long, middle and short waves.
    fn sights() -> [(&'static str, Matrix3<f64>); 4] {
        [
            ("normal", Matrix3::identity()),
            (
                "protanopia",
                Matrix3::new(
                    0.152_286, 1.052_583, -0.204_868, 0.114_503, 0.786_281, 0.099_216, -0.003_882, -0.048_116,
                    1.051_998,
                ),
            ),
            (
                "deuteranopia",
                Matrix3::new(
                    0.367_322, 0.860_646, -0.227_968, 0.280_085, 0.672_501, 0.047_413, -0.011_820, 0.042_940, 0.968_881,
                ),
            ),
            (
                "tritanopia",
                Matrix3::new(
                    1.255_528, -0.076_749, -0.178_779, -0.078_411, 0.930_809, 0.147_602, 0.004_733, 0.691_367,
                    0.303_900,
                ),
            ),
        ]
    }

    #[test]
    fn every_colour_stands_out_from_its_page() {
        for (colours, page) in [(LIGHT, LIGHT_PAGE), (DARK, DARK_PAGE)] {
            for colour in colours {
                let contrast = contrast(colour, page);
                assert!(contrast >= 3.0, "{colour} on {page}: {contrast:.2}");
            }
        }
        assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-9);
    }

    #[test]
    fn colours_stay_apart_for_every_kind_of_sight() {
        for colours in [LIGHT, DARK] {
            for (sight, matrix) in sights() {
                let seen = colours.map(|colour| oklab(matrix * linear(colour)));
                for (k, a) in seen.iter().enumerate() {
                    for (other, b) in seen[..k].iter().enumerate() {
                        let distance = (a - b).norm();
                        let pair = (colours[k], colours[other]);
                        assert!(distance >= 0.07, "{pair:?} with {sight}: {distance:.3}");
                    }
                }
            }
        }
    }

    #[test]
    fn thirty_series_look_different() {
        let looks: std::collections::HashSet<_> = (0..30).map(|style| (class(style), dash(style))).collect();
        assert_eq!(looks.len(), 30);
    }
}
