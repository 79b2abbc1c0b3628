// Decodes one chunk of a trajectory: columns of bytes become numbers, and numbers become poses and contacts. docs/trajectory.md has
// the format.
//
// Of a decoded chunk, `poses` holds 8 floats a body and frame (x, y, z, 0 and the quaternion x, y, z, w), in rows as long as the
// texture that they are put into, so that a frame goes to the graphics card as it is.

const BODY_COLUMNS = 10;
const CONTACT_NUMBERS = 9;
// Decoding stops for the page after so long, ms.
const LONGEST_WORK = 8;
const ASLEEP_FLAG = 1;
const PASSIVE_FLAG = 2;

export class TrajectoryError extends Error {}

// Reads bytes front to back.
export class ByteCursor {
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.offset = 0;
  }

  need(count) {
    if (this.offset + count > this.bytes.length) throw new TrajectoryError('The trajectory is cut off.');
  }

  u8() {
    this.need(1);
    return this.bytes[this.offset++];
  }

  u32() {
    this.need(4);
    this.offset += 4;
    return this.view.getUint32(this.offset - 4, true);
  }

  u64() {
    const low = this.u32();
    return this.u32() * 4294967296 + low;
  }

  take(count) {
    this.need(count);
    this.offset += count;
    return this.bytes.subarray(this.offset - count, this.offset);
  }

  // A column of residuals: byte planes, lowest first, of zigzag numbers. As a rule they have few bytes; only the others go beyond
  // what bit operations can do.
  column(count) {
    const planes = this.u8();
    const small = planes <= 3;
    const out = small ? new Int32Array(count) : new Float64Array(count);
    for (let plane = 0, weight = 1; plane < planes; plane++, weight *= 256) {
      const bytes = this.take(count);
      for (let i = 0; i < count; i++) out[i] += bytes[i] * weight;
    }
    if (small) for (let i = 0; i < count; i++) out[i] = (out[i] >>> 1) ^ -(out[i] & 1);
    else for (let i = 0; i < count; i++) out[i] = out[i] % 2 ? -(out[i] + 1) / 2 : out[i] / 2;
    return out;
  }
}

// The width of a texture with two texels a body: a power of two, and no wider than every graphics card allows.
export function poseTextureSize(bodies) {
  let width = 2;
  while (width < 2 * bodies && width < 2048) width *= 2;
  return { width, height: Math.max(1, Math.ceil((2 * bodies) / width)) };
}

// What a number is expected to be: ways 0, 1 and 2 of the format.
function foretell(way, before, twoBefore) {
  if (way === 0) return before;
  if (way === 1) return before + Math.floor((before - twoBefore) / 2);
  return 2 * before - twoBefore;
}

// One column of all bodies, `values[frame * bodies + body]`. Components of an orientation have a history only while `largest`, the
// place of the largest component, stays the same.
function decodeBodyColumn(cursor, frames, bodies, largest) {
  const way = cursor.u8();
  const residuals = cursor.column(frames * bodies);
  const values = new Int32Array(frames * bodies);
  for (let body = 0; body < bodies; body++) {
    for (let frame = 0; frame < frames; frame++) {
      const now = frame * bodies + body;
      let expected = 0;
      if (frame === 0) {
        if (body > 0 && (!largest || largest[body - 1] === largest[body])) expected = values[body - 1];
      } else if (!largest || largest[now - bodies] === largest[now]) {
        const before = values[now - bodies];
        const two = frame >= 2 && (!largest || largest[now - 2 * bodies] === largest[now]);
        expected = two ? foretell(way, before, values[now - 2 * bodies]) : before;
      }
      values[now] = expected + residuals[body * frames + frame];
    }
  }
  return values;
}

// Lets the page draw and answer between the parts of a long piece of work.
class Pauses {
  constructor() {
    this.since = performance.now();
  }

  async take() {
    if (performance.now() - this.since < LONGEST_WORK) return;
    await new Promise((resolve) => setTimeout(resolve));
    this.since = performance.now();
  }
}

export async function decodeChunk(cursor, chunk, population, precision) {
  const pauses = new Pauses();
  const frames = chunk.frames;
  const bodies = population.bodies.names.length;
  const joints = population.joints.length;
  const columns = [];
  for (let index = 0; index < BODY_COLUMNS; index++) {
    columns.push(decodeBodyColumn(cursor, frames, bodies, index >= 4 && index <= 6 ? columns[3] : null));
    await pauses.take();
  }
  const off = cursor.column(joints * frames);
  const jointsOff = new Uint8Array(joints * frames);
  for (let joint = 0; joint < joints; joint++) {
    for (let frame = 0, sum = 0; frame < frames; frame++) {
      sum += off[joint * frames + frame];
      jointsOff[frame * joints + joint] = sum;
    }
  }
  const size = poseTextureSize(bodies);
  const stride = size.width * size.height * 4;
  const decoded = {
    first: chunk.first, frames, bodies, joints, jointsOff, stride, population: chunk.population,
    poses: decodePoses(columns, frames, bodies, stride, precision),
    flags: columns[7], groups: columns[8], layers: columns[9],
  };
  await pauses.take();
  decoded.contacts = await decodeContacts(cursor, decoded, precision, pauses);
  return decoded;
}

