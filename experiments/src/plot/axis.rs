//! Axes: from values to pixels, and the ticks people read them by.

/// How values are spread along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// Evenly in powers of ten; only positive values have a place.
    Log,
}

/// An axis as it is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// What it shows, with the unit.
    pub label: String,
    /// How.
    pub scale: Scale,
    /// From where to where; what the data need if not given.
    pub range: Option<(f64, f64)>,
    /// Whether it counts something: there is no tick between two whole numbers.
    pub whole: bool,
}

impl Axis {
    /// A linear axis as long as its data need.
    pub fn linear(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            scale: Scale::Linear,
            range: None,
            whole: false,
        }
    }

    /// A linear axis for counts.
    pub fn whole(label: impl Into<String>) -> Self {
        Self {
            whole: true,
            ..Self::linear(label)
        }
    }

    /// A logarithmic axis as long as its data need.
    pub fn log(label: impl Into<String>) -> Self {
        Self {
            scale: Scale::Log,
            ..Self::linear(label)
        }
    }
}

/// A logarithmic axis shows at most this many powers of ten, the largest ones: below that a residual is rounding.
const MOST_DECADES: f64 = 20.0;
/// About as many ticks fit an axis.
const MOST_TICKS: f64 = 9.0;
/// Less than this many powers of ten are nearly even: round numbers at equal distances can be told apart there.
const NEARLY_EVEN: f64 = 0.5;
/// About as many of those.
const FEW_TICKS: f64 = 6.0;

/// An axis laid out along pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Layout {
    scale: Scale,
    /// The ends, after the logarithm if there is one.
    low: f64,
    high: f64,
    /// The pixels of the ends.
    from: f64,
    to: f64,
    whole: bool,
}

impl Layout {
    /// Fits an axis to its data, between two pixels.
    pub(super) fn fit(axis: &Axis, values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let log = axis.scale == Scale::Log;
        let usable = |value: &f64| value.is_finite() && (!log || *value > 0.0);
        let (mut low, mut high) = axis.range.unwrap_or_else(|| {
            values
                .filter(usable)
                .fold((f64::INFINITY, f64::NEG_INFINITY), |ends, value| {
                    (ends.0.min(value), ends.1.max(value))
                })
        });
        if low > high {
            (low, high) = if log { (0.1, 1.0) } else { (0.0, 1.0) };
        }
        if log {
            (low, high) = (low.log10(), high.log10());
            low = low.max(high - MOST_DECADES);
        }
        if high - low < 1e-9 * high.abs().max(1e-9) {
            (low, high) = match axis.whole {
                // Nothing is counted below zero.
                true => (if low >= 0.0 { (low - 1.0).max(0.0) } else { low - 1.0 }, high + 1.0),
                false => (low - 0.5, high + 0.5),
            };
        }
        if axis.range.is_none() {
            let step = tick_step(axis.scale, axis.whole, low, high);
            (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
        }
        Self {
            scale: axis.scale,
            low,
            high,
            from,
            to,
            whole: axis.whole,
        }
    }

    /// Where a value is; nowhere if it is no number. What is below a logarithmic axis, zero included, is at its low end.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        if value.is_nan() {
            return None;
        }
        let value = match self.scale {
            Scale::Linear => value,
            Scale::Log => value.max(0.0).log10(),
        };
        let share = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        Some(self.from + share * (self.to - self.from))
    }

    /// The ends, after the logarithm if there is one, and their pixels.
    pub(super) fn ends(&self) -> ([f64; 2], [f64; 2]) {
        ([self.low, self.high], [self.from, self.to])
    }

    /// The largest value.
    pub(super) fn high(&self) -> f64 {
        match self.scale {
            Scale::Linear => self.high,
            Scale::Log => 10_f64.powf(self.high),
        }
    }

    /// Pixels and texts of the ticks.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let values = match self.scale {
            Scale::Log if self.high - self.low < 2.0 => self.ticks_within_decades(),
            _ => {
                let step = tick_step(self.scale, self.whole, self.low, self.high);
                multiples(step, self.low, self.high)
                    .map(|value| match self.scale {
                        Scale::Linear => (value, short(value)),
                        Scale::Log => (value, power_of_ten(value.round() as i32)),
                    })
                    .collect()
            }
        };
        let pixels = |value: f64| self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from);
        values.into_iter().map(|(value, text)| (pixels(value), text)).collect()
    }

    /// Ticks of a logarithmic axis that is too short for powers of ten: at least two of them, however short it is.
    fn ticks_within_decades(&self) -> Vec<(f64, String)> {
        let decades = self.high - self.low;
        let values: Vec<f64> = if decades < NEARLY_EVEN {
            let (low, high) = (10_f64.powf(self.low), 10_f64.powf(self.high));
            multiples(nice_step((high - low) / FEW_TICKS), low, high).collect()
        } else {
            let digits: &[f64] = match decades < 1.0 {
                true => &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
                false => &[1.0, 2.0, 5.0],
            };
            let all = self.low.floor() as i32..=self.high.ceil() as i32;
            all.flat_map(|decade| digits.iter().map(move |digit| digit * 10_f64.powi(decade)))
                .collect()
        };
        values
            .into_iter()
            .map(|value| (value.log10(), short(value)))
            .filter(|(place, _)| (self.low - 1e-9..=self.high + 1e-9).contains(place))
            .collect()
    }
}

