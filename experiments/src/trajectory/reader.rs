//! Reads a trajectory back: an index of its chunks first, and frames when they are asked for.
//!
//! Whatever the bytes are, the answer is a trajectory or one line that says what is wrong where.

use std::fs;
use std::path::Path;

use nalgebra::{Point3, UnitQuaternion, Vector3};

use super::chunk::{ASLEEP, Chunk, PASSIVE, body_column};
use super::error::{Damage, TrajectoryError};
use super::header::{Header, VERSION};
use super::population::Population;
use super::quantise::{direction_value, orientation_value};
use super::record;
use crate::error::Error;

/// A trajectory that has been looked through; its frames are decoded when they are asked for.
#[derive(Debug)]
pub struct Trajectory {
    /// What it is of, and how exact.
    pub header: Header,
    /// Bodies and joints, in the order they were met.
    pub populations: Vec<Population>,
    chunks: Vec<ChunkEntry>,
    frames: u32,
    bytes: Vec<u8>,
}

#[derive(Debug, Clone)]
struct ChunkEntry {
    first: u32,
    steps: Vec<u64>,
    population: usize,
    raw_length: u32,
    /// Where the deflated bytes are.
    place: std::ops::Range<usize>,
}

impl ChunkEntry {
    /// The first frame behind it.
    fn end(&self) -> u32 {
        self.first + self.steps.len() as u32
    }
}

/// One frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// The step it is the end of; 0 for the state before the first.
    pub step: u64,
    /// Its time, s.
    pub time: f64,
    /// Which of the populations it has.
    pub population: usize,
    /// The bodies, by index.
    pub bodies: Vec<BodyFrame>,
    /// Which joints don't hold, by index.
    pub joints_off: Vec<bool>,
    /// Contacts by pair; `None` if they are not stored for this frame.
    pub contacts: Option<Vec<ContactFrame>>,
}

/// A body in a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyFrame {
    /// Where its centre of mass is, m.
    pub position: Point3<f64>,
    /// Body to world.
    pub orientation: UnitQuaternion<f64>,
    /// Whether it sleeps.
    pub asleep: bool,
    /// Whether it is only kept in store.
    pub passive: bool,
    /// The smallest body of its contact group.
    pub group: Option<u32>,
    /// How many contacts it is above the ground.
    pub layer: Option<u32>,
}

/// A contact in a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactFrame {
    /// The body with the smaller index.
    pub a: u32,
    /// The other.
    pub b: u32,
    /// Where it is in the world, m.
    pub position: Point3<f64>,
    /// From A to B.
    pub normal: Vector3<f64>,
    /// The impulse of the step on B, N·s.
    pub impulse: Vector3<f64>,
    /// Penetration, m; negative for a gap.
    pub depth: f64,
}

