// What bodies look like: the parts of their shapes, how far they reach, and how much room a scene takes.

import { quaternionFromZ, vectorSubtract } from './math.js';
import { bodyState } from './chunk.js';

// The parts of a shape: { kind, position, orientation, scale }.
export function partsOf(shape) {
  const alone = { position: [0, 0, 0], orientation: [0, 0, 0, 1] };
  switch (shape.type) {
    case 'sphere':
      return [{ ...alone, kind: 0, scale: [shape.radius, shape.radius, shape.radius] }];
    case 'cuboid':
      return [{ ...alone, kind: 1, scale: shape.half_extents }];
    case 'half-space':
      return [{ ...alone, kind: 2, orientation: quaternionFromZ(shape.normal), scale: [1, 1, 1] }];
    case 'compound':
      return shape.parts.flatMap((part) => partsOf(part.shape).map((inner) => ({ ...inner, position: part.position, orientation: part.orientation })));
    default:
      return [];
  }
}

// How far a shape reaches from its origin; none for half-spaces.
export function shapeRadius(shape) {
  const reach = (part) => Math.hypot(...part.position) + (part.kind === 0 ? part.scale[0] : Math.hypot(...part.scale));
  return shape.type === 'half-space' ? 0 : Math.max(...partsOf(shape).map(reach));
}

export function shapeOf(population, body) {
  return population.shapes[population.solids[population.bodies.solids[body]].shape];
}

// A ball around the bodies that move in some frames, [{ population, chunk, frame }, …]; around all if none moves. Of many bodies the
// few that flew farthest don't count, or one would see nothing of the others.
export function sceneBounds(frames) {
  const boundsOf = (wanted) => {
    const sides = [[], [], [], [], [], []];
    for (const { population, chunk, frame } of frames) {
      population.bodies.kinds.forEach((kind, body) => {
        const shape = shapeOf(population, body);
        if (!wanted(kind) || shape.type === 'half-space') return;
        const { position } = bodyState(chunk, frame, body);
        const radius = shapeRadius(shape);
        for (let k = 0; k < 3; k++) {
          sides[k].push(position[k] - radius);
          sides[k + 3].push(position[k] + radius);
        }
      });
    }
    const skipped = Math.floor(0.01 * sides[0].length);
    const sorted = sides.map((values) => Float64Array.from(values).sort());
    return { low: [0, 1, 2].map((k) => sorted[k][skipped]), high: [3, 4, 5].map((k) => sorted[k][sorted[k].length - 1 - skipped]) };
  };
  let { low, high } = boundsOf((kind) => kind === 'dynamic');
  if (!(low[0] <= high[0])) ({ low, high } = boundsOf(() => true));
  if (!(low[0] <= high[0])) [low, high] = [[-1, -1, -1], [1, 1, 1]];
  const centre = low.map((x, k) => (x + high[k]) / 2);
  return { centre, low, high, radius: Math.max(1e-6, Math.hypot(...vectorSubtract(high, low)) / 2) };
}
