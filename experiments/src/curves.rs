//! How residuals fell: curves against iterations and against time, as plots, as CSV, and as a rate.
//!
//! Measuring a residual costs about as much as an iteration of Gauss–Seidel, so times are taken from a solve that
//! measures nothing. Its time is spread evenly over its iterations: the end of a curve is where it was measured, and
//! what lies between assumes that iterations take equally long.

use std::path::Path;

use crate::error::Error;
use crate::plot::{Axis, Mark, Plot, Series};
use crate::steps_csv::{csv_error, finish_csv};
use crate::whole_file::{WholeFile, write_text};

/// The plot against iterations.
pub const ITERATIONS_SVG: &str = "convergence-iterations.svg";
/// The plot against time.
pub const TIME_SVG: &str = "convergence-time.svg";

/// The course of one solve.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// What was solved.
    pub problem: String,
    /// The solver as it was typed.
    pub solver: String,
    /// Natural residual at the start and after every iteration, m/s.
    pub residuals: Vec<f64>,
    /// Time of the solve without measuring.
    pub seconds: f64,
}

impl Curve {
    /// Iterations.
    pub fn iterations(&self) -> usize {
        self.residuals.len().saturating_sub(1)
    }

    /// When an iteration ended.
    fn time(&self, iteration: usize) -> f64 {
        self.seconds * iteration as f64 / self.iterations().max(1) as f64
    }

    /// The factor by which an iteration shrinks the residual in the end: the slope of its logarithm, fitted by least
    /// squares over the later half of the iterations up to the smallest residual. What is below 10⁻¹⁴ of the largest
    /// residual is rounding and is left out. There is no rate with fewer than four points, nor where the logarithm is no
    /// straight line (less than nine tenths of its variance are explained): plateaus, and faster than linear methods.
    pub fn rate(&self) -> Option<f64> {
        const ROUNDING: f64 = 1e-14;
        let floor = ROUNDING * self.residuals.iter().copied().fold(0.0, f64::max);
        let falling = self.residuals.iter().copied().enumerate();
        let falling = falling.take_while(|(_, residual)| *residual > floor && residual.is_finite());
        let smallest = falling
            .clone()
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .map_or(0, |(index, _)| index);
        let falling: Vec<(f64, f64)> = falling
            .take(smallest + 1)
            .map(|(iteration, residual)| (iteration as f64, residual.ln()))
            .collect();
        let tail = &falling[falling.len() / 2..];
        if tail.len() < 4 {
            return None;
        }
        let count = tail.len() as f64;
        let mean = |pick: fn(&(f64, f64)) -> f64| tail.iter().map(pick).sum::<f64>() / count;
        let (x, y) = (mean(|point| point.0), mean(|point| point.1));
        let sum = |term: &dyn Fn(f64, f64) -> f64| tail.iter().map(|point| term(point.0 - x, point.1 - y)).sum::<f64>();
        let (xx, xy, yy) = (sum(&|a, _| a * a), sum(&|a, b| a * b), sum(&|_, b| b * b));
        (xy * xy >= 0.9 * xx * yy && yy > 0.0).then(|| (xy / xx).exp())
    }
}

/// Iterations for one more digit at a rate; none at a rate that gains nothing.
pub fn iterations_per_digit(rate: f64) -> Option<f64> {
    (rate < 1.0).then(|| -std::f64::consts::LN_10 / rate.ln())
}

/// Writes both plots.
pub fn write_plots(directory: &Path, title: &str, subtitle: &str, curves: &[Curve]) -> Result<(), Error> {
    let longest = curves.iter().map(Curve::iterations).max().unwrap_or(0);
    let plot = |x: Axis, first: usize, place: fn(&Curve, usize) -> f64, title: String| Plot {
        title,
        subtitle: subtitle.to_owned(),
        x,
        y: Axis::log("natural residual, m/s"),
        series: curves
            .iter()
            .map(|curve| Series {
                label: curve.solver.clone(),
                mark: Mark::Line,
                points: (first..curve.residuals.len())
                    .map(|k| (place(curve, k), curve.residuals[k]))
                    .collect(),
            })
            .collect(),
    };
    // Among thousands of sweeps, ten Newton steps would be a line along the axis; a logarithm has no place for the start.
    let (axis, first) = if longest > 50 {
        let axis = Axis {
            range: Some((1.0, longest as f64)),
            ..Axis::log("iteration")
        };
        (axis, 1)
    } else {
        (Axis::whole("iteration"), 0)
    };
    let by_iteration = plot(
        axis,
        first,
        |_, k| k as f64,
        format!("{title}: residual against iterations"),
    );
    let by_time = plot(
        Axis::log("time, s"),
        1,
        Curve::time,
        format!("{title}: residual against time"),
    );
    write_text(directory, ITERATIONS_SVG, &by_iteration.render())?;
    write_text(directory, TIME_SVG, &by_time.render())
}

/// Writes every point of the curves: what was solved under the heading `problem`, then solver, iteration, seconds,
/// residual.
pub fn write_csv(directory: &Path, name: &str, problem: &str, curves: &[Curve]) -> Result<(), Error> {
    let mut writer = csv::Writer::from_writer(WholeFile::create(directory, name)?);
    let result = (|| {
        writer.write_record([problem, "solver", "iteration", "seconds", "residual"])?;
        for curve in curves {
            for (iteration, residual) in curve.residuals.iter().enumerate() {
                writer.serialize((
                    &curve.problem,
                    &curve.solver,
                    iteration,
                    curve.time(iteration),
                    residual,
                ))?;
            }
        }
        Ok(())
    })();
    result.map_err(csv_error(directory, name))?;
    finish_csv(writer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(residuals: Vec<f64>) -> Curve {
        Curve {
            problem: "p".into(),
            solver: "s".into(),
            residuals,
            seconds: 2.0,
        }
    }

    #[test]
    fn the_rate_is_that_of_the_tail() {
        // A fast beginning, then 0.9 an iteration down to rounding.
        let mut residuals = vec![1.0, 0.1];
        residuals.extend((1..400).map(|k| 0.1 * 0.9_f64.powi(k)));
        residuals.extend([0.0; 50]);
        let rate = curve(residuals).rate().unwrap();
        assert!((rate - 0.9).abs() < 1e-9, "{rate}");
        assert!((iterations_per_digit(0.1).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(iterations_per_digit(1.0), None);
    }

    #[test]
    fn too_few_iterations_have_no_rate() {
        assert_eq!(curve(vec![1.0, 0.1, 0.01]).rate(), None);
        assert_eq!(curve(vec![]).rate(), None);
        assert_eq!(curve(vec![0.0; 20]).rate(), None);
        assert_eq!(curve(vec![0.5; 20]).rate(), None);
    }

    #[test]
    fn a_plateau_has_no_rate() {
        let residuals = (0..100).map(|k| 1e-3 * (1.0 + 1e-3 * f64::from(k).sin()));
        assert_eq!(curve(residuals.collect()).rate(), None);
    }

    #[test]
    fn time_is_spread_over_iterations() {
        let curve = curve(vec![1.0, 0.5, 0.2, 0.1, 0.0]);
        assert_eq!((curve.time(0), curve.time(2), curve.time(4)), (0.0, 1.0, 2.0));
    }
}
