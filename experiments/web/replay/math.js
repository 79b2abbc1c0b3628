// Vectors, quaternions and 4 × 4 matrices: the few operations that a camera and a replay need.
// Vectors and quaternions (x, y, z, w) are arrays; matrices are in columns, as WebGL wants them.

export const vectorSubtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const vectorScale = (a, factor) => [a[0] * factor, a[1] * factor, a[2] * factor];
export const vectorAddScaled = (a, b, factor) => [a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]];
export const vectorDot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const vectorLength = (a) => Math.hypot(a[0], a[1], a[2]);

export function vectorCross(a, b) {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function vectorNormalize(a) {
  const length = vectorLength(a);
  return length > 0 ? vectorScale(a, 1 / length) : [0, 0, 1];
}

// Turns a vector by a unit quaternion: v + 2 w (u × v) + 2 u × (u × v).
export function quaternionRotate(q, v) {
  const once = vectorScale(vectorCross(q, v), 2);
  return vectorAddScaled(vectorAddScaled(v, once, q[3]), vectorCross(q, once), 1);
}

// The shortest turn from +z to a direction.
export function quaternionFromZ(direction) {
  const [x, y, z] = vectorNormalize(direction);
  if (z < -0.999999) return [1, 0, 0, 0];
  const length = Math.hypot(y, x, 1 + z);
  return [-y / length, x / length, 0, (1 + z) / length];
}

// The angle of the turn between two orientations, rad.
export function quaternionAngle(a, b) {
  const dot = Math.abs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]);
  return 2 * Math.acos(Math.min(1, dot));
}

export function matrixMultiply(a, b) {
  const out = new Float32Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
      out[4 * column + row] = sum;
    }
  }
  return out;
}

export function matrixPerspective(fieldOfView, aspect, near, far) {
  const f = 1 / Math.tan(fieldOfView / 2);
  const depth = 1 / (near - far);
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) * depth, -1, 0, 0, 2 * far * near * depth, 0]);
}

export function matrixOrthographic(halfWidth, near, far) {
  const depth = 1 / (near - far);
  const s = 1 / halfWidth;
  return new Float32Array([s, 0, 0, 0, 0, s, 0, 0, 0, 0, 2 * depth, 0, 0, 0, (far + near) * depth, 1]);
}

export function matrixLookAt(eye, target, up) {
  const z = vectorNormalize(vectorSubtract(eye, target));
  const x = vectorNormalize(vectorCross(up, z));
  const y = vectorCross(z, x);
  return new Float32Array([
    x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0,
    -vectorDot(x, eye), -vectorDot(y, eye), -vectorDot(z, eye), 1,
  ]);
}
