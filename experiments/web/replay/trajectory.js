// Reads `trajectory.bin`; docs/trajectory.md has the format byte by byte. The index of chunks is read at once, a chunk is inflated
// and decoded when it is needed, and the chunks used last are kept.

import { ByteCursor, TrajectoryError, decodeChunk } from './chunk.js';

const FORMAT_VERSION = 1;
const CHUNKS_KEPT = 6;

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export class Trajectory {
  static async parse(bytes) {
    const cursor = new ByteCursor(bytes);
    const text = (part) => new TextDecoder().decode(part);
    if (bytes.length < 8 || text(cursor.take(8)) !== 'DRYTRAJ1') throw new TrajectoryError('This is no drystone trajectory.');
    const trajectory = new Trajectory();
    for (;;) {
      const tag = text(cursor.take(4));
      const length = cursor.u32();
      cursor.u32(); // The checksum; inflating finds out about damage too.
      const record = new ByteCursor(cursor.take(length));
      if (tag === 'HEAD') trajectory.takeHeader(JSON.parse(text(record.bytes)));
      else if (tag === 'POPU') {
        record.u32();
        trajectory.populations.push(JSON.parse(text(await inflate(record.take(length - 4)))));
      } else if (tag === 'CHNK') trajectory.takeChunk(record);
      else if (tag === 'ENDS') break;
      else throw new TrajectoryError('The trajectory is damaged.');
    }
    if (trajectory.frameCount === 0) throw new TrajectoryError('The trajectory has no frames.');
    return trajectory;
  }

  constructor() {
    this.header = null;
    this.populations = [];
    this.chunks = [];
    this.frameCount = 0;
    this.times = [];
    this.steps = [];
    this.clock = 0;
  }

  takeHeader(header) {
    if (header.version !== FORMAT_VERSION) {
      throw new TrajectoryError(`The trajectory has version ${header.version}; this page reads version ${FORMAT_VERSION}.`);
    }
    this.header = header;
  }

  takeChunk(record) {
    const chunk = { first: record.u32(), frames: record.u32(), population: this.populations.length - 1, decoded: null, pending: null, used: 0 };
    record.u32();
    for (let frame = 0; frame < chunk.frames; frame++) {
      const step = record.u64();
      this.steps.push(step);
      this.times.push(this.header.start + step * this.header.dt);
    }
    chunk.bytes = record.take(record.bytes.length - record.offset);
    this.chunks.push(chunk);
    this.frameCount += chunk.frames;
  }

  get duration() {
    return this.times[this.frameCount - 1] - this.times[0];
  }

  // The last frame at or before a time, and how far it is to the next, 0 to 1.
  frameAt(time) {
    let low = 0;
    let high = this.frameCount - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time + 1e-9) low = middle;
      else high = middle - 1;
    }
    const next = this.times[low + 1];
    const fraction = next === undefined ? 0 : (time - this.times[low]) / (next - this.times[low]);
    return { frame: low, fraction: Math.min(1, Math.max(0, fraction)) };
  }

  chunkOf(frame) {
    let low = 0;
    let high = this.chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.chunks[middle].first <= frame) low = middle;
      else high = middle - 1;
    }
    return this.chunks[low];
  }

  // The decoded chunk of a frame if it is there; otherwise it is fetched for later.
  ready(frame) {
    const chunk = this.chunkOf(frame);
    if (!chunk.decoded) this.load(frame).catch(() => {});
    else chunk.used = ++this.clock;
    return chunk.decoded;
  }

  // The decoded chunk of a frame.
  load(frame) {
    const chunk = this.chunkOf(frame);
    chunk.used = ++this.clock;
    if (chunk.decoded) return Promise.resolve(chunk.decoded);
    chunk.pending ??= inflate(chunk.bytes).then(async (raw) => {
      const population = this.populations[chunk.population];
      chunk.decoded = await decodeChunk(new ByteCursor(raw), chunk, population, this.header.precision);
      chunk.pending = null;
      this.forget();
      return chunk.decoded;
    });
    return chunk.pending;
  }

  forget() {
    const kept = this.chunks.filter((chunk) => chunk.decoded).sort((a, b) => b.used - a.used);
    for (const chunk of kept.slice(CHUNKS_KEPT)) chunk.decoded = null;
  }
}
