// Draws the bodies of a frame with WebGL 2: one instanced call for each kind of shape, once for shadows and once for the picture.
// An instance is a part of a body: which body, where in it, how large. That never changes; what changes from frame to frame is in
// the textures of poses and colours.

import { partsOf, shapeOf } from './bodies.js';
import { bodyState, poseTextureSize } from './chunk.js';
import { matrixLookAt, matrixMultiply, matrixOrthographic, quaternionRotate, vectorAddScaled, vectorDot, vectorNormalize, vectorSubtract } from './math.js';
import { cubeMesh, sphereMesh, squareMesh } from './shapes.js';
import { ATTRIBUTES, buildPrograms } from './shaders.js';

const SHADOW_SIZE = 2048;
const LIGHT = vectorNormalize([-0.6, -0.35, 1.1]);
const INSTANCE_FLOATS = 11;
const GHOST_ALPHA = 0.16;

export class SceneRenderer {
  constructor(canvas) {
    const gl = canvas.getContext('webgl2', { antialias: true, alpha: false, powerPreference: 'high-performance' });
    if (!gl) throw new Error('WebGL 2 is missing.');
    this.gl = gl;
    this.canvas = canvas;
    this.programs = buildPrograms(gl);
    this.batches = [];
    this.theme = null;
    this.fraction = 0;
    this.selected = -1;
    this.makeShadowMap();
    this.pickTarget = null;
  }

