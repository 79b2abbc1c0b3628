//! What a metric must be: at least something, at most something, or both. Events and stop rules ask for such conditions.

/// Bounds on a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Condition {
    /// It must be this much.
    pub at_least: Option<f64>,
    /// It must be no more than this.
    pub at_most: Option<f64>,
}

impl Condition {
    /// Bounds that something can fulfil, or what is wrong with them.
    pub fn new(at_least: Option<f64>, at_most: Option<f64>) -> Result<Self, &'static str> {
        match (at_least, at_most) {
            (None, None) => Err("it needs 'at-least' or 'at-most'"),
            (Some(least), Some(most)) if least > most => Err("no value is both at least and at most these"),
            (least, most) if [least, most].into_iter().flatten().any(f64::is_nan) => Err("nothing compares with NaN"),
            _ => Ok(Self { at_least, at_most }),
        }
    }

    /// Whether a value fulfils it. What was not measured does not.
    pub fn holds(&self, value: Option<f64>) -> bool {
        value.is_some_and(|value| {
            self.at_least.is_none_or(|least| value >= least) && self.at_most.is_none_or(|most| value <= most)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_belong_to_what_is_allowed_and_nan_does_not() {
        let both = Condition::new(Some(1.0), Some(2.0)).unwrap();
        for (value, expected) in [
            (1.0, true),
            (2.0, true),
            (0.999, false),
            (2.001, false),
            (f64::NAN, false),
        ] {
            assert_eq!(both.holds(Some(value)), expected, "{value}");
        }
        assert!(!both.holds(None));
        assert!(Condition::new(None, Some(2.0)).unwrap().holds(Some(-1e300)));
        for (least, most) in [(None, None), (Some(2.0), Some(1.0)), (Some(f64::NAN), None)] {
            assert!(Condition::new(least, most).is_err());
        }
    }
}
