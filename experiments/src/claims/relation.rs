//! What a measured number must be: equal to a value within a tolerance, at least, at most, or within bounds. A NaN is none
//! of these.

use std::ops::Range;

use toml::Spanned;

use crate::error::Error;
use crate::sweep::file::Source;

/// What a number must be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Relation {
    /// This value, give or take.
    Equals {
        /// The value.
        value: f64,
        /// How far from it a number may be.
        tolerance: f64,
    },
    /// This or more.
    AtLeast(f64),
    /// This or less.
    AtMost(f64),
    /// Between these, ends included.
    Within(f64, f64),
}

impl Relation {
    /// Whether a number is what it must be.
    pub fn holds(self, number: f64) -> bool {
        match self {
            Self::Equals { value, tolerance } => (number - value).abs() <= tolerance,
            Self::AtLeast(least) => number >= least,
            Self::AtMost(most) => number <= most,
            Self::Within(least, most) => (least..=most).contains(&number),
        }
    }

    /// The same with other numbers.
    pub fn map(self, number: impl Fn(f64) -> f64) -> Self {
        match self {
            Self::Equals { value, tolerance } => Self::Equals {
                value: number(value),
                tolerance: number(tolerance),
            },
            Self::AtLeast(least) => Self::AtLeast(number(least)),
            Self::AtMost(most) => Self::AtMost(number(most)),
            Self::Within(least, most) => Self::Within(number(least), number(most)),
        }
    }

    /// In words, with numbers as `show` writes them.
    pub fn shown(self, show: impl Fn(f64) -> String) -> String {
        match self {
            Self::Equals { value, tolerance: 0.0 } => format!("= {}", show(value)),
            Self::Equals { value, tolerance } => format!("= {} ± {}", show(value), show(tolerance)),
            Self::AtLeast(least) => format!("≥ {}", show(least)),
            Self::AtMost(most) => format!("≤ {}", show(most)),
            Self::Within(least, most) => format!("{} to {}", show(least), show(most)),
        }
    }
}

/// As it is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct RawRelation<'a> {
    pub(super) equals: Option<&'a Spanned<f64>>,
    pub(super) tolerance: Option<&'a Spanned<f64>>,
    pub(super) relative_tolerance: Option<&'a Spanned<f64>>,
    pub(super) at_least: Option<&'a Spanned<f64>>,
    pub(super) at_most: Option<&'a Spanned<f64>>,
    pub(super) within: Option<&'a Spanned<Vec<f64>>>,
}

impl RawRelation<'_> {
    /// `place` is where the check begins, for one without a relation.
    pub(super) fn check(self, source: &Source, place: Range<usize>) -> Result<Relation, Error> {
        self.check_numbers(source)?;
        let places = [
            self.equals.map(Spanned::span),
            self.at_least.map(Spanned::span),
            self.at_most.map(Spanned::span),
            self.within.map(Spanned::span),
        ];
        let mut given = places.into_iter().flatten();
        if given.next().is_none() {
            let message = "a check needs one of 'equals', 'at-least', 'at-most', 'within'";
            return Err(source.error(place, message));
        }
        if let Some(second) = given.next() {
            let message = "a check has one of 'equals', 'at-least', 'at-most', 'within'; two bounds are 'within'";
            return Err(source.error(second, message));
        }
        let of = |number: &Spanned<f64>| *number.get_ref();
        if let Some(value) = self.equals.map(of) {
            let relative = self.relative_tolerance.map(|share| of(share) * value.abs());
            let tolerance = self.tolerance.map(of).or(relative).unwrap_or(0.0);
            return Ok(Relation::Equals { value, tolerance });
        }
        if let Some(tolerance) = self.tolerance.or(self.relative_tolerance) {
            return Err(source.error(tolerance.span(), "a tolerance belongs to 'equals'"));
        }
        let ends = self.within.map(|ends| (ends.span(), ends.get_ref().as_slice()));
        match (self.at_least.map(of), self.at_most.map(of), ends) {
            (Some(least), _, _) => Ok(Relation::AtLeast(least)),
            (_, Some(most), _) => Ok(Relation::AtMost(most)),
            (_, _, Some((_, &[least, most]))) if least <= most => Ok(Relation::Within(least, most)),
            (_, _, Some((span, _))) => Err(source.error(span, "'within' takes [smallest, largest]")),
            _ => Err(source.error(place, "a check needs a relation")),
        }
    }

    fn check_numbers(self, source: &Source) -> Result<(), Error> {
        let single = [
            self.equals,
            self.tolerance,
            self.relative_tolerance,
            self.at_least,
            self.at_most,
        ];
        let single = single
            .into_iter()
            .flatten()
            .map(|number| (number.span(), *number.get_ref()));
        let ends = self.within.into_iter();
        let ends = ends.flat_map(|ends| ends.get_ref().iter().map(|&end| (ends.span(), end)));
        if let Some((span, number)) = single.chain(ends).find(|(_, number)| !number.is_finite()) {
            return Err(source.error(span, format!("a check can't be made with {number}")));
        }
        let tolerances = [self.tolerance, self.relative_tolerance];
        if let Some(negative) = tolerances.into_iter().flatten().find(|number| *number.get_ref() < 0.0) {
            return Err(source.error(negative.span(), "a tolerance is 0 or more"));
        }
        match tolerances {
            [Some(_), Some(second)] => {
                Err(source.error(second.span(), "give 'tolerance' or 'relative-tolerance', not both"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_relation_holds_up_to_its_ends_and_never_for_nan() {
        let equals = Relation::Equals {
            value: 5.0,
            tolerance: 0.5,
        };
        for (relation, good, bad) in [
            (equals, [4.5, 5.5], [4.4, 5.6]),
            (Relation::AtLeast(2.0), [2.0, 1e300], [1.9, f64::NEG_INFINITY]),
            (Relation::AtMost(2.0), [2.0, -1e300], [2.1, f64::INFINITY]),
            (Relation::Within(-1.0, 1.0), [-1.0, 1.0], [-1.1, 1.1]),
        ] {
            for number in good {
                assert!(relation.holds(number), "{relation:?} {number}");
            }
            for number in bad {
                assert!(!relation.holds(number), "{relation:?} {number}");
            }
            assert!(!relation.holds(f64::NAN), "{relation:?}");
        }
        let exact = Relation::Equals {
            value: 0.1 + 0.2,
            tolerance: 0.0,
        };
        assert!(exact.holds(0.1 + 0.2) && !exact.holds(0.3));
    }

    #[test]
    fn relations_are_shown_as_people_write_them() {
        let show = |number: f64| number.to_string();
        let equals = |tolerance| Relation::Equals { value: 5.0, tolerance };
        assert_eq!(equals(0.0).shown(show), "= 5");
        assert_eq!(equals(0.5).shown(show), "= 5 ± 0.5");
        assert_eq!(Relation::AtLeast(2.0).shown(show), "≥ 2");
        assert_eq!(Relation::AtMost(2.0).shown(show), "≤ 2");
        assert_eq!(Relation::Within(1.0, 2.0).shown(show), "1 to 2");
    }
}
