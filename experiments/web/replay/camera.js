// A camera that looks at a point from around it, z up: drag to orbit, Shift-drag (or the right button, or two fingers) to move
// across, wheel or pinch to come closer. Several views can share one.

import { matrixLookAt, matrixMultiply, matrixPerspective, vectorAddScaled, vectorCross, vectorNormalize, vectorSubtract } from './math.js';

const FIELD_OF_VIEW = 0.7;
const HOME_YAW = -0.95;
const HOME_PITCH = 0.32;

export class OrbitCamera {
  constructor() {
    this.bounds = { centre: [0, 0, 0], radius: 1 };
    this.listeners = new Set();
    this.reset();
  }

  changed() {
    for (const listener of this.listeners) listener();
  }

  // Looks at all of a ball from the direction it looks from now.
  fit(bounds = this.bounds) {
    this.target = [...bounds.centre];
    this.distance = (0.98 * bounds.radius) / Math.sin(FIELD_OF_VIEW / 2);
    this.changed();
  }

  reset() {
    this.yaw = HOME_YAW;
    this.pitch = HOME_PITCH;
    this.fit();
  }

  orbit(right, up) {
    this.yaw -= right;
    this.pitch = Math.min(1.55, Math.max(-1.55, this.pitch + up));
    this.changed();
  }

  // Moves across the line of sight, in parts of the view's height.
  pan(right, up) {
    const forward = vectorNormalize(vectorSubtract(this.target, this.eye()));
    const side = vectorNormalize(vectorCross(forward, [0, 0, 1]));
    const size = 2 * this.distance * Math.tan(FIELD_OF_VIEW / 2);
    this.target = vectorAddScaled(this.target, side, -right * size);
    this.target = vectorAddScaled(this.target, vectorCross(side, forward), up * size);
    this.changed();
  }

  zoom(factor) {
    const { radius } = this.bounds;
    this.distance = Math.min(80 * radius, Math.max(0.01 * radius, this.distance * factor));
    this.changed();
  }

  lookAt(point) {
    this.target = [...point];
    this.changed();
  }

  eye() {
    const across = Math.cos(this.pitch) * this.distance;
    return [
      this.target[0] + across * Math.cos(this.yaw),
      this.target[1] + across * Math.sin(this.yaw),
      this.target[2] + Math.sin(this.pitch) * this.distance,
    ];
  }

  matrix(aspect) {
    // Upright windows keep the width in sight that square ones have.
    const angle = aspect >= 1 ? FIELD_OF_VIEW : 2 * Math.atan(Math.tan(FIELD_OF_VIEW / 2) / aspect);
    const near = Math.max(this.distance * 0.02, this.bounds.radius * 0.002);
    const far = this.distance + 40 * this.bounds.radius;
    return matrixMultiply(matrixPerspective(angle, aspect, near, far), matrixLookAt(this.eye(), this.target, [0, 0, 1]));
  }
}

// Lets pointers on an element move a camera. `clicked(x, y, double)` is told of presses that did not move.
export function followPointers(element, camera, clicked) {
  const pointers = new Map();
  let moved = 0;
  let lastClick = { time: -1e9, x: 0, y: 0 };
  const spread = () => {
    const [a, b] = [...pointers.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, size: Math.max(1, Math.hypot(a.x - b.x, a.y - b.y)) };
  };
  element.addEventListener('pointerdown', (event) => {
    element.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (pointers.size === 1) moved = 0;
  });
  element.addEventListener('pointermove', (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const height = element.clientHeight || 1;
    const pinch = pointers.size === 2 ? spread() : null;
    const [right, down] = [event.clientX - before.x, event.clientY - before.y];
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    moved += Math.abs(right) + Math.abs(down);
    if (pinch) {
      const now = spread();
      camera.zoom(pinch.size / now.size);
      camera.pan((now.x - pinch.x) / height, (now.y - pinch.y) / height);
    } else if (event.shiftKey || event.buttons & 6) camera.pan(right / height, down / height);
    else camera.orbit((2.6 * right) / height, (2.6 * down) / height);
  });
  const released = (event) => {
    if (!pointers.delete(event.pointerId) || event.type === 'pointercancel' || moved > 4 || pointers.size > 0) return;
    const click = { time: event.timeStamp, x: event.clientX, y: event.clientY };
    const near = Math.hypot(click.x - lastClick.x, click.y - lastClick.y) < 12;
    const double = near && click.time - lastClick.time < 400;
    lastClick = double ? { time: -1e9, x: 0, y: 0 } : click;
    clicked(event.offsetX, event.offsetY, double);
  };
  element.addEventListener('pointerup', released);
  element.addEventListener('pointercancel', released);
  element.addEventListener('contextmenu', (event) => event.preventDefault());
  element.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      camera.zoom(Math.exp(Math.max(-0.5, Math.min(0.5, event.deltaY * (event.deltaMode ? 0.05 : 0.0012)))));
    },
    { passive: false },
  );
}
