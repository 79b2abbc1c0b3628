//! Some frames in a row, as integers: what a writer gathers before it encodes, and what a reader has decoded.
//!
//! ```text
//! chunk = body columns: see `poses`
//!         joints off: column of joints × frames, 0 or 1, less that of the frame before
//!         contacts: see `contacts`
//! ```
//!
//! All of it can be read without any other chunk. The steps of the frames stand before the deflated part of its record.

use super::column;
use super::contacts::{self, QuantisedContact};
use super::error::Damage;
use super::poses;

/// The columns of a body, in the order of the file.
pub mod body_column {
    /// Position along x, y, z: places of the grid.
    pub const POSITION: [usize; 3] = [0, 1, 2];
    /// Which component of the quaternion is the largest.
    pub const LARGEST: usize = 3;
    /// The three others.
    pub const ORIENTATION: [usize; 3] = [4, 5, 6];
    /// Bits: see [`super::ASLEEP`] and [`super::PASSIVE`].
    pub const FLAGS: usize = 7;
    /// The smallest body of its group plus one; 0 for none.
    pub const GROUP: usize = 8;
    /// Its height in the stack plus one; 0 for none.
    pub const LAYER: usize = 9;
    /// How many there are.
    pub const COUNT: usize = 10;
}

/// Flag of a body that sleeps.
pub const ASLEEP: i32 = 1;
/// Flag of a body that is only kept in store.
pub const PASSIVE: i32 = 2;

/// Frames in a row. Columns are by frame and then by body: `column[frame * bodies + body]`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chunk {
    /// Bodies in each frame.
    pub bodies: usize,
    /// Joints in each frame.
    pub joints: usize,
    /// The step of each frame.
    pub steps: Vec<u64>,
    /// One for each of [`body_column`].
    pub columns: [Vec<i32>; body_column::COUNT],
    /// Which joints don't hold, 1, or do, 0; by frame and then by joint.
    pub joints_off: Vec<i32>,
    /// Contacts of each frame; `None` for a frame whose contacts are not stored.
    pub contact_counts: Vec<Option<u32>>,
    /// The contacts of all frames in a row.
    pub contacts: Vec<QuantisedContact>,
}

/// Memory for coding that is kept from chunk to chunk.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(super) residuals: Vec<i64>,
}

impl Chunk {
    /// How many frames there are.
    pub fn frames(&self) -> usize {
        self.steps.len()
    }

    /// Empties it for as many bodies and joints as there are now; its memory stays.
    pub fn clear(&mut self, bodies: usize, joints: usize) {
        (self.bodies, self.joints) = (bodies, joints);
        self.steps.clear();
        self.columns.iter_mut().for_each(Vec::clear);
        self.joints_off.clear();
        self.contact_counts.clear();
        self.contacts.clear();
    }

    /// Appends its bytes.
    pub fn encode(&self, scratch: &mut Scratch, out: &mut Vec<u8>) {
        let residuals = &mut scratch.residuals;
        poses::encode(self, residuals, out);
        residuals.clear();
        for joint in 0..self.joints {
            let mut before = 0;
            for frame in 0..self.frames() {
                let off = self.joints_off[frame * self.joints + joint];
                residuals.push(i64::from(off - before));
                before = off;
            }
        }
        column::write(residuals, out);
        contacts::encode(self, residuals, out);
    }

    /// Reads a chunk of frames at known steps, and of known numbers of bodies and joints.
    pub fn decode(mut bytes: &[u8], steps: &[u64], bodies: usize, joints: usize) -> Result<Self, Damage> {
        let bytes = &mut bytes;
        let frames = steps.len();
        // Columns of zeros take one byte whatever their length, so lengths have to be looked at before memory is taken.
        let cells = bodies.max(joints).checked_mul(frames);
        if cells.is_none_or(|cells| cells > MOST_CELLS) {
            return Err(Damage::new(format!("a chunk of {frames} frames of {bodies} bodies")));
        }
        let mut chunk = Self {
            bodies,
            joints,
            steps: steps.to_vec(),
            ..Self::default()
        };
        let mut residuals = Vec::new();
        poses::decode(&mut chunk, bytes, &mut residuals)?;
        column::read(bytes, joints * frames, &mut residuals)?;
        chunk.joints_off = vec![0; joints * frames];
        for joint in 0..joints {
            let mut off = 0_i64;
            for frame in 0..frames {
                off += residuals[joint * frames + frame];
                chunk.joints_off[frame * joints + joint] = i32::from(off != 0);
            }
        }
        contacts::decode(&mut chunk, bytes, &mut residuals)?;
        if bytes.is_empty() {
            Ok(chunk)
        } else {
            Err(Damage::new(format!("{} bytes too many in a chunk", bytes.len())))
        }
    }
}

