//! An edge's memory for warm starts (§5.5): the impulses at its contact points, used as the next step's first guess.
//! Contact points come in another order each step and some come and go, so each is found again by a key made from the
//! geometric features that touched.

/// Impulses kept on an edge between steps, found again by the feature that made the contact point.
///
/// `K` is the key of a feature, `ROWS` the impulses at one point: normal and two tangents unless said otherwise. An
/// edge has some four to eight points, so a search runs through them all.
#[derive(Clone, Debug, PartialEq)]
pub struct ImpulseCache<K: Copy + Eq, const ROWS: usize = 3> {
    entries: Vec<(K, [f64; ROWS])>,
}

impl<K: Copy + Eq, const ROWS: usize> Default for ImpulseCache<K, ROWS> {
    fn default() -> Self {
        ImpulseCache { entries: Vec::new() }
    }
}

impl<K: Copy + Eq, const ROWS: usize> ImpulseCache<K, ROWS> {
    /// An empty cache; it allocates nothing until impulses are stored.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets all impulses and keeps these instead. Memory is reused.
    pub fn store(&mut self, impulses: impl IntoIterator<Item = (K, [f64; ROWS])>) {
        self.entries.clear();
        self.entries.extend(impulses);
    }

    /// The impulses stored under a key; the first ones if the key was stored twice.
    #[must_use]
    pub fn get(&self, key: &K) -> Option<[f64; ROWS]> {
        self.entries
            .iter()
            .find(|(stored, _)| stored == key)
            .map(|&(_, impulses)| impulses)
    }

    /// All entries in the order they were stored.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &(K, [f64; ROWS])> {
        self.entries.iter()
    }

    /// Forgets all impulses.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// How many points are remembered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impulses_are_found_by_feature_after_reordering() {
        let points = [
            ((3u32, 1u32), [1.0, 0.1, 0.2]),
            ((0, 7), [2.0, 0.3, 0.4]),
            ((1, 3), [3.0, 0.5, 0.6]),
        ];
        let mut cache: ImpulseCache<(u32, u32)> = ImpulseCache::new();
        cache.store(points);
        for rotation in 0..3 {
            let mut later = points;
            later.rotate_left(rotation);
            for (key, impulses) in later {
                assert_eq!(cache.get(&key), Some(impulses));
            }
            cache.store(later);
            assert_eq!(cache.len(), 3);
        }
        // The features are ordered: one body's (1, 3) is not the other's (3, 1).
        assert_ne!(cache.get(&(1, 3)), cache.get(&(3, 1)));
        assert_eq!(cache.get(&(7, 0)), None);
    }

    #[test]
    fn storing_replaces_everything_and_reuses_memory() {
        let mut cache: ImpulseCache<u8, 1> = ImpulseCache::new();
        cache.store((0..8).map(|key| (key, [f64::from(key)])));
        let capacity = cache.entries.capacity();
        cache.store([(9, [9.0]), (9, [10.0])]);
        assert_eq!(cache.get(&0), None);
        assert_eq!(cache.get(&9), Some([9.0]), "the first of two equal keys");
        assert_eq!(cache.len(), 2);
        cache.clear();
        assert!(cache.is_empty() && cache.get(&9).is_none());
        assert_eq!(cache.entries.capacity(), capacity);
    }
}
