//! Many short lists in two arrays (compressed rows), filled by a counting sort: two passes over the entries, no
//! allocation once the arrays have grown, and within a list the entries keep their order.

/// List `i` is `items[starts[i]..starts[i + 1]]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FlatLists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl FlatLists {
    /// Makes room, so that filling up to these sizes allocates nothing.
    pub(crate) fn reserve(&mut self, lists: usize, items: usize) {
        self.starts.clear();
        self.starts.reserve(lists + 2);
        self.items.clear();
        self.items.reserve(items);
    }

    /// Replaces everything by the entries `(list, item)`; each `list` must be below `count`.
    pub(crate) fn fill(&mut self, count: usize, entries: impl Iterator<Item = (u32, u32)> + Clone) {
        // Sizes go two places further on, so that after summing `starts[i + 1]` is where list `i` begins; placing the
        // items then moves it to where the list ends.
        self.starts.clear();
        if count == 1 {
            // All of them, as they come: nothing to count.
            self.items.clear();
            self.items.extend(entries.map(|(_, item)| item));
            self.starts.extend([0, self.items.len() as u32]);
            return;
        }
        self.starts.resize(count + 2, 0);
        for (list, _) in entries.clone() {
            self.starts[list as usize + 2] += 1;
        }
        for i in 2..count + 2 {
            self.starts[i] += self.starts[i - 1];
        }
        self.items.clear();
        self.items.resize(self.starts[count + 1] as usize, 0);
        for (list, item) in entries {
            let next = &mut self.starts[list as usize + 1];
            self.items[*next as usize] = item;
            *next += 1;
        }
        self.starts.truncate(count + 1);
    }

    /// List `i`; empty if there is no such list.
    pub(crate) fn list(&self, i: usize) -> &[u32] {
        match self.starts.get(i..i + 2) {
            Some(&[start, end]) => &self.items[start as usize..end as usize],
            _ => &[],
        }
    }

    #[cfg(test)]
    pub(crate) fn storage(&self) -> [usize; 2] {
        [self.starts.capacity(), self.items.capacity()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_keep_their_order_within_each_list() {
        let mut lists = FlatLists::default();
        lists.fill(4, [(2, 10), (0, 11), (2, 12), (3, 13), (2, 5)].into_iter());
        assert_eq!(lists.list(0), [11]);
        assert_eq!(lists.list(1), []);
        assert_eq!(lists.list(2), [10, 12, 5]);
        assert_eq!(lists.list(3), [13]);
        assert_eq!(lists.list(4), []);
        lists.fill(1, [(0, 7), (0, 3), (0, 9)].into_iter());
        assert_eq!((lists.list(0), lists.list(1)), (&[7, 3, 9][..], &[][..]));
        lists.fill(0, std::iter::empty());
        assert_eq!(lists.list(0), []);
    }
}
