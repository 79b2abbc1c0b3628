//! The columns of bodies: each number foretold from the same body's frames before, and only the difference kept.
//!
//! A column has one way to foretell, whichever is cheapest for it in this chunk. With a and b the values one and two frames ago:
//!
//! ```text
//! 0   a                 what rests, what jitters
//! 1   a + ⌊(a − b)/2⌋
//! 2   a + (a − b)       what flies, rolls or turns
//! ```
//!
//! In the first frame of a chunk the body before is taken instead. Components of an orientation mean something else once another
//! component is the largest, so then history begins anew, from 0. All of this is done with integers: any reader gets the same.
//!
//! ```text
//! body columns = for each of the ten: way: u8, column of bodies × frames residuals, all frames of a body in a row
//! ```

use super::chunk::{Chunk, body_column};
use super::column;
use super::error::Damage;

const WAYS: u8 = 3;

/// What a number is expected to be, from those one and two frames before; `None` for one that means nothing.
#[inline]
fn foretold(way: u8, before: Option<i64>, two_before: Option<i64>) -> i64 {
    match (before, two_before) {
        (Some(a), Some(b)) => match way {
            0 => a,
            1 => a + ((a - b) >> 1),
            _ => a + (a - b),
        },
        (Some(a), None) => a,
        _ => 0,
    }
}

/// What of a column may be used to foretell a number of it.
struct History<'a> {
    frames: usize,
    bodies: usize,
    /// The places of the largest component, for columns of orientations.
    largest: Option<&'a [i32]>,
}

impl History<'_> {
    /// Values one and two frames before that may be used for this one.
    #[inline]
    fn of(&self, values: &[i32], body: usize, frame: usize) -> (Option<i64>, Option<i64>) {
        let at = |frame: usize| i64::from(values[frame * self.bodies + body]);
        let now = frame * self.bodies + body;
        let same = |other: usize| self.largest.is_none_or(|largest| largest[other] == largest[now]);
        if frame == 0 {
            let neighbour = body.checked_sub(1).filter(|&other| same(other));
            return (neighbour.map(|other| i64::from(values[other])), None);
        }
        if !same(now - self.bodies) {
            return (None, None);
        }
        let two = frame >= 2 && same(now - 2 * self.bodies);
        (Some(at(frame - 1)), two.then(|| at(frame - 2)))
    }
}

fn largest_for(column: usize) -> bool {
    body_column::ORIENTATION.contains(&column)
}

/// Appends the columns.
pub(super) fn encode(chunk: &Chunk, residuals: &mut Vec<i64>, out: &mut Vec<u8>) {
    for (index, values) in chunk.columns.iter().enumerate() {
        let history = History {
            frames: chunk.frames(),
            bodies: chunk.bodies,
            largest: largest_for(index).then_some(&chunk.columns[body_column::LARGEST]),
        };
        let way = cheapest(&history, values);
        residuals.clear();
        for body in 0..history.bodies {
            for frame in 0..history.frames {
                let (before, two_before) = history.of(values, body, frame);
                let value = i64::from(values[frame * history.bodies + body]);
                residuals.push(value - foretold(way, before, two_before));
            }
        }
        out.push(way);
        column::write(residuals, out);
    }
}

fn cheapest(history: &History<'_>, values: &[i32]) -> u8 {
    let mut costs = [0_u64; WAYS as usize];
    for body in 0..history.bodies {
        for frame in 2..history.frames {
            let (before, two_before) = history.of(values, body, frame);
            let value = i64::from(values[frame * history.bodies + body]);
            for way in 0..WAYS {
                costs[way as usize] += column::cost(value - foretold(way, before, two_before));
            }
        }
    }
    // The first of equals.
    (0..WAYS).min_by_key(|&way| costs[way as usize]).unwrap_or(0)
}

/// Reads the columns into a chunk that knows its steps.
pub(super) fn decode(chunk: &mut Chunk, bytes: &mut &[u8], residuals: &mut Vec<i64>) -> Result<(), Damage> {
    let (frames, bodies) = (chunk.frames(), chunk.bodies);
    for index in 0..body_column::COUNT {
        let (&way, rest) = bytes
            .split_first()
            .ok_or_else(|| Damage::new("a body column is missing"))?;
        if way >= WAYS {
            return Err(Damage::new(format!("a body column is foretold in way {way}")));
        }
        *bytes = rest;
        column::read(bytes, bodies * frames, residuals)?;
        let mut values = vec![0_i32; bodies * frames];
        let history = History {
            frames,
            bodies,
            largest: largest_for(index).then_some(&chunk.columns[body_column::LARGEST]),
        };
        for body in 0..bodies {
            for frame in 0..frames {
                let (before, two_before) = history.of(&values, body, frame);
                let value = foretold(way, before, two_before) + residuals[body * frames + frame];
                values[frame * bodies + body] =
                    i32::try_from(value).map_err(|_| Damage::new(format!("a number of {value} in a body column")))?;
            }
        }
        chunk.columns[index] = values;
    }
    Ok(())
}