/// More frames times bodies than a writer puts into a chunk: [`super::writer::CELLS_PER_CHUNK`] or one frame.
const MOST_CELLS: usize = 1 << 28;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Chunks with all numbers a file can hold: motion that jumps, sleeps and turns over, contacts that come and go.
    fn chunks() -> impl Strategy<Value = Chunk> {
        (1..5_usize, 1..4_usize, 0..3_usize).prop_flat_map(|(frames, bodies, joints)| {
            let cells = frames * bodies;
            let large = || prop::collection::vec(any::<i32>(), cells);
            let small = |most: i32| prop::collection::vec(0..most, cells);
            let pair = (0..bodies as u32, 0..bodies as u32, any::<[i32; contacts::NUMBERS]>());
            let of_frame = prop::option::of(prop::collection::vec(pair, 0..6));
            let columns = (
                (large(), large(), large(), small(4)),
                (large(), large(), large()),
                (small(4), small(9), small(9)),
            );
            let rest = (
                prop::collection::vec(0..2_i32, frames * joints),
                prop::collection::vec(of_frame, frames),
            );
            (columns, rest).prop_map(
                move |(((x, y, z, largest), (a, b, c), (flags, group, layer)), (joints_off, told))| {
                    let mut chunk = Chunk {
                        bodies,
                        joints,
                        steps: (0..frames as u64).collect(),
                        columns: [x, y, z, largest, a, b, c, flags, group, layer],
                        joints_off,
                        ..Chunk::default()
                    };
                    for contacts in told {
                        chunk
                            .contact_counts
                            .push(contacts.as_ref().map(|contacts| contacts.len() as u32));
                        let mut contacts: Vec<QuantisedContact> = (contacts.into_iter().flatten())
                            .map(|(a, b, numbers)| QuantisedContact { a, b, numbers })
                            .collect();
                        contacts.sort_by_key(|contact| (contact.a, contact.b));
                        chunk.contacts.extend(contacts);
                    }
                    chunk
                },
            )
        })
    }

    proptest! {
        #[test]
        fn any_chunk_comes_back_as_it_was(chunk in chunks()) {
            let mut bytes = Vec::new();
            chunk.encode(&mut Scratch::default(), &mut bytes);
            let back = Chunk::decode(&bytes, &chunk.steps, chunk.bodies, chunk.joints);
            prop_assert_eq!(back.unwrap(), chunk);
        }

        #[test]
        fn damaged_chunks_are_read_or_refused(chunk in chunks(), place: prop::sample::Index, byte: u8, cut: prop::sample::Index) {
            let mut bytes = Vec::new();
            chunk.encode(&mut Scratch::default(), &mut bytes);
            let whole = bytes.len();
            bytes[place.index(whole)] = byte;
            let _ = Chunk::decode(&bytes, &chunk.steps, chunk.bodies, chunk.joints);
            bytes.truncate(cut.index(whole));
            prop_assert!(Chunk::decode(&bytes, &chunk.steps, chunk.bodies, chunk.joints).is_err());
        }

        #[test]
        fn any_bytes_are_a_chunk_or_refused(bytes: Vec<u8>, frames in 0..100_u64, bodies in 0..50_usize) {
            let steps: Vec<u64> = (0..frames).collect();
            let _ = Chunk::decode(&bytes, &steps, bodies, 2);
        }
    }

    #[test]
    fn what_rests_costs_nothing() {
        let mut chunk = Chunk::default();
        chunk.clear(1000, 0);
        for frame in 0..50 {
            chunk.steps.push(frame);
            for (index, column) in chunk.columns.iter_mut().enumerate() {
                column.extend((0..1000).map(|body| if index < 3 { 7 * body } else { 0 }));
            }
            chunk.contact_counts.push(Some(0));
        }
        let mut bytes = Vec::new();
        chunk.encode(&mut Scratch::default(), &mut bytes);
        let deflated = super::super::record::Deflater::default().deflate(&bytes).unwrap().len();
        assert!(deflated < 1000, "{deflated}");
    }
}
