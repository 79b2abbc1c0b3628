//! Which steps become frames. A rate r asks for frames at the times k/r; each is the nearest whole step, and no step is
//! taken twice: frame k is step `round(k / (r h))`, or every step if `r h ≥ 1`.

use serde::{Deserialize, Serialize};

/// Frames a simulated second where nothing else is asked for.
pub const DEFAULT_RATE: f64 = 50.0;

/// How many frames a simulated second, if any.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawRate", into = "RawRate")]
pub enum FrameRate {
    /// No trajectory.
    None,
    /// So many, positive and finite.
    PerSecond(f64),
}

impl Default for FrameRate {
    fn default() -> Self {
        Self::PerSecond(DEFAULT_RATE)
    }
}

impl FrameRate {
    /// Reads a number or `none`.
    pub fn read(text: &str) -> Result<Self, String> {
        let wrong = || "it must be a positive, finite number of frames per simulated second, or `none`".to_owned();
        if text == "none" {
            return Ok(Self::None);
        }
        text.parse().ok().and_then(Self::of).ok_or_else(wrong)
    }

    fn of(rate: f64) -> Option<Self> {
        (rate.is_finite() && rate > 0.0).then_some(Self::PerSecond(rate))
    }

    /// The number, if there is one.
    pub fn per_second(self) -> Option<f64> {
        match self {
            Self::None => None,
            Self::PerSecond(rate) => Some(rate),
        }
    }
}

/// A rate as files write it: a number, or the word `none`.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum RawRate {
    Number(f64),
    Word(String),
}

impl TryFrom<RawRate> for FrameRate {
    type Error = String;

    fn try_from(raw: RawRate) -> Result<Self, String> {
        match raw {
            RawRate::Number(rate) => Self::of(rate)
                .ok_or_else(|| format!("trajectory must be a positive, finite number or \"none\", not {rate}")),
            RawRate::Word(word) if word == "none" => Ok(Self::None),
            RawRate::Word(word) => Err(format!(
                "trajectory must be a positive, finite number or \"none\", not \"{word}\""
            )),
        }
    }
}

impl From<FrameRate> for RawRate {
    fn from(rate: FrameRate) -> Self {
        match rate {
            FrameRate::None => Self::Word("none".into()),
            FrameRate::PerSecond(rate) => Self::Number(rate),
        }
    }
}

/// Tells of steps, in rising order, whether they are frames.
#[derive(Debug, Clone, Copy)]
pub struct Schedule {
    /// Steps from frame to frame, 1 or more, not always a whole number.
    stride: f64,
}

impl Schedule {
    /// For a rate in frames a second and steps of h seconds.
    pub fn new(rate: f64, h: f64) -> Self {
        let stride = 1.0 / (rate * h);
        // A rate that is the step's own but for rounding is every step.
        let nearest = stride.round();
        let stride = if (stride - nearest).abs() <= 1e-9 * nearest {
            nearest
        } else {
            stride
        };
        Self {
            stride: stride.clamp(1.0, 1e15),
        }
    }

    /// Steps from frame to frame, on average.
    pub fn stride(&self) -> f64 {
        self.stride
    }

    /// Whether a step is the nearest to a multiple of the frame's time.
    pub fn is_frame(&self, step: u64) -> bool {
        let frame = (step as f64 / self.stride).round();
        // Halves are rounded one way, so that a step is never the nearest to two.
        (frame * self.stride).round() == step as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(rate: f64, h: f64, steps: u64) -> Vec<u64> {
        let schedule = Schedule::new(rate, h);
        (0..=steps).filter(|&step| schedule.is_frame(step)).collect()
    }

    #[test]
    fn frames_are_the_nearest_steps_to_their_times() {
        assert_eq!(frames(50.0, 0.01, 10), [0, 2, 4, 6, 8, 10]);
        assert_eq!(frames(100.0, 0.01, 3), [0, 1, 2, 3]);
        // 25 frames a second in steps of 1/60 s are 2.4 steps apart.
        assert_eq!(frames(25.0, 1.0 / 60.0, 12), [0, 2, 5, 7, 10, 12]);
        assert_eq!(frames(1.0, 0.3, 10), [0, 3, 7, 10]);
    }

    #[test]
    fn there_is_never_more_than_one_frame_a_step() {
        assert_eq!(frames(1e6, 0.01, 3), [0, 1, 2, 3]);
        for stride in [1.1, 1.5, 1.9, 2.5, 3.5, 7.3] {
            let found = frames(1.0, 1.0 / stride, 1000);
            let wanted = (0..=(1000.0 / stride) as u64 + 1)
                .map(|k| (k as f64 * stride).round() as u64)
                .filter(|&step| step <= 1000);
            assert_eq!(found, wanted.collect::<Vec<_>>(), "{stride}");
        }
    }

    #[test]
    fn a_rate_is_a_number_or_none() {
        assert_eq!(FrameRate::read("none"), Ok(FrameRate::None));
        assert_eq!(FrameRate::read("25"), Ok(FrameRate::PerSecond(25.0)));
        for bad in ["0", "-1", "inf", "NaN", "nothing", ""] {
            assert!(FrameRate::read(bad).is_err(), "{bad}");
        }
    }
}
