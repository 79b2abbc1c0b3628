// One run in one canvas: which frame is shown, in which colours, and what is known of the body that was chosen.

import { GlyphRenderer } from './arrows.js';
import { sceneBounds, shapeOf, shapeRadius } from './bodies.js';
import { followPointers } from './camera.js';
import { bodyState, contactFrame } from './chunk.js';
import { quaternionAngle } from './math.js';
import { COLOURINGS } from './palette.js';
import { SceneRenderer } from './scene.js';
import { Trajectory } from './trajectory.js';

// Bodies are hovered over this often at most, ms: looking up who is under the pointer draws the scene once more.
const HOVER_INTERVAL = 80;

export class ReplayView {
  // `parts`: figure, canvas, label, hover. `callbacks`: changed(), chosen(view, body).
  constructor(parts, camera, callbacks) {
    this.parts = parts;
    this.camera = camera;
    this.callbacks = callbacks;
    this.renderer = new SceneRenderer(parts.canvas);
    this.glyphs = new GlyphRenderer(this.renderer);
    this.trajectory = null;
    this.frame = -1;
    this.selected = -1;
    this.hoverTime = 0;
    this.followPointers();
    parts.canvas.addEventListener('webglcontextlost', (event) => {
      event.preventDefault();
      callbacks.failed(new Error('The graphics card was reset; load the page again.'));
    });
  }

  // Gives the graphics card back what it holds; browsers allow few canvases at once.
  release() {
    this.trajectory = null;
    this.renderer.gl.getExtension('WEBGL_lose_context')?.loseContext();
    this.parts.figure.remove();
  }

  followPointers() {
    const { canvas, hover } = this.parts;
    const at = (x, y) => this.renderer.pick(this.camera, x * this.pixelRatio(), y * this.pixelRatio(), this.options);
    followPointers(canvas, this.camera, (x, y, double) => {
      if (!this.trajectory) return;
      const body = at(x, y);
      if (double && body >= 0) this.camera.lookAt(this.state(body).position);
      this.callbacks.chosen(this, body);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (event.buttons || !this.trajectory || event.timeStamp - this.hoverTime < HOVER_INTERVAL) return;
      this.hoverTime = event.timeStamp;
      const body = at(event.offsetX, event.offsetY);
      hover.hidden = body < 0;
      if (body < 0) return;
      hover.textContent = this.population.bodies.names[body];
      hover.style.transform = `translate(${event.offsetX + 14}px, ${event.offsetY + 14}px)`;
    });
    canvas.addEventListener('pointerleave', () => {
      hover.hidden = true;
    });
  }

  pixelRatio() {
    return Math.min(2, window.devicePixelRatio || 1);
  }

  // Takes the trajectory of a run over and makes its first frame ready.
  async load(bytes) {
    const trajectory = bytes instanceof Trajectory ? bytes : await Trajectory.parse(bytes);
    const chunk = await trajectory.load(0);
    // The whole run should be in sight, as far as its beginning, middle and end tell.
    const last = trajectory.frameCount - 1;
    const sampled = [];
    for (const frame of [0, Math.floor(last / 2), last]) {
      const sample = await trajectory.load(frame);
      sampled.push({ population: trajectory.populations[sample.population], chunk: sample, frame });
    }
    // All at once: whoever asks in between sees the run before, or none.
    this.trajectory = trajectory;
    this.firstChunk = chunk;
    this.bounds = sceneBounds(sampled);
    this.largeImpulse = largeImpulse(sampled);
    this.scale = { speed: 1e-3, layers: 0 };
    this.shownScale = this.scale;
    this.frame = -1;
    this.populationIndex = -1;
    this.selected = -1;
    this.populate(chunk);
    return trajectory;
  }

  populate(chunk) {
    if (this.populationIndex === chunk.population) return;
    const chosen = this.selected >= 0 ? this.population.bodies.names[this.selected] : null;
    this.populationIndex = chunk.population;
    this.population = this.trajectory.populations[chunk.population];
    this.kinds = new Set(this.population.bodies.kinds);
    this.renderer.setPopulation(this.population, chunk, this.bounds);
    this.selected = chosen === null ? -1 : this.population.bodies.names.indexOf(chosen);
    this.measures = this.typicalSizes();
    this.offJoints = null;
  }

  // A body's mean radius, and a large impulse among those that are known at first, or what holds a body up for a step if that is
  // more: arrows are measured by these.
  typicalSizes() {
    const { bodies, solids } = this.population;
    let [radius, mass, count] = [0, 0, 0];
    bodies.kinds.forEach((kind, body) => {
      if (kind !== 'dynamic') return;
      radius += shapeRadius(shapeOf(this.population, body));
      mass += solids[bodies.solids[body]].mass;
      count++;
    });
    if (count === 0) return { radius: this.bounds.radius / 10, impulse: 1 };
    const weight = Math.hypot(...this.trajectory.header.gravity) * this.trajectory.header.dt;
    return { radius: radius / count, impulse: Math.max((mass / count) * (weight || 1), this.largeImpulse) };
  }

