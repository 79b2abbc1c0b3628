//! Streams a trajectory: gathers some frames as integers, and encodes and writes them when there are enough.
//!
//! Memory is that of one chunk and is kept from chunk to chunk. A file that is finished is whole after any frame, so a run
//! that fails or is interrupted leaves what it has.

use std::io::{self, Write};

use drystone_dynamics::{Simulation, World};

use super::chunk::{ASLEEP, Chunk, PASSIVE, Scratch, body_column};
use super::contacts::QuantisedContact;
use super::header::{CONTACTS_PER_SECOND, Header};
use super::population::{Census, Population};
use super::quantise::{direction_code, orientation_code};
use super::record::{self, Deflater};

/// Frames in a chunk, at most: what has to be decoded to see one of them.
pub const FRAMES_PER_CHUNK: usize = 64;
/// Frames times bodies in a chunk, at most, unless one frame alone has more.
pub const CELLS_PER_CHUNK: usize = 100_000;

/// A trajectory under way.
#[derive(Debug)]
pub struct TrajectoryWriter<W: Write> {
    to: W,
    header: Header,
    census: Census,
    chunk: Chunk,
    /// Frames in chunks that have been written.
    written: u32,
    /// The step of the last frame.
    last: Option<u64>,
    /// Contacts stored beside those of chunks' first frames, and since when.
    stored_contacts: f64,
    scratch: Scratch,
    fields: Vec<u8>,
    raw: Vec<u8>,
    deflater: Deflater,
}

impl<W: Write> TrajectoryWriter<W> {
    /// Begins a file.
    pub fn new(mut to: W, header: Header) -> io::Result<Self> {
        to.write_all(record::MAGIC)?;
        let json = serde_json::to_vec(&header).map_err(io::Error::other)?;
        record::write(&mut to, record::HEAD, &[], &json)?;
        Ok(Self {
            to,
            header,
            census: Census::default(),
            chunk: Chunk::default(),
            written: 0,
            last: None,
            stored_contacts: 0.0,
            scratch: Scratch::default(),
            fields: Vec::new(),
            raw: Vec::new(),
            deflater: Deflater::default(),
        })
    }

    /// The step of the last frame; none before the first.
    pub fn last_step(&self) -> Option<u64> {
        self.last
    }

    /// How many frames there are.
    pub fn frames(&self) -> u32 {
        self.written + self.chunk.frames() as u32
    }

    /// Adds the state that a simulation is in. Before its first step there are neither contacts nor groups.
    pub fn frame(&mut self, simulation: &Simulation) -> io::Result<()> {
        let world = simulation.world();
        let step = simulation.report().step;
        let new_population = self.last.is_none() || !self.census.holds(world);
        if new_population || self.is_full() {
            self.flush()?;
            self.chunk.clear(world.bodies().len(), world.joints().len());
        }
        if new_population {
            self.populate(world)?;
        }
        self.last = Some(step);
        self.chunk.steps.push(step);
        self.bodies(simulation);
        let off = world.joints().iter().map(|joint| i32::from(!world.holds(joint)));
        self.chunk.joints_off.extend(off);
        self.contacts(simulation, step);
        Ok(())
    }

    /// Writes what is left, and the end.
    pub fn finish(mut self) -> io::Result<W> {
        self.flush()?;
        record::write(&mut self.to, record::END, &self.written.to_le_bytes(), &[])?;
        Ok(self.to)
    }

    fn is_full(&self) -> bool {
        let (frames, bodies) = (self.chunk.frames(), self.chunk.bodies);
        frames >= FRAMES_PER_CHUNK || (frames + 1) * bodies > CELLS_PER_CHUNK
    }

    fn populate(&mut self, world: &World) -> io::Result<()> {
        self.census = Census::of(world);
        let json = serde_json::to_vec(&Population::of(world)).map_err(io::Error::other)?;
        let length = length_of(&json)?;
        let body = self.deflater.deflate(&json)?;
        record::write(&mut self.to, record::POPULATION, &length, body)
    }

