//! How residuals fell over the steps of a run: from `convergence.csv`, quantiles over steps against iterations and time.
//!
//! The residual of a step after k iterations is the largest of its groups'; a group that has ended stays where it ended, as
//! in [`crate::capture`]. A step's time is spread evenly over its iterations, as in [`crate::curves`]. Of long runs every
//! so many steps are taken, so that the file may be of any length.

use std::path::Path;

use super::csv_table::{open, unreadable};
use crate::error::Error;

/// So many steps are enough for quantiles.
const MOST_STEPS: u64 = 600;
/// So many iterations or times are enough for a curve.
const MOST_PLACES: usize = 160;

/// The course of one step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepHistory {
    /// Which step.
    pub step: u64,
    /// Residuals, m/s: all from the start on, or that of the last iteration alone.
    pub residuals: Vec<f64>,
    /// Iterations.
    pub iterations: usize,
}

/// The steps that were looked at.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Histories {
    /// In order.
    pub steps: Vec<StepHistory>,
    /// Every so many steps of the run.
    pub stride: u64,
}

impl Histories {
    /// Reads a `convergence.csv` of a run of so many steps.
    pub fn read(path: &Path, steps: u64) -> Result<Self, Error> {
        let stride = steps.div_ceil(MOST_STEPS).max(1);
        let mut reader = csv::Reader::from_reader(open(path)?);
        let mut record = csv::ByteRecord::new();
        let mut histories = Self {
            steps: Vec::new(),
            stride,
        };
        let mut current = Current::default();
        while reader
            .read_byte_record(&mut record)
            .map_err(|error| unreadable(path, &error))?
        {
            let line = record.position().map_or(0, csv::Position::line);
            let wrong = |column: &str| {
                let path = path.display();
                Error::Input(format!("{path}: line {line}: column '{column}' has no fitting number"))
            };
            let step: u64 = parse(record.get(0)).ok_or_else(|| wrong("step"))?;
            if !step.is_multiple_of(stride) {
                continue;
            }
            let group: usize = parse(record.get(1)).ok_or_else(|| wrong("group"))?;
            let iteration: usize = parse(record.get(2)).ok_or_else(|| wrong("iteration"))?;
            let residual: f64 = parse(record.get(3)).unwrap_or(f64::NAN);
            if step != current.step {
                histories.steps.extend(current.finish());
                current.step = step;
            }
            current.add(group, iteration, residual);
        }
        histories.steps.extend(current.finish());
        Ok(histories)
    }

    /// Whether every iteration was measured, not the last one alone.
    pub fn has_curves(&self) -> bool {
        self.steps.iter().any(|step| step.residuals.len() > 1)
    }

    /// Quantiles against iterations: iteration, tenth, median and nine tenths of the steps.
    pub fn against_iterations(&self) -> Vec<[f64; 4]> {
        let longest = self.steps.iter().map(|step| step.iterations).max().unwrap_or(0);
        let at = |step: &StepHistory, k: f64| step.at(k);
        places(longest)
            .into_iter()
            .filter_map(|k| quantiles(k, self.steps.iter().map(|step| at(step, k))))
            .collect()
    }

    /// Quantiles against the time of a solve, µs; `solve_us` has the time of every step of the run, from step 1.
    pub fn against_time(&self, solve_us: &[f64]) -> Vec<[f64; 4]> {
        let time = |step: &StepHistory| {
            let index = usize::try_from(step.step).ok()?.checked_sub(1)?;
            solve_us
                .get(index)
                .copied()
                .filter(|time| time.is_finite() && *time > 0.0)
        };
        let timed: Vec<(&StepHistory, f64)> = self.steps.iter().filter_map(|step| Some((step, time(step)?))).collect();
        // A step that the system kept waiting must not stretch the axis.
        let mut times: Vec<f64> = timed.iter().map(|(_, time)| *time).collect();
        times.sort_by(f64::total_cmp);
        let Some(end) = quantile(&times, 0.95) else {
            return Vec::new();
        };
        let place = |k: usize| end * k as f64 / MOST_PLACES as f64;
        (1..=MOST_PLACES)
            .filter_map(|k| {
                let at =
                    |(step, whole): &(&StepHistory, f64)| step.at((place(k) / whole).min(1.0) * step.iterations as f64);
                quantiles(place(k), timed.iter().map(at))
            })
            .collect()
    }
}

impl StepHistory {
    /// The residual that was reached after so many iterations; the last one stays.
    fn at(&self, iterations: f64) -> f64 {
        let index = (iterations.floor() as usize).min(self.residuals.len().saturating_sub(1));
        self.residuals.get(index).copied().unwrap_or(f64::NAN)
    }
}

