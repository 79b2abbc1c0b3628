//! Readers of single values; each says what it wants in one line.

use drystone_solver::Criterion;
use drystone_solver::spec::OptionValue;

pub(super) fn step_count(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(steps) if steps > 0 => Ok(steps),
        _ => Err("the number of steps must be a whole number, 1 or more".into()),
    }
}

pub(super) fn every(text: &str) -> Result<u64, String> {
    match text.strip_prefix("every=").map(str::parse) {
        Some(Ok(steps)) if steps > 0 => Ok(steps),
        _ => Err("it must be `every=N`, with N a whole number, 1 or more".into()),
    }
}

pub(super) fn iteration_count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(iterations) if iterations > 0 => Ok(iterations),
        _ => Err("the number of iterations must be a whole number, 1 or more".into()),
    }
}

pub(super) fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("it must be a positive, finite number".into()),
    }
}

pub(super) fn criterion(text: &str) -> Result<Criterion, String> {
    Criterion::read(text).ok_or_else(|| format!("it must be one of {}", Criterion::expects()))
}

pub(super) fn thread_count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads) if threads > 0 => Ok(threads),
        _ => Err("it must be a whole number, 1 or more".into()),
    }
}

pub(super) fn positive_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds.is_finite() => Ok(seconds),
        _ => Err("it must be a positive, finite number of seconds".into()),
    }
}
