//! The contacts of frames: sorted by pair of bodies, and each foretold from the same contact in the last frame that has any.
//!
//! The k-th contact of a pair is taken for the k-th contact of the same pair before. Where there is none, for the (k−1)-th of the
//! same frame; where there is none of these either, for zeros. A point is kept as its offset from body B (the one with the larger
//! index, which as a rule is the one that moves), because that changes little while the body slides or rolls.
//!
//! ```text
//! contacts = counts: column of frames     0 if the frame's contacts are not stored, else their number plus one; less the one before
//!            a, b: columns of contacts    a less the a before it in the frame; b less the b before if a is the same, else less a
//!            offset x, y, z               places of the grid: point less position of B
//!            normal u, v                  octahedral
//!            impulse x, y, z              logarithmic, on B, world frame
//!            depth                        logarithmic
//! ```

use std::ops::Range;

use super::chunk::Chunk;
use super::column;
use super::error::Damage;

/// Numbers of a contact besides its pair: offset, normal, impulse, depth.
pub const NUMBERS: usize = 9;

/// One contact as integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QuantisedContact {
    /// The body with the smaller index.
    pub a: u32,
    /// The other.
    pub b: u32,
    /// Offset x, y, z; normal u, v; impulse x, y, z; depth.
    pub numbers: [i32; NUMBERS],
}

impl QuantisedContact {
    fn pair(&self) -> (u32, u32) {
        (self.a, self.b)
    }
}

/// More contacts than this in a chunk are taken for damage.
const MOST_CONTACTS: i64 = 1 << 27;

/// Goes through the contacts of a frame and those of the frame before side by side; both are sorted by pair.
#[derive(Debug)]
struct Match {
    before: Range<usize>,
}

impl Match {
    /// The contact that foretells the one at `index` of a frame that begins at `first`, by its place.
    fn of(&mut self, contacts: &[QuantisedContact], pair: (u32, u32), first: usize, index: usize) -> Option<usize> {
        while self.before.start < self.before.end && contacts[self.before.start].pair() < pair {
            self.before.start += 1;
        }
        if self.before.start < self.before.end && contacts[self.before.start].pair() == pair {
            self.before.start += 1;
            return Some(self.before.start - 1);
        }
        (index > first && contacts[index - 1].pair() == pair).then(|| index - 1)
    }
}

/// Appends the contacts.
pub(super) fn encode(chunk: &Chunk, residuals: &mut Vec<i64>, out: &mut Vec<u8>) {
    let counts = || {
        chunk
            .contact_counts
            .iter()
            .map(|count| count.map_or(0, |n| i64::from(n) + 1))
    };
    residuals.clear();
    residuals.extend(
        counts()
            .zip(std::iter::once(0).chain(counts()))
            .map(|(now, before)| now - before),
    );
    column::write(residuals, out);
    let contacts = &chunk.contacts;

    for of_a in [true, false] {
        residuals.clear();
        for (_, frame) in spans(&chunk.contact_counts) {
            for index in frame.clone() {
                let contact = &contacts[index];
                let before = contacts[frame.start..index].last();
                residuals.push(if of_a {
                    i64::from(contact.a) - before.map_or(0, |before| i64::from(before.a))
                } else {
                    let same = before.filter(|before| before.a == contact.a);
                    i64::from(contact.b) - i64::from(same.map_or(contact.a, |before| before.b))
                });
            }
        }
        column::write(residuals, out);
    }
    for number in 0..NUMBERS {
        residuals.clear();
        for (before, frame) in spans(&chunk.contact_counts) {
            let mut matching = Match { before };
            for index in frame.clone() {
                let found = matching.of(contacts, contacts[index].pair(), frame.start, index);
                let foretold = found.map_or(0, |found| contacts[found].numbers[number]);
                residuals.push(i64::from(contacts[index].numbers[number]) - i64::from(foretold));
            }
        }
        column::write(residuals, out);
    }
}

/// Where the contacts of each stored frame are, after those of the stored frame before it.
fn spans(counts: &[Option<u32>]) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
    let mut before = 0..0;
    counts.iter().flatten().map(move |&count| {
        let now = before.end..before.end + count as usize;
        (std::mem::replace(&mut before, now.clone()), now)
    })
}

/// Reads the contacts into a chunk that knows its steps.
pub(super) fn decode(chunk: &mut Chunk, bytes: &mut &[u8], residuals: &mut Vec<i64>) -> Result<(), Damage> {
    column::read(bytes, chunk.frames(), residuals)?;
    let (mut count, mut total) = (0_i64, 0_i64);
    for residual in residuals.iter() {
        count += residual;
        if !(0..=MOST_CONTACTS).contains(&count) {
            return Err(Damage::new(format!("a frame has {count} contacts")));
        }
        total += (count - 1).max(0);
        chunk
            .contact_counts
            .push(count.checked_sub(1).and_then(|n| u32::try_from(n).ok()));
    }
    if total > MOST_CONTACTS {
        return Err(Damage::new(format!("a chunk has {total} contacts")));
    }
    let total = total as usize;
    let mut columns: [Vec<i64>; NUMBERS + 2] = Default::default();
    for column in &mut columns {
        column::read(bytes, total, column)?;
    }
    let [a, b, numbers @ ..] = &columns;
    chunk.contacts.reserve(total);
    for (before, frame) in spans(&chunk.contact_counts) {
        let mut matching = Match { before };
        for index in frame.clone() {
            let before = chunk.contacts[frame.start..].last().copied();
            let a = body(before.map_or(0, |before| i64::from(before.a)) + a[index], chunk.bodies)?;
            let same = before.filter(|before| before.a == a);
            let b = body(i64::from(same.map_or(a, |before| before.b)) + b[index], chunk.bodies)?;
            let found = matching.of(&chunk.contacts, (a, b), frame.start, index);
            let foretold = found.map_or([0; NUMBERS], |found| chunk.contacts[found].numbers);
            let mut contact = QuantisedContact {
                a,
                b,
                numbers: foretold,
            };
            for (number, column) in contact.numbers.iter_mut().zip(numbers) {
                let value = i64::from(*number) + column[index];
                *number = i32::try_from(value).map_err(|_| Damage::new(format!("a number of {value} in a contact")))?;
            }
            chunk.contacts.push(contact);
        }
    }
    Ok(())
}

fn body(index: i64, bodies: usize) -> Result<u32, Damage> {
    u32::try_from(index)
        .ok()
        .filter(|&body| (body as usize) < bodies)
        .ok_or_else(|| Damage::new(format!("a contact of body {index}, and there are {bodies}")))
}
