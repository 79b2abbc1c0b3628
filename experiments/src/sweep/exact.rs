//! Numbers in JSON that read back as they were. JSON has no NaN and no infinities, and they matter here: a run that blew
//! up must not look like one that was not measured after a sweep is resumed. They are written as texts.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A number that may be anything.
#[derive(Debug, Clone, Copy)]
struct Exact(f64);

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.is_finite() {
            true => serializer.serialize_f64(self.0),
            false => serializer.serialize_str(&self.0.to_string()),
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum NumberOrText {
    Number(f64),
    Text(String),
}

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match NumberOrText::deserialize(deserializer)? {
            NumberOrText::Number(number) => Ok(Self(number)),
            NumberOrText::Text(text) => text.parse().map(Self).map_err(de::Error::custom),
        }
    }
}

/// For values that may be missing.
pub(super) mod options {
    use super::{Deserialize, Deserializer, Exact, Serializer};

    pub(in super::super) fn serialize<S: Serializer>(values: &[Option<f64>], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(|value| value.map(Exact)))
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Option<f64>>, D::Error> {
        let values = Vec::<Option<Exact>>::deserialize(from)?;
        Ok(values.into_iter().map(|value| value.map(|exact| exact.0)).collect())
    }
}

/// For lists of points.
pub(super) mod points {
    use super::{Deserialize, Deserializer, Exact, Serializer};

    type Points = Vec<Vec<(f64, f64)>>;

    pub(in super::super) fn serialize<S: Serializer>(lists: &Points, serializer: S) -> Result<S::Ok, S::Error> {
        let list = |points: &Vec<(f64, f64)>| points.iter().map(|&(x, y)| (Exact(x), Exact(y))).collect::<Vec<_>>();
        serializer.collect_seq(lists.iter().map(list))
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Points, D::Error> {
        let lists = Vec::<Vec<(Exact, Exact)>>::deserialize(deserializer)?;
        let list = |points: Vec<(Exact, Exact)>| points.into_iter().map(|(x, y)| (x.0, y.0)).collect();
        Ok(lists.into_iter().map(list).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Kept {
        #[serde(with = "options")]
        values: Vec<Option<f64>>,
        #[serde(with = "points")]
        points: Vec<Vec<(f64, f64)>>,
    }

    #[test]
    fn every_number_reads_back_with_the_same_bits() {
        let values = [0.1 + 0.2, -0.0, 5e-324, f64::MAX, 3.0, f64::INFINITY, f64::NEG_INFINITY];
        let kept = Kept {
            values: values.iter().copied().map(Some).chain([None, Some(f64::NAN)]).collect(),
            points: vec![vec![(1.0 / 3.0, f64::INFINITY)], vec![]],
        };
        let text = serde_json::to_string(&kept).unwrap();
        let back: Kept = serde_json::from_str(&text).unwrap();
        assert_eq!(back.points, kept.points);
        for (found, value) in back.values.iter().zip(&kept.values) {
            let same = found.map(f64::to_bits) == value.map(f64::to_bits);
            assert!(
                same || found.zip(*value).is_some_and(|(a, b)| a.is_nan() && b.is_nan()),
                "{text}"
            );
        }
        assert_eq!(back.values.len(), kept.values.len());
    }
}
