//! `seeds` of an experiment file: a list of whole numbers, or a range of them.

use drystone_scenes::toml_message;
use toml::{Spanned, Value};

use super::file::Source;
use super::range::Range;
use crate::error::Error;

/// The seeds, at least one and each once.
pub(super) fn read_seeds(source: &Source, given: &Spanned<Value>) -> Result<Vec<u64>, Error> {
    let told = |message: String| source.error(given.span(), message);
    let seeds = match given.get_ref() {
        Value::Table(table) => {
            let range: Range = table
                .clone()
                .try_into()
                .map_err(|error: toml::de::Error| told(format!("seeds: {}", toml_message(error.message()))))?;
            let values = range.values().map_err(|message| told(format!("seeds: {message}")))?;
            values
                .into_iter()
                .map(whole)
                .collect::<Result<Vec<_>, _>>()
                .map_err(told)?
        }
        Value::Array(list) => {
            let seed = |value: &Value| value.as_integer().and_then(|number| u64::try_from(number).ok());
            let seeds: Option<Vec<u64>> = list.iter().map(seed).collect();
            seeds.ok_or_else(|| told("seeds must be a list of whole numbers, 0 or more, or a range of them".into()))?
        }
        _ => {
            return Err(told(
                "seeds must be a list of whole numbers, 0 or more, or a range of them".into(),
            ));
        }
    };
    if seeds.is_empty() {
        let message = "seeds is an empty list; leave it out for the seeds of scenes and solvers";
        return Err(told(message.into()));
    }
    let mut sorted = seeds.clone();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(told(format!("seed {} is there twice; repetitions do that", pair[0]))),
        None => Ok(seeds),
    }
}

/// Whole numbers up to here are exact in a range.
const LARGEST: f64 = 9_007_199_254_740_992.0;

fn whole(value: f64) -> Result<u64, String> {
    match value.fract() == 0.0 && (0.0..=LARGEST).contains(&value) {
        true => Ok(value as u64),
        false => Err(format!("seeds must be whole numbers, 0 or more, not {value}")),
    }
}
