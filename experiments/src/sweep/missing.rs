//! Says which runs of a sweep are missing, in a few lines however many they are.

use super::shard::{Shard, shard_of};

/// So many stretches of numbers are written out.
const MOST: usize = 12;

/// A line for each shard that is missing or has runs missing; `present` are the shards that were found.
pub(super) fn words(missing: &[usize], present: &[Shard]) -> Vec<String> {
    let Some(count) = present.first().map(|shard| shard.count) else {
        return match missing {
            [] => Vec::new(),
            missing => vec![format!("{}: {}", are_missing(missing.len()), stretches(missing))],
        };
    };
    let mut lines = Vec::new();
    for number in 1..=count {
        let of_it = missing.iter().copied().filter(|&run| shard_of(run, count) == number);
        let of_it: Vec<usize> = of_it.collect();
        let shard = Shard { number, count };
        if of_it.is_empty() {
            continue;
        }
        let runs = stretches(&of_it);
        lines.push(match present.contains(&shard) {
            true => format!("of shard {shard} {}: {runs}", are_missing(of_it.len())),
            false => format!("shard {shard} is missing, with its {}: {runs}", several(of_it.len())),
        });
    }
    lines
}

fn several(count: usize) -> String {
    format!("{count} run{}", if count == 1 { "" } else { "s" })
}

fn are_missing(count: usize) -> String {
    format!("{} {} missing", several(count), if count == 1 { "is" } else { "are" })
}

/// `1, 4..6, 9`, and how many more there are.
fn stretches(numbers: &[usize]) -> String {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match found.last_mut() {
            Some((_, end)) if *end + 1 == number => *end = number,
            _ => found.push((number, number)),
        }
    }
    let show = |&(begin, end): &(usize, usize)| match end - begin {
        0 => begin.to_string(),
        1 => format!("{begin}, {end}"),
        _ => format!("{begin}..{end}"),
    };
    let mut text = found.iter().take(MOST).map(show).collect::<Vec<_>>().join(", ");
    let rest: usize = found.iter().skip(MOST).map(|(begin, end)| end - begin + 1).sum();
    if rest > 0 {
        text.push_str(&format!(" and {rest} more"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_put_together() {
        assert_eq!(stretches(&[1, 4, 5, 6, 9, 10]), "1, 4..6, 9, 10");
        let odd: Vec<usize> = (0..20).map(|k| 2 * k + 1).collect();
        assert!(stretches(&odd).ends_with("23 and 8 more"), "{}", stretches(&odd));
    }

    /// Runs 1 to 6 belong to shards 1, 2, 2, 1, 2, 1 of 2.
    #[test]
    fn missing_runs_are_told_by_shard() {
        let shard = |number| Shard { number, count: 2 };
        assert!(words(&[], &[shard(1)]).is_empty() && words(&[], &[]).is_empty());
        assert_eq!(words(&[3], &[]), ["1 run is missing: 3"]);
        assert_eq!(
            words(&[2, 3, 4, 5], &[shard(1)]),
            [
                "of shard 1/2 1 run is missing: 4",
                "shard 2/2 is missing, with its 3 runs: 2, 3, 5"
            ]
        );
    }
}