  // A ball around the bodies as they are now.
  presentBounds() {
    return sceneBounds([{ population: this.population, chunk: this.shownChunk, frame: this.frame }]);
  }

  // Whether fixed bodies stand on three sides of those that move, and should be see-through at first.
  isWalled() {
    const chunk = this.firstChunk;
    const { low, high, centre } = this.bounds;
    const sides = new Set();
    this.population.bodies.kinds.forEach((kind, body) => {
      const shape = shapeOf(this.population, body);
      if (kind !== 'fixed' || shape.type === 'half-space') return;
      const { position } = bodyState(chunk, chunk.first, body);
      const top = position[2] + (shape.half_extents?.[2] ?? shapeRadius(shape));
      if (top < low[2] + 0.2 * (high[2] - low[2])) return;
      const [x, y] = [position[0] - centre[0], position[1] - centre[1]];
      sides.add(Math.abs(x) > Math.abs(y) ? `x ${x > 0}` : `y ${y > 0}`);
    });
    return sides.size >= 3;
  }

  // Shows a time, as far as its frames are decoded; the others are fetched, and `changed` is called when they are there.
  show(time) {
    if (!this.trajectory) return;
    const { frame, fraction } = this.trajectory.frameAt(time);
    const chunk = this.trajectory.ready(frame);
    if (!chunk) {
      this.trajectory.load(frame).then(this.callbacks.changed, this.callbacks.failed);
      return;
    }
    // The chunk after this one is made ready while this one is shown.
    if (frame + 8 >= chunk.first + chunk.frames && frame + 8 < this.trajectory.frameCount) this.trajectory.ready(frame + 8);
    this.populate(chunk);
    this.learnScales(chunk);
    const last = this.trajectory.frameCount - 1;
    const following = frame < last ? this.trajectory.ready(frame + 1) : null;
    const next = following && following.population === chunk.population ? { chunk: following, frame: frame + 1 } : { chunk, frame };
    if (this.frame !== frame || this.nextFrame !== next.frame || this.shownChunk !== chunk) {
      this.renderer.setFrames(chunk, frame, next.chunk, next.frame);
      [this.frame, this.nextFrame, this.shownChunk] = [frame, next.frame, chunk];
      this.contactsFrame = this.glyphs.setContacts(chunk, frame);
      this.updateJoints(chunk, frame);
      this.recolour();
    }
    this.renderer.fraction = next.frame === frame ? 0 : fraction;
  }

  // Colours by the scale of all views, so that equal colours mean equal speeds. The layers of a method that has none stay none.
  share({ speed, layers }) {
    const scale = { speed, layers: this.scale.layers && layers };
    if (scale.speed === this.shownScale.speed && scale.layers === this.shownScale.layers) return;
    this.shownScale = scale;
    this.recolour();
  }

  updateJoints(chunk, frame) {
    const local = (frame - chunk.first) * chunk.joints;
    const off = chunk.jointsOff.subarray(local, local + chunk.joints).join();
    if (off === this.offJoints) return;
    this.offJoints = off;
    this.glyphs.setJoints(this.population, chunk, frame);
  }

  // How fast bodies get and how many layers there are, as far as frames have been seen.
  learnScales(chunk) {
    if (chunk.learnt) return;
    chunk.learnt = true;
    const speeds = [];
    const stride = Math.max(1, Math.floor((chunk.bodies * chunk.frames) / 20000));
    for (let cell = 0; cell < chunk.bodies * chunk.frames; cell += stride) {
      const body = cell % chunk.bodies;
      if (this.population.bodies.kinds[body] === 'dynamic') speeds.push(this.speedOf(chunk, chunk.first + Math.floor(cell / chunk.bodies), body));
    }
    speeds.sort((a, b) => a - b);
    this.scale.speed = Math.max(this.scale.speed, roundedUp(speeds[Math.floor(0.99 * (speeds.length - 1))] || 0));
    for (const code of chunk.layers) this.scale.layers = Math.max(this.scale.layers, code - 1);
  }

  // The frames whose difference tells a speed: the one before, or the one after in a chunk's first frame.
  neighbours(chunk, frame) {
    if (frame > chunk.first) return [frame - 1, frame];
    return chunk.frames > 1 ? [frame, frame + 1] : [frame, frame];
  }

  speedOf(chunk, frame, body) {
    const [from, to] = this.neighbours(chunk, frame);
    const interval = this.trajectory.times[to] - this.trajectory.times[from];
    if (!(interval > 0)) return 0;
    const a = (from - chunk.first) * chunk.stride + 8 * body;
    const b = (to - chunk.first) * chunk.stride + 8 * body;
    const { poses } = chunk;
    return Math.hypot(poses[b] - poses[a], poses[b + 1] - poses[a + 1], poses[b + 2] - poses[a + 2]) / interval;
  }