impl Trajectory {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let named = |what: &dyn std::fmt::Display| Error::Input(format!("{}: {what}", path.display()));
        let bytes = fs::read(path).map_err(|error| named(&error))?;
        Self::parse(bytes).map_err(|error| named(&error))
    }

    /// Looks through the bytes of a file.
    pub fn parse(bytes: Vec<u8>) -> Result<Self, TrajectoryError> {
        if !bytes.starts_with(record::MAGIC) {
            return Err(TrajectoryError::NotATrajectory);
        }
        let mut header = None;
        let mut populations = Vec::new();
        let mut chunks: Vec<ChunkEntry> = Vec::new();
        let mut frames = 0;
        let mut offset = record::MAGIC.len();
        loop {
            let cut_off = || TrajectoryError::CutOff {
                offset: bytes.len(),
                frames,
            };
            let damaged = |Damage(what): Damage| TrajectoryError::Damaged { offset, what };
            let (tag, payload, next) = record_at(&bytes, offset).ok_or_else(cut_off)?;
            let mut fields = &bytes[payload.clone()];
            let crc = u32::from_le_bytes([
                bytes[offset + 8],
                bytes[offset + 9],
                bytes[offset + 10],
                bytes[offset + 11],
            ]);
            if record::checksum(fields) != crc {
                return Err(damaged(Damage::new("a checksum is wrong")));
            }
            match tag {
                record::HEAD => header = Some(read_header(fields).map_err(|error| error.unwrap_or_else(damaged))?),
                record::POPULATION => populations.push(read_population(fields).map_err(damaged)?),
                record::CHUNK => {
                    let mut take = || record::take_u32(&mut fields).map_err(damaged);
                    let (first, count, raw_length) = (take()?, take()?, take()?);
                    if first != frames || count == 0 || populations.is_empty() || header.is_none() {
                        return Err(damaged(Damage::new("a chunk is out of its place")));
                    }
                    if fields.len() / 8 < count as usize {
                        return Err(damaged(Damage::new("a record is too short")));
                    }
                    let steps = (0..count).map(|_| record::take_u64(&mut fields).map_err(damaged));
                    let steps = steps.collect::<Result<Vec<u64>, _>>()?;
                    let before = chunks.last().and_then(|chunk: &ChunkEntry| chunk.steps.last());
                    if !before.into_iter().chain(&steps).is_sorted_by(|a, b| a < b) {
                        return Err(damaged(Damage::new("the steps of frames do not rise")));
                    }
                    chunks.push(ChunkEntry {
                        first,
                        steps,
                        population: populations.len() - 1,
                        raw_length,
                        place: payload.end - fields.len()..payload.end,
                    });
                    frames = frames
                        .checked_add(count)
                        .ok_or_else(|| damaged(Damage::new("too many frames")))?;
                }
                record::END => {
                    let told = record::take_u32(&mut fields).map_err(damaged)?;
                    if told != frames || next != bytes.len() {
                        return Err(damaged(Damage::new("the end is out of its place")));
                    }
                    let header = header.ok_or_else(|| damaged(Damage::new("there is no header")))?;
                    return Ok(Self {
                        header,
                        populations,
                        chunks,
                        frames,
                        bytes,
                    });
                }
                _ => return Err(damaged(Damage::new("a record of an unknown kind"))),
            }
            offset = next;
        }
    }

    /// How many frames there are.
    pub fn frames(&self) -> u32 {
        self.frames
    }

    /// How many chunks there are.
    pub fn chunks(&self) -> usize {
        self.chunks.len()
    }

    /// Decodes a frame, and with it the rest of its chunk; for many in a row, [`each`](Self::each) is quicker.
    pub fn frame(&self, frame: u32) -> Result<Frame, TrajectoryError> {
        let index = self.chunks.partition_point(|chunk| chunk.end() <= frame);
        let Some(entry) = self.chunks.get(index) else {
            let frames = self.frames;
            return Err(TrajectoryError::NoFrame { frame, frames });
        };
        let chunk = self.decode(entry)?;
        Ok(self.value(entry, &chunk, (frame - entry.first) as usize))
    }

    /// Calls `visit` with all frames in order.
    pub fn each(&self, mut visit: impl FnMut(Frame)) -> Result<(), TrajectoryError> {
        for entry in &self.chunks {
            let chunk = self.decode(entry)?;
            for frame in 0..chunk.frames() {
                visit(self.value(entry, &chunk, frame));
            }
        }
        Ok(())
    }

    fn decode(&self, entry: &ChunkEntry) -> Result<Chunk, TrajectoryError> {
        let population = &self.populations[entry.population];
        let raw = record::inflate(&self.bytes[entry.place.clone()], entry.raw_length);
        raw.and_then(|raw| Chunk::decode(&raw, &entry.steps, population.len(), population.joints.len()))
            .map_err(|Damage(what)| TrajectoryError::Damaged {
                offset: entry.place.start,
                what,
            })
    }

    fn value(&self, entry: &ChunkEntry, chunk: &Chunk, frame: usize) -> Frame {
        let Header { precision, .. } = &self.header;
        let grid = precision.grid();
        let step = chunk.steps[frame];
        let body = |body: usize| {
            let at = |column: usize| chunk.columns[column][frame * chunk.bodies + body];
            let position = body_column::POSITION.map(|column| grid.value(at(column)));
            let flags = at(body_column::FLAGS);
            BodyFrame {
                position: Point3::from(position),
                orientation: orientation_value(at(body_column::LARGEST), body_column::ORIENTATION.map(at)),
                asleep: flags & ASLEEP != 0,
                passive: flags & PASSIVE != 0,
                group: u32::try_from(at(body_column::GROUP))
                    .ok()
                    .and_then(|group| group.checked_sub(1)),
                layer: u32::try_from(at(body_column::LAYER))
                    .ok()
                    .and_then(|layer| layer.checked_sub(1)),
            }
        };
        let bodies: Vec<BodyFrame> = (0..chunk.bodies).map(body).collect();
        let stored = |frame: usize| chunk.contact_counts[frame].unwrap_or(0) as usize;
        let first: usize = (0..frame).map(stored).sum();
        let contact = |contact: &super::contacts::QuantisedContact| {
            let [x, y, z, u, v, i, j, k, depth] = contact.numbers;
            let offset = Vector3::new(grid.value(x), grid.value(y), grid.value(z));
            ContactFrame {
                a: contact.a,
                b: contact.b,
                position: bodies[contact.b as usize].position + offset,
                normal: direction_value([u, v]),
                impulse: Vector3::from([i, j, k].map(|code| precision.impulse().value(code))),
                depth: precision.depth().value(depth),
            }
        };
        let contacts = chunk.contact_counts[frame].map(|count| {
            chunk.contacts[first..first + count as usize]
                .iter()
                .map(contact)
                .collect()
        });
        let joints = &chunk.joints_off[frame * chunk.joints..(frame + 1) * chunk.joints];
        Frame {
            step,
            time: self.header.start + step as f64 * self.header.dt,
            population: entry.population,
            joints_off: joints.iter().map(|&off| off != 0).collect(),
            contacts,
            bodies,
        }
    }
}

/// The tag of the record at an offset, where its payload is, and where the next one begins.
fn record_at(bytes: &[u8], offset: usize) -> Option<([u8; 4], std::ops::Range<usize>, usize)> {
    let prefix = bytes.get(offset..offset.checked_add(record::PREFIX)?)?;
    let (tag, mut rest) = prefix.split_first_chunk::<4>()?;
    let length = record::take_u32(&mut rest).ok()? as usize;
    let first = offset + record::PREFIX;
    let next = first.checked_add(length)?;
    (next <= bytes.len()).then_some((*tag, first..next, next))
}

/// The header, or what is wrong with it: `Err(Ok(…))` if it is of another version.
fn read_header(json: &[u8]) -> Result<Header, Result<TrajectoryError, Damage>> {
    #[derive(serde::Deserialize)]
    struct Versioned {
        version: u32,
    }
    let wrong = |error: serde_json::Error| Err(Damage::new(format!("the header: {error}")));
    // Another version may have other fields.
    let Versioned { version: found } = serde_json::from_slice(json).map_err(wrong)?;
    if found != VERSION {
        return Err(Ok(TrajectoryError::Version { found, known: VERSION }));
    }
    serde_json::from_slice(json).map_err(wrong)
}

fn read_population(mut payload: &[u8]) -> Result<Population, Damage> {
    let length = record::take_u32(&mut payload)?;
    let json = record::inflate(payload, length)?;
    let population: Population =
        serde_json::from_slice(&json).map_err(|error| Damage::new(format!("the bodies: {error}")))?;
    population.check().map_err(Damage)?;
    Ok(population)
}
