//! Sorting that broad phases share: an order that is nearly right already, and pairs in order of their bodies.

/// Shifts per item an insertion sort may make before a full sort is cheaper.
const SHIFTS_PER_ITEM: usize = 16;

/// Fewer pairs than this are sorted directly.
const FEW_PAIRS: usize = 64;

/// Sorts in place by insertion; gives up and returns false when the order turns out to be far from sorted.
pub(super) fn repair<T: Copy>(items: &mut [T], precedes: impl Fn(&T, &T) -> bool) -> bool {
    let mut shifts_left = SHIFTS_PER_ITEM * items.len();
    for end in 1..items.len() {
        let moving = items[end];
        let mut place = end;
        while place > 0 && precedes(&moving, &items[place - 1]) {
            items[place] = items[place - 1];
            place -= 1;
        }
        items[place] = moving;
        match shifts_left.checked_sub(end - place) {
            Some(left) => shifts_left = left,
            None => return false,
        }
    }
    true
}

/// Sorts pairs by counting how many begin with each body, in time proportional to bodies and pairs.
#[derive(Clone, Debug, Default)]
pub(super) struct PairSorter {
    /// Where the partners of each body begin, and with one more where they end.
    starts: Vec<u32>,
    partners: Vec<u32>,
}

impl PairSorter {
    /// Sorts pairs of bodies numbered below `bodies`.
    pub(super) fn sort(&mut self, bodies: usize, pairs: &mut [(u32, u32)]) {
        if pairs.len() < FEW_PAIRS {
            pairs.sort_unstable();
            return;
        }
        // Counts are kept two places further on, where filling moves them to the ends of their bodies.
        self.starts.clear();
        self.starts.resize(bodies + 2, 0);
        for &(a, _) in pairs.iter() {
            self.starts[a as usize + 2] += 1;
        }
        for body in 2..self.starts.len() {
            self.starts[body] += self.starts[body - 1];
        }
        self.partners.clear();
        self.partners.resize(pairs.len(), 0);
        for &(a, b) in pairs.iter() {
            let place = &mut self.starts[a as usize + 1];
            self.partners[*place as usize] = b;
            *place += 1;
        }
        for a in 0..bodies {
            let (start, end) = (self.starts[a] as usize, self.starts[a + 1] as usize);
            let partners = &mut self.partners[start..end];
            partners.sort_unstable();
            for (pair, &b) in pairs[start..end].iter_mut().zip(&*partners) {
                *pair = (a as u32, b);
            }
        }
    }
}
