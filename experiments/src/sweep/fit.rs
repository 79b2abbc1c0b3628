//! The straight line y = a + b x nearest to points in the sense of least squares, and how much of y it explains:
//!
//! b = S_xy / S_xx, a = ȳ − b x̄, R² = S_xy² / (S_xx S_yy), with sums over deviations from the means.

/// A straight line through points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// b, in units of y per unit of x.
    pub slope: f64,
    /// a, the value at x = 0.
    pub intercept: f64,
    /// The share of the variance of y that the line explains; none if all y are the same.
    pub r_squared: Option<f64>,
}

/// Fits a line. There is none through fewer than two different x, nor through points that are no numbers.
pub fn line(points: &[(f64, f64)]) -> Option<Line> {
    let count = points.len() as f64;
    let mean = |pick: fn(&(f64, f64)) -> f64| points.iter().map(pick).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for point in points {
        let (dx, dy) = (point.0 - x, point.1 - y);
        xx += dx * dx;
        xy += dx * dy;
        yy += dy * dy;
    }
    // The deviations of equal x from their mean are rounding, a few units in its last place each.
    let rounding = (4.0 * f64::EPSILON * x).powi(2) * count;
    let slope = xy / xx;
    (xx > rounding && slope.is_finite()).then(|| Line {
        slope,
        intercept: y - slope * x,
        r_squared: (yy > (4.0 * f64::EPSILON * y).powi(2) * count).then(|| xy * xy / (xx * yy)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64, tolerance: f64) -> bool {
        (found - expected).abs() <= tolerance * expected.abs().max(1.0)
    }

    /// Rounding in a hundred terms stays below 1e-13.
    #[test]
    fn points_on_a_line_give_that_line() {
        let points: Vec<(f64, f64)> = (0..100)
            .map(|k| (0.1 * f64::from(k), 3.0 - 0.2 * f64::from(k)))
            .collect();
        let found = line(&points).unwrap();
        assert!(close(found.slope, -2.0, 1e-13), "{found:?}");
        assert!(close(found.intercept, 3.0, 1e-13), "{found:?}");
        assert!(close(found.r_squared.unwrap(), 1.0, 1e-13), "{found:?}");
    }

    /// By hand: x̄ = 3, ȳ = 4, S_xx = 10, S_xy = 6, S_yy = 6, so b = 0.6, a = 2.2, R² = 36/60.
    #[test]
    fn a_small_example_by_hand() {
        let found = line(&[(1.0, 2.0), (2.0, 4.0), (3.0, 5.0), (4.0, 4.0), (5.0, 5.0)]).unwrap();
        assert!(close(found.slope, 0.6, 1e-15));
        assert!(close(found.intercept, 2.2, 1e-15));
        assert!(close(found.r_squared.unwrap(), 0.6, 1e-15));
    }

    /// The first data set of Anscombe (1973), for which he gives y = 3 + 0.5 x and R² = 0.667, to those digits.
    #[test]
    fn published_data() {
        let x = [10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0];
        let y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68];
        let points: Vec<(f64, f64)> = x.into_iter().zip(y).collect();
        let found = line(&points).unwrap();
        assert!((found.slope - 0.5).abs() < 5e-4, "{found:?}");
        assert!((found.intercept - 3.0).abs() < 5e-3, "{found:?}");
        assert!((found.r_squared.unwrap() - 0.667).abs() < 5e-4, "{found:?}");
    }

    #[test]
    fn what_has_no_line_and_what_has_no_variance() {
        assert_eq!(line(&[]), None);
        assert_eq!(line(&[(1.0, 2.0)]), None);
        assert_eq!(line(&[(0.1, 2.0), (0.1, 3.0), (0.1, 4.0)]), None);
        assert_eq!(line(&[(1.0, f64::NAN), (2.0, 3.0)]), None);
        let flat = line(&[(1.0, 0.1), (2.0, 0.1), (4.0, 0.1)]).unwrap();
        assert!(flat.slope.abs() < 1e-16 && flat.r_squared.is_none(), "{flat:?}");
    }
}