  recolour() {
    const chunk = this.shownChunk;
    if (!chunk || !this.colouring) return;
    const colouring = COLOURINGS.find(({ name }) => name === this.colouring);
    const { colourBytes } = this.renderer;
    const { kinds } = this.population.bodies;
    const first = (this.frame - chunk.first) * chunk.bodies;
    const asked = { chunk, scale: this.shownScale, kind: '', cell: 0, body: 0, speed: 0 };
    for (let body = 0; body < chunk.bodies; body++) {
      asked.kind = kinds[body];
      asked.cell = first + body;
      asked.body = body;
      if (this.colouring === 'speed') asked.speed = this.speedOf(chunk, this.frame, body);
      const colour = colouring.of(asked);
      colourBytes[4 * body] = colour[0];
      colourBytes[4 * body + 1] = colour[1];
      colourBytes[4 * body + 2] = colour[2];
      // Bodies that are only kept in store are not shown.
      colourBytes[4 * body + 3] = chunk.flags[asked.cell] & 2 ? 0 : 255;
    }
    this.renderer.updateColours();
  }

  // Fits the canvas to its place; returns whether it had to be.
  resize() {
    const { canvas } = this.parts;
    const width = Math.max(1, Math.round(canvas.clientWidth * this.pixelRatio()));
    const height = Math.max(1, Math.round(canvas.clientHeight * this.pixelRatio()));
    if (canvas.width === width && canvas.height === height) return false;
    [canvas.width, canvas.height] = [width, height];
    return true;
  }

  draw() {
    if (!this.trajectory || this.frame < 0) return;
    this.resize();
    this.renderer.selected = this.selected;
    const { options, measures } = this;
    const sizes = {
      pixelRatio: this.pixelRatio(),
      point: Math.max(4, Math.min(9, (60 * measures.radius) / this.camera.distance)) * this.pixelRatio(),
      normal: 0.7 * measures.radius,
      impulse: (options.impulseScale * measures.radius) / measures.impulse,
      thickness: Math.min(0.055 * measures.radius, 0.003 * this.camera.distance),
    };
    this.renderer.draw(this.camera, options, (view) => this.glyphs.draw(view, options, sizes));
  }

  state(body) {
    return bodyState(this.shownChunk, this.frame, body);
  }

  // Everything that is known of a body in the frame that is shown.
  describe(body) {
    const chunk = this.shownChunk;
    const state = this.state(body);
    const [from, to] = this.neighbours(chunk, this.frame);
    const interval = this.trajectory.times[to] - this.trajectory.times[from];
    const turn = quaternionAngle(bodyState(chunk, from, body).orientation, bodyState(chunk, to, body).orientation);
    const { contacts } = chunk;
    const stored = contactFrame(chunk, this.frame);
    const first = contacts.starts[stored - chunk.first];
    const sum = [0, 0, 0];
    let [count, normalSum] = [0, 0];
    for (let k = first; k < first + contacts.counts[stored - chunk.first]; k++) {
      const sign = contacts.b[k] === body ? 1 : contacts.a[k] === body ? -1 : 0;
      if (sign === 0) continue;
      count++;
      for (let axis = 0; axis < 3; axis++) {
        sum[axis] += sign * contacts.impulses[3 * k + axis];
        normalSum += contacts.impulses[3 * k + axis] * contacts.normals[3 * k + axis];
      }
    }
    const { bodies, solids, joints } = this.population;
    return {
      ...state,
      name: bodies.names[body],
      kind: bodies.kinds[body],
      shape: shapeOf(this.population, body),
      mass: solids[bodies.solids[body]].mass,
      speed: this.speedOf(chunk, this.frame, body),
      speedError: interval > 0 ? (2 * Math.sqrt(3) * this.trajectory.header.precision.position_error) / interval : 0,
      angularSpeed: interval > 0 ? turn / interval : 0,
      angularError: interval > 0 ? (2 * this.trajectory.header.precision.orientation_error) / interval : 0,
      groupName: state.group >= 0 ? bodies.names[state.group] : null,
      contacts: count,
      contactTime: this.trajectory.times[stored],
      impulse: sum,
      normalImpulse: normalSum,
      joints: joints.filter(({ bodies: ends }) => ends.includes(body)).map(({ name, kind }) => `${name} (${kind})`),
    };
  }
}

// Nine of ten impulses in some frames are smaller, N·s.
function largeImpulse(frames) {
  const sizes = [];
  for (const { chunk, frame } of frames) {
    const { starts, counts, impulses } = chunk.contacts;
    const local = contactFrame(chunk, frame) - chunk.first;
    for (let k = starts[local]; k < starts[local] + counts[local]; k++) sizes.push(Math.hypot(...impulses.subarray(3 * k, 3 * k + 3)));
  }
  sizes.sort((a, b) => a - b);
  return sizes[Math.floor(0.9 * sizes.length)] ?? 0;
}

// The next of 1, 2, 5 times a power of ten.
function roundedUp(value) {
  if (!(value > 0)) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [1, 2, 5, 10].find((step) => step * power >= value * 0.999);
}
