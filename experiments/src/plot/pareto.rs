//! Pareto fronts: of points for which less is better both ways, those that no other beats.

/// The indices of the points on the front, from left to right. A point that is no number is on none; of equal points the
/// first is.
pub fn front(points: &[(f64, f64)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len())
        .filter(|&k| points[k].0.is_finite() && points[k].1.is_finite())
        .collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (points[a], points[b]);
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    let mut lowest = f64::INFINITY;
    order.retain(|&k| {
        let better = points[k].1 < lowest;
        lowest = lowest.min(points[k].1);
        better
    });
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nothing_beats_is_on_the_front() {
        let points = [
            (3.0, 1.0),
            (1.0, 3.0),
            (2.0, 3.5),
            (2.0, 2.0),
            (4.0, 1.0),
            (0.5, f64::NAN),
        ];
        assert_eq!(front(&points), [1, 3, 0]);
        assert_eq!(front(&[(1.0, 1.0), (1.0, 1.0)]), [0]);
        assert!(front(&[]).is_empty());
    }
}
