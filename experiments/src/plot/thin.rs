//! Long series made short without losing what matters: of every bucket of neighbours the smallest and the largest value
//! stay, so that a spike of one step in a hundred thousand is still seen.

/// At most about twice as many points stay.
pub const BUCKETS: usize = 300;

/// Thins points that are in the order of x. A value that is no finite number is a gap; a bucket of nothing else stays one.
pub fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    if points.len() <= 2 * BUCKETS {
        return points.to_vec();
    }
    let mut kept = Vec::with_capacity(2 * BUCKETS + 2);
    for bucket in 0..BUCKETS {
        let range = bucket * points.len() / BUCKETS..(bucket + 1) * points.len() / BUCKETS;
        let finite = || range.clone().filter(|&k| points[k].1.is_finite());
        let smallest = finite().min_by(|&a, &b| points[a].1.total_cmp(&points[b].1));
        let largest = finite().max_by(|&a, &b| points[a].1.total_cmp(&points[b].1));
        match smallest.zip(largest) {
            None => kept.push((points[range.start].0, f64::NAN)),
            Some((a, b)) if a == b => kept.push(points[a]),
            Some((a, b)) => kept.extend([points[a.min(b)], points[a.max(b)]]),
        }
    }
    // The ends are where a series begins and ends, whatever their values.
    if let (Some(first), Some(last)) = (points.first(), points.last()) {
        if kept.first() != Some(first) {
            kept.insert(0, *first);
        }
        if kept.last() != Some(last) {
            kept.push(*last);
        }
    }
    kept
}

/// Every so many of `count` places, the last among them, at most about twice [`BUCKETS`]: for what has several values at
/// one place.
pub fn thinned_indices(count: usize) -> Vec<usize> {
    let stride = count.div_ceil(2 * BUCKETS).max(1);
    let mut indices: Vec<usize> = (0..count).step_by(stride).collect();
    if indices.last().is_some_and(|&last| last + 1 < count) {
        indices.push(count - 1);
    }
    indices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spikes_survive() {
        let mut points: Vec<(f64, f64)> = (0..100_000).map(|k| (f64::from(k), 1.0)).collect();
        points[54_321].1 = 1e6;
        points[77_777].1 = -3.0;
        let kept = thinned(&points);
        assert!(kept.len() <= 2 * BUCKETS + 2, "{}", kept.len());
        assert!(kept.contains(&(54_321.0, 1e6)) && kept.contains(&(77_777.0, -3.0)));
        assert!(kept.windows(2).all(|pair| pair[0].0 < pair[1].0), "the order stays");
        assert_eq!((kept[0].0, kept[kept.len() - 1].0), (0.0, 99_999.0));
    }

    #[test]
    fn short_series_stay_as_they_are() {
        let points = [(0.0, 1.0), (1.0, f64::NAN), (2.0, 3.0)];
        assert_eq!(thinned(&points).len(), 3);
        assert!(thinned(&[]).is_empty());
    }

    #[test]
    fn gaps_stay_gaps() {
        let value = |k: u32| if (2_000..4_000).contains(&k) { f64::NAN } else { 1.0 };
        let points: Vec<(f64, f64)> = (0..6_000).map(|k| (f64::from(k), value(k))).collect();
        let gaps = thinned(&points).iter().filter(|point| point.1.is_nan()).count();
        assert!((95..=105).contains(&gaps), "{gaps}");
    }

    #[test]
    fn the_last_place_is_kept() {
        for count in [0, 1, 599, 600, 601, 100_000] {
            let indices = thinned_indices(count);
            assert_eq!(indices.last().copied(), count.checked_sub(1));
            assert!(indices.len() <= 2 * BUCKETS + 1);
        }
    }
}
