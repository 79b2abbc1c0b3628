//! Numbers for people: three digits that matter, and a unit of a fitting size.
//!
//! A row or column of a table has one unit, chosen for its largest value, so that its numbers can be compared by eye.

/// A unit and the factor that brings a value in the base unit to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// What a number is multiplied by before it is shown.
    pub factor: f64,
    /// The unit then.
    pub unit: &'static str,
}

/// The scales of a base unit from small to large; each is used from its own 1 upwards.
fn scales(unit: &'static str) -> &'static [Scale] {
    const fn scale(factor: f64, unit: &'static str) -> Scale {
        Scale { factor, unit }
    }
    match unit {
        "m" => {
            const {
                &[
                    scale(1e9, "nm"),
                    scale(1e6, "µm"),
                    scale(1e3, "mm"),
                    scale(1.0, "m"),
                    scale(1e-3, "km"),
                ]
            }
        }
        "s" => const { &[scale(1e9, "ns"), scale(1e6, "µs"), scale(1e3, "ms"), scale(1.0, "s")] },
        "µs" => const { &[scale(1e3, "ns"), scale(1.0, "µs"), scale(1e-3, "ms"), scale(1e-6, "s")] },
        "J" => {
            const {
                &[
                    scale(1e9, "nJ"),
                    scale(1e6, "µJ"),
                    scale(1e3, "mJ"),
                    scale(1.0, "J"),
                    scale(1e-3, "kJ"),
                    scale(1e-6, "MJ"),
                ]
            }
        }
        _ => &[],
    }
}

impl Scale {
    /// The scale in which the largest of the values reads best.
    pub fn fitting(unit: &'static str, values: impl IntoIterator<Item = f64>) -> Self {
        let largest = values
            .into_iter()
            .filter(|value| value.is_finite())
            .fold(0.0, |largest: f64, value| largest.max(value.abs()));
        let known = scales(unit);
        let plain = Self { factor: 1.0, unit };
        if largest == 0.0 {
            return plain;
        }
        known
            .iter()
            .rev()
            .find(|scale| largest * scale.factor >= 1.0)
            .or(known.first())
            .copied()
            .unwrap_or(plain)
    }

    /// A value in this scale, without the unit.
    pub fn show(&self, value: f64) -> String {
        number(value * self.factor)
    }
}

/// One value with its unit: `10 ms`, `0.250 m/s`.
pub fn quantity(value: f64, unit: &'static str) -> String {
    let scale = Scale::fitting(unit, [value]);
    let scaled = value * scale.factor;
    // A setting such as 0.01 s is ten milliseconds but for rounding.
    let whole = scaled.round();
    let is_whole = (scaled - whole).abs() <= 1e-12 * whole.abs() && whole.abs() < 1e7;
    let shown = if is_whole { count(whole) } else { number(scaled) };
    format!("{shown} {}", scale.unit)
}

/// Three significant digits, more for large whole parts; powers of ten where zeros would hide them.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return if value.is_nan() {
            "NaN"
        } else if value > 0.0 {
            "∞"
        } else {
            "-∞"
        }
        .to_owned();
    }
    if size == 0.0 {
        "0".to_owned()
    } else if !(1e-3..1e7).contains(&size) {
        format!("{value:.2e}")
    } else if size < 0.999_5 {
        // Three significant digits below one: as many zeros as there are.
        let digits = 2 - size.log10().floor() as i32;
        format!("{value:.*}", digits.max(0) as usize)
    } else if size < 9.995 {
        format!("{value:.2}")
    } else if size < 99.95 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

/// So many significant digits, or all if there are fewer; powers of ten as in [`number`].
pub fn precise(value: f64, digits: usize) -> String {
    let size = value.abs();
    let after_first = digits.saturating_sub(1);
    if !value.is_finite() || size == 0.0 {
        return number(value);
    }
    let (rounded, all) = if (1e-3..1e7).contains(&size) {
        let decimals = after_first as i32 - size.log10().floor() as i32;
        (format!("{value:.*}", decimals.max(0) as usize), format!("{value}"))
    } else {
        (format!("{value:.after_first$e}"), format!("{value:e}"))
    };
    if rounded.parse() == Ok(value) { all } else { rounded }
}

/// Counts are whole, their means often are not.
pub fn count(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        format!("{value:.0}")
    } else {
        number(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_that_matter() {
        for (value, text) in [
            (0.0, "0"),
            (0.012_345, "0.0123"),
            (1.0, "1.00"),
            (0.9999, "1.00"),
            (12.34, "12.3"),
            (-1234.6, "-1235"),
            (1.5e-7, "1.50e-7"),
            (3.0e12, "3.00e12"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(number(value), text, "{value}");
        }
    }

    #[test]
    fn as_many_digits_as_are_asked_for_and_there() {
        for (value, digits, text) in [
            (1.499_6, 4, "1.500"),
            (1.499_6, 5, "1.4996"),
            (1.5, 5, "1.5"),
            (-0.012_345_6, 5, "-0.012346"),
            (123_456.7, 4, "123457"),
            (1.234_56e-7, 5, "1.2346e-7"),
            (0.1 + 0.2, 17, "0.30000000000000004"),
            (0.3, 17, "0.3"),
            (0.0, 4, "0"),
            (f64::INFINITY, 4, "∞"),
        ] {
            assert_eq!(precise(value, digits), text, "{value}");
        }
    }

    #[test]
    fn units_fit_the_largest_value() {
        assert_eq!(quantity(0.0031, "m"), "3.10 mm");
        assert_eq!(quantity(0.01, "s"), "10 ms");
        assert_eq!(quantity(0.0, "J"), "0 J");
        assert_eq!(quantity(2.5e6, "µs"), "2.50 s");
        assert_eq!(quantity(0.25, "m/s"), "0.250 m/s");
        assert_eq!(Scale::fitting("m", [0.0, 2e-6, 4e-5]).unit, "µm");
        assert_eq!(Scale::fitting("m", [0.0]).unit, "m");
        assert_eq!(Scale::fitting("J", [f64::NAN, f64::INFINITY, -2e3]).unit, "kJ");
    }

    #[test]
    fn counts_are_whole() {
        assert_eq!(count(10.0), "10");
        assert_eq!(count(10.5), "10.5");
        assert_eq!(count(40_000_000.0), "40000000");
    }
}
