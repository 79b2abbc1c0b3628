//! When work is shared out to threads. Whatever is, is done item by item or in pieces whose size does not depend on how
//! many threads there are, so that no bit does either.

/// Below this many bodies, sharing out a pass over them costs more than it saves.
pub(super) const PARALLEL_BODIES: usize = 1024;

/// The same for pairs, which are more work each.
pub(super) const PARALLEL_PAIRS: usize = 256;

/// Whether there are enough items, and threads, to share them out.
pub(super) fn is_shared(items: usize, least: usize) -> bool {
    items >= least && rayon::current_num_threads() > 1
}

/// Hands those of some things whose sorted indices are given to `work`, with their place among the indices.
pub(super) fn for_each_of<T: Send>(things: &mut [T], indices: &[u32], work: &(impl Fn(usize, &mut T) + Sync)) {
    go(things, 0, indices, 0, work, rayon::current_num_threads());
}

/// The same for a stretch of the things that begins at `from`, and one of the indices that begins at `place`.
fn go<T: Send>(
    things: &mut [T],
    from: u32,
    indices: &[u32],
    place: usize,
    work: &(impl Fn(usize, &mut T) + Sync),
    threads: usize,
) {
    let half = indices.len() / 2;
    if threads < 2 || half < PARALLEL_BODIES / 4 {
        for (place, &index) in (place..).zip(indices) {
            work(place, &mut things[(index - from) as usize]);
        }
        return;
    }
    let (indices, later_indices) = indices.split_at(half);
    let middle = later_indices[0];
    let (things, later_things) = things.split_at_mut((middle - from) as usize);
    rayon::join(
        || go(things, from, indices, place, work, threads / 2),
        || {
            go(
                later_things,
                middle,
                later_indices,
                place + half,
                work,
                threads - threads / 2,
            )
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_named_is_done_once() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let indices: Vec<u32> = (0..4000).filter(|index| index % 3 != 1).collect();
        let mut things = vec![0_usize; 4000];
        pool.install(|| for_each_of(&mut things, &indices, &|place, thing: &mut usize| *thing += place + 1));
        let mut expected = vec![0; 4000];
        for (place, &index) in indices.iter().enumerate() {
            expected[index as usize] = place + 1;
        }
        assert_eq!(things, expected);
    }
}