/// The step being read.
#[derive(Debug, Default)]
struct Current {
    step: u64,
    groups: Vec<StepHistory>,
    group: Option<usize>,
}

impl Current {
    fn add(&mut self, group: usize, iteration: usize, residual: f64) {
        if self.group != Some(group) {
            self.group = Some(group);
            self.groups.push(StepHistory {
                step: self.step,
                residuals: Vec::new(),
                iterations: 0,
            });
        }
        if let Some(history) = self.groups.last_mut() {
            history.residuals.push(residual);
            history.iterations = iteration;
        }
    }

    /// The worst of the groups, iteration by iteration.
    fn finish(&mut self) -> Option<StepHistory> {
        self.group = None;
        let groups = std::mem::take(&mut self.groups);
        let longest = groups.iter().map(|group| group.residuals.len()).max()?;
        let at = |k: usize| {
            groups
                .iter()
                .filter_map(|group| group.residuals.get(k).or(group.residuals.last()))
                .fold(
                    f64::NAN,
                    |worst, &residual| if residual.is_nan() { worst } else { residual.max(worst) },
                )
        };
        Some(StepHistory {
            step: self.step,
            residuals: (0..longest).map(at).collect(),
            iterations: groups.iter().map(|group| group.iterations).max().unwrap_or(0),
        })
    }
}

fn parse<T: std::str::FromStr>(bytes: Option<&[u8]>) -> Option<T> {
    std::str::from_utf8(bytes?).ok()?.parse().ok()
}

/// All iterations, or so many that they look evenly spread on a logarithmic axis.
fn places(longest: usize) -> Vec<f64> {
    if longest <= MOST_PLACES {
        return (0..=longest).map(|k| k as f64).collect();
    }
    let last = longest as f64;
    let mut places: Vec<f64> = (0..=MOST_PLACES)
        .map(|k| last.powf(k as f64 / MOST_PLACES as f64).round())
        .collect();
    places.dedup();
    places.insert(0, 0.0);
    places
}

fn quantiles(place: f64, values: impl Iterator<Item = f64>) -> Option<[f64; 4]> {
    let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    let at = |share| quantile(&values, share);
    Some([place, at(0.1)?, at(0.5)?, at(0.9)?])
}

/// Of sorted values.
pub(super) fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    sorted.get((share * last as f64).round() as usize).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, steps: u64) -> Histories {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("convergence.csv");
        std::fs::write(&path, format!("step,group,iteration,residual\n{text}")).unwrap();
        Histories::read(&path, steps).unwrap()
    }

    #[test]
    fn a_step_is_its_worst_group_and_groups_stay_where_they_ended() {
        let histories = read("1,0,0,4\n1,0,1,1\n1,1,0,3\n1,1,1,2\n1,1,2,0.5\n2,0,0,8\n", 2);
        assert_eq!(histories.steps[0].residuals, [4.0, 2.0, 1.0]);
        assert_eq!((histories.steps[0].iterations, histories.steps.len()), (2, 2));
        // Medians of two values are the upper one; step 2 stays at 8.
        assert_eq!(histories.against_iterations()[2], [2.0, 1.0, 8.0, 8.0]);
    }

    #[test]
    fn times_are_spread_over_iterations() {
        let histories = read("1,0,0,4\n1,0,1,2\n1,0,2,1\n", 1);
        let curve = histories.against_time(&[100.0]);
        let at = |time: f64| curve.iter().find(|point| point[0] >= time).unwrap()[2];
        assert_eq!((at(10.0), at(60.0), at(100.0)), (4.0, 2.0, 1.0));
        assert!(histories.against_time(&[]).is_empty());
    }

    #[test]
    fn final_residuals_are_no_curves() {
        let histories = read("1,0,40,1e-3\n2,0,30,1e-4\n", 2);
        assert!(!histories.has_curves());
        assert_eq!(histories.steps[0].iterations, 40);
    }

    #[test]
    fn long_runs_are_sampled() {
        let rows: String = (1..=6000).map(|step| format!("{step},0,0,1\n")).collect();
        let histories = read(&rows, 6000);
        assert_eq!((histories.stride, histories.steps.len()), (10, 600));
    }

    #[test]
    fn a_curve_has_few_places() {
        let places = places(100_000);
        assert!(places.len() <= MOST_PLACES + 2 && places[0] == 0.0);
        assert_eq!(places.last(), Some(&100_000.0));
    }
}
