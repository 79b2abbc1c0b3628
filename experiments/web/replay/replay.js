// The replay: `mountReplay(container, runs)` shows trajectories in a container, one alone or two side by side in step.
//
// Everything goes by simulated time, so runs with different steps and frame rates stay together. The clock, the camera and the
// display options are shared by all views; a view knows its own trajectory. Drawing happens only when something has changed.

import { OrbitCamera } from './camera.js';
import { bodyState } from './chunk.js';
import { buildChooser, buildControls, buildFigure, element, showDetails, showLegend } from './panel.js';
import { ReplayView } from './view.js';

const THEME_COLOURS = ['background', 'ground', 'grid', 'highlight', 'contact', 'normal', 'impulse', 'joint'];

export function mountReplay(container, runs) {
  const replay = new Replay(container, runs);
  window.drystoneReplay = replay.handle;
  return replay.handle;
}

function whatIsMissing() {
  const gl = document.createElement('canvas').getContext('webgl2');
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  if (!gl) {
    return 'The replay needs WebGL 2, which this browser does not have or has switched off.';
  }
  if (typeof DecompressionStream === 'undefined') return 'The replay needs a newer browser: this one has no DecompressionStream.';
  return null;
}

class Replay {
  constructor(container, runs) {
    this.runs = runs;
    this.chosen = [0, -1];
    this.views = [];
    this.loaded = new Map();
    this.time = 0;
    this.speed = 1;
    this.playing = false;
    this.colouring = 'body';
    this.options = { points: false, normals: false, impulses: false, impulseScale: 1, joints: false, through: true, ghosts: false, grid: true };
    this.root = element('section', { className: 'replay', 'aria-label': 'Replay' });
    container.append(this.root);
    this.handle = this.makeHandle();
    const missing = runs.length === 0 ? 'There is no trajectory to replay.' : whatIsMissing();
    if (missing) {
      this.root.append(element('p', { className: 'replay-message', role: 'status', textContent: missing }));
      this.handle.ready = Promise.resolve();
      return;
    }
    this.camera = new OrbitCamera();
    this.camera.listeners.add(() => this.changed());
    this.stage = element('div', { className: 'replay-stage' });
    this.controls = buildControls(this, {
      toggle: () => (this.playing ? this.pause() : this.play()),
      seek: (frame) => this.seek(frame),
      step: (frames) => this.step(frames),
      speed: (speed) => (this.speed = speed),
      colouring: (name) => this.setColouring(name),
      option: (name, value) => this.setOption(name, value),
      fit: () => this.fit(),
      reset: () => this.camera.reset(),
    });
    if (runs.length > 1) {
      this.chooser = buildChooser(runs, this.chosen, (slot, run) => this.choose(slot, run));
      this.root.append(this.chooser.element);
    }
    this.root.append(this.stage, this.controls.element);
    this.root.addEventListener('keydown', (event) => this.key(event));
    new ResizeObserver(() => this.changed()).observe(this.stage);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.readTheme());
    this.handle.ready = this.arrange(true);
  }

  // What the page and its tests can do.
  makeHandle() {
    const replay = this;
    return {
      ready: null,
      get frameCount() {
        return replay.master()?.trajectory.frameCount ?? 0;
      },
      get frame() {
        return replay.frame();
      },
      seek: (frame) => this.seek(frame),
      play: () => this.play(),
      pause: () => this.pause(),
      choose: (slot, run) => this.choose(slot, run),
      select: (name) => this.select(name),
      setOption: (name, value) => this.setOption(name, value),
      setColouring: (name) => this.setColouring(name),
      camera: () => this.camera,
      state: () => this.describe(),
      // Positions of all bodies in a frame, of the first view: [[x, y, z], …].
      positions: async (frame) => {
        const chunk = await this.master().trajectory.load(frame);
        return Array.from({ length: chunk.bodies }, (_, body) => bodyState(chunk, frame, body).position);
      },
      // The picture of a view: { width, height, pixels }, four bytes a pixel, rows from below.
      picture: (index = 0) => {
        this.draw();
        const { renderer } = this.views[index];
        return { width: renderer.canvas.width, height: renderer.canvas.height, pixels: renderer.pixels() };
      },
    };
  }

  describe() {
    const views = this.views.filter((view) => view.trajectory);
    return {
      frame: this.frame(),
      time: this.time,
      playing: this.playing,
      speed: this.speed,
      colouring: this.colouring,
      options: { ...this.options },
      runs: this.chosen.filter((run) => run >= 0).map((run) => this.runs[run]?.label),
      selected: views.map((view) => (view.selected >= 0 ? view.population.bodies.names[view.selected] : null)),
      shown: views.map((view) => ({ frame: view.frame, bodies: view.population.bodies.names.length, contacts: view.glyphs.contactCount })),
    };
  }

  // Makes as many views as there are runs chosen, and loads what they show.
  async arrange(first = false) {
    const wanted = this.chosen.filter((run) => run >= 0);
    while (this.views.length > wanted.length) this.views.pop().release();
    while (this.views.length < wanted.length) {
      const parts = buildFigure('');
      this.stage.append(parts.figure);
      this.views.push(new ReplayView(parts, this.camera, {
        changed: () => this.changed(),
        failed: (error) => this.complain(parts, error),
        chosen: (view, body) => this.select(body < 0 ? null : view.population.bodies.names[body]),
      }));
    }
    this.stage.dataset.views = String(wanted.length);
    await Promise.all(this.views.map((view, slot) => this.fill(view, wanted[slot])));
    if (first) this.begin();
    this.readTheme();
    this.controls.hideOption('joints', !this.views.some((view) => view.population?.joints.length > 0));
    await this.showAll();
  }

  async fill(view, run) {
    if (view.run === run && view.trajectory) return;
    const { label, canvas } = view.parts;
    view.run = run;
    label.textContent = this.runs[run].label;
    canvas.setAttribute('aria-label', canvas.getAttribute('aria-label').replace(/^3D replay of .*?\./, `3D replay of ${this.runs[run].label}.`));
    view.parts.message.hidden = true;
    view.colouring = this.colouring;
    view.options = this.options;
    try {
      const known = this.loaded.get(run);
      this.loaded.set(run, await view.load(known ?? (await this.runs[run].load())));
    } catch (error) {
      view.trajectory = null;
      this.complain(view.parts, error);
    }
  }

  complain(parts, error) {
    parts.message.textContent = `This trajectory can't be shown. ${error.message}`;
    parts.message.hidden = false;
  }

  // The first look: the whole scene, walls see-through if there are any, joints where there are any.
  begin() {
    const view = this.views.find(({ trajectory }) => trajectory);
    if (!view) return;
    this.time = view.trajectory.times[0];
    this.setOption('ghosts', view.isWalled());
    this.camera.bounds = view.bounds;
    this.camera.reset();
  }

  // Looks at all bodies as they are now.
  fit() {
    const view = this.master();
    if (view && view.frame >= 0) this.camera.fit(view.presentBounds());
  }

  choose(slot, run) {
    this.chosen[slot] = run;
    this.chooser?.update(this.chosen);
    return this.arrange();
  }

  // The view that has the most frames: the scrubber counts its frames.
  master() {
    const views = this.views.filter((view) => view.trajectory);
    return views.reduce((best, view) => (best && best.trajectory.frameCount >= view.trajectory.frameCount ? best : view), null);
  }

  frame() {
    return this.master()?.trajectory.frameAt(this.time).frame ?? 0;
  }

  end() {
    return Math.max(...this.views.filter((view) => view.trajectory).map(({ trajectory }) => trajectory.times[trajectory.frameCount - 1]));
  }

  play() {
    if (!this.master()) return;
    if (this.time >= this.end() - 1e-9) this.time = this.master().trajectory.times[0];
    this.playing = true;
    this.before = null;
    this.changed();
  }

  pause() {
    this.playing = false;
    this.changed();
  }

  // Shows a frame; the promise is kept when it is on the canvas.
  seek(frame) {
    const master = this.master();
    if (!master) return Promise.resolve();
    const { times, frameCount } = master.trajectory;
    this.time = times[Math.min(frameCount - 1, Math.max(0, Math.round(frame)))];
    return this.showAll();
  }

  step(frames) {
    this.playing = false;
    return this.seek(this.frame() + frames);
  }

  // Loads what the present time needs, and draws it.
  async showAll() {
    const views = this.views.filter((view) => view.trajectory);
    await Promise.all(views.map((view) => view.trajectory.load(view.trajectory.frameAt(this.time).frame).catch((error) => this.complain(view.parts, error))));
    this.draw();
  }

  setColouring(name) {
    this.colouring = name;
    this.controls.setColouring(name);
    for (const view of this.views) {
      view.colouring = name;
      view.recolour();
    }
    this.changed();
  }

  setOption(name, value) {
    this.options[name] = value;
    this.controls.setOption(name, value);
    this.changed();
  }

  // Chooses a body by name in all views.
  select(name) {
    for (const view of this.views) view.selected = name === null || !view.trajectory ? -1 : view.population.bodies.names.indexOf(name);
    this.changed();
  }

  key(event) {
    const { target } = event;
    const typing = target.matches('select, input:not([type=range])');
    if (event.ctrlKey || event.metaKey || event.altKey || typing) return;
    const ranged = target.matches('input[type=range]');
    if (event.key === ' ' && target.matches('button, a')) return;
    const turn = event.shiftKey ? 0.12 : 0;
    const actions = {
      ' ': () => (this.playing ? this.pause() : this.play()),
      ArrowLeft: () => (turn ? this.camera.orbit(-turn, 0) : this.step(-1)),
      ArrowRight: () => (turn ? this.camera.orbit(turn, 0) : this.step(1)),
      ArrowUp: () => this.camera.orbit(0, 0.12),
      ArrowDown: () => this.camera.orbit(0, -0.12),
      Home: () => this.seek(0),
      End: () => this.seek(Infinity),
      '+': () => this.camera.zoom(0.85),
      '=': () => this.camera.zoom(0.85),
      '-': () => this.camera.zoom(1 / 0.85),
      f: () => this.fit(),
      r: () => this.camera.reset(),
      Escape: () => this.select(null),
    };
    if (ranged && event.key !== ' ') return;
    const action = actions[event.key] ?? actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  }

  // Colours come from the page's style, so that they follow light and dark.
  readTheme() {
    const style = getComputedStyle(this.root);
    const brush = document.createElement('canvas').getContext('2d');
    const theme = {};
    for (const name of THEME_COLOURS) {
      brush.fillStyle = style.getPropertyValue(`--replay-${name}`).trim() || '#808080';
      theme[name] = [1, 3, 5].map((at) => parseInt(brush.fillStyle.slice(at, at + 2), 16) / 255);
    }
    for (const view of this.views) view.renderer.theme = theme;
    this.changed();
  }

  changed() {
    if (this.request) return;
    this.request = requestAnimationFrame((now) => {
      this.request = null;
      this.advance(now);
      this.draw();
      if (this.playing) this.changed();
    });
  }

  advance(now) {
    if (!this.playing) return;
    // After a pause of the page, time does not jump.
    const passed = this.before === null ? 0 : Math.min(0.1, (now - this.before) / 1000);
    this.before = now;
    this.time += passed * this.speed;
    const end = this.end();
    if (this.time >= end) [this.time, this.playing] = [end, false];
  }

  draw() {
    const master = this.master();
    if (!master || !this.views.every((view) => view.renderer.theme)) return;
    const views = this.views.filter((view) => view.trajectory);
    for (const view of views) view.show(this.time);
    const largest = (name) => Math.max(...views.map((view) => view.scale[name]));
    const scale = { speed: largest('speed'), layers: largest('layers') };
    for (const view of views) {
      view.share(scale);
      view.draw();
      showLegend(view.parts.legend, this.colouring, view.shownScale, { kinds: view.kinds });
      showDetails(view.parts.details, view.selected >= 0 && view.frame >= 0 ? view.describe(view.selected) : null, () => this.select(null));
    }
    this.controls.update({
      frame: this.frame(),
      frameCount: master.trajectory.frameCount,
      seconds: this.time,
      end: this.end(),
      playing: this.playing,
    });
  }
}