    fn bodies(&mut self, simulation: &Simulation) {
        let (world, pipeline) = (simulation.world(), simulation.pipeline());
        let (grid, groups) = (self.header.precision.grid(), pipeline.groups());
        let columns = &mut self.chunk.columns;
        for (index, body) in world.bodies().iter().enumerate() {
            let position = body.pose.translation.vector;
            for axis in 0..3 {
                columns[body_column::POSITION[axis]].push(grid.code(position[axis]));
            }
            let (largest, rest) = orientation_code(&body.pose.rotation);
            columns[body_column::LARGEST].push(largest);
            for axis in 0..3 {
                columns[body_column::ORIENTATION[axis]].push(rest[axis]);
            }
            let asleep = if pipeline.is_asleep(index) { ASLEEP } else { 0 };
            let passive = if body.passive { PASSIVE } else { 0 };
            columns[body_column::FLAGS].push(asleep | passive);
            // Groups are renumbered when others come and go; the smallest body of one stays.
            let group = groups.group_of(index as u32).and_then(|group| groups.get(group));
            let smallest = group.and_then(|group| group.bodies.first());
            columns[body_column::GROUP].push(smallest.map_or(0, |&body| body as i32 + 1));
            let height = pipeline.height(index);
            columns[body_column::LAYER].push(height.map_or(0, |height| height as i32 + 1));
        }
    }

    /// Stores the contacts, unless there have been too many for the time that has passed.
    fn contacts(&mut self, simulation: &Simulation, step: u64) {
        let first_of_chunk = self.chunk.frames() == 1;
        let allowed = CONTACTS_PER_SECOND * step as f64 * self.header.dt;
        if !first_of_chunk && self.stored_contacts > allowed {
            self.chunk.contact_counts.push(None);
            return;
        }
        let precision = &self.header.precision;
        let (grid, impulses, depths) = (precision.grid(), precision.impulse(), precision.depth());
        let first = self.chunk.contacts.len();
        for (a, b, point, impulse) in simulation.pipeline().contacts() {
            // Points that might have been touched within the step, and were not, are no contacts to look at.
            if point.depth < 0.0 && impulse == nalgebra::Vector3::zeros() {
                continue;
            }
            let beside = simulation.world().bodies()[b as usize].pose.translation.vector;
            let offset = point.position.coords - beside;
            let [u, v] = direction_code(&point.normal);
            self.chunk.contacts.push(QuantisedContact {
                a,
                b,
                numbers: [
                    grid.code(offset.x),
                    grid.code(offset.y),
                    grid.code(offset.z),
                    u,
                    v,
                    impulses.code(impulse.x),
                    impulses.code(impulse.y),
                    impulses.code(impulse.z),
                    depths.code(point.depth),
                ],
            });
        }
        let contacts = &mut self.chunk.contacts[first..];
        // A stable sort would allocate; pairs come sorted, so this is for the day they don't.
        if !contacts.is_sorted_by_key(|contact| (contact.a, contact.b)) {
            contacts.sort_by_key(|contact| (contact.a, contact.b));
        }
        let count = contacts.len();
        if !first_of_chunk {
            self.stored_contacts += count as f64;
        }
        self.chunk.contact_counts.push(Some(count as u32));
    }

    /// Writes the chunk, if there is anything in it, and begins another of the same bodies.
    fn flush(&mut self) -> io::Result<()> {
        let frames = self.chunk.frames() as u32;
        if frames == 0 {
            return Ok(());
        }
        self.raw.clear();
        self.chunk.encode(&mut self.scratch, &mut self.raw);
        let length = length_of(&self.raw)?;
        self.fields.clear();
        self.fields.extend(self.written.to_le_bytes());
        self.fields.extend(frames.to_le_bytes());
        self.fields.extend(length);
        self.fields
            .extend(self.chunk.steps.iter().flat_map(|step| step.to_le_bytes()));
        let body = self.deflater.deflate(&self.raw)?;
        record::write(&mut self.to, record::CHUNK, &self.fields, body)?;
        self.written += frames;
        let (bodies, joints) = (self.chunk.bodies, self.chunk.joints);
        self.chunk.clear(bodies, joints);
        Ok(())
    }
}

fn length_of(bytes: &[u8]) -> io::Result<[u8; 4]> {
    u32::try_from(bytes.len())
        .map(u32::to_le_bytes)
        .map_err(|_| io::Error::other("a part of a trajectory would be longer than 4 GiB"))
}
