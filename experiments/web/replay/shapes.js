// Unit meshes that instances are scaled from: a ball, a cube, a square, an arrow. Each has positions, normals and triangles.

// A ball of radius 1 from a subdivided octahedron: even triangles, none at poles.
export function sphereMesh(subdivisions) {
  let corners = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]];
  let faces = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
  for (let level = 0; level < subdivisions; level++) {
    const middles = new Map();
    const middle = (a, b) => {
      const key = a < b ? `${a},${b}` : `${b},${a}`;
      if (!middles.has(key)) {
        const sum = corners[a].map((x, k) => x + corners[b][k]);
        const length = Math.hypot(...sum);
        corners.push(sum.map((x) => x / length));
        middles.set(key, corners.length - 1);
      }
      return middles.get(key);
    };
    faces = faces.flatMap(([a, b, c]) => {
      const [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
      return [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]];
    });
  }
  const positions = new Float32Array(corners.flat());
  return { positions, normals: positions, indices: new Uint16Array(faces.flat()) };
}

// A cube from −1 to 1.
export function cubeMesh() {
  const [positions, normals, indices] = [[], [], []];
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-1, 1]) {
      const first = positions.length / 3;
      for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
        const corner = [0, 0, 0];
        [corner[axis], corner[(axis + 1) % 3], corner[(axis + 2) % 3]] = [side, u, v];
        positions.push(...corner);
        normals.push(...[0, 1, 2].map((k) => (k === axis ? side : 0)));
      }
      const order = side > 0 ? [0, 1, 2, 0, 2, 3] : [0, 2, 1, 0, 3, 2];
      indices.push(...order.map((k) => first + k));
    }
  }
  return { positions: new Float32Array(positions), normals: new Float32Array(normals), indices: new Uint16Array(indices) };
}

// A square from −1 to 1 across z, looking up.
export function squareMesh() {
  return {
    positions: new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]),
    normals: new Float32Array([0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]),
    indices: new Uint16Array([0, 1, 2, 0, 2, 3]),
  };
}

// An arrow along z: x and y are in units of its thickness; z is 0 at the foot, 1 where the head begins, 2 at the tip. The shader
// stretches the shaft and leaves the head in shape.
export function arrowMesh(sides = 8) {
  const [positions, normals, indices] = [[], [], []];
  const ring = (radius, z, rise) => {
    const first = positions.length / 3;
    for (let k = 0; k < sides; k++) {
      const [x, y] = [Math.cos((2 * Math.PI * k) / sides), Math.sin((2 * Math.PI * k) / sides)];
      positions.push(radius * x, radius * y, z);
      normals.push(x, y, rise);
    }
    return first;
  };
  const band = (low, high) => {
    for (let k = 0; k < sides; k++) {
      const next = (k + 1) % sides;
      indices.push(low + k, low + next, high + next, low + k, high + next, high + k);
    }
  };
  band(ring(1, 0, 0), ring(1, 1, 0));
  band(ring(1, 1, -1), ring(2.6, 1, -1));
  band(ring(2.6, 1, 0.5), ring(0, 2, 0.5));
  return { positions: new Float32Array(positions), normals: new Float32Array(normals), indices: new Uint16Array(indices) };
}