function decodePoses(columns, frames, bodies, stride, precision) {
  const poses = new Float32Array(frames * stride);
  const unit = Math.SQRT1_2 / precision.orientation_steps;
  const [x, y, z, largest, a, b, c] = columns;
  for (let frame = 0; frame < frames; frame++) {
    for (let body = 0; body < bodies; body++) {
      const from = frame * bodies + body;
      const to = frame * stride + 8 * body;
      poses[to] = x[from] * precision.position_spacing;
      poses[to + 1] = y[from] * precision.position_spacing;
      poses[to + 2] = z[from] * precision.position_spacing;
      const p = a[from] * unit;
      const q = b[from] * unit;
      const r = c[from] * unit;
      const rest = Math.sqrt(Math.max(0, 1 - p * p - q * q - r * r));
      const place = largest[from];
      poses[to + 4] = place === 0 ? rest : p;
      poses[to + 5] = place === 1 ? rest : place === 0 ? p : q;
      poses[to + 6] = place === 2 ? rest : place === 3 ? r : q;
      poses[to + 7] = place === 3 ? rest : r;
    }
  }
  return poses;
}

// Contacts of all frames in a row; `starts[frame]` is −1 for a frame whose contacts are not stored.
async function decodeContacts(cursor, chunk, precision, pauses) {
  const starts = new Int32Array(chunk.frames).fill(-1);
  const counts = new Int32Array(chunk.frames);
  let total = 0;
  cursor.column(chunk.frames).reduce((before, residual, frame) => {
    const code = before + residual;
    if (code > 0) {
      starts[frame] = total;
      counts[frame] = code - 1;
      total += code - 1;
    }
    return code;
  }, 0);
  const columns = [];
  for (let index = 0; index < 2 + CONTACT_NUMBERS; index++) columns.push(cursor.column(total));
  const [a, b, ...numbers] = columns;
  await pauses.take();
  let [before, beforeEnd] = [0, 0];
  for (let frame = 0; frame < chunk.frames; frame++) {
    if (starts[frame] < 0) continue;
    const first = starts[frame];
    const end = first + counts[frame];
    let match = before;
    for (let i = first; i < end; i++) {
      a[i] += i > first ? a[i - 1] : 0;
      b[i] += i > first && a[i] === a[i - 1] ? b[i - 1] : a[i];
      while (match < beforeEnd && (a[match] < a[i] || (a[match] === a[i] && b[match] < b[i]))) match++;
      let found = -1;
      if (match < beforeEnd && a[match] === a[i] && b[match] === b[i]) found = match++;
      else if (i > first && a[i - 1] === a[i] && b[i - 1] === b[i]) found = i - 1;
      if (found >= 0) for (const column of numbers) column[i] += column[found];
    }
    [before, beforeEnd] = [first, end];
    await pauses.take();
  }
  return { starts, counts, a, b, ...contactValues(numbers, total, precision) };
}

function contactValues(numbers, total, precision) {
  const [x, y, z, u, v, i, j, k, d] = numbers;
  const offsets = new Float32Array(3 * total);
  const normals = new Float32Array(3 * total);
  const impulses = new Float32Array(3 * total);
  const depths = new Float32Array(total);
  // Powers are slow, and the same few are asked for again and again.
  const powers = [];
  const logarithmic = (code, scale) => {
    const size = Math.abs(code);
    powers[size] ??= 2 ** (size / precision.steps_per_octave) - 1;
    return code < 0 ? -scale * powers[size] : scale * powers[size];
  };
  const side = (value) => (value < 0 ? -1 : 1);
  for (let n = 0; n < total; n++) {
    offsets[3 * n] = x[n] * precision.position_spacing;
    offsets[3 * n + 1] = y[n] * precision.position_spacing;
    offsets[3 * n + 2] = z[n] * precision.position_spacing;
    let p = u[n] / precision.normal_steps;
    let q = v[n] / precision.normal_steps;
    const up = 1 - Math.abs(p) - Math.abs(q);
    if (up < 0) {
      const folded = (1 - Math.abs(q)) * side(p);
      q = (1 - Math.abs(p)) * side(q);
      p = folded;
    }
    const length = Math.sqrt(p * p + q * q + up * up) || 1;
    normals[3 * n] = p / length;
    normals[3 * n + 1] = q / length;
    normals[3 * n + 2] = up / length;
    impulses[3 * n] = logarithmic(i[n], precision.impulse_scale);
    impulses[3 * n + 1] = logarithmic(j[n], precision.impulse_scale);
    impulses[3 * n + 2] = logarithmic(k[n], precision.impulse_scale);
    depths[n] = logarithmic(d[n], precision.depth_scale);
  }
  return { offsets, normals, impulses, depths };
}

// The state of a body in a frame.
export function bodyState(chunk, frame, body) {
  const local = frame - chunk.first;
  const at = local * chunk.stride + 8 * body;
  const cell = local * chunk.bodies + body;
  return {
    position: Array.from(chunk.poses.subarray(at, at + 3)),
    orientation: Array.from(chunk.poses.subarray(at + 4, at + 8)),
    asleep: (chunk.flags[cell] & ASLEEP_FLAG) !== 0,
    passive: (chunk.flags[cell] & PASSIVE_FLAG) !== 0,
    group: chunk.groups[cell] - 1,
    layer: chunk.layers[cell] - 1,
  };
}

// The last frame at or before this one in its chunk whose contacts are stored. The first frame of a chunk always has them.
export function contactFrame(chunk, frame) {
  let local = frame - chunk.first;
  while (local > 0 && chunk.contacts.starts[local] < 0) local--;
  return chunk.first + local;
}
