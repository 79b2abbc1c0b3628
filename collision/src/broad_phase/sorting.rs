//! Sorting that broad phases share: an order that is nearly right already, and pairs in order of their bodies.

/// Shifts per item an insertion sort may make before a full sort is cheaper.
const SHIFTS_PER_ITEM: usize = 16;

/// Fewer pairs than this are sorted directly.
const FEW_PAIRS: usize = 64;

/// More than this are sorted on several threads.
const MANY_PAIRS: usize = 8192;

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
        order_partners(&self.starts[..=bodies], 0, &mut self.partners, pairs);
    }
}

/// Sorts the partners of some bodies, from a first one on, and writes their pairs: halves side by side if there are many.
fn order_partners(starts: &[u32], first: u32, partners: &mut [u32], pairs: &mut [(u32, u32)]) {
    let bodies = starts.len() - 1;
    if pairs.len() > MANY_PAIRS && bodies > 1 && rayon::current_num_threads() > 1 {
        let middle = bodies / 2;
        let split = (starts[middle] - starts[0]) as usize;
        let (lower_partners, upper_partners) = partners.split_at_mut(split);
        let (lower, upper) = pairs.split_at_mut(split);
        rayon::join(
            || order_partners(&starts[..=middle], first, lower_partners, lower),
            || order_partners(&starts[middle..], first + middle as u32, upper_partners, upper),
        );
        return;
    }
    for (body, ends) in (first..).zip(starts.windows(2)) {
        let places = (ends[0] - starts[0]) as usize..(ends[1] - starts[0]) as usize;
        let partners = &mut partners[places.clone()];
        partners.sort_unstable();
        for (pair, &partner) in pairs[places].iter_mut().zip(&*partners) {
            *pair = (body, partner);
        }
    }
}