/// The distance of ticks: 1, 2 or 5 times a power of ten; whole powers of ten on logarithmic axes.
fn tick_step(scale: Scale, whole: bool, low: f64, high: f64) -> f64 {
    let least = (high - low) / MOST_TICKS;
    match scale {
        // Less than two decades have ticks between them.
        Scale::Log if high - low < 1.0 => 0.1,
        Scale::Log => least.ceil().max(1.0),
        Scale::Linear if whole => nice_step(least).max(1.0),
        Scale::Linear => nice_step(least),
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that is not below this.
fn nice_step(least: f64) -> f64 {
    let decade = 10_f64.powf(least.log10().floor());
    let nice = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .find(|digit| digit * decade >= least * (1.0 - 1e-9));
    nice.unwrap_or(10.0) * decade
}

/// The multiples of a step between two values, both included.
fn multiples(step: f64, low: f64, high: f64) -> impl Iterator<Item = f64> {
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(move |k| k as f64 * step)
}

/// A number without digits that do not matter.
fn short(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e6).contains(&size) {
        return format!("{value:e}");
    }
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `10⁻⁸`.
fn power_of_ten(exponent: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digit = |character: char| character.to_digit(10).map_or('⁻', |digit| DIGITS[digit as usize]);
    let exponent: String = exponent.to_string().chars().map(digit).collect();
    format!("10{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis, values: &[f64]) -> Vec<String> {
        let layout = Layout::fit(axis, values.iter().copied(), 0.0, 100.0);
        layout.ticks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_numbers_people_count_in() {
        assert_eq!(
            texts(&Axis::linear(""), &[0.0, 1.0]),
            ["0", "0.2", "0.4", "0.6", "0.8", "1"]
        );
        assert_eq!(
            texts(&Axis::log(""), &[2e-3, 5.0]),
            ["10⁻³", "10⁻²", "10⁻¹", "10⁰", "10¹"]
        );
        assert_eq!(texts(&Axis::log(""), &[1e-12, 1.0]).first().unwrap(), "10⁻¹²");
        let within = Axis {
            range: Some((1.0, 4.0)),
            ..Axis::log("")
        };
        assert_eq!(texts(&within, &[]), ["1", "1.5", "2", "3"]);
    }

    #[test]
    fn however_short_a_logarithmic_axis_is_it_can_be_read() {
        for low in [1.0, 1.7, 2.03, 5.1, 9.3] {
            for factor in [1.0001, 1.02, 1.3, 2.0, 3.1, 3.3, 7.0, 12.0, 60.0] {
                let found = texts(&Axis::log(""), &[low, low * factor]);
                assert!((2..=8).contains(&found.len()), "{low} to {}: {found:?}", low * factor);
            }
        }
        assert_eq!(
            texts(&Axis::log(""), &[202.0, 221.0]),
            ["200", "210", "220", "230", "240", "250"]
        );
    }

    #[test]
    fn nothing_is_counted_in_fractions() {
        assert_eq!(texts(&Axis::whole(""), &[10.0]), ["9", "10", "11"]);
        assert_eq!(texts(&Axis::whole(""), &[0.0]), ["0", "1"]);
        assert_eq!(texts(&Axis::whole(""), &[1.0, 3.0]), ["1", "2", "3"]);
        let bin = Axis {
            range: Some((39.5, 40.5)),
            ..Axis::whole("")
        };
        assert_eq!(texts(&bin, &[]), ["40"]);
        assert_eq!(texts(&Axis::whole(""), &[0.0, 900.0]).last().unwrap(), "900");
    }

    #[test]
    fn values_below_a_logarithmic_axis_are_at_its_end() {
        let layout = Layout::fit(&Axis::log(""), [1e-3, 1.0].into_iter(), 0.0, 300.0);
        assert_eq!(layout.place(0.0), Some(0.0));
        assert_eq!(layout.place(f64::NAN), None);
        assert!((layout.place(0.1).unwrap() - 200.0).abs() < 1e-9);
        assert!((layout.high() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn one_value_or_none_is_an_axis_too() {
        for values in [&[][..], &[3.0], &[f64::NAN], &[0.0]] {
            for axis in [Axis::linear(""), Axis::log("")] {
                let layout = Layout::fit(&axis, values.iter().copied(), 0.0, 100.0);
                assert!(layout.high > layout.low && layout.low.is_finite() && layout.high.is_finite());
                assert!(layout.ticks().len() < 30);
            }
        }
    }
}