  makeShadowMap() {
    const { gl } = this;
    this.shadowTexture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.shadowTexture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    this.shadowFrame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadowTexture, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  // Makes buffers for bodies that have not been drawn before.
  setPopulation(population, chunk, bounds) {
    const { gl } = this;
    for (const batch of this.batches) {
      gl.deleteVertexArray(batch.array);
      batch.buffers.forEach((buffer) => gl.deleteBuffer(buffer));
    }
    this.population = population;
    this.bounds = bounds;
    this.planeReach = 7 * bounds.radius;
    const bodies = population.bodies.names.length;
    const lists = new Map();
    population.bodies.kinds.forEach((kind, body) => {
      const pose = bodyState(chunk, chunk.first, body);
      for (const part of partsOf(shapeOf(population, body))) {
        const layer = part.kind === 2 ? 'plane' : kind === 'trigger' ? 'trigger' : kind === 'fixed' ? 'fixed' : 'solid';
        const key = `${part.kind} ${layer}`;
        if (!lists.has(key)) lists.set(key, { kind: part.kind, layer, data: [] });
        const { position, scale } = part.kind === 2 ? this.placePlane(part, pose) : part;
        lists.get(key).data.push(body, ...position, ...part.orientation, ...scale);
      }
    });
    const meshes = [sphereMesh(bodies > 3000 ? 2 : bodies > 300 ? 3 : 4), cubeMesh(), squareMesh()];
    this.batches = [...lists.values()].map(({ kind, layer, data }) => ({ kind, layer, ...this.makeBatch(meshes[kind], data) }));
    this.makeTextures(bodies);
  }

  // An infinite plane is drawn as a large square below the middle of the scene.
  placePlane(part, pose) {
    const normal = quaternionRotate(pose.orientation, quaternionRotate(part.orientation, [0, 0, 1]));
    const away = vectorSubtract(this.bounds.centre, pose.position);
    const across = vectorAddScaled(away, normal, -vectorDot(away, normal));
    const [x, y, z, w] = pose.orientation;
    return { position: quaternionRotate([-x, -y, -z, w], across), scale: [this.planeReach, this.planeReach, 1] };
  }

  makeBatch(mesh, data) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const buffers = [];
    const fill = (target, values) => {
      const buffer = gl.createBuffer();
      buffers.push(buffer);
      gl.bindBuffer(target, buffer);
      gl.bufferData(target, values, gl.STATIC_DRAW);
    };
    for (const [place, values] of [[ATTRIBUTES.aPosition, mesh.positions], [ATTRIBUTES.aNormal, mesh.normals]]) {
      fill(gl.ARRAY_BUFFER, values);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 0, 0);
    }
    fill(gl.ARRAY_BUFFER, new Float32Array(data));
    let offset = 0;
    for (const [place, size] of [[ATTRIBUTES.iBody, 1], [ATTRIBUTES.iPosition, 3], [ATTRIBUTES.iOrientation, 4], [ATTRIBUTES.iScale, 3]]) {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, size, gl.FLOAT, false, 4 * INSTANCE_FLOATS, 4 * offset);
      gl.vertexAttribDivisor(place, 1);
      offset += size;
    }
    fill(gl.ELEMENT_ARRAY_BUFFER, mesh.indices);
    gl.bindVertexArray(null);
    return { array, buffers, indices: mesh.indices.length, count: data.length / INSTANCE_FLOATS };
  }

  makeTextures(bodies) {
    const { gl } = this;
    for (const texture of [this.poses, this.nextPoses, this.colours]) if (texture) gl.deleteTexture(texture);
    const make = (format, width, height) => {
      const texture = gl.createTexture();
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.texStorage2D(gl.TEXTURE_2D, 1, format, width, height);
      for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
      return texture;
    };
    this.poseSize = poseTextureSize(bodies);
    this.poses = make(gl.RGBA32F, this.poseSize.width, this.poseSize.height);
    this.nextPoses = make(gl.RGBA32F, this.poseSize.width, this.poseSize.height);
    this.colourSize = { width: 1024, height: Math.max(1, Math.ceil(bodies / 1024)) };
    this.colours = make(gl.RGBA8, this.colourSize.width, this.colourSize.height);
    this.colourBytes = new Uint8Array(4 * this.colourSize.width * this.colourSize.height);
  }

  // Uploads a frame and the one after it.
  setFrames(chunk, frame, nextChunk, next) {
    const { gl } = this;
    const upload = (texture, from, index) => {
      gl.bindTexture(gl.TEXTURE_2D, texture);
      const start = (index - from.first) * from.stride;
      const { width, height } = this.poseSize;
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, width, height, gl.RGBA, gl.FLOAT, from.poses, start);
    };
    upload(this.poses, chunk, frame);
    upload(this.nextPoses, nextChunk, next);
  }

  // Uploads `colourBytes`.
  updateColours() {
    const { gl } = this;
    gl.bindTexture(gl.TEXTURE_2D, this.colours);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, this.colourSize.width, this.colourSize.height, gl.RGBA, gl.UNSIGNED_BYTE, this.colourBytes);
  }

  // Makes a program current and gives it poses and colours.
  use({ program, uniforms }) {
    const { gl } = this;
    gl.useProgram(program);
    const bind = (unit, name, texture) => {
      if (uniforms[name] === undefined) return;
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.uniform1i(uniforms[name], unit);
    };
    bind(0, 'uPoses', this.poses);
    bind(1, 'uNextPoses', this.nextPoses);
    bind(2, 'uColours', this.colours);
    bind(3, 'uShadow', this.shadowTexture);
    gl.activeTexture(gl.TEXTURE0);
    if (uniforms.uFraction !== undefined) gl.uniform1f(uniforms.uFraction, this.fraction);
    if (uniforms.uOnly !== undefined) gl.uniform1i(uniforms.uOnly, -1);
    if (uniforms.uInflate !== undefined) gl.uniform1f(uniforms.uInflate, 0);
    return uniforms;
  }

  drawBatches(wanted, uniforms) {
    const { gl } = this;
    for (const batch of this.batches) {
      if (!wanted(batch)) continue;
      if (uniforms.uShape !== undefined) gl.uniform1i(uniforms.uShape, batch.kind);
      gl.bindVertexArray(batch.array);
      gl.drawElementsInstanced(gl.TRIANGLES, batch.indices, gl.UNSIGNED_SHORT, 0, batch.count);
    }
    gl.bindVertexArray(null);
  }

  lightMatrix() {
    const reach = 1.35 * this.bounds.radius;
    const eye = vectorAddScaled(this.bounds.centre, LIGHT, 3 * reach);
    const view = matrixLookAt(eye, this.bounds.centre, [0, 0, 1]);
    return matrixMultiply(matrixOrthographic(reach, 0.5 * reach, 6 * reach), view);
  }

  drawShadows(lightView, ghosts) {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame);
    gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
    const uniforms = this.use(this.programs.depth);
    gl.uniformMatrix4fv(uniforms.uView, false, lightView);
    this.drawBatches((batch) => batch.layer === 'solid' || (batch.layer === 'fixed' && !ghosts), uniforms);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  // Draws everything. `options`: ghosts (fixed bodies are see-through), grid; `glyphs(view)` draws what lies over it.
  draw(camera, options, glyphs) {
    const { gl, canvas, theme } = this;
    if (gl.isContextLost() || !this.poses) return;
    const lightView = this.lightMatrix();
    gl.clearDepth(1);
    gl.disable(gl.BLEND);
    gl.disable(gl.CULL_FACE);
    gl.depthMask(true);
    this.drawShadows(lightView, options.ghosts);

    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(...theme.background, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    const view = camera.matrix(canvas.width / canvas.height);
    const uniforms = this.use(this.programs.body);
    gl.uniformMatrix4fv(uniforms.uView, false, view);
    gl.uniformMatrix4fv(uniforms.uLightView, false, lightView);
    gl.uniform3fv(uniforms.uLight, LIGHT);
    gl.uniform3fv(uniforms.uEye, camera.eye());
    gl.uniform1f(uniforms.uShadowTexel, (2.7 * this.bounds.radius) / SHADOW_SIZE);
    gl.uniform1i(uniforms.uSelected, this.selected);
    gl.uniform3fv(uniforms.uHighlight, theme.highlight);
    gl.uniform3fv(uniforms.uGround, theme.ground);
    gl.uniform3fv(uniforms.uGridColour, theme.grid);
    gl.uniform1f(uniforms.uGrid, options.grid ? gridSpacing(this.bounds.radius) : 0);
    gl.uniform3fv(uniforms.uCentre, this.bounds.centre);
    gl.uniform1f(uniforms.uReach, this.planeReach);
    gl.uniform1f(uniforms.uAlpha, 1);
    this.drawBatches((batch) => batch.layer === 'solid' || (batch.layer === 'fixed' && !options.ghosts), uniforms);

    // What can be seen through comes last, and hides nothing.
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.drawBatches((batch) => batch.layer === 'plane', uniforms);
    if (this.selected >= 0) this.drawOutline(view, camera);
    this.use(this.programs.body);
    gl.uniform1f(uniforms.uAlpha, GHOST_ALPHA);
    gl.depthMask(false);
    this.drawBatches((batch) => batch.layer === 'trigger' || (batch.layer === 'fixed' && options.ghosts), uniforms);
    glyphs(view);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  // The far sides of the chosen body, a little too large: what stands out behind it is its outline.
  drawOutline(view, camera) {
    const { gl } = this;
    const uniforms = this.use(this.programs.outline);
    gl.uniformMatrix4fv(uniforms.uView, false, view);
    gl.uniform1i(uniforms.uOnly, this.selected);
    gl.uniform1f(uniforms.uInflate, 0.006 * camera.distance);
    gl.uniform4fv(uniforms.uColour, [...this.theme.highlight, 1]);
    gl.enable(gl.CULL_FACE);
    gl.cullFace(gl.FRONT);
    this.drawBatches((batch) => batch.layer !== 'plane', uniforms);
    gl.disable(gl.CULL_FACE);
  }

  // The body at a place of the canvas in device pixels from the upper left; −1 for none.
  pick(camera, x, y, options) {
    const { gl, canvas } = this;
    if (gl.isContextLost() || !this.poses) return -1;
    this.preparePicking();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.pickTarget.frame);
    gl.viewport(0, 0, canvas.width, canvas.height);
    const [left, low] = [Math.floor(x), canvas.height - 1 - Math.floor(y)];
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(left, low, 1, 1);
    gl.disable(gl.BLEND);
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const uniforms = this.use(this.programs.identity);
    gl.uniformMatrix4fv(uniforms.uView, false, camera.matrix(canvas.width / canvas.height));
    this.drawBatches((batch) => batch.layer === 'solid' || batch.layer === 'plane' || (batch.layer === 'fixed' && !options.ghosts), uniforms);
    const pixel = new Uint8Array(4);
    gl.readPixels(left, low, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    gl.disable(gl.SCISSOR_TEST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return pixel[0] + 256 * pixel[1] + 65536 * pixel[2] - 1;
  }

  preparePicking() {
    const { gl, canvas } = this;
    const { width, height } = canvas;
    if (this.pickTarget?.width === width && this.pickTarget.height === height) return;
    if (this.pickTarget) {
      gl.deleteFramebuffer(this.pickTarget.frame);
      this.pickTarget.buffers.forEach((buffer) => gl.deleteRenderbuffer(buffer));
    }
    const frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    const attach = (format, attachment) => {
      const buffer = gl.createRenderbuffer();
      gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
      gl.renderbufferStorage(gl.RENDERBUFFER, format, width, height);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, attachment, gl.RENDERBUFFER, buffer);
      return buffer;
    };
    const buffers = [attach(gl.RGBA8, gl.COLOR_ATTACHMENT0), attach(gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT)];
    this.pickTarget = { frame, buffers, width, height };
  }

  // The picture as it was drawn last, in rows from below. To be called right after `draw`.
  pixels() {
    const { gl, canvas } = this;
    const bytes = new Uint8Array(4 * canvas.width * canvas.height);
    gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    return bytes;
  }
}

// 1, 2 or 5 times a power of ten, some ten cells across the scene.
function gridSpacing(radius) {
  const wanted = radius / 4;
  const power = 10 ** Math.floor(Math.log10(wanted));
  return power * ([5, 2, 1].find((step) => step * power <= wanted) ?? 1);
}

