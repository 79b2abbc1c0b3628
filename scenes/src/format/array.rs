//! Arrays of an exact length.
//!
//! The TOML reader accepts an array that is too long for a Rust array and drops the rest, so `[0, 0, 1, 2]` would be
//! a position. These refuse it.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};

/// For `deserialize_with`: an array of `N` elements, neither more nor less.
pub(super) fn exactly<'de, D, T, const N: usize>(deserializer: D) -> Result<[T; N], D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    deserializer.deserialize_seq(Exactly(PhantomData))
}

/// For `deserialize_with` and `default`: the same for a key that may be left out.
pub(super) fn exactly_if_given<'de, D, T, const N: usize>(deserializer: D) -> Result<Option<[T; N]>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    exactly(deserializer).map(Some)
}

struct Exactly<T, const N: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const N: usize> Visitor<'de> for Exactly<T, N> {
    type Value = [T; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an array of {N} elements")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<[T; N], A::Error> {
        let mut elements = Vec::with_capacity(N);
        while let Some(element) = sequence.next_element()? {
            elements.push(element);
        }
        let length = elements.len();
        elements.try_into().map_err(|_| A::Error::invalid_length(length, &self))
    }
}
